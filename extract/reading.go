package extract

// This file is the one way by which links get into a page: it resolves, filters and bounds them.

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/text/encoding"

	"kavosh"
	"kavosh/lib/ascii"
	"kavosh/lib/weburl"
)

// reading is the state of reading one document: its links, what they are resolved against, and the bounds.
type reading struct {
	page *kavosh.Page
	doc  Document
	opts Options

	url     *weburl.URL       // of the document
	origin  []byte            // of the document, with the slash after it
	base    *weburl.URL       // base of references: url, or the base element's
	guess   *weburl.URL       // base of a script's strings; see from
	locates bool              // the script looks for its own element, as libraries do to find their folder
	legacy  *encoding.Encoder // encoder for the document's charset, for queries; nil for UTF-8

	seen      table // of links
	full      bool  // MaxLinks is reached
	described bool  // a Link header gives the document a JSON-LD context
	depth     int   // nesting of documents: HTML in a feed, a style sheet in HTML, HTML in a script …
	unsure    bool  // what is being read is itself a guess, so its links are speculative
	text      arena
	*buffers
}

// maxDepth bounds nested documents.
const maxDepth = 4

// note adds one line for people about what was cut or could not be read.
func (r *reading) note(text string) {
	if !slices.Contains(r.page.Notes, text) && len(r.page.Notes) < 20 {
		r.page.Notes = append(r.page.Notes, text)
	}
}

// add adds the link ref, resolved against base, and returns its index in links; -1 if it cannot be fetched. l holds
// everything else about it except its position. If the link is already there, only missing context is added to it.
func (r *reading) add(base *weburl.URL, ref []byte, l kavosh.Link) int {
	ref = bytes.TrimFunc(ref, isControlOrSpace)
	if !fetchable(ref) || base == nil {
		return -1
	}
	if ref[0] == '#' && (base == r.url || l.Kind != kavosh.Navigation) {
		return -1 // a place in this page; with a base element <a href="#x"> leads to the base
	}
	var err error
	if r.key, err = weburl.AppendKey(r.key[:0], base, r.withQuery(ref)); err != nil {
		return -1
	}
	return r.addKey(r.key, l)
}

// from returns the base for a reference in a script. Browsers resolve it against the page, but one script serves many
// pages. A reference that begins with a dot is relative to the page. Others are relative to guess, the deepest folder
// that contains both page and script: a script beside or below its page may use names relative to the page, while one
// above serves pages in many folders and must use its own folder. If the reference begins with the name of guess's last
// folder ("en/x.html" from /help/en/), it is relative to the folder above.
func (r *reading) from(ref []byte) *weburl.URL {
	if ref[0] == '.' {
		return r.base
	}
	first, _, ok := bytes.Cut(ref, []byte("/"))
	if !ok || len(first) == 0 {
		return r.guess
	}
	folder := r.guess.Path()
	folder = folder[:strings.LastIndexByte(folder, '/')+1]
	if !strings.HasSuffix(folder, "/"+string(first)+"/") {
		return r.guess
	}
	above, err := r.guess.Resolve(folder[:len(folder)-len(first)-1])
	if err != nil {
		return r.guess
	}
	return above
}

// shared returns the deepest folder that contains both the script and the page that loads it.
func shared(script, page *weburl.URL) *weburl.URL {
	if page.Origin() != script.Origin() {
		return page
	}
	a, b := script.Path(), page.Path()
	n := 0
	for i := 0; i < len(a) && i < len(b) && a[i] == b[i]; i++ {
		if a[i] == '/' {
			n = i + 1
		}
	}
	folder, err := script.Resolve(a[:n])
	if err != nil {
		return script
	}
	return folder
}

