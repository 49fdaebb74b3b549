// Package tables writes what an archive holds as tables, for pandas, polars, DuckDB, R and SQL: captures, pages, texts,
// hosts and links. They are CSV files, or one SQLite file. docs/formats/tables.md says what each column means.
//
// [Write] reads the capture log once, the texts that archive.Derived keeps, and the index of links. It leaves out what
// not everybody may see. In memory it keeps some 20 bytes for each capture and each distinct text, and a few hundred for
// each host.
package tables

import (
	"cmp"
	"context"
	"fmt"
	"hash/maphash"
	"iter"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"kavosh"
	"kavosh/access"
	"kavosh/archive"
	"kavosh/internal/records"
	"kavosh/lib/cdx"
	"kavosh/lib/weburl"
	"kavosh/texts"
)

// Table is the form of a table.
type Table struct {
	Name    string
	Columns []Column
}

// Column is one column of a table. Each value is a string, an int64, a float64 or nil for none.
type Column struct {
	Name string
	Type Type
}

// Type is the type of a column's values.
type Type string

// These are all types. Times are text: RFC 3339 in UTC.
const (
	Text    Type = "TEXT"
	Integer Type = "INTEGER"
	Real    Type = "REAL"
)

// Names of the tables.
const (
	Captures = "captures"
	Pages    = "pages"
	Texts    = "texts"
	Hosts    = "hosts"
	Links    = "links"
)

// All returns the forms of all tables.
func All() []Table {
	return []Table{
		{Captures, []Column{
			{"capture", Integer}, {"url", Text}, {"host", Text}, {"domain", Text}, {"time", Text}, {"type", Text},
			{"status", Integer}, {"mime", Text}, {"bytes", Integer}, {"digest", Text}, {"truncated", Text}, {"failure", Text},
			{"crawl", Text}, {"method", Text}, {"file", Text}, {"offset", Integer}, {"length", Integer}, {"standin", Text},
			{"etag", Text}, {"modified", Text},
		}},
		{Pages, []Column{
			{"capture", Integer}, {"url", Text}, {"host", Text}, {"time", Text}, {"status", Integer}, {"title", Text},
			{"language", Text}, {"certainty", Real}, {"letters", Integer}, {"blocks", Integer}, {"simhash", Text}, {"text", Integer},
		}},
		{Texts, []Column{{"text", Integer}, {"language", Text}, {"title", Text}, {"body", Text}}},
		{Hosts, []Column{
			{"host", Text}, {"domain", Text}, {"captures", Integer}, {"pages", Integer}, {"bytes", Integer}, {"first", Text}, {"last", Text},
		}},
		{Links, []Column{
			{"source", Text}, {"time", Text}, {"target", Text}, {"kind", Text}, {"anchor", Text}, {"source_host", Text}, {"target_host", Text},
		}},
	}
}

// Output takes the rows of tables. Rows of several tables may come in turn.
type Output interface {
	// Row writes a row of a table, with a value for each of its columns.
	Row(table string, values ...any) error
	// Commit ends the writing: the tables take the place of those that were there.
	Commit() error
	// Close removes what was not committed. It must be called in the end.
	Close() error
}

// unfinished ends the names of files that are not committed.
const unfinished = ".tmp"

// Create returns an Output at a path: an SQLite database if the path ends in .sqlite, .sqlite3 or .db, and otherwise a
// folder of CSV files. mending are the IDs of crawls that mend the archive, which the published tables leave out.
func Create(path string, mending []string) (Output, error) {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".sqlite", ".sqlite3", ".db":
		return createSQLite(path, mending)
	}
	return createCSV(path)
}

// From is what tables are made of.
type From struct {
	Captures func() iter.Seq2[*archive.Logged, error] // may be read twice
	Texts    *texts.Reader
	Links    records.Index // what everybody may see of the index of links; nil for none
	Shown    access.Sight  // what everybody may see

	StandIn func(*kavosh.Capture) kavosh.StandIn // what a capture stands in for; nil if nobody knows
}

// Counts says how many rows were written, and what was left out.
type Counts struct {
	Rows   map[string]int64 `json:"rows"`   // by table
	Closed int64            `json:"closed"` // captures that not everybody may see
}

// Write writes all tables. each is called after each capture and each link.
func Write(ctx context.Context, from *From, to Output, each func(done int64)) (Counts, error) {
	w := &writing{ctx: ctx, from: from, to: to, each: each, hosts: map[string]*host{}, texts: map[uint64]int64{}, seed: maphash.MakeSeed()}
	w.counts.Rows = map[string]int64{}
	for _, t := range All() {
		w.counts.Rows[t.Name] = 0
	}
	err := cmp.Or(w.writeCaptures(), w.writeHosts(), w.writeLinks())
	return w.counts, err
}

// writing is one call of Write.
type writing struct {
	ctx    context.Context
	from   *From
	to     Output
	each   func(int64)
	done   int64
	hosts  map[string]*host
	texts  map[uint64]int64 // by hash of a text and its title: its number
	seed   maphash.Seed
	counts Counts
}

