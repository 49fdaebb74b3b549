package seeds

// This file takes URLs that others submit by HTTP: forms (one or more url=…), plain text with one URL on each line, and
// XML-RPC's weblogUpdates.ping, which blogs send when they have something new.

import (
	"cmp"
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
)

const (
	maxPing       = 64 << 10 // bytes of a ping
	maxPinged     = 100      // URLs of a ping
	pingsAMinute  = 60       // pings that are accepted in a minute
	pingsAtOnce   = 4
	pingFormsHelp = "write url=https://…, a URL a line as text/plain, or weblogUpdates.ping as XML-RPC"
)

// Pings answers POST /ping by submitting its URLs as seeds, and GET of any path with a form. submit is told who asks. It
// returns in words what came of it, and whether they were taken; an error means that nobody takes seeds now.
func Pings(submit func(who string, urls []string) (said string, taken bool, err error), now func() time.Time) http.Handler {
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
		var said string
		status := http.StatusBadRequest
		if err == nil {
			var taken bool
			from, _, _ := net.SplitHostPort(r.RemoteAddr)
			if said, taken, err = submit("ping from "+from, urls); err != nil {
				status = http.StatusServiceUnavailable
			} else if !taken {
				err = errors.New(said)
			}
		}
		switch {
		case rpc:
			answerRPC(w, said, err)
		case err != nil:
			http.Error(w, err.Error(), status)
		default:
			w.WriteHeader(http.StatusAccepted)
			_, _ = io.WriteString(w, said+"\n") // the client may be gone already
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
	err = new(Reader).Each(strings.NewReader(strings.Join(texts, "\n")), "ping", func(l kavosh.Link) error {
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
