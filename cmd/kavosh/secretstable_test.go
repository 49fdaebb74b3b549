package main

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/png"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"kavosh/engine"
)

// secretColumns are the columns of the second table of docs/access-table.md, with the words by which each secret is known.
var secretColumns = []struct {
	name  string
	words []string
}{
	{"a credential of a host", []string{"COOKIE-WORD"}},
	{"user and password in a seed", []string{"SEED-WORD", base64.StdEncoding.EncodeToString([]byte("seed:SEED-WORD"))}},
	{"user and password in a link", []string{"LINK-WORD", base64.StdEncoding.EncodeToString([]byte("reader:LINK-WORD"))}},
	{"password of the proxy", []string{"PROXY-WORD", base64.StdEncoding.EncodeToString([]byte("proxy:PROXY-WORD"))}},
}

// told is what was to be had at one of a table's ways out.
type told struct{ name, text string }

// secretWays crawls with a secret of each kind and gives all that is said while the crawl runs, and by every way out after it.
func secretWays(t *testing.T, dir string, flags ...string) (all []told) {
	t.Helper()
	s := &secretSite{kind: "url", host: "r0-url.test", word: "xsecret0urlx"}
	_, page, _ := strings.Cut(s.text(0), " --\n")
	page, _, _ = strings.Cut(page, "\n-- ")
	page = strings.ReplaceAll(page, "http://linked.test/", "http://reader:LINK-WORD@linked.test/")
	page = strings.ReplaceAll(page, "http://far.test/", "http://reader:LINK-WORD@"+s.host+"/p/")
	page = strings.ReplaceAll(page, "http://more.test/", "http://reader:LINK-WORD@more.test/")
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	status := free.Addr().String()
	free.Close()
	var once sync.Once
	sent := map[string]bool{} // secrets, to the host
	far := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/p/page.html":
			var head bytes.Buffer
			r.Header.Write(&head)
			for _, c := range secretColumns {
				sent[c.name] = sent[c.name] || slices.ContainsFunc(c.words, func(word string) bool { return strings.Contains(head.String(), word) })
			}
			w.Header().Set("X-Secret", s.word)
			io.WriteString(w, page)
		case "/p/pic.png":
			once.Do(func() {
				for _, path := range []string{"/", "/metrics", "/status.json"} {
					all = append(all, told{"`crawl --status`, `" + path + "`", get(t, "http://"+status+path)})
				}
				all = append(all, told{"`crawl --status`, `/` for who gave the token", entered(t, "http://"+status+"/", dir)})
				for _, words := range []string{"control ARCHIVE status", "control ARCHIVE status --json", "control ARCHIVE log", "why ARCHIVE URL"} {
					args := strings.Fields(strings.NewReplacer("ARCHIVE", dir, "URL", s.page()).Replace(words))
					text, status := talk(args...)
					if status != 0 {
						t.Errorf("%s: status %d: %s", words, status, text)
					}
					all = append(all, told{"`kavosh " + words + "` of a running crawl", text})
				}
			})
			png.Encode(w, image.NewGray(image.Rect(0, 0, 60, 40)))
		default:
			http.NotFound(w, r)
		}
	}))
	defer far.Close()
	t.Setenv(engine.CredentialsVariable, "[\"http://"+s.host+"\"]\nheaders = [\"Cookie: sid=COOKIE-WORD\"]\n")
	text, code := talk(append([]string{"crawl", "--browser", "never", "--archive", dir, "--scope", "host", "--workers", "1", "--delay", "0", "--address-delay", "0", "--json", "--status", status,
		"--proxy", "http://proxy:PROXY-WORD@" + strings.TrimPrefix(far.URL, "http://"), "http://seed:SEED-WORD@" + s.host + "/p/page.html"}, flags...)...)
	if code != 0 || len(all) == 0 {
		t.Fatalf("status %d, %d said while it ran: %s", code, len(all), text)
	}
	for _, c := range secretColumns {
		if sent[c.name] == strings.Contains(c.name, "link") {
			t.Errorf("%s: sent is %t", c.name, sent[c.name])
		}
	}
	all = append([]told{{"`kavosh crawl`", text}}, all...)
	locate(t, dir, []*secretSite{s})
	w := newWalker(t, dir, "203.0.113.5:4")
	for _, x := range exits(t, dir) {
		all = append(all, told{x.name, x.get(w, s)})
	}
	rest := allBytes(t, dir)
	var others strings.Builder
	for path, one := range rest {
		if !strings.HasPrefix(path, filepath.Join(dir, "warc")) {
			others.WriteString(one)
		}
	}
	return append(all, told{"stored, all but `warc`", others.String()})
}

// entered is the page of the running crawl of the archive in dir, for who gave its token.
func entered(t *testing.T, page, dir string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "crawls", "*", "token"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Jar: jar}
	answer, err := client.PostForm(page+"enter", url.Values{"token": {read(t, files[len(files)-1])}})
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil || !strings.Contains(string(text), `name="secret"`) {
		t.Fatalf("%v: %s", err, text)
	}
	return string(text)
}

// get is the head and body that an address answers.
func get(t *testing.T, address string) string {
	answer, err := http.Get(address)
	if err != nil {
		t.Error(err)
		return ""
	}
	defer answer.Body.Close()
	var text strings.Builder
	answer.Header.Write(&text)
	if _, err := io.Copy(&text, answer.Body); err != nil || answer.StatusCode != 200 {
		t.Errorf("%s: %d, %v", address, answer.StatusCode, err)
	}
	return text.String()
}

// Each cell of the second table in docs/access-table.md is what may be learned of a secret: by every way out, of a crawl that
// keeps none and of one that keeps them.
func TestSecretsTable(t *testing.T) {
	dir := t.TempDir()
	plain, keeping := secretWays(t, filepath.Join(dir, "plain")), secretWays(t, filepath.Join(dir, "keeping"), "--keep-secrets")
	head := "| way out |"
	for _, c := range secretColumns {
		head += " " + c.name + " |"
	}
	rows := []string{head}
	for i, way := range plain {
		if keeping[i].name != way.name {
			t.Fatalf("%s is %s when secrets are kept", way.name, keeping[i].name)
		}
		row := "| " + way.name + " |"
		for _, c := range secretColumns {
			in := func(text string) bool {
				return slices.ContainsFunc(c.words, func(word string) bool { return strings.Contains(text, word) })
			}
			switch {
			case in(way.text):
				row += " captured |"
			case in(keeping[i].text):
				row += " kept |"
			default:
				row += " never |"
			}
		}
		rows = append(rows, row)
	}
	wantTable(t, 1, rows)
}
