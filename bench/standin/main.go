// Command standin measures how well package standin tells answers that stand in place of a page, on real answers that
// were labelled by what a person sees in them.
//
//	go run ./bench/standin [-v] FOLDER
//
// FOLDER is one of those that tools/standindata makes: answers, and labels.tsv. Each answer is told by itself, as an HTML
// page with status 200 where its own is not known. It prints how often each label was told as each, and for each kind
// its precision (the share of those told so that are) and recall (the share of those that are which was told).
// docs/benchmarks.md has the figures.
package main

import (
	"flag"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"kavosh"
	"kavosh/internal/spool"
	"kavosh/standin"
)

func main() {
	list := flag.Bool("v", false, "list the answers that are told wrong")
	flag.Parse()
	if flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "usage: standin [-v] FOLDER")
		os.Exit(2)
	}
	if err := run(flag.Arg(0), *list); err != nil {
		fmt.Fprintln(os.Stderr, "standin:", err)
		os.Exit(1)
	}
}

// answer is a line of labels.tsv.
type answer struct {
	file   string
	is     kavosh.StandIn
	status int    // 0 if it is not known
	url    string // "-" if it is not known
	source string
}

// page is the label of a page that stands in for nothing.
const page = "page"

func name(k kavosh.StandIn) string {
	if k == kavosh.NoStandIn {
		return page
	}
	return string(k)
}

func readAnswers(folder string) (answers []answer, err error) {
	text, err := os.ReadFile(filepath.Join(folder, "labels.tsv"))
	if err != nil {
		return nil, fmt.Errorf("%w; make standin-data makes it", err)
	}
	for line := range strings.Lines(string(text)) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(f) != 5 {
			return nil, fmt.Errorf("labels.tsv: %q has not five fields", line)
		}
		a := answer{file: f[0], is: kavosh.StandIn(f[1]), url: f[3], source: f[4]}
		if a.is == page {
			a.is = kavosh.NoStandIn
		}
		if a.status, err = strconv.Atoi(f[2]); err != nil {
			return nil, fmt.Errorf("labels.tsv: %w", err)
		}
		answers = append(answers, a)
	}
	return answers, nil
}

// tell says what an answer stands in for.
func (a *answer) tell(folder string) (standin.Verdict, error) {
	data, err := os.ReadFile(filepath.Join(folder, a.file))
	if err != nil {
		return standin.Verdict{}, err
	}
	body := spool.Memory(data)
	x := &kavosh.Exchange{
		Task: &kavosh.Task{URL: "https://site.test/page"}, Status: http.StatusOK, Wire: body, Payload: body,
		Header: kavosh.Header{{Name: "Content-Type", Value: "text/html"}},
	}
	if a.url != "-" {
		x.Task.URL = a.url
	}
	if a.status != 0 {
		x.Status = a.status
	}
	return standin.Of(x, data[:min(len(data), standin.MaxPage)]), nil
}

func run(folder string, list bool) error {
	answers, err := readAnswers(folder)
	if err != nil {
		return err
	}
	told := counts{}
	for i := range answers {
		a := &answers[i]
		v, err := a.tell(folder)
		if err != nil {
			return err
		}
		told[[2]kavosh.StandIn{a.is, v.Kind}]++
		if list && v.Kind != a.is {
			fmt.Printf("%s is %s, told %s (%s): %s\n", a.file, name(a.is), name(v.Kind), v.Sign, a.source)
		}
	}
	kinds := append(kavosh.StandIns(), kavosh.NoStandIn)
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(w, "is, told\t")
	for _, k := range kinds {
		fmt.Fprint(w, name(k), "\t")
	}
	fmt.Fprintln(w, "precision\trecall\t")
	for _, is := range kinds {
		fmt.Fprint(w, name(is), "\t")
		for _, k := range kinds {
			fmt.Fprint(w, told[[2]kavosh.StandIn{is, k}], "\t")
		}
		s := told.score(is)
		fmt.Fprint(w, share(s.right, s.told), "\t", share(s.right, s.are), "\t\n")
	}
	if err := w.Flush(); err != nil {
		return err
	}
	s := told.score(kavosh.Wall, kavosh.Consent)
	fmt.Printf("walls and consent pages together: %d of %d told, and %d others; precision %s, recall %s, of %d answers\n",
		s.right, s.are, s.told-s.right, share(s.right, s.told), share(s.right, s.are), len(answers))
	return nil
}

// counts counts answers by what they are and what they are told to be.
type counts map[[2]kavosh.StandIn]int

// score counts the answers that are of some kinds, those told to be, and those that are and are told to be.
type score struct{ are, told, right int }

func (c counts) score(kinds ...kavosh.StandIn) (s score) {
	for pair, n := range c {
		is, told := slices.Contains(kinds, pair[0]), slices.Contains(kinds, pair[1])
		if is {
			s.are += n
		}
		if told {
			s.told += n
		}
		if is && told {
			s.right += n
		}
	}
	return s
}

func share(n, of int) string {
	if of == 0 {
		return "-"
	}
	return fmt.Sprintf("%.3f", float64(n)/float64(of))
}
