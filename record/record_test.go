package record

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
	"github.com/google/go-cmp/cmp"

	"kavosh"
	"kavosh/internal/clock"
	"kavosh/internal/disk"
	"kavosh/internal/spool"
	"kavosh/lib/warc"
)

// answer is an exchange with the given wire bytes, as a fetcher would deliver it.
func answer(id uint64, url, head, wireBody, payload string) *kavosh.Exchange {
	sum := sha256.Sum256([]byte(payload))
	x := &kavosh.Exchange{
		Task:  &kavosh.Task{ID: id, URL: url, Kind: kavosh.Navigation, Via: "http://a.test/", Seed: "http://a.test/", Path: "SL", Hops: 1},
		Began: time.Date(2026, 1, 2, 3, 4, 5, 678901234, time.UTC).Add(time.Duration(id) * time.Second), Took: time.Second,
		Addr: netip.MustParseAddrPort("192.0.2.1:80"), Method: "GET", Request: []byte("GET / HTTP/1.1\r\nHost: a.test\r\n\r\n"),
		Wire: spool.Memory(head + wireBody), HeadLen: len(head), Payload: spool.Memory(payload), Digest: sum[:], Proto: "HTTP/1.1", Status: 200,
	}
	for line := range strings.SplitSeq(head, "\r\n") {
		if name, value, ok := strings.Cut(line, ": "); ok {
			x.Header = append(x.Header, kavosh.Field{Name: name, Value: value})
		}
	}
	return x
}

// exchanges is one of each kind that docs/formats/outcomes.md lists.
func exchanges() []*kavosh.Exchange {
	long := strings.Repeat("the same words again and again. ", 20)
	plain := answer(1, "http://a.test/", "HTTP/1.1 200 OK\r\nContent-Type: Text/HTML; charset=utf-8\r\nETag: \"1\"\r\n\r\n", long, long)
	plain.DNS = &kavosh.DNS{Name: "a.test", Time: plain.Began, Text: "a.test. 60 IN A 192.0.2.1\n"}
	chunked := answer(2, "http://a.test/chunked", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "5\r\nhello\r\n0\r\n\r\n", "hello")
	same := answer(3, "http://a.test/same", "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n", long, long)
	confirmed := answer(4, "http://a.test/304", "HTTP/1.1 304 Not Modified\r\nETag: \"1\"\r\n\r\n", "", "")
	confirmed.Status = 304
	confirmed.Task.Prior = &kavosh.Prior{URL: "http://a.test/304", Time: plain.Began, RecordID: "<urn:uuid:1>", Digest: "sha256:X"}
	cut := answer(5, "http://a.test/cut", "HTTP/1.1 200 OK\r\nContent-Length: 99999\r\n\r\n", long, long)
	cut.Failure, cut.Truncated, cut.Detail = kavosh.TruncatedAnswer, kavosh.TruncDisconnect, "closed after 640 of 99999 bytes"
	moved := answer(6, "http://a.test/moved", "HTTP/1.1 301 Moved\r\nLocation: /x\r\n\r\n", "", "")
	moved.Status = 301
	silent := &kavosh.Exchange{
		Task: &kavosh.Task{ID: 7, URL: "http://gone.test/", Kind: kavosh.Seed, Seed: "http://gone.test/", Path: "S"}, Began: plain.Began, Method: "GET",
		Failure: kavosh.DNSFailure, Detail: "no such name",
	}
	robots := answer(8, "http://a.test/robots.txt", "HTTP/1.1 404 Not Found\r\n\r\n", "no", "no")
	robots.Status, robots.Task.Kind = 404, kavosh.Prerequisite
	robots.Decided = &kavosh.Resource{URL: "urn:kavosh:robots:http://a.test", Type: "application/json", Text: `{"decision":"everything is allowed"}`}
	odd := answer(9, "http://a.test/odd", "HTP 200\r\nno colon\r\n\r\n", "x", "x")
	odd.Status, odd.Proto = 0, ""
	odd.Malformed, odd.Interim = "the status line is not HTTP", []byte("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n")
	odd.TLS = &kavosh.TLS{Version: "TLS 1.3", Cipher: "TLS_AES_128_GCM_SHA256", Invalid: "self-signed"}
	return []*kavosh.Exchange{plain, chunked, same, confirmed, cut, moved, silent, robots, odd}
}

// originals answers digest look-ups from what was recorded.
type originals map[string]kavosh.Prior

