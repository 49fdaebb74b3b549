// Package characterise describes a part of the web with the tables that studies of national webs give: how many pages,
// how many duplicates, static or dynamic, languages, encodings, top-level domains, depth, size, links and servers
// (Baeza-Yates, Castillo and Efthimiadis, "Characterization of national Web domains", 2007; Azimzadeh, Yari and
// Aleahmad, 2009).
//
// A Survey takes captures in any order (Add), or reads them and detects their languages (languages.go), and makes a
// Report of them (report.go). The Report is printed or written as JSON or CSV (text.go), or shown as a page with plots in
// English and Persian (page.go, page.html).
//
// Only the first capture of each URL counts. A page is a response with a 2xx status and HTML. What grows with the
// archive is small: about 40 bytes of memory for each URL and each distinct text, more for a host, and 16 bytes of disk
// for a link (links.go, clicks.go).
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

// Capture is a response as a survey needs it.
type Capture struct {
	Page   *kavosh.Page  // what was extracted from it; its URL is the capture's
	Status int           // HTTP status
	Header kavosh.Header // of the response
	Bytes  int64         // of the payload, with its content coding
	Coded  string        // the charset that header or document declare (charset.Declared); "" if none
	Lang   string        // its detected language, in BCP 47; "" if it cannot be told
	Digest uint64        // of the payload or its text: equal for duplicate pages
}

// Survey collects the properties of captures. It is not safe for concurrent use.
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
	targets   []uint64 // of the current page
	inside    []uint64 // those of them on its host
}

type host struct {
	pages  int64
	server string // as named by its first page
	entry  uint64 // the page at its root, or else the first page
}

// NewSurvey returns an empty survey. temp creates a temporary file for links when they become too many for memory; it
// is called at most twice. The caller removes the files.
func NewSurvey(temp func() (File, error)) *Survey {
	return &Survey{
		seen: map[uint64]struct{}{}, texts: map[uint64]struct{}{}, hosts: map[string]*host{}, links: links{temp: temp},
		clicks: clicks{temp: temp},
		types:  tally{}, status: tally{}, languages: tally{}, declared: tally{}, charsets: tally{}, suffixes: tally{},
		linked: tally{}, programs: tally{}, modified: tally{}, depths: Spread{}, addresses: Spread{}, out: Spread{}, sizes: Spread{},
	}
}

// Add adds a capture. An error comes from a temporary file.
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

// page adds a page with a new URL.
func (s *Survey) page(c *Capture, url uint64) error {
	u, err := weburl.Parse(c.Page.URL)
	if err != nil {
		return nil // not a page but a file
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

// follow counts a page's links: the distinct URLs and their kinds.
func (s *Survey) follow(p *kavosh.Page, url uint64) error {
	from := weburl.Host(p.URL)
	domain := weburl.Domain(from)
	s.targets, s.inside = s.targets[:0], s.inside[:0]
	for i := range p.Links {
		if l := &p.Links[i]; l.Kind == kavosh.Navigation || l.Kind == kavosh.Redirect {
			target := hash(l.URL)
			if target != url {
				s.targets = append(s.targets, target)
			}
			switch to := weburl.Host(l.URL); {
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

// host returns the entry of a host; server is what the current page says about it.
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

// charset notes a page's encoding and whether it declares it.
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

// language notes a page's language and whether it declares it.
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
	x := h.Sum64() // FNV's low bits are weak, so mix them as MurmurHash3's finaliser does
	x ^= x >> 33
	x *= 0xff51afd7ed558ccd
	x ^= x >> 33
	x *= 0xc4ceb9fe1a85ec53
	return x ^ x>>33
}

// madeBy returns what generates a page dynamically: the extension of a program, or "?" if only a query shows it; "" for
// a static page.
func madeBy(u *weburl.URL) string {
	switch extension := strings.ToLower(path.Ext(u.Path())); extension {
	case ".php", ".php3", ".php4", ".php5", ".phtml", ".asp", ".aspx", ".ashx", ".jsp", ".jspx", ".do", ".action", ".cgi",
		".pl", ".cfm", ".py", ".rb", ".fcgi":
		return extension
	}
	if len(u.PathQuery()) > len(u.Path()) {
		return "?"
	}
	return ""
}

// year returns the year of an HTTP date, from the first year of the web on; otherwise "unknown".
func year(date string) string {
	t, err := http.ParseTime(date)
	if err != nil || t.Year() < 1990 || t.Year() > 9999 {
		return "unknown"
	}
	return strconv.Itoa(t.Year())
}

// depth returns the number of folders in a URL: 0 for a host's root and the files in it.
func depth(u *weburl.URL) int64 {
	return max(0, int64(strings.Count(u.Path(), "/"))-1)
}

// suffix returns a host's top-level domain, or says that it has none.
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

func statusClass(status int) string {
	if status < 100 || status > 599 {
		return "other"
	}
	return string(rune('0'+status/100)) + "xx"
}

// clipped makes names from servers short, one line, and free of terminal control characters.
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

// primary returns the language of a BCP 47 tag without script and country, by lib/lang's code; "" if it is no tag.
func primary(tag string) string {
	tag = lang.Primary(tag)
	if len(tag) < 2 || len(tag) > 8 || strings.Trim(tag, "abcdefghijklmnopqrstuvwxyz") != "" {
		return ""
	}
	return tag
}
