package browser

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"sync"
	"time"

	cdpbrowser "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/cdproto/inspector"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"kavosh"
	"kavosh/internal/chromium"
)

// Times that a page is given, within maxTime.
const (
	quiet    = 500 * time.Millisecond // a page without requests for this long is at rest
	settle   = 3 * time.Second        // after the load event, for timers
	working  = 10 * time.Second       // after the load event of a page that may load itself again, until it has
	tick     = 50 * time.Millisecond
	closing  = 10 * time.Second // for a tab to close; after it the browser is killed
	patience = 5 * time.Second  // for a script of ours to answer
)

// Loaded is the result of loading a page.
type Loaded struct {
	HTML  string         // the final document; "" if it could not be read
	Left  []string       // addresses that the page tried to go to by itself
	Seen  []Seen         // addresses that it showed while behaviours acted, also those that it no longer shows; at most 5,000
	Acts  map[string]int // how often each behaviour acted, by its name; nil if none was to
	Notes []string       // what was refused, and why the page ended, one line each

	Renderings []kavosh.Rendering // what Options.Render asks for, as far as it could be made; Notes say what could not
	Errors     int                // errors of the page's scripts that nothing caught
}

// Load loads the page at url and returns when it is at rest, at the latest after maxTime. ask answers its requests, the
// one for url first. The page may load itself again so often as reloads says, as a wall does when it lets a browser in; it
// may go nowhere else. If ctx ends, Load returns ctx's error. Any other error is ours, for instance if Chromium does not
// start. What the page itself does wrong is in Loaded.
func (b *Browser) Load(ctx context.Context, url string, reloads int, ask Asker) (*Loaded, error) {
	select {
	case <-b.free:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { b.free <- struct{}{} }()
	process, err := b.process()
	if err != nil {
		return nil, err
	}
	ended, end := context.WithCancel(ctx) // stops requests that the page leaves behind
	defer end()
	l := &load{b: b, url: url, process: process, crashed: make(chan struct{})}
	l.mu.reloads = reloads
	p, err := newProxy(ended, b.o.Clock, b.authority, l.forbid(ask))
	if err != nil {
		return nil, err
	}
	defer p.close()
	l.proxy = p
	l.run(ended)
	for _, why := range slices.Sorted(maps.Keys(p.mu.refused)) { // no more requests come, so no lock is needed
		l.note(fmt.Sprintf("browser: %d requests %s refused", p.mu.refused[why], why))
	}
	return &l.loaded, ctx.Err()
}

// load is one page being loaded.
type load struct {
	b       *Browser
	url     string
	proxy   *proxy
	process *chromium.Browser
	crashed chan struct{}

	mu struct {
		sync.Mutex
		main     cdp.FrameID
		began    bool      // the page's own document was requested
		reloads  int       // how often it may be requested again
		reloaded bool      // it was
		loaded   time.Time // time of the load event; zero before
		behaving bool      // behaviours act, or did
		dead     bool
	}
	loaded Loaded // guarded by mu until run returns
}

func (l *load) note(text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.loaded.Notes) < 20 {
		l.loaded.Notes = append(l.loaded.Notes, text)
	}
}

// run controls the page from opening to end.
func (l *load) run(ctx context.Context) {
	within, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		if l.b.o.Clock.Sleep(within, maxTime) == nil {
			l.note(fmt.Sprintf("browser: not at rest after %v", maxTime))
			cancel()
		}
	}()
	go func() {
		select {
		case <-l.process.Gone():
			l.note("browser: Chromium ended")
			cancel()
		case <-l.crashed:
			l.note("browser: the page crashed")
			cancel()
		case <-within.Done():
		}
	}()
	opened := make(chan error, 1)
	var tab context.Context
	var closeTab context.CancelFunc
	go func() {
		var err error
		tab, closeTab, err = l.process.Tab(l.proxy.address())
		opened <- err
	}()
	select {
	case err := <-opened:
		if err != nil {
			l.note("browser: " + err.Error())
			return
		}
	case <-within.Done():
		l.b.kill(l.process) // a tab opens at once or never
		<-opened
		if closeTab != nil {
			closeTab()
		}
		return
	}
	defer l.close(closeTab)
	stop := context.AfterFunc(within, func() { l.silence(tab) })
	defer stop()
	if err := l.prepare(tab); err != nil {
		l.note("browser: " + err.Error())
		return
	}
	go chromedp.Call(tab, page.Navigate, page.NavigateParams{URL: l.url}) // returns with the first bytes, or when the tab ends
	if l.rest(within) {
		l.behave(within, tab)
		l.rest(within)
	}
	l.read(ctx, tab)
	l.render(ctx, tab)
}

// silence stops what a page still does after its time.
func (l *load) silence(tab context.Context) {
	ctx, cancel := context.WithTimeout(tab, patience)
	defer cancel()
	chromedp.Call(ctx, page.StopLoading, cdp.Empty{})
}

// close closes the tab, or the whole browser if the tab does not close.
func (l *load) close(closeTab context.CancelFunc) {
	closed := make(chan struct{})
	go func() {
		closeTab()
		close(closed)
	}()
	timer := time.NewTimer(closing)
	defer timer.Stop()
	select {
	case <-closed:
	case <-timer.C:
		l.b.kill(l.process)
		<-closed
	}
}

