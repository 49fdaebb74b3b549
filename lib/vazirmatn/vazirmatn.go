// Package vazirmatn holds the typeface Vazirmatn, in which pages show Persian on every machine alike: the letters, signs
// and digits of the Arabic script, from regular to bold. tools/vazirmatn.sh makes the file again. OFL.txt beside it is
// its licence, the SIL Open Font License 1.1, which holds for the file alone.
package vazirmatn

import (
	_ "embed"
	"encoding/base64"
)

//go:embed vazirmatn.woff2
var file []byte

// WOFF2 returns the file, which nobody may change: about 30 KB.
func WOFF2() []byte { return file }

// DataURL returns the file as a URL, for pages that stand alone.
func DataURL() string { return "data:font/woff2;base64," + base64.StdEncoding.EncodeToString(file) }

// Face returns the @font-face rule for the file at a URL. All other characters stay with the reader's own fonts, so that
// a browser loads the file only where there is Arabic script.
func Face(url string) string {
	return `@font-face { font-family: Vazirmatn; src: url("` + url + `") format("woff2"); font-weight: 400 700; font-display: swap; ` +
		"unicode-range: U+0600-06FF, U+200C-200F, U+FD3E-FD3F, U+FDFC }\n"
}
