package browser

import (
	"context"
	"crypto/rand"
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
)

// Times that a page is given, within maxTime.
const (
	opening  = 20 * time.Second // for a tab to open; after it the browser is killed
	closing  = 10 * time.Second // for a tab to close; after it the browser is killed, too
	patience = 5 * time.Second  // for a script of ours to answer
	polling  = 25 * time.Second // for a page to be at rest; then behaviours act all the same
)

// Loaded is the result of loading a page.
type Loaded struct {
	HTML    string         // the final document; "" if it could not be read
	Left    []string       // addresses that the page tried to go to by itself, or to open in another window; at most maxLeft
	Seen    []Seen         // addresses that it showed while behaviours acted, also those that it no longer shows; at most 5,000
	Acts    map[string]int // how often each behaviour acted, by its name; nil if none was to
	Sockets []Socket       // WebSockets that it asked for, and their frames
	Notes   []string       // what was refused, and why the page ended, one line each

	Renderings []kavosh.Rendering // what Options.Render asks for, as far as it could be made; Notes say what could not
	Errors     int                // errors of the page's scripts that nothing caught
}

// Load loads the page at url and returns when it is at rest, at the latest after maxTime. ask answers its requests, the
// one for url first. The page may load itself again so often as reloads says, as a wall does when it lets a browser in; it
// may go nowhere else. A page whose Chromium ends, or that does not answer until its time is over, is loaded once more, alone
// in another Chromium, as a page beside it may have been the cause. If ctx ends, Load returns ctx's error. Any other error is ours, for instance if Chromium does not start.
// What the page itself does wrong is in Loaded.
func (b *Browser) Load(ctx context.Context, url string, reloads int, ask Asker) (*Loaded, error) {
	first, lost, err := b.loadOnce(ctx, url, reloads, false, ask)
	if err != nil || !lost {
		return first, err
	}
	again, _, err := b.loadOnce(ctx, url, 0, true, ask) // it does not load itself again, since a wall must not be asked more often than it may
	if err != nil {
		return nil, err
	}
	again.Notes = append(first.Notes, again.Notes...)
	return again, nil
}

// loadOnce loads the page. lost means that it could not be read, perhaps by no fault of its own.
func (b *Browser) loadOnce(ctx context.Context, url string, reloads int, alone bool, ask Asker) (loaded *Loaded, lost bool, err error) {
	process, err := b.pool.take(ctx, alone)
	if err != nil {
		return nil, false, err
	}
	defer b.pool.put(process)
	limit := maxTime
	if alone {
		limit = aloneTime
	}
	ended, end := context.WithCancel(ctx) // stops requests that the page leaves behind
	defer end()
	l := &load{b: b, url: url, limit: limit, name: rand.Text(), process: process, crashed: make(chan struct{})}
	l.mu.reloads, l.mu.asked, l.mu.under = reloads, map[[32]byte]bool{}, map[network.RequestID]bool{}
	p, err := newProxy(ended, b.o.Clock, b.authority, l.forbid(ask))
	if err != nil {
		return nil, false, err
	}
	l.proxy = p
	l.run(ended)
	p.close()
	l.loaded.Sockets = p.sockets()
	for _, why := range slices.Sorted(maps.Keys(p.mu.refused)) { // no more requests come, so no lock is needed
		l.note(fmt.Sprintf("browser: %d requests %s refused", p.mu.refused[why], why))
	}
	if l.mu.more {
		l.note(fmt.Sprintf("browser: more than %d addresses that the page would go to or open, the rest is left out", maxLeft))
	}
	return &l.loaded, l.mu.lost, ctx.Err()
}

