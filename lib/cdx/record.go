package cdx

// This file makes the entry of an index from a WARC record.

import (
	"crypto/sha1"
	"io"
	"strings"

	"kavosh/lib/warc"
	"kavosh/lib/weburl"
)

// Indexed reports whether indexers list such a record: responses, revisits, resources, and metadata other than
// warc-fields, if they have a URL and a date.
func Indexed(rec *warc.Record) bool {
	switch rec.Type() {
	case "response", "revisit":
	case "resource", "metadata":
		if rec.ContentType() == "application/warc-fields" {
			return false
		}
	default:
		return false
	}
	return rec.TargetURI() != "" && !rec.Date().IsZero()
}

// EntryOf returns as much of the entry of a record as its header says: no key and no place.
func EntryOf(rec *warc.Record) *Entry {
	e := &Entry{URL: rec.TargetURI(), Timestamp: rec.Date().UTC().Format("20060102150405"), Digest: rec.Header.Get("WARC-Payload-Digest")}
	e.madeOf(rec)
	return e
}

// madeOf notes of which content the record was made, if it says so.
func (e *Entry) madeOf(rec *warc.Record) {
	if of := rec.Header.Get(OfField); of != "" {
		e.Extra = append(e.Extra, Field{Name: Of, Value: of})
	}
}

// FromRecord returns the entry of a record. ok is false unless the record is Indexed. The digest is the record's own,
// or computed if it has none.
//
// It reads the block, to its end if it must compute the digest. The caller sets Filename and, once the reader is past
// the record, Length. A record that is then Broken or Shared must not be indexed.
func FromRecord(rec *warc.Record) (e Entry, ok bool) {
	if !Indexed(rec) {
		return Entry{}, false
	}
	kind := rec.Type()
	url := strings.ReplaceAll(rec.TargetURI(), " ", "%20")
	e = Entry{
		Key:       weburl.SURT(url),
		Timestamp: rec.Date().Format("20060102150405"),
		URL:       url,
		Digest:    rec.Header.Get("WARC-Payload-Digest"),
		Offset:    rec.Offset,
	}
	head, payload, err := rec.Payload()
	if err != nil {
		return Entry{}, false
	}
	switch kind {
	case "revisit":
		e.Status = head.Status
		e.Revisits(mediaType(head.Get("Content-Type")))
	case "response":
		e.MIME, e.Status = mediaType(head.Get("Content-Type")), head.Status
		if head.Len == 0 {
			e.MIME = responseType(rec)
		}
	default:
		e.MIME = mediaType(rec.Header.Get("Content-Type"))
		e.madeOf(rec)
	}
	if e.Digest == "" && kind != "revisit" {
		h := sha1.New()
		_, _ = io.Copy(h, payload) // broken chunks: the payload is what can be decoded; a broken block: the reader reports it
		e.Digest = warc.FormatDigest("sha1", h.Sum(nil))
	}
	return e, true
}

// responseType returns the media type of a response that is not HTTP.
func responseType(rec *warc.Record) string {
	if t := mediaType(rec.Header.Get("Content-Type")); !strings.HasSuffix(t, "/http") {
		return t
	}
	return ""
}

// mediaType returns a Content-Type without parameters; it keeps upper and lower case.
func mediaType(s string) string {
	if i := strings.IndexAny(s, "; \t"); i >= 0 {
		s = s[:i]
	}
	return s
}
