//go:build conformance

package replay

import (
	"bytes"
	"fmt"
	"image"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"kavosh/internal/scriptedsites"
	"kavosh/lib/ssim"
	"kavosh/lib/warc"
)

// scriptedSites are the sites whose scripts are replayed, by their names in package scriptedsites, which says where they come
// from. A page of each is taken by the digest of its path, so that nobody chose it. Of that list celestial is left out,
// which draws the sky of the moment, novnc, which shows how far it came in reaching a server, and scala, which puts another
// page into a frame while the first is loading, so that chance says what is asked for: none is the same twice live.
var scriptedSites = []string{
	"openjdk", "eigen", "libreoffice", "mkdocs", "rust", "gtk4", "vis", "adminlte", "flot",
	"gojs", "dijit", "mathjax", "ckeditor", "foundation", "pango", "commons-lang", "geographiclib", "jquery-ui",
	"borgbackup", "ace",
}

// Bounds on how like live a replayed page must look, over the tiles of its picture that are not plain.
const (
	leastOfAll    = 0.95
	leastOfMedian = 0.98
)

// interactions are what a reader does, by script: each gives what the page then says.
var interactions = []struct{ name, script string }{
	{"types into the first field", `(() => {
		let f = [...document.querySelectorAll("input, textarea")].find(e => /^(text|search|)$/.test(e.getAttribute("type") || "") && !e.disabled)
		if (!f) return
		f.focus(); f.value = "list"
		for (const k of ["keydown", "keypress", "keyup"]) f.dispatchEvent(new KeyboardEvent(k, {key: "t", keyCode: 84, bubbles: true}))
		f.dispatchEvent(new Event("input", {bubbles: true})); f.dispatchEvent(new Event("change", {bubbles: true}))
	})()`},
	{"clicks what opens", `document.querySelectorAll("summary, [aria-expanded], button[type=button], .toggle, .dropdown-toggle, [onclick]:not(a)").forEach((e, i) => { if (i < 3) e.click() })`},
	{"follows a link within the page", `(() => { let a = [...document.querySelectorAll("a[href]")].find(a => /^#[^!\/]/.test(a.getAttribute("href"))); if (a) a.click(); else scrollTo(0, document.body.scrollHeight) })()`},
}

// told is what the page says after an interaction: its text, where it is, and what its fields hold. The page has come to rest
// when it said the same for LOOKS looks.
const told = `(async () => {
	DO
	let last, now
	for (let i = 0, same = 0; i < 40 && same < LOOKS; i++) {
		last = now
		await new Promise(r => setTimeout(r, 150))
		now = document.body.innerText + "\n" + location.hash + "\n" + [...document.querySelectorAll("input, textarea, select")].map(e => e.value + e.checked).join()
		same = last === now ? same + 1 : 0
	}
	return now
})()`

// sameChance makes Math.random give a live page what the replay gives it: seeded by time and address.
const sameChance = `(() => {
	let seed = 0, text = "STAMP" + location.href
	for (let i = 0; i < text.length; i++) seed = Math.imul(seed ^ text.charCodeAt(i), 0x01000193)
	Math.random = () => {
		seed = seed + 0x6D2B79F5 | 0
		let t = Math.imul(seed ^ seed >>> 15, 1 | seed)
		t = t + Math.imul(t ^ t >>> 7, 61 | t) ^ t
		return ((t ^ t >>> 14) >>> 0) / 4294967296
	}
})()`

// seen is a page as a browser showed it, and what came of the interactions.
type seen struct {
	*Load
	said  []string
	asked []Request
}

// see opens a page and does with it what a reader does.
func see(t *testing.T, tab *Tab, url string) seen {
	t.Helper()
	l, err := tab.Open(url)
	if err != nil {
		t.Fatal(err)
	}
	s := seen{Load: l}
	// Some scripts draw for half a second before they show anything: no hand of a reader is as quick.
	if _, err := tab.Do(strings.NewReplacer("DO", "", "LOOKS", "7").Replace(told)); err != nil {
		t.Fatal(err)
	}
	for _, a := range interactions {
		text, err := tab.Do(strings.NewReplacer("DO", a.script, "LOOKS", "2").Replace(told))
		if err != nil {
			text = err.Error()
		}
		s.said = append(s.said, text)
	}
	s.asked = tab.Asked()
	return s
}

// compared is how a replayed page differs from the live one.
type compared struct {
	outside, missing []string
	text             bool // it says the same
	said             []string
	similar          ssim.Similarity
	picture          image.Image
}

// same reports whether no reader would see a difference.
func (c *compared) same() bool {
	return len(c.outside) == 0 && len(c.missing) == 0 && c.text && len(c.said) == 0 && c.similar.Inked >= leastOfAll
}

func compareSeen(t *testing.T, was, now seen, base string) compared {
	t.Helper()
	c := compared{picture: now.Picture, text: was.Text == now.Text && was.Title == now.Title}
	there := map[string]bool{}
	for _, q := range now.asked {
		if !strings.HasPrefix(q.URL, base+"/") && !strings.HasPrefix(q.URL, "ws"+strings.TrimPrefix(base, "http")+"/") {
			c.outside = append(c.outside, q.URL)
		} else if q.Status >= 200 && q.Status < 300 {
			there[archived(base, q.URL)] = true
		}
	}
	for _, q := range was.asked {
		if q.Status >= 200 && q.Status < 300 && !there[q.URL] && !strings.HasSuffix(q.URL, "/favicon.ico") {
			c.missing = append(c.missing, q.URL)
		}
	}
	for i, a := range interactions {
		if was.said[i] != now.said[i] {
			c.said = append(c.said, a.name)
		}
	}
	var err error
	if c.similar, err = ssim.Compare(was.Picture, now.Picture); err != nil {
		t.Fatal(err)
	}
	return c
}

