// Package seeds reads the URLs that a person, a sitemap, a feed or another system wants crawled.
//
// A list is text in UTF-8, one URL a line:
//
//	# news sites; a comment starts a line or follows white space
//	https://example.com/fa/
//	example.org/news                  no scheme: https:// is put before it, and a Note says so
//	localhost:8080                    addresses and local names get http://
//	sitemap:https://example.net/sitemap.xml
//	search:https://search.example/?q=foaf     an answer of a search engine: the sites that it lists are seeds
//
// [Read] takes such a list from a file or from standard input, [Args] from a command line; [Each] hands the links on as
// they are read, for lists that should not stand in memory twice. All of them leave out what came before and keep the
// order, and stop at the first line that they cannot take: a seed that is silently dropped is a site that is missing
// from the archive, which nobody notices for years.
package seeds

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
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

	// Search is the Element of a seed that is an answer of a search engine.
	Search = "search"

	maxNotes = 20 // kept of one list; how many more there were is said in one
)

// A Note says what was understood from a line that could have been meant otherwise.
type Note struct {
	Name string // of the list; empty for a command line
	Line int    // from 1; 0 when the note is about the whole list
	Text string // one line
}

// String is the note as people read it: "seeds.txt:3: example.com: no scheme, taken as https://example.com/".
func (n Note) String() string {
	switch {
	case n.Name == "" && n.Line == 0:
		return "arguments: " + n.Text
	case n.Name == "":
		return fmt.Sprintf("argument %d: %s", n.Line, n.Text)
	case n.Line == 0:
		return n.Name + ": " + n.Text
	}
	return fmt.Sprintf("%s:%d: %s", n.Name, n.Line, n.Text)
}

// Read reads a whole list. name is what errors and notes call it, such as its path. A list without any URL is an error.
func Read(r io.Reader, name string) ([]kavosh.Link, []Note, error) {
	var links []kavosh.Link
	notes, err := Each(r, name, func(link kavosh.Link) error {
		links = append(links, link)
		return nil
	})
	if err == nil && len(links) == 0 {
		err = fmt.Errorf("%s: no URL in it; write one a line, such as https://example.com/", name)
	}
	if err != nil {
		return nil, nil, err
	}
	return links, notes, nil
}

// Open reads the list in the file at path, or from stdin when path is "-".
func Open(path string, stdin io.Reader) ([]kavosh.Link, []Note, error) {
	if path == "-" {
		return Read(stdin, "standard input")
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, nil, fmt.Errorf("seeds: %w; give --seeds the path of a list, or - for standard input", err)
	}
	defer file.Close()
	return Read(file, path)
}

// Args reads a command line: each argument is one line of a list. No argument is no error, for there may be a list too.
func Args(args []string) ([]kavosh.Link, []Note, error) {
	l := list{seen: map[sum]struct{}{}}
	var links []kavosh.Link
	for _, arg := range args {
		if info, err := os.Stat(arg); err == nil && info.Mode().IsRegular() {
			return nil, nil, fmt.Errorf("%s is a file: use --seeds %s to crawl the URLs in it, or write https://%s for the site", arg, arg, arg)
		}
		l.line++
		link, ok, err := l.read([]byte(arg))
		if err != nil {
			return nil, nil, err
		}
		if ok {
			links = append(links, link)
		}
	}
	return links, l.allNotes(), nil
}

// Join puts lists one after the other and leaves out the URLs that came before.
func Join(lists ...[]kavosh.Link) []kavosh.Link {
	var all []kavosh.Link
	l := list{seen: map[sum]struct{}{}}
	for _, links := range lists {
		for _, link := range links {
			if l.add(link) {
				link.Position = len(all)
				all = append(all, link)
			}
		}
	}
	return all
}

// Each calls f with each link of a list in turn. It holds one line and 16 bytes for each link seen. An error of f ends it
// and is returned as it is.
func Each(r io.Reader, name string, f func(kavosh.Link) error) ([]Note, error) {
	l := list{name: name, seen: map[sum]struct{}{}}
	in := bufio.NewReaderSize(r, MaxLine+len("\r\n"))
	for {
		text, err := in.ReadSlice('\n')
		if len(text) == 0 && err == io.EOF {
			return l.allNotes(), nil
		}
		l.line++
		switch {
		case err == bufio.ErrBufferFull, len(bytes.TrimRight(text, "\r\n")) > MaxLine:
			return nil, l.errorf("longer than 32 KiB, which is no URL; write one URL a line")
		case err != nil && err != io.EOF:
			return nil, l.errorf("%v", err)
		case l.line > MaxLines:
			return nil, l.errorf("longer than 10 million lines; split the list and crawl its parts one after the other")
		}
		link, ok, err := l.read(text)
		if err != nil {
			return nil, err
		}
		if ok {
			if err := f(link); err != nil {
				return nil, err
			}
		}
	}
}

