package wacz

// This file checks WACZ files of any program, rule by rule. The files are hostile input.

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"time"

	"kavosh/lib/cdx"
	"kavosh/lib/warc"
	"kavosh/lib/weburl"
)

// Rules returns the rules of Check, in addition to those of warc.Check.
func Rules() []warc.Rule {
	return []warc.Rule{
		{Name: "zip", Severity: warc.Fault, Strict: warc.Fault, About: "the zip file, or a file in it, cannot be read"},
		{Name: "zip-trick", Severity: warc.Fault, Strict: warc.Fault,
			About: "a name that leads out of the archive or comes twice, files that lie over each other, a bomb: refused"},
		{Name: "package", Severity: warc.Fault, Strict: warc.Fault,
			About: "datapackage.json is missing or no JSON, or what every WACZ file has is missing: a WARC file, an index, pages.jsonl"},
		{Name: "package-list", Severity: warc.Fault, Strict: warc.Fault,
			About: "datapackage.json lists a file that is not there, or does not list one that is"},
		{Name: "package-digest", Severity: warc.Fault, Strict: warc.Fault,
			About: "a file is not what datapackage.json, or datapackage-digest.json, says of it"},
		{Name: "package-form", Severity: warc.Warning, Strict: warc.Fault, About: "datapackage.json names no version, or another profile"},
		{Name: "signature", Severity: warc.Fault, Strict: warc.Fault,
			About: "the signature in datapackage-digest.json is not one of that certificate over that digest"},
		{Name: "not-stored", Severity: warc.Warning, Strict: warc.Fault,
			About: "the zip holds a WARC file compressed, so that it cannot be read at random"},
		{Name: "index", Severity: warc.Fault, Strict: warc.Fault, About: "an index cannot be read, or its .idx file does not fit it"},
		{Name: "index-stray", Severity: warc.Fault, Strict: warc.Fault, About: "a line of the index leads to no such record"},
		{Name: "index-missing", Severity: warc.Fault, Strict: warc.Fault, About: "a capture that the index does not list"},
		{Name: "revisit-alone", Severity: warc.Warning, Strict: warc.Warning,
			About: "a revisit whose original is not in the package: its content cannot be shown from it"},
		{Name: "pages", Severity: warc.Fault, Strict: warc.Fault, About: "a line of pages.jsonl is no page"},
		{Name: "page-missing", Severity: warc.Warning, Strict: warc.Warning, About: "pages.jsonl lists a page that the index does not have"},
	}
}

// Check reads a WACZ file of size bytes and calls report for each problem in the package and its WARC files. name
// stands for the file in findings. It returns an error only if reading r fails or ctx ends.
//
// It verifies a signature with the included certificate, but does not check whether that certificate is to be trusted.
func Check(ctx context.Context, name string, r io.ReaderAt, size int64, o warc.CheckOptions,
	report func(warc.Finding)) (warc.Summary, error) {
	return checkFile(ctx, name, r, size, o, report, true)
}

// checkFile checks a package or, if allowed, a collection of packages.
func checkFile(ctx context.Context, name string, r io.ReaderAt, size int64, o warc.CheckOptions,
	report func(warc.Finding), collection bool) (warc.Summary, error) {
	c := &checker{ctx: ctx, name: name, options: o, report: report, severity: map[string]warc.Severity{},
		lines: map[capture]*line{}, pages: map[string]bool{}, whole: map[string]bool{}}
	c.sum.Types = map[string]int{}
	for _, rule := range Rules() {
		if c.severity[rule.Name] = rule.Severity; o.Strict {
			c.severity[rule.Name] = rule.Strict
		}
	}
	watch := &failing{r: r}
	f, err := openZip(watch, size)
	if err != nil {
		if watch.err != nil {
			return c.sum, watch.err
		}
		c.fault(err)
		return c.sum, nil
	}
	c.f = f
	steps := []func() error{c.packageFile, c.resources, c.index, c.warcs, c.pageList}
	if collection && len(f.inner()) > 0 {
		steps = []func() error{c.packageFile, c.resources, c.inner}
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return c.sum, err
		}
		if watch.err != nil {
			return c.sum, watch.err
		}
		if err := ctx.Err(); err != nil {
			return c.sum, err
		}
	}
	c.reportStrayLines()
	if collection { // the other packages of a collection may have it
		c.reportLoneRevisits()
	}
	return c.sum, nil
}

