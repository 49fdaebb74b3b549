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

// item is a known page with the question that somebody who saw it would ask.
type item struct{ url, question string }

// setOf returns a page's half, by its URL: train, on which numbers were chosen, or test.
func setOf(url string) string {
	h := fnv.New32a()
	_, _ = h.Write([]byte(url)) // never fails
	if h.Sum32()%2 == 0 {
		return "train"
	}
	return "test"
}

// known prints the ranks at which pages are found, for two kinds of questions made from pages without looking at
// results. A line belongs to a page if at most twelve pages of the sample have it. Lists and tags repeat articles, so a
// page is used only if it is the shortest with the longest of its own lines, and has 300 bytes of own lines.
//
//   - title: at most six words of the title, without those in more than half of the titles of its host; at least three,
//     and no other page of the sample may have the same title;
//   - body: five words of its own lines in their order, drawn from the fifteen rarest that at least three pages and at
//     most one in a hundred of the sample have, so that they are neither typing errors nor frequent.
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
	have := map[string]int{}   // word to the number of pages with it
	titles := map[string]int{} // title to the number of pages with it
	inTitles := map[[2]string]int{}
	hosts := map[string]int{}
	lines := map[string]*line{}
	for _, p := range pages {
		for w := range wordsOf(p.Text) {
			have[w]++
		}
		titles[p.Title]++
		host := hostOf(p.URL)
		hosts[host]++
		for w := range wordSet(p.Title) {
			inTitles[[2]string{host, w}]++
		}
		for text := range lineSet(p.Text) {
			l := lines[text]
			if l == nil {
				l = &line{shortest: len(p.Text), url: p.URL}
				lines[text] = l
			}
			if l.pages++; len(p.Text) < l.shortest {
				l.shortest, l.url = len(p.Text), p.URL
			}
		}
	}
	random := rand.New(rand.NewPCG(7, 7))
	random.Shuffle(len(pages), func(i, j int) { pages[i], pages[j] = pages[j], pages[i] })
	var byTitle, byText []item
	for _, p := range pages {
		own := ownText(p, lines)
		if setOf(p.URL) != set || own == "" {
			continue
		}
		host := hostOf(p.URL)
		var words []string
		for _, w := range strings.Fields(p.Title) {
			if 2*inTitles[[2]string{host, w}] <= hosts[host] {
				words = append(words, w)
			}
		}
		if len(words) >= 3 && titles[p.Title] == 1 && len(byTitle) < n {
			byTitle = append(byTitle, item{p.URL, plain(strings.Join(words[:min(len(words), 6)], " "))})
		}
		if q := rareWords(own, have, len(pages)/100, random); q != "" && len(byText) < n {
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
		fmt.Printf("%-6s %4d questions: MRR@10 %.3f, first %.3f, among ten %.3f\n", kind.name, len(kind.items), sum/m,
			float64(first)/m, float64(ten)/m)
	}
	return nil
}

// line says how many pages have a line, and which is the shortest.
type line struct {
	pages, shortest int
	url             string
}

const (
	ownPages = 12  // most pages that have an own line
	ownBytes = 300 // least bytes of own lines
)

// ownText returns the own lines of a page; "" if the page is not used.
func ownText(p search.Page, lines map[string]*line) string {
	var own []string
	longest, bytes := "", 0
	for text := range strings.Lines(p.Text) {
		text = strings.TrimSpace(text)
		if l := lines[text]; l == nil || l.pages > ownPages {
			continue
		}
		own = append(own, text)
		bytes += len(text)
		if len(text) > len(longest) {
			longest = text
		}
	}
	if bytes < ownBytes || lines[longest].url != p.URL {
		return ""
	}
	return strings.Join(own, "\n")
}

func lineSet(text string) map[string]bool {
	set := map[string]bool{}
	for l := range strings.Lines(text) {
		if l = strings.TrimSpace(l); len(l) >= 20 {
			set[l] = true
		}
	}
	return set
}

func wordSet(text string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(text) {
		set[w] = true
	}
	return set
}

func hostOf(url string) string {
	_, rest, _ := strings.Cut(url, "://")
	host, _, _ := strings.Cut(rest, "/")
	return host
}

// plain removes characters with a meaning in questions.
func plain(text string) string {
	return strings.Join(strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \t\":*«»“”-", r) }), " ")
}

// wordsOf returns the words of four and more letters, with their first positions.
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

// rareWords returns the body question for a text; "" if it has too few words.
func rareWords(text string, have map[string]int, most int, random *rand.Rand) string {
	at := wordsOf(text)
	var words []string
	for w := range at {
		if have[w] >= 3 && have[w] <= most {
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
