package main

import (
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"kavosh/access"
	"kavosh/internal/fakeweb"
	"kavosh/site"
)

// crawlWeb crawls a web in one text into an archive; args are seeds and flags. A second crawl goes into the same one.
func crawlWeb(t *testing.T, dir, text string, args ...string) {
	t.Helper()
	command(t, append([]string{"crawl", "--browser", "never", "--archive", dir, "--scope", "any", "--workers", "1", "--delay", "0", "--connect-to", farWeb(t, text)}, args...)...)
}

// farWeb serves a web, and returns what --connect-to wants for it.
func farWeb(t *testing.T, text string) string {
	t.Helper()
	web, err := fakeweb.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	far, err := fakeweb.NewServer(web, nil)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go far.Serve(l)
	t.Cleanup(func() { far.Close() })
	return "::" + l.Addr().String()
}

// sameWeb has five pages with the same content.
func sameWeb() string {
	page := "<!doctype html><title>Same secret</title><p>SAME-CONTENT" + strings.Repeat(" which is in all of them, word by word and letter by letter.", 20)
	text := ""
	for i := range 5 {
		text += fmt.Sprintf("-- a.test/e%d.html X-Page=HEAD-OF-%d --\n%s\n", i+1, i+1, page)
	}
	return text
}

var sameSeeds = []string{"http://a.test/e1.html", "http://a.test/e2.html", "http://a.test/e3.html", "http://a.test/e4.html", "http://a.test/e5.html"}

// A rule about one URL closes its captures and nobody else's, though theirs are revisits of it; a rule about the content
// closes all. A later crawl changes neither.
func TestARuleAboutAURLLeavesRevisits(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "same")
	crawlWeb(t, dir, sameWeb(), sameSeeds[0])
	crawlWeb(t, dir, sameWeb(), sameSeeds[1:]...)
	shows := func(when, page, reader, want string) {
		t.Helper()
		w := newWalker(t, dir, reader)
		for _, at := range []string{"2099", "2099id_", "2099if_"} {
			address := replayOrigin + "/one/" + at + "/http://a.test/" + page
			answer := w.ask(address)
			if to := regexp.MustCompile(`(?m)^Location: (\S+)`).FindStringSubmatch(answer); to != nil {
				answer = w.ask(replayOrigin + to[1])
			}
			if !strings.HasPrefix(answer, want) || strings.Contains(answer, "SAME-CONTENT") != (want == "200") {
				t.Errorf("%s, %s: %.200q, want %s", when, address, answer, want)
			}
			if strings.Contains(answer, "HEAD-OF-1") && page != "e1.html" {
				t.Errorf("%s, %s: has the head of another URL's capture: %s", when, address, answer)
			}
		}
	}
	for _, round := range []string{"", "after another crawl "} {
		for _, rule := range []struct{ access, refused, until string }{{"takedown", "451", ""}, {"metadata", "403", ""}, {"on-site", "403", ""}, {"embargo", "403", "2999-01-01"}} {
			args := []string{"access", dir, "add", rule.access, "http://a.test/e1.html"}
			if rule.until != "" {
				args = append(args, "--until", rule.until)
			}
			number, _, _ := strings.Cut(command(t, args...), " ")
			shows(round+rule.access, "e1.html", "203.0.113.5:4", rule.refused)
			for _, page := range []string{"e2.html", "e5.html"} {
				shows(round+rule.access, page, "203.0.113.5:4", "200")
			}
			command(t, "access", dir, "remove", number)
		}
		crawlWeb(t, dir, sameWeb(), sameSeeds...)
	}
	command(t, "access", dir, "add", "takedown", "http://a.test/e1.html")
	w := newWalker(t, dir, "203.0.113.5:4")
	if list := w.ask(replayOrigin + "/one/cdx?url=http://a.test/e3.html"); !strings.Contains(list, "warc/revisit") {
		t.Fatalf("there is no revisit, so that this proves nothing: %s", list)
	}
	stamp := regexp.MustCompile(`\d{14}`).FindString(w.ask(replayOrigin + "/one/cdx?url=http://a.test/e3.html"))
	for _, address := range []string{"/c/one/capture?url=http://a.test/e3.html&time=" + stamp, "/api/v1/collections/one/capture?url=http://a.test/e3.html&time=" + stamp} {
		answer := w.ask(homeOrigin + address)
		if !strings.HasPrefix(answer, "200") || !strings.Contains(answer, "HEAD-OF-3") || strings.Contains(answer, "e1.html") || strings.Contains(answer, "HEAD-OF-1") {
			t.Errorf("%s tells of the capture that was taken down, or not of itself: %s", address, answer)
		}
	}
	digest := regexp.MustCompile(`"digest": ?"([^"]+)"`).FindStringSubmatch(w.ask(replayOrigin + "/one/cdx?output=json&url=http://a.test/e3.html"))
	if digest == nil {
		t.Fatal("no digest")
	}
	command(t, "access", dir, "add", "metadata", digest[1])
	for _, page := range []string{"e2.html", "e5.html"} {
		shows("content closed", page, "203.0.113.5:4", "403")
	}
}

