// Command pictures takes pictures of the pages that Kavosh serves: `make pictures` makes those of README.md.
//
//	pictures KAVOSH FOLDER          the pictures of README.md
//	pictures KAVOSH FOLDER NAME…    these pages in both languages, on a desk, on a phone and in the dark, to look at;
//	                                "every" for all of them
//
// It crawls the small web that comes with the program into a temporary archive, gives it a past (past.go), serves it, and
// asks the system's Chromium for it. Run it as an ordinary user: for root Chromium has no sandbox, and then there are no
// thumbnails.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"kavosh/internal/chromium"
)

func main() {
	if len(os.Args) < 3 {
		fmt.Fprintln(os.Stderr, "usage: pictures KAVOSH FOLDER [NAME…]")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2], os.Args[3:]); err != nil {
		fmt.Fprintln(os.Stderr, "pictures:", err)
		os.Exit(1)
	}
}

// picture is a page in one look.
type picture struct {
	name         string
	path         string // with HOME, PAGES for the two origins
	lang         string
	width, high  int64
	dark, scroll bool // scroll: the picture is as high as the page
}

// readme are the pictures of README.md.
var readme = []picture{
	{name: "home", path: "HOME/?", lang: "en", width: 1100, high: 820},
	{name: "calendar", path: "PAGES/demo/*en/https://www.bagh.example/en/", lang: "en", width: 1100, high: 820},
	{name: "replay", path: "PAGES/demo/2019/https://www.bagh.example/en/", lang: "en", width: 1100, high: 820},
	{name: "collection-fa", path: "HOME/c/demo?", lang: "fa", width: 1100, high: 820},
}

// screens are the pages that are looked at.
var screens = map[string]string{
	"home": "HOME/?", "collection": "HOME/c/demo?", "pages": "HOME/c/demo/pages?", "filtered": "HOME/c/demo/pages?status=4xx",
	"hosts": "HOME/c/demo/hosts?", "host": "HOME/c/demo/host?host=www.bagh.example", "search": "HOME/c/demo/search?q=باغ", "nothing": "HOME/c/demo/search?q=zzzz",
	"search-pictures": "HOME/c/demo/search?q=باغ&kind=image", "crawls": "HOME/c/demo/crawls?", "crawl": "CRAWL", "capture": "HOME/c/demo/capture?url=https%3A%2F%2Fwww.bagh.example%2F&time=2019",
	"links": "HOME/c/demo/links?url=https%3A%2F%2Fwww.bagh.example%2F", "wrong": "HOME/find?q=%2F%2F", "no-page": "HOME/none?",
	"calendar": "PAGES/demo/*LANG/https://www.bagh.example/", "replay": "PAGES/demo/2019/https://www.bagh.example/", "missing": "PAGES/demo/2019/https://www.bagh.example/not-there",
	"compare": "PAGES/demo/2016-2019/https://www.bagh.example/", "characterise": "FILE/characterise.html", "statements": "FILE/rdf.html", "lab": "FILE/lab.html", "status": "STATUS/?",
}

func looks(names []string) (list []picture) {
	for name, path := range screens {
		if !slices.Contains(names, name) && !slices.Contains(names, "every") {
			continue
		}
		for _, lang := range []string{"en", "fa"} {
			for _, p := range []picture{{name: "desk", width: 1280, high: 800}, {name: "phone", width: 390, high: 844}, {name: "dark", width: 1280, high: 800, dark: true}} {
				p.name, p.path, p.lang, p.scroll = name+"-"+lang+"-"+p.name, path, lang, true
				list = append(list, p)
			}
		}
	}
	return list
}

func run(kavosh, folder string, names []string) error {
	temp, err := os.MkdirTemp("", "pictures-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	s := &served{kavosh: kavosh, temp: temp, archive: filepath.Join(temp, "demo.kavosh")}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	if err := s.start(ctx); err != nil {
		return err
	}
	browser, err := chromium.Start(ctx, chromium.Options{})
	if err != nil {
		return err
	}
	defer browser.Close()
	list := readme
	if len(names) > 0 {
		list = looks(names)
	}
	for _, p := range list {
		if err := s.take(browser, p, folder); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
	}
	return nil
}

// served is the archive and the program that serves it.
type served struct {
	kavosh, temp, archive string
	home, pages           string // base URLs
}

