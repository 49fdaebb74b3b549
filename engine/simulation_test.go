package engine

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net"
	"net/netip"
	"os"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh"
	"kavosh/archive"
	"kavosh/fetch"
	"kavosh/frontier"
	"kavosh/frontier/scope"
	"kavosh/internal/simulation"
	"kavosh/lib/cdx"
	"kavosh/lib/warc"
	"kavosh/plan"
	"kavosh/record"
)

// simulated is what TestSimulation is to run, when it is not its own choice.
var simulated = struct {
	seed   *uint64
	seeds  *int
	trace  *string
	report *string
	cut    *string
}{
	flag.Uint64("seed", 0, "the first seed that TestSimulation runs; 0 is some dozens of its own choice"),
	flag.Int("seeds", 1, "how many seeds from -seed on"),
	flag.String("trace", "", "file for the trace of all seeds"),
	flag.String("report", "", "file for the sums of all seeds as JSON"),
	flag.String("cut", "", "the change of the disk, as `rename .*/config.toml`, after which the first life is killed; by a power cut for even seeds"),
}

// ownSeeds is how many seeds TestSimulation runs when it is not told, besides the regressions.
const ownSeeds = 16

// regressions are seeds that found a bug, and what it was.
func regressions() map[uint64]string {
	return map[uint64]string{
		90:      "the ledger: rules of a robots.txt that a wrong Content-Length cut short",
		135:     "a host without URLs forgot its Retry-After when the clock was set forward",
		1076:    "a Retry-After ended by a restart after the clock was set",
		227:     "one URL more than --max-urls for each that a crash left",
		210:     "a gap from the last byte on, while the end of the answer was still waited for",
		223:     "the same for an address",
		265:     "addresses asked right after a restart",
		397:     "a Retry-After lost with a restart when backing off took longer",
		1165:    "a request under way to a host without a delay that asked for time in another answer",
		200715:  "an entry of the capture log that a killed process had written and not synced was taken for durable",
		100481:  "a robots.txt that a crash left counted as fresh when the crawl was resumed days later",
		3005235: "a folder whose name was not durable when making it failed halfway and was tried again",
		3005924: "the ledger: what a robots.txt leads to, after that was asked for anew",
		3002533: "a WARC file read twice that a power cut had left both its names",
		408:     "a Crawl-delay forgotten with a host that had nothing but refusals",
	}
}

// simulatedWeb is a life's web as the crawl's.
type simulatedWeb struct{ *simulation.Life }

func (w simulatedWeb) Resolve(ctx context.Context, host string) (fetch.Resolution, error) {
	addrs, failure, err := w.Lookup(ctx, host)
	return fetch.Resolution{Addrs: addrs, Failure: failure, Gone: failure == "no such host"}, err
}

func (w simulatedWeb) Dial(ctx context.Context, addr netip.AddrPort) (net.Conn, error) {
	return w.Life.Dial(ctx, addr)
}

// findings are what a simulated crawl did that never may happen.
type findings []string

func (f *findings) add(format string, args ...any) { *f = append(*f, fmt.Sprintf(format, args...)) }

// simulate runs one seed's crawl, over as many lives as it takes, and checks what is left. twist, unless nil, changes
// the options of a life.
func simulate(t *testing.T, seed uint64, trace io.Writer, twist func(*Options)) (counts map[string]int64, found findings, tail string) {
	t.Helper()
	return simulateIn(t, simulation.Options{Seed: seed, Quiet: synctest.Wait, Trace: trace}, twist)
}

