//go:build conformance

package replay

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"kavosh/internal/testdata"
	"kavosh/lib/cdx"
	"kavosh/lib/warc"
	"kavosh/replay/replaytest"
)

// sampleLines are the index lines of pywb's sample archive, and of some thousand captures more.
func sampleLines(t *testing.T) []string {
	files, err := filepath.Glob(filepath.Join(testdata.Path(t, "warc"), "pywb/sample_archive/warcs/*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no sample archive: %v", err)
	}
	var lines []string
	for _, path := range files {
		if !strings.Contains(path, ".warc") && !strings.Contains(path, ".arc") {
			continue
		}
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		r, err := warc.NewReader(bytes.NewReader(data))
		if err != nil {
			continue // what pywb keeps there to see it refused
		}
		for {
			rec, err := r.Next()
			if err != nil {
				break
			}
			e, ok := cdx.FromRecord(rec)
			e.Extra = nil // of a revisit's type pywb says nothing
			if r.Finish() != nil {
				break
			}
			if ok && !rec.Broken && !rec.Shared {
				e.Filename, e.Offset, e.Length = filepath.Base(path), rec.Offset, rec.Length
				lines = append(lines, string(e.AppendLine(nil)))
			}
		}
	}
	for i := range 4000 {
		e := cdx.Entry{Key: fmt.Sprintf("test,many,h%d)/p/%d", i%7, i%500), Timestamp: fmt.Sprint(20200101000000 + i*7919%30000000), Status: 200 + i%3*100, MIME: []string{"text/html", "warc/revisit"}[i%2],
			Digest: fmt.Sprintf("sha1:%032d", i%50), Offset: int64(i), Length: 100, Filename: "many.warc.gz"}
		e.URL = fmt.Sprintf("http://h%d.many.test/p/%d", i%7, i%500)
		lines = append(lines, string(e.AppendLine(nil)))
	}
	slices.Sort(lines)
	return slices.Compact(lines)
}

// packed is an index of compressed blocks.
type packed struct {
	directory, data []byte
	*cdx.Blocks
}

const blocksName = "000001-000001.cdxj.gz"

