package replay

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/png"
	"strings"
	"sync"
	"time"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"kavosh/internal/chromium"
)

// quiet is how long a page must make no request after load to count as at rest.
const quiet = 150 * time.Millisecond

// Viewport is the size of the pictures.
var Viewport = image.Point{X: 1280, Y: 1024}

// Browser is a headless Chromium that can reach only this machine.
type Browser struct{ *chromium.Browser }

// Start starts Chromium. Close ends it.
func Start(ctx context.Context) (*Browser, error) {
	b, err := chromium.Start(ctx, chromium.Options{Window: Viewport, Windows: true})
	return &Browser{b}, err
}

// Request is one request that a page made.
type Request struct {
	URL     string
	Status  int    // of the last response; 0 if none
	Blocked string // why the browser did not send it, such as "csp"; else ""
	Failed  string // how it failed; else ""
}

// Load is a page as the browser loaded it.
type Load struct {
	Requests []Request // in order; only http and https
	Picture  image.Image
	Title    string
	Text     string // visible text of the body
}

// Tab is one tab of the browser. It loads one page at a time.
type Tab struct {
	Patience time.Duration // a page that is not at rest by then is used as it is

	ctx    context.Context
	cancel context.CancelFunc

	mu struct {
		sync.Mutex
		loaded   bool
		requests []*Request
		byID     map[network.RequestID]*Request
		flying   map[network.RequestID]bool
		changed  time.Time // last time a request began or ended
	}
}

// NewTab opens a tab.
func (b *Browser) NewTab() (*Tab, error) {
	ctx, cancel, err := b.Tab("")
	if err != nil {
		return nil, err
	}
	t := &Tab{Patience: 15 * time.Second, ctx: ctx, cancel: cancel}
	err = chromedp.Listen(ctx, t.event)
	if err == nil {
		_, err = chromedp.Call(ctx, network.Enable, network.EnableParams{})
	}
	if err == nil {
		_, err = chromedp.Call(ctx, network.SetCacheDisabled, network.SetCacheDisabledParams{CacheDisabled: true})
	}
	if err != nil {
		cancel()
		return nil, err
	}
	return t, nil
}

// Before makes a script run in every page before the page's own.
func (t *Tab) Before(script string) error {
	_, err := chromedp.Call(t.ctx, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: script})
	return err
}

// Asked returns the requests that the page has made so far, including those of scripts after it came to rest.
func (t *Tab) Asked() []Request {
	t.mu.Lock()
	defer t.mu.Unlock()
	var all []Request
	for _, r := range t.mu.requests {
		all = append(all, *r)
	}
	return all
}

// Close closes the tab.
func (t *Tab) Close() { t.cancel() }

// event runs in the loop that reads the tab's messages: it only takes notes.
func (t *Tab) event(ev any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch ev := ev.(type) {
	case *network.EventRequestWillBeSent:
		if !strings.HasPrefix(ev.Request.URL, "http") {
			return
		}
		if old := t.mu.byID[ev.RequestID]; old != nil && ev.RedirectResponse != nil {
			old.Status = int(ev.RedirectResponse.Status)
		}
		r := &Request{URL: ev.Request.URL}
		t.mu.requests = append(t.mu.requests, r)
		t.mu.byID[ev.RequestID], t.mu.flying[ev.RequestID] = r, true
		t.mu.changed = time.Now()
	case *network.EventResponseReceived:
		if r := t.mu.byID[ev.RequestID]; r != nil {
			r.Status = int(ev.Response.Status)
		}
	case *network.EventLoadingFinished:
		delete(t.mu.flying, ev.RequestID)
		t.mu.changed = time.Now()
	case *network.EventLoadingFailed:
		if r := t.mu.byID[ev.RequestID]; r != nil {
			r.Failed, r.Blocked = ev.ErrorText, string(ev.BlockedReason)
		}
		delete(t.mu.flying, ev.RequestID)
		t.mu.changed = time.Now()
	case *page.EventLoadEventFired:
		t.mu.loaded = true
		t.mu.changed = time.Now()
	}
}

func (t *Tab) resting() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.mu.loaded && len(t.mu.flying) == 0 && time.Since(t.mu.changed) > quiet
}

// Open loads url and waits until the page is at rest.
func (t *Tab) Open(url string) (*Load, error) {
	t.mu.Lock()
	t.mu.loaded, t.mu.requests, t.mu.changed = false, nil, time.Now()
	t.mu.byID, t.mu.flying = map[network.RequestID]*Request{}, map[network.RequestID]bool{}
	t.mu.Unlock()
	if _, err := chromedp.Call(t.ctx, page.Navigate, page.NavigateParams{URL: url}); err != nil {
		return nil, fmt.Errorf("load %s: %w", url, err)
	}
	deadline := time.After(t.Patience)
	tick := time.NewTicker(25 * time.Millisecond)
	defer tick.Stop()
wait:
	for !t.resting() {
		select {
		case <-tick.C:
		case <-deadline:
			break wait
		}
	}
	l := &Load{}
	data, err := chromedp.Run(t.ctx, chromedp.CaptureScreenshot())
	if err != nil {
		return nil, fmt.Errorf("picture of %s: %w", url, err)
	}
	if l.Picture, err = png.Decode(bytes.NewReader(data)); err != nil {
		return nil, err
	}
	seen, err := chromedp.Run(t.ctx, chromedp.Evaluate[[]string](`[document.title, document.body ? document.body.innerText : ""]`))
	if err == nil && len(seen) == 2 {
		l.Title, l.Text = seen[0], seen[1]
	}
	l.Requests = t.Asked()
	return l, nil
}

// Do evaluates a script in the current page and returns its value as text, after the page is at rest again.
func (t *Tab) Do(script string) (string, error) {
	return chromedp.Run(t.ctx, chromedp.Evaluate[string](script, chromedp.EvalAwaitPromise))
}
