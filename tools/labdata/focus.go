package main

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"html"
	"io"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"kavosh/internal/clones"
)

const (
	focus     = "focus"
	smallBlog = 2 // fewest pages of a blog that is taken
	largeBlog = 340
)

// The web of many languages is made of the following, each at the address where it was published, and all but one number
// was fixed before any order was run on it. Labels were mended later, where two blogs in Persian and Sorani had passed as Persian.
//
//   - Where a host has one language, an order that keeps to the hosts which gave most is nearly perfect, and a better one has
//     nothing to gain. So three sites are whole, with all their languages (8, 26 and 19), and hold 558 of the
//     Persian pages that can be reached, some third: ClickHouse's documentation (476), where each page leads to the same one in the seven
//     other languages, Debian's handbook (82), and its installation guide, which has no Persian.
//   - Persian is 16 % of what can be reached, as in no real web of so many languages, but so that there is something to
//     find. The other pages of it are blogs, a host each, of more than one page: hundreds are a single page behind
//     a host's name, which the directory would give away. Those of over 340 pages are left out, or they would be nearly all of
//     it. That limit is the one number: it was 170, which left Persian 14 %, and was moved by that share alone. LibreOffice's
//     help in 34 languages, none of them Persian, is left out for the share, too.
//   - A third of the handbook in Persian is English, and the folder of GIMP's help called fa has six Persian pages: so neither
//     a folder's name nor what lies beside a page is to be trusted. Its other languages are left out for their number.
//
// No link is made up but those of one directory page, which leads to the home of each site in each language, as link
// directories did.
var (
	focusMirrored = []struct{ web, site string }{
		{"handbook", "https://debian-handbook.info/browse/"}, {"installguide", "https://d-i.debian.org/manual/"}, {allBlogs, ""},
	}
	gimpHelp = documents{name: "gimp", site: "https://docs.gimp.org/2.10/", packages: languages("gimp-help", "en", "fa"),
		below: "usr/share/gimp/2.0/help", language: folderLanguage}
	clickHouse = documents{name: "clickhouse", site: "https://clickhouse.tech/", language: folderLanguage}

	clickHousePage = regexp.MustCompile(`^docs/[a-z]{2}/(?:.*/)?index\.html$`)
	// of a site, or of a language on it
	siteHome = regexp.MustCompile(`^https?://[^/]+/((?:docs|browse|manual|2\.10)/[A-Za-z_-]{2,5}/)?(?:index\.html)?$`)
)

// focusWeb makes the web from those in out, from packages, and from a clone or bare mirror of the repository
// akuzm/clickhouse.github.io, which has ClickHouse's site as of July 2020.
func focusWeb(repository, out string) error {
	if there, err := made(out, focus); there || err != nil {
		return err
	}
	w := newWeb(focus)
	database, err := clickHouseWeb(repository, clickHouseCommit)
	if err != nil {
		return err
	}
	gimp := gimpHelp
	help, err := gimp.read(out)
	if err != nil {
		return err
	}
	help.keep(func(p *page) bool { return strings.HasPrefix(p.url, gimp.home()+"fa/") })
	w.join(database)
	w.join(help)
	for _, m := range focusMirrored {
		if err := w.take(out, m.web, m.site); err != nil {
			return err
		}
	}
	var homes []string
	for i := range w.pages {
		if p := &w.pages[i]; siteHome.MatchString(p.url) {
			homes = append(homes, fmt.Sprintf("<li><a href=%q>%s</a></li>\n", p.url, html.EscapeString(titleOf(p.body))))
		}
	}
	slices.Sort(homes)
	w.html(directoryOf(focus), []byte(`<!doctype html><meta charset="utf-8"><title>Directory</title><ul>`+strings.Join(homes, "")+"</ul>"))
	return w.save(out)
}

const clickHouseCommit = "14d0d60e11d2ae84a6962e549f558eb94393adbc"

// clickHouseWeb reads the pages of the newest documentation in a commit, except redirects from old addresses, to which
// nothing links.
func clickHouseWeb(repository, commit string) (*web, error) {
	files, err := clones.Files(repository, commit, clickHousePage.MatchString)
	if err != nil {
		return nil, err
	}
	site := clickHouse
	w := newWeb(site.name)
	for _, f := range files {
		if !bytes.Contains(f.Body, []byte(`http-equiv="refresh"`)) {
			w.html(site.home()+escapePath(strings.TrimSuffix(f.Path, "index.html")), f.Body)
		}
	}
	site.translations(w)
	return w, nil
}

