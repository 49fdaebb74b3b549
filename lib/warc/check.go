package warc

// This file checks WARC and ARC files of any program, rule by rule. The files are hostile input.

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"hash"
	"hash/maphash"
	"io"
	"maps"
	"math"
	"mime"
	"net/netip"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"kavosh/lib/ascii"
	"kavosh/lib/httpwire"
)

// Finding is one problem that Check reports.
type Finding struct {
	File     string   `json:"file"`
	Offset   int64    `json:"offset"` // where the record, member or garbage begins
	Severity Severity `json:"severity"`
	Rule     string   `json:"rule"` // one of Rules
	Text     string   `json:"text"` // one line
}

// String returns the finding as one line.
func (f Finding) String() string {
	return fmt.Sprintf("%s: %s at offset %d: %s: %s", f.File, f.Severity, f.Offset, f.Rule, f.Text)
}

// CheckOptions are the options of Check.
type CheckOptions struct {
	Strict bool                // also report what the standard asks for but readers can do without, as errors
	Each   func(*Record, bool) // if not nil, called after each record, with whether its digests are right
}

// Summary counts what Check saw.
type Summary struct {
	Kind      string // for people: "WARC/1.0, gzip"
	Records   int
	Sound     int // records without a finding that is an error
	Errors    int
	Warnings  int
	Digests   int            // digests that were computed and are right
	Chunked   int            // of those, digests over a chunked payload: warcio, gowarc and JWAT report them as wrong
	Types     map[string]int // records by WARC-Type
	Elsewhere int            // revisits whose original record is not in this file
}

// maxRemembered bounds how many hashes of record IDs and captures are kept, at about 25 bytes each. Later records are
// not checked for repeats, and revisits do not find them.
const maxRemembered = 2 << 20

// Check reads a WARC or ARC file from f to the end and calls report for each problem as it finds it. name stands for
// the file in findings. Check returns an error only if reading f fails or ctx ends.
func Check(ctx context.Context, name string, f io.Reader, o CheckOptions, report func(Finding)) (Summary, error) {
	r, err := NewReader(f)
	if err != nil {
		return Summary{}, err
	}
	c := &checker{
		name: name, strict: o.Strict, report: report, severity: severities(o.Strict), sum: Summary{Types: map[string]int{}},
		ids: map[uint64]struct{}{}, seed: maphash.MakeSeed(), kinds: map[string]bool{}, buf: make([]byte, 64<<10),
	}
	r.Report = func(n Note) { c.find(n.Offset, n.Rule, n.Text) }
	for {
		if err := ctx.Err(); err != nil {
			return c.sum, err
		}
		rec, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return c.sum, err
		}
		c.kinds[kindOf(r, rec)] = true
		right, err := c.record(ctx, r, rec)
		if err != nil {
			return c.sum, err
		}
		if o.Each != nil {
			o.Each(rec, right)
		}
	}
	if c.sum.Records == 0 {
		c.find(0, "no-record", "the file holds no WARC or ARC record")
	}
	c.revisits()
	c.sum.Kind = strings.Join(slices.Sorted(maps.Keys(c.kinds)), "; ")
	return c.sum, nil
}

// checker is the state of one Check.
type checker struct {
	name     string
	strict   bool
	report   func(Finding)
	severity map[string]Severity
	sum      Summary
	kinds    map[string]bool
	buf      []byte

	seed    maphash.Seed
	ids     map[uint64]struct{} // hashes of record IDs, and of target URI with date
	revisit [][]uint64          // for each revisit, hashes of which at least one must be in ids
}

func (c *checker) find(offset int64, rule, text string) {
	s := c.severity[rule]
	switch s {
	case "":
		return
	case Fault:
		c.sum.Errors++
	case Warning:
		c.sum.Warnings++
	}
	c.report(Finding{c.name, offset, s, rule, text})
}

