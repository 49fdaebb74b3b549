// Package site has the archive's own pages, where people find captures and see what an archive contains.
//
// [Site.HomeHandler] serves most of them on one origin: home, collections, hosts, lists, captures, search and crawls,
// one file each. [Site.ReplayHandler] serves archived pages by package replay. It needs another origin, so that
// archived scripts cannot touch this one. A few pages of this package are on that origin too, because they show or
// explain archived pages: the calendar, the comparison, errors and the banner.
//
// The file of a page fills in a struct of package draw, which draws it in English or Persian. docs/formats/replay.md
// lists all URLs.
package site

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"time"

	"kavosh"
	"kavosh/quality"
	"kavosh/quality/tree"
	"kavosh/replay"
	"kavosh/site/draw"
)

// Options says what is served. Collections is required.
type Options struct {
	Collections []Collection
	Searcher    kavosh.Searcher // searches all collections together; nil if there is nothing to search
	// HomeAddr and ReplayAddr are the public base URLs of the two origins, such as "http://127.0.0.1:8088". An empty
	// one means: the origin that the request came to.
	HomeAddr, ReplayAddr string
	CollectionHost       string        // origin of each collection: "*" in "*.replay.example.org" is its name; may be ""
	MaxSpan              time.Duration // how far in time the parts of a replayed page may be from it; 0 means any time
	Camera               Camera        // takes thumbnails; if nil, placeholders are drawn
	Lang                 string        // "en" or "fa", for people whose browser asks for neither; "" = "en"
	Version              string        // of this program, for the foot of pages
	// Trouble is called with one line for the operator of the server. It may be nil.
	Trouble func(text string)
}

// Site serves the pages of collections, and their replay. Its handlers are safe for concurrent use.
type Site struct {
	served      *replay.Collections
	collections []*Collection // in the given order
	all         *Collection
	addresses   *replay.Addresses
	replay      *replay.Server
	draw        *draw.Set
	counts      counts
	camera      Camera
	read        func(url string, status int, header kavosh.Header, payload []byte) *kavosh.Page
	trouble     func(string)
	now         func() time.Time
	learning    chan struct{} // holds one while a rhythm is learned, or pages are looked at
	measures    measures
	trees       readings[*tree.Tree]
	timelines   readings[*quality.Defects]
}

// New makes a Site. An error names the option that is wrong and says why.
func New(o Options) (*Site, error) {
	if o.Trouble == nil {
		o.Trouble = func(string) {}
	}
	s := &Site{camera: o.Camera, read: readPage, trouble: o.Trouble, now: time.Now, learning: make(chan struct{}, 1), counts: counts{trouble: o.Trouble}}
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
	s.draw, err = draw.New(draw.Options{Home: s.addresses.Home, Replay: s.addresses.Replay,
		Others: s.addresses.Others(), Lang: o.Lang, Version: o.Version})
	if err != nil {
		return nil, err
	}
	s.replay, err = replay.New(replay.Options{Collections: s.served, Addresses: s.addresses, Pages: replayPages{s}, MaxSpan: o.MaxSpan, Trouble: s.trouble})
	return s, err
}

// ReplayHandler returns the handler of the replay's origin.
func (s *Site) ReplayHandler() *replay.Server { return s.replay }

// of returns the collection that is replayed as c.
func (s *Site) of(c *replay.Collection) *Collection {
	if i := slices.IndexFunc(s.collections, func(o *Collection) bool { return o.Collection == c }); i >= 0 {
		return s.collections[i]
	}
	return s.all
}

// problem sends an error page of the home pages.
func (s *Site) problem(w http.ResponseWriter, r *http.Request, status int, kind, cause string) {
	s.draw.HomeProblem(w, r, draw.Problem{Status: status, Kind: kind, Cause: cause})
}

// broken sends an error page of the home pages when part of the archive cannot be read.
func (s *Site) broken(w http.ResponseWriter, r *http.Request, what string, err error) {
	if r.Context().Err() != nil {
		panic(http.ErrAbortHandler) // the client is gone
	}
	s.trouble(fmt.Sprintf("%s: %v", what, err))
	s.problem(w, r, http.StatusInternalServerError, "broken", err.Error())
}

// withheld says why an access rule hides what c has of a URL; nil if no rule hides anything of it. An error goes to
// Options.Trouble.
func (s *Site) withheld(ctx context.Context, c *Collection, url string) *kavosh.Refused {
	refused, err := c.Withheld(ctx, url)
	if err != nil {
		s.trouble(err.Error())
	}
	return refused
}
