//go:build conformance

package journeys

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"kavosh/internal/chromium"
	"kavosh/lib/warc"
)

// program is the path of the kavosh that TestMain built.
var program string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "kavosh-journeys-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	program = filepath.Join(dir, "kavosh")
	code := 1
	if out, err := exec.Command("go", "build", "-o", program, "kavosh/cmd/kavosh").CombinedOutput(); err != nil {
		os.Stderr.Write(out)
	} else {
		code = m.Run()
	}
	os.RemoveAll(dir)
	os.Exit(code)
}

// journey counts what somebody does in one folder.
type journey struct {
	t                *testing.T
	dir              string
	began            time.Time
	commands, clicks int
}

func begin(t *testing.T) *journey { return &journey{t: t, dir: t.TempDir(), began: time.Now()} }

// types runs a command to its end, gives all that it printed, and fails the test unless its exit status is want.
func (j *journey) types(want int, args ...string) string {
	j.t.Helper()
	j.commands++
	cmd := exec.Command(program, args...)
	cmd.Dir = j.dir
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if code := cmd.ProcessState.ExitCode(); code != want || err != nil && !errors.As(err, &exit) {
		j.t.Fatalf("kavosh %s: exit status %d, want %d: %v\n%s", strings.Join(args, " "), code, want, err, out)
	}
	return string(out)
}

// serves starts kavosh serve and gives the address that it says to open.
func (j *journey) serves(args ...string) string {
	j.t.Helper()
	j.commands++
	cmd := exec.Command(program, append([]string{"serve", "--addr", "127.0.0.1:0", "--replay-addr", "127.0.0.1:0"}, args...)...)
	cmd.Dir = j.dir
	out, err := cmd.StdoutPipe()
	if err != nil {
		j.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		j.t.Fatal(err)
	}
	j.t.Cleanup(func() {
		cmd.Process.Signal(os.Interrupt)
		cmd.Wait()
	})
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if _, rest, ok := strings.Cut(lines.Text(), "Open "); ok {
			go io.Copy(io.Discard, out)
			return strings.Fields(rest)[0]
		}
	}
	j.t.Fatal("kavosh serve names no address to open")
	return ""
}

// browser is a browser whose window is open.
func (j *journey) browser() context.Context {
	j.t.Helper()
	ctx, cancel := context.WithTimeout(j.t.Context(), time.Minute)
	j.t.Cleanup(cancel)
	b, err := chromium.Start(ctx, chromium.Options{})
	if err != nil {
		j.t.Fatal(err)
	}
	j.t.Cleanup(b.Close)
	tab, closeTab, err := b.Tab("")
	if err != nil {
		j.t.Fatal(err)
	}
	j.t.Cleanup(closeTab)
	return tab
}

// does is one thing that somebody does in the browser: to follow a link or to send a form.
func (j *journey) does(ctx context.Context, what string, actions ...chromedp.Action[chromedp.Void]) {
	j.t.Helper()
	j.clicks++
	if err := chromedp.Do(ctx, actions...); err != nil {
		j.t.Fatalf("%s: %v", what, err)
	}
}

// reads is what an expression says of the page that is open.
func reads[T any](j *journey, ctx context.Context, expression string) T {
	j.t.Helper()
	value, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		j.t.Fatalf("%s: %v", expression, err)
	}
	return value
}

// tells is what the journey took.
func (j *journey) tells() time.Duration {
	took := time.Since(j.began)
	j.t.Logf("%d commands, %d steps in the browser, %.1f s", j.commands, j.clicks, took.Seconds())
	return took
}

// capture is the address of the first capture that a page links to.
const capture = `[...document.querySelectorAll("main a")].find(a => /\/\d{14}\/http/.test(a.href)).href`

