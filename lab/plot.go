package lab

import (
	"io"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
	"gonum.org/v1/plot/vg"
)

// Plot writes the curves as a picture: recall by the share of the reachable pages that was fetched. format is "svg" or "png".
func (c *Comparison) Plot(w io.Writer, format string) error {
	p := plot.New()
	p.X.Label.Text = "share of the reachable pages that was fetched"
	p.Y.Label.Text = "share of the relevant texts that was found"
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 0, 1, 0, 1
	p.Legend.Top, p.Legend.Left = false, false
	p.Add(plotter.NewGrid())
	for i, curve := range c.Curves {
		points := make(plotter.XYs, len(curve.Share))
		for k := range points {
			points[k].X, points[k].Y = curve.Share[k], curve.Recall[k]
		}
		line, err := plotter.NewLine(points)
		if err != nil {
			return err
		}
		line.Width = vg.Points(1.5)
		line.Color = plotutil.Color(i)
		line.Dashes = plotutil.Dashes(i / 7)
		p.Add(line)
		p.Legend.Add(curve.Order, line)
	}
	out, err := p.WriterTo(22*vg.Centimeter, 14*vg.Centimeter, format)
	if err != nil {
		return err
	}
	_, err = out.WriteTo(w)
	return err
}