// failing remembers a read error other than the end of the file, to tell it from faults in the file.
type failing struct {
	r   io.ReaderAt
	err error
}

func (f *failing) ReadAt(p []byte, off int64) (int, error) {
	n, err := f.r.ReadAt(p, off)
	if err != nil && err != io.EOF {
		f.err = err
	}
	return n, err
}

type checker struct {
	ctx      context.Context
	name     string
	options  warc.CheckOptions
	report   func(warc.Finding)
	severity map[string]warc.Severity
	sum      warc.Summary
	f        *File

	lines map[capture]*line // lines of the indexes
	pages map[string]bool   // key and time of entries in the indexes
	whole map[string]bool   // key and time, and digest, of captures with content
	again []revisit
}

// capture is where an index line points.
type capture struct {
	file   string // name of the file, without folders
	offset int64
}

// revisit is a revisit record.
type revisit struct {
	capture
	url, of, digest string // of: key and time of its original
}

// line is what an index line says about a record.
type line struct {
	url, time string
	found     bool
}

// maxEntries bounds the index lines that are held, at about 200 bytes each; further ones are not compared.
const maxEntries = 2 << 20

func (c *checker) find(rule, format string, args ...any) {
	f := warc.Finding{File: c.name, Severity: c.severity[rule], Rule: rule, Text: fmt.Sprintf(format, args...)}
	if f.Severity == warc.Fault {
		c.sum.Errors++
	} else {
		c.sum.Warnings++
	}
	c.report(f)
}

func (c *checker) fault(err error) {
	var f *fault
	if errors.As(err, &f) {
		c.find(f.rule, "%s", f.text)
		return
	}
	c.find("zip", "%v", err)
}

// packageFile checks datapackage.json, its digest and its signature.
func (c *checker) packageFile() error {
	if err := c.f.readPackage(); err != nil {
		c.fault(err)
		return nil
	}
	collection := c.f.Package.Profile == "multi-wacz-package" && len(c.f.inner()) > 0
	if p := c.f.Package; !collection && (p.Profile != "data-package" && p.Profile != "wacz-package" || p.Version == "") {
		c.find("package-form", "datapackage.json has the profile %.40q and wacz_version %.40q", p.Profile, p.Version)
	}
	c.sum.Kind = strings.TrimSpace("WACZ " + c.f.Package.Version)
	if _, err := c.f.Signed(); err != nil {
		c.fault(err)
	}
	return nil
}

// matches reports whether r has the digest; if not, text says so.
func matches(digest string, r io.Reader) (text string, ok bool) {
	want, err := warc.ParseDigest(digest)
	if err != nil {
		return fmt.Sprintf("%.100q is no digest", digest), false
	}
	h := want.New()
	if h == nil {
		return fmt.Sprintf("the digest %.100q is of an unknown algorithm", digest), false
	}
	if _, err := io.Copy(h, r); err != nil {
		return err.Error(), false
	}
	if sum := h.Sum(nil); !want.Matches(sum) {
		return fmt.Sprintf("the digest should be %s, it is %s:%x", digest, want.Algorithm, sum), false
	}
	return "", true
}

// resources compares the list in datapackage.json with the files.
func (c *checker) resources() error {
	listed := map[string]bool{}
	for i := range c.f.Package.Resources {
		if err := c.ctx.Err(); err != nil {
			return err
		}
		r := &c.f.Package.Resources[i]
		if listed[r.Path] {
			c.find("package-list", "%.100q is listed twice", r.Path)
			continue
		}
		listed[r.Path] = true
		m := c.f.members[r.Path]
		if m == nil {
			c.find("package-list", "%.100q is listed, but not there", r.Path)
			continue
		}
		if size := r.size(); size >= 0 && size != m.size {
			c.find("package-digest", "%s has %d bytes, not %d", r.Path, m.size, size)
		}
		body, err := c.f.unpack(m)
		if err != nil {
			c.fault(err)
			continue
		}
		if text, ok := matches(r.digest(), warc.Until(c.ctx, body)); !ok {
			c.find("package-digest", "%s: %s", r.Path, text)
		}
	}
	if c.f.raw == nil {
		return nil
	}
	for _, name := range c.f.Names() {
		if !listed[name] && name != "datapackage.json" && name != "datapackage-digest.json" {
			c.find("package-list", "%.100q is there, but not listed", name)
		}
	}
	return nil
}

