package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh/api"
	"kavosh/engine"
)

// newAPI answers programs about collections whose pages are replayed at a base URL.
func newAPI(p *program, set *collections, replayURL string) *api.Server {
	var colls []api.Collection
	for i := range set.collections {
		c := &set.collections[i]
		guard := set.guards[c.Name]
		one := api.Collection{Name: c.Name, Title: c.Title, Index: guard, Store: guard, Gate: guard}
		if c.Searcher != nil {
			one.Searcher = c.Searcher
		}
		if dir := set.archives[c.Name]; dir != "" {
			one.Reports = func() ([]string, []json.RawMessage, error) { return reportsOf(dir) }
		}
		colls = append(colls, one)
	}
	return api.New(colls, replayURL, func(text string) { fmt.Fprintln(p.err, "kavosh:", text) })
}

// reportsOf are the reports of an archive's crawls.
func reportsOf(dir string) (ids []string, reports []json.RawMessage, err error) {
	crawls, err := engine.Crawls(vfs.Default, dir)
	for _, c := range crawls {
		data, err := os.ReadFile(filepath.Join(dir, "crawls", c.ID, "report.json"))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, nil, err
		}
		if len(data) > 0 && !json.Valid(data) {
			return nil, nil, fmt.Errorf("the report of crawl %s is damaged", c.ID)
		}
		ids, reports = append(ids, c.ID), append(reports, data)
	}
	return ids, reports, err
}
