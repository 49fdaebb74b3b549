package frontier

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"kavosh"
)

// ledger is what the frontier owes us: what an Apply that returned has accepted and finished.
type ledger struct {
	queued map[string]bool
	done   map[string]bool
	lastID uint64 // highest seen
	blob   string
}

func (l *ledger) clone() ledger {
	return ledger{maps.Clone(l.queued), maps.Clone(l.done), l.lastID, l.blob}
}

// crasher takes a picture of the disk as a power cut would leave it, before one of the writes.
type crasher struct {
	mem   *vfs.MemFS
	dice  *rand.Rand // of the crawl
	bench int        // Options.Workbench, and a budget

	mu     sync.Mutex
	rng    *rand.Rand // of the cut
	left   int        // writes until the cut
	owed   ledger
	at     ledger // owed when it happened
	picked *vfs.MemFS
}

func (c *crasher) String() string { return "crasher" }

func (c *crasher) MaybeError(op errorfs.Op) error {
	if op.Kind.ReadOrWrite() != errorfs.OpIsWrite {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.left--; c.left == 0 {
		c.at = c.owed.clone()
		c.picked = c.mem.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: c.rng.IntN(101), RNG: rand.New(rand.NewPCG(c.rng.Uint64(), 1))})
	}
	return nil
}

func (c *crasher) owe(change func(*ledger)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	change(&c.owed)
}

func (c *crasher) cut() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.picked != nil
}

// site is a small endless web: each page links to three others.
func site(task *kavosh.Task, size int) []kavosh.Link {
	var n int
	if _, err := fmt.Sscanf(task.URL[strings.LastIndexByte(task.URL, '/')+1:], "%d", &n); err != nil {
		return nil
	}
	var ls []kavosh.Link
	for i := 1; i <= 3; i++ {
		ls = append(ls, page((3*n+i)%size))
	}
	return ls
}

func page(n int) kavosh.Link {
	return kavosh.Link{URL: fmt.Sprintf("http://h%d.example/%d", n%11, n), Kind: kavosh.Navigation}
}

// TestCrash cuts the power before a random write, ten times in succession, and goes on from what the disk still has:
// all that Apply accepted is there, in memory or in the lines on disk, nothing that it finished comes again, and the crawl ends with every page done once.
func TestCrash(t *testing.T) {
	const rounds, cuts, size = 6, 12, 2000
	for round := range rounds {
		rng := rand.New(rand.NewPCG(uint64(round), 99))
		mem := vfs.NewCrashableMem()
		owed := ledger{queued: map[string]bool{}, done: map[string]bool{}}
		for cut := 0; ; cut++ {
			c := &crasher{mem: mem, dice: rng, rng: rand.New(rand.NewPCG(rng.Uint64(), 98)), owed: owed.clone(), bench: round % 4}
			if cut < cuts {
				c.left = 1 + rng.IntN(80)
			}
			ended := crawlUntilCut(t, c, size)
			if t.Failed() {
				t.Fatalf("round %d, cut %d", round, cut)
			}
			if ended && !c.cut() {
				if cut < cuts/2 {
					t.Errorf("round %d ended after %d cuts: too few to prove anything", round, cut)
				}
				if len(c.owed.done) != size {
					t.Errorf("round %d: %d pages done at the end, want %d", round, len(c.owed.done), size)
				}
				break
			}
			mem, owed = c.picked, c.at
		}
	}
}

// crawlUntilCut crawls until the cut or the end, in groups of a random size.
func crawlUntilCut(t *testing.T, c *crasher, size int) (ended bool) {
	f, err := Open(Options{FS: errorfs.Wrap(c.mem, c), Dir: "crawl/frontier", MaxPerHost: 4, Workbench: c.bench, HostBudget: 20 * c.bench, seenTable: 100})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	checkOwed(t, f, &c.owed)
	if _, err := f.Apply([]Update{{Links: []kavosh.Link{page(0)}}}, nil); err != nil {
		t.Fatal(err)
	}
	c.owe(func(l *ledger) { l.queued[page(0).URL] = true })
	var group []Update
	for !c.cut() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
		l, err := f.Next(ctx)
		cancel()
		switch {
		case errors.Is(err, io.EOF):
			return true
		case err == nil:
			if c.owed.done[l.Task.URL] {
				t.Errorf("%s was done and comes again", l.Task.URL)
			}
			if l.Origin != "" && l.Task.ID <= c.at.lastID {
				t.Errorf("id %d is given out again", l.Task.ID)
			}
			c.owe(func(o *ledger) {
				o.lastID = max(o.lastID, l.Task.ID)
				if l.Origin == "" {
					o.queued[l.Task.URL] = true // the Apply that the cut kept from returning had got through
				}
			})
			l.Answered(Answer{Status: 200})
			u := Update{Task: l.Task}
			if l.Origin != "" {
				u.Robots = &Robots{Origin: l.Origin, Status: 404}
			} else if l.Task.Attempt == 0 && c.dice.IntN(8) == 0 {
				u.Retry = time.Now()
			} else {
				u.Links = site(&l.Task, size)
			}
			if group = append(group, u); len(group) < 1+c.dice.IntN(20) {
				continue
			}
		case !errors.Is(err, context.DeadlineExceeded):
			t.Fatal(err)
		}
		mark := fmt.Sprint(c.dice.Uint64())
		if _, err := f.Apply(group, func([]Result) ([]byte, error) { return []byte(mark), nil }); err != nil {
			t.Fatal(err)
		}
		c.owe(func(o *ledger) {
			o.blob = mark
			for _, u := range group {
				for _, l := range u.Links {
					o.queued[l.URL] = true
				}
				if u.Task.Kind != kavosh.Prerequisite && u.Retry.IsZero() {
					o.done[u.Task.URL] = true
				}
			}
		})
		group = nil
	}
	return false
}

