package engine

import (
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net"
	"net/netip"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"kavosh"
	"kavosh/fetch"
	"kavosh/frontier/scope"
	"kavosh/internal/simulation"
	"kavosh/lib/warc"
	"kavosh/record"
)

// simulated is what TestSimulation is to run, when it is not its own choice.
var simulated = struct {
	seed   *uint64
	seeds  *int
	trace  *string
	report *string
}{
	flag.Uint64("seed", 0, "the first seed that TestSimulation runs; 0 is some dozens of its own choice"),
	flag.Int("seeds", 1, "how many seeds from -seed on"),
	flag.String("trace", "", "file for the trace of all seeds"),
	flag.String("report", "", "file for the sums of all seeds as JSON"),
}

// ownSeeds is how many seeds TestSimulation runs when it is not told, besides the regressions.
const ownSeeds = 16

// regressions are seeds that found a bug, and what it was.
func regressions() map[uint64]string {
	return map[uint64]string{
		90:  "the ledger: rules of a robots.txt that a wrong Content-Length cut short",
		135: "a host without URLs forgot its Retry-After when the clock was set forward",
		208: "a Retry-After ended by a restart after the clock was set",
		210: "a gap from the last byte on, while the end of the answer was still waited for",
		223: "the same for an address",
		265: "addresses asked right after a restart",
		397: "a Retry-After lost with a restart when backing off took longer",
		408: "a Crawl-delay forgotten with a host that had nothing but refusals",
	}
}

// simulatedWeb is a life's web as the crawl's.
type simulatedWeb struct{ *simulation.Life }

func (w simulatedWeb) Resolve(ctx context.Context, host string) (fetch.Resolution, error) {
	addrs, failure, err := w.Lookup(ctx, host)
	return fetch.Resolution{Addrs: addrs, Failure: failure}, err
}

func (w simulatedWeb) Dial(ctx context.Context, addr netip.AddrPort) (net.Conn, error) {
	return w.Life.Dial(ctx, addr)
}

// simulate runs one seed's crawl, over as many lives as it takes, and checks what is left.
func simulate(t *testing.T, seed uint64, trace io.Writer) map[string]int64 {
	t.Helper()
	var counts map[string]int64
	for range 2 { // Pebble keeps channels in pools, and those of one bubble must not come into another: this empties pools
		runtime.GC()
	}
	synctest.Test(t, func(t *testing.T) {
		w := simulation.New(simulation.Options{Seed: seed, Quiet: synctest.Wait, Trace: trace})
		defer w.Stop()
		rng := rand.New(rand.NewPCG(seed, 2))
		o := Options{
			Archive: "archive", Workers: 1 + rng.IntN(12), Scope: scope.Options{Mode: scope.Any, MaxHops: -1, Exclude: []string{"elsewhere"}},
			Delay: time.Duration(rng.IntN(30)) * 100 * time.Millisecond, AddressDelay: time.Duration(rng.IntN(4)) * 100 * time.Millisecond,
			MaxFile: int64(1+rng.IntN(60)) << 10,
			Fetch:   fetch.Options{AllowPrivate: []netip.Prefix{netip.MustParsePrefix("198.18.0.0/15")}},
		}
		var ids atomic.Uint64
		o.NewID = func() string { return fmt.Sprintf("<urn:uuid:%08x-0000-4000-8000-%012x>", uint32(seed), ids.Add(1)) }
		w.Polite(o.Delay, o.AddressDelay)
		finished := map[string]Line{}
		disk := simulation.NewDisk()
		ops := int64(4000)
		for lives := 0; ; lives++ {
			var p simulation.Plan
			if lives < 4 && rng.IntN(2) == 0 {
				switch rng.IntN(4) {
				case 3:
					p.Fault, p.At = []string{"full", "short write", "failed sync"}[rng.IntN(3)], 1+rng.Int64N(ops)
					p.Spare = databases
				case 0:
					p.KillAt = 1 + rng.Int64N(ops)
				case 1:
					p.KillAt, p.Power = 1+rng.Int64N(ops), true
				case 2:
					p.Stop = time.Duration(1+rng.IntN(300)) * time.Second
				}
			}
			crawls, _ := Crawls(disk, "archive")
			if len(crawls) > 0 && !crawls[len(crawls)-1].Unfinished() {
				break // it was cut off between the report and its return
			}
			l := w.Live(disk, p)
			o.FS, o.Clock, o.Web = l.Disk(), l, simulatedWeb{l}
			o.Events.Finished = func(line Line) {
				if line.Outcome != outcomeRetry && l.Settle(line.URL) {
					finished[line.URL] = line
				}
			}
			o.Resume, o.Seeds = len(crawls) > 0, nil
			if !o.Resume {
				for _, u := range w.Seeds() {
					o.Seeds = append(o.Seeds, kavosh.Link{URL: u, Kind: kavosh.Seed})
				}
			}
			r, err := Run(l.Context(), o)
			ops = max(1, min(ops, l.Changes()))
			var killed bool
			disk, killed = l.End()
			if killed {
				<-time.After(time.Duration(rng.IntN(100)) * time.Second)
				continue
			}
			if err != nil && l.Faulted() {
				continue // the disk's fault, which is gone in the next life
			}
			if err != nil {
				t.Errorf("seed %d: life %d: %v", seed, lives, err)
				break
			}
			if r.End == "done" {
				break
			}
			if lives > 50 {
				t.Errorf("seed %d: no end: %q, %d queued", seed, r.End, r.Queued)
				break
			}
		}
		checkSimulated(t, w, disk, finished)
		for _, v := range w.Violations() {
			t.Errorf("seed %d: %s", seed, v)
		}
		if t.Failed() {
			t.Logf("again: go test ./engine -run 'TestSimulation$' -seed %d; its last events:\n%s", seed, w.Tail())
		}
		counts = w.Counts()
	})
	return counts
}

