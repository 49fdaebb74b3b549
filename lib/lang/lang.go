// Package lang says in which language a text or a page is written.
//
// [Identifier.Identify] gives the languages that a text may be in, each with its probability; [Identifier.Page] weighs the
// text of a page block by block, so that a page in several languages gives a share of each, together with what the page
// declares. [Published] is the method of Azimzadeh, Yari and Aleahmad (2009) for Persian, to compare with.
//
// A letter's script comes first: where one language owns it, that is the answer. The languages of the others are told apart
// by naive Bayes over their letters, n-grams and words (package grams), with the evidence made less of the more of it there
// is, since n-grams that overlap repeat each other: that is what makes probabilities of its sums. Text that is likelier in no language of
// its script than in their mean is "und", undetermined.
//
// Codes are those of BCP 47, with a script only where the language is written in a commoner one too: fa-Latn is Persian in
// Latin letters (Finglish), ku-Arab Kurmanji in Arabic ones, tg Tajik in Cyrillic. Dari is fa. The same text gives the same
// answer, to the last bit. docs/languages.md has the languages and how well they are told apart.
package lang

import (
	"cmp"
	_ "embed"
	"iter"
	"math"
	"math/bits"
	"slices"
	"strings"

	"kavosh/lib/lang/grams"
)

// encoded is the model, which tools/langmodel makes; docs/data.md tells of what.
//
//go:embed model.bin
var encoded []byte

// Model is what is known of languages. One serves any number of Identifiers.
type Model struct {
	grams   *grams.Model
	leaders leaders
}

// Load unpacks the model that is built in, which takes some hundredths of a second and ten megabytes.
func Load() *Model {
	m, err := grams.Decode(encoded)
	if err != nil {
		panic("lang: the model built in cannot be read: " + err.Error())
	}
	return &Model{grams: m}
}

// Undetermined is the code of text in a language that is not known.
const Undetermined = "und"

// Language is a language with what is said of it: a probability or a share, from 0 to 1.
type Language struct {
	Code        string
	Probability float64
}

// Identifier reads texts one after the other, for one goroutine. [Model.New] makes it.
type Identifier struct {
	model   *Model
	counter grams.Counter
	edges   grams.Edges
	priors  [grams.Scripts][]float64 // in nats, for the scores of each script
	scores  []float64
	found   []Language

	// Of the text that is being read:
	parts []part
	long  bool // it is read block by block, as a page
	text  sum  // of one that is not

	// Of the text or page that is being read, for each script:
	letters  [grams.Scripts]int
	met      uint64 // the scripts that have some, a bit each
	whole    [grams.Scripts]sum
	run      [grams.Scripts]run       // what says no leader yet
	declared [grams.Scripts][]float64 // how likely its languages are by what the page declares, in nats
	expected [grams.Scripts][]float64 // how likely they are in a block, in nats
	amounts  [grams.Scripts][]amount  // how much is in each
	leaders  []leader
	blocks   []block
	pools    []pool
}

// sum is what n-grams say for each language of a script, as in [grams.Counter.Sums].
type sum struct {
	says  []int32
	grams int
}

func (s *sum) add(t *sum) {
	to := s.says[:len(t.says)]
	for i, n := range t.says {
		to[i] += n
	}
	s.grams += t.grams
}

// addTimes adds what t says some times over.
func (s *sum) addTimes(t *sum, times float64) {
	for i, n := range t.says {
		s.says[i] += int32(float64(n) * times)
	}
	s.grams += int(float64(t.grams) * times)
}

// forget makes it that of no text, for some languages.
func (s *sum) forget(languages int) {
	s.says, s.grams = zeros(s.says, languages), 0
}

// zeros are n zeros, in the memory of s if they fit.
func zeros[T any](s []T, n int) []T {
	s = slices.Grow(s[:0], n)[:n]
	clear(s)
	return s
}

// Codes are the languages that are known, sorted.
func (m *Model) Codes() []string {
	codes := append([]string(nil), owners[:]...)
	for s := range grams.Scripts {
		codes = append(codes, m.grams.Languages(grams.Script(s))...)
	}
	slices.Sort(codes)
	codes = slices.Compact(codes)
	return slices.DeleteFunc(codes, func(c string) bool { return c == "" })
}

