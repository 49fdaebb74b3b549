package grams

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// little is a model of two languages in each of two scripts.
func little() *Model {
	m := &Model{}
	count := func(text string) map[string]float64 {
		words := map[string]float64{}
		Folded(text, func(_ Script, word string) { words[word]++ })
		return words
	}
	m.Train(Latin, []Words{
		{"en", count("the quick brown fox jumps over the lazy dog and the cat"), 1e5},
		{"de", count("der schnelle braune Fuchs springt über den faulen Hund und die Katze"), 1e5},
	}, 500)
	m.Train(Arabic, []Words{
		{"fa", count("این کتاب را می‌خوانم که در آن است"), 1e5},
		{"ar", count("هذا الكتاب الذي في المدرسة من هنا"), 1e5},
	}, 500)
	return m
}

func best(m *Model, s Script, text string) (string, int32) {
	c := Counter{Model: m}
	c.Add(text)
	scores, _ := c.Sums(nil, s)
	i := slices.Index(scores, slices.Max(scores))
	return m.Languages(s)[i], scores[i]
}

func TestCounterTellsWhatItLearned(t *testing.T) {
	m := little()
	for text, want := range map[string]string{"The dog.": "en", "DER HUND": "de", "und ÜBER": "de"} {
		if got, _ := best(m, Latin, text); got != want {
			t.Errorf("%s is %s, not %s", text, got, want)
		}
	}
	for _, text := range []string{"كتاب را مي خوانم", "کتاب را می\u200cخوانم", "ﮐﺘﺎﺏ را"} {
		if got, _ := best(m, Arabic, text); got != "fa" {
			t.Errorf("%s is %s, not fa", text, got)
		}
	}
}

func TestLettersAreCountedByScript(t *testing.T) {
	c := Counter{Model: little()}
	c.Add("abc, АБ مـــن 漢字かな 한 123 \xff é")
	for s, want := range map[Script]int{Latin: 4, Cyrillic: 2, Arabic: 2, Han: 2, Kana: 2, Hangul: 1, Greek: 0} {
		if c.Letters[s] != want {
			t.Errorf("script %d: %d letters, not %d", s, c.Letters[s], want)
		}
	}
	c.Add("see https://example.org/of/the/dog?x=y, or http://example.org/سلام")
	for s, want := range map[Script]int{Latin: 4 + 5, Arabic: 2 + 4} {
		if c.Letters[s] != want {
			t.Errorf("script %d: %d letters after addresses, not %d", s, c.Letters[s], want)
		}
	}
	c.Reset()
	if c.Letters[Latin] != 0 {
		t.Error("letters are left after Reset")
	}
	if scores, n := c.Sums(nil, Latin); n != 0 || scores[0] != 0 {
		t.Errorf("scores %v of %d n-grams are left after Reset", scores, n)
	}
}

// TestManyGramsAddUp reads more n-grams than the sixteen bits of a lane hold.
func TestManyGramsAddUp(t *testing.T) {
	m := little()
	_, once := best(m, Latin, "the lazy dog ")
	_, often := best(m, Latin, strings.Repeat("the lazy dog ", 1000))
	if often != 1000*once {
		t.Errorf("a thousand times the text says %d, once %d", often, once)
	}
}

// TestWhatWasReadBeforeDoesNotMatter reads a text after more words than are remembered, some of them longer than any that is.
func TestWhatWasReadBeforeDoesNotMatter(t *testing.T) {
	m := little()
	const text = "the lazy dog, der schnelle Hund, Donaudampfschifffahrtsgesellschaft the dog"
	fresh, used := Counter{Model: m}, Counter{Model: m}
	for i := range 3 * mostPieces {
		used.Add(fmt.Sprintf("%c%c%c%c the quick und ", 'a'+i%26, 'a'+i/26%26, 'a'+i/676%26, 'a'+i/17576))
	}
	used.Reset()
	fresh.Add(text)
	used.Add(text)
	want, n := fresh.Sums(nil, Latin)
	if got, again := used.Sums(nil, Latin); !slices.Equal(got, want) || again != n {
		t.Errorf("%v by %d n-grams, not %v by %d", got, again, want, n)
	}
}

func TestEncodedModelIsTheSame(t *testing.T) {
	m := little()
	var first, second bytes.Buffer
	if err := m.Encode(&first); err != nil {
		t.Fatal(err)
	}
	again, err := Decode(first.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	if err := again.Encode(&second); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(first.Bytes(), second.Bytes()) {
		t.Error("decoded and encoded again, the model is another one")
	}
	want, w := best(m, Arabic, "این را")
	if got, g := best(again, Arabic, "این را"); got != want || g != w {
		t.Errorf("decoded, the model says %s %v, not %s %v", got, g, want, w)
	}
}

// TestFewPlacesAreLookedAt reads words that all fall to one place of the index, as a page could have them.
func TestFewPlacesAreLookedAt(t *testing.T) {
	m := little()
	c, again := Counter{Model: m}, Counter{Model: m}
	c.Add(" ")
	var words []string
	for i := 0; len(words) < 3*probes; i++ {
		word := []byte("dog-----")
		for j, n := 3, i; j < len(word); j, n = j+1, n/26 {
			word[j] = byte('a' + n%26)
		}
		if bytes, _ := upTo(string(word)); c.find(&[3]uint64{bytes}) == &c.index[1000] {
			words = append(words, string(word))
		}
	}
	c.Add(strings.Join(words, " "))
	slices.Reverse(words)
	again.Add(strings.Join(words, " "))
	want, n := c.Sums(nil, Latin)
	if got, grams := again.Sums(nil, Latin); !slices.Equal(got, want) || grams != n || n == 0 {
		t.Errorf("%v by %d n-grams in one order, %v by %d in the other", want, n, got, grams)
	}
	if len(c.pieces) != probes {
		t.Errorf("%d pieces are kept, not %d", len(c.pieces), probes)
	}
}

// FuzzEdges reads text both ways: the letters are the same, and the edges those of the words, wherever it is cut between them.
func FuzzEdges(f *testing.F) {
	f.Add("The cat, a dog—and Überraschungen über 3 Κύκλοι, قلعه‌ای در http://example.org/x y", 9)
	f.Add("internationalisation's ab c ﷺ ʻa\u0301\xff x://y ab://", 3)
	f.Fuzz(func(t *testing.T, text string, cut int) {
		c := Counter{Model: &Model{}}
		c.Add(text)
		var e Edges
		e.Add(text)
		if e.Letters != c.Letters || e.Met != c.Met {
			t.Errorf("%+q: %v of edges, %v of the counter", text, e.Letters, c.Letters)
		}
		all := fmt.Sprint(e.hashes)
		var walked Edges
		usual := !strings.Contains(text, "://") // and words of a usual length: longer ones are parted by the walker alone
		w := walker{give: func(script Script, word []uint16) {
			usual = usual && len(word) < longest+2
			walked.word(script, word)
		}}
		if w.walk(text); usual && fmt.Sprint(walked.hashes) != all {
			t.Errorf("%+q: %s, word by word %v", text, all, walked.hashes)
		}
		if cut = strings.IndexByte(text[:max(0, min(cut, len(text)))], ' ') + 1; cut > 0 {
			e.Reset()
			e.Add(text[:cut])
			e.Add(text[cut:])
			if parts := fmt.Sprint(e.hashes); parts != all {
				t.Errorf("%+q cut at %d: %s, whole %s", text, cut, parts, all)
			}
		}
	})
}
