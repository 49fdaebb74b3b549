package record

import (
	"fmt"
	"io"
	"mime"
	"strconv"
	"strings"
	"time"

	"kavosh"
	"kavosh/lib/warc"
)

// Fields of our own in records, beside the standard's.
const (
	groupField   = "Kavosh-Group"   // "<task>.<attempt> k/n"
	failureField = "Kavosh-Failure" // a kavosh.Failure: why a metadata record stands for an exchange, or what cut a response
)

// minRevisit is the payload size in bytes below which a response is always written whole.
const minRevisit = 256

// Profiles of revisit records.
const (
	identicalProfile   = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"
	notModifiedProfile = "http://netpreserve.org/warc/1.1/revisit/server-not-modified"
)

// describe fills the group with the records of x: which ones is docs/formats/outcomes.md's table.
func (g *group) describe(r *Recorder, x *kavosh.Exchange) error {
	g.reset()
	date := x.Began.UTC().Truncate(time.Microsecond)
	when := warc.FormatDate(date)
	main := warc.NewID()
	if x.Answered() {
		if err := g.answer(r, x, main, date); err != nil {
			return err
		}
	} else {
		g.failure(x, main, date)
	}
	if x.Request != nil {
		h := warc.Header{
			{Name: "WARC-Type", Value: "request"},
			{Name: "WARC-Record-ID", Value: warc.NewID()},
			{Name: "WARC-Date", Value: when},
			{Name: "WARC-Target-URI", Value: x.Task.URL},
			{Name: "WARC-Concurrent-To", Value: main},
			{Name: "Content-Type", Value: "application/http;msgtype=request"},
		}
		g.add(h, x.Request, -1)
		g.digest(r, len(g.records)-1)
	}
	if notes := notes(x); x.Answered() && notes != "" {
		g.add(warc.Header{
			{Name: "WARC-Type", Value: "metadata"},
			{Name: "WARC-Record-ID", Value: warc.NewID()},
			{Name: "WARC-Date", Value: when},
			{Name: "WARC-Target-URI", Value: x.Task.URL},
			{Name: "WARC-Concurrent-To", Value: main},
			{Name: "Content-Type", Value: "application/warc-fields"},
		}, []byte(provenance(x)+notes), -1)
	}
	if x.DNS != nil {
		date := x.DNS.Time.UTC().Truncate(time.Microsecond)
		g.resource("dns:"+x.DNS.Name, "text/dns", date.Format("20060102150405")+"\n"+x.DNS.Text, "", date)
	}
	if d := x.Decided; d != nil {
		g.resource(d.URL, d.Type, d.Text, main, date)
	}
	id := fmt.Sprintf("%d.%d", x.Task.ID, x.Task.Attempt)
	for i := range g.records {
		p := &g.records[i]
		p.header.Add(groupField, fmt.Sprintf("%s %d/%d", id, i+1, len(g.records)))
		p.header.Add("Content-Length", strconv.FormatInt(p.size, 10))
	}
	for i := range g.captures {
		g.captures[i].Crawl = r.opt.Crawl
	}
	return nil
}

func (g *group) add(h warc.Header, block []byte, capture int) {
	g.records = append(g.records, part{header: h, block: block, size: int64(len(block)), capture: capture})
}

// digest gives record i its block digest.
func (g *group) digest(r *Recorder, i int) {
	g.hash.Reset()
	g.hash.Write(g.records[i].block)
	g.scratch = g.hash.Sum(g.scratch[:0])
	g.records[i].header.Add("WARC-Block-Digest", r.DigestText(g.scratch))
}

// answer adds the response record, or the revisit record that stands for one.
func (g *group) answer(r *Recorder, x *kavosh.Exchange, id string, date time.Time) error {
	payload := r.DigestText(x.Digest)
	c := kavosh.Capture{
		URL: x.Task.URL, Time: date, Record: id, Type: "response", Status: x.Status, Digest: payload,
		MIME: MediaType(x.Header.Get("Content-Type")), Payload: x.Payload.Size(), Truncated: x.Truncated, Failure: x.Failure,
		Location: x.Header.Get("Location"), ETag: x.Header.Get("ETag"), Modified: x.Header.Get("Last-Modified"),
	}
	h := warc.Header{
		{Name: "WARC-Type", Value: "response"},
		{Name: "WARC-Record-ID", Value: id},
		{Name: "WARC-Date", Value: warc.FormatDate(date)},
		{Name: "WARC-Target-URI", Value: x.Task.URL},
		{Name: "Content-Type", Value: "application/http;msgtype=response"},
	}
	if x.Addr.IsValid() {
		h.Add("WARC-IP-Address", x.Addr.Addr().Unmap().String())
	}
	for _, p := range protocols(x) {
		h.Add("WARC-Protocol", p)
	}
	if x.TLS != nil {
		h.Add("WARC-Cipher-Suite", x.TLS.Cipher)
	}
	if x.Failure != kavosh.NoFailure {
		h.Add(failureField, string(x.Failure))
	}
	profile, prior := r.revisit(x, payload)
	if profile != "" {
		h.Set("WARC-Type", "revisit")
		h.Add("WARC-Profile", profile)
		h.Add("WARC-Refers-To-Target-URI", prior.URL)
		h.Add("WARC-Refers-To-Date", warc.FormatDate(prior.Time))
		if prior.RecordID != "" {
			h.Add("WARC-Refers-To", prior.RecordID)
		}
		c.Type, c.Profile, c.Digest, c.Payload = "revisit", profileName(profile), prior.Digest, 0
		if prior.Digest != "" {
			h.Add("WARC-Payload-Digest", prior.Digest)
		}
		head := make([]byte, x.HeadLen)
		if _, err := x.Wire.ReadAt(head, 0); err != nil && err != io.EOF {
			return err
		}
		g.captures = append(g.captures, c)
		g.add(h, head, len(g.captures)-1)
		g.digest(r, len(g.records)-1)
		return nil
	}
	h.Add("WARC-Payload-Digest", payload)
	if x.Truncated != kavosh.Whole {
		h.Add("WARC-Truncated", string(x.Truncated))
	}
	g.captures = append(g.captures, c)
	p := part{header: h, block: x.Wire.Bytes(), size: x.Wire.Size(), capture: len(g.captures) - 1}
	g.hash.Reset()
	if p.block != nil {
		g.hash.Write(p.block)
	} else {
		p.body = io.NewSectionReader(x.Wire, 0, p.size)
		if _, err := io.Copy(g.hash, io.NewSectionReader(x.Wire, 0, p.size)); err != nil {
			return err
		}
	}
	g.scratch = g.hash.Sum(g.scratch[:0])
	p.header.Add("WARC-Block-Digest", r.DigestText(g.scratch))
	g.records = append(g.records, p)
	return nil
}

