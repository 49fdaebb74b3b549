package main

import (
	"context"
	"net/http"
	"net/http/httputil"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"kavosh/access"
	"kavosh/internal/knownhosts"
	"kavosh/site"
)

// forward asks a server by its socket.
func forward(t *testing.T, base string) http.Handler {
	t.Helper()
	to, err := url.Parse(base)
	if err != nil {
		t.Fatal(err)
	}
	return &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.Out.URL.Scheme, r.Out.URL.Host, r.Out.Host = to.Scheme, to.Host, to.Host
	}}
}

// What is asked of a running server a second after a takedown is closed, by every way that showed it before; a second after the
// takedown is taken back it is open again.
func TestATakedownHoldsWithinASecond(t *testing.T) {
	t.Setenv("PATH", t.TempDir()) // without Chromium thumbnails are drawn of titles, at once
	dir, s := filepath.Join(t.TempDir(), "running"), &secretSite{kind: "url", host: "r0-url.test", word: "xsecret0urlx"}
	crawlSites(t, dir, []*secretSite{s})
	w := newWalker(t, dir, "127.0.0.1:4")
	ctx, stop := context.WithCancel(t.Context())
	p := &program{out: t.Output(), err: t.Output()}
	set, err := openCollections(ctx, p, []string{"one=" + dir})
	if err != nil {
		t.Fatal(err)
	}
	var listeners [2]*knownhosts.Listener
	for i := range listeners {
		if listeners[i], err = listen("--addr", "127.0.0.1:0", nil); err != nil {
			t.Fatal(err)
		}
	}
	ready, ended := make(chan [2]string, 1), make(chan error, 1)
	go func() {
		ended <- serveReplay(ctx, p, set, site.Options{Lang: "en"}, &access.Site{}, listeners[0], listeners[1], func(home, pages string) { ready <- [2]string{home, pages} })
	}()
	defer func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}()
	for i, base := range <-ready {
		w.handlers[i] = forward(t, base)
	}
	isOpen := func(x *exit) bool { o := x.outcome(x.get(w, s), s); return o == "shown" || o == "listed" }
	ways := map[string]*exit{}
	for _, x := range exits(t, dir) {
		if kind, _, _ := strings.Cut(x.name, " "); kind != "stored" && !strings.Contains(x.name, "kavosh") && isOpen(&x) {
			ways[x.name] = &x
		}
	}
	for _, name := range []string{"replay `/one/TIMEid_/URL`", "list `/one/cdx?url=ESCAPED`", "API `captures?url=ESCAPED`", "page `/c/one/search?q=treasure&f=host:HOST`",
		"page `/c/one/search?q=treasure&kind=image&f=host:HOST`", "page `/c/one/thumbnail?url=ESCAPED&time=TIME`", "WASAPI, a file of its own", "WASAPI, the list of files"} {
		if ways[name] == nil {
			t.Fatalf("%s shows nothing, so that this proves nothing", name)
		}
	}
	// until wants all ways to be open or not in answers that were asked for a second after a decision.
	until := func(open bool) {
		t.Helper()
		decided := time.Now()
		for name, x := range ways {
			for {
				asked := time.Now()
				if isOpen(x) == open {
					break
				}
				if late := asked.Sub(decided); late > time.Second {
					t.Errorf("%s, asked for %v after the decision: open is not %t", name, late, open)
					break
				}
				<-time.After(10 * time.Millisecond)
			}
		}
	}
	number, _, _ := strings.Cut(command(t, "access", dir, "add", "takedown", s.host), " ")
	until(false)
	command(t, "access", dir, "remove", number)
	until(true)
}
