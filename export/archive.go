package export

// This file finds what everybody may see of an archive: the texts for a corpus, and what goes into a WACZ file.

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh/access"
	"kavosh/archive"
	"kavosh/extract"
	"kavosh/internal/about"
	"kavosh/internal/records"
	"kavosh/lib/cdx"
	"kavosh/lib/httpwire"
	"kavosh/lib/warc"
	"kavosh/lib/weburl"
	"kavosh/texts"
)

// OpenWACZ returns what everybody may see of the archive in dir, to be written until ctx ends. Its Software, Created and
// Key are still to be set; its Title is "" if the archive has none.
func OpenWACZ(ctx context.Context, dir string) (*WACZ, error) {
	p := &WACZ{FS: vfs.Default, Dir: vfs.Default.PathJoin(dir, "warc"), Seeds: map[string]bool{}}
	said, err := about.Described(p.FS, dir)
	if err != nil {
		return nil, err
	}
	p.Title, p.About = cmp.Or(said.Title, said.TitleFa), cmp.Or(said.Text, said.TextFa)
	names, err := p.FS.List(p.Dir)
	if err != nil {
		return nil, err
	}
	slices.Sort(names)
	written := true // no WARC file is still being written
	for _, name := range names {
		written = written && !strings.HasSuffix(name, ".open")
		switch low := strings.ToLower(name); {
		case strings.HasSuffix(low, ".warc"), strings.HasSuffix(low, ".warc.gz"):
			p.Files = append(p.Files, name)
		case archive.IsWebFile(name) && !strings.HasSuffix(low, ".open"):
			return nil, fmt.Errorf("%s: WACZ files hold .warc and .warc.gz alone; make a copy with kavosh repair", name)
		}
	}
	if len(p.Files) == 0 {
		return nil, fmt.Errorf("%s has no WARC file that is written to the end", dir)
	}
	shown, err := archive.Public(dir)
	if err != nil {
		return nil, err
	}
	if !shown.Whole() || !written {
		p.Shows = shown.Shows
	}
	for l, err := range archive.ReadLog(p.FS, dir, "") {
		if err != nil {
			return nil, err
		}
		if l.Via == "" && l.Outcome == "recorded" {
			p.Seeds[l.URL] = true
		}
	}
	p.Records = archive.RecordsOf(p.FS, dir)
	p.TitleOf = titles(ctx, p.Records)
	p.Index = func() iter.Seq2[cdx.Entry, error] { return p.Records.Index.Query(ctx, cdx.Query{URL: "*"}) }
	return p, nil
}

// titles returns a function that reads the title of a page from its record. It returns "" if the record cannot be read.
func titles(ctx context.Context, from *records.Records) func(*cdx.Entry) string {
	var decoder httpwire.Decoder
	var buffers extract.Buffers
	return func(e *cdx.Entry) string {
		held, err := from.Alone(ctx, e)
		if err != nil {
			return ""
		}
		defer held.Close()
		if held.Type != "response" {
			return ""
		}
		doc := extract.Document{URL: e.URL, Status: held.Status, Header: held.Header}
		doc.Payload, _ = decoder.All(held.Body, held.Codings(), maxTitled, 1000) // as far as it can be decoded
		return extract.Extract(doc, extract.Options{Buffers: &buffers, MaxBytes: maxTitled, MaxLinks: 1}).Title
	}
}

// maxTitled is how many bytes of a decoded page are read to find its title.
const maxTitled = 256 << 10

// AddSource adds the texts of the pages of an archive, or of files, that everybody may see by shown. from has the texts.
// It calls each after each page.
func (c *Corpus) AddSource(ctx context.Context, source *archive.Source, from *texts.Reader, shown access.Sight, each func()) error {
	open := func(one *archive.Logged) bool { return shown.Shows(access.CaptureOf(&one.Capture)) }
	closed := map[string]bool{} // digests of closed captures; an open revisit may refer to one
	if !shown.Whole() {
		for one, err := range source.Captures() {
			if err != nil {
				return err
			}
			if one.Type == "response" && !open(one) {
				closed[warc.DigestKey(one.Digest)] = true
			}
		}
	}
	for one, err := range source.Captures() {
		if err = cmp.Or(err, ctx.Err()); err != nil {
			return err
		}
		own := one.Type == "response" || one.Type == "revisit" && closed[warc.DigestKey(one.Digest)]
		if one.Status < 200 || one.Status > 299 || !own || !texts.Has(&one.Capture) || !open(one) {
			continue
		}
		text, err := texts.Of(from, &one.Capture)
		if err != nil {
			return err
		}
		url, wrong := weburl.Parse(one.URL)
		if text == nil || text.Text == "" || wrong != nil {
			continue
		}
		t := Text{URL: url.Key(), Time: one.Time.UTC().Format(time.RFC3339), Title: text.Title, Text: text.Text}
		if err := c.Add(url.Host(), t); err != nil {
			return err
		}
		each()
	}
	return nil
}
