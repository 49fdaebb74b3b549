package index

import (
	"crypto/sha256"
	"encoding/base32"
	"encoding/base64"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh"
	"kavosh/internal/journal"
)

// logged is an Originals with the capture log that it follows.
type logged struct {
	t          *testing.T
	fs         vfs.FS
	generation int
	log        *journal.Log
	*Originals
}

func newLogged(t *testing.T) *logged {
	l := &logged{t: t, fs: vfs.NewMem()}
	l.open()
	l.turn(1)
	return l
}

func (l *logged) open() {
	l.t.Helper()
	var err error
	if l.Originals, err = OpenOriginals(l.fs, "originals", "log"); err != nil {
		l.t.Fatal(err)
	}
}

// turn begins a generation of the log.
func (l *logged) turn(generation int) {
	l.t.Helper()
	log, err := journal.Open(l.fs, fmt.Sprintf("log/%06d/1.jsonl", generation))
	if err != nil {
		l.t.Fatal(err)
	}
	l.t.Cleanup(func() { log.Close() })
	l.log, l.generation = log, generation
}

// add logs captures, and Originals learns of them.
func (l *logged) add(captures ...kavosh.Capture) {
	l.t.Helper()
	var at []int64
	for i := range captures {
		at = append(at, l.log.Position())
		l.log.Append(AppendCapture(nil, &captures[i]))
	}
	if err := l.log.Sync(); err != nil {
		l.t.Fatal(err)
	}
	if err := follow(l.Originals, captures, at, journal.At(l.generation, l.log.Position())); err != nil {
		l.t.Fatal(err)
	}
}

func TestOriginals(t *testing.T) {
	o := newLogged(t)
	first, second := page(1), page(1)
	first.ETag = `"1"`
	second.Time, second.Record, second.Type, second.Profile, second.Payload, second.ETag = start.Add(time.Hour), "<urn:uuid:2>", "revisit", "identical", 0, `"2"`
	small, cut, failed, stray, part := page(2), page(3), page(4), page(5), page(6)
	small.Payload, cut.Truncated, failed.Status, stray.Type, part.Status = 255, kavosh.TruncLength, 404, "revisit", 206
	o.add(first, second, small, cut, failed, stray, part)
	if err := o.Close(); err != nil {
		t.Fatal(err)
	}
	o.open()
	defer o.Close()
	if c := o.Cursor(); !c.Equal(journal.At(1, o.log.Position())) {
		t.Errorf("cursor %v", c)
	}
	for n := range 500 {
		if _, ok := o.Digest(page(100 + n).Digest); ok {
			t.Errorf("page %d, which nobody added, has an original", 100+n)
		}
	}
	if p, ok := o.Digest(first.Digest); !ok || p.RecordID != first.Record || !p.Time.Equal(first.Time) || p.File != first.File || p.Offset != first.Offset {
		t.Errorf("the original of a digest is %+v", p)
	}
	if p, ok := o.URL(first.URL); !ok || p.RecordID != first.Record || p.ETag != `"2"` {
		t.Errorf("a URL's newest content is %+v, want the first record with the second's ETag", p)
	}
	if _, ok := o.Digest(small.Digest); ok {
		t.Error("a payload of 255 bytes is an original")
	}
	if _, ok := o.URL(small.URL); !ok {
		t.Error("a small page is not asked for conditionally")
	}
	for _, c := range []kavosh.Capture{cut, failed, stray, part} {
		if _, ok := o.URL(c.URL); ok {
			t.Errorf("%s counts as whole", c.URL)
		}
	}
	// A revisit in a later batch than its original, at another URL.
	third := second
	third.URL, third.Record = "http://b.test/", "<urn:uuid:3>"
	o.add(third)
	if p, ok := o.URL(third.URL); !ok || p.URL != first.URL || p.RecordID != first.Record {
		t.Errorf("the original of a copy elsewhere is %+v", p)
	}
}

// The cursor that an older program stored is read; of a damaged one the log is read again.
func TestOriginalsCursorOfOlderPrograms(t *testing.T) {
	for stored, want := range map[string]journal.Cursor{"7\n4711\n": journal.At(7, 4711), "\xff": {}} {
		o := newLogged(t)
		if err := o.db.Set([]byte("c"), []byte(stored), nil); err != nil {
			t.Fatal(err)
		}
		if err := o.Close(); err != nil {
			t.Fatal(err)
		}
		o.open()
		if got := o.Cursor(); !got.Equal(want) {
			t.Errorf("%q is %+v", stored, got)
		}
		o.Close()
	}
}

