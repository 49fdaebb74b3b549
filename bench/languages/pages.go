package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"kavosh"
	"kavosh/extract"
	"kavosh/lib/lang"
)

// frame is what surrounds a page's text: menus, buttons, notes, one block per line.
type frame struct {
	language      string
	before, after string
}

// page is a text in a frame.
type page struct {
	sample
	frame *frame
	whole string
}

// readFrames reads the frames of real pages: of Apache's manual, in its languages, and of MediaWiki.
func readFrames(data string) ([]frame, error) {
	root := filepath.Join(data, "deb", "apache2-doc", "usr", "share", "doc", "apache2-doc", "manual")
	paths, err := filepath.Glob(filepath.Join(root, "*", "*.html"))
	if err != nil {
		return nil, err
	}
	var all []frame
	taken := map[string]int{}
	for _, path := range paths {
		language := filepath.Base(filepath.Dir(path))
		raw, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		if taken[language] == framesEach || !bytes.Contains(raw, []byte(`lang="`+language)) {
			continue // not translated
		}
		taken[language]++
		doc := extract.Document{URL: "http://manual.test/", Status: 200, Payload: raw,
			Header: kavosh.Header{{Name: "Content-Type", Value: "text/html"}}}
		all = append(all, frameOf(lang.Primary(language),
			extract.Extract(doc, extract.Options{MaxBytes: 1 << 20, Needs: kavosh.Needs{Text: true}}).Text))
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s has no pages; tools/langdata.sh brings them", root)
	}
	for _, language := range []string{"fa", "ar", "ur", "ckb", "en", "ru", "tr"} {
		f, err := wikiFrame(data, language)
		if err != nil {
			return nil, err
		}
		all = append(all, f)
	}
	return all, nil
}

const (
	framesEach  = 2  // pages of a manual in one language
	shortBlock  = 40 // greatest length of a frame's block, in letters
	blocksAbove = 40 // blocks of a frame before the text; the others come after it
	blocksBelow = 20
)

// frameOf returns the short blocks of a page.
func frameOf(language, text string) frame {
	var short []string
	for block := range strings.Lines(text) {
		if n := utf8.RuneCountInString(block); 1 < n && n <= shortBlock {
			short = append(short, block)
		}
	}
	above := min(len(short), blocksAbove)
	below := max(above, len(short)-blocksBelow)
	return frame{language, strings.Join(short[:above], ""), strings.Join(short[below:], "")}
}

// wikiBefore and wikiAfter are the messages around an article in MediaWiki's skin Vector.
var (
	wikiBefore = strings.Fields("navigation mainpage portal currentevents recentchanges randompage help toolbox whatlinkshere recentchangeslinked-toolbox specialpages permalink login createaccount talk vector-view-view edit vector-view-history search")
	wikiAfter  = strings.Fields("retrievedfrom lastmodifiedat privacy aboutsite disclaimers")
)

var marked = regexp.MustCompile(`\{\{[^}]*\}\}|\$\d|<[^>]*>`)

// wikiFrame returns the frame of a MediaWiki article.
func wikiFrame(data, language string) (frame, error) {
	messages := map[string]any{}
	for _, folder := range []string{"languages/i18n", "skins/Vector/i18n"} {
		raw, err := os.ReadFile(filepath.Join(data, "deb", "mediawiki", "usr", "share", "mediawiki", folder, language+".json"))
		if err == nil {
			err = json.Unmarshal(raw, &messages)
		}
		if err != nil {
			return frame{}, err
		}
	}
	rows := func(keys []string) string {
		var b strings.Builder
		for _, k := range keys {
			if message, ok := messages[k].(string); ok {
				b.WriteString(marked.ReplaceAllString(message, " ") + "\n")
			}
		}
		return b.String()
	}
	return frame{language, rows(wikiBefore), rows(wikiAfter)}, nil
}

func framed(texts []sample, frames []frame) []page {
	var pages []page
	for _, s := range texts {
		if s.length >= lengths[1] {
			f := &frames[hash(s.text)>>32%uint64(len(frames))]
			pages = append(pages, page{s, f, f.before + paragraphs(s.text) + f.after})
		}
	}
	return pages
}

// paragraphs returns a text in blocks of about 300 characters.
func paragraphs(text string) string {
	var b strings.Builder
	n := 0
	for _, word := range strings.Fields(text) {
		b.WriteString(word)
		if n += utf8.RuneCountInString(word) + 1; n >= 300 {
			b.WriteByte('\n')
			n = 0
			continue
		}
		b.WriteByte(' ')
	}
	return b.String() + "\n"
}

// typed turns Persian into text as typed with Arabic letters and without non-joiners.
var typed = strings.NewReplacer("ی", "ي", "ک", "ك", "\u200c", "")

// measurePages prints how well the language of pages with texts of that length is identified. For Persian and its
// neighbours it also prints the result of the published method, and of text typed with Arabic letters.
func measurePages(id *lang.Identifier, pages []page, length int) {
	empty := func() score { return score{map[[2]string]int{}} }
	apart, together, published, arabic := empty(), empty(), empty(), empty()
	// pages by language; those in a Persian frame; and how many of those are reported as Persian
	count, foreign, called := map[string]int{}, map[string]int{}, map[string]int{}
	var sure reliability
	for i := range pages {
		p := &pages[i]
		if p.length != length {
			continue
		}
		answer, probability := lang.Undetermined, 0.0
		if found := id.Page(lang.Page{Text: p.whole}).Languages; len(found) > 0 {
			answer, probability = found[0].Code, found[0].Probability
		}
		apart.said[[2]string{p.language, answer}]++
		together.said[[2]string{merged(p.language), merged(answer)}]++
		count[p.language]++
		sure.add(probability, merged(p.language) == merged(answer))
		if !near[p.language] {
			continue
		}
		if p.language != "fa" && p.frame.language == "fa" {
			foreign[p.language]++
			if answer == "fa" {
				called[p.language]++
			}
		}
		answer = "other"
		if is, _ := lang.Published(lang.Page{Text: p.whole}); is {
			answer = "fa"
		}
		published.said[[2]string{p.language, answer}]++
		answer = lang.Undetermined
		if found := id.Page(lang.Page{Text: typed.Replace(p.whole)}).Languages; len(found) > 0 {
			answer = found[0].Code
		}
		arabic.said[[2]string{p.language, answer}]++
	}
	macro, languages := together.macro()
	strict, _ := apart.macro()
	fmt.Printf("pages with %d characters: %d languages, macro-F1 %.4f %s (%.4f with close ones apart); Persian F1 %.4f %s, with Arabic letters %.4f; published method %.4f\n",
		length, languages, macro, together.interval(score.mean), strict, apart.f1("fa"), apart.interval(score.persian),
		arabic.f1("fa"), published.f1("fa"))
	for _, l := range []string{"fa", "ar", "azb", "ckb", "glk", "ks", "mzn", "ps", "sd", "ug", "ur"} {
		fmt.Printf("  %s: F1 %.4f; called Persian %s, in a Persian frame %d of %d; by the published method %d; taken for %s\n", l, together.f1(l),
			rate(apart.said[[2]string{l, "fa"}], count[l]), called[l], foreign[l], published.said[[2]string{l, "fa"}], taken(apart, l))
	}
	var worst []string
	for l := range count {
		if apart.f1(l) < 0.98 && !near[l] {
			worst = append(worst, fmt.Sprintf("%s %.3f", l, apart.f1(l)))
		}
	}
	slices.Sort(worst)
	fmt.Printf("  others below 0.98: %s\n", strings.Join(worst, ", "))
	sure.print()
}
