//go:build conformance

package chromium

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"
)

// TestNothingByItself loads a page by way of a proxy, in a browser just started, and wants no other request than the
// page's own to have come there, and no process of the browser to be left.
func TestNothingByItself(t *testing.T) {
	var mu sync.Mutex
	var asked []string
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		asked = append(asked, r.Method+" "+r.RequestURI)
		mu.Unlock()
		if strings.HasSuffix(r.RequestURI, "/") {
			w.Header().Set("Content-Type", "text/html")
			w.Write([]byte(`<title>x</title><link rel=prefetch href=https://later.example/><link rel=dns-prefetch href=//dns.example/>
				<script>fetch('http://localhost:8000/x').catch(() => fetch('/end').then(() => document.title = 'end'))</script>`))
			return
		}
		http.Error(w, "no", http.StatusNotFound)
	}))
	defer proxy.Close()
	b, err := Start(t.Context(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel, err := b.Tab(proxy.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := chromedp.Call(ctx, page.Navigate, page.NavigateParams{URL: "http://page.example/"}); err != nil {
		t.Fatal(err)
	}
	if _, err := chromedp.Run(ctx, chromedp.Poll[bool](`document.title == 'end'`)); err != nil {
		t.Fatal(err)
	}
	open, err := chromedp.CallBrowser(ctx, target.GetTargets, target.GetTargetsParams{Filter: target.Filter{{}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range open.TargetInfos {
		if page.Type == "browser_ui" { // it costs more than most pages
			t.Errorf("Chromium shows %s by itself", page.URL)
		}
	}
	cancel()
	line, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", chromedp.FromContext(b.ctx).Browser.Process().Pid))
	_, profile, found := strings.Cut(string(line), "--user-data-dir=")
	if profile, _, _ = strings.Cut(profile, "\x00"); err != nil || !found {
		t.Fatalf("no profile in %q (%v)", line, err)
	}
	b.Close()
	mu.Lock()
	defer mu.Unlock()
	own := []string{"GET http://page.example/", "GET http://page.example/favicon.ico", "GET http://localhost:8000/x", "GET http://page.example/end", "CONNECT later.example:443"}
	for _, a := range asked {
		if !slices.Contains(own, a) {
			t.Errorf("the browser asked for %q by itself", a)
		}
	}
	if !slices.Contains(asked, "GET http://localhost:8000/x") {
		t.Errorf("a request to this machine did not come by the proxy: %q", asked)
	}
	if _, err := os.Stat(profile); !os.IsNotExist(err) {
		t.Errorf("the profile %q is still there (%v)", profile, err)
	}
	lines, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, l := range lines {
		if text, _ := os.ReadFile(l); strings.Contains(string(text), profile) {
			t.Errorf("%s still runs: %q", l, text)
		}
	}
}
