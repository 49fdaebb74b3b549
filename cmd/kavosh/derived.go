package main

import (
	"errors"
	"path/filepath"
	"sync"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh"
	"kavosh/archive"
	"kavosh/extract"
	"kavosh/index"
	"kavosh/internal/disk"
	"kavosh/internal/records"
	"kavosh/quads"
	"kavosh/search"
)

// derived is all that is made of an archive's captures beside what a crawl makes as it goes. To add one, write it as an
// archive.Follower and name it here.
func derived() []archive.Derived {
	return []archive.Derived{searching(), statements()}
}

// linksName is the folder of the links, which are made with the search index: of the same pages.
const linksName = "links@1"

// searching is the search index, and the links of the pages that are read for it.
func searching() archive.Derived {
	return archive.Derived{Name: search.Name, Served: true, Open: func(s *archive.Source, dir string) (archive.Follower, func() error, error) {
		w, err := search.OpenWriter(vfs.Default, dir)
		if err != nil {
			return nil, nil, err
		}
		if w.Renewed {
			s.Trouble("the index of words was damaged, and is made anew")
		}
		links, err := index.OpenLinks(vfs.Default, filepath.Join(filepath.Dir(dir), linksName))
		if err != nil {
			return nil, nil, errors.Join(err, w.Close())
		}
		var buffers extract.Buffers
		said := sync.OnceValue(func() archive.PackageTexts { return archive.ReadPackageTexts(vfs.Default, s.Dir, s.Trouble) }) // few archives need it
		return &search.Gatherer{
			Writer: w, Records: &records.Records{Files: s}, PDF: search.FindPDF(), Links: links, Trouble: func(url string, err error) { s.Trouble(url + ": " + oneLine(err)) },
			Extract: func(p search.Payload) *kavosh.Page {
				page := extract.Extract(extract.Document{URL: p.URL, Status: p.Status, Header: p.Header, Payload: p.Body},
					extract.Options{Buffers: &buffers, MaxLinks: 2000, Needs: kavosh.Needs{Text: true}})
				if s.Dir != "" && archive.IsImported(p.File) {
					said().Complete(p.URL, page)
				}
				return page
			},
		}, w.Close, nil
	}}
}

// statements are those that documents make.
func statements() archive.Derived {
	return archive.Derived{Name: quads.Name, Open: func(s *archive.Source, dir string) (archive.Follower, func() error, error) {
		if err := disk.MkdirAll(vfs.Default, filepath.Dir(dir)); err != nil {
			return nil, nil, err
		}
		store, err := quads.Open(vfs.Default, dir)
		if err != nil {
			return nil, nil, err
		}
		return &quads.Gatherer{Store: store, Records: &records.Records{Files: s}, Trouble: func(url string, err error) { s.Trouble(url + ": " + oneLine(err)) }}, store.Close, nil
	}}
}
