//go:build conformance

package pages

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"kavosh/characterise"
	"kavosh/lab"
	"kavosh/profile/screen"
	"kavosh/quads"
	"kavosh/site/draw"
	"kavosh/site/live"
)

// This file has the pages that stand beside the archive's own: that of a crawl that runs, and reports.

// running is a crawl that runs, with everything that its page can say.
func running() *draw.Crawl {
	c := crawl
	c.ID, c.End = "20260301080000", ""
	c.Started = time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC)
	c.Walls, c.StandIns = 9, map[string]int64{"wall": 4, "consent": 3, "login": 2, "notfound": 2, "parked": 1}
	c.Seeds, c.MoreSeeds, c.Scope = []string{"https://ketabkhaneh.example/", "https://ketabkhaneh.example/خبر"}, 3, "domain"
	c.Now = &draw.Running{
		State: "running", Pages: 1234, InFlight: 6, Limited: 2, Left: 4000, AtLeast: true, Limits: draw.Limits{Pages: 5000, URLs: 90000, Bytes: 2e9, Seconds: 32400},
		Held: []draw.Held{{Host: "kond.example", Wall: true}, {Host: "members.example", Login: true}, {Host: strings.Repeat("long-name.", 12) + "example", Until: c.Started.Add(time.Hour)}},
		Alarms: []draw.Alarm{{Kind: "failures", Count: 120, Of: 200, Failure: "timeout"}, {Kind: "errors", Count: 132, Of: 200, Status: "503"},
			{Kind: "traps", Count: 500, Of: 200, Host: "kond.example"}, {Kind: "harvest", Count: 3, Of: 200, Before: 0.4}},
	}
	return &c
}

// settings are those of a crawl of which everything was changed.
func settings() *draw.Settings {
	s := &draw.Settings{Include: []string{`^https://cdn\.example/`}, Exclude: []string{"/print/"}, Rules: []string{"leave host=ads.example"}, Permits: []draw.Named{{Name: "www.example.org", Text: "صاحب سایت اجازه داد"}},
		Limits: []draw.Limit{{Kind: "host", Name: "kond.example", Most: "500,2GB"}, {Kind: "seed", Name: "https://ketabkhaneh.example/", Most: "90"}, {Kind: "domain", Most: "1h"}, {Kind: "crawl", Most: "9000"}},
		Held:   running().Now.Held, Hours: []draw.Named{{Name: "kond.example", Text: "22:00-06:00 Asia/Tehran"}}, Priorities: []draw.Priority{{Kind: "host", Name: ".kond.example", Add: "+5"}, {Kind: "match", Name: "/news/", Add: "-3"}}}
	s.Held[1].Why = "logged out: it redirects to a page to log in, for https://members.example/a (profile club, https://members.example/)"
	s.Held[1].Do = []string{"kavosh profile new club https://members.example/account", "kavosh crawl --archive " + strings.Repeat("long-name.", 12) + "kavosh --resume"}
	for _, name := range []string{"workers", "delay", "address-delay", "delay-factor", "host-rate", "rate"} {
		s.Values = append(s.Values, draw.Setting{Name: name, Value: "1"})
	}
	return s
}

