package main

import (
	"bytes"
	"encoding/json"
	"image"
	"image/png"
	"io"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kavosh/access"
	"kavosh/site"
)

// served is a home origin that shows what arguments of kavosh serve name, and the replay's.
func served(t *testing.T, args ...string) *walker {
	t.Helper()
	p := &program{out: io.Discard, err: t.Output()}
	set, err := openCollections(t.Context(), p, args)
	if err != nil {
		t.Fatal(err)
	}
	handlers, _, err := newHandlers(p, set, site.Options{HomeAddr: homeOrigin, ReplayAddr: replayOrigin}, &access.Site{Addresses: []netip.Prefix{}})
	if err != nil {
		t.Fatal(err)
	}
	return &walker{t: t, handlers: handlers, from: "203.0.113.5:4", seen: map[string]bool{}, answers: map[string]string{}}
}

func onePage(t *testing.T) string {
	t.Helper()
	return onePageOf(t, "http://a.test/")
}

func onePageOf(t *testing.T, address string) string {
	t.Helper()
	return storedArchive(t, storedRecord("response", "01", address, "", htmlHead+"<title>one</title>one"))
}

func pngOf(t *testing.T, wide, high int) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "cover.png")
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, wide, high))); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	return name
}

// What a person says of an archive stands on the home page, on its own and in the API, in the reader's language or else in the other; what
// could turn the page around or be markup does not. What another format hides in a picture is no picture.
func TestDescribedCollections(t *testing.T) {
	t.Parallel()
	dir := onePage(t)
	command(t, "describe", dir, "--title", "News <b>of</b>\u202e 2026", "--title-fa", "خبرهای ۱۴۰۵", "--description-fa", "صفحه‌های نخست،\nروز به روز", "--picture", pngOf(t, 30, 20))
	w := served(t, "one="+dir)
	for _, page := range []string{"/", "/c/one"} {
		en, fa := w.ask(homeOrigin+page+"?lang=en"), w.ask(homeOrigin+page+"?lang=fa")
		for text, in := range map[string]string{"<bdi>News &lt;b&gt;of&lt;/b&gt; 2026</bdi>": en, "<bdi>خبرهای ۱۴۰۵</bdi>": fa} {
			if !strings.Contains(in, text) {
				t.Errorf("%s lacks the title %s: %s", page, text, in)
			}
		}
		for _, text := range []string{"صفحه‌های نخست،\nروز به روز", `src="` + homeOrigin + `/c/one/picture"`} {
			if !strings.Contains(en, text) || !strings.Contains(fa, text) {
				t.Errorf("%s lacks %s: %s", page, text, en)
			}
		}
	}
	picture := w.ask(homeOrigin + "/c/one/picture")
	for _, want := range []string{"200\n", "Content-Type: image/png\r\n", "X-Content-Type-Options: nosniff\r\n", "sandbox", "\x89PNG"} {
		if !strings.Contains(picture, want) {
			t.Errorf("the picture's answer lacks %q: %.300q", want, picture)
		}
	}
	var list struct {
		Collections []struct{ Name, Title, Title_fa, Description, Description_fa, Picture string }
	}
	answer := httptest.NewRecorder()
	w.handlers[0].ServeHTTP(answer, httptest.NewRequest("GET", homeOrigin+"/api/v1/collections", nil))
	if err := json.Unmarshal(answer.Body.Bytes(), &list); err != nil || len(list.Collections) != 1 {
		t.Fatal(err, answer.Body)
	}
	if c := list.Collections[0]; c.Name != "one" || c.Title != "News <b>of</b> 2026" || c.Title_fa != "خبرهای ۱۴۰۵" || !strings.HasPrefix(c.Description_fa, "صفحه") || c.Picture != homeOrigin+"/c/one/picture" {
		t.Errorf("the API says %+v", c)
	}

	// A file that came with the archive from elsewhere is looked at again.
	for name, put := range map[string]func(path string) error{
		"markup": func(path string) error {
			return os.WriteFile(path, []byte("<svg xmlns='http://www.w3.org/2000/svg'/>"), 0o666)
		},
		"a link": func(path string) error { return os.Symlink(pngOf(t, 3, 3), path) },
	} {
		path := filepath.Join(dir, "picture")
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		if err := put(path); err != nil {
			t.Fatal(err)
		}
		if w := served(t, "one="+dir); !strings.HasPrefix(w.ask(homeOrigin+"/c/one/picture"), "404") || strings.Contains(w.ask(homeOrigin+"/"), "/picture") {
			t.Errorf("%s is shown as a picture", name)
		}
	}
}

// A package's own title and description are shown when it is served, and become those of an archive that it is imported into,
// but never in the place of what a person wrote.
func TestPackagesDescribeThemselves(t *testing.T) {
	t.Parallel()
	dir, packed, other := onePage(t), filepath.Join(t.TempDir(), "x.wacz"), filepath.Join(t.TempDir(), "other")
	title := "<i>Gardens</i>\u2067 " + strings.Repeat("x", 300)
	if err := os.WriteFile(filepath.Join(dir, "about.json"), []byte(`{"title": "باغ‌ها", "description": "What grew"}`), 0o666); err != nil {
		t.Fatal(err)
	}
	command(t, "export", "wacz", dir, "-o", packed, "--title", title)
	shown := "<bdi>&lt;i&gt;Gardens&lt;/i&gt; xxx"
	for name, path := range map[string]string{"a package": packed, "an archive with one": other} {
		if path == other {
			command(t, "import", packed, other)
		}
		for _, lang := range []string{"en", "fa"} {
			page := served(t, "one="+path).ask(homeOrigin + "/c/one?lang=" + lang)
			if !strings.Contains(page, shown) || !strings.Contains(page, "x…</bdi>") || !strings.Contains(page, `dir="auto">What grew</p>`) {
				t.Errorf("%s, in %s: %.3000s", name, lang, page)
			}
		}
	}
	command(t, "describe", other, "--title", "Mine", "--description", "")
	again := onePageOf(t, "http://b.test/")
	command(t, "export", "wacz", again, "-o", packed+"2.wacz", "--title", "Theirs")
	command(t, "import", packed+"2.wacz", other)
	if page := served(t, "one="+other).ask(homeOrigin + "/c/one"); !strings.Contains(page, "<bdi>Mine</bdi>") || strings.Contains(page, "Theirs") || strings.Contains(page, "What grew") {
		t.Errorf("an import changed what a person wrote: %.3000s", page)
	}
}
