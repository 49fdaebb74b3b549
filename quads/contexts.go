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

// The contexts that JSON-LD names, as the archive has them. A crawl comes to a document before it comes to its
// contexts: the document is read again when they are there.

const (
	maxContext  = 8 << 20  // bytes of a context
	maxContexts = 16 << 20 // bytes of contexts that are remembered
	maxMissing  = 100      // contexts that are noted of a document
	maxSteps    = 5        // redirects between the name of a context and the document
)

// contextCache remembers contexts by where they lie in the archive, up to maxContexts of them and of their bytes.
type contextCache struct {
	documents map[place][]byte // nil for what is no context
	size      int
}

type place struct {
	file   string
	offset int64
}

// Settle reads documents again whose JSON-LD context came to the archive after them. It stops when ctx ends; the next
// call does the rest.
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

// context is a JSON-LD context that the archive has: the newest answer at its URL that is JSON, or where the newest
// redirect there leads to.
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

// json is the payload of a document if it may be a context: a JSON object. It is nil otherwise.
func (g *Gatherer) json(d *Document) []byte {
	at := place{d.File, d.Offset}
	cache := &g.contexts
	if document, known := cache.documents[at]; known {
		return document
	}
	document := g.load(d)
	const overhead = 256 // bytes of an entry besides the document
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

// redirect notes where a capture redirects to, unless it is older than what is known.
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

// redirection is where the newest redirect of a URL leads to, and when it was captured; ok is false for none.
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
