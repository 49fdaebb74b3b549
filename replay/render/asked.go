package render

// This file notes what a replayed page asks for.

import (
	"slices"
	"strings"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"

	"kavosh"
	"kavosh/lib/weburl"
)

// Bounds on what is noted of one page.
const (
	maxAsked = 5000    // requests
	maxLeaks = 100     // of these, different ones that would leave the archive
	maxURL   = 4 << 10 // bytes of a URL; longer ones are left out
)

// asked has what a page asked for: of the archive by archived URLs, and of the live web.
type asked struct {
	kavosh.Asked
	base string                       // the replay's origin
	urls map[network.RequestID]string // of requests, at most maxAsked
}

// newAsked returns what the page at a path of the replay's origin has asked for: nothing.
func newAsked(base, path string) asked {
	return asked{kavosh.Asked{URL: archived(base + path), URLs: map[string]kavosh.Answered{}}, base, map[network.RequestID]string{}}
}

// note notes a message of the tab.
func (a *asked) note(ev any) {
	switch ev := ev.(type) {
	case *network.EventRequestWillBeSent:
		if _, known := a.urls[ev.RequestID]; known || len(a.urls) == maxAsked || ev.Request == nil || len(ev.Request.URL) > maxURL {
			return // of a part that is redirected, its own URL counts
		}
		a.ask(ev.RequestID, ev.Request.URL, strings.ToLower(string(ev.Type)))
	case *network.EventWebSocketCreated:
		if len(a.urls) < maxAsked && len(ev.URL) <= maxURL {
			a.ask(ev.RequestID, ev.URL, "websocket")
		}
	case *network.EventResponseReceived:
		if url := a.urls[ev.RequestID]; url != "" && ev.Response != nil {
			a.URLs[url] = kavosh.Answered{Status: int(ev.Response.Status), MIME: ev.Response.MimeType, Type: a.URLs[url].Type}
		}
	case *network.EventResponseReceivedExtraInfo: // all that is told of a style or script whose answer has another type
		if url := a.urls[ev.RequestID]; url != "" && a.URLs[url].Status == 0 {
			a.URLs[url] = kavosh.Answered{Status: int(ev.StatusCode), Type: a.URLs[url].Type}
		}
	case *runtime.EventExceptionThrown:
		a.Counts.Errors++
	}
}

// ask notes a request. Those for the replay's own files are nothing of the page.
func (a *asked) ask(id network.RequestID, url, as string) {
	url, _, _ = strings.Cut(url, "#")
	scheme, rest, _ := strings.Cut(url, "://")
	_, here, _ := strings.Cut(a.base, "://")
	switch {
	case !slices.Contains([]string{"http", "https", "ws", "wss"}, scheme):
		a.urls[id] = ""
	case strings.HasPrefix(rest, here+"/"):
		if url = archived(url); strings.HasPrefix(url, a.base) {
			url = ""
		}
		if a.urls[id] = url; url != "" && a.URLs[url].Type == "" {
			a.URLs[url] = kavosh.Answered{Type: as}
		}
	default:
		a.urls[id] = ""
		if u, err := weburl.Parse(url); err == nil && len(a.Leaks) < maxLeaks && !slices.Contains(a.Leaks, u.String()) {
			a.Leaks = append(a.Leaks, u.String())
		}
	}
}
