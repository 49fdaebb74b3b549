// Package seeds reads the URLs that a person, a sitemap, a feed or another system wants crawled.
//
// A list is UTF-8 text with one URL per line:
//
//	# news sites; a comment starts a line or follows white space
//	https://example.com/fa/
//	example.org/news                  no scheme: https:// is added, and a Note says so
//	localhost:8080                    addresses and local names get http://
//	sitemap:https://example.net/sitemap.xml
//	search:https://search.example/?q=foaf     a page of search results: the sites it lists are seeds
//
// [Reader.Each] passes on the links of such a list as they are read, one line in memory at a time; [Reader.Args] reads
// a command line. A line without a valid URL is reported with its number, and the others are used. A seed that is
// silently dropped is a site missing from the archive, which nobody notices for years. A Reader that cannot report it
// stops there.
//
// A list whose name ends in .toml is TOML, and says of each seed what holds for it alone (toml.go, docs/formats/seeds.md).
//
// User name and password of a seed (https://user:password@example.org/) are reported separately and are in no link.
//
// [Pings] takes URLs that others submit by HTTP.
package seeds

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net/url"
	"os"
	"strings"
	"unicode/utf8"

	"kavosh"
	"kavosh/lib/weburl"
)

const (
	// MaxLines is the longest list that is read, blank lines and comments included.
	MaxLines = 10_000_000
	// MaxLine is the longest line, in bytes.
	MaxLine = weburl.MaxLength

	// Search is the Element of a seed that is a page of search results.
	Search = "search"
)

// A Note says how an ambiguous line was understood, or why a line was not. It contains no secret.
type Note struct {
	Name string // name of the list; "" for a command line
	Line int    // from 1
	Text string // one line
}

// String returns the note for people: "seeds.txt:3: example.com: no scheme, taken as https://example.com/".
func (n Note) String() string {
	if n.Name == "" {
		return fmt.Sprintf("argument %d: %s", n.Line, n.Text)
	}
	return fmt.Sprintf("%s:%d: %s", n.Name, n.Line, n.Text)
}

// Error returns the same; a Note is the error for a bad line that ends the reading.
func (n Note) Error() string { return n.String() }

// Reader reads seeds. The zero value stops at the first bad line.
type Reader struct {
	Note  func(Note)                   // called for ambiguous lines; may be nil
	Bad   func(Note) error             // called for a bad line, which is skipped unless Bad returns an error; nil makes a bad line an error
	Plan  func(*kavosh.SeedPlan) error // says what is wrong with what a list in TOML says of a seed; nil finds nothing wrong
	Login func(Login)                  // called for a user name and password; nil makes a line with them bad
}

// Login is a user name and password from a seed.
type Login struct {
	Origin         string // "https://example.org:8443"
	User, Password string
}

// Args reads a command line: each argument is a line of a list, and a bad one is an error. There may be no arguments,
// because a list may follow.
func (r *Reader) Args(args []string) ([]kavosh.Link, error) {
	l := list{Reader: r}
	var links []kavosh.Link
	for _, arg := range args {
		if info, err := os.Stat(arg); err == nil && info.Mode().IsRegular() {
			return nil, fmt.Errorf("%s is a file: use --seeds %s to crawl the URLs in it, or write https://%s for the site", arg, arg, arg)
		}
		l.line++
		link, ok, err := l.read([]byte(arg))
		if err != nil {
			return nil, err
		}
		if ok {
			links = append(links, link)
		}
	}
	return links, nil
}

// Each calls f with each link of a list in turn, with one line in memory. name is the name of the list for notes, such
// as its path. An error of f ends it and is returned unchanged.
func (r *Reader) Each(in io.Reader, name string, f func(kavosh.Link) error) error {
	l := list{Reader: r, name: name}
	if isTOML(name) {
		return l.eachTOML(in, f)
	}
	lines := bufio.NewReaderSize(in, MaxLine+len("\r\n"))
	for {
		text, end := lines.ReadSlice('\n')
		if len(text) == 0 && end == io.EOF {
			return nil
		}
		if l.line++; l.line > MaxLines {
			return l.note("longer than 10 million lines; split the list and crawl its parts one after the other")
		}
		if end != nil && end != io.EOF && end != bufio.ErrBufferFull {
			return l.note("%v", end)
		}
		if l.line == 1 {
			if why := notAList(text); why != "" {
				return l.note("%s", why)
			}
		}
		long := end == bufio.ErrBufferFull || len(bytes.TrimRight(text, "\r\n")) > MaxLine
		for end == bufio.ErrBufferFull {
			_, end = lines.ReadSlice('\n')
		}
		var link kavosh.Link
		var ok bool
		var err error
		if long {
			err = l.note("longer than 32 KiB, which is no URL; write one URL a line")
		} else {
			link, ok, err = l.read(text)
		}
		if bad, isNote := err.(Note); isNote && r.Bad != nil {
			err = r.Bad(bad)
		}
		if err == nil && ok {
			err = f(link)
		}
		if err != nil {
			return err
		}
	}
}

