package main

import (
	"strings"

	"kavosh/lib/lang/grams"
)

// lenders are languages whose words are freely used in others, because their writers learned them at school.
var lenders = map[string]string{"fa": "azb bal bqi glk hac lrc mzn sdh", "ur": "brh khw ks pnb skr trw"}

// borrowed is the share of a text in the lender's words.
const borrowed = 0.2

// borrow adds the lenders' words to the languages that use them. Otherwise a word known in the whole country would
// count against a language with little training text.
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
