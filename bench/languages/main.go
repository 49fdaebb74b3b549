// Command languages measures how well lib/lang tells languages apart, on text of sources that its model has not seen.
//
//	go run ./bench/languages [-tune] [-samples FILE]
//
// It needs the text that tools/langdata.sh brings. docs/languages.md has the figures.
package main

import (
	"cmp"
	"flag"
	"fmt"
	"hash/fnv"
	"iter"
	"maps"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"
	"unicode/utf8"

	"kavosh/internal/langtext"
	"kavosh/lib/lang"
)

func main() {
	write := flag.String("samples", "", "write the texts to this file, for other programs to be measured on: language, length and text in lines")
	tune := flag.Bool("tune", false, "measure on the source for tuning instead")
	flag.Parse()
	source := langtext.Test
	if *tune {
		source = langtext.Tune
	}
	all, err := samples(source(langtext.Folder()))
	if err == nil && *write != "" {
		err = save(*write, all)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "languages:", err)
		os.Exit(1)
	}
	id := lang.Load().New()
	for _, length := range lengths {
		measure(id, all, length)
	}
	for _, length := range lengths[1:] {
		pages(id, all, length)
	}
	speed(id, all)
}

// sample is a text of one language.
type sample struct {
	language string
	length   int // in characters
	text     string
}

// most is how many texts of a language and length are made.
const most = 200

var lengths = []int{50, 200, 1000, 5000} // in characters

// samples cuts the sentences of each language, in an order that their hashes give, into texts of some lengths.
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
			for i := 0; i < len(lines) && n < most; i++ {
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

// save writes texts in lines.
func save(path string, all []sample) error {
	var b strings.Builder
	for _, s := range all {
		fmt.Fprintf(&b, "%s\t%d\t%s\n", s.language, s.length, strings.Join(strings.Fields(s.text), " "))
	}
	return os.WriteFile(path, []byte(b.String()), 0o644)
}

func hash(s string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(s))
	return h.Sum64()
}

// cut is the first characters of text.
func cut(text string, characters int) string {
	for i := range text {
		if characters--; characters < 0 {
			return text[:i]
		}
	}
	return text
}

// alike are the languages that are scored as one, and apart besides.
var alike = map[string]string{"bs": "hbs", "hr": "hbs", "sr-Latn": "hbs", "id": "id/ms", "ms": "id/ms", "nb": "nb/nn", "nn": "nb/nn"}

func merged(l string) string { return cmp.Or(alike[l], l) }

// score counts what was said of texts.
type score struct {
	said map[[2]string]int // language, answer
}

func (s score) f1(language string) float64 {
	right, is, said := 0, 0, 0
	for pair, n := range s.said {
		if pair[0] == language {
			is += n
		}
		if pair[1] == language {
			said += n
		}
		if pair[0] == language && pair[1] == language {
			right += n
		}
	}
	if is == 0 {
		return 0
	}
	return 2 * float64(right) / float64(is+said)
}

func (s score) macro() (f1 float64, languages int) {
	seen := map[string]bool{}
	for pair := range s.said {
		seen[pair[0]] = true
	}
	for l := range seen {
		f1 += s.f1(l) / float64(len(seen))
	}
	return f1, len(seen)
}

// measure prints F1 for a length, what Persian's neighbours are taken for, and what else goes wrong.
func measure(id *lang.Identifier, all []sample, length int) {
	apart, together := score{map[[2]string]int{}}, score{map[[2]string]int{}}
	counts := map[string]int{}
	calibration := map[int][2]float64{} // by tenth: how many, how many right
	for _, s := range all {
		if s.length != length {
			continue
		}
		answer, p := lang.Undetermined, 0.0
		if found := id.Identify(s.text); len(found) > 0 {
			answer, p = found[0].Code, found[0].Probability
		}
		apart.said[[2]string{s.language, answer}]++
		together.said[[2]string{merged(s.language), merged(answer)}]++
		counts[s.language]++
		c := calibration[min(int(p*10), 9)]
		c[0]++
		if merged(s.language) == merged(answer) {
			c[1]++
		}
		calibration[min(int(p*10), 9)] = c
	}
	macro, languages := together.macro()
	strict, _ := apart.macro()
	fmt.Printf("%d characters: %d languages, macro-F1 %.4f (%.4f with close ones apart); Persian F1 %.4f\n", length, languages, macro, strict, together.f1("fa"))
	for _, l := range []string{"ar", "azb", "ckb", "glk", "ks", "mzn", "ps", "sd", "ug", "ur"} {
		fmt.Printf("  %s: F1 %.4f of %d; called Persian %d\n", l, together.f1(l), counts[l], apart.said[[2]string{l, "fa"}])
	}
	for _, l := range slices.Sorted(maps.Keys(counts)) {
		if f1 := apart.f1(l); f1 < 0.98 {
			fmt.Printf("  %s: F1 %.4f of %d; taken for %s\n", l, f1, counts[l], taken(apart, l))
		}
	}
	for tenth := range 10 {
		if c := calibration[tenth]; c[0] > 0 {
			fmt.Printf("  probability %.1f–%.1f: %.3f right of %.0f\n", float64(tenth)/10, float64(tenth+1)/10, c[1]/c[0], c[0])
		}
	}
}