// site is a documentation site: pages with pictures, a style that names one more, a picture for large screens.
func site(t *testing.T) *httptest.Server {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/robots.txt":
			http.NotFound(w, r)
		case strings.HasSuffix(r.URL.Path, ".svg"):
			w.Header().Set("Content-Type", "image/svg+xml")
			io.WriteString(w, `<svg xmlns="http://www.w3.org/2000/svg" width="60" height="40"><rect width="60" height="40" fill="teal"/></svg>`)
		case r.URL.Path == "/style.css":
			w.Header().Set("Content-Type", "text/css")
			io.WriteString(w, `body { background: url(paper.svg) } h1 { color: rgb(0, 90, 90) }`)
		default:
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			page := strings.Trim(r.URL.Path, "/")
			fmt.Fprintf(w, `<!doctype html><title>Guide %s</title><link rel=stylesheet href=/style.css><h1>Guide %[1]s</h1><p>Read on.
<img src="/%[1]sa.svg" alt="a"><img src="/large.svg" srcset="/%[1]slarge.svg 2x" alt="b"><ul>`, page)
			for i := range 40 {
				fmt.Fprintf(w, `<li><a href="/p%d">Page %[1]d</a>`, i)
			}
		}
	}))
	t.Cleanup(s.Close)
	return s
}

// Somebody with one site saves twenty pages of it and looks at one: three commands' worth of text, every picture is there.
func TestSaveASite(t *testing.T) {
	j, s := begin(t), site(t)
	const pages = 20
	out := j.types(0, "crawl", "--browser", "never", "--contact", "me@example.org", "--delay", "0", "--address-delay", "0", "--max-pages", fmt.Sprint(pages), s.URL+"/")
	if !strings.Contains(out, fmt.Sprintf("(%d pages)", pages)) {
		t.Errorf("not %d pages:\n%s", pages, out)
	}
	look := regexp.MustCompile(`kavosh serve (\S+)`).FindStringSubmatch(out)
	if look == nil {
		t.Fatalf("it does not say how to look:\n%s", out)
	}
	home := j.serves(look[1])
	ctx := j.browser()
	j.does(ctx, "open the address that was printed", chromedp.Navigate(home))
	j.does(ctx, "write the site's address", chromedp.SetValue("#q", s.URL+"/"), chromedp.Submit("#q"), chromedp.WaitVisible("main a[href*='/http']"))
	j.does(ctx, "follow the capture", chromedp.Navigate(reads[string](j, ctx, capture)))
	drawn, all := reads[int](j, ctx, `[...document.images].filter(i => i.naturalWidth > 0).length`), reads[int](j, ctx, `document.images.length`)
	if drawn != 2 || all != 2 {
		t.Errorf("%d of %d pictures are drawn", drawn, all)
	}
	if took := j.tells(); took > 30*time.Second {
		t.Errorf("it took %v", took)
	}
}

