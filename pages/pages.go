// Package pages draws what people see around the archive: home, collection, host, search, calendar, capture, comparison,
// crawl, errors and the banner.
//
// Every page comes in English and in Persian, with the Gregorian or the Jalali calendar and the digits of its language.
// text.go has all words in both; templates/ the markup; static/ the one style sheet and the scripts. Graphs are placed by
// graph.go, drawn as SVG, and told as tables to who cannot see them. The pages load
// nothing from elsewhere and hold no script of their own, so that their Content-Security-Policy can forbid all others.
//
// A page is a struct of this package, filled in by the caller and written by the [Set]: pages know neither indexes nor
// records.
package pages

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"html/template"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"
)

//go:embed templates static
var files embed.FS

// Lang is the language of a page, with the calendar of its dates.
type Lang string

const (
	English Lang = "en"
	Persian Lang = "fa"
	// EnglishJalali is English with the Jalali calendar, for who asks for that: the name that BCP 47 has for it.
	EnglishJalali Lang = "en-u-ca-persian"
)

// Langs are all languages.
func Langs() []Lang { return []Lang{English, Persian, EnglishJalali} }

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
	options   Options
	templates map[Lang]map[string]*template.Template
	assets    map[string]assetFile // by file name
}

type assetFile struct {
	body []byte
	typ  string
	path string // with a digest of the body: it may be cached for ever
}

const assetRoot = "/-/static/"

// names are the pages, each with a template of its own.
var names = []string{"home", "collection", "pages", "hosts", "host", "links", "crawls", "crawl", "search", "calendar", "capture", "compare", "problem"}

// New reads the templates. An error is about the options, or a fault of this package.
func New(o Options) (*Set, error) {
	if o.Lang == "" {
		o.Lang = string(English)
	}
	if !slices.Contains(Langs(), Lang(o.Lang)) {
		return nil, fmt.Errorf("language %q: use en or fa", o.Lang)
	}
	s := &Set{options: o, templates: map[Lang]map[string]*template.Template{}, assets: map[string]assetFile{}}
	static, err := fs.ReadDir(files, "static")
	if err != nil {
		return nil, err
	}
	for _, f := range static {
		body, err := files.ReadFile("static/" + f.Name())
		if err != nil {
			return nil, err
		}
		sum := sha256.Sum256(body)
		s.assets[f.Name()] = assetFile{body, mime.TypeByExtension(path.Ext(f.Name())), assetRoot + hex.EncodeToString(sum[:6]) + "/" + f.Name()}
	}
	for _, lang := range Langs() {
		s.templates[lang] = map[string]*template.Template{}
		for _, name := range names {
			t, err := template.New("layout.html").Funcs(s.funcs(lang)).ParseFS(files, "templates/layout.html", "templates/parts.html", "templates/"+name+".html")
			if err != nil {
				return nil, err
			}
			s.templates[lang][name] = t
		}
	}
	return s, nil
}

// funcs are what templates may call, in one language.
func (s *Set) funcs(lang Lang) template.FuncMap {
	return template.FuncMap{
		"t":        func(key string, args ...any) string { return lang.text(key, args...) },
		"n":        lang.number,
		"d":        func(v any) string { return lang.digits(fmt.Sprint(v)) },
		"title":    lang.title,
		"about":    lang.about,
		"example":  func(key string) string { return examples[key] },
		"date":     lang.Date,
		"other":    lang.OtherDate,
		"clock":    lang.Clock,
		"dates":    func(first, last time.Time) string { return fromTo(lang.Date(first), lang.Date(last)) },
		"others":   func(first, last time.Time) string { return fromTo(lang.OtherDate(first), lang.OtherDate(last)) },
		"counted":  func(list []Address) bool { return len(list) > 0 && list[0].Captures > 0 },
		"size":     lang.size,
		"span":     lang.duration,
		"state":    lang.statusName,
		"known":    lang.known,
		"tongue":   lang.language,
		"iso":      func(t time.Time) string { return t.UTC().Format(time.RFC3339) },
		"asset":    func(name string) string { return s.assets[name].path },
		"home":     func() string { return s.options.Home },
		"replay":   func() string { return s.options.Replay },
		"version":  func() string { return s.options.Version },
		"lang":     func() Lang { return lang },
		"dir":      lang.Dir,
		"len64":    func(list []HostCount) int64 { return int64(len(list)) },
		"address":  address,
		"hostpath": HostPath,
		"spark":    func(days Days) Graph { return lang.over("", days, nil) },
		"tab": func(v view, name, path string) tab {
			return tab{name, s.options.Home + "/c/" + v.Coll.Name + path, v.Tab == name}
		},
	}
}

