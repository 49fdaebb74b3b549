package record

// This file writes an exchange as a group of WARC records.

import (
	"fmt"
	"io"
	"mime"
	"net/url"
	"strconv"
	"strings"
	"time"

	"kavosh"
	"kavosh/internal/records"
	"kavosh/lib/cdx"
	"kavosh/lib/warc"
	"kavosh/lib/weburl"
)

// Our own fields in records, in addition to the standard's.
const (
	groupField   = "Kavosh-Group"   // "<task>.<attempt> k/n"
	failureField = "Kavosh-Failure" // a kavosh.Failure: why a metadata record replaces an exchange, or what cut a response
	variantField = "Kavosh-Variant" // "rdf" if the Accept field asked for the URL's RDF variant
	// WithheldField names the request fields that were sent but not recorded, because they are secret; in a response,
	// those whose values are masked.
	WithheldField = "Kavosh-Withheld"
	typeField     = "Kavosh-Type"    // media type of a revisit's original, if the revisit's own head has none
	queryField    = "Kavosh-Query"   // for a response to a request other than GET: Capture.Query, percent-encoded
	droppedField  = "Kavosh-Dropped" // for a metadata record that replaces a response: Dropped.Score
)

// MinRevisit is the payload size in bytes below which no revisit record is written.
const MinRevisit = 256

// Profiles of revisit records.
const (
	identicalProfile   = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"
	notModifiedProfile = "http://netpreserve.org/warc/1.1/revisit/server-not-modified"
)

// describe adds the records of x to the group; docs/formats/outcomes.md has the table of which. digest is the text of
// x.Digest. profile and prior are the results of revisit.
func (g *group) describe(x *kavosh.Exchange, digest, profile string, prior *kavosh.Prior) error {
	g.named(x.Task)
	notes := notes(x)
	told := x.Answered() && (notes != "" || x.Task.Ask != nil) // what scripts requested appears as a link in no other record
	date := x.Began.UTC().Truncate(time.Microsecond)
	if x.Dropped != nil {
		g.dropped(x, date, digest)
		return nil
	}
	total := 1
	for _, more := range []bool{x.Request != nil, told, x.DNS != nil, x.Decided != nil} {
		if more {
			total++
		}
	}
	main := g.newID()
	switch {
	case !x.Answered():
		g.failure(x, main, date, notes)
	case profile != "":
		if err := g.revisit(x, main, date, profile, prior); err != nil {
			return err
		}
	default:
		if err := g.answer(x, main, date, digest); err != nil {
			return err
		}
	}
	g.end(total)
	if x.Request != nil {
		g.begin("request", "", date, x.Task.URL)
		g.field("WARC-Concurrent-To", main)
		g.field("Content-Type", "application/http;msgtype=request")
		if x.Withheld != "" {
			g.field(WithheldField, x.Withheld)
		}
		g.blockDigest(x.Request)
		g.add(x.Request, -1)
		g.end(total)
	}
	if told {
		g.begin("metadata", "", date, x.Task.URL)
		g.field("WARC-Concurrent-To", main)
		g.field("Content-Type", "application/warc-fields")
		g.add([]byte(provenance(x)+notes), -1)
		g.end(total)
	}
	if x.DNS != nil {
		date := x.DNS.Time.UTC().Truncate(time.Microsecond)
		g.resource("dns:"+x.DNS.Name, "text/dns", []byte(date.Format("20060102150405")+"\n"+x.DNS.Text), "", date)
		g.end(total)
	}
	if d := x.Decided; d != nil {
		g.resource(d.URL, d.Type, []byte(d.Text), main, date)
		g.end(total)
	}
	for i := range g.captures {
		g.captures[i].Crawl = g.opt.Crawl
	}
	return nil
}

// named gives the group the name of a task's group.
func (g *group) named(t *kavosh.Task) {
	g.id = strconv.AppendUint(g.id[:0], t.ID, 10)
	g.id = strconv.AppendInt(append(g.id, '.'), int64(t.Attempt), 10)
}

// variant marks the newest record as a URL's RDF variant, if it is one.
func (g *group) variant(x *kavosh.Exchange) {
	if x.Task.Variant {
		g.field(variantField, "rdf")
	}
}

