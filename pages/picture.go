package pages

// This file makes pictures of SVG: parts of a page, whose style sheet colours them, and files that stand alone.

import (
	"fmt"
	"html"
	"html/template"
	"strings"
)

// Picture is a picture as it is drawn. Its classes are those of the style sheet, and of pictureColours for files.
type Picture struct {
	Width, Height float64
	Title         string
	Legend        []Key
	body          strings.Builder
}

// Key says what a class of a picture's parts means.
type Key struct{ Class, Says string }

// pictureColours are what files are coloured with: those of look.css in light.
const pictureColours = `text{font:13px system-ui,sans-serif;fill:#1c2126}.ground{fill:#fff}.same,.k0{fill:#d5ebe6}.changed,.k1{fill:#0f766e}.new,.k2{fill:#3b6fb5}.failing,.k3{fill:#a8321f}` +
	`.gone,.k4{fill:#d8a13a}.absent{fill:#fff}.block{fill:none;stroke:#1c2126;stroke-width:1}.odd{stroke:#a8321f;stroke-width:1.5;stroke-dasharray:4 3}.time{fill:none;stroke:#1c2126;stroke-width:1.5}` +
	`.fold{stroke:#e2dfd9}.axis{stroke:#8b9096;stroke-width:1}.small{font-size:11px;fill:#59616a}.known{fill:#4fa597}.possible{fill:#d5ebe6}.moment{stroke:#a8321f;stroke-width:2;fill:#a8321f}` +
	`.weighed{stroke:#3b6fb5;stroke-width:2;stroke-dasharray:5 3;fill:none}.band{fill:#59616a;fill-opacity:.14}.still{fill:#59616a}.again{fill:#fff;stroke:#1c2126}.over{fill-opacity:0}`

// number writes a length as briefly as a picture needs it.
func number(v float64) string {
	return strings.TrimSuffix(strings.TrimRight(fmt.Sprintf("%.2f", v), "0"), ".")
}

// Rect draws a rectangle. says is shown where a pointer rests; "" for nothing.
func (p *Picture) Rect(class string, x, y, width, height float64, says string) {
	fmt.Fprintf(&p.body, `<rect class="%s" x="%s" y="%s" width="%s" height="%s"`, class, number(x), number(y), number(width), number(height))
	p.says("rect", says)
}

// Line draws a line.
func (p *Picture) Line(class string, x1, y1, x2, y2 float64, says string) {
	fmt.Fprintf(&p.body, `<line class="%s" x1="%s" y1="%s" x2="%s" y2="%s"`, class, number(x1), number(y1), number(x2), number(y2))
	p.says("line", says)
}

// Dot draws a dot; data are names and values of attributes that a script reads.
func (p *Picture) Dot(class string, x, y, radius float64, says string, data ...string) {
	fmt.Fprintf(&p.body, `<circle class="%s" cx="%s" cy="%s" r="%s"`, class, number(x), number(y), number(radius))
	for i := 0; i+1 < len(data); i += 2 {
		fmt.Fprintf(&p.body, ` data-%s="%s"`, data[i], html.EscapeString(data[i+1]))
	}
	p.says("circle", says)
}

func (p *Picture) says(element, says string) {
	if says == "" {
		p.body.WriteString("/>\n")
		return
	}
	fmt.Fprintf(&p.body, "><title>%s</title></%s>\n", html.EscapeString(says), element)
}

// Text writes a text; anchor is "start", "middle" or "end" of it, as it is read.
func (p *Picture) Text(class string, x, y float64, anchor, text string) {
	fmt.Fprintf(&p.body, "<text class=\"%s\" x=\"%s\" y=\"%s\" text-anchor=\"%s\">%s</text>\n", class, number(x), number(y), anchor, html.EscapeString(text))
}

// Path draws what a path of SVG encloses.
func (p *Picture) Path(class, d string) {
	if d != "" {
		fmt.Fprintf(&p.body, "<path class=\"%s\" d=\"%s\"/>\n", class, d)
	}
}

// Link begins a link to path, with attributes of data for a script, and returns what ends it.
func (p *Picture) Link(path string, data ...string) (end func()) {
	fmt.Fprintf(&p.body, `<a href="%s" tabindex="-1"`, html.EscapeString(path))
	for i := 0; i+1 < len(data); i += 2 {
		fmt.Fprintf(&p.body, ` data-%s="%s"`, data[i], html.EscapeString(data[i+1]))
	}
	p.body.WriteString(">")
	return func() { p.body.WriteString("</a>\n") }
}

// Inline returns the picture as a part of a page.
func (p *Picture) Inline() template.HTML {
	return template.HTML(fmt.Sprintf("<svg class=\"picture\" viewBox=\"0 0 %s %s\" aria-hidden=\"true\">\n%s</svg>", number(p.Width), number(p.Height), p.body.String()))
}

// File returns the picture as an SVG file, with its title and legend. It is drawn for l.
func (p *Picture) File(l Lang) []byte {
	const head, line = 40.0, 20.0
	foot := head + line*float64(len(p.Legend))
	dir, at, anchor := l.Dir(), 10.0, "start"
	if dir == "rtl" {
		at = p.Width - 10
	}
	var b strings.Builder
	fmt.Fprintf(&b, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%s\" height=\"%[2]s\" viewBox=\"0 0 %[1]s %[2]s\" direction=\"%s\">\n<title>%s</title><style>%s</style>\n",
		number(p.Width), number(p.Height+foot), dir, html.EscapeString(p.Title), pictureColours)
	fmt.Fprintf(&b, "<rect class=\"ground\" width=\"100%%\" height=\"100%%\"/><text x=\"%s\" y=\"22\" text-anchor=\"%s\">%s</text>\n<g transform=\"translate(0 %s)\">\n%s</g>\n",
		number(at), anchor, html.EscapeString(p.Title), number(head), p.body.String())
	for i, key := range p.Legend {
		y := head + p.Height + line*float64(i) + 14
		box := at
		text := at + 20
		if dir == "rtl" {
			box, text = at-12, at-20
		}
		fmt.Fprintf(&b, "<rect class=\"%s\" x=\"%s\" y=\"%s\" width=\"12\" height=\"12\"/><text x=\"%s\" y=\"%s\" text-anchor=\"%s\">%s</text>\n",
			key.Class, number(box), number(y-10), number(text), number(y), anchor, html.EscapeString(key.Says))
	}
	b.WriteString("</svg>\n")
	return []byte(b.String())
}
