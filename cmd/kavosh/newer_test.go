package main

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// tree is every file below dir with what it holds.
func treeOf(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		files[path] = fmt.Sprintf("%x", sha256.Sum256(data))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// An archive of a format that this program does not know, or whose archive.json is damaged or lost, is neither read nor written by
// any verb, and each says why in a line.
func TestNoVerbTouchesAnArchiveThatItDoesNotKnow(t *testing.T) {
	t.Parallel()
	dir := secretArchive(t)
	command(t, "access", dir, "add", "takedown", "http://a.test/takedown.html")
	other := filepath.Join(t.TempDir(), "other.warc.gz")
	files, err := filepath.Glob(filepath.Join(dir, "warc", "*"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	data, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(other, data, 0o666); err != nil {
		t.Fatal(err)
	}
	verbs := [][]string{
		{"crawl", "--archive", dir, "--connect-to", "::127.0.0.1:1", "http://a.test/"}, {"crawl", "--archive", dir, "--resume"},
		{"serve", "--addr", "127.0.0.1:0", "--replay-addr", "127.0.0.1:0", dir}, {"search", dir, "page"}, {"why", dir, "http://a.test/"}, {"log", dir}, {"log", "--crawls", dir}, {"control", dir, "status"},
		{"access", dir, "list"}, {"access", dir, "log"}, {"access", dir, "add", "takedown", "http://a.test/"}, {"access", dir, "remove", "1"}, {"access", dir, "why", "http://a.test/"}, {"access", dir, "accept"},
		{"token", dir, "list"}, {"token", dir, "add", "library"}, {"token", dir, "revoke", "1"}, {"check", dir}, {"rebuild", dir}, {"characterise", dir}, {"import", other, dir},
		{"export", "text", dir}, {"export", "wacz", dir, "-o", filepath.Join(t.TempDir(), "x.wacz")}, {"rdf", "stats", dir}, {"rdf", "export", dir}, {"judge", "try", "language=fa", dir},
	}
	for what, damage := range map[string]func([]byte) []byte{
		"of format 99": func(b []byte) []byte {
			return bytes.Replace(bytes.Replace(b, []byte(`"format": 1`), []byte(`"format": 99`), 1), []byte(`"Kavosh/`), []byte(`"Kavosh/99 `), 1)
		},
		"is damaged":      func(b []byte) []byte { return b[:len(b)/2] },
		"no archive.json": func([]byte) []byte { return nil },
	} {
		about := filepath.Join(dir, "archive.json")
		was, err := os.ReadFile(about)
		if err != nil {
			t.Fatal(err)
		}
		if changed := damage(was); changed == nil {
			err = os.Remove(about)
		} else {
			err = os.WriteFile(about, changed, 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
		before := treeOf(t, dir)
		for _, args := range verbs {
			var out, told bytes.Buffer
			status := run(args, program{in: strings.NewReader(""), out: &out, err: &told})
			if status != exitFailed && status != exitUsage || strings.Count(told.String(), "\n") != 1 || !strings.Contains(told.String(), what) {
				t.Errorf("%s, kavosh %s: status %d: %s%s", what, strings.Join(args, " "), status, told.String(), out.String())
			}
			if what == "of format 99" && !strings.Contains(told.String(), "Kavosh/99") {
				t.Errorf("kavosh %s does not say which kavosh made it: %s", strings.Join(args, " "), told.String())
			}
			if out.Len() > 0 && strings.Contains(out.String(), "SECRET") {
				t.Errorf("%s, kavosh %s shows %s", what, strings.Join(args, " "), out.String())
			}
		}
		for name, sum := range treeOf(t, dir) {
			if before[name] != sum {
				t.Errorf("%s: %s was written", what, name)
			}
		}
		if err := os.WriteFile(about, was, 0o666); err != nil {
			t.Fatal(err)
		}
	}
}
