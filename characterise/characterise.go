// Package characterise tells what a part of the web is like, by the tables that studies of national webs give: how many
// pages, which of them are the same, static or dynamic, in which languages and encodings, under which top-level domains,
// how deep, how large and how linked, by which servers (Baeza-Yates, Castillo and Efthimiadis, "Characterization of
// national Web domains", 2007; Azimzadeh, Yari and Aleahmad, 2009).
//
// A Survey takes captures in any order (Add) and then makes a Report of them (report.go), which is printed (text.go), kept as JSON
// or CSV (text.go), or shown as a page with plots in English and Persian (page.go, page.html).
//
// Of each URL the first capture counts. A page is an answer with a 2xx status and HTML. What grows with the archive is kept
// small: some 40 bytes of memory a URL and as many a distinct text, more a host, and 16 bytes of disk a link (links.go, clicks.go).
package characterise

import (
	"cmp"
	"hash/fnv"
	"io"
	"net/http"
	"net/netip"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"kavosh"
	"kavosh/lib/lang"
	"kavosh/lib/weburl"
)

// Capture is an answer as a survey takes it.
type Capture struct {
	Page   *kavosh.Page  // what was read in it; its URL is the capture's
	Status int           // of HTTP
	Header kavosh.Header // of the answer
	Bytes  int64         // of the payload, with its content coding
	Coded  string        // the encoding of characters that header or document declare, "" for none (charset.Declared)
	Lang   string        // the language that it is written in, as BCP 47 has it; "" when it cannot be told
	Digest uint64        // of the payload, or of its text: equal for pages that are the same
}

// Survey gathers what captures are like. It is not safe for concurrent use.
type Survey struct {
	report    Report
	seen      map[uint64]struct{} // URLs
	texts     map[uint64]struct{} // digests of pages
	hosts     map[string]*host
	links     links
	clicks    clicks
	types     tally
	status    tally
	languages tally
	declared  tally
	charsets  tally
	suffixes  tally
	linked    tally
	programs  tally
	modified  tally
	depths    Spread
	addresses Spread
	out       Spread
	sizes     Spread
	targets   []uint64 // of the page being added
	inside    []uint64 // of these, those on its host
}

// host is what is known of one.
type host struct {
	pages  int64
	server string // as its first page names it
	entry  uint64 // the page at its root; without one, the first page that was met
}

// NewSurvey returns an empty survey. temp makes a file that links are kept in while there are too many for memory, at most two; they
// are written and read, and left to the caller to remove.
func NewSurvey(temp func() (File, error)) *Survey {
	return &Survey{
		seen: map[uint64]struct{}{}, texts: map[uint64]struct{}{}, hosts: map[string]*host{}, links: links{temp: temp}, clicks: clicks{temp: temp},
		types: tally{}, status: tally{}, languages: tally{}, declared: tally{}, charsets: tally{}, suffixes: tally{},
		linked: tally{}, programs: tally{}, modified: tally{}, depths: Spread{}, addresses: Spread{}, out: Spread{}, sizes: Spread{},
	}
}

// Add takes a capture. An error is that of the temporary file.
func (s *Survey) Add(c *Capture) error {
	s.report.Captures++
	url := hash(c.Page.URL)
	if _, again := s.seen[url]; again {
		return nil
	}
	s.seen[url] = struct{}{}
	s.report.URLs++
	s.report.Bytes += c.Bytes
	s.status.add(statusClass(c.Status))
	if c.Status < 200 || c.Status > 299 {
		return nil
	}
	s.types.add(cmp.Or(clipped(c.Page.Type), "unknown"))
	if t := c.Page.Type; t != "text/html" && t != "application/xhtml+xml" {
		return nil
	}
	return s.page(c, url)
}

// page takes a page that was not met before.
func (s *Survey) page(c *Capture, url uint64) error {
	u, err := weburl.Parse(c.Page.URL)
	if err != nil {
		return nil // no page of the web: a file
	}
	r := &s.report
	r.Pages++
	if _, again := s.texts[c.Digest]; again {
		r.Duplicates++
	}
	s.texts[c.Digest] = struct{}{}
	if program := madeBy(u); program != "" {
		r.Dynamic++
		s.programs.add(program)
	}
	h := s.host(u.Hostname(), c.Header.Get("Server"))
	if h.pages++; h.pages == 1 || u.PathQuery() == "/" {
		h.entry = url &^ 1
	}
	s.suffixes.add(suffix(u.Hostname()))
	s.charset(c)
	s.language(c)
	s.modified.add(year(c.Header.Get("Last-Modified")))
	s.depths.add(depth(u))
	s.addresses.add(int64(len(c.Page.URL)))
	s.sizes.add(coarse(c.Bytes))
	return s.follow(c.Page, url)
}