// New is an Identifier that has read nothing.
func (m *Model) New() *Identifier {
	id := &Identifier{model: m, counter: grams.Counter{Model: m.grams}}
	for s := range id.priors {
		languages := m.grams.Languages(grams.Script(s))
		for _, code := range languages {
			id.priors[s] = append(id.priors[s], prior(code))
		}
		if len(languages) >= many {
			id.priors[s] = append(id.priors[s], 0) // of the mean
		}
	}
	return id
}

// Identify gives the languages that most of the text may be in, the likeliest first, those below a thousandth left out;
// nothing for text without letters. What it returns is valid until the next call.
func (id *Identifier) Identify(text string) []Language {
	id.found = id.found[:0]
	for _, p := range id.read(text) {
		languages := id.model.grams.Languages(p.script)
		if len(languages) == 0 {
			id.add(owners[p.script], p.probability)
			continue
		}
		for i, share := range id.sharesOfText(p.script) {
			if q := p.probability * share; q >= 1e-6 {
				id.add(code(languages, i), q)
			}
		}
	}
	id.sort()
	return id.found
}

// Probability is that of one language that is known for most of the text, as Identify gives it.
func (id *Identifier) Probability(text, language string) (probability float64) {
	for _, p := range id.read(text) {
		if owners[p.script] == language {
			probability += p.probability
		} else if i := slices.Index(id.model.grams.Languages(p.script), language); i >= 0 {
			probability += p.probability * id.sharesOfText(p.script)[i]
		}
	}
	return min(probability, 1)
}

// part is the probability that most of a text is in a script.
type part struct {
	script      grams.Script
	probability float64
}

// read reads a text and gives the scripts it has. They are valid until the next call.
func (id *Identifier) read(text string) []part {
	if id.long = len(text) > 2*long; id.long {
		id.begin()
		id.readBlocks(text)
		id.goOn()
	} else {
		id.counter.Reset()
		id.counter.Add(text)
		id.letters, id.met = id.counter.Letters, id.counter.Met
	}
	weights := weights(&id.letters, id.met)
	id.parts = id.parts[:0]
	all := 0.0
	for s := range scripts(id.met) {
		if w := weights[s] * weights[s]; w > 0 {
			id.parts = append(id.parts, part{s, w})
			all += w
		}
	}
	for i := range id.parts {
		id.parts[i].probability /= all
	}
	return id.parts
}

// sharesOfText are the shares of a script's languages by what the counter read, and by how likely each was before.
func (id *Identifier) sharesOfText(s grams.Script) []float64 {
	if id.long {
		return id.shares(&id.whole[s], id.priors[s])
	}
	id.text.says, id.text.grams = id.counter.Sums(id.text.says[:0], s)
	return id.shares(&id.text, id.priors[s])
}

// sort puts the likeliest languages first and drops the least likely.
func (id *Identifier) sort() {
	id.found = slices.DeleteFunc(id.found, func(l Language) bool { return l.Probability < 0.001 })
	slices.SortFunc(id.found, func(a, b Language) int {
		return cmp.Or(cmp.Compare(b.Probability, a.Probability), cmp.Compare(a.Code, b.Code))
	})
}

// add gives a language more probability. Only what is undetermined can be so in several scripts.
func (id *Identifier) add(code string, p float64) {
	for i := 0; code == Undetermined && i < len(id.found); i++ {
		if id.found[i].Code == code {
			id.found[i].Probability += p
			return
		}
	}
	id.found = append(id.found, Language{code, p})
}

