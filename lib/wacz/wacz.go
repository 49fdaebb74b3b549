// Package wacz reads, writes and checks WACZ files: web archives in a zip, with their index and a list of pages.
//
//	archive/*.warc.gz     the records, stored in the zip without further compression, for random access
//	indexes/              CDXJ, plain or in gzip members with an .idx file that says which lines each member has
//	pages/pages.jsonl     the pages that a reader would begin with
//	datapackage.json      every file with its size and digest
//	datapackage-digest.json   the digest of datapackage.json, and perhaps a signature of it
//
// Open refuses hostile zip files: names that leave the folder, repeated names, overlapping files, bombs. Check says
// what is wrong with a file, rule by rule.
package wacz

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"slices"
	"strings"

	"github.com/klauspost/compress/gzip"

	"kavosh/lib/warc"
)

// Bounds on a file.
const (
	maxMembers   = 100_000  // files in the zip, and in the list of datapackage.json
	maxDirectory = 64 << 20 // bytes of the zip's directory
	maxPackage   = 16 << 20 // bytes of datapackage.json and of datapackage-digest.json
	maxLine      = 16 << 20 // bytes of a line of pages.jsonl or of an index
	maxRatio     = 100      // decompressed to compressed size, of a member larger than bigMember and of all together
	bigMember    = 1 << 30
)

// File is an open WACZ file. Several goroutines may use it.
type File struct {
	Package Package

	r       io.ReaderAt
	members map[string]*member
	raw     []byte // datapackage.json

	packages []*File // of a collection
}

// Package is the content of datapackage.json.
type Package struct {
	Profile   string    `json:"profile"`
	Version   string    `json:"wacz_version"`
	Title     string    `json:"title"`
	About     Text      `json:"description"`
	Created   string    `json:"created"`
	Software  string    `json:"software"`
	Resources Resources `json:"resources"`
}

// Text is an optional text.
type Text string

// UnmarshalJSON treats anything but a text as absent.
func (t *Text) UnmarshalJSON(b []byte) error {
	var s string
	if json.Unmarshal(b, &s) == nil {
		*t = Text(s)
	}
	return nil
}

// Resources are the files of a package, at most 100,000.
type Resources []Resource

// UnmarshalJSON refuses long lists: a few bytes of JSON can take much memory.
func (r *Resources) UnmarshalJSON(b []byte) error {
	d := json.NewDecoder(bytes.NewReader(b))
	if start, err := d.Token(); err != nil || start != json.Delim('[') {
		return errors.New("resources is no list")
	}
	for d.More() {
		if len(*r) == maxMembers {
			return fmt.Errorf("more than %d resources", maxMembers)
		}
		var one Resource
		if err := d.Decode(&one); err != nil {
			return err
		}
		*r = append(*r, one)
	}
	return nil
}

// Resource is one file of a package.
type Resource struct {
	Name  string `json:"name"`
	Path  string `json:"path"`
	Hash  string `json:"hash"` // "sha256:" and hexadecimal digits
	Bytes *int64 `json:"bytes"`

	// The form of WACZ 1.0.0.
	Hashing string `json:"hashing"`
	Stats   *struct {
		Hash  string `json:"hash"`
		Bytes *int64 `json:"bytes"`
	} `json:"stats"`
}

// digest and size return what the resource should have; "" and -1 if it does not say.
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

// IsZip reports whether b, the first bytes of a file, begin a zip file. Every WACZ file is one.
func IsZip(b []byte) bool {
	return bytes.HasPrefix(b, []byte("PK\x03\x04")) || bytes.HasPrefix(b, []byte("PK\x05\x06"))
}

// fault is a fault in a file, by a name of Rules.
type fault struct{ rule, text string }

func (f *fault) Error() string { return "wacz: " + f.text }

// Open reads the zip directory and datapackage.json of a file of size bytes, and those of WACZ files inside it.
func Open(r io.ReaderAt, size int64) (*File, error) {
	f, err := openZip(r, size)
	if err == nil {
		err = f.readPackage()
	}
	if err == nil {
		err = f.openInner()
	}
	return f, err
}

