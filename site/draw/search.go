package draw

// This file draws search results, and parses searches from URLs.

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"kavosh"
	"kavosh/lib/dates"

	"kavosh/pages"
)

// Search shows the results of a search.
type Search struct {
	Summary
	Collections []Summary // that can be searched
	Query       kavosh.Search
	Result      kavosh.SearchResult
	Asked       bool // the reader searched for something
	Path        func(url string, t time.Time) string
	Calendar    func(url string) string
	Raw         func(url string, t time.Time) string // URL of the bytes of a picture
	Details     func(url string, t time.Time) string
	Picture     func(url string, t time.Time) string // URL of a picture of a page; nil if there are none
}

// PageSize is the number of groups on a page of results.
const PageSize = 10

// Ask parses a search from the query of a request in lang: q, kind, f (field:value, repeated), from and to (dates), at,
// sort, page. asked is false if the query is empty; wrong means that a date cannot be read.
func Ask(lang pages.Lang, q url.Values) (ask kavosh.Search, asked, wrong bool) {
	ask = kavosh.Search{Text: strings.TrimSpace(q.Get("q")), Limit: PageSize, Months: true, Jalali: lang.Calendar() == dates.Jalali}
	if q.Get("kind") == string(kavosh.SearchPictures) {
		ask.Kind, ask.Limit = kavosh.SearchPictures, 30
	}
	if q.Get("sort") == string(kavosh.ByNewest) {
		ask.Sort = kavosh.ByNewest
	}
	for _, f := range q["f"] {
		field, value, ok := strings.Cut(f, ":")
		switch field {
		case kavosh.FieldHost, kavosh.FieldLang, kavosh.FieldType, kavosh.FieldYear, kavosh.FieldStatus:
			if ok && len(ask.Filters) < 20 {
				ask.Filters = append(ask.Filters, kavosh.SearchFilter{Field: field, Value: value})
			}
		}
	}
	read := func(name string) dates.Span {
		s, err := pages.Moment(q.Get(name))
		wrong = wrong || err != nil
		return s
	}
	ask.From, ask.To, ask.At = read("from").First, read("to").Last, read("at").Last
	if n, err := strconv.Atoi(q.Get("page")); err == nil && n > 1 {
		ask.Offset = min((n-1)*ask.Limit, kavosh.MaxSearchOffset)
	}
	return ask, ask.Text != "" || len(ask.Filters) > 0 || q.Get("from")+q.Get("to")+q.Get("at") != "", wrong
}

// found is one group of results as the page shows it.
type found struct {
	kavosh.SearchGroup
	Heading, Text          []piece
	Path, Calendar, Detail string
	Raw, Like, Picture     string
}

// facet is a facet as the page shows it.
type facet struct {
	Name   string
	Values []facetValue
	More   int
	Active bool
}

type facetValue struct {
	Label  string
	Code   bool
	Count  int
	Path   string // of the search with this filter added, or removed if it is active
	Active bool
}

// asking is the data of the template.
type asking struct {
	Search
	Values               url.Values
	Keep, Times          [][2]string // form fields that a new search keeps
	Dates                pages.Dates
	Groups               []found
	Facets               []facet
	Graph                pages.Graph
	DidYouMean           string // URL of the search with corrected words
	Prev, Next           string // URLs of the pages of results before and after
	Number               int    // number of this page, from 1
	ByNewest, Pictures   bool
	OtherSort, OtherKind string // URLs of the same search with the other order, or for the other kind
	Clear                string // URL of the same search without filters
}

// Search writes the page of results.
func (s *Set) Search(w http.ResponseWriter, r *http.Request, p Search) {
	lang := s.LangOf(r)
	q := r.URL.Query()
	q.Del("lang")
	at := func(change func(q url.Values)) string {
		copied := url.Values{}
		for k, v := range q {
			copied[k] = append([]string(nil), v...)
		}
		copied.Del("page")
		change(copied)
		return "?" + copied.Encode()
	}
	v := asking{Search: p, Values: q, ByNewest: p.Query.Sort == kavosh.ByNewest, Pictures: p.Query.Kind == kavosh.SearchPictures,
		Number: 1 + p.Query.Offset/max(1, p.Query.Limit),
		Dates:  pages.Dates{lang.Field("from", q.Get("from"), false), lang.Field("to", q.Get("to"), true), lang.Field("at", q.Get("at"), true)}}
	kept := func(names ...string) (list [][2]string) {
		for _, name := range names {
			for _, value := range q[name] {
				list = append(list, [2]string{name, value})
			}
		}
		return list
	}
	v.Keep, v.Times = kept("kind", "sort", "f"), kept("from", "to", "at")
	for _, g := range p.Result.Groups {
		f := found{SearchGroup: g, Heading: marked(g.Title), Text: marked(g.Snippet), Path: p.Path(g.URL, g.Time), Calendar: p.Calendar(g.URL), Detail: p.Details(g.URL, g.Time)}
		if v.Pictures {
			f.Raw, f.Like = p.Raw(g.URL, g.Time), at(func(q url.Values) { q.Set("q", "like:"+g.URL) })
		}
		if p.Picture != nil && KindOf(g.Type) == "page" && g.Status == http.StatusOK {
			f.Picture = p.Picture(g.URL, g.Time)
		}
		v.Groups = append(v.Groups, f)
	}
	for _, f := range p.Result.Facets {
		v.Facets = append(v.Facets, facetOf(lang, f, p.Query.Filters, p.Result.Total, at))
	}
	v.Graph = overMonths(lang, p.Result.Months, at)
	if p.Result.DidYouMean != "" {
		v.DidYouMean = at(func(q url.Values) { q.Set("q", p.Result.DidYouMean) })
	}
	page := func(n int) string { return at(func(q url.Values) { q.Set("page", strconv.Itoa(n)) }) }
	if v.Number > 1 {
		v.Prev = page(v.Number - 1)
	}
	if p.Query.Offset+len(p.Result.Groups) < min(p.Result.Total, kavosh.MaxSearchOffset) {
		v.Next = page(v.Number + 1)
	}
	v.OtherSort = at(func(q url.Values) {
		if q.Del("sort"); !v.ByNewest {
			q.Set("sort", string(kavosh.ByNewest))
		}
	})
	v.OtherKind = at(func(q url.Values) {
		if q.Del("kind"); !v.Pictures {
			q.Set("kind", string(kavosh.SearchPictures))
		}
	})
	if len(p.Query.Filters) > 0 || len(v.Times) > 0 {
		v.Clear = at(func(q url.Values) { q.Del("f"); q.Del("from"); q.Del("to"); q.Del("at") })
	}
	title := text(lang, "search.title")
	if p.Query.Text != "" {
		title = p.Query.Text + " – " + title
	}
	s.Write(w, r, v.Dates.Status(), lang, "search", pages.View{Title: title, Switch: pages.InLang(r), Section: &p.Summary, Tab: "search", Page: v})
}

