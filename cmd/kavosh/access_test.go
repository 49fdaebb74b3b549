package main

import (
	"bytes"
	"errors"
	"fmt"
	"html"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/klauspost/compress/gzip"

	"kavosh/access"
	"kavosh/index"
	"kavosh/internal/fakeweb"
	"kavosh/lib/cdx"
	"kavosh/lib/wacz"
	"kavosh/site"
)

// secretWeb has a secret for each kind of rule, and pages that lead to them.
var secretWeb = `
-- a.test/ --
<!doctype html><title>Home</title><p>open to all</p>
<a href="/takedown.html">1</a> <a href="/private/">2</a> <a href="/private/deep/x.html">2</a> <a href="/metadata.html">3</a> <a href="/on-site.html">4</a>
<a href="http://b.test/">5</a> <a href="/content.html">6</a> <a href="/copy.html">6</a> <a href="/to-takedown">7</a> <a href="/framing.html">8</a> <a href="/to-content">9</a> <a href="http://hidden.test/">10</a>
-- hidden.test/ --
<!doctype html><title>SECRET-HOST</title><p>SECRET-HOST</p>
-- a.test/takedown.html --
<!doctype html><title>SECRET-TAKEDOWN</title><p>SECRET-TAKEDOWN <a href="/open-too.html">SECRET-TAKEDOWN</a></p>
-- a.test/private/ --
<!doctype html><title>SECRET-FOLDER</title><p>SECRET-FOLDER</p>
-- a.test/private/deep/x.html --
<!doctype html><title>SECRET-PREFIX</title><p>SECRET-PREFIX</p>
-- a.test/metadata.html X-Secret=SECRET-METADATA --
<!doctype html><title>SECRET-METADATA</title><p>SECRET-METADATA <a href="/open-too.html">SECRET-METADATA</a></p>
-- a.test/on-site.html --
<!doctype html><title>SECRET-ON-SITE</title><p>SECRET-ON-SITE <a href="/open-too.html">SECRET-ON-SITE</a></p>
-- b.test/ --
<!doctype html><title>SECRET-EMBARGO</title><p>SECRET-EMBARGO</p>
-- a.test/content.html --
` + sameContent + `
-- a.test/copy.html --
` + sameContent + `
-- a.test/to-takedown status=302 Location=/takedown.html --
-- a.test/to-content status=302 Location=/content.html --
-- a.test/framing.html --
<!doctype html><title>Framing</title><iframe src="/takedown.html"></iframe><img src="/private/deep/x.html"><script src="/metadata.html"></script>
-- a.test/open-too.html --
<!doctype html><title>Open</title><p>open too</p>
`

// sameContent is long enough for its second capture to be a revisit.
var sameContent = "<!doctype html><title>SECRET-CONTENT</title><p>SECRET-CONTENT" + strings.Repeat(" of the same content", 30)

var secretWords = []string{"SECRET-CONTENT", "SECRET-EMBARGO", "SECRET-FOLDER", "SECRET-HOST", "SECRET-METADATA", "SECRET-ON-SITE", "SECRET-PREFIX", "SECRET-TAKEDOWN"}

// secretArchive crawls secretWeb.
func secretArchive(t *testing.T) string {
	t.Helper()
	web, err := fakeweb.Parse([]byte(secretWeb))
	if err != nil {
		t.Fatal(err)
	}
	far, err := fakeweb.NewServer(web, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { far.Close() })
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go far.Serve(l)
	dir := filepath.Join(t.TempDir(), "secret")
	command(t, "crawl", "--browser", "never", "--archive", dir, "--scope", "any", "--delay", "0", "--connect-to", "::"+l.Addr().String(), "http://a.test/", "http://b.test/")
	return dir
}

// command runs a command that must succeed, and gives what it printed.
func command(t *testing.T, args ...string) string {
	t.Helper()
	var out, told bytes.Buffer
	if status := run(args, program{in: strings.NewReader(""), out: &out, err: &told}); status != 0 {
		t.Fatalf("kavosh %s: status %d: %s%s", strings.Join(args, " "), status, told.String(), out.String())
	}
	return out.String()
}

