package warc

import (
	"context"
	"fmt"
	"hash/maphash"
	"io"
	"maps"
	"strings"
)

// RepairOptions says how to repair.
type RepairOptions struct {
	Compression Compression // of the result; a .warc.gz needs Format Gzip
}

// Repaired is what one record needed, or one piece of garbage. A record that needed nothing is not told of.
type Repaired struct {
	Offset  int64  `json:"offset"` // in the old file
	Dropped bool   `json:"dropped"`
	Rule    string `json:"rule"` // one of Rules
	Text    string `json:"text"` // cause, or what was done, in one line
}

// RepairSummary counts what Repair did.
type RepairSummary struct {
	Read      int // records met, broken ones too
	Written   int
	Fixed     int // of those written, not as they were
	Dropped   int
	Converted int // ARC records among those written
}

// Repair reads a WARC or ARC file, whatever state it is in, and writes every record that is sound to out: each in a
// member of its own, with the standard's line ends. What it cannot prove to be right it drops, and tells report why.
//
//   - A wrong or missing Content-Length is set right when the end of the member, or the beginning of the next record, and
//     the block digest if there is one, say what it must be. The old one is kept as Kavosh-Wrong-Content-Length.
//   - A record with a wrong digest is dropped, unless the checksum of its member proves that it is as it was written: then
//     the wrong field is renamed to Kavosh-Wrong-….
//   - A record that repeats another, ID and content, is dropped. One that has another's ID gets one of its own.
//   - ARC records become WARC/1.1 records; their header line is kept as Kavosh-ARC-Header.
//   - Field names and values that no header can hold are dropped or cleaned, missing record IDs are made up.
//
// It reads in up to three times, from its present position. The error is a failure to read, to write, or ctx's.
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
	// First see what is wrong, then whether the lengths that this suggests are right, then write.
	p.bad, p.guessed, p.proven, p.torn = map[place]verdict{}, map[place]int64{}, map[int64]bool{}, map[uint64]bool{}
	if err := pass(p.look, nil); err != nil {
		return p.sum, err
	}
	bad := p.bad
	if p.tryGuesses(); len(p.lengths) > 0 {
		if err := pass(p.look, nil); err != nil {
			return p.sum, err
		}
		maps.DeleteFunc(p.lengths, func(at place, _ int64) bool { _, still := p.bad[at]; return still })
		maps.DeleteFunc(bad, func(at place, _ verdict) bool { _, right := p.lengths[at]; return right })
	}
	p.bad, p.guessed = bad, nil
	p.out = NewWriter(out, o.Compression)
	p.ids = map[uint64]uint64{}
	err = pass(p.write, p.lost)
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

	guessed map[place]int64   // lengths that the bytes after a block suggest
	lengths map[place]int64   // those that are taken
	proven  map[int64]bool    // members of many records whose checksum is right
	bad     map[place]verdict // of records that are not sound as they are
	torn    map[uint64]bool   // hashes of the IDs of those with guessed lengths, and whether a sound record has the ID

	seed maphash.Seed
	ids  map[uint64]uint64 // of what was written: hash of record ID to hash of header
}

// verdict is why a record is not sound.
type verdict struct {
	rule, text string
	wrong      []string // digest fields that are wrong while the record is whole
	proven     bool     // it is as it was written: the fields are at fault
}

// pass reads the whole file once: visit is called for every record, note for what is between them.
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

// tryGuesses takes the guessed lengths of records that are bad, or that had no length to be read by.
func (p *repairer) tryGuesses() {
	p.lengths = p.guessed
	p.guessed, p.bad = nil, map[place]verdict{}
}

// look reads a record and decides about it.
func (p *repairer) look(r *Reader, rec *Record) error {
	for i, f := range rec.Header { // what is written is what is judged
		rec.Header[i].Value = cleanValue(f.Value)
	}
	v := newVerifier(rec)
	_, whole, err := v.read(&contextReader{p.ctx, rec.Block}, p.buf)
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

// judge says what is wrong with a record, if anything is.
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

// lost tells of what is no record.
func (p *repairer) lost(n Note) {
	switch n.Rule {
	case "no-length", "header-too-long", "truncated-record", "garbage", "corrupt-member", "truncated-member", "checksum":
		p.sum.Dropped++
		p.report(Repaired{n.Offset, true, n.Rule, n.Text})
	}
}

// write writes a record, or drops it.
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
	if _, err := p.out.WriteRecord(c.header, &contextReader{p.ctx, rec.Block}); err != nil {
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
		if n.Rule == "blank-lines" || n.Rule == "spans-members" || n.Rule == "not-seekable" || n.Offset == rec.Offset && p.severity[n.Rule] == Warning {
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

// identify makes the record's ID its own; false when the record is a copy of one that was written.
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
