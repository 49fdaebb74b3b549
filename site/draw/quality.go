package draw

// This file draws how whole the pages of a collection are.

import (
	"net/http"
	"net/url"
	"strings"
	"time"

	"kavosh/pages"
	"kavosh/quality"
)

// Quality shows what the pages of a collection lack, or those of a host or of a crawl.
type Quality struct {
	Collection  Summary
	Host, Crawl string    // "" for all
	Members     []Summary // the collections that have a page of quality of their own, if this one has none

	Pages, Of             int     // pages that were looked at, and all
	Late                  bool    // the time was over before enough was known
	Low, High             float64 // bounds of the share of whole pages
	Damage                float64 // mean of those looked at
	DamageLow, DamageHigh float64 // bounds of that of all
	Parts, Lacking, Unfit int
	Worst                 []BadPage
	Missing               []MissingPart
	Looked                *Looked // nil where nothing is told of pages as they are replayed
	Proposals             []quality.Proposal

	classes [len(classes)]int64
}

// classes are names of how damaged pages are, the best first.
var classes = [...]string{"whole", "light", "middle", "heavy", "unread"}

// Count counts a page by its damage.
func (q *Quality) Count(damage float64, unread bool) {
	class := 0
	switch {
	case unread:
		class = 4
	case damage > 0.3:
		class = 3
	case damage > 0.1:
		class = 2
	case damage > 0:
		class = 1
	}
	q.classes[class]++
}

// Looked is what was found of pages as they are replayed.
type Looked struct {
	Made                  time.Time // zero if nobody looked
	Pages, Random, Of     int       // that were looked at, of them those picked at random, and all
	Faithful              int       // with which nothing is wrong
	Low, High             float64   // bounds of the share of such pages
	DamageLow, DamageHigh float64
	Worst                 []BadPage
}

// BadPage is a page that lacks parts, or shows some of another time.
type BadPage struct {
	Address
	Damage float64
	Unread bool
	Unfit  int
	lacks  map[string]int // by what the parts are to the page

	// Of a page as it is replayed:
	Blank, Unrendered    bool
	StandIn              string
	Leaks, Cut, Unlisted int      // what it asked the live web for, parts that are not whole, and missing parts that Lack did not count
	Likeness             *float64 // to the picture of its capture; nil if there is none
}

// Lack counts n missing parts, by what they are to the page.
func (b *BadPage) Lack(as string, n int) {
	if b.lacks == nil {
		b.lacks = map[string]int{}
	}
	b.lacks[as] += n
}

// uses are what parts are to a page, in the order in which they are named.
var uses = []string{"style", "frame", "media", "script", "image", "decor", "font"}

// words says what is missing.
func (b *BadPage) words(lang pages.Lang) string {
	var list []string
	for _, use := range uses {
		if n := b.lacks[use]; n > 0 {
			list = append(list, text(lang, "quality.lacks."+use, n))
		}
	}
	for _, is := range []struct {
		key string
		n   int
	}{{"quality.more", b.Unlisted}, {"quality.unfit", b.Unfit}, {"quality.leaks", b.Leaks}, {"quality.cut", b.Cut}} {
		if is.n > 0 {
			list = append(list, text(lang, is.key, is.n))
		}
	}
	if b.Blank {
		list = append(list, text(lang, "quality.blank"))
	}
	if b.Unrendered {
		list = append(list, text(lang, "quality.unrendered"))
	}
	if b.StandIn != "" {
		list = append(list, text(lang, "standin."+b.StandIn))
	}
	if b.Likeness != nil {
		list = append(list, text(lang, "quality.likeness", percent(lang, *b.Likeness)))
	}
	return strings.Join(list, text(lang, "inside.comma"))
}

// MissingPart is a part that pages lack.
type MissingPart struct {
	As, URL, Calendar string
	Code              int // of the answer; 0 if there is none
	Pages             int // of those looked at, how many lack it
}

// Quality writes the page.
func (s *Set) Quality(w http.ResponseWriter, r *http.Request, p Quality) {
	lang := s.LangOf(r)
	v := struct {
		Quality
		At      string // URL of the collection's page
		Whole   string // in words
		Share   string
		Classes []pages.Share
		Mends   string // commands; "" where none fits
		Looks   string
		Shows   string // the share of pages as they are replayed with which nothing is wrong, in words
		Loses   string // … and their damage
	}{Quality: p, At: s.home + "/c/" + p.Collection.Name, Looks: "kavosh quality ARCHIVE --within 2"}
	switch {
	case p.Host != "":
		v.Looks += " --host " + p.Host
	case p.Crawl != "":
		v.Looks += " --crawl " + p.Crawl
	default:
		v.Mends = "kavosh crawl --patch --archive ARCHIVE"
	}
	if k := p.Looked; k != nil {
		v.Shows, v.Loses = between(lang, k.Low, k.High), between(lang, k.DamageLow, k.DamageHigh)
	}
	v.Whole = between(lang, p.Low, p.High)
	v.Share = between(lang, p.DamageLow, p.DamageHigh)
	for i, n := range p.classes {
		if n > 0 {
			v.Classes = append(v.Classes, pages.Share{Label: text(lang, "quality.is."+classes[i]), Count: n, Bad: i > 1})
		}
	}
	v.Classes = lang.Shares(v.Classes)
	title, tab := text(lang, "quality.title"), "quality"
	switch {
	case p.Host != "":
		title, tab = title+": "+p.Host, "hosts"
	case p.Crawl != "":
		title, tab = title+": "+p.Crawl, "crawls"
	}
	s.Write(w, r, http.StatusOK, lang, "quality", pages.View{Title: title, Switch: pages.InLang(r), Section: &p.Collection, Tab: tab, Page: v})
}

// QualityPath returns the URL of the page of quality of a host or a crawl; at is the URL of the collection's page.
func QualityPath(at, host, crawl string) string {
	q := url.Values{}
	if host != "" {
		q.Set("host", host)
	}
	if crawl != "" {
		q.Set("crawl", crawl)
	}
	return strings.TrimSuffix(at+"/quality?"+q.Encode(), "?")
}

// between says a share that is known to be between two, in percent.
func between(lang pages.Lang, low, high float64) string {
	from, to := percent(lang, low), percent(lang, high)
	if from == to {
		return from
	}
	return text(lang, "quality.between", from, to)
}

// percent writes a share in percent.
func percent(lang pages.Lang, share float64) string {
	return text(lang, "quality.percent", lang.Decimal(100*share, 1))
}
