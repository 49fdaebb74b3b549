package main

// This file names everything that is derived from an archive's captures after the crawl, and connects each with what it
// needs.

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
	"kavosh/quads"
	"kavosh/search"
	"kavosh/texts"
)

// derived returns everything that is made from an archive's captures, except what a crawl makes itself. To add one,
// write an archive.Follower and name it here.
func derived() []archive.Derived {
	return []archive.Derived{texting(), searching(), statements()}
}

// linksName is the folder of the links. They are made together with the texts, because both read the same pages.
const linksName = "links@1"

// texting makes the texts of pages, and the links of the pages that are read for them.
func texting() archive.Derived {
	return archive.Derived{Name: texts.Name, Open: func(s *archive.Source, dir string) (archive.Follower, func() error, error) {
		return openTexts(s, filepath.Dir(dir))
	}}
}

func openTexts(s *archive.Source, folder string) (*texts.Gatherer, func() error, error) {
	store, err := texts.OpenStore(vfs.Default, filepath.Join(folder, texts.Name))
	if err != nil {
		return nil, nil, err
	}
	if store.Renewed {
		s.Trouble("the texts were damaged, and are made anew")
	}
	links, err := index.OpenLinks(vfs.Default, filepath.Join(folder, linksName))
	if err != nil {
		return nil, nil, errors.Join(err, store.Close())
	}
	var buffers extract.Buffers
	said := sync.OnceValue(func() archive.PackageTexts { return archive.ReadPackageTexts(vfs.Default, s.Dir, s.Trouble) }) // read once, and only if an archive needs it
	return &texts.Gatherer{
		Store: store, Records: s.Records(), Links: links, Trouble: trouble(s),
		Extract: func(p texts.Payload) (page *kavosh.Page, told bool) {
			page = extract.Extract(extract.Document{URL: p.URL, Status: p.Status, Header: p.Header, Payload: p.Body},
				extract.Options{Buffers: &buffers, MaxLinks: 2000, Needs: kavosh.Needs{Text: true, Blocks: true}})
			if s.Dir != "" && archive.IsImported(p.File) {
				told = said().Complete(p.URL, page)
			}
			return page, told
		},
	}, store.Close, nil
}

// trouble returns a function that reports captures that cannot be read.
func trouble(s *archive.Source) func(url string, err error) {
	return func(url string, err error) { s.Trouble(url + ": " + oneLine(err)) }
}

// searching makes the search index.
func searching() archive.Derived {
	return archive.Derived{Name: search.Name, Served: true, Open: func(s *archive.Source, dir string) (archive.Follower, func() error, error) {
		w, err := search.OpenWriter(vfs.Default, dir)
		if err != nil {
			return nil, nil, err
		}
		if w.Renewed {
			s.Trouble("the index of words was damaged, and is made anew")
		}
		texts, done, err := openTexts(s, filepath.Dir(dir))
		if err != nil {
			return nil, nil, errors.Join(err, w.Close())
		}
		g := &search.Gatherer{Writer: w, Texts: texts, Records: s.Records(), PDF: search.FindPDF(), Trouble: trouble(s)}
		return g, func() error { return errors.Join(w.Close(), done()) }, nil
	}}
}

// statements makes the store of RDF statements.
func statements() archive.Derived {
	return archive.Derived{Name: quads.Name, Open: func(s *archive.Source, dir string) (archive.Follower, func() error, error) {
		if err := disk.MkdirAll(vfs.Default, filepath.Dir(dir)); err != nil {
			return nil, nil, err
		}
		store, err := quads.Open(vfs.Default, dir)
		if err != nil {
			return nil, nil, err
		}
		return &quads.Gatherer{Store: store, Records: s.Records(), Trouble: trouble(s)}, store.Close, nil
	}}
}
