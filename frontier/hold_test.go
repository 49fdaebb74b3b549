package frontier

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh"
)

// TestHold lets a held host wait, over a restart too, and a crawl with nothing else does not end.
func TestHold(t *testing.T) {
	bubble(t, func(t *testing.T) {
		o := Options{FS: vfs.NewMem()}
		f := open(t, o)
		skipRobots(t, f, "http://a.test", "http://b.test")
		pages(t, f, "http://a.test", 2)
		pages(t, f, "http://b.test", 2)
		if err := f.Hold("a.test", time.Time{}, "a wall of bots"); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if l := next(t, f); l.host.name != "b.test" {
				t.Fatalf("%s is on hold and comes", l.Task.URL)
			} else {
				finish(t, f, l, 200, "")
			}
		}
		none(t, f, 48*time.Hour)
		f.Close()
		f = open(t, o)
		held := f.Held()
		if len(held) != 1 || held[0].Host != "a.test" || held[0].Why != "a wall of bots" || !held[0].Until.IsZero() || held[0].Since.IsZero() || f.Stats().Held != 1 {
			t.Fatalf("held after a restart: %+v", held)
		}
		none(t, f, 48*time.Hour)
		leased := make(chan error)
		go func() {
			_, err := f.Next(t.Context())
			leased <- err
		}()
		<-time.After(time.Minute)
		if err := f.Release("a.test"); err != nil {
			t.Fatal(err)
		}
		if err := <-leased; err != nil {
			t.Fatal(err)
		}
		f.Close()
		f = open(t, o)
		if got := drain(t, f, ""); !slices.Equal(got, []string{"http://a.test/0", "http://a.test/1"}) || len(f.Held()) != 0 {
			t.Errorf("after the release: %v, held %v", got, f.Held())
		}
		for _, host := range []string{"", "http://a.test", "a.test:80", "a.test/x"} {
			if err := f.Hold(host, time.Time{}, ""); err == nil || !strings.Contains(err.Error(), "no host name") {
				t.Errorf("hold %q: %v", host, err)
			}
		}
	})
}

// TestHoldUntil ends a hold by itself, also one that ends while nobody runs, and holds a dead host's URLs back, too.
func TestHoldUntil(t *testing.T) {
	bubble(t, func(t *testing.T) {
		o := Options{FS: vfs.NewMem()}
		f := open(t, o)
		skipRobots(t, f, "http://a.test")
		pages(t, f, "http://a.test", 3)
		start := time.Now()
		for range 2 {
			if err := f.Hold("a.test", time.Now().Add(72*time.Hour), "off-peak"); err != nil {
				t.Fatal(err)
			}
		}
		l := next(t, f)
		if d := time.Since(start); d != 72*time.Hour || len(f.Held()) != 0 {
			t.Errorf("the host comes after %v; held: %v", d, f.Held())
		}
		l.Answered(Answer{Status: 200})
		if err := f.Hold("a.test", time.Now().Add(time.Hour), "off-peak"); err != nil {
			t.Fatal(err)
		}
		none(t, f, 30*time.Minute)
		f.Close()
		<-time.After(time.Hour)
		f = open(t, o)
		if f.Stats().Held != 0 {
			t.Errorf("held after its time: %v", f.Held())
		}
		for range deadAfter {
			next(t, f).Answered(Answer{Failure: kavosh.ConnectFailure})
			f.Close()
			f = open(t, o)
			<-time.After(time.Hour)
		}
		if err := f.Hold("a.test", time.Time{}, ""); err != nil {
			t.Fatal(err)
		}
		none(t, f, time.Hour)
	})
}