// tameScript runs in every frame before its own scripts. It answers dialogs and prevents new windows.
const tameScript = `for (const name of ['alert', 'confirm', 'prompt', 'print', 'open']) try { window[name] = () => null } catch {}`

// prepare sets up a new tab.
func (l *load) prepare(tab context.Context) error {
	l.mu.main = cdp.FrameID(chromedp.FromContext(tab).Target.TargetID)
	if err := chromedp.Listen(tab, func(ev any) { l.event(tab, ev) }); err != nil {
		return err
	}
	_, err := chromedp.Call(tab, network.Enable, network.EnableParams{})
	if err == nil {
		_, err = chromedp.Call(tab, network.SetBypassServiceWorker, network.SetBypassServiceWorkerParams{Bypass: true})
	}
	if err == nil {
		_, err = chromedp.Call(tab, page.Enable, page.EnableParams{})
	}
	if err == nil {
		_, err = chromedp.Call(tab, inspector.Enable, cdp.Empty{})
	}
	if err == nil { // holds a page that navigates away by itself, so that its document can be read
		_, err = chromedp.Call(tab, fetch.Enable,
			fetch.EnableParams{Patterns: []*fetch.RequestPattern{{ResourceType: network.ResourceTypeDocument}}})
	}
	if err == nil {
		_, err = chromedp.Call(tab, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: tameScript})
	}
	id := chromedp.FromContext(tab).BrowserContextID
	for _, name := range []string{"local-network-access", "local-network", "loopback-network"} {
		// There is nobody to ask for permission, and the crawl decides which addresses are reached. Not every Chromium knows
		// these permissions, so errors are ignored.
		_, _ = chromedp.CallBrowser(tab, cdpbrowser.SetPermission, cdpbrowser.SetPermissionParams{
			Permission: &cdpbrowser.PermissionDescriptor{Name: name}, Setting: cdpbrowser.PermissionSettingGranted, BrowserContextID: id,
		})
	}
	return err
}

// event handles a message of the tab. The loop that reads them calls it, so it only takes notes.
func (l *load) event(tab context.Context, ev any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch ev := ev.(type) {
	case *page.EventLoadEventFired:
		if l.mu.loaded.IsZero() {
			l.mu.loaded = l.b.o.Clock.Now()
		}
	case *page.EventJavascriptDialogOpening: // as when a page is left
		go chromedp.Call(tab, page.HandleJavaScriptDialog, page.HandleJavaScriptDialogParams{Accept: false})
	case *inspector.EventTargetCrashed:
		if !l.mu.dead {
			l.mu.dead = true
			close(l.crashed)
		}
	case *runtime.EventExceptionThrown:
		l.loaded.Errors++
	case *fetch.EventRequestPaused:
		leave := ev.FrameID == l.mu.main && l.mu.began && (ev.RedirectedRequestID == "" || l.mu.reloaded)
		if leave && l.mu.reloads > 0 && ev.Request.URL == l.url && ev.Request.Method == http.MethodGet {
			l.mu.reloads--
			l.mu.reloaded, l.mu.loaded = true, time.Time{}
			leave = false
		}
		l.mu.began = l.mu.began || ev.FrameID == l.mu.main
		form := l.mu.behaving && ev.Request.Method != http.MethodGet
		if leave || form {
			if len(l.loaded.Left) < 100 && !form && !(l.mu.behaving && l.b.o.Behaviours.Forbids(ev.Request.URL)) {
				l.loaded.Left = append(l.loaded.Left, ev.Request.URL)
			}
			if l.mu.reloaded && l.mu.loaded.IsZero() { // it led elsewhere, and the page stays as it is
				l.mu.loaded = l.b.o.Clock.Now()
			}
			go chromedp.Call(tab, fetch.FailRequest, fetch.FailRequestParams{RequestID: ev.RequestID, ErrorReason: network.ErrorReasonAborted})
			return
		}
		go chromedp.Call(tab, fetch.ContinueRequest, fetch.ContinueRequestParams{RequestID: ev.RequestID})
	}
}

// rest waits until the page has loaded, had its time for timers, and made no request for a moment. It returns false if
// within ends first.
func (l *load) rest(within context.Context) bool {
	for {
		l.mu.Lock()
		loaded, wait := l.mu.loaded, settle
		if l.mu.reloads > 0 && !l.mu.reloaded {
			wait = working
		}
		l.mu.Unlock()
		if !loaded.IsZero() && l.b.o.Clock.Now().Sub(loaded) >= wait && l.proxy.quiet() >= quiet {
			return true
		}
		if l.b.o.Clock.Sleep(within, tick) != nil {
			return false
		}
	}
}

// read reads the current document, also if the page's time is over.
func (l *load) read(ctx, tab context.Context) {
	within, cancel := context.WithTimeout(tab, patience)
	defer cancel()
	stop := context.AfterFunc(ctx, cancel)
	defer stop()
	html, err := chromedp.Run(within, chromedp.Evaluate[string](fmt.Sprintf(`document.documentElement.outerHTML.slice(0, %d)`, maxDOM)))
	if err != nil {
		l.note("browser: the document could not be read: " + err.Error())
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.loaded.HTML = html
}