// index reads the indexes.
func (c *checker) index() error {
	names := c.f.indexes()
	if len(names) == 0 {
		c.find("package", "there is no index in indexes/")
	}
	for _, name := range names {
		for text, err := range c.f.lines(name) {
			if err != nil {
				c.find("index", "%v", err)
				break
			}
			e, err := cdx.ParseLine(text)
			if err != nil {
				if !bytes.HasPrefix(text, []byte(" CDX")) {
					c.find("index", "%s: %v", name, err)
				}
				continue
			}
			if len(c.lines) < maxEntries {
				c.lines[capture{path.Base(e.Filename), e.Offset}] = &line{url: e.URL, time: e.Timestamp}
				c.pages[e.Key+" "+e.Timestamp] = true
			}
		}
		if base, ok := strings.CutSuffix(name, ".cdx.gz"); ok && c.f.members[base+".idx"] != nil {
			c.secondary(base+".idx", name)
		}
	}
	return nil
}

// secondary checks that the lines of an .idx file point to whole gzip members of its index.
func (c *checker) secondary(name, index string) {
	at, err := c.f.At(index)
	if err != nil {
		c.find("index", "%v", err)
		return
	}
	for text, err := range c.f.lines(name) {
		if err != nil {
			c.find("index", "%v", err)
			return
		}
		if bytes.HasPrefix(text, []byte("!meta ")) {
			continue
		}
		_, part, ok := parseBlock(text, at.Size())
		if !ok {
			c.find("index", "%s: %.100q leads to no part of %s", name, text, index)
			continue
		}
		if part.Digest != "" {
			if text, ok := matches(part.Digest, io.NewSectionReader(at, part.Offset, part.Length)); !ok {
				c.find("index", "%s: the part at %d: %s", index, part.Offset, text)
			}
		}
	}
}

// inner checks the packages of a collection.
func (c *checker) inner() error {
	for _, name := range c.f.inner() {
		r, err := c.f.At(name)
		if err != nil {
			c.fault(err)
			continue
		}
		sum, err := checkFile(c.ctx, c.name+":"+name, r, r.Size(), c.options, c.report, false)
		if err != nil {
			return err
		}
		c.add(sum)
	}
	return nil
}

// warcs checks the WARC files and looks up each capture in the index.
func (c *checker) warcs() error {
	names := c.f.WARCs()
	if len(names) == 0 {
		c.find("package", "there is no WARC file in archive/")
	}
	for _, name := range names {
		if c.f.members[name].method != stored {
			c.find("not-stored", "%s is compressed in the zip", name)
		}
		body, err := c.f.Open(name)
		if err != nil {
			c.fault(err)
			continue
		}
		o := c.options
		o.Each = func(rec *warc.Record, right bool) {
			c.record(path.Base(name), rec)
			if c.options.Each != nil {
				c.options.Each(rec, right)
			}
		}
		sum, err := warc.Check(c.ctx, c.name+":"+name, body, o, c.report)
		if c.ctx.Err() != nil {
			return c.ctx.Err()
		}
		if err != nil {
			c.find("zip", "%s: %v", name, err)
		}
		c.add(sum)
	}
	return nil
}

func (c *checker) add(s warc.Summary) {
	c.sum.Records += s.Records
	c.sum.Sound += s.Sound
	c.sum.Errors += s.Errors
	c.sum.Warnings += s.Warnings
	c.sum.Digests += s.Digests
	c.sum.Chunked += s.Chunked
	c.sum.Elsewhere += s.Elsewhere
	for kind, n := range s.Types {
		c.sum.Types[kind] += n
	}
	if !strings.Contains(c.sum.Kind, s.Kind) {
		c.sum.Kind = strings.TrimSpace(c.sum.Kind + " with " + s.Kind)
	}
}

