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
	Title   string
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

// How much likelier than before a language is, in nats: by a tag that names it, which is right in nine of ten pages but copied with
// templates in others; by a charset that was made for it.
var (
	byTag     = math.Log(20)
	byCharset = math.Log(3)
)

// Page weighs the blocks of a page, each by itself but expecting the languages of the whole, and then what the page declares:
// that decides where there is little text, and is overruled where there is much. The text is read once: what blocks say adds up to
// what the whole says.
func (id *Identifier) Page(p Page) Verdict {
	var v Verdict
	id.begin()
	id.readBlocks(p.Title)
	id.readBlocks(p.Text)
	for _, n := range id.letters {
		v.Letters += n
	}
	if v.Letters == 0 {
		return v
	}
	declared := ""
	if len(p.Tags) > 0 {
		declared = Code(p.Tags[0])
	}
	id.goOn()
	for s, n := range id.letters {
		if n == 0 {
			continue
		}
		id.declare(grams.Script(s), declared, p.Charset)
		id.expected[s] = id.expected[s][:0]
		for i, share := range id.shares(&id.whole[s], id.declared[s]) {
			id.expected[s] = append(id.expected[s], id.priors[s][i]+math.Log(share+unexpected))
		}
	}
	id.pools = id.pools[:0]
	for i := range id.blocks {
		id.weigh(&id.blocks[i])
	}
	id.countConfirmed()
	v.Shares = slices.Clone(id.partsOf(func(n amount) float64 { return n.text }, 1))
	v.Languages = slices.Clone(id.partsOf(func(n amount) float64 { return n.running }, 3))
	for i := range v.Languages {
		l := &v.Languages[i]
		l.Probability = min(l.Probability, id.alone(l.Code))
	}
	slices.SortStableFunc(v.Languages, func(a, b Language) int { return cmp.Compare(b.Probability, a.Probability) })
	return v
}

// block is what a block of a page, or several short ones that stand together, say in one script.
type block struct {
	script grams.Script
	amount
	sum
}

// begin forgets the page before.
func (id *Identifier) begin() {
	if cap(id.blocks) > keptBlocks {
		id.blocks = nil
	}
	id.blocks, id.letters, id.met, id.leaders = id.blocks[:0], [grams.Scripts]int{}, 0, id.leaders[:0]
	for s := range id.whole {
		n := len(id.model.grams.Languages(grams.Script(s)))
		id.whole[s].forget(n)
		id.run[s].forget(n)
		id.amounts[s] = zeros(id.amounts[s], max(1, len(id.priors[s])))
	}
}

// readBlocks reads text, block by block.
func (id *Identifier) readBlocks(text string) {
	for read := 0; text != ""; read++ {
		id.edges.Reset()
		first, size := len(id.blocks), 0
		for size < len(text) {
			end := len(text)
			if read < mostBlocks {
				end = size + blockEnd(text[size:])
			}
			if end > together && size > 0 {
				break
			}
			id.readBlock(text[size:end], first)
			size = end
		}
		id.readInFull(text[:size], first)
		text = text[size:]
	}
}

// blockEnd is where the first block of a text ends. A long one ends after some of its words, so that it need not be read in full.
func blockEnd(text string) int {
	end := strings.IndexByte(text, '\n') + 1
	if end == 0 {
		end = len(text)
	}
	if end > 2*long {
		if space := strings.IndexByte(text[long:end-long], ' '); space >= 0 {
			return long + space + 1
		}
	}
	return end
}

// readBlock reads one block and adds the amount of its text in each script to that script's of the blocks from first on.
func (id *Identifier) readBlock(text string, first int) {
	e := &id.edges
	e.Add(text)
	id.met |= e.Met
	weights := weights(&e.Letters, e.Met)
	size := 0.0
	for s := range scripts(e.Met) {
		id.letters[s] += e.Letters[s]
		size += weights[s]
	}
	for s := range scripts(e.Met) {
		id.blockOf(s, first).amount.add(weights[s], size)
	}
}