// join adds the pages of another web, except its generated directory page.
func (w *web) join(other *web) {
	for _, p := range other.pages {
		if p.url != directoryOf(other.name) {
			w.add(p.url, p.header, p.body, p.labels...)
		}
	}
}

// take adds the pages of an existing web, moved to a site if one is given: all except its generated directory page, and
// of blogs those that are neither small nor large. It keeps only language labels.
func (w *web) take(out, name, site string) error {
	from, err := openWeb(out, name)
	if err != nil {
		return err
	}
	pagesOf, shown := map[string]int{}, frames{map[string]int{}, map[uint64]int{}}
	for i := range from.Pages {
		p := &from.Pages[i]
		pagesOf[hostOf(p.URL)]++
		if name == allBlogs {
			shown.see(p.URL, p.Page.Text)
		}
	}
	had := documents{name: name}.home()
	for i := range from.Pages {
		p := &from.Pages[i]
		if n := pagesOf[hostOf(p.URL)]; p.URL == directoryOf(name) || name == allBlogs && (n < smallBlog || n > largeBlog) {
			continue
		}
		a, err := from.Answer(i)
		if err != nil {
			return err
		}
		url, labels := p.URL, p.Labels
		if name == allBlogs {
			labels = nil
			if lettersIn(p.Page.Title+" "+p.Page.Text).persian() && !lettersIn(shown.without(p.URL, p.Page.Text)).sorani() {
				labels = []string{"lang=fa"}
			}
		}
		if site != "" {
			url = strings.Replace(url, had, site, 1)
		}
		w.html(url, a.Body, labels...)
	}
	return nil
}

// frames are the blocks that blogs show on many pages: menus may be in another language than a post.
type frames struct {
	pages  map[string]int // by blog
	blocks map[uint64]int // on how many pages of a blog each is
}

// fewPages is too few to tell a frame from content.
const fewPages = 10

// see notes the blocks of a page.
func (f *frames) see(url, text string) {
	blog := blogOf(url)
	f.pages[blog]++
	met := map[uint64]bool{}
	for block := range strings.SplitSeq(text, "\n") {
		if h := blockOf(blog, block); !met[h] {
			met[h] = true
			f.blocks[h]++
		}
	}
}

// without returns a page's text without blocks that are on more than three in ten pages of its blog.
func (f *frames) without(url, text string) string {
	blog := blogOf(url)
	if f.pages[blog] < fewPages {
		return text
	}
	var own strings.Builder
	for block := range strings.SplitSeq(text, "\n") {
		if 10*f.blocks[blockOf(blog, block)] <= 3*f.pages[blog] {
			own.WriteString(block)
			own.WriteByte('\n')
		}
	}
	return own.String()
}

// blogOf returns the host of a blog, which has two names.
func blogOf(url string) string { return strings.TrimPrefix(hostOf(url), "www.") }

func blockOf(blog, block string) uint64 {
	h := fnv.New64a()
	io.WriteString(h, blog+"\n"+block)
	return h.Sum64()
}

// letters counts letters of a text in a Persian blog.
type letters struct {
	all, arabic int
	marked      int // letters that Persian has and Arabic lacks, as they are mostly typed
	kurdish     int // letters that Sorani has and Persian lacks, and ه with a non-joiner, which was typed for ە
}

func lettersIn(text string) (n letters) {
	last := ' '
	for _, r := range text {
		switch {
		case r == '\u200c' && last == 'ه':
			n.kurdish++
		case unicode.IsLetter(r):
			n.all++
			if unicode.Is(unicode.Arabic, r) {
				n.arabic++
			}
			if strings.ContainsRune("پچژگکی", r) {
				n.marked++
			}
			if strings.ContainsRune("ەێۆڕڵ", r) {
				n.kurdish++
			}
		}
		last = r
	}
	return n
}

// persian reports whether more than half of a page's letters are Arabic ones, some of which Arabic lacks.
func (n letters) persian() bool { return 2*n.arabic > n.all && 50*n.marked > n.arabic }

// sorani reports whether more than half of a text is Sorani, where one letter in five marks it; in Persian hardly one
// in a hundred does.
func (n letters) sorani() bool { return 10*n.kurdish > n.arabic }
