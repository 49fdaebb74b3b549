package frontier

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh"
)

// open opens a frontier for a test, in memory unless o says otherwise, and closes it at the end.
func open(t testing.TB, o Options) *Frontier {
	t.Helper()
	if o.FS == nil {
		o.FS = vfs.NewMem()
	}
	if o.Dir == "" {
		o.Dir = "frontier"
	}
	f, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// bubble runs test with a clock that jumps when everybody waits.
func bubble(t *testing.T, test func(t *testing.T)) {
	synctest.Test(t, func(t *testing.T) {
		test(t)
	})
}

func apply(t testing.TB, f *Frontier, updates ...Update) []Result {
	t.Helper()
	rs, err := f.Apply(updates, nil)
	if err != nil {
		t.Fatal(err)
	}
	return rs
}

func links(kind kavosh.Kind, urls ...string) []kavosh.Link {
	var ls []kavosh.Link
	for _, u := range urls {
		ls = append(ls, kavosh.Link{URL: u, Kind: kind})
	}
	return ls
}

func addSeeds(t testing.TB, f *Frontier, urls ...string) {
	t.Helper()
	apply(t, f, Update{Links: links(kavosh.Seed, urls...)})
}

// next is the next lease; the test fails when there is none within a simulated month.
func next(t testing.TB, f *Frontier) *Lease {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 30*24*time.Hour)
	defer cancel()
	l, err := f.Next(ctx)
	if err != nil {
		t.Fatalf("Next: %v", err)
	}
	return l
}

// finish answers a lease with status and Applies it; a robots.txt gets body.
func finish(t testing.TB, f *Frontier, l *Lease, status int, body string, found ...kavosh.Link) {
	t.Helper()
	l.Answered(Answer{Status: status})
	u := Update{Task: l.Task, Links: found}
	if l.Task.Kind == kavosh.Prerequisite {
		u.Robots = &Robots{Origin: l.Origin, Status: status, Body: []byte(body)}
	}
	apply(t, f, u)
}

// drain crawls everything that is queued, without links, and returns the URLs requested in order, robots.txt files
// left out; refused ones have a "-" before them.
func drain(t testing.TB, f *Frontier, robotsTxt string) []string {
	t.Helper()
	var urls []string
	for {
		l, err := f.Next(context.Background())
		if errors.Is(err, io.EOF) {
			return urls
		}
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case l.Refused != nil:
			urls = append(urls, "-"+l.Task.URL)
			apply(t, f, Update{Task: l.Task})
		case l.Task.Kind == kavosh.Prerequisite:
			finish(t, f, l, 200, robotsTxt)
		default:
			urls = append(urls, l.Task.URL)
			finish(t, f, l, 200, "")
		}
	}
}

func TestCrawlOfOneHost(t *testing.T) {
	bubble(t, func(t *testing.T) {
		f := open(t, Options{Delay: time.Second})
		addSeeds(t, f, "http://a.example/", "http://a.example/b", "http://a.example/private/c")
		start := time.Now()
		l := next(t, f)
		if l.Origin != "http://a.example" || l.Task.URL != "http://a.example/robots.txt" || l.Task.Kind != kavosh.Prerequisite {
			t.Fatalf("first lease is %+v, want robots.txt", l.Task)
		}
		finish(t, f, l, 200, "User-agent: *\nDisallow: /private/\n")
		l = next(t, f)
		if l.Task.URL != "http://a.example/" || time.Since(start) < time.Second {
			t.Fatalf("second lease is %s after %v, want / after 1s", l.Task.URL, time.Since(start))
		}
		finish(t, f, l, 200, "", links(kavosh.Navigation, "http://a.example/b", "http://a.example/d")...)
		got := drain(t, f, "")
		want := []string{"http://a.example/b", "-http://a.example/private/c", "http://a.example/d"}
		if !slices.Equal(got, want) {
			t.Errorf("then came %v, want %v", got, want)
		}
		if s := f.Stats(); s.Known != 4 || s.Finished != 4 || s.Queued != 0 {
			t.Errorf("stats at the end: %+v", s)
		}
	})
}

func TestReopen(t *testing.T) {
	bubble(t, func(t *testing.T) {
		fs := vfs.NewMem()
		f := open(t, Options{FS: fs, Delay: time.Second})
		var urls []string
		for i := range 300 {
			urls = append(urls, fmt.Sprintf("http://h%d.example/%d", i%7, i))
		}
		addSeeds(t, f, urls...)
		for range 20 {
			finish(t, f, next(t, f), 200, "")
		}
		next(t, f) // leased, and lost
		was := f.Stats()
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		f = open(t, Options{FS: fs, Delay: time.Second})
		if s := f.Stats(); s.Queued != was.Queued || s.Known != was.Known || s.Finished != was.Finished {
			t.Errorf("after opening again: %+v, before: %+v", s, was)
		}
		got := drain(t, f, "")
		if len(got) != int(was.Queued) {
			t.Errorf("%d URLs came after opening again, want %d", len(got), was.Queued)
		}
	})
}
