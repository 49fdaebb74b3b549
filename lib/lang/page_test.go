package lang

import (
	"strings"
	"testing"
)

// TestPageOfManyBlocks has more blocks than are weighed each by itself: what comes after them counts as much.
func TestPageOfManyBlocks(t *testing.T) {
	v := model.New().Page(Page{Text: strings.Repeat("book\n", mostBlocks) + strings.Repeat(persianText+"\n", 2000)})
	if fa := share(v.Shares, "fa"); fa < 0.85 || v.Languages[0].Code != "fa" {
		t.Errorf("a long Persian text after as many short English lines: %v", v.Shares)
	}
}

func BenchmarkPage(b *testing.B) {
	for name, text := range map[string]string{
		"text": strings.Repeat(persianText+"\n"+englishText+"\n", 50), "letters": strings.Repeat("a\n", mostBlocks), "scripts": strings.Repeat("a б ا क ב\n", mostBlocks),
	} {
		b.Run(name, func(b *testing.B) {
			id := model.New()
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				id.Page(Page{Text: text})
			}
		})
	}
}
