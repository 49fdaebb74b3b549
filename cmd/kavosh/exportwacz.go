package main

// This file is the command kavosh export wacz. Package export packs; this file reads titles and keys.

import (
	"cmp"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh/archive"
	"kavosh/export"
	"kavosh/extract"
	"kavosh/internal/about"
	"kavosh/internal/records"
	"kavosh/lib/cdx"
	"kavosh/lib/httpwire"
	"kavosh/site"
)

type exportWACZCmd struct {
	target
	Args   []string `arg:"" optional:"" name:"archive" help:"The archive's folder."`
	Output string   `short:"o" required:"" placeholder:"FILE" help:"Where to, such as news.wacz."`
	Title  string   `placeholder:"TEXT" help:"What readers call it; the archive's title by default, or its name."`
	Key    string   `placeholder:"FILE" help:"Private key to sign with (PEM, ECDSA); one of your own is made when you have none."`
	JSON   bool     `name:"json" help:"Print what was done as one JSON object on standard error."`
}

// Help returns the text above the flags in the help.
func (exportWACZCmd) Help() string {
	return `Examples:

    kavosh export wacz news.kavosh -o news.wacz
    kavosh export wacz news.kavosh -o news.wacz --title 'News of 2026'

Packs the WARC files that are written to the end, an index of them and lists of their pages into one file that ReplayWeb.page, pywb and kavosh serve open. What kavosh access has closed is left out. The seeds' pages are listed as pages, all others as extra pages. The package is signed by a key of yours, which is kept in your settings' folder.`
}

// Run writes the WACZ file.
func (c *exportWACZCmd) Run(p *program) error {
	dir, rest, err := c.archive(c.Args)
	if err != nil {
		return err
	}
	if len(rest) > 0 {
		return usage("kavosh export wacz takes one archive; %q is too much", rest[0])
	}
	pack := export.WACZ{FS: vfs.Default, Dir: filepath.Join(dir, "warc"), Title: c.Title, Software: "Kavosh " + version(), Created: time.Now(), Seeds: map[string]bool{}}
	said, err := about.Described(vfs.Default, dir)
	if err != nil {
		return err
	}
	pack.Title, pack.About = cmp.Or(c.Title, said.Title, said.TitleFa, site.TitleOf(dir)), cmp.Or(said.Text, said.TextFa)
	names, err := vfs.Default.List(pack.Dir)
	if err != nil {
		return err
	}
	slices.Sort(names)
	written := true // no WARC file is still being written
	for _, name := range names {
		written = written && !strings.HasSuffix(name, ".open")
		switch low := strings.ToLower(name); {
		case strings.HasSuffix(low, ".warc"), strings.HasSuffix(low, ".warc.gz"):
			pack.Files = append(pack.Files, name)
		case archive.IsWebFile(name) && !strings.HasSuffix(low, ".open"):
			return fmt.Errorf("%s: WACZ files hold .warc and .warc.gz alone; make a copy with kavosh repair", name)
		}
	}
	if len(pack.Files) == 0 {
		return fmt.Errorf("%s has no WARC file that is written to the end", dir)
	}
	shown, err := archive.Public(dir)
	if err != nil {
		return err
	}
	if !shown.Whole() || !written {
		pack.Shows = shown.Shows
	}
	for l, err := range archive.ReadLog(vfs.Default, dir, "") {
		if err != nil {
			return err
		}
		if l.Via == "" && l.Outcome == "recorded" {
			pack.Seeds[l.URL] = true
		}
	}
	if pack.Key, err = signingKey(c.Key); err != nil {
		return err
	}
	ctx, stop := p.interruptible(nil)
	defer stop()
	pack.Records = archive.RecordsOf(vfs.Default, dir)
	pack.TitleOf = titles(ctx, pack.Records)
	pack.Index = func() iter.Seq2[cdx.Entry, error] { return pack.Records.Index.Query(ctx, cdx.Query{URL: "*"}) }
	return c.write(ctx, p, &pack)
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

func (c *exportWACZCmd) write(ctx context.Context, p *program, pack *export.WACZ) error {
	if err := writeTo(c.Output, func(w io.Writer) error { return pack.Write(ctx, w) }); err != nil {
		return err
	}
	n := &pack.Counts
	if c.JSON {
		return json.NewEncoder(p.err).Encode(n)
	}
	_, err := fmt.Fprintf(p.err, "%s with %s and %s packed; %s left out, %s with equal content written in full.\n",
		plural(n.Files, "file"), plural(n.Captures, "capture"), plural(n.Pages, "page"), plural(n.LeftOut, "record"), plural(n.Whole, "revisit"))
	if err == nil && n.Secrets > 0 {
		_, err = fmt.Fprintf(p.err, "kavosh: CREDENTIALS AND COOKIES are in %s of it, from a crawl with --keep-secrets: give %s to nobody who may not use them.\n",
			plural(n.Secrets, "file"), c.Output)
	}
	return err
}

// signingKey reads the key in the named file. If name is "", it is the user's own key, which is made if there is none.
func signingKey(name string) (*ecdsa.PrivateKey, error) {
	own := name == ""
	if own {
		dir, err := os.UserConfigDir()
		if err != nil {
			return nil, fmt.Errorf("there is no folder to keep a key in (%w): name one with --key", err)
		}
		name = filepath.Join(dir, "kavosh", "wacz-key.pem")
	}
	data, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) && own {
		return newSigningKey(name)
	}
	if err != nil {
		return nil, err
	}
	block, _ := pem.Decode(data)
	if block == nil {
		return nil, fmt.Errorf("%s holds no key in PEM form", name)
	}
	if key, err := x509.ParseECPrivateKey(block.Bytes); err == nil {
		return key, nil
	}
	any, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	key, ok := any.(*ecdsa.PrivateKey)
	if err != nil || !ok {
		return nil, fmt.Errorf("%s holds no private ECDSA key", name)
	}
	return key, nil
}

// newSigningKey makes a key in a file that only its owner may read.
func newSigningKey(name string) (*ecdsa.PrivateKey, error) {
	key, err := ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	if err != nil {
		return nil, err
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return nil, err
	}
	return key, os.WriteFile(name, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}), 0o600)
}
