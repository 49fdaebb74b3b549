// Package screen shows a Chromium as a page, so that a person can log in by it on a machine without a screen, and takes
// what the login left in it.
//
// screen.go runs the browser, serve.go serves the page that shows it (page.html, page.js, page.css) to who has the address
// with its token, way.go is the browser's way to the network. Pictures go one way and mouse, keys and texts the other; nothing
// of them is written anywhere.
package screen

import (
	"context"
	"fmt"
	"image"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/storage"
	"github.com/chromedp/chromedp"

	"kavosh"
	"kavosh/internal/chromium"
	"kavosh/lib/weburl"
)

// The size of the browser's window, in CSS pixels.
const (
	width  = 1280
	height = 800
)

// patience is how long the browser may take for one thing.
const patience = 15 * time.Second

// Screen is a browser that a person sees and moves. It is safe for concurrent use.
type Screen struct {
	domains []string // whose cookies and storage are taken
	process *chromium.Browser
	way     *way
	tab     context.Context
	endTab  context.CancelFunc

	mu struct {
		sync.Mutex
		frame  []byte        // the newest picture, JPEG
		frames int           // how many came
		next   chan struct{} // closed when there is a newer one
		url    string        // of the page that is shown
		stored map[string][]kavosh.Stored
	}
}

// Open opens a browser at url. It takes what pages of the domains leave in it. It returns chromium.ErrAbsent if none is
// installed.
func Open(ctx context.Context, url string, domains []string) (s *Screen, err error) {
	s = &Screen{domains: domains}
	s.mu.next, s.mu.stored = make(chan struct{}), map[string][]kavosh.Stored{}
	defer func() {
		if err != nil {
			s.Close()
		}
	}()
	if s.way, err = newWay(); err != nil {
		return s, err
	}
	if s.process, err = chromium.Start(ctx, chromium.Options{Window: image.Pt(width, height)}); err != nil {
		return s, err
	}
	if s.tab, s.endTab, err = s.process.Tab(s.way.address()); err != nil {
		return s, err
	}
	if err = chromedp.Listen(s.tab, s.event); err != nil {
		return s, err
	}
	_, err = chromedp.Call(s.tab, page.Enable, page.EnableParams{})
	if err == nil {
		_, err = chromedp.Call(s.tab, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: oneWindow})
	}
	if err == nil {
		_, err = chromedp.Call(s.tab, page.StartScreencast, page.StartScreencastParams{Format: page.StartScreencastFormatJpeg, MaxWidth: width, MaxHeight: height})
	}
	if err == nil {
		s.Go(url)
	}
	return s, err
}

// oneWindow lets what would open another window open in this one, since no other is shown.
const oneWindow = `window.open = url => { if (url) location.href = url; return null };
addEventListener('click', e => { const a = e.target.closest && e.target.closest('a[target], area[target]'); if (a) a.removeAttribute('target') }, true);
addEventListener('submit', e => e.target.removeAttribute('target'), true);`

// event handles a message of the tab. It is called by the loop that reads them, so that it only takes notes.
func (s *Screen) event(ev any) {
	switch ev := ev.(type) {
	case *page.EventScreencastFrame:
		s.mu.Lock()
		s.mu.frame = ev.Data
		s.mu.frames++
		close(s.mu.next)
		s.mu.next = make(chan struct{})
		s.mu.Unlock()
		go chromedp.Call(s.tab, page.ScreencastFrameAck, page.ScreencastFrameAckParams{SessionID: ev.SessionID})
	case *page.EventFrameNavigated:
		if ev.Frame.ParentID == "" {
			s.mu.Lock()
			s.mu.url = ev.Frame.URL
			s.mu.Unlock()
		}
	case *page.EventLoadEventFired:
		go s.look()
	case *page.EventJavascriptDialogOpening:
		go chromedp.Call(s.tab, page.HandleJavaScriptDialog, page.HandleJavaScriptDialogParams{Accept: true})
	}
}

// Go goes to another page.
func (s *Screen) Go(url string) {
	go chromedp.Call(s.tab, page.Navigate, page.NavigateParams{URL: url})
}

// covers reports whether a host's domain is one whose login is taken.
func (s *Screen) covers(host string) bool {
	return slices.Contains(s.domains, weburl.Domain(strings.Trim(host, "[]")))
}

// look takes the storage of the page that is shown.
func (s *Screen) look() {
	ctx, cancel := context.WithTimeout(s.tab, patience)
	defer cancel()
	text, err := chromedp.Run(ctx, chromedp.Evaluate[string](chromium.StorageScript))
	if err != nil {
		return // a page without storage
	}
	origin, stored, err := chromium.ParseStorage(text)
	if err == nil && origin != "" && s.covers(weburl.Host(origin)) {
		s.mu.Lock()
		s.mu.stored[origin] = stored
		s.mu.Unlock()
	}
}

// Take returns the cookies and the storage that the login left, and the HTML of the page that is shown.
func (s *Screen) Take() (cookies []kavosh.Cookie, stored []kavosh.Stored, html string, err error) {
	s.look()
	ctx, cancel := context.WithTimeout(s.tab, patience)
	defer cancel()
	all, err := chromedp.CallBrowser(ctx, storage.GetCookies, storage.GetCookiesParams{BrowserContextID: chromedp.FromContext(s.tab).BrowserContextID})
	if err != nil {
		return nil, nil, "", fmt.Errorf("the browser does not give its cookies: make the profile once more")
	}
	for _, c := range all.Cookies {
		if cookie := cookieOf(c); s.covers(cookie.Domain) {
			cookies = append(cookies, cookie)
		}
	}
	html, err = chromedp.Run(ctx, chromedp.Evaluate[string](`document.documentElement.outerHTML.slice(0, 8 << 20)`))
	if err != nil {
		html, err = "", nil // it only tells whether the login worked
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, of := range s.mu.stored {
		stored = append(stored, of...)
	}
	slices.SortFunc(stored, func(a, b kavosh.Stored) int { return strings.Compare(a.Origin+a.Key, b.Origin+b.Key) })
	return cookies, stored, html, nil
}

// cookieOf returns a cookie of Chromium.
func cookieOf(c *network.Cookie) kavosh.Cookie {
	domain, below := strings.CutPrefix(c.Domain, ".")
	cookie := kavosh.Cookie{Name: c.Name, Value: c.Value, Domain: domain, HostOnly: !below, Path: c.Path, Secure: c.Secure, HTTPOnly: c.HTTPOnly}
	if !c.Session && c.Expires > 0 {
		cookie.Expires = time.Unix(int64(c.Expires), 0).UTC()
	}
	return cookie
}

// Gone is closed when the browser has ended.
func (s *Screen) Gone() <-chan struct{} { return s.process.Gone() }

// Close ends the browser and all that it has.
func (s *Screen) Close() {
	if s.endTab != nil {
		s.endTab()
	}
	if s.process != nil {
		s.process.Close()
	}
	if s.way != nil {
		s.way.close()
	}
}
