package site

// This file keeps the search indexes of served collections up to date.

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
	"kavosh/search"
)

// Searching has the options for searching collections while they are served.
type Searching struct {
	Derived []archive.Derived // all derived things; those with Served are kept up to date
	Links   string            // name of the folder of links, which is made with the search index
	// Yield is called during indexing with the time worked since the last call. It waits while requests of readers are
	// served. nil means: never wait.
	Yield   func(ctx context.Context, worked time.Duration)
	Now     func() time.Time // nil: time.Now
	Trouble func(err error)
}

// Searches holds the search indexes of the served collections and keeps them up to date.
type Searches struct {
	Union search.Union // all of them together; empty if nothing can be searched

	all  []*ServedSearch
	stop context.CancelFunc
	wait sync.WaitGroup
}

// followEvery is how often new captures are looked for and indexed.
const followEvery = 10 * time.Second

// StartSearches opens the search indexes of collections and keeps them up to date until Close. It calls o.Trouble for a
// collection that cannot be searched.
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
		c.Searcher, c.Titles = one, one.Titles
		c.Links = c.Guard.Links(index.LiveLinks(vfs.Default, one.source.Folder(o.Links)))
		c.Reading = func() bool { return !one.whole.Load() }
		s.all, s.Union = append(s.all, one), append(s.Union, one)
		s.wait.Go(func() { one.Follow(ctx) })
	}
	return s
}

// Close stops the indexing and closes the indexes.
func (s *Searches) Close() {
	s.stop()
	s.wait.Wait()
	for _, one := range s.all {
		one.Close()
	}
}

// ServedSearch is the search index of one collection. It finds nothing that an access rule hides from the reader who
// asks.
type ServedSearch struct {
	Searching
	source *archive.Source
	whole  atomic.Bool      // the index had all captures when we last looked
	rules  *access.Follower // nil if there are no rules

	mu struct {
		sync.Mutex
		anybody, onSite searchView // onSite is opened at the first search on site, if some rule depends on that
	}
}

// searchView is an index that hides what one kind of reader may not see.
type searchView struct {
	index *search.Index
	rules *access.Rules // the rules that it applies
	since time.Time     // when it began to apply them
	took  time.Duration // how long it took to begin
	ends  *atomic.Int64 // when the first embargo ends that hides something, in Unix nanoseconds; forever if none
}

const forever = math.MaxInt64

// OpenSearch opens the search index of the archive in dir, or of files if dir is "".
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
		_, done, err := s.source.Hold(d) // only try whether the index can be written
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

// show makes v hide what the rules in force hide from a reader.
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
		return nil // many embargoes may end one after the other: spend a tenth of the time on this at most
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

// hiddenFrom returns what rules hide from a reader: all that the reader may not open. It stores in ends when the first
// embargo ends that hides something.
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
		refused := rules.For(reader, s.Now()).Refused(access.Capture(url, at, digest))
		if refused != nil && !refused.Until.IsZero() {
			for end, first := refused.Until.UnixNano(), ends.Load(); end < first && !ends.CompareAndSwap(first, end); {
				first = ends.Load()
			}
		}
		return refused != nil
	}
	return h
}

// Search searches by the rules that are in force now, for the reader in ctx.
func (s *ServedSearch) Search(ctx context.Context, q kavosh.Search) (*kavosh.SearchResult, error) {
	whole := s.whole.Load() // before the search: captures that are added during it may be missing
	index, err := s.view(access.From(ctx))
	var found *kavosh.SearchResult
	if err == nil {
		found, err = index.Search(ctx, q)
	}
	if errors.Is(err, search.ErrDamaged) { // Follow makes it again
		found, whole, err = &kavosh.SearchResult{}, false, nil
	}
	if err == nil {
		found.Incomplete = !whole
	}
	return found, err
}

// Titles returns the title of each payload, "" where none is known. It asks no rule: the reader may see the payloads.
func (s *ServedSearch) Titles(of []search.Payload) []string {
	s.mu.Lock()
	index := s.mu.anybody.index // that others hide captures changes no title
	s.mu.Unlock()
	titles, err := index.Titles(of)
	if err != nil {
		s.Trouble(fmt.Errorf("searching: titles: %w", err)) // Follow makes a damaged index again
		return make([]string, len(of))
	}
	return titles
}

// view returns the index for a reader.
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

// refresh makes new captures visible to all readers.
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

// Close closes the views, and removes the temporary folder of files.
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

// worked is after how much work Follow calls Yield. A reader does not notice such a short time.
const worked = 2 * time.Millisecond

// Follow brings the index up to date: once for files, and for an archive again and again until ctx ends.
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

// update brings up to date all derived things with Served. It returns the place in the capture log that all have
// reached.
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
