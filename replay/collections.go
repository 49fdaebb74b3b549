package replay

// This file holds the collections that are replayed.

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"kavosh"
	"kavosh/internal/records"
	"kavosh/lib/weburl"
)

// Collection is an archive that is served under a name.
type Collection struct {
	Name string // first part of its replay URLs, percent-encoded there: letters and digits of any script, "-", "_" and "."
	*records.Records
	// Missed is called when a reader's browser did not get a part of a page. It must return soon, and may be nil.
	Missed func(Missed)

	label   string             // its name in host names
	members []*Collection      // whose captures it shows: itself alone; all others for All
	among   []*records.Records // the records of members
}

// All is the name of the collection that holds all others.
const All = "web"

// Collections holds all collections that are served.
type Collections struct {
	List []*Collection // in the given order
	All  *Collection   // has the captures of all others, and no Records of its own
}

// NewCollections checks the names of the collections. An error names the wrong one.
func NewCollections(list []Collection) (*Collections, error) {
	if len(list) == 0 {
		return nil, fmt.Errorf("no collection to serve: name an archive")
	}
	s := &Collections{}
	s.All = &Collection{Name: All, label: All}
	for _, c := range list {
		if !validName(c.Name) || c.Name == All {
			return nil, fmt.Errorf("collection name %q: use at most %d letters and digits of any script, \"-\", \"_\" and \".\", no blanks, and not %q", c.Name, maxName, All)
		}
		plain := c.Name
		c.Name = escaped(plain) // from here on it is used in URLs only
		if s.named(c.Name) != nil {
			return nil, fmt.Errorf("two collections are named %q: give one another name, NAME=PATH", plain)
		}
		c.label, c.members, c.among = labelOf(plain), []*Collection{&c}, []*records.Records{c.Records}
		s.List, s.All.among = append(s.List, &c), append(s.All.among, c.Records)
	}
	s.All.members = s.List
	return s, nil
}

// Named returns the collection of the given name, or nil.
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

// Edition returns a text that changes with every change of the access rules of c.
func (c *Collection) Edition() string {
	all := ""
	for _, m := range c.members {
		if m.Gate != nil {
			all += m.Gate.Edition() + " "
		}
	}
	return all
}

// Withheld says why an access rule hides what c has of a URL. It returns nil if no rule hides anything of it. An error
// names the collection whose rules cannot be read.
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

// maxName bounds the length of a collection's name, in letters.
const maxName = 64

// InName reports whether a character is allowed in the name of a collection. Allowed are letters and digits of any
// script with their marks, "-", "_", ".", and the joiners that Persian uses within words. No other invisible character
// is allowed, such as those that change the direction of text.
func InName(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsDigit(r) || strings.ContainsRune("-_.\u200c\u200d", r)
}

// validName reports whether a collection may have this name. It must be in Unicode form NFC, so that it has one URL
// only.
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

// escaped returns a name as it is in URLs: percent-encoded UTF-8, in one spelling.
func escaped(name string) string {
	if plain, err := url.PathUnescape(name); err == nil {
		name = plain
	}
	return url.PathEscape(norm.NFC.String(name))
}

// labelOf returns a name as a label of a host name: the ASCII form that browsers use, or a hash of the name if it has
// none.
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

// shortLabels reports whether no label of a host name is longer than DNS allows.
func shortLabels(host string) bool {
	for label := range strings.SplitSeq(host, ".") {
		if len(label) > 63 {
			return false
		}
	}
	return true
}
