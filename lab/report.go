package lab

// This file writes comparisons as text.

import (
	"fmt"
	"io"
	"text/tabwriter"
)

// Table writes a comparison as text.
func (c *Comparison) Table(w io.Writer) error {
	fmt.Fprintf(w, "%d %s (web × topic × start) on %d %s, mode %s\n\n", c.Units, plural(c.Units, "unit"), c.Webs,
		plural(c.Webs, "web"), c.Mode)
	if c.Units > 0 {
		t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
		fmt.Fprintln(t, "recall of relevant texts after\t5 %\t12 %\t25 %\t50 %\tharvest 12 %\t× breadth 12 %\t× oracle 12 %\t80 % ÷ oracle\treached\twebs ≤ 1.5\tarea\tagainst the best\thosts 10 %\tmissing\t")
		for i := range c.Orders {
			s := &c.Orders[i]
			fmt.Fprintf(t, "%s\t%.3f\t%.3f\t%.3f\t%.3f\t%.3f\t%s\t%s\t%s\t%d/%d\t%d/%d\t%.3f\t%s\t%.3f\t%.2f\t\n", s.Order,
				s.Recall[0].Mean, s.Recall[1].Mean, s.Recall[2].Mean, s.Recall[3].Mean,
				s.Harvest[1].Mean, s.Hits, s.Oracle, positive(s.To80), s.Got80, c.Units, s.Near80, c.Webs, s.Area, s.Against, s.Hosts10, s.Missing)
		}
		if err := t.Flush(); err != nil {
			return err
		}
		fmt.Fprintln(w)
		fmt.Fprintln(t, "by requests, dead ones among them: recall after\t5 %\t12 %\t25 %\t50 %\tharvest 12 %\t80 % ÷ oracle\tarea\tagainst the best\t")
		for i := range c.Orders {
			s, a := &c.Orders[i], &c.Orders[i].Asked
			fmt.Fprintf(t, "%s\t%.3f\t%.3f\t%.3f\t%.3f\t%.3f\t%s\t%.3f\t%s\t\n", s.Order, a.Recall[0].Mean, a.Recall[1].Mean, a.Recall[2].Mean, a.Recall[3].Mean,
				a.Harvest[1].Mean, positive(a.To80), a.Area, a.Against)
		}
		if err := t.Flush(); err != nil {
			return err
		}
	}
	if c.Widest.Best != nil {
		t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
		fmt.Fprintln(t, "\nhosts of which something relevant was found after\t5 %\t12 %\t25 %\t50 %\tby requests 5 %\t12 %\t25 %\t80 % ÷ oracle\tarea\tagainst the best\tdomains 12 %\t25 %\tby requests 25 %\tarea\t")
		for i := range c.Orders {
			s, h, d := &c.Orders[i], &c.Orders[i].RelevantHosts, &c.Orders[i].RelevantDomains
			fmt.Fprintf(t, "%s\t%.3f\t%.3f\t%.3f\t%.3f\t%.3f\t%.3f\t%.3f\t%s\t%.3f\t%s\t%.3f\t%.3f\t%.3f\t%.3f\t\n", s.Order, h.Recall[0].Mean, h.Recall[1].Mean, h.Recall[2].Mean, h.Recall[3].Mean,
				h.Asked[0].Mean, h.Asked[1].Mean, h.Asked[2].Mean, positive(s.RelevantHosts80), h.Area, h.Against, d.Recall[1].Mean, d.Recall[2].Mean, d.Asked[2].Mean, d.Area)
		}
		if err := t.Flush(); err != nil {
			return err
		}
	}
	fmt.Fprintf(w, "\n%s\n", &c.Finding)
	if c.Widest.Best != nil {
		fmt.Fprintf(w, "by relevant hosts, %s\n", &c.Widest)
	}
	for _, l := range c.Left {
		fmt.Fprintf(w, "left out: %s, %s, from %s: %s\n", l.Web, l.Relevant, l.Start, l.Why)
	}
	_, err := fmt.Fprint(w, `
A share is of the pages that can be reached from the start; requests that the stored web lacks are counted apart (missing, for
each that it has). By requests these count, too: 12 % are as many requests as 12 % of these pages. × breadth, × oracle: mean recall to theirs, with an interval of 95 %. "80 % ÷ oracle": fetches to 80 % of the
relevant texts to those of one who knows the web; "webs ≤ 1.5": on how many webs that is at most 1.5. "Area" is under recall;
"against the best" its paired ratio, with an interval corrected for the number of orders: 1 inside of it is a tie.
`)
	return err
}

// String returns the value with its interval; "" if i is nil.
func (i *Interval) String() string {
	if i == nil {
		return ""
	}
	return fmt.Sprintf("%.2f (%.2f–%.2f)", i.Mean, i.Low, i.High)
}

// Percent returns String for a share, in hundredths.
func (i *Interval) Percent() string {
	return fmt.Sprintf("%.1f (%.1f–%.1f)", 100*i.Mean, 100*i.Low, 100*i.High)
}

func positive(v float64) string {
	if v == 0 {
		return "–"
	}
	return fmt.Sprintf("%.2f", v)
}
