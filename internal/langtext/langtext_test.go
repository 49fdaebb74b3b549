package langtext

import (
	"slices"
	"strings"
	"testing"
	"unicode"
)

func TestCode(t *testing.T) {
	for name, want := range map[string]string{
		"fa": "fa", "fa-AF": "fa", "pt_BR": "pt", "pt-br": "pt", "sr-ec": "sr", "sr_Latn": "sr-Latn", "no": "nb", "ug-arab": "ug",
		"kk-arab": "", "zh-hans": "", "tl": "fil", "qqq": "", "hy-am": "hy", "ku-arab": "ku-Arab", "arz": "ar",
	} {
		if got := code(name); got != want {
			t.Errorf("%s is %q, not %q", name, got, want)
		}
	}
}

func TestPlainLeavesWords(t *testing.T) {
	got := plain("<b>سلام</b> {{GENDER:$1|x}} [[Page|دنیا]] $1 https://example.org/x &amp; file.txt")
	words := strings.FieldsFunc(got, func(r rune) bool { return !unicode.IsLetter(r) })
	if want := []string{"سلام", "دنیا"}; !slices.Equal(words, want) {
		t.Errorf("%q, not %q", words, want)
	}
}
