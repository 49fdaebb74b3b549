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
		l.Learn(fmt.Sprintf("http://a.test/people/%d.html", i), "http://a.test/", "pages", false)
		l.Learn(fmt.Sprintf("http://a.test/data/%d", i), "http://a.test/data/", "pages", true)
		l.Learn(fmt.Sprintf("http://e.test/about/%d", i), "http://e.test/", "pages", false)
		l.Learn(fmt.Sprintf("http://b.test/%d.ttl", i), "http://b.test/", "pages", i%10 != 0)
	}
	better := []string{ // than the next
		"http://a.test/data/99", "http://c.test/x.ttl", "http://c.test/x", "http://a.test/people/99.html",
	}
	last := 1.0
	for _, url := range better {
		p, why := l.Chance(url, "http://d.test/", "pages")
		if p >= last || why == "" {
			t.Errorf("%s: %.2f %s, after %.2f", url, p, why, last)
		}
		last = p
	}
	if p, why := l.Chance("http://a.test/data/99", "http://d.test/", "pages"); p < 0.9 || !strings.HasPrefix(why, "20 of 20 below http://a.test/data/") {
		t.Errorf("%.2f %s", p, why)
	}
	if p, why := new(Likely).Chance("http://a.test/", "", "pages"); p != 0.5 || why != "" {
		t.Errorf("without knowledge: %.2f %s", p, why)
	}
}

func TestBest(t *testing.T) {
	b := Best{Limit: 3, Least: 0.2}
	for i := range 1000 {
		b.Add(Candidate{URL: fmt.Sprintf("http://a.test/%03d", i), Chance: float64(i%10) / 10})
		b.Add(Candidate{URL: "http://a.test/009", Chance: 1})
	}
	all := b.All()
	if len(all) != 3 || all[0].URL != "http://a.test/009" || all[0].Chance != 1 || all[1].URL != "http://a.test/019" || all[2].URL != "http://a.test/029" {
		t.Errorf("%v", all)
	}
	poor := Best{Limit: 3, Least: 0.5}
	poor.Add(Candidate{URL: "http://a.test/", Chance: 0.4})
	if len(poor.All()) > 0 {
		t.Error("one with too small a chance is kept")
	}
}
