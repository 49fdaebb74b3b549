package tables

import (
	"context"
	"errors"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"kavosh"
	"kavosh/archive"
)

// An export that is interrupted leaves the tables that were there, and nothing else.
func TestInterrupted(t *testing.T) {
	dir := t.TempDir()
	write := func(path string, ctx context.Context, each func(int64)) error {
		from := &From{Captures: func() iter.Seq2[*archive.Logged, error] {
			return func(yield func(*archive.Logged, error) bool) {
				for range 3 {
					c := kavosh.Capture{URL: "http://a.test/x.png", Time: time.Unix(0, 0), Type: "response", MIME: "image/png"}
					if !yield(&archive.Logged{Capture: c}, nil) {
						return
					}
				}
			}
		}}
		output, err := Create(path, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer output.Close()
		if _, err := Write(ctx, from, output, each); err != nil {
			return err
		}
		return output.Commit()
	}
	for _, path := range []string{"folder", "one.sqlite"} {
		path = filepath.Join(dir, path)
		if err := write(path, t.Context(), func(int64) {}); err != nil {
			t.Fatal(err)
		}
		before := contents(t, dir)
		ctx, cancel := context.WithCancel(t.Context())
		if err := write(path, ctx, func(int64) { cancel() }); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: interrupted with %v", path, err)
		}
		if after := contents(t, dir); after != before || !strings.Contains(before, "http://a.test/x.png") {
			t.Errorf("%s: an interrupted export left\n%q, before it was\n%q", path, after, before)
		}
	}
}

// contents returns the names and contents of all files below dir.
func contents(t *testing.T, dir string) string {
	t.Helper()
	var text strings.Builder
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			var data []byte
			data, err = os.ReadFile(path)
			text.WriteString(path + "\n" + string(data) + "\n")
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return text.String()
}

// docs/formats/tables.md names exactly the columns of each table.
func TestColumnsAreDocumented(t *testing.T) {
	page, err := os.ReadFile("../../docs/formats/tables.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, table := range All() {
		_, section, found := strings.Cut(string(page), "\n## "+table.Name+"\n")
		if !found {
			t.Errorf("%s: no section", table.Name)
			continue
		}
		section, _, _ = strings.Cut(section, "\n## ")
		var said, want []string
		for line := range strings.Lines(section) {
			if cells := strings.Split(line, "|"); len(cells) > 2 && strings.Contains(cells[1], "`") {
				for name := range strings.FieldsSeq(cells[1]) {
					said = append(said, strings.Trim(name, "`"))
				}
			}
		}
		for _, c := range table.Columns {
			want = append(want, c.Name)
		}
		if !slices.Equal(said, want) {
			t.Errorf("%s: the page names %q, the table has %q", table.Name, said, want)
		}
	}
}
