package order

import (
	"math/bits"
	"unicode"
	"unicode/utf8"
)

// hash is FNV-1a of s, finished by the mixing steps of SplitMix64 so that all of its bits are good.
func hash(s string) uint64 {
	h := uint64(fnvOffset)
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * fnvPrime
	}
	return mix64(h)
}

const (
	fnvOffset = 14695981039346656037
	fnvPrime  = 1099511628211
)

func mix64(h uint64) uint64 {
	h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
	h = (h ^ h>>27) * 0x94d049bb133111eb
	return h ^ h>>31
}

// joined is the hash of two hashes, in order.
func joined(a, b uint64) uint64 { return mix64(bits.RotateLeft64(a, 17) ^ b*fnvPrime) }

// uniform is a number from 0 to below 1 that url and seed alone decide.
func uniform(url string, seed uint64) float64 {
	return float64(joined(mix64(seed+1), hash(url))>>11) / (1 << 53)
}

// eachWord calls f with a hash of every word of text, in lower case: letters, marks and digits in a row.
func eachWord(text string, f func(word uint64)) {
	h, in := uint64(fnvOffset), false
	for i := 0; i < len(text); {
		c := rune(text[i])
		n := 1
		if c >= utf8.RuneSelf {
			c, n = utf8.DecodeRuneInString(text[i:])
		}
		i += n
		switch {
		case c >= 'A' && c <= 'Z':
			c += 'a' - 'A'
		case c >= 'a' && c <= 'z' || c >= '0' && c <= '9':
		case c >= utf8.RuneSelf && c != utf8.RuneError && (unicode.IsLetter(c) || unicode.IsMark(c) || unicode.IsDigit(c)):
			c = unicode.ToLower(c)
		default:
			if in {
				f(mix64(h))
			}
			h, in = fnvOffset, false
			continue
		}
		h, in = (h^uint64(c))*fnvPrime, true
	}
	if in {
		f(mix64(h))
	}
}