// kindOf describes the version and compression of a record for people.
func kindOf(r *Reader, rec *Record) string {
	switch {
	case !r.packed():
		return rec.Version + ", plain"
	case r.dec.format == Zstd:
		return rec.Version + ", zstd"
	}
	return rec.Version + ", gzip"
}

// record checks one record and reports whether its digests are right.
func (c *checker) record(ctx context.Context, r *Reader, rec *Record) (right bool, err error) {
	c.sum.Records++
	c.sum.Types[rec.Type()]++
	before := c.sum.Errors
	c.header(rec)
	right, err = c.digests(ctx, rec)
	if err != nil {
		return false, err
	}
	if err := r.Finish(); err != nil {
		return false, err
	}
	sound := c.sum.Errors == before
	for _, n := range rec.Notes { // the notes about its header were reported before
		sound = sound && (n.Offset != rec.Offset || c.severity[n.Rule] != Fault)
	}
	if sound {
		c.sum.Sound++
	}
	return right && !rec.Broken, nil
}

// needsTarget holds the record types that must have a WARC-Target-URI.
var needsTarget = map[string]bool{"response": true, "resource": true, "request": true, "revisit": true,
	"conversion": true, "continuation": true}

func (c *checker) header(rec *Record) {
	at := rec.Offset
	kind := rec.Type()
	if c.sum.Records == 1 && rec.arc != "" && kind != "warcinfo" {
		c.find(at, "arc-version", "the file does not begin with a version block (filedesc:)")
	}
	switch {
	case kind == "":
	case !needsTarget[kind] && kind != "warcinfo" && kind != "metadata":
		c.find(at, "unknown-type", fmt.Sprintf("WARC-Type %q", kind))
	case needsTarget[kind] && rec.TargetURI() == "":
		c.find(at, "missing-field", "WARC-Target-URI is missing")
	}
	c.date(rec)
	c.fields(rec)
	if id := rec.ID(); id != "" {
		if len(id) < 4 || trimBrackets(id) == id || !strings.Contains(id, ":") {
			c.find(at, "record-id", fmt.Sprintf("WARC-Record-ID %.80q", id))
		}
		if c.seen(id) {
			c.find(at, "duplicate-id", "another record of the file is "+id)
		}
		c.remember(id)
	}
	c.target(rec)
	if ip := rec.Header.Get("WARC-IP-Address"); ip != "" {
		if _, err := netip.ParseAddr(ip); err != nil {
			c.find(at, "ip-address", fmt.Sprintf("WARC-IP-Address %.80q", ip))
		}
	}
	for _, f := range rec.Header {
		if !validName(f.Name) {
			c.find(at, "field-name", fmt.Sprintf("%.80q is no name of a field", f.Name))
			break
		}
	}
	for _, f := range rec.Header {
		if !utf8.ValidString(f.Name) || !utf8.ValidString(f.Value) {
			c.find(at, "header-encoding", fmt.Sprintf("the value of %.80q is not UTF-8", f.Name))
			break
		}
	}
	if c.strict {
		c.checkStrict(rec)
	}
}

func (c *checker) date(rec *Record) {
	s := rec.Header.Get("WARC-Date")
	if s == "" {
		return // the reader has reported it
	}
	t, err := ParseDate(s)
	switch {
	case err != nil:
		c.find(rec.Offset, "date", fmt.Sprintf("WARC-Date %.80q", s))
	case !standardDate(rec.Version, s):
		c.find(rec.Offset, "date-form", fmt.Sprintf("WARC-Date %.80q is read as %s", s, t.Format(time.RFC3339)))
	}
}

// standardDate reports whether s has the form that the version requires: WARC 1.1 allows any precision, earlier
// versions only seconds.
func standardDate(version, s string) bool {
	s = strings.ToUpper(s)
	layouts := []string{"2006-01-02T15:04:05Z"}
	if version == "WARC/1.1" {
		layouts = append(layouts, "2006-01-02T15:04:05.999999999Z", "2006-01-02T15:04Z", "2006-01-02", "2006-01", "2006")
	}
	for _, l := range layouts {
		if _, err := time.Parse(l, s); err == nil && (version == "WARC/1.1" || len(s) == len(l)) {
			return true
		}
	}
	return false
}

