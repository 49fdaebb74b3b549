// Package pages is the common kit for web pages: layout, languages, dates in two calendars, numbers, form fields and
// graphs. It knows nothing of archives: a package with pages gives a [Set] its templates and words.
//
// Every page exists in English and in Persian, with the Gregorian or the Jalali calendar and the digits of its
// language. text.go has the words that all pages share, templates/ their markup, static/ the style sheet and the
// script. look.css is the beginning of the style sheet; pages that stand alone have it too. graph.go makes graphs, which
// are SVG with a table for people who cannot see them. The pages load nothing from other origins and have no inline
// scripts, so that their Content-Security-Policy can forbid both.
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
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"kavosh/lib/vazirmatn"
)

//go:embed templates static
var files embed.FS

// Lang is the language of a page, with the calendar of its dates.
type Lang string

const (
	English Lang = "en"
	Persian Lang = "fa"
	// EnglishJalali is English with the Jalali calendar, for readers who choose it. The name is that of BCP 47.
	EnglishJalali Lang = "en-u-ca-persian"
)

// Langs returns all languages.
func Langs() []Lang { return []Lang{English, Persian, EnglishJalali} }

// Options says where the pages are served, what is in them, and which version their foot names.
type Options struct {
	Home    string   // base URL of the pages where each of them can be reached; "" for the same origin as the page
	Origins []string // other origins than Home that pages may load pictures from and send forms to
	Lang    string   // when nothing tells a reader's language; "" = "en"
	Version string
	// Files has templates/NAME.html for each page, templates/parts.html, which all pages share, and static/ with the
	// files that pages load.
	Files fs.FS
	Words Words
	Funcs func(lang Lang) template.FuncMap // more functions for the templates
}

// Set holds all pages, ready to be written. It never changes.
type Set struct {
	options   Options
	templates map[Lang]map[string]*template.Template
	assets    map[string]assetFile // by file name
}

type assetFile struct {
	body []byte
	typ  string
	path string // contains a digest of the body, so that it may be cached for ever
}

const assetRoot = "/-/static/"

// New parses the templates. An error means that the options are wrong.
func New(o Options) (*Set, error) {
	if o.Lang == "" {
		o.Lang = string(English)
	}
	if !slices.Contains(Langs(), Lang(o.Lang)) {
		return nil, fmt.Errorf("language %q: use en or fa", o.Lang)
	}
	s := &Set{options: o, templates: map[Lang]map[string]*template.Template{}, assets: map[string]assetFile{}}
	s.keep("vazirmatn.woff2", "font/woff2", vazirmatn.WOFF2())
	for _, from := range []fs.FS{files, o.Files} {
		if err := s.keepAssets(from); err != nil {
			return nil, err
		}
	}
	names, err := fs.Glob(o.Files, "templates/*.html")
	if err != nil {
		return nil, err
	}
	for _, lang := range Langs() {
		s.templates[lang] = map[string]*template.Template{}
		shared, err := template.New("layout.html").Funcs(s.funcs(lang)).Funcs(o.Funcs(lang)).ParseFS(files, "templates/*.html")
		if err == nil {
			shared, err = shared.ParseFS(o.Files, "templates/parts.html")
		}
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			t, err := shared.Clone()
			if err == nil {
				t, err = t.ParseFS(o.Files, name)
			}
			if err != nil {
				return nil, err
			}
			s.templates[lang][strings.TrimSuffix(path.Base(name), ".html")] = t
		}
	}
	return s, nil
}

// keepAssets reads the files below static/.
func (s *Set) keepAssets(from fs.FS) error {
	names, err := fs.Glob(from, "static/*")
	for _, name := range names {
		body, err := fs.ReadFile(from, name)
		if err != nil {
			return err
		}
		base := path.Base(name)
		if base == "style.css" {
			body = []byte(Style(s.Asset("vazirmatn.woff2")))
		}
		s.keep(base, mime.TypeByExtension(path.Ext(base)), body)
	}
	return err
}

func (s *Set) keep(name, typ string, body []byte) {
	sum := sha256.Sum256(body)
	s.assets[name] = assetFile{body, typ, assetRoot + hex.EncodeToString(sum[:6]) + "/" + name}
}

// Asset returns the URL path of a file below static/.
func (s *Set) Asset(name string) string { return s.assets[name].path }

