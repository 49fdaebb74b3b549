package main

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"iter"
	"maps"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"kavosh/internal/langtext"
	"kavosh/lib/lang"
)

// sample is a text in one language.
type sample struct {
	language string
	length   int // in characters
	text     string
}

// most returns how many texts are made of a language and length. More are made where false Persian is counted, because
// none of 200 may still be nearly two in a hundred.
func most(language string) int {
	if near[language] {
		return 1000
	}
	return 200
}

// near are Persian and the languages that share letters with it.
var near = map[string]bool{"fa": true, "ar": true, "azb": true, "ckb": true, "glk": true, "ks": true, "mzn": true,
	"ps": true, "sd": true, "ug": true, "ur": true}

var lengths = []int{50, 200, 1000, 5000} // in characters

// samples cuts the sentences of each language, ordered by hash, into texts of several lengths.
func samples(texts iter.Seq2[langtext.Text, error]) ([]sample, error) {
	sentences := map[string][]string{}
	for text, err := range texts {
		if err != nil {
			return nil, err
		}
		sentences[text.Language] = append(sentences[text.Language], text.Line)
	}
	var all []sample
	for _, l := range slices.Sorted(maps.Keys(sentences)) {
		lines := slices.Compact(slices.SortedFunc(slices.Values(sentences[l]), func(a, b string) int {
			return cmp.Or(cmp.Compare(hash(a), hash(b)), cmp.Compare(a, b))
		}))
		for _, length := range lengths {
			var b strings.Builder
			n := 0
			for i := 0; i < len(lines) && n < most(l); i++ {
				b.WriteString(lines[i])
				b.WriteByte(' ')
				if text := b.String(); utf8.RuneCountInString(text) >= length {
					all = append(all, sample{l, length, cut(text, length)})
					b.Reset()
					n++
				}
			}
		}
	}
	return all, nil
}

// save writes texts and pages as lines. A page's length is that of its text with a p after it, and its blocks are
// separated by vertical tabs.
func save(path string, texts []sample, pages []page) error {
	var b strings.Builder
	for _, s := range texts {
		fmt.Fprintf(&b, "%s\t%d\t%s\n", s.language, s.length, strings.Join(strings.Fields(s.text), " "))
	}
	for _, p := range pages {
		fmt.Fprintf(&b, "%s\t%dp\t%s\n", p.language, p.length, strings.ReplaceAll(p.whole, "\n", "\v"))
	}
	return os.WriteFile(path, []byte(b.String()), 0o644)
}

func hash(s string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(s))
	return h.Sum64()
}

func cut(text string, characters int) string {
	for i := range text {
		if characters--; characters < 0 {
			return text[:i]
		}
	}
	return text
}

// sources lists the training and test sources for each language of the model.
func sources(model *lang.Model, data string) error {
	learned, measured := map[string]map[string]bool{}, map[string]map[string]bool{}
	for _, side := range []struct {
		of    map[string]map[string]bool
		texts iter.Seq2[langtext.Text, error]
	}{{learned, langtext.Learn(data)}, {measured, langtext.Test(data)}} {
		for t, err := range side.texts {
			if err != nil {
				return err
			}
			if side.of[t.Language] == nil {
				side.of[t.Language] = map[string]bool{}
			}
			kind, _, _ := strings.Cut(t.Source, " ")
			side.of[t.Language][strings.TrimPrefix(kind, "UniversalDependencies/")] = true
		}
	}
	for _, code := range model.Codes() {
		row := func(set map[string]bool) string { return strings.Join(slices.Sorted(maps.Keys(set)), " ") }
		fmt.Printf("%s\t%d\t%s\t%d\t%s\n", code, len(learned[code]), row(learned[code]), len(measured[code]),
			cmp.Or(row(measured[code]), "untested"))
	}
	return nil
}
