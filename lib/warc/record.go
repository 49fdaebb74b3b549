package warc

// This file says what a record of a WARC file is.

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"time"
)

// Record is one record, as a Reader returns it. Header and Notes may be kept. Block is valid until the next call of
// Reader.Next.
type Record struct {
	Version string // as the file has it: "WARC/1.1", "WARC/1.0", "ARC/1"
	Header  Header // for an ARC record, made from its header line
	Block   io.Reader

	Offset int64 // offset in the file of the record, or of the member or frame that holds it
	Size   int64 // length of the block in bytes, from Content-Length

	// Length is how many bytes of the file the record takes: the whole member or frame, or for a plain record the header
	// and block without the blank lines after it, as indexes count. Length is set and Notes complete when the Reader has
	// passed the record (Finish, or the next call of Next).
	Length int64
	// Shared is set with Length. It is true if the member or frame holds other records too, as in a file compressed as a
	// whole. Then Length is 0, and ReadAt at Offset finds only the first record.
	Shared bool
	// Broken is set with Length. It is true if the block ended before Size bytes, did not decompress without error, or is
	// not followed by the end of the record.
	Broken bool

	Notes []Note // what was odd, in the order found

	place  place
	arc    string // the header line of an ARC record
	proven bool   // a checksum proves that the member is unchanged since it was written
	body   body
}

// Note is one odd thing that was met while reading. Rules lists the kinds.
type Note struct {
	Offset int64  // where the record, member or garbage begins
	Rule   string // short stable name, such as "truncated-member"
	Text   string // one line for people
}

// Type returns the WARC-Type in lower case, such as "response".
func (r *Record) Type() string { return strings.ToLower(r.Header.Get("WARC-Type")) }

// TargetURI returns the WARC-Target-URI without the angle brackets that some writers add.
func (r *Record) TargetURI() string { return trimBrackets(r.Header.Get("WARC-Target-URI")) }

// Date returns the WARC-Date in UTC; the zero time if there is none or it cannot be parsed.
func (r *Record) Date() time.Time {
	t, _ := ParseDate(r.Header.Get("WARC-Date"))
	return t
}

// ID returns the WARC-Record-ID as the file has it, with angle brackets.
func (r *Record) ID() string { return r.Header.Get("WARC-Record-ID") }

// ContentType returns the media type of the block in lower case without parameters, such as "application/http".
func (r *Record) ContentType() string {
	t, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";")
	return strings.ToLower(strings.TrimSpace(t))
}

func trimBrackets(uri string) string {
	if len(uri) >= 2 && uri[0] == '<' && uri[len(uri)-1] == '>' {
		return uri[1 : len(uri)-1]
	}
	return uri
}

// NewID returns a random record ID, such as "<urn:uuid:0f5c1d8e-…>".
func NewID() string {
	var b [47]byte
	return string(AppendID(b[:0]))
}

// AppendID appends a new random record ID to b. IDs must differ; nobody needs to be unable to guess them, so the system
// seeds the source once.
func AppendID(b []byte) []byte {
	var u [16]byte
	binary.LittleEndian.PutUint64(u[:8], rand.Uint64())
	binary.LittleEndian.PutUint64(u[8:], rand.Uint64())
	u[6] = u[6]&0x0f | 0x40
	u[8] = u[8]&0x3f | 0x80
	return appendID(b, u)
}

func formatID(u [16]byte) string { return string(appendID(make([]byte, 0, 47), u)) }

func appendID(b []byte, u [16]byte) []byte {
	b = append(b, "<urn:uuid:"...)
	b = hex.AppendEncode(b, u[:4])
	for i := 4; i < 10; i += 2 {
		b = append(b, '-')
		b = hex.AppendEncode(b, u[i:i+2])
	}
	b = append(b, '-')
	b = hex.AppendEncode(b, u[10:])
	return append(b, '>')
}

// FormatDate formats t as WARC 1.1 writes dates: UTC, to the microsecond. Finer fractions confuse widespread readers.
func FormatDate(t time.Time) string {
	var b [27]byte
	return string(AppendDate(b[:0], t))
}

// AppendDate appends FormatDate(t) to b.
func AppendDate(b []byte, t time.Time) []byte {
	return t.UTC().AppendFormat(b, "2006-01-02T15:04:05.000000Z")
}

// ParseDate parses a WARC-Date: W3C's date and time format, from a year alone to nanoseconds. It also accepts the 14
// digits of ARC files, and dates without zone or colons.
func ParseDate(s string) (time.Time, error) {
	s = strings.ToUpper(s) // lower-case "t" and "z" are accepted too
	for _, layout := range []string{
		time.RFC3339Nano, "2006-01-02T15:04Z07:00", "2006-01-02", "2006-01", "2006", "20060102150405",
		"2006-01-02T15:04:05", "2006-01-02T15Z07:00", "2006-01-02 15:04:05", "20060102T150405Z", "200601021504", "2006010215",
		"20060102", "200601",
	} {
		if t, err := time.Parse(layout, s); err == nil {
			return t.UTC(), nil
		}
	}
	return time.Time{}, fmt.Errorf("warc: %q is no date such as 2026-01-31T12:00:00Z", s)
}
