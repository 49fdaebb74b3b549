//go:build conformance

package warc

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// Of thousands of damaged files the repairs keep what is sound, and warcio finds in them what we do.
func TestRepairsAreReadByWarcio(t *testing.T) {
	dir := t.TempDir()
	var paths []string
	var want strings.Builder
	damageAll(t, 3000, func(t *testing.T, file []byte, ones []one, whole []bool) {
		got, warc := repaired(t, file, ones)
		for i, o := range ones {
			if whole[i] && got[i] != o.block {
				t.Errorf("record %d is lost or altered: %.60q, want %.100q", i, o.key, o.block)
			}
		}
		if len(paths) == 1000 || len(warc) == 0 {
			return
		}
		path := filepath.Join(dir, strconv.Itoa(len(paths))+".warc")
		if err := os.WriteFile(path, warc, 0o644); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
		records, _ := readAll(t, bytes.NewReader(warc))
		for _, r := range records {
			h := r.Header
			want.WriteString(gist(h.Get("WARC-Type"), r.ID(), h.Get("WARC-Target-URI"), h.Get("WARC-Block-Digest"), h.Get("WARC-Payload-Digest"), int64(len(r.block))))
		}
	})
	out, err := exec.Command(python(t), append([]string{"-c", warcioLists}, paths...)...).Output()
	if err != nil {
		t.Fatal(err)
	}
	theirs, ours := strings.Split(string(out), "\n"), strings.Split(want.String(), "\n")
	for i := range min(len(theirs), len(ours)) {
		if theirs[i] != ours[i] {
			t.Fatalf("record %d: warcio finds %q, we %q", i, theirs[i], ours[i])
		}
	}
	if len(theirs) != len(ours) {
		t.Errorf("warcio finds %d records, we %d", len(theirs), len(ours))
	}
}
