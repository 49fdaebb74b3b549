package charset

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"

	"kavosh/lib/ascii"
)

// This file guesses a single-byte encoding from the bytes of a text.
//
// In Latin scripts, letters above ASCII occur singly among ASCII letters (café); in other scripts, whole words consist
// of them. That separates two families. In the second, each encoding turns the same bytes into other letters, and the
// right one yields the letters that are common in its script: alphabets lists them by frequency, and the encoding with
// the lowest mean rank wins.

// sample is how many bytes above ASCII are counted; more add nothing.
const sample = 1 << 16

// alphabet lists a script's letters from the most common to the rarest, as counted in the Universal Declaration of
// Human Rights (Persian, Arabic and Urdu together; Russian, Ukrainian, Bulgarian and Belarusian; Greek; Hebrew).
type alphabet string

const (
	arabic   alphabet = "ايومرلدنتکبهقسعحہےشفجةزخأصںئكآگضپإذطىغچظھءثؤٹڑژڈ"
	cyrillic alphabet = "аонеивтсрдлпкіяумбзычгцьжхюйўщшъэїєфёґ"
	greek    alphabet = "αιετονκρσηπςυίμδλθωέάήόγχώύξφβζψϊϋΐΰ"
	hebrew   alphabet = "ויהלאתבשרכדמעחםנזפסןקגצטףךץ"
)

// candidate is an encoding of the second family.
type candidate struct {
	name  string
	ranks [128]uint8 // rank of the letter that byte 0x80+i encodes; stranger if it is not a letter of the script
}

const (
	stranger = 50  // rank of what no text in the script contains
	neutral  = 255 // punctuation: no evidence
	readable = 17  // higher mean ranks are not text in the script
)

// candidates are sorted by how often we expect to meet them undeclared.
var candidates = [...]candidate{
	rank(persianName, charmap.Windows1256, arabic),
	rank("iso-8859-6", charmap.ISO8859_6, arabic),
	rank("windows-1251", charmap.Windows1251, cyrillic),
	rank("koi8-r", charmap.KOI8R, cyrillic),
	rank("windows-1253", charmap.Windows1253, greek),
	rank("windows-1255", charmap.Windows1255, hebrew),
}

func rank(name string, cm *charmap.Charmap, letters alphabet) candidate {
	c := candidate{name: name}
	order := map[rune]uint8{}
	for _, r := range string(letters) {
		order[r] = uint8(len(order))
	}
	for i := range c.ranks {
		r := cm.DecodeByte(byte(0x80 + i))
		n, known := order[unicode.ToLower(r)]
		switch {
		case known && unicode.IsUpper(r):
			c.ranks[i] = n + 4 // capitals are rarer
		case known:
			c.ranks[i] = n
		case r == utf8.RuneError || unicode.IsLetter(r) || unicode.IsControl(r):
			c.ranks[i] = stranger
		default:
			c.ranks[i] = neutral
		}
	}
	return c
}

// counts holds the counts of one pass over a text.
type counts struct {
	high        int      // bytes above ASCII
	runes, torn int      // complete UTF-8 sequences of several bytes, and other bytes above ASCII
	sprinkled   int      // bytes above ASCII next to an ASCII letter
	words       int      // … and in runs of two and more without one
	in          [128]int // how often each byte occurs in such runs
}

func survey(b []byte) counts {
	var s counts
	for i := 0; i < len(b) && s.high < sample; {
		if b[i] < 0x80 {
			i++
			continue
		}
		start := i
		for i < len(b) && b[i] >= 0x80 {
			if _, n := utf8.DecodeRune(b[i:]); n > 1 {
				s.runes++
				i += n
			} else if i+utf8.UTFMax > len(b) && !utf8.FullRune(b[i:]) {
				i = len(b) // the text was cut inside a letter
			} else {
				s.torn++
				i++
			}
		}
		run := b[start:i]
		s.high += len(run)
		switch {
		case start > 0 && ascii.IsLetter(b[start-1]) || i < len(b) && ascii.IsLetter(b[i]):
			s.sprinkled += len(run)
		case len(run) > 1:
			s.words += len(run)
			for _, c := range run {
				s.in[c-0x80]++
			}
		}
	}
	return s
}

// utf8 reports whether the text is UTF-8 except for a few broken letters, as after cutting texts by bytes.
func (s *counts) utf8() bool { return s.torn*20 <= s.runes }

// guess returns the likeliest encoding of a text that is neither UTF-8 nor declared.
func (s *counts) guess() string {
	if s.sprinkled > s.words {
		return latinName
	}
	best, mean := s.best()
	if mean > readable {
		return latinName
	}
	return best
}

// best returns the candidate with the lowest mean rank, and that rank. A few words prove little: then an earlier
// candidate wins unless a later one is clearly better.
func (s *counts) best() (name string, mean float64) {
	const clearly = 2
	mean = stranger
	for i := range candidates {
		if m := s.mean(&candidates[i]); m < mean-clearly {
			name, mean = candidates[i].name, m
		}
	}
	return name, mean
}

func (s *counts) mean(c *candidate) float64 {
	sum, n := 0, 0
	for i, k := range s.in {
		if r := c.ranks[i]; r != neutral {
			sum += k * int(r)
			n += k
		}
	}
	if n == 0 {
		return stranger
	}
	return float64(sum) / float64(n)
}

// betterThan reports whether the bytes clearly contradict the declared encoding: whole words in a script that the
// declared encoding cannot write.
func (s *counts) betterThan(declared string) bool {
	const proof = 24 // letters; with fewer, the declaration counts
	if s.words < proof || s.words < 4*s.sprinkled || eastAsian(declared) {
		return false
	}
	best, mean := s.best()
	if best == declared || mean > readable-3 {
		return false
	}
	for i := range candidates {
		if c := &candidates[i]; c.name == declared {
			return s.mean(c)-mean > 4
		}
	}
	switch declared {
	case latinName, "iso-8859-15", "windows-1254", "windows-1250", "iso-8859-2", "macintosh":
		return true
	}
	return false // encodings that we cannot judge
}
