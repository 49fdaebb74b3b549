package frontier

import (
	"bytes"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
	"pgregory.net/rapid"

	"kavosh"
	"kavosh/frontier/seen"
	"kavosh/internal/store"
)

func TestScoreOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.Float64().Draw(t, "a"), rapid.Float64().Draw(t, "b")
		if (inverseScore(a) < inverseScore(b)) != (a > b) {
			t.Fatalf("%v and %v are stored as %x and %x", a, b, inverseScore(a), inverseScore(b))
		}
		if got := scoreOf(inverseScore(a)); got != a {
			t.Fatalf("%v comes back as %v", a, got)
		}
	})
	for _, s := range []float64{0, math.Copysign(0, -1), 1, -1, math.Inf(1), math.Inf(-1), math.SmallestNonzeroFloat64, math.MaxFloat64} {
		if got := scoreOf(inverseScore(s)); got != s {
			t.Errorf("%v comes back as %v", s, got)
		}
	}
}

func TestKeyOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := func() (string, place) {
			return rapid.SampledFrom([]string{"a", "a.test", "b", "[::1]"}).Draw(t, "host"), place{
				rank:  rank{uint8(rapid.IntRange(0, 2).Draw(t, "class")), rapid.Uint64().Draw(t, "score"), rapid.Uint64().Draw(t, "id")},
				after: max(0, rapid.Int64().Draw(t, "after")),
			}
		}
		h1, p1 := draw()
		h2, p2 := draw()
		k1, k2 := p1.key(nil, h1), p2.key(nil, h2)
		for _, x := range []struct {
			k []byte
			h string
			p place
		}{{k1, h1, p1}, {k2, h2, p2}} {
			if h, p, err := parsePlace(x.k); err != nil || h != x.h || p != x.p {
				t.Fatalf("%s %+v comes back as %s %+v, %v", x.h, x.p, h, p, err)
			}
		}
		if h1 == h2 && p1.after == 0 && p2.after == 0 && (bytes.Compare(k1, k2) < 0) != p1.less(p2.rank) {
			t.Fatalf("keys of %+v and %+v are in another order", p1, p2)
		}
		lo, hi := hostRange(k1[0], h1)
		if bytes.Compare(lo, k1) > 0 || bytes.Compare(k1, hi) >= 0 || h1 != h2 && k1[0] == k2[0] && bytes.Compare(lo, k2) <= 0 && bytes.Compare(k2, hi) < 0 {
			t.Fatalf("the range of %s does not part %q from %q", h1, k1, k2)
		}
	})
}

func sampleValues() map[string][]byte {
	r := rank{classNormal, inverseScore(-2.5), 77}
	task := kavosh.Task{
		ID: 77, Score: -2.5, URL: "http://a.test/b?c", Kind: kavosh.Embed, Via: "http://a.test/", Seed: "http://a.test/", Path: "LE",
		Hops: 1, Embeds: 1, Attempt: 2, Added: time.Date(2026, 3, 21, 12, 0, 0, 5, time.UTC), Guessed: true, Variant: true, Extra: 2, From: kavosh.NotFound,
	}
	partial := task
	partial.Extra, partial.Partial = 3, &kavosh.Partial{
		Record: "<urn:uuid:x>", Time: task.Added, File: "a.warc.gz", Offset: 5, Validator: `"v"`, Coding: "gzip", Size: 70_000, Whole: 90_000, Pieces: 2, Attempt: 1,
	}
	return map[string][]byte{
		"task":     appendTask(nil, &task),
		"partial":  appendTask(nil, &partial),
		"queued":   status{state: stateQueued, place: place{rank: r}}.append(nil),
		"deferred": status{state: stateQueued, place: place{rank: r, after: 12345}}.append(nil),
		"listed":   status{state: stateQueued, place: place{rank: r, limit: 7}}.append(nil),
		"account":  (&used{7, 500, 1 << 40, time.Hour, 3, Limit{500, 1 << 41, 2 * time.Hour}}).append(nil),
		"done":     status{state: stateDone}.append(nil),
		"rejected": status{state: stateRejected}.append(nil),
		"stale":    status{state: stateStale}.append(nil),
		"standing": (&standing{queued: true, rank: r, later: 77, allowance: allowance{5, 6}, trouble: trouble{until: 1 << 60, backoff: 3, fails: 2, failure: kavosh.DNSFailure}}).append(nil),
		"nothing":  (&standing{}).append(nil),
		"longest": (&standing{queued: true, rank: r, later: 1 << 61, allowance: allowance{1 << 31, 1 << 31},
			trouble: trouble{until: 1 << 60, backoff: 255, fails: 255, failure: kavosh.BlockedAddress}}).append(nil),
		"hold":     (&Held{Since: time.Unix(1, 2).UTC(), Until: time.Unix(3, 4).UTC(), Why: "w"}).append(nil),
		"robots":   (&robotsRecord{settled: true, at: 5, until: 6, url: "http://a.test/robots.txt", via: "x", hops: 1, attempts: 2, status: 200, failure: "dns", detail: "d", body: []byte("User-agent: *")}).append(nil),
		"counters": (&counters{1, 2, 3, 4, 5, 6, 11, 12, 7, 8, 9, 10}).append(nil),
		"priority": (&Priority{Add: -2.5, Since: time.Unix(1, 2).UTC(), Why: "w"}).append(nil),
		"domain":   allowance{3, 4}.append([]byte{allowanceVersion}),
		"count":    appendCount(nil, 99),
	}
}

