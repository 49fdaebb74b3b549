// Package lang identifies the language of a text or page.
//
// [Identifier.Identify] returns the possible languages of a text with their probabilities. [Identifier.Page] weighs the
// text of a page block by block and adds what the page declares, so a page in several languages gets a share for each.
// [Published] is the method of Azimzadeh, Yari and Aleahmad (2009) for Persian, for comparison.
//
// The script of the letters comes first: if only one language uses it, that is the answer. Other languages are told
// apart by naive Bayes over their letters, n-grams and words (package grams). Overlapping n-grams repeat each other, so
// the more evidence there is, the more its sum is reduced; this makes the probabilities realistic. Text that fits no
// language of its script better than their mean is "und", undetermined.
//
// Codes are those of BCP 47, with a script only if the language is more often written in another one: fa-Latn is
// Persian in Latin letters (Finglish), ku-Arab Kurmanji in Arabic ones, tg Tajik in Cyrillic. Dari is fa. The same text
// always gives exactly the same answer. docs/languages.md lists the languages and how well they are told apart.
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

// encoded is the model, made by tools/langmodel from the data in docs/data.md.
//
//go:embed model.bin
var encoded []byte

// Model holds what is known about languages. It serves any number of Identifiers.
type Model struct {
	grams   *grams.Model
	leaders leaders
}

// Load unpacks the built-in model. It takes some hundredths of a second and ten megabytes.
func Load() *Model {
	m, err := grams.Decode(encoded)
	if err != nil {
		panic("lang: the model built in cannot be read: " + err.Error())
	}
	return &Model{grams: m}
}

// Undetermined is the code of text in a language that is not known.
const Undetermined = "und"

// Language is a language code with a probability or share, from 0 to 1.
type Language struct {
	Code        string
	Probability float64
}

// Identifier identifies texts one after the other, for one goroutine. [Model.New] makes one.
type Identifier struct {
	model   *Model
	counter grams.Counter
	edges   grams.Edges
	priors  [grams.Scripts][]float64 // of the languages of each script, in nats
	scores  []float64
	found   []Language

	// About the current text:
	parts []part
	long  bool // it is read block by block, as a page
	text  sum  // of a text that is not a page

	// About the current text or page, for each script:
	letters  [grams.Scripts]int
	met      uint64 // bit set of the scripts with letters
	whole    [grams.Scripts]sum
	run      [grams.Scripts]run       // n-grams that do not make a leader yet
	declared [grams.Scripts][]float64 // evidence for each language by what the page declares, in nats
	expected [grams.Scripts][]float64 // evidence expected in a block, in nats
	amounts  [grams.Scripts][]amount  // how much text is in each language
	leaders  []leader
	blocks   []block
	tagged   []*amount // those of the declared language
	stands   int       // how many pieces the current one stands for
	pools    []pool
}

// sum is the evidence of n-grams for each language of a script, as in [grams.Counter.Sums].
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

func (s *sum) addTimes(t *sum, times float64) {
	for i, n := range t.says {
		s.says[i] += int32(float64(n) * times)
	}
	s.grams += int(float64(t.grams) * times)
}

// forget resets s for that number of languages.
func (s *sum) forget(languages int) {
	s.says, s.grams = zeros(s.says, languages), 0
}

// zeros returns n zeros, reusing the memory of s if it suffices.
func zeros[T any](s []T, n int) []T {
	s = slices.Grow(s[:0], n)[:n]
	clear(s)
	return s
}

// Codes returns the codes of all known languages, sorted.
func (m *Model) Codes() []string {
	codes := append([]string(nil), owners[:]...)
	for s := range grams.Scripts {
		codes = append(codes, m.grams.Languages(grams.Script(s))...)
	}
	slices.Sort(codes)
	codes = slices.Compact(codes)
	return slices.DeleteFunc(codes, func(c string) bool { return c == "" })
}

// New returns a new Identifier.
func (m *Model) New() *Identifier {
	id := &Identifier{model: m, counter: grams.Counter{Model: m.grams}}
	for s := range id.priors {
		languages := m.grams.Languages(grams.Script(s))
		for _, code := range languages {
			id.priors[s] = append(id.priors[s], prior(code))
		}
		if len(languages) >= many {
			id.priors[s] = append(id.priors[s], 0) // for the mean
		}
	}
	return id
}

// Identify returns the languages that most of the text may be in, the likeliest first, without those below 0.001;
// nothing for text without letters. The result is valid until the next call.
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

// Probability returns the probability that Identify would give to one language for most of the text.
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