// newID returns an ID for a record that others refer to.
func (g *group) newID() string {
	if g.opt.NewID != nil {
		return g.opt.NewID()
	}
	return warc.NewID()
}

// begin begins the fields of the next record. With id "" it makes an ID that nothing refers to.
func (g *group) begin(recordType, id string, date time.Time, uri string) {
	g.records = append(g.records, part{from: len(g.fields)})
	g.field("WARC-Type", recordType)
	switch {
	case id != "":
		g.field("WARC-Record-ID", id)
	case g.opt.NewID != nil:
		g.field("WARC-Record-ID", g.opt.NewID())
	default:
		g.fields = append(warc.AppendID(append(g.fields, "WARC-Record-ID: "...)), "\r\n"...)
	}
	g.dateField("WARC-Date", date)
	g.field("WARC-Target-URI", uri)
}

// field adds a field to the newest record.
func (g *group) field(name, value string) { g.fields = warc.AppendField(g.fields, name, value) }

func (g *group) dateField(name string, date time.Time) {
	g.fields = append(append(g.fields, name...), ": "...)
	g.fields = append(warc.AppendDate(g.fields, date), "\r\n"...)
}

func (g *group) blockDigest(block []byte) {
	g.hash.Reset()
	g.hash.Write(block)
	g.sumField()
}

func (g *group) sumField() {
	g.text = g.hash.Sum(g.text[:0])
	g.fields = append(g.fields, "WARC-Block-Digest: "...)
	g.fields = append(warc.AppendDigest(g.fields, g.opt.Digest, g.text), "\r\n"...)
}

// add sets the newest record's block, in memory. capture is its index in g.captures, or -1.
func (g *group) add(block []byte, capture int) {
	p := &g.records[len(g.records)-1]
	p.block, p.size, p.capture = block, int64(len(block)), capture
}

// end ends the fields of the newest record. Its group has total records.
func (g *group) end(total int) {
	g.fields = append(append(g.fields, groupField...), ": "...)
	g.fields = append(append(g.fields, g.id...), ' ')
	g.fields = strconv.AppendInt(g.fields, int64(len(g.records)), 10)
	g.fields = strconv.AppendInt(append(g.fields, '/'), int64(total), 10)
	g.fields = append(g.fields, "\r\n"...)
	g.records[len(g.records)-1].to = len(g.fields)
}

// capture returns the capture of the response x, as far as it is the same for a response and a revisit.
func (g *group) capture(x *kavosh.Exchange, id string, date time.Time) *kavosh.Capture {
	g.captures = append(g.captures, kavosh.Capture{
		URL: x.Task.URL, Time: date, Record: id, Status: x.Status,
		MIME: MediaType(x.Header.Get("Content-Type")), Truncated: x.Truncated, Failure: x.Failure,
		Location: location(x.Header.Get("Location")), ETag: x.Header.Get("ETag"), Modified: x.Header.Get("Last-Modified"),
		Variant: x.Task.Variant,
	})
	c := &g.captures[len(g.captures)-1]
	markQuery(c, x.Request)
	return c
}