// taken lists what a language is taken for.
func taken(s score, language string) string {
	var out []string
	for _, pair := range slices.SortedFunc(maps.Keys(s.said), func(a, b [2]string) int {
		return cmp.Or(cmp.Compare(s.said[b], s.said[a]), cmp.Compare(a[1], b[1]))
	}) {
		if pair[0] == language && pair[1] != language && len(out) < 6 {
			out = append(out, fmt.Sprintf("%s %d", pair[1], s.said[pair]))
		}
	}
	return strings.Join(out, ", ")
}

// template is the rest of a page, a block a line.
const template = `Home
About us
Contact
Archive
Search this site
Log in
Register
%s
Leave a comment
Recent posts
Categories
Tags
Next page
Copyright 2009. All rights reserved.
Powered by free software, designed for everyone
`

// pages prints how well languages are told when the text stands in a page with an English template, for the published method
// too; and Persian typed with Arabic letters and no non-joiners.
func pages(id *lang.Identifier, all []sample, length int) {
	typed := strings.NewReplacer("ی", "ي", "ک", "ك", "\u200c", "")
	said, published, arabic := score{map[[2]string]int{}}, score{map[[2]string]int{}}, score{map[[2]string]int{}}
	for _, s := range all {
		if s.length != length {
			continue
		}
		page := lang.Page{Text: fmt.Sprintf(template, s.text)}
		said.said[[2]string{merged(s.language), merged(first(id.Page(page)))}]++
		answer := "other"
		if is, _ := lang.Published(page); is {
			answer = "fa"
		}
		published.said[[2]string{s.language, answer}]++
		page.Text = typed.Replace(page.Text)
		arabic.said[[2]string{merged(s.language), merged(first(id.Page(page)))}]++
	}
	macro, _ := said.macro()
	fmt.Printf("pages of %d characters in an English template: macro-F1 %.4f; Persian F1 %.4f, with Arabic letters %.4f; published method %.4f\n",
		length, macro, said.f1("fa"), arabic.f1("fa"), published.f1("fa"))
	fmt.Printf("  the published method calls Persian: %s\n", called(published))
}

// first is the likeliest language of a page.
func first(v lang.Verdict) string {
	if len(v.Languages) == 0 {
		return lang.Undetermined
	}
	return v.Languages[0].Code
}

// called lists the languages that are called Persian and are not.
func called(s score) string {
	var out []string
	for _, pair := range slices.SortedFunc(maps.Keys(s.said), func(a, b [2]string) int {
		return cmp.Or(cmp.Compare(s.said[b], s.said[a]), cmp.Compare(a[0], b[0]))
	}) {
		if pair[0] != "fa" && pair[1] == "fa" {
			out = append(out, fmt.Sprintf("%s %d", pair[0], s.said[pair]))
		}
	}
	return strings.Join(out, ", ")
}

// speed prints how much text a processor reads in a second, by its own clock.
func speed(id *lang.Identifier, all []sample) {
	for _, group := range [][]string{{"fa", "ar", "ur", "ckb"}, {"en", "fr", "tr", "fi"}, {"ru", "uk"}} {
		size, began := 0, processor()
		for range 3 {
			for _, s := range all {
				if s.length == 5000 && slices.Contains(group, s.language) {
					id.Identify(s.text)
					size += len(s.text)
				}
			}
		}
		fmt.Printf("%s: %.1f MB/s\n", strings.Join(group, " "), float64(size)/(processor()-began).Seconds()/1e6)
	}
}

// processor is the time that the processor has worked for this program.
func processor() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano())
}
