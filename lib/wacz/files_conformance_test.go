//go:build conformance

package wacz

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"kavosh/internal/testdata"
	"kavosh/lib/warc"
)

// What we say of every WARC, ARC and WACZ file that other projects publish stands in a table of
// docs/formats/foreign-files.md, which this test holds us to.
func TestForeignFiles(t *testing.T) {
	root := testdata.Path(t, "warc")
	var b strings.Builder
	b.WriteString("| file | kind | what we say | records, sound | repaired |\n|---|---|---|---|---|\n")
	n := 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !isArchive(path) {
			return err
		}
		name, _ := filepath.Rel(root, path)
		b.WriteString(row(t, filepath.ToSlash(name), path))
		n++
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d files", n)
	sameTable(t, "files", b.String())
}

// What the indexes of the WACZ files that others publish as good ones list is there, found by look-ups in these. One of the files is published twice.
func TestForeignIndexes(t *testing.T) {
	found := map[string]int{}
	err := filepath.WalkDir(testdata.Path(t, "warc"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".wacz" || strings.HasPrefix(filepath.Base(path), "invalid_example") {
			return err
		}
		b, err := os.ReadFile(path)
		if err == nil {
			err = use(b)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		f, err := Open(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			return err
		}
		for range f.Index() {
			found[filepath.Base(path)]++
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if want := map[string]int{"valid_example_1.wacz": 2, "valid_example_2.wacz": 1, "valid_signed_example_1.wacz": 2, "invalid_signed_example_1.wacz": 2}; !maps.Equal(found, want) {
		t.Errorf("captures %v, want %v", found, want)
	}
}

func isArchive(path string) bool {
	base := filepath.Base(path)
	for _, part := range []string{".warc", ".arc", ".wacz"} {
		if strings.Contains(base, part) {
			return true
		}
	}
	return false
}

// row is a file's line in the table.
func row(t *testing.T, name, path string) string {
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	var first [4]byte
	f.ReadAt(first[:], 0)
	faults, warnings := map[string]int{}, map[string]int{}
	find := func(f warc.Finding) {
		if f.Severity == warc.Fault {
			faults[f.Rule]++
		} else {
			warnings[f.Rule]++
		}
	}
	var sum warc.Summary
	repaired := "–"
	if IsZip(first[:]) {
		sum, err = Check(context.Background(), name, f, info.Size(), warc.CheckOptions{}, find)
	} else {
		sum, err = warc.Check(context.Background(), name, f, warc.CheckOptions{}, find)
		if len(faults)+len(warnings) > 0 {
			repaired = repair(t, name, path)
		}
	}
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	verdict := "sound"
	switch {
	case len(faults) > 0:
		verdict = "**broken**: " + counts(faults)
		if len(warnings) > 0 {
			verdict += "; odd: " + counts(warnings)
		}
	case len(warnings) > 0:
		verdict = "odd: " + counts(warnings)
	}
	return fmt.Sprintf("| %s | %s | %s | %d, %d | %s |\n", name, sum.Kind, verdict, sum.Records, sum.Sound, repaired)
}

func counts(m map[string]int) string {
	var parts []string
	for _, rule := range slices.Sorted(maps.Keys(m)) {
		part := rule
		if m[rule] > 1 {
			part += fmt.Sprintf(" ×%d", m[rule])
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, ", ")
}

// repair says what Repair makes of a file, and that the result is without errors.
func repair(t *testing.T, name, path string) string {
	in, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	var out bytes.Buffer
	fixed, dropped := map[string]int{}, map[string]int{}
	sum, err := warc.Repair(context.Background(), in, &out, warc.RepairOptions{Compression: warc.Compression{Format: warc.Gzip}}, func(r warc.Repaired) {
		if r.Dropped {
			dropped[r.Rule]++
		} else {
			fixed[r.Rule]++
		}
	})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	after, err := warc.Check(context.Background(), name, &out, warc.CheckOptions{}, func(f warc.Finding) {
		if f.Severity == warc.Fault && sum.Written > 0 {
			t.Errorf("%s: after repair: %v", name, f)
		}
	})
	if err != nil || after.Sound != sum.Written {
		t.Errorf("%s: after repair: %+v, %v", name, after, err)
	}
	text := fmt.Sprintf("%d written", sum.Written)
	if len(fixed) > 0 {
		text += ", fixed: " + counts(fixed)
	}
	if len(dropped) > 0 {
		text += ", dropped: " + counts(dropped)
	}
	return text
}
