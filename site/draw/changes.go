package draw

// This file says in words what changed on a page.

import (
	"cmp"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"kavosh"
	"kavosh/change"
	cut "kavosh/lib/words"
	"kavosh/pages"
)

// maxChanges is how many changes one list shows.
const maxChanges = 400

// changeRow is one change in a list. Its values tell a script where it is on the pages.
type changeRow struct {
	Mark     string // class of its colour: "insert", "delete", "update", "move", "split" or "merge"
	What     string // in words
	Kind     change.Kind
	Old, New *change.Value // as the pages have it
	Place    string        // the part of the page, in words
}

// OldText returns the words that the older version has.
func (r changeRow) OldText() string { return shortValue(r.Old) }

// NewText returns the words that the newer version has.
func (r changeRow) NewText() string { return shortValue(r.New) }

func shortValue(v *change.Value) string {
	if v == nil {
		return ""
	}
	text := cmp.Or(strings.TrimSpace(v.Name), v.Address)
	if short := cut.Clip(text, 300); short != text {
		return short + "…"
	}
	return text
}

// Moved reports whether an address changed, and not only words.
func (r changeRow) Moved() bool {
	return r.Old != nil && r.New != nil && r.Old.Address != r.New.Address
}

// changeList is what changed on a page, for a template.
type changeList struct {
	Rows   []changeRow
	More   int    // how many are left out
	Weight string // in words
	Noise  string // in words; "" for none
	Noises []changeRow
}

// changeListOf returns what changed.
func changeListOf(l pages.Lang, report *change.Report) changeList {
	noise := slices.DeleteFunc(slices.Clone(report.Operations), func(o change.Operation) bool { return o.Noise == "" })
	list := changeList{Weight: weight(l, report.Importance.Weighed), Noise: noiseText(l, report.Noise())}
	list.Rows, list.More = changeRows(l, report, report.News())
	list.Noises, _ = changeRows(l, report, noise)
	return list
}

// noiseText says how much noise there is, such as "2 adverts, 1 counter"; "" for none.
func noiseText(l pages.Lang, n map[change.Noise]int) string {
	var parts []string
	for _, kind := range slices.Sorted(maps.Keys(n)) {
		parts = append(parts, text(l, "noise."+string(kind), n[kind]))
	}
	return strings.Join(parts, text(l, "noise.and"))
}

// changeRows returns some changes of a report in the order of the page, at most maxChanges. more is how many are left out.
func changeRows(l pages.Lang, report *change.Report, of []change.Operation) (rows []changeRow, more int) {
	list := slices.Clone(of)
	slices.SortStableFunc(list, func(a, b change.Operation) int { return cmp.Compare(report.At(&a).Rect[1], report.At(&b).Rect[1]) })
	more = max(0, len(list)-maxChanges)
	for _, o := range list[:len(list)-more] {
		row := changeRow{Mark: string(o.Do), What: text(l, "change."+string(o.Do)+"."+string(o.What)), Kind: o.What, Old: o.Old, New: o.New}
		if at := report.At(&o); at.Place != "" {
			row.Place = known(l, "place.", string(at.Place))
		}
		if o.What == change.Block { // it is found by its words
			for _, side := range [...]struct {
				list []int
				of   map[int]change.Part
				to   **change.Value
			}{{o.From, report.Old, &row.Old}, {o.To, report.New, &row.New}} {
				if len(side.list) > 0 {
					*side.to = &change.Value{Name: side.of[side.list[0]].Text}
				}
			}
		}
		rows = append(rows, row)
	}
	return rows, more
}

// weight says in a word how much a change matters. A few words of a long text are at a quarter, a tenth of the text at a half; what is
// below a twentieth is hardly ever of the content.
func weight(l pages.Lang, importance float64) string {
	switch {
	case importance < 0.05:
		return text(l, "weight.trifle")
	case importance < 0.35:
		return text(l, "weight.little")
	case importance < 0.65:
		return text(l, "weight.much")
	}
	return text(l, "weight.most")
}

// maxFed is how many changes of a page a feed tells.
const maxFed = 20

// FeedPath returns the address of a feed of changes in a language: of the page at a "url", of a "host", or, if of is empty, of
// the collection at an address.
func FeedPath(l pages.Lang, coll, of, name string) string {
	q := url.Values{"lang": {string(l)}}
	if of != "" {
		q.Set(of, name)
	}
	return strings.TrimSuffix(coll, "/") + "/changes?" + q.Encode()
}

// FeedTitle returns the title of a feed of changes of the page at a "url", of a "host", or, if of is empty, of a collection.
func FeedTitle(l pages.Lang, of, name string, c *Summary) string {
	switch of {
	case "host":
		return text(l, "feed.host", name)
	case "url":
		return text(l, "feed.page", name)
	}
	return text(l, "feed.coll", title(l, c))
}

// WatchTitle returns the title of a feed of what is seen to change on a page through a lens.
func WatchTitle(l pages.Lang, url string, lens kavosh.Lens) string {
	title := FeedTitle(l, "url", url, nil)
	if what := lensWords(l, lens); what != "" {
		title += " — " + what
	}
	return title
}

// lensWords says what part of a page a lens shows; "" for the whole page.
func lensWords(l pages.Lang, lens kavosh.Lens) string {
	switch {
	case lens.Selector != "":
		return text(l, "lens.selector", lens.Selector)
	case lens.Text != "":
		return text(l, "lens.text", lens.Text)
	case lens.Block != "":
		at, _, _ := strings.Cut(lens.Block, "/")
		t, _ := time.Parse("20060102150405", at)
		return text(l, "lens.block", l.Date(t))
	}
	return ""
}

// FeedEntry returns in a line how much changed on a page, and in some lines what.
func FeedEntry(l pages.Lang, report *change.Report) (title, lines string) {
	rows, more := changeRows(l, report, report.News())
	n := len(rows) + more
	title = text(l, "feed.one", text(l, "feed.count", n), weight(l, report.Importance.Weighed))
	var b strings.Builder
	for _, row := range rows[:min(len(rows), maxFed)] {
		b.WriteString(row.What)
		if row.Place != "" {
			b.WriteString(" (" + row.Place + ")")
		}
		b.WriteString(": ")
		switch old, new := row.OldText(), row.NewText(); {
		case old == "" || old == new:
			b.WriteString(new)
		case new == "":
			b.WriteString(old)
		default:
			b.WriteString(old + " → " + new)
		}
		b.WriteByte('\n')
	}
	if left := n - min(len(rows), maxFed); left > 0 {
		b.WriteString(text(l, "compare.more", left) + "\n")
	}
	if noise := noiseText(l, report.Noise()); noise != "" {
		b.WriteString(text(l, "noise.beside", noise))
	}
	return title, b.String()
}
