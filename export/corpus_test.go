package export

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

const (
	menu   = "خانه\nتماس با ما\nدرباره\nبایگانی"
	footer = "همهٔ حقوق این وبگاه برای گردانندگان آن محفوظ است و بازنشر مطالب آن تنها با نام بردن از نشانی اصلی روا است."
)

var words = strings.Fields("کتاب کهن فارسی سده زمان خوانده پژوهش بسیار روی آورد شهر باغ آب درخت کوه دریا راه خانه مردم سخن نامه شب روز ماه ستاره باد خاک آتش")

// text is a page with a menu, running text made of a number, and a footer.
func text(seed uint64) string { return menu + "\n" + running(seed, 5) + footer }

func running(seed uint64, blocks int) string {
	rng := rand.New(rand.NewPCG(seed, 1))
	var b strings.Builder
	for range blocks {
		for range 40 {
			b.WriteString(words[rng.IntN(len(words))] + " ")
		}
		b.WriteString("بود.\n")
	}
	return b.String()
}

// lines makes a corpus of texts and reads it back.
func lines(t *testing.T, set func(*Corpus), texts ...string) ([]Text, Counts) {
	t.Helper()
	var out bytes.Buffer
	c := NewCorpus(&out)
	if set != nil {
		set(c)
	}
	for i, text := range texts {
		if err := c.Add("a.ir", Text{URL: fmt.Sprintf("http://a.ir/%d", i), Time: "2026-01-01T00:00:00Z", Text: text}); err != nil {
			t.Fatal(err)
		}
	}
	var got []Text
	for d := json.NewDecoder(&out); d.More(); {
		var l Text
		if err := d.Decode(&l); err != nil {
			t.Fatal(err)
		}
		got = append(got, l)
	}
	return got, c.Counts
}

// TestCorpusIsCleaned leaves menus out at once, and a frame that reads like text once it has been seen on two pages.
func TestCorpusIsCleaned(t *testing.T) {
	got, _ := lines(t, nil, text(1), text(2), text(3), text(4))
	if len(got) != 4 {
		t.Fatalf("%d texts", len(got))
	}
	for i, l := range got {
		if strings.Contains(l.Text, "تماس با ما") {
			t.Errorf("text %d has the menu", i)
		}
		if strings.Contains(l.Text, footer) != (i < mostShown) {
			t.Errorf("text %d: footer %v", i, strings.Contains(l.Text, footer))
		}
		if n := strings.Count(l.Text, "بود."); n != 5 {
			t.Errorf("text %d has %d of its 5 paragraphs", i, n)
		}
	}
}

// TestCorpusHoldsEachTextOnce leaves out the same text and nearly the same, and what is too short.
func TestCorpusHoldsEachTextOnce(t *testing.T) {
	once := running(3, 30)
	for _, again := range []string{once, strings.Replace(once, " بود.", " است.", 1)} {
		got, counts := lines(t, nil, once, again, "کوتاه است.")
		if len(got) != 1 || counts.Twice != 1 || counts.Short != 1 {
			t.Errorf("%d texts, %+v", len(got), counts)
		}
	}
}

// TestCorpusOfALanguage keeps what is surely of it.
func TestCorpusOfALanguage(t *testing.T) {
	english := strings.Repeat("The old books are read more than ever in this century, and many scholars have turned to them. ", 5)
	got, counts := lines(t, func(c *Corpus) {
		c.Language = "fa"
		c.Identify = func(text string) (string, float64) {
			switch {
			case strings.HasPrefix(text, "The"):
				return "en", 1
			case strings.Contains(text, "mixed"):
				return "fa", 0.5
			}
			return "fa", 0.99
		}
	}, text(1), english, text(2)+"\nmixed up with words of other languages, which is what people do all of the time, as is known.")
	if len(got) != 1 || counts.Foreign != 2 || got[0].Probability != 0.99 {
		t.Errorf("%v, %+v", got, counts)
	}
}

func FuzzClean(f *testing.F) {
	f.Add("a.ir", text(1))
	f.Fuzz(func(t *testing.T, host, text string) {
		var c cleaner
		if cleaned := c.clean(host, text); len(cleaned) > len(text) {
			t.Errorf("%d bytes of %d", len(cleaned), len(text))
		}
	})
}