// A rule about content leaves out of a package what was written with it, too: a request tells the address.
func TestPackagesLeaveOutWhatBelongsToClosedContent(t *testing.T) {
	dir, packed := filepath.Join(t.TempDir(), "same"), filepath.Join(t.TempDir(), "same.wacz")
	crawlWeb(t, dir, sameWeb()+"-- a.test/other.html --\n<p>Open to everybody.\n", sameSeeds[0], "http://a.test/other.html")
	list := newWalker(t, dir, "203.0.113.5:4").ask(replayOrigin + "/one/cdx?output=json&url=http://a.test/e1.html")
	digest := regexp.MustCompile(`"digest": ?"([^"]+)"`).FindStringSubmatch(list)
	if digest == nil {
		t.Fatal("no digest", list)
	}
	command(t, "access", dir, "add", "takedown", digest[1])
	command(t, "export", "wacz", dir, "-o", packed)
	if text := all(t, packed); strings.Contains(text, "e1.html") || !strings.Contains(text, "GET /other.html") {
		t.Errorf("packed: %s", text)
	}
}

// A package has what revisits stand for, though the address where that was captured is closed; check tells of those that have not.
func TestPackagesHaveWhatRevisitsStandFor(t *testing.T) {
	t.Parallel()
	dir, folder := filepath.Join(t.TempDir(), "same"), t.TempDir()
	web := sameWeb() + "-- a.test/chunks.html chunked X-Page=HEAD-OF-CHUNKS --\n" + strings.SplitAfterN(sameWeb(), "\n", 3)[1]
	crawlWeb(t, dir, web, sameSeeds[0])
	crawlWeb(t, dir, web, append(sameSeeds[1:], "http://a.test/chunks.html")...)
	command(t, "access", dir, "add", "takedown", "http://a.test/e1.html")
	packed := filepath.Join(folder, "same.wacz")
	command(t, "export", "wacz", dir, "-o", packed)
	if texts := command(t, "export", "text", dir); strings.Count(texts, "SAME-CONTENT") != 1 || strings.Contains(texts, "e1.html") || !strings.Contains(texts, "/e2.html") {
		t.Errorf("texts: %s", texts)
	}
	// It makes no difference whether the closed original lies before its revisits or behind them.
	if files, err := filepath.Glob(filepath.Join(dir, "warc", "*")); err != nil || len(files) != 2 || os.Rename(files[0], filepath.Join(dir, "warc", "LATER.warc.gz")) != nil {
		t.Fatal(files, err)
	} else if texts := command(t, "export", "text", dir); strings.Count(texts, "SAME-CONTENT") != 1 || strings.Contains(texts, "e1.html") || !strings.Contains(texts, "/e2.html") {
		t.Errorf("texts, with the original behind its revisits: %s", texts)
	} else if err := os.Rename(filepath.Join(dir, "warc", "LATER.warc.gz"), files[0]); err != nil {
		t.Fatal(err)
	}
	if told := command(t, "check", "--strict", packed); !strings.Contains(told, "no errors, no warnings") {
		t.Error(told)
	}
	text := all(t, packed)
	if strings.Contains(text, "Target-URI: http://a.test/e1.html") || strings.Contains(text, `"url": "http://a.test/e1.html"`) || strings.Contains(text, "HEAD-OF-1") || strings.Contains(text, "warc/revisit") || strings.Count(text, "SAME-CONTENT") != 5 || !strings.Contains(text, "http://a.test/e3.html is called Same secret\n") {
		t.Errorf("packed: %s", text)
	}
	set, err := openCollections(t.Context(), &program{out: io.Discard, err: t.Output()}, []string{"one=" + packed})
	if err != nil {
		t.Fatal(err)
	}
	handlers, _, err := newHandlers(&program{out: io.Discard, err: t.Output()}, set, site.Options{Lang: "en", HomeAddr: homeOrigin, ReplayAddr: replayOrigin}, &access.Site{})
	if err != nil {
		t.Fatal(err)
	}
	w := &walker{t: t, handlers: handlers, from: "203.0.113.5:4", seen: map[string]bool{}, answers: map[string]string{}}
	for page, head := range map[string]string{"e2.html": "HEAD-OF-2", "e5.html": "HEAD-OF-5", "chunks.html": "HEAD-OF-CHUNKS"} {
		stamp := regexp.MustCompile(`\d{14}`).FindString(w.ask(replayOrigin + "/one/cdx?url=http://a.test/" + page))
		if answer := w.ask(replayOrigin + "/one/" + stamp + "id_/http://a.test/" + page); !strings.HasPrefix(answer, "200") || !strings.Contains(answer, head) || !strings.Contains(answer, "SAME-CONTENT") {
			t.Errorf("%s: %s", page, answer)
		}
	}
	// Into another archive and out again; a rule about the content takes all of it along.
	other := filepath.Join(folder, "other")
	command(t, "import", "--archive", other, packed)
	command(t, "check", other)
	files, err := filepath.Glob(filepath.Join(dir, "warc", "*.warc.gz"))
	if err != nil || len(files) != 2 {
		t.Fatal(files, err)
	}
	if err := os.Rename(files[0], filepath.Join(folder, "aside")); err != nil {
		t.Fatal(err)
	}
	command(t, "export", "wacz", dir, "-o", packed)
	if told := command(t, "check", packed); strings.Count(told, "revisit-alone") != 5 {
		t.Errorf("revisits whose originals are nowhere: %s", told)
	}
	if err := os.Rename(filepath.Join(folder, "aside"), files[0]); err != nil {
		t.Fatal(err)
	}
	digest := regexp.MustCompile(`"url": "http://a.test/e3.html".*?"digest": "([^"]+)"`).FindStringSubmatch(text)
	command(t, "access", dir, "add", "takedown", digest[1])
	command(t, "export", "wacz", dir, "-o", packed)
	if text := all(t, packed); strings.Contains(text, "SAME-CONTENT") || strings.Contains(text, "Target-URI: http://a.test/e3.html") {
		t.Errorf("the content is closed, and packed: %s", text)
	}
}

