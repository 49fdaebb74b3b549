package access

import (
	"context"
	"errors"
	"io"
	"iter"
	"slices"
	"strconv"
	"sync"
	"time"

	"kavosh"
	"kavosh/internal/records"
	"kavosh/lib/cdx"
	"kavosh/lib/warc"
)

// Guard is the index and the files of an archive as a reader may use them, who is From of the context: lists lack what was
// taken down, and what a reader may not see is not opened. All that shows the archive gets this and nothing behind it.
type Guard struct {
	index records.Index
	files records.Files
	rules *Follower // nil: there are none

	opened struct { // what OpenFiles last read
		sync.Mutex
		rules *Rules
		at    time.Time
		opens map[string]time.Time // when, by file
	}
}

// NewGuard guards an index and its files by the rules that f follows; of loose files, which have none, it is nil.
func NewGuard(index records.Index, files records.Files, f *Follower) *Guard {
	return &Guard{index: index, files: files, rules: f}
}

type revisitKey struct{}

// Revisiting gives a context in which the original of a revisit that the reader may see is read: a rule about the
// original's address closes its captures, and not the same content that another address gave. Rules about content hold.
func (g *Guard) Revisiting(ctx context.Context, revisit *cdx.Entry) context.Context {
	return context.WithValue(ctx, revisitKey{}, revisit)
}

// verdict is who may see a capture, or in Revisiting what it holds.
func verdict(ctx context.Context, rules *Rules, now time.Time, e *cdx.Entry) Verdict {
	if revisit, _ := ctx.Value(revisitKey{}).(*cdx.Entry); revisit != nil && digestKey(e.Digest) != "" && warc.SameDigest(revisit.Digest, e.Digest) {
		e = revisit
	}
	return rules.Decide(e, now)
}

// inForce are the rules, and the time.
func (g *Guard) inForce() (*Rules, time.Time, error) {
	if g.rules == nil {
		return NewRules(nil), time.Time{}, nil
	}
	rules, err := g.rules.Rules()
	return rules, g.rules.clock.Now(), err
}

// Query yields the captures that q asks for and that lists may show.
func (g *Guard) Query(ctx context.Context, q cdx.Query) iter.Seq2[cdx.Entry, error] {
	rules, now, err := g.inForce()
	if err != nil {
		return func(yield func(cdx.Entry, error) bool) { yield(cdx.Entry{}, err) }
	}
	if !rules.hides {
		return g.index.Query(ctx, q)
	}
	// What is taken away must be so before captures are counted, folded or sorted.
	return q.Answer(func(all cdx.Query) iter.Seq2[cdx.Entry, error] {
		all.After = cdx.NewMark(all.After).All() // it counts what was listed, not what the index has
		return g.listed(ctx, rules, now, all)
	})
}

// listed are the captures of q that lists may show.
func (g *Guard) listed(ctx context.Context, rules *Rules, now time.Time, q cdx.Query) iter.Seq2[cdx.Entry, error] {
	return func(yield func(cdx.Entry, error) bool) {
		for e, err := range g.index.Query(ctx, q) {
			if err == nil && !verdict(ctx, rules, now, &e).Listed() {
				continue
			}
			if !yield(e, err) || err != nil {
				return
			}
		}
	}
}

// Links is an index of links (docs/formats/links-in.md) as a reader may use it: without those that stand in pages which he may not see.
func (g *Guard) Links(links records.Index) records.Index { return linkGuard{g, links} }

type linkGuard struct {
	*Guard
	links records.Index
}

// Query yields the links that q asks for and the reader may know of.
func (g linkGuard) Query(ctx context.Context, q cdx.Query) iter.Seq2[cdx.Entry, error] {
	rules, now, err := g.inForce()
	if err != nil {
		return func(yield func(cdx.Entry, error) bool) { yield(cdx.Entry{}, err) }
	}
	if rules.Len() == 0 {
		return g.links.Query(ctx, q)
	}
	return q.Answer(func(all cdx.Query) iter.Seq2[cdx.Entry, error] {
		return func(yield func(cdx.Entry, error) bool) {
			for e, err := range g.links.Query(ctx, all) {
				page := cdx.Entry{URL: e.Get("source"), Timestamp: e.Timestamp, Digest: e.Digest}
				if err == nil && (rules.Decide(&page, now).Refused(From(ctx)) != nil || !rules.Decide(&cdx.Entry{Key: e.Key, URL: e.URL, Timestamp: e.Timestamp}, now).Listed()) {
					continue
				}
				if !yield(e, err) || err != nil {
					return
				}
			}
		}
	})
}

// Records are what a reader may have of the captures.
func (g *Guard) Records() *records.Records {
	return &records.Records{Index: g, Files: g.files, Gate: g}
}

