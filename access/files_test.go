package access

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"iter"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh/internal/clock"
	"kavosh/internal/disk"
	"kavosh/lib/cdx"
	"kavosh/lib/warc"
)

// shelf is an index of files, and these; it counts how often it is asked.
type shelf struct {
	lines
	files map[string][]byte
	asked int
}

func (s *shelf) Query(ctx context.Context, q cdx.Query) iter.Seq2[cdx.Entry, error] {
	s.asked++
	return s.lines.Query(ctx, q)
}

func (s *shelf) Open(name string) (io.ReaderAt, int64, func(), error) {
	return bytes.NewReader(s.files[name]), int64(len(s.files[name])), func() {}, nil
}

// put adds a file with a record of each URL, of which the index has the first.
func (s *shelf) put(t *testing.T, name string, urls ...string) {
	var b bytes.Buffer
	w := warc.NewWriter(&b, warc.Compression{})
	for i, url := range urls {
		h := warc.Header{{Name: "WARC-Type", Value: "resource"}, {Name: "WARC-Record-ID", Value: warc.NewID()}, {Name: "WARC-Date", Value: "1999-12-31T00:00:00Z"},
			{Name: "WARC-Target-URI", Value: url}, {Name: "Content-Type", Value: "text/plain"}, {Name: "Content-Length", Value: "1"}}
		if _, err := w.WriteRecord(h, strings.NewReader("x")); err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			e := entry(url, "19991231000000", "")
			e.Filename = name
			s.lines = append(s.lines, *e)
		}
	}
	s.files[name] = b.Bytes()
}

// A file is handed out from the moment on at which the last embargo of what it holds ends, and not before; the index is not read again for it,
// however many embargoes end and whoever asks.
func TestFilesOpenWhenEmbargoesEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // it begins with the year 2000
		fs := archive(t)
		s := &shelf{files: map[string][]byte{}}
		s.put(t, "open", "http://a.test/")
		s.put(t, "day", "http://day.test/")
		s.put(t, "both", "http://a.test/", "http://day.test/", "http://month.test/")
		s.put(t, "after", "http://after.test/")
		s.put(t, "under", "http://day.test/closed")
		s.put(t, "same", "http://day.test/same") // closed for longer by what it holds
		s.lines[len(s.lines)-1].Digest = "sha256:4OYMIQUY7QOBJGX36TEJS35ZEQT24QPEMSNZGTFESWMRW6CSXBKQ"
		s.put(t, "never", "http://never.test/", "http://day.test/")
		s.put(t, "within", "http://a.test/", "http://never.test/")
		for _, text := range []string{"embargo=2000-01-02 day.test", "embargo=2000-02-01 month.test", "embargo=1m after.test", "embargo=2000-02-01 sha256:4OYMIQUY7QOBJGX36TEJS35ZEQT24QPEMSNZGTFESWMRW6CSXBKQ", "metadata http://day.test/closed", "takedown never.test"} {
			if _, err := Decide(fs, "archive", clock.Real{}, "someone", rule(t, text)); err != nil {
				t.Fatal(err)
			}
		}
		g := NewGuard(s, s, Follow(fs, "archive", clock.Real{}))
		names := []string{"open", "day", "both", "after", "under", "same", "never", "within", "unknown"}
		for _, c := range []struct{ at, want string }{
			{"2000-01-01T00:00:00Z", "open"}, {"2000-01-01T23:59:59Z", "open"}, {"2000-01-02T00:00:00Z", "open day"}, {"2000-01-31T00:00:00Z", "open day after"},
			{"2000-01-31T23:59:59Z", "open day after"}, {"2000-02-01T00:00:00Z", "open day both after same"}, {"2020-01-01T00:00:00Z", "open day both after same"},
		} {
			at, err := time.Parse(time.RFC3339, c.at)
			if err != nil {
				t.Fatal(err)
			}
			<-time.After(time.Until(at))
			known := names[:len(names)-1]
			for range 3 {
				open, err := g.OpenFiles(t.Context(), known)
				if got := strings.Join(open, " "); err != nil || got != c.want {
					t.Errorf("%s: %s, %v; want %s", c.at, got, err, c.want)
				}
			}
		}
		if s.asked != 1 {
			t.Errorf("the index was read %d times", s.asked)
		}
		// A new rule holds within a second, and what no index names stays here.
		if _, err := Decide(fs, "archive", clock.Real{}, "someone", rule(t, "takedown http://a.test/")); err != nil {
			t.Fatal(err)
		}
		<-time.After(lookAgain)
		for range 3 {
			if open, err := g.OpenFiles(t.Context(), names); err != nil || fmt.Sprint(open) != "[day after same]" || s.asked != 2 {
				t.Errorf("after another rule: %v, %v; the index was read %d times", open, err, s.asked)
			}
		}
		// What the index names since is handed out after a minute.
		s.put(t, "unknown", "http://new.test/")
		<-time.After(2 * time.Minute)
		if open, err := g.OpenFiles(t.Context(), names); err != nil || fmt.Sprint(open) != "[day after same unknown]" {
			t.Errorf("after the index grew: %v, %v", open, err)
		}
	})
}

// countedFS counts how often a file of tokens is opened.
type countedFS struct {
	vfs.FS
	opened int
}

func (fs *countedFS) Open(name string, opts ...vfs.OpenOption) (vfs.File, error) {
	if strings.HasSuffix(name, tokensName) {
		fs.opened++
	}
	return fs.FS.Open(name, opts...)
}

// Whoever tries secrets makes the file of tokens be read once, damaged or not, and a change of it counts at once.
func TestTriedSecretsReadNothing(t *testing.T) {
	fs := &countedFS{FS: archive(t)}
	follower := FollowTokens(fs, "archive")
	try := func(secret string, want bool) {
		t.Helper()
		if known, err := follower.Knows(secret, time.Now()); known != want || err != nil {
			t.Errorf("%v, %v; want %v", known, err, want)
		}
	}
	try("kavosh_wrong", false)
	secret, token, err := AddToken(fs, "archive", clock.Real{}, "someone", "library", time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	fs.opened = 0
	for range 100 {
		try(secret, true)
		try("kavosh_wrong", false)
	}
	if fs.opened > 2 { // once for its end
		t.Errorf("200 secrets made the file be read %d times", fs.opened)
	}
	if _, err := RevokeToken(fs, "archive", clock.Real{}, "someone", token.ID); err != nil {
		t.Fatal(err)
	}
	try(secret, false)
	if err := disk.WriteFile(fs, file(fs, "archive", tokensName).Path(), []byte("damage\n")); err != nil {
		t.Fatal(err)
	}
	fs.opened = 0
	for range 100 {
		if known, err := follower.Knows(secret, time.Now()); known || err == nil {
			t.Fatalf("damaged tokens: %v, %v", known, err)
		}
	}
	if fs.opened > 2 {
		t.Errorf("100 secrets made damaged tokens be read %d times", fs.opened)
	}
}
