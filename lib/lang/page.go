package lang

// This file identifies the languages of a page, block by block.

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"kavosh/lib/lang/grams"
)

// Page is what is known of a page to identify its languages.
type Page struct {
	Title   string
	Text    string   // one block per line
	Linked  []int    // how many bytes of each line are links; nil if it is not known
	Tags    []string // declared language tags, the most trusted first
	Charset string   // WHATWG name of its charset; "" if unknown
}

// Verdict has the languages of a page.
type Verdict struct {
	Languages []Language // possible languages of the page, by its running text, the likeliest first
	Shares    []Language // of the text, by letters, the greatest first
	Letters   int        // number of letters; of a long text an estimate
}

// These say how much likelier a language becomes, in nats: by a tag that names it, which is right on nine of ten pages but copied
// from templates on others; and by a charset that was made for it.
var (
	byTag     = math.Log(20)
	byCharset = math.Log(3)
)

// tagWeight is how much more the text in the declared language counts where a page has text in several scripts or
// languages: it decides where they are about as much.
const tagWeight = 1.5

// DeclaredAlone is the probability of the language that a page without text declares.
const DeclaredAlone = 0.9

// few is the greatest number of Latin letters that say nothing against a declared language of another script: a title
// such as "A" or "Untitled Document" over frames or pictures.
const few = 20

// Page returns the languages of a page. It judges each block by itself, with the languages of the whole page as
// expectation. Then it adds what the page declares, which decides if there is little text and counts little if there is
// much. The text is read once: the evidence of the blocks adds up to that of the whole.
func (id *Identifier) Page(p Page) Verdict {
	var v Verdict
	id.begin()
	id.readBlocks(p.Title, nil)
	id.readBlocks(p.Text, p.Linked)
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
	id.tagged = id.tagged[:0]
	for s, n := range id.letters {
		if n == 0 {
			continue
		}
		id.declare(grams.Script(s), declared, p.Charset)
		id.expected[s] = id.expected[s][:0]
		for i, share := range id.shares(grams.Script(s), &id.whole[s], id.declared[s]) {
			id.expected[s] = append(id.expected[s], id.priors[s][i]+math.Log(share+unexpected))
		}
	}
	id.pools = id.pools[:0]
	for i := range id.blocks {
		id.weigh(&id.blocks[i])
	}
	id.countConfirmed()
	for _, n := range id.tagged {
		n.running *= tagWeight
	}
	v.Shares = slices.Clone(id.partsOf(func(n amount) float64 { return n.text }, 1))
	v.Languages = slices.Clone(id.partsOf(func(n amount) float64 { return n.running }, 3))
	for i := range v.Languages {
		l := &v.Languages[i]
		l.Probability = min(l.Probability, id.alone(l.Code))
	}
	if v.Letters <= few && id.met == 1<<grams.Latin && !slices.Contains(id.model.grams.Languages(grams.Latin), declared) &&
		slices.Contains(id.model.Codes(), declared) {
		for i := range v.Languages {
			v.Languages[i].Probability *= 1 - DeclaredAlone
		}
		v.Languages = append(v.Languages, Language{declared, DeclaredAlone})
	}
	slices.SortStableFunc(v.Languages, func(a, b Language) int { return cmp.Compare(b.Probability, a.Probability) })
	return v
}

