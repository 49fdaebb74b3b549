package tables

// This file writes tables into an SQLite database.

import (
	"cmp"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"strings"

	_ "modernc.org/sqlite" // the driver
)

// database writes all tables into one SQLite database.
type database struct {
	path   string
	db     *sql.DB
	tx     *sql.Tx
	insert map[string]*sql.Stmt // by table

	mending []string // IDs of crawls
}

// indexes are what joins and look-ups go by.
var indexes = []string{
	"captures (url)", "captures (host)", "captures (digest)", "pages (capture)", "pages (host)", "pages (text)", "links (source)", "links (target)",
}

// createSQLite begins a database. It has its name only after Commit.
func createSQLite(path string, mending []string) (Output, error) {
	if err := os.Remove(path + unfinished); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	name := strings.NewReplacer("%", "%25", "?", "%3f", "#", "%23").Replace(path + unfinished)
	// A failure throws the file away, so that nothing must be safe before the end.
	db, err := sql.Open("sqlite", "file:"+name+"?_pragma=journal_mode(off)&_pragma=synchronous(off)&_pragma=locking_mode(exclusive)")
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	d := &database{path: path, db: db, mending: mending, insert: map[string]*sql.Stmt{}}
	if err := d.begin(); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", path, err), d.Close())
	}
	return d, nil
}

// begin makes the tables.
func (d *database) begin() (err error) {
	if d.tx, err = d.db.Begin(); err != nil {
		return err
	}
	for _, t := range All() {
		var columns []string
		for _, c := range t.Columns {
			columns = append(columns, fmt.Sprintf("%q %s", c.Name, c.Type))
		}
		if _, err := d.tx.Exec(fmt.Sprintf("CREATE TABLE %s (%s)", t.Name, strings.Join(columns, ", "))); err != nil {
			return err
		}
		places := strings.TrimSuffix(strings.Repeat("?, ", len(columns)), ", ")
		if d.insert[t.Name], err = d.tx.Prepare(fmt.Sprintf("INSERT INTO %s VALUES (%s)", t.Name, places)); err != nil {
			return err
		}
	}
	return nil
}

// Row writes a row.
func (d *database) Row(table string, values ...any) error {
	if _, err := d.insert[table].Exec(values...); err != nil {
		return fmt.Errorf("%s: %w", d.path, err)
	}
	return nil
}

// Commit makes the indexes and the published tables, and gives the file its name.
func (d *database) Commit() error {
	for i, on := range indexes {
		if _, err := d.tx.Exec(fmt.Sprintf("CREATE INDEX index%d ON %s", i+1, on)); err != nil {
			return fmt.Errorf("%s: %w", d.path, err)
		}
	}
	if err := publish(d.tx, d.mending); err != nil {
		return fmt.Errorf("%s: %w", d.path, err)
	}
	if err := cmp.Or(d.tx.Commit(), d.db.Close()); err != nil {
		return fmt.Errorf("%s: %w", d.path, err)
	}
	f, err := os.OpenFile(d.path+unfinished, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(d.path+unfinished, d.path)
}

// Close removes what was not committed.
func (d *database) Close() error {
	_ = d.db.Close() // after Commit it is closed already
	_ = os.Remove(d.path + unfinished)
	return nil
}
