package lab

// This file runs many orders over a stored web, and stores each run when it ends.

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"kavosh"
	"kavosh/frontier/order"
	"kavosh/judge"
	"kavosh/lab/stored"
)

// Experiment runs many orders over one web. Each run is added to runs.jsonl in Dir as soon as it ends, and runs already
// there are not repeated. So an experiment continues where it stopped, and several webs can share a folder.
type Experiment struct {
	Dir      string
	Web      *stored.Web
	Relevant []string // in the form of NewTruth
	Judge    func(relevant string) (judge.Judge, error)
	Levels   map[string]*order.ContextGraph // by topic, for the order context-graph; trained on another web
	Starts   []string                       // seen-keys of pages of the web, for one run each; a space separates several starts of one run
	Orders   []string                       // specifications
	Pace     Pace
	Share    float64 // share of the reachable pages that a run may fetch; 0 means all
	Requests int     // a run may make, those without an answer counted; 0 means no bound
	Floor    float64 // a run ends when no waiting URL scores higher; 0 means never
	Full     bool    // use the whole engine, without Pace
	Seed     uint64
	Had      map[Run]bool // runs to leave out; nil means those in Dir
	Brief    bool         // keep only the end of each curve, if nobody will draw it
	Done     func(Result) // called after each run; may be nil
}

// Run identifies a run.
type Run struct {
	Web      string `json:"web"`
	Relevant string `json:"relevant"`
	Start    string `json:"start"`
	Order    string `json:"order"`
	Mode     string `json:"mode"` // "graph", "polite" or "full"
	Seed     uint64 `json:"seed"`
}

func (r Run) compare(other Run) int {
	return cmp.Or(cmp.Compare(r.Web, other.Web), cmp.Compare(r.Relevant, other.Relevant), cmp.Compare(r.Start, other.Start))
}

// unit returns what the runs of several orders have in common.
func (r Run) unit() Run {
	r.Order, r.Seed = "", 0
	return r
}

// Result is one run as it is stored.
type Result struct {
	Run
	Pages         int     `json:"pages"`         // of the web
	Reachable     int     `json:"reachable"`     // of them, from the start
	Texts         int     `json:"texts"`         // distinct relevant texts that can be reached
	HostsToFind   int     `json:"hosts_to_find"` // hosts with relevant pages that can be reached; 0 in results of older versions
	DomainsToFind int     `json:"domains_to_find"`
	Widest        int     `json:"widest"` // greatest number of pages that one reachable page links to
	Ideal         Ideal   `json:"ideal_10"`
	Millis        float64 `json:"milliseconds,omitempty"` // how long the run took on this machine; pages were read and judged before
	Judged        Judged  `json:"judge"`
	Measures
	Tallies []order.Tally `json:"tallies,omitempty"` // of an order that implements order.Accountant
}

// Judged says how well the judge that led the run knows the truth, over the reachable pages.
type Judged struct {
	Precision float64 `json:"precision"`
	Recall    float64 `json:"recall"`
}

// Bounds appear among the orders of an experiment.
const (
	OracleOrder = "(oracle)" // Reach.Oracle
	AllOrder    = "(all relevant first)"
)

func (e *Experiment) mode() string {
	switch {
	case e.Full:
		return "full"
	case e.Pace != Pace{}:
		return "polite"
	}
	return "graph"
}

// Run makes the missing runs, as many at once as there are processors.
func (e *Experiment) Run(ctx context.Context) error {
	for _, relevant := range e.Relevant {
		setup := order.Setup{Topic: func(string) float64 { return 0 }, ContextGraph: e.Levels[relevant]}
		for _, spec := range e.Orders {
			if _, err := order.Parse(spec, setup); err != nil {
				return err
			}
		}
	}
	had := e.Had
	if had == nil {
		done, err := ReadResults(e.Dir)
		if err != nil {
			return err
		}
		had = map[Run]bool{}
		for i := range done {
			had[done[i].Run] = true
		}
	}
	f, err := appendTo(e.Dir)
	if err != nil {
		return err
	}
	defer f.Close()
	for _, relevant := range e.Relevant {
		if err := e.topic(ctx, f, relevant, had); err != nil {
			return err
		}
	}
	return nil
}