func (c *checker) target(rec *Record) {
	raw := rec.Header.Get("WARC-Target-URI")
	uri := rec.TargetURI()
	switch {
	case raw == "":
		return
	case strings.ContainsFunc(uri, func(r rune) bool { return r <= ' ' || r == 0x7f }):
		c.find(rec.Offset, "target-uri", fmt.Sprintf("WARC-Target-URI %.200q has spaces or control characters", uri))
	case !isAbsolute(uri):
		c.find(rec.Offset, "target-uri", fmt.Sprintf("WARC-Target-URI %.200q is no URI: it has no scheme", uri))
	case raw != uri && rec.Version == "WARC/1.1":
		c.find(rec.Offset, "target-uri", "WARC-Target-URI has angle brackets, which only WARC/1.0 has")
	}
	c.remember(uri + " " + rec.Date().Format(time.RFC3339))
	if rec.Type() == "revisit" {
		c.revisitOf(rec)
	}
}

func (c *checker) revisitOf(rec *Record) {
	if rec.Header.Get("WARC-Profile") == "" {
		c.find(rec.Offset, "revisit-profile", "a revisit without WARC-Profile")
	}
	id, uri := rec.Header.Get("WARC-Refers-To"), trimBrackets(rec.Header.Get("WARC-Refers-To-Target-URI"))
	if id == "" && uri == "" {
		c.find(rec.Offset, "revisit-of-nothing", "the revisit of "+rec.TargetURI()+" names no original")
		return
	}
	if len(c.revisit) >= maxRemembered {
		return
	}
	var refs []uint64
	if id != "" {
		refs = append(refs, c.hash(id))
	}
	if date, err := ParseDate(rec.Header.Get("WARC-Refers-To-Date")); err == nil && uri != "" {
		refs = append(refs, c.hash(uri+" "+date.Format(time.RFC3339)))
	}
	c.revisit = append(c.revisit, refs)
}

// revisits counts the revisits whose originals are not in the file.
func (c *checker) revisits() {
	for _, refs := range c.revisit {
		here := slices.ContainsFunc(refs, func(h uint64) bool { _, ok := c.ids[h]; return ok })
		if !here {
			c.sum.Elsewhere++
		}
	}
}

func (c *checker) hash(s string) uint64 { return maphash.String(c.seed, s) }

func (c *checker) seen(s string) bool {
	_, ok := c.ids[c.hash(s)]
	return ok
}

func (c *checker) remember(s string) {
	if len(c.ids) < maxRemembered {
		c.ids[c.hash(s)] = struct{}{}
	}
}

func (c *checker) checkStrict(rec *Record) {
	for _, f := range rec.Header {
		if usual := usualName(f.Name); usual != f.Name {
			c.find(rec.Offset, "field-case", fmt.Sprintf("%.80q is usually written %s", f.Name, usual))
			break
		}
	}
	if rec.Size > 0 && !rec.Header.Has("Content-Type") && rec.Type() != "continuation" {
		c.find(rec.Offset, "content-type", "the block has no Content-Type")
	}
	for _, name := range []string{"Content-Type", "WARC-Identified-Payload-Type"} {
		value := rec.Header.Get(name)
		kind, _, err := mime.ParseMediaType(value)
		if rec.arc == "" && rec.Header.Has(name) && (err != nil || !strings.Contains(kind, "/")) {
			c.find(rec.Offset, "media-type", fmt.Sprintf("%s %.80q is no media type", name, value))
		}
	}
}

