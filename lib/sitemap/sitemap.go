// Package sitemap reads the lists of URLs that sites publish for crawlers: XML sitemaps and their indexes with the
// news, image, video and language extensions, plain lists, and RSS and Atom feeds used as sitemaps, each possibly
// gzipped.
//
// Sites are careless, so it is tolerant. The tokenizer accepts anything, elements are known by name without namespace,
// and a broken part costs at most one entry and leaves a note with its line. It streams the document: memory grows with
// what was found, and Limits bounds both.
//
//	m, err := sitemap.Parse(body, "https://example.org/sitemap.xml", sitemap.Limits{})
//	for _, u := range m.URLs { … u.Loc, u.LastMod, u.Links … }
//	for _, s := range m.Sitemaps { … of an index: read s.Loc next … }
//
// docs/formats/sitemaps.md says what is accepted beyond the protocol of sitemaps.org.
package sitemap

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"time"
	"unicode"

	"golang.org/x/net/html/charset"

	"kavosh/lib/ascii"
	"kavosh/lib/weburl"
)

// Limits bound the cost of one document. A zero field means the bound of sitemaps.org. If a bound is reached, what was
// read is kept, with a note.
type Limits struct {
	Bytes int64 // after decompression; 0 is 50 MiB
	URLs  int   // URLs and Sitemaps together; 0 is 50,000
}

const (
	defaultBytes = 50 << 20
	defaultURLs  = 50_000
	maxLinks     = 1000    // links of one URL: Google's bound for images
	maxToken     = 1 << 20 // bytes of one tag or run of text
	maxDepth     = 200     // open elements; a feed with pages inside needs about forty
	maxNotes     = 20
)

// Format is the format that was detected.
type Format string

const (
	Unknown Format = ""        // none that this package reads
	XML     Format = "sitemap" // an XML sitemap or sitemap index
	Text    Format = "text"    // one URL a line
	RSS     Format = "rss"     // RSS of any version
	Atom    Format = "atom"
)

// Sitemap is the content of one document.
type Sitemap struct {
	Format   Format
	URLs     []URL
	Sitemaps []Part   // the sitemaps in an index
	Notes    []string // what was broken, left out or cut, one line each; at most 21
}

// Part is a sitemap in an index.
type Part struct {
	Loc     string    // in the form of URL.Loc
	LastMod time.Time // as URL.LastMod
}

// URL is one entry: a page and what the sitemap says about it.
type URL struct {
	Loc        string    // absolute, http or https, WHATWG serialisation without fragment: a seen-key
	LastMod    time.Time // lastmod, updated or pubDate; zero if absent or unreadable
	ChangeFreq string    // "always" … "never", in lower case; "" if absent
	Priority   float64   // 0 to 1; 0.5 if absent, by the protocol
	Title      string    // of a news article or feed entry
	Language   string    // of a news article
	Published  time.Time // of a news article or Atom entry
	Links      []Link    // other URLs that belong to the page; at most 1,000
}

// Link is another URL in an entry.
type Link struct {
	URL      string // in the form of URL.Loc
	Kind     LinkKind
	Hreflang string // of an alternate
	Title    string // of the image or video
}

// LinkKind says what a Link is to its page.
type LinkKind string

const (
	Alternate LinkKind = "alternate" // the same page in another language or form
	Image     LinkKind = "image"
	Video     LinkKind = "video"     // the media file or a segment of it
	Player    LinkKind = "player"    // a page or program that plays the video
	Thumbnail LinkKind = "thumbnail" // picture of a video
	Gallery   LinkKind = "gallery"   // a page with more videos
	Enclosure LinkKind = "enclosure" // of a feed entry: a media file
	Data      LinkKind = "data"      // of a data set: its URI, a sample or a dump
)