// TestSetPace changes what waits already: hosts and addresses, shorter and longer.
func TestSetPace(t *testing.T) {
	bubble(t, func(t *testing.T) {
		f := open(t, Options{Delay: time.Hour, AddressDelay: time.Hour})
		skipRobots(t, f, "http://a.test")
		pages(t, f, "http://a.test", 10)
		addr := netip.MustParseAddr("10.0.0.1")
		ask := func() {
			l := next(t, f)
			if w := l.Address(addr); w > 0 {
				t.Fatalf("the address is not free for %v", w)
			}
			finish(t, f, l, 200, "")
		}
		ask()
		start := time.Now()
		f.SetPace(Pace{Delay: time.Second, AddressDelay: 2 * time.Second})
		ask()
		if d := time.Since(start); d != 2*time.Second {
			t.Errorf("with shorter delays the host comes after %v", d)
		}
		f.SetPace(Pace{Delay: time.Minute, AddressDelay: 0})
		start = time.Now()
		ask()
		if d := time.Since(start); d != time.Minute {
			t.Errorf("with a longer delay the host comes after %v", d)
		}
		f.SetPace(Pace{Delay: 0, AddressDelay: 0})
		start = time.Now()
		ask()
		ask()
		if d := time.Since(start); d != 0 {
			t.Errorf("without delays the host comes after %v", d)
		}
	})
}

// TestReprioritise turns the order of what waits around; what is leased, done or unknown stays as it is.
func TestReprioritise(t *testing.T) {
	bubble(t, func(t *testing.T) {
		o := Options{FS: vfs.NewMem()}
		f := open(t, o)
		skipRobots(t, f, "http://a.test", "http://b.test")
		pages(t, f, "http://a.test", 3*windowSize)
		pages(t, f, "http://b.test", 3)
		done, leased := next(t, f), next(t, f)
		finish(t, f, done, 200, "")
		n, err := f.Reprioritise([]Change{
			{URL: done.Task.URL, Score: 9, Why: ""}, {URL: leased.Task.URL, Score: 9, Why: ""}, {URL: "http://a.test/unknown", Score: 9, Why: ""}, {URL: "no URL", Score: 9, Why: ""},
			{URL: "http://a.test/190", Score: 3, Why: "first thought"}, {URL: "http://b.test/2", Score: 4, Why: "good words"}, {URL: "http://a.test/190", Score: 5, Why: "better words"}, {URL: "http://a.test/3", Score: -1, Why: "bad words"},
		})
		if n != 3 || err != nil {
			t.Errorf("changed %d, %v, want 3", n, err)
		}
		leased.Later(0)
		if task, queued, err := f.Task("http://a.test/190", false); !queued || err != nil || task.Score != 5 || task.Why != "better words" {
			t.Errorf("the task is %+v, %v, %v", task, queued, err)
		}
		check := func() {
			t.Helper()
			var got []string
			for range 4 {
				l := next(t, f)
				got = append(got, l.Task.URL)
				defer l.Later(0)
			}
			if want := []string{"http://a.test/190", "http://b.test/2", "http://a.test/1", "http://a.test/2"}; !slices.Equal(got, want) {
				t.Errorf("order %v, want %v", got, want)
			}
		}
		check()
		f.Close()
		f = open(t, o)
		check()
		got := drain(t, f, "")
		if len(got) != 3*windowSize+2 || got[len(got)-1] != "http://a.test/3" {
			t.Errorf("%d URLs came, the last %s", len(got), got[len(got)-1])
		}
		if _, err := f.Next(context.Background()); !errors.Is(err, io.EOF) {
			t.Error(err)
		}
	})
}

// TestStatsOfHolds counts the hosts on hold without a list of them, since a progress line asks often.
func TestStatsOfHolds(t *testing.T) {
	f := open(t, Options{})
	before := testing.AllocsPerRun(3, func() { f.Stats() })
	for i := range 100 {
		if err := f.Hold(fmt.Sprintf("h%d.test", i), time.Time{}, ""); err != nil {
			t.Fatal(err)
		}
	}
	if n := testing.AllocsPerRun(3, func() { f.Stats() }); n > before {
		t.Errorf("Stats allocates %v times with holds, %v times without", n, before)
	}
	if held := f.Stats().Held; held != 100 {
		t.Errorf("Stats counts %d hosts on hold, want 100", held)
	}
}
