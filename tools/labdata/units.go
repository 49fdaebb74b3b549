package main

import (
	"bufio"
	"context"
	"fmt"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"kavosh/judge"
	"kavosh/lab"
	"kavosh/lab/recipe"
	"kavosh/lab/stored"
)

const (
	largestWeb    = 5000  // most pages of a web with units, so that all trials of all orders end the same day
	leastTrained  = 20    // least pages with a label on other webs, to train a judge
	leastRelevant = 0.005 // least share of a web's pages
	mostRelevant  = 0.20
	seed          = 1
)

// draws is how many topics and starts are drawn on a web, by its role.
var draws = map[string]struct{ topics, starts int }{"tuning": {3, 1}, "result": {3, 2}}

// unit is one line of the list: a web, what is relevant, the start, and the judge.
type unit struct{ role, web, relevant, start, judge string }

// String returns the unit's line in the list. Tags and addresses written by bloggers are replaced by their hash,
// because they are theirs.
func (u *unit) String() string {
	relevant, start, by := u.relevant, u.start, u.judge
	if strings.HasPrefix(u.web, blogPrefix) {
		relevant, start = "label="+recipe.Hidden(strings.TrimPrefix(relevant, "label=")), recipe.Hidden(start)
		if strings.HasPrefix(by, "query=") {
			by = recipe.HiddenQuery
		}
	}
	return strings.Join([]string{u.role, u.web, relevant, start, by}, "\t")
}

// units writes the list of units of the webs in dir. For each web it draws topics and starts with a fixed seed, and
// keeps the units that count for lab.Compare. For that it runs only breadth-first and the oracle.
func units(out io.Writer, dir string) error {
	files, err := filepath.Glob(filepath.Join(dir, "*.tsv"))
	if err != nil {
		return err
	}
	labels := map[string]map[string]int{} // by web
	for _, f := range files {
		name := strings.TrimSuffix(filepath.Base(f), ".tsv")
		if labels[name], err = countLabels(f); err != nil {
			return err
		}
	}
	fmt.Fprint(out, unitsHead)
	results := filepath.Join(dir, "counting") // kept, so that a later run continues
	var candidates []unit
	for _, f := range files {
		name := strings.TrimSuffix(filepath.Base(f), ".tsv")
		role := roleOf(name)
		if role == "" || len(labels[name]) == 0 {
			continue
		}
		w, err := openWeb(dir, name)
		if err != nil {
			return err
		}
		if len(w.Pages) > largestWeb {
			continue
		}
		drawn := topics(w, name, labels, draws[role].topics)
		if len(drawn) == 0 {
			continue
		}
		starts := startsOf(w, name, draws[role].starts)
		for _, topic := range drawn {
			for _, start := range starts {
				candidates = append(candidates, unit{role, name, "label=" + topic, start, judgeOf(topic, name, labels)})
			}
			e := lab.Experiment{
				Dir: results, Web: w, Relevant: []string{"label=" + topic}, Starts: starts, Orders: []string{"breadth"}, Seed: seed,
				Judge: func(string) (judge.Judge, error) { return new(judge.Reader).Parse([]string{"keyword=" + topic}) },
			}
			if err := e.Run(context.Background()); err != nil {
				return err
			}
		}
		fmt.Fprintf(os.Stderr, "%s: %d pages, %d starts\n", name, len(w.Pages), len(starts))
	}
	return count(out, results, candidates)
}

// startsOf returns the generated directory page of a web, or else random pages.
func startsOf(w *stored.Web, name string, n int) []string {
	if directory := directoryOf(name); w.Find(directory) >= 0 {
		return []string{directory}
	}
	return lab.Starts(w, n, rand.New(rand.NewPCG(seed, 0)))
}

func count(out io.Writer, dir string, candidates []unit) error {
	results, err := lab.ReadResults(dir)
	if err != nil {
		return err
	}
	compared, err := lab.Compare(results, "graph", false)
	if err != nil {
		return err
	}
	why := map[[3]string]string{}
	for _, l := range compared.Left {
		why[[3]string{strings.TrimSuffix(l.Web, ".warc.gz"), l.Relevant, l.Start}] = l.Why
	}
	kept := map[string]int{}
	webs := map[string]map[string]bool{"tuning": {}, "result": {}}
	for _, u := range candidates {
		if w := why[[3]string{u.web, u.relevant, u.start}]; w != "" {
			fmt.Fprintf(os.Stderr, "left out: %s: %s\n", u.String(), w)
			continue
		}
		kept[u.role]++
		webs[u.role][u.web] = true
		if _, err := fmt.Fprintln(out, u.String()); err != nil {
			return err
		}
	}
	fmt.Fprintf(os.Stderr, "%d candidates; tuning: %d units on %d webs; result: %d units on %d webs\n",
		len(candidates), kept["tuning"], len(webs["tuning"]), kept["result"], len(webs["result"]))
	return nil
}

const unitsHead = `# The units that orders are tuned on (tuning) and compared on (result), fixed before any order was run on them.
# Made by: make lab-data && go run ./tools/labdata units .cache/lab > lab/recipe/units.tsv
# Fields: role, web (its .warc.gz and .tsv below the data folder), what is relevant, start, judge.
# Of blogs topic and start are hashes, which the recipe looks up in the web: their words are their authors'.
# judge: trained is a classifier of the pages of all other webs that bear the label and share no host with this one.
`

// roles are fixed roles; "" is a web without units of its own.
var roles = map[string]string{
	"texas": "tuning", "cornell": "result", "washington": "result",
	others: "", allUniversities: "", allBlogs: "", focus: "",
}

// roleOf returns a web's role. By a hash of its name, one in three is for tuning.
func roleOf(name string) string {
	if role, fixed := roles[name]; fixed {
		return role
	}
	h := fnv.New32a()
	io.WriteString(h, name)
	if h.Sum32()%3 == 0 {
		return "tuning"
	}
	return "result"
}

// topics draws n labels that neither too few nor too many pages have. A language needs enough pages to train a judge,
// because its name is no query.
func topics(w *stored.Web, name string, labels map[string]map[string]int, n int) []string {
	var names []string
	for l, pages := range labels[name] {
		share := float64(pages) / float64(len(w.Pages))
		if share < leastRelevant || share > mostRelevant || l == "other" || strings.HasPrefix(l, "lang=") && judgeOf(l, name, labels) != trained {
			continue
		}
		names = append(names, l)
	}
	slices.Sort(names)
	rng := rand.New(rand.NewPCG(seed, 1))
	rng.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	return slices.Sorted(slices.Values(names[:min(len(names), n)]))
}

// trained means a judge that is trained on other webs.
const trained = "trained"

// judgeOf returns trained if other webs have enough pages of the topic, else a query for its words.
func judgeOf(topic, web string, labels map[string]map[string]int) string {
	n := 0
	for other, counts := range labels {
		if other != web && (roleOf(other) != "" || other == others) { // the web of all of them shares hosts with it
			n += counts[topic]
		}
	}
	if n >= leastTrained {
		return trained
	}
	_, words, ok := strings.Cut(topic, "=")
	if !ok {
		words = topic
	}
	return "query=" + words
}

// countLabels counts the pages of each label in a file of labels.
func countLabels(path string) (map[string]int, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	counts := map[string]int{}
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		if _, label, ok := strings.Cut(lines.Text(), "\t"); ok {
			counts[label]++
		}
	}
	return counts, lines.Err()
}
