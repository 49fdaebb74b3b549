package warc

// This file finds the full record that a revisit record refers to.

import (
	"hash/fnv"
	"io"
)

// Originals remembers where full responses are stored, so that a revisit can be read as the response it refers to. It
// takes about 40 bytes for each.
type Originals struct {
	files []string
	at    map[uint64]whereabouts // by hash of the digest
}

type whereabouts struct {
	file   int
	offset int64
}

// NewOriginals returns an empty Originals.
func NewOriginals() *Originals { return &Originals{at: map[uint64]whereabouts{}} }

// Note remembers where rec is in the file at path, if it is the first record with its digest. It ignores records of a
// file that is compressed as a whole: they have no offset to read them at.
func (o *Originals) Note(rec *Record, path string) {
	digest := rec.Header.Get("WARC-Payload-Digest")
	if o == nil || digest == "" {
		return
	}
	if n := len(o.files); n == 0 || o.files[n-1] != path {
		o.files = append(o.files, path)
	}
	key := hashDigest(digest)
	if _, known := o.at[key]; !known {
		o.at[key] = whereabouts{len(o.files) - 1, rec.Offset}
	}
}

// Find says where a record with the digest may be. Two digests may share a hash, so the caller must compare the digest
// of the record it reads.
func (o *Originals) Find(digest string) (path string, offset int64, ok bool) {
	p, ok := o.at[hashDigest(digest)]
	if !ok {
		return "", 0, false
	}
	return o.files[p.file], p.offset, true
}

func hashDigest(digest string) uint64 {
	h := fnv.New64a()
	io.WriteString(h, DigestKey(digest))
	return h.Sum64()
}