func (o originals) Digest(d string) (kavosh.Prior, bool) { p, ok := o[d]; return p, ok }

func (o originals) add(cs []kavosh.Capture) {
	for _, c := range cs {
		if _, ok := o[c.Digest]; !ok && c.Type == "response" && c.Truncated == "" {
			o[c.Digest] = kavosh.Prior{URL: c.URL, Time: c.Time, RecordID: c.Record, Digest: c.Digest}
		}
	}
}

func newRecorder(fs vfs.FS, o originals, format warc.Format) *Recorder {
	return New(Options{FS: fs, Dir: "a/warc", Crawl: "20260101000000", Clock: clock.Real{}, Original: o.Digest, Compression: format})
}

// formats are the ways to compress, by the suffix of their files.
var formats = map[string]warc.Format{".warc.gz": warc.Gzip, ".warc.zst": warc.Zstd}

// eachFormat runs a test once for each.
func eachFormat(t *testing.T, test func(t *testing.T, format warc.Format)) {
	for suffix, format := range formats {
		t.Run(suffix, func(t *testing.T) { test(t, format) })
	}
}

func writeAll(t *testing.T, r *Recorder, o originals, xs []*kavosh.Exchange) (all []kavosh.Capture) {
	t.Helper()
	for _, x := range xs {
		cs, err := r.Write(x)
		if err != nil {
			t.Fatal(err)
		}
		o.add(cs)
		all = append(all, cs...)
	}
	return all
}

func captures(t *testing.T, fs vfs.FS) (all []kavosh.Capture) {
	t.Helper()
	files, err := Files(fs, "a/warc")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		f, err := fs.Open("a/warc/" + name)
		if err != nil {
			t.Fatal(err)
		}
		err = Captures(f, strings.TrimSuffix(name, ".open"), func(c kavosh.Capture) error {
			all = append(all, c)
			return nil
		}, func(at int64, err error) { t.Errorf("%s at %d: %v", name, at, err) })
		if err != nil {
			t.Fatal(err)
		}
		f.Close()
	}
	return all
}

// What Write says of a record is what a rebuild reads from the file.
func TestRebuiltCapturesAreTheSame(t *testing.T) { eachFormat(t, rebuiltCapturesAreTheSame) }

func rebuiltCapturesAreTheSame(t *testing.T, format warc.Format) {
	fs, o := vfs.NewMem(), originals{}
	r := newRecorder(fs, o, format)
	want := writeAll(t, r, o, exchanges())
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, captures(t, fs)); diff != "" {
		t.Errorf("captures written and read back differ (-written +read):\n%s", diff)
	}
	types := map[string]int{}
	for _, c := range want {
		types[c.Type+"/"+c.Profile]++
	}
	for _, kind := range []string{"response/", "revisit/identical", "revisit/not-modified", "metadata/", "resource/"} {
		if types[kind] == 0 {
			t.Errorf("no capture of kind %q was written", kind)
		}
	}
}

func TestRecordsSayWhatTheyShould(t *testing.T) { eachFormat(t, recordsSayWhatTheyShould) }

func recordsSayWhatTheyShould(t *testing.T, format warc.Format) {
	fs, o := vfs.NewMem(), originals{}
	r := newRecorder(fs, o, format)
	cs := writeAll(t, r, o, exchanges())
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	byURL := map[string]*kavosh.Capture{}
	for i := range cs {
		byURL[cs[i].URL] = &cs[i]
	}
	for url, want := range map[string][]string{
		"http://a.test/":                  {"WARC-Type: response", "WARC-IP-Address: 192.0.2.1", "WARC-Protocol: http/1.1", "WARC-Date: 2026-01-02T03:04:06.678901Z"},
		"http://a.test/same":              {"WARC-Type: revisit", "WARC-Refers-To-Target-URI: http://a.test/", "identical-payload-digest"},
		"http://a.test/304":               {"WARC-Type: revisit", "server-not-modified", "WARC-Refers-To: <urn:uuid:1>"},
		"http://a.test/cut":               {"WARC-Type: response", "WARC-Truncated: disconnect", "Kavosh-Failure: truncated"},
		"http://gone.test/":               {"WARC-Type: metadata", "Kavosh-Failure: dns", "detail: no such name", "seed: http://gone.test/"},
		"http://a.test/odd":               {"WARC-Cipher-Suite: TLS_AES_128_GCM_SHA256", "WARC-Protocol: tls/1.3"},
		"dns:a.test":                      {"WARC-Type: resource", "Content-Type: text/dns", "192.0.2.1"},
		"http://a.test/chunked":           {"5\r\nhello\r\n0"},
		"http://a.test/moved":             {"HTTP/1.1 301 Moved"},
		"urn:kavosh:robots:http://a.test": {"everything is allowed"},
	} {
		c := byURL[url]
		if c == nil {
			t.Errorf("%s has no capture", url)
			continue
		}
		text := recordText(t, fs, c)
		for _, part := range want {
			if !strings.Contains(text, part) {
				t.Errorf("the record of %s does not say %q:\n%s", url, part, text)
			}
		}
	}
}

