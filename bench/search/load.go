package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sort"
	"sync"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh"
	"kavosh/search"
)

// load prints how fast questions are answered, with facets and snippets, when several clients ask at once. Words are
// drawn from the texts of the index by frequency, without the hundred most frequent, which nobody asks for alone.
func load(dir string, clients, n int) error {
	began := processor()
	x, err := search.Open(vfs.Default, dir, search.Hidden{})
	if err != nil {
		return err
	}
	defer x.Close()
	fmt.Printf("opened in %.2f s of processor time; %+v\n", (processor() - began).Seconds(), x.Counts())
	pages, err := x.Pages("", 3000)
	if err != nil {
		return err
	}
	questions := questionsOf(pages, n)
	for _, kind := range []string{"one word", "two words", "four words", "phrase", "frequent", "months", "filtered", "misspelt"} {
		measure(x, kind, questions[kind], clients)
	}
	var all []kavosh.Search
	for _, kind := range []string{"one word", "two words", "four words", "phrase", "filtered", "misspelt"} {
		all = append(all, questions[kind]...)
	}
	random := rand.New(rand.NewPCG(2, 2))
	random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	measure(x, "all but frequent, months", all, clients)
	fmt.Printf("anonymous memory %.0f MB\n", anonymous())
	return nil
}

func questionsOf(pages []search.Page, n int) map[string][]kavosh.Search {
	have := map[string]int{}
	texts := make([][]string, len(pages))
	for i, p := range pages {
		at := wordsOf(p.Text)
		for w := range at {
			have[w]++
			texts[i] = append(texts[i], w)
		}
		sort.Slice(texts[i], func(a, b int) bool { return at[texts[i][a]] < at[texts[i][b]] })
	}
	var words []string
	for w := range have {
		words = append(words, w)
	}
	sort.Slice(words, func(i, j int) bool {
		return have[words[i]] > have[words[j]] || have[words[i]] == have[words[j]] && words[i] < words[j]
	})
	frequent := map[string]bool{}
	for _, w := range words[:min(100, len(words))] {
		frequent[w] = true
	}
	random := rand.New(rand.NewPCG(1, 1))
	questions := map[string][]kavosh.Search{}
	add := func(kind string, q kavosh.Search) { questions[kind] = append(questions[kind], q) }
	for i := 0; len(questions["one word"]) < n && i < 100*n; i++ {
		text := texts[random.IntN(len(texts))]
		if len(text) < 20 {
			continue
		}
		at := random.IntN(len(text) - 6)
		word := text[at]
		if frequent[word] {
			continue
		}
		four := text[at] + " " + text[at+1] + " " + text[at+3] + " " + text[at+5]
		add("one word", kavosh.Search{Text: word})
		add("two words", kavosh.Search{Text: word + " " + text[at+1]})
		add("four words", kavosh.Search{Text: four})
		add("phrase", kavosh.Search{Text: `"` + word + " " + text[at+1] + `"`})
		add("frequent", kavosh.Search{Text: words[random.IntN(min(100, len(words)))]})
		add("months", kavosh.Search{Text: word, Months: true})
		add("filtered", kavosh.Search{Text: word,
			Filters: []kavosh.SearchFilter{{Field: "lang", Value: "en"}, {Field: "type", Value: "text/html"}}})
		letters := []rune(word)
		add("misspelt", kavosh.Search{Text: string(letters[:1]) + "q" + string(letters[1:])})
	}
	return questions
}

// measure asks questions by several clients at once.
func measure(x *search.Index, kind string, questions []kavosh.Search, clients int) {
	times := make([]time.Duration, len(questions))
	matched := make([]int, len(questions))
	next := make(chan int, len(questions))
	for i := range questions {
		next <- i
	}
	close(next)
	began, used := time.Now(), processor()
	var wait sync.WaitGroup
	for range clients {
		wait.Go(func() {
			for i := range next {
				start := time.Now()
				found, err := x.Search(context.Background(), questions[i])
				if err != nil {
					fail(err)
				}
				times[i], matched[i] = time.Since(start), found.Total
			}
		})
	}
	wait.Wait()
	if len(questions) == 0 {
		return
	}
	n := time.Duration(len(questions))
	sum := 0
	for _, m := range matched {
		sum += m
	}
	fmt.Printf("%-25s %5d questions, %7d found on the mean: %8s of processor time each; median %8s, 95th percentile %8s, 99th %8s; %.0f a second\n", kind, len(questions), sum/len(questions),
		((processor() - used) / n).Round(10*time.Microsecond), percentile(times, 0.5).Round(10*time.Microsecond),
		percentile(times, 0.95).Round(10*time.Microsecond),
		percentile(times, 0.99).Round(10*time.Microsecond), float64(n)/time.Since(began).Seconds())
}
