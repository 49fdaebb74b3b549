package quads

import (
	"bytes"
	"context"
	"io"
	"strings"
	"time"

	"kavosh"
	"kavosh/lib/weburl"
)

// This file finds the contexts that JSON-LD documents name, among an archive's own captures. A crawl often gets a
// document before its contexts. The document is read again when they are there.

const (
	maxContext  = 8 << 20  // bytes of a context
	maxContexts = 16 << 20 // bytes of contexts that are kept in memory
	maxMissing  = 100      // missing contexts that are noted for one document
	maxSteps    = 5        // redirects from a context's URL to its document
)

// contextCache keeps contexts in memory by their place in the archive, at most maxContexts bytes.
type contextCache struct {
	documents map[place][]byte // nil for a document that is no context
	size      int
}

type place struct {
	file   string
	offset int64
}

// Settle reads documents again whose JSON-LD contexts were captured after them. It stops with the error of ctx when
// that ends. The next call does the rest.
func (g *Gatherer) Settle(ctx context.Context) error {
	for url, err := range g.Store.unsettled() {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return err
		}
		d, _, err := g.Store.Document(url)
		if err != nil {
			return err
		}
		for _, missing := range d.Missing {
			if _, ok := g.context(missing); ok {
				if err := g.put(&d); err != nil {
					return err
				}
				break
			}
		}
	}
	return nil
}

// context returns the JSON-LD context that the archive has at url: the newest answer there that is JSON, or the one to
// which the newest redirect leads.
func (g *Gatherer) context(url string) (document []byte, ok bool) {
	for range 1 + maxSteps {
		key, err := weburl.Key(url)
		if err != nil {
			return nil, false
		}
		d, known, err := g.Store.Document(key)
		if err != nil {
			return nil, false
		}
		if known {
			if document := g.json(&d); document != nil {
				return document, true
			}
		}
		if url, _, ok = g.Store.redirection(key); !ok {
			return nil, false
		}
	}
	return nil, false
}

// json returns the payload of a document if it can be a context (a JSON object), and nil otherwise.
func (g *Gatherer) json(d *Document) []byte {
	at := place{d.File, d.Offset}
	cache := &g.contexts
	if document, known := cache.documents[at]; known {
		return document
	}
	document := g.load(d)
	const overhead = 256 // bytes of memory of an entry, without the document
	if cache.size += len(document) + overhead; cache.documents == nil || cache.size > maxContexts {
		cache.documents, cache.size = map[place][]byte{}, len(document)+overhead
	}
	cache.documents[at] = document
	return document
}

func (g *Gatherer) load(d *Document) []byte {
	p, done, err := g.open(d)
	if err != nil {
		return nil
	}
	defer done()
	document, err := io.ReadAll(io.LimitReader(p.Body, maxContext+1))
	start := bytes.TrimLeft(bytes.TrimPrefix(document, []byte("\uFEFF")), " \t\r\n")
	if err != nil || !bytes.HasPrefix(start, []byte("{")) {
		return nil
	}
	return document
}

// redirect notes where a capture redirects to, unless a newer redirect of its URL is known.
func (s *Store) redirect(c *kavosh.Capture) error {
	base, err := weburl.Parse(c.URL)
	if err != nil {
		return nil
	}
	to, err := weburl.Resolve(base, c.Location)
	if err != nil {
		return nil
	}
	if err := s.write(0); err != nil {
		return err
	}
	if _, at, ok := s.redirection(c.URL); ok && at.After(c.Time) {
		return nil
	}
	value := c.Time.UTC().Format(time.RFC3339Nano) + " " + to
	return s.batch.Set(append([]byte("r"), c.URL...), []byte(value), nil)
}

// redirection returns where the newest redirect of a URL leads, and when it was captured. ok is false if there is none.
func (s *Store) redirection(url string) (to string, at time.Time, ok bool) {
	v, err := s.db.Value(append([]byte("r"), url...))
	if err != nil {
		return "", at, false
	}
	when, to, ok := strings.Cut(string(v), " ")
	if at, err = time.Parse(time.RFC3339Nano, when); err != nil {
		return "", at, false
	}
	return to, at, ok
}
