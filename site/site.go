// Package site has the archive's own pages, by which people find captures and see what an archive is made of.
//
// [Site.HomeHandler] has an origin for them: home, collections, hosts, lists, captures, search and crawls, one file
// each. Archived pages are package replay's, at [Site.ReplayHandler], on another origin, for their scripts may touch
// nothing of this one. Some pages lie there, since they hold or explain what is replayed: the calendar, the
// comparison, errors and the banner.
//
// A page's file fills in a struct of package draw, which draws it in English or Persian. docs/formats/replay.md is
// the map of all URLs.
package site

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"time"

	"kavosh"
	"kavosh/replay"
	"kavosh/site/draw"
)

// Options say what is served. Collections is needed.
type Options struct {
	Collections []Collection
	Searcher    Searcher // of all collections together; nil where there is nothing to search
	// HomeAddr and ReplayAddr are the base URLs of the two origins as people reach them, "http://127.0.0.1:8088". An
	// empty one stands for the origin of the page that links there.
	HomeAddr, ReplayAddr string
	CollectionHost       string        // as replay.NewAddresses has it
	MaxSpan              time.Duration // as replay.Options has it
	Camera               Camera        // takes thumbnails; nil for drawn ones
	Lang                 string        // "en" or "fa", for people whose browser asks for neither; "" = "en"
	Version              string        // of this program, for the foot of pages
	// Trouble is told what a person who runs the server should know, in one line. It may be nil.
	Trouble func(text string)
}

// Site serves the pages of collections, and their replay. Its handlers may be used by any number of goroutines.
type Site struct {
	served      *replay.Collections
	collections []*Collection // as given
	all         *Collection
	addresses   *replay.Addresses
	replay      *replay.Server
	draw        *draw.Set
	counts      counts
	camera      Camera
	read        func(url string, status int, header kavosh.Header, payload []byte) *kavosh.Page
	trouble     func(string)
	now         func() time.Time
}

// New checks the options. An error names the option and what is wrong with it.
func New(o Options) (*Site, error) {
	if o.Trouble == nil {
		o.Trouble = func(string) {}
	}
	s := &Site{camera: o.Camera, read: readPage, trouble: o.Trouble, now: time.Now, counts: counts{trouble: o.Trouble}}
	var err error
	if s.addresses, err = replay.NewAddresses(o.HomeAddr, o.ReplayAddr, o.CollectionHost); err != nil {
		return nil, err
	}
	var replayed []replay.Collection
	for _, c := range o.Collections {
		replayed = append(replayed, *c.Collection)
	}
	if s.served, err = replay.NewCollections(replayed); err != nil {
		return nil, err
	}
	for i, c := range o.Collections {
		if c.Title == "" {
			c.Title = c.Name
		}
		c.Collection, c.addresses, c.members = s.served.List[i], s.addresses, []*Collection{&c}
		s.collections = append(s.collections, &c)
	}
	s.all = &Collection{Collection: s.served.All, Searcher: o.Searcher, addresses: s.addresses, members: s.collections}
	if s.draw, err = draw.New(draw.Options{Home: s.addresses.Home, Replay: s.addresses.Replay, Others: s.addresses.Others(), Lang: o.Lang, Version: o.Version}); err != nil {
		return nil, err
	}
	s.replay, err = replay.New(replay.Options{Collections: s.served, Addresses: s.addresses, Pages: replayPages{s}, MaxSpan: o.MaxSpan, Trouble: s.trouble})
	return s, err
}

// ReplayHandler serves the replay's origin.
func (s *Site) ReplayHandler() *replay.Server { return s.replay }

// of is the collection that is replayed as c.
func (s *Site) of(c *replay.Collection) *Collection {
	if i := slices.IndexFunc(s.collections, func(o *Collection) bool { return o.Collection == c }); i >= 0 {
		return s.collections[i]
	}
	return s.all
}

// problem answers on the home pages where there is nothing to show.
func (s *Site) problem(w http.ResponseWriter, r *http.Request, status int, kind, cause string) {
	s.draw.HomeProblem(w, r, draw.Problem{Status: status, Kind: kind, Cause: cause})
}

// broken answers on the home pages when what they are made of cannot be read.
func (s *Site) broken(w http.ResponseWriter, r *http.Request, what string, err error) {
	if r.Context().Err() != nil {
		panic(http.ErrAbortHandler) // nobody waits for it any more
	}
	s.trouble(fmt.Sprintf("%s: %v", what, err))
	s.problem(w, r, http.StatusInternalServerError, "broken", err.Error())
}

// withheld is why c shows nothing of a URL, nil when it holds no more of it.
func (s *Site) withheld(ctx context.Context, c *Collection, url string) *kavosh.Refused {
	refused, err := c.Withheld(ctx, url)
	if err != nil {
		s.trouble(err.Error())
	}
	return refused
}