// block is the evidence of a block of a page, or of several adjacent short ones, in one script.
type block struct {
	script grams.Script
	amount
	sum
	led int // 1 + index of the leader of whose run it is part; 0 if of none
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

// readBlocks reads a text of which linked says, for each line, how many bytes are links; nil if it is not known. Beyond
// its beginning it reads one piece in sampled, which stands for those around it.
func (id *Identifier) readBlocks(text string, linked []int) {
	rest := max(0, len(text)-unsampled)
	for read, piece := 0, 0; text != ""; read++ {
		id.edges.Reset()
		skip := false
		if id.stands = 1; len(text) <= rest {
			// each time another one in turn, so that languages that take turns are all met
			skip = piece%sampled != piece/sampled%sampled
			id.stands = sampled
			piece++
		}
		first, size := len(id.blocks), 0
		for size < len(text) {
			end := len(text)
			if read < mostBlocks {
				end = size + blockEnd(text[size:])
			}
			if end > together && size > 0 {
				break
			}
			if !skip {
				id.readBlock(text[size:end], first, len(linked) > 0 && 2*linked[0] < end-size)
			}
			if len(linked) > 0 && text[end-1] == '\n' {
				linked = linked[1:]
			}
			size = end
		}
		if !skip {
			id.readInFull(text[:size], first)
		}
		text = text[size:]
	}
}

// blockEnd returns the end of the first block of text. A long block is split after some of its words, so that not all
// of it must be read in full.
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

// readBlock reads one block and adds its text in each script to the blocks from first on. plain says that it is known
// not to be links.
func (id *Identifier) readBlock(text string, first int, plain bool) {
	e := &id.edges
	e.Add(text)
	id.met |= e.Met
	weights := weights(&e.Letters, e.Met)
	size := 0.0
	for s := range scripts(e.Met) {
		id.letters[s] += id.stands * e.Letters[s]
		size += weights[s]
	}
	for s := range scripts(e.Met) {
		id.blockOf(s, first).amount.add(float64(id.stands)*weights[s], size, plain)
	}
}

func (id *Identifier) blockOf(s grams.Script, first int) *block {
	for i := range id.blocks[first:] {
		if b := &id.blocks[first+i]; b.script == s {
			return b
		}
	}
	if n := len(id.blocks); n < cap(id.blocks) { // memory from an earlier page
		id.blocks = id.blocks[:n+1]
	} else {
		id.blocks = append(id.blocks, block{})
	}
	b := &id.blocks[len(id.blocks)-1]
	b.script, b.amount, b.led = s, amount{}, 0
	return b
}

// declare computes the evidence, in nats, for the languages of a script from what a page declares.
func (id *Identifier) declare(s grams.Script, tag, charset string) {
	languages := id.model.grams.Languages(s)
	id.declared[s] = append(id.declared[s][:0], id.priors[s]...)
	for i, code := range languages {
		if tag != "" && strings.HasPrefix(code, tag) && (len(code) == len(tag) || code[len(tag)] == '-') {
			id.declared[s][i] += byTag
			if tag != "en" { // which templates say of themselves
				id.tagged = append(id.tagged, &id.amounts[s][i])
			}
		}
		if charset == "windows-1256" && (code == "fa" || code == "ar" || code == "ur") {
			id.declared[s][i] += byCharset
		}
	}
}

// amount is how much of a page is in a language.
type amount struct {
	text    float64 // in letters
	running float64 // the same, with less weight for short blocks
}

// add adds the letters that a block has in one script; size is its number of letters in all scripts.
func (n *amount) add(letters, size float64, plain bool) {
	if plain {
		size *= 2
	}
	size /= label
	size *= size * size
	n.text += letters
	n.running += letters * max(size/(size+1), lightest)
}

func (n *amount) plus(m amount) {
	n.text += m.text
	n.running += m.running
}

// pool is the total evidence of all blocks that were read in full and whose likeliest language is the same.
type pool struct {
	script   grams.Script
	language int
	text     float64 // in letters, without that of a leader's run
	sum
}

// weigh adds a block's text to the page's amounts, and to the pool of its likeliest language.
func (id *Identifier) weigh(b *block) {
	amounts := id.amounts[b.script]
	if len(b.says) == 0 {
		amounts[0].text += b.text
		amounts[0].running += b.running
		return
	}
	best, most := 0, 0.0
	for i, share := range id.shares(b.script, &b.sum, id.expected[b.script]) {
		if share == 0 {
			continue
		}
		amounts[i].text += b.text * share
		amounts[i].running += b.running * share
		if share > most {
			best, most = i, share
		}
	}
	letters := b.text
	if b.led > 0 && id.leaders[b.led-1].language == best {
		letters = 0
	}
	for i := range id.pools {
		if p := &id.pools[i]; p.script == b.script && p.language == best {
			p.add(&b.sum)
			p.text += letters
			return
		}
	}
	id.pools = append(id.pools, pool{b.script, best, letters, sum{slices.Clone(b.says), b.grams}})
}

// alone returns the probability of a language by the evidence of its own blocks, without expectation. Blocks that
// expect the language of the whole page would count it twice, and would seem surer than they are. What a leader's run
// showed holds for the run and for what was confirmed, however much it is; the others are a kind of their own, for which
// the confirmed ones cannot speak, and which cannot speak for these.
func (id *Identifier) alone(language string) float64 {
	sure, text := 0.0, 0.0
	add := func(s grams.Script, l int, t *sum, letters float64) {
		if code(id.model.grams.Languages(s), l) == language {
			sure += letters * id.shares(s, t, id.declared[s])[l]
			text += letters
		}
	}
	for i := range id.leaders {
		l := &id.leaders[i]
		add(l.script, l.language, &l.sum, l.text+l.confirmed.text)
	}
	for i := range id.pools {
		p := &id.pools[i]
		add(p.script, p.language, &p.sum, p.text)
	}
	if text == 0 {
		return 1
	}
	return sure / text
}

// partsOf returns the languages' parts of a whole, each raised to a power. They are valid until the next call.
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

// mostBlocks is how many blocks of a page are weighed separately; the rest is weighed as one. So a page of a million
// lines does not take a million times as long as one line.
const mostBlocks = 5000

// long is the least number of bytes of a block that are weighed separately, if the block has more than twice as many.
const long = 512

// together is the greatest size, in bytes, of short blocks that are weighed as one, such as the entries of a menu: each
// alone says little.
const together = 160

// lightest is the weight of the shortest blocks, so that a page that has no others is judged by their letters.
const lightest = 0.01

// unsampled is how many bytes at a text's beginning are read whole; of the rest, one piece in sampled is.
const (
	unsampled = 6 << 10
	sampled   = 4
)

// keptBlocks is how many blocks' memory is kept for the next page, so that a page with many does not hold it for ever.
const keptBlocks = 1000

// unexpected is the probability that a block is in a given language that the page as a whole does not seem to be in.
const unexpected = 0.001

// label is the number of letters with which a block counts half as much as running text for the language of the page.
// The weight falls with the third power of the letters, because a page may have a hundred menu items in its template's
// language and one paragraph. A block that is known not to be links is no menu item and counts half as much with half as
// many: a verse, a heading, an item of a list.
const label = 70
