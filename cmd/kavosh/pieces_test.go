package main

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"kavosh/access"
	"kavosh/lib/cdx"
	"kavosh/site"
)

// cutter writes at most so many bytes of a body, and then ends the connection.
type cutter struct {
	http.ResponseWriter
	left int
}

func (c *cutter) Write(b []byte) (int, error) {
	n := min(len(b), c.left)
	c.left -= n
	if m, err := c.ResponseWriter.Write(b[:n]); err != nil || n == len(b) {
		return m, err
	}
	http.NewResponseController(c.ResponseWriter).Flush()
	panic(http.ErrAbortHandler)
}

// A film and a page that their server cuts twice are found whole by every way out, as if they had come at once.
func TestBodiesInPieces(t *testing.T) {
	t.Parallel()
	film := make([]byte, 3<<20)
	rand.NewChaCha8([32]byte{1}).Read(film)
	var text strings.Builder
	for i := range 4000 {
		fmt.Fprintf(&text, "<p>Sentence %d of a long page is like %d others.\n", i, i*i)
	}
	page := "<!doctype html><title>Long</title>" + text.String() + "<p>The last one has the quintessence, and a link to <a href=/tail.html>more</a>."
	bodies := map[string]string{"/film.bin": string(film), "/page.html": page, "/tail.html": "<p>tail", "/": "<a href=/film.bin>film</a> <a href=/page.html>page</a>"}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, known := bodies[r.URL.Path]
		if !known {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("ETag", `"1"`)
		http.ServeContent(&cutter{w, max(len(body)*2/5, 100)}, r, r.URL.Path, time.Time{}, strings.NewReader(body))
	}))
	defer server.Close()
	dir := filepath.Join(t.TempDir(), "archive")
	report := command(t, "crawl", "--archive", dir, "--delay", "0", "--address-delay", "0", "--json", server.URL+"/")
	if !strings.Contains(report, `"fetched": 4`) || !strings.Contains(report, fmt.Sprintf(`"bytes": %d`, len(bodies["/"])+len(film)+len(page)+len(bodies["/tail.html"]))) {
		t.Errorf("the report: %s", report)
	}
	if said := command(t, "why", dir, server.URL+"/film.bin"); !strings.Contains(said, "the body came in 3 pieces") || !strings.Contains(said, "its rest, from byte 1258291 on, is asked for") {
		t.Errorf("kavosh why: %s", said)
	}

	replayed := func(name, from string) {
		t.Helper()
		set, err := openCollections(t.Context(), &program{out: io.Discard, err: t.Output()}, []string{"one=" + from})
		if err != nil {
			t.Fatal(name, err)
		}
		handlers, _, err := newHandlers(&program{out: io.Discard, err: t.Output()}, set, site.Options{Lang: "en", HomeAddr: homeOrigin, ReplayAddr: replayOrigin}, &access.Site{})
		if err != nil {
			t.Fatal(name, err)
		}
		n := 0
		for e, err := range set.collections[0].Index.Query(t.Context(), cdx.Query{URL: server.URL + "/", MatchType: cdx.Prefix}) {
			if err != nil {
				t.Fatal(name, err)
			}
			path := strings.TrimPrefix(e.URL, server.URL)
			if n++; path == "/robots.txt" {
				continue
			}
			for _, part := range []string{"", "bytes=70000-70009"} {
				r := httptest.NewRequest("GET", replayOrigin+"/one/"+e.Timestamp+"id_/"+e.URL, nil)
				r.RequestURI, r.RemoteAddr = "/one/"+e.Timestamp+"id_/"+e.URL, "203.0.113.5:4"
				want, status := bodies[path], http.StatusOK
				if part != "" && len(want) > 70_010 {
					r.Header.Set("Range", part)
					want, status = want[70_000:70_010], http.StatusPartialContent
				}
				answer := httptest.NewRecorder()
				handlers[1].ServeHTTP(answer, r)
				if answer.Code != status || answer.Body.String() != want {
					t.Errorf("%s: %s at %s %s: status %d, %d bytes; want %d, %d bytes", name, path, e.Timestamp, part, answer.Code, answer.Body.Len(), status, len(want))
				}
			}
		}
		if n != 2+2*3+1 {
			t.Errorf("%s: %d captures", name, n)
		}
	}
	replayed("the archive", dir)
	command(t, "check", dir)
	if found := command(t, "search", "--archive", dir, "quintessence"); !strings.Contains(found, "/page.html") {
		t.Errorf("found: %s", found)
	}
	command(t, "rebuild", dir)
	replayed("rebuilt", dir)
	packed := filepath.Join(t.TempDir(), "packed.wacz")
	command(t, "export", "wacz", dir, "-o", packed)
	replayed("packed", packed)
	copied := filepath.Join(t.TempDir(), "copied")
	command(t, "import", "--archive", copied, packed)
	replayed("imported", copied)
	if texts := command(t, "export", "text", dir); !strings.Contains(texts, "quintessence") {
		t.Errorf("texts: %d bytes", len(texts))
	}
	tables := filepath.Join(t.TempDir(), "tables")
	command(t, "export", "tables", dir, "-o", tables)
	if texts, err := os.ReadFile(filepath.Join(tables, "texts.csv")); err != nil || !strings.Contains(string(texts), "quintessence") {
		t.Errorf("tables: %d bytes of texts, %v", len(texts), err)
	}

	// What is closed is closed in all its pieces.
	command(t, "access", dir, "add", "takedown", server.URL+"/film.bin")
	w := newWalkerOf(t, dir, "203.0.113.5:4", "quintessence")
	for _, time := range []string{"2000", "2100", ""} {
		if answer := w.ask(replayOrigin + "/one/" + time + "id_/" + server.URL + "/film.bin"); strings.Contains(answer, string(film[:100])) || strings.Contains(answer, string(film[len(film)-100:])) {
			t.Errorf("at %s, a piece of what is closed is shown", time)
		}
	}
	closed := filepath.Join(t.TempDir(), "closed.wacz")
	command(t, "export", "wacz", dir, "-o", closed)
	if info, err := os.Stat(closed); err != nil || info.Size() > 1<<20 {
		t.Errorf("a package without the film: %v, %v", info.Size(), err)
	}
}
