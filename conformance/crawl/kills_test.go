//go:build conformance

package crawl

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// TestKills kills crawls, uniformly between their first and their last request, 10 times each in succession, and wants
// the archive that an undisturbed crawl makes: the same URLs, none recorded twice, every digest right. 20 crawls; in short, 4.
func TestKills(t *testing.T) {
	crawls := 20
	if testing.Short() {
		crawls = 4
	}
	const kills = 10
	fewest, total, again := int64(1<<62), 0, int64(0)
	for n := range crawls {
		s := &site{hosts: 20, pages: 240, latency: 12 * time.Millisecond}
		port := s.serve(t, "127.0.0.1:0")
		want := s.urls("")
		archive := filepath.Join(t.TempDir(), "archive")
		args := []string{"crawl", "--archive", archive, "--workers", "16", "--delay", "0s", "--connect-to", "::127.0.0.1:" + port}
		seeds := []string{"--scope", "host"}
		for h := range s.hosts {
			seeds = append(seeds, "http://"+s.host(h)+"/")
		}
		rng := rand.New(rand.NewPCG(uint64(n), 7))
		points := make([]int64, kills)
		for i := range points {
			points[i] = 1 + rng.Int64N(int64(len(want))-1)
		}
		slices.Sort(points)
		var out bytes.Buffer
		cmd := start(t, &out, append(args, seeds...)...)
		for _, at := range points {
			if !waitFor(2*time.Minute, func() bool { return s.served.Load() >= at }) {
				t.Fatalf("crawl %d: %d of %d requests after two minutes\n%s", n, s.served.Load(), len(want), tail(out.String()))
			}
			<-time.After(time.Duration(rng.IntN(20_000)) * time.Microsecond) // not just after an answer
			flying := s.inFlight.Load()
			kill(cmd)
			t.Logf("crawl %d: killed at %d requests, %d exchanges in flight", n, s.served.Load(), flying)
			fewest, total = min(fewest, flying), total+1
			out.Reset()
			cmd = start(t, &out, append(args, "--resume")...)
		}
		if err := cmd.Wait(); err != nil {
			t.Fatalf("crawl %d: the last run: %v\n%s", n, err, tail(out.String()))
		}
		again += s.served.Load() - int64(len(want))
		compare(t, fmt.Sprintf("crawl %d", n), responses(t, archive), want)
		run(t, 0, "check", "--strict", archive)
	}
	t.Logf("%d kills in %d crawls, at least %d exchanges in flight at each; %d requests made again", total, crawls, fewest, again)
}

// compare wants every URL once, with its digest. A page that only a drawn link reaches may be absent.
func compare(t *testing.T, name string, got map[string][]string, want map[string]string) {
	t.Helper()
	for url, digest := range want {
		switch records := got[url]; {
		case len(records) == 0:
			if !bytes.HasSuffix([]byte(url), []byte("/page/0.html")) {
				t.Errorf("%s: %s is not in the archive", name, url)
			}
		case len(records) > 1:
			t.Errorf("%s: %s is recorded %d times", name, url, len(records))
		case records[0] != digest:
			t.Errorf("%s: %s has the digest %s, want %s", name, url, records[0], digest)
		}
	}
	for url := range got {
		if _, ok := want[url]; !ok {
			t.Errorf("%s: %s is in the archive and should not be", name, url)
		}
	}
}
