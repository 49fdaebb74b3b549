package texts

// This file turns the text of a page into bytes and back, as package texts stores it (docs/formats/text.md).

import (
	"encoding/binary"
	"math"
	"strings"

	"kavosh"
)

// These constants bound what is kept of a payload.
const (
	maxTitle    = 1 << 10 // bytes
	maxPictures = 200
	maxURL      = 2 << 10 // bytes of a picture's URL; pictures with longer ones are left out
)

// appendText appends the stored form of a text. The text is found by key.
func appendText(b []byte, key string, t *kavosh.Text) []byte {
	b = appendString(b, key)
	b = append(b, byte(t.Outcome))
	b = appendString(b, t.Type)
	b = appendString(b, t.Lang)
	b = binary.LittleEndian.AppendUint16(b, uint16(math.Round(t.Certain*math.MaxUint16)))
	b = binary.LittleEndian.AppendUint64(b, t.Simhash)
	b = appendString(b, t.Title)
	b = appendString(b, t.Text)
	b = binary.AppendUvarint(b, uint64(len(t.Blocks)))
	at := 0
	for _, block := range t.Blocks {
		b = appendString(b, block.Tag)
		b = binary.AppendUvarint(b, uint64(block.Linked))
		b = binary.AppendUvarint(b, uint64(max(0, block.At-at)))
		at = max(at, block.At)
	}
	b = binary.AppendUvarint(b, uint64(len(t.Pictures)))
	for _, p := range t.Pictures {
		b = appendString(appendString(appendString(b, p.URL), p.Title), p.Around)
	}
	return b
}

func appendString(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

// readText reads what appendText wrote. The error is ErrDamaged if b is anything else.
func readText(b []byte) (key string, t *kavosh.Text, err error) {
	r := reader{b: string(b)}
	t = &kavosh.Text{}
	key = r.string()
	if t.Outcome = kavosh.TextOutcome(r.take(1)[0]); t.Outcome > kavosh.TextBroken {
		r.bad = true
	}
	t.Type, t.Lang = r.string(), r.string()
	t.Certain = float64(binary.LittleEndian.Uint16([]byte(r.take(2)))) / math.MaxUint16
	t.Simhash = binary.LittleEndian.Uint64([]byte(r.take(8)))
	t.Title, t.Text = r.string(), r.string()
	n := r.uvarint()
	if n > 0 && n != uint64(strings.Count(t.Text, "\n")+1) {
		r.bad = true
	}
	at := uint64(0)
	for ; n > 0 && !r.bad; n-- {
		tag, linked := r.string(), r.uvarint()
		at += r.uvarint()
		if linked > uint64(len(t.Text)) || at > math.MaxInt32 {
			r.bad = true
		}
		t.Blocks = append(t.Blocks, kavosh.Block{Tag: tag, Linked: int(linked), At: int(at)})
	}
	if n = r.uvarint(); n > maxPictures {
		r.bad = true
	}
	for ; n > 0 && !r.bad; n-- {
		t.Pictures = append(t.Pictures, kavosh.Picture{URL: r.string(), Title: r.string(), Around: r.string()})
	}
	if r.bad || r.b != "" {
		return "", nil, ErrDamaged
	}
	return key, t, nil
}

// reader reads the parts of a text. If a part is missing, it is empty, and bad is set.
type reader struct {
	b   string
	bad bool
}

func (r *reader) uvarint() (v uint64) {
	for i := 0; i < len(r.b) && i < binary.MaxVarintLen64; i++ {
		v |= uint64(r.b[i]&0x7f) << (7 * i)
		if r.b[i] < 0x80 {
			r.b = r.b[i+1:]
			return v
		}
	}
	r.bad = true
	return 0
}

// take returns the next n bytes. If there are fewer, it returns n zero bytes.
func (r *reader) take(n int) string {
	if n > len(r.b) {
		r.bad, r.b = true, ""
		return strings.Repeat("\x00", n)
	}
	s := r.b[:n]
	r.b = r.b[n:]
	return s
}

func (r *reader) string() string {
	n := r.uvarint()
	if n > uint64(len(r.b)) {
		r.bad, r.b = true, ""
		return ""
	}
	return r.take(int(n))
}
