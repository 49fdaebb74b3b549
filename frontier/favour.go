package frontier

import (
	"fmt"
	"regexp"
)

// Favour lets URLs come sooner or later by what they look like.
type Favour struct {
	Pattern *regexp.Regexp // looked for anywhere in the URL
	Text    string         // the pattern as somebody wrote it, for why
	Add     float64        // to the score of those in which it is found; of several favours all count
}

// SetFavours replaces the favours that were set before. They change the scores that the order gives from now on. URLs
// that are queued keep their scores, because to find them the whole queue would have to be read. Favours are not kept
// over a restart.
func (f *Frontier) SetFavours(favours []Favour) {
	f.applying.Lock()
	defer f.applying.Unlock()
	f.favours.patterns = favours
}

// FavourSeed lets URLs that descend from a seed (Task.Seed) come sooner or later: add is added to the scores that the
// order gives from now on. 0 ends it. It is not kept over a restart.
func (f *Frontier) FavourSeed(url string, add float64) {
	f.applying.Lock()
	defer f.applying.Unlock()
	if f.favours.seeds == nil {
		f.favours.seeds = map[string]float64{}
	}
	if f.favours.seeds[url] = add; add == 0 {
		delete(f.favours.seeds, url)
	}
}

// favours are added to the scores that the order gives.
type favours struct {
	patterns []Favour
	seeds    map[string]float64 // by the seed's URL
}

// add returns the score that the order gave to url, and its reason, with the favours for url and its seed added.
func (fs *favours) add(url, seed string, score float64, why string) (float64, string) {
	if score != score {
		score = 0
	}
	more := func(add float64, what string) {
		if why != "" {
			why += ", "
		}
		score += add
		why += fmt.Sprintf("%+g for %s", add, what)
	}
	for _, of := range fs.patterns {
		if of.Pattern.MatchString(url) {
			more(of.Add, of.Text)
		}
	}
	if add := fs.seeds[seed]; add != 0 {
		more(add, "its seed")
	}
	return score, why
}
