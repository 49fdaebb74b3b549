package stored

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"

	"kavosh"
	"kavosh/lib/warc"
)

func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

const graph = `{"url":"http://a.test/","title":"Home","text":"to the courses","links":[{"url":"http://a.test/c","anchor":"courses","around":"all"},{"url":"http://b.test/gone"}]}
{"url":"http://a.test/c","text":"algebra","labels":["course"]}

{"url":"http://a.test/old","to":"http://a.test/c"}
`

// A web that was moved leads to the same pages at other addresses, and the one that it was made of stays as it was.
func TestMoved(t *testing.T) {
	w, err := Open(write(t, "web.jsonl", graph), Options{})
	if err != nil {
		t.Fatal(err)
	}
	m := w.Moved("moved", func(url string) string { return strings.Replace(url, ".test/", ".example/", 1) })
	i := m.Find("http://a.example/c")
	if i != 1 || m.Find("http://a.test/c") != -1 || !m.HasLabel(i, "course") || m.Pages[i].Text != w.Pages[i].Text || m.Pages[i].Page.URL != "http://a.example/c" {
		t.Errorf("page %d: %+v", i, m.Pages)
	}
	if l := m.Pages[0].Page.Links; len(l) != 2 || l[0].URL != "http://a.example/c" || l[0].Anchor != "courses" || l[1].URL != "http://b.example/gone" {
		t.Errorf("links %+v", l)
	}
	if w.Find("http://a.test/c") != 1 || w.Pages[0].URL != "http://a.test/" || w.Pages[0].Page.Links[0].URL != "http://a.test/c" {
		t.Errorf("the web itself was changed: %+v", w.Pages[0])
	}
}

func TestGraphFile(t *testing.T) {
	labels := write(t, "labels.tsv", "# truth\nhttp://a.test/\thome\nhttp://elsewhere.test/\thome\n")
	w, err := Open(write(t, "web.jsonl", graph), Options{Labels: labels})
	if err != nil {
		t.Fatal(err)
	}
	if len(w.Pages) != 3 || w.Find("http://a.test/c") != 1 || w.Find("http://b.test/gone") != -1 {
		t.Fatalf("pages %+v", w.Pages)
	}
	home, old := &w.Pages[0], &w.Pages[2]
	if l := home.Page.Links; len(l) != 2 || l[0].Anchor != "courses" || !strings.Contains(l[0].Around, "all") {
		t.Errorf("links %+v", l)
	}
	if !strings.Contains(home.Page.Text, "to the courses") || home.Page.Title != "Home" {
		t.Errorf("title %q, text %q", home.Page.Title, home.Page.Text)
	}
	if old.Status != 301 || len(old.Page.Links) != 1 || old.Page.Links[0].URL != "http://a.test/c" {
		t.Errorf("redirect %+v", old)
	}
	names, counts := w.Labels()
	if !slices.Equal(names, []string{"course", "home"}) || !slices.Equal(counts, []int{1, 1}) {
		t.Errorf("labels %v %v", names, counts)
	}
}

