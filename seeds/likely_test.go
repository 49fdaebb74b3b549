package seeds

import (
	"fmt"
	"strings"
	"testing"
)

// TestLikely wants the narrowest pattern to decide as far as it was seen.
func TestLikely(t *testing.T) {
	var l Likely
	for i := range 20 {
		l.Learn(Seen{URL: fmt.Sprintf("http://a.test/people/%d.html", i), Via: "http://a.test/", Kind: "pages"}, false)
		l.Learn(Seen{URL: fmt.Sprintf("http://a.test/data/%d", i), Via: "http://a.test/data/", Kind: "pages"}, true)
		l.Learn(Seen{URL: fmt.Sprintf("http://e.test/about/%d", i), Via: "http://e.test/", Kind: "pages"}, false)
		l.Learn(Seen{URL: fmt.Sprintf("http://b.test/%d.ttl", i), Via: "http://b.test/", Kind: "pages"}, i%10 != 0)
	}
	better := []string{ // than the next
		"http://a.test/data/99", "http://c.test/x.ttl", "http://c.test/x", "http://a.test/people/99.html",
	}
	last := 1.0
	for _, url := range better {
		p, why := l.Chance(Seen{URL: url, Via: "http://d.test/", Kind: "pages"})
		if p >= last || why == "" {
			t.Errorf("%s: %.2f %s, after %.2f", url, p, why, last)
		}
		last = p
	}
	if p, why := l.Chance(Seen{URL: "http://a.test/data/99", Via: "http://d.test/", Kind: "pages"}); p < 0.9 || !strings.HasPrefix(why, "20 of 20 below http://a.test/data/") {
		t.Errorf("%.2f %s", p, why)
	}
	for range 10 {
		l.Learn(Seen{URL: "http://f.test/x", Kind: "pages", Words: "by good words"}, true)
		l.Learn(Seen{URL: "http://f.test/x", Kind: "pages", Words: "by poor words"}, false)
	}
	good, why := l.Chance(Seen{URL: "http://g.test/x", Kind: "pages", Words: "by good words"})
	if poor, _ := l.Chance(Seen{URL: "http://g.test/x", Kind: "pages", Words: "by poor words"}); good < 0.8 || poor > 0.2 || !strings.HasSuffix(why, ", 10 of 10 by good words") {
		t.Errorf("by good words %.2f (%s), by poor ones %.2f", good, why, poor)
	}
	if p, why := new(Likely).Chance(Seen{URL: "http://a.test/", Kind: "pages"}); p != 0.5 || why != "" {
		t.Errorf("without knowledge: %.2f %s", p, why)
	}
}

func TestBest(t *testing.T) {
	b := Best{Limit: 4}
	for i := range 1000 {
		b.Add(Candidate{URL: fmt.Sprintf("http://a.test/%03d", i), Rank: float64(i%10) / 10})
		b.Add(Candidate{URL: "http://a.test/009", Rank: 1})
	}
	b.Add(Candidate{URL: "http://b.test/", Rank: 0.9, Hosts: 2})
	all := b.All()
	if len(all) != 4 || all[0].URL != "http://a.test/009" || all[1].URL != "http://b.test/" || all[2].URL != "http://a.test/019" || all[3].URL != "http://a.test/029" {
		t.Errorf("%v", all)
	}
}
