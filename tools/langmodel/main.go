// Command langmodel trains the model of lib/lang on public text.
//
//	go run ./tools/langmodel [-o lib/lang/model.bin]
//
// It reads the data that tools/langdata.sh stored in $KAVOSH_LANGDATA or .cache/langdata. Same data, same bytes.
package main

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"kavosh/internal/langtext"
	"kavosh/lib/lang/grams"
)

// rows is how many n-grams a script's table has: as many as a core's cache holds and a program can carry.
var rows = map[grams.Script]int{
	grams.Latin: 40000, grams.Arabic: 40000, grams.Cyrillic: 20000, grams.Devanagari: 8000, grams.Hebrew: 2000, grams.Bengali: 2000,
	grams.Ethiopic: 2000, grams.Tibetan: 1000,
}

const (
	// enough is the least text for training a language, in letters.
	enough = 5000
	// plenty is the amount of text, in letters, above which a source weighs no more.
	plenty = 2e6
)

// trust is the weight of sources that are not varied running text.
var trust = map[string]float64{"mediawiki": 0.4, "firefox": 0.3, "cldr": 0.2, "debian": 0.3, "bible": 0.5, "subtitles": 0.5}

func main() {
	out := flag.String("o", "lib/lang/model.bin", "where the model goes")
	flag.Parse()
	if err := run(langtext.Folder(), *out); err != nil {
		fmt.Fprintln(os.Stderr, "langmodel:", err)
		os.Exit(1)
	}
}

// source counts the words of one source of one language in one script.
type source struct {
	words   map[string]float64
	letters float64
}

func run(data, out string) error {
	read := map[grams.Script]map[string]map[string]*source{} // by script, language and source
	for t, err := range langtext.Learn(data) {
		if err != nil {
			return err
		}
		grams.Folded(t.Line, func(s grams.Script, word string) {
			if rows[s] == 0 || !usual(s, t.Language) {
				return
			}
			if read[s] == nil {
				read[s] = map[string]map[string]*source{}
			}
			if read[s][t.Language] == nil {
				read[s][t.Language] = map[string]*source{}
			}
			from := read[s][t.Language][t.Source]
			if from == nil {
				from = &source{words: map[string]float64{}}
				read[s][t.Language][t.Source] = from
			}
			from.words[word] += t.Count
			from.letters += t.Count * float64(len([]rune(word)))
		})
	}
	m := &grams.Model{}
	for _, s := range slices.Sorted(maps.Keys(read)) {
		var all []grams.Words
		for _, l := range slices.Sorted(maps.Keys(read[s])) {
			w := mix(l, read[s][l])
			if w.Letters < enough {
				fmt.Printf("%s: %.0f letters are too few\n", l, w.Letters)
				continue
			}
			all = append(all, w)
			fmt.Printf("%s %.0f", l, w.Letters)
			for _, name := range slices.Sorted(maps.Keys(read[s][l])) {
				fmt.Printf("; %s %.0f", name, read[s][l][name].letters)
			}
			fmt.Println()
		}
		m.Train(s, borrow(all), rows[s])
		fmt.Printf("script %d: %d languages\n", s, len(all))
	}
	f, err := os.Create(out)
	if err != nil {
		return err
	}
	if err := m.Encode(f); err != nil {
		return err
	}
	return f.Close()
}

// mix returns the words of all sources, weighted by the amount of text (up to plenty) and trust.
func mix(language string, from map[string]*source) grams.Words {
	w := grams.Words{Language: language, Count: map[string]float64{}}
	for _, name := range slices.Sorted(maps.Keys(from)) {
		src := from[name]
		weight := min(src.letters, plenty)
		kind, _, _ := strings.Cut(name, " ")
		if t := trust[kind]; t > 0 {
			weight *= t
		}
		for word, n := range src.words {
			w.Count[word] += n / src.letters * weight
		}
		w.Letters += weight
	}
	return w
}
