package browser

// This file lets behaviours (package fetch/behaviours) act on a page that is at rest, one act at a time.

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"kavosh"
	"kavosh/fetch/behaviours"
)

// Bounds on the behaviours of one page, beside those that each rule has.
const (
	behaving  = 40 * time.Second       // for all of them
	entering  = 15 * time.Second       // for act.js to begin or to end, on a busy machine too
	actTime   = 3 * time.Second        // for one act, whose click may run the page's scripts
	actRest   = 3 * time.Second        // after an act, for the requests that it began
	actQuiet  = 150 * time.Millisecond // a page without requests for this long goes on
	lastQuiet = 700 * time.Millisecond // … where there is nothing to do, for what still comes
	mostHangs = 3                      // acts that may take longer than actTime
	mostActs  = 1000
)

// Seen is an address that the page showed while behaviours acted.
type Seen struct {
	URL  string `json:"url"`
	Part bool   `json:"part"` // a picture, a film or a frame, and not a link
}

// acted is what act.js says in the end.
type acted struct {
	Acts []struct {
		Name  string         `json:"name"`
		Times int            `json:"times"`
		How   map[string]int `json:"how"`
	} `json:"acts"`
	Seen []Seen `json:"seen"`
}

// tameForms runs in the page's own world and in its frames when behaviours begin: no script sends a form then.
const tameForms = `(w => { const tame = w => { try {
  for (const name of ['submit', 'requestSubmit']) w.HTMLFormElement.prototype[name] = () => {};
  for (let i = 0; i < Math.min(w.length, 100); i++) tame(w[i]);
} catch {} }; tame(w) })(window)`

// world is where act.js runs.
type world struct {
	tab context.Context
	id  runtime.ExecutionContextID
}

// errThrown is an error of a script.
var errThrown = errors.New("a script failed")

// run evaluates an expression, for most at the longest, and reads its value into into, unless that is nil.
func (w *world) run(ctx context.Context, most time.Duration, expression string, into any) error {
	yes := true
	r, err := chromedp.Call(ctx, runtime.Evaluate, runtime.EvaluateParams{
		Expression: expression, ContextID: w.id, ReturnByValue: &yes, Timeout: runtime.TimeDelta(most.Milliseconds()),
	})
	switch {
	case err != nil:
		return err
	case r.ExceptionDetails != nil:
		text := r.ExceptionDetails.Text
		if e := r.ExceptionDetails.Exception; e != nil {
			text += " " + e.Description
		}
		return fmt.Errorf("%w: %s", errThrown, text[:min(len(text), 200)])
	case into == nil || r.Result == nil:
		return nil
	}
	return json.Unmarshal(r.Result.Value, into)
}

// behave lets the rules for the page act on it until they have nothing more to do, or their time is over.
func (l *load) behave(within, tab context.Context) {
	rules := l.b.o.Behaviours.For(l.url)
	if l.loggedIn { // what bears no sign may end the login
		rules = slices.DeleteFunc(rules, func(r behaviours.Rule) bool { return r.Hand })
	}
	if len(rules) == 0 {
		return
	}
	l.mu.Lock()
	l.mu.behaving = true
	l.mu.Unlock()
	ctx, cancel := context.WithTimeout(tab, behaving)
	defer cancel()
	stop := context.AfterFunc(within, cancel)
	defer stop()
	w, err := l.enter(ctx, tab, rules)
	if err == nil {
		err = l.act(ctx, w)
	}
	if err != nil && ctx.Err() == nil {
		l.note("behaviours: " + err.Error())
	}
	if w != nil {
		l.told(w, rules)
	}
}

// enter makes the world in which act.js runs, and begins there.
func (l *load) enter(ctx, tab context.Context, rules []behaviours.Rule) (*world, error) {
	asPage := world{tab: tab}
	if err := asPage.run(ctx, entering, tameForms, nil); err != nil {
		return nil, err
	}
	_, err := chromedp.Call(ctx, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: tameForms})
	if err != nil {
		return nil, err
	}
	made, err := chromedp.Call(ctx, page.CreateIsolatedWorld, page.CreateIsolatedWorldParams{FrameID: l.mu.main, WorldName: "kavosh"})
	if err != nil {
		return nil, err
	}
	w := &world{tab: tab, id: made.ExecutionContextID}
	if err := w.run(ctx, entering, behaviours.Script, nil); err != nil {
		return nil, err
	}
	their, err := json.Marshal(rules)
	if err != nil {
		return nil, err
	}
	never, err := json.Marshal(l.b.o.Behaviours.Never())
	if err != nil {
		return nil, err
	}
	return w, w.run(ctx, entering, fmt.Sprintf("kavosh.begin(%s, %s)", their, never), nil)
}

