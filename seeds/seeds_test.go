package seeds

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"kavosh"
)

// urls are the links' URLs, those of sitemaps marked.
func urls(links []kavosh.Link) []string {
	var all []string
	for _, link := range links {
		mark := ""
		if link.Kind == kavosh.Sitemap {
			mark = "sitemap "
		}
		all = append(all, mark+link.URL)
	}
	return all
}

// readAll reads a list of good lines, and what is to be noted of it.
func readAll(in io.Reader, name string) (links []kavosh.Link, notes []string, err error) {
	r := Reader{Note: func(n Note) { notes = append(notes, n.String()) }, Login: func(Login) {}}
	err = r.Each(in, name, func(link kavosh.Link) error {
		links = append(links, link)
		return nil
	})
	return links, notes, err
}

func TestRead(t *testing.T) {
	const text = "\xef\xbb\xbf# news\r\n" +
		"https://Example.com:443/a/../fa/#top\r\n" +
		"\r\n" +
		"  example.org/news?x=1  # a comment\n" +
		"localhost:8080\n" +
		"127.0.0.1/x\n" +
		"[::1]:8443/\n" +
		"//example.net\n" +
		"example.net:8443/\n" +
		"old.example.net:80\n" +
		"\u200fخبر.ایران/فارسی\u200e\n" +
		"Sitemap: https://example.com/sitemap.xml\n" +
		"https://u:p@login.example/\n" +
		"https://example.com/sitemap.xml"
	links, notes, err := readAll(strings.NewReader(text), "list.txt")
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"https://example.com/fa/",
		"https://example.org/news?x=1",
		"http://localhost:8080/",
		"http://127.0.0.1/x",
		"http://[::1]:8443/",
		"https://example.net/",
		"https://example.net:8443/",
		"http://old.example.net/",
		"https://xn--ngblk.xn--mgba3a4f16a/%D9%81%D8%A7%D8%B1%D8%B3%DB%8C",
		"sitemap https://example.com/sitemap.xml",
		"https://login.example/",
		"https://example.com/sitemap.xml",
	}
	if diff := cmp.Diff(want, urls(links)); diff != "" {
		t.Error(diff)
	}
	for i, link := range links {
		if link.Position != i {
			t.Errorf("%s has position %d, want %d", link.URL, link.Position, i)
		}
	}
	if want := "list.txt:4: example.org/news?x=1: no scheme, taken as https://example.org/news?x=1"; notes[0] != want {
		t.Errorf("first note %q, want %q", notes[0], want)
	}
}

// Every bad line is refused in one line that names the list, the line, the cause and the fix.
func TestReadErrors(t *testing.T) {
	tests := []struct{ text, want string }{
		{"https://a.example/\nftp://b.example/\n", `list.txt:2: "ftp://b.example/": ftp URLs are not crawled; only http and https are`},
		{"mailto:a@b.example", `list.txt:1: "mailto:a@b.example": mailto URLs are not crawled; only http and https are`},
		{"a@b.example", `list.txt:1: "a@b.example" looks like a mail address; write a URL such as https://example.com/`},
		{"a.example b.example", `list.txt:1: "a.example b.example" holds white space; write one URL a line, and a space in a URL as %20`},
		{"user:secret@b.example", `list.txt:1: "…@b.example": user URLs are not crawled`},
		{"http://user:secret@b .example", `list.txt:1: "http://…@b .example" holds white space`},
		{"example", `list.txt:1: "example" is no host: there is no dot in it; write http://example if that is the host's name`},
		{"/fa/news", `list.txt:1: "/fa/news" has no host; write a whole URL such as https://example.com/`},
		{"http://", `list.txt:1: "http://" is no URL: no host; write a URL such as https://example.com/`},
		{"http://a.example:99999/", `list.txt:1: "http://a.example:99999/" is no URL: the port is no number up to 65535; write`},
		{"https://a.example/\n" + strings.Repeat("a", MaxLine+1), "list.txt:2: longer than 32 KiB, which is no URL; write one URL a line"},
		{"\xd3\xe1\xc7\xe3.example", "list.txt:1: not UTF-8; it looks like windows-1256: save the list as UTF-8, for example by iconv -f windows-1256 -t utf-8"},
		{"caf\xe9.example\xa9", "list.txt:1: not UTF-8"},
		{"\xff\xfeh\x00t\x00", "list.txt:1: in UTF-16; save the list as UTF-8"},
		{"h\x00t\x00t\x00p\x00", "list.txt:1: holds a zero byte"},
		{"\x1f\x8b\x08\x00", "list.txt:1: compressed by gzip; unpack it"},
	}
	for _, test := range tests {
		links, _, err := readAll(strings.NewReader(test.text), "list.txt")
		if err == nil {
			t.Errorf("%.40q: got %v, want error %q", test.text, urls(links), test.want)
			continue
		}
		if !strings.HasPrefix(err.Error(), test.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%.40q: error %.300q, want %q", test.text, err, test.want)
		}
	}
}

