package wacz

// This file writes WACZ files.

import (
	"archive/zip"
	"bufio"
	"bytes"
	"crypto/ecdsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"io"
	"iter"
	"strings"
	"time"

	"github.com/klauspost/compress/gzip"

	"kavosh/lib/cdx"
)

// Writer writes a WACZ 1.1.1 file. Call its methods in the order below. After an error the file is useless.
type Writer struct {
	zip       *zip.Writer
	about     Package
	resources []resource
	now       *counted // the file being written
}

// resource is a line of datapackage.json.
type resource struct {
	Name  string `json:"name"`
	Path  string `json:"path"`
	Hash  string `json:"hash"`
	Bytes int64  `json:"bytes"`
}

// NewWriter begins a package with a title and a description (both may be empty), made by a software at a time.
func NewWriter(w io.Writer, title, about, software string, created time.Time) *Writer {
	return &Writer{zip: zip.NewWriter(w),
		about: Package{Title: title, About: Text(about), Software: software, Created: created.UTC().Format(time.RFC3339)}}
}

// counted counts and hashes what is written.
type counted struct {
	w    io.Writer
	n    int64
	hash hash.Hash
	name string
	path string
}

// Write writes.
func (c *counted) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	c.hash.Write(p[:n])
	return n, err
}

// begin ends the current file and begins another.
func (w *Writer) begin(name, path string, method uint16) (io.Writer, error) {
	w.end()
	created, err := time.Parse(time.RFC3339, w.about.Created)
	if err != nil {
		return nil, err
	}
	into, err := w.zip.CreateHeader(&zip.FileHeader{Name: path, Method: method, Modified: created})
	if err != nil {
		return nil, err
	}
	w.now = &counted{w: into, hash: sha256.New(), name: name, path: path}
	return w.now, nil
}

func (w *Writer) end() {
	if c := w.now; c != nil {
		w.resources = append(w.resources, resource{strings.Map(plainName, c.name), c.path, "sha256:" + hex.EncodeToString(c.hash.Sum(nil)), c.n})
	}
	w.now = nil
}

// plainName keeps the characters that a data package allows in a name.
func plainName(r rune) rune {
	switch {
	case 'A' <= r && r <= 'Z':
		return r - 'A' + 'a'
	case 'a' <= r && r <= 'z', '0' <= r && r <= '9', r == '-', r == '.', r == '_':
		return r
	}
	return '-'
}

// WARC begins a WARC file with that name, stored unchanged. Write its content before the next call.
func (w *Writer) WARC(name string) (io.Writer, error) {
	return w.begin(name, "archive/"+name, zip.Store)
}

// indexBlock is the number of lines in one gzip member of the index.
const indexBlock = 1024

// Index writes the lines of the index, which must be sorted, as gzip members with a list of their offsets.
func (w *Writer) Index(entries iter.Seq2[cdx.Entry, error]) error {
	out, err := w.begin("index.cdx.gz", "indexes/index.cdx.gz", zip.Store)
	if err != nil {
		return err
	}
	var idx, block, packed bytes.Buffer
	fmt.Fprintln(&idx, `!meta 0 {"format": "cdxj-gzip-1.0", "filename": "index.cdx.gz"}`)
	var offset int64
	lines, first := 0, ""
	flush := func() error {
		if lines == 0 && offset > 0 {
			return nil
		}
		packed.Reset()
		gz := gzip.NewWriter(&packed)
		if _, err := gz.Write(block.Bytes()); err != nil {
			return err
		}
		if err := gz.Close(); err != nil {
			return err
		}
		if lines > 0 { // an index without lines is still one member
			fmt.Fprintf(&idx, "%s {\"offset\": %d, \"length\": %d, \"digest\": \"sha256:%x\", \"filename\": \"index.cdx.gz\"}\n",
				first, offset, packed.Len(), sha256.Sum256(packed.Bytes()))
		}
		offset += int64(packed.Len())
		block.Reset()
		lines = 0
		_, err := out.Write(packed.Bytes())
		return err
	}
	for e, err := range entries {
		if err != nil {
			return err
		}
		if lines == 0 {
			first = e.Key + " " + e.Timestamp
		}
		block.Write(e.AppendLine(nil))
		if lines++; lines == indexBlock {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	if err := flush(); err != nil {
		return err
	}
	if out, err = w.begin("index.idx", "indexes/index.idx", zip.Deflate); err != nil {
		return err
	}
	_, err = out.Write(idx.Bytes())
	return err
}

// PageLine is a page in a list: its URL, the time of its capture, its title and its text.
type PageLine struct {
	ID    string    `json:"id"`
	URL   string    `json:"url"`
	Time  time.Time `json:"ts"`
	Title string    `json:"title,omitempty"`
	Text  string    `json:"text,omitempty"`
}

// Pages writes the list of pages that a reader would begin with; with extra, the list of all others.
func (w *Writer) Pages(extra bool, pages iter.Seq2[PageLine, error]) error {
	name, title := "pages", "Pages"
	if extra {
		name, title = "extraPages", "All other pages"
	}
	out, err := w.begin(name+".jsonl", "pages/"+name+".jsonl", zip.Deflate)
	if err != nil {
		return err
	}
	buffered := bufio.NewWriter(out)
	fmt.Fprintf(buffered, "{\"format\": \"json-pages-1.0\", \"id\": %q, \"title\": %q}\n", name, title)
	enc := json.NewEncoder(buffered)
	enc.SetEscapeHTML(false)
	for p, err := range pages {
		if err == nil {
			err = enc.Encode(p)
		}
		if err != nil {
			return err
		}
	}
	return buffered.Flush()
}

// Close writes datapackage.json with the digests of all files, and its own digest, signed by key like WACZ's anonymous
// signatures. ReplayWeb.page accepts keys on the curve P-384.
func (w *Writer) Close(key *ecdsa.PrivateKey) error {
	w.end()
	about, err := json.MarshalIndent(struct {
		Profile   string     `json:"profile"`
		Version   string     `json:"wacz_version"`
		Title     string     `json:"title"`
		About     Text       `json:"description,omitempty"`
		Created   string     `json:"created"`
		Software  string     `json:"software"`
		Resources []resource `json:"resources"`
	}{"data-package", "1.1.1", w.about.Title, w.about.About, w.about.Created, w.about.Software, w.resources}, "", "  ")
	if err != nil {
		return err
	}
	digest := fmt.Sprintf("sha256:%x", sha256.Sum256(about))
	signature, err := sign(key, digest)
	if err != nil {
		return err
	}
	public, err := x509.MarshalPKIXPublicKey(key.Public())
	if err != nil {
		return err
	}
	signed, err := json.MarshalIndent(map[string]any{"path": "datapackage.json", "hash": digest, "signedData": map[string]string{
		"hash": digest, "created": w.about.Created, "software": w.about.Software, "version": "0.1.0",
		"signature": base64.StdEncoding.EncodeToString(signature), "publicKey": base64.StdEncoding.EncodeToString(public),
	}}, "", "  ")
	if err != nil {
		return err
	}
	for _, f := range []struct {
		name string
		data []byte
	}{{"datapackage.json", about}, {"datapackage-digest.json", signed}} {
		out, err := w.begin(f.name, f.name, zip.Deflate)
		if err == nil {
			_, err = out.Write(f.data)
		}
		if err != nil {
			return err
		}
	}
	return w.zip.Close()
}
