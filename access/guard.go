package access

// This file wraps an archive's index and records for readers. access only reads the archive, except for the decisions.

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

// Guard gives a reader the index and the files of an archive, without what is closed: lists do not name what was taken
// down, and closed captures cannot be opened. From finds the reader in the context. All code that shows an archive gets
// a Guard, and never what it wraps.
type Guard struct {
	index records.Index
	files records.Files
	rules *Follower // nil if there are no rules

	opened struct { // the last result of OpenFiles
		sync.Mutex
		rules *Rules
		at    time.Time
		opens map[string]time.Time // for each file, when all its captures are open
	}
}

// NewGuard guards an index and its files by the rules of f, which is nil for loose files: they have no rules.
func NewGuard(index records.Index, files records.Files, f *Follower) *Guard {
	return &Guard{index: index, files: files, rules: f}
}

type revisitKey struct{}

// Revisiting returns a context for reading the original of a revisit that the reader may see. In it, rules about the
// original's URL are ignored: they close captures of that URL, and not the same content at another URL. Rules about
// content still hold.
func (g *Guard) Revisiting(ctx context.Context, revisit *cdx.Entry) context.Context {
	return context.WithValue(ctx, revisitKey{}, revisit)
}

// asked returns the capture that the rules are asked about: e, or in the context of Revisiting the revisit of the same
// content.
func asked(ctx context.Context, e *cdx.Entry) *cdx.Entry {
	if revisit, _ := ctx.Value(revisitKey{}).(*cdx.Entry); revisit != nil && digestKey(e.Digest) != "" && warc.SameDigest(revisit.Digest, e.Digest) {
		return revisit
	}
	return e
}

// sight returns what the reader of ctx may see now.
func (g *Guard) sight(ctx context.Context) (Sight, error) {
	if g.rules == nil {
		return Sight{}, nil
	}
	return g.rules.Sight(From(ctx))
}

// Query yields the captures that match q and that lists may show.
func (g *Guard) Query(ctx context.Context, q cdx.Query) iter.Seq2[cdx.Entry, error] {
	sight, err := g.sight(ctx)
	if err != nil {
		return func(yield func(cdx.Entry, error) bool) { yield(cdx.Entry{}, err) }
	}
	if !sight.hides() {
		return g.index.Query(ctx, q)
	}
	// Hidden captures must be removed before the others are counted, collapsed or sorted.
	return q.Answer(func(all cdx.Query) iter.Seq2[cdx.Entry, error] {
		all.After = cdx.NewMark(all.After).All() // a mark counts listed captures, and not those of the index
		return g.listed(ctx, sight, all)
	})
}

// listed yields the captures of q that lists may show.
func (g *Guard) listed(ctx context.Context, sight Sight, q cdx.Query) iter.Seq2[cdx.Entry, error] {
	return func(yield func(cdx.Entry, error) bool) {
		for e, err := range g.index.Query(ctx, q) {
			if err == nil && !sight.Listed(asked(ctx, &e)) {
				continue
			}
			if !yield(e, err) || err != nil {
				return
			}
		}
	}
}

// Links wraps an index of links (docs/formats/links-in.md): it hides links in pages that the reader may not see.
func (g *Guard) Links(links records.Index) records.Index { return linkGuard{g, links} }

type linkGuard struct {
	*Guard
	links records.Index
}

// Query yields the links that match q and that the reader may see.
func (g linkGuard) Query(ctx context.Context, q cdx.Query) iter.Seq2[cdx.Entry, error] {
	sight, err := g.sight(ctx)
	if err != nil {
		return func(yield func(cdx.Entry, error) bool) { yield(cdx.Entry{}, err) }
	}
	if sight.Whole() {
		return g.links.Query(ctx, q)
	}
	return q.Answer(func(all cdx.Query) iter.Seq2[cdx.Entry, error] {
		return func(yield func(cdx.Entry, error) bool) {
			for e, err := range g.links.Query(ctx, all) {
				page := cdx.Entry{URL: e.Get("source"), Timestamp: e.Timestamp, Digest: e.Digest}
				to := cdx.Entry{Key: e.Key, URL: e.URL, Timestamp: e.Timestamp}
				if err == nil && !(sight.Shows(&page) && sight.Listed(&to)) {
					continue
				}
				if !yield(e, err) || err != nil {
					return
				}
			}
		}
	})
}