// location returns the target of a redirect without user name and password.
func location(value string) string {
	from, found := weburl.Authority(value)
	if !found {
		return value
	}
	end := from + len(value[from:])
	if i := strings.IndexAny(value[from:], `/?#\`); i >= 0 {
		end = from + i
	}
	if at := strings.LastIndexByte(value[from:end], '@'); at >= 0 {
		return value[:from] + value[from+at+1:]
	}
	return value
}

// connection adds the fields about the request, the connection, and what cut the response short.
func (g *group) connection(x *kavosh.Exchange) {
	g.variant(x)
	if q := g.captures[len(g.captures)-1].Query; q != "" {
		g.field(queryField, url.QueryEscape(q))
	}
	if x.Masked {
		g.field(WithheldField, "set-cookie")
	}
	if x.Addr.IsValid() {
		g.fields = append(g.fields, "WARC-IP-Address: "...)
		g.fields = append(x.Addr.Addr().Unmap().AppendTo(g.fields), "\r\n"...)
	}
	switch x.Proto {
	case "":
	case "HTTP/1.1":
		g.field("WARC-Protocol", "http/1.1")
	default:
		g.field("WARC-Protocol", strings.ToLower(x.Proto))
	}
	if x.TLS != nil {
		if x.TLS.Version != "" {
			g.field("WARC-Protocol", strings.ToLower(strings.Replace(x.TLS.Version, "TLS ", "tls/", 1)))
		}
		g.field("WARC-Cipher-Suite", x.TLS.Cipher)
	}
	if x.Failure != kavosh.NoFailure {
		g.field(failureField, string(x.Failure))
	}
}

// answer adds the response record. It leaves out the block digest if the payload digest covers all of the block except
// the few bytes of the head, which gzip and zstd checksum: docs/decisions/0042.
func (g *group) answer(x *kavosh.Exchange, id string, date time.Time, digest string) error {
	c := g.capture(x, id, date)
	c.Type, c.Digest, c.Payload = "response", digest, x.Payload.Size()
	g.begin("response", id, date, x.Task.URL)
	g.field("Content-Type", "application/http;msgtype=response")
	g.connection(x)
	if digest != "" {
		g.field("WARC-Payload-Digest", digest)
	}
	if x.Truncated != kavosh.Whole {
		g.field("WARC-Truncated", string(x.Truncated))
	}
	if p := x.Task.Partial; p != nil {
		g.field(records.Continues, p.Record+" "+warc.FormatDate(p.Time))
	}
	size := x.Wire.Size()
	if x.Truncated != kavosh.Whole || x.Malformed != "" || int64(x.HeadLen)+x.Payload.Size() != size || x.HeadLen == 0 || digest == "" {
		if block := x.Wire.Bytes(); block != nil {
			g.blockDigest(block)
		} else {
			g.hash.Reset()
			if _, err := io.Copy(g.hash, io.NewSectionReader(x.Wire, 0, size)); err != nil {
				return err
			}
			g.sumField()
		}
	}
	g.add(x.Wire.Bytes(), len(g.captures)-1)
	if p := &g.records[len(g.records)-1]; p.block == nil {
		p.body, p.size = io.NewSectionReader(x.Wire, 0, size), size
	}
	return nil
}

// revisit adds the revisit record of a response: its head.
func (g *group) revisit(x *kavosh.Exchange, id string, date time.Time, profile string, prior *kavosh.Prior) error {
	c := g.capture(x, id, date)
	c.Type, c.Profile, c.Digest = "revisit", profileName(profile), prior.Digest
	g.begin("revisit", id, date, x.Task.URL)
	g.field("Content-Type", "application/http;msgtype=response")
	g.connection(x)
	g.field("WARC-Profile", profile)
	g.field("WARC-Refers-To-Target-URI", prior.URL)
	g.dateField("WARC-Refers-To-Date", prior.Time)
	if c.MIME == "" && prior.MIME != "" {
		c.MIME = prior.MIME
		g.field(typeField, prior.MIME)
	}
	if prior.RecordID != "" {
		g.field("WARC-Refers-To", prior.RecordID)
	}
	if prior.Digest != "" {
		g.field("WARC-Payload-Digest", prior.Digest)
	}
	head := make([]byte, x.HeadLen)
	if _, err := x.Wire.ReadAt(head, 0); err != nil && err != io.EOF {
		return err
	}
	g.blockDigest(head)
	g.add(head, len(g.captures)-1)
	return nil
}

// revisit decides whether a response becomes a revisit record. It returns the profile and the record to refer to; ""
// means to write the response in full. If first is true, other goroutines wait for this response with the same payload:
// call twins.done.
func (r *Recorder) revisit(x *kavosh.Exchange, digest string) (profile string, prior kavosh.Prior, first bool) {
	if x.Dropped != nil {
		return "", prior, false
	}
	if x.Status == 304 && x.Task.Prior != nil {
		return notModifiedProfile, *x.Task.Prior, false
	}
	if x.Status < 200 || x.Status > 299 || x.Truncated != kavosh.Whole || x.Malformed != "" || x.Payload.Size() < MinRevisit {
		return "", prior, false
	}
	if p := x.Task.Prior; p != nil && warc.SameDigest(p.Digest, digest) {
		return identicalProfile, *p, false
	}
	if r.opt.Original == nil || digest == "" {
		return "", prior, false
	}
	p, ok := r.twins.claim(digest)
	if !ok {
		if p, ok = r.opt.Original(digest); !ok {
			return "", prior, true
		}
		r.twins.done(digest, nil)
	}
	return identicalProfile, p, false
}

func profileName(profile string) string {
	switch {
	case strings.HasSuffix(profile, "server-not-modified"):
		return "not-modified"
	case strings.HasSuffix(profile, "identical-payload-digest"):
		return "identical"
	}
	return profile
}

// failure adds the metadata record of an exchange without a response.
func (g *group) failure(x *kavosh.Exchange, id string, date time.Time, notes string) {
	g.captures = append(g.captures, kavosh.Capture{
		URL: x.Task.URL, Time: date, Record: id, Type: "metadata", Failure: x.Failure, Variant: x.Task.Variant,
	})
	g.begin("metadata", id, date, x.Task.URL)
	g.variant(x)
	g.field(failureField, string(x.Failure))
	g.field("Content-Type", "application/warc-fields")
	g.add([]byte("failure: "+string(x.Failure)+"\r\n"+provenance(x)+notes), len(g.captures)-1)
}

// dropped adds the metadata record of a response that the archive does not keep: what it was and why it was dropped.
func (g *group) dropped(x *kavosh.Exchange, date time.Time, digest string) {
	id := g.newID()
	c := g.capture(x, id, date)
	*c = kavosh.Capture{URL: c.URL, Time: c.Time, Record: id, Type: "metadata", Crawl: g.opt.Crawl, Variant: c.Variant}
	g.begin("metadata", id, date, x.Task.URL)
	g.variant(x)
	g.field(droppedField, strconv.FormatFloat(x.Dropped.Score, 'g', 4, 64))
	g.field("Content-Type", "application/warc-fields")
	d, kept, score := x.Dropped, "", "verdict"
	if d.Kept != nil {
		score = "importance"
		kept = fmt.Sprintf("kept: %s %s %s\r\n", oneLine(d.Kept.RecordID), warc.FormatDate(d.Kept.Time), oneLine(d.Kept.Digest))
	}
	block := fmt.Appendf(nil, "dropped: %s\r\n%s: %.4g\r\nbecause: %s\r\n%sstatus: %d\r\ntype: %s\r\nsize: %d\r\npayload-digest: %s\r\n%s",
		d.By, score, d.Score, oneLine(d.Why), kept, x.Status, oneLine(MediaType(x.Header.Get("Content-Type"))), x.Payload.Size(), digest, provenance(x))
	for _, part := range d.Parts {
		block = fmt.Appendf(block, "difference: %s\r\n", oneLine(part))
	}
	g.add(block, 0)
	g.end(1)
}

// resource adds a record of something other than an exchange: a name's resolution, a decision of ours.
func (g *group) resource(uri, contentType string, data []byte, concurrent string, date time.Time) *kavosh.Capture {
	id := g.newID()
	g.begin("resource", id, date, uri)
	g.field("Content-Type", contentType)
	if concurrent != "" {
		g.field("WARC-Concurrent-To", concurrent)
	}
	g.captures = append(g.captures, kavosh.Capture{
		URL: uri, Time: date, Record: id, Type: "resource", MIME: MediaType(contentType), Payload: int64(len(data)),
	})
	g.add(data, len(g.captures)-1)
	return &g.captures[len(g.captures)-1]
}

// renderings adds the records of what a browser made of a page; page is the capture that stands for it.
func (g *group) renderings(task *kavosh.Task, page *kavosh.Capture, made []kavosh.Rendering) {
	g.named(task)
	for _, r := range made {
		c := g.resource(r.Kind.URL(page.URL), r.Kind.Type(), r.Data, page.Record, page.Time)
		g.hash.Reset()
		g.hash.Write(r.Data)
		c.Digest, c.Of, c.Crawl = warc.FormatDigest(g.opt.Digest, g.hash.Sum(nil)), page.Digest, g.opt.Crawl
		g.field("WARC-Payload-Digest", c.Digest)
		if c.Of != "" {
			g.field(cdx.OfField, c.Of)
		}
		g.end(len(made))
	}
}

// info writes a file's warcinfo record to w. It does not touch the group's own records.
func (g *group) info(w io.Writer, name string, now time.Time, fields warc.Header) error {
	var b strings.Builder
	for _, f := range fields {
		b.WriteString(f.Name + ": " + oneLine(f.Value) + "\r\n")
	}
	b.WriteString("format: WARC File Format 1.1\r\nconformsTo: http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/\r\n")
	g.zip.Reset(w)
	_, err := g.zip.WriteRecord(warc.Header{
		{Name: "WARC-Type", Value: "warcinfo"},
		{Name: "WARC-Record-ID", Value: g.newID()},
		{Name: "WARC-Date", Value: warc.FormatDate(now)},
		{Name: "WARC-Filename", Value: name},
		{Name: "Content-Type", Value: "application/warc-fields"},
		{Name: "Content-Length", Value: strconv.Itoa(b.Len())},
	}, strings.NewReader(b.String()))
	return err
}

// provenance returns how the crawl found the URL, as warc-fields.
func provenance(x *kavosh.Exchange) string {
	t := x.Task
	var b strings.Builder
	fmt.Fprintf(&b, "kind: %s\r\n", t.Kind)
	if t.Via != "" {
		fmt.Fprintf(&b, "via: %s\r\n", t.Via)
	}
	fmt.Fprintf(&b, "hopsFromSeed: %s\r\nhops: %d\r\nseed: %s\r\nfetchTimeMs: %d\r\n", t.Path, t.Hops, t.Seed, x.Took.Milliseconds())
	return b.String()
}

// notes returns, as warc-fields, what was unusual about the exchange; "" if nothing was.
func notes(x *kavosh.Exchange) string {
	if x.Detail == "" && x.Malformed == "" && x.TLS == nil && len(x.Interim) == 0 {
		return ""
	}
	var b strings.Builder
	if x.Detail != "" {
		fmt.Fprintf(&b, "detail: %s\r\n", oneLine(x.Detail))
	}
	if x.Malformed != "" {
		fmt.Fprintf(&b, "malformedHead: %s\r\n", oneLine(x.Malformed))
	}
	if x.TLS != nil && x.TLS.Invalid != "" {
		fmt.Fprintf(&b, "invalidCertificate: %s\r\n", oneLine(x.TLS.Invalid))
	}
	if len(x.Interim) > 0 {
		for line := range strings.Lines(string(x.Interim)) {
			if line = strings.TrimRight(line, "\r\n"); line != "" {
				fmt.Fprintf(&b, "interim: %s\r\n", oneLine(line))
			}
		}
	}
	return b.String()
}

// MediaType returns the media type of a Content-Type value in lower case, without parameters; "" if there is none.
func MediaType(contentType string) string {
	if t, _, _ := strings.Cut(contentType, ";"); plainType(t) {
		return t
	}
	if t, _, err := mime.ParseMediaType(contentType); err == nil {
		return t
	}
	t, _, _ := strings.Cut(contentType, ";")
	t = strings.ToLower(strings.TrimSpace(t))
	if strings.ContainsAny(t, " \t\"<>,\\") || !strings.Contains(t, "/") {
		return ""
	}
	return t
}

// plainType reports whether t is a media type of only lower-case letters, digits and ".+-", as nearly all are.
func plainType(t string) bool {
	slash := 0
	for i := range len(t) {
		switch c := t[i]; {
		case 'a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '.' || c == '+' || c == '-':
		case c == '/' && slash == 0 && i > 0 && i < len(t)-1:
			slash = i
		default:
			return false
		}
	}
	return slash > 0
}

// oneLine replaces line ends, so that s fits into a field.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\r' || r == '\n' || r == 0 {
			return ' '
		}
		return r
	}, s)
}