// The good lines around bad ones are read, whatever is wrong with these; of a whole file that is no text nothing is.
func TestBadLinesAreToldAndLeftOut(t *testing.T) {
	bad := []string{"http://a%2fb/", strings.Repeat("a", 3*MaxLine), "ftp://b.example/", "caf\xe9", "a b", "x\x00", "http://u:p@v.example/", "\xff\xfe"}
	var text strings.Builder
	var want []string
	for i, line := range bad {
		fmt.Fprintf(&text, "http://good%d.example/\n%s\n", i, line)
		want = append(want, fmt.Sprintf("http://good%d.example/", i))
	}
	var told []int
	r := Reader{Bad: func(n Note) error {
		told = append(told, n.Line)
		return nil
	}}
	var links []kavosh.Link
	if err := r.Each(strings.NewReader(text.String()), "list", func(link kavosh.Link) error {
		links = append(links, link)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, urls(links)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]int{2, 4, 6, 8, 10, 12, 14, 16}, told); diff != "" {
		t.Error(diff)
	}
	if err := r.Each(strings.NewReader("\x1f\x8b\nhttp://a.example/\n"), "list", func(kavosh.Link) error { return nil }); err == nil {
		t.Error("lines of a compressed file are read")
	}
}

func TestArgs(t *testing.T) {
	var notes []string
	var logins []Login
	r := Reader{Note: func(n Note) { notes = append(notes, n.String()) }, Login: func(l Login) { logins = append(logins, l) }}
	links, err := r.Args([]string{"example.com", "sitemap:https://a%40:b%3A@example.com:81/s.xml"})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"https://example.com/", "sitemap https://example.com:81/s.xml"}, urls(links)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]Login{{"https://example.com:81", "a@", "b:"}}, logins); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"argument 1: example.com: no scheme, taken as https://example.com/"}, notes); diff != "" {
		t.Error(diff)
	}
	if _, err := r.Args([]string{"https://a.example/", "x"}); err == nil || !strings.HasPrefix(err.Error(), `argument 2: "x" is no host`) {
		t.Errorf("error %v", err)
	}
	if _, err := new(Reader).Args([]string{"https://u:p@a.example/"}); err == nil || strings.Contains(err.Error(), "u:p") {
		t.Errorf("error %v", err)
	}
}

// A list named where a seed belongs is the commonest slip, and its name looks like a host.
func TestArgsRefuseFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "seeds.txt")
	if err := os.WriteFile(path, []byte("https://example.com/\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := new(Reader).Args([]string{path}); err == nil || !strings.Contains(err.Error(), "use --seeds "+path) {
		t.Errorf("error %v", err)
	}
}

func TestEachStopsWithTheCallersError(t *testing.T) {
	stop := errors.New("stop")
	n := 0
	err := new(Reader).Each(strings.NewReader("a.example\nb.example\nc.example\n"), "list.txt", func(kavosh.Link) error {
		if n++; n == 2 {
			return stop
		}
		return nil
	})
	if err != stop || n != 2 {
		t.Errorf("%d links, error %v", n, err)
	}
}

func TestReadErrorIsTold(t *testing.T) {
	_, _, err := readAll(io.MultiReader(strings.NewReader("a.example\n"), brokenReader{}), "list.txt")
	if err == nil || err.Error() != "list.txt:2: the disk is gone" {
		t.Errorf("error %v", err)
	}
}

type brokenReader struct{}

func (brokenReader) Read([]byte) (int, error) { return 0, errors.New("the disk is gone") }

