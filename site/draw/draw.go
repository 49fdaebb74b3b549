// Package draw draws what people see around the archive: home, collection, host, search, calendar, capture,
// comparison, crawl, errors and the banner.
//
// A page is a struct of this package, filled in by package site and written by the [Set]: drawing knows neither
// indexes nor records. text.go has all words in English and Persian; templates/ the markup; static/ the scripts of
// two pages. The rest is package pages'.
package draw

import (
	"embed"
	"html/template"

	"kavosh/pages"
)

//go:embed templates static
var files embed.FS

// Options say where the two origins are, and how pages are signed.
type Options struct {
	Home    string // base URL of the home pages; "" for the same origin as the page
	Replay  string // base URL of the replay; "" likewise
	Others  string // origins of collections, to which the replay leads on, as a policy names them; "" for none
	Lang    string // when nothing tells a reader's language; "" = "en"
	Version string
}

// Set is all pages, ready to be written. It never changes.
type Set struct {
	*pages.Set
	home string
}

// New reads the templates. An error is about the options, or a fault of this package.
func New(o Options) (*Set, error) {
	kit, err := pages.New(pages.Options{Home: o.Home, Origins: []string{o.Replay, o.Others}, Lang: o.Lang, Version: o.Version, Files: files, Words: words,
		Funcs: func(lang pages.Lang) template.FuncMap {
			return template.FuncMap{
				"title":    func(c Summary) string { return title(lang, &c) },
				"about":    func(c Summary) string { return either(lang, c.About.Text, c.About.TextFa) },
				"example":  func(key string) string { return examples[key] },
				"counted":  func(list []Address) bool { return len(list) > 0 && list[0].Captures > 0 },
				"state":    func(status int) string { return statusName(lang, status) },
				"known":    func(prefix, word string) string { return known(lang, prefix, word) },
				"replay":   func() string { return o.Replay },
				"len64":    func(list []HostCount) int64 { return int64(len(list)) },
				"hostpath": HostPath,
				"tab": func(coll Summary, here, name, path string) tab {
					return tab{name, o.Home + "/c/" + coll.Name + path, here == name}
				},
			}
		}})
	return &Set{kit, o.Home}, err
}

// tab leads to one of a collection's pages.
type tab struct {
	Name, Path string
	Here       bool
}
