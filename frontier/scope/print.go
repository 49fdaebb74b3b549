package scope

// This file makes the fingerprint of a page, which tells whether two pages hold the same apart from their links. It
// keeps no state.

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"slices"
	"strings"

	"kavosh/lib/ascii"
)

// Print is a fingerprint of all that a page holds but its links: two pages with the same one say, show and run the same.
// It is a sum over the words of the HTML as it is written, scripts and the URLs of pictures among them, in any order, so
// that a list that is only sorted otherwise is the same list. Left out is
//
//   - what href and action hold,
//   - in what people read, the random tokens of the page's own URL,
//   - what a server makes up for each request: times of the day, random tokens in value, content and nonce, comments,
//   - on a page that holds all the days of a month, a calendar: years, and the numbers of its URL and their neighbours.
//
// Other numbers count as any word: pages of data are told apart by them. It is 0 for a page of fewer than leastRead words
// that people read: it says too little. It reads payload once and keeps nothing of it.
func Print(payload []byte, url string) uint64 {
	own := ownWords(url)
	var letter [256]bool // a table is twice as fast as asking for each byte
	for c := range letter {
		letter[c] = inWord(byte(c))
	}
	var sum, times uint64    // times are what does not count in a calendar: years, numbers of the URL
	var days, repeats uint32 // bit n is set when n was met, and where it is in the URL too
	var first uint64         // of each of these, once
	said := 0                // words that people read
	tag, code := false, false
	read := 0 // people read what lies before it, although it is in a tag
	for i := 0; i < len(payload); {
		switch c := payload[i]; {
		case c == '<':
			if i++; bytes.HasPrefix(payload[i:], []byte("!--")) {
				i = skipComment(payload, i+3)
				continue
			}
			code, tag = beginsCode(payload[i:], code), true
			continue
		case !letter[c]:
			tag = tag && c != '>'
			i++
			continue
		}
		end := i // 8 bytes at once: most words are shorter
		for other := uint64(0); other == 0; end += bits.TrailingZeros64(other) / 8 {
			if end+8 > len(payload) {
				for end < len(payload) && letter[payload[end]] {
					end++
				}
				break
			}
			other = ^wordBytes(binary.LittleEndian.Uint64(payload[end:])) & eachHigh
		}
		word := payload[i:end]
		echo := !tag && !code || i < read
		i = end
		n, number := wordNumber(word)
		if number && i+1 < len(payload) && payload[i] == ':' && ascii.IsDigit(payload[i+1]) { // 23:59:01.5
			for i < len(payload) && (ascii.IsDigit(payload[i]) || payload[i] == ':' || payload[i] == '.') {
				i++
			}
			continue
		}
		if tag && i < len(payload) && payload[i] == '=' {
			end, what := attribute(payload, i+1, word)
			if what == link {
				i = end
				continue
			}
			if what == words {
				read = end
			}
		}
		if echo {
			said++
		}
		if !number {
			if h := wordHash(word); !echo || !own.has(h) {
				sum += h
			}
			continue
		}
		if n < 32 {
			days |= 1 << n
		}
		h := numberHash(n)
		switch {
		case echo && own.has(h):
			times += h
			if n < 32 && repeats>>n&1 == 0 {
				repeats, first = repeats|1<<n, first+h
			}
		case n >= 1300 && n < 2700:
			times += h
		default:
			sum += h
		}
	}
	switch {
	case said < leastRead:
		return 0
	case days&allDays == allDays:
		sum += first // the 3 of month=3 is one of its days as well
	default:
		sum += times
	}
	return max(sum, 2)
}

// beginsCode says whether what lies in the tag that rest begins, and behind it, is code, when before was what lay before it.
func beginsCode(rest []byte, before bool) bool {
	if len(rest) == 0 {
		return false
	}
	return rest[0] == 's' && (bytes.HasPrefix(rest, []byte("script")) || bytes.HasPrefix(rest, []byte("style"))) || before && rest[0] != '/'
}

// leastRead is how many words that people read a page must have for a print.
const leastRead = 4

// allDays are the days that each month has.
const allDays = 1<<29 - 2

// skipComment is where a comment ends that was begun before i.
func skipComment(b []byte, i int) int {
	for ; i+2 < len(b); i++ {
		if b[i] == '-' && b[i+1] == '-' && b[i+2] == '>' {
			return i + 3
		}
	}
	return len(b)
}

// What an attribute holds.
type holds int

const (
	data  holds = iota
	words       // that people read
	link        // or what is made up for each request: it does not count
)

