package archive

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kavosh/lib/cdx"
)

// Files of one name are all served, each by a name of its own, in whatever order they are given; of a file that grew
// since, what was there then.
func TestLooseFilesOfOneName(t *testing.T) {
	dir := t.TempDir()
	var files []string
	data := map[string][]byte{}
	for _, host := range []string{"z.test", "a.test", "m.test"} {
		path := filepath.Join(dir, host, "x.warc.gz")
		data[host] = foreign(t, host, 1)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, data[host], 0o666); err != nil {
			t.Fatal(err)
		}
		files = append(files, path)
	}
	l, err := OpenLoose(t.Context(), nil, files, func(path string, err error) { t.Error(path, err) })
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(files[0], append(bytes.Clone(data["z.test"]), foreign(t, "new.test", 1)...), 0o666); err != nil {
		t.Fatal(err)
	}
	var found []string
	for e, err := range l.Index.Query(t.Context(), cdx.Query{URL: "*"}) {
		if err != nil {
			t.Fatal(err)
		}
		found = append(found, e.URL+" in "+e.Filename)
		f, _, done, err := l.Files.Open(e.Filename)
		if err != nil {
			t.Fatal(err)
		}
		host := strings.Split(e.URL, "/")[2]
		got, err := io.ReadAll(io.NewSectionReader(f, e.Offset, e.Length))
		if done(); err != nil || !bytes.Equal(got, data[host][e.Offset:e.Offset+e.Length]) {
			t.Errorf("%s: another record, %v", e.URL, err)
		}
	}
	if want := "[http://a.test/0 in 2-x.warc.gz http://m.test/0 in 3-x.warc.gz http://z.test/0 in x.warc.gz]"; fmt.Sprint(found) != want {
		t.Errorf("%v, want %s", found, want)
	}
	if strings.Join(l.Local, " ") != strings.Join(files, " ") {
		t.Errorf("on disk: %q", l.Local)
	}
}