// usualName returns the standard's spelling of a field name; other names are returned unchanged.
func usualName(name string) string {
	for _, usual := range []string{
		"Content-Length", "Content-Type", "WARC-Type", "WARC-Record-ID", "WARC-Date", "WARC-Target-URI", "WARC-Concurrent-To",
		"WARC-Block-Digest",
		"WARC-Payload-Digest", "WARC-IP-Address", "WARC-Refers-To", "WARC-Refers-To-Target-URI", "WARC-Refers-To-Date", "WARC-Truncated",
		"WARC-Warcinfo-ID", "WARC-Filename", "WARC-Profile", "WARC-Identified-Payload-Type", "WARC-Segment-Number", "WARC-Segment-Origin-ID",
		"WARC-Segment-Total-Length",
	} {
		if ascii.EqualFold(usual, name) {
			return usual
		}
	}
	return name
}

// digests reads the block and compares it with the digests in the header. It returns an error only if reading fails.
func (c *checker) digests(ctx context.Context, rec *Record) (right bool, err error) {
	v := newVerifier(rec)
	for _, d := range []struct {
		name string
		of   *expected
	}{{"WARC-Block-Digest", &v.block}, {"WARC-Payload-Digest", &v.payload}} {
		if d.of.unknown {
			c.find(rec.Offset, "digest-form", fmt.Sprintf("%s %.100q is of an unknown algorithm", d.name, d.of.text))
		}
	}
	head, whole, err := v.read(Until(ctx, rec.Block), c.buf)
	if err != nil || !whole {
		return false, err
	}
	if rec.saysHTTP() && rec.Type() == "response" && head.Len == 0 {
		c.find(rec.Offset, "http-head", "the block does not begin with a status line")
	}
	right = true
	for _, f := range v.compare() {
		c.find(rec.Offset, f.Rule, f.Text)
		right = right && c.severity[f.Rule] != Fault
	}
	c.sum.Digests += v.matched
	c.sum.Chunked += v.chunked
	return right, nil
}

// Noting is a reader of R that remembers its error, unless that is the end.
type Noting struct {
	R   io.Reader
	Err error
}

// Read reads from R.
func (t *Noting) Read(p []byte) (int, error) {
	n, err := t.R.Read(p)
	if err != nil && err != io.EOF {
		t.Err = err
	}
	return n, err
}

// Until returns a reader of r that fails when ctx ends.
func Until(ctx context.Context, r io.Reader) io.Reader { return &contextReader{ctx, r} }

type contextReader struct {
	ctx context.Context
	r   io.Reader
}

func (r *contextReader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.r.Read(p)
}

// verifier compares a record's block with its digests, in one pass.
type verifier struct {
	rec     *Record
	block   expected
	payload expected
	raw     hash.Hash // hash of the body before transfer decoding, if the body has a transfer coding
	matched int       // digests that are right
	chunked int       // of those, digests over the decoded payload of a chunked body
}

// expected is a digest from the header, with the hash computed over the data.
type expected struct {
	Digest
	text    string
	unknown bool      // we do not know the algorithm
	wrong   bool      // not a valid sum for its algorithm, so no data can match it
	sum     hash.Hash // nil if it is not checked
}

func newVerifier(rec *Record) *verifier {
	v := &verifier{rec: rec}
	v.block.set(rec.Header.Get("WARC-Block-Digest"))
	v.payload.set(rec.Header.Get("WARC-Payload-Digest"))
	// The payload of a revisit is in another record; the payload of a segmented record is in several.
	if rec.Type() == "revisit" || rec.Header.Has("WARC-Segment-Number") {
		v.payload.sum = nil
	}
	return v
}

func (e *expected) set(text string) {
	if e.text = text; text == "" {
		return
	}
	var err error
	if e.Digest, err = ParseDigest(text); err != nil {
		e.wrong = true
	} else if e.sum = e.Digest.New(); e.sum == nil {
		e.unknown = true
	}
}

