package tree

// This file draws a View as PNG.

import (
	"image/color"
	"io"
	"math"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/font/liberation"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgimg"
)

// pngSide is how many points wide and high a picture is; at 96 pixels an inch, 1600 pixels.
const pngSide = 1200

// PNG writes the view of a step. Its words are those of the legend.
func (v *View) PNG(out io.Writer, step int, words Words) error {
	c := vgimg.New(vg.Points(pngSide), vg.Points(pngSide))
	canvas := painter{c, pngSide / v.Size, v.Size / 2}
	c.SetColor(color.White)
	c.Fill(canvas.shape(Rectangle, 0, 0, v.Size))
	c.SetColor(color.RGBA{0x8b, 0x90, 0x96, 0xff})
	c.SetLineWidth(vg.Points(0.5))
	for i := range v.Nodes {
		if d := &v.Nodes[i]; d.Above >= 0 {
			var line vg.Path
			line.Move(canvas.at(v.Nodes[d.Above].X, v.Nodes[d.Above].Y))
			line.Line(canvas.at(d.X, d.Y))
			c.Stroke(line)
		}
	}
	for i := range v.Nodes {
		d := &v.Nodes[i]
		canvas.node(v.Shape(d), d.X, d.Y, d.Side, d.Main(step), d.Worst(step))
	}
	canvas.legend(v, step, &words)
	_, err := vgimg.PngCanvas{Canvas: c}.WriteTo(out)
	return err
}

// painter draws in the units of a View.
type painter struct {
	*vgimg.Canvas
	scale, half float64
}

func (p *painter) at(x, y float64) vg.Point {
	return vg.Point{X: vg.Length((x + p.half) * p.scale), Y: vg.Length((p.half - y) * p.scale)}
}

// node draws a node with an edge in the color of the worst class.
func (p *painter) node(s Shape, x, y, side float64, main, worst Class) {
	if main == Absent {
		return
	}
	path := p.shape(s, x, y, side)
	p.SetColor(colors[main])
	p.Fill(path)
	p.SetColor(color.RGBA{0x5b, 0x63, 0x6a, 0xff})
	if worst != main {
		p.SetColor(colors[worst])
	}
	p.SetLineWidth(vg.Length(max(0.4, side*p.scale/10)))
	p.Stroke(path)
}

// shape returns the outline of a shape.
func (p *painter) shape(s Shape, x, y, side float64) (path vg.Path) {
	var corners [][2]float64
	half := side / 2
	switch s {
	case Hexagon:
		list := hexagon(x, y, side)
		corners = list[:]
	case Rectangle:
		corners = [][2]float64{{x - half, y - half}, {x + half, y - half}, {x + half, y + half}, {x - half, y + half}}
	case RoundRectangle:
		cut := side / 5
		corners = [][2]float64{{x - half + cut, y - half}, {x + half - cut, y - half}, {x + half, y - half + cut}, {x + half, y + half - cut},
			{x + half - cut, y + half}, {x - half + cut, y + half}, {x - half, y + half - cut}, {x - half, y - half + cut}}
	default:
		path.Move(p.at(x+half, y))
		path.Arc(p.at(x, y), vg.Length(half*p.scale), 0, 2*math.Pi)
		path.Close()
		return path
	}
	path.Move(p.at(corners[0][0], corners[0][1]))
	for _, c := range corners[1:] {
		path.Line(p.at(c[0], c[1]))
	}
	path.Close()
	return path
}

// legend writes what colours and shapes mean.
func (p *painter) legend(v *View, step int, words *Words) {
	if words.Class == nil {
		return
	}
	style := text.Style{Font: font.From(font.Font{Typeface: "Liberation", Variant: "Sans"}, vg.Points(12)), Color: color.Black,
		Handler: text.Plain{Fonts: font.NewCache(liberation.Collection())}}
	unit := 16 / p.scale
	x, y := -p.half+unit, -p.half+unit
	face := style.Handler.Cache().Lookup(style.Font, style.Font.Size)
	line := func(s Shape, main Class, says string) {
		p.node(s, x, y, unit*0.8, main, main)
		p.SetColor(color.Black)
		p.FillString(face, p.at(x+unit, y+unit*0.3), says)
		y += unit * 1.2
	}
	counts := v.Tree.Counts(step)
	for _, c := range Worst() {
		if counts[c] > 0 {
			line(Ellipse, c, words.Class(c, counts[c]))
		}
	}
	for s := Ellipse; words.Shape != nil && s <= Rectangle; s++ {
		line(s, Untold, words.Shape(s))
	}
}