// A rule about a picture's content hides all that search for pictures says of it, one about a page's content what the page says of
// its pictures; the other one of the two stays.
func TestSearchForPicturesHeedsRulesAboutContent(t *testing.T) {
	t.Parallel()
	dir, site := filepath.Join(t.TempDir(), "pictures"), &secretSite{kind: "url", host: "r0-url.test", word: "xsecretpicturex"}
	crawlSites(t, dir, []*secretSite{site})
	finds := func(w *walker, query string) bool {
		return strings.Contains(w.ask(homeOrigin+"/api/v1/collections/one/search?"+query), `"url": "http://r0-url.test/p/`)
	}
	const words, like, page = "kind=image&q=treasure", "kind=image&q=like:http://r0-url.test/p/pic.png", "q=treasure"
	for _, c := range []struct {
		digest string
		want   [3]bool // found by words, by likeness, as a page
	}{{"", [3]bool{true, true, true}}, {site.sums[0], [3]bool{false, true, false}}, {site.sums[1], [3]bool{false, false, true}}} {
		for _, rule := range []struct {
			words string
			open  bool
		}{{"takedown", false}, {"metadata", false}, {"embargo --after 1y", false}, {"embargo --until 2020-01-01", true}} {
			number := ""
			if c.digest != "" {
				number, _, _ = strings.Cut(command(t, append([]string{"access", dir, "add"}, append(strings.Fields(rule.words), c.digest)...)...), " ")
			}
			w := newWalker(t, dir, "203.0.113.5:4")
			want := c.want
			if rule.open {
				want = [3]bool{true, true, true}
			}
			if got := [3]bool{finds(w, words), finds(w, like), finds(w, page)}; got != want {
				t.Errorf("%s about %q: found by words, by likeness, as a page: %v, want %v", rule.words, c.digest, got, want)
			}
			if number != "" {
				command(t, "access", dir, "remove", number)
			}
		}
	}
}

// The page of a capture does not name the page that led to it once that was taken down.
func TestWhatLedToACaptureIsNotNamed(t *testing.T) {
	dir, site := filepath.Join(t.TempDir(), "led"), &secretSite{kind: "url", host: "r0-url.test", word: "xsecretledx"}
	crawlSites(t, dir, []*secretSite{site})
	for _, want := range []bool{true, false} {
		w := newWalker(t, dir, "203.0.113.5:4")
		stamp := regexp.MustCompile(`\d{14}`).FindString(w.ask(replayOrigin + "/one/cdx?url=http://r0-url.test/p/pic.png"))
		answer := w.ask(homeOrigin + "/c/one/capture?url=http://r0-url.test/p/pic.png&time=" + stamp)
		if !strings.HasPrefix(answer, "200") || strings.Contains(answer, "/p/page.html") != want {
			t.Errorf("named: want %v: %s", want, answer)
		}
		command(t, "access", dir, "add", "takedown", site.page())
	}
}
