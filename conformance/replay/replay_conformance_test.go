//go:build conformance

package replay

import (
	"bufio"
	"encoding/json"
	"image"
	"image/png"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"kavosh/lib/ssim"
)

// site is a documentation site of a Debian package, as its package installs it. What lies below the folders of starts is
// crawled, and what its pages load.
type site struct {
	name, pkg, dir string
	starts         []string
}

var sites = []site{
	{"debian-handbook", "debian-handbook", "/usr/share/doc/debian-handbook/html", []string{"fa-IR/index.html", "en-US/index.html", "ja-JP/index.html", "ar-MA/index.html"}},
	{"postgresql", "postgresql-doc-15", "/usr/share/doc/postgresql-doc-15/html", []string{"index.html"}},
	{"openjdk", "openjdk-17-doc", "/usr/share/doc/openjdk-17-doc", []string{"api/index.html"}},
	{"libreoffice-help", "libreoffice-help-fr", "/usr/share/libreoffice/help", []string{"fr/text/simpress/main0000.html", "de/text/simpress/main0000.html", "en-US/text/simpress/main0000.html"}},
}

// least is the picture similarity that every page must have.
const least = 0.98

// program is the path of the kavosh that TestMain built.
var program = filepath.Join(os.TempDir(), "kavosh-under-test-replay", "kavosh")

