// Command stopwords makes lib/persian's list of stopwords by the method of Azimzadeh, Yari and Aleahmad (2009). Of the
// thousand most frequent Persian words, it drops those that Arabic shares, then those that occur in Arabic sentences,
// then the rarer ones.
//
//	go run ./tools/stopwords DATA > lib/persian/stopwords.txt
//
// DATA is the folder that tools/langdata.sh fills.
package main

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"kavosh/lib/persian"
)

const (
	most     = 1000 // words to begin with
	kept     = 300  // most words to keep
	shared   = 10   // a word counts as shared if it is less than this many times as frequent in Persian as in Arabic
	falseHit = 1e-4 // share of Arabic sentences from which on a word is dropped
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: stopwords DATA")
		os.Exit(2)
	}
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "stopwords:", err)
		os.Exit(1)
	}
}

func run(data string) error {
	fa, err := frequencies(data, "fa")
	if err != nil {
		return err
	}
	ar, err := frequencies(data, "ar")
	if err != nil {
		return err
	}
	hits, sentences, err := presence(data)
	if err != nil {
		return err
	}
	words := make([]string, 0, len(fa))
	for w := range fa {
		words = append(words, w)
	}
	slices.SortFunc(words, func(a, b string) int {
		if fa[a] != fa[b] {
			if fa[a] > fa[b] {
				return -1
			}
			return 1
		}
		return strings.Compare(a, b)
	})
	left := kept
	for _, w := range words[:most] {
		if left > 0 && fa[w] >= shared*ar[w] && float64(hits[w]) < falseHit*float64(sentences) {
			fmt.Println(w)
			left--
		}
	}
	return nil
}

// file is a file of a repository's newest commit.
func file(data, repository, path string) ([]byte, error) {
	out, err := exec.Command("git", "-C", filepath.Join(data, "git", repository), "show", "HEAD:"+path).Output()
	if err != nil {
		return nil, fmt.Errorf("%s of %s: %w; tools/langdata.sh brings it", path, repository, err)
	}
	return out, nil
}

// frequencies returns the share of each word of two or more letters among all words of a language, by Unicode's Unilex.
func frequencies(data, language string) (map[string]float64, error) {
	raw, err := file(data, "unicode-org+unilex", "data/frequency/"+language+".txt")
	if err != nil {
		return nil, err
	}
	share, all := map[string]float64{}, 0.0
	for lines := bufio.NewScanner(bytes.NewReader(raw)); lines.Scan(); {
		form, count, ok := strings.Cut(lines.Text(), "\t")
		n, err := strconv.ParseFloat(count, 64)
		if !ok || err != nil {
			continue
		}
		all += n
		for w := range persian.Words(form) {
			if len(w.Text) > 2 && w.Text[0] >= 0xD8 && w.Text[0] <= 0xDB {
				share[string(w.Text)] += n
			}
		}
	}
	for w := range share {
		share[w] /= all
	}
	return share, nil
}

// presence counts in how many Arabic sentences each word occurs, and the sentences.
func presence(data string) (hits map[string]int, sentences int, err error) {
	raw, err := file(data, "sinaahmadi+PersoArabicLID", "corpora/Arabic_arb.txt")
	if err != nil {
		return nil, 0, err
	}
	hits = map[string]int{}
	for line := range strings.Lines(string(raw)) {
		sentences++
		met := map[string]bool{}
		for w := range persian.Words(line) {
			met[string(w.Text)] = true
		}
		for w := range met {
			hits[w]++
		}
	}
	return hits, sentences, nil
}
