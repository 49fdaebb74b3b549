package main

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"kavosh/engine"
)

// vault is a far side of many hosts that remembers which of them was sent which secret. Its pages lead away in every way.
type vault struct {
	*httptest.Server
	secrets []string

	mu struct {
		sync.Mutex
		told map[string][]string // by "host secret": paths
	}
}

const vaultPage = `<!doctype html><title>a secret page</title>
<a href=/in>in</a> <a href=http://www.a.test/>sub</a> <a href=http://a.test:8080/>port</a> <a href=http://b.test/>other</a>
<a href=http://reader:LINK-WORD@a.test/userinfo>1</a> <a href=http://reader:LINK-WORD@b.test/userinfo>2</a> <a href=//LINK-WORD@c.test/>3</a>
<a href=/away>away</a> <a href=/scheme>scheme</a> <a href=/back>back</a> <a href="http://reader:LINK-WORD@b ad.test/">bad</a><img src=/logo>`

func newVault(t *testing.T, secrets ...string) *vault {
	v := &vault{secrets: secrets}
	v.mu.told = map[string][]string{}
	v.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var head bytes.Buffer
		r.Header.Write(&head)
		v.mu.Lock()
		for _, s := range v.secrets {
			if strings.Contains(head.String(), s) {
				v.mu.told[r.Host+" "+s] = append(v.mu.told[r.Host+" "+s], r.URL.Path)
			}
		}
		v.mu.Unlock()
		switch r.URL.Path {
		case "/robots.txt":
			http.NotFound(w, r)
		case "/away":
			w.Header().Set("Location", "http://reader:LINK-WORD@b.test/landed")
			w.WriteHeader(http.StatusFound)
		case "/scheme":
			w.Header().Set("Location", "http://a.test:443/landed")
			w.WriteHeader(http.StatusFound)
		case "/back":
			http.Redirect(w, r, "http://b.test/there", http.StatusFound)
		case "/there":
			http.Redirect(w, r, "http://a.test/home-again", http.StatusFound)
		default:
			w.Header().Set("Content-Type", "text/html")
			io.WriteString(w, vaultPage)
		}
	}))
	t.Cleanup(v.Close)
	return v
}

// hosts are those that were sent a secret.
func (v *vault) hosts(secret string) (hosts []string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for key := range v.mu.told {
		if host, s, _ := strings.Cut(key, " "); s == secret {
			hosts = append(hosts, host)
		}
	}
	slices.Sort(hosts)
	return hosts
}

