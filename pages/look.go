package pages

// This file is the look that all pages have in common, those too that stand alone: colours in light and dark, the font,
// the head of the page.

import (
	_ "embed"
	"html/template"

	"kavosh/lib/vazirmatn"
)

//go:embed look.css
var look string

//go:embed static/style.css
var style string

//go:embed mark.svg
var mark string

// Look returns the style sheet that every page begins with. font is the URL of the font of package vazirmatn.
func Look(font string) string { return vazirmatn.Face(font) + look }

// Style returns the whole style sheet of served pages.
func Style(font string) string { return Look(font) + style }

// Mark returns the picture beside the name of the program.
func Mark() template.HTML { return template.HTML(mark) }
