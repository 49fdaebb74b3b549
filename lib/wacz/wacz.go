// Package wacz reads, writes and checks WACZ files: web archives packed into a zip, with their index and a list of pages.
//
//	archive/*.warc.gz     the records, stored in the zip without further compression so that they can be read at random
//	indexes/              CDXJ, plain or in gzip members with an .idx file that says which lines stand in which
//	pages/pages.jsonl     the pages that a reader would begin with
//	datapackage.json      every file with its size and digest
//	datapackage-digest.json   the digest of datapackage.json, and perhaps a signature of it
//
// Open refuses zip files that play tricks: names that lead out of a folder, a name twice, files that lie over each
// other, bombs. Check says what is wrong with a file, rule by rule.
package wacz

import (
	"archive/zip"
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"path"
	"slices"
	"strings"

	"github.com/klauspost/compress/gzip"

	"kavosh/lib/cdx"
)

// Bounds on what a file may make us hold or do.
const (
	maxMembers = 100_000  // files in the zip
	maxPackage = 16 << 20 // bytes of datapackage.json and of datapackage-digest.json
	maxLine    = 16 << 20 // bytes of a line of pages.jsonl or of an index
	maxRatio   = 100      // decompressed to compressed size of a member above bigMember
	bigMember  = 1 << 30
)

// File is an open WACZ file. It may be used by several goroutines.
type File struct {
	Package Package

	zip     *zip.Reader
	r       io.ReaderAt
	members map[string]*zip.File
	raw     []byte // datapackage.json
}

// Package is what datapackage.json says.
type Package struct {
	Profile   string     `json:"profile"`
	Version   string     `json:"wacz_version"`
	Title     string     `json:"title"`
	Created   string     `json:"created"`
	Software  string     `json:"software"`
	Resources []Resource `json:"resources"`
}

// Resource is one file of a package.
type Resource struct {
	Name  string `json:"name"`
	Path  string `json:"path"`
	Hash  string `json:"hash"` // "sha256:" and hexadecimal digits
	Bytes *int64 `json:"bytes"`

	// As WACZ 1.0.0 had it.
	Hashing string `json:"hashing"`
	Stats   *struct {
		Hash  string `json:"hash"`
		Bytes *int64 `json:"bytes"`
	} `json:"stats"`
}

// digest and size are what the resource should be, "" and -1 when it does not say.
func (r *Resource) digest() string {
	if r.Hash == "" && r.Stats != nil {
		return r.Hashing + ":" + r.Stats.Hash
	}
	return r.Hash
}

func (r *Resource) size() int64 {
	switch {
	case r.Bytes != nil:
		return *r.Bytes
	case r.Stats != nil && r.Stats.Bytes != nil:
		return *r.Stats.Bytes
	}
	return -1
}

// IsZip reports whether b, the first bytes of a file, begin a zip file, as every WACZ file is.
func IsZip(b []byte) bool {
	return bytes.HasPrefix(b, []byte("PK\x03\x04")) || bytes.HasPrefix(b, []byte("PK\x05\x06"))
}

// fault is what is wrong with a file, by a name of Rules.
type fault struct{ rule, text string }

func (f *fault) Error() string { return "wacz: " + f.text }

// Open reads the zip directory and datapackage.json of a file of size bytes.
func Open(r io.ReaderAt, size int64) (*File, error) {
	f, err := openZip(r, size)
	if err != nil {
		return nil, err
	}
	return f, f.readPackage()
}

func openZip(r io.ReaderAt, size int64) (*File, error) {
	r = io.NewSectionReader(r, 0, size) // zip asks for offsets that are negative or beyond the end
	z, err := zip.NewReader(r, size)
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) { // names are looked at below
		return nil, &fault{"zip", fmt.Sprintf("not a zip file: %v", err)}
	}
	if len(z.File) > maxMembers {
		return nil, &fault{"zip-trick", fmt.Sprintf("%d files in the zip, more than %d", len(z.File), maxMembers)}
	}
	f := &File{zip: z, r: r, members: make(map[string]*zip.File, len(z.File))}
	for _, m := range z.File {
		if strings.HasSuffix(m.Name, "/") {
			continue
		}
		if err := f.admit(m); err != nil {
			return nil, err
		}
		f.members[m.Name] = m
	}
	return f, f.overlaps(size)
}

