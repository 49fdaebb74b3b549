package browser

// This file gives pages the cookies and the storage of a person's login, and takes the storage back.

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"kavosh"
	"kavosh/internal/chromium"
)

// Logins know where a person is logged in. They are used by several goroutines.
type Logins interface {
	// Login returns the cookies and the storage for pages of url's host; none where nobody is logged in.
	Login(url string) (cookies []kavosh.Cookie, storage []kavosh.Stored)
	// Store takes what the storage of an origin, such as https://example.org, has after a page of it was loaded.
	Store(origin string, storage []kavosh.Stored)
}

// storageScript fills the storage of the page's origin, before its own scripts run, with what is not there yet. It is
// formatted with the values by origin.
const storageScript = `(all => {
  try {
    for (const s of all[location.origin] || []) {
      const to = s.session ? sessionStorage : localStorage;
      if (to.getItem(s.key) === null) to.setItem(s.key, s.value);
    }
  } catch {}
})(%s)`

// logIn lets the page of a new tab find a person's login, if there is one for it.
func (l *load) logIn(tab context.Context) error {
	if l.b.o.Logins == nil {
		return nil
	}
	cookies, storage := l.b.o.Logins.Login(l.url)
	l.loggedIn = len(cookies)+len(storage) > 0
	if len(cookies) > 0 {
		if _, err := chromedp.Call(tab, network.SetCookies, network.SetCookiesParams{Cookies: cookieParams(cookies)}); err != nil {
			return fmt.Errorf("the cookies of the login were not set") // the error may repeat them
		}
	}
	if len(storage) == 0 {
		return nil
	}
	all := map[string][]kavosh.Stored{}
	for _, s := range storage {
		all[s.Origin] = append(all[s.Origin], s)
	}
	values, err := json.Marshal(all)
	if err != nil {
		return err
	}
	script := page.AddScriptToEvaluateOnNewDocumentParams{Source: fmt.Sprintf(storageScript, values)}
	if _, err := chromedp.Call(tab, page.AddScriptToEvaluateOnNewDocument, script); err != nil {
		return fmt.Errorf("the storage of the login was not filled")
	}
	return nil
}

// cookieParams returns cookies as Chromium takes them.
func cookieParams(cookies []kavosh.Cookie) (params []*network.CookieParam) {
	for _, c := range cookies {
		p := &network.CookieParam{Name: c.Name, Value: c.Value, Path: c.Path, Secure: c.Secure, HTTPOnly: c.HTTPOnly, Domain: c.Domain}
		if !c.HostOnly {
			p.Domain = "." + c.Domain
		}
		if !c.Expires.IsZero() {
			p.Expires = cdp.TimeSinceEpoch(c.Expires.Unix())
		}
		params = append(params, p)
	}
	return params
}

// keepLogin takes back what the page made of its storage.
func (l *load) keepLogin(ctx, tab context.Context) {
	if l.b.o.Logins == nil {
		return
	}
	if _, storage := l.b.o.Logins.Login(l.url); len(storage) == 0 {
		return
	}
	within, cancel := context.WithTimeout(tab, patience)
	defer cancel()
	stop := context.AfterFunc(ctx, cancel)
	defer stop()
	text, err := chromedp.Run(within, chromedp.Evaluate[string](chromium.StorageScript))
	if err != nil {
		return // a page without storage
	}
	if origin, storage, err := chromium.ParseStorage(text); err == nil && origin != "" {
		l.b.o.Logins.Store(origin, storage)
	}
}