// owners are the languages of the scripts that belong to one, or nearly.
var owners = [grams.Scripts]string{
	grams.Greek: "el", grams.Armenian: "hy", grams.Georgian: "ka", grams.Gurmukhi: "pa", grams.Gujarati: "gu", grams.Oriya: "or",
	grams.Tamil: "ta", grams.Telugu: "te", grams.Kannada: "kn", grams.Malayalam: "ml", grams.Sinhala: "si", grams.Thai: "th",
	grams.Lao: "lo", grams.Khmer: "km", grams.Hangul: "ko", grams.Kana: "ja", grams.Han: "zh", grams.Thaana: "dv", grams.Syriac: "syr",
	grams.Cherokee: "chr", grams.Syllabics: "iu", grams.Mongolian: "mn-Mong", grams.Tifinagh: "zgh", grams.OlChiki: "sat",
	grams.NKo: "nqo", grams.Myanmar: "my",
}

// weights are how much text of each script that was met there is, in letters of an alphabet: a syllable or a Chinese sign stands for
// several. Chinese signs among Japanese or Korean ones belong to them.
func weights(letters *[grams.Scripts]int, met uint64) (w [grams.Scripts]float64) {
	for s := range scripts(met) {
		w[s] = float64(letters[s])
	}
	w[grams.Hangul] *= 2.5
	w[grams.Han] *= 3
	w[grams.Kana] *= 2
	for _, s := range [...]grams.Script{grams.Kana, grams.Hangul} {
		if w[s]*10 > w[grams.Han] {
			w[s], w[grams.Han] = w[s]+w[grams.Han], 0
		}
	}
	return w
}

// scripts walks over those of a set.
func scripts(set uint64) iter.Seq[grams.Script] {
	return func(yield func(grams.Script) bool) {
		for ; set != 0; set &= set - 1 {
			if !yield(grams.Script(bits.TrailingZeros64(set))) {
				return
			}
		}
	}
}

const (
	// tempered says how much the sum of n n-grams counts: as n to this power.
	tempered = 0.6
	// many is from how many languages of a script on their mean stands for one that is not known: that of two is near to both.
	many = 10
	// negligible is how much less likely than the likeliest a language is not worth its logarithm's inverse, in nats.
	negligible = -14
)

// shares are the probabilities of a script's languages, and of their mean where that takes part, by what n-grams say and how
// likely each was before, in nats. They are valid until the next call.
func (id *Identifier) shares(t *sum, before []float64) []float64 {
	scores := append(id.scores[:0], before...) // what comes after the languages is the mean
	id.scores = scores
	scale := math.Pow(float64(max(t.grams, 1)), tempered-1) / grams.PerNat
	greatest := math.Inf(-1)
	for i, n := range t.says {
		scores[i] += float64(n) * scale
		if scores[i] > greatest {
			greatest = scores[i]
		}
	}
	if n := len(t.says); n < len(scores) {
		greatest = max(greatest, scores[n])
	}
	all := 0.0
	for i, score := range scores {
		if score -= greatest; score < negligible {
			scores[i] = 0
			continue
		}
		scores[i] = math.Exp(score)
		all += scores[i]
	}
	for i := range scores {
		scores[i] /= all
	}
	return scores
}

// prior is how much likelier a language is than a rare one before anything is read, in nats.
func prior(code string) float64 {
	switch {
	case common[code]:
		return math.Ln10 / 2
	case scarce[code]:
		return -math.Ln10 / 2
	}
	return 0
}

// scarce are those that hardly anything on the web is written in; they have no Wikipedia.
var scarce = map[string]bool{"bal": true, "bqi": true, "brh": true, "fa-Latn": true, "hac": true, "khw": true, "ku-Arab": true, "sdh": true, "trw": true}

// common are the languages that have many pages on the web, those of Arabic script as seen from the country that they
// are written in.
var common = func() map[string]bool {
	set := map[string]bool{}
	for _, c := range strings.Fields(`fa ar ur ckb ps ug sd azb ar af az be bg bn bs ca cs da de el en es et eu fi fr gl he hi hr hu hy id is it
		ja ka kk ko lt lv mk mn mr ms nb ne nl nn pl pt ro ru sk sl sq sr sr-Latn sv sw ta te th fil tr uk uz vi zh`) {
		set[c] = true
	}
	return set
}()

// code is that of a score: the one after the last language's is the mean's.
func code(languages []string, i int) string {
	if i < len(languages) {
		return languages[i]
	}
	return Undetermined
}
