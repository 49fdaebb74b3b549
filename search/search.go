// Package search answers queries over the texts and pictures of an archive.
//
// A [Gatherer] (gather.go) reads captures and gives what they say to a [Writer] (store.go). The writer collects it
// (build.go) until there is enough for a segment (segment.go, postings.go, document.go, captures.go), and joins
// segments (merge.go). An [Index] keeps the segments open. It parses a query (query.go), makes units of it that
// documents must have (plan.go), walks over the documents that have them (match.go), keeps their URLs that pass all
// filters (find.go, facts.go), and shows the requested page (answer.go, snippet.go, suggest.go). words.go cuts texts
// into terms, likeness.go tells which pictures look alike, pdf.go reads PDF documents with another program.
//
// What may not be shown is left out in one place, hide.go. docs/formats/search.md describes what is stored,
// docs/search.md describes queries. The package reads archived records, and writes nothing but its index.
package search

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh"
)

// Index answers queries from the index in a folder. A writer may add to it meanwhile. Any number of goroutines may use
// it.
type Index struct {
	fs      vfs.FS
	dir     string
	loading sync.Mutex // is locked before mu

	mu struct {
		sync.Mutex
		now    *shared
		hidden Hidden
	}
}

// shared is a snapshot that is closed when its last user is done.
type shared struct {
	*snapshot
	users int // guarded by Index.mu; the Index itself counts as one
}

// Open opens the index in dir. If there is none, it is empty. hidden says which captures are never found.
func Open(fs vfs.FS, dir string, hidden Hidden) (*Index, error) {
	x := &Index{fs: fs, dir: dir}
	x.mu.hidden = hidden
	s, err := openSnapshot(fs, dir, hidden)
	if errors.Is(err, ErrDamaged) { // it is empty until a writer makes it anew
		note(fs, dir, nil, err)
		s, err = openManifest(fs, dir, manifest{}, hidden)
	}
	if err != nil {
		return nil, fmt.Errorf("the search index in %s: %w", dir, err)
	}
	x.mu.now = &shared{s, 1}
	return x, nil
}

// Refresh takes in what was added to the index. Queries are answered meanwhile.
func (x *Index) Refresh() error {
	x.mu.Lock()
	old := x.mu.now.manifest
	x.mu.Unlock()
	m, err := readManifest(x.fs, x.dir)
	if err != nil {
		note(x.fs, x.dir, &old, err)
		return err
	}
	if m.Next == old.Next && m.Cursor.Generation == old.Cursor.Generation {
		return nil
	}
	return x.load()
}

// Hide replaces the rule of what may not be found. It reads the captures of the index again.
func (x *Index) Hide(hidden Hidden) error {
	x.mu.Lock()
	x.mu.hidden = hidden
	x.mu.Unlock()
	return x.load()
}

// load reads the index again, one caller at a time. So the result of an earlier Hide never replaces that of a later
// one.
func (x *Index) load() error {
	x.loading.Lock()
	defer x.loading.Unlock()
	x.mu.Lock()
	hidden := x.mu.hidden
	x.mu.Unlock()
	s, err := openSnapshot(x.fs, x.dir, hidden)
	if err != nil {
		note(x.fs, x.dir, nil, err)
		return err
	}
	x.mu.Lock()
	old := x.mu.now
	x.mu.now = &shared{s, 1}
	x.mu.Unlock()
	x.release(old)
	return nil
}

func (x *Index) acquire() *shared {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.mu.now.users++
	return x.mu.now
}

func (x *Index) release(s *shared) {
	x.mu.Lock()
	s.users--
	last := s.users == 0
	x.mu.Unlock()
	if last {
		s.close()
	}
}

// Close ends the use of the index. Queries that are being answered go on.
func (x *Index) Close() { x.release(x.mu.now) }

// Counts says how much an index has.
type Counts struct {
	Documents int   `json:"documents"` // distinct texts and pictures, and words around pictures
	Captures  int   `json:"captures"`  // and mentions of pictures
	URLs      int   `json:"urls"`
	Bytes     int64 `json:"bytes"` // on disk
}

// Counts returns how much the index has now.
func (x *Index) Counts() Counts {
	s := x.acquire()
	defer x.release(s)
	c := Counts{Documents: len(s.kinds), Captures: len(s.facts.times), URLs: len(s.facts.refs)}
	for _, in := range s.manifest.Segments {
		c.Bytes += in.Bytes
	}
	return c
}

// Search answers a query. The same query to the same index has the same answer. An error is about the index, or comes
// from ctx.
func (x *Index) Search(ctx context.Context, q kavosh.Search) (*kavosh.SearchResult, error) {
	s := x.acquire()
	defer x.release(s)
	found, err := s.find(ctx, &q)
	note(x.fs, x.dir, &s.manifest, err)
	return found, err
}

// Page is the text of one page in an index.
type Page struct{ URL, Title, Text string }

// Pages returns at most most texts of pages, from all parts of the index, each with one of its URLs. language is a BCP
// 47 tag, or "" for any language.
func (x *Index) Pages(language string, most int) (pages []Page, err error) {
	s := x.acquire()
	defer x.release(s)
	var docs []uint32
	for doc, k := range s.kinds {
		if k == pageKind && len(s.facts.of(uint32(doc))) > 0 && (language == "" || s.langNames.list[s.langs[doc]] == language) {
			docs = append(docs, uint32(doc))
		}
	}
	var room textRoom
	step := max(1, (len(docs)+most-1)/max(1, most))
	for i := 0; i < len(docs); i += step {
		d, err := s.stored(docs[i], &room)
		if err != nil {
			return nil, err
		}
		url, err := s.facts.url(s.segments, s.facts.of(docs[i])[0].url)
		if err != nil {
			return nil, err
		}
		pages = append(pages, Page{URL: url, Title: d.title, Text: d.text})
	}
	return pages, nil
}