// TestScriptedSites loads a page of each site (in short, of each second) live, keeps what the browser asked for as an archive, and
// opens that page from it: the same must be asked for, said and seen, and after each interaction said. Then the archive is made
// again without one style sheet or script of the page, and this must be noticed.
func TestScriptedSites(t *testing.T) {
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	cache = filepath.Join(cache, "kavosh-conformance")
	if err := os.MkdirAll(cache, 0o755); err != nil {
		t.Fatal(err)
	}
	browser, err := Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer browser.Close()
	var all []float64
	for _, s := range append(scriptedsites.Sites(), scriptedsites.Replayed()...) {
		if testing.Short() && slices.Index(scriptedSites, s.Name)%2 > 0 {
			continue
		}
		if one := os.Getenv("KAVOSH_REPLAY_SITE"); !slices.Contains(scriptedSites, s.Name) || one != "" && one != s.Name {
			continue
		}
		t.Run(s.Name, func(t *testing.T) {
			if err := s.Locate(cache); err != nil {
				t.Fatal(err)
			}
			s.Pages = 1
			pages, err := s.Sample()
			if err != nil {
				t.Fatal(err)
			}
			live := httptest.NewServer(s)
			defer live.Close()
			tab, err := browser.NewTab()
			if err != nil {
				t.Fatal(err)
			}
			defer tab.Close()
			now := time.Now().UTC().Truncate(time.Second)
			stamp := now.Format("20060102150405")
			if err := tab.Before(strings.Replace(sameChance, "STAMP", stamp, 1)); err != nil {
				t.Fatal(err)
			}
			page := live.URL + pages[0]
			was := see(t, tab, page)
			var urls []string
			for _, q := range was.asked {
				if !slices.Contains(urls, q.URL) {
					urls = append(urls, q.URL)
				}
			}
			fresh, err := browser.NewTab()
			if err != nil {
				t.Fatal(err)
			}
			defer fresh.Close()
			serving := func(without string) string {
				file := filepath.Join(t.TempDir(), "site.warc.gz")
				capturePages(t, file, now, urls, without)
				return serve(t, file)
			}
			base := serving("")
			// What a page asks for and shows differs a little from one load to the next, live too: one that differs is opened
			// again, first from the archive, then live.
			var c compared
			for try := range 4 {
				if try == 2 {
					was = see(t, tab, page)
				}
				if c = compareSeen(t, was, see(t, fresh, base+"/site/"+stamp+"if_/"+page), base); c.same() {
					break
				}
			}
			if c.similar.Inked < leastOfAll {
				keep(t, page, was.Picture, c.picture)
			}
			all = append(all, c.similar.Inked)
			t.Logf("%s: %d requests, similarity %.4f over %d tiles, %d outside, missing %q, same text %v, other after %q", pages[0], len(urls), c.similar.Inked, c.similar.Tiles, len(c.outside), c.missing, c.text, c.said)
			if !c.same() {
				t.Errorf("%s is not as live: outside %q", page, c.outside)
			}
			// Without one of its parts the page is not what it was.
			for _, q := range was.Requests[1:] {
				if u := q.URL; q.Status == 200 && (strings.HasSuffix(u, ".css") || strings.HasSuffix(u, ".png") || strings.HasSuffix(u, ".js")) {
					base := serving(u)
					l, err := fresh.Open(base + "/site/" + stamp + "if_/" + page)
					if err != nil {
						t.Fatal(err)
					}
					if c := compareSeen(t, was, seen{Load: l, said: was.said, asked: l.Requests}, base); !slices.Contains(c.missing, u) {
						t.Errorf("%s was taken out of the archive, and nobody noticed", u)
					}
					break
				}
			}
		})
	}
	slices.Sort(all)
	if len(all) > 0 {
		t.Logf("%d sites: similarity least %.4f, median %.4f", len(all), all[0], all[len(all)/2])
		if all[len(all)/2] < leastOfMedian {
			t.Errorf("the median similarity is %.4f", all[len(all)/2])
		}
	}
}

// capturePages fetches the URLs, but for one, into a WARC file.
func capturePages(t *testing.T, file string, at time.Time, urls []string, without string) {
	t.Helper()
	f, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	w := warc.NewWriter(f, warc.Compression{Format: warc.Gzip})
	for _, u := range urls {
		if u == without {
			continue
		}
		resp, err := http.Get(u)
		if err != nil {
			continue // a socket, or a host that is not there
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil {
			t.Fatal(err)
		}
		var block bytes.Buffer
		fmt.Fprintf(&block, "HTTP/1.1 %d X\r\n", resp.StatusCode)
		resp.Header.Write(&block)
		block.WriteString("\r\n")
		block.Write(body)
		h := warc.Header{{Name: "WARC-Type", Value: "response"}, {Name: "WARC-Record-ID", Value: warc.NewID()}, {Name: "WARC-Date", Value: warc.FormatDate(at)},
			{Name: "WARC-Target-URI", Value: u}, {Name: "Content-Type", Value: "application/http; msgtype=response"}, {Name: "Content-Length", Value: fmt.Sprint(block.Len())}}
		if _, err := w.WriteRecord(h, &block); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}
