package lab

// This file is the result of an experiment as tables, in English and Persian.

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"text/tabwriter"
)

// Report is the result of an experiment: tables, findings in words, and a comparison of orders, each if there is any.
type Report struct {
	Title    Words       `json:"title"`
	Tables   []Table     `json:"tables,omitempty"`
	Findings []Words     `json:"findings,omitempty"`
	Compared *Comparison `json:"compared,omitempty"`
	Axis     Axis        `json:"axis,omitempty"` // of the curves shown first
}

// Words is a text in English and Persian.
type Words struct {
	En string `json:"en"`
	Fa string `json:"fa"`
}

// Table has rows of cells below heads. The first cell of a row is its name.
type Table struct {
	Title Words      `json:"title"`
	Heads []Words    `json:"heads"`
	Rows  [][]string `json:"rows"`
}

// Text writes the report as text.
func (r *Report) Text(w io.Writer) error {
	fmt.Fprintf(w, "%s\n", r.Title.En)
	for _, table := range r.Tables {
		fmt.Fprintf(w, "\n%s\n\n", table.Title.En)
		t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
		for _, h := range table.Heads {
			fmt.Fprintf(t, "%s\t", h.En)
		}
		fmt.Fprintln(t)
		for _, row := range table.Rows {
			for _, cell := range row {
				fmt.Fprintf(t, "%s\t", cell)
			}
			fmt.Fprintln(t)
		}
		if err := t.Flush(); err != nil {
			return err
		}
	}
	if len(r.Findings) > 0 {
		fmt.Fprintln(w)
	}
	for _, f := range r.Findings {
		fmt.Fprintln(w, f.En)
	}
	if r.Compared == nil {
		return nil
	}
	fmt.Fprintln(w)
	return r.Compared.Table(w)
}

// JSON writes the report as one object.
func (r *Report) JSON(w io.Writer) error { return json.NewEncoder(w).Encode(r) }

// CSV writes the tables as comma-separated values: for each table its title, its heads, its rows, an empty line.
func (r *Report) CSV(w io.Writer) error {
	c := csv.NewWriter(w)
	for _, table := range r.Tables {
		heads := make([]string, len(table.Heads))
		for i, h := range table.Heads {
			heads[i] = h.En
		}
		if err := c.WriteAll(append([][]string{{table.Title.En}, heads}, append(table.Rows, []string{""})...)); err != nil {
			return err
		}
	}
	c.Flush()
	return c.Error()
}