// simulateIn is simulate in the world of w.
func simulateIn(t *testing.T, in simulation.Options, twist func(*Options)) (counts map[string]int64, found findings, tail string) {
	t.Helper()
	seed := in.Seed
	for range 2 { // Pebble keeps channels in pools, and those of one bubble must not come into another: this empties pools
		runtime.GC()
	}
	synctest.Test(t, func(t *testing.T) {
		w := simulation.New(in)
		defer w.Stop()
		rng := rand.New(rand.NewPCG(seed, 2))
		o := Options{
			Archive: "archive", Workers: 1 + rng.IntN(12), Scope: scope.Options{Mode: scope.Any, MaxHops: -1, Exclude: []string{"elsewhere"}},
			Pace:    frontier.Pace{Delay: time.Duration(rng.IntN(30)) * 100 * time.Millisecond, AddressDelay: time.Duration(rng.IntN(4)) * 100 * time.Millisecond},
			MaxFile: int64(1+rng.IntN(60)) << 10,
			Fetch:   fetch.Options{AllowPrivate: []netip.Prefix{netip.MustParsePrefix("198.18.0.0/15")}},
		}
		if rng.IntN(4) == 0 {
			o.HostBudget = 1 + rng.IntN(10)
		}
		if rng.IntN(4) == 0 {
			o.DomainBudget = 1 + rng.IntN(10)
		}
		if rng.IntN(4) == 0 {
			limit := &o.Limits.URLs
			if seed%2 == 0 {
				limit = &o.Limits.Pages
			}
			*limit = 1 + rng.Int64N(100)
		}
		var ids atomic.Uint64
		o.NewID = func() string { return fmt.Sprintf("<urn:uuid:%08x-0000-4000-8000-%012x>", uint32(seed), ids.Add(1)) }
		w.Polite(o.Delay, o.AddressDelay)
		finished := map[string]archive.Line{}
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
					p.KillAt = 1 + rng.Int64N(1+rng.Int64N(ops)) // the beginning of a life has most to go wrong
				case 1:
					p.KillAt, p.Power = 1+rng.Int64N(1+rng.Int64N(ops)), true
				case 2:
					p.Stop = time.Duration(1+rng.IntN(300)) * time.Second
				}
			}
			crawls, _ := archive.Crawls(disk, "archive")
			if len(crawls) > 0 && !crawls[len(crawls)-1].Unfinished() {
				break // it was cut off between the report and its return
			}
			if lives == 0 && *simulated.cut != "" {
				p = simulation.Plan{After: regexp.MustCompile(*simulated.cut), Power: seed%2 == 0}
			}
			l := w.Live(disk, p)
			o.FS, o.Clock, o.Web = l.Disk(), l, simulatedWeb{l}
			o.Events.Finished = func(line archive.Line) {
				if line.Outcome != archive.Retry && l.Settle(line.URL) {
					finished[line.URL] = line
				}
			}
			o.Resume, o.Seeds = len(crawls) > 0, nil
			if !o.Resume {
				o.Seeds = SeedURLs(w.Seeds()...)
			}
			if twist != nil {
				twist(&o)
			}
			r, err := Run(l.Context(), o)
			ops = max(1, min(ops, l.Changes()))
			var killed bool
			disk, killed = l.End()
			if killed {
				pause := time.Duration(rng.IntN(100)) * time.Second
				if rng.IntN(8) == 0 {
					pause += 30 * time.Hour
				}
				<-time.After(pause)
				continue
			}
			if err != nil && l.Faulted() {
				continue // the disk's fault, which is gone in the next life
			}
			if err != nil {
				found.add("life %d: %v", lives, err)
				break
			}
			if limit := o.Limits.Pages; limit > 0 && r.Pages > limit {
				found.add("%d pages were fetched of at most %d", r.Pages, limit)
			}
			if limit := o.Limits.URLs; limit > 0 && r.Fetched > limit {
				found.add("%d URLs were fetched of at most %d", r.Fetched, limit)
			}
			if r.End == "done" {
				break
			}
			if r.End == "pages" || r.End == "urls" {
				o.Limits.Pages, o.Limits.URLs = 0, 0
			}
			if lives > 50 {
				found.add("no end: %q, %d queued", r.End, r.Queued)
				break
			}
		}
		found = append(found, w.Violations()...)
		found.check(w, disk, finished)
		counts, tail = w.Counts(), w.Tail()
	})
	return counts, found, tail
}

