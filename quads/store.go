package quads

// This file stores statements on disk, in one Pebble database.

import (
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"iter"
	"strconv"
	"strings"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh"
	"kavosh/internal/disk"
	"kavosh/internal/journal"
	"kavosh/internal/store"
	"kavosh/lib/rdf"
	"kavosh/lib/warc"
)

// Store keeps the statements of documents in four sorted orders, each statement once. So every pattern is a range of
// one of them. docs/formats/rdf.md describes what is stored:
//
//	"c"                    → cursor into the capture log, in the form of journal.Cursor
//	"d" URL                → Document, as JSON
//	"h" digest             → URL of a document with that payload that has statements, or is RDF, or lacks contexts
//	"r" URL                → where its newest redirect leads: time, a space, URL
//	"w" URL                → nothing; the document lacks contexts
//	"s" S P O G            → nothing; each term as in N-Quads, and a space
//	"p" P O S G            → nothing
//	"o" O S P G            → nothing
//	"g" G S P O            → nothing
//
// Only one process can have a Store open at a time.
type Store struct {
	db     *store.DB
	batch  *pebble.Batch
	cursor journal.Cursor
	key    []byte
}

// orders are the tags of the orders of a statement's terms. They also number the terms: 0 is the subject, 3 the graph.
const orders = "spog"

func orderOf(tag byte) [4]int {
	switch tag {
	case 'p':
		return [4]int{1, 2, 0, 3}
	case 'o':
		return [4]int{2, 0, 1, 3}
	case 'g':
		return [4]int{3, 0, 1, 2}
	}
	return [4]int{0, 1, 2, 3}
}

const (
	tableSize = 16 << 20 // bytes collected in memory before they are sorted into files
	cacheSize = 16 << 20 // bytes of blocks in memory
	mostBatch = 4 << 20  // bytes that are collected before they are written
)

// Open opens the store in dir, and makes it if there is none. The error is a disk.ErrInUse while another process has it
// open. It needs about 64 MB of memory, whatever its size.
func Open(fs vfs.FS, dir string) (*Store, error) {
	opts := &pebble.Options{MemTableSize: tableSize, CacheSize: cacheSize + 2*tableSize, MaxOpenFiles: 200, DisableWAL: true}
	for i := range opts.Levels {
		opts.Levels[i].Compression = func() *sstable.CompressionProfile { return sstable.ZstdCompression }
		opts.Levels[i].BlockSize = 32 << 10
		opts.TargetFileSizes[i] = 16 << 20
	}
	db, err := store.Open(fs, dir, opts)
	switch {
	case err == nil:
		s := &Store{db: db, batch: db.NewBatch()}
		stored, err := db.Value([]byte("c"))
		if err == nil && stored != nil {
			s.cursor, _ = journal.ParseCursor(stored) // if it is damaged, the whole log is read again
		}
		if err != nil {
			return nil, errors.Join(err, s.Close())
		}
		return s, nil
	case disk.InUse(err):
		return nil, fmt.Errorf("%s: %w", dir, disk.ErrInUse)
	case store.Damaged(err):
		return nil, fmt.Errorf("%w; it can be made again: delete the folder", err)
	}
	return nil, err
}

// Close makes what was put durable, and closes the store.
func (s *Store) Close() error {
	err := s.write(0)
	if err == nil {
		err = s.db.Flush()
	}
	return errors.Join(err, s.db.Close())
}

// write writes the batch if it has more than least bytes. The database has no log of its own. After a crash it lacks
// the newest writes from some moment on, with their cursor, so they are made again.
func (s *Store) write(least int) error {
	if s.batch.Empty() || s.batch.Len() < least {
		return nil
	}
	if err := s.db.Commit(s.batch, pebble.NoSync); err != nil {
		return err // the database may still use the batch
	}
	if err := s.batch.Close(); err != nil {
		return err
	}
	s.batch = s.db.NewBatch()
	return nil
}

// Cursor returns the place in the capture log from which to go on.
func (s *Store) Cursor() journal.Cursor { return s.cursor }

