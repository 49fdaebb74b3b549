package main

import (
	"strings"

	"kavosh/lib/lang/grams"
)

// others are the languages not written in Latin letters.
var others = map[grams.Script]string{
	grams.Arabic:     "ar azb bal bqi brh ckb fa glk hac khw ks ku-Arab lrc mzn pnb ps sd sdh skr trw ug ur",
	grams.Cyrillic:   "ba be bg ce cv kk kv ky mhr mk mn os ru sah sr tg tt tyv udm uk",
	grams.Devanagari: "hi mai mr ne new sa",
	grams.Hebrew:     "he yi",
	grams.Bengali:    "as bn",
	grams.Ethiopic:   "am ti",
	grams.Tibetan:    "bo dz",
	grams.None:       "chr dv el gu hy iu ja ka km kn ko lo ml my or pa sat si ta te th zh",
}

// scriptOf maps each language not written in Latin letters to its script.
var scriptOf = func() map[string]grams.Script {
	of := map[string]grams.Script{}
	for s, all := range others {
		for _, l := range strings.Fields(all) {
			of[l] = s
		}
	}
	return of
}()

// usual reports whether a language is normally written in a script. Words in other scripts in its text are not its own.
func usual(s grams.Script, language string) bool {
	of, other := scriptOf[language]
	return of == s || !other && s == grams.Latin
}
