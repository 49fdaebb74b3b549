package main

import (
	"cmp"
	_ "embed"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"kavosh"
	"kavosh/extract"
	"kavosh/internal/langtext"
	"kavosh/lab/stored"
	"kavosh/lib/lang"
)

// read is what a person saw on a page. The person read pieces of its text and did not know lib/lang's result.
type read struct {
	url    string
	tenths map[string]float64 // share of its letters by language, in tenths; "-" is code, addresses and names
	note   string
}

// main returns the languages with the largest share.
func (r *read) main() []string {
	most := 0.0
	for l, n := range r.tenths {
		if l != noLanguage {
			most = max(most, n)
		}
	}
	var all []string
	for _, l := range slices.Sorted(maps.Keys(r.tenths)) {
		if l != noLanguage && r.tenths[l] == most {
			all = append(all, l)
		}
	}
	return all
}

const noLanguage = "-"

// seen is the list of these observations: lines of URL, language:tenths …, a note.
//
//go:embed hand.tsv
var seen string

func readHand() (all []read, err error) {
	for line := range strings.Lines(seen) {
		fields := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(fields) != 3 {
			return nil, fmt.Errorf("hand.tsv: %q has not three fields", line)
		}
		r := read{fields[0], map[string]float64{}, fields[2]}
		for _, part := range strings.Fields(fields[1]) {
			l, n, _ := strings.Cut(part, ":")
			if r.tenths[l], err = strconv.ParseFloat(n, 64); err != nil {
				return nil, fmt.Errorf("hand.tsv: %w", err)
			}
		}
		all = append(all, r)
	}
	return all, nil
}

// hand compares lib/lang's result for real pages with what a person saw.
func hand(model *lang.Model, web, data string) error {
	all, err := readHand()
	if err != nil {
		return err
	}
	focus, err := stored.Open(filepath.Join(web, "focus.warc.gz"), stored.Options{})
	if err != nil {
		return fmt.Errorf("%w; make lab-data makes it", err)
	}
	id := model.New()
	said, away, asked, agree := map[string]int{}, 0.0, 0, 0
	persian := map[[2]bool]int{} // by whether most of it is Persian, and whether lib/lang says so
	for _, r := range all {
		page, err := handPage(focus, data, r.url)
		if err != nil {
			return err
		}
		v := id.Page(pageOf(page))
		answer, fa := lang.Language{Code: lang.Undetermined}, 0.0
		if len(v.Languages) > 0 {
			answer = v.Languages[0]
		}
		for _, l := range v.Languages {
			if l.Code == "fa" {
				fa = l.Probability
			}
		}
		mains := r.main()
		if len(mains) > 0 {
			asked++
			if slices.Contains(mains, answer.Code) {
				agree++
			} else {
				fmt.Printf("%s is %s by hand (%s), %s %.2f by lib/lang\n", r.url, strings.Join(mains, "/"), r.note, answer.Code, answer.Probability)
			}
			said[strings.Join(mains, "/")+" called "+answer.Code]++
			persian[[2]bool{slices.Contains(mains, "fa"), fa >= kavosh.RelevantFrom}]++
		}
		if r.tenths[noLanguage] == 0 {
			away += distance(&r, v.Shares)
		}
	}
	printCounts(said)
	plain := 0
	for _, r := range all {
		if r.tenths[noLanguage] == 0 {
			plain++
		}
	}
	fmt.Printf("%d pages; of %d with a language the same is said of %d; wrong %s\n", len(all), asked, agree, rate(asked-agree, asked))
	fmt.Printf("Persian: found %d of %d, of the others called so %s\n", persian[[2]bool{true, true}],
		persian[[2]bool{true, true}]+persian[[2]bool{true, false}],
		rate(persian[[2]bool{false, true}], persian[[2]bool{false, true}]+persian[[2]bool{false, false}]))
	fmt.Printf("of the letters of %d pages without code, %.1f %% on average are said to be in another language than by hand\n", plain, 100*away/float64(plain))
	return nil
}

// printCounts prints how often each row was counted, the most frequent first.
func printCounts(counts map[string]int) {
	for _, row := range slices.SortedFunc(maps.Keys(counts),
		func(a, b string) int { return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b)) }) {
		fmt.Printf("%4d %s\n", counts[row], row)
	}
}

// distance returns the share of a page's letters for which a wrong language is reported (half the sum of differences).
func distance(r *read, shares []lang.Language) float64 {
	sum, seen := 0.0, map[string]bool{}
	for _, s := range shares {
		sum += math.Abs(s.Probability - r.tenths[s.Code]/10)
		seen[s.Code] = true
	}
	for l, n := range r.tenths {
		if !seen[l] {
			sum += n / 10
		}
	}
	return sum / 2
}

// handPage reads a page of the stored web, or of a repository if its name replaces the scheme.
func handPage(web *stored.Web, data, url string) (*kavosh.Page, error) {
	if path, ok := strings.CutPrefix(url, draftsOf+"/"); ok {
		text, err := langtext.Stored(data, draftsOf, path)
		if err != nil {
			return nil, err
		}
		doc := extract.Document{URL: "http://drafts.test/", Status: 200, Payload: []byte(text),
			Header: kavosh.Header{{Name: "Content-Type", Value: "text/html"}}}
		return extract.Extract(doc, extract.Options{Needs: kavosh.Needs{Text: true, Blocks: true}}), nil
	}
	i := web.Find(url)
	if i < 0 {
		return nil, fmt.Errorf("the stored web has no %s", url)
	}
	return web.Pages[i].Page, nil
}

// draftsOf is the repository whose name replaces the scheme.
const draftsOf = "w3c/i18n-drafts"