// Commit records that all captures before cursor have been put.
func (s *Store) Commit(cursor journal.Cursor) error {
	stored, err := json.Marshal(cursor)
	if err == nil {
		err = s.batch.Set([]byte("c"), stored, nil)
	}
	if err != nil {
		return err
	}
	s.cursor = cursor
	return s.write(mostBatch)
}

// Reset empties the store. The caller then puts all captures again, from the start of a generation of the capture log.
func (s *Store) Reset(generation int) error {
	if err := s.batch.DeleteRange([]byte{0}, []byte{0xff}, nil); err != nil {
		return err
	}
	if err := s.Commit(journal.At(generation, 0)); err != nil {
		return err
	}
	return s.write(0)
}

// Put replaces the statements of a document by those that read yields, and its Document by d, which read fills in.
// Blank nodes get labels that no other document has. Put does nothing if d must not replace what is known.
func (s *Store) Put(d *Document, read func(yield func(rdf.Quad) error) error) error {
	if err := s.write(0); err != nil {
		return err
	}
	old, known, err := s.Document(d.URL)
	if err != nil || known && !d.replaces(&old) {
		return err
	}
	graph := rdf.Term{Kind: rdf.IRI, Value: d.URL}
	if known && old.Statements > 0 {
		if err := s.clear(graph); err != nil {
			return err
		}
	}
	label := blankPrefix(d.URL)
	err = read(func(q rdf.Quad) error {
		q = Apart(q, label)
		q.Graph = graph
		if err := s.each(q, func(key []byte) error { return s.batch.Set(key, nil, nil) }); err != nil {
			return err
		}
		return s.write(mostBatch)
	})
	if err != nil {
		return err
	}
	value, err := json.Marshal(d)
	if err != nil {
		return err
	}
	if err := s.batch.Set(append([]byte("d"), d.URL...), value, nil); err != nil {
		return err
	}
	if err := s.lack(d, known && len(old.Missing) > 0); err != nil {
		return err
	}
	if (d.Statements > 0 || d.Class == kavosh.ClassRDF || len(d.Missing) > 0) && d.Digest != "" {
		if err := s.batch.Set(append([]byte("h"), warc.DigestKey(d.Digest)...), []byte(d.URL), nil); err != nil {
			return err
		}
	}
	return s.write(mostBatch)
}

// lack notes whether a document lacks contexts. lacked says whether it did before.
func (s *Store) lack(d *Document, lacked bool) error {
	key := append([]byte("w"), d.URL...)
	switch {
	case len(d.Missing) > 0:
		return s.batch.Set(key, nil, nil)
	case lacked:
		return s.batch.Delete(key, nil)
	}
	return nil
}

// unsettled yields the URLs of the documents that lack contexts.
func (s *Store) unsettled() iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		for key, v := range s.keys([]byte("w")) {
			if v.err != nil {
				yield("", v.err)
				return
			}
			if !yield(key[1:], nil) {
				return
			}
		}
	}
}

// clear removes the statements of a graph.
func (s *Store) clear(graph rdf.Term) error {
	for q, err := range s.Match(Pattern{Graph: graph}) {
		if err == nil {
			err = s.each(q, func(key []byte) error { return s.batch.Delete(key, nil) })
		}
		if err != nil {
			return err
		}
		if s.batch.Len() > mostBatch {
			if err := s.write(0); err != nil {
				return err
			}
		}
	}
	return nil
}

// each calls do with every key of a statement.
func (s *Store) each(q rdf.Quad, do func(key []byte) error) error {
	terms := [4]rdf.Term{q.Subject, q.Predicate, q.Object, q.Graph}
	for i := range len(orders) {
		s.key = append(s.key[:0], orders[i])
		for _, at := range orderOf(orders[i]) {
			s.key = appendTerm(s.key, terms[at])
		}
		if err := do(s.key); err != nil {
			return err
		}
	}
	return nil
}

// blankPrefix returns the beginning of the labels of a document's blank nodes.
func blankPrefix(url string) string {
	h := fnv.New64a()
	_, _ = h.Write([]byte(url)) // never fails
	return "d" + strconv.FormatUint(h.Sum64(), 36) + "x"
}

// Apart returns a statement whose blank nodes have label before their own labels, so that those of different documents
// differ.
func Apart(q rdf.Quad, label string) rdf.Quad {
	for _, t := range [...]*rdf.Term{&q.Subject, &q.Object, &q.Graph} {
		if t.Kind == rdf.Blank && label != "" {
			t.Value = label + t.Value
		}
	}
	return q
}

