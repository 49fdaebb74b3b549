// Package render renders captures: it opens what the replay shows of them in Chromium, and takes pictures, text, the
// document or boxes.
//
// Whatever needs to see a capture asks a [Renderer], by its one method. There is one browser and one rendering at a time;
// the browser starts with the first and ends after a minute without work. It reads the replay through an origin of its
// own on this machine, like a reader from elsewhere: what an access rule closes is not rendered. One capture looks the
// same each time, as far as that is in our hands: window, language, time zone and colours are fixed, each rendering has
// its own cookies and storage, the replay's page script sets the clock to the time of the capture and makes chance the
// same, and animations stand at their end.
package render

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"kavosh"
	"kavosh/internal/chromium"
	"kavosh/internal/chromium/shown"
	"kavosh/internal/knownhosts"
)

// Window is the size of the window in CSS pixels, and ThumbnailScale the size of a thumbnail of it.
var Window = image.Pt(1280, 960)

// ThumbnailScale is how large a thumbnail is beside the window.
const ThumbnailScale = 0.25

// Bounds on a rendering.
const (
	maxLoad = 15 * time.Second // until the page is at rest; then it is rendered as it is
	maxTake = 20 * time.Second // for all that is taken of it
	maxIdle = time.Minute      // how long a browser runs without work
)

// Renderer renders captures. Pages is required. It is safe for concurrent use; Close ends its browser.
type Renderer struct {
	Pages http.Handler // the replay

	opening sync.Once
	failed  error // why nothing can be rendered
	base    string
	server  *http.Server

	turn sync.Mutex // held while a capture is rendered
	mu   struct {
		sync.Mutex
		browser *chromium.Browser // nil while there is none
		idle    *time.Timer
		closed  bool
	}
}

// Works returns nil if captures can be rendered here, otherwise why not.
func (r *Renderer) Works() error {
	r.opening.Do(func() { r.failed = r.open() })
	return r.failed
}

func (r *Renderer) open() error {
	if err := chromium.Check(); err != nil {
		return err
	}
	at, err := knownhosts.ParseAddress("renderings", "127.0.0.1:0", nil)
	if err != nil {
		return err
	}
	l, err := at.Listen()
	if err != nil {
		return err
	}
	r.base, r.server = l.URL(), l.Server(r.Pages, knownhosts.MaxAsked)
	go r.server.Serve(l)
	return nil
}

// Close ends the browser. Renderings in progress fail.
func (r *Renderer) Close() {
	r.opening.Do(func() { r.failed = errors.New("closed") })
	r.mu.Lock()
	r.mu.closed = true
	r.mu.Unlock()
	r.end()
	if r.server != nil {
		r.server.Close()
	}
}

// Render renders the capture at a path of the replay's origin, such as "/web/20240102030405if_/http://a.test/", and
// returns what is asked for, in that order. It waits for its turn. An error says why there is none: the replay shows no
// capture at the path, the page did not answer, or something of it is too large.
func (r *Renderer) Render(ctx context.Context, path string, kinds ...kavosh.RenderingKind) ([]kavosh.Rendering, error) {
	return r.RenderIn(ctx, Window, path, kinds...)
}

// RenderIn renders as Render does, in a window of another size.
func (r *Renderer) RenderIn(ctx context.Context, window image.Point, path string, kinds ...kavosh.RenderingKind) ([]kavosh.Rendering, error) {
	if err := r.Works(); err != nil {
		return nil, err
	}
	r.turn.Lock()
	defer r.turn.Unlock()
	browser, err := r.running()
	if err != nil {
		return nil, err
	}
	made, err := r.render(ctx, browser, window, path, kinds)
	if errors.Is(err, context.DeadlineExceeded) {
		r.end() // it may hang
		err = errors.New("the page does not answer")
	}
	r.rest()
	return made, err
}

// running returns the browser, and starts it if there is none.
func (r *Renderer) running() (*chromium.Browser, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.mu.closed {
		return nil, errors.New("closed")
	}
	if r.mu.idle != nil {
		r.mu.idle.Stop()
	}
	if b := r.mu.browser; b != nil {
		select {
		case <-b.Gone():
			b.Close()
		default:
			return b, nil
		}
	}
	b, err := chromium.Start(context.Background(), chromium.Options{Window: Window})
	r.mu.browser = b
	return b, err
}

// rest ends the browser when nothing more is asked for a while.
func (r *Renderer) rest() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.mu.idle = time.AfterFunc(maxIdle, r.end)
}

func (r *Renderer) end() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.mu.browser != nil {
		r.mu.browser.Close()
		r.mu.browser = nil
	}
}

// settleScript gives scripts a moment after the load event, waits for the fonts, and puts animations to their end, or
// stops those without one.
const settleScript = `(async () => {
  await new Promise(done => setTimeout(done, 1000));
  await document.fonts.ready;
  for (const a of document.getAnimations()) try { a.finish() } catch { a.cancel() }
  scrollTo(0, 0);
  return true;
})()`