// revisit says which profile an answer's revisit record has and what it refers to; "" for an answer to write whole.
func (r *Recorder) revisit(x *kavosh.Exchange, digest string) (profile string, prior kavosh.Prior) {
	if x.Status == 304 && x.Task.Prior != nil {
		return notModifiedProfile, *x.Task.Prior
	}
	if x.Status < 200 || x.Status > 299 || x.Truncated != kavosh.Whole || x.Malformed != "" || x.Payload.Size() < minRevisit {
		return "", prior
	}
	if p := x.Task.Prior; p != nil && p.Digest == digest {
		return identicalProfile, *p
	}
	if r.opt.Original != nil {
		if p, ok := r.opt.Original(digest); ok {
			return identicalProfile, p
		}
	}
	return "", prior
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

// failure adds the metadata record that stands for an exchange without an answer.
func (g *group) failure(x *kavosh.Exchange, id string, date time.Time) {
	g.captures = append(g.captures, kavosh.Capture{
		URL: x.Task.URL, Time: date, Record: id, Type: "metadata", Failure: x.Failure,
	})
	g.add(warc.Header{
		{Name: "WARC-Type", Value: "metadata"},
		{Name: "WARC-Record-ID", Value: id},
		{Name: "WARC-Date", Value: warc.FormatDate(date)},
		{Name: "WARC-Target-URI", Value: x.Task.URL},
		{Name: failureField, Value: string(x.Failure)},
		{Name: "Content-Type", Value: "application/warc-fields"},
	}, []byte("failure: "+string(x.Failure)+"\r\n"+provenance(x)+notes(x)), len(g.captures)-1)
}

// resource adds a record of something that is no exchange: a name's resolution, a decision of ours.
func (g *group) resource(uri, mediaType, text, concurrent string, date time.Time) {
	h := warc.Header{
		{Name: "WARC-Type", Value: "resource"},
		{Name: "WARC-Record-ID", Value: warc.NewID()},
		{Name: "WARC-Date", Value: warc.FormatDate(date)},
		{Name: "WARC-Target-URI", Value: uri},
		{Name: "Content-Type", Value: mediaType},
	}
	if concurrent != "" {
		h.Add("WARC-Concurrent-To", concurrent)
	}
	g.captures = append(g.captures, kavosh.Capture{
		URL: uri, Time: date, Record: h.Get("WARC-Record-ID"), Type: "resource", MIME: mediaType, Payload: int64(len(text)),
	})
	g.add(h, []byte(text), len(g.captures)-1)
}

// info makes the group a file's warcinfo record.
func (g *group) info(name string, now time.Time, fields warc.Header) {
	var b strings.Builder
	for _, f := range fields {
		b.WriteString(f.Name + ": " + oneLine(f.Value) + "\r\n")
	}
	b.WriteString("format: WARC File Format 1.1\r\nconformsTo: http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/\r\n")
	g.add(warc.Header{
		{Name: "WARC-Type", Value: "warcinfo"},
		{Name: "WARC-Record-ID", Value: warc.NewID()},
		{Name: "WARC-Date", Value: warc.FormatDate(now)},
		{Name: "WARC-Filename", Value: name},
		{Name: "Content-Type", Value: "application/warc-fields"},
		{Name: "Content-Length", Value: strconv.Itoa(b.Len())},
	}, []byte(b.String()), -1)
}

// provenance is how the crawl came to the URL, as warc-fields.
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

// notes are what else is worth knowing of the exchange, as warc-fields; "" when it was an ordinary one.
func notes(x *kavosh.Exchange) string {
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

// protocols are the values of WARC-Protocol, most application-like first.
func protocols(x *kavosh.Exchange) []string {
	var ps []string
	if x.Proto != "" {
		ps = append(ps, strings.ToLower(x.Proto))
	}
	if x.TLS != nil && x.TLS.Version != "" {
		ps = append(ps, strings.ToLower(strings.Replace(x.TLS.Version, "TLS ", "tls/", 1)))
	}
	return ps
}

// MediaType is the type of a Content-Type value: lower case, without parameters; "" when it names none.
func MediaType(contentType string) string {
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

// oneLine makes s a field's value: no line ends.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\r' || r == '\n' || r == 0 {
			return ' '
		}
		return r
	}, s)
}