// Document returns what is known of a URL. ok is false if nothing is known.
func (s *Store) Document(url string) (d Document, ok bool, err error) {
	v, err := s.db.Value(append([]byte("d"), url...))
	if err != nil || v == nil {
		return d, false, err
	}
	return d, true, json.Unmarshal(v, &d)
}

// Twin returns a document with data whose payload has the given digest. ok is false if none is known.
func (s *Store) Twin(digest string) (d Document, ok bool, err error) {
	if err := s.write(0); err != nil {
		return d, false, err
	}
	url, err := s.db.Value(append([]byte("h"), warc.DigestKey(digest)...))
	if err != nil || url == nil {
		return d, false, err
	}
	d, ok, err = s.Document(string(url))
	return d, ok && warc.SameDigest(d.Digest, digest), err
}

// Documents yields all documents, sorted by URL.
func (s *Store) Documents() iter.Seq2[Document, error] {
	return func(yield func(Document, error) bool) {
		for key, value := range s.keys([]byte("d")) {
			var d Document
			err := value.err
			if err == nil {
				if err = json.Unmarshal(value.bytes, &d); err != nil {
					err = fmt.Errorf("%s: %w", key, err)
				}
			}
			if !yield(d, err) || err != nil {
				return
			}
		}
	}
}

// value is a stored value, valid until the next one, or the error of reading it.
type value struct {
	bytes []byte
	err   error
}

// keys yields all keys that begin with prefix, in order, with their values.
func (s *Store) keys(prefix []byte) iter.Seq2[string, value] {
	return func(yield func(string, value) bool) {
		fail := func(err error) { yield("", value{err: err}) }
		if err := s.write(0); err != nil {
			fail(err)
			return
		}
		end := append([]byte{}, prefix...)
		end[len(end)-1]++ // the last byte is a tag or a space, so it can grow
		it, err := s.db.NewIter(&pebble.IterOptions{LowerBound: prefix, UpperBound: end})
		if err != nil {
			fail(err)
			return
		}
		defer it.Close()
		for ok := it.First(); ok; ok = it.Next() {
			v, err := it.ValueAndErr()
			if !yield(string(it.Key()), value{v, err}) || err != nil {
				return
			}
		}
		if err := it.Error(); err != nil {
			fail(err)
		}
	}
}

// Match yields the statements that a pattern asks for, each once, in the order of the index that is used (by subject
// for a pattern without terms). The store must not be written meanwhile.
func (s *Store) Match(p Pattern) iter.Seq2[rdf.Quad, error] { return s.read(p.plan()) }

// ByGraph yields all statements, graph by graph, and within each by subject.
func (s *Store) ByGraph() iter.Seq2[rdf.Quad, error] { return s.read("g", [4]string{}) }

// read yields the statements with the wanted terms, from a range of keys.
func (s *Store) read(prefix string, wanted [4]string) iter.Seq2[rdf.Quad, error] {
	order := orderOf(prefix[0])
	return func(yield func(rdf.Quad, error) bool) {
		for key, v := range s.keys([]byte(prefix)) {
			var q rdf.Quad
			matches, err := true, v.err
			if err == nil {
				q, matches, err = statement(key[1:], order, &wanted)
			}
			if (matches || err != nil) && !yield(q, err) || err != nil {
				return
			}
		}
	}
}

// statement reads a key without its tag. matches says whether its terms are those that are wanted.
func statement(key string, order [4]int, wanted *[4]string) (q rdf.Quad, matches bool, err error) {
	var terms [4]rdf.Term
	rest := key
	for _, at := range order {
		if want := wanted[at]; want != "" && !strings.HasPrefix(rest, want) {
			return q, false, nil
		}
		var ok bool
		if terms[at], rest, ok = cutTerm(rest); !ok {
			return q, false, fmt.Errorf("the statement %q is damaged: delete the folder, it can be made again", key)
		}
	}
	return rdf.Quad{Subject: terms[0], Predicate: terms[1], Object: terms[2], Graph: terms[3]}, true, nil
}