// reportLoneRevisits reports revisits without an original.
func (c *checker) reportLoneRevisits() {
	for _, r := range c.again {
		if !c.whole[r.of] && !c.whole[r.digest] {
			c.find("revisit-alone", "%s at offset %d: what the revisit of %.200s stands for is not in the package", r.file, r.offset, r.url)
		}
	}
}

// pair notes the records with content and the revisits.
func (c *checker) pair(file string, rec *warc.Record) {
	at := func(url string, date time.Time) string {
		return weburl.SURT(url) + " " + date.UTC().Format("20060102150405")
	}
	digest := warc.DigestKey(rec.Header.Get("WARC-Payload-Digest"))
	switch typ := rec.Type(); {
	case len(c.whole)+len(c.again) >= maxEntries:
	case typ == "response" || typ == "resource":
		c.whole[at(rec.TargetURI(), rec.Date())] = true
		if digest != "" {
			c.whole[digest] = true
		}
	case typ == "revisit":
		r := revisit{capture: capture{file, rec.Offset}, url: rec.TargetURI(), digest: digest}
		if date, err := warc.ParseDate(rec.Header.Get("WARC-Refers-To-Date")); err == nil {
			r.of = at(strings.Trim(rec.Header.Get("WARC-Refers-To-Target-URI"), "<>"), date)
		}
		c.again = append(c.again, r)
	}
}

// record looks up a record in the index.
func (c *checker) record(file string, rec *warc.Record) {
	c.pair(file, rec)
	l := c.lines[capture{file, rec.Offset}]
	if l == nil {
		// Nobody looks up URNs.
		if cdx.Indexed(rec) && !strings.HasPrefix(rec.TargetURI(), "urn:") && !rec.Broken && !rec.Shared && len(c.lines) < maxEntries {
			c.find("index-missing", "%s at offset %d: the %s of %.200s", file, rec.Offset, rec.Type(), rec.TargetURI())
		}
		return
	}
	l.found = true
	if date := rec.Date().Format("20060102150405"); date != l.time && !strings.HasPrefix(l.time, date) {
		c.find("index-stray", "%s at offset %d: the record is of %s, the index says %s", file, rec.Offset, date, l.time)
	}
	if uri := strings.ReplaceAll(rec.TargetURI(), " ", "%20"); uri != "" && l.url != "" && uri != l.url && !rec.Header.Has("WARC-Filename") {
		c.find("index-stray", "%s at offset %d: the record is of %.200q, the index says %.200q", file, rec.Offset, uri, l.url)
	}
}

// reportStrayLines reports index lines without a record.
func (c *checker) reportStrayLines() {
	var strays []capture
	for at, l := range c.lines {
		if !l.found {
			strays = append(strays, at)
		}
	}
	slices.SortFunc(strays, func(a, b capture) int {
		return cmp.Or(strings.Compare(a.file, b.file), cmp.Compare(a.offset, b.offset))
	})
	for _, at := range strays {
		c.find("index-stray", "%s at offset %d: no record of %.200s begins there", at.file, at.offset, c.lines[at].url)
	}
}

func (c *checker) pageList() error {
	if c.f.members[pagesName] == nil {
		c.find("package", "there is no "+pagesName)
		return nil
	}
	n := 0
	for text, err := range c.f.lines(pagesName) {
		if err != nil {
			c.find("pages", "%v", err)
			return nil
		}
		if n++; len(text) == 0 {
			continue
		}
		var p struct {
			Format string `json:"format"`
			Page
		}
		if err := json.Unmarshal(text, &p); err != nil {
			c.find("pages", "line %d: %v", n, err)
			continue
		}
		switch date, err := warc.ParseDate(p.Time); {
		case n == 1 && p.Format != "":
		case n == 1:
			c.find("pages", "the first line has no format")
		case p.URL == "":
			c.find("pages", "line %d has no url", n)
		case err != nil:
			c.find("pages", "line %d: ts is %.40q", n, p.Time)
		case len(c.lines) < maxEntries && !c.pages[weburl.SURT(p.URL)+" "+date.Format("20060102150405")]:
			c.find("page-missing", "line %d: %.200s at %s", n, p.URL, p.Time)
		}
	}
	return nil
}
