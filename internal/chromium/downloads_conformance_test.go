//go:build conformance

package chromium

import (
	"bytes"
	"context"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// greedy tries every way to a file on the reader's machine, and tells the server when it is through.
const greedy = `<!doctype html><title>x</title><a id=a download=a-kavosh-download.txt href=/file?a></a>
<iframe src=/attachment?frame></iframe>
<object data=/attachment?object></object>
<script>
const text = 'kavosh download', wait = ms => new Promise(r => setTimeout(r, ms));
const click = (href, name) => { const a = document.createElement('a'); a.href = href; a.download = name; document.body.append(a); a.click() };
(async () => {
  document.getElementById('a').click();
  await wait(100);
  click(URL.createObjectURL(new Blob([text])), 'b-kavosh-download.txt');
  await wait(100);
  click('data:application/octet-stream,' + text, 'c-kavosh-download.txt');
  await wait(100);
  open('/attachment?window');
  const frame = document.createElement('iframe');
  frame.sandbox = 'allow-downloads allow-scripts';
  frame.src = '/attachment?sandboxed';
  document.body.append(frame);
  const form = document.createElement('form');
  form.action = '/attachment'; form.method = 'post'; form.target = '_blank';
  document.body.append(form);
  form.submit();
  try {
    await navigator.serviceWorker.register('/worker.js');
    await navigator.serviceWorker.ready;
    const f = document.createElement('iframe');
    f.src = '/from-worker';
    document.body.append(f);
    await wait(300);
  } catch {}
  location = '/attachment?main';
  await wait(500);
  await fetch('/end');
})()
</script>`

const worker = `onfetch = e => { if (new URL(e.request.url).pathname == '/from-worker') e.respondWith(new Response('kavosh download', {headers: {
  'Content-Type': 'application/octet-stream', 'Content-Disposition': 'attachment; filename=w-kavosh-download.txt'}})) };
onactivate = e => e.waitUntil(clients.claim());`

// temporaryFolder returns a folder that the user may enter as whom Chromium runs for root.
func temporaryFolder(t *testing.T) string {
	dir := t.TempDir()
	if err := os.Chmod(filepath.Dir(dir), 0o711); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestNoDownloads opens a page that wants to leave files on this machine, in a tab of the browser's own and in one with a
// proxy, and wants none to be there.
func TestNoDownloads(t *testing.T) {
	home, temporary := t.TempDir(), temporaryFolder(t)
	if err := os.Mkdir(filepath.Join(home, "Downloads"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("HOME", home)
	t.Setenv("TMPDIR", temporary)
	ended := make(chan struct{}, 10)
	asked := sync.Map{}
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Store(r.URL.Path+"?"+r.URL.RawQuery, true)
		switch r.URL.Path {
		case "/":
			w.Header().Set("Content-Type", "text/html")
			w.Write([]byte(greedy))
		case "/worker.js":
			w.Header().Set("Content-Type", "text/javascript")
			w.Write([]byte(worker))
		case "/end":
			ended <- struct{}{}
		case "/attachment":
			w.Header().Set("Content-Disposition", "attachment; filename=d-kavosh-download.txt")
			w.Write([]byte("kavosh download"))
		default:
			w.Write([]byte("kavosh download"))
		}
	}))
	defer site.Close()
	b, err := Start(t.Context(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	for _, proxy := range []string{"", site.Listener.Addr().String()} {
		tab, cancel, err := b.Tab(proxy)
		if err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithTimeout(tab, 20*time.Second)
		if _, err := chromedp.Call(ctx, page.Navigate, page.NavigateParams{URL: site.URL + "/"}); err != nil {
			t.Fatal(err)
		}
		select {
		case <-ended:
		case <-ctx.Done():
			t.Fatal("the page did not come to its end")
		}
		stop()
		cancel()
	}
	// No window is opened.
	for _, way := range []string{"/attachment?frame", "/attachment?main", "/attachment?sandboxed"} {
		if _, ok := asked.Load(way); !ok {
			t.Errorf("the page did not even ask for %s", way)
		}
	}
	for _, dir := range []string{home, temporary} {
		filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return nil
			}
			data, _ := os.ReadFile(path)
			if name := d.Name(); strings.Contains(name, "kavosh-download") || strings.HasSuffix(name, ".crdownload") ||
				bytes.HasPrefix(data, []byte("kavosh download")) && len(data) < 100 {
				t.Errorf("the page left %s", path)
			}
			return nil
		})
	}
	if left, _ := os.ReadDir(home); len(left) != 1 {
		t.Errorf("in the home there is more now: %v", left)
	}
}

// TestFoldersAreRemoved lets browsers end in all ways, and wants no folder of theirs to stay, and those in use to stay.
func TestFoldersAreRemoved(t *testing.T) {
	temporary := temporaryFolder(t)
	t.Setenv("TMPDIR", temporary)
	folders := func() int {
		left, err := os.ReadDir(temporary)
		if err != nil {
			t.Fatal(err)
		}
		return len(left)
	}
	start := func(ctx context.Context) *Browser {
		b, err := Start(ctx, Options{})
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	running := start(t.Context())
	defer running.Close()
	killed, err := newProfile("") // as of a process that was killed: its lock is no more
	if err != nil {
		t.Fatal(err)
	}
	killed.lock.Close()
	ctx, end := context.WithCancel(t.Context())
	byContext := start(ctx)
	if n := folders(); n != 2 {
		t.Errorf("%d folders while two browsers run", n)
	}
	end()
	<-byContext.removed
	crashed := start(t.Context())
	if err := crashed.Kill(); err != nil {
		t.Fatal(err)
	}
	<-crashed.Gone()
	crashed.Close()
	if n := folders(); n != 1 {
		t.Errorf("%d folders while one browser runs", n)
	}
	if _, cancel, err := running.Tab(""); err != nil {
		t.Errorf("the browser whose folder was in use: %v", err)
	} else {
		cancel()
	}
	running.Close()
	if n := folders(); n != 0 {
		t.Errorf("%d folders while no browser runs", n)
	}
}
