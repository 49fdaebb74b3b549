package frontier

import (
	"net/netip"
	"strings"
	"testing"
	"time"
)

// What a host waits for is told, and is so: it is asked when that is over.
func TestTurn(t *testing.T) {
	bubble(t, func(t *testing.T) {
		f := open(t, Options{Delay: 10 * time.Second, AddressDelay: time.Hour})
		want := func(url, words string) {
			t.Helper()
			if w, _, err := f.Waits(url, false); err != nil || !strings.HasPrefix(w.Why, words) || words == "" && w.Why != "" {
				t.Errorf("%s waits for %q, want %q (%v)", url, w.Why, words, err)
			}
		}
		addr := netip.MustParseAddr("10.0.0.1")
		pages(t, f, "http://a.test", 3)
		want("http://a.test/1", "")
		want("http://unknown.test/", "")
		l := next(t, f)
		want("http://a.test/1", "robots.txt of its host is asked for first")
		finish(t, f, l, 404, "")
		want("http://a.test/1", "its host rests until ")
		l = next(t, f)
		l.Address(addr)
		want("http://a.test/1", "its host is being asked for a URL now")
		finish(t, f, l, 200, "")
		end := time.Now().Add(10*time.Second).UTC().Format(time.DateTime) + " UTC"
		want("http://a.test/1", "its host rests until "+end)
		l = next(t, f)
		l.Answered(Answer{Status: 503, RetryAfter: "3600"})
		want("http://a.test/2", "its host asked for time or gave no answer, and is not asked before "+time.Now().Add(time.Hour).UTC().Format(time.DateTime)+" UTC")
		if err := f.Hold("a.test", time.Time{}, "a wall of bots"); err != nil {
			t.Fatal(err)
		}
		want("http://a.test/2", "its host is on hold until it is released (a wall of bots)")
		if err := f.Hold("a.test", time.Time{}, ""); err != nil {
			t.Fatal(err)
		}
		want("http://a.test/2", "its host is on hold until it is released")
		until := time.Now().Add(time.Minute)
		if err := f.Hold("a.test", until, "later"); err != nil {
			t.Fatal(err)
		}
		want("http://a.test/2", "its host is on hold until "+until.UTC().Format(time.DateTime)+" UTC (later)")
	})
}