// load is one page being loaded.
type load struct {
	b       *Browser
	url     string
	limit   time.Duration // that the page has
	name    string        // of the function that tells the page's timers
	proxy   *proxy
	process *process
	crashed chan struct{}

	loggedIn bool // the page has a person's login

	mu struct {
		sync.Mutex
		main     cdp.FrameID
		began    bool                       // the page's own document was requested
		reloads  int                        // how often it may be requested again
		reloaded bool                       // it was
		loaded   time.Time                  // time of the load event; zero before
		asked    map[[32]byte]bool          // hashes of the different requests, at most maxRequests
		under    map[network.RequestID]bool // requests whose answer the page does not have yet, at most maxRequests
		behaving bool                       // behaviours act, or did
		dead     bool
		more     bool // it tried to go to more than maxLeft addresses
		lost     bool // it could not be read, perhaps by no fault of its own
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

// lose notes that the page was lost, perhaps by no fault of its own.
func (l *load) lose(text string) {
	l.note(text)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.mu.lost = true
}

// run controls the page from opening to end.
func (l *load) run(ctx context.Context) {
	within, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		if l.b.o.Clock.Sleep(within, l.limit) == nil {
			l.note(fmt.Sprintf("browser: not at rest after %v", l.limit))
			cancel()
		}
	}()
	go func() {
		select {
		case <-l.process.Gone():
			l.lose("browser: Chromium ended")
			cancel()
		case <-l.crashed:
			l.note(l.b.pool.whyCrashed(l.process))
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
	late := time.NewTimer(opening)
	defer late.Stop()
	select {
	case err := <-opened:
		if err != nil {
			l.lose("browser: " + err.Error())
			return
		}
	case <-late.C: // a tab opens at once or never
		l.b.pool.end(l.process)
		<-opened
		l.lose("browser: Chromium did not respond")
		if closeTab != nil {
			closeTab()
		}
		return
	case <-within.Done():
		l.b.pool.end(l.process)
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
	if err := l.logIn(tab); err != nil {
		l.note("browser: " + err.Error())
		return
	}
	go chromedp.Call(tab, page.Navigate, page.NavigateParams{URL: l.url}) // returns with the first bytes, or when the tab ends
	calm, cancelCalm := context.WithTimeout(within, polling)
	defer cancelCalm()
	if l.rest(calm, tab) || l.polls(within) {
		l.behave(within, tab)
		l.rest(within, tab)
	}
	if !l.over() {
		l.read(ctx, tab)
		l.render(ctx, tab)
		l.keepLogin(ctx, tab)
	}
}

// polls reports whether the page has loaded and goes on asking, as with requests that are answered when something happens.
func (l *load) polls(within context.Context) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return within.Err() == nil && !l.mu.loaded.IsZero() && !l.mu.dead
}

// over reports whether the page is no more.
func (l *load) over() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.mu.dead || l.process.gone()
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
		l.b.pool.end(l.process)
		<-closed
	}
}

// tameScript runs in every frame before its own scripts. It answers dialogs.
const tameScript = `for (const name of ['alert', 'confirm', 'prompt', 'print']) try { window[name] = () => null } catch {}`

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
		_, err = chromedp.Call(tab, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: tameScript + "\n" + l.script()})
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
	case *page.EventWindowOpen: // which Chromium refuses
		l.leave(ev.URL)
	case *page.EventJavascriptDialogOpening: // as when a page is left
		go chromedp.Call(tab, page.HandleJavaScriptDialog, page.HandleJavaScriptDialogParams{Accept: false})
	case *inspector.EventTargetCrashed:
		if !l.mu.dead {
			l.mu.dead = true
			close(l.crashed)
		}
	case *runtime.EventExceptionThrown:
		l.loaded.Errors++
	case *network.EventRequestWillBeSent:
		if l.tellsEnd(ev) && len(l.mu.under) < maxRequests {
			l.mu.under[ev.RequestID] = true
		}
	case *network.EventLoadingFinished:
		delete(l.mu.under, ev.RequestID)
	case *network.EventLoadingFailed:
		delete(l.mu.under, ev.RequestID)
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
			if !form {
				l.leave(ev.Request.URL)
			}
			if l.mu.loaded.IsZero() { // no load event comes: the page stays as it is
				l.mu.loaded = l.b.o.Clock.Now()
			}
			go chromedp.Call(tab, fetch.FailRequest, fetch.FailRequestParams{RequestID: ev.RequestID, ErrorReason: network.ErrorReasonAborted})
			return
		}
		go chromedp.Call(tab, fetch.ContinueRequest, fetch.ContinueRequestParams{RequestID: ev.RequestID})
	}
}

// tellsEnd reports whether the tab is told when a request has ended. Of a ping nobody is, a stream of events has no end, and
// that of a frame of another site, or of a worker, is told to these alone. l.mu is held.
func (l *load) tellsEnd(ev *network.EventRequestWillBeSent) bool {
	switch ev.Type {
	case network.ResourceTypePing, network.ResourceTypeEventSource:
		return false
	case network.ResourceTypeDocument:
		return ev.FrameID == l.mu.main
	}
	return ev.LoaderID != "" // else it is of a worker
}

// leave notes an address that the page tried to go to, unless behaviours led it to what they must not ask for. l.mu is held.
func (l *load) leave(url string) {
	switch {
	case l.mu.behaving && l.b.o.Behaviours.Forbids(url), slices.Contains(l.loaded.Left, url):
	case len(l.loaded.Left) < maxLeft:
		l.loaded.Left = append(l.loaded.Left, url)
	default:
		l.mu.more = true
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
		l.lose("browser: the document could not be read: " + err.Error())
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.loaded.HTML = html
}
