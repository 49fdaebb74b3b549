package warc

// This file saves the sound records of a damaged WARC file.

import (
	"context"
	"fmt"
	"hash/maphash"
	"io"
	"maps"
	"strings"
)

// RepairOptions are the options of Repair.
type RepairOptions struct {
	Compression Compression // of the output; a .warc.gz needs Format Gzip
}

// Repaired reports what was wrong with one record, or one piece of garbage. Sound records are not reported.
type Repaired struct {
	Offset  int64  `json:"offset"` // in the input
	Dropped bool   `json:"dropped"`
	Rule    string `json:"rule"` // one of Rules
	Text    string `json:"text"` // the cause, or what was done, in one line
}

// RepairSummary counts what Repair did.
type RepairSummary struct {
	Read      int // records read, broken ones included
	Written   int
	Fixed     int // records written with changes
	Dropped   int
	Converted int // ARC records among the records written
}

// Repair reads a WARC or ARC file in any state and writes every sound record to out, each in its own member, with
// standard line ends. It drops what it cannot prove right, and calls report with the reason.
//
//   - A wrong or missing Content-Length is corrected if the right value follows from the end of the member or the
//     beginning of the next record, and from the block digest if there is one. The old one is kept as
//     Kavosh-Wrong-Content-Length.
//   - A record with a wrong digest is dropped, unless the checksum of its member proves that the data is unchanged.
//     Then the wrong field is renamed to Kavosh-Wrong-….
//   - A record that repeats another one's ID and content is dropped. If only the ID is the same, it gets a new ID.
//   - ARC records become WARC/1.1 records; their header line is kept as Kavosh-ARC-Header.
//   - Invalid field names and values are dropped or cleaned. Missing record IDs are made up.
//
// It reads in up to three times, from its current position. It fails only if reading or writing fails, or ctx ends.
func Repair(ctx context.Context, in io.ReadSeeker, out io.Writer, o RepairOptions, report func(Repaired)) (RepairSummary, error) {
	start, err := in.Seek(0, io.SeekCurrent)
	if err != nil {
		return RepairSummary{}, err
	}
	p := &repairer{ctx: ctx, report: report, severity: severities(false), buf: make([]byte, 64<<10), seed: maphash.MakeSeed()}
	pass := func(visit func(*Reader, *Record) error, note func(Note)) error {
		if _, err := in.Seek(start, io.SeekStart); err != nil {
			return err
		}
		return p.pass(in, visit, note)
	}
	// First find what is wrong, then test the lengths that this suggests, then write.
	p.bad, p.guessed, p.proven, p.torn = map[place]verdict{}, map[place]int64{}, map[int64]bool{}, map[uint64]bool{}
	if err := pass(p.inspect, nil); err != nil {
		return p.sum, err
	}
	bad := p.bad
	if p.tryGuesses(); len(p.lengths) > 0 {
		if err := pass(p.inspect, nil); err != nil {
			return p.sum, err
		}
		maps.DeleteFunc(p.lengths, func(at place, _ int64) bool { _, still := p.bad[at]; return still })
		maps.DeleteFunc(bad, func(at place, _ verdict) bool { _, right := p.lengths[at]; return right })
	}
	p.bad, p.guessed = bad, nil
	p.out = NewWriter(out, o.Compression)
	p.ids = map[uint64]uint64{}
	err = pass(p.write, p.reportGarbage)
	return p.sum, err
}

// repairer is the state of one Repair.
type repairer struct {
	ctx      context.Context
	report   func(Repaired)
	severity map[string]Severity
	out      *Writer
	sum      RepairSummary
	buf      []byte

	guessed map[place]int64   // lengths suggested by the bytes after a block
	lengths map[place]int64   // lengths chosen among them
	proven  map[int64]bool    // members of many records whose checksum is right
	bad     map[place]verdict // records that are not sound
	torn    map[uint64]bool   // hashes of the IDs of records with guessed lengths; true if a sound record has the same ID

	seed maphash.Seed
	ids  map[uint64]uint64 // of records written: hash of record ID to hash of header
}

// verdict says why a record is not sound.
type verdict struct {
	rule, text string
	wrong      []string // digest fields that are wrong although the record is whole
	proven     bool     // the data is unchanged since it was written, so the fields are wrong
}

// pass reads the whole file once. It calls visit for every record and note for notes between records.
func (p *repairer) pass(in io.Reader, visit func(*Reader, *Record) error, note func(Note)) error {
	r, err := NewReader(in)
	if err != nil {
		return err
	}
	r.lengths, r.guessed, r.proven = p.lengths, p.guessed, p.proven
	for {
		r.Report = note
		rec, err := r.Next()
		r.Report = nil
		if err == io.EOF {
			return nil
		}
		if err == nil {
			err = visit(r, rec)
		}
		if err == nil {
			err = r.Finish()
		}
		if err == nil {
			err = p.ctx.Err()
		}
		if err != nil {
			return err
		}
	}
}

// tryGuesses chooses the guessed lengths of records that are bad or have no length of their own.
func (p *repairer) tryGuesses() {
	p.lengths = p.guessed
	p.guessed, p.bad = nil, map[place]verdict{}
}

