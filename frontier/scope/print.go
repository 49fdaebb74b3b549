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

// Print returns a fingerprint of all that a page holds apart from its links: two pages with the same Print say, show
// and run the same. It is a sum over the words of the HTML as it is written, including scripts and the URLs of
// pictures. The order of words does not matter, so a list that is only sorted in another way is the same list. It
// leaves out
//
//   - what href and action hold,
//   - in what people read: the random tokens of the page's own URL,
//   - what a server makes up for each request: times of day, random tokens in value, content and nonce, comments,
//   - on a page that holds all the days of a month, a calendar: years, and the numbers of its URL and their neighbours.
//
// Other numbers count like any word, because pages of data differ in them. Print returns 0 for a page with fewer than
// leastRead words that people read: such a page says too little. It reads payload once and keeps nothing of it.
func Print(payload []byte, url string) uint64 {
	own := ownWords(url)
	var letter [256]bool // a table is twice as fast as a call for each byte
	for c := range letter {
		letter[c] = inWord(byte(c))
	}
	var sum, times uint64    // times are the words that do not count in a calendar: years, numbers of the URL
	var days, repeats uint32 // bit n of days is set if the number n was met; bit n of repeats, if it is in the URL too
	var first uint64         // the sum over each of these numbers, once
	said := 0                // words that people read
	tag, code := false, false
	read := 0 // people read what is before this place, although it is in a tag
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
		end := i // 8 bytes at once, as most words are shorter
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
		sum += first // the 3 of month=3 is also one of the days
	default:
		sum += times
	}
	return max(sum, 2)
}

// beginsCode reports whether the text in and after the tag that rest begins is code (a script or a style). before
// reports the same about the text before the tag.
func beginsCode(rest []byte, before bool) bool {
	if len(rest) == 0 {
		return false
	}
	return rest[0] == 's' && (bytes.HasPrefix(rest, []byte("script")) || bytes.HasPrefix(rest, []byte("style"))) || before && rest[0] != '/'
}

// leastRead is how many words that people read a page must have for a Print.
const leastRead = 4

// allDays has the bits of the days that each month has, 1 to 28.
const allDays = 1<<29 - 2

// skipComment returns where the comment ends that began before i.
func skipComment(b []byte, i int) int {
	for ; i+2 < len(b); i++ {
		if b[i] == '-' && b[i+1] == '-' && b[i+2] == '>' {
			return i + 3
		}
	}
	return len(b)
}

// holds says what an attribute holds.
type holds int

const (
	data  holds = iota // words that people do not read
	words              // words that people read
	link               // a link, or what is made up for each request: it does not count
)

// attribute returns what the attribute with that name holds, and where its value ends. The value begins at i.
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

// maxOwn is how many words of a page's own URL its Print may leave out.
const maxOwn = 64

// ownSet is a set of hashes of words in the page's own URL.
type ownSet struct {
	some uint64 // one bit for each hash, for a quick first test
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

// ownWords returns the random tokens in a URL's path and query, and the numbers there with their neighbours.
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

// inWord reports whether the byte c belongs to a word: an ASCII letter or digit, an underscore, or a byte of any
// character beyond ASCII.
func inWord(c byte) bool {
	return c >= 0x80 || 'a' <= c|0x20 && c|0x20 <= 'z' || ascii.IsDigit(c) || c == '_'
}

// Eight bytes that are all 1, and eight bytes of which each has only its highest bit.
const (
	eachOne  = 0x0101010101010101
	eachHigh = 0x80 * eachOne
)

// wordBytes is inWord for eight bytes at once. It sets the highest bit of each byte that belongs to a word.
func wordBytes(x uint64) uint64 {
	low := x &^ eachHigh
	small := low | 0x20*eachOne
	letter := (small + (0x80-'a')*eachOne) &^ (small + (0x80-'z'-1)*eachOne)
	digit := (low + (0x80-'0')*eachOne) &^ (low + (0x80-'9'-1)*eachOne)
	underscore := ^((low ^ '_'*eachOne) + 0x7F*eachOne)
	return (x | letter | digit | underscore) & eachHigh
}

// wordNumber returns the number that a word is: at most 18 digits, which may be ASCII, Persian or Arabic ones.
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

// numberHash returns the hash of a number, however its digits are written.
func numberHash(n uint64) uint64 { return fold(n^0xA0761D6478BD642F, 0xE7037ED1A0B428DB) }

// wordHash returns the hash of a word. It is the same on every machine. It multiplies once for each 8 bytes.
func wordHash(w []byte) uint64 {
	h := uint64(len(w)) ^ 0x8EBC6AF09C88C6E3
	for ; len(w) >= 8; w = w[8:] {
		h = fold(h^binary.LittleEndian.Uint64(w), 0x589965CC75374CC3)
	}
	var last uint64
	if cap(w) >= 8 { // the mask takes away what is behind the word
		last = binary.LittleEndian.Uint64(w[:8]) & (1<<(8*len(w)) - 1)
	} else {
		for i, c := range w {
			last |= uint64(c) << (8 * i)
		}
	}
	return fold(h^last, 0x1D8E4E27C47D124F)
}

// fold multiplies a and b and joins both halves of the product.
func fold(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	return hi ^ lo
}
