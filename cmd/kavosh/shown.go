package main

import (
	"context"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh"
	"kavosh/access"
	"kavosh/archive"
	"kavosh/internal/clock"
	"kavosh/lib/cdx"
	"kavosh/lib/rdf"
	"kavosh/lib/warc"
	"kavosh/quads"
)

// public says what of an archive everybody may see: what is handed to others holds no more. The zero value is for files
// that are no archive's, of which nothing is closed.
type public struct {
	rules *access.Rules
	now   time.Time
}

// publicOf reads the rules of what path names, if that is an archive.
func publicOf(path string) (public, error) {
	if is, err := isArchive(path); err != nil || !is {
		return public{}, err
	}
	rules, err := access.Follow(vfs.Default, path, clock.Real{}).Rules()
	return public{rules, time.Now()}, err
}

// shows reports whether everybody may see a capture.
func (p *public) shows(e *cdx.Entry) bool {
	return p.rules == nil || p.rules.Decide(e, p.now).Access == kavosh.Open
}

// showsRecord reports whether everybody may see what a record holds.
func (p *public) showsRecord(rec *warc.Record) bool {
	return p.rules == nil || p.rules.DecideRecord(rec, p.now).Access == kavosh.Open
}

// showsLine reports whether everybody may see what a line of crawl.log is about.
func (p *public) showsLine(l *archive.Line) bool {
	at := l.Began
	if at.IsZero() {
		at = l.Time
	}
	return p.shows(&cdx.Entry{URL: l.URL, Timestamp: at.UTC().Format("20060102150405"), Digest: l.Digest})
}

// showsURL reports whether everybody may see the page at a URL, as far as rules about URLs tell.
func (p *public) showsURL(url string, at time.Time) bool {
	return p.shows(&cdx.Entry{URL: url, Timestamp: at.UTC().Format("20060102150405")})
}

// closedPages are the hashes of URLs of which the archive's crawls have something that not everybody may see. What led from there is
// not told.
func (s *rdfSource) closedPages(ctx context.Context) (map[uint64]bool, error) {
	closed := map[uint64]bool{}
	if s.public.rules == nil || s.public.rules.Len() == 0 {
		return closed, nil
	}
	return closed, eachRow(ctx, archive.ReadLog(vfs.Default, s.archive, ""), func(l archive.Line) error {
		if !s.public.showsLine(&l) {
			closed[quads.Hash(l.URL)] = true
		}
		return nil
	})
}

// showsDocument reports whether everybody may see a document of an archive.
func (p *public) showsDocument(d *quads.Document) bool {
	return p.shows(&cdx.Entry{URL: d.URL, Timestamp: d.Time.UTC().Format("20060102150405"), Digest: d.Digest})
}

// statements gives those of a store's rows that everybody may see, by the documents that make them.
func (s *rdfSource) statements(ctx context.Context, rows func(func(rdf.Quad, error) bool), yield func(rdf.Quad) error) error {
	if s.public.rules == nil || s.public.rules.Len() == 0 {
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
			graph, shown = q.Graph.Value, ok && s.public.showsDocument(&d) // of what document it is must be known
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
		if !s.public.showsDocument(&d) {
			return nil
		}
		return yield(d)
	})
}
