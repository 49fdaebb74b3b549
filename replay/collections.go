package replay

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"kavosh"
	"kavosh/lib/cdx"
	"kavosh/lib/warc"
	"kavosh/lib/weburl"
)

// Index answers questions about captures, in the order of their lines unless the query asks for another.
type Index interface {
	Query(ctx context.Context, q cdx.Query) iter.Seq2[cdx.Entry, error]
}

// Store opens the WARC or ARC file that holds a capture's record. What it returns is used by one request, which is of ctx,
// for that record alone, and then closed. Its error is a *kavosh.Refused when this reader may not see the capture.
type Store interface {
	Open(ctx context.Context, e *cdx.Entry) (f io.ReaderAt, size int64, close func(), err error)
}

// Gate tells of what an Index leaves out and a Store does not open.
type Gate interface {
	// Refused is why this reader does not get what a capture holds; nil when he may see it.
	Refused(ctx context.Context, e *cdx.Entry) (*kavosh.Refused, error)
	// Revisiting gives a context in which Index and Store have the original of a revisit that this reader may see, though a
	// rule closes the address where it was captured.
	Revisiting(ctx context.Context, revisit *cdx.Entry) context.Context
	// Withheld is why nothing of a URL is shown that the archive holds; nil when it holds nothing more than it shows.
	Withheld(ctx context.Context, url string) (*kavosh.Refused, error)
	// Edition changes with every decision: what was made of captures under another may show more than is allowed now.
	Edition() string
}

// Collection is an archive that is served under a name.
type Collection struct {
	Name  string // first part of its replay URLs, percent-encoded there: letters and digits of any script, "-", "_" and "."
	Index Index
	Store Store
	Gate  Gate // nil: nothing is left out

	label   string        // its name in host names
	members []*Collection // whose captures it shows: itself, or all
	records *warc.Pool
}

// All is the name of the collection that holds all others.
const All = "web"

// Collections are those that are served.
type Collections struct {
	List []*Collection // as given
	All  *Collection   // its Index and Store are nil: it has members
}

// NewCollections checks the names of collections. An error names the one that is wrong.
func NewCollections(list []Collection) (*Collections, error) {
	if len(list) == 0 {
		return nil, fmt.Errorf("no collection to serve: name an archive")
	}
	s := &Collections{}
	records := &warc.Pool{}
	for _, c := range list {
		if !validName(c.Name) || c.Name == All {
			return nil, fmt.Errorf("collection name %q: use at most %d letters and digits of any script, \"-\", \"_\" and \".\", no blanks, and not %q", c.Name, maxName, All)
		}
		plain := c.Name
		c.Name = escaped(plain) // from here on it stands in addresses alone
		if s.named(c.Name) != nil {
			return nil, fmt.Errorf("two collections are named %q: give one another name, NAME=PATH", plain)
		}
		c.label, c.records, c.members = labelOf(plain), records, []*Collection{&c}
		s.List = append(s.List, &c)
	}
	s.All = &Collection{Name: All, label: All, records: records, members: s.List}
	return s, nil
}

// Named is the collection of that name, nil for none.
func (s *Collections) Named(name string) *Collection {
	if name == All {
		return s.All
	}
	if c := s.named(name); c != nil || len(name) > len("%XX")*utf8.UTFMax*maxName {
		return c
	}
	return s.named(escaped(name))
}

func (s *Collections) named(name string) *Collection {
	for _, c := range s.List {
		if c.Name == name {
			return c
		}
	}
	return nil
}

// Edition changes with every decision about who may see what of c.
func (c *Collection) Edition() string {
	all := ""
	for _, m := range c.members {
		if m.Gate != nil {
			all += m.Gate.Edition() + " "
		}
	}
	return all
}

// Withheld is why c shows nothing of a URL, nil when it holds no more of it. An error names the collection whose rules cannot be read.
func (c *Collection) Withheld(ctx context.Context, url string) (*kavosh.Refused, error) {
	var errs []error
	for _, m := range c.members {
		if m.Gate == nil {
			continue
		}
		refused, err := m.Gate.Withheld(ctx, url)
		if err != nil {
			errs = append(errs, fmt.Errorf("access rules of %s: %w", m.Name, err))
		}
		if refused != nil {
			return refused, errors.Join(errs...)
		}
	}
	return nil, errors.Join(errs...)
}

// maxName bounds a collection's name, in letters.
const maxName = 64

// InName reports whether a letter may stand in the name of a collection: letters and digits of any script, with their marks, "-", "_", ".",
// and the joiners that Persian has within words. Nothing else of what cannot be seen may, such as what turns the direction of a text.
func InName(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsDigit(r) || strings.ContainsRune("-_.\u200c\u200d", r)
}

// validName reports whether a collection may be called so. A name has one form in Unicode, so that it has one address.
func validName(name string) bool {
	first, _ := utf8.DecodeRuneInString(name)
	last, _ := utf8.DecodeLastRuneInString(name)
	switch {
	case name == "", name == "-", !utf8.ValidString(name), !norm.NFC.IsNormalString(name), utf8.RuneCountInString(name) > maxName,
		first == '.', unicode.IsMark(first), joins(first), joins(last):
		return false
	}
	return !strings.ContainsFunc(name, func(r rune) bool { return !InName(r) })
}

func joins(r rune) bool { return unicode.Is(unicode.Join_Control, r) }

// escaped is a name as it stands in addresses, however a reader's program writes it: percent-encoded UTF-8.
func escaped(name string) string {
	if plain, err := url.PathUnescape(name); err == nil {
		name = plain
	}
	return url.PathEscape(norm.NFC.String(name))
}

// labelOf is a name as it stands in host names: as browsers write it there, in ASCII, or a number made of it where they have no form for it.
func labelOf(name string) string {
	const after = ".example"
	u, err := weburl.Parse("http://" + name + after + "/")
	if err == nil {
		if label := strings.TrimSuffix(u.Hostname(), after); shortLabels(label) {
			return label
		}
	}
	sum := sha256.Sum256([]byte(name))
	return "n-" + hex.EncodeToString(sum[:8])
}

// shortLabels reports whether names have a place for each part of a host name.
func shortLabels(host string) bool {
	for label := range strings.SplitSeq(host, ".") {
		if len(label) > 63 {
			return false
		}
	}
	return true
}