// read reads the block to its end. whole is false if the block is broken. It returns an error only if reading fails.
func (v *verifier) read(block io.Reader, buf []byte) (head httpwire.Head, whole bool, err error) {
	if v.block.sum != nil {
		block = io.TeeReader(block, v.block.sum)
	}
	// A broken block ends the reading, but it is not a failure of ours.
	fail := func(err error) (httpwire.Head, bool, error) {
		if errors.As(err, new(*FormatError)) {
			err = nil
		}
		return head, false, err
	}
	head, body, err := v.rec.split(block)
	if err != nil {
		return fail(err)
	}
	raw := body
	if v.payload.sum != nil {
		if head.Chunked() {
			v.raw = v.payload.Digest.New()
			raw = io.TeeReader(body, v.raw)
		}
		// If the server sent broken chunks, the payload is whatever can be decoded.
		io.CopyBuffer(writerOnly{v.payload.sum}, readerOnly{httpwire.Payload(head, raw)}, buf)
	}
	if _, err := io.CopyBuffer(io.Discard, readerOnly{raw}, buf); err != nil {
		return fail(err)
	}
	return head, true, nil
}

// endsThere reports whether the content of a block proves that the block ends here: see Reader.provenEnd.
func (v *verifier) endsThere(block io.Reader, buf []byte) (bool, error) {
	if v.block.sum != nil {
		_, err := io.CopyBuffer(writerOnly{v.block.sum}, readerOnly{block}, buf)
		return v.block.Matches(v.block.sum.Sum(nil)), err
	}
	head, body, err := v.rec.split(block)
	if err != nil || head.Len == 0 {
		return false, err
	}
	switch framing := httpwire.Frame(&head, "", head.Status); framing.By {
	case httpwire.ByLength, httpwire.NoBody:
		n, err := io.CopyBuffer(io.Discard, readerOnly{body}, buf)
		return n == max(0, framing.Length), err
	case httpwire.ByChunks:
		chunks := bufio.NewReader(body)
		if _, err := io.CopyBuffer(io.Discard, readerOnly{httpwire.NewChunked(chunks, math.MaxInt64)}, buf); err != nil {
			return false, nil // broken chunks prove nothing
		}
		_, err := chunks.ReadByte()
		return err == io.EOF, nil
	}
	return false, nil
}

// readerOnly and writerOnly hide methods that would make io.CopyBuffer allocate its own buffer.
type (
	readerOnly struct{ io.Reader }
	writerOnly struct{ io.Writer }
)

// compare returns notes about wrong digests. The block must have been read.
func (v *verifier) compare() (found []Note) {
	if v.block.wrong {
		found = append(found, Note{Rule: "digest-block", Text: fmt.Sprintf("%.100q cannot be right", v.block.text)})
	}
	if v.block.sum != nil {
		if sum := v.block.sum.Sum(nil); v.block.Matches(sum) {
			v.matched++
		} else {
			found = append(found, Note{Rule: "digest-block", Text: v.block.mismatch(sum)})
		}
	}
	if v.payload.wrong {
		found = append(found, Note{Rule: "digest-payload", Text: fmt.Sprintf("%.100q cannot be right", v.payload.text)})
	}
	if v.payload.sum == nil {
		return found
	}
	sum := v.payload.sum.Sum(nil)
	switch {
	case v.payload.Matches(sum):
		v.matched++
		if v.raw != nil && !v.payload.Matches(v.raw.Sum(nil)) {
			v.chunked++
		}
	case v.raw != nil && v.payload.Matches(v.raw.Sum(nil)):
		found = append(found, Note{Rule: "digest-payload-undecoded", Text: "WARC-Payload-Digest is of the body with its chunk framing"})
	case v.rec.Header.Get("WARC-Truncated") != "":
		found = append(found, Note{Rule: "digest-truncated", Text: v.payload.mismatch(sum)})
	default:
		found = append(found, Note{Rule: "digest-payload", Text: v.payload.mismatch(sum)})
	}
	return found
}

func (e *expected) mismatch(sum []byte) string {
	return fmt.Sprintf("the header says %s, the data is %s", e.text, FormatDigest(e.Algorithm, sum))
}
