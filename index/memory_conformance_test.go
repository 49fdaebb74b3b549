//go:build conformance

package index

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"kavosh/internal/testdata"
)

// The lines of answers to POST are those of cdxj-indexer --post-append, but for the order of the two fields that tell of it.
func TestAnswersToPOSTAsCdxjIndexerHasThem(t *testing.T) {
	python := os.Getenv("KAVOSH_PYTHON")
	if python == "" {
		python = "../.cache/venv/bin/python"
	}
	for _, name := range []string{"warcio/test/data/post-test.warc.gz", "cdxj-indexer/test/data/post-test.warc.gz", "cdxj-indexer/test/data/post-test-more.warc"} {
		path := filepath.Join(testdata.Path(t, "warc"), name)
		cmd := exec.Command(python, "-c", "import sys; from cdxj_indexer.main import main; main(['-p', sys.argv[1]])", path)
		cmd.Stderr = os.Stderr
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("cdxj-indexer: %v; run `make conformance-tools` or set KAVOSH_PYTHON", err)
		}
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		m := &Memory{}
		if err := m.Read(t.Context(), bytes.NewReader(data), filepath.Base(path)); err != nil {
			t.Fatal(err)
		}
		m.Sort()
		var ours []string
		for i := range m.entries {
			ours = append(ours, strings.TrimSuffix(string(m.entries[i].AppendLine(nil)), "\n"))
		}
		var theirs []string
		for line := range strings.Lines(string(out)) {
			line = strings.TrimSuffix(line, "\n")
			if i := strings.Index(line, `, "requestBody": `); i >= 0 {
				if j := strings.LastIndex(line, `, "method": `); j > i {
					line = line[:i] + strings.TrimSuffix(line[j:], "}") + line[i:j] + "}"
				}
			}
			theirs = append(theirs, line)
		}
		slices.Sort(ours)
		slices.Sort(theirs)
		if !slices.Equal(ours, theirs) {
			t.Errorf("%s:\n%s\nwant\n%s", name, strings.Join(ours, "\n"), strings.Join(theirs, "\n"))
		}
	}
}