// A rebuild writes the log anew, with its lines at other places: nothing of the old ones is found.
func TestOriginalsOfAnotherGeneration(t *testing.T) {
	o := newLogged(t)
	defer func() { o.Close() }()
	o.add(page(1), page(2), page(3))
	if _, ok := o.Digest(page(1).Digest); !ok {
		t.Fatal("not found in the first generation")
	}
	o.turn(2)
	if err := o.Reset(2); err != nil {
		t.Fatal(err)
	}
	o.add(page(3), page(2))
	for n, want := range map[int]bool{1: false, 2: true, 3: true} {
		c := page(n)
		p, ok := o.Digest(c.Digest)
		q, byURL := o.URL(c.URL)
		if ok != want || byURL != want || want && (p.RecordID != c.Record || q.RecordID != c.Record) {
			t.Errorf("page %d: %+v %v, %+v %v; want %v", n, p, ok, q, byURL, want)
		}
	}
}

// What the store leads to is believed only if it is what was asked for: a log that was cut and went on otherwise yields
// nothing wrong.
func TestOriginalsCompareWhatTheyFind(t *testing.T) {
	o := newLogged(t)
	defer o.Close()
	o.add(page(1))
	if err := o.log.Cut(0); err != nil {
		t.Fatal(err)
	}
	other := page(2)
	o.log.Append(AppendCapture(nil, &other))
	if err := o.log.Sync(); err != nil {
		t.Fatal(err)
	}
	c := page(1)
	if p, ok := o.Digest(c.Digest); ok {
		t.Errorf("%s is said to be %+v", c.Digest, p)
	}
	if p, ok := o.URL(c.URL); ok {
		t.Errorf("%s is said to be %+v", c.URL, p)
	}
}

// The filter lets through what is in the store, and everything when there is more in it than the filter may read.
func TestFilter(t *testing.T) {
	o := newLogged(t)
	defer o.Close()
	o.add(page(1), page(2), page(3))
	for _, most := range []int{2, 3} {
		var f filter
		if err := f.fill(o.db, most); err != nil {
			t.Fatal(err)
		}
		passed := 0
		for n := range 600 {
			var key [17]byte
			hashDigest(&key, page(n).Digest)
			if f.may(&key) {
				passed++
			} else if n >= 1 && n <= 3 {
				t.Errorf("at most %d read: page %d is said not to be there", most, n)
			}
		}
		if most < 3 && passed < 600 || most == 3 && passed > 10 {
			t.Errorf("at most %d read: the store is asked for %d of 600", most, passed)
		}
	}
}

// Of nearly all pages it is asked whether there is an original, and of few there is.
func TestNoOriginalAllocates(t *testing.T) {
	o := newLogged(t)
	defer o.Close()
	o.add(page(1))
	digest := page(2).Digest
	if n := testing.AllocsPerRun(100, func() {
		if _, ok := o.Digest(digest); ok {
			t.Fatal("a page that nobody added has an original")
		}
	}); n > 0 {
		t.Errorf("%v allocations a look-up, want none", n)
	}
}

// A store that was made when digests were written in base32 with padding, and captures imported from elsewhere in other
// spellings, are originals of what is written today.
func TestOriginalsHoweverTheirDigestIsSpelt(t *testing.T) {
	sum := sha256.Sum256([]byte("a page"))
	spelt := []string{
		"sha256:" + base32.StdEncoding.EncodeToString(sum[:]), "sha256:" + strings.TrimRight(base32.StdEncoding.EncodeToString(sum[:]), "="),
		fmt.Sprintf("sha256:%x", sum), fmt.Sprintf("SHA-256:%X", sum), "sha256:" + base64.StdEncoding.EncodeToString(sum[:]),
	}
	for _, before := range spelt {
		o := newLogged(t)
		c := page(1)
		c.Digest = before
		o.add(c)
		for _, now := range spelt {
			if p, ok := o.Digest(now); !ok || p.Digest != before {
				t.Errorf("the original with %s is not found by %s: %+v", before, now, p)
			}
		}
		o.Close()
	}
	var old, now [17]byte
	hash(&old, 'd', spelt[0])
	if hashDigest(&now, spelt[2]); old != now {
		t.Error("what older stores hold is not found")
	}
}
