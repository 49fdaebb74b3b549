//go:build suites

package acid

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/png"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"kavosh/internal/chromium"
	"kavosh/internal/testdata"
)

const address = "http://acid.matkelly.com/"

// points are the tests of the page at its newest version; 2f and 2h are vacant in it, 3d and 3e not made.
var points = []string{
	"1a", "1b", "1c", "1d", "1e", "1f", "2a", "2b", "2c", "2d", "2e", "2g", "2i", "2j", "3a", "3b", "3c", "3f",
}

// published are the points that others lost as the test's authors tell it in the draft of their paper, which came with
// the page (machawk1/archivalAcidTest, paper/dl2014acid.tex): services of 2014.
var published = []struct {
	name string
	lost []string
}{
	{"archive.is 2014", []string{"2i"}},
	{"Mummify 2014", []string{"2d", "2i", "2j"}},
	{"Perma.cc 2014", []string{"2d", "2i", "2j", "3b"}},
}

// php is what a server replaces in the page.
var php = regexp.MustCompile(`(?s)<\?php.*?\?>`)

// serveLive serves the test as its two hosts do, and 404 for all else.
func serveLive(t *testing.T) *httptest.Server {
	dir := filepath.Dir(testdata.Path(t, "acid/index.php"))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name := strings.TrimPrefix(r.URL.Path, "/")
		host, _, _ := strings.Cut(r.Host, ":")
		if host == "www.cs.odu.edu" {
			name = strings.TrimPrefix(name, "~mkelly/acid/")
		}
		if name == "" {
			name = "index.php"
		}
		body, err := os.ReadFile(filepath.Join(dir, path.Base(name)))
		if err != nil || strings.Contains(name, "/") {
			http.NotFound(w, r)
			return
		}
		if name == "index.php" {
			w.Header().Set("Content-Type", "text/html")
			w.Write(php.ReplaceAll(body, nil))
			return
		}
		http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(body))
	}))
	t.Cleanup(server.Close)
	return server
}

// look loads a page in a tab of its own and says which points are blue. proxy is "" for none.
func look(t *testing.T, b *chromium.Browser, proxy, url string) (blue []string) {
	t.Helper()
	tab, closeTab, err := b.Tab(proxy)
	if err != nil {
		t.Fatal(err)
	}
	defer closeTab()
	tab, cancel := context.WithTimeout(tab, time.Minute)
	defer cancel()
	if _, err := chromedp.Call(tab, page.Navigate, page.NavigateParams{URL: url}); err != nil {
		t.Fatal(err)
	}
	for range 15 { // a page has timers, and a machine may be busy: what is not blue by then is lost
		// What comes on scrolling is scrolled for.
		_, err = chromedp.Run(tab, chromedp.Evaluate[bool](`(async () => {
			const wait = n => new Promise(done => setTimeout(done, n));
			while (document.readyState != 'complete') await wait(50);
			scrollTo(0, scrollY == 40 ? 39 : 40);
			await wait(1000);
			return true;
		})()`, chromedp.EvalAwaitPromise))
		if err != nil {
			t.Fatal(err)
		}
		if blue = score(t, tab); len(blue) == len(points) {
			break
		}
	}
	return blue
}

// score says which points of the page in a tab are blue.
func score(t *testing.T, tab context.Context) (blue []string) {
	t.Helper()
	type box struct {
		Title      string
		X, Y, W, H float64
	}
	boxes, err := chromedp.Run(tab, chromedp.Evaluate[[]box](`[...document.querySelectorAll('#test1 > *, #scriptParent > *, #html5Parent > *')].map(e => {
		const b = e.getBoundingClientRect();
		return {Title: e.title, X: b.x, Y: b.y, W: b.width, H: b.height};
	})`))
	if err != nil {
		t.Fatal(err)
	}
	shot, err := chromedp.Run(tab, chromedp.CaptureScreenshot())
	if err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(bytes.NewReader(shot))
	if err != nil {
		t.Fatal(err)
	}
	if dir := os.Getenv("KAVOSH_ACID_PICTURES"); dir != "" {
		os.WriteFile(filepath.Join(dir, fmt.Sprintf("%d.png", time.Now().UnixNano())), shot, 0o644)
	}
	for _, b := range boxes {
		point := strings.TrimPrefix(b.Title, "test")
		if point == "" && b.W > 0 {
			point = "2b" // makes a picture without a title
		}
		if isBlue(img, image.Pt(int(b.X+b.W/2), int(b.Y+b.H/2))) && !slices.Contains(blue, point) {
			blue = append(blue, point)
		}
	}
	return blue
}