// policy is the Content-Security-Policy of these pages. Pictures are of all origins, and forms lead to all: browsers hold
// what a form is led on to against it, too.
func (s *Set) policy() string {
	ours := " 'self'"
	for _, origin := range []string{s.options.Home, s.options.Replay, s.options.Others} {
		if origin != "" {
			ours += " " + origin
		}
	}
	return "default-src 'none'; style-src 'self'; script-src 'self'; img-src data:" + ours + "; frame-src 'self'; base-uri 'none'; form-action" + ours +
		"; frame-ancestors 'self'" + strings.TrimRight(" "+s.options.Home, " ")
}

// view is what layout.html is given.
type view struct {
	Title  string
	Switch func(Lang) string // gives the address of the page in another language; nil for none
	Coll   *Summary          // the collection that the page belongs to; nil for none
	Tab    string            // of the collection's pages, the one shown; "" for one below them
	Hero   bool              // the page has a search box of its own
	Frames bool              // with compare.js, which keeps two frames in step
	Page   any
}

// In is the address of the page in another language, "" for none.
func (v view) In(lang Lang) string {
	if v.Switch == nil || lang == "" {
		return ""
	}
	return v.Switch(lang)
}

// tab leads to one of a collection's pages.
type tab struct {
	Name, Path string
	Here       bool
}

// write writes one page.
func (s *Set) write(w http.ResponseWriter, r *http.Request, status int, lang Lang, name string, v view) {
	var b bytes.Buffer
	if err := s.templates[lang][name].Execute(&b, v); err != nil {
		http.Error(w, "page "+name+": "+err.Error(), http.StatusInternalServerError)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Language", string(lang))
	h.Set("Content-Length", strconv.Itoa(b.Len()))
	h.Set("Content-Security-Policy", s.policy())
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "same-origin")
	h.Set("Cache-Control", "no-cache")
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		w.Write(b.Bytes())
	}
}

// ServeStatic serves the files that pages load, below "/-/static/".
func (s *Set) ServeStatic(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("X-Content-Type-Options", "nosniff")
	f, ok := s.assets[path.Base(r.URL.Path)]
	if !ok || f.path != r.URL.Path {
		w.Header().Set("Cache-Control", "no-cache")
		http.Error(w, "no such file", http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Type", f.typ)
	w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	w.Header().Set("Content-Length", strconv.Itoa(len(f.body)))
	if r.Method != http.MethodHead {
		w.Write(f.body)
	}
}

// LangOf is the language that a reader wants: what the request's lang parameter says, or its lang cookie, or its
// browser.
func (s *Set) LangOf(r *http.Request) Lang {
	if l := Lang(r.URL.Query().Get("lang")); slices.Contains(Langs(), l) {
		return l
	}
	return s.Accepted(r)
}

// Accepted is the language that a reader chose before, or else that the browser asks for. The replay's origin sets no cookie
// and leaves the query to the archived URL; that of the home pages comes along where both have one host name.
func (s *Set) Accepted(r *http.Request) Lang {
	if c, err := r.Cookie("lang"); err == nil && slices.Contains(Langs(), Lang(c.Value)) {
		return Lang(c.Value)
	}
	best, weight := Lang(s.options.Lang), 0.0
	for part := range strings.SplitSeq(r.Header.Get("Accept-Language"), ",") {
		tag, params, _ := strings.Cut(strings.TrimSpace(part), ";")
		q := 1.0
		if v, ok := strings.CutPrefix(strings.TrimSpace(params), "q="); ok {
			q, _ = strconv.ParseFloat(v, 64)
		}
		primary, _, _ := strings.Cut(strings.ToLower(tag), "-")
		if slices.Contains(Langs(), Lang(primary)) && q > weight {
			best, weight = Lang(primary), q
		}
	}
	return best
}

// Other is the other language.
func (l Lang) Other() Lang {
	if l == Persian {
		return English
	}
	return Persian
}

// OtherCalendar is the same language with dates of the other calendar; "" where there is none: whoever reads Persian sees both.
func (l Lang) OtherCalendar() Lang {
	switch l {
	case English:
		return EnglishJalali
	case EnglishJalali:
		return English
	}
	return ""
}

// Dir is the direction of writing: "ltr" or "rtl".
func (l Lang) Dir() string {
	if l == Persian {
		return "rtl"
	}
	return "ltr"
}
