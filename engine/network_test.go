package engine

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh"
	"kavosh/archive"
	"kavosh/fetch"
	"kavosh/frontier/scope"
)

// cutWeb is a web at the end of a line that can be down.
type cutWeb struct {
	testWeb
	down  atomic.Bool
	dials atomic.Int64 // in vain
}

func (w *cutWeb) Resolve(ctx context.Context, host string) (fetch.Resolution, error) {
	if w.down.Load() {
		return fetch.Resolution{Failure: "no resolver answered"}, nil
	}
	return w.testWeb.Resolve(ctx, host)
}

func (w *cutWeb) Dial(ctx context.Context, addr netip.AddrPort) (net.Conn, error) {
	if w.down.Load() {
		w.dials.Add(1)
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ENETUNREACH}
	}
	return w.testWeb.Dial(ctx, addr)
}

// The line is down for half an hour: the crawl waits, says so, goes on, and no URL has paid for it.
func TestOurLineIsDown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const hosts, pages = 6, 30
		fs := vfs.NewMem()
		s := serve(t, bigWeb(hosts, pages))
		web := &cutWeb{testWeb: testWeb{s}}
		o := options(s, fs, "http://h0.test/0")
		o.Web, o.Workers, o.Scope.Mode, o.Scope.Exclude = web, 8, scope.Any, []string{"elsewhere"}
		var said []string
		o.Events.Trouble = func(text string) { said = append(said, text) }
		var now func() Status
		o.Events.Progress = func(f func() Status) { now = f }
		time.AfterFunc(15*time.Second, func() { web.down.Store(true) })
		time.AfterFunc(20*time.Minute, func() {
			if w := now().Waiting; w != WaitingNetwork {
				t.Errorf("while the line is down the crawl waits for %q", w)
			}
		})
		time.AfterFunc(30*time.Minute, func() { web.down.Store(false) })
		began := time.Now()
		r := crawlNow(t, o)
		if took := time.Since(began); r.End != "done" || r.Recorded != hosts*pages || len(r.Failed) > 0 || took < 30*time.Minute || took > 33*time.Minute {
			t.Errorf("after %v: %q with %d pages of %d, failed %v", took, r.End, r.Recorded, hosts*pages, r.Failed)
		}
		if len(said) != 2 || !strings.Contains(said[0], "network of this machine seems to be down") || !strings.Contains(said[1], "goes on") {
			t.Errorf("said: %q", said)
		}
		var log []string
		for cmd, err := range ReadControlLog(fs, "archive", r.ID) {
			if err != nil {
				t.Fatal(err)
			}
			log = append(log, cmd.Who+" "+cmd.Name)
		}
		if want := "[kavosh line-down kavosh line-up]"; fmt.Sprint(log) != want {
			t.Errorf("control.log says %v, want %s", log, want)
		}
		retries := 0
		for l, err := range archive.ReadLog(fs, "archive", "") {
			if err != nil {
				t.Fatal(err)
			}
			if l.Outcome == archive.Retry {
				retries++
			}
		}
		if retries >= networkRow {
			t.Errorf("%d URLs lost an attempt, fewer than %d may before the line is doubted", retries, networkRow)
		}
	})
}

// Hosts that are gone are none of our line's: as long as one that answered before can be reached, they fail as ever.
func TestDeadHostsAreNotOurLine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var text strings.Builder
		for i := range 4 {
			fmt.Fprintf(&text, "-- h%d.test/ --\n", i)
			for j := range 8 {
				fmt.Fprintf(&text, "<a href=http://gone%d.example/>gone</a>", 8*i+j)
			}
			fmt.Fprintf(&text, "<a href=http://h%d.test/>next</a>\n", i+1)
		}
		s := serve(t, text.String())
		o := options(s, vfs.NewMem(), "http://h0.test/")
		o.Workers, o.Scope.Mode = 8, scope.Any
		o.Events.Trouble = func(text string) { t.Errorf("said: %s", text) }
		r := crawlNow(t, o)
		if r.End != "done" || r.Recorded != 4 || r.Failed[kavosh.DNSFailure] != 33 {
			t.Errorf("%q, recorded %d, failed %v", r.End, r.Recorded, r.Failed)
		}
	})
}

// A crawl that waits for the network can be stopped, and goes on where it was.
func TestStoppedWhileTheLineIsDown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fs := vfs.NewMem()
		s := serve(t, bigWeb(4, 20))
		web := &cutWeb{testWeb: testWeb{s}}
		o := options(s, fs, "http://h0.test/0")
		o.Web, o.Scope.Mode, o.Scope.Exclude = web, scope.Any, []string{"elsewhere"}
		time.AfterFunc(10*time.Second, func() { web.down.Store(true) })
		o.Limits.Time = 10 * time.Minute
		began := time.Now()
		if r := crawlNow(t, o); r.End != "time" || time.Since(began) > 11*time.Minute || r.Queued == 0 {
			t.Errorf("%q after %v, %d queued", r.End, time.Since(began), r.Queued)
		}
		web.down.Store(false)
		o.Resume, o.Seeds, o.Limits = true, nil, Limits{}
		if r := crawlNow(t, o); r.End != "done" || r.Recorded != 80 || len(r.Failed) > 0 {
			t.Errorf("%q, recorded %d, failed %v", r.End, r.Recorded, r.Failed)
		}
	})
}
