package warc

import (
	"hash/fnv"
	"io"
)

// Originals are where whole answers lie, so that revisits can be read as what they stand for: some 40 bytes each.
type Originals struct {
	files []string
	at    map[uint64]whereabouts // by digest
}

type whereabouts struct {
	file   int
	offset int64
}

// NewOriginals returns none.
func NewOriginals() *Originals { return &Originals{at: map[uint64]whereabouts{}} }

// Note keeps where the record of a file lies, the first with its digest. In a file that is packed as a whole it is not
// found there again.
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

// Find says where a record with the digest may lie: whoever reads it compares its digest.
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
