// Package search answers queries over the texts and pictures of an archive.
//
// A [Gatherer] (gather.go) reads captures and gives what they say to a [Writer] (store.go), which collects it
// (build.go) until there is enough for a segment (segment.go, postings.go, document.go, captures.go) and joins segments
// (merge.go). An [Index] has the segments open: it reads a question (query.go), makes units of it that documents must
// have (plan.go), walks over the documents that have them (match.go), takes them in at the URLs where they pass all
// filters (find.go, facts.go), and shows the page that was asked for (answer.go, snippet.go, suggest.go). words.go cuts
// texts into terms, likeness.go tells pictures by how they look, pdf.go reads PDF documents by another program.
//
// What may not be shown is left out in one place, hide.go. docs/formats/search.md describes what is stored,
// docs/search.md questions.
package search

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh"
)

// Index answers questions to the index in a folder, which somebody may be adding to. Any number of goroutines may use
// it.
type Index struct {
	fs      vfs.FS
	dir     string
	loading sync.Mutex // before mu

	mu struct {
		sync.Mutex
		now    *shared
		hidden Hidden
	}
}

// shared is a snapshot that is closed when the last one who uses it is done.
type shared struct {
	*snapshot
	users int // under Index.mu; the index itself is one
}

// Open opens the index in dir; one that is not there is empty.
func Open(fs vfs.FS, dir string, hidden Hidden) (*Index, error) {
	x := &Index{fs: fs, dir: dir}
	x.mu.hidden = hidden
	s, err := openSnapshot(fs, dir, hidden)
	if errors.Is(err, ErrDamaged) { // until it is made anew
		note(fs, dir, nil, err)
		s, err = openManifest(fs, dir, manifest{}, hidden)
	}
	if err != nil {
		return nil, fmt.Errorf("the search index in %s: %w", dir, err)
	}
	x.mu.now = &shared{s, 1}
	return x, nil
}

// Refresh takes in what was added to the index. Questions are answered meanwhile.
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

// Hide replaces what may not be found. It reads the captures of the index again.
func (x *Index) Hide(hidden Hidden) error {
	x.mu.Lock()
	x.mu.hidden = hidden
	x.mu.Unlock()
	return x.load()
}

// load reads the index again, one caller after the other. So no caller can replace the result of a later Hide by that
// of an earlier one.
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

// Close ends the use of the index; questions that are being answered go on.
func (x *Index) Close() { x.release(x.mu.now) }

// Counts say how much an index has.
type Counts struct {
	Documents int   `json:"documents"` // distinct texts and pictures, and words around pictures
	Captures  int   `json:"captures"`  // with the mentions of pictures
	URLs      int   `json:"urls"`
	Bytes     int64 `json:"bytes"` // on disk
}

// Counts counts.
func (x *Index) Counts() Counts {
	s := x.acquire()
	defer x.release(s)
	c := Counts{Documents: len(s.kinds), Captures: len(s.facts.times), URLs: len(s.facts.refs)}
	for _, in := range s.manifest.Segments {
		c.Bytes += in.Bytes
	}
	return c
}

// Search answers a question. The same question to the same index has the same answer. An error is of the index, or of
// ctx.
func (x *Index) Search(ctx context.Context, q kavosh.Search) (*kavosh.SearchResult, error) {
	s := x.acquire()
	defer x.release(s)
	found, err := s.find(ctx, &q)
	note(x.fs, x.dir, &s.manifest, err)
	return found, err
}

// Page is a text of an index.
type Page struct{ URL, Title, Text string }

// Pages are texts of pages in a language, of any when it is "", each at one of its URLs: at most most, spread over the
// index.
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