// blockOf is the block in a script among those from first on.
func (id *Identifier) blockOf(s grams.Script, first int) *block {
	for i := range id.blocks[first:] {
		if b := &id.blocks[first+i]; b.script == s {
			return b
		}
	}
	if n := len(id.blocks); n < cap(id.blocks) { // the memory of one of a page before
		id.blocks = id.blocks[:n+1]
	} else {
		id.blocks = append(id.blocks, block{})
	}
	b := &id.blocks[len(id.blocks)-1]
	b.script, b.amount = s, amount{}
	return b
}

// declare notes how likely the languages of a script are by what a page declares, in nats.
func (id *Identifier) declare(s grams.Script, tag, charset string) {
	languages := id.model.grams.Languages(s)
	id.declared[s] = append(id.declared[s][:0], id.priors[s]...)
	for i, code := range languages {
		if tag != "" && strings.HasPrefix(code, tag) && (len(code) == len(tag) || code[len(tag)] == '-') {
			id.declared[s][i] += byTag
		}
		if charset == "windows-1256" && (code == "fa" || code == "ar" || code == "ur") {
			id.declared[s][i] += byCharset
		}
	}
}

// amount is how much of a page is in a language.
type amount struct {
	text    float64 // in letters
	running float64 // with less of what is in short blocks
}

// add adds a block's letters of one script; size is how many it has of all.
func (n *amount) add(letters, size float64) {
	size /= label
	size *= size * size
	n.text += letters
	n.running += letters * size / (size + 1)
}

func (n *amount) plus(m amount) {
	n.text += m.text
	n.running += m.running
}

// pool is what all blocks say together that are likeliest in one language of a script.
type pool struct {
	script   grams.Script
	language int
	text     float64
	sum
}

// weigh adds a block's text to what the page has of each language, and to the pool of its likeliest one.
func (id *Identifier) weigh(b *block) {
	amounts := id.amounts[b.script]
	if len(b.says) == 0 {
		amounts[0].text += b.text
		amounts[0].running += b.running
		return
	}
	best, most := 0, 0.0
	for i, share := range id.shares(&b.sum, id.expected[b.script]) {
		if share == 0 {
			continue
		}
		amounts[i].text += b.text * share
		amounts[i].running += b.running * share
		if share > most {
			best, most = i, share
		}
	}
	for i := range id.pools {
		if p := &id.pools[i]; p.script == b.script && p.language == best {
			p.add(&b.sum)
			p.text += b.text
			return
		}
	}
	id.pools = append(id.pools, pool{b.script, best, b.text, sum{slices.Clone(b.says), b.grams}})
}

// alone is the probability of a language by the blocks that are in it, without those of others, and without expecting anything: blocks
// that expect what the whole is have heard it twice, and must be no surer than it is.
func (id *Identifier) alone(language string) float64 {
	for i := range id.pools {
		if pool := &id.pools[i]; code(id.model.grams.Languages(pool.script), pool.language) == language {
			return id.shares(&pool.sum, id.declared[pool.script])[pool.language]
		}
	}
	return 1
}

// partsOf gives the languages' parts of a whole, each raised to a power. They are valid until the next call.
func (id *Identifier) partsOf(of func(amount) float64, power float64) []Language {
	id.found = id.found[:0]
	all := 0.0
	for _, amounts := range id.amounts {
		for _, n := range amounts {
			all += of(n)
		}
	}
	for s, amounts := range id.amounts {
		languages := id.model.grams.Languages(grams.Script(s))
		for i, n := range amounts {
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

// long is how many bytes of a block are weighed by themselves at least where it has more than twice as many.
const long = 512

// together is how many bytes short blocks have at most that are weighed as one, such as the entries of a menu: each by itself says little.
const together = 160

// keptBlocks is how many blocks' memory is kept for the next page: a page of many must not cost it for ever.
const keptBlocks = 1000

// unexpected is the probability that a block is in a given language that the whole page does not look to be in.
const unexpected = 0.001

// label is how many letters a block has that counts half of what running text does for the language of the page; it falls with the third
// power of its letters, since a page may have a hundred menu items in the language of its template and one paragraph.
const label = 70
