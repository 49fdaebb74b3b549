//go:build conformance

package wacz

import (
	"bytes"
	"cmp"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"fmt"
	"iter"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh/export"
	"kavosh/index"
	"kavosh/internal/chromium"
	"kavosh/internal/disk"
	"kavosh/lib/cdx"
	"kavosh/lib/warc"
)

// cached is a file that make conformance-tools brings.
func cached(t *testing.T, variable string, path ...string) string {
	t.Helper()
	name := cmp.Or(os.Getenv(variable), filepath.Join(append([]string{"..", "..", ".cache"}, path...)...))
	if _, err := os.Stat(name); err != nil {
		t.Fatalf("%v: run `make conformance-tools`", err)
	}
	return name
}

// exported is a package of pages with a picture, a style and a script, all but one of whose addresses may be shown.
func exported(t *testing.T) []byte {
	t.Helper()
	var file bytes.Buffer
	w := warc.NewWriter(&file, warc.Compression{Format: warc.Gzip})
	for i, page := range [][3]string{
		{"http://a.test/", "text/html; charset=utf-8", `<!doctype html><title>Home</title><link rel=stylesheet href=/s.css><p>The home page, خانه</p><p id=made></p><script src=/s.js></script><a href=/deep>deep</a>`},
		{"http://a.test/deep", "text/html; charset=utf-8", `<!doctype html><title>Deep</title><p>A deeper page</p>`},
		{"http://a.test/s.css", "text/css", `p { color: green }`},
		{"http://a.test/s.js", "text/javascript", `document.getElementById("made").textContent = "made by a script"`},
		{"http://a.test/secret", "text/html", `<title>SECRET</title><p>SECRET`},
	} {
		block := "HTTP/1.1 200 OK\r\nContent-Type: " + page[1] + "\r\n\r\n" + page[2]
		h := warc.Header{{Name: "WARC-Type", Value: "response"}, {Name: "WARC-Record-ID", Value: warc.NewID()}, {Name: "WARC-Target-URI", Value: page[0]},
			{Name: "WARC-Date", Value: fmt.Sprintf("2026-01-31T12:00:%02dZ", i)}, {Name: "Content-Type", Value: "application/http; msgtype=response"}, {Name: "Content-Length", Value: fmt.Sprint(len(block))}}
		if _, err := w.WriteRecord(h, strings.NewReader(block)); err != nil {
			t.Fatal(err)
		}
	}
	const name = "KAVOSH-20260131120000-20260131120000000-00000-1.warc.gz"
	memory := &index.Memory{}
	if err := memory.Read(t.Context(), bytes.NewReader(file.Bytes()), name); err != nil {
		t.Fatal(err)
	}
	memory.Sort()
	fs := vfs.NewMem()
	if err := disk.WriteFile(fs, name, file.Bytes()); err != nil {
		t.Fatal(err)
	}
	key, err := ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	pack := export.WACZ{
		FS: fs, Files: []string{name}, Title: "A title", Software: "Kavosh", Created: time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC), Key: key,
		Index: func() iter.Seq2[cdx.Entry, error] { return memory.Search("", "", false) },
		Shows: func(e *cdx.Entry) bool { return e.URL != "http://a.test/secret" },
		Seeds: map[string]bool{"http://a.test/": true},
	}
	var packed bytes.Buffer
	if err := pack.Write(t.Context(), &packed); err != nil {
		t.Fatal(err)
	}
	return packed.Bytes()
}

// TestPyWACZ lets py-wacz check what we packed, and the same with one byte changed.
func TestPyWACZ(t *testing.T) {
	python := cached(t, "KAVOSH_PYTHON", "venv", "bin", "python")
	validate := func(b []byte) (string, error) {
		file := filepath.Join(t.TempDir(), "x.wacz")
		if err := os.WriteFile(file, b, 0o666); err != nil {
			t.Fatal(err)
		}
		out, err := exec.CommandContext(t.Context(), python, "-c", "import sys; from wacz.main import main; sys.exit(main(['validate', '-f', sys.argv[1]]))", file).CombinedOutput()
		return string(out), err
	}
	b := exported(t)
	if out, err := validate(b); err != nil || !strings.Contains(out, "Validation succeeded") {
		t.Errorf("%v: %s", err, out)
	}
	i := bytes.Index(b, []byte("archive/")) + 200
	b[i] ^= 1
	if out, err := validate(b); err == nil {
		t.Errorf("a byte was changed, and it says %s", out)
	}
}

