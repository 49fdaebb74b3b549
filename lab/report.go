package lab

// This file writes comparisons as text.

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
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
	}
	fmt.Fprintf(w, "\n%s\n", &c.Finding)
	for _, l := range c.Left {
		fmt.Fprintf(w, "left out: %s, %s, from %s: %s\n", l.Web, l.Relevant, l.Start, l.Why)
	}
	_, err := fmt.Fprint(w, `
A share is of the pages that can be reached from the start; requests that the stored web lacks are counted apart (missing, for
each that it has). × breadth, × oracle: mean recall to theirs, with an interval of 95 %. "80 % ÷ oracle": fetches to 80 % of the
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

// CSV writes results, one line per run.
func CSV(w io.Writer, results []Result) error {
	c := csv.NewWriter(w)
	head := []string{"web", "relevant", "start", "mode", "order", "seed", "pages", "reachable", "texts", "fetches", "missing", "area",
		"recall_5", "recall_12", "recall_25", "recall_50", "harvest_5", "harvest_12", "harvest_25", "harvest_50", "to_50",
		"to_80", "to_95", "to_99",
		"hours_50", "hours_80", "hours_95", "hours_99", "hosts_10", "rank_10", "inward_10", "judge_precision", "judge_recall"}
	if err := c.Write(head); err != nil {
		return err
	}
	number := func(v float64) string { return strconv.FormatFloat(v, 'g', 6, 64) }
	for i := range results {
		r := &results[i]
		row := []string{r.Web, r.Relevant, r.Start, r.Mode, r.Order, strconv.FormatUint(r.Seed, 10), strconv.Itoa(r.Pages),
			strconv.Itoa(r.Reachable),
			strconv.Itoa(r.Texts), strconv.Itoa(r.Fetches), strconv.Itoa(r.Missing), number(r.Area)}
		for _, v := range r.Recall {
			row = append(row, number(v))
		}
		for _, v := range r.Harvest {
			row = append(row, number(v))
		}
		for _, v := range r.To {
			row = append(row, strconv.Itoa(v))
		}
		for _, v := range r.ToHours {
			row = append(row, number(v))
		}
		row = append(row, number(r.Hosts10), number(r.Rank10), number(r.In10), number(r.Judged.Precision), number(r.Judged.Recall))
		if err := c.Write(row); err != nil {
			return err
		}
	}
	c.Flush()
	return c.Error()
}