// databases are the files of Pebble's databases: one that fails leaves goroutines behind, which a bubble does not allow.
func databases(name string) bool {
	return strings.Contains(name, "/frontier") || strings.Contains(name, "/derived")
}

// check looks at what the crawl left: everything reachable is there or has its reason, nothing is there twice,
// what was said to be durable lasted, the bytes are those that were sent, and the archive is valid.
func (f *findings) check(w *simulation.World, disk *simulation.Disk, finished map[string]archive.Line) {
	if _, err := archive.Check(context.Background(), disk, "archive", true, func(x warc.Finding) {
		if x.Severity == warc.Fault {
			f.add("check: %+v", x)
		}
	}); err != nil {
		f.add("check: %v", err)
	}
	captures, logged := f.captures(disk), map[string]bool{}
	final, retries := map[string]archive.Line{}, map[string]int{}
	silent := map[string]int{} // of each host: requests in a row without an answer
	for l, err := range archive.ReadLog(disk, "archive", "") {
		if err != nil {
			f.add("crawl.log: %v", err)
			return
		}
		host := strings.SplitN(l.URL, "/", 4)[2]
		switch {
		case l.Outcome == archive.Refused:
		case l.Status > 0 && !strings.Contains(l.Reason, "and not the rest") || strings.Contains(l.Reason, "the answer was"):
			silent[host] = 0
		default:
			silent[host]++
		}
		switch {
		case l.Outcome == archive.Retry:
			retries[l.URL]++
			if l.File != "" { // of a body that broke off
				logged[fmt.Sprintf("%s %d", l.File, l.Offset)] = true
			}
			continue
		case l.Outcome == archive.Refused && l.Reason == "":
			f.add("%s is refused without a reason", l.URL)
		case l.Outcome != archive.Refused && captures[fmt.Sprintf("%s %d", l.File, l.Offset)] != l.URL:
			f.add("%s: no capture of it at byte %d of %s", l.URL, l.Offset, l.File)
		}
		if l.Outcome != archive.Refused {
			logged[fmt.Sprintf("%s %d", l.File, l.Offset)] = true
		}
		if l.Kind == kavosh.Prerequisite.String() {
			final[l.URL] = l
			continue
		}
		if old, twice := final[l.URL]; twice && old.Kind != kavosh.Prerequisite.String() {
			f.add("%s has two outcomes: %s %s, then %s %s", l.URL, old.Outcome, old.Reason, l.Outcome, l.Reason)
		}
		final[l.URL] = l
		f.checkLine(w, &l, f.digest(disk, &l), retries[l.URL], silent[host])
	}
	for at, url := range captures {
		if logged[at] {
			continue
		}
		f.add("%s is recorded at %s, and crawl.log does not say so", url, at)
	}
	for url, l := range finished {
		if now, ok := final[url]; !ok || l.Kind != kavosh.Prerequisite.String() && (now.Outcome != l.Outcome || now.Offset != l.Offset || now.File != l.File) {
			f.add("%s was %s, durably, and is %q now", url, l.Outcome, now.Outcome)
		}
	}
	for _, url := range w.Seeds() {
		if _, ok := final[url]; !ok {
			f.add("the seed %s is lost", url)
		}
	}
	for url, l := range final {
		if l.Outcome != archive.Recorded || l.Cut != "" {
			continue
		}
		if _, whole := w.Served(url, f.digest(disk, &l)); !whole {
			continue
		}
		for _, link := range w.Links(url, l.Status) {
			if _, ok := final[link]; !ok {
				f.add("%s, a link of %s, is lost", link, url)
			}
		}
	}
}