// wrapper is a page with ReplayWeb.page's own element.
const wrapper = `<!doctype html><title>x</title><script src="/ui.js"></script>
<replay-web-page source="/x.wacz" url="http://a.test/" style="display: block; height: 800px"></replay-web-page>`

// shows waits until the text of the page and of all frames and shadow trees in it holds what it wants, and gives that text.
const shows = `new Promise(done => {
	const text = root => [root.body ? root.body.innerText : root.textContent, ...[...root.querySelectorAll("*")].flatMap(e => {
		let frame = null
		try { frame = e.contentDocument } catch {}
		return [...(e.shadowRoot ? [text(e.shadowRoot)] : []), ...(frame ? [text(frame)] : [])]
	})].join("\n")
	const end = performance.now() + 60000
	const look = () => { const t = text(document); if (WANTED.every(w => t.includes(w)) || t.includes(MISSED) || performance.now() > end) done(t); else setTimeout(look, 100) }
	look()
})`

// TestReplayWebPage opens what we packed in ReplayWeb.page: the page's text appears, that which its script wrote too, and nothing is
// asked of anybody else.
func TestReplayWebPage(t *testing.T) {
	dir := cached(t, "KAVOSH_REPLAYWEBPAGE", "replaywebpage", "package")
	b := exported(t)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/":
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, wrapper)
		case "/x.wacz":
			http.ServeContent(w, r, "x.wacz", time.Unix(1e9, 0), bytes.NewReader(b))
		case "/ui.js":
			http.ServeFile(w, r, filepath.Join(dir, "ui.js"))
		case "/replay/sw.js":
			http.ServeFile(w, r, filepath.Join(dir, "sw.js"))
		default:
			http.NotFound(w, r)
		}
	}))
	defer server.Close()
	browser, err := chromium.Start(t.Context(), chromium.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer browser.Close()
	ctx, closeTab, err := browser.Tab("")
	if err != nil {
		t.Fatal(err)
	}
	defer closeTab()
	var mu sync.Mutex
	var outside []string
	err = chromedp.Listen(ctx, func(ev any) {
		if ev, ok := ev.(*network.EventRequestWillBeSent); ok && strings.HasPrefix(ev.Request.URL, "http") && !strings.HasPrefix(ev.Request.URL, server.URL+"/") {
			mu.Lock()
			defer mu.Unlock()
			outside = append(outside, ev.Request.URL)
		}
	})
	if err == nil {
		_, err = chromedp.Call(ctx, network.Enable, network.EnableParams{})
	}
	if err != nil {
		t.Fatal(err)
	}
	wanted := []string{"The home page, خانه", "made by a script"}
	const missed = "404 page not found" // on a busy machine the page is asked for before the service worker of ReplayWeb.page is there
	script := strings.NewReplacer("WANTED", fmt.Sprintf(`["%s"]`, strings.Join(wanted, `", "`)), "MISSED", fmt.Sprintf("%q", missed)).Replace(shows)
	text := missed
	for try := 0; try < 4 && strings.Contains(text, missed); try++ {
		if err := chromedp.Do(ctx, chromedp.Navigate(server.URL+"/")); err != nil {
			t.Fatal(err)
		}
		if text, err = chromedp.Run(ctx, chromedp.Evaluate[string](script, chromedp.EvalAwaitPromise)); err != nil {
			t.Fatal(err)
		}
	}
	for _, w := range wanted {
		if !strings.Contains(text, w) {
			t.Errorf("%q is not shown:\n%s", w, text)
		}
	}
	mu.Lock()
	defer mu.Unlock()
	if len(outside) > 0 {
		t.Errorf("it asked for %q", outside)
	}
}
