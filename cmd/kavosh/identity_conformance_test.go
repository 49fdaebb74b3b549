//go:build conformance

package main

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"kavosh/lib/warc"
)

// signedMessage is a request, or an answer of a directory, as testdata/signatures.py reads it.
type signedMessage struct {
	Method  string      `json:"method"`
	URL     string      `json:"url"`
	Headers [][2]string `json:"headers"`
	Status  int         `json:"status,omitempty"`
	Body    string      `json:"body,omitempty"`
}

func (m *signedMessage) add(h http.Header) {
	for name, values := range h {
		for _, value := range values {
			m.Headers = append(m.Headers, [2]string{name, value})
		}
	}
}

const signedPage = `<!doctype html><title>signed</title><img src=/picture.png><a href=/next>next</a><a href=https://b.test/other>other</a>
<script>
fetch('/api', {method: 'POST', body: 'q=1', headers: {Signature: 'sig1=:AAAA:', 'Signature-Agent': 'sig1="https://evil.test"'}});
fetch(['/by', '-script'].join(''));
</script>`

// Everything that a crawl with a browser asks for, over HTTP/1.1 and HTTP/2, robots.txt too, verifies with another
// implementation of RFC 9421, by the keys of a directory that verifies too; so do the requests as the archive holds them.
// A request with one letter changed does not.
func TestSignaturesVerifyElsewhere(t *testing.T) {
	python, err := filepath.Abs(cmp.Or(os.Getenv("KAVOSH_PYTHON"), "../../.cache/venv/bin/python"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	key, archive := filepath.Join(dir, "bot.pem"), filepath.Join(dir, "archive")
	if text, code := talk("identity", "new", key); code != 0 {
		t.Fatal(text)
	}
	directory, err := readKeys([]string{key})
	if err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	directory.ServeHTTP(w, httptest.NewRequest("GET", "https://bot.test/.well-known/http-message-signatures-directory", nil))
	first := signedMessage{Method: "GET", URL: "https://bot.test/.well-known/http-message-signatures-directory", Status: w.Code, Body: base64.StdEncoding.EncodeToString(w.Body.Bytes())}
	first.add(w.Header())
	messages := []signedMessage{first}

	var mu sync.Mutex
	asked := map[string]string{} // the protocol, by URL
	answer := func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		m := signedMessage{Method: r.Method, URL: "http://" + r.Host + r.RequestURI}
		if r.TLS != nil {
			m.URL = "https://" + r.Host + r.RequestURI
		}
		m.add(r.Header)
		mu.Lock()
		asked[m.URL] = r.Proto
		messages = append(messages, m)
		mu.Unlock()
		switch r.URL.Path {
		case "/robots.txt":
			http.NotFound(w, r)
		case "/", "/other":
			w.Header().Set("Content-Type", "text/html")
			io.WriteString(w, signedPage)
		default:
			io.WriteString(w, "x")
		}
	}
	plain, secure := httptest.NewServer(http.HandlerFunc(answer)), httptest.NewUnstartedServer(http.HandlerFunc(answer))
	defer plain.Close()
	secure.EnableHTTP2 = true
	secure.StartTLS()
	defer secure.Close()
	text, code := talk("crawl", "--archive", archive, "--browser", "always", "--delay", "0", "--scope", "any", "--identity", key, "--signature-agent", "https://bot.test",
		"--connect-to", ":80:"+strings.TrimPrefix(plain.URL, "http://"), "--connect-to", ":443:"+strings.TrimPrefix(secure.URL, "https://"), "http://a.test/")
	if code != 0 {
		t.Fatal(text)
	}
	for url, proto := range map[string]string{
		"http://a.test/robots.txt": "HTTP/1.1", "http://a.test/": "HTTP/1.1", "http://a.test/picture.png": "HTTP/1.1", "http://a.test/by-script": "HTTP/1.1",
		"http://a.test/api": "HTTP/1.1", "https://b.test/robots.txt": "HTTP/2.0", "https://b.test/other": "HTTP/2.0", "https://b.test/by-script": "HTTP/2.0",
	} {
		if asked[url] != proto {
			t.Errorf("%s was asked over %q, want %s", url, asked[url], proto)
		}
	}
	recorded := signedRecords(t, archive)
	if len(recorded) != len(messages)-1 {
		t.Errorf("%d requests were sent, %d are in the archive", len(messages)-1, len(recorded))
	}
	changed := messages[1]
	changed.URL = strings.Replace(changed.URL, "a.test", "c.test", 1)
	messages = append(append(messages, recorded...), changed)

	var lines strings.Builder
	for _, m := range messages {
		line, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		lines.Write(append(line, '\n'))
	}
	file := filepath.Join(dir, "messages")
	if err := os.WriteFile(file, []byte(lines.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), python, "testdata/signatures.py", file).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s; run `make conformance-tools` or set KAVOSH_PYTHON", err, out)
	}
	found := strings.Split(strings.TrimSpace(string(out)), "\n")
	if len(found) != len(messages) {
		t.Fatalf("%d of %d are told of:\n%s", len(found), len(messages), out)
	}
	for i, line := range found {
		if ok, last := strings.HasPrefix(line, "ok "), i == len(found)-1; ok == last {
			t.Error(line)
		}
	}
	t.Logf("%d messages verify", len(found)-1)
}

// signedRecords are the requests that an archive holds.
func signedRecords(t *testing.T, archive string) (all []signedMessage) {
	files, err := filepath.Glob(filepath.Join(archive, "warc", "*.gz"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		r, err := warc.NewReader(f)
		if err != nil {
			t.Fatal(err)
		}
		for {
			record, err := r.Next()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			if record.Header.Get("WARC-Type") != "request" {
				continue
			}
			block, err := io.ReadAll(record.Block)
			if err != nil {
				t.Fatal(err)
			}
			head, _, _ := strings.Cut(string(block), "\r\n\r\n")
			line, fields, _ := strings.Cut(head, "\r\n")
			method, _, _ := strings.Cut(line, " ")
			m := signedMessage{Method: method, URL: record.Header.Get("WARC-Target-URI")}
			for field := range strings.SplitSeq(fields, "\r\n") {
				name, value, _ := strings.Cut(field, ": ")
				m.Headers = append(m.Headers, [2]string{name, value})
			}
			all = append(all, m)
		}
	}
	return all
}
