package lang

import (
	"math"
	"slices"
	"strings"

	"kavosh/lib/lang/grams"
)

// Page is what a page says that its language can be told by.
type Page struct {
	Text    string   // a block a line
	Tags    []string // language tags that it declares, the most trusted first
	Charset string   // of its bytes, by its WHATWG name; empty for unknown
}

// Verdict is what was found out about a page.
type Verdict struct {
	Languages []Language // that the page may be in, by its running text, the likeliest first
	Shares    []Language // of the text, by letters, the greatest first
	Letters   int        // that were read
}

// How much likelier than before a language is: by a tag that names it, which is right in nine of ten pages but copied with
// templates in others; by a charset that was made for it.
const (
	byTag     = 20
	byCharset = 3
)

// Page weighs the blocks of a page, each by itself but expecting the languages of the whole, and then what the page declares:
// that decides where there is little text, and is overruled where there is much.
func (id *Identifier) Page(p Page) Verdict {
	var v Verdict
	declared := func(code string) float64 {
		odds := 1.0
		for _, tag := range p.Tags[:min(1, len(p.Tags))] {
			if t := Primary(tag); t == code || strings.HasPrefix(code, t+"-") && t != "" {
				odds = byTag
			}
		}
		if p.Charset == "windows-1256" && (code == "fa" || code == "ar" || code == "ur") {
			odds *= byCharset
		}
		return odds
	}
	id.counter.Reset()
	id.counter.Add(p.Text)
	for s, n := range id.counter.Letters {
		if v.Letters += n; n > 0 {
			id.found = id.found[:0]
			id.script(grams.Script(s), 1, declared)
			v.Languages = append(v.Languages, id.found...)
		}
	}
	if v.Letters == 0 {
		return v
	}
	whole := v.Languages
	expected := func(code string) float64 {
		for _, l := range whole {
			if l.Code == code {
				return l.Probability + unexpected
			}
		}
		return unexpected
	}
	shares, running := map[string]float64{}, map[string]float64{}
	for block := range strings.SplitSeq(p.Text, "\n") {
		id.counter.Reset()
		id.counter.Add(block)
		id.found = id.found[:0]
		all := 0.0
		for s, w := range weights(&id.counter.Letters) {
			if w > 0 {
				id.script(grams.Script(s), w, expected)
				all += w
			}
		}
		for _, l := range id.found {
			shares[l.Code] += l.Probability
			running[l.Code] += l.Probability * all / (all + label)
		}
	}
	v.Shares = slices.Clone(id.parts(shares, 1))
	v.Languages = slices.Clone(id.parts(running, 3))
	return v
}

// parts gives the parts of a whole, each raised to a power.
func (id *Identifier) parts(of map[string]float64, power float64) []Language {
	id.found = id.found[:0]
	for code, n := range of {
		id.found = append(id.found, Language{code, n})
	}
	id.sort()
	all := 0.0
	for i, l := range id.found {
		id.found[i].Probability = math.Pow(l.Probability, power)
		all += id.found[i].Probability
	}
	for i := range id.found {
		id.found[i].Probability /= all
	}
	id.sort()
	return id.found
}

// unexpected is the probability that a block is in a given language that the whole page does not look to be in.
const unexpected = 0.001

// label is how many letters a block has that counts half of what running text does for the language of the page: those of menus and
// buttons have fewer, in the language of the template.
const label = 60