func openZip(r io.ReaderAt, size int64) (*File, error) {
	all, err := directory(r, size)
	if err != nil {
		return nil, err
	}
	f := &File{r: r, members: make(map[string]*member, len(all))}
	var packed, unpacked int64
	for _, m := range all {
		if strings.HasSuffix(m.name, "/") {
			continue
		}
		if err := f.admit(m); err != nil {
			return nil, err
		}
		f.members[m.name] = m
		packed, unpacked = packed+m.packed, min(unpacked, math.MaxInt64-m.size)+m.size
	}
	if isBomb(packed, unpacked) {
		return nil, &fault{"zip-trick", fmt.Sprintf("%d bytes packed into %d in the zip", unpacked, packed)}
	}
	return f, nil
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

// small reads a small member into memory.
func (f *File) small(name string) ([]byte, error) {
	m := f.members[name]
	if m == nil {
		return nil, &fault{"package", fmt.Sprintf("there is no %s in the zip", name)}
	}
	if m.size > maxPackage {
		return nil, &fault{"package", fmt.Sprintf("%s has %d bytes, more than %d", name, m.size, maxPackage)}
	}
	r, err := f.unpack(m)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}

// Names returns the names of the files in the zip, sorted.
func (f *File) Names() []string {
	names := make([]string, 0, len(f.members))
	for name := range f.members {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// WARCs returns the names of the WARC files in archive/, sorted.
func (f *File) WARCs() []string {
	return slices.DeleteFunc(f.Names(), func(name string) bool { return !isWARC(name) })
}

func isWARC(name string) bool { return strings.HasPrefix(name, "archive/") && warc.IsName(name) }

// inner returns the names of WACZ files inside a file that has them in place of WARC files: a collection as Browsertrix
// makes it.
func (f *File) inner() []string {
	if len(f.WARCs()) > 0 {
		return nil
	}
	return slices.DeleteFunc(f.Names(), func(name string) bool { return !strings.HasSuffix(name, ".wacz") })
}

// Packages yields the packages of a collection by name, in order; otherwise the file itself under "". Collections
// inside collections are not searched.
func (f *File) Packages() iter.Seq2[string, *File] {
	return func(yield func(string, *File) bool) {
		if len(f.packages) == 0 {
			yield("", f)
		}
		for i, one := range f.packages {
			if !yield(f.inner()[i], one) {
				return
			}
		}
	}
}

// openInner opens the packages of a collection. They are stored uncompressed in f, so they cannot be larger than it.
func (f *File) openInner() error {
	for _, name := range f.inner() {
		r, err := f.At(name)
		if err != nil {
			return err
		}
		one, err := openZip(r, r.Size())
		if err == nil {
			err = one.readPackage()
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		f.packages = append(f.packages, one)
	}
	return nil
}

// Open reads a file of the zip from its beginning.
func (f *File) Open(name string) (io.Reader, error) {
	m := f.members[name]
	if m == nil {
		return nil, fmt.Errorf("wacz: there is no %s in the zip", name)
	}
	return f.unpack(m)
}

// At opens a file of the zip for random access, with its size. It fails if the zip has it compressed.
func (f *File) At(name string) (*io.SectionReader, error) {
	m := f.members[name]
	if m == nil {
		return nil, fmt.Errorf("wacz: there is no %s in the zip", name)
	}
	if m.method != stored {
		return nil, fmt.Errorf("wacz: %s is compressed in the zip, so it cannot be read at random: import the file into an archive, or unpack it", name)
	}
	return f.data(m)
}

// lines yields the lines of a text file of the zip, decompressed if its name ends in .gz. Each is valid until the next.
func (f *File) lines(name string) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		member, err := f.Open(name)
		if err != nil {
			yield(nil, err)
			return
		}
		var r io.Reader = member
		if strings.HasSuffix(name, ".gz") {
			if r, err = gzip.NewReader(bufio.NewReader(member)); err != nil {
				yield(nil, fmt.Errorf("wacz: %s: %w", name, err))
				return
			}
			r = &limited{r, max(bigMember, maxRatio*f.members[name].size)}
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

// limited fails when more than its limit is read.
type limited struct {
	r    io.Reader
	left int64
}

func (l *limited) Read(p []byte) (int, error) {
	n, err := l.r.Read(p)
	if l.left -= int64(n); l.left < 0 {
		return 0, fmt.Errorf("it unpacks to more than %d times its size", maxRatio)
	}
	return n, err
}

// Page is an entry of pages.jsonl.
type Page struct {
	ID    string `json:"id"`
	URL   string `json:"url"`
	Time  string `json:"ts"` // as in WARC-Date
	Title string `json:"title"`
	Text  string `json:"text"` // the text that people read on it; "" if nobody kept it
}

// Pages yields the pages in the file's list, then its extra pages. It skips invalid lines.
func (f *File) Pages() iter.Seq2[Page, error] {
	return func(yield func(Page, error) bool) {
		for _, name := range []string{pagesName, extraPagesName} {
			if f.members[name] == nil {
				continue
			}
			for line, err := range f.lines(name) {
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
}

const pagesName, extraPagesName = "pages/pages.jsonl", "pages/extraPages.jsonl"

// SHA256 returns the digest that datapackage.json has for a file, in hexadecimal; "" if none.
func (f *File) SHA256(name string) string {
	for i := range f.Package.Resources {
		if r := &f.Package.Resources[i]; r.Path == name {
			sum, _ := strings.CutPrefix(r.digest(), "sha256:")
			if len(sum) != 64 {
				return ""
			}
			return sum
		}
	}
	return ""
}
