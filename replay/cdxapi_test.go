package replay

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestCDX(t *testing.T) {
	a := newArchive(t)
	a.page("http://a.test/", "20200101000000", "200 text/html", "one")
	a.page("http://a.test/", "20210101000000", "404 text/html", "two")
	a.page("http://a.test/", "20220101000000", "200 text/html", "three")
	a.page("http://a.test/p.png", "20220101000000", "200 image/png", "png")
	a.page("http://sub.a.test/", "20220101000000", "200 text/html", "sub")
	s := server(t, a)
	for _, c := range []struct {
		query string
		want  []string // beginnings of the lines
	}{
		{"url=a.test", []string{"test,a)/ 20200101000000 {", "test,a)/ 20210101000000 {", "test,a)/ 20220101000000 {"}},
		{"url=http://a.test/&limit=1", []string{"test,a)/ 20200101000000"}},
		{"url=a.test&limit=1&sort=reverse", []string{"test,a)/ 20220101000000"}},
		{"url=a.test&sort=closest&closest=20210601", []string{"test,a)/ 20210101000000", "test,a)/ 20220101000000", "test,a)/ 20200101000000"}},
		{"url=a.test&from=2021&to=2021", []string{"test,a)/ 20210101000000"}},
		{"url=a.test/*", []string{"test,a)/ 2020", "test,a)/ 2021", "test,a)/ 2022", "test,a)/p.png 2022"}},
		{"url=a.test/&matchType=prefix&filter=mime:image", []string{"test,a)/p.png"}},
		{"url=*.a.test&filter==mime:text/html&filter=!=status:404&from=2022", []string{"test,a)/ 2022", "test,a,sub)/ 2022"}},
		{"url=a.test&matchType=domain&filter=~url:.*png$", []string{"test,a)/p.png"}},
		{"url=a.test&fl=timestamp,status&output=text", []string{"20200101000000 200", "20210101000000 404", "20220101000000 200"}},
		{"url=a.test&fl=urlkey,timestamp,status&limit=1", []string{`test,a)/ 20200101000000 {"status": "200"}`}},
		{"url=a.test&fl=timestamp,status&output=json&limit=1", []string{`{"timestamp": "20200101000000", "status": "200"}`}},
		{"url=a.test&output=link&limit=1", []string{`<http://replay.test/one/20200101000000/http://a.test/>; rel="memento"; datetime="Wed, 01 Jan 2020 00:00:00 GMT"`}},
		{"url=a.test&page=0&pageSize=1", []string{"test,a)/ 2020", "test,a)/ 2021", "test,a)/ 2022"}},
		{"url=a.test&showNumPages=true", []string{`{"pages": 1, "pageSize": 10, "blocks": 1}`}},
		{"url=nothing.test", nil},
	} {
		w := ask(s, "/one/cdx?"+c.query)
		var lines []string
		if w.Body.Len() > 0 {
			lines = strings.Split(strings.TrimSuffix(w.Body.String(), "\n"), "\n")
		}
		if w.Code != 200 || len(lines) != len(c.want) {
			t.Errorf("%s: %d\n%s", c.query, w.Code, w.Body)
			continue
		}
		for i, want := range c.want {
			if !strings.HasPrefix(lines[i], want) {
				t.Errorf("%s: line %d is %s, want %s", c.query, i, lines[i], want)
			}
		}
	}
	// Every line of JSON has every field, as text.
	var line map[string]string
	if err := json.Unmarshal([]byte(strings.Split(ask(s, "/one/cdx?url=a.test&output=json").Body.String(), "\n")[0]), &line); err != nil {
		t.Fatal(err)
	}
	for _, f := range cdxFields {
		if line[f] == "" {
			t.Errorf("%s is missing: %v", f, line)
		}
	}
	for _, query := range []string{"", "url=", "url=a.test&limit=x", "url=a.test&limit=0", "url=a.test&matchType=all", "url=a.test&sort=closest", "url=a.test&sort=up",
		"url=a.test&output=xml", "url=a.test&filter=~url:(", "url=a.test&from=yesterday", "url=a.test&page=-1", "url=a.test&page=7", "url=%zz"} {
		w := ask(s, "/one/cdx?"+query)
		if w.Code != 400 || strings.Count(w.Body.String(), "\n") != 1 || !strings.HasPrefix(w.Header().Get("Content-Type"), "text/plain") {
			t.Errorf("%s: %d %q %q", query, w.Code, w.Header().Get("Content-Type"), w.Body)
		}
	}
}
