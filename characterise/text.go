package characterise

// This file writes a survey's report as text and CSV.

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"text/tabwriter"
)

// mostRows is how many rows of a table are printed.
const mostRows = 12

// Text writes the report as text.
func (r *Report) Text(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "%s of %s, %s of payload\n%s on %s of %s\n\n", many(r.Captures, "capture"), many(r.URLs, "URL"),
		amount(r.Bytes), many(r.Pages, "page"), many(r.Hosts, "host"), many(r.Domains, "domain"))
	row := func(name string, n, of int64) { fmt.Fprintf(t, "%s\t%d\t%s\t\n", name, n, percent(n, of)) }
	row("pages that say what another says", r.Duplicates, r.Pages)
	row("static", r.Pages-r.Dynamic, r.Pages)
	row("dynamic", r.Dynamic, r.Pages)
	row("declare a language", r.LanguageTags.Present, r.Pages)
	row("… of those judged, the true one", r.LanguageTags.True, r.LanguageTags.Judged)
	row("declare an encoding", r.CharsetTags.Present, r.Pages)
	row("… of those judged, the true one", r.CharsetTags.True, r.CharsetTags.Judged)
	row("not reached by links from their host's root", r.Unreached, r.Pages)
	links := r.Links.Host + r.Links.Domain + r.Links.Away
	row("links within a host", r.Links.Host, links)
	row("links to another host of the domain", r.Links.Domain, links)
	row("links to other domains", r.Links.Away, links)
	if err := t.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(w)
	fmt.Fprintln(t, "\tmean\tmedian\tmost\tpower law of the tail\t")
	for _, s := range r.shapes() {
		law := ""
		if s.Exponent > 0 {
			law = fmt.Sprintf("x^-%.2f from %d", s.Exponent, s.From)
		}
		fmt.Fprintf(t, "%s\t%.1f\t%d\t%d\t%s\t\n", s.name, s.Mean, s.Median, s.Most, law)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, table := range r.tables() {
		if len(table.parts) == 0 {
			continue
		}
		fmt.Fprintf(w, "\n%s\n", table.name)
		for i, p := range table.parts {
			if i == mostRows {
				fmt.Fprintf(t, "and %d more\t\t\t\n", len(table.parts)-i)
				break
			}
			fmt.Fprintf(t, "%s\t%d\t%.1f %%\t\n", p.Name, p.Count, 100*p.Share)
		}
		if err := t.Flush(); err != nil {
			return err
		}
	}
	return nil
}

// CSV writes all numbers, one per line: table, name, from, to, count, share.
func (r *Report) CSV(w io.Writer) error {
	c := csv.NewWriter(w)
	write := func(table, name, from, to string, n int64, share float64) {
		// c.Error returns the error
		_ = c.Write([]string{table, name, from, to, strconv.FormatInt(n, 10), strconv.FormatFloat(share, 'g', 6, 64)})
	}
	_ = c.Write([]string{"table", "name", "from", "to", "count", "share"})
	whole := func(name string, n, of int64) { write("all", name, "", "", n, float64(n)/float64(max(of, 1))) }
	whole("captures", r.Captures, r.Captures)
	whole("urls", r.URLs, r.URLs)
	whole("pages", r.Pages, r.Pages)
	whole("hosts", r.Hosts, r.Hosts)
	whole("domains", r.Domains, r.Domains)
	whole("duplicates", r.Duplicates, r.Pages)
	whole("dynamic", r.Dynamic, r.Pages)
	whole("unreached", r.Unreached, r.Pages)
	whole("language declared", r.LanguageTags.Present, r.Pages)
	whole("language declared and true", r.LanguageTags.True, r.LanguageTags.Judged)
	whole("encoding declared", r.CharsetTags.Present, r.Pages)
	whole("encoding declared and true", r.CharsetTags.True, r.CharsetTags.Judged)
	for _, t := range r.tables() {
		for _, p := range t.parts {
			write(t.key, p.Name, "", "", p.Count, p.Share)
		}
	}
	for _, s := range r.shapes() {
		all := int64(0)
		for _, b := range s.Bars {
			all += b.Count
		}
		for _, b := range s.Bars {
			write(s.key, "", strconv.FormatInt(b.From, 10), strconv.FormatInt(b.To, 10), b.Count, float64(b.Count)/float64(all))
		}
	}
	c.Flush()
	return c.Error()
}

type table struct {
	key, name string
	parts     []Part
}

func (r *Report) tables() []table {
	return []table{
		{"languages", "Languages", r.Languages}, {"declared", "Languages as declared", r.Declared}, {"charsets", "Encodings", r.Charsets},
		{"suffixes", "Top-level domains", r.Suffixes}, {"linked", "Top-level domains of links to other domains", r.Linked},
		{"programs", "What makes dynamic pages", r.Programs}, {"modified", "Last modified, by servers", r.Modified},
		{"servers", "Servers, by hosts", r.Servers}, {"types", "Media types, of URLs", r.Types},
		{"status", "Status, of URLs", r.Status},
	}
}

type namedShape struct {
	key, name string
	*Shape
}

func (r *Report) shapes() []namedShape {
	return []namedShape{
		{"url", "bytes of a URL", &r.URL}, {"depth", "folders in the URL", &r.Depth},
		{"clicks", "clicks from the host's root", &r.Clicks}, {"out", "URLs that a page leads to", &r.Out},
		{"in", "pages that lead to a page", &r.In},
		{"size", "bytes of a page", &r.Size}, {"of_host", "pages of a host", &r.OfHost},
	}
}

func many(n int64, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return strconv.FormatInt(n, 10) + " " + noun
}

func percent(n, of int64) string {
	if of == 0 {
		return "–"
	}
	return fmt.Sprintf("%.1f %%", 100*float64(n)/float64(of))
}

func amount(bytes int64) string {
	switch {
	case bytes >= 1e9:
		return fmt.Sprintf("%.1f GB", float64(bytes)/1e9)
	case bytes >= 1e6:
		return fmt.Sprintf("%.1f MB", float64(bytes)/1e6)
	}
	return fmt.Sprintf("%d bytes", bytes)
}