// render loads a page in a tab of its own and takes what is asked for.
func (r *Renderer) render(ctx context.Context, browser *chromium.Browser, window image.Point, path string, kinds []kavosh.RenderingKind) ([]kavosh.Rendering, error) {
	tab, closeTab, err := browser.Private()
	if err != nil {
		return nil, err
	}
	defer closeTab()
	defer context.AfterFunc(ctx, closeTab)()
	loading, cancel := context.WithTimeout(tab, maxLoad)
	defer cancel()
	l, err := r.load(loading, tab, window, path)
	if err != nil {
		return nil, cause(ctx, err)
	}
	if !l.memento() {
		return nil, fmt.Errorf("the replay shows no capture there (status %d)", l.status)
	}
	taking, cancel := context.WithTimeout(tab, maxTake)
	defer cancel()
	if _, err := chromedp.Run(taking, chromedp.Evaluate[bool](settleScript, chromedp.EvalAwaitPromise)); err != nil {
		return nil, cause(ctx, err)
	}
	var made []kavosh.Rendering
	for _, kind := range kinds {
		data, err := l.take(taking, kind)
		if err != nil {
			return nil, cause(ctx, fmt.Errorf("%s: %w", kind, err))
		}
		made = append(made, kavosh.Rendering{Kind: kind, Data: data})
	}
	return made, nil
}

func cause(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

// loaded is what came of loading a page.
type loaded struct {
	sync.Mutex
	status int64 // of the document's answer
	shown  bool  // it is a capture, and no page of ours
	asked  asked // what the page asked for
}

func (l *loaded) memento() bool {
	l.Lock()
	defer l.Unlock()
	return l.shown
}

// load opens the page and returns when it has loaded. If that takes longer than ctx, the page stays as it is.
func (r *Renderer) load(ctx, tab context.Context, window image.Point, path string) (*loaded, error) {
	l := &loaded{asked: newAsked(r.base, path)}
	main := string(chromedp.FromContext(tab).Target.TargetID)
	if err := chromedp.Listen(tab, func(ev any) {
		l.Lock()
		defer l.Unlock()
		l.asked.note(ev)
		switch ev := ev.(type) {
		case *network.EventResponseReceived:
			if ev.Type == network.ResourceTypeDocument && string(ev.FrameID) == main && ev.Response != nil {
				l.status, l.shown = ev.Response.Status, false
				for name := range ev.Response.Headers {
					l.shown = l.shown || strings.EqualFold(name, "Memento-Datetime")
				}
			}
		case *page.EventJavascriptDialogOpening:
			go chromedp.Call(tab, page.HandleJavaScriptDialog, page.HandleJavaScriptDialogParams{Accept: false})
		}
	}); err != nil {
		return nil, err
	}
	err := chromedp.Do(ctx, chromedp.EmulateViewport(int64(window.X), int64(window.Y)))
	if err == nil {
		_, err = chromedp.Call(ctx, emulation.SetTimezoneOverride, emulation.SetTimezoneOverrideParams{TimezoneID: "UTC"})
	}
	if err == nil {
		_, err = chromedp.Call(ctx, emulation.SetLocaleOverride, emulation.SetLocaleOverrideParams{Locale: "en-US"})
	}
	if err == nil {
		_, err = chromedp.Call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
			{Name: "prefers-reduced-motion", Value: "reduce"}, {Name: "prefers-color-scheme", Value: "light"}}})
	}
	if err != nil {
		return nil, err
	}
	if err := chromedp.Do(ctx, chromedp.Navigate(r.base+path)); err != nil && ctx.Err() == nil {
		return nil, err
	}
	return l, nil
}

// take takes one rendering of the page in a tab.
func (l *loaded) take(tab context.Context, kind kavosh.RenderingKind) (data []byte, err error) {
	text := ""
	switch kind {
	case kavosh.ViewPicture:
		return shown.View(tab)
	case kavosh.FullPicture:
		data, _, err = shown.Full(tab)
		return data, err
	case kavosh.ThumbnailPicture:
		return shown.Thumbnail(tab, Window, ThumbnailScale)
	case kavosh.RenderedDOM:
		text, _, err = shown.Document(tab)
	case kavosh.RenderedText:
		text, _, err = shown.Text(tab)
	case kavosh.LayoutBoxes:
		layout, err := shown.Boxes(tab)
		if err != nil {
			return nil, err
		}
		for i := range layout.Boxes {
			layout.Boxes[i].Address = archived(layout.Boxes[i].Address)
		}
		return json.Marshal(layout)
	case kavosh.ShownParts:
		parts, err := shown.Parts(tab)
		if err != nil {
			return nil, err
		}
		for i := range parts.Parts {
			parts.Parts[i].URL = archived(parts.Parts[i].URL)
		}
		return json.Marshal(parts)
	case kavosh.PageInfo:
		l.Lock()
		defer l.Unlock()
		return json.Marshal(l.asked.Asked)
	default:
		return nil, errors.New("this is not rendered of captures")
	}
	return []byte(text), err
}

// archived returns the archived URL to which a URL of the replay leads, or the URL itself if it leads elsewhere.
func archived(url string) string {
	_, path, _ := strings.Cut(url, "://")
	parts := strings.SplitN(path, "/", 4) // host, collection, time, URL
	if len(parts) < 4 || !strings.HasPrefix(parts[3], "http") || strings.Trim(parts[2], "0123456789abcdefghijklmnopqrstuvwxyz_~") != "" {
		return url
	}
	return parts[3]
}
