//go:build conformance

package main

import (
	"bytes"
	"context"
	"net/http"
	neturl "net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"kavosh/internal/chromium"
)

// said collects what a program says, for a reader who waits for it.
type heard struct {
	wait chan string
	re   *regexp.Regexp
	all  bytes.Buffer
}

func (h *heard) Write(b []byte) (int, error) {
	h.all.Write(b)
	if m := h.re.FindString(h.all.String()); m != "" && h.wait != nil {
		h.wait <- m
		h.wait = nil
	}
	return len(b), nil
}

// A person logs in by the page that shows a browser, in a browser of her own. The profile that comes of it has the cookie
// and the token in the storage, and a crawl with the browser gets what members and their application get.
func TestAProfileIsMadeInABrowser(t *testing.T) {
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	t.Setenv(passphraseVariable, "three plain words")
	c := newClub(t)
	host := strings.TrimPrefix(c.URL, "http://")
	said := &heard{wait: make(chan string, 1), re: regexp.MustCompile(`http://127\.0\.0\.1:\d+/\?token=\w+`)}
	address := said.wait
	ended := make(chan int, 1)
	go func() {
		ended <- run([]string{"profile", "new", "club", c.URL + "/"}, program{in: strings.NewReader(""), out: said, err: said})
	}()
	var url string
	select {
	case url = <-address:
	case status := <-ended:
		t.Fatalf("status %d: %s", status, said.all.String())
	}
	u, _ := neturl.Parse(url)
	if r, err := http.Get(u.Scheme + "://" + u.Host + "/"); err != nil || r.StatusCode != http.StatusForbidden {
		t.Errorf("without the token: %v, %v", r, err)
	}
	b, err := chromium.Start(t.Context(), chromium.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	tab, end, err := b.Tab(u.Host) // the page is all that there is
	if err != nil {
		t.Fatal(err)
	}
	defer end()
	tab, cancel := context.WithTimeout(tab, time.Minute)
	defer cancel()
	do := func(script string) {
		t.Helper()
		if _, err := chromedp.Run(tab, chromedp.Evaluate[bool](script+"; true")); err != nil {
			t.Fatal(script, err)
		}
	}
	seen := func(condition string) {
		t.Helper()
		if _, err := chromedp.Run(tab, chromedp.Poll[bool](condition)); err != nil {
			t.Fatal(condition, err)
		}
	}
	if _, err := chromedp.Call(tab, page.Navigate, page.NavigateParams{URL: url + "&lang=fa"}); err != nil {
		t.Fatal(err)
	}
	seen(`document.documentElement.dir == 'rtl' && document.getElementById('picture')?.complete !== undefined && document.getElementById('url').value.includes('/login')`)
	do(`window.press = key => page.dispatchEvent(new KeyboardEvent('keydown', {key, bubbles: true}))`)
	do(`var page = document.getElementById('page')`)
	for range 2 { // past the field for the name
		do(`press('Tab')`)
	}
	for _, letter := range c.password {
		do(`press('` + string(letter) + `')`)
	}
	do(`press('Enter')`)
	seen(`document.getElementById('url').value.endsWith('` + host + `/')`)
	do(`document.getElementById('done').click()`)
	select {
	case status := <-ended:
		if status != 0 || !strings.Contains(said.all.String(), "The profile club has 1 cookie for 127.0.0.1") || strings.Contains(said.all.String(), "no sign of a login") {
			t.Fatalf("status %d: %s", status, said.all.String())
		}
	case <-tab.Done():
		t.Fatal(said.all.String())
	}
	dir := filepath.Join(t.TempDir(), "archive")
	text, status := talk("crawl", "--archive", dir, "--delay", "0", "--address-delay", "0", "--browser", "always", "--profile", "club", c.URL+"/app", c.URL+"/")
	if status != 0 {
		t.Fatal(text)
	}
	members, others := pages(t, dir)
	if len(members) < 5 || c.logouts != 0 || c.asked["/for-the-app-alone"] == 0 {
		t.Errorf("members' pages %q, others %q, %d logouts, the application's page asked for %d times", members, others, c.logouts, c.asked["/for-the-app-alone"])
	}
	for _, other := range others {
		if !strings.HasSuffix(other, "/api/data") {
			t.Errorf("recorded: %s", other)
		}
	}
	c.search(t, text+said.all.String(), dir, os.Getenv("XDG_CONFIG_HOME"))
}