// Parse parses one document. base is its URL, for resolving relative locations; it may be empty if there are none.
// Mistakes in the document are notes. An error can only come from r; what was read before is returned too.
func Parse(r io.Reader, base string, limits Limits) (Sitemap, error) {
	if limits.Bytes <= 0 {
		limits.Bytes = defaultBytes
	}
	if limits.URLs <= 0 {
		limits.URLs = defaultURLs
	}
	p := &parser{limit: limits.URLs, line: 1}
	if u, err := weburl.Parse(base); err == nil {
		p.base = u
	}
	src := &source{r: r}
	err := p.read(src, limits.Bytes)
	if src.err != nil {
		err = fmt.Errorf("reading sitemap %s: %w", base, src.err)
	} else if err != nil {
		p.note("%v", err)
		err = nil
	}
	if p.unnoted > 0 {
		p.out.Notes = append(p.out.Notes, fmt.Sprintf("and %d more notes", p.unnoted))
	}
	return p.out, err
}

// source remembers the error of the underlying reader, because decompressors replace it.
type source struct {
	r   io.Reader
	err error
}

func (s *source) Read(b []byte) (int, error) {
	n, err := s.r.Read(b)
	if err != nil && err != io.EOF {
		s.err = err
	}
	return n, err
}

// parser is the state of reading one document in any format.
type parser struct {
	base    *weburl.URL
	limit   int // entries left before the limit
	line    int // line of the current token
	out     Sitemap
	unnoted int // number of notes beyond maxNotes

	entities bool // a DTD in the document may define entities
}

var entity = regexp.MustCompile(`&[A-Za-z_][A-Za-z0-9_.-]*;`)

// errFull means that the limit of entries is reached.
var errFull = errors.New("more entries than the limit")

// read detects compression, charset and format and calls the reader of that format. Its error becomes a note.
func (p *parser) read(r io.Reader, limit int64) error {
	in := bufio.NewReaderSize(r, 4096)
	for range 2 { // some servers gzip twice
		if magic, _ := in.Peek(2); string(magic) != "\x1f\x8b" {
			break
		}
		z, err := gzip.NewReader(in)
		if err != nil {
			return fmt.Errorf("gzip header: %w", err)
		}
		in = bufio.NewReaderSize(z, 4096)
	}
	bounded := &io.LimitedReader{R: in, N: limit + 1}
	in = bufio.NewReaderSize(bounded, 4096)
	in, err := p.decode(in)
	if err != nil {
		return err
	}
	head, err := in.Peek(4096)
	if err != nil && err != io.EOF && len(head) == 0 {
		return err
	}
	switch head = bytes.TrimSpace(head); {
	case len(head) == 0:
		p.note("the document is empty")
	case head[0] == '<', bytes.Contains(head, []byte("<?xml")): // warnings of a server may precede it
		err = p.markup(in)
	default:
		err = p.text(in)
	}
	switch {
	case err == errFull:
		return fmt.Errorf("line %d: more than %d entries, the rest is left out", p.line, p.limit)
	case bounded.N <= 0:
		return fmt.Errorf("line %d: longer than %d bytes, the rest is left out", p.line, limit)
	case err != nil && err != io.EOF:
		return fmt.Errorf("line %d: %w", p.line, err)
	}
	return nil
}

// decode converts the document to UTF-8 without byte order mark, by its mark or XML declaration.
func (p *parser) decode(in *bufio.Reader) (*bufio.Reader, error) {
	head, _ := in.Peek(512)
	label := ""
	switch {
	case bytes.HasPrefix(head, []byte("\xEF\xBB\xBF")):
		_, err := in.Discard(3)
		return in, err
	case bytes.HasPrefix(head, []byte("\xFF\xFE")):
		label = "utf-16le"
	case bytes.HasPrefix(head, []byte("\xFE\xFF")):
		label = "utf-16be"
	default:
		label = declared(string(head))
	}
	if label == "" || strings.EqualFold(label, "utf-8") {
		return in, nil
	}
	r, err := charset.NewReaderLabel(label, in)
	if err != nil {
		p.note("unknown encoding %q, read as UTF-8", label)
		return in, nil
	}
	out := bufio.NewReaderSize(r, 4096)
	if mark, _ := out.Peek(3); string(mark) == "\uFEFF" {
		_, err = out.Discard(3)
	}
	return out, err
}

