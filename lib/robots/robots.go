// Package robots parses robots.txt by RFC 9309 and as real sites write it, and says whether a path may be fetched, by
// which rule on which line.
//
// A file is parsed once and compiled once for a host:
//
//	rules := robots.Parse(body).For("Kavosh")     // the group of our product token, or the one of "*"
//	d := rules.Match("/private/page?x=1")         // {Allowed: false, Line: 3, Rule: "Disallow: /private/"}
//
// Rules never change after that, so many goroutines may use them. The longest matching rule decides, and Allow wins a
// tie. Rule and path are compared in one form of percent-encoding (canonical), so a rule in plain Persian letters
// matches the encoded path of a URL. Matching takes time linear in the path's length, however many stars a rule has,
// because each piece between two stars is searched once, from the left.
//
// Bounds: 500 KiB of a file and 16,663 bytes of a line are read. docs/formats/robots.md lists what is accepted beyond
// the RFC, and the differences from Google's and crawler-commons' parsers.
package robots

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"kavosh/lib/ascii"
)

// MaxBytes is how much of a robots.txt is read: the least that RFC 9309 allows. A line across the bound is dropped,
// because half a rule may mean something else.
const MaxBytes = 500 << 10

// maxLine is how much of one line is read: eight times the longest URL of old browsers, less one, as Google does.
const maxLine = 2083*8 - 1

// File is one parsed robots.txt with all groups. It never changes.
type File struct {
	// Sitemaps holds the values of the Sitemap lines as written, in order and without repeats. Resolve relative ones
	// against the URL of the robots.txt. They belong to no group.
	Sitemaps []string

	lines []line // those that matter to a group, in order
}

// line is one directive of a group.
type line struct {
	key   key
	no    int    // line number, from 1
	value string // without comment and surrounding white space
	text  string // the whole line, without comment and surrounding white space, for people
}

type key uint8

const (
	unknownKey key = iota
	agentKey
	allowKey
	disallowKey
	delayKey
	sitemapKey
)

// directives lists, for each key, how names of it begin, in lower case and with common misspellings. Like Google's
// parser, we compare only the beginning ("disallowed" is "disallow").
var directives = [...]struct {
	key      key
	prefixes []string
}{
	{agentKey, []string{"user-agent", "useragent", "user agent", "useg-agent", "users-agent", "user-agnet"}},
	{allowKey, []string{"allow"}},
	{disallowKey, []string{"disallow", "dissallow", "dissalow", "disalow", "diaslow", "diasllow", "disallaw", "desallow",
		"disllow", "diallow"}},
	{delayKey, []string{"crawl-delay", "crawldelay", "crawl delay", "craw-delay", "crawl-deley"}},
	{sitemapKey, []string{"sitemap", "site-map"}},
}

// Parse parses a robots.txt. It skips whatever is not a directive, and keeps no part of body.
func Parse(body []byte) *File {
	text := string(decode(body))
	f := &File{}
	markup := strings.HasPrefix(strings.TrimSpace(text), "<")
	for no, s := range lines(text) {
		if markup { // directives inside an HTML page, one per line, as some editors save them
			s = stripTags(s)
		}
		f.add(no, s)
	}
	seen := map[string]bool{"": true}
	f.Sitemaps = slices.DeleteFunc(f.Sitemaps, func(u string) bool {
		again := seen[u]
		seen[u] = true
		return again
	})
	return f
}

// decode converts body to UTF-8 without byte order mark and cuts it at MaxBytes.
func decode(body []byte) []byte {
	whole := len(body) <= MaxBytes
	if !whole {
		body = body[:MaxBytes]
	}
	switch {
	case bytes.HasPrefix(body, []byte{0xFF, 0xFE}):
		body = fromUTF16(body[2:], binary.LittleEndian)
	case bytes.HasPrefix(body, []byte{0xFE, 0xFF}):
		body = fromUTF16(body[2:], binary.BigEndian)
	default:
		for _, b := range []byte{0xEF, 0xBB, 0xBF} { // also skip part of a mark, as Google's parser does
			if len(body) == 0 || body[0] != b {
				break
			}
			body = body[1:]
		}
	}
	if !whole {
		body = body[:bytes.LastIndexAny(body, "\r\n")+1]
	}
	return body
}

func fromUTF16(b []byte, order binary.ByteOrder) []byte {
	units := make([]uint16, len(b)/2)
	for i := range units {
		units[i] = order.Uint16(b[2*i:])
	}
	out := make([]byte, 0, len(b))
	for _, r := range utf16.Decode(units) {
		out = utf8.AppendRune(out, r)
	}
	return out
}

// lines yields the lines of text with their numbers from 1. LF, CR and CRLF each end one.
func lines(text string) func(yield func(int, string) bool) {
	return func(yield func(int, string) bool) {
		for no := 1; ; no++ {
			end := strings.IndexAny(text, "\r\n")
			s := text
			if end >= 0 {
				s = text[:end]
			}
			if !yield(no, s[:min(len(s), maxLine)]) || end < 0 {
				return
			}
			if strings.HasPrefix(text[end:], "\r\n") {
				end++
			}
			text = text[end+1:]
		}
	}
}

func stripTags(s string) string {
	var b strings.Builder
	for {
		open := strings.IndexByte(s, '<')
		if open < 0 {
			return b.String() + s
		}
		b.WriteString(s[:open])
		shut := strings.IndexByte(s[open:], '>')
		if shut < 0 {
			return b.String()
		}
		s = s[open+shut+1:]
	}
}

// add adds a line to the file if it is a directive.
func (f *File) add(no int, s string) {
	s, _, _ = strings.Cut(s, "#")
	s = strings.TrimSpace(s)
	name, value, ok := split(s)
	if !ok {
		return
	}
	switch k := keyOf(name); k {
	case unknownKey:
		// A sitemap's URL without the word "Sitemap:".
		if (ascii.EqualFold(name, "http") || ascii.EqualFold(name, "https")) && strings.Contains(s, "sitemap") {
			f.Sitemaps = append(f.Sitemaps, s)
		}
	case sitemapKey:
		if i := strings.IndexAny(name, " \t"); i >= 0 { // "Sitemap https://…": the colon belongs to the URL
			value = strings.TrimSpace(s[i:])
		}
		f.Sitemaps = append(f.Sitemaps, value)
	default:
		f.lines = append(f.lines, line{key: k, no: no, value: value, text: s})
	}
}

// split splits a trimmed line at its colon; without one, at white space if the line is two words: "disallow /x".
func split(s string) (name, value string, ok bool) {
	if name, value, ok = strings.Cut(s, ":"); ok {
		name = strings.TrimSpace(name)
		return name, strings.TrimSpace(value), name != ""
	}
	i := strings.IndexAny(s, " \t")
	if i < 0 {
		return "", "", false
	}
	name, value = s[:i], strings.TrimSpace(s[i:])
	return name, value, !strings.ContainsAny(value, " \t")
}

func keyOf(name string) key {
	for _, d := range directives {
		for _, p := range d.prefixes {
			if ascii.HasPrefixFold(name, p) {
				return d.key
			}
		}
	}
	return unknownKey
}
