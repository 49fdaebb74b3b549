package site

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh"
	"kavosh/access"
	"kavosh/archive"
	"kavosh/index"
	"kavosh/internal/clock"
	"kavosh/internal/disk"
	"kavosh/internal/journal"
	"kavosh/lib/cdx"
	"kavosh/search"
)

// Searching says how collections are searched while they are served.
type Searching struct {
	Derived []archive.Derived // all that is made of captures: what is marked as served is kept up to date
	Links   string            // name of the folder of links, which is made with the search index
	// Yield is told how long was worked since it was last, and waits as long as others go first; nil for nobody.
	Yield   func(ctx context.Context, worked time.Duration)
	Now     func() time.Time // nil: time.Now
	Trouble func(err error)
}

// Searches are the search indexes of collections that are served, each brought up to date while they are.
type Searches struct {
	Union search.Union // all together; empty while nothing can be searched

	all  []*ServedSearch
	stop context.CancelFunc
	wait sync.WaitGroup
}

// followEvery is how long what a crawl adds may wait until it is read for searching.
const followEvery = 10 * time.Second

// StartSearches opens the indexes of collections and lets them be searched from now on. What cannot be searched is told.
func StartSearches(ctx context.Context, list []Collection, o Searching) *Searches {
	s := &Searches{}
	ctx, s.stop = context.WithCancel(ctx)
	for i := range list {
		c := &list[i]
		if c.Dir == "" && len(c.Files) == 0 {
			continue
		}
		one, err := OpenSearch(c.Dir, c.Files, o)
		if err != nil {
			o.Trouble(fmt.Errorf("%s cannot be searched: %w", c.Name, err))
			continue
		}
		c.Searcher = one
		c.Links = c.Guard.Links(index.LiveLinks(vfs.Default, one.source.Folder(o.Links)))
		c.Reading = func() bool { return !one.whole.Load() }
		s.all, s.Union = append(s.all, one), append(s.Union, one)
		s.wait.Go(func() { one.Follow(ctx) })
	}
	return s
}

// Close ends what StartSearches began.
func (s *Searches) Close() {
	s.stop()
	s.wait.Wait()
	for _, one := range s.all {
		one.Close()
	}
}

// ServedSearch is the search index of a collection, as each kind of reader may see it. Nothing is found that the archive's rules keep
// from a reader.
type ServedSearch struct {
	Searching
	source *archive.Source
	whole  atomic.Bool      // all that was there when it was last looked is in the index
	rules  *access.Follower // nil for none

	mu struct {
		sync.Mutex
		anybody, onSite searchView // onSite is opened when somebody on site asks and a rule makes a difference for him
	}
}

// searchView is an index that hides what a reader may not see.
type searchView struct {
	index *search.Index
	rules *access.Rules // that it hides by
	since time.Time     // it does
	took  time.Duration // to begin
	ends  *atomic.Int64 // when the first embargo ends by which something is hidden, in nanoseconds of Unix time; forever for none
}

const forever = math.MaxInt64

// OpenSearch opens the search index of the archive in dir, or else of files.
func OpenSearch(dir string, files []string, o Searching) (*ServedSearch, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Yield == nil {
		o.Yield = func(context.Context, time.Duration) {}
	}
	s := &ServedSearch{Searching: o, source: &archive.Source{Dir: dir, Files: files,
		Trouble: func(text string) { o.Trouble(errors.New("searching: " + text)) },
		Broken:  func(path string, err error) error { o.Trouble(fmt.Errorf("searching: %s: %w", path, err)); return nil }}}
	for _, d := range o.Derived {
		if !d.Served {
			continue
		}
		_, done, err := s.source.Hold(d) // whether it can
		if err == nil {
			err = done()
		}
		if err != nil && !errors.Is(err, disk.ErrInUse) {
			return nil, errors.Join(err, s.source.Close())
		}
	}
	if dir != "" {
		s.rules = access.Follow(vfs.Default, dir, clock.Real{})
	}
	return s, s.show(&s.mu.anybody, access.Reader{})
}

// show makes a view of what a reader may see by the rules in force.
func (s *ServedSearch) show(v *searchView, reader access.Reader) error {
	rules := access.NewRules(nil)
	if s.rules != nil {
		var err error
		if rules, err = s.rules.Rules(); err != nil {
			return err
		}
	}
	now := s.Now()
	if v.index != nil && rules == v.rules && (now.UnixNano() < v.ends.Load() || now.Sub(v.since) < max(time.Second, 10*v.took)) {
		return nil // many embargoes may end one after the other: what is searched is made anew a tenth of the time at most
	}
	ends := &atomic.Int64{}
	ends.Store(forever)
	hidden, err := s.hiddenFrom(rules, reader, ends), error(nil)
	if v.index == nil {
		v.index, err = search.Open(vfs.Default, s.source.Folder(search.Name), hidden)
	} else {
		err = v.index.Hide(hidden)
	}
	if err == nil {
		v.rules, v.since, v.took, v.ends = rules, now, s.Now().Sub(now), ends
	}
	return err
}