// checkLine looks at one final outcome. silent is how many requests in a row its host left without an answer by then.
func (f *findings) checkLine(w *simulation.World, l *archive.Line, digest string, retries, silent int) {
	if l.Outcome == archive.Recorded && l.Cut == "" && l.Status > 0 {
		if sent, _ := w.Served(l.URL, digest); !sent {
			f.add("%s: nobody sent what is recorded (status %d, digest %s)", l.URL, l.Status, digest)
		}
	}
	if l.Outcome == archive.Refused {
		return
	}
	if l.Attempt != retries {
		f.add("%s: attempt %d is final, and %d were logged before", l.URL, l.Attempt, retries)
	}
	passing := slices.Contains([]int{429, 503}, l.Status) ||
		l.Status == 0 && slices.Contains([]kavosh.Failure{kavosh.DNSFailure, kavosh.ConnectFailure, kavosh.TimeoutFailure, kavosh.ResetFailure}, l.Failure)
	if passing && l.Attempt < 2 && silent < 8 { // else its host is given up
		f.add("%s: %d %s after %d attempts is not final", l.URL, l.Status, l.Failure, l.Attempt+1)
	}
}

// digest returns the payload digest of what l says was recorded. Of a body that came in pieces no record has one.
func (f *findings) digest(disk *simulation.Disk, l *archive.Line) string {
	if l.Outcome != archive.Recorded || l.Digest != "" || l.Cut != "" {
		return l.Digest
	}
	p, err := archive.RecordsOf(disk, "archive").Open(context.Background(), &cdx.Entry{URL: l.URL, Filename: l.File, Offset: l.Offset})
	if err != nil {
		f.add("%s: %v", l.URL, err)
		return ""
	}
	defer p.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, p.Body); err != nil || p.Truncated != "" {
		f.add("%s is said to be whole, and is not: %q, %v", l.URL, p.Truncated, err)
	}
	return warc.FormatDigest("sha256", sum.Sum(nil))
}

// captures are the URLs of all main records, by file and offset.
func (f *findings) captures(disk *simulation.Disk) map[string]string {
	all := map[string]string{}
	files, err := record.Files(disk, "archive/warc")
	if err != nil {
		f.add("%v", err)
	}
	for _, name := range files {
		file, err := disk.Open("archive/warc/" + name)
		if err != nil {
			f.add("%v", err)
			continue
		}
		if err := record.Captures(file, name, func(c kavosh.Capture) error {
			if c.Type != "resource" {
				all[fmt.Sprintf("%s %d", name, c.Offset)] = c.URL
			}
			return nil
		}, func(at int64, err error) { f.add("%s at %d: %v", name, at, err) }); err != nil {
			f.add("%s: %v", name, err)
		}
		file.Close()
	}
	return all
}

