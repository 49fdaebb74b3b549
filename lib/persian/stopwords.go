package persian

import (
	_ "embed"
	"strings"
)

// stopwords has one word per line, made by tools/stopwords from the data in docs/data.md.
//
//go:embed stopwords.txt
var stopwords string

var isStopword = func() map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(stopwords) {
		set[w] = true
	}
	return set
}()

// IsStopword reports whether a word from [Words] or [Normalize] is one of three hundred that are frequent in Persian
// and rare in Arabic. Azimzadeh, Yari and Aleahmad (2009) used such a list to tell the two languages apart.
func IsStopword(word []byte) bool { return isStopword[string(word)] }