// start makes the archive and serves it until ctx ends.
func (s *served) start(ctx context.Context) error {
	past := filepath.Join(s.temp, "earlier.warc.gz")
	if err := s.kavoshed(ctx, "demo", "--once", "--archive", s.archive); err != nil {
		return err
	}
	if err := writePast(s.archive, past); err != nil {
		return err
	}
	for _, args := range [][]string{
		{"import", past, s.archive},
		{"describe", s.archive, "--title", "The garden and its neighbours", "--title-fa", "باغ و همسایگانش", "--description", "Six small sites in four languages, visited since 2014.", "--description-fa", "شش سایت کوچک به چهار زبان، از ۱۳۹۳ تا امروز."},
		{"characterise", s.archive, "--html", filepath.Join(s.temp, "characterise.html")}, {"rdf", "stats", s.archive, "--html", filepath.Join(s.temp, "rdf.html")},
	} {
		if err := s.kavoshed(ctx, args...); err != nil {
			return err
		}
	}
	var ports [2]string
	for i := range ports {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return err
		}
		ports[i] = l.Addr().String()
		l.Close()
	}
	s.home, s.pages = "http://"+ports[0], "http://"+ports[1]
	cmd := exec.CommandContext(ctx, s.kavosh, "serve", "demo="+s.archive, "--addr", ports[0], "--replay-addr", ports[1])
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		return err
	}
	// Titles and languages come from the search index, which is made meanwhile, and numbers are counted now and then.
	for end := time.Now().Add(2 * time.Minute); time.Now().Before(end); time.Sleep(time.Second) {
		if r, err := http.Get(s.home + "/c/demo"); err == nil {
			body, err := io.ReadAll(r.Body)
			if r.Body.Close(); err == nil && strings.Contains(string(body), "f=lang:fa") {
				return nil
			}
		}
	}
	return errors.New("kavosh serve shows no languages")
}

// kavoshed runs a command of Kavosh.
func (s *served) kavoshed(ctx context.Context, args ...string) error {
	out, err := exec.CommandContext(ctx, s.kavosh, args...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("kavosh %s: %w\n%s", strings.Join(args, " "), err, out)
	}
	return nil
}

// address returns the URL of a picture's page; "" if this run has none.
func (s *served) address(p picture) string {
	at, query, _ := strings.Cut(strings.NewReplacer("HOME", s.home, "PAGES", s.pages, "LANG", p.lang, "FILE", "file://"+s.temp).Replace(p.path), "?")
	switch {
	case at == "CRAWL":
		names, _ := filepath.Glob(filepath.Join(s.archive, "crawls", "*"))
		return s.home + "/c/demo/crawl?id=" + filepath.Base(names[0]) + "&lang=" + p.lang
	case strings.HasPrefix(at, "file://"):
		if _, err := os.Stat(strings.TrimPrefix(at, "file://")); err != nil {
			return ""
		}
		return at
	case strings.HasPrefix(at, "STATUS"):
		return ""
	case query != "" || strings.HasSuffix(p.path, "?"):
		q, _ := url.ParseQuery(query)
		q.Set("lang", p.lang)
		return at + "?" + q.Encode()
	}
	return at
}

// take takes a picture.
func (s *served) take(browser *chromium.Browser, p picture, folder string) error {
	address := s.address(p)
	if address == "" {
		return nil
	}
	tab, done, err := browser.Tab("")
	if err != nil {
		return err
	}
	defer done()
	tab, cancel := context.WithTimeout(tab, time.Minute)
	defer cancel()
	theme := "light"
	if p.dark {
		theme = "dark"
	}
	set := func() error {
		_, err := chromedp.Call(tab, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: theme}}})
		if err == nil {
			_, err = chromedp.Call(tab, network.ClearBrowserCookies, struct{}{}) // the language of the picture before
		}
		if err == nil {
			_, err = chromedp.Call(tab, emulation.SetLocaleOverride, emulation.SetLocaleOverrideParams{Locale: p.lang})
		}
		if err == nil {
			_, err = chromedp.Call(tab, emulation.SetUserAgentOverride, emulation.SetUserAgentOverrideParams{UserAgent: "Mozilla/5.0", AcceptLanguage: p.lang})
		}
		return err
	}
	high := p.high
	if err := errors.Join(set(), chromedp.Do(tab, chromedp.EmulateViewport(p.width, high), chromedp.Navigate(address))); err != nil {
		return err
	}
	if p.scroll {
		full, err := chromedp.Run(tab, chromedp.Evaluate[int64](`document.documentElement.scrollHeight`))
		if err != nil {
			return err
		}
		if high = min(max(full, high), 3000); high != p.high {
			if err := chromedp.Do(tab, chromedp.EmulateViewport(p.width, high)); err != nil {
				return err
			}
		}
	}
	// Thumbnails come one after the other: a small one stands for one that is still coming.
	const ready = `[...document.images].every(i => { const at = i.getBoundingClientRect(); return at.left >= innerWidth || at.right <= 0 || at.top >= innerHeight || i.complete && i.naturalWidth !== 160 })`
	for range 40 {
		if all, err := chromedp.Run(tab, chromedp.Evaluate[bool](ready)); err != nil || all {
			break
		}
		time.Sleep(500 * time.Millisecond)
	}
	time.Sleep(500 * time.Millisecond) // the font
	format, end, quality := page.CaptureScreenshotFormatWebp, ".webp", int64(80)
	if p.scroll {
		format, end = page.CaptureScreenshotFormatPng, ".png"
	}
	shot, err := chromedp.Call(tab, page.CaptureScreenshot, page.CaptureScreenshotParams{Format: format, Quality: &quality})
	if err != nil {
		return err
	}
	fmt.Printf("%s%s: %d KB\n", p.name, end, len(shot.Data)>>10)
	return os.WriteFile(filepath.Join(folder, p.name+end), shot.Data, 0o666)
}
