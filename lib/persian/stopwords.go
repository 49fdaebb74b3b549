package persian

import (
	_ "embed"
	"strings"
)

// stopwords has a word a line. tools/stopwords makes it; docs/data.md tells of what.
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

// IsStopword reports whether a word that [Words] or [Normalize] gave is one of three hundred that are frequent in Persian
// and hardly met in Arabic. Azimzadeh, Yari and Aleahmad (2009) told the two languages apart by such a list.
func IsStopword(word []byte) bool { return isStopword[string(word)] }
