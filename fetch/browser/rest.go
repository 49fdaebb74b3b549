package browser

// This file tells when a page is at rest: it has loaded, asks for nothing, and none of its timers is about to ask.

import (
	"context"
	"fmt"
	"time"

	"github.com/chromedp/chromedp"
)

// Times after which a page is at rest.
const (
	quiet   = 250 * time.Millisecond // without a request
	settle  = 3 * time.Second        // after the load event, of timers that set each other and of what is not seen
	latest  = 5 * time.Second        // after the load event, of timers that a page sets
	working = 10 * time.Second       // after the load event of a page that may load itself again, until it has
	busy    = 15 * time.Second       // after the load event of a page that computes and does not answer
	handing = 5 * time.Second        // for the page to get an answer that we gave Chromium
	tick    = 50 * time.Millisecond
	answers = time.Second // for a page to say what it waits for; else it computes
)

// timersScript runs in every frame before its own scripts, and counts the timers that wait. The function of the name in
// its place says which there are, with those of its frames. It can neither see those of frames of other sites nor of
// workers; then it says so.
const timersScript = `(() => {
  const pending = new Map();
  let depth = 0, unseen = false;
  const set = native => new Proxy(native, {apply(target, self, args) {
    const f = args[0], ms = Number(args[1]) || 0, deep = depth + 1;
    if (typeof f != 'function' || ms > %[2]d) return Reflect.apply(target, self, args);
    args[0] = function (...with_) {
      pending.delete(id);
      const before = depth;
      depth = deep;
      try { return Reflect.apply(f, this, with_) } finally { depth = before }
    };
    const id = Reflect.apply(target, self, args);
    pending.set(id, deep);
    return id;
  }});
  const clear = native => new Proxy(native, {apply(target, self, args) {
    pending.delete(Number(args[0]));
    return Reflect.apply(target, self, args);
  }});
  const make = native => native && new Proxy(native, {construct(target, args, made) {
    unseen = true;
    return Reflect.construct(target, args, made);
  }});
  const w = window;
  [w.setTimeout, w.setInterval, w.clearTimeout, w.clearInterval] = [set(w.setTimeout), set(w.setInterval), clear(w.clearTimeout), clear(w.clearInterval)];
  [w.Worker, w.SharedWorker] = [make(w.Worker), make(w.SharedWorker)];
  Object.defineProperty(w, '%[1]s', {value: () => {
    const all = {set: false, chained: false, unseen};
    for (const deep of pending.values()) all[deep > 2 ? 'chained' : 'set'] = true;
    for (let i = 0; i < frames.length && i < 100; i++) {
      try {
        const of = frames[i]['%[1]s'];
        const its = of ? of() : {};
        for (const name in all) all[name] ||= !!its[name];
      } catch { all.unseen = true }
    }
    return all;
  }});
})()`

// timers are those that a page waits for.
type timers struct {
	Set     bool `json:"set"`     // by the page's scripts, or by a timer of theirs
	Chained bool `json:"chained"` // by timers of timers, as where a script looks again and again
	Unseen  bool `json:"unseen"`  // perhaps by what the page does not see
}

// script returns timersScript with the function's name, which pages cannot know.
func (l *load) script() string { return fmt.Sprintf(timersScript, l.name, latest.Milliseconds()) }

// timers asks the page which timers wait. ok is false if it computes, and does not answer.
func (l *load) timers(within, tab context.Context) (t timers, ok bool) {
	ctx, cancel := context.WithTimeout(tab, answers)
	defer cancel()
	stop := context.AfterFunc(within, cancel)
	defer stop()
	t, err := chromedp.Run(ctx, chromedp.Evaluate[timers](fmt.Sprintf("window['%[1]s'] ? window['%[1]s']() : {}", l.name)))
	return t, err == nil
}

// rest waits until the page is at rest. It returns false if within ends first.
func (l *load) rest(within, tab context.Context) bool {
	for !l.rests(within, tab) {
		if l.b.o.Clock.Sleep(within, tick) != nil {
			return false
		}
	}
	return within.Err() == nil
}

// rests reports whether the page is at rest now.
func (l *load) rests(within, tab context.Context) bool {
	if !l.settled() {
		return false
	}
	t, ok := l.timers(within, tab)
	since := l.sinceLoaded()
	if !ok {
		return since >= busy
	}
	return (since >= latest || !t.Set && (since >= settle || !t.Chained && !t.Unseen)) && l.settled()
}

// settled reports whether the page has loaded and has all that it asked for.
func (l *load) settled() bool {
	l.mu.Lock()
	loaded, under := !l.mu.loaded.IsZero(), len(l.mu.under) > 0
	again := l.mu.reloads > 0 && !l.mu.reloaded
	l.mu.Unlock()
	still := l.proxy.quiet()
	return loaded && still >= quiet && (!under || still >= handing) && (!again || l.sinceLoaded() >= working)
}

// sinceLoaded returns the time since the load event.
func (l *load) sinceLoaded() time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.o.Clock.Now().Sub(l.mu.loaded)
}