// declared returns the encoding in an XML declaration at the beginning of head. A declaration that is readable as
// single bytes is not UTF-16, whatever it says.
func declared(head string) string {
	head = strings.TrimSpace(head)
	if !strings.HasPrefix(head, "<?xml") {
		return ""
	}
	head, _, _ = strings.Cut(head, "?>")
	_, rest, ok := strings.Cut(head, "encoding")
	rest = strings.TrimLeft(rest, " \t\r\n=")
	if !ok || rest == "" || rest[0] != '"' && rest[0] != '\'' {
		return ""
	}
	label, _, _ := strings.Cut(rest[1:], rest[:1])
	if strings.HasPrefix(strings.ToLower(label), "utf-16") {
		return ""
	}
	return label
}

// text reads a plain list. A line that is not an absolute URL becomes a note, so that prose never becomes URLs.
func (p *parser) text(in *bufio.Reader) error {
	s := bufio.NewScanner(in)
	s.Buffer(nil, maxToken)
	s.Split(anyLine)
	p.line = 0
	for s.Scan() {
		p.line++
		ref := clean(s.Text())
		if ref == "" {
			continue
		}
		if !absolute(ref) && !strings.HasPrefix(ref, "www.") {
			p.note("line %d: not a URL: %.80q", p.line, ref)
			continue
		}
		if err := p.add(URL{Loc: ref, Priority: 0.5}); err != nil {
			return err
		}
		p.out.Format = Text
	}
	return s.Err()
}

// anyLine is a bufio.SplitFunc for lines ending with LF, CRLF or CR.
func anyLine(data []byte, atEOF bool) (advance int, token []byte, err error) {
	i := bytes.IndexAny(data, "\r\n")
	switch {
	case i < 0 && atEOF && len(data) > 0:
		return len(data), data, nil
	case i < 0:
		return 0, nil, nil
	case data[i] == '\r' && i+1 == len(data) && !atEOF:
		return 0, nil, nil // the LF may still come
	case data[i] == '\r' && i+1 < len(data) && data[i+1] == '\n':
		return i + 2, data[:i], nil
	}
	return i + 1, data[:i], nil
}

// add adds an entry and resolves its locations.
func (p *parser) add(u URL) error {
	loc, ok := p.resolve(u.Loc)
	if !ok {
		return nil
	}
	if len(p.out.URLs)+len(p.out.Sitemaps) >= p.limit {
		return errFull
	}
	u.Loc = loc
	p.out.URLs = append(p.out.URLs, u)
	return nil
}

// addSitemap adds an entry of an index.
func (p *parser) addSitemap(part Part) error {
	loc, ok := p.resolve(part.Loc)
	if !ok {
		return nil
	}
	if len(p.out.URLs)+len(p.out.Sitemaps) >= p.limit {
		return errFull
	}
	part.Loc = loc
	p.out.Sitemaps = append(p.out.Sitemaps, part)
	return nil
}

// resolve makes a location absolute, or notes why it cannot be used.
func (p *parser) resolve(ref string) (string, bool) {
	ref = clean(ref)
	switch {
	case ref == "":
		p.note("line %d: an entry without a location", p.line)
		return "", false
	case ref[0] == '&' || ref[0] == '#' || p.entities && entity.MatchString(ref):
		// An entity that only the DTD could define, and DTDs are not read.
		p.note("line %d: not a URL: %.80q", p.line, ref)
		return "", false
	case strings.HasPrefix(ref, "www."), p.base != nil && strings.HasPrefix(ref, p.base.Host()+"/"):
		ref = "//" + ref // the scheme is missing: use the document's
		if p.base == nil {
			ref = "http:" + ref
		}
	}
	key, err := weburl.Resolve(p.base, ref)
	if err != nil || !weburl.Fetchable(key) {
		p.note("line %d: not a web address: %.80q", p.line, ref)
		return "", false
	}
	return key, true
}

func (p *parser) note(format string, args ...any) {
	if len(p.out.Notes) == maxNotes {
		p.unnoted++
		return
	}
	p.out.Notes = append(p.out.Notes, fmt.Sprintf(format, args...))
}

// clean removes the white space around a value, and invisible marks left over from copying.
func clean(s string) string {
	return strings.TrimFunc(s, func(r rune) bool {
		return unicode.IsSpace(r) || r == '\u200b' || r == '\u200e' || r == '\u200f' || r == '\ufeff'
	})
}

// absolute reports whether ref begins with a web scheme.
func absolute(ref string) bool {
	return ascii.HasPrefixFold(ref, "http://") || ascii.HasPrefixFold(ref, "https://")
}