// list is one list while it is read.
type list struct {
	name     string
	line     int
	links    int
	notes    []Note
	unnoted  int
	repeated int
	seen     map[sum]struct{}
}

// sum stands for a seen URL: half a SHA-256, so that ten million fit in memory and none is taken for another.
type sum [16]byte

func (l *list) errorf(format string, args ...any) error {
	return errors.New(Note{l.name, l.line, fmt.Sprintf(format, args...)}.String())
}

func (l *list) note(format string, args ...any) {
	if len(l.notes) == maxNotes {
		l.unnoted++
		return
	}
	l.notes = append(l.notes, Note{l.name, l.line, fmt.Sprintf(format, args...)})
}

// allNotes are the notes on the lines, and what there is to say of the whole list.
func (l *list) allNotes() []Note {
	notes := l.notes
	if l.unnoted > 0 {
		notes = append(notes, Note{Name: l.name, Text: fmt.Sprintf("%d more notes of this kind", l.unnoted)})
	}
	if l.repeated > 0 {
		notes = append(notes, Note{Name: l.name, Text: fmt.Sprintf("%d repeated URLs left out", l.repeated)})
	}
	return notes
}

// read is the link of one line; ok is false for a line without one.
func (l *list) read(line []byte) (link kavosh.Link, ok bool, err error) {
	if l.line == 1 {
		line = bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))
	}
	if wrong := notText(line); wrong != "" {
		return link, false, l.errorf("%s", wrong)
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
	var note string
	if link.URL, note, err = read(text); err != nil {
		return link, false, l.errorf("%v", err)
	}
	if note != "" {
		l.note("%s", note)
	}
	if !l.add(link) {
		l.repeated++
		return link, false, nil
	}
	l.links++
	return link, true, nil
}

// add reports whether link is new. A sitemap and a page of the same URL are two.
func (l *list) add(link kavosh.Link) bool {
	hash := sha256.Sum256(append([]byte{byte(link.Kind)}, link.URL...))
	key := sum(hash[:len(sum{})])
	if _, seen := l.seen[key]; seen {
		return false
	}
	l.seen[key] = struct{}{}
	return true
}

// uncomment cuts a comment off: '#' at the start of a line or after white space. Elsewhere it starts a fragment.
func uncomment(line string) string {
	for i := 0; i < len(line); i++ {
		if line[i] == '#' && (i == 0 || line[i-1] == ' ' || line[i-1] == '\t') {
			return line[:i]
		}
	}
	return line
}

// cutMark takes off what says how a URL is meant, such as "sitemap:", which robots.txt has too.
func cutMark(text, mark string) (rest string, found bool) {
	if len(text) < len(mark) || !strings.EqualFold(text[:len(mark)], mark) {
		return text, false
	}
	return strings.TrimFunc(text[len(mark):], invisible), true
}

// invisible are the characters that come along when a URL is copied from a page or a message: white space, and the
// marks of direction that stand around left-to-right text in Persian and Arabic.
func invisible(r rune) bool {
	switch {
	case r <= ' ', r == 0x7f, r == 0x85, r == 0xa0, r == 0xfeff:
		return true
	case 0x2000 <= r && r <= 0x200f, 0x2028 <= r && r <= 0x202f, 0x2060 <= r && r <= 0x2069:
		return true
	}
	return false
}

// notText says why a line is not UTF-8 text, and what to do; empty when it is.
func notText(line []byte) string {
	const save = "save the list as UTF-8"
	switch {
	case bytes.HasPrefix(line, []byte("\xff\xfe")), bytes.HasPrefix(line, []byte("\xfe\xff")):
		return "in UTF-16; " + save
	case bytes.HasPrefix(line, []byte("\x1f\x8b")):
		return "compressed by gzip; unpack it, or pipe zcat's output to --seeds -"
	case bytes.IndexByte(line, 0) >= 0:
		return "holds a zero byte, so it is not text or in UTF-16; " + save
	case utf8.Valid(line):
		return ""
	case looksPersian(line):
		return "not UTF-8; it looks like windows-1256: " + save + ", for example by iconv -f windows-1256 -t utf-8"
	}
	return "not UTF-8; " + save
}