// admit refuses what no honest packer writes.
func (f *File) admit(m *zip.File) error {
	trick := func(format string, args ...any) error {
		return &fault{"zip-trick", fmt.Sprintf("%.100q in the zip: ", m.Name) + fmt.Sprintf(format, args...)}
	}
	switch {
	case !safeName(m.Name):
		return trick("the name leads out of the archive")
	case f.members[m.Name] != nil:
		return trick("it is there twice")
	case !m.Mode().IsRegular():
		return trick("it is no ordinary file")
	case m.Flags&1 != 0:
		return trick("it is encrypted")
	case m.Method != zip.Store && m.Method != zip.Deflate:
		return trick("compression method %d is not known", m.Method)
	case m.Method == zip.Store && m.CompressedSize64 != m.UncompressedSize64:
		return trick("it is stored, but in %d bytes instead of %d", m.CompressedSize64, m.UncompressedSize64)
	case m.UncompressedSize64 > bigMember && m.UncompressedSize64/maxRatio > m.CompressedSize64:
		return trick("%d bytes packed into %d", m.UncompressedSize64, m.CompressedSize64)
	}
	return nil
}

// safeName reports whether a name stays in the folder that it is unpacked to, on any system.
func safeName(name string) bool {
	if name == "" || path.Clean(name) != name || path.IsAbs(name) || strings.ContainsAny(name, "\\:\x00") {
		return false
	}
	return name != ".." && !strings.HasPrefix(name, "../")
}

// overlaps refuses members that share bytes: the trick of the densest bombs.
func (f *File) overlaps(size int64) error {
	type extent struct {
		from, to int64
		name     string
	}
	var all []extent
	for name, m := range f.members {
		from, err := m.DataOffset()
		if err != nil {
			return &fault{"zip", fmt.Sprintf("%.100q in the zip: %v", name, err)}
		}
		to := from + int64(m.CompressedSize64)
		if to < from || to > size {
			return &fault{"zip", fmt.Sprintf("%.100q in the zip goes beyond the end of the file", name)}
		}
		all = append(all, extent{from, to, name})
	}
	slices.SortFunc(all, func(a, b extent) int { return cmp.Compare(a.from, b.from) })
	for i := 1; i < len(all); i++ {
		if all[i].from < all[i-1].to {
			return &fault{"zip-trick", fmt.Sprintf("%.100q and %.100q in the zip lie over each other", all[i-1].name, all[i].name)}
		}
	}
	return nil
}

// readPackage reads datapackage.json.
func (f *File) readPackage() error {
	raw, err := f.small("datapackage.json")
	if err != nil {
		return err
	}
	if err := json.Unmarshal(raw, &f.Package); err != nil {
		return &fault{"package", fmt.Sprintf("datapackage.json: %v", err)}
	}
	f.raw = raw
	return nil
}

// small is the whole of a small member.
func (f *File) small(name string) ([]byte, error) {
	r, err := f.Open(name)
	if err != nil {
		return nil, &fault{"package", fmt.Sprintf("there is no %s in the zip", name)}
	}
	defer r.Close()
	b, err := io.ReadAll(io.LimitReader(r, maxPackage+1))
	if err == nil && len(b) > maxPackage {
		err = fmt.Errorf("more than %d bytes", maxPackage)
	}
	if err != nil {
		return nil, &fault{"zip", fmt.Sprintf("%s: %v", name, err)}
	}
	return b, nil
}

