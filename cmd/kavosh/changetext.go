package main

// This file says in words what changed on a page.

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"kavosh/change"
	"kavosh/lib/segment"
	"kavosh/lib/words"
)

// places has in words where a block is.
var places = map[segment.Place]string{
	segment.Head: "head of the page", segment.Menu: "menu", segment.Main: "main part", segment.Side: "beside the main part", segment.Foot: "foot of the page",
	segment.Advert: "advertisement", segment.Remarks: "comments", segment.Related: "other pages", segment.Consent: "consent banner",
}

// signs begin lines about what was done.
var signs = map[change.Do]string{change.Insert: "+", change.Delete: "-", change.Update: "~", change.Move: ">", change.Split: "/", change.Merge: "&"}

// noises has in words what noise is.
var noises = map[change.Noise]string{
	change.Advert: "advert", change.Counter: "counter", change.Date: "date", change.Token: "token", change.Related: "in lists of other pages",
	change.Consent: "in consent banners", change.Variant: "that came and went before", change.Volatile: "that two fetches in a row differed in",
}

// noiseText returns in words how much noise there is, such as "2 adverts, 1 counter"; "" for none.
func noiseText(n map[change.Noise]int) string {
	var parts []string
	for _, kind := range slices.Sorted(maps.Keys(n)) {
		if words := noises[kind]; strings.Contains(words, " ") {
			parts = append(parts, fmt.Sprint(n[kind], " ", words))
		} else {
			parts = append(parts, plural(n[kind], words))
		}
	}
	return strings.Join(parts, ", ")
}

// changeText returns the changes in words.
func changeText(r *change.Report) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n  %s → %s", r.URL, r.From.Format(time.DateTime), r.To.Format(time.DateTime))
	if len(r.Operations) == 0 {
		b.WriteString("   nothing changed that a reader sees\n")
		return b.String()
	}
	fmt.Fprintf(&b, "   importance %.2g of 1, %.2g by what seldom changes\n", r.Importance.Weighed, r.Importance.Calm)
	if noise := noiseText(r.Noise()); noise != "" {
		fmt.Fprintf(&b, "  noise, which does not count: %s\n", noise)
	}
	in := ""
	for _, o := range ordered(r) {
		if heading := heading(r.At(&o)); heading != in {
			in = heading
			fmt.Fprintf(&b, "\n%s\n", heading)
		}
		fmt.Fprintf(&b, "  %s %-5s ", signs[o.Do], o.What)
		switch {
		case o.What == change.Block:
			switch o.Do {
			case change.Insert:
				b.WriteString("new")
			case change.Delete:
				b.WriteString("gone")
			case change.Move:
				b.WriteString("moved here")
			case change.Split:
				fmt.Fprintf(&b, "was split in %d", len(o.To))
			case change.Merge:
				fmt.Fprintf(&b, "was made of %d", len(o.From))
			}
		case o.Do == change.Update:
			fmt.Fprintf(&b, "%s\n          → %s", shown(o.Old, nil), shown(o.New, o.Old))
		case o.Do == change.Move:
			fmt.Fprintf(&b, "%s, from: %s", shown(o.New, nil), heading(r.Old[o.From[0]]))
		default:
			fmt.Fprint(&b, shown(cmp.Or(o.New, o.Old), nil))
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// ordered returns the operations that tell something, block by block, in the order of the page.
func ordered(r *change.Report) []change.Operation {
	list := r.News()
	slices.SortStableFunc(list, func(a, b change.Operation) int { return cmp.Compare(r.At(&a).Rect[1], r.At(&b).Rect[1]) })
	return list
}

// heading names a block for people.
func heading(p change.Part) string {
	words := words.Clip(p.Text, 70)
	if words != p.Text {
		words += "…"
	}
	if place := places[p.Place]; place != "" {
		return place + ": " + words
	}
	return words
}

// shown returns a value in words; of what it shares with another one, only the name.
func shown(v, other *change.Value) string {
	name := words.Clip(v.Name, 300)
	if name != v.Name {
		name += "…"
	}
	if v.Address == "" {
		return name
	}
	if other != nil && other.Address == v.Address {
		return name
	}
	return strings.TrimSpace(name + " <" + v.Address + ">")
}
