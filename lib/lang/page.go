package lang

import (
	"cmp"
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
	id.counter.Reset()
	id.counter.Add(p.Text)
	for s, n := range id.counter.Letters {
		if v.Letters += n; n > 0 {
			id.found = id.found[:0]
			id.script(grams.Script(s), 1, id.expect(s, p.declared))
			v.Languages = append(v.Languages, id.found...)
		}
	}
	if v.Letters == 0 {
		return v
	}
	for s, n := range id.counter.Letters {
		id.sums[s] = id.sums[s][:0]
		if n > 0 {
			id.expect(s, func(code string) float64 {
				return probability(v.Languages, code) + unexpected
			})
			id.sums[s] = append(id.sums[s], make([]sum, max(1, len(id.before[s])))...)
		}
	}
	for rest, blocks := p.Text, 0; rest != ""; blocks++ {
		block := rest
		if end := strings.IndexByte(rest, '\n'); end >= 0 && blocks < mostBlocks {
			block = rest[:end+1]
		}
		rest = rest[len(block):]
		id.block(block)
	}
	v.Shares = slices.Clone(id.parts(func(n sum) float64 { return n.text }, 1))
	whole := v.Languages
	v.Languages = slices.Clone(id.parts(func(n sum) float64 { return n.running }, 3))
	for i := range v.Languages { // blocks that expect what the whole is have heard it twice: they are no surer than it is
		v.Languages[i].Probability = min(v.Languages[i].Probability, probability(whole, v.Languages[i].Code))
	}
	slices.SortStableFunc(v.Languages, func(a, b Language) int { return cmp.Compare(b.Probability, a.Probability) })
	return v
}

// probability is that of a language among those found.
func probability(found []Language, code string) float64 {
	for _, l := range found {
		if l.Code == code {
			return l.Probability
		}
	}
	return 0
}

// declared is how much likelier a language is by what the page declares.
func (p *Page) declared(code string) float64 {
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

// expect notes, and gives, how likely the languages of a script are before anything is read, in nats.
func (id *Identifier) expect(s int, likelier func(code string) float64) []float64 {
	languages := id.counter.Model.Languages(grams.Script(s))
	id.before[s] = id.before[s][:0]
	for i, prior := range id.priors[s] {
		id.before[s] = append(id.before[s], prior+math.Log(likelier(code(languages, i))))
	}
	return id.before[s]
}

// sum is how much of a page is in a language.
type sum struct {
	text    float64 // in letters
	running float64 // with less of what is in short blocks
}

func (n *sum) add(letters, block float64) {
	n.text += letters
	n.running += letters * block / (block + label)
}

// block adds a block's text to what the page has of each language.
func (id *Identifier) block(text string) {
	id.counter.Reset()
	id.counter.Add(text)
	weights := weights(&id.counter.Letters)
	all := 0.0
	for _, w := range weights {
		all += w
	}
	for s, w := range weights {
		if w == 0 {
			continue
		}
		if len(id.before[s]) == 0 {
			id.sums[s][0].add(w, all)
			continue
		}
		for i, share := range id.shares(grams.Script(s), id.before[s]) {
			id.sums[s][i].add(w*share, all)
		}
	}
}

// parts gives the languages' parts of a whole, each raised to a power. They are valid until the next call.
func (id *Identifier) parts(of func(sum) float64, power float64) []Language {
	id.found = id.found[:0]
	all := 0.0
	for _, sums := range id.sums {
		for _, n := range sums {
			all += of(n)
		}
	}
	for s, sums := range id.sums {
		languages := id.counter.Model.Languages(grams.Script(s))
		for i, n := range sums {
			switch part := of(n) / all; {
			case part < 1e-6:
			case len(languages) == 0:
				id.add(owners[s], part)
			default:
				id.add(code(languages, i), part)
			}
		}
	}
	id.sort()
	all = 0
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

// mostBlocks is how many blocks of a page are weighed each by itself; the rest is weighed as one. A page of a million lines
// must not take a million times what a line takes.
const mostBlocks = 5000

// unexpected is the probability that a block is in a given language that the whole page does not look to be in.
const unexpected = 0.001

// label is how many letters a block has that counts half of what running text does for the language of the page: those of menus and
// buttons have fewer, in the language of the template.
const label = 60