func (e *Experiment) topic(ctx context.Context, f *os.File, relevant string, had map[Run]bool) error {
	truth, err := NewTruth(e.Web, relevant)
	if err != nil {
		return err
	}
	j, err := e.Judge(relevant)
	if err != nil {
		return err
	}
	verdicts := make([]kavosh.Verdict, len(e.Web.Pages))
	for i := range verdicts {
		if p := &e.Web.Pages[i]; p.Status >= 200 && p.Status <= 299 {
			verdicts[i] = j.Judge(p.Page)
		}
	}
	var mu sync.Mutex
	free := make(chan struct{}, runtime.GOMAXPROCS(0))
	var wg sync.WaitGroup
	var failed error
	for _, start := range e.Starts {
		var from []int32
		for _, url := range strings.Fields(start) {
			at := e.Web.Find(url)
			if at < 0 {
				return fmt.Errorf("start %s: %s has no such page", url, e.Web.Name)
			}
			from = append(from, int32(at))
		}
		reach := truth.From(from)
		base := Result{
			Run:   Run{Web: filepath.Base(e.Web.Name), Relevant: relevant, Start: start, Mode: e.mode(), Seed: e.Seed},
			Pages: len(e.Web.Pages), Reachable: reach.Count, Texts: reach.Texts, HostsToFind: reach.RelevantHosts, DomainsToFind: reach.RelevantDomains, Widest: reach.Widest, Ideal: reach.Ideal(),
			Judged: judged(reach, verdicts),
		}
		for _, spec := range slices.Concat([]string{AllOrder, OracleOrder}, e.Orders) {
			r := base
			r.Order = spec
			if had[r.Run] {
				continue
			}
			free <- struct{}{}
			wg.Go(func() {
				defer func() { <-free }()
				err := e.run(ctx, &r, reach, verdicts, j)
				if e.Brief && err == nil {
					r.Curve = r.Curve[len(r.Curve)-1:]
				}
				mu.Lock()
				defer mu.Unlock()
				if err == nil && failed == nil {
					err = keep(f, &r)
				}
				if err != nil && failed == nil {
					failed = err
					return
				}
				if failed == nil && e.Done != nil {
					e.Done(r)
				}
			})
			mu.Lock()
			stop := failed != nil
			mu.Unlock()
			if stop {
				break
			}
		}
	}
	wg.Wait()
	return failed
}

// run makes one run.
func (e *Experiment) run(ctx context.Context, r *Result, reach *Reach, verdicts []kavosh.Verdict, j judge.Judge) error {
	switch r.Order {
	case AllOrder:
		r.Measures = reach.Measure(asFetches(reach.All()))
		return nil
	case OracleOrder:
		r.Measures = reach.Measure(asFetches(reach.Oracle()))
		return nil
	}
	budget := reach.Count
	if e.Share > 0 {
		budget = max(1, int(e.Share*float64(reach.Count)))
	}
	setup := order.Setup{Topic: j.Text, Language: judge.LanguageOf(j), Seed: e.Seed, ContextGraph: e.Levels[r.Relevant]}
	var fetches []Fetch
	var err error
	began := time.Now()
	if e.Full {
		fetches, err = Full(ctx, e.Web, r.Order, setup, j, strings.Fields(r.Start), budget)
	} else {
		var policy order.Policy
		if policy, err = order.Parse(r.Order, setup); err != nil {
			return err
		}
		w := Walk{Web: e.Web, Verdicts: verdicts, Starts: strings.Fields(r.Start), Order: policy, Budget: budget, Requests: e.Requests, Floor: e.Floor, Pace: e.Pace}
		fetches, err = w.Run(ctx)
		if a, ok := policy.(order.Accountant); ok {
			r.Tallies = a.Tallies()
		}
	}
	if err != nil {
		return fmt.Errorf("%s on %s from %s: %w", r.Order, r.Web, r.Start, err)
	}
	r.Millis = float64(time.Since(began).Microseconds()) / 1000
	r.Measures = reach.Measure(fetches)
	return nil
}

// judged compares verdicts with the truth.
func judged(reach *Reach, verdicts []kavosh.Verdict) Judged {
	var right, said, are float64
	for i, in := range reach.Pages {
		if !in {
			continue
		}
		yes := verdicts[i].Relevant()
		if yes {
			said++
		}
		if reach.Relevant[i] {
			are++
			if yes {
				right++
			}
		}
	}
	return Judged{Precision: right / max(said, 1), Recall: right / max(are, 1)}
}

const runsFile = "runs.jsonl"

// appendTo opens the file of results for appending. If a crash left half a line, it ends that line first.
func appendTo(dir string) (*os.File, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	path := filepath.Join(dir, runsFile)
	data, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err == nil && len(data) > 0 && data[len(data)-1] != '\n' {
		_, err = f.Write([]byte{'\n'})
	}
	return f, err
}

func keep(f *os.File, r *Result) error {
	line, err := json.Marshal(r)
	if err != nil {
		return err
	}
	_, err = f.Write(append(line, '\n'))
	return err
}

// ReadResults reads the stored results in dir, the last one of each run; none without a file. It skips a line cut off.
func ReadResults(dir string) ([]Result, error) {
	data, err := os.ReadFile(filepath.Join(dir, runsFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var results []Result
	at := map[Run]int{}
	s := bufio.NewScanner(bytes.NewReader(data))
	s.Buffer(nil, maxResult)
	for n := 1; s.Scan(); n++ {
		var r Result
		if err := json.Unmarshal(s.Bytes(), &r); err != nil {
			if text := strings.TrimSpace(s.Text()); strings.HasSuffix(text, "}") {
				return nil, fmt.Errorf("%s, line %d: %w", filepath.Join(dir, runsFile), n, err)
			}
			continue
		}
		if i, twice := at[r.Run]; twice {
			results[i] = r
			continue
		}
		at[r.Run] = len(results)
		results = append(results, r)
	}
	return results, s.Err()
}

// maxResult is the longest line of results, in bytes.
const maxResult = 4 << 20
