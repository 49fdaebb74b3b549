package recipe

// This file moves hosts to other top-level domains, so that these say nothing about a language.

import (
	"context"
	"fmt"
	"hash/fnv"
	"io"
	"strings"

	"kavosh/frontier/order"
	"kavosh/judge"
	"kavosh/lab"
)

// topLevels are the top-level domains that hosts get in turn, because pages in a language may be under any.
var topLevels = []string{"com", "info", "ir", "net", "org"}

const foreignRounds = 5

// underOther returns a URL with another top-level domain, chosen by a hash of its host and the round.
func underOther(url string, round int) string {
	scheme, rest, _ := strings.Cut(url, "://")
	host, path, _ := strings.Cut(rest, "/")
	h := fnv.New64a()
	fmt.Fprintf(h, "%d ", round)
	io.WriteString(h, host)
	return scheme + "://" + host + "." + topLevels[h.Sum64()%uint64(len(topLevels))] + "/" + path
}

// moved repeats a unit with other top-level domains for its hosts, so that a domain says nothing about the language: a
// crawl must find as much.
func (b *workspace) moved(ctx context.Context, u unit) (lab.Table, lab.Words, error) {
	t := lab.Table{
		Title: lab.Words{En: "Hosts under top-level domains drawn by a hash: " + order.ForTopic,
			Fa: "میزبان‌ها زیرِ دامنه‌هایی به قرعه: " + order.ForTopic},
		Heads: []lab.Words{{En: "draw", Fa: "قرعه"}, {En: "harvest 12 %", Fa: "برداشت ۱۲٪"}},
	}
	j, err := b.judge(&u)
	if err != nil || j == nil {
		return t, lab.Words{}, err
	}
	web, err := b.open(u.web)
	if err != nil {
		return t, lab.Words{}, err
	}
	s := study{dir: "moved", units: []unit{u}, share: languageShare}
	e := lab.Experiment{
		Dir: b.dir(s), Relevant: []string{u.relevant}, Judge: func(string) (judge.Judge, error) { return j, nil },
		Orders: []string{order.ForTopic}, Share: s.share, Seed: seed, Brief: true,
	}
	for round := range foreignRounds {
		to := func(url string) string { return underOther(url, round) }
		var starts []string
		for _, url := range strings.Fields(u.start) {
			starts = append(starts, to(url))
		}
		e.Web, e.Starts = web.Moved(fmt.Sprintf("%s, draw %d", u.web, round+1), to), []string{strings.Join(starts, " ")}
		if err := e.Run(ctx); err != nil {
			return t, lab.Words{}, err
		}
	}
	results, err := lab.ReadResults(e.Dir)
	if err != nil {
		return t, lab.Words{}, err
	}
	least, most := 1.0, 0.0
	for i := range results {
		if r := &results[i]; r.Order == order.ForTopic {
			least, most = min(least, r.Harvest[1]), max(most, r.Harvest[1])
			t.Rows = append(t.Rows, []string{r.Web, percent(r.Harvest[1])})
		}
	}
	change := (most - least) / max(least, 1e-9)
	return t, lab.Words{
		En: fmt.Sprintf("Under top-level domains drawn %d times the harvest at 12 %% differs by %.1f %%; less than 2 is wanted.", foreignRounds, 100*change),
		Fa: fmt.Sprintf("با %d بار قرعهٔ دامنه‌ها برداشت در ۱۲٪ به اندازهٔ %.1f٪ فرق می‌کند؛ کمتر از ۲ خواسته است.", foreignRounds, 100*change),
	}, nil
}
