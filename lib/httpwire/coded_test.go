package httpwire

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
)

// FuzzCoded: whatever a body is, codings are only taken away; one without them comes as it is; real gzip is known for what it is.
func FuzzCoded(f *testing.F) {
	for _, body := range []string{"", "plain", "\x1f\x8b", "\x8bbr", "\x28\xb5\x2f\xfd", "x\x9c", ";", "\x06", ";(function(){})()"} {
		f.Add([]byte(body), "gzip,br")
	}
	var d Decoder
	f.Fuzz(func(t *testing.T, body []byte, declared string) {
		codings := strings.Split(declared, ",")
		decoded, err := io.ReadAll(d.Decode(bytes.NewReader(body), codings, 1<<20, 100))
		got := d.Codings()
		rest := codings
		for _, coding := range got {
			i := slices.Index(rest, coding)
			if i < 0 {
				t.Fatalf("%q of %q", got, codings)
			}
			rest = rest[i+1:]
		}
		none := !slices.ContainsFunc(got, func(coding string) bool { return kindOf(coding) > nothing })
		if none && !slices.Contains(codings, "") && len(body) < 1<<20 && (err != nil || !bytes.Equal(decoded, body)) {
			t.Errorf("%q as %q has no coding, and is %q, %v", body, declared, decoded, err)
		}
		if len(body) < CodedWindow && !errors.Is(err, ErrTooLarge) && !slices.Equal(d.Coded(body, codings), got) {
			t.Errorf("by its beginning %q, by all %q", d.Coded(body, codings), got)
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