// TestSimulation crawls made-up webs, one a seed, while web, disk and clock fail and the process is killed. `-seed N` runs
// the one that failed again; `-trace FILE` writes its events down.
func TestSimulation(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))  // one goroutine after the other, in the order in which they become ready
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // simulate collects: a collection changes who runs next
	sum := simulation.Report{Counts: map[string]int64{}}
	first, n := uint64(1), ownSeeds
	if testing.Short() {
		n /= 4
	}
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
		if !t.Run(fmt.Sprint(seed), func(t *testing.T) {
			counts, found, tail := simulate(t, seed, trace, nil)
			sum.Add(counts)
			for _, what := range found {
				t.Errorf("seed %d: %s", seed, what)
			}
			if found != nil {
				t.Logf("it found before: %s\nagain: go test ./engine -run 'TestSimulation$' -seed %d; its last events:\n%s", cmp.Or(regressions()[seed], "nothing"), seed, tail)
			}
		}) {
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

// TestSimulatedRests crawls worlds with large bodies that break off, whose rest is then asked for.
func TestSimulatedRests(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	first, n := uint64(1), 24
	if testing.Short() {
		n = 6
	}
	if *simulated.seed != 0 {
		first, n = *simulated.seed, *simulated.seeds
	}
	rests := int64(0)
	for seed := first; seed < first+uint64(n); seed++ {
		counts, found, tail := simulateIn(t, simulation.Options{Seed: seed, Quiet: synctest.Wait, Large: true}, nil)
		rests += counts["rest"]
		for _, what := range found {
			t.Errorf("seed %d: %s", seed, what)
		}
		if found != nil {
			t.Logf("its last events:\n%s", tail)
		}
	}
	if rests == 0 {
		t.Error("no rest was asked for")
	}
	t.Log(rests, "rests were asked for")
}

// TestSimulationFinds lets crawls misbehave in ways that the simulation must notice; TestPlantedBugs has many more.
func TestSimulationFinds(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	for name, twist := range map[string]func(*Options){
		"records are not synced":   func(o *Options) { o.FS = forgetful{o.FS} },
		"half the delay":           func(o *Options) { o.Delay /= 2 },
		"addresses without a rest": func(o *Options) { o.AddressDelay = 0 },
		"Retry-After not heard":    func(o *Options) { o.Web = deaf{o.Web} },
	} {
		t.Run(name, func(t *testing.T) {
			for seed := uint64(1); seed < 30; seed++ {
				if _, found, _ := simulate(t, seed, nil, twist); found != nil {
					t.Logf("found by seed %d: %s", seed, found[0])
					return
				}
			}
			t.Error("not found")
		})
	}
}

// forgetful is a disk that says that WARC files are synced when they are not.
type forgetful struct{ vfs.FS }

func (d forgetful) OpenReadWrite(name string, c vfs.DiskWriteCategory, o ...vfs.OpenOption) (vfs.File, error) {
	f, err := d.FS.OpenReadWrite(name, c, o...)
	if strings.Contains(name, "/warc/") && err == nil {
		f = unsynced{f}
	}
	return f, err
}

type unsynced struct{ vfs.File }

func (unsynced) Sync() error     { return nil }
func (unsynced) SyncData() error { return nil }

// deaf is a web in whose answers no Retry-After stands.
type deaf struct{ fetch.Web }

func (d deaf) Dial(ctx context.Context, addr netip.AddrPort) (net.Conn, error) {
	c, err := d.Web.Dial(ctx, addr)
	if err == nil {
		c = deafConn{c}
	}
	return c, err
}

type deafConn struct{ net.Conn }

func (c deafConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	copy(p[:n], bytes.ReplaceAll(p[:n], []byte("Retry-After"), []byte("X-Try-After")))
	return n, err
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
		simulate(t, 7, nil, nil) // the same world: what differs is what was left
	}
	if after := heap(); after > before+2<<20 {
		t.Errorf("%d bytes in use after 4 crawls, %d after 12", before, after)
	}
}

// TestSimulationOfLimits crawls such webs under limits of hosts, domains, seeds and the crawl that rise with each life:
// nothing is lost or asked for twice, whatever waits in lists when the process is killed.
func TestSimulationOfLimits(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	seeds := uint64(limitedSeeds)
	if testing.Short() {
		seeds /= 4
	}
	for seed := uint64(5001); seed <= 5000+seeds; seed++ {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			life := int64(0)
			limit := func(n int64) plan.NamedLimit {
				return plan.NamedLimit{Limit: plan.Limit{URLs: n * life * life}}
			}
			_, found, tail := simulate(t, seed, nil, func(o *Options) {
				life++
				o.HostLimit = []plan.HostLimit{{NamedLimit: limit(3)}}
				if seed%2 == 0 {
					o.DomainLimit = []plan.DomainLimit{{NamedLimit: limit(5)}}
				}
				if seed%3 == 0 {
					o.SeedLimit = []plan.SeedLimit{{NamedLimit: limit(20)}}
				}
				if seed%4 == 0 {
					o.CrawlLimit = limit(30).Limit
				}
			})
			for _, what := range found {
				t.Errorf("seed %d: %s", seed, what)
			}
			if found != nil {
				t.Log(tail)
			}
		})
	}
}

const limitedSeeds = 8
