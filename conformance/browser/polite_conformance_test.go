//go:build conformance

package browser

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"kavosh/internal/fakeweb"
)

const many = `
-- many.test/ Content-Type=text/html --
<title>many</title><script>for (let i = 0; i < 20; i++) fetch('/pa' + 'rt/' + i); for (let i = 0; i < 3; i++) fetch('http://slow.test/pa' + 'rt/' + i, {mode: 'no-cors'}); fetch('/mo' + 'ved')</script><a href=/two>2</a>
-- many.test/two Content-Type=text/html --
<title>two</title><script>for (let i = 0; i < 8; i++) fetch('/ot' + 'her/' + i)</script>
-- many.test/moved status=302 Location=/arrived --
-- many.test/** wait=300ms --
x
-- slow.test/robots.txt --
User-agent: *
Crawl-delay: 1
-- slow.test/** wait=30ms --
x
`

// TestPolite wants what pages in the browser ask of a host to come in turns of at most six, each followed by a delay for
// every request of it, and one at a time where robots.txt asks for a Crawl-delay.
func TestPolite(t *testing.T) {
	s, way := serve(t, many, "many.test", "slow.test")
	const delay = 200 * time.Millisecond
	archive := filepath.Join(t.TempDir(), "archive")
	crawl(t, archive, append(way, "--delay", delay.String(), "--scope", "host", "http://many.test/")...)
	urls := recorded(t, archive)
	for _, want := range []string{"http://many.test/part/19", "http://many.test/other/7", "http://many.test/arrived", "http://slow.test/part/2"} {
		if !slices.Contains(urls, want) {
			t.Errorf("%s is not recorded: %s", want, strings.Join(urls, " "))
		}
	}
	turns(t, s, "many.test", 6, delay)
	turns(t, s, "slow.test", 1, time.Second)
}

// turns checks the requests that a host got: those that overlap are one turn. The crawl may have an answer, or send a request,
// a moment before the server notes it.
func turns(t *testing.T, s *fakeweb.Server, host string, most int, delay time.Duration) {
	t.Helper()
	moment := delay / 20
	var all []fakeweb.Request
	for _, q := range s.Requests() {
		if q.Host == host {
			all = append(all, q)
		}
	}
	slices.SortFunc(all, func(a, b fakeweb.Request) int { return cmp.Compare(a.Began.UnixNano(), b.Began.UnixNano()) })
	var end time.Time
	n := 0
	for _, q := range all {
		if q.Began.Before(end.Add(moment)) {
			if n++; n > most {
				t.Errorf("%s%s is the %dth of one turn", host, q.Path, n)
			}
		} else {
			if rest := q.Began.Sub(end); n > 0 && rest < time.Duration(n)*delay-moment {
				t.Errorf("%s%s came %v after a turn of %d", host, q.Path, rest, n)
			}
			n = 1
		}
		if q.Ended.After(end) {
			end = q.Ended
		}
	}
}
