package main

import (
	"strings"

	"kavosh/lib/lang/grams"
)

// lenders are the languages whose words others use freely, since who writes those went to school in these.
var lenders = map[string]string{"fa": "azb bal bqi glk hac lrc mzn sdh", "ur": "brh khw ks pnb skr trw"}

// borrowed is which part of a text is in the lender's words.
const borrowed = 0.2

// borrow adds the lenders' words to the languages that use them, so that a word that everybody in a country knows is no proof against
// the language that little text is known of.
func borrow(all []grams.Words) []grams.Words {
	of := map[string]grams.Words{}
	for _, w := range all {
		of[w.Language] = w
	}
	for lender, borrowers := range lenders {
		for _, l := range strings.Fields(borrowers) {
			from, to := of[lender], of[l]
			if from.Count == nil || to.Count == nil {
				continue
			}
			for word, n := range from.Count {
				to.Count[word] += n / from.Letters * borrowed * to.Letters
			}
		}
	}
	return all
}