// act does one act after the other. It ends when there is nothing to do, and still is not after a pause.
func (l *load) act(ctx context.Context, w *world) error {
	requests, hangs, nothing, acted := l.different(), 0, 0, false
	for range mostActs {
		now := l.different()
		var pause *int64 // in milliseconds; nil if there is nothing to do
		limited, cancel := context.WithTimeout(ctx, 2*actTime)
		err := w.run(limited, actTime, fmt.Sprintf("kavosh.act(%d)", now-requests), &pause)
		late := limited.Err() != nil
		cancel()
		requests = now
		switch {
		case err != nil && ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			l.note(fmt.Sprintf("behaviours: an act did not end well within %v: %v", actTime, err))
			if hangs++; hangs >= mostHangs {
				return fmt.Errorf("given up after %d such acts", hangs)
			}
			if late { // the browser itself did not end it; else this would end the next
				chromedp.Call(ctx, runtime.TerminateExecution, cdp.Empty{})
			}
			continue
		case pause == nil:
			if nothing++; nothing > 1 || !acted {
				return nil
			}
			l.pause(ctx, 300*time.Millisecond, lastQuiet)
		default:
			nothing, acted = 0, true
			l.pause(ctx, time.Duration(*pause)*time.Millisecond, actQuiet)
		}
	}
	return nil
}

// pause waits for least, and then until the page makes no request for a moment, but not longer than actRest.
func (l *load) pause(ctx context.Context, least, still time.Duration) {
	if l.b.o.Clock.Sleep(ctx, least) != nil {
		return
	}
	for end := l.b.o.Clock.Now().Add(actRest); l.proxy.quiet() < still && l.b.o.Clock.Now().Before(end); {
		if l.b.o.Clock.Sleep(ctx, tick) != nil {
			return
		}
	}
}

// told notes what was done, and takes the addresses that the page showed meanwhile.
func (l *load) told(w *world, rules []behaviours.Rule) {
	ctx, cancel := context.WithTimeout(w.tab, entering)
	defer cancel()
	var a acted
	if err := w.run(ctx, entering, "kavosh.end()", &a); err != nil {
		l.note("behaviours: what they did is not known: " + err.Error())
		return
	}
	var parts []string
	l.mu.Lock()
	l.loaded.Seen = a.Seen[:min(len(a.Seen), 5000)]
	l.loaded.Acts = map[string]int{}
	for _, one := range a.Acts[:min(len(a.Acts), len(rules))] {
		l.loaded.Acts[one.Name] += one.Times
		part := fmt.Sprintf("%s %d", one.Name, one.Times)
		if len(one.How) > 0 {
			part += " (" + strings.Join(slices.Sorted(maps.Keys(one.How)), ", ") + ")"
		}
		parts = append(parts, part)
	}
	l.mu.Unlock()
	if len(parts) > 0 {
		l.note("behaviours: " + strings.Join(parts, ", "))
	}
}

// different returns how many different requests the page has made.
func (l *load) different() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.mu.asked)
}

// forbid returns an Asker that counts the different requests, and once behaviours act asks for nothing that they must not
// ask for: a URL that names an act, and anything by POST, since a script sends with it what a click decided.
func (l *load) forbid(ask Asker) Asker {
	return func(ctx context.Context, r *Request, answer func(*kavosh.Exchange)) {
		l.mu.Lock()
		behaving := l.mu.behaving
		if len(l.mu.asked) < maxRequests {
			l.mu.asked[sha256.Sum256(slices.Concat([]byte(r.Ask.Method+" "+r.URL+"\n"), r.Ask.Body))] = true
		}
		l.mu.Unlock()
		switch {
		case behaving && r.Ask.Method == http.MethodPost:
			l.proxy.note("by POST, while behaviours act,")
		case behaving && l.b.o.Behaviours.Forbids(r.URL):
			l.proxy.note("for what behaviours never do, such as /logout,")
		default:
			ask(ctx, r, answer)
		}
	}
}
