package main

// This file is the command kavosh export tables. Package export/tables writes the tables; this file opens what they are
// made of.

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh/access"
	"kavosh/archive"
	"kavosh/export/tables"
	"kavosh/index"
	"kavosh/internal/clock"
)

type exportTablesCmd struct {
	target
	Args   []string `arg:"" optional:"" name:"archive" help:"The archive's folder; or a WARC, ARC or WACZ file, or a folder of them."`
	Output string   `short:"o" placeholder:"DIR|FILE.sqlite" help:"Where to: a folder of CSV files, made if it is not there, or one SQLite file. Default: the archive's name and -tables."`
	JSON   bool     `name:"json" help:"Print what was done as one JSON object on standard error."`
}

// Help returns the text above the flags in the help.
func (exportTablesCmd) Help() string {
	return `Examples:

    kavosh export tables national.kavosh -o national              national/captures.csv, pages.csv, texts.csv, hosts.csv, links.csv
    kavosh export tables national.kavosh -o national.sqlite
    sqlite3 national.sqlite 'select host, pages from hosts order by pages desc limit 10'

What kavosh access has closed is left out. An SQLite file also has t_pages, t_links, t_urls and others, on which the published SQL of Spaniol and others (2009) runs. docs/formats/tables.md says what each column means, docs/guide/tables.md how to read the tables in pandas, polars and DuckDB.`
}

// Run writes the tables.
func (c *exportTablesCmd) Run(p *program) error {
	path, rest, err := c.split(c.Args)
	if err != nil {
		return err
	}
	if len(rest) > 0 {
		return usage("kavosh export tables takes one archive; %q is too much", rest[0])
	}
	output := c.Output
	if output == "" {
		name := filepath.Base(filepath.Clean(path))
		output = strings.TrimSuffix(name, filepath.Ext(name)) + "-tables"
	}
	source, err := archive.OpenSource(path)
	if err != nil {
		return err
	}
	source.Broken = func(path string, err error) error { return fmt.Errorf("%s: %w", path, err) }
	shown, err := archive.Public(path)
	if err != nil {
		return err
	}
	ctx, stop := p.interruptible(nil)
	defer stop()
	line := newProgress(p.err)
	source.Trouble = func(text string) { line.say("%s", text) }
	counts, err := c.write(ctx, source, shown, line, output)
	line.stop()
	if err = errors.Join(err, source.Close()); err != nil {
		return err
	}
	if c.JSON {
		return json.NewEncoder(p.err).Encode(counts)
	}
	return writeCounts(p.err, &counts, output)
}

// write writes the tables of a source. After an error, tables that were there before stay as they were.
func (c *exportTablesCmd) write(ctx context.Context, source *archive.Source, shown access.Sight, line *progress, path string) (counts tables.Counts, err error) {
	texts, err := readTexts(ctx, source, line)
	if err != nil {
		return counts, err
	}
	defer texts.Close()
	var rules *access.Follower // none for loose files
	if source.Dir != "" {
		rules = access.Follow(vfs.Default, source.Dir, clock.Real{})
	}
	from := &tables.From{
		Captures: source.Captures, Texts: texts, Shown: shown,
		Links: access.NewGuard(nil, nil, rules).Links(index.LiveLinks(vfs.Default, source.Folder(linksName))),
	}
	if source.Dir != "" {
		if from.StandIn, err = archive.StandIns(vfs.Default, source.Dir); err != nil {
			return counts, err
		}
	}
	mending, err := mendingCrawls(source.Dir)
	if err != nil {
		return counts, err
	}
	output, err := tables.Create(path, mending)
	if err != nil {
		return counts, err
	}
	defer func() { err = errors.Join(err, output.Close()) }()
	counts, err = tables.Write(ctx, from, output, func(done int64) {
		if done%1000 == 0 {
			line.draw(fmt.Sprintf(" %s written", plural(done, "row")))
		}
	})
	if err != nil {
		return counts, err
	}
	return counts, output.Commit()
}

// mendingCrawls returns the IDs of the crawls that mend the archive in dir; none if dir is "".
func mendingCrawls(dir string) (ids []string, err error) {
	if dir == "" {
		return nil, nil
	}
	all, err := archive.Crawls(vfs.Default, dir)
	for i := range all {
		if all[i].Mends() {
			ids = append(ids, all[i].ID)
		}
	}
	return ids, err
}

// writeCounts says how many rows each table has.
func writeCounts(w io.Writer, n *tables.Counts, path string) error {
	var parts []string
	for _, t := range tables.All() {
		parts = append(parts, t.Name+" "+count(n.Rows[t.Name]))
	}
	closed := ""
	if n.Closed > 0 {
		closed = fmt.Sprintf(" Left out: %s that kavosh access has closed.", plural(n.Closed, "capture"))
	}
	_, err := fmt.Fprintf(w, "%s: rows of %s.%s\n", path, strings.Join(parts, ", "), closed)
	return err
}