// old is a file of pages that somebody captured in 1396, one of them about an exhibition.
func old(t *testing.T, name string) {
	var file bytes.Buffer
	w := warc.NewWriter(&file, warc.Compression{Format: warc.Gzip})
	for i, page := range []struct{ url, at, title, text string }{
		{"http://ketab.example/", "2017-06-01T08:00:00Z", "کتابخانه", "نمایشگاه خوشنویسی در تالار بزرگ کتابخانه برپا شد و همگان را به دیدار آن می‌خوانند."},
		{"http://ketab.example/akhbar", "2015-06-01T08:00:00Z", "خبرهای پیشین", "نمایشگاه خوشنویسی سال‌های پیش در همین تالار بزرگ برپا بود و بسیاری آن را دیدند."},
		{"http://ketab.example/emsal", "2020-06-01T08:00:00Z", "خبرهای تازه", "نمایشگاه خوشنویسی امسال برپا نمی‌شود و تالار بزرگ برای بازسازی بسته است."},
	} {
		block := "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n<!doctype html><html lang=fa dir=rtl><title>" + page.title + "</title><p>" + page.text
		h := warc.Header{{Name: "WARC-Type", Value: "response"}, {Name: "WARC-Record-ID", Value: warc.NewID()}, {Name: "WARC-Target-URI", Value: page.url},
			{Name: "WARC-Date", Value: page.at}, {Name: "Content-Type", Value: "application/http; msgtype=response"}, {Name: "Content-Length", Value: fmt.Sprint(len(block))}}
		if _, err := w.WriteRecord(h, strings.NewReader(block)); err != nil {
			t.Fatal(i, err)
		}
	}
	if err := os.WriteFile(name, file.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
}

// A curator who reads Persian imports a file of pages and finds one of 1396 in two steps: a question, a click.
func TestPersianCurator(t *testing.T) {
	j := begin(t)
	old(t, filepath.Join(j.dir, "old.warc.gz"))
	j.types(0, "import", "old.warc.gz", "ketab.kavosh")
	home := j.serves("ketab=ketab.kavosh")
	ctx := j.browser()
	var texts string
	for ctx.Err() == nil { // the file is read for searching while it is served
		j.does(ctx, "ask", chromedp.Navigate(home+"?lang=fa"), chromedp.WaitReady("#q"), chromedp.SetValue("#q", "نمایشگاه year:۱۳۹۶"), chromedp.Submit("#q"),
			chromedp.WaitReady("main"))
		texts = reads[string](j, ctx, `document.querySelector("main").innerText`)
		if strings.Contains(texts, "کتابخانه") && !strings.Contains(texts, "هنوز") {
			break
		}
	}
	j.clicks = 1
	if strings.Contains(texts, "پیشین") || strings.Contains(texts, "امسال") || !strings.Contains(texts, "۱۳۹۶") {
		t.Errorf("asked for ۱۳۹۶, it finds:\n%s", texts)
	}
	j.does(ctx, "follow the first result", chromedp.Navigate(reads[string](j, ctx, capture)))
	texts = reads[string](j, ctx, `document.body.innerText`)
	if !strings.Contains(texts, "نمایشگاه خوشنویسی در تالار بزرگ کتابخانه") {
		t.Errorf("the page that was found shows %q", texts)
	}
	j.tells()
}

// An operator whose crawl gets nothing reads why, in two seconds, and nobody asks them to look at an empty archive.
func TestNothingComes(t *testing.T) {
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed.Close()
	forbids := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/robots.txt" {
			io.WriteString(w, "User-agent: *\nDisallow: /\n")
		}
	}))
	t.Cleanup(forbids.Close)
	for _, c := range []struct{ name, seed, says string }{
		{"a misspelt name", "http://no-such-host.invalid/", "no-such-host.invalid"},
		{"nobody listens", "http://" + closed.Addr().String() + "/", "refused"},
		{"robots.txt", forbids.URL + "/", "robots.txt"},
	} {
		j := begin(t)
		cmd := exec.Command(program, "crawl", c.seed)
		cmd.Dir = j.dir
		out, err := cmd.StderrPipe()
		if err != nil {
			t.Fatal(err)
		}
		var summary bytes.Buffer
		cmd.Stdout = &summary
		began := time.Now()
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		var told time.Duration
		var said strings.Builder
		for lines := bufio.NewScanner(out); lines.Scan(); {
			fmt.Fprintln(&said, lines.Text())
			if told == 0 && strings.Contains(lines.Text(), c.says) && !strings.Contains(lines.Text(), " into ") {
				told = time.Since(began)
				cmd.Process.Signal(os.Interrupt)
			}
		}
		cmd.Wait()
		t.Logf("%s: told after %.1f s", c.name, told.Seconds())
		if told == 0 || told > 2*time.Second {
			t.Errorf("%s: it says so after %v:\n%s%s", c.name, told, said.String(), summary.String())
		}
		if strings.Contains(summary.String(), "kavosh serve") {
			t.Errorf("%s: it invites to look at nothing:\n%s", c.name, summary.String())
		}
	}
}

// A researcher has an archive as a table of pandas in three lines of Python, after one command.
func TestToPandas(t *testing.T) {
	python := cmp.Or(os.Getenv("KAVOSH_PYTHON"), filepath.Join("..", "..", ".cache", "venv", "bin", "python"))
	if _, err := os.Stat(python); err != nil {
		t.Fatalf("%v: run `make conformance-tools`", err)
	}
	python, err := filepath.Abs(python)
	if err != nil {
		t.Fatal(err)
	}
	j, s := begin(t), site(t)
	j.types(0, "crawl", "--browser", "never", "--archive", "guide.kavosh", "--delay", "0", "--address-delay", "0", s.URL+"/")
	if err := os.WriteFile(filepath.Join(j.dir, "log.jsonl"), []byte(j.types(0, "log", "guide.kavosh", "--json")), 0o666); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(python, "-c", `import pandas
log = pandas.read_json("log.jsonl", lines=True)
print(log.groupby("mime")["size"].agg(["count", "sum"]))`)
	cmd.Dir = j.dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if !regexp.MustCompile(`text/html\s+4[12]\b`).Match(out) {
		t.Errorf("the table is\n%s", out)
	}
	j.tells()
}
