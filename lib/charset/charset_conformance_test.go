//go:build conformance

package charset

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"

	"kavosh/internal/testdata"
)

// TestRealSentences writes sentences of other people in windows-1256, as pages of ten sentences and as single ones, and
// counts how many come back right under every wrong declaration there is.
func TestRealSentences(t *testing.T) {
	forOldKeyboards := strings.NewReplacer("ی", "ي", "ۀ", "ه", "\u200c", "\u200c")
	for _, c := range []struct {
		file string
		enc  *charmap.Charmap
		name string
	}{
		{"Persian_fas.txt", charmap.Windows1256, "windows-1256"},
		{"Arabic_arb.txt", charmap.Windows1256, "windows-1256"},
		{"Arabic_arb.txt", charmap.ISO8859_6, "iso-8859-6"},
		{"Urdu_urd.txt", charmap.Windows1256, "windows-1256"},
	} {
		text, err := os.ReadFile(testdata.Path(t, "language/perso-arabic/"+c.file))
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSpace(forOldKeyboards.Replace(string(text))), "\n")
		for _, per := range []int{1, 10} {
			for _, header := range []string{"", "text/html; charset=utf-8", "text/html; charset=iso-8859-1"} {
				pages, right, wrong := 0, 0, map[string]int{}
				for i := 0; i+per <= len(lines); i += per {
					var body []byte
					body = append(body, "<html><head><title>page</title></head><body><p>"...)
					for _, line := range lines[i : i+per] {
						b, err := encoding.ReplaceUnsupported(c.enc.NewEncoder()).Bytes([]byte(line))
						if err != nil {
							t.Fatal(err)
						}
						body = append(bytes.ReplaceAll(append(body, b...), []byte{0x1a}, nil), '\n')
					}
					_, name, _ := Decode(body, header)
					pages++
					if name == c.name {
						right++
					} else {
						wrong[name]++
					}
				}
				share := float64(right) / float64(pages)
				t.Logf("%-16s %-12s %2d sentences a page, header %-31q %6d pages, %.4f right, wrong %v", c.file, c.name, per, header, pages, share, wrong)
				if per == 10 && share < 0.99 {
					t.Errorf("%s as %s: %.4f right, want 0.99", c.file, c.name, share)
				}
			}
		}
	}
}
