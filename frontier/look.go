package frontier

import (
	"cmp"
	"fmt"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh"
	"kavosh/frontier/scope"
	"kavosh/frontier/seen"
	"kavosh/lib/weburl"
)

// This file looks for one URL in the queue of a crawl that does not run. It changes nothing.

// Waits is a task that waits.
type Waits struct {
	Task  kavosh.Task
	Again time.Time // when Task, which is done, is queued anew; zero for a task that is queued
	Why   []string  // what it waits for besides its turn, and what makes its turn sooner or later, each in words
}

// Look finds the task that waits for url in the frontier in dir, and changes nothing. url is a seen-key, the form under
// which URLs are compared. With variant, it looks for the RDF form of url. found is false if no task waits. Look fails
// while a crawl has the frontier open.
func Look(fs vfs.FS, dir, url string, variant bool) (w Waits, found bool, err error) {
	const cache = 1 << 20
	f := &Frontier{priorities: make(priorities)}
	if f.db, err = openDatabase(fs, dir, cache, true); err != nil {
		return w, false, err
	}
	defer f.db.Close()
	p, _ := scope.Split(url)
	set := seen.Options{FS: fs, Dir: fs.PathJoin(dir, "seen"), ReadOnly: true}
	f.known, err = openKnown(f.db, set, taskKey(url, variant, &f.scratch.url), hostKey(p.Name, &f.scratch.url))
	defer f.known.close()
	if err != nil {
		return w, false, err
	}
	if w.Task, found, err = f.Task(url, variant); err == nil && !found {
		w.Task, w.Again, err = f.Again(url, variant)
		found = !w.Again.IsZero()
	}
	if err != nil || !found {
		return w, false, err
	}
	w.Why, err = f.whyWaits(p.Name)
	return w, true, err
}

// whyWaits returns what keeps the URLs of a host waiting, as far as the disk knows, each reason in words.
func (f *Frontier) whyWaits(host string) (why []string, err error) {
	if f.mu.sums, err = f.db.counters(); err == nil {
		err = f.priorities.load(f.db)
	}
	f.budgets = budgets{host: int(f.mu.sums.hostBudget), domain: int(f.mu.sums.domainBudget)}
	s, standingErr := f.readStanding(host)
	hold, holdErr := f.db.value(stringKey(tagHold, host))
	if err = cmp.Or(err, standingErr, holdErr); err != nil {
		return nil, err
	}
	if hold != nil {
		h, err := parseHeld(host, hold)
		if err != nil {
			return nil, corrupt(stringKey(tagHold, host), err)
		}
		until := "it is released"
		if !h.Until.IsZero() {
			until = h.Until.UTC().Format(time.DateTime)
		}
		why = append(why, fmt.Sprintf("its host is on hold until %s (%s)", until, h.Why))
	}
	round := f.mu.sums.round
	if s.allowance.next(round, f.budgets.host, 0) > round {
		why = append(why, fmt.Sprintf("its host's budget of %d pages in this round is spent", f.budgets.host))
	}
	if s.domain.next(round, f.budgets.domain, 0) > round {
		why = append(why, fmt.Sprintf("the budget of its domain, %s, of %d pages in this round is spent", weburl.Domain(host), f.budgets.domain))
	}
	if s.add != 0 {
		why = append(why, fmt.Sprintf("its host's URLs count %+g more than their scores", s.add))
	}
	return why, nil
}