// checkOwed compares a frontier that was opened again with what was owed. More may be there than was owed: what was
// about to be acknowledged.
func checkOwed(t *testing.T, f *Frontier, owed *ledger) {
	t.Helper()
	for url := range owed.queued {
		s, err := f.State(url, false)
		if err != nil {
			t.Fatal(err)
		}
		if owed.done[url] && s != Done || s != Done && s != Waiting {
			t.Errorf("%s is %s after the cut; done before: %v", url, s, owed.done[url])
		}
		if s == Done {
			owed.done[url] = true
		}
		if _, queued, err := f.Task(url, false); err != nil || queued != (s == Waiting) {
			t.Errorf("%s is %s, and its task queued: %v, %v", url, s, queued, err)
		}
	}
	checkLines(t, f)
	if s := f.Stats(); s.Known < int64(len(owed.queued)) || s.Known != s.Queued+s.Finished {
		t.Errorf("after the cut: %+v, %d URLs owed", s, len(owed.queued))
	}
}

// checkLines expects each place in line to be the one that follows from its host's standing, and none to be missing.
func checkLines(t *testing.T, f *Frontier) {
	t.Helper()
	it, err := f.db.NewIter(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer it.Close()
	placed, queued := make(map[string]bool), make(map[string]bool)
	for ok := it.First(); ok; ok = it.Next() {
		switch key := it.Key(); key[0] {
		case tagReady, tagWaiting:
			name, _, _, err := parseLine(key)
			if err != nil {
				t.Fatal(err)
			}
			s, err := f.readStanding(name)
			if want := s.lineKey(name); err != nil || string(key) != string(want) {
				t.Errorf("%s stands at %q, its standing says %q, %v", name, key, want, err)
			}
			placed[name] = true
		case tagQueue, tagDeferred:
			name, _, err := parsePlace(key)
			if err != nil {
				t.Fatal(err)
			}
			queued[name] = true
		}
	}
	for name := range queued {
		if !placed[name] {
			t.Errorf("%s has something queued and stands in no line", name)
		}
	}
}

// TestUnsyncedTurnover lets hosts come and go until what that changes would fill the table of the seen set many times,
// and cuts the power: their standings are as old as their places in line.
func TestUnsyncedTurnover(t *testing.T) {
	bubble(t, func(t *testing.T) {
		const hosts = 200
		mem := vfs.NewCrashableMem()
		o := Options{FS: mem, Workbench: 3, seenTable: 20}
		f := open(t, o)
		for i := range hosts {
			pages(t, f, fmt.Sprintf("http://h%d.test", i), 1)
		}
		written := f.known.number
		for range hosts {
			next(t, f).Later(time.Hour)
		}
		if n := f.known.number - written; n < hosts/2 {
			t.Errorf("hosts came and went %d times: too few to prove anything", n)
		}
		if err := f.known.set.Settle(); err != nil {
			t.Fatal(err)
		}
		o.FS = mem.CrashClone(vfs.CrashCloneCfg{})
		f.Close()
		checkLines(t, open(t, o))
	})
}

// TestUnsyncedAnswer cuts the power after hosts came and went and a server named, once more, a time to come back that is
// known: there is nothing new to write, and yet what is in the files of the seen set then must be durable in Pebble.
func TestUnsyncedAnswer(t *testing.T) {
	bubble(t, func(t *testing.T) {
		const hosts = 200
		mem := vfs.NewCrashableMem()
		o := Options{FS: mem, Workbench: 3, seenTable: 220}
		f := open(t, o)
		pages(t, f, "http://busy.test", 2)
		finish(t, f, next(t, f), 404, "")
		first, second := next(t, f), next(t, f)
		<-time.After(time.Second) // the second is asked before the trouble is known
		first.Answered(Answer{Status: 503, RetryAfter: "3600"})
		for i := range hosts {
			pages(t, f, fmt.Sprintf("http://h%d.test", i), 1)
		}
		for range hosts {
			next(t, f).Later(time.Hour)
		}
		if err := f.known.set.Settle(); err != nil {
			t.Fatal(err)
		}
		generation := f.known.set.Generation()
		second.Answered(Answer{Status: 503, RetryAfter: "60"})
		if err := f.known.set.Settle(); err != nil {
			t.Fatal(err)
		}
		if f.known.set.Flushed() != generation {
			t.Error("the table of the seen set was not written: nothing is proved")
		}
		o.FS = mem.CrashClone(vfs.CrashCloneCfg{})
		f.Close()
		checkLines(t, open(t, o))
	})
}