// TestValues brings every value back as it was, and knows a version from the future and a cut value for what they are.
func TestValues(t *testing.T) {
	if n := len(sampleValues()["longest"]); n > seen.MaxEntry {
		t.Errorf("a host takes %d bytes", n)
	}
	for name, v := range sampleValues() {
		again, err := reencode(name, v)
		if err != nil || !bytes.Equal(again, v) {
			t.Errorf("%s: %x comes back as %x, %v", name, v, again, err)
		}
		future := append([]byte{v[0] + 1}, v[1:]...)
		if _, err := reencode(name, future); err == nil {
			t.Errorf("%s of another version was read", name)
		}
		for n := range len(v) {
			if _, err := reencode(name, v[:n]); err == nil {
				t.Errorf("%s cut to %d of %d bytes was read", name, n, len(v))
			}
		}
		if _, err := reencode(name, append(v, 0)); err == nil {
			t.Errorf("%s with a byte too many was read", name)
		}
	}
}

// reencode decodes a value of a kind and encodes it again.
func reencode(kind string, v []byte) ([]byte, error) {
	switch kind {
	case "task", "partial":
		t, err := parseTask(rank{}, v)
		return appendTask(nil, &t), err
	case "queued", "deferred", "listed", "done", "rejected", "stale":
		s, err := parseStatus(v)
		return s.append(nil), err
	case "hold":
		x, err := parseHeld("", v)
		return x.append(nil), err
	case "standing", "longest", "nothing":
		x, err := parseStanding(v)
		return x.append(nil), err
	case "robots":
		r, err := parseRobots(v)
		if err != nil {
			return nil, err
		}
		return r.append(nil), nil
	case "priority":
		p, err := parsePriority("", v)
		return p.append(nil), err
	case "domain":
		a, err := parseAllowance(v)
		return a.append([]byte{allowanceVersion}), err
	case "account":
		u, err := parseUsed(v)
		return u.append(nil), err
	case "counters":
		c, err := parseCounters(v)
		return c.append(nil), err
	default:
		n, ok := parseCount(v)
		if !ok {
			return nil, errMalformed
		}
		return appendCount(nil, n), nil
	}
}

// FuzzValues decodes whatever a damaged disk may hold: an error or a value that is stable from then on.
func FuzzValues(f *testing.F) {
	kinds := []string{"task", "queued", "listed", "account", "standing", "hold", "robots", "counters", "count", "priority", "domain", "partial"}
	for kind, v := range sampleValues() {
		for i, k := range kinds {
			if k == kind {
				f.Add(uint8(i), v)
			}
		}
	}
	f.Fuzz(func(t *testing.T, kind uint8, v []byte) {
		k := kinds[int(kind)%len(kinds)]
		once, err := reencode(k, v)
		if err != nil {
			return
		}
		twice, err := reencode(k, once)
		if err != nil || !bytes.Equal(once, twice) {
			t.Errorf("%s %x is %x, then %x, %v", k, v, once, twice, err)
		}
		parsePlace(v)
	})
}

// FuzzRetryAfter reads the header as servers may send it.
func FuzzRetryAfter(f *testing.F) {
	for _, s := range []string{"0", "120", "Fri, 31 Dec 1999 23:59:59 GMT", "Friday, 31-Dec-99 23:59:59 GMT", "Fri Dec 31 23:59:59 1999", "-1", "1e9", "99999999999999999999"} {
		f.Add(s)
	}
	now := time.Date(1999, 12, 31, 0, 0, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, s string) {
		if d, ok := parseRetryAfter(s, now); d < 0 || d > maxRetryAfter || !ok && d != 0 {
			t.Errorf("%q: %v, %v", s, d, ok)
		}
	})
}