// attribute says what an attribute of that name holds, and where its value ends, which begins at i.
func attribute(b []byte, i int, name []byte) (end int, what holds) {
	switch string(name) {
	case "href", "action":
		what = link
	case "value", "content", "nonce", "title", "alt":
		what = words
	default:
		return i, data
	}
	if i < len(b) && (b[i] == '"' || b[i] == '\'') {
		i++
		for end = i; end < len(b) && b[end] != b[i-1]; {
			end++
		}
	} else {
		for end = i; end < len(b) && b[end] > ' ' && b[end] != '>'; {
			end++
		}
	}
	if what == words && isChanging(b[i:end]) {
		what = link
	}
	return end, what
}

// maxOwn is how many words of a page's own URL its print leaves out.
const maxOwn = 64

// ownSet are the words of a URL.
type ownSet struct {
	some uint64 // a bit for each, to be asked first
	n    int
	all  [maxOwn]uint64
}

func (o *ownSet) add(h uint64) {
	if o.n < maxOwn {
		o.all[o.n] = h
		o.n++
		o.some |= 1 << (h & 63)
	}
}

func (o *ownSet) has(h uint64) bool {
	return o.some>>(h&63)&1 != 0 && slices.Contains(o.all[:o.n], h)
}

// ownWords are the random tokens of a URL's path and query, and its numbers with their neighbours.
func ownWords(url string) (o ownSet) {
	if _, rest, ok := strings.Cut(url, "://"); ok {
		url = rest
	}
	if at := strings.IndexAny(url, "/?"); at >= 0 {
		url = url[at:]
	}
	var room [64]byte
	for i := 0; i < len(url); {
		if !inWord(url[i]) {
			i++
			continue
		}
		end := i + 1
		for end < len(url) && inWord(url[end]) {
			end++
		}
		word := append(room[:0], url[i:min(end, i+len(room))]...)
		if n, ok := wordNumber(word); ok {
			o.add(numberHash(n))
			o.add(numberHash(n + 1))
			o.add(numberHash(n - 1))
		} else if isToken(word, 8) {
			o.add(wordHash(word))
		}
		i = end
	}
	return o
}

// inWord says that c is of a word: a letter or digit of ASCII, or of any letter beyond.
func inWord(c byte) bool {
	return c >= 0x80 || 'a' <= c|0x20 && c|0x20 <= 'z' || ascii.IsDigit(c) || c == '_'
}

// Eight bytes of 1, and of the highest bit.
const (
	eachOne  = 0x0101010101010101
	eachHigh = 0x80 * eachOne
)

// wordBytes is inWord for eight bytes: the highest bit of each one that is of a word is set.
func wordBytes(x uint64) uint64 {
	low := x &^ eachHigh
	small := low | 0x20*eachOne
	letter := (small + (0x80-'a')*eachOne) &^ (small + (0x80-'z'-1)*eachOne)
	digit := (low + (0x80-'0')*eachOne) &^ (low + (0x80-'9'-1)*eachOne)
	underscore := ^((low ^ '_'*eachOne) + 0x7F*eachOne)
	return (x | letter | digit | underscore) & eachHigh
}

// wordNumber reads a word of at most 18 digits: of ASCII, Persian or Arabic.
func wordNumber(w []byte) (n uint64, ok bool) {
	if len(w) > 36 || !ascii.IsDigit(w[0]) && w[0] != 0xDB && w[0] != 0xD9 {
		return 0, false
	}
	digits := 0
	for i := 0; i < len(w); i++ {
		switch c := w[i]; {
		case ascii.IsDigit(c):
			n = n*10 + uint64(c-'0')
		case c == 0xDB && i+1 < len(w) && 0xB0 <= w[i+1] && w[i+1] <= 0xB9: // U+06F0
			i++
			n = n*10 + uint64(w[i]-0xB0)
		case c == 0xD9 && i+1 < len(w) && 0xA0 <= w[i+1] && w[i+1] <= 0xA9: // U+0660
			i++
			n = n*10 + uint64(w[i]-0xA0)
		default:
			return 0, false
		}
		if digits++; digits > 18 {
			return 0, false
		}
	}
	return n, true
}

func numberHash(n uint64) uint64 { return fold(n^0xA0761D6478BD642F, 0xE7037ED1A0B428DB) }

// wordHash is the same on every machine. It multiplies once for each 8 bytes.
func wordHash(w []byte) uint64 {
	h := uint64(len(w)) ^ 0x8EBC6AF09C88C6E3
	for ; len(w) >= 8; w = w[8:] {
		h = fold(h^binary.LittleEndian.Uint64(w), 0x589965CC75374CC3)
	}
	var last uint64
	if cap(w) >= 8 { // what lies behind the word is masked away
		last = binary.LittleEndian.Uint64(w[:8]) & (1<<(8*len(w)) - 1)
	} else {
		for i, c := range w {
			last |= uint64(c) << (8 * i)
		}
	}
	return fold(h^last, 0x1D8E4E27C47D124F)
}

func fold(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	return hi ^ lo
}
