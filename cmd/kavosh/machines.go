package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh/access"
	"kavosh/api"
	"kavosh/archive"
	"kavosh/internal/clock"
)

// newAPI answers programs about collections, at a home address, whose pages are replayed at another.
func newAPI(p *program, set *collections, homeURL, replayURL string) *api.Server {
	var colls []api.Collection
	for i := range set.collections {
		c := &set.collections[i]
		guard := set.guards[c.Name]
		one := api.Collection{Name: c.Name, Title: c.Title, About: c.About, Index: guard, Store: guard, Gate: guard}
		if c.Picture.Data != nil {
			one.Picture = homeURL + "/c/" + url.PathEscape(c.Name) + "/picture"
		}
		if c.Searcher != nil {
			one.Searcher = c.Searcher
		}
		if c.Links != nil {
			one.Links, one.Reading = c.Links, c.Reading
		}
		if dir := set.archives[c.Name]; dir != "" {
			one.Reports = func() ([]string, []json.RawMessage, error) { return reportsOf(dir) }
		}
		colls = append(colls, one)
	}
	return api.New(colls, replayURL, func(text string) { fmt.Fprintln(p.err, "kavosh:", text) })
}

// newFiles hands out the WARC files of archives, at a home address.
func newFiles(p *program, set *collections, homeURL string) *api.Files {
	var archives []*api.Archive
	for i := range set.collections {
		name := set.collections[i].Name
		if dir := set.archives[name]; dir != "" {
			archives = append(archives, &api.Archive{Name: name, FS: vfs.Default, Dir: dir, Open: set.guards[name].OpenFiles,
				Knows: func(secret string) (bool, error) { return access.Knows(vfs.Default, dir, secret, time.Now()) }})
		}
	}
	from := func(r *http.Request) netip.Addr { return access.From(r.Context()).Address }
	return api.NewFiles(archives, homeURL, from, clock.Real{}, func(text string) { fmt.Fprintln(p.err, "kavosh:", text) })
}

// reportsOf are the reports of an archive's crawls.
func reportsOf(dir string) (ids []string, reports []json.RawMessage, err error) {
	crawls, err := archive.Crawls(vfs.Default, dir)
	for _, c := range crawls {
		data, err := os.ReadFile(filepath.Join(dir, "crawls", c.ID, "report.json"))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, nil, err
		}
		if data, err = toldReport(data); err != nil {
			return nil, nil, fmt.Errorf("the report of crawl %s is damaged", c.ID)
		}
		ids, reports = append(ids, c.ID), append(reports, data)
	}
	return ids, reports, err
}

// toldReport is a report as readers are told it: how many lines of the seeds were bad, and not what they say, which may be closed.
func toldReport(data []byte) ([]byte, error) {
	if len(data) == 0 {
		return nil, nil
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(data, &fields); err != nil {
		return nil, err
	}
	if fields["bad_seeds"] != nil {
		fields["bad_seeds"] = json.RawMessage("[]")
	}
	return json.Marshal(fields)
}