// funcs returns the functions that all templates may call, for one language.
func (s *Set) funcs(lang Lang) template.FuncMap {
	return template.FuncMap{
		"t":       func(key string, args ...any) string { return lang.Say(s.options.Words, key, args...) },
		"n":       lang.Number,
		"d":       func(v any) string { return lang.Digits(fmt.Sprint(v)) },
		"date":    lang.Date,
		"other":   lang.OtherDate,
		"clock":   lang.Clock,
		"dates":   func(first, last time.Time) string { return fromTo(lang.Date(first), lang.Date(last)) },
		"others":  func(first, last time.Time) string { return fromTo(lang.OtherDate(first), lang.OtherDate(last)) },
		"size":    lang.Size,
		"span":    lang.Duration,
		"tongue":  lang.Language,
		"iso":     func(t time.Time) string { return t.UTC().Format(time.RFC3339) },
		"asset":   s.Asset,
		"home":    func() string { return s.options.Home },
		"mark":    Mark,
		"version": func() string { return s.options.Version },
		"lang":    func() Lang { return lang },
		"dir":     lang.Dir,
		"address": Address,
		"spark":   func(days Days) Graph { return lang.Over("", days, nil) },
	}
}

// policy returns the Content-Security-Policy of the pages. Pictures and forms may use all origins in the options. Forms
// need them because browsers also check where a form is redirected to.
func (s *Set) policy() string {
	ours := " 'self'"
	for _, origin := range append([]string{s.options.Home}, s.options.Origins...) {
		if origin != "" {
			ours += " " + origin
		}
	}
	return "default-src 'none'; style-src 'self'; script-src 'self'; font-src 'self'; img-src data:" + ours + "; frame-src 'self'; base-uri 'none'; form-action" + ours +
		"; frame-ancestors 'self'" + strings.TrimRight(" "+s.options.Home, " ")
}

// View is a page in its layout.
type View struct {
	Title   string
	Switch  func(Lang) string // returns the URL of the page in another language; nil if there is none
	Section any               // what the page belongs to, for the templates "box" and "tabs"; nil for nothing
	Tab     string            // of the section's pages, the one shown; "" for one below them
	Hero    bool              // the page has a search box of its own
	Live    bool              // the page is of the moment: its script asks for it again, and nobody keeps it
	Feed    string            // URL of the Atom feed of what the page is about; "" for none
	Script  string            // a file below static/ that the page runs beside page.js; "" for none
	Page    any               // what the template "body" is given
}

// In returns the URL of the page in another language, or "".
func (v View) In(lang Lang) string {
	if v.Switch == nil || lang == "" {
		return ""
	}
	return v.Switch(lang)
}

// Write writes one page with the template of the given name.
func (s *Set) Write(w http.ResponseWriter, r *http.Request, status int, lang Lang, name string, v View) {
	var b bytes.Buffer
	if err := s.templates[lang][name].Execute(&b, v); err != nil {
		http.Error(w, "page "+name+": "+err.Error(), http.StatusInternalServerError)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Language", string(lang))
	h.Set("Content-Length", strconv.Itoa(b.Len()))
	policy, kept := s.policy(), "no-cache"
	if v.Live {
		policy, kept = policy+"; connect-src 'self'", "no-store"
	}
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "same-origin")
	h.Set("Cache-Control", kept)
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		w.Write(b.Bytes())
	}
}

// ServeStatic serves the files that pages load. Their paths begin with "/-/static/".
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

// LangOf returns the language for a reader, from the request's lang parameter, or else as Accepted does.
func (s *Set) LangOf(r *http.Request) Lang {
	if l := Lang(r.URL.Query().Get("lang")); slices.Contains(Langs(), l) {
		return l
	}
	return s.Accepted(r)
}

// Accepted returns the language that a reader chose before, from the lang cookie, or else the one that the browser
// prefers. The replay's origin sets no cookie and has no lang parameter, because the query belongs to the archived URL.
// But it receives the cookie of the home pages if both have the same host name.
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

// Remember stores the language that a reader chose in a cookie of this origin.
func (s *Set) Remember(w http.ResponseWriter, r *http.Request) {
	if r.URL.Query().Has("lang") {
		http.SetCookie(w, &http.Cookie{Name: "lang", Value: string(s.LangOf(r)), Path: "/",
			MaxAge: 365 * 24 * 3600, SameSite: http.SameSiteLaxMode, HttpOnly: true})
	}
}

// InLang returns a function for View.Switch that changes the lang parameter of the request's URL.
func InLang(r *http.Request) func(Lang) string {
	return func(lang Lang) string {
		q := r.URL.Query()
		q.Set("lang", string(lang))
		return (&url.URL{Path: r.URL.Path, RawQuery: q.Encode()}).String()
	}
}

// Other returns the other language.
func (l Lang) Other() Lang {
	if l == Persian {
		return English
	}
	return Persian
}

// OtherCalendar returns the same language with the other calendar. For Persian it returns "", because Persian pages
// show dates of both calendars.
func (l Lang) OtherCalendar() Lang {
	switch l {
	case English:
		return EnglishJalali
	case EnglishJalali:
		return English
	}
	return ""
}

// Dir returns the direction of writing: "ltr" or "rtl".
func (l Lang) Dir() string {
	if l == Persian {
		return "rtl"
	}
	return "ltr"
}
