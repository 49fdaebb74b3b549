package tables

// This file writes tables as CSV files.

import (
	"bufio"
	"encoding/csv"
	"errors"
	"os"
	"path/filepath"
	"strconv"
)

// csvFolder writes each table as a CSV file (RFC 4180) in a folder: UTF-8, the names of the columns in the first line,
// nothing for a value that is not there.
type csvFolder struct {
	dir    string
	files  map[string]*csvFile // by table
	record []string
}

type csvFile struct {
	file   *os.File
	buffer *bufio.Writer
	rows   *csv.Writer
}

// createCSV makes a folder if it is not there, and begins files in it. They have their names only after Commit.
func createCSV(dir string) (Output, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	c := &csvFolder{dir: dir, files: map[string]*csvFile{}}
	for _, t := range All() {
		if err := c.create(&t); err != nil {
			return nil, errors.Join(err, c.Close())
		}
	}
	return c, nil
}

func (c *csvFolder) create(t *Table) error {
	file, err := os.Create(c.path(t) + unfinished)
	if err != nil {
		return err
	}
	buffer := bufio.NewWriterSize(file, 1<<16)
	f := &csvFile{file, buffer, csv.NewWriter(buffer)}
	c.files[t.Name] = f
	var names []string
	for _, column := range t.Columns {
		names = append(names, column.Name)
	}
	return f.rows.Write(names)
}

func (c *csvFolder) path(t *Table) string { return filepath.Join(c.dir, t.Name+".csv") }

// Row writes a row.
func (c *csvFolder) Row(table string, values ...any) error {
	c.record = c.record[:0]
	for _, v := range values {
		c.record = append(c.record, csvText(v))
	}
	return c.files[table].rows.Write(c.record)
}

// Commit writes what is left, and gives all files their names.
func (c *csvFolder) Commit() error {
	for _, f := range c.files {
		f.rows.Flush()
		if err := errors.Join(f.rows.Error(), f.buffer.Flush(), f.file.Sync(), f.file.Close()); err != nil {
			return err
		}
	}
	for _, t := range All() {
		if err := os.Rename(c.path(&t)+unfinished, c.path(&t)); err != nil {
			return err
		}
	}
	return nil
}

// Close removes what was not committed.
func (c *csvFolder) Close() error {
	for _, f := range c.files {
		_ = f.file.Close() // after Commit it is closed already
		_ = os.Remove(f.file.Name())
	}
	return nil
}

func csvText(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case int64:
		return strconv.FormatInt(v, 10)
	case float64:
		return strconv.FormatFloat(v, 'g', 6, 64)
	}
	return ""
}
