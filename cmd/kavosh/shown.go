package main

import (
	"context"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh/access"
	"kavosh/archive"
	"kavosh/lib/rdf"
	"kavosh/quads"
)

// closedPages are the hashes of URLs of which the archive's crawls have something that not everybody may see. What led
// from there is not told.
func (s *rdfSource) closedPages(ctx context.Context) (map[uint64]bool, error) {
	closed := map[uint64]bool{}
	if s.public.Whole() {
		return closed, nil
	}
	return closed, eachRow(ctx, archive.ReadLog(vfs.Default, s.archive, ""), func(l archive.Line) error {
		if !s.public.Shows(l.Capture()) {
			closed[quads.Hash(l.URL)] = true
		}
		return nil
	})
}

// statements gives those of a store's rows that everybody may see, by the documents that make them.
func (s *rdfSource) statements(ctx context.Context, rows func(func(rdf.Quad, error) bool), yield func(rdf.Quad) error) error {
	if s.public.Whole() {
		return eachRow(ctx, rows, yield)
	}
	var graph string
	var shown bool
	return eachRow(ctx, rows, func(q rdf.Quad) error {
		if q.Graph.Value != graph {
			d, ok, err := s.store.Document(q.Graph.Value)
			if err != nil {
				return err
			}
			graph, shown = q.Graph.Value, ok && s.public.Shows(access.Capture(d.URL, d.Time, d.Digest)) // of what document it is must be known
		}
		if !shown {
			return nil
		}
		return yield(q)
	})
}

// documents gives those of a store that everybody may see.
func (s *rdfSource) documents(ctx context.Context, yield func(quads.Document) error) error {
	return eachRow(ctx, s.store.Documents(), func(d quads.Document) error {
		if !s.public.Shows(access.Capture(d.URL, d.Time, d.Digest)) {
			return nil
		}
		return yield(d)
	})
}