func recordText(t *testing.T, fs vfs.FS, c *kavosh.Capture) string {
	t.Helper()
	data, err := disk.ReadFile(fs, "a/warc/"+c.File)
	if err != nil {
		t.Fatal(err)
	}
	rec, err := warc.ReadAt(bytes.NewReader(data), int64(len(data)), c.Offset)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, f := range rec.Header {
		fmt.Fprintf(&b, "%s: %s\n", f.Name, f.Value)
	}
	if _, err := io.Copy(&b, rec.Block); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// A file cut at any byte gives, when resumed, exactly the groups that are whole in it, and is sealed without a trace of
// the one that is not.
func TestResumeAfterACutAnywhere(t *testing.T) { eachFormat(t, resumeAfterACutAnywhere) }

func resumeAfterACutAnywhere(t *testing.T, format warc.Format) {
	whole, o := vfs.NewMem(), originals{}
	r := newRecorder(whole, o, format)
	var ends []int64
	for _, x := range exchanges() {
		writeAll(t, r, o, []*kavosh.Exchange{x})
		ends = append(ends, r.mu.end)
	}
	name := r.mu.name + ".open"
	r.Abandon()
	data, err := disk.ReadFile(whole, "a/warc/"+name)
	if err != nil {
		t.Fatal(err)
	}
	for cut := 0; cut < len(data); cut += 1 + cut%7 { // three places of seven: bytes that follow each other tell the same
		fs := vfs.NewMem()
		if err := disk.MkdirAll(fs, "a/warc"); err != nil {
			t.Fatal(err)
		}
		if err := disk.WriteFile(fs, "a/warc/"+name, data[:cut]); err != nil {
			t.Fatal(err)
		}
		want := 0
		for _, end := range ends {
			if end <= int64(cut) {
				want++
			}
		}
		var ids []uint64
		serial, err := Resume(fs, "a/warc", "20260101000000", Place{}, func(g Group) error {
			ids = append(ids, g.Task)
			return nil
		})
		if err != nil {
			t.Fatalf("cut at %d: %v", cut, err)
		}
		if len(ids) != want || want > 0 && serial != 1 {
			t.Fatalf("cut at %d: groups %v, want %d; next serial %d", cut, ids, want, serial)
		}
		files, err := Files(fs, "a/warc")
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			if strings.HasSuffix(f, ".open") {
				t.Fatalf("cut at %d: %s is not sealed", cut, f)
			}
			if info, err := fs.Stat("a/warc/" + f); err != nil || want > 0 && info.Size() != ends[want-1] {
				t.Fatalf("cut at %d: sealed with %d bytes, want the whole groups alone", cut, info.Size())
			}
		}
	}
}

// After a power cut every group that Sync covered is there, and what comes after it is whole or gone.
func TestPowerCut(t *testing.T) { eachFormat(t, powerCut) }

func powerCut(t *testing.T, format warc.Format) {
	for seed := range uint64(100) {
		rng := rand.New(rand.NewPCG(seed, 2))
		fs, o := vfs.NewCrashableMem(), originals{}
		r := newRecorder(fs, o, format)
		synced, written := 0, 0
		for _, x := range exchanges() {
			writeAll(t, r, o, []*kavosh.Exchange{x})
			written++
			if rng.IntN(3) == 0 {
				if err := r.Sync(); err != nil {
					t.Fatal(err)
				}
				synced = written
			}
		}
		after := fs.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: rng.IntN(101), RNG: rng})
		n := 0
		if _, err := Resume(after, "a/warc", "20260101000000", Place{}, func(Group) error { n++; return nil }); err != nil {
			t.Fatal(err)
		}
		if n < synced || n > written {
			t.Fatalf("seed %d: %d groups after the cut, %d were synced of %d", seed, n, synced, written)
		}
	}
}