// Refused is why the reader does not get what a capture holds; nil when it may be seen.
func (g *Guard) Refused(ctx context.Context, e *cdx.Entry) (*kavosh.Refused, error) {
	rules, now, err := g.inForce()
	if err != nil {
		return nil, err
	}
	return verdict(ctx, rules, now, e).Refused(From(ctx)), nil
}

// Edition is a fragment for addresses that changes with every decision; "" while there is none, or none can be read.
func (g *Guard) Edition() string {
	rules, _, err := g.inForce()
	if err != nil || rules.edition == 0 {
		return ""
	}
	return "#" + strconv.Itoa(rules.edition)
}

// maxWithheld is how many captures of a URL are looked at for one that is withheld.
const maxWithheld = 1000

// Withheld is why lists show nothing of a URL that the archive holds captures of; nil when it holds none.
func (g *Guard) Withheld(ctx context.Context, url string) (*kavosh.Refused, error) {
	rules, now, err := g.inForce()
	if err != nil || !rules.hides {
		return nil, err
	}
	for e, err := range g.index.Query(ctx, cdx.Query{URL: url, MatchType: cdx.Exact, Limit: maxWithheld}) {
		if err != nil {
			return nil, err
		}
		if v := rules.Decide(&e, now); !v.Listed() {
			return v.Refused(From(ctx)), nil
		}
	}
	return nil, nil
}

// OpenFiles are those of the named WARC files, which are written to the end, whose captures are all open to everybody by now. The whole
// index is read for it when rules changed or files came, and not when an embargo ends: it says when each file opens. Under rules a file
// that the index does not name is not among them: nobody knows what it holds.
func (g *Guard) OpenFiles(ctx context.Context, names []string) ([]string, error) {
	rules, now, err := g.inForce()
	if err != nil || rules.Len() == 0 {
		return names, err
	}
	m := &g.opened
	m.Lock()
	defer m.Unlock()
	unknown := slices.ContainsFunc(names, func(name string) bool { _, known := m.opens[name]; return !known })
	if age := now.Sub(m.at); m.rules != rules || age < 0 || unknown && age > time.Minute {
		opens, err := g.openFiles(ctx, rules, now, names)
		if err != nil {
			return nil, err
		}
		m.rules, m.at, m.opens = rules, now, opens
	}
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		opens, known := m.opens[name]
		return !known || now.Before(opens)
	}), nil
}

// never is when what no embargo closes opens: after all times that a clock tells.
var never = time.Date(1<<20, 1, 1, 0, 0, 0, 0, time.UTC)

// opens is when all that decide says by a time is open, from now on.
func opens(now time.Time, decide func(time.Time) Verdict) time.Time {
	for {
		v := decide(now)
		switch {
		case v.Access == kavosh.Open:
			return now
		case v.Access != kavosh.Embargo || !now.Before(v.Until):
			return never
		}
		now = v.Until // another rule may hold longer
	}
}

// openFiles says of the named files that the index has when all that they hold is open. Of others, which may still be growing,
// nothing is said: what comes to them may be closed.
func (g *Guard) openFiles(ctx context.Context, rules *Rules, now time.Time, names []string) (map[string]time.Time, error) {
	all := map[string]time.Time{}
	last := map[string]int64{} // where the last capture lies that the index has
	for _, name := range names {
		last[name] = -1
	}
	for e, err := range g.index.Query(ctx, cdx.Query{URL: "*"}) {
		if err != nil {
			return nil, err
		}
		at, named := last[e.Filename]
		if !named {
			continue
		}
		all[e.Filename] = later(all[e.Filename], opens(now, func(at time.Time) Verdict { return rules.Decide(&e, at) }))
		last[e.Filename] = max(at, e.Offset)
	}
	for name, since := range all {
		if since.Before(never) {
			all[name] = later(since, g.openFrom(ctx, rules, now, name, last[name]))
		}
	}
	return all, nil
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// openFrom is when the records of a file are open from an offset on: an index that is being made does not have them all. What cannot
// be read is never.
func (g *Guard) openFrom(ctx context.Context, rules *Rules, now time.Time, name string, offset int64) (since time.Time) {
	f, size, done, err := g.files.Open(name)
	if err != nil {
		return never
	}
	defer done()
	in, err := warc.NewReader(io.NewSectionReader(f, offset, size-offset))
	for err == nil && ctx.Err() == nil && since.Before(never) {
		var rec *warc.Record
		if rec, err = in.Next(); err == nil {
			since = later(since, opens(now, func(at time.Time) Verdict { return rules.DecideRecord(rec, at) }))
		}
	}
	if !errors.Is(err, io.EOF) {
		return never
	}
	return since
}
