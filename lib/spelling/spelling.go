// Package spelling finds which of the known words somebody meant who wrote another.
package spelling

import "strings"

// Nearest returns the known word that word is probably a misspelling of, or "" if none is near.
func Nearest(word string, known []string) string {
	word = strings.ReplaceAll(strings.ToLower(word), "_", "-")
	best, least := "", min(max(2, len(word)/3)+1, max(1, len(word)))
	for _, k := range known {
		if d := Distance(word, k); d < least {
			best, least = k, d
		}
	}
	return best
}

// OrOneOf returns the end of a message about a word that is not known: the nearest known word, or all of them.
func OrOneOf(word string, known []string) string {
	if best := Nearest(word, known); best != "" {
		return "; did you mean " + best + "?"
	}
	return ": use one of " + strings.Join(known, ", ")
}

// Distance returns how many letters must be inserted, removed or changed to make b from a.
func Distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