// Resuming from a place gives only what lies beyond it.
func TestResumeFromAPlace(t *testing.T) { eachFormat(t, resumeFromAPlace) }

func resumeFromAPlace(t *testing.T, format warc.Format) {
	fs, o := vfs.NewMem(), originals{}
	r := newRecorder(fs, o, format)
	xs := exchanges()
	writeAll(t, r, o, xs[:4])
	place := r.End()
	writeAll(t, r, o, xs[4:])
	r.Abandon()
	var urls []string
	if _, err := Resume(fs, "a/warc", "20260101000000", place, func(g Group) error {
		urls = append(urls, g.Exchange.Task.URL)
		if g.Exchange.Answered() && g.Exchange.Payload == nil {
			t.Errorf("%s came back without its payload", g.Exchange.Task.URL)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if len(urls) != len(xs)-4 || urls[0] != xs[4].Task.URL {
		t.Errorf("resumed with %q, want the last %d", urls, len(xs)-4)
	}
}

// TestResumeWithBothNames wants a file read once whose renaming a power cut kept half.
func TestResumeWithBothNames(t *testing.T) {
	fs, o := vfs.NewMem(), originals{}
	r := newRecorder(fs, o, warc.Gzip)
	writeAll(t, r, o, exchanges())
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	sealed := files(t, fs)[0]
	if err := fs.Link("a/warc/"+sealed, "a/warc/"+sealed+".open"); err != nil {
		t.Fatal(err)
	}
	groups := 0
	if _, err := Resume(fs, "a/warc", "20260101000000", Place{}, func(Group) error { groups++; return nil }); err != nil {
		t.Fatal(err)
	}
	files, err := Files(fs, "a/warc")
	if err != nil || len(files) != 1 || files[0] != sealed || groups != len(exchanges()) {
		t.Errorf("%d groups of %d, files %q, %v", groups, len(exchanges()), files, err)
	}
}

func TestFilesRotate(t *testing.T) {
	fs := vfs.NewMem()
	r := New(Options{FS: fs, Dir: "a/warc", Crawl: "20260101000000", Clock: clock.Real{}, MaxFile: 1500})
	o := originals{}
	writeAll(t, r, o, exchanges())
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if n := len(files(t, fs)); n < 3 {
		t.Errorf("%d files of at most 1500 bytes and one group", n)
	}
	if got := len(captures(t, fs)); got < len(exchanges()) {
		t.Errorf("%d captures in all files", got)
	}
}

// A disk that fails to read is an error: what could not be read must not be taken for torn, and cut off.
func TestResumeDoesNotCutWhatItCannotRead(t *testing.T) {
	eachFormat(t, resumeDoesNotCutWhatItCannotRead)
}

func resumeDoesNotCutWhatItCannotRead(t *testing.T, format warc.Format) {
	fs, o := vfs.NewMem(), originals{}
	r := newRecorder(fs, o, format)
	writeAll(t, r, o, exchanges())
	name := "a/warc/" + r.mu.name + ".open"
	if err := r.Sync(); err != nil {
		t.Fatal(err)
	}
	r.Abandon()
	before, err := disk.ReadFile(fs, name)
	if err != nil {
		t.Fatal(err)
	}
	for _, from := range []Place{{}, {Serial: 1}} { // its groups are not accounted for, and they are
		broken := errorfs.Wrap(fs, errorfs.InjectorFunc(func(op errorfs.Op) error {
			if op.Kind == errorfs.OpFileReadAt {
				return errors.New("the disk is broken")
			}
			return nil
		}))
		if _, err := Resume(broken, "a/warc", "20260101000000", from, func(Group) error { return nil }); err == nil {
			t.Errorf("from %v: no error", from)
		}
		if after, err := disk.ReadFile(fs, name); err != nil || !bytes.Equal(before, after) {
			t.Fatalf("from %v: %d bytes are left of %d (%v)", from, len(after), len(before), err)
		}
	}
}

// files are the names of the WARC files that tests write.
func files(t *testing.T, fs vfs.FS) []string {
	t.Helper()
	names, err := Files(fs, "a/warc")
	if err != nil || len(names) == 0 {
		t.Fatalf("files %q, %v", names, err)
	}
	return names
}