// databases are the files of Pebble's databases: one that fails leaves goroutines behind, which a bubble does not allow.
func databases(name string) bool {
	return strings.Contains(name, "/frontier") || strings.Contains(name, "/derived")
}

// checkSimulated looks at what the crawl left: everything reachable is there or has its reason, nothing is there twice,
// what was said to be durable lasted, the bytes are those that were sent, and the archive is valid.
func checkSimulated(t *testing.T, w *simulation.World, disk *simulation.Disk, finished map[string]Line) {
	t.Helper()
	if _, err := Check(t.Context(), disk, "archive", true, func(f warc.Finding) {
		if f.Severity == warc.Fault {
			t.Errorf("check: %+v", f)
		}
	}); err != nil {
		t.Errorf("check: %v", err)
	}
	captures := capturesOf(t, disk)
	final, retries := map[string]Line{}, map[string]int{}
	for l, err := range ReadLog(disk, "archive", "") {
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case l.Outcome == outcomeRetry:
			retries[l.URL]++
			continue
		case l.Outcome == outcomeRefused && l.Reason == "":
			t.Errorf("%s is refused without a reason", l.URL)
		case l.Outcome != outcomeRefused && captures[fmt.Sprintf("%s %d", l.File, l.Offset)] != l.URL:
			t.Errorf("%s: no capture of it at byte %d of %s", l.URL, l.Offset, l.File)
		}
		if l.Outcome != outcomeRefused {
			delete(captures, fmt.Sprintf("%s %d", l.File, l.Offset))
		}
		if l.Kind == kavosh.Prerequisite.String() {
			final[l.URL] = l
			continue
		}
		if old, twice := final[l.URL]; twice && old.Kind != kavosh.Prerequisite.String() {
			t.Errorf("%s has two outcomes: %s %s, then %s %s", l.URL, old.Outcome, old.Reason, l.Outcome, l.Reason)
		}
		final[l.URL] = l
		checkLine(t, w, &l, retries[l.URL])
	}
	for at, url := range captures {
		t.Errorf("%s is recorded at %s, and crawl.log does not say so", url, at)
	}
	for url, l := range finished {
		if f, ok := final[url]; !ok || l.Kind != kavosh.Prerequisite.String() && (f.Outcome != l.Outcome || f.Offset != l.Offset || f.File != l.File) {
			t.Errorf("%s was %s, durably, and is %q now", url, l.Outcome, f.Outcome)
		}
	}
	for _, url := range w.Seeds() {
		if _, ok := final[url]; !ok {
			t.Errorf("the seed %s is lost", url)
		}
	}
	for url, l := range final {
		if l.Outcome != outcomeRecorded || l.Cut != "" {
			continue
		}
		if _, whole := w.Served(url, l.Digest); !whole {
			continue
		}
		for _, link := range w.Links(url, l.Status) {
			if _, ok := final[link]; !ok {
				t.Errorf("%s, a link of %s, is lost", link, url)
			}
		}
	}
}

