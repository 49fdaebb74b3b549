package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/net/html"

	"kavosh/lab/stored"
)

const (
	allLanguages = "languages"
	smallBlog    = 8 // pages of a blog that is taken into the web of languages, from
	largeBlog    = 140
)

// directoryLanguages have a directory page each in the web of languages.
var directoryLanguages = []string{"de", "en", "es", "fa", "ja"}

// languageWebs are the documents that the web of languages is made of: the handbook is left to train judges on.
var languageWebs = []string{"aptitude", "httpd", "installguide", "manuals", "postgresql", "python", "securing"}

// languageWeb makes a web of many languages and hosts out of webs that are made already: documents, and the smaller blogs.
// Five languages have a made directory page each, which leads to the home of each site in it, as those of link directories
// do. Of other labels than languages nothing is kept.
func languageWeb(out string) error {
	if there, err := made(out, allLanguages); there || err != nil {
		return err
	}
	w := newWeb(allLanguages)
	for _, name := range append(slices.Clone(languageWebs), allBlogs) {
		if err := w.take(out, name); err != nil {
			return err
		}
	}
	directories := map[string]*strings.Builder{}
	for _, l := range directoryLanguages {
		directories[l] = &strings.Builder{}
	}
	listed := map[string]bool{}
	for i := range w.pages {
		p := &w.pages[i]
		folder, isHome := strings.CutSuffix(p.url, "/index.html")
		for _, l := range p.labels {
			d := directories[strings.TrimPrefix(l, "lang=")]
			if d == nil || !isHome || listed[hostOf(p.url)+l] && strings.Count(folder, "/") > 4 {
				continue
			}
			listed[hostOf(p.url)+l] = true
			fmt.Fprintf(d, "<li><a href=%q>%s</a></li>\n", p.url, html.EscapeString(titleOf(p.body)))
		}
	}
	for _, l := range directoryLanguages {
		w.html(directoryOf(allLanguages)+l, []byte(`<!doctype html><meta charset="utf-8"><title>Directory</title><ul>`+directories[l].String()+"</ul>"), "lang="+l)
	}
	return w.save(out)
}

// take adds the pages of a web that was made before, with the labels of their languages.
func (w *web) take(out, name string) error {
	path := filepath.Join(out, name)
	from, err := stored.Open(path+".warc.gz", stored.Options{Labels: path + ".tsv"})
	if err != nil {
		return err
	}
	pagesOf := map[string]int{}
	for i := range from.Pages {
		pagesOf[hostOf(from.Pages[i].URL)]++
	}
	for i := range from.Pages {
		p := &from.Pages[i]
		if n := pagesOf[hostOf(p.URL)]; strings.HasPrefix(p.URL, "http://directory.") || name == allBlogs && (n < smallBlog || n > largeBlog) {
			continue
		}
		a, err := from.Answer(i)
		if err != nil {
			return err
		}
		var labels []string
		for _, l := range p.Labels {
			if strings.HasPrefix(l, "lang=") {
				labels = append(labels, l)
			}
		}
		switch {
		case name == allBlogs && isPersian(p.Page.Title+" "+p.Page.Text):
			labels = []string{"lang=fa"}
		case name == "python" || name == "postgresql":
			labels = []string{"lang=en"}
		}
		w.html(p.URL, a.Body, labels...)
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
