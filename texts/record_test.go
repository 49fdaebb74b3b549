package texts

import (
	"bytes"
	"errors"
	"math"
	"reflect"
	"testing"

	"kavosh"
)

// FuzzRecord reads whatever is stored: a text, whose form is read again as it is, or damage.
func FuzzRecord(f *testing.F) {
	for _, t := range samples() {
		f.Add(appendText(nil, "sha256:abc", t))
	}
	f.Fuzz(func(t *testing.T, stored []byte) {
		key, text, err := readText(stored)
		if err != nil {
			if !errors.Is(err, ErrDamaged) || text != nil {
				t.Fatalf("%v, %+v", err, text)
			}
			return
		}
		again := appendText(nil, key, text)
		key2, text2, err := readText(again)
		if err != nil || key2 != key || !reflect.DeepEqual(text, text2) || !bytes.Equal(again, appendText(nil, key, text2)) {
			t.Fatalf("%q %+v is read as %q %+v, %v", key, text, key2, text2, err)
		}
	})
}

// samples are texts of every outcome.
func samples() []*kavosh.Text {
	return []*kavosh.Text{
		{},
		{Outcome: kavosh.TextBroken},
		{Outcome: kavosh.TextNone, Type: "application/pdf"},
		{Outcome: kavosh.TextEmpty, Type: "text/html", Title: "only a title"},
		{Type: "text/plain", Text: "as it is\n\nwith all its lines", Lang: "en", Certain: 1},
		{Outcome: kavosh.TextCut, Type: "text/html", Title: "کتابخانه", Text: "یک\nدو", Lang: "fa", Certain: math.Round(0.9*math.MaxUint16) / math.MaxUint16, Simhash: 0x123456789abcdef0,
			Blocks:   []kavosh.Block{{Tag: "h1", Linked: 2, At: 17}, {At: 300_000}},
			Pictures: []kavosh.Picture{{URL: "http://a.test/p.png", Title: "a picture", Around: "words around it"}, {URL: "http://a.test/q.png"}}},
	}
}

// TestRecord keeps texts as they are, and finds each that is cut short.
func TestRecord(t *testing.T) {
	for _, want := range samples() {
		stored := appendText(nil, "key", want)
		key, got, err := readText(stored)
		if err != nil || key != "key" || !reflect.DeepEqual(got, want) {
			t.Errorf("%q %+v %v, want %+v", key, got, err, want)
		}
		for n := range stored {
			if _, _, err := readText(stored[:n]); !errors.Is(err, ErrDamaged) {
				t.Errorf("%d bytes of %d: %v", n, len(stored), err)
			}
		}
	}
}