func TestMain(m *testing.M) {
	build := exec.Command("go", "build", "-o", program, "kavosh/cmd/kavosh")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		os.Stderr.Write(out)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// TestSites crawls each site from a server on this machine, serves the archive, and loads 60 of its pages from both
// (in short, 15; $KAVOSH_REPLAY_PAGES for another number). $KAVOSH_REPLAY_SITE names one site alone; with $KAVOSH_REPLAY_PICTURES, a
// folder, the pictures of pages below the bound are kept there.
func TestSites(t *testing.T) {
	n := 60
	if testing.Short() {
		n = 15
	}
	if v, err := strconv.Atoi(os.Getenv("KAVOSH_REPLAY_PAGES")); err == nil {
		n = v
	}
	browser, err := Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer browser.Close()
	for _, s := range sites {
		if one := os.Getenv("KAVOSH_REPLAY_SITE"); one != "" && one != s.name {
			continue
		}
		t.Run(s.name, func(t *testing.T) {
			for _, start := range s.starts {
				if _, err := os.Stat(filepath.Join(s.dir, filepath.FromSlash(start))); err != nil {
					t.Fatalf("%v: run `make conformance-tools` (apt-get install %s)", err, s.pkg)
				}
			}
			live := httptest.NewServer(http.FileServer(http.Dir(s.dir)))
			defer live.Close()
			archive := filepath.Join(t.TempDir(), "archive")
			args := []string{"crawl", "--browser", "never", "--archive", archive, "--delay", "0s", "--address-delay", "0s", "--scope", "prefix"}
			for _, start := range s.starts {
				args = append(args, live.URL+"/"+start)
			}
			began := time.Now()
			if out, err := exec.Command(program, args...).CombinedOutput(); err != nil {
				t.Fatalf("kavosh %s: %v\n%s", strings.Join(args, " "), err, tail(out))
			}
			t.Logf("crawled in %.0f s", time.Since(began).Seconds())
			base := serve(t, archive)
			pages := choose(t, base, n)
			r := compareAll(t, browser, live.URL, base, pages)
			slices.Sort(r.all)
			slices.Sort(r.inked)
			t.Logf("%s: %d pages: %d requests outside the replay, %d blocked by its policy, %d resources missing that were there live, %d pages whose text differs; SSIM least %.4f, median %.4f (over tiles that are not plain: least %.4f, median %.4f)",
				s.name, len(pages), r.outside, r.blocked, r.missing, r.texts, r.all[0], r.all[len(r.all)/2], r.inked[0], r.inked[len(r.inked)/2])
			if r.outside > 0 || r.missing > 0 || r.all[0] < least {
				t.Errorf("%d outside, %d missing, least similarity %.4f", r.outside, r.missing, r.all[0])
			}
		})
	}
}

// result is what comparing many pages gave.
type result struct {
	mu                               sync.Mutex
	outside, blocked, missing, texts int
	all, inked                       []float64
}

// compareAll loads every page live and replayed, in two tabs at once.
func compareAll(t *testing.T, b *Browser, live, base string, pages []capture) *result {
	t.Helper()
	r := &result{}
	work := make(chan capture)
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			tab, err := b.NewTab()
			if err != nil {
				t.Error(err)
				for range work {
				}
				return
			}
			defer tab.Close()
			for p := range work {
				if err := r.compare(t, tab, base, p); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for _, p := range pages {
		work <- p
	}
	close(work)
	wg.Wait()
	if len(r.all) == 0 {
		t.Fatal("no page was compared")
	}
	return r
}

func (r *result) compare(t *testing.T, tab *Tab, base string, p capture) error {
	was, err := tab.Open(p.URL)
	if err != nil {
		return err
	}
	now, err := tab.Open(base + "/site/" + p.Timestamp + "/" + p.URL)
	if err != nil {
		return err
	}
	similar, err := ssim.Compare(was.Picture, now.Picture)
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all, r.inked = append(r.all, similar.All), append(r.inked, similar.Inked)
	there := map[string]bool{}
	for _, q := range now.Requests {
		switch {
		case strings.HasPrefix(q.URL, base+"/"):
			if q.Status >= 200 && q.Status < 300 {
				there[archived(base, q.URL)] = true
			}
		case q.Blocked != "":
			r.blocked++
			t.Logf("%s: blocked by %s: %s", p.URL, q.Blocked, q.URL)
		default:
			r.outside++
			t.Logf("%s: outside the replay: %s (%s)", p.URL, q.URL, q.Failed)
		}
	}
	for _, q := range was.Requests {
		if q.Status >= 200 && q.Status < 300 && !there[q.URL] && !strings.HasSuffix(q.URL, "/favicon.ico") {
			r.missing++
			t.Logf("%s: missing: %s", p.URL, q.URL)
		}
	}
	if was.Text != now.Text || was.Title != now.Title {
		r.texts++
		t.Logf("%s: text differs: %d and %d characters", p.URL, len(was.Text), len(now.Text))
	}
	if similar.All < least {
		t.Logf("%s: similarity %.4f (%.4f over %d tiles)", p.URL, similar.All, similar.Inked, similar.Tiles)
		keep(t, p.URL, was.Picture, now.Picture)
	}
	return nil
}

// archived is the archived URL that a replay URL shows.
func archived(base, u string) string {
	_, rest, _ := strings.Cut(strings.TrimPrefix(u, base+"/"), "/")
	_, rest, _ = strings.Cut(rest, "/")
	return rest
}

// keep stores the two pictures of a page for people to look at.
func keep(t *testing.T, page string, pictures ...image.Image) {
	dir := os.Getenv("KAVOSH_REPLAY_PICTURES")
	if dir == "" {
		return
	}
	name := strings.NewReplacer("/", "_", ":", "_", "?", "_").Replace(strings.TrimPrefix(page, "http://"))
	for i, m := range pictures {
		f, err := os.Create(filepath.Join(dir, name+[]string{".live.png", ".replay.png"}[i]))
		if err != nil {
			t.Error(err)
			return
		}
		if err := png.Encode(f, m); err != nil {
			t.Error(err)
		}
		f.Close()
	}
}

// capture is a line of the CDX API.
type capture struct{ URL, Timestamp string }

// choose takes n pages of the archive, evenly spread over its index.
func choose(t *testing.T, base string, n int) []capture {
	t.Helper()
	resp, err := http.Get(base + "/site/cdx?" + url.Values{"url": {"*"}, "output": {"json"}, "fl": {"url,timestamp"}, "filter": {"=mime:text/html", "=status:200"}}.Encode())
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var all []capture
	for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
		var c capture
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatalf("%v: %s", err, lines.Text())
		}
		all = append(all, c)
	}
	if len(all) == 0 {
		t.Fatal("the archive has no pages")
	}
	if len(all) <= n {
		return all
	}
	var some []capture
	for i := range n {
		some = append(some, all[i*len(all)/n])
	}
	t.Logf("%d of %d pages", n, len(all))
	return some
}

// serve serves an archive as the collection "site" and gives the base of its replay.
func serve(t *testing.T, archive string) string {
	t.Helper()
	return serveAt(t, free(t), archive)
}

// serveAt serves an archive with its home at an address, and returns where it is replayed.
func serveAt(t *testing.T, home, archive string) string {
	t.Helper()
	pages := free(t)
	cmd := exec.Command(program, "serve", "--addr", home, "--replay-addr", pages, "site="+archive)
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	await(t, pages)
	return "http://" + pages
}

// await waits until somebody listens at an address.
func await(t *testing.T, address string) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); <-time.After(20 * time.Millisecond) {
		if c, err := net.Dial("tcp", address); err == nil {
			c.Close()
			return
		}
	}
	t.Fatal("kavosh serve does not listen")
}

// free is an address that nobody listens at.
func free(t *testing.T) string { return freeAt(t, "127.0.0.1:0") }

func freeAt(t *testing.T, address string) string {
	t.Helper()
	l, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

func tail(b []byte) string {
	if len(b) > 2000 {
		b = b[len(b)-2000:]
	}
	return string(b)
}
