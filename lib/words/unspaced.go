package words

// isUnspaced reports whether a letter belongs to a script written without spaces between words: Chinese, Japanese,
// Thai, Lao, Khmer and Burmese; also Korean, whose spaces separate phrases of a noun and its particles. For these, two
// adjacent letters are the unit, which needs no dictionary (as in Lucene's CJKAnalyzer).
func isUnspaced(r rune) bool {
	switch {
	case r < 0x0E01:
		return false
	case r < 0x1100:
		return r <= 0x0E3A || r >= 0x0E40 && r <= 0x0E4E || // Thai
			r >= 0x0E81 && r <= 0x0ECD || // Lao
			r >= 0x1000 && r <= 0x103F || r >= 0x1050 && r <= 0x108F // Burmese
	case r < 0x3000:
		return r <= 0x11FF || r >= 0x1780 && r <= 0x17D3 // Hangul by its parts, Khmer
	case r <= 0x30FF:
		return r >= 0x3005 && r <= 0x3007 || r >= 0x3041 && r <= 0x3096 || r >= 0x309D && r != 0x30A0 && r != 0x30FB // kana
	case r <= 0x9FFF:
		return r >= 0x4E00 || r >= 0x3400 && r <= 0x4DBF || // Han
			r >= 0x3105 && r <= 0x312F || r >= 0x31F0 && r <= 0x31FF // Bopomofo, small kana
	}
	return r >= 0xAC00 && r <= 0xD7A3 || r >= 0x20000 && r <= 0x3FFFD // Hangul; rare Han
}
