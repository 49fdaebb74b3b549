package wacz

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"kavosh/lib/cdx"
	"kavosh/lib/warc"
)

// file is a file to be packed.
type file struct {
	name, body string
	deflate    bool
}

// sound is the content of a WACZ file without a fault.
func sound(t testing.TB) []file {
	var w bytes.Buffer
	writer := warc.NewWriter(&w, warc.Compression{Format: warc.Gzip})
	var lines []string
	for i := range 3 {
		url := fmt.Sprintf("http://example.com/%d", i)
		body := fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>page %d", i)
		var h warc.Header
		h.Add("WARC-Type", "response")
		h.Add("WARC-Record-ID", warc.NewID())
		h.Add("WARC-Date", fmt.Sprintf("2026-01-31T12:00:0%dZ", i))
		h.Add("WARC-Target-URI", url)
		h.Add("Content-Type", "application/http;msgtype=response")
		h.Add("Content-Length", fmt.Sprint(len(body)))
		offset := int64(w.Len())
		n, err := writer.WriteRecord(h, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		e := cdx.Entry{
			Key: fmt.Sprintf("com,example)/%d", i), Timestamp: fmt.Sprintf("2026013112000%d", i), URL: url, MIME: "text/html", Status: 200,
			Offset: offset, Length: n, Filename: "a.warc.gz",
		}
		lines = append(lines, string(e.AppendLine(nil)))
	}
	var packed bytes.Buffer
	gz := gzip.NewWriter(&packed)
	io.WriteString(gz, strings.Join(lines, ""))
	gz.Close()
	idx := fmt.Sprintf("!meta 0 {\"format\": \"cdxj-gzip-1.0\", \"filename\": \"index.cdx.gz\"}\ncom,example)/0 20260131120000 {\"offset\": 0, \"length\": %d, \"digest\": \"sha256:%x\"}\n",
		packed.Len(), sha256.Sum256(packed.Bytes()))
	return []file{
		{"archive/a.warc.gz", w.String(), false},
		{"indexes/index.cdx.gz", packed.String(), false},
		{"indexes/index.idx", idx, true},
		{"pages/pages.jsonl", "{\"format\": \"json-pages-1.0\", \"id\": \"pages\"}\n{\"id\": \"1\", \"url\": \"http://example.com/1\", \"ts\": \"2026-01-31T12:00:01Z\", \"title\": \"One\"}\n", true},
	}
}

// packageJSON is the datapackage.json of files.
func packageJSON(files []file) file {
	p := map[string]any{"profile": "data-package", "wacz_version": "1.1.1", "created": "2026-01-31T12:00:00Z"}
	var resources []map[string]any
	for _, f := range files {
		resources = append(resources, map[string]any{"name": f.name, "path": f.name, "bytes": len(f.body), "hash": fmt.Sprintf("sha256:%x", sha256.Sum256([]byte(f.body)))})
	}
	p["resources"] = resources
	b, _ := json.Marshal(p)
	return file{"datapackage.json", string(b), true}
}

// signed is the datapackage-digest.json of a datapackage.json, signed with a new key.
func signed(t *testing.T, packageFile file) file {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKIXPublicKey(key.Public())
	if err != nil {
		t.Fatal(err)
	}
	hash := fmt.Sprintf("sha256:%x", sha256.Sum256([]byte(packageFile.body)))
	sum := sha256.Sum256([]byte(hash))
	signature, err := ecdsa.SignASN1(rand.Reader, key, sum[:])
	if err != nil {
		t.Fatal(err)
	}
	b, _ := json.Marshal(map[string]any{"path": "datapackage.json", "hash": hash, "signedData": map[string]any{
		"hash": hash, "created": "2026-01-31T12:00:00Z", "signature": base64.StdEncoding.EncodeToString(signature), "publicKey": base64.StdEncoding.EncodeToString(der),
	}})
	return file{"datapackage-digest.json", string(b), true}
}

func pack(t testing.TB, files ...file) []byte {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, f := range files {
		h := &zip.FileHeader{Name: f.name, Method: zip.Store}
		if f.deflate {
			h.Method = zip.Deflate
		}
		w, err := z.CreateHeader(h)
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(w, f.body)
	}
	z.Close()
	return b.Bytes()
}

func check(t testing.TB, b []byte) (warc.Summary, []warc.Finding) {
	var found []warc.Finding
	sum, err := Check(context.Background(), "x.wacz", bytes.NewReader(b), int64(len(b)), warc.CheckOptions{}, func(f warc.Finding) { found = append(found, f) })
	if err != nil {
		t.Fatal(err)
	}
	return sum, found
}

func TestSound(t *testing.T) {
	files := sound(t)
	p := packageJSON(files)
	b := pack(t, append(files, p, signed(t, p))...)
	sum, found := check(t, b)
	if len(found) > 0 || sum.Records != 3 || sum.Sound != 3 || sum.Kind != "WACZ 1.1.1 with WARC/1.1, gzip" {
		t.Errorf("%+v, %v", sum, found)
	}
	f, err := Open(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	if w := f.WARCs(); !slices.Equal(w, []string{"archive/a.warc.gz"}) {
		t.Errorf("WARCs = %v", w)
	}
	n := 0
	for e, err := range f.Index() {
		if err != nil {
			t.Fatal(err)
		}
		at, err := f.At("archive/" + e.Filename)
		if err != nil {
			t.Fatal(err)
		}
		rec, err := warc.ReadAt(at, at.Size(), e.Offset)
		if err != nil || rec.TargetURI() != e.URL {
			t.Errorf("ReadAt(%d) = %v, %v", e.Offset, rec, err)
		}
		n++
	}
	for p, err := range f.Pages() {
		if err != nil || p.URL != "http://example.com/1" || p.Title != "One" {
			t.Errorf("page %+v, %v", p, err)
		}
	}
	if _, err := f.At("pages/pages.jsonl"); err == nil || n != 3 {
		t.Errorf("%d entries; At of a compressed file: %v", n, err)
	}
}

func TestFaults(t *testing.T) {
	change := func(name string, f func(string) string) func([]file) []file {
		return func(files []file) []file {
			for i := range files {
				if files[i].name == name {
					files[i].body = f(files[i].body)
				}
			}
			return files
		}
	}
	add := func(name string) func([]file) []file {
		return func(files []file) []file { return append(files, file{name, "x", false}) }
	}
	same := func(files []file) []file { return files }
	type edit func([]file) []file
	for _, c := range []struct {
		name          string
		before, after edit // before and after datapackage.json is made
		rules         string
	}{
		{"a name that leads up", add("../evil"), same, "zip-trick"},
		{"a name that leads up and down", add("archive/../../evil"), same, "zip-trick"},
		{"an absolute name", add("/etc/passwd"), same, "zip-trick"},
		{"a drive", add("C:evil"), same, "zip-trick"},
		{"backslashes", add(`..\evil`), same, "zip-trick"},
		{"a name twice", add("archive/a.warc.gz"), same, "zip-trick"},
		{"a file that is not listed", same, add("archive/b.txt"), "package-list"},
		{"a file that is not there", same, func(f []file) []file { return f[:len(f)-1] }, "package-list package"},
		{"another digest", same, change("indexes/index.idx", func(s string) string { return s + "\n" }), "package-digest index"},
		{"no datapackage.json", same, nil, "package"},
		{"a WARC that is compressed", func(f []file) []file { f[0].deflate = true; return f }, same, "not-stored"},
		{"a broken WARC", change("archive/a.warc.gz", func(s string) string { return s[:len(s)-20] }), same, "truncated-member"},
		{"a WARC that is missing", func(f []file) []file { return f[1:] }, same, "package index-stray"},
		{"an .idx beyond the index", change("indexes/index.idx", func(s string) string { return strings.Replace(s, `"offset": 0`, `"offset": 5000`, 1) }), same, "index"},
		{"an index that is no gzip", change("indexes/index.cdx.gz", func(string) string { return "hello" }), same, "index index-missing page-missing"},
		{"pages without a head", change("pages/pages.jsonl", func(s string) string { return s[strings.Index(s, "\n")+1:] }), same, "pages"},
		{"a page without a time", change("pages/pages.jsonl", func(s string) string { return strings.Replace(s, `"ts"`, `"t"`, 1) }), same, "pages"},
		{"a page that is no JSON", change("pages/pages.jsonl", func(s string) string { return s + "{\n" }), same, "pages"},
		{"a page that was not captured", change("pages/pages.jsonl", func(s string) string { return strings.Replace(s, "com/1", "com/7", 1) }), same, "page-missing"},
		{"a bomb", func(f []file) []file {
			return append(f, file{"big", strings.Repeat("\x00", 1<<20), true}) // above the ratio, below the size that matters
		}, same, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			files := c.before(sound(t))
			if c.after != nil {
				p := packageJSON(files)
				files = append(c.after(files), p)
			}
			var got []string
			_, found := check(t, pack(t, files...))
			for _, f := range found {
				if !slices.Contains(got, f.Rule) {
					got = append(got, f.Rule)
				}
			}
			if strings.Join(got, " ") != c.rules {
				t.Errorf("rules %v, want %q: %v", got, c.rules, found)
			}
		})
	}
}

func TestIndexAgainstRecords(t *testing.T) {
	files := sound(t)
	var plain strings.Builder
	gz, _ := gzip.NewReader(strings.NewReader(files[1].body))
	io.Copy(&plain, gz)
	lines := strings.SplitAfter(plain.String(), "\n")
	lines[0] = strings.Replace(lines[0], "com/0", "com/other", 1)
	lines[1] = strings.Replace(lines[1], `"offset": "`, `"offset": "1`, 1)
	files = []file{files[0], {"indexes/index.cdxj", strings.Join(lines, ""), true}, files[3]}
	_, found := check(t, pack(t, append(files, packageJSON(files))...))
	var got []string
	for _, f := range found {
		got = append(got, f.Rule)
	}
	if want := "index-stray index-missing index-stray"; strings.Join(got, " ") != want {
		t.Errorf("%v, want %s", found, want)
	}
}

func TestSignatureOfAnother(t *testing.T) {
	files := sound(t)
	p := packageJSON(files)
	s := signed(t, file{"", p.body + " ", false})
	_, found := check(t, pack(t, append(files, p, s)...))
	if len(found) != 1 || found[0].Rule != "package-digest" {
		t.Errorf("a digest of another file: %v", found)
	}
	s = signed(t, p)
	s.body = strings.Replace(s.body, `"signature":"M`, `"signature":"N`, 1)
	_, found = check(t, pack(t, append(files, p, s)...))
	if len(found) != 1 || found[0].Rule != "signature" {
		t.Errorf("a changed signature: %v", found)
	}
}

// Two directory entries for the same bytes are how the densest bombs are made.
func TestOverlap(t *testing.T) {
	b := pack(t, file{"aa", "0123456789", false}, file{"bb", "0123456789", false})
	end := bytes.LastIndex(b, []byte("PK\x01\x02")) // directory entry of bb
	copy(b[end+42:end+46], []byte{0, 0, 0, 0})      // now leads to aa
	if _, found := check(t, b); len(found) == 0 || found[0].Rule != "zip-trick" {
		t.Errorf("findings %v", found)
	}
}

type brokenFile struct{ *bytes.Reader }

func (brokenFile) ReadAt(p []byte, off int64) (int, error) { return 0, errors.New("disk gone") }

func TestFailureToReadIsAnError(t *testing.T) {
	if _, err := Check(context.Background(), "x", brokenFile{}, 1000, warc.CheckOptions{}, func(warc.Finding) {}); err == nil || !strings.Contains(err.Error(), "disk gone") {
		t.Errorf("err = %v", err)
	}
}

func FuzzCheck(f *testing.F) {
	files := sound(f)
	f.Add(pack(f, append(files, packageJSON(files))...))
	f.Add([]byte("PK\x05\x06" + strings.Repeat("\x00", 18)))
	f.Fuzz(func(t *testing.T, b []byte) {
		check(t, b)
		if w, err := Open(bytes.NewReader(b), int64(len(b))); err == nil {
			for range w.Index() {
			}
			for range w.Pages() {
			}
		}
	})
}
