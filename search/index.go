package search

// This file opens an index as it is at one moment, and reads into memory what every query needs.

import (
	"bytes"
	"errors"
	"os"
	"runtime"
	"sync"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/klauspost/compress/zstd"
)

// snapshot is an index as it was at one moment. Queries are answered from it. Any number of goroutines may read it.
type snapshot struct {
	manifest manifest
	segments []*segment
	unpacker *zstd.Decoder
	facts    *facts

	// Of each document:
	kinds  []kind
	langs  []uint8
	titles []uint16 // words in the title
	words  []uint32

	pictures  []picture
	langNames numbers
	average   struct{ title, words float64 } // means over the documents
	scratch   chan *scratch
	known     func() (digests, error) // which document each payload is; read when first asked
}

// picture is a captured picture with its perceptual hash.
type picture struct {
	doc  uint32
	hash uint64
}

// openTries is how often the index is opened again if a writer removes one of its files meanwhile.
const openTries = 5

// openSnapshot opens the index in dir as it is now. If there is none, the snapshot is empty.
func openSnapshot(fs vfs.FS, dir string, hidden Hidden) (s *snapshot, err error) {
	for range openTries {
		if s, err = tryOpen(fs, dir, hidden); !errors.Is(err, os.ErrNotExist) {
			return s, err
		}
	}
	return nil, errors.Join(ErrDamaged, err)
}

func tryOpen(fs vfs.FS, dir string, hidden Hidden) (_ *snapshot, err error) {
	m, err := readManifest(fs, dir)
	if err != nil {
		return nil, err
	}
	return openManifest(fs, dir, m, hidden)
}

func openManifest(fs vfs.FS, dir string, m manifest, hidden Hidden) (_ *snapshot, err error) {
	s := &snapshot{manifest: m}
	if s.unpacker, err = newUnpacker(); err != nil {
		return nil, err
	}
	if s.segments, err = openSegments(fs, dir, &s.manifest, s.unpacker); err == nil {
		err = s.load(hidden)
	}
	if err != nil {
		s.close()
		return nil, err
	}
	s.known = sync.OnceValues(func() (digests, error) { return readDigests(s.segments) })
	return s, nil
}

func (s *snapshot) close() {
	closeSegments(s.segments)
	s.unpacker.Close()
}

// load reads what is kept in memory.
func (s *snapshot) load(hidden Hidden) (err error) {
	var titles, words float64
	for _, in := range s.segments {
		table, err := in.section(in.foot.Table)
		if err == nil { // hiding goes by URL: a damaged URL would not be hidden
			err = in.verify(in.foot.Runs)
		}
		if err != nil {
			return err
		}
		for ; len(table) > 0; table = table[in.row:] {
			d := readRecord(table)
			if int(d.lang) >= len(in.foot.Langs) {
				return ErrDamaged
			}
			doc := uint32(len(s.kinds))
			s.kinds = append(s.kinds, d.kind)
			s.langs = append(s.langs, uint8(min(s.langNames.get(in.foot.Langs[d.lang]), maxKinds)))
			s.titles, s.words = append(s.titles, d.title), append(s.words, d.words)
			if d.kind == pictureKind && d.likeness != 0 {
				s.pictures = append(s.pictures, picture{doc, d.likeness})
			}
			titles += float64(d.title)
			words += float64(d.words)
		}
	}
	n := max(1, float64(len(s.kinds)))
	s.average.title, s.average.words = max(1, titles/n), max(1, words/n)
	s.scratch = make(chan *scratch, runtime.GOMAXPROCS(0))
	for range cap(s.scratch) {
		s.scratch <- nil
	}
	s.facts, err = readFacts(s.segments, len(s.kinds), hidden)
	return err
}

// segmentOf returns the segment that has a document.
func (s *snapshot) segmentOf(doc uint32) *segment {
	i := 0
	for i+1 < len(s.segments) && s.segments[i+1].base <= doc {
		i++
	}
	return s.segments[i]
}

// stored reads what is shown of a document.
func (s *snapshot) stored(doc uint32, room *textRoom) (stored, error) {
	in := s.segmentOf(doc)
	return in.stored(doc-in.base, room)
}

// frequency returns how many documents have a term.
func (s *snapshot) frequency(text []byte) (n int, err error) {
	for _, in := range s.segments {
		e, ok, err := in.find(text)
		if err != nil {
			return 0, err
		}
		if ok {
			n += e.count
		}
	}
	return n, nil
}

// firstPart returns the first part of a compound that some text writes with a non-joiner, or "" if no text does.
func (s *snapshot) firstPart(compound string) (part string, err error) {
	key := append(append([]byte{compoundMark}, compound...), compoundMark)
	for _, in := range s.segments {
		err := in.terms(key, func(e entry) bool {
			if rest, ok := bytes.CutPrefix(e.text, key); ok && (part == "" || string(rest) < part) {
				part = string(rest)
			}
			return false
		})
		if err != nil {
			return "", err
		}
	}
	return part, nil
}

// withPrefix returns at most most terms with the given prefix, in order. more means that there are others.
func (s *snapshot) withPrefix(prefix string, most int) (terms []string, more bool, err error) {
	seen := map[string]bool{}
	for _, in := range s.segments {
		n := 0
		err := in.terms([]byte(prefix), func(e entry) bool {
			if !bytes.HasPrefix(e.text, []byte(prefix)) {
				return false
			}
			if n++; n > most {
				more = true
				return false
			}
			if !seen[string(e.text)] {
				seen[string(e.text)] = true
				terms = append(terms, string(e.text))
			}
			return true
		})
		if err != nil {
			return nil, false, err
		}
	}
	if len(terms) > most {
		terms, more = terms[:most], true
	}
	return terms, more, nil
}
