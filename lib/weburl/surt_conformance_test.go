//go:build conformance

package weburl

import (
	"archive/zip"
	"bufio"
	"compress/gzip"
	"encoding/json"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"kavosh/internal/testdata"
)

// TestSURTAgreesWithPywb compares SURT with the surt package, which makes pywb's keys, on the URLs of the conformance
// data and on 50,000 made-up ones.
func TestSURTAgreesWithPywb(t *testing.T) {
	urls := archivedURLs(t)
	t.Logf("%d URLs from WARC, ARC and WACZ files", len(urls))
	for _, c := range readWPT(t, "url/wpt/urltestdata.json") {
		urls = append(urls, c.Input, c.Href)
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 50_000 {
		urls = append(urls, madeUpURL(r))
	}
	differ, refused := 0, 0
	for i, key := range askSURT(t, urls) {
		if key == nil {
			refused++
			continue
		}
		if got := SURT(urls[i]); got != *key {
			if differ++; differ <= 30 {
				t.Errorf("SURT(%q) = %q, pywb has %q", urls[i], got, *key)
			}
		}
	}
	t.Logf("%d URLs, %d of which pywb refuses, %d keys differ", len(urls), refused, differ)
}

// TestSURTOfStoredIndexes compares SURT with the keys in the CDX files of the conformance data.
func TestSURTOfStoredIndexes(t *testing.T) {
	lines, differ := 0, 0
	for _, pair := range indexedURLs(t) {
		lines++
		if got := SURT(pair.url); got != pair.key {
			differ++
			t.Errorf("SURT(%q) = %q, the index has %q", pair.url, got, pair.key)
		}
	}
	if lines == 0 {
		t.Error("no CDX line found")
	}
	t.Logf("%d CDX lines, %d keys differ", lines, differ)
}

var targetURI = regexp.MustCompile(`(?m)^WARC-Target-URI: *<?([^\r\n>]+)`)

// archivedURLs are the target URIs of every WARC file of the conformance data, found by pattern, each once.
func archivedURLs(t *testing.T) []string {
	seen := map[string]bool{}
	var urls []string
	eachFile(t, func(name string, r io.Reader) {
		if strings.Contains(name, ".warc") {
			data, _ := io.ReadAll(r) // some of these files are broken on purpose: what can be read is enough
			for _, m := range targetURI.FindAllSubmatch(data, -1) {
				u := strings.ToValidUTF8(string(m[1]), "")
				if !seen[u] {
					seen[u] = true
					urls = append(urls, u)
				}
			}
		}
	})
	return urls
}

type indexed struct{ key, url string }

// indexedURLs are the lines of every CDXJ index inside the WACZ files of the conformance data.
func indexedURLs(t *testing.T) []indexed {
	var all []indexed
	eachFile(t, func(name string, r io.Reader) {
		if !strings.Contains(name, ".cdx") {
			return
		}
		lines := bufio.NewScanner(r)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			key, rest, _ := strings.Cut(lines.Text(), " ")
			_, fields, _ := strings.Cut(rest, " ")
			var line struct{ URL string }
			if json.Unmarshal([]byte(fields), &line) == nil && line.URL != "" {
				all = append(all, indexed{key, line.URL})
			}
		}
	})
	return all
}

// eachFile calls f for every file below warc/ and inside the zip files there, uncompressed where it is gzip.
func eachFile(t *testing.T, f func(name string, r io.Reader)) {
	err := filepath.WalkDir(testdata.Path(t, "warc"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		if strings.HasSuffix(path, ".wacz") {
			z, err := zip.OpenReader(path)
			if err != nil {
				return nil // broken on purpose
			}
			defer z.Close()
			for _, member := range z.File {
				if r, err := member.Open(); err == nil {
					f(member.Name, gunzip(r))
					r.Close()
				}
			}
			return nil
		}
		file, err := os.Open(path)
		if err != nil {
			return err
		}
		defer file.Close()
		f(path, gunzip(file))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func gunzip(r io.Reader) io.Reader {
	b := bufio.NewReader(r)
	if magic, _ := b.Peek(2); string(magic) == "\x1f\x8b" {
		if z, err := gzip.NewReader(b); err == nil {
			return z
		}
	}
	return b
}

// madeUpURL puts a URL together from parts that canonicalisers trip over.
func madeUpURL(r *rand.Rand) string {
	pick := func(from ...string) string { return from[r.IntN(len(from))] }
	id32 := "0123456789abcdef0123456789ABCDEF"
	id24 := "aBcdefghijklmnopqrstuvwx"
	var s strings.Builder
	s.WriteString(pick("http://", "https://", "http://", "https://", "HTTP://", "ftp://", "", "http:", "https:/", "http:///", "dns:", "urn:", "metadata://", "http://https://", "screenshot:http://", "//"))
	s.WriteString(pick("", "", "", "", "user@", "u:p@", "a@b@"))
	for range r.IntN(3) + 1 {
		s.WriteString(pick("www.", "www2.", "WWW.", "w", "example", "Example.", "خبر.", "faß.", "می‌خواهم.", "بوک2.", "ＷＷＷ.", "日本。", "\u00ad.", "١٢.", "אa.", "é", "%FF", "%e3%81%82", "a%2eb", "xn--mgba3a4f16a.", "..", "1", "127.0.0.", "010.", "b-c.", "my_host.", "%77ww."))
	}
	s.WriteString(pick("com", "ir", "co.uk", "org.", "1", "0177", "256", ""))
	s.WriteString(pick("", "", "", ":80", ":443", ":8080", ":", ":0", ":x", ":070"))
	for range r.IntN(5) {
		s.WriteString(pick("/", "/", "//", "/.", "/..", "/%2e%2E", "/index.html", "/A b", "/%D8%A7", "/فارسی", "/%2525", "/%25zz", "/%zz", "/a.aspx", "/x;jsessionid="+id32, "/(S("+id24+"))", "/("+id24+")", "\\c", "/\t", "/%0a", "/%23", "/%3f", "/~u", "/+", "/|^`{}\"<>"))
	}
	if r.IntN(2) == 0 {
		s.WriteByte('?')
		for range r.IntN(5) {
			s.WriteString(pick("b=2", "a=1", "A", "=", "&", "&", "&", "a=1=2", "%26", "%3d", "c=%2b+", "q=می", "jsessionid="+id32, "PHPSESSID="+id32, "sid="+id32, "xsid="+id32, "ASPSESSIONIDABCDEFGH=ABCDEFGHIJKLMNOPQRSTUVWX", "cfid=1&cftoken=2", "&cfid=&cftoken=", "?", "/", "%", "%2", "utm_source=x"))
		}
	}
	s.WriteString(pick("", "", "", "#", "#top", "#/a?b", " ", "?"))
	return s.String()
}