// read reads a text and returns its scripts. They are valid until the next call.
func (id *Identifier) read(text string) []part {
	if id.long = len(text) > 2*long; id.long {
		id.begin()
		id.readBlocks(text, nil)
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

// sharesOfText returns the shares of a script's languages by what the counter read, with priors.
func (id *Identifier) sharesOfText(s grams.Script) []float64 {
	if id.long {
		return id.shares(s, &id.whole[s], id.priors[s])
	}
	id.text.says, id.text.grams = id.counter.Sums(id.text.says[:0], s)
	return id.shares(s, &id.text, id.priors[s])
}

// sort puts the likeliest languages first and drops the least likely.
func (id *Identifier) sort() {
	id.found = slices.DeleteFunc(id.found, func(l Language) bool { return l.Probability < 0.001 })
	slices.SortFunc(id.found, func(a, b Language) int {
		return cmp.Or(cmp.Compare(b.Probability, a.Probability), cmp.Compare(a.Code, b.Code))
	})
}

// add adds p to a language's probability. Only Undetermined can come from several scripts.
func (id *Identifier) add(code string, p float64) {
	for i := 0; code == Undetermined && i < len(id.found); i++ {
		if id.found[i].Code == code {
			id.found[i].Probability += p
			return
		}
	}
	id.found = append(id.found, Language{code, p})
}

// owners are the languages of scripts that (nearly) only one language uses.
var owners = [grams.Scripts]string{
	grams.Greek: "el", grams.Armenian: "hy", grams.Georgian: "ka", grams.Gurmukhi: "pa", grams.Gujarati: "gu", grams.Oriya: "or",
	grams.Tamil: "ta", grams.Telugu: "te", grams.Kannada: "kn", grams.Malayalam: "ml", grams.Sinhala: "si", grams.Thai: "th",
	grams.Lao: "lo", grams.Khmer: "km", grams.Hangul: "ko", grams.Kana: "ja", grams.Han: "zh", grams.Thaana: "dv", grams.Syriac: "syr",
	grams.Cherokee: "chr", grams.Syllabics: "iu", grams.Mongolian: "mn-Mong", grams.Tifinagh: "zgh", grams.OlChiki: "sat",
	grams.NKo: "nqo", grams.Myanmar: "my",
}

// weights returns how much text each script has, in letters of an alphabet: a syllable or Chinese character counts as
// several. Chinese characters among Japanese or Korean letters count for these.
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

// scripts yields the scripts in a bit set.
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
	// tempered: the sum of n n-grams counts as n to this power.
	tempered = 0.6
	// many is the least number of languages in a script for which their mean represents an unknown language: the mean of
	// two is close to both.
	many = 10
	// negligible is the distance from the likeliest language, in nats, below which a probability is not computed.
	negligible = -14
	// A rare language leads the common ones of its script by running nats an n-gram at least where it is running text; to
	// that comes what chance may take away, dispersion over the root of the n-grams.
	running    = 0.3
	dispersion = 2
	// unknown is by how many nats an n-gram the mean must lead the likeliest common language at least to count more.
	unknown = 0.1
)

// believable returns how much the evidence of a rare language must be to count in full. Less than that is as much as
// names give, which neighbours share and which encyclopaedias, of which rare languages are learned, are full of: then it
// counts no more than that of the common language before it, usual.
func (id *Identifier) believable(s grams.Script, t *sum) (usual, least int32) {
	usual = math.MinInt32
	if s != grams.Arabic {
		return usual, usual
	}
	for i, n := range t.says {
		if id.priors[s][i] > 0 {
			usual = max(usual, n)
		}
	}
	n := float64(t.grams)
	return usual, usual + int32(max(0, running*n-dispersion*math.Sqrt(n))*grams.PerNat)
}

// shares returns the probabilities of a script's languages (and of their mean, if it takes part) from the evidence of
// n-grams and the priors in nats. They are valid until the next call.
func (id *Identifier) shares(s grams.Script, t *sum, before []float64) []float64 {
	scores := append(id.scores[:0], before...) // the mean comes after the languages
	id.scores = scores
	scale := math.Pow(float64(max(t.grams, 1)), tempered-1) / grams.PerNat
	greatest := math.Inf(-1)
	usual, least := id.believable(s, t)
	for i, n := range t.says {
		if n > usual && n < least && id.priors[s][i] <= 0 {
			n = usual
		}
		scores[i] += float64(n) * scale
		if scores[i] > greatest {
			greatest = scores[i]
		}
	}
	if n := len(t.says); n < len(scores) {
		if s == grams.Arabic && usual < 0 && -float64(usual) < unknown*float64(t.grams)*grams.PerNat {
			scores[n] += float64(usual) * scale
		}
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

// prior returns the prior of a language relative to a rare one, in nats.
func prior(code string) float64 {
	switch {
	case common[code]:
		return math.Ln10 / 2
	case scarce[code]:
		return -math.Ln10 / 2
	}
	return 0
}

// scarce are languages with hardly any text on the web and no Wikipedia.
var scarce = map[string]bool{"bal": true, "bqi": true, "brh": true, "fa-Latn": true, "hac": true, "khw": true,
	"ku-Arab": true, "sdh": true, "trw": true}

// common are languages with many pages on the web; those in Arabic script as seen from their country.
var common = func() map[string]bool {
	set := map[string]bool{}
	for _, c := range strings.Fields(`fa ar ur ckb ps ug sd azb ar af az be bg bn bs ca cs da de el en es et eu fi fr gl he hi hr hu hy id is it
		ja ka kk ko lt lv mk mn mr ms nb ne nl nn pl pt ro ru sk sl sq sr sr-Latn sv sw ta te th fil tr uk uz vi zh`) {
		set[c] = true
	}
	return set
}()

// code returns the code for index i of scores: the one after the languages is the mean's.
func code(languages []string, i int) string {
	if i < len(languages) {
		return languages[i]
	}
	return Undetermined
}