// addKey is add for a URL that is already a seen-key. It does not keep key.
func (r *reading) addKey(key []byte, l kavosh.Link) int {
	if !bytes.HasPrefix(key, []byte("http:")) && !bytes.HasPrefix(key, []byte("https:")) {
		return -1
	}
	if r.unsure {
		l.Kind = kavosh.Speculative
	}
	if l.Kind == kavosh.Speculative && !bytes.HasPrefix(key, r.origin) {
		_, host, _ := bytes.Cut(key, []byte("//"))
		host, _, _ = bytes.Cut(host, []byte("/"))
		host, _, _ = bytes.Cut(host, []byte(":"))
		if isReserved(string(host)) {
			return -1
		}
	}
	i, hash := r.seen.find(r.links, key, l.Kind)
	if i >= 0 {
		old := &r.links[i]
		if old.Title == "" {
			old.Title = l.Title
		}
		if old.Rel == "" {
			old.Rel = l.Rel
		}
		if old.Type == "" {
			old.Type = l.Type
		}
		old.NoFollow = old.NoFollow && l.NoFollow
		return i
	}
	if len(r.links) >= r.opts.MaxLinks {
		if !r.full {
			r.full = true
			r.note(fmt.Sprintf("more than %d links, the rest is left out", r.opts.MaxLinks))
		}
		return -1
	}
	l.URL = r.text.put(key)
	r.links = append(r.links, l)
	r.seen.add(r.links, hash, len(r.links)-1)
	return len(r.links) - 1
}

// fetchable quickly rejects references that can never become a link: empty ones, and schemes that are not fetched.
func fetchable(ref []byte) bool {
	if len(ref) == 0 {
		return false
	}
	for i, c := range ref {
		switch {
		case ascii.IsLetter(c) || i > 0 && (ascii.IsDigit(c) || c == '+' || c == '-' || c == '.'):
		case c == ':' && i > 0:
			return ascii.EqualFold(ref[:i], "http") || ascii.EqualFold(ref[:i], "https")
		case c == '\t' || c == '\n' || c == '\r': // browsers ignore them: "java\nscript:"
			return true
		default:
			return true
		}
	}
	return true
}

func isControlOrSpace(c rune) bool { return c <= ' ' }

// withQuery returns ref with its query encoded in the document's charset, as browsers do: in a windows-1256 page,
// ?q=سلام asks for ?q=%D3%E1%C7%E3.
func (r *reading) withQuery(ref []byte) []byte {
	if r.legacy == nil {
		return ref
	}
	q := bytes.IndexByte(ref, '?')
	end := bytes.IndexByte(ref, '#')
	if end < 0 {
		end = len(ref)
	}
	if q < 0 || q > end || ascii.Only(ref[q:end]) {
		return ref
	}
	out := append(r.query[:0], ref[:q]...)
	for _, c := range string(ref[q:end]) {
		if c < 0x80 {
			out = append(out, byte(c))
			continue
		}
		r.legacy.Reset()
		b, err := r.legacy.Bytes([]byte(string(c)))
		if err != nil { // a letter that the charset lacks becomes &#1234;
			b = append(strconv.AppendInt([]byte("&#"), int64(c), 10), ';')
			for _, x := range b {
				if ascii.IsDigit(x) {
					out = append(out, x)
				} else {
					out = appendHex(out, x)
				}
			}
			continue
		}
		for _, x := range b {
			if x < 0x80 && x > ' ' && !strings.ContainsRune(`"#<>'`, rune(x)) {
				out = append(out, x) // second bytes in East Asian encodings
			} else {
				out = appendHex(out, x)
			}
		}
	}
	out = append(out, ref[end:]...)
	r.query = out
	return out
}

func appendHex(dst []byte, b byte) []byte {
	const digits = "0123456789ABCDEF"
	return append(dst, '%', digits[b>>4], digits[b&15])
}

// finish sorts the links and removes guesses whose URL is known from elsewhere.
func (r *reading) finish() {
	known := 0
	for i := range r.links {
		if l := &r.links[i]; l.Kind == kavosh.Speculative && r.known(l.URL) {
			l.Position = -1
			known++
		}
	}
	if len(r.links) == known {
		return
	}
	r.page.Links = make([]kavosh.Link, 0, len(r.links)-known)
	for i := range r.links {
		l := &r.links[i]
		if l.Position < 0 {
			continue
		}
		l.Position = len(r.page.Links)
		l.NoFollow = l.NoFollow || r.page.NoFollow
		r.page.Links = append(r.page.Links, *l)
	}
}

// known reports whether a link that is not a guess has this url.
func (r *reading) known(url string) bool {
	for _, kind := range [...]kavosh.Kind{kavosh.Navigation, kavosh.Embed, kavosh.Redirect, kavosh.Feed, kavosh.Sitemap} {
		if i, _ := r.seen.find(r.links, []byte(url), kind); i >= 0 {
			return true
		}
	}
	return false
}
