package extract

import (
	"bytes"
	"testing"
)

// FuzzFold compares fold with the same rule written byte by byte.
func FuzzFold(f *testing.F) {
	f.Add([]byte("a "), []byte("plain words, with\nlines and  two spaces\t\there"))
	f.Add([]byte(""), []byte("سلام\u00a0دنیا \u00a0\u00a0 و دیگران ــ \u00ab\u00bb"))
	f.Add([]byte("x"), []byte("\x00\x01a\x1f\x7f\x80\xc2\xc2\xa0 12345678\xc2"))
	f.Fuzz(func(t *testing.T, dst, s []byte) {
		want := bytes.Clone(dst)
		space := len(want) == 0 || want[len(want)-1] == ' '
		for i := 0; i < len(s); i++ {
			switch nbsp := bytes.HasPrefix(s[i:], []byte("\u00a0")); {
			case s[i] > ' ' && !nbsp:
				want, space = append(want, s[i]), false
			case nbsp:
				i++
				fallthrough
			default:
				if !space {
					want, space = append(want, ' '), true
				}
			}
		}
		if got := fold(bytes.Clone(dst), s); !bytes.Equal(got, want) {
			t.Errorf("fold(%q, %q) = %q, want %q", dst, s, got, want)
		}
	})
}