func pack(t *testing.T, lines []string) *packed {
	var directory, data bytes.Buffer
	w := cdx.NewBlockWriter(&directory, &data, blocksName)
	for _, l := range lines {
		if err := w.Add([]byte(strings.TrimSuffix(l, "\n"))); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	blocks, err := cdx.OpenBlocks(bytes.NewReader(directory.Bytes()), int64(directory.Len()), bytes.NewReader(data.Bytes()), int64(data.Len()))
	if err != nil {
		t.Fatal(err)
	}
	return &packed{directory.Bytes(), data.Bytes(), blocks}
}

func (p *packed) Query(ctx context.Context, q cdx.Query) iter.Seq2[cdx.Entry, error] {
	return q.Answer(func(q cdx.Query) iter.Seq2[cdx.Entry, error] {
		from, to, err := q.Range()
		if err != nil {
			return func(yield func(cdx.Entry, error) bool) { yield(cdx.Entry{}, err) }
		}
		return p.Search(from, to, q.Reverse)
	})
}

// startPywb serves the lines as two collections: plain, and as the compressed blocks that we write.
func startPywb(t *testing.T, lines []string, ix *packed) (base string) {
	python, err := filepath.Abs(os.Getenv("KAVOSH_PYTHON"))
	if os.Getenv("KAVOSH_PYTHON") == "" {
		python, err = filepath.Abs("../.cache/venv/bin/python")
	}
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write := func(name string, data []byte) {
		path := filepath.Join(dir, "collections", name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("plain/indexes/index.cdxj", []byte(strings.Join(lines, "")))
	write("blocks/indexes/"+blocksName, ix.data)
	write("blocks/indexes/000001-000001.idx", ix.directory)
	write("blocks/indexes/000001-000001.loc", []byte(blocksName+"\t"+filepath.Join(dir, "collections/blocks/indexes", blocksName)+"\n"))
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	listener.Close()
	var log bytes.Buffer
	cmd := exec.CommandContext(t.Context(), python, "-c", "import sys; from pywb.apps.cli import wayback; wayback(sys.argv[1:])", "-d", dir, "-b", "127.0.0.1", "-p", port)
	cmd.Stdout, cmd.Stderr = &log, &log
	if err := cmd.Start(); err != nil {
		t.Fatalf("%v; run `make conformance-tools` or set KAVOSH_PYTHON", err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	base = "http://127.0.0.1:" + port
	for began := time.Now(); ; {
		r, err := http.Get(base + "/plain/cdx?url=none.test")
		if err == nil {
			r.Body.Close()
			return base
		}
		if time.Since(began) > time.Minute {
			t.Fatalf("pywb does not answer: %v\n%s", err, log.String())
		}
		<-time.After(100 * time.Millisecond)
	}
}

// The CDX API answers as pywb's does on the same index, and pywb reads our blocks as it reads plain lines.
func TestCDXAsPywb(t *testing.T) {
	lines := sampleLines(t)
	s := server(t, replaytest.New(t))
	s.collections.List[0].Index = pack(t, lines)
	lines = asPywbIndexes(t, lines)
	base := startPywb(t, lines, pack(t, lines))
	const fields = "&output=json&fl=urlkey,timestamp,url,mime,status,digest,length,offset,filename"
	for _, query := range []string{
		"url=http://www.iana.org/", "url=iana.org", "url=http://www.iana.org/*", "url=*.iana.org", "url=http://iana.org/_css/&matchType=prefix", "url=http://iana.org&matchType=domain",
		"url=http://iana.org&matchType=host&limit=5", "url=http://example.com/?example=1", "url=http://example.com?example=1&limit=1", "url=http://iana.org/*&filter=mime:image",
		"url=http://iana.org/*&filter==status:200&filter=!mime:text/html", "url=http://iana.org/*&filter=~mime:text/(css|html)", "url=http://iana.org/*&filter=!~status:2..",
		"url=http://iana.org/&from=2014&to=2014", "url=*.iana.org&from=20140126200654&to=20140126200700", "url=*.iana.org&collapseTime=10", "url=*.iana.org&collapseTime=12&filter==status:200",
		"url=http://h3.many.test/p/3", "url=http://h3.many.test/p/3&sort=reverse", "url=http://h3.many.test/p/3&sort=reverse&limit=2", "url=http://h3.many.test/p/3&closest=20200601000000",
		"url=http://h3.many.test/p/3&closest=20200115000000&limit=3", "url=http://h3.many.test/p/3&closest=2019&limit=1", "url=http://h3.many.test/p/1*&limit=40", "url=*.many.test&filter==status:400&limit=30",
		"url=http://none.test/", "url=http://h6.many.test/&matchType=host", "url=*.many.test&filter=digest:00049", "url=*.many.test&filter==digest:00000000000000000000000000000049", "url=*.many.test&filter=~digest:0{31}8$&filter=!mime:revisit", "url=*.many.test&filter==status:200&limit=20",
		"url=h3.many.test/p/3&limit=0", "url=h3.many.test/p/3&from=20200102000000000", "url=h3.many.test/p/3&closest=20200601000000123", "url=http://h3.many.test/p/3;x", "url=http://h3.many.test/p/3?a;b&filter=!status:;",
	} {
		ours := objects(t, ask(s, "/one/cdx?"+query+fields).Body)
		if len(ours) == 0 != strings.ContainsAny(query, ";") != strings.Contains(query, "none.test") {
			t.Errorf("%s: %d captures", query, len(ours))
		}
		for _, collection := range []string{"plain", "blocks"} {
			r, err := http.Get(base + "/" + collection + "/cdx?" + query + fields + "&pageSize=1000")
			if err != nil {
				t.Fatal(err)
			}
			theirs := objects(t, r.Body)
			r.Body.Close()
			if !reflect.DeepEqual(ours, theirs) {
				t.Errorf("%s: %d captures, pywb (%s) has %d\n%v\n%v", query, len(ours), collection, len(theirs), ours[:min(3, len(ours))], theirs[:min(3, len(theirs))])
			}
		}
	}
}

// asPywbIndexes are the lines as pywb's own indexer writes them: SHA-1 goes without saying, and revisits have no status.
func asPywbIndexes(t *testing.T, lines []string) (all []string) {
	for _, l := range lines {
		e, err := cdx.ParseLine([]byte(l))
		if err != nil {
			t.Fatal(err)
		}
		e.Digest = strings.TrimPrefix(e.Digest, "sha1:")
		if e.MIME == RevisitMIME {
			e.Status = 0
		}
		all = append(all, string(e.AppendLine(nil)))
	}
	slices.Sort(all)
	return all
}

// objects reads JSON objects, one after the other. What is not known is left out, as we do and pywb does not.
func objects(t *testing.T, r io.Reader) (list []map[string]string) {
	d := json.NewDecoder(r)
	for {
		var o map[string]string
		err := d.Decode(&o)
		if errors.Is(err, io.EOF) {
			return list
		}
		if err != nil {
			t.Fatal(err)
		}
		for name, value := range o {
			if value == "" || value == "-" {
				delete(o, name)
			}
		}
		list = append(list, o)
	}
}
