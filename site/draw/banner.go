package draw

// This file draws the banner above a replayed page.

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"kavosh/pages"
)

// Banner has what the banner of a replayed page says.
type Banner struct {
	Lang       pages.Lang // unless the reader chose the other language
	Collection Summary
	URL        string
	Time       time.Time
	Count      int
	More       bool      // there are more than Count
	Calendar   string    // path up to its language: "/web/*"
	Changes    string    // path of what changed since the capture before, up to its language and URL; "" for none
	Framed     string    // path of the page with its links in frames, up to its language and URL; "" for none
	Prev, Next string    // paths of the captures before and after; "" for none
	PrevTime   time.Time // their times
	NextTime   time.Time
	Truncated  bool
	Original   time.Time // for a revisit: the time of the capture that has the content
	Status     int       // HTTP status, if it is not 200
}

// bannerWords has the banner's texts in one language.
type bannerWords struct {
	Dir      string   `json:"dir"`
	Region   string   `json:"region"`
	Archive  string   `json:"archive"`
	Archived string   `json:"archived"`
	Coll     string   `json:"coll"`
	Date     string   `json:"date"`
	Clock    string   `json:"clock"`
	Other    string   `json:"other"`
	Count    string   `json:"count"`
	Prev     string   `json:"prev"`
	Next     string   `json:"next"`
	Earlier  string   `json:"earlier,omitempty"`
	Later    string   `json:"later,omitempty"`
	Changes  string   `json:"changes,omitempty"`
	Framed   string   `json:"framed"`
	Hide     string   `json:"hide"`
	Home     string   `json:"home"`
	Switch   string   `json:"switch"`
	Notes    []string `json:"notes,omitempty"`
	Parts    string   `json:"parts"` // from here on: texts in which the script fills in %s
	Before   string   `json:"before"`
	After    string   `json:"after"`
	Missing  string   `json:"missing"`
	Near     string   `json:"near"`
	Units    []string `json:"units"` // second, minute, hour, day, year
}

// Script returns the markup for the banner, which goes into the head of a replayed page. It is ASCII, because the page
// may have any encoding.
func (s *Set) Script(b *Banner) string {
	src := s.Asset("replay.js")
	data := struct {
		Lang     pages.Lang                 `json:"lang"`
		Text     map[pages.Lang]bannerWords `json:"text"`
		URL      string                     `json:"url"`
		Time     string                     `json:"time"` // 14 digits
		Calendar string                     `json:"calendar"`
		Prev     string                     `json:"prev,omitempty"`
		Next     string                     `json:"next,omitempty"`
		Changes  string                     `json:"changes,omitempty"`
		Framed   string                     `json:"framed,omitempty"`
		Home     string                     `json:"home,omitempty"`
	}{b.Lang, map[pages.Lang]bannerWords{}, b.URL, b.Time.UTC().Format("20060102150405"), b.Calendar, b.Prev, b.Next, b.Changes, b.Framed, s.home}
	langs := []pages.Lang{pages.English, pages.Persian}
	if !slices.Contains(langs, b.Lang) {
		langs = append(langs, b.Lang)
	}
	for _, l := range langs {
		w := bannerWords{
			Dir: l.Dir(), Region: text(l, "banner.region"), Archive: text(l, "banner.archive"), Archived: text(l, "banner.archived"), Coll: title(l, &b.Collection),
			Date: l.Date(b.Time), Clock: l.Clock(b.Time) + " " + text(l, "utc"), Other: l.OtherDate(b.Time), Count: text(l, "captures", b.Count),
			Prev: text(l, "banner.prev"), Next: text(l, "banner.next"), Framed: text(l, "banner.framed"), Hide: text(l, "banner.hide"),
			Home: text(l, "banner.home"), Switch: text(l, "language"),
			Parts: text(l, "banner.parts"), Before: text(l, "banner.before"), After: text(l, "banner.after"), Missing: text(l, "banner.missing"), Near: text(l, "banner.near"),
			Units: []string{text(l, "unit.s"), text(l, "unit.min"), text(l, "unit.h"), text(l, "unit.d"), text(l, "banner.years")},
		}
		if b.More {
			w.Count = text(l, "captures.more", b.Count)
		}
		if b.Prev != "" {
			w.Earlier = l.Date(b.PrevTime)
			w.Changes = text(l, "banner.changes", l.Date(b.PrevTime))
		}
		if b.Next != "" {
			w.Later = l.Date(b.NextTime)
		}
		if b.Status != 0 && b.Status != 200 {
			w.Notes = append(w.Notes, text(l, "banner.status", b.Status))
		}
		if b.Truncated {
			w.Notes = append(w.Notes, text(l, "banner.truncated"))
		}
		if !b.Original.IsZero() {
			w.Notes = append(w.Notes, text(l, "banner.revisit", l.Date(b.Original)))
		}
		data.Text[l] = w
	}
	return fmt.Sprintf(`<script src="%s" data-kavosh='%s'></script>`, src, ascii(data))
}

// ascii returns v as ASCII JSON that is safe between single quotes in markup: json escapes "<", ">" and "&" by itself.
func ascii(v any) string {
	plain, _ := json.Marshal(v) // strings and maps of strings cannot fail
	var b strings.Builder
	for _, r := range string(plain) {
		switch {
		case r < 0x80 && r != '\'':
			b.WriteRune(r)
		case r < 0x10000:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			r -= 0x10000
			fmt.Fprintf(&b, `\u%04x\u%04x`, 0xd800+r>>10, 0xdc00+r&0x3ff)
		}
	}
	return b.String()
}