// hiddenFrom is what rules hide from a reader: whatever he may not open. In ends it notes when the first embargo ends that does.
func (s *ServedSearch) hiddenFrom(rules *access.Rules, reader access.Reader, ends *atomic.Int64) (h search.Hidden) {
	if rules.Len() == 0 {
		return h
	}
	for _, d := range rules.List() {
		if d.Target.Kind == access.Digest {
			h.Digests = append(h.Digests, d.Target.Value)
		}
	}
	h.Capture = func(url string, at time.Time, digest string) bool {
		refused := rules.Decide(&cdx.Entry{URL: url, Timestamp: at.Format("20060102150405"), Digest: digest}, s.Now()).Refused(reader)
		if refused != nil && !refused.Until.IsZero() {
			for end, first := refused.Until.UnixNano(), ends.Load(); end < first && !ends.CompareAndSwap(first, end); {
				first = ends.Load()
			}
		}
		return refused != nil
	}
	return h
}

// Search answers by the rules that are in force now.
func (s *ServedSearch) Search(ctx context.Context, q kavosh.Search) (*kavosh.SearchResult, error) {
	whole := s.whole.Load() // before it is asked: what is read meanwhile may be missing
	index, err := s.view(access.From(ctx))
	var found *kavosh.SearchResult
	if err == nil {
		found, err = index.Search(ctx, q)
	}
	if errors.Is(err, search.ErrDamaged) { // it is made anew
		found, whole, err = &kavosh.SearchResult{}, false, nil
	}
	if err == nil {
		found.Incomplete = !whole
	}
	return found, err
}

// view is the index that a reader's questions are answered from.
func (s *ServedSearch) view(reader access.Reader) (*search.Index, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	v := &s.mu.anybody
	if reader.OnSite && s.rules != nil {
		rules, err := s.rules.Rules()
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(rules.List(), func(d access.Decision) bool { return d.Access == kavosh.OnSite }) {
			v = &s.mu.onSite
		}
	}
	err := s.show(v, reader)
	return v.index, err
}

// refresh lets all readers find what was added.
func (s *ServedSearch) refresh() error {
	s.mu.Lock()
	views := []searchView{s.mu.anybody, s.mu.onSite}
	s.mu.Unlock()
	var errs []error
	for _, v := range views {
		if v.index != nil {
			errs = append(errs, v.index.Refresh())
		}
	}
	return errors.Join(errs...)
}

// Close closes the views and removes what lives no longer.
func (s *ServedSearch) Close() {
	for _, v := range []*searchView{&s.mu.anybody, &s.mu.onSite} {
		if v.index != nil {
			v.index.Close()
		}
	}
	if err := s.source.Close(); err != nil {
		s.Trouble(fmt.Errorf("searching: %w", err))
	}
}

// worked is after how much work others may go first: less than a reader notices.
const worked = 2 * time.Millisecond

// Follow brings the index up to date, once for files and again and again for an archive, until ctx ends.
func (s *ServedSearch) Follow(ctx context.Context) {
	since := time.Now()
	o := archive.Following{Clock: clock.Real{}, Committed: s.refresh, Added: func(int64) {
		if took := time.Since(since); took >= worked {
			s.Yield(ctx, took)
			since = time.Now()
		}
	}}
	var seen journal.Cursor
	told := ""
	for first := true; ; first = false {
		if first || s.source.Grown(seen) || search.Damaged(vfs.Default, s.source.Folder(search.Name)) {
			s.whole.Store(false)
			end, whole, err := s.update(ctx, o)
			if err == nil {
				seen = end
				err = s.refresh()
			}
			s.whole.Store(whole && err == nil)
			if err != nil && ctx.Err() == nil && err.Error() != told {
				told = err.Error()
				s.Trouble(fmt.Errorf("searching: %w", err))
			}
		}
		if s.source.Dir == "" || (clock.Real{}).Sleep(ctx, followEvery) != nil {
			return
		}
	}
}

// update brings up to date all that is kept so while it is served, and says how far that reaches.
func (s *ServedSearch) update(ctx context.Context, o archive.Following) (end journal.Cursor, whole bool, err error) {
	whole = true
	for _, d := range s.Derived {
		if !d.Served {
			continue
		}
		reached, all, err := s.source.Update(ctx, d, o)
		if err != nil {
			return journal.Cursor{}, false, err
		}
		if whole = whole && all; end.Equal(journal.Cursor{}) || end.Covers(reached) {
			end = reached
		}
	}
	return end, whole, nil
}