// allBytes are all bytes below dir, with what is compressed in it and what a frontier holds.
func allBytes(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			switch name, _, _ := strings.Cut(d.Name(), "@"); name {
			case "frontier":
				all[path] = databaseText(t, path, "kavosh.frontier") // its key order, but for where prefixes end
			case "rdf", "originals":
				all[path] = databaseText(t, path, pebble.DefaultComparer.Name)
			}
			return nil
		}
		if !d.Type().IsRegular() { // the socket of a crawl that was killed
			return nil
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		all[path] = string(data) + members(data)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// members are the gzip members in data, wherever they lie, as in a WACZ, and the frames of Zstandard.
func members(data []byte) string {
	var all strings.Builder
	for rest := data; ; {
		i := bytes.Index(rest, []byte("\x28\xb5\x2f\xfd"))
		if i < 0 {
			break
		}
		if z, err := zstd.NewReader(bytes.NewReader(rest[i:]), zstd.WithDecoderConcurrency(1)); err == nil {
			io.Copy(&all, z) // what is no frame ends early
			z.Close()
		}
		rest = rest[i+4:]
	}
	for at := 0; ; at++ {
		i := bytes.Index(data[at:], []byte("\x1f\x8b\x08"))
		if i < 0 {
			return all.String()
		}
		at += i
		if z, err := gzip.NewReader(bytes.NewReader(data[at:])); err == nil {
			z.Multistream(false)
			io.Copy(&all, z) // what is no member ends early
		}
	}
}

// databaseText is all that the Pebble database in dir holds, whose order of keys has that name.
func databaseText(t *testing.T, dir, named string) string {
	t.Helper()
	order := *pebble.DefaultComparer
	order.Name = named
	db, err := pebble.Open(dir, &pebble.Options{ReadOnly: true, Comparer: &order, FormatMajorVersion: pebble.FormatNewest})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	it, err := db.NewIter(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer it.Close()
	var text strings.Builder
	for ok := it.First(); ok; ok = it.Next() {
		fmt.Fprintf(&text, "%s %s\n", it.Key(), it.Value())
	}
	return text.String()
}

// talk runs the program and returns all that it says, and its status.
func talk(args ...string) (string, int) {
	var said bytes.Buffer
	status := run(args, program{in: strings.NewReader("http://seed:PW-STDIN@s.test/\n"), out: &said, err: &said})
	return said.String(), status
}

// Every way to give a secret reaches its own origin, and no byte that is written, said, exported or served holds one.
func TestSecretsReachTheirOriginAlone(t *testing.T) {
	words := []string{"PW-FILE", "COOKIE-FILE", "KEY-FILE", "PW-SEED", "PW-STDIN", "BEARER-ENV", "HEADER-COOKIE", "LINK-WORD", "PROXY-WORD", "BROWSER-WORD", "BROWSER-OTHER"}
	b64 := func(user, password string) string {
		return base64.StdEncoding.EncodeToString([]byte(user + ":" + password))
	}
	basics := []string{b64("me", "PW-FILE"), b64("seed", "PW-SEED"), b64("seed", "PW-STDIN"), b64("u", "PROXY-WORD")}
	far := newVault(t, slices.Concat(words, basics)...)
	dir := t.TempDir()
	archive, file := filepath.Join(dir, "archive"), filepath.Join(dir, "login.toml")
	if err := os.WriteFile(file, []byte(`["http://a.test"]
user = "me"
password = "PW-FILE"
headers = ["Cookie: sid=COOKIE-FILE", "X-Api-Key: KEY-FILE"]
`), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv(engine.CredentialsVariable, "[\"http://e.test\"]\nheaders = [\"Authorization: Bearer BEARER-ENV\"]\n")
	address := strings.TrimPrefix(far.URL, "http://")
	crawl := []string{"crawl", "--browser", "never", "--archive", archive, "--delay", "0", "--scope", "any", "--max-hops", "2", "--connect-to", "::" + address, "--credentials", file}
	var said strings.Builder
	mustSay := func(want int, args ...string) string {
		t.Helper()
		text, status := talk(args...)
		if status != want {
			t.Fatalf("%v: status %d, want %d: %s", args, status, want, text)
		}
		said.WriteString(text)
		return text
	}
	mustSay(0, append(crawl, "--json", "--max-pages", "3", "--seeds", "-", "http://a.test/", "http://e.test/", "http://seed:PW-SEED@d.test/")...)
	if text := mustSay(2, "crawl", "--archive", archive, "--resume", "--max-pages", "0"); !strings.Contains(text, "the crawl sends credentials to http://d.test") {
		t.Errorf("resumed without the seeds' credentials: %s", text)
	}
	mustSay(0, "crawl", "--archive", archive, "--resume", "--max-pages", "0", "http://seed:PW-SEED@d.test/", "http://seed:PW-STDIN@s.test/")
	t.Setenv(engine.CredentialsVariable, "")
	mustSay(0, "crawl", "--browser", "never", "--archive", archive, "--delay", "0", "--scope", "any", "--max-hops", "1", "--connect-to", "::"+address, "--header", "Cookie: x=HEADER-COOKIE", "http://h.test/", "http://h.test/two")
	mustSay(0, "crawl", "--browser", "never", "--archive", archive, "--delay", "0", "--address-delay", "0", "--proxy", "http://u:PROXY-WORD@"+address, "--scope", "page", "--json", "http://p.test/")

	mustSay(0, "crawl", "--browser", "never", "--archive", archive, "--delay", "0", "--address-delay", "0", "--proxy-for", "p.test http://u:PROXY-WORD@"+address, "--scope", "page", "--json", "http://p.test/")

	browser := filepath.Join(dir, "cookies.txt")
	if err := os.WriteFile(browser, []byte("# Netscape HTTP Cookie File\n#HttpOnly_.c.test\tTRUE\t/\tFALSE\t0\tsid\tBROWSER-WORD\nbank.test\tFALSE\t/\tFALSE\t0\tsid\tBROWSER-OTHER\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	cookied := append(crawl, "--cookies", browser)
	mustSay(0, append(cookied, "--max-urls", "1", "http://www.c.test/", "http://bank.test.example/")...)
	mustSay(0, "crawl", "--archive", archive, "--resume", "--max-urls", "0")
	if err := os.Remove(browser); err != nil {
		t.Fatal(err)
	}
	mustSay(2, append(cookied, "http://www.c.test/")...)

	// Mistakes are told without what is secret.
	for _, args := range [][]string{
		{"crawl", "--archive", archive + "2", "--header", "Cookie: x=HEADER-COOKIE", "http://h.test/", "http://i.test/"},
		{"crawl", "--archive", archive + "2", "--header", "Cookie x=HEADER-COOKIE", "http://h.test/"},
		{"crawl", "--archive", archive + "2", "--header", "X: HEADER-COOKIE\x01", "http://h.test/"},
		{"crawl", "--archive", archive + "2", "--proxy", "http://u:PROXY-WORD@h%zz:1", "http://h.test/"},
		{"crawl", "--archive", archive + "2", "--proxy-for", "h.test http://u:PROXY-WORD@h%zz:1", "http://h.test/"},
		{"crawl", "--archive", archive + "2", "--proxy-for", "http://u:PROXY-WORD@h:1 h.test", "http://h.test/"},
		{"crawl", "--archive", archive + "2", "http://seed:PW-SEED@h .test/"}, {"crawl", "--archive", archive + "2", "seed:PW-SEED@h.test"}, {"crawl", "--archive", archive + "2", "http://seed:PW/SEED@h.test/"},
	} {
		mustSay(2, args...)
	}
	for _, args := range [][]string{
		{"log", archive}, {"log", "--json", archive}, {"log", "--crawls", archive}, {"why", archive, "http://reader:LINK-WORD@b.test/userinfo"}, {"why", archive, "http://a.test/away"},
		{"export", "wacz", archive, "-o", filepath.Join(dir, "all.wacz")}, {"export", "text", archive}, {"check", archive},
	} {
		mustSay(0, args...)
	}

	for secret, want := range map[string]string{
		basics[0]: "a.test", "COOKIE-FILE": "a.test", "KEY-FILE": "a.test", "BEARER-ENV": "e.test", basics[1]: "d.test", basics[2]: "s.test", "HEADER-COOKIE": "h.test", basics[3]: "p.test", "LINK-WORD": "", "BROWSER-WORD": "c.test www.c.test", "BROWSER-OTHER": "",
	} {
		if got := strings.Join(far.hosts(secret), " "); got != want {
			t.Errorf("%s went to %q, want %q", secret, got, want)
		}
	}
	if far.mu.told["a.test COOKIE-FILE"] == nil || !slices.Contains(far.mu.told["a.test COOKIE-FILE"], "/home-again") {
		t.Errorf("asked with a cookie: %v", far.mu.told["a.test COOKIE-FILE"])
	}

	w := newWalker(t, archive, "203.0.113.5:4")
	w.walk(homeOrigin + "/")
	if len(w.answers) < 50 {
		t.Errorf("only %d addresses were walked", len(w.answers))
	}
	places := allBytes(t, dir)
	delete(places, file)
	places["what was said"] = said.String()
	for address, answer := range w.answers {
		places[address] = answer
	}
	withheld := 0
	for place, text := range places {
		withheld += strings.Count(text, "Kavosh-Withheld: authorization, x-api-key, cookie")
		for _, word := range slices.Concat(words, basics) {
			if i := strings.Index(text, word); i >= 0 && (word != "LINK-WORD" || !isFar(place)) {
				t.Errorf("%s holds %s: …%.200q", place, word, text[max(0, i-150):])
			}
		}
	}
	if withheld == 0 {
		t.Error("no record says that something was left out")
	}
}

// isFar reports whether a place holds pages as the far side made them, whose own words stay.
func isFar(place string) bool {
	return strings.Contains(place, "/warc/") || strings.HasSuffix(place, ".wacz") || strings.HasPrefix(place, replayOrigin) || strings.Contains(place, "/capture?") ||
		strings.Contains(place, "/records/")
}
