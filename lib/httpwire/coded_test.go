package httpwire

import (
	"bytes"
	"compress/gzip"
	"slices"
	"strings"
	"testing"
)

// FuzzCoded: whatever a body is, codings are only taken away, from the last on, and real gzip is known for what it is.
func FuzzCoded(f *testing.F) {
	for _, body := range []string{"", "plain", "\x1f\x8b", "\x8bbr", "\x28\xb5\x2f\xfd", "x\x9c", ";", "\x06"} {
		f.Add([]byte(body), "gzip,br")
	}
	f.Fuzz(func(t *testing.T, body []byte, declared string) {
		codings := strings.Split(declared, ",")
		var pool Decoders
		d := pool.Get()
		got := d.Coded(body[:min(len(body), CodedWindow)], codings)
		if !slices.Equal(got, codings[:len(got)]) {
			t.Errorf("%q of %q", got, codings)
		}
		var packed bytes.Buffer
		w := gzip.NewWriter(&packed)
		w.Write(body)
		w.Close()
		if got := d.Coded(packed.Bytes()[:min(packed.Len(), CodedWindow)], []string{"gzip"}); len(got) != 1 {
			t.Errorf("gzip of %d bytes is not known", len(body))
		}
	})
}
