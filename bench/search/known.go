package main

import (
	"context"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"sort"
	"strings"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh"
	"kavosh/search"
)

// item is a known page, and what somebody who saw it would ask for.
type item struct{ url, question string }

// A page is known by its URL and belongs to one of two halves by it: train, which numbers were chosen on, or test.
func setOf(url string) string {
	h := fnv.New32a()
	_, _ = h.Write([]byte(url)) // never fails
	if h.Sum32()%2 == 0 {
		return "train"
	}
	return "test"
}

// known prints at which ranks pages are found, for two kinds of questions made of pages without looking at results:
//
//   - title: words of the title, at most six, of pages whose title no other page of the sample has;
//   - body: five words of the text in the order in which they stand there, drawn at random from the fifteen rarest of those that at
//     least three pages of the sample have, so that they are neither frequent nor typing errors.
func known(dir, language, set string, n int, show bool) error {
	x, err := search.Open(vfs.Default, dir, search.Hidden{})
	if err != nil {
		return err
	}
	defer x.Close()
	pages, err := x.Pages(language, 20_000)
	if err != nil {
		return err
	}
	have := map[string]int{} // pages of the sample that have a word
	titles := map[string]int{}
	for _, p := range pages {
		for w := range wordsOf(p.Text) {
			have[w]++
		}
		titles[p.Title]++
	}
	random := rand.New(rand.NewPCG(7, 7))
	random.Shuffle(len(pages), func(i, j int) { pages[i], pages[j] = pages[j], pages[i] })
	var byTitle, byText []item
	for _, p := range pages {
		if setOf(p.URL) != set || len(p.Text) < 500 {
			continue
		}
		if words := strings.Fields(p.Title); len(words) >= 3 && titles[p.Title] == 1 && len(byTitle) < n {
			byTitle = append(byTitle, item{p.URL, plain(strings.Join(words[:min(len(words), 6)], " "))})
		}
		if q := rareWords(p.Text, have, random); q != "" && len(byText) < n {
			byText = append(byText, item{p.URL, q})
		}
	}
	fmt.Printf("%d pages in %q, set %s\n", len(pages), language, set)
	for _, kind := range []struct {
		name  string
		items []item
	}{{"title", byTitle}, {"body", byText}} {
		sum, first, ten := 0.0, 0, 0
		for _, it := range kind.items {
			found, err := x.Search(context.Background(), kavosh.Search{Text: it.question})
			if err != nil {
				return err
			}
			rank := 0
			for i, g := range found.Groups {
				if g.URL == it.url {
					rank = i + 1
				}
			}
			if rank > 0 {
				sum += 1 / float64(rank)
				ten++
			}
			if rank == 1 {
				first++
			}
			if show && rank != 1 {
				fmt.Printf("%s rank %d of %d for %q\n", it.url, rank, found.Total, it.question)
			}
		}
		m := float64(max(1, len(kind.items)))
		fmt.Printf("%-6s %4d questions: MRR@10 %.3f, first %.3f, among ten %.3f\n", kind.name, len(kind.items), sum/m, float64(first)/m, float64(ten)/m)
	}
	return nil
}

// plain is a question without what has a meaning in questions.
func plain(text string) string {
	return strings.Join(strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \t\":*«»“”-", r) }), " ")
}

// wordsOf are the words of a text that have four letters or more, with their first places.
func wordsOf(text string) map[string]int {
	at := map[string]int{}
	for i, w := range strings.FieldsFunc(text, func(r rune) bool {
		return strings.ContainsRune(" \n\t.,;:!?()[]{}<>\"'«»“”،؛؟-_/\\|=+*&^%$#@~`…0123456789۰۱۲۳۴۵۶۷۸۹", r)
	}) {
		if _, met := at[w]; !met && len([]rune(w)) >= 4 && len(w) <= 30 {
			at[w] = i
		}
	}
	return at
}

// rareWords is the question of kind body of a text; "" when it has too few words.
func rareWords(text string, have map[string]int, random *rand.Rand) string {
	at := wordsOf(text)
	var words []string
	for w := range at {
		if have[w] >= 3 {
			words = append(words, w)
		}
	}
	if len(words) < 15 {
		return ""
	}
	sort.Slice(words, func(i, j int) bool {
		return have[words[i]] < have[words[j]] || have[words[i]] == have[words[j]] && words[i] < words[j]
	})
	words = words[:15]
	random.Shuffle(len(words), func(i, j int) { words[i], words[j] = words[j], words[i] })
	words = words[:5]
	sort.Slice(words, func(i, j int) bool { return at[words[i]] < at[words[j]] })
	return strings.Join(words, " ")
}
