package main

// This file sends the messages of watches: once, or while archives are served.

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh/change"
	"kavosh/fetch"
	"kavosh/internal/clock"
	"kavosh/lib/cdx"
	"kavosh/site"
	"kavosh/watch"
)

// send sends what is due, once.
func (c *watchCmd) send(ctx context.Context, p *program, dir string) error {
	r, done, err := openChanges(dir)
	if err != nil {
		return err
	}
	n, err := newSender(p, dir, r, "").Send(ctx)
	if err = errors.Join(err, done()); err != nil {
		return err
	}
	_, err = fmt.Fprintf(p.out, "%s sent, %d not taken, %d waiting\n", plural(int64(n.Sent), "message"), n.Failed, n.Waiting)
	if err == nil && n.Failed > 0 {
		return exitStatus(exitFailed)
	}
	return err
}

// startWatches sends the messages of the watches of served archives, until ctx ends. replay is the base URL of the replay.
// stop waits until nothing is being sent.
func startWatches(ctx context.Context, p *program, set *collections, replay string) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var wait sync.WaitGroup
	for i := range set.collections {
		c := &set.collections[i]
		if c.Dir != "" {
			s := newSender(p, c.Dir, &change.Reader{Records: openRecords(c.Dir)}, replay+"/"+url.PathEscape(c.Name))
			wait.Go(func() { s.Run(ctx) })
		}
	}
	return func() { cancel(); wait.Wait() }
}

// newSender returns what sends the messages of an archive. collection is the URL of the archive in the replay; "" if it is
// not served.
func newSender(p *program, dir string, r *change.Reader, collection string) *watch.Sender {
	t := &teller{reader: r, collection: collection, trouble: func(text string) { fmt.Fprintln(p.err, "kavosh:", text) }, known: map[int]known{}}
	return &watch.Sender{FS: vfs.Default, Archive: dir, Clock: clock.Real{}, Key: func() (watch.Key, error) { return watch.KeyOf(dir) },
		Agent: "Kavosh/" + version(), Client: hookClient(), Events: t.events, Trouble: t.trouble}
}

// hookClient returns a client that follows no redirects, uses no proxy, and is not led to a private address by a name. Only
// who writes the address itself, or localhost, means it.
func hookClient() *http.Client {
	dial := func(ctx context.Context, network, addr string) (net.Conn, error) {
		host, _, err := net.SplitHostPort(addr)
		if err != nil {
			return nil, err
		}
		d := net.Dialer{Timeout: 10 * time.Second}
		if _, err := netip.ParseAddr(host); err != nil && host != "localhost" {
			d.Control = func(_, at string, _ syscall.RawConn) error {
				if a, err := netip.ParseAddrPort(at); err != nil || !fetch.Public(a.Addr()) {
					return fmt.Errorf("its name leads to the private address %s: write the address itself if you mean it", at)
				}
				return nil
			}
		}
		return d.DialContext(ctx, network, addr)
	}
	return &http.Client{
		Timeout:       30 * time.Second,
		Transport:     &http.Transport{DialContext: dial, TLSHandshakeTimeout: 10 * time.Second, MaxResponseHeaderBytes: 64 << 10, IdleConnTimeout: time.Minute, ForceAttemptHTTP2: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// teller finds what watches have to tell. It goes through the versions of a page again only when there are others.
type teller struct {
	reader     *change.Reader
	collection string
	trouble    func(string)

	mu    sync.Mutex
	known map[int]known // by watch
}

type known struct {
	of   string // which captures, under which access rules
	told []site.Told
}

// lookAnyway is how long what is known is taken for all: the end of an embargo changes no capture.
const lookAnyway = time.Hour

// events returns what a watch has to tell and was not sent.
func (t *teller) events(ctx context.Context, w *watch.Watch, sent func(string) bool) ([]watch.Event, error) {
	all, err := capturesRead(ctx, t.reader, w.URL)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	last := slices.MaxFunc(all, func(a, b change.Version) int {
		return cmp.Or(cmp.Compare(a.Entry.Filename, b.Entry.Filename), cmp.Compare(a.Entry.Offset, b.Entry.Offset))
	}).Entry
	of := fmt.Sprint(len(all), last.Filename, last.Offset, t.reader.Records.Gate.Edition(), time.Now().Truncate(lookAnyway).Unix())
	t.mu.Lock()
	k := t.known[w.ID]
	t.mu.Unlock()
	if k.of != of {
		if k.told, err = site.Tell(ctx, w, site.Since(w, change.VersionsOf(w.URL, all)), t.trouble); err != nil {
			return nil, err
		}
		k.of = of
	}
	k.told = slices.DeleteFunc(k.told, func(t site.Told) bool { return sent(t.Message) })
	t.mu.Lock()
	t.known[w.ID] = k
	t.mu.Unlock()
	var list []watch.Event
	for i := range k.told {
		told := &k.told[i]
		list = append(list, watch.Event{Message: told.Message, Body: func(context.Context) ([]byte, error) { return site.MessageBody(w, told, t.collection) }})
	}
	return list, nil
}

// capturesRead returns the captures of a page that everybody may know of, as versions.
func capturesRead(ctx context.Context, r *change.Reader, url string) (all []change.Version, err error) {
	for e, err := range r.Records.Index.Query(ctx, cdx.Query{URL: url, MatchType: cdx.Exact}) {
		if err != nil {
			return nil, err
		}
		all = append(all, change.Version{Entry: e, Reader: r})
	}
	return all, nil
}