// host is what the table hosts says of a host.
type host struct {
	captures, pages, bytes int64
	first, last            time.Time
}

// row writes a row of a table, and counts it.
func (w *writing) row(table string, values ...any) error {
	w.counts.Rows[table]++
	return w.to.Row(table, values...)
}

// step tells that one more capture or link is done.
func (w *writing) step() error {
	w.done++
	w.each(w.done)
	return w.ctx.Err()
}

// writeCaptures writes the captures that everybody may see, their pages and texts, and collects the hosts.
func (w *writing) writeCaptures() error {
	for c, err := range w.from.Captures() {
		if err = cmp.Or(err, w.ctx.Err()); err != nil {
			return err
		}
		if !w.from.Shown.Shows(access.CaptureOf(&c.Capture)) {
			w.counts.Closed++
			continue
		}
		name, domain := hostOf(c.URL)
		at := moment(c.Time)
		number := w.counts.Rows[Captures] + 1
		var standIn kavosh.StandIn
		if w.from.StandIn != nil {
			standIn = w.from.StandIn(&c.Capture)
		}
		err := w.row(Captures, number, c.URL, text(name), text(domain), at, c.Type, count(int64(c.Status)), text(c.MIME), c.Payload,
			text(c.Digest), text(string(c.Truncated)), text(string(c.Failure)), text(c.Crawl), text(c.Method), c.File, c.Offset, c.Length, text(string(standIn)), text(c.ETag), text(c.Modified))
		if err != nil {
			return err
		}
		h := w.hosts[name]
		if h == nil {
			h = &host{first: c.Time}
			w.hosts[name] = h
		}
		h.captures++
		h.bytes += c.Payload
		if c.Time.Before(h.first) {
			h.first = c.Time
		}
		if c.Time.After(h.last) {
			h.last = c.Time
		}
		page, err := w.page(number, name, at, &c.Capture)
		if err != nil {
			return err
		}
		if page {
			h.pages++
		}
		if err := w.step(); err != nil {
			return err
		}
	}
	return nil
}

// page writes the row of a page, and of its text if that is new. It reports whether the capture has a text.
func (w *writing) page(number int64, name, at string, c *kavosh.Capture) (bool, error) {
	if c.Type != "revisit" && !texts.Has(c) {
		return false, nil
	}
	t, err := texts.Of(w.from.Texts, c)
	if t == nil || err != nil || t.Text == "" && t.Title == "" {
		return false, err
	}
	hash := maphash.String(w.seed, t.Title+"\x00"+t.Text)
	known, ok := w.texts[hash]
	if !ok {
		known = int64(len(w.texts)) + 1
		w.texts[hash] = known
		if err := w.row(Texts, known, text(t.Lang), text(t.Title), t.Text); err != nil {
			return false, err
		}
	}
	var simhash any
	if t.Simhash != 0 {
		simhash = fmt.Sprintf("%016x", t.Simhash)
	}
	return true, w.row(Pages, number, c.URL, text(name), at, count(int64(c.Status)), text(t.Title), text(t.Lang), t.Certain,
		int64(utf8.RuneCountInString(t.Text)), int64(len(t.Blocks)), simhash, known)
}

// writeHosts writes the hosts, by name.
func (w *writing) writeHosts() error {
	for _, name := range slices.Sorted(maps.Keys(w.hosts)) {
		h := w.hosts[name]
		if name == "" {
			continue // captures of no host, such as dns:
		}
		if err := w.row(Hosts, name, text(weburl.Domain(name)), h.captures, h.pages, h.bytes, moment(h.first), moment(h.last)); err != nil {
			return err
		}
	}
	return nil
}

// writeLinks writes the links of pages that everybody may see.
func (w *writing) writeLinks() error {
	if w.from.Links == nil {
		return nil
	}
	for e, err := range w.from.Links.Query(w.ctx, cdx.Query{URL: "*"}) {
		if err != nil {
			return err
		}
		source := e.Get("source")
		from, _ := hostOf(source)
		to, _ := hostOf(e.URL)
		at, err := time.Parse("20060102150405", e.Timestamp)
		if err != nil {
			return err
		}
		if err := w.row(Links, source, moment(at), e.URL, e.MIME, text(e.Get("anchor")), text(from), text(to)); err != nil {
			return err
		}
		if err := w.step(); err != nil {
			return err
		}
	}
	return nil
}

// hostOf returns the host of a URL, without its port, and the host's domain. Both are "" for a URL without a host.
func hostOf(raw string) (host, domain string) {
	u, err := weburl.Parse(raw)
	if err != nil {
		return "", ""
	}
	return u.Hostname(), weburl.Domain(u.Hostname())
}

// moment writes a time as tables have it.
func moment(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05Z") }

// text returns s, or nil for "".
func text(s string) any {
	if s == "" {
		return nil
	}
	return s
}

// count returns n, or nil for 0.
func count(n int64) any {
	if n == 0 {
		return nil
	}
	return n
}
