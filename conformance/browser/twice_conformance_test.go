//go:build conformance

package browser

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// appPages is how many pages newApp has.
const appPages = 6

// app is an application: the HTML of its pages is an empty shell that never changes, and its server says so. Scripts make of data
// what people see. The data of every other page is another when it is asked for once more, and shows a picture then.
type app struct {
	sync.Mutex
	asked map[string]int
}

func newApp(t *testing.T) (a *app, way []string) {
	a = &app{asked: map[string]int{}}
	s := httptest.NewServer(a)
	t.Cleanup(s.Close)
	return a, []string{"--connect-to", "app.test::" + strings.TrimPrefix(s.URL, "http://"), "--delay", "0"}
}

func (a *app) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a.Lock()
	a.asked[r.URL.Path]++
	times := a.asked[r.URL.Path]
	a.Unlock()
	var page int
	switch {
	case r.URL.Path == "/robots.txt", r.URL.Path == "/favicon.ico":
		http.NotFound(w, r)
	case r.URL.Path == "/app.js":
		w.Header().Set("Content-Type", "text/javascript")
		fmt.Fprint(w, `fetch('/da' + 'ta/' + location.pathname.split('/')[2] + '.json').then(r => r.json()).then(d => {
  const p = document.createElement('p'); p.textContent = d.text; document.getElementById('app').append(p);
  if (d.image) { const i = new Image(); i.src = '/im' + 'g/' + d.image; document.body.append(i) }
})`)
	case strings.HasPrefix(r.URL.Path, "/img/"):
		w.Header().Set("Content-Type", "image/svg+xml")
		fmt.Fprint(w, `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>`)
	case strings.HasPrefix(r.URL.Path, "/data/"):
		fmt.Sscanf(r.URL.Path, "/data/%d.json", &page)
		d := map[string]string{"text": fmt.Sprintf("Page %d tells of a quiet morning at the river, where nothing has happened for as long as people remember, and nobody expects that to be otherwise soon.", page)}
		if page%2 == 0 && times > 1 {
			d["text"] = fmt.Sprintf("Page %d reports a flood in the lower town: forty houses stand in water, the bridge is closed, and boats bring bread to those who stayed behind.", page)
			d["image"] = fmt.Sprintf("%d.svg", page)
		}
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(d)
	default:
		w.Header().Set("ETag", `"shell"`)
		if r.Header.Get("If-None-Match") == `"shell"` {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, "<!doctype html><title>app %s</title><h1>The news of page %[1]s</h1><p>News of the town, told anew each day: here is what its people wrote of page %[1]s.</p><div id=app></div>", r.URL.Path)
		if r.URL.Path != "/" {
			fmt.Fprint(w, "<script src=/app.js></script>")
			return
		}
		for i := range appPages {
			fmt.Fprintf(w, "<a href=/page/%d>page %[1]d</a> ", i)
		}
	}
}

// reportOf returns the report of the only crawl of an archive.
func reportOf(t *testing.T, archive string) (r struct {
	Schedule  struct{ Visits, Changed int }
	Coherence struct{ Coherent, Incoherent, Unknown int }
}) {
	t.Helper()
	files, _ := filepath.Glob(filepath.Join(archive, "crawls", "*", "report.json"))
	if len(files) != 1 {
		t.Fatalf("reports: %v", files)
	}
	if text, err := os.ReadFile(files[0]); err != nil || json.Unmarshal(text, &r) != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return r
}

// With --revisit once, pages that the browser loads are judged by what they show, if the archive keeps that: of an application whose
// HTML never changes, those whose data changed are not called coherent, and what they show then is recorded.
func TestTwiceInTheBrowser(t *testing.T) {
	for _, kept := range []bool{true, false} {
		visitTwice(t, "always", kept)
	}
}

func TestTwiceInTheBrowserWhereNeeded(t *testing.T) { visitTwice(t, "auto", true) }

func visitTwice(t *testing.T, mode string, kept bool) {
	a, way := newApp(t)
	archive := filepath.Join(t.TempDir(), "archive")
	args := append([]string{"crawl", "--archive", archive, "--browser", mode, "--revisit", "once", "http://app.test/"}, way...)
	want := 0
	if kept {
		args, want = append(args, "--render", "dom"), appPages/2
	}
	if out, err := exec.Command(program, args...).CombinedOutput(); err != nil || !strings.Contains(string(out), "coherence") {
		t.Fatalf("%v\n%s", err, out)
	}
	r := reportOf(t, archive)
	if r.Schedule.Visits != appPages+1 || r.Schedule.Changed != appPages/2 || r.Coherence.Unknown != want || r.Coherence.Coherent != appPages+1-want {
		t.Errorf("%s: the report says %+v (documents are kept: %v)", mode, r, kept)
	}
	urls := visited(t, archive)
	for i := range appPages {
		page, data, image := fmt.Sprintf("http://app.test/page/%d", i), fmt.Sprintf("http://app.test/data/%d.json", i), fmt.Sprintf("http://app.test/img/%d.svg", i)
		if n := a.asked[fmt.Sprintf("/data/%d.json", i)]; times(urls, page) < 2 || times(urls, data) != 2 || n != 2 || slices.Contains(urls, image) != (i%2 == 0) {
			t.Errorf("%s: page %d: recorded %d times, its data %d times of %d, its new picture: %v", mode, i, times(urls, page), times(urls, data), n, slices.Contains(urls, image))
		}
	}
}

// visited returns the URLs of what a crawl recorded, each as often as it was.
func visited(t *testing.T, archive string) (urls []string) {
	t.Helper()
	if out, err := exec.Command(program, "check", archive).CombinedOutput(); err != nil {
		t.Errorf("kavosh check: %v\n%s", err, out)
	}
	for _, l := range logged(t, archive) {
		if l.Outcome == "recorded" {
			urls = append(urls, l.URL)
		}
	}
	return urls
}

// times returns how often a URL is among urls.
func times(urls []string, url string) (n int) {
	for _, u := range urls {
		if u == url {
			n++
		}
	}
	return n
}
