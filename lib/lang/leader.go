package lang

import (
	"math"
	"slices"
	"sync"

	"kavosh/lib/lang/grams"
)

// This file saves time on long pages. Adding up the evidence of all words for all languages is expensive, and a page
// seldom changes its language. Once a page's text clearly shows a language, later blocks are only confirmed by the
// edges of their words. Blocks that are not confirmed are read in full and may show another language.

// leader is a language that was found in text of one script on the page.
type leader struct {
	script    grams.Script
	language  int
	table     *grams.Leader
	run              // the blocks that showed it
	confirmed amount // text confirmed later
}

// run is the evidence of blocks that were read in full, with the amount of their text.
type run struct {
	sum
	amount
	first int // all of them are from this one on
}

// forget resets r for that number of languages.
func (r *run) forget(languages int) {
	r.sum.forget(languages)
	r.amount, r.first = amount{}, 0
}

const (
	// enough is the least number of n-grams to find a language.
	enough = 250
	// byFar is how much likelier, in nats, it must be than all other languages of its script and than none.
	byFar = 10
	// mostLeaders is the greatest number of leaders on a page.
	mostLeaders = 6
)

// leaders caches the leaders, each made when first needed.
type leaders struct {
	mu struct {
		sync.Mutex
		made map[[2]int]*grams.Leader // by script and language
	}
}

func (l *leaders) of(m *grams.Model, s grams.Script, language int) *grams.Leader {
	l.mu.Lock()
	defer l.mu.Unlock()
	key := [2]int{int(s), language}
	made := l.mu.made[key]
	if made == nil {
		if l.mu.made == nil {
			l.mu.made = map[[2]int]*grams.Leader{}
		}
		made = m.Leader(s, language)
		l.mu.made[key] = made
	}
	return made
}

// readInFull reads the blocks from first on, except those that a leader confirms or whose script has only one language.
func (id *Identifier) readInFull(text string, first int) {
	for i := len(id.blocks) - 1; i >= first; i-- {
		b := &id.blocks[i]
		if len(id.priors[b.script]) == 0 {
			id.amounts[b.script][0].plus(b.amount)
		} else if l := id.confirms(b.script); l != nil {
			l.confirmed.plus(b.amount)
		} else {
			continue
		}
		last := len(id.blocks) - 1 // its memory is reused
		id.blocks[i], id.blocks[last] = id.blocks[last], id.blocks[i]
		id.blocks = id.blocks[:last]
	}
	if len(id.blocks) == first {
		return
	}
	id.counter.Reset()
	id.counter.Add(text)
	for i := range id.blocks[first:] {
		b := &id.blocks[first+i]
		b.says, b.grams = id.counter.Sums(b.says[:0], b.script)
		id.whole[b.script].add(&b.sum)
		r := &id.run[b.script]
		r.sum.add(&b.sum)
		r.plus(b.amount)
		id.lead(b.script, first+i+1)
	}
}

// confirms returns the leader that confirms the words just read; nil if none does. It tries the latest first.
func (id *Identifier) confirms(s grams.Script) *leader {
	for i := len(id.leaders) - 1; i >= 0; i-- {
		if l := &id.leaders[i]; l.script == s && l.table.Confirms(&id.edges, s) {
			return l
		}
	}
	return nil
}

// lead makes a leader if the latest of the blocks read so far clearly show a language of a script.
func (id *Identifier) lead(s grams.Script, read int) {
	r := &id.run[s]
	if r.grams < enough || r.text == 0 {
		return
	}
	best, second := 0, int32(0)
	for i, n := range r.says {
		if n > r.says[best] {
			best = i
		}
	}
	for i, n := range r.says {
		if i != best {
			second = max(second, n)
		}
	}
	if float64(r.says[best]-second)*math.Pow(float64(r.grams), tempered-1) < byFar*grams.PerNat {
		return
	}
	if _, least := id.believable(s, &r.sum); id.priors[s][best] <= 0 && r.says[best] < least {
		return
	}
	at := slices.IndexFunc(id.leaders, func(l leader) bool { return l.script == s && l.language == best })
	if n := len(id.leaders); at < 0 && n < mostLeaders {
		at = n
		id.leaders = slices.Grow(id.leaders, 1)[:n+1]
		l := &id.leaders[n]
		says := l.says // memory from an earlier page
		*l = leader{script: s, language: best, table: id.model.leaders.of(id.model.grams, s, best), run: run{sum: sum{says: says}}}
		l.forget(len(r.says))
	}
	if at >= 0 {
		l := &id.leaders[at]
		l.sum.add(&r.sum)
		l.plus(r.amount)
	}
	for i := range id.blocks[r.first:read] {
		if b := &id.blocks[r.first+i]; b.script == s {
			b.led = at + 1
		}
	}
	r.forget(len(r.says))
	r.first = read
}

// goOn treats confirmed text like the text before it.
func (id *Identifier) goOn() {
	for i := range id.leaders {
		l := &id.leaders[i]
		id.whole[l.script].addTimes(&l.sum, l.confirmed.text/l.text)
	}
}

// countConfirmed adds the confirmed text to the page's amount of each language.
func (id *Identifier) countConfirmed() {
	for i := range id.leaders {
		l := &id.leaders[i]
		id.amounts[l.script][l.language].plus(l.confirmed)
	}
}
