package scriptlinks

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/storage"
	"github.com/chromedp/chromedp"

	"kavosh/internal/chromium"
)

// Ref is one URL that a page requested or has in its DOM.
type Ref struct {
	URL string // as Chromium serialises it, without fragment; http and https only
	How string // "request script", "request image", …; "dom a[href]", "dom img[srcset]", …
}

const (
	quiet    = 250 * time.Millisecond  // a page without requests for this long after load is at rest
	silence  = 1500 * time.Millisecond // without any message for this long, requests in progress will not be reported (a worker's script)
	patience = 8 * time.Second         // a page that never rests is used as it is by then
)

// Browser is a headless Chromium that can reach only the loopback interface.
type Browser struct{ *chromium.Browser }

// Start starts Chromium. Close ends it.
func Start(ctx context.Context) (*Browser, error) {
	b, err := chromium.Start(ctx, chromium.Options{})
	return &Browser{b}, err
}

// Tab is one tab of the browser. It loads one page at a time.
type Tab struct {
	ctx    context.Context
	cancel context.CancelFunc
	main   cdp.FrameID

	mu struct {
		sync.Mutex
		origin   string // of the page being loaded
		paused   bool   // the main frame's first document request was allowed; a second one leaves the page
		loaded   bool
		left     string // the address that the page tried to go to
		inflight map[network.RequestID]bool
		requests []*network.EventRequestWillBeSent
		refs     []Ref
		changed  time.Time // last time a request began or ended
	}
}

// NewTab opens a tab.
func (b *Browser) NewTab() (*Tab, error) {
	ctx, cancel, err := b.Tab("")
	if err != nil {
		return nil, err
	}
	t := &Tab{ctx: ctx, cancel: cancel}
	t.main = cdp.FrameID(chromedp.FromContext(ctx).Target.TargetID)
	t.mu.inflight = map[network.RequestID]bool{}
	if err := chromedp.Listen(ctx, t.event); err != nil {
		cancel()
		return nil, err
	}
	_, err = chromedp.Call(ctx, network.Enable, network.EnableParams{})
	if err == nil {
		_, err = chromedp.Call(ctx, network.SetCacheDisabled, network.SetCacheDisabledParams{CacheDisabled: true})
	}
	if err == nil {
		// A page that navigates away by itself is held at that request, so that its DOM can still be read.
		_, err = chromedp.Call(ctx, fetch.Enable,
			fetch.EnableParams{Patterns: []*fetch.RequestPattern{{ResourceType: network.ResourceTypeDocument}}})
	}
	if err == nil {
		_, err = chromedp.Call(ctx, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{
			Source: "window.alert = window.confirm = window.prompt = window.print = () => null;",
		})
	}
	if err != nil {
		cancel()
		return nil, err
	}
	return t, nil
}

// Close closes the tab.
func (t *Tab) Close() { t.cancel() }

// event runs in the loop that reads the tab's messages: it only takes notes.
func (t *Tab) event(ev any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch ev := ev.(type) {
	case *network.EventRequestWillBeSent:
		t.mu.requests = append(t.mu.requests, ev)
		if strings.HasPrefix(ev.Request.URL, t.mu.origin+"/") { // responses from elsewhere never come
			t.mu.inflight[ev.RequestID] = true
			t.mu.changed = time.Now()
		}
	case *network.EventLoadingFinished:
		delete(t.mu.inflight, ev.RequestID)
		t.mu.changed = time.Now()
	case *network.EventLoadingFailed:
		delete(t.mu.inflight, ev.RequestID)
		t.mu.changed = time.Now()
	case *page.EventLoadEventFired:
		t.mu.loaded = true
		t.mu.changed = time.Now()
	case *fetch.EventRequestPaused:
		leave := ev.FrameID == t.main && ev.RedirectedRequestID == "" && t.mu.paused
		t.mu.paused = t.mu.paused || ev.FrameID == t.main
		go func() {
			if leave {
				chromedp.Call(t.ctx, fetch.FailRequest, fetch.FailRequestParams{RequestID: ev.RequestID, ErrorReason: network.ErrorReasonAborted})
			} else {
				chromedp.Call(t.ctx, fetch.ContinueRequest, fetch.ContinueRequestParams{RequestID: ev.RequestID})
			}
		}()
	}
}

// noteRequests notes the requests of the page that loader loaded. The page before it may have made more.
func (t *Tab) noteRequests(loader cdp.LoaderID) {
	began := false // the page's own document was requested
	for _, ev := range t.mu.requests {
		document := ev.Type == network.ResourceTypeDocument
		if ev.FrameID == t.main && document && !began {
			began = ev.LoaderID == loader
			continue
		}
		// Of another frame only its document counts: what it loads belongs to that page.
		ours := document || ev.FrameID == t.main && (ev.LoaderID == loader || ev.LoaderID == "")
		if !began || !ours {
			continue
		}
		t.note("request "+strings.ToLower(ev.Type.String()), ev.Request.URL)
		if ev.FrameID == t.main && document && ev.RedirectResponse == nil {
			t.mu.left = ev.Request.URL
		}
	}
}