// list is a list being read.
type list struct {
	*Reader
	name  string
	line  int
	links int
}

func (l *list) note(format string, args ...any) Note {
	return Note{l.name, l.line, fmt.Sprintf(format, args...)}
}

// read returns the link of one line; ok is false for a line without one. The error is a Note.
func (l *list) read(line []byte) (link kavosh.Link, ok bool, err error) {
	if l.line == 1 {
		line = bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))
	}
	if wrong := notText(line); wrong != "" {
		return link, false, l.note("%s", wrong)
	}
	text := strings.TrimFunc(uncomment(string(line)), invisible)
	if text == "" {
		return link, false, nil
	}
	link = kavosh.Link{Kind: kavosh.Seed, Position: l.links}
	if rest, found := cutMark(text, "sitemap:"); found {
		link.Kind, text = kavosh.Sitemap, rest
	} else if rest, found := cutMark(text, "search:"); found {
		link.Element, text = Search, rest
	}
	u, note, err := read(text)
	if err != nil {
		return link, false, l.note("%v", err)
	}
	if user, password := u.Credentials(); user != "" || password != "" {
		if l.Login == nil {
			return link, false, l.note("%.200s: user name and password do not belong here; give them to the crawl when it begins or resumes, by --credentials", u.Key())
		}
		l.Login(Login{u.Origin(), percentDecode(user), percentDecode(password)})
	}
	link.URL = u.Key()
	if note != "" && l.Note != nil {
		l.Note(l.note("%s", note))
	}
	l.links++
	return link, true, nil
}

// percentDecode decodes %XX; malformed escapes stay.
func percentDecode(s string) string {
	if d, err := url.PathUnescape(s); err == nil {
		return d
	}
	return s
}

// uncomment removes a comment: '#' at the start of a line or after white space. Elsewhere '#' starts a fragment.
func uncomment(line string) string {
	for i := 0; i < len(line); i++ {
		if line[i] == '#' && (i == 0 || line[i-1] == ' ' || line[i-1] == '\t') {
			return line[:i]
		}
	}
	return line
}

// cutMark removes a mark such as "sitemap:", which robots.txt uses too.
func cutMark(text, mark string) (rest string, found bool) {
	if len(text) < len(mark) || !strings.EqualFold(text[:len(mark)], mark) {
		return text, false
	}
	return strings.TrimFunc(text[len(mark):], invisible), true
}

// invisible characters come along when a URL is copied from a page or message: white space, and the direction marks
// around left-to-right text in Persian and Arabic.
func invisible(r rune) bool {
	switch {
	case r <= ' ', r == 0x7f, r == 0x85, r == 0xa0, r == 0xfeff:
		return true
	case 0x2000 <= r && r <= 0x200f, 0x2028 <= r && r <= 0x202f, 0x2060 <= r && r <= 0x2069:
		return true
	}
	return false
}

// save says how to make a list readable.
const save = "save the list as UTF-8"

// notAList says why no line of the file can be read, judging by its first line, and what to do; "" if it can.
func notAList(line []byte) string {
	switch {
	case bytes.HasPrefix(line, []byte("\xff\xfe")), bytes.HasPrefix(line, []byte("\xfe\xff")):
		return "in UTF-16; " + save
	case bytes.HasPrefix(line, []byte("\x1f\x8b")):
		return "compressed by gzip; unpack it, or pipe zcat's output to --seeds -"
	}
	return ""
}

// notText says why a line is not UTF-8 text, and what to do; "" if it is.
func notText(line []byte) string {
	switch {
	case bytes.IndexByte(line, 0) >= 0:
		return "holds a zero byte, so it is not text or in UTF-16; " + save
	case utf8.Valid(line):
		return ""
	case looksPersian(line):
		return "not UTF-8; it looks like windows-1256: " + save + ", for example by iconv -f windows-1256 -t utf-8"
	}
	return "not UTF-8; " + save
}