// follow counts a page's links: to how many URLs, and of which kind they are.
func (s *Survey) follow(p *kavosh.Page, url uint64) error {
	from := hostOf(p.URL)
	domain := weburl.Domain(from)
	s.targets, s.inside = s.targets[:0], s.inside[:0]
	for i := range p.Links {
		if l := &p.Links[i]; l.Kind == kavosh.Navigation || l.Kind == kavosh.Redirect {
			target := hash(l.URL)
			if target != url {
				s.targets = append(s.targets, target)
			}
			switch to := hostOf(l.URL); {
			case to == from:
				s.report.Links.Host++
				s.inside = append(s.inside, target)
			case weburl.Domain(to) == domain:
				s.report.Links.Domain++
			default:
				s.report.Links.Away++
				s.linked.add(suffix(to))
			}
		}
	}
	slices.Sort(s.targets)
	s.targets = slices.Compact(s.targets)
	s.out.add(int64(len(s.targets)))
	slices.Sort(s.inside)
	if err := s.clicks.add(url, slices.Compact(s.inside)); err != nil {
		return err
	}
	return s.links.add(url, s.targets)
}

// host is what is known of a host; server is what the page being added says of it.
func (s *Survey) host(name, server string) *host {
	h := s.hosts[name]
	if h == nil {
		product, _, _ := strings.Cut(server, "/")
		product, _, _ = strings.Cut(strings.TrimSpace(product), " ")
		h = &host{server: cmp.Or(clipped(product), "unknown")}
		s.hosts[strings.Clone(name)] = h
	}
	return h
}

// charset notes what a page is encoded in, and whether it says so.
func (s *Survey) charset(c *Capture) {
	s.charsets.add(cmp.Or(c.Page.Charset, "unknown"))
	if c.Coded == "" {
		return
	}
	s.report.CharsetTags.Present++
	if c.Page.Charset != "" {
		s.report.CharsetTags.Judged++
	}
	if c.Coded == c.Page.Charset {
		s.report.CharsetTags.True++
	}
}

// language notes what a page is written in, and whether it says so.
func (s *Survey) language(c *Capture) {
	said, is := primary(c.Page.Lang), c.Lang
	if is == lang.Undetermined {
		is = ""
	}
	if said != "" {
		s.report.LanguageTags.Present++
		s.declared.add(said)
	}
	s.languages.add(cmp.Or(is, "unknown"))
	if said != "" && is != "" {
		s.report.LanguageTags.Judged++
		if said == primary(is) {
			s.report.LanguageTags.True++
		}
	}
}

// File is a temporary file.
type File interface {
	io.ReaderAt
	io.WriterAt
}

func hash(s string) uint64 {
	h := fnv.New64a()
	io.WriteString(h, s)
	x := h.Sum64() // FNV's low bits are weak: mixed as in MurmurHash3's finaliser
	x ^= x >> 33
	x *= 0xff51afd7ed558ccd
	x ^= x >> 33
	x *= 0xc4ceb9fe1a85ec53
	return x ^ x>>33
}

// madeBy is what makes a page for whoever asks: the extension of a program, or "?" where only a query tells; "" for a page
// that is none.
func madeBy(u *weburl.URL) string {
	switch extension := strings.ToLower(path.Ext(u.Path())); extension {
	case ".php", ".php3", ".php4", ".php5", ".phtml", ".asp", ".aspx", ".ashx", ".jsp", ".jspx", ".do", ".action", ".cgi", ".pl", ".cfm", ".py", ".rb", ".fcgi":
		return extension
	}
	if len(u.PathQuery()) > len(u.Path()) {
		return "?"
	}
	return ""
}

// year is that of a date of HTTP, from the first year of the web on; "unknown" of what is none.
func year(date string) string {
	t, err := http.ParseTime(date)
	if err != nil || t.Year() < 1990 || t.Year() > 9999 {
		return "unknown"
	}
	return strconv.Itoa(t.Year())
}

// depth is how many folders lie above what a URL names: 0 for a host's root and what is right in it.
func depth(u *weburl.URL) int64 {
	return max(0, int64(strings.Count(u.Path(), "/"))-1)
}

// suffix is a host's top-level domain, or that it has none.
func suffix(host string) string {
	if _, err := netip.ParseAddr(strings.Trim(host, "[]")); err == nil {
		return "(address)"
	}
	i := strings.LastIndexByte(host, '.')
	if i < 0 {
		return "(no domain)"
	}
	return host[i:]
}

func hostOf(url string) string {
	_, rest, _ := strings.Cut(url, "://")
	host, _, _ := strings.Cut(rest, "/")
	if i := strings.LastIndexByte(host, ':'); i > strings.LastIndexByte(host, ']') {
		host = host[:i]
	}
	return host
}

func statusClass(status int) string {
	if status < 100 || status > 599 {
		return "other"
	}
	return string(rune('0'+status/100)) + "xx"
}

// clipped keeps names of the far side short, in one line, and without what steers a terminal.
func clipped(s string) string {
	s = strings.Map(func(r rune) rune {
		if !unicode.IsGraphic(r) {
			return ' '
		}
		return unicode.ToLower(r)
	}, s[:min(len(s), 200)])
	s = strings.Join(strings.Fields(strings.ToValidUTF8(s, "")), " ")
	return strings.ToValidUTF8(s[:min(len(s), 80)], "")
}

// primary is the language of a BCP 47 tag, without script and country, by the code that package lang has for it; "" of what
// is no tag.
func primary(tag string) string {
	tag = lang.Primary(tag)
	if len(tag) < 2 || len(tag) > 8 || strings.Trim(tag, "abcdefghijklmnopqrstuvwxyz") != "" {
		return ""
	}
	return tag
}