// checkLine looks at one final outcome.
func checkLine(t *testing.T, w *simulation.World, l *Line, retries int) {
	t.Helper()
	if l.Outcome == outcomeRecorded && l.Cut == "" && l.Status > 0 {
		if sent, _ := w.Served(l.URL, l.Digest); !sent {
			t.Errorf("%s: nobody sent what is recorded (status %d, digest %s)", l.URL, l.Status, l.Digest)
		}
	}
	if l.Outcome == outcomeRefused {
		return
	}
	if l.Attempt != retries {
		t.Errorf("%s: attempt %d is final, and %d were logged before", l.URL, l.Attempt, retries)
	}
	passing := slices.Contains([]int{429, 503}, l.Status) ||
		l.Status == 0 && slices.Contains([]kavosh.Failure{kavosh.DNSFailure, kavosh.ConnectFailure, kavosh.TimeoutFailure, kavosh.ResetFailure}, l.Failure)
	if passing && l.Attempt < 2 {
		t.Errorf("%s: %d %s after %d attempts is not final", l.URL, l.Status, l.Failure, l.Attempt+1)
	}
}

// capturesOf are the URLs of all main records, by file and offset.
func capturesOf(t *testing.T, disk *simulation.Disk) map[string]string {
	t.Helper()
	all := map[string]string{}
	files, err := record.Files(disk, "archive/warc")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		f, err := disk.Open("archive/warc/" + name)
		if err != nil {
			t.Fatal(err)
		}
		if err := record.Captures(f, name, func(c kavosh.Capture) error {
			if c.Type != "resource" {
				all[fmt.Sprintf("%s %d", name, c.Offset)] = c.URL
			}
			return nil
		}, func(at int64, err error) { t.Errorf("%s at %d: %v", name, at, err) }); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		f.Close()
	}
	return all
}

// TestSimulation crawls made-up webs, one a seed, while web, disk and clock fail and the process is killed. `-seed N` runs
// the one that failed again, with the same events in the same order; `-trace FILE` writes them down.
func TestSimulation(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // one goroutine after the other, in the order in which they become ready
	defer debug.SetGCPercent(debug.SetGCPercent(400))
	sum := simulation.Report{Counts: map[string]int64{}}
	first, n := uint64(1), ownSeeds
	if *simulated.seed != 0 {
		first, n = *simulated.seed, *simulated.seeds
	}
	var trace io.Writer
	if *simulated.trace != "" {
		f, err := os.Create(*simulated.trace)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		trace = f
	}
	var seeds []uint64
	for seed := first; seed < first+uint64(n); seed++ {
		seeds = append(seeds, seed)
	}
	if *simulated.seed == 0 {
		seeds = append(seeds, slices.Sorted(maps.Keys(regressions()))...)
	}
	for _, seed := range seeds {
		if !t.Run(fmt.Sprint(seed), func(t *testing.T) { sum.Add(simulate(t, seed, trace)) }) {
			t.Logf("seed %d found before: %s", seed, cmp.Or(regressions()[seed], "nothing"))
			sum.Failed = append(sum.Failed, seed)
		}
		sum.Seeds++
	}
	if sum.Counts["fetch"] == 0 {
		t.Error("nothing was fetched")
	}
	if *simulated.report != "" {
		data, err := json.Marshal(sum)
		if err == nil {
			err = os.WriteFile(*simulated.report, data, 0o644)
		}
		if err != nil {
			t.Error(err)
		}
	}
}

// TestSimulationBoundsMemory crawls many worlds and wants the memory of a few.
func TestSimulationBoundsMemory(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	heap := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	var before uint64
	for i := range 12 {
		if i == 4 {
			before = heap()
		}
		simulate(t, 7, nil) // the same world: what differs is what was left
	}
	if after := heap(); after > before+2<<20 {
		t.Errorf("%d bytes in use after 4 crawls, %d after 12", before, after)
	}
}