// post sends a form to a page in its place.
func post(h http.Handler, path string, form url.Values) *httptest.ResponseRecorder {
	r := httptest.NewRequest("POST", path, strings.NewReader(form.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// others serves the page of a running crawl as everybody sees it, who gave a wrong token, and who gave the right one; that
// of a crawl that has not begun; and reports. It returns their addresses.
func others(t *testing.T) map[string]string {
	t.Helper()
	set, err := draw.New(draw.Options{Version: "1.0"})
	if err != nil {
		t.Fatal(err)
	}
	page := live.New(set, time.Now)
	page.Show(live.Crawl{ID: "20260301080000", Token: "right", File: "crawls/20260301080000/token", Settings: settings,
		Crawl: func(context.Context) (*draw.Crawl, error) { return running(), nil },
		Tell:  func(live.Command) (string, error) { return "delay 5s", nil }})
	session := post(page, "/enter", url.Values{"token": {"right"}}).Result().Cookies()[0]
	var wrong http.HandlerFunc = func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/" {
			page.ServeHTTP(w, r)
			return
		}
		again := httptest.NewRequest("POST", "/enter?"+r.URL.RawQuery, nil)
		again.Header = r.Header.Clone()
		page.ServeHTTP(w, again)
	}
	var held http.HandlerFunc = func(w http.ResponseWriter, r *http.Request) {
		r.AddCookie(session)
		page.ServeHTTP(w, r)
	}
	list := map[string]string{}
	for name, h := range map[string]http.Handler{"status": page, "wrong token": wrong, "commands": held, "no crawl yet": live.New(set, time.Now)} {
		s := httptest.NewServer(h)
		t.Cleanup(s.Close)
		list[name] = s.URL + "/?lang=LANG"
	}
	list["profile"] = loginPage(t)
	for name, write := range map[string]func(*bytes.Buffer) error{
		"characterise": func(b *bytes.Buffer) error { return surveyed().Page(b, "example.org") },
		"statements":   func(b *bytes.Buffer) error { return stated().Page(b, "example.org") },
		"lab":          func(b *bytes.Buffer) error { return compared().Page(b) },
	} {
		var b bytes.Buffer
		if err := write(&b); err != nil {
			t.Fatal(err)
		}
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/" { // a browser asks for an icon
				w.WriteHeader(http.StatusNoContent)
				return
			}
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			w.Write(b.Bytes())
		}))
		t.Cleanup(s.Close)
		list[name] = s.URL + "/"
	}
	return list
}