// TestBadInput wants the file and the line of what cannot be read.
func TestBadInput(t *testing.T) {
	for text, want := range map[string]string{
		"{\"url\":\"http://a.test/\"}\n{\"url\":":                             "web.jsonl, line 2",
		"{\"url\":\"no url\"}":                                                "line 1: \"no url\" is no http or https URL",
		"{\"url\":\"http://a.test/\"}\n{\"url\":\"http://a.test/\"}":          "line 2: http://a.test/ comes a second time",
		"{\"url\":\"http://a.test/\",\"status\":7}":                           "status 7",
		"{\"url\":\"http://a.test/\",\"links\":[{\"url\":\"mailto:a@b.c\"}]}": "line 1: \"mailto:a@b.c\"",
		"": "no page in it",
	} {
		_, err := Open(write(t, "web.jsonl", text), Options{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", text, err, want)
		}
	}
	if _, err := Open(write(t, "web.jsonl", graph), Options{Labels: write(t, "labels.tsv", "http://a.test/\thome\nhttp://a.test/\n")}); err == nil || !strings.Contains(err.Error(), "labels.tsv, line 2: no label") {
		t.Errorf("labels: %v", err)
	}
	if _, err := Open("synthetic:pages=many", Options{}); err == nil || !strings.Contains(err.Error(), "relevant") {
		t.Errorf("synthetic: %v", err)
	}
}

func TestFolder(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"a.test/index.html":     `<a href="sub/">in</a> <a href="x.txt">text</a>`,
		"a.test/sub/index.html": "below",
		"a.test/x.txt":          "plain",
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	w, err := Open(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, u := range []string{"http://a.test/", "http://a.test/index.html", "http://a.test/sub/", "http://a.test/x.txt"} {
		if w.Find(u) < 0 {
			t.Errorf("%s is not there", u)
		}
	}
	if p := w.Pages[w.Find("http://a.test/")]; len(p.Page.Links) != 2 || p.Page.Links[0].URL != "http://a.test/sub/" {
		t.Errorf("links %+v", p.Page.Links)
	}
	one, err := Open(filepath.Join(dir, "a.test"), Options{Base: "https://site.example/docs"})
	if err != nil {
		t.Fatal(err)
	}
	if one.Find("https://site.example/docs/sub/") < 0 {
		t.Errorf("with a base: %s", one.Pages[0].URL)
	}
}

// warcFile writes a WARC file with a response for each page.
func warcFile(t *testing.T, pages map[string]string) string {
	t.Helper()
	var file bytes.Buffer
	w := warc.NewWriter(&file, warc.Compression{Format: warc.Gzip})
	for url, body := range pages {
		block := fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
		h := warc.Header{{Name: "WARC-Type", Value: "response"}, {Name: "WARC-Target-URI", Value: url}, {Name: "WARC-Date", Value: "2026-01-02T03:04:05Z"},
			{Name: "WARC-Record-ID", Value: warc.NewID()}, {Name: "Content-Type", Value: "application/http;msgtype=response"}}
		h.Set("Content-Length", strconv.Itoa(len(block)))
		if _, err := w.WriteRecord(h, strings.NewReader(block)); err != nil {
			t.Fatal(err)
		}
	}
	return write(t, "web.warc.gz", file.String())
}

func TestWARC(t *testing.T) {
	w, err := Open(warcFile(t, map[string]string{"http://a.test/": `<p>salam <a href=/2>two</a>`, "http://a.test/2": "two"}), Options{})
	if err != nil {
		t.Fatal(err)
	}
	i := w.Find("http://a.test/")
	if i < 0 || len(w.Pages) != 2 || len(w.Pages[i].Page.Links) != 1 {
		t.Fatalf("pages %+v", w.Pages)
	}
	a, err := w.Answer(i)
	if err != nil || a.Status != 200 || !strings.Contains(string(a.Body), "salam") {
		t.Errorf("answer %+v, %v", a, err)
	}
}

// TestServer asks the stored web as a client does.
func TestServer(t *testing.T) {
	w, err := Open(write(t, "web.jsonl", graph), Options{})
	if err != nil {
		t.Fatal(err)
	}
	s, err := NewServer(w)
	if err != nil {
		t.Fatal(err)
	}
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
		return s.Dial(ctx, netip.MustParseAddrPort("198.18.0.1:80"))
	}
	client := http.Client{Transport: &http.Transport{DialContext: dial}, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	for _, test := range []struct {
		path   string
		status int
		text   string
	}{{"/", 200, "to the courses"}, {"/nowhere", 404, ""}, {"/old", 301, ""}} {
		res, err := client.Get("http://a.test" + test.path)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(res.Body)
		res.Body.Close()
		if err != nil || res.StatusCode != test.status || !strings.Contains(string(body), test.text) {
			t.Errorf("%s: %d %q, %v", test.path, res.StatusCode, body, err)
		}
	}
	client.CloseIdleConnections()
}

func FuzzGraphPage(f *testing.F) {
	for line := range strings.Lines(graph) {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		path := filepath.Join(t.TempDir(), "web.jsonl")
		if err := os.WriteFile(path, []byte(line), 0o644); err != nil {
			t.Fatal(err)
		}
		w, err := Open(path, Options{})
		if err != nil {
			if !strings.Contains(err.Error(), "web.jsonl") {
				t.Errorf("the error does not name the file: %v", err)
			}
			return
		}
		for i := range w.Pages {
			if w.Find(w.Pages[i].URL) != i || w.Pages[i].Page == nil {
				t.Errorf("page %d is not found by its URL %q", i, w.Pages[i].URL)
			}
		}
	})
}

// TestContentCodings reads a page that was packed twice, as one field says.
func TestContentCodings(t *testing.T) {
	body := []byte("<p>salam")
	for range 2 {
		var packed bytes.Buffer
		w := gzip.NewWriter(&packed)
		if _, err := w.Write(body); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		body = packed.Bytes()
	}
	b := newBuilder("web")
	b.add("http://a.test/", &Answer{Status: 200, Header: kavosh.Header{{Name: "Content-Type", Value: "text/html"}, {Name: "Content-Encoding", Value: "gzip, gzip"}}, Body: body}, nil)
	if text := b.web.Pages[0].Page.Text; text != "salam" {
		t.Errorf("text %q", text)
	}
}
