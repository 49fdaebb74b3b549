// Package draw writes the HTML of the archive's own pages: home, collection, host, search, calendar, capture,
// comparison, crawl, errors and the banner.
//
// Each page is a struct of this package. Package site fills it in, and a [Set] writes it, so that this package needs no
// index and no records. text.go has all texts in English and Persian, templates/ the markup, static/ the scripts of two
// pages. Layout and style come from package pages.
package draw

import (
	"embed"
	"html/template"

	"kavosh"
	"kavosh/change"
	"kavosh/pages"
	"kavosh/quality"
)

//go:embed templates static
var files embed.FS

// Options says where the two origins are, and which version the foot of pages names.
type Options struct {
	Home    string // base URL of the home pages; "" for the same origin as the page
	Replay  string // base URL of the replay; "" likewise
	Others  string // origins of collections, to which the replay leads on, as a policy names them; "" for none
	Lang    string // when nothing tells a reader's language; "" = "en"
	Version string
}

// Set holds all pages, ready to be written. It never changes.
type Set struct {
	*pages.Set
	home string
}

// New parses the templates. An error means that the options or this package are wrong.
func New(o Options) (*Set, error) {
	kit, err := pages.New(pages.Options{Home: o.Home, Origins: []string{o.Replay, o.Others}, Lang: o.Lang, Version: o.Version, Files: files, Words: words,
		Funcs: func(lang pages.Lang) template.FuncMap {
			return template.FuncMap{
				"title":   func(c Summary) string { return title(lang, &c) },
				"about":   func(c Summary) string { return either(lang, c.About.Text, c.About.TextFa) },
				"example": func(key string) string { return examples[key] },
				"counted": func(list []Address) bool { return len(list) > 0 && list[0].Captures > 0 },
				"state":   func(status int) string { return statusName(lang, status) },
				"tell": func(secret, label, command string, values ...string) told {
					return told{secret, label, command, values}
				},
				"rough": rough,
				"alarm": func(a Alarm) string { return alarm(lang, a) },
				"known": func(prefix, word string) string { return known(lang, prefix, word) },
				"lens":  func(l kavosh.Lens) string { return lensWords(lang, l) },
				"changes": func(report *change.Report) changeList {
					return changeListOf(lang, report)
				},
				"reason":   func(english string) string { return Reason(lang, english) },
				"replay":   func() string { return o.Replay },
				"len64":    func(list []HostCount) int64 { return int64(len(list)) },
				"hostpath": HostPath,
				"odd":      func(odd string) string { return oddWords(lang, odd) },
				"helps":    func(p quality.Proposal) string { return ProposalWords(lang, &p) },
				"harm":     func(share float64) string { return percent(lang, share) },
				"lacks":    func(b BadPage) string { return b.words(lang) },
				"iri":      pages.IRI,
				"inside":   func(c Summary) string { return inside(lang, &c) },
				"face":     func(f Face, path, url string) faceOf { return faceOf{f, path, url} },
				"tab": func(coll Summary, here, name, path string) tab {
					return tab{name, o.Home + "/c/" + coll.Name + path, here == name}
				},
			}
		}})
	return &Set{kit, o.Home}, err
}

// faceOf is a face with the page that it leads to, and the address below it.
type faceOf struct {
	Face
	Path, URL string
}

// tab is a link to one of a collection's pages.
type tab struct {
	Name, Path string
	Here       bool
}