// loginPage serves the page by which a person logs in for a profile, and returns its address.
func loginPage(t *testing.T) string {
	t.Helper()
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		io.WriteString(w, "<!doctype html><title>club</title><h1>Log in to the club</h1><form><input name=user placeholder=user><input type=password><button>Log in</button></form>")
	}))
	t.Cleanup(site.Close)
	shown, err := screen.Open(t.Context(), site.URL, []string{"127.0.0.1"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(shown.Close)
	page := screen.NewPage(shown)
	s := httptest.NewServer(page)
	t.Cleanup(s.Close)
	return s.URL + page.Path() + "&lang=LANG"
}

// TestALoginIsSeen wants the page by which a person logs in to show the browser, also one that shows the same all the time.
func TestALoginIsSeen(t *testing.T) {
	ctx, cancel := context.WithTimeout(tab(t), time.Minute)
	defer cancel()
	shown := chromedp.Poll[bool](`document.getElementById('picture').naturalWidth == 1280`)
	if err := chromedp.Do(ctx, chromedp.Navigate(strings.ReplaceAll(loginPage(t), "LANG", "fa"))); err != nil {
		t.Fatal(err)
	}
	if _, err := chromedp.Run(ctx, shown); err != nil {
		t.Errorf("no picture: %v", err)
	}
}

// TestPageOfACrawlThatEnds looks at the page of a running crawl until nobody answers any more: the page says so, and keeps
// its numbers.
func TestPageOfACrawlThatEnds(t *testing.T) {
	set, err := draw.New(draw.Options{})
	if err != nil {
		t.Fatal(err)
	}
	page := live.New(set, time.Now)
	page.Show(live.Crawl{ID: "20260301080000", Crawl: func(context.Context) (*draw.Crawl, error) { return running(), nil }})
	s := httptest.NewServer(page)
	ctx, cancel := context.WithTimeout(tab(t), time.Minute)
	defer cancel()
	if err := chromedp.Do(ctx, chromedp.Navigate(s.URL), chromedp.WaitNotVisible("#ended"), chromedp.WaitVisible("#live .tiles")); err != nil {
		t.Fatal(err)
	}
	s.Close()
	if err := chromedp.Do(ctx, chromedp.WaitVisible("#ended"), chromedp.WaitVisible("#live .tiles")); err != nil {
		t.Error(err)
	}
}

// surveyed is a report about a part of the web.
func surveyed() *characterise.Report {
	parts := func(names ...string) (list []characterise.Part) {
		for i, name := range names {
			list = append(list, characterise.Part{Name: name, Count: int64(90000 / (i + 1)), Share: 0.6 / float64(i+1)})
		}
		return list
	}
	shape := characterise.Shape{Mean: 3.2, Median: 2, Most: 90000, Exponent: 2.1, From: 8, Bars: []characterise.Bar{{From: 0, To: 0, Count: 5}, {From: 1, To: 1, Count: 90000}, {From: 2, To: 3, Count: 900}, {From: 4096, To: 8191, Count: 3}}}
	return &characterise.Report{Captures: 200000, URLs: 150000, Pages: 90000, Hosts: 12, Domains: 9, Duplicates: 70, Dynamic: 12, Bytes: 5e9, Status: parts("2xx", "4xx", "other"), Types: parts("text/html", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
		Languages: parts("fa", "en", "unknown"), Declared: parts("fa"), Charsets: parts("utf-8", "windows-1256"), Suffixes: parts(".ir", "(address)"), Linked: parts(".com"), Programs: parts("?", ".php"), Modified: parts("2024", "unknown"), Servers: parts("nginx", "toString"),
		Links: characterise.LinkKinds{Host: 8, Domain: 1, Away: 1}, URL: shape, Depth: shape, Clicks: shape, Out: shape, In: shape, Size: shape, OfHost: shape}
}

// stated is a report about statements.
func stated() *quads.Report {
	parts := []quads.Part{{Name: "json-ld in HTML", Statements: 9000, Documents: 90}, {Name: "http://example.org/" + strings.Repeat("long", 30), Statements: 3, Documents: 1}, {Name: "unknown", Statements: 1, Documents: 1}}
	said := int64(12345)
	return &quads.Report{Statements: 9000, Documents: 120, Resources: 800, Broken: 2, Parents: 3, VocabularyCount: 2, DomainCount: 2, DatasetCount: 1,
		Classes:  []quads.Part{{Name: "R", Documents: 20}, {Name: "HR", Documents: 3}, {Name: "E", Documents: 40}, {Name: "H", Documents: 50}, {Name: "N", Documents: 7}},
		Syntaxes: parts, Served: parts, Vocabularies: parts, Predicates: parts, Types: parts, Domains: []quads.Domain{{Name: "ketabkhaneh.example", Documents: 90, RDF: 9, Statements: 8000}},
		Datasets: []quads.Dataset{{IRI: "http://ketabkhaneh.example/set", Title: "فهرست", Document: "http://ketabkhaneh.example/"}}, Links: []quads.Linkset{{From: "ketabkhaneh.example", To: "kond.example", Predicate: "http://www.w3.org/2002/07/owl#sameAs", Count: 12}},
		Endpoints: []quads.Endpoint{{URL: "http://ketabkhaneh.example/sparql", Answers: true, Statements: &said}, {URL: "http://kond.example/sparql"}},
		Harvest:   []quads.Point{{Documents: 10, RDF: 1, Embedded: 5}, {Documents: 120, RDF: 20, Embedded: 40}}, Rules: []quads.Rules{{Crawl: "20260301080000", Rules: []quads.Rule{{Name: "R", Label: "R", Applied: 9, Correct: 8}}}}}
}

// compared is a report about orders.
func compared() *lab.Report {
	one := lab.Interval{Mean: 1.2, Low: 0.9, High: 1.4}
	c := &lab.Comparison{Mode: "graph", Units: 6, Webs: 3, Left: []lab.Left{{Web: "synthetic-1", Relevant: "label=relevant", Start: "http://h9.test/", Why: "too easy"}},
		Finding: lab.Finding{Best: []string{"shark"}, RunnerUp: "best", Area: &one}}
	for i, name := range []string{"(oracle)", "shark", "best", "mix(3*tianwang,1*random)"} {
		c.Orders = append(c.Orders, lab.Score{Order: name, Recall: [4]lab.Interval{one, one, one, one}, Hits: &one, Oracle: &one, Against: &one, To80: 1.5})
		c.Curves = append(c.Curves, lab.Curve{Order: name, Share: []float64{0, 0.5, 1}, Recall: []float64{0, 1 - 0.2*float64(i), 1}, Hosts: []float64{0, 0.3, 1}})
	}
	return &lab.Report{Compared: c, Findings: []lab.Words{{En: "As published.", Fa: "چنان‌که منتشر شد."}},
		Tables: []lab.Table{{Title: lab.Words{En: "As they counted", Fa: "چنان‌که شمردند"}, Heads: []lab.Words{{En: "order", Fa: "ترتیب"}, {En: "recall", Fa: "بازیابی"}}, Rows: [][]string{{"shark", "0.68 (0.61–0.78)"}}}}}
}
