package main

// This file is kavosh control ARCHIVE pings ADDR: it takes URLs that others submit, and gives them to a running crawl
// as seeds.

import (
	"cmp"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"kavosh"
	"kavosh/engine"
	"kavosh/internal/knownhosts"
	"kavosh/seeds"
)

const (
	maxPing       = 64 << 10 // bytes of a ping
	maxPinged     = 100      // URLs of a ping
	pingsAMinute  = 60       // pings that are accepted in a minute
	pingsAtOnce   = 4
	pingGoodbye   = 5 * time.Second
	pingFormsHelp = "write url=https://…, a URL a line as text/plain, or weblogUpdates.ping as XML-RPC"
)

// takePings listens at addr for URLs that others submit, and gives them to the crawl of the archive in dir as seeds,
// until the program is interrupted. It accepts forms (one or more url=…), plain text with one URL on each line, and
// XML-RPC's weblogUpdates.ping, which blogs send when they have something new.
func takePings(p *program, dir, addr string, names []string) error {
	at, err := knownhosts.ParseAddress("control … pings", addr, names)
	if err != nil {
		return usageError{err.Error()}
	}
	if _, err := engine.Tell(dir, &engine.Command{Name: "status"}); err != nil {
		return err // no crawl would accept them
	}
	listener, err := at.Listen()
	if err != nil {
		return err
	}
	ctx, stop := p.interruptible(nil)
	defer stop()
	fmt.Fprintf(p.err, "kavosh: submit seeds at %s/ping; Ctrl-C ends it\n", listener.URL())
	server := listener.Server(pingHandler(func(cmd *engine.Command) (engine.Reply, error) { return engine.Tell(dir, cmd) }, time.Now), 16<<10)
	server.ReadTimeout, server.WriteTimeout = 10*time.Second, 2*time.Minute
	context.AfterFunc(ctx, func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), pingGoodbye)
		defer cancel()
		_ = server.Shutdown(ctx) // requests that are still open end with the process
	})
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// pingHandler answers POST /ping by telling the crawl, and GET of any path with a form.
func pingHandler(tell func(*engine.Command) (engine.Reply, error), now func() time.Time) http.Handler {
	var recent struct {
		sync.Mutex
		minute time.Time
		taken  int
	}
	busy := func() bool {
		recent.Lock()
		defer recent.Unlock()
		if t := now(); t.Sub(recent.minute) >= time.Minute {
			recent.minute, recent.taken = t, 0
		}
		recent.taken++
		return recent.taken > pingsAMinute
	}
	turns := make(chan struct{}, pingsAtOnce)
	mux := http.NewServeMux()
	mux.HandleFunc("POST /ping", func(w http.ResponseWriter, r *http.Request) {
		if busy() {
			w.Header().Set("Retry-After", "60")
			http.Error(w, "too many pings in this minute: come back in the next", http.StatusTooManyRequests)
			return
		}
		turns <- struct{}{}
		defer func() { <-turns }()
		r.Body = http.MaxBytesReader(w, r.Body, maxPing)
		urls, rpc, err := pinged(r)
		var reply engine.Reply
		status := http.StatusBadRequest
		if err == nil {
			from, _, _ := net.SplitHostPort(r.RemoteAddr)
			if reply, err = tell(&engine.Command{Name: "submit", Who: "ping from " + from, URLs: urls}); err != nil {
				status = http.StatusServiceUnavailable
			} else if reply.Error != "" {
				err = errors.New(reply.Error)
			}
		}
		switch {
		case rpc:
			answerRPC(w, reply.Text, err)
		case err != nil:
			http.Error(w, err.Error(), status)
		default:
			w.WriteHeader(http.StatusAccepted)
			_, _ = io.WriteString(w, reply.Text+"\n") // the client may be gone already
		}
	})
	mux.HandleFunc("GET /", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Content-Security-Policy", "default-src 'none'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'")
		_, _ = io.WriteString(w, `<!doctype html><html lang="en"><meta name="viewport" content="width=device-width"><title>Kavosh</title>
<form method="post" action="/ping"><p><label>Submit a URL to the crawl<br><span lang="fa" dir="rtl">نشانی‌ای برای خزش پیشنهاد کنید</span><br>
<input name="url" type="url" required size="60" placeholder="https://example.org/about.ttl"></label> <button>OK</button></form></html>`)
	})
	return http.NewCrossOriginProtection().Handler(mux)
}

// pinged returns the URLs that a request submits, as seen-keys. rpc means that the request is XML-RPC.
func pinged(r *http.Request) (urls []string, rpc bool, err error) {
	var texts []string
	switch kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); kind {
	case "text/xml", "application/xml":
		rpc = true
		var call struct {
			Method string `xml:"methodName"`
			Params []struct {
				String string `xml:"string"`
				Plain  string `xml:",chardata"` // the element <string> is optional
			} `xml:"params>param>value"`
		}
		if err := xml.NewDecoder(r.Body).Decode(&call); err != nil {
			return nil, rpc, fmt.Errorf("not to be read: %w", err)
		}
		if call.Method != "weblogUpdates.ping" && call.Method != "weblogUpdates.extendedPing" {
			return nil, rpc, fmt.Errorf("%q is no method that is known here: %s", call.Method, pingFormsHelp)
		}
		if len(call.Params) >= 2 { // the first is the weblog's name
			texts = []string{cmp.Or(call.Params[1].String, call.Params[1].Plain)}
		}
	case "text/plain":
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return nil, rpc, err
		}
		texts = strings.Split(string(body), "\n")
	default:
		if err := r.ParseForm(); err != nil {
			return nil, rpc, err
		}
		texts = r.Form["url"]
	}
	if len(texts) > maxPinged {
		return nil, rpc, fmt.Errorf("more than %d URLs at once", maxPinged)
	}
	err = new(seeds.Reader).Each(strings.NewReader(strings.Join(texts, "\n")), "ping", func(l kavosh.Link) error {
		urls = append(urls, l.URL)
		return nil
	})
	if err == nil && len(urls) == 0 {
		err = errors.New("no URL in it")
	}
	if err != nil {
		return nil, rpc, fmt.Errorf("%w: %s", err, pingFormsHelp)
	}
	return urls, rpc, nil
}

// answerRPC answers weblogUpdates.ping.
func answerRPC(w http.ResponseWriter, text string, err error) {
	failed := "0"
	if err != nil {
		failed, text = "1", err.Error()
	}
	var escaped strings.Builder
	_ = xml.EscapeText(&escaped, []byte(text)) // writing to a Builder never fails
	w.Header().Set("Content-Type", "text/xml; charset=utf-8")
	fmt.Fprintf(w, `<?xml version="1.0"?><methodResponse><params><param><value><struct><member><name>flerror</name><value><boolean>%s</boolean></value></member><member><name>message</name><value>%s</value></member></struct></value></param></params></methodResponse>`, failed, escaped.String())
}
