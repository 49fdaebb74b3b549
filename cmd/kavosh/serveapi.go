package main

import (
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh/access"
	"kavosh/api"
	"kavosh/internal/clock"
)

// newAPI returns the API about collections at a home address. Their pages are replayed at another address.
func newAPI(p *program, set *collections, homeURL, replayURL string) *api.Server {
	var colls []api.Collection
	for i := range set.collections {
		c := &set.collections[i]
		one := api.Collection{Name: c.Name, Title: c.Title, About: c.About, Records: c.Records, Archive: c.Dir,
			Searcher: c.Searcher, Links: c.Links, Reading: c.Reading}
		if c.Picture.Data != nil {
			one.Picture = homeURL + "/c/" + url.PathEscape(c.Name) + "/picture"
		}
		colls = append(colls, one)
	}
	return api.New(colls, replayURL, func(text string) { fmt.Fprintln(p.err, "kavosh:", text) })
}

// newFiles returns the server of archives' WARC files at a home address.
func newFiles(p *program, set *collections, homeURL string) *api.Files {
	var archives []*api.Archive
	for _, c := range set.collections {
		if c.Dir == "" {
			continue
		}
		tokens := access.FollowTokens(vfs.Default, c.Dir)
		archives = append(archives, &api.Archive{Name: c.Name, FS: vfs.Default, Dir: c.Dir, Open: c.Guard.OpenFiles,
			Knows: func(secret string) (bool, error) { return tokens.Knows(secret, time.Now()) }})
	}
	from := func(r *http.Request) netip.Addr { return access.From(r.Context()).Address }
	return api.NewFiles(archives, homeURL, from, clock.Real{}, func(text string) { fmt.Fprintln(p.err, "kavosh:", text) })
}