// marked cuts a snippet into the words that match the search and the rest. It ignores marks that are out of order or
// outside the text.
func marked(s kavosh.Snippet) []piece {
	var list []piece
	at := 0
	for _, m := range s.Marks {
		if m.Start < at || m.End <= m.Start || m.End > len(s.Text) {
			continue
		}
		if m.Start > at {
			list = append(list, piece{s.Text[at:m.Start], false})
		}
		list = append(list, piece{s.Text[m.Start:m.End], true})
		at = m.End
	}
	if at < len(s.Text) {
		list = append(list, piece{s.Text[at:], false})
	}
	return list
}

// facetOf prepares one facet for the page. total is the number of groups found; at returns the URL of a changed search.
func facetOf(l pages.Lang, f kavosh.SearchFacet, filters []kavosh.SearchFilter, total int, at func(func(url.Values)) string) facet {
	out := facet{Name: known(l, "facet.", f.Field), More: f.More}
	values := f.Values
	chosen := 0
	for _, on := range filters {
		if on.Field == f.Field {
			chosen++
		}
	}
	for _, on := range filters { // an active filter with no value here, such as a year of the other calendar, is added
		if on.Field == f.Field && !slices.ContainsFunc(values, func(v kavosh.FacetValue) bool { return v.Value == on.Value }) {
			value := kavosh.FacetValue{Value: on.Value}
			if chosen == 1 {
				value.Count = total
			}
			values = append(values[:len(values):len(values)], value)
		}
	}
	for _, value := range values {
		v := facetValue{Label: value.Value, Count: value.Count}
		switch f.Field {
		case kavosh.FieldLang:
			v.Label = l.Language(value.Value)
		case kavosh.FieldYear, kavosh.FieldStatus:
			v.Label = l.Digits(value.Value)
		default:
			v.Code = true
		}
		for _, on := range filters {
			v.Active = v.Active || on.Field == f.Field && on.Value == value.Value
		}
		out.Active = out.Active || v.Active
		filter := f.Field + ":" + value.Value
		v.Path = at(func(q url.Values) {
			kept := q["f"][:0]
			for _, one := range q["f"] {
				if one != filter {
					kept = append(kept, one)
				}
			}
			if !v.Active {
				kept = append(kept, filter)
			}
			q["f"] = kept
		})
		out.Values = append(out.Values, v)
	}
	return out
}

// overMonths makes a graph of the captures found in each month.
func overMonths(l pages.Lang, months []kavosh.SearchMonth, at func(func(url.Values)) string) pages.Graph {
	g := pages.Graph{Title: text(l, "graph.found")}
	nextYear, nextMonth := 0, 0
	for _, m := range months {
		var year, month int
		if n, _ := fmt.Sscanf(m.Month, "%d-%d", &year, &month); n < 2 || month < 1 || month > 12 {
			continue
		}
		for n := 0; nextYear > 0 && nextYear*12+nextMonth < year*12+month && n < 1200; n++ {
			g.Bars = append(g.Bars, pages.Bar{Label: l.MonthOf(nextYear, nextMonth)})
			nextYear, nextMonth = dates.Next(nextYear, nextMonth)
		}
		b := pages.Bar{Label: l.MonthOf(year, month), Count: int64(m.Found)}
		nextYear, nextMonth = dates.Next(year, month)
		if m.Found > 0 {
			b.Path = at(func(q url.Values) { q.Set("from", m.Month); q.Set("to", m.Month) })
		}
		g.Bars = append(g.Bars, b)
	}
	return g.Draw(l)
}