// Records returns what opens the records that the reader of a context may see.
func (g *Guard) Records() *records.Records {
	return &records.Records{Index: g, Files: g.files, Gate: g}
}

// Refused says why the reader may not see a capture; nil if the reader may.
func (g *Guard) Refused(ctx context.Context, e *cdx.Entry) (*kavosh.Refused, error) {
	sight, err := g.sight(ctx)
	if err != nil {
		return nil, err
	}
	return sight.Refused(asked(ctx, e)), nil
}

// Edition returns a URL fragment that changes with every decision; "" if there are no decisions or they cannot be read.
func (g *Guard) Edition() string {
	sight, err := g.sight(context.Background())
	if err != nil || sight.rules == nil || sight.rules.edition == 0 {
		return ""
	}
	return "#" + strconv.Itoa(sight.rules.edition)
}

// maxWithheld is how many captures of a URL are checked to find one that lists hide.
const maxWithheld = 1000

// Withheld says why lists hide the captures of a URL; nil if the archive has none, or none is hidden.
func (g *Guard) Withheld(ctx context.Context, url string) (*kavosh.Refused, error) {
	sight, err := g.sight(ctx)
	if err != nil || !sight.hides() {
		return nil, err
	}
	for e, err := range g.index.Query(ctx, cdx.Query{URL: url, MatchType: cdx.Exact, Limit: maxWithheld}) {
		if err != nil {
			return nil, err
		}
		if !sight.Listed(&e) {
			return sight.Refused(&e), nil
		}
	}
	return nil, nil
}

// OpenFiles returns those of the named sealed WARC files whose captures are all open to everybody now. It reads the
// whole index after a change of rules or files, and remembers when each file opens, so that the end of an embargo needs
// no new reading. If there are rules, it does not return files that the index does not name, because their content is
// unknown.
func (g *Guard) OpenFiles(ctx context.Context, names []string) ([]string, error) {
	sight, err := g.sight(ctx)
	if err != nil || sight.Whole() {
		return names, err
	}
	rules, now := sight.rules, sight.now
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

// never is the time when a file opens that is closed for ever.
var never = time.Date(1<<20, 1, 1, 0, 0, 0, 0, time.UTC)

// opens returns the first time from now on at which decide says that the capture is open.
func opens(now time.Time, decide func(time.Time) Verdict) time.Time {
	for {
		v := decide(now)
		switch {
		case v.Access == kavosh.Open:
			return now
		case v.Access != kavosh.Embargo || !now.Before(v.Until):
			return never
		}
		now = v.Until // another rule may close it longer
	}
}

// openFiles returns for each named file when all its captures are open. It leaves out files that the index does not
// name: they may still grow, and new captures may be closed.
func (g *Guard) openFiles(ctx context.Context, rules *Rules, now time.Time, names []string) (map[string]time.Time, error) {
	all := map[string]time.Time{}
	last := map[string]int64{} // for each file, the offset of its last capture in the index
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
		all[e.Filename] = later(all[e.Filename], opens(now, func(at time.Time) Verdict { return rules.decide(&e, at) }))
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

// openFrom returns when all records of a file from an offset on are open. It reads them, because an index that is being
// written may not have them. It returns never if they cannot be read.
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
			since = later(since, opens(now, func(at time.Time) Verdict { return rules.decideRecord(rec, at) }))
		}
	}
	if !errors.Is(err, io.EOF) {
		return never
	}
	return since
}