func (p *repairer) inspect(r *Reader, rec *Record) error {
	for i, f := range rec.Header { // judge the cleaned value, because that one is written
		rec.Header[i].Value = cleanValue(f.Value)
	}
	v := newVerifier(rec)
	_, whole, err := v.read(Until(p.ctx, rec.Block), p.buf)
	if err != nil {
		return err
	}
	if err := r.Finish(); err != nil {
		return err
	}
	id := maphash.String(p.seed, rec.ID())
	_, torn := p.torn[id]
	if bad, ok := p.judge(rec, v, whole); ok {
		p.bad[rec.place] = bad
		if _, ok := p.guessed[rec.place]; ok && !torn {
			p.torn[id] = false
		}
	} else if _, guessed := p.lengths[rec.place]; torn && !guessed {
		p.torn[id] = true
	} else if p.guessed != nil {
		delete(p.guessed, rec.place) // no guess is needed
	}
	return nil
}

// judge returns what is wrong with a record; false if it is sound.
func (p *repairer) judge(rec *Record, v *verifier, whole bool) (verdict, bool) {
	if !whole || rec.Broken {
		for _, n := range rec.Notes {
			if p.severity[n.Rule] == Fault && n.Rule != "missing-field" && n.Rule != "spans-members" && n.Rule != "not-seekable" {
				return verdict{rule: n.Rule, text: n.Text}, true
			}
		}
		return verdict{rule: "corrupt-member", text: "the block breaks off"}, true
	}
	if rec.Type() == "" {
		return verdict{rule: "missing-field", text: "WARC-Type is missing"}, true
	}
	if needsTarget[rec.Type()] && rec.TargetURI() == "" {
		return verdict{rule: "missing-field", text: "WARC-Target-URI is missing"}, true
	}
	if rec.Date().IsZero() {
		return verdict{rule: "date", text: fmt.Sprintf("WARC-Date %.80q", rec.Header.Get("WARC-Date"))}, true
	}
	var bad verdict
	proven := rec.proven
	for _, n := range v.compare() {
		switch n.Rule {
		case "digest-block":
			bad.wrong = append(bad.wrong, "WARC-Block-Digest")
		case "digest-payload":
			bad.wrong = append(bad.wrong, "WARC-Payload-Digest")
			proven = proven || v.block.sum != nil && len(bad.wrong) == 1
		default:
			continue
		}
		bad.rule, bad.text = n.Rule, n.Text
	}
	bad.proven = proven
	return bad, bad.rule != ""
}

func (p *repairer) reportGarbage(n Note) {
	switch n.Rule {
	case "no-length", "header-too-long", "truncated-record", "garbage", "corrupt-member", "truncated-member", "checksum":
		p.sum.Dropped++
		p.report(Repaired{n.Offset, true, n.Rule, n.Text})
	}
}

func (p *repairer) write(r *Reader, rec *Record) error {
	p.sum.Read++
	bad := p.bad[rec.place]
	if bad.rule != "" && !(bad.wrong != nil && (bad.proven || p.proven[rec.place.unit])) {
		return p.drop(rec, bad.rule, bad.text)
	}
	c := cleaner{rec: rec}
	c.clean(bad)
	if _, guessed := p.lengths[rec.place]; guessed {
		if p.torn[maphash.String(p.seed, rec.ID())] {
			return p.drop(rec, "duplicate-id", "the file has a sound record of that ID, "+rec.ID())
		}
		c.length()
	}
	if !p.identify(&c) {
		return p.drop(rec, "duplicate-id", "it is a copy of an earlier record, "+rec.ID())
	}
	p.out.Version = c.version
	if _, err := p.out.WriteRecord(c.header, Until(p.ctx, rec.Block)); err != nil {
		return err
	}
	p.sum.Written++
	if rec.arc != "" {
		p.sum.Converted++
	}
	if err := r.Finish(); err != nil {
		return err
	}
	for _, n := range rec.Notes {
		if n.Rule == "blank-lines" || n.Rule == "spans-members" || n.Rule == "not-seekable" ||
			n.Offset == rec.Offset && p.severity[n.Rule] == Warning {
			c.change(n.Rule, "%s", n.Text)
		}
	}
	if len(c.changes) > 0 {
		p.sum.Fixed++
	}
	for _, done := range c.changes {
		p.report(done)
	}
	return nil
}

func (p *repairer) drop(rec *Record, rule, text string) error {
	p.sum.Dropped++
	p.report(Repaired{rec.Offset, true, rule, text})
	return nil
}

// identify makes sure that the record's ID is unique. It returns false if the record is a copy of one already written.
func (p *repairer) identify(c *cleaner) bool {
	var all strings.Builder
	for _, f := range c.header {
		all.WriteString(f.Name + ":" + f.Value + "\n")
	}
	id, whole := maphash.String(p.seed, c.header.Get("WARC-Record-ID")), maphash.String(p.seed, all.String())
	before, taken := p.ids[id]
	switch {
	case taken && before == whole:
		return false
	case taken:
		c.newID("duplicate-id")
	case len(p.ids) < maxRemembered:
		p.ids[id] = whole
	}
	return true
}
