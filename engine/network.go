package engine

// This file lets a crawl wait while the network of this machine is down.

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"kavosh"
	"kavosh/fetch"
	"kavosh/frontier/scope"
	"kavosh/internal/clock"
)

// network tells hosts that do not answer from a failure of our own network. If several hosts in a row do not answer, it
// connects to hosts that answered recently. If none can be reached, the crawl waits for the network.
type network struct {
	sync.Mutex
	clock   clock.Clock
	fetcher *fetch.HTTP
	quota   *quota
	control *controls

	alive   []string      // URLs that were answered of late, the latest last; at most networkAlive, a host once
	noted   time.Time     // when the last of them was looked at
	silent  []string      // different hosts in a row that did not answer; at most networkRow
	up      time.Time     // when it was last found to be up
	trying  chan struct{} // closed when the try under way is over; nil without one
	down    time.Time     // since when the crawl waits; zero while it does not
	waiting chan struct{} // has a value when the crawl began to wait
}

const (
	networkRow   = 3                // different hosts in a row without an answer, until the line is doubted
	networkAlive = 4                // hosts that are tried then
	networkLeast = 3                // of these, without which nothing can be told
	networkTrust = 10 * time.Second // how long a line that was found up is not doubted
	networkFirst = 5 * time.Second  // until a line that is down is tried again; twice as long each time, up to networkLast
	networkLast  = time.Minute
)

// Names of the commands that a crawl writes to control.log when it begins and ends to wait for the network.
const (
	lineDown = "line-down"
	lineUp   = "line-up"
)

// silentFailure says that x came to nothing in a way that all hosts share when our line is down.
func silentFailure(x *kavosh.Exchange) bool {
	switch x.Failure {
	case kavosh.DNSFailure, kavosh.ConnectFailure, kavosh.TimeoutFailure:
		return !x.Answered()
	}
	return false
}

// ourFault says that x failed because our own line is down, so that it says nothing of its host. It may take as long as
// a connection takes.
func (n *network) ourFault(hard context.Context, x *kavosh.Exchange) (bool, error) {
	n.Lock()
	if !silentFailure(x) {
		if x.Failure != kavosh.BlockedAddress { // else nothing was connected to, and nothing would be again
			n.heard(x)
		}
		n.Unlock()
		return false, nil
	}
	for n.trying != nil {
		done := n.trying
		n.Unlock()
		<-done // ends with hard at the latest
		n.Lock()
	}
	if down := !n.down.IsZero(); down || !n.doubted(x, n.clock.Now()) {
		n.Unlock()
		return down, nil
	}
	n.trying = make(chan struct{})
	n.Unlock()
	up := n.reach(hard)
	n.Lock()
	close(n.trying)
	n.trying = nil
	if up {
		n.silent, n.up = n.silent[:0], n.clock.Now()
		n.Unlock()
		return false, nil
	}
	n.down = n.clock.Now()
	n.waiting <- struct{}{} // keep took the one before
	why := fmt.Sprintf("no answer from %s, nor a connection to those that did answer before: %s", strings.Join(n.silent, ", "), strings.Join(hostsOf(n.alive), ", "))
	n.quota.lose(true)
	n.Unlock()
	n.control.trouble("the network of this machine seems to be down (" + why + "): the crawl waits, tries again and goes on by itself")
	return true, n.control.keepOwn(Command{Name: lineDown, Before: "running", After: "waiting for the network", Why: why})
}

// heard takes note of an answer.
func (n *network) heard(x *kavosh.Exchange) {
	end := x.Began.Add(x.Took)
	if len(n.silent) == 0 && len(n.alive) >= networkLeast && end.Sub(n.noted) < time.Second {
		return // one a second is enough
	}
	n.silent, n.noted = n.silent[:0], end
	p, _ := scope.Split(x.Task.URL) // what was asked for can be split
	if slices.Contains(hostsOf(n.alive), p.Name) {
		return
	}
	if len(n.alive) == networkAlive {
		n.alive = slices.Delete(n.alive, 0, 1)
	}
	n.alive = append(n.alive, x.Task.URL)
}

// doubted reports whether there were so many failures, the last of them x at now, that the network must be tested.
func (n *network) doubted(x *kavosh.Exchange, now time.Time) bool {
	if p, _ := scope.Split(x.Task.URL); !slices.Contains(n.silent, p.Name) && len(n.silent) < networkRow {
		n.silent = append(n.silent, p.Name)
	}
	return len(n.silent) == networkRow && len(n.alive) >= networkLeast && now.Sub(n.up) >= networkTrust
}

// hostsOf are the names of the hosts of URLs.
func hostsOf(urls []string) (hosts []string) {
	for _, url := range urls {
		p, _ := scope.Split(url)
		hosts = append(hosts, p.Name)
	}
	return hosts
}

// reach says whether any of the hosts that answered of late can be connected to.
func (n *network) reach(ctx context.Context) bool {
	n.Lock()
	urls := slices.Clone(n.alive)
	n.Unlock()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	results := make(chan bool, len(urls))
	for _, url := range urls {
		go func() {
			up, err := n.fetcher.Reach(ctx, url)
			results <- up || err != nil // what is wrong with us otherwise will show in a request
		}()
	}
	for range urls {
		if <-results {
			return true
		}
	}
	return false
}

// keep tries a line that is down until it is up, until ctx ends.
func (n *network) keep(ctx context.Context) {
	for {
		select {
		case <-n.waiting:
		case <-ctx.Done():
			return
		}
		for wait := networkFirst; ; wait = min(2*wait, networkLast) {
			if n.clock.Sleep(ctx, wait) != nil {
				return
			}
			if n.reach(ctx) {
				break
			}
		}
		n.Lock()
		now := n.clock.Now()
		took := now.Sub(n.down).Round(time.Second)
		n.down, n.up, n.silent = time.Time{}, now, n.silent[:0]
		n.Unlock()
		n.fetcher.ForgetFailures()
		n.quota.lose(false)
		n.control.trouble(fmt.Sprintf("the network is there again after %v: the crawl goes on", took))
		if err := n.control.keepOwn(Command{Name: lineUp, Before: "waiting for the network", After: "running"}); err != nil {
			n.control.trouble("control.log could not be written: " + err.Error())
		}
	}
}
