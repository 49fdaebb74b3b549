package grams

// This file splits text into words of one script each.

import "unicode/utf8"

// longest is how many letters of a word are processed together; longer words are split.
const longest = 30

// walker splits text into folded words of one script each, between spaces, and calls give. A word is valid until give
// returns.
type walker struct {
	give   func(script Script, word []uint16)
	word   [longest + 2]uint16 // the current word: a space, then n letters
	n      int
	script Script
}

func (w *walker) walk(text string) {
	for i := 0; i < len(text); {
		r, size := rune(text[i]), 1
		switch {
		case r < utf8.RuneSelf:
		case 0xC2 <= r && r <= 0xDF && i+1 < len(text) && text[i+1]&0xC0 == 0x80:
			r, size = r&0x1F<<6|rune(text[i+1]&0x3F), 2
		default:
			r, size = utf8.DecodeRuneInString(text[i:])
		}
		i += size
		if r < direct {
			if letter := folded[r]; letter != drop {
				w.letter(letter, scripts[r])
			}
			continue
		}
		letter, script, more := foldHigh(r)
		for _, r := range more {
			if r < direct && folded[r] > drop {
				w.letter(folded[r], scripts[r])
			}
		}
		if more == "" && letter != drop {
			w.letter(uint16(letter), script)
		}
	}
	w.end()
	w.script = None
}

// letter handles one more letter, or what separates words. A mark or letter common to all scripts belongs to the word
// before it.
func (w *walker) letter(letter uint16, script Script) {
	if script != w.script && (script != None || letter == part) || w.n == longest {
		w.end()
		w.script = script
	}
	if w.script != None {
		w.n++
		w.word[w.n] = letter
	}
}

func (w *walker) end() {
	if w.n > 0 {
		w.word[0], w.word[w.n+1] = ' ', ' '
		w.give(w.script, w.word[:w.n+2])
		w.n = 0
	}
}