// closeSecrets makes a rule of each kind.
func closeSecrets(t *testing.T, dir string) {
	t.Helper()
	digest := regexp.MustCompile(`"url": "http://a.test/content.html".*?"digest": "([^"]+)"`)
	var lines string
	files, err := filepath.Glob(filepath.Join(dir, "log", "*", "1.jsonl"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	data, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	lines = strings.ReplaceAll(string(data), `":"`, `": "`)
	found := digest.FindStringSubmatch(lines)
	if found == nil {
		t.Fatalf("no digest in %s", lines)
	}
	for _, words := range [][]string{
		{"takedown", "http://a.test/takedown.html"}, {"takedown", "http://a.test/private/*"}, {"takedown", found[1]}, {"takedown", "hidden.test"},
		{"metadata", "http://a.test/metadata.html"}, {"on-site", "https://www.a.test/on-site.html"}, {"embargo", "b.test", "--until", "2999-01-01"},
	} {
		command(t, append([]string{"access", dir, "add"}, words...)...)
	}
}

// walker asks a server for everything that it leads to, as a reader at an address.
type walker struct {
	t        *testing.T
	handlers [2]http.Handler
	from     string
	seen     map[string]bool
	answers  map[string]string // by URL: status, head and body
}

// tellers are pages that tell every reader all that he may know: who links to a page, with the words of the links, and what is found.
var tellers = []string{"/c/one/links?url=http://a.test/open-too.html", "/c/one/search?q=secret", "/c/web/search?q=secret", "/api/v1/collections/one/search?q=secret"}

const homeOrigin, replayOrigin = "http://home.test:1", "http://replay.test:2"

// walk asks for a URL, and for what its answer leads to.
func (w *walker) walk(address string) {
	queue := []string{address}
	for len(queue) > 0 && len(w.seen) < 4000 {
		address, queue = queue[0], queue[1:]
		address, _, _ = strings.Cut(address, "#")
		if w.seen[address] || strings.Contains(address, "/search?") && strings.Contains(address, "&") || !strings.HasPrefix(address, homeOrigin+"/") && !strings.HasPrefix(address, replayOrigin+"/") {
			continue
		}
		w.seen[address] = true
		body := w.ask(address)
		base, err := url.Parse(address)
		if err != nil {
			continue
		}
		for ref := range strings.FieldsFuncSeq(body, func(c rune) bool { return strings.ContainsRune("\"'> \t\r\n", c) }) {
			if strings.HasPrefix(ref, "<http") { // of a Link field
				ref = ref[1:]
			}
			ref = html.UnescapeString(ref)
			if !strings.HasPrefix(ref, "/") && !strings.HasPrefix(ref, "http") && !strings.Contains(ref, "?") || strings.ContainsAny(ref, "<(){};,|") {
				continue // no address that a page of the archive leads to, but a word, a tag or code
			}
			if to, err := url.Parse(ref); err == nil {
				next := base.ResolveReference(to).String()
				if strings.HasPrefix(ref, "/") && !strings.HasPrefix(ref, "//") {
					next = base.Scheme + "://" + base.Host + ref // archived URLs keep their slashes
				}
				queue = append(queue, next)
			}
		}
	}
}

// ask gives status, head and body of an answer, asked for as a browser and as a program does.
func (w *walker) ask(address string) string {
	var all strings.Builder
	for _, accept := range []string{"text/html", "*/*"} {
		handler, rest := w.handlers[0], strings.TrimPrefix(address, homeOrigin)
		if strings.HasPrefix(address, replayOrigin) {
			handler, rest = w.handlers[1], strings.TrimPrefix(address, replayOrigin)
		}
		r := httptest.NewRequest("GET", replayOrigin+"/", nil)
		if u, err := url.Parse(address); err == nil {
			r.URL, r.Host = u, u.Host
		}
		r.RequestURI, r.RemoteAddr = rest, w.from
		r.Header.Set("Accept", accept)
		answer := httptest.NewRecorder()
		func() {
			defer func() {
				if v := recover(); v != nil && v != http.ErrAbortHandler {
					panic(v)
				}
			}()
			handler.ServeHTTP(answer, r)
		}()
		fmt.Fprintf(&all, "%d\n", answer.Code)
		answer.Result().Header.Write(&all)
		io.Copy(&all, answer.Body)
	}
	w.answers[address] = strings.NewReplacer("<mark>", "", "</mark>", "").Replace(all.String()) // words that were searched for
	return w.answers[address]
}

// newWalker serves an archive to a reader at an address.
func newWalker(t *testing.T, dir, from string) *walker {
	t.Helper()
	return newWalkerOf(t, dir, from, "secret")
}

// newWalkerOf is newWalker for an archive in which a word is found. Thumbnails are drawn of titles, which a test can read.
func newWalkerOf(t *testing.T, dir, from, word string) *walker {
	t.Helper()
	p := &program{out: io.Discard, err: t.Output()}
	set, err := openCollections(t.Context(), p, []string{"one=" + dir})
	if err != nil {
		t.Fatal(err)
	}
	command(t, "search", "--archive", dir, word) // makes the indexes of words and of links
	searching := startSearches(t.Context(), p, set, &site.Foreground{})
	t.Cleanup(searching.Close)
	rooms := &access.Site{Addresses: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}}
	handlers, _, err := newHandlers(p, set, site.Options{Lang: "en", HomeAddr: homeOrigin, ReplayAddr: replayOrigin}, rooms)
	if err != nil {
		t.Fatal(err)
	}
	set.studio.Check = func() error { return errors.New("no pictures are taken here") }
	return &walker{t: t, handlers: handlers, from: from, seen: map[string]bool{}, answers: map[string]string{}}
}

// walkAll walks from the first page of the archive and asks for every route that the server has, for every secret URL in
// several spellings.
func walkAll(t *testing.T, dir, from string) *walker {
	t.Helper()
	w := newWalker(t, dir, from)
	var stamps []string
	all := index.OpenLive(vfs.Default, filepath.Join(dir, "index"), filepath.Join(dir, "log"))
	for e, err := range all.Query(t.Context(), cdx.Query{URL: "*"}) {
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Contains(stamps, e.Timestamp) {
			stamps = append(stamps, e.Timestamp)
		}
	}
	var addresses []string
	for i, secret := range []string{
		"http://a.test/takedown.html", "https://www.a.test/TAKEDOWN.html/", "http://a.test/takedown.html?", "http://a.test/x/../takedown.html", "http://a.test/t%61kedown.html",
		"http://a.test/private/", "http://a.test/private", "http://a.test/private/deep/x.html", "http://a.test/private/deep/x.html?v=2", "http://a.test/metadata.html", "http://a.test/on-site.html",
		"http://b.test/", "http://a.test/content.html", "http://a.test/copy.html", "http://a.test/to-takedown", "http://a.test/to-content", "http://a.test/framing.html", "http://a.test/",
	} {
		coll := []string{"one", "web"}[i%2]
		at := replayOrigin + "/" + coll + "/"
		for _, stamp := range append(stamps, "2020") {
			for _, mod := range []string{"", "id_", "if_", "js_", "oe_", "parts_"} {
				addresses = append(addresses, at+stamp+mod+"/"+secret)
			}
		}
		query := url.QueryEscape(secret)
		for _, form := range []string{"timegate/", "timemap/link/", "timemap/json/", "timemap/cdxj/", "timemap/link/1/", "*/", "*en/", "*fa/", ""} {
			addresses = append(addresses, at+form+secret)
		}
		for _, form := range []string{"cdx?url=", "cdx?output=json&url=", "cdx?output=text&url=", "cdx?output=link&url=", "cdx?matchType=host&url=", "cdx?matchType=domain&url=",
			"cdx?matchType=prefix&sort=reverse&url=", "cdx?closest=2020&limit=1&url=", "cdx?collapseTime=4&url=", "cdx?showNumPages=true&url=", "cdx?q=type:urlquery+url:"} {
			addresses = append(addresses, at+form+query)
		}
		api := homeOrigin + "/api/v1/collections/one/"
		addresses = append(addresses, api+"captures?url="+query, api+"captures?match=host&url="+query, api+"pages?url="+query, api+"hosts", api+"search?q=secret", api+"crawls", homeOrigin+"/api/v1/collections")
		for _, stamp := range stamps {
			addresses = append(addresses, api+"capture?url="+query+"&time="+stamp)
		}
		home := homeOrigin + "/c/" + coll
		addresses = append(addresses, home, home+"?prefix="+query, homeOrigin+"/find?coll="+coll+"&url="+query, homeOrigin+"/search?coll="+coll+"&q=secret",
			home+"/host?host=a.test", home+"/search?q=secret", home+"/list", home+"/crawls", home+"/links?url="+query, home+"/search?q=like:"+query)
		for _, stamp := range stamps {
			for _, page := range []string{"capture", "compare", "thumbnail", "thumb", "links"} {
				addresses = append(addresses, home+"/"+page+"?url="+query+"&time="+stamp)
			}
		}
	}
	for _, path := range tellers {
		addresses = append(addresses, homeOrigin+path)
	}
	w.walk(homeOrigin + "/")
	for _, a := range addresses {
		w.walk(a)
	}
	t.Logf("%d addresses walked from %s", len(w.answers), from)
	return w
}

// told are the secret words that answers have.
func (w *walker) told() []string {
	var words []string
	for address, answer := range w.answers {
		for _, word := range secretWords {
			if strings.Contains(answer, word) && !slices.Contains(words, word) {
				words = append(words, word)
				w.t.Logf("%s tells %s", address, word)
			}
		}
	}
	slices.Sort(words)
	return words
}

// No route of the server tells what a rule closed, and none lists what was taken down; without rules the same walk finds all.
func TestNothingClosedIsTold(t *testing.T) {
	t.Parallel()
	dir := secretArchive(t)
	before := walkAll(t, dir, "10.1.2.3:4")
	if told := before.told(); !slices.Equal(told, secretWords) {
		t.Fatalf("without rules the walk over %d addresses finds %v, so that it proves nothing", len(before.answers), told)
	}
	closeSecrets(t, dir)
	off := walkAll(t, dir, "203.0.113.5:4")
	if told := off.told(); len(told) > 0 {
		t.Errorf("told to anybody: %v", told)
	}
	on := walkAll(t, dir, "10.1.2.3:4")
	if told := on.told(); !slices.Equal(told, []string{"SECRET-ON-SITE"}) {
		t.Errorf("told to a reader on site: %v", told)
	}
	if len(off.answers) < len(before.answers)/2 {
		t.Errorf("with rules only %d addresses were walked, without them %d", len(off.answers), len(before.answers))
	}
	for address, answer := range off.answers {
		asked, _ := url.QueryUnescape(strings.ToLower(address))
		if strings.Contains(asked, "takedown") || strings.Contains(asked, "private") || strings.Contains(asked, "framing") || strings.Contains(asked, "content") || strings.Contains(asked, "copy") {
			continue // it repeats what was asked for
		}
		for _, url := range []string{"/takedown.html", "/private/deep", "/content.html", "/copy.html"} {
			// The open page has links to them, and a list of links in is the page's own text.
			if strings.Contains(answer, url) && !strings.Contains(asked, "http://a.test/") {
				t.Errorf("%s lists %s", address, url)
			}
		}
	}
	for url, want := range map[string]string{
		"/one/2099/http://a.test/takedown.html":          "451", // and not only its status
		"/one/2099/https://www.a.test/Private":           "451",
		"/one/timegate/http://a.test/takedown.html":      "451",
		"/one/timemap/link/http://a.test/takedown.html":  "451",
		"/one/*/http://a.test/copy.html":                 "451",
		"/one/2099/http://b.test/":                       "403",
		"/one/2099/http://a.test/metadata.html":          "403",
		"/one/2099/http://a.test/never":                  "404",
		"/one/timemap/link/http://a.test/metadata.html":  "200",
		"/one/2099/http://a.test/open-too.html":          "302",
		"/one/cdx?url=http://a.test/takedown.html":       "200",
		"/one/*/http://a.test/on-site.html":              "200",
		"/one/timemap/link/http://a.test/private/deep/x": "404",
	} {
		if answer := off.ask(replayOrigin + url); !strings.HasPrefix(answer, want) {
			t.Errorf("%s: %.300s, want %s", url, answer, want)
		}
	}
	crawl := regexp.MustCompile(`/c/one/crawl\?id=\d+`).FindString(before.answers[homeOrigin+"/c/one/crawls"])
	for _, path := range []string{"/c/one", "/c/one/hosts", "/c/one/pages", "/api/v1/collections/one/hosts", crawl} {
		if !strings.Contains(before.answers[homeOrigin+path], "hidden.test") {
			t.Errorf("before there are rules %s does not tell of the host", path)
		}
		if answer := off.ask(homeOrigin + path); strings.Contains(answer, "hidden.test") {
			t.Errorf("%s tells of a host that was taken down: %s", path, answer)
		}
	}
	all := []string{"CONTENT", "EMBARGO", "FOLDER", "HOST", "METADATA", "ON-SITE", "PREFIX", "TAKEDOWN"}
	for i, path := range tellers {
		c := struct{ before, off, on []string }{all, nil, []string{"ON-SITE"}} // words told before there are rules, elsewhere, on site
		if i == 0 {
			c.before = []string{"METADATA", "ON-SITE", "TAKEDOWN"}
		}
		for w, want := range map[*walker][]string{before: c.before, off: c.off, on: c.on} {
			answer, words := w.answers[homeOrigin+path], []string(nil)
			for _, word := range secretWords {
				if strings.Contains(answer, word) {
					words = append(words, strings.TrimPrefix(word, "SECRET-"))
				}
			}
			if !slices.Equal(words, want) {
				t.Errorf("%s tells %s %v, want %v", path, w.from, words, want)
			}
		}
	}
	if answer := off.ask(replayOrigin + "/one/2099/http://b.test/"); !strings.Contains(answer, "1 January 2999") || !strings.Contains(answer, "Not shown yet") {
		t.Errorf("a reader is not told when the embargo ends: %s", answer)
	}
}

// What is handed to others lacks what a rule closed.
func TestExportsLackWhatIsClosed(t *testing.T) {
	t.Parallel()
	dir := secretArchive(t)
	if text := command(t, "export", "text", dir); !strings.Contains(text, "SECRET-CONTENT") {
		t.Fatalf("without rules: %s", text)
	}
	closeSecrets(t, dir)
	if text := command(t, "export", "text", dir); strings.Contains(text, "SECRET") {
		t.Errorf("exported: %s", text)
	}
	packed := filepath.Join(t.TempDir(), "secret.wacz")
	command(t, "export", "wacz", dir, "-o", packed)
	command(t, "check", "--strict", packed)
	if text := command(t, "export", "text", packed) + all(t, packed); strings.Contains(text, "SECRET") || strings.Contains(text, "/takedown.html HTTP") || !strings.Contains(text, "open too") || !strings.Contains(text, "http://a.test/ is called Home\n") {
		t.Errorf("packed: %s", text)
	}
}

// all is what the records of a WACZ file hold, and what its index and its pages say.
func all(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	f, err := wacz.Open(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	for _, name := range f.WARCs() {
		section, err := f.At(name)
		if err != nil {
			t.Fatal(err)
		}
		records, err := gzip.NewReader(section)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(&text, records); err != nil {
			t.Fatal(err)
		}
	}
	for e, err := range f.Index() {
		if err != nil {
			t.Fatal(err)
		}
		text.Write(e.AppendLine(nil))
	}
	for p, err := range f.Pages() {
		if err != nil {
			t.Fatal(err)
		}
		text.WriteString(p.URL + " is called " + p.Title + "\n")
	}
	return text.String()
}
