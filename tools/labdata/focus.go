package main

import (
	"bytes"
	"fmt"
	"html"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

const (
	focus     = "focus"
	smallBlog = 2 // pages of a blog that is taken, from
	largeBlog = 340
)

// The web of many languages is made of the following, each at the address where it was published, and all but one number
// was fixed before any order was run on it.
//
//   - Where a host has one language, an order that keeps to the hosts which gave most is nearly perfect, and a better one has
//     nothing to gain. So three sites are whole, with all their languages (8, 26 and 19), and hold 558 of the 1,818
//     Persian pages that can be reached: ClickHouse's documentation (476), where each page leads to the same one in the seven
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
	gimpHelp   = documents{name: "gimp", site: "https://docs.gimp.org/2.10/", packages: languages("gimp-help", "en", "fa"), below: "usr/share/gimp/2.0/help", language: folderLanguage}
	clickHouse = documents{name: "clickhouse", site: "https://clickhouse.tech/", language: folderLanguage}

	clickHousePage = regexp.MustCompile(`^docs/[a-z]{2}/(?:.*/)?index\.html$`)
	siteHome       = regexp.MustCompile(`^https?://[^/]+/((?:docs|browse|manual|2\.10)/[A-Za-z_-]{2,5}/)?(?:index\.html)?$`) // of a site, or of a language on it
)

// focusWeb makes the web, out of those in out, packages, and a clone, or a bare mirror, of the repository
// akuzm/clickhouse.github.io, which holds ClickHouse's site as it was served in July 2020.
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

// clickHouseWeb reads the pages of the newest documentation in a commit, without those that only lead on from an old address: nothing
// leads to them.
func clickHouseWeb(repository, commit string) (*web, error) {
	files, err := gitFiles(repository, commit, clickHousePage.MatchString)
	if err != nil {
		return nil, err
	}
	site := clickHouse
	w := newWeb(site.name)
	for _, f := range files {
		if !bytes.Contains(f.body, []byte(`http-equiv="refresh"`)) {
			w.html(site.home()+escapePath(strings.TrimSuffix(f.path, "index.html")), f.body)
		}
	}
	site.translations(w)
	return w, nil
}

// join adds the pages of another web but its made directory page.
func (w *web) join(other *web) {
	for _, p := range other.pages {
		if p.url != directoryOf(other.name) {
			w.add(p.url, p.header, p.body, p.labels...)
		}
	}
}

// take adds the pages of a web that was made before, moved to a site if one is named: all but its made directory page, and
// of blogs those that are neither small nor large. Of other labels than languages nothing is kept.
func (w *web) take(out, name, site string) error {
	from, err := openWeb(out, name)
	if err != nil {
		return err
	}
	pagesOf := map[string]int{}
	for i := range from.Pages {
		pagesOf[hostOf(from.Pages[i].URL)]++
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
			if isPersian(p.Page.Title + " " + p.Page.Text) {
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

// isPersian reports whether a text that stands in a Persian blog is Persian: over half of its letters are Arabic ones, and
// some are letters that Arabic lacks.
func isPersian(text string) bool {
	letters, arabic, persian := 0, 0, 0
	for _, r := range text {
		if !unicode.IsLetter(r) {
			continue
		}
		letters++
		if unicode.Is(unicode.Arabic, r) {
			arabic++
		}
		if strings.ContainsRune("پچژگکی", r) {
			persian++
		}
	}
	return 2*arabic > letters && 50*persian > arabic
}
