// Command tally reads the output of `go test -json`, prints it for people, and counts.
//
// It prints a line for each package and the output of failed tests as they come, then the names of all failures, then
// the last line: "N passed, N failed". A test with subtests counts as its subtests. A package that does not build, or
// that fails outside any test, counts as one failure. With -v it also prints the output of passing tests, for the
// figures of conformance tests. The exit status is 1 if anything failed.
//
// A package in which the race detector itself crashed, because of its own bug with testing/synctest (golang/go#78156),
// is tested once more, and only that result counts.
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
)

func main() {
	verbose := flag.Bool("v", false, "show the output of passing tests too")
	flag.Parse()
	t := tally{out: os.Stdout, verbose: *verbose, packages: map[string]*result{}}
	err := t.read(os.Stdin)
	if err == nil {
		err = t.again(raceTest)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "tally:", err)
	}
	if !t.summary() || err != nil {
		os.Exit(1)
	}
}

// event is one line of go test -json; see go doc test2json.
type event struct {
	Action      string
	Package     string
	ImportPath  string // for build output
	Test        string
	Output      string
	Elapsed     float64
	FailedBuild string
}

type tally struct {
	out      io.Writer
	verbose  bool
	packages map[string]*result
	passed   int
	failed   int
	names    []string // of failures
	broken   []string // packages in which the race detector crashed
}

// result is what is known about a package while its tests run.
type result struct {
	passed, failed int
	output         map[string][]string // of each running test; "" for the package's own
	parents        map[string]bool     // tests that had subtests
	cached         bool
}

func (t *tally) read(r io.Reader) error {
	lines := bufio.NewReader(r)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 {
			var e event
			if json.Unmarshal(line, &e) != nil {
				fmt.Fprintf(t.out, "%s", line) // go's own messages
			} else {
				t.take(e)
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// detectorFault is printed when the race detector crashes.
const detectorFault = "ThreadSanitizer: CHECK failed"

// again repeats the tests of packages in which the race detector crashed. A second crash is a failure.
func (t *tally) again(test func(pkg string) (io.ReadCloser, error)) error {
	for _, pkg := range t.broken {
		delete(t.packages, pkg)
		out, err := test(pkg)
		if err == nil {
			err = t.read(out)
			out.Close()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// raceTest runs the tests of pkg like make race and returns the output.
func raceTest(pkg string) (io.ReadCloser, error) {
	c := exec.Command("go", "test", "-race", "-timeout", "5m", "-json", pkg)
	c.Env = append(os.Environ(), "CGO_ENABLED=1")
	c.Stderr = os.Stderr
	out, err := c.StdoutPipe()
	if err == nil {
		err = c.Start()
	}
	return out, err
}

func (t *tally) take(e event) {
	if e.Action == "build-output" {
		fmt.Fprint(t.out, e.Output)
		return
	}
	if e.Package == "" {
		return
	}
	p := t.packages[e.Package]
	if p == nil {
		p = &result{output: map[string][]string{}, parents: map[string]bool{}}
		t.packages[e.Package] = p
	}
	switch e.Action {
	case "run":
		if i := strings.LastIndexByte(e.Test, '/'); i >= 0 {
			p.parents[e.Test[:i]] = true
		}
	case "output":
		p.cached = p.cached || e.Test == "" && strings.Contains(e.Output, "\t(cached)")
		if own(e.Output) {
			p.output[e.Test] = append(p.output[e.Test], e.Output)
		}
	case "pass", "fail", "skip":
		if e.Test != "" {
			t.test(p, e)
		} else {
			t.end(p, e)
		}
	}
}

// own reports whether a line is a test's own output, not go test's framing.
func own(line string) bool {
	line = strings.TrimLeft(line, " ")
	for _, frame := range []string{"=== ", "--- PASS", "--- SKIP", "PASS\n", "ok  \t", "?   \t", "FAIL\n", "FAIL\t",
		"exit status", "coverage:"} {
		if strings.HasPrefix(line, frame) {
			return false
		}
	}
	return true
}

func (t *tally) test(p *result, e event) {
	if e.Action == "fail" || t.verbose && len(p.output[e.Test]) > 0 {
		if e.Action == "pass" {
			fmt.Fprintf(t.out, "%s %s (%.1fs)\n", e.Package, e.Test, e.Elapsed)
		}
		for _, line := range p.output[e.Test] {
			fmt.Fprint(t.out, line)
		}
	}
	delete(p.output, e.Test)
	switch {
	case p.parents[e.Test] && e.Action != "fail":
	case e.Action == "pass":
		p.passed++
	case e.Action == "fail":
		t.names = append(t.names, e.Package+" "+e.Test)
		if !p.parents[e.Test] {
			p.failed++
		}
	}
}

func (t *tally) end(p *result, e event) {
	if e.Action == "skip" { // a package without tests
		return
	}
	if e.Action == "fail" && p.failed == 0 && !slices.Contains(t.broken, e.Package) && p.says(detectorFault) {
		t.broken = append(t.broken, e.Package)
		fmt.Fprintf(t.out, "FAIL\t%s\tthe race detector broke off (golang/go#78156): it is tested once more\n", e.Package)
		return
	}
	if e.Action == "fail" {
		for _, line := range p.output[""] {
			fmt.Fprint(t.out, line)
		}
		var unfinished []string // ended by a panic or the time limit
		for name := range p.output {
			if name != "" {
				unfinished = append(unfinished, name)
			}
		}
		slices.Sort(unfinished)
		for _, name := range unfinished {
			fmt.Fprint(t.out, strings.Join(p.output[name], ""))
		}
		if p.failed == 0 {
			p.failed = 1
			t.names = append(t.names, e.Package)
		}
	}
	t.passed += p.passed
	t.failed += p.failed
	took := fmt.Sprintf("%.1fs", e.Elapsed)
	if p.cached {
		took = "cached"
	}
	fmt.Fprintf(t.out, "%s\t%s\t%d passed, %d failed (%s)\n", map[string]string{"pass": "ok  ", "fail": "FAIL"}[e.Action],
		e.Package, p.passed, p.failed, took)
}

// says reports whether any output of the package holds text.
func (p *result) says(text string) bool {
	for _, lines := range p.output {
		if slices.ContainsFunc(lines, func(line string) bool { return strings.Contains(line, text) }) {
			return true
		}
	}
	return false
}

// summary prints the end and reports whether everything passed. No tests at all is a failure.
func (t *tally) summary() bool {
	if len(t.names) > 0 {
		fmt.Fprintf(t.out, "\nfailed:\n")
		for _, name := range t.names {
			fmt.Fprintf(t.out, "  %s\n", name)
		}
	}
	fmt.Fprintf(t.out, "\n%d passed, %d failed\n", t.passed, t.failed)
	return t.failed == 0 && t.passed > 0
}
