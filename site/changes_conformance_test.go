//go:build conformance

package site

import (
	"context"
	"encoding/json"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"kavosh/internal/chromium"
	"kavosh/internal/records"
	"kavosh/replay"
	"kavosh/replay/replaytest"
)

// In a browser, boxes lie over what changed in both pages, and the scripts of these neither run there nor get the page
// when they are replayed in a window.
func TestChangesAreDrawn(t *testing.T) {
	const script = `<script>parent.document.documentElement.dataset.reached = "yes"; fetch("/one/20200101000000-20210101000000/http://a.test/").then(r => { document.title = "got " + r.status })</script>`
	a := replaytest.New(t)
	a.Page("http://a.test/", "20200101000000", "200 text/html", `<main><p>It rained all day.</p><a href="/x">more</a></main>`+script)
	a.Page("http://a.test/", "20210101000000", "200 text/html", `<main><p>It rained all night and day.</p></main>`+script)
	var s *Site
	l := httptest.NewUnstartedServer(nil)
	at := "http://" + l.Listener.Addr().String()
	s, err := New(Options{HomeAddr: "http://home.test", ReplayAddr: at, Collections: []Collection{{Collection: &replay.Collection{Name: "one", Records: &records.Records{Index: a, Files: a}}}}})
	if err != nil {
		t.Fatal(err)
	}
	l.Config.Handler = s.ReplayHandler()
	l.Start()
	defer l.Close()
	b, err := chromium.Start(t.Context(), chromium.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	shows := func(path, expression string) (got string) {
		tab, done, err := b.Private()
		if err != nil {
			t.Fatal(err)
		}
		defer done()
		ctx, cancel := context.WithTimeout(tab, time.Minute)
		defer cancel()
		if err := chromedp.Do(ctx, chromedp.Navigate(at+path)); err != nil {
			t.Fatal(err)
		}
		v, err := chromedp.Run(ctx, chromedp.Evaluate[json.RawMessage](`(async () => { for (let n = 0; n < 300; n++) { const got = `+expression+`; if (got) return got; await new Promise(d => setTimeout(d, 100)) } return "nothing" })()`, chromedp.EvalAwaitPromise))
		if err != nil {
			t.Fatal(err)
		}
		return string(v)
	}
	got := shows("/one/20200101000000-20210101000000en/http://a.test/",
		`(m => m.length > 3 && m.join(" ") + " " + document.documentElement.dataset.reached)([...document.querySelectorAll(".marks i")].map(i => i.closest(".drawn").dataset.side + ":" + i.className + (i.offsetWidth > 0 && i.offsetHeight > 0 ? "" : " empty")))`)
	if want := `"old:update old:delete block old:delete new:update undefined"`; got != want {
		t.Errorf("drawn: %s, want %s", got, want)
	}
	if got := shows("/one/20210101000000/http://a.test/", `document.title`); got != `"got 403"` {
		t.Errorf("a replayed page that asks for the comparison: %s", got)
	}
}

// Who clicks a part in the page is shown its words, its feed and the command that watches it; links in the page lead nowhere.
func TestPartsArePointedAt(t *testing.T) {
	a := replaytest.New(t)
	a.Page("http://a.test/", "20200101000000", "200 text/html", `<nav><a href="/x">sports</a> <a href="/y">world</a></nav><main><h1>Flood</h1><p>It rained all day and the river rose.</p><p>Nobody was hurt, they say.</p></main><aside><p>Weather: <a href="/sun">sun</a> all day</p></aside>`)
	l := httptest.NewUnstartedServer(nil)
	at := "http://" + l.Listener.Addr().String()
	s, err := New(Options{HomeAddr: "http://home.test", ReplayAddr: at, Collections: []Collection{{Collection: &replay.Collection{Name: "one", Records: &records.Records{Index: a, Files: a}}}}})
	if err != nil {
		t.Fatal(err)
	}
	l.Config.Handler = s.ReplayHandler()
	l.Start()
	defer l.Close()
	b, err := chromium.Start(t.Context(), chromium.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	for lang, want := range map[string]string{"en": "Feed of its changes", "fa": "خوراک دگرگونی‌های آن"} {
		tab, done, err := b.Private()
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(tab, time.Minute)
		if err := chromedp.Do(ctx, chromedp.Navigate(at+"/one/20200101000000parts"+lang+"/http://a.test/")); err != nil {
			t.Fatal(err)
		}
		got, err := chromedp.Run(ctx, chromedp.Evaluate[string](`(async () => {
			for (let n = 0; n < 300 && document.querySelectorAll(".marks i").length < 3; n++) await new Promise(d => setTimeout(d, 100))
			const doc = document.querySelector("iframe").contentDocument
			const a = [...doc.links].find(a => a.textContent === "sun"), r = a.getBoundingClientRect()
			a.dispatchEvent(new doc.defaultView.MouseEvent("click", { bubbles: true, cancelable: true, clientX: r.left + 2, clientY: r.top + 2 }))
			await new Promise(d => setTimeout(d, 300))
			return [...document.querySelectorAll("details[open]")].map(d => d.textContent).join("|") + document.querySelectorAll(".marks .here").length + doc.location.pathname
		})()`, chromedp.EvalAwaitPromise))
		cancel()
		done()
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(got, "Weather:") || strings.Contains(got, "Flood") || !strings.Contains(got, want) || !strings.Contains(got, "--block 20200101000000/") || !strings.HasSuffix(got, "1/one/20200101000000if_/http://a.test/") {
			t.Errorf("%s: %s", lang, got)
		}
	}
}

// Each link of a page has a frame of its own form around it, wherever the link stands and however often; the page's scripts do not run there.
func TestLinksAreFramed(t *testing.T) {
	a := replaytest.New(t)
	a.Page("http://a.test/", "20200201000000", "200 text/html", `<p><a href="/same">One</a> and <a href="/same#part">again</a></p><p><a href="/later">Two</a></p><p><a href="/lost">Three</a></p><p><a href="/never">Four</a></p><p><a href="/perhaps">Five</a></p><a href="#x">within</a>
		<script>parent.document.documentElement.dataset.reached = "yes"</script>`)
	for _, stamp := range []string{"20200101000000", "20200301000000"} {
		a.Page("http://a.test/same", stamp, "200 text/html", "same")
	}
	a.Page("http://a.test/later", "20200301000000", "200 Content-Type: text/html\nLast-Modified: Sat, 15 Feb 2020 00:00:00 GMT", "later")
	a.Page("http://a.test/lost", "20200301000000", "404 text/html", "lost")
	a.Page("http://a.test/perhaps", "20200301000000", "200 text/html", "perhaps")
	l := httptest.NewUnstartedServer(nil)
	at := "http://" + l.Listener.Addr().String()
	s, err := New(Options{HomeAddr: "http://home.test", ReplayAddr: at, Collections: []Collection{{Collection: &replay.Collection{Name: "one", Records: &records.Records{Index: a, Files: a}}}}})
	if err != nil {
		t.Fatal(err)
	}
	l.Config.Handler = s.ReplayHandler()
	l.Start()
	defer l.Close()
	b, err := chromium.Start(t.Context(), chromium.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	tab, done, err := b.Private()
	if err != nil {
		t.Fatal(err)
	}
	defer done()
	ctx, cancel := context.WithTimeout(tab, time.Minute)
	defer cancel()
	if err := chromedp.Do(ctx, chromedp.Navigate(at+"/one/20200201000000linksen/http://a.test/")); err != nil {
		t.Fatal(err)
	}
	got, err := chromedp.Run(ctx, chromedp.Evaluate[string](`(async () => {
		for (let n = 0; n < 300 && document.querySelectorAll(".marks i").length < 6; n++) await new Promise(d => setTimeout(d, 100))
		const doc = document.querySelector("iframe").contentDocument
		const over = i => [...doc.links].filter(a => { const r = a.getBoundingClientRect(); return Math.abs(parseFloat(i.style.left) - r.left) < 1 && Math.abs(parseFloat(i.style.top) - r.top) < 1 }).map(a => a.textContent).join()
		const marks = [...document.querySelectorAll(".marks i")].map(i => over(i) + " " + i.className + " " + getComputedStyle(i).borderTopStyle + " " + getComputedStyle(i).borderLeftStyle)
		const a = [...doc.links].find(a => a.textContent === "Three"), r = a.getBoundingClientRect()
		a.dispatchEvent(new doc.defaultView.MouseEvent("click", { bubbles: true, cancelable: true, clientX: r.left + 2, clientY: r.top + 2 }))
		return marks.join("; ") + "; " + document.activeElement.dataset.newAddress + " " + document.documentElement.dataset.reached
	})()`, chromedp.EvalAwaitPromise))
	if err != nil {
		t.Fatal(err)
	}
	const want = "Two violates dashed dashed; Three failed double double; Four absent dotted dotted; Five unsure solid none; One fits solid solid; again fits solid solid; http://a.test/lost undefined"
	if got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}