// TestCorrupt damages one value after another and expects an error that names its key, from whoever meets it first.
func TestCorrupt(t *testing.T) {
	url := "http://a.test/x"
	var buf []byte
	urlKey, host := seenKey(url, &buf), hostKey("a.test", &buf)
	entry := func(size int) []byte { // that says so of itself
		return append(append([]byte{newestVersion}, urlKey[:]...), byte(size), 'z', 'z')
	}
	for _, test := range []struct {
		name string
		key  []byte
		v    []byte
		want string
	}{
		{"version", []byte{tagVersion}, []byte{9}, "use the release that made it"},
		{"counters", []byte{tagCounters}, []byte{1}, "corrupt entry"},
		{"task", nil, []byte{1, 2, 3}, "corrupt entry"},
		{"queue key", []byte("qa.test\x00short"), []byte{}, "no key of a task"},
		{"place by rank", []byte("nshort"), nil, "no place in a line"},
		{"place by time", []byte("w\x00\x00\x00\x00\x00\x00\x00\x00a.test"), nil, "no place in a line"},
		{"seen", newestKey(1, 1), []byte("zz"), "corrupt entry"},
		{"seen, cut", newestKey(1, 1), entry(3), "corrupt entry"},
		{"seen, empty", newestKey(1, 1), entry(0), "corrupt entry"},
		{"seen, unknown state", newestKey(1, 9), entry(2), "corrupt entry"},
		{"priority", stringKey(tagPriority, "a.test"), []byte{1}, "corrupt entry"},
		{"host", newestKey(1, 9), append(append([]byte{newestVersion}, host[:]...), 1, 'z'), "corrupt entry"},
		{"robots", stringKey(tagRobots, "http://a.test"), []byte{1}, "corrupt entry"},
		{"robots without a URL", stringKey(tagRobots, "http://a.test"), (&robotsRecord{url: "about:blank"}).append(nil), "no URL to ask"},
	} {
		fs := vfs.NewMem()
		f := open(t, Options{FS: fs})
		r := apply(t, f, Update{Links: links(kavosh.Seed, url)})[0]
		f.Close()
		if test.key == nil {
			test.key = place{rank: rank{classNormal, inverseScore(r.Queued[0].Score), r.Queued[0].ID}}.key(nil, "a.test")
		}
		db, err := openDatabase(fs, "frontier", 1<<20, false)
		if err != nil {
			t.Fatal(err)
		}
		if err := db.Set(test.key, test.v, pebble.Sync); err != nil {
			t.Fatal(err)
		}
		db.Close()
		f, err = Open(Options{FS: fs, Dir: "frontier"})
		if err == nil {
			_, err = f.Next(t.Context())
			if err == nil {
				_, err = f.Apply([]Update{{Links: links(kavosh.Seed, url)}}, nil)
			}
			f.Close()
		}
		if err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want one line with %q", test.name, err, test.want)
		}
	}
}

// TestOtherRelease opens a database that was made before keys had an order of their own.
func TestOtherRelease(t *testing.T) {
	fs := vfs.NewMem()
	db, err := store.Open(fs, "frontier", &pebble.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(Options{FS: fs, Dir: "frontier"}); err == nil || !strings.Contains(err.Error(), "another release") {
		t.Errorf("error %v", err)
	}
}

// A task that lies beyond the scope keeps how far; the others need no byte for it.
func TestExtraHopsAreStored(t *testing.T) {
	within := kavosh.Task{URL: "http://a.test/", Seed: "http://a.test/"}
	beyond := within
	beyond.Extra = 2
	v := appendTask(nil, &beyond)
	if got, err := parseTask(rank{}, v); err != nil || got.Extra != 2 {
		t.Errorf("%+v, %v", got, err)
	}
	asked := (&ask{parent: beyond, record: robotsRecord{url: "http://a.test/robots.txt"}}).task()
	if asked.Extra != 2 {
		t.Errorf("the robots.txt for it lies %d clicks beyond the scope", asked.Extra)
	}
	if short := appendTask(nil, &within); len(short) != len(v)-1 {
		t.Errorf("%d bytes, and %d with extra hops", len(short), len(v))
	}
}