// A list in TOML says of each seed what holds for it alone. A seed with a mistake is left out, a mistake of form refuses
// the list; both name the line.
func TestTOML(t *testing.T) {
	read := func(text string) (links []kavosh.Link, bad []string, err error) {
		r := Reader{
			Bad: func(n Note) error { bad = append(bad, n.String()); return nil },
			Plan: func(p *kavosh.SeedPlan) error {
				if p.ExtraHops < 0 {
					return errors.New("too few")
				}
				return nil
			},
		}
		err = r.Each(strings.NewReader(text), "list.toml", func(l kavosh.Link) error { links = append(links, l); return nil })
		return links, bad, err
	}
	links, bad, err := read("\xef\xbb\xbf[[seed]]\nurl = 'a.example'\n\n[[ seed ]]\nurl='sitemap:http://b.example/s.xml'\ndepth=0\npriority=-1.5\nrules=['leave url=x', 'take url=y']\n" +
		"[[seed]]\nurl='::'\n# no\n[[seed]]\nextra-hops=-1\nurl='c.example'\n[[seed]]\nextra-hops=2\n")
	if err != nil || len(links) != 2 || links[0].Plan != nil || links[0].URL != "https://a.example/" {
		t.Fatalf("%+v, %v", links, err)
	}
	if p := links[1].Plan; links[1].Kind != kavosh.Sitemap || p == nil || p.Depth == nil || *p.Depth != 0 || p.Priority != -1.5 || len(p.Rules) != 2 || p.ExtraHops != 0 {
		t.Errorf("%+v", links[1])
	}
	if len(bad) != 3 || !strings.HasPrefix(bad[0], "list.toml:9: ") || bad[1] != "list.toml:12: too few" || !strings.HasPrefix(bad[2], "list.toml:15: a seed without a URL") {
		t.Errorf("%q", bad)
	}
	for text, want := range map[string]string{
		"[[seed]]\nurl = 'a.example'\ndept = 3\n": "list.toml:3: a seed has no setting \"dept\"; did you mean depth?",
		"url = 'a.example'\n":                     "list.toml:1: begin each seed with a line [[seed]]",
		"[[seed]]\nurl = a.example\n":             "list.toml:2: column ",
		"[[seed]]\nurl = 'a'\ndepth = 'far'\n":    "list.toml:",
		"seed = 3":                                "list.toml:",
	} {
		if _, _, err := read(text); err == nil || !strings.HasPrefix(err.Error(), want) || strings.ContainsAny(err.Error(), "\n\r") {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

// FuzzTOML looks at the same as FuzzRead.
func FuzzTOML(f *testing.F) {
	f.Add("[[seed]]\nurl = 'a.example'\ndepth = 3\nextra-hops = 1\npriority = 5\nrules = ['leave url=/print/']\n")
	f.Add("[\n")
	f.Fuzz(func(t *testing.T, text string) {
		r := Reader{Bad: func(n Note) error {
			if strings.ContainsAny(n.String(), "\n\r") {
				t.Fatalf("note of several lines: %q", n)
			}
			return nil
		}}
		err := r.Each(strings.NewReader(text), "list.toml", func(l kavosh.Link) error {
			if !strings.Contains(l.URL, "http") || strings.ContainsAny(l.URL, "#\n") {
				t.Fatalf("%q from %q", l.URL, text)
			}
			return nil
		})
		if err != nil && strings.ContainsAny(err.Error(), "\n\r") {
			t.Fatalf("error of several lines: %q", err)
		}
	})
}

// FuzzRead looks at what must hold for any bytes: an error of one line, or links that are keys.
func FuzzRead(f *testing.F) {
	f.Add([]byte("\xef\xbb\xbfexample.com\r\n# x\nsitemap: https://example.com/s.xml\n"))
	f.Add([]byte("localhost:8080 #x\n[::1]\n//a.example\n"))
	f.Add([]byte("\xd3\xe1\xc7\xe3"))
	f.Fuzz(func(t *testing.T, text []byte) {
		links, notes, err := readAll(bytes.NewReader(text), "list")
		if err != nil {
			if strings.ContainsAny(err.Error(), "\n\r") {
				t.Fatalf("error of several lines: %q", err)
			}
			return
		}
		for _, url := range urls(links) {
			if !strings.Contains(url, "http") || strings.ContainsAny(url, "#\n") {
				t.Fatalf("%q from %q", url, text)
			}
		}
		for _, note := range notes {
			if strings.ContainsAny(note, "\n\r") {
				t.Fatalf("note of several lines: %q", note)
			}
		}
	})
}

// BenchmarkEach is one line of a long list.
func BenchmarkEach(b *testing.B) {
	in, out := io.Pipe()
	go func() {
		defer out.Close()
		var buf []byte
		for i := range b.N {
			if buf = fmt.Appendf(buf, "https://host%d.example/fa/news/%d\n", i%1000, i); len(buf) > 1<<16 || i == b.N-1 {
				out.Write(buf)
				buf = buf[:0]
			}
		}
	}()
	b.ReportAllocs()
	b.ResetTimer()
	if err := new(Reader).Each(in, "list", func(kavosh.Link) error { return nil }); err != nil {
		b.Fatal(err)
	}
}
