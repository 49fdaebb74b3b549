package lang

import (
	"math"
	"slices"
	"sync"

	"kavosh/lib/lang/grams"
)

// To add up what all words say for all languages is dear, and a page seldom changes its language: once its text says one by far, blocks
// that go on in it are confirmed by the edges of their words. All others are read in full, and may say another language by far.

// leader is a language that text of the page in one script was found to be in.
type leader struct {
	script    grams.Script
	language  int
	table     *grams.Leader
	run              // that it was found by
	confirmed amount // what goes on in it
}

// run is what blocks that were read in full say together, and how much text they have.
type run struct {
	sum
	amount
}

// forget makes it that of no block, for some languages.
func (r *run) forget(languages int) {
	r.sum.forget(languages)
	r.amount = amount{}
}

const (
	// enough is how many n-grams a language is found by at least.
	enough = 250
	// byFar is how much likelier it is than every other language of its script, and than none, in nats.
	byFar = 10
	// mostLeaders is how many languages of a page are confirmed.
	mostLeaders = 6
)

// leaders are those that were made, each when a text first needed it.
type leaders struct {
	mu struct {
		sync.Mutex
		made map[[2]int]*grams.Leader // by script and language
	}
}

// of is the one of a language.
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

// readInFull reads what the blocks from first on say, those aside that a leader confirms or that a script says the language of by itself.
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
		last := len(id.blocks) - 1 // its memory is used for another
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
		id.lead(b.script)
	}
}

// confirms is the leader that the words just read go on in; nil for none. The latest are likelier.
func (id *Identifier) confirms(s grams.Script) *leader {
	for i := len(id.leaders) - 1; i >= 0; i-- {
		if l := &id.leaders[i]; l.script == s && l.table.Confirms(&id.edges, s) {
			return l
		}
	}
	return nil
}

// lead makes a leader of the language that the latest blocks of a script say by far, if there is one.
func (id *Identifier) lead(s grams.Script) {
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
	for i := range id.leaders {
		if l := &id.leaders[i]; l.script == s && l.language == best {
			l.run.sum.add(&r.sum)
			l.run.plus(r.amount)
			r.forget(len(r.says))
			return
		}
	}
	if n := len(id.leaders); n < mostLeaders {
		id.leaders = slices.Grow(id.leaders, 1)[:n+1]
		l := &id.leaders[n]
		says := append(l.says[:0], r.says...) // the memory of one of a page before
		*l = leader{script: s, language: best, table: id.model.leaders.of(id.model.grams, s, best), run: run{sum{says, r.grams}, r.amount}}
	}
	r.forget(len(r.says))
}

// goOn lets text that was confirmed say what the text before it says.
func (id *Identifier) goOn() {
	for i := range id.leaders {
		l := &id.leaders[i]
		id.whole[l.script].addTimes(&l.sum, l.confirmed.text/l.text)
	}
}

// countConfirmed adds the text that was confirmed to what the page has of each language, and lets it say what the text before it says.
func (id *Identifier) countConfirmed() {
	for i := range id.leaders {
		l := &id.leaders[i]
		id.amounts[l.script][l.language].plus(l.confirmed)
		for j := range id.pools {
			if p := &id.pools[j]; p.script == l.script && p.language == l.language && p.text > 0 {
				p.addTimes(&p.sum, l.confirmed.text/p.text)
			}
		}
	}
}
