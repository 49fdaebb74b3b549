package main

import (
	"context"
	"errors"
	"io"
	"time"

	"kavosh/frontier"
	"kavosh/frontier/scope"
)

// crawler leases the tasks of a frontier, answers them in place of the web, and applies the answers in groups.
type crawler struct {
	f       *frontier.Frontier
	group   int                                         // tasks in one Apply
	pending int                                         // leases waiting for their answer
	flush   <-chan struct{}                             // receives a value when a group must not be held back
	answer  func(l *frontier.Lease) (u frontier.Update) // ends the lease
	applied func(tasks int)                             // after each Apply
}

// run crawls until nothing is queued, or ctx ends.
func (c *crawler) run(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	leases := make(chan *frontier.Lease, c.pending)
	finished := make(chan frontier.Update, c.group)
	go func() {
		defer close(finished)
		for l := range leases {
			finished <- c.answer(l)
		}
	}()
	applied := make(chan struct{})
	go func() {
		defer close(applied)
		if err := c.apply(finished); err != nil {
			cancel(err)
			for range finished { // so that nobody blocks on it
			}
		}
	}()
	err := c.lease(ctx, leases)
	close(leases)
	<-applied
	if cause := context.Cause(ctx); cause != nil && !errors.Is(cause, context.DeadlineExceeded) {
		return cause
	}
	return err
}

// lease leases one task after another.
func (c *crawler) lease(ctx context.Context, leases chan<- *frontier.Lease) error {
	for {
		l, err := c.f.Next(ctx)
		if errors.Is(err, io.EOF) || ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
		if l.Refused == nil {
			p, _ := scope.Split(l.Task.URL)
			if wait := l.Address(address(p.Name)); wait > 0 {
				l.Later(wait)
				continue
			}
		}
		leases <- l
	}
}

func (c *crawler) apply(finished <-chan frontier.Update) error {
	var group []frontier.Update
	for open := true; open; {
		now := false
		select {
		case u, ok := <-finished:
			if open = ok; ok {
				group = append(group, u)
			}
			now = !ok || len(group) >= c.group || len(finished) == 0 && c.f.Hungry()
		case <-c.flush:
			now = true
		}
		if now && len(group) > 0 {
			if _, err := c.f.Apply(group, nil); err != nil {
				return err
			}
			c.applied(len(group))
			group = group[:0]
		}
	}
	return nil
}

// found answers a lease like a server that has the page but no robots.txt.
func found(l *frontier.Lease) frontier.Update {
	u := frontier.Update{Task: l.Task}
	if l.Refused != nil {
		return u
	}
	status := 200
	if l.Origin != "" {
		status = 404
		u.Robots = &frontier.Robots{Origin: l.Origin, Status: status}
	} else {
		u.Bytes = 20_000
	}
	l.Answered(frontier.Answer{Status: status})
	return u
}

// The default politeness of kavosh crawl.
const (
	delay        = time.Second
	addressDelay = 100 * time.Millisecond
)
