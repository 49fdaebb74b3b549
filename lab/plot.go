package lab

// This file draws a Comparison of orders of crawling: one curve for each order, which shows how much it had found after
// each share of the web. It keeps no state, and writes only to the given writer.

import (
	"io"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
	"gonum.org/v1/plot/vg"
)

// Axis says what the curves show; the zero value is Recall. All shares are from 0 to 1.
type Axis string

// The axes.
const (
	Recall   Axis = "recall"   // share of the relevant pages found, by the share of the reachable pages fetched
	Requests Axis = "requests" // the same by as many requests, those that the web has no answer for among them
	Hosts    Axis = "hosts"    // share of the reachable hosts met, by the share of the reachable pages fetched
	// shares of the hosts, or registered domains, with relevant pages of which one was found, as Recall and Requests
	RelevantHosts           Axis = "relevant_hosts"
	RelevantHostsRequests   Axis = "relevant_hosts_requests"
	RelevantDomains         Axis = "relevant_domains"
	RelevantDomainsRequests Axis = "relevant_domains_requests"
	Time                    Axis = "time" // recall by the share of the time that breadth-first needs for all pages; for polite runs
)

// of returns the values of an axis; nil if there are none.
func (c *Curve) of(axis Axis) []float64 {
	switch axis {
	case Requests:
		return c.Asked
	case Hosts:
		return c.Hosts
	case RelevantHosts:
		return c.RelevantHosts
	case RelevantHostsRequests:
		return c.RelevantHostsAsked
	case RelevantDomains:
		return c.RelevantDomains
	case RelevantDomainsRequests:
		return c.RelevantDomainsAsked
	case Time:
		return c.Timed
	}
	return c.Recall
}

// Plot writes the curves as a picture and leaves out those without data. format is "svg" or "png". An error is about
// another format, or comes from w.
func (c *Comparison) Plot(w io.Writer, format string, axis Axis) error {
	p := plot.New()
	p.X.Label.Text = "share of the reachable pages that was fetched"
	p.Y.Label.Text = "share of the relevant texts that was found"
	switch axis {
	case RelevantHosts, RelevantHostsRequests:
		p.Y.Label.Text = "share of the hosts with relevant pages that one was found of"
	case RelevantDomains, RelevantDomainsRequests:
		p.Y.Label.Text = "share of the domains with relevant pages that one was found of"
	}
	switch axis {
	case Requests, RelevantHostsRequests, RelevantDomainsRequests:
		p.X.Label.Text = "requests, dead ones among them, to the reachable pages"
	case Hosts:
		p.Y.Label.Text = "share of the reachable hosts that was met"
	case Time:
		p.X.Label.Text = "share of the time in which breadth-first has all pages"
	}
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 0, 1, 0, 1
	p.Legend.Top, p.Legend.Left = false, false
	p.Add(plotter.NewGrid())
	for i, curve := range c.Curves {
		heights := curve.of(axis)
		if heights == nil {
			continue
		}
		points := make(plotter.XYs, len(heights))
		for k := range points {
			points[k].X, points[k].Y = curve.Share[k], heights[k]
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
