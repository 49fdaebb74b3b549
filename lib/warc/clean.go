package warc

// This file mends the headers of damaged records, for Repair.

import (
	"cmp"
	"crypto/sha1"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"kavosh/lib/ascii"
)

// cleaner turns the header of a damaged record into one that the standard allows and Writer accepts.
type cleaner struct {
	rec     *Record
	version string
	header  Header
	changes []Repaired
}

// change notes that something was changed, once for each rule.
func (c *cleaner) change(rule, format string, args ...any) {
	for _, done := range c.changes {
		if done.Rule == rule {
			return
		}
	}
	c.changes = append(c.changes, Repaired{Offset: c.rec.Offset, Rule: rule, Text: fmt.Sprintf(format, args...)})
}

// clean sets c.header and c.version from the record. Digests that bad lists as wrong are kept under another name.
func (c *cleaner) clean(bad verdict) {
	rec := c.rec
	switch c.version = rec.Version; {
	case rec.arc != "":
		c.version = "WARC/1.1"
	case c.version != "WARC/1.0" && c.version != "WARC/1.1": // such a record has the fields of 1.0
		c.version = "WARC/1.0"
	}
	for _, f := range rec.Header {
		c.field(f, bad)
	}
	if rec.arc != "" {
		c.header.Add("Kavosh-ARC-Header", cleanValue(rec.arc))
	}
	c.date()
	c.target()
	if id := c.header.Get("WARC-Record-ID"); id == "" {
		c.newID("missing-field")
	} else if trimBrackets(id) == id && strings.Contains(id, ":") {
		c.header.Set("WARC-Record-ID", "<"+id+">")
		c.change("record-id", "WARC-Record-ID %s had no angle brackets", id)
	}
	c.header.Set("Content-Length", strconv.FormatInt(rec.Size, 10))
}

// length sets the Content-Length to the length that was found. The old value stays under another name: only a block
// digest can prove which one was right.
func (c *cleaner) length() {
	old := c.rec.Header.Get("Content-Length")
	c.header.Add("Kavosh-Wrong-Content-Length", cmp.Or(cleanValue(old), "none"))
	c.change("length-mismatch", "Content-Length %q is %d", old, c.rec.Size)
}

// field copies one field, cleaned.
func (c *cleaner) field(f Field, bad verdict) {
	if !validName(f.Name) {
		c.change("field-name", "%.80q is no name of a field", f.Name)
		return
	}
	if value := cleanValue(f.Value); value != f.Value {
		c.change("header-encoding", "the value of %s has bytes that no header can hold", f.Name)
		f.Value = value
	}
	if isWARCField(f.Name) && c.header.Has(f.Name) {
		return // the reader has noted it
	}
	for _, name := range bad.wrong {
		if ascii.EqualFold(f.Name, name) {
			c.change(bad.rule, "%s; now called Kavosh-Wrong-%s", bad.text, name[len("WARC-"):])
			f.Name = "Kavosh-Wrong-" + name[len("WARC-"):]
		}
	}
	c.header = append(c.header, f)
}

// cleanValue returns s as valid UTF-8 without control characters.
func cleanValue(s string) string {
	clean := func(r rune) rune {
		if r < ' ' && r != '\t' || r == 0x7f {
			return ' '
		}
		return r
	}
	if !utf8.ValidString(s) {
		s = strings.ToValidUTF8(s, "\ufffd")
	}
	return strings.TrimSpace(strings.Map(clean, s))
}

func (c *cleaner) date() {
	s := c.header.Get("WARC-Date")
	if standardDate(c.version, s) {
		return
	}
	date := c.rec.Date().Format("2006-01-02T15:04:05Z")
	c.header.Set("WARC-Date", date)
	c.change("date-form", "WARC-Date %.80q is now %s", s, date)
}

func (c *cleaner) target() {
	raw := c.header.Get("WARC-Target-URI")
	uri := strings.ReplaceAll(trimBrackets(raw), " ", "%20")
	if uri != raw {
		c.header.Set("WARC-Target-URI", uri)
		c.change("target-uri", "WARC-Target-URI %.200q is now %.200q", raw, uri)
	}
}

// newID gives the record an ID made from its content and its place in the file.
func (c *cleaner) newID(rule string) {
	old := c.header.Get("WARC-Record-ID")
	sum := sha1.Sum(fmt.Appendf(nil, "%s %v %v", old, c.rec.place, c.header))
	c.header.Set("WARC-Record-ID", nameID(sum[:]))
	c.change(rule, "WARC-Record-ID %q is now %s", old, nameID(sum[:]))
}
