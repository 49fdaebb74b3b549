package frontier

import (
	"cmp"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh/frontier/scope"
	"kavosh/frontier/seen"
	"kavosh/internal/clock"
)

// This file looks into the queue of a crawl that does not run. It changes nothing.

// Look finds the task that waits for url in the frontier in dir, and changes nothing. url is a seen-key, the form under
// which URLs are compared. With variant, it looks for the RDF form of url. found is false if no task waits. Look fails
// while a crawl has the frontier open.
func Look(fs vfs.FS, dir, url string, variant bool) (w Waits, found bool, err error) {
	var buf []byte
	p, _ := scope.Split(url)
	f, err := openToLook(fs, dir, taskKey(url, variant, &buf), hostKey(p.Name, &buf))
	if err != nil {
		return w, false, err
	}
	w, found, err = f.Waits(url, variant)
	return w, found, cmp.Or(err, f.endLook())
}

// ListStored is Frontier.List for the frontier in dir. It fails while a crawl has the frontier open, and no crawl can
// open it meanwhile.
func ListStored(fs vfs.FS, dir, host string, begin func(Stats), yield func(*Waits) (more bool, err error)) error {
	f, err := openToLook(fs, dir)
	if err != nil {
		return err
	}
	return cmp.Or(f.List(host, begin, yield), f.endLook())
}

// Stored lets read ask the frontier in dir for values (Get, Values). It fails while a crawl has the frontier open.
func Stored(fs vfs.FS, dir string, read func(*Frontier) error) error {
	f, err := openToLook(fs, dir)
	if err != nil {
		return err
	}
	return cmp.Or(read(f), f.endLook())
}

// Forbidden returns which of urls, seen-keys, robots.txt forbids to agent, with the words for each, by the files that the
// frontier in dir has. What is of another origin is not in it.
func Forbidden(fs vfs.FS, dir, agent string, urls []string) (map[string]string, error) {
	f, err := openToLook(fs, dir)
	if err != nil {
		return nil, err
	}
	no, files := map[string]string{}, map[string]*verdict{}
	for _, url := range urls {
		p, _ := scope.Split(url)
		v, known := files[p.Origin]
		if !known {
			r, err := f.db.robots(p.Origin)
			if err != nil {
				_ = f.endLook() // the first error tells more
				return nil, err
			}
			if r != nil && r.settled {
				v = r.compile(p.Origin, agent, &f.clock, f.clock.now())
			}
			files[p.Origin] = v
		}
		if v == nil {
			continue
		}
		if refusal := v.refusal(p.PathQuery); refusal != nil {
			no[url] = refusal.Text
		}
	}
	return no, f.endLook()
}

// openToLook opens the frontier in dir for reading; endLook closes it. If only is not empty, what is known of these keys
// alone can be asked for.
func openToLook(fs vfs.FS, dir string, only ...seen.Key) (*Frontier, error) {
	const cache = 1 << 20
	now := time.Now()
	f := &Frontier{priorities: make(priorities), clock: crawlClock{Clock: clock.Real{}, start: now}}
	f.mu.limits.by, f.mu.limits.why, f.mu.limits.stored = make(map[limitKey]*account), make(map[uint64]string), true
	f.mu.holds, f.mu.again = holds{byHost: make(map[string]Held), end: noTime}, noTime
	var err error
	if f.db, err = openDatabase(fs, dir, cache, true); err != nil {
		return nil, err
	}
	f.known, err = openKnown(f.db, seen.Options{FS: fs, Dir: fs.PathJoin(dir, "seen"), ReadOnly: true}, only...)
	if err == nil {
		f.mu.sums, err = f.db.counters()
	}
	b := f.db.NewBatch() // never written
	defer b.Close()
	err = cmp.Or(err, f.clock.load(f.db), f.priorities.load(f.db), f.mu.holds.load(f.db, b, now), f.loadLimited())
	if err != nil {
		_ = f.endLook() // of the same cause
		return nil, err
	}
	f.budgets = budgets{host: int(f.mu.sums.hostBudget), domain: int(f.mu.sums.domainBudget)}
	return f, nil
}

func (f *Frontier) endLook() error { return cmp.Or(f.known.close(), f.db.Close()) }
