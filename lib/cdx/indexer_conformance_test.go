//go:build conformance

package cdx

import (
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"kavosh/internal/testdata"
	"kavosh/lib/warc"
)

// python is the interpreter of the environment that `make conformance-tools` makes.
func python(t *testing.T) string {
	path := os.Getenv("KAVOSH_PYTHON")
	if path == "" {
		path = "../../.cache/venv/bin/python"
	}
	if _, err := os.Stat(path); err != nil {
		t.Fatalf("%v; run `make conformance-tools` or set KAVOSH_PYTHON", err)
	}
	return path
}

// differences are the files in which we mean to differ from cdxj-indexer, with the reason.
func differences() map[string]string {
	return map[string]string{
		"bad.arc":                         "it lists records whose length is no number, as empty; we pass them over",
		"skip-non-open.warc.gz":           "compressed as a whole: no offset leads to its records",
		"example-bad-non-chunked.warc.gz": "compressed as a whole",
		"test.warc.gz":                    "the record has no digest: it computes one of the body with its chunk framing, we one of the payload",
		"HTTP204.warc":                    "a wrong Content-Length: broken records are not listed",
		"broken.warc":                     "a wrong Content-Length, after which it takes lines of HTML for ARC records",
		"example-trunc.warc":              "a wrong Content-Length",
		"redirect.warc":                   "cut",
		"example-space-in-url.arc":        "cut",
		"variableSizedDates.warc":         "it fails at dates without a day",
		"example-extra.warc":              "it reads the head of HTTPX/1.1, browsers and we do not",
		"missing-status-text.warc":        "it reads a head whose lines end in CR CR LF, browsers and we do not",
		"example-wrong-chunks.warc.gz":    "a record over two gzip members: it counts the first alone, and then fails",
	}
}

// As an index, our lines are those of cdxj-indexer: byte for byte, but that we name the type of DNS answers.
func TestLinesAreThoseOfCdxjIndexer(t *testing.T) {
	py := python(t)
	compared, lines := 0, 0
	differ := differences()
	root := testdata.Path(t, "warc")
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !isArchive(path) || differ[filepath.Base(path)] != "" {
			return err
		}
		name, _ := filepath.Rel(root, path)
		cmd := exec.Command(py, "-c", "import sys; from cdxj_indexer.main import main; main([sys.argv[1]])", path)
		cmd.Stderr = os.Stderr
		out, err := cmd.Output()
		if err != nil {
			t.Errorf("%s: cdxj-indexer: %v", name, err)
			return nil
		}
		ours := strings.ReplaceAll(index(t, path), `, "mime": "text/dns"`, "")
		if ours != string(out) {
			t.Errorf("%s: we have\n%sand cdxj-indexer\n%s", name, ours, out)
		}
		compared++
		lines += strings.Count(ours, "\n")
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d files, %d lines", compared, lines)
}

func isArchive(path string) bool {
	for _, end := range []string{".warc", ".warc.gz", ".arc", ".arc.gz"} {
		if strings.HasSuffix(path, end) {
			return true
		}
	}
	return false
}

// index makes the lines of a file as an indexer does.
func index(t *testing.T, path string) string {
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := warc.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	var out []byte
	for {
		rec, err := r.Next()
		if err == io.EOF {
			return string(out)
		}
		if err != nil {
			t.Fatal(err)
		}
		e, ok := FromRecord(rec)
		if err := r.Finish(); err != nil {
			t.Fatal(err)
		}
		if ok && !rec.Broken && !rec.Shared {
			e.Filename, e.Length = filepath.Base(path), rec.Length
			e.Extra = nil // of a revisit's type cdxj-indexer says nothing
			out = e.AppendLine(out)
		}
	}
}
