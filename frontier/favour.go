package frontier

import (
	"fmt"
	"regexp"
)

// Favour lets URLs come sooner or later by what they look like.
type Favour struct {
	Pattern *regexp.Regexp // looked for anywhere in the URL
	Add     float64        // to the score of those in which it is found; of several favours all count
}

// SetFavours replaces the favours that were set before. They change the scores that the order gives from now on. URLs
// that are queued keep their scores, because to find them the whole queue would have to be read. Favours are not kept
// over a restart.
func (f *Frontier) SetFavours(favours []Favour) {
	f.applying.Lock()
	defer f.applying.Unlock()
	f.favours = favours
}

// favours are added to the scores that the order gives.
type favours []Favour

// add returns the score that the order gave to url, and its reason, with the favours for url added.
func (fs favours) add(url string, score float64, why string) (float64, string) {
	if score != score {
		score = 0
	}
	for _, of := range fs {
		if !of.Pattern.MatchString(url) {
			continue
		}
		if why != "" {
			why += ", "
		}
		score += of.Add
		why += fmt.Sprintf("%+g for %s", of.Add, of.Pattern)
	}
	return score, why
}