func (t *Tab) note(how, url string) {
	if !strings.HasPrefix(url, "http://") && !strings.HasPrefix(url, "https://") {
		return
	}
	url, _, _ = strings.Cut(url, "#")
	if url == t.mu.origin+"/favicon.ico" {
		return // the browser's own request
	}
	t.mu.refs = append(t.mu.refs, Ref{URL: url, How: how})
}

func (t *Tab) resting() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	still := time.Since(t.mu.changed)
	return t.mu.loaded && (still > silence || still > quiet && len(t.mu.inflight) == 0)
}

// Load opens url, waits until the page is at rest, and returns its requests and the URLs in its DOM. Without scripts,
// that is what static HTML and CSS contain.
func (t *Tab) Load(url string, scripts bool) ([]Ref, error) {
	t.mu.Lock()
	t.mu.paused, t.mu.loaded, t.mu.requests, t.mu.refs, t.mu.origin, t.mu.left = false, false, nil, nil, origin(url), ""
	clear(t.mu.inflight)
	t.mu.Unlock()

	_, err := chromedp.Call(t.ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: !scripts})
	if err == nil {
		_, err = chromedp.Call(t.ctx, storage.ClearDataForOrigin, storage.ClearDataForOriginParams{Origin: origin(url), StorageTypes: "all"})
	}
	var navigated page.NavigateResult
	if err == nil {
		navigated, err = chromedp.Call(t.ctx, page.Navigate, page.NavigateParams{URL: url})
	}
	if err != nil {
		return nil, fmt.Errorf("load %s: %w", url, err)
	}
	deadline := time.After(patience)
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
wait:
	for !t.resting() {
		select {
		case <-tick.C:
		case <-deadline:
			break wait
		}
	}
	dom, err := chromedp.Run(t.ctx, chromedp.Evaluate[[][2]string](collect))
	if err != nil {
		return nil, fmt.Errorf("read the DOM of %s: %w", url, err)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.noteRequests(navigated.LoaderID)
	for _, d := range dom {
		t.note("dom "+d[0], d[1])
	}
	return t.mu.refs, nil
}

// Left returns the address that the last page tried to go to; "" if it stayed.
func (t *Tab) Left() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	left, _, _ := strings.Cut(t.mu.left, "#")
	return left
}

func origin(url string) string {
	rest := strings.TrimPrefix(url, "http://")
	host, _, _ := strings.Cut(rest, "/")
	return "http://" + host
}

// collect runs in the page and returns every URL in its DOM, with open shadow roots and templates, resolved.
const collect = `(() => {
  const out = [], svg = 'http://www.w3.org/1999/xlink', html = 'http://www.w3.org/1999/xhtml';
  const add = (how, raw) => {
    if (typeof raw !== 'string' || !raw.trim()) return;
    try { const u = new URL(raw, document.baseURI); u.hash = ''; out.push([how, u.href]); } catch {}
  };
  const srcset = (how, s) => {
    for (let i = 0; i < s.length;) {
      while (i < s.length && /[\s,]/.test(s[i])) i++;
      let b = i;
      while (i < s.length && !/\s/.test(s[i])) i++;
      let u = s.slice(b, i);
      if (u.endsWith(',')) { add(how, u.replace(/,+$/, '')); continue; }
      if (u) add(how, u);
      for (let deep = 0; i < s.length && (s[i] != ',' || deep); i++) deep += s[i] == '(' ? 1 : s[i] == ')' && deep ? -1 : 0;
    }
  };
  const known = {href: 1, src: 1, data: 'object', poster: 'video', background: 1, action: 'form', formaction: 1, longdesc: 'img', cite: 1};
  const walk = root => {
    for (const e of root.querySelectorAll('*')) {
      const tag = e.localName;
      if (e.content instanceof DocumentFragment) walk(e.content);
      if (e.shadowRoot) walk(e.shadowRoot);
      if (tag == 'base') continue;
      if (tag == 'link' && /^(dns-prefetch|preconnect)$/i.test(e.rel)) continue;
      for (const name in known) {
        if (!e.hasAttribute(name) || (known[name] !== 1 && known[name] != tag)) continue;
        if (name == 'action' && (e.getAttribute('method') || 'get').toLowerCase() == 'post') continue;
        if (name == 'src' && tag == 'input' && e.type != 'image') continue;
        if (/^(href|src)$/.test(name) && e.namespaceURI == html && !(name in e)) continue; // <div href> means nothing
        const how = tag + '[' + name + ']', live = e[name];
        add(how, typeof live === 'string' && name != 'action' ? live : e.getAttribute(name));
      }
      const x = e.getAttributeNS(svg, 'href');
      if (x) add(tag + '[xlink:href]', x);
      for (const name of ['srcset', 'imagesrcset'])
        if (e.hasAttribute(name)) srcset(tag + '[' + name + ']', e.getAttribute(name));
    }
  };
  walk(document);
  return out;
})()`
