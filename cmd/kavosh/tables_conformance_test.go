//go:build conformance

package main

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// python runs a program and returns what it prints.
func python(t *testing.T, dir, program string) string {
	t.Helper()
	cmd := exec.Command(os.Getenv("KAVOSH_PYTHON"), "-c", program)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s\nmake conformance-tools installs Python with its modules", program, err, out)
	}
	return string(out)
}

// The tables of an archive can be read in pandas, polars, DuckDB and SQLite, and say the same in all of them. The
// programs of the guide run.
func TestTablesElsewhere(t *testing.T) {
	guide, dir := read(t, "../../docs/guide/tables.md"), t.TempDir()
	t.Chdir(dir)
	command(t, "demo", "--once", "--archive", "demo")
	command(t, "export", "tables", "demo", "-o", "news")
	command(t, "export", "tables", "demo", "-o", "news.sqlite")

	// Each value in CSV, also texts with quotes, commas and line feeds, is the value in SQLite.
	said := python(t, dir, `
import csv, duckdb, pandas, polars, sqlite3
csv.field_size_limit(1 << 24)
db = sqlite3.connect("news.sqlite")
assert db.execute("pragma integrity_check").fetchone() == ("ok",)
for name in ["captures", "pages", "texts", "hosts", "links"]:
    rows = list(csv.reader(open(f"news/{name}.csv", newline="", encoding="utf-8")))
    answer = db.execute(f"select * from {name}")
    assert rows[0] == [c[0] for c in answer.description], name
    def text(v):
        return "" if v is None else f"{v:.6g}" if isinstance(v, float) else str(v)
    stored = [[text(v) for v in row] for row in answer]
    read = [[text(float(v)) if rows[0][i] == "certainty" and v else v for i, v in enumerate(row)] for row in rows[1:]]
    assert read == stored, (name, next((a, b) for a, b in zip(read, stored) if a != b))
    n = len(stored)
    assert len(pandas.read_csv(f"news/{name}.csv")) == n, name
    assert polars.read_csv(f"news/{name}.csv", infer_schema_length=None).height == n, name
    assert duckdb.sql(f"select count(*) from 'news/{name}.csv'").fetchone()[0] == n, name
    print(name, n)
`)
	for _, name := range []string{"captures", "pages", "texts", "hosts", "links"} {
		if !regexp.MustCompile(`(?m)^` + name + ` [1-9]`).MatchString(said) {
			t.Errorf("%s has no rows: %s", name, said)
		}
	}

	blocks := regexp.MustCompile("(?s)```(python|sql)\n(.*?)```").FindAllStringSubmatch(guide, -1)
	if len(blocks) < 5 {
		t.Fatalf("the guide has %d blocks", len(blocks))
	}
	for _, block := range blocks {
		program := block[2]
		if block[1] == "sql" {
			program = "import sqlite3\nfor row in sqlite3.connect('news.sqlite').execute(\"\"\"" + program + "\"\"\"): print(row)"
		}
		if out := python(t, dir, program); strings.TrimSpace(out) == "" && !strings.Contains(program, "a.host < b.host") {
			t.Errorf("%s prints nothing", program)
		}
	}
}
