package seeds

import (
	"fmt"
	"strings"
	"testing"
)

// The words that wanted pages of several hosts have more often than others come first; names of one site, short words
// and numbers do not.
func TestTerms(t *testing.T) {
	var terms Terms
	for i := range 40 {
		host := fmt.Sprintf("h%d.test", i%8)
		terms.Add(host, fmt.Sprintf("solar panels on the roof 2026 up site%d", i%8), true)
		terms.Add(host, "the weather of the day", false)
		if i%4 == 0 {
			terms.Add(host, "solar eclipse over the town", false)
		}
	}
	var got []string
	for _, one := range terms.Best(10) {
		got = append(got, fmt.Sprintf("%s %d/%d %d/%d", one.Text, one.Wanted, one.AllWanted, one.Others, one.AllOthers))
	}
	if want := "panels 40/40 0/50, roof 40/40 0/50, solar 40/40 10/50"; strings.Join(got, ", ") != want {
		t.Errorf("%q", got)
	}
	if len(new(Terms).Best(1)) > 0 {
		t.Error("words of nothing")
	}
}

// Whatever the texts, so many words are kept at most, and frequent ones among them.
func TestTermsAreBounded(t *testing.T) {
	var terms Terms
	letters := func(n int) string {
		b := []byte("xxxxxx")
		for i := range b {
			b[i] += byte(n % 3)
			n /= 3
		}
		return string(b)
	}
	var text strings.Builder
	for n := range 200 { // 900,000 words
		text.Reset()
		text.WriteString("frequent ")
		for i := range 6000 {
			fmt.Fprintf(&text, "w%c%c%s ", 'a'+n%26, 'a'+n/26, letters(i)+strings.Repeat("y", i/729))
		}
		terms.Add(fmt.Sprint(n), text.String(), n%2 == 0)
		if len(terms.words) > mostWords {
			t.Fatal(len(terms.words))
		}
	}
	if terms.words["frequent"] == nil {
		t.Error("the most frequent word is forgotten")
	}
}