// Names are the names of the files in the zip, sorted.
func (f *File) Names() []string {
	names := make([]string, 0, len(f.members))
	for name := range f.members {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// WARCs are the names of the WARC files in archive/, sorted.
func (f *File) WARCs() []string {
	return slices.DeleteFunc(f.Names(), func(name string) bool { return !isWARC(name) })
}

func isWARC(name string) bool {
	if !strings.HasPrefix(name, "archive/") {
		return false
	}
	for _, end := range []string{".warc", ".warc.gz", ".warc.zst", ".arc", ".arc.gz"} {
		if strings.HasSuffix(name, end) {
			return true
		}
	}
	return false
}

// Open reads a file of the zip from its beginning.
func (f *File) Open(name string) (io.ReadCloser, error) {
	m := f.members[name]
	if m == nil {
		return nil, fmt.Errorf("wacz: there is no %s in the zip", name)
	}
	return m.Open()
}

// At reads a file of the zip at random, and gives its size. It fails when the zip holds it compressed.
func (f *File) At(name string) (*io.SectionReader, error) {
	m := f.members[name]
	if m == nil {
		return nil, fmt.Errorf("wacz: there is no %s in the zip", name)
	}
	if m.Method != zip.Store {
		return nil, fmt.Errorf("wacz: %s is compressed in the zip, so it cannot be read at random: unpack the file", name)
	}
	at, err := m.DataOffset()
	if err != nil {
		return nil, err
	}
	return io.NewSectionReader(f.r, at, int64(m.UncompressedSize64)), nil
}

// indexes are the names of the files in indexes/ that hold CDXJ or CDX lines.
func (f *File) indexes() []string {
	return slices.DeleteFunc(f.Names(), func(name string) bool {
		if !strings.HasPrefix(name, "indexes/") {
			return true
		}
		for _, end := range []string{".cdx", ".cdxj", ".cdx.gz", ".cdxj.gz"} {
			if strings.HasSuffix(name, end) {
				return false
			}
		}
		return true
	})
}

// Index gives the entries of all indexes, those of each in its own order. Lines that are no entries are passed over.
func (f *File) Index() iter.Seq2[cdx.Entry, error] {
	return func(yield func(cdx.Entry, error) bool) {
		for _, name := range f.indexes() {
			for line, err := range f.lines(name) {
				if err != nil {
					yield(cdx.Entry{}, err)
					return
				}
				if e, err := cdx.ParseLine(line); err == nil && !yield(e, nil) {
					return
				}
			}
		}
	}
}

// lines gives the lines of a text file of the zip, unpacked when its name ends in .gz. A line is valid until the next.
func (f *File) lines(name string) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		member, err := f.Open(name)
		if err != nil {
			yield(nil, err)
			return
		}
		defer member.Close()
		var r io.Reader = member
		if strings.HasSuffix(name, ".gz") {
			if r, err = gzip.NewReader(bufio.NewReader(member)); err != nil {
				yield(nil, fmt.Errorf("wacz: %s: %w", name, err))
				return
			}
		}
		s := bufio.NewScanner(r)
		s.Buffer(nil, maxLine)
		for s.Scan() {
			if !yield(s.Bytes(), nil) {
				return
			}
		}
		if err := s.Err(); err != nil {
			yield(nil, fmt.Errorf("wacz: %s: %w", name, err))
		}
	}
}

// Page is an entry of pages.jsonl.
type Page struct {
	ID    string `json:"id"`
	URL   string `json:"url"`
	Time  string `json:"ts"` // as in WARC-Date
	Title string `json:"title"`
}

// Pages gives the pages that the file lists. Lines that list none are passed over.
func (f *File) Pages() iter.Seq2[Page, error] {
	return func(yield func(Page, error) bool) {
		for line, err := range f.lines(pagesName) {
			if err != nil {
				yield(Page{}, err)
				return
			}
			var p Page
			if json.Unmarshal(line, &p) == nil && p.URL != "" && !yield(p, nil) {
				return
			}
		}
	}
}

const pagesName = "pages/pages.jsonl"