func isBlue(img image.Image, at image.Point) bool {
	r, g, b, _ := img.At(at.X, at.Y).RGBA()
	return b>>8 > 180 && r>>8 < 90 && g>>8 < 90
}

// TestAcid captures, replays and scores.
func TestAcid(t *testing.T) {
	live := serveLive(t)
	program := filepath.Join(t.TempDir(), "kavosh")
	if out, err := exec.Command("go", "build", "-o", program, "kavosh/cmd/kavosh").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	b, err := chromium.Start(t.Context(), chromium.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()

	type column struct {
		name string
		blue []string
	}
	var table []column
	add := func(name string, blue []string) { table = append(table, column{name, blue}) }
	add("live", look(t, b, forward(t, live), address))
	for _, way := range []struct{ name, browser string }{{"plain", "never"}, {"by itself", "auto"}, {"browser", "always"}} {
		archive := filepath.Join(t.TempDir(), way.name)
		crawl := exec.Command(program, "crawl", "--archive", archive, "--scope", "page", "--delay", "0", "--browser", way.browser,
			"--connect-to", "::"+live.Listener.Addr().String(), address)
		if out, err := crawl.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		if out, err := exec.Command(program, "check", archive).CombinedOutput(); err != nil {
			t.Errorf("kavosh check: %v\n%s", err, out)
		}
		add("Kavosh, "+way.name, look(t, b, "", serve(t, program, archive)+"/acid/"+time.Now().UTC().Format("2006")+"/"+address))
	}
	for _, p := range published {
		var blue []string
		for _, point := range points {
			if !slices.Contains(p.lost, point) {
				blue = append(blue, point)
			}
		}
		add(p.name, blue)
	}
	var lines strings.Builder
	for _, c := range table {
		n := 0
		fmt.Fprintf(&lines, "%-18s", c.name)
		for _, p := range points {
			mark := "  ·"
			if slices.Contains(c.blue, p) {
				mark = " " + p
				n++
			}
			lines.WriteString(mark)
		}
		fmt.Fprintf(&lines, "  %d of %d\n", n, len(points))
	}
	t.Log("\n" + lines.String())
	for _, c := range []column{table[0], table[2], table[3]} {
		for _, p := range points {
			if !slices.Contains(c.blue, p) {
				t.Errorf("%s: %s is not blue", c.name, p)
			}
		}
	}
}

// forward is the address of a proxy that leads every request to the live server.
func forward(t *testing.T, live *httptest.Server) string {
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.RequestURI, r.URL.Scheme, r.Close = "", "http", true
		r.Host = r.URL.Host
		r.URL.Host = live.Listener.Addr().String()
		answer, err := http.DefaultTransport.RoundTrip(r)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		defer answer.Body.Close()
		for name, values := range answer.Header {
			w.Header()[name] = values
		}
		w.WriteHeader(answer.StatusCode)
		io.Copy(w, answer.Body)
	}))
	t.Cleanup(proxy.Close)
	return proxy.Listener.Addr().String()
}

// serve runs kavosh serve over an archive and gives the address of its replay.
func serve(t *testing.T, program, archive string) string {
	t.Helper()
	home, pages := free(t), free(t)
	cmd := exec.Command(program, "serve", "--addr", home, "--replay-addr", pages, "acid="+archive)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); {
		c, err := net.Dial("tcp", pages)
		if err == nil {
			c.Close()
			return "http://" + pages
		}
		<-time.After(20 * time.Millisecond)
	}
	t.Fatal("kavosh serve does not listen")
	return ""
}

// free is an address that nobody listens at.
func free(t *testing.T) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}
