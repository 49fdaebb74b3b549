package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/text/unicode/norm"

	"kavosh/access"
	"kavosh/site"
)

// A collection may be named in any script, in whatever form its letters were typed: all of its addresses work, percent-encoded in any
// way, and it has an origin of its own by the name that browsers write for it.
func TestPersianNames(t *testing.T) {
	t.Parallel()
	dir := storedArchive(t, storedRecord("response", "01", "http://a.test/", "", htmlHead+`<title>one</title><a href="/next">next</a>`))
	const name = "کتاب‌خانهٔ_آزاد"
	at := url.PathEscape(name)
	w := served(t, norm.NFD.String(name)+"="+dir, "two="+dir)
	for address, want := range map[string]string{
		homeOrigin + "/c/" + at:                                                     `<bdi>` + name + `</bdi>`,
		homeOrigin + "/?lang=fa":                                                    `href="` + homeOrigin + "/c/" + at + `"`,
		homeOrigin + "/" + at + "/":                                                 "Location: /c/" + at + "\r\n",
		homeOrigin + "/c/" + at + "/pages":                                          replayOrigin + "/" + at + "/*en/http://a.test/",
		homeOrigin + "/find?q=a.test&coll=" + url.QueryEscape(at):                   "Location: " + replayOrigin + "/" + at + "/*en/http://a.test/",
		homeOrigin + "/find?q=a.test&coll=" + url.QueryEscape(name):                 "Location: " + replayOrigin + "/" + at + "/*en/http://a.test/",
		homeOrigin + "/api/v1/collections":                                          `"name": "` + name + `"`,
		homeOrigin + "/api/v1/collections/" + at + "/captures?url=http://a.test/":   replayOrigin + "/" + at + "/20200101000000/http://a.test/",
		replayOrigin + "/" + at + "/20200101000000/http://a.test/":                  `href="/` + at + "/20200101000000/http://a.test/next",
		replayOrigin + "/" + strings.ToLower(at) + "/20200101000000/http://a.test/": `href="/` + at + "/20200101000000/http://a.test/next",
		replayOrigin + "/" + at + "/2020id_/http://a.test/":                         "Location: /" + at + "/20200101000000id_/http://a.test/",
		replayOrigin + "/" + at + "/http://a.test/":                                 "Location: /" + at + "/20200101000000/http://a.test/",
		replayOrigin + "/" + at + "/*/http://a.test/":                               "/" + at + "/20200101000000/http://a.test/",
		replayOrigin + "/" + at + "/timemap/link/http://a.test/":                    "<" + replayOrigin + "/" + at + "/20200101000000/http://a.test/>",
		replayOrigin + "/" + at + "/cdx?url=a.test":                                 "test,a)/ 20200101000000",
		replayOrigin + "/" + at + "/":                                               "Location: " + homeOrigin + "/c/" + at + "\r\n",
	} {
		if answer := w.ask(address); !strings.Contains(answer, want) {
			t.Errorf("%s lacks %s: %.2500s", address, want, answer)
		}
	}

	// Its own origin: a browser writes the host in ASCII.
	p := &program{out: io.Discard, err: t.Output()}
	set, err := openCollections(t.Context(), p, []string{name + "=" + dir, "کتاب=" + dir, "two=" + dir})
	if err != nil {
		t.Fatal(err)
	}
	handlers, origins, err := newHandlers(p, set, site.Options{HomeAddr: homeOrigin, ReplayAddr: "https://replay.test", CollectionHost: "*.replay.test"}, &access.Site{})
	if err != nil {
		t.Fatal(err)
	}
	ask := func(host, path string) *http.Response {
		r := httptest.NewRequest("GET", "https://"+host+path, nil)
		r.RequestURI = path
		r.Header.Set("Accept", "text/html")
		answer := httptest.NewRecorder()
		handlers[1].ServeHTTP(answer, r)
		return answer.Result()
	}
	book := url.PathEscape("کتاب") + "/20200101000000/http://a.test/"
	if to := ask("replay.test", "/"+book).Header.Get("Location"); to != "https://xn--mgbce12c.replay.test/"+book {
		t.Errorf("a reader of کتاب is led to %s", to)
	}
	if !origins("xn--mgbce12c.replay.test") || ask("xn--mgbce12c.replay.test", "/"+book).StatusCode != 200 || ask("xn--mgbce12c.replay.test", "/two/20200101000000/http://a.test/").StatusCode != 404 {
		t.Error("the origin of کتاب does not show it, or shows another")
	}
	host, err := url.Parse(ask("replay.test", "/"+at+"/20200101000000/http://a.test/").Header.Get("Location"))
	if err != nil || !origins(host.Host) || ask(host.Host, host.EscapedPath()).StatusCode != 200 || len(strings.Split(host.Host, ".")[0]) > 63 {
		t.Errorf("a reader of %s is led to %s", name, host)
	}
}

// Names that cannot be seen, or that turn addresses around, are refused in a line; a folder's name becomes one that can be used.
func TestNamesOfCollections(t *testing.T) {
	t.Parallel()
	dir := onePage(t)
	for _, name := range []string{"a\u202eb", "\u200fa", "a b", "a/b", "a%62", "\u0301a", "a\u200c", "a\x00", ".a", "web\u061c", "a\u2028", strings.Repeat("ک", 65), "\xff"} {
		p := &program{out: io.Discard, err: t.Output()}
		set, err := openCollections(t.Context(), p, []string{name + "=" + dir})
		if err == nil {
			_, _, err = newHandlers(p, set, site.Options{HomeAddr: homeOrigin, ReplayAddr: replayOrigin}, &access.Site{})
		}
		if err == nil || !strings.Contains(err.Error(), "letters and digits of any script") {
			t.Errorf("a collection may be named %q: %v", name, err)
		}
	}
	for folder, want := range map[string]string{"باغ ایرانی.kavosh": "باغ-ایرانی", ".\u202eد\u0301": "-د\u0301", strings.Repeat("ک", 90): strings.Repeat("ک", 60), "\u200c..": "archive"} {
		path := filepath.Join(t.TempDir(), folder)
		if err := os.CopyFS(path, os.DirFS(dir)); err != nil {
			t.Fatal(err)
		}
		if page := served(t, path).ask(homeOrigin + "/?lang=en"); !strings.Contains(page, homeOrigin+"/c/"+url.PathEscape(want)+`"`) {
			t.Errorf("%q is not named %q: %.4000s", folder, want, page)
		}
	}
}
