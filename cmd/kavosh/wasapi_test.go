package main

import (
	"bytes"
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kavosh/api"
)

// fetch asks the home origin with a token, from an address.
func (w *walker) fetch(path, authorization string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest("GET", path, nil)
	r.RemoteAddr = w.from
	if authorization != "" {
		r.Header.Set("Authorization", authorization)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	answer := httptest.NewRecorder()
	w.handlers[0].ServeHTTP(answer, r)
	return answer
}

// WARC files are listed with their sums and handed out, whole and in ranges, to tokens alone.
func TestWASAPI(t *testing.T) {
	dir := secretArchive(t)
	w := newWalker(t, dir, "203.0.113.5:4")
	const list = "/wasapi/v1/webdata"
	if a := w.fetch(list, ""); a.Code != 401 || a.Header().Get("WWW-Authenticate") == "" {
		t.Errorf("without a token: %d", a.Code)
	}
	token := strings.TrimSpace(command(t, "token", dir, "add", "library"))
	stored, err := os.ReadFile(filepath.Join(dir, "decisions", "tokens.jsonl"))
	if err != nil || strings.Contains(string(stored), token) || len(token) < 40 {
		t.Fatalf("the token %q is kept: %s, %v", token, stored, err)
	}
	bearer := "Bearer " + token
	var page api.Webdata
	answer := w.fetch(list, bearer)
	if err := json.Unmarshal(answer.Body.Bytes(), &page); err != nil || page.Count != 1 || len(page.Files) != 1 {
		t.Fatalf("%d %s: %v", answer.Code, answer.Body, err)
	}
	file := page.Files[0]
	whole, err := os.ReadFile(filepath.Join(dir, "warc", file.Filename))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := fmt.Sprint(file.Checksums), fmt.Sprintf("map[md5:%x sha1:%x sha256:%x]", md5.Sum(whole), sha1.Sum(whole), sha256.Sum256(whole)); got != want || file.Size != int64(len(whole)) {
		t.Errorf("%s %d, want %s %d", got, file.Size, want, len(whole))
	}
	if file.Crawl == "" || file.Time.IsZero() || file.Collection != "one" || len(file.Locations) != 1 {
		t.Errorf("%+v", file)
	}
	location := strings.TrimPrefix(file.Locations[0], homeOrigin)
	if a := w.fetch(location, bearer); !bytes.Equal(a.Body.Bytes(), whole) {
		t.Errorf("%s: %d, %d bytes of %d", location, a.Code, a.Body.Len(), len(whole))
	}
	if a := w.fetch(location, bearer, "Range", "bytes=100-199"); a.Code != 206 || !bytes.Equal(a.Body.Bytes(), whole[100:200]) {
		t.Errorf("a range: %d, %d bytes", a.Code, a.Body.Len())
	}
	if a := w.fetch(location, "Basic "+basic("anybody", token)); a.Code != 200 {
		t.Errorf("the token as a password: %d", a.Code)
	}
	for query, want := range map[string]int{"collection=one": 1, "collection=two": 0, "filename=*.warc.gz": 1, "filename=*.arc": 0, "crawl-time-after=2020": 1, "crawl-time-before=2020-01": 0,
		"crawl-time-after=2020-01-01T00:00:00Z&crawl-time-before=2999-01-01": 1, "page=2": 1, "page_size=1": 1} {
		if a := w.fetch(list+"?"+query, bearer); a.Code != 200 || !strings.Contains(a.Body.String(), fmt.Sprintf("\"count\": %d,", want)) {
			t.Errorf("%s: %d %s, want %d", query, a.Code, a.Body, want)
		}
	}
	for path, want := range map[string]int{list + "?page=0": 400, list + "?crawl-time-after=then": 400, list + "?filename=[": 400, "/wasapi/v1/files/one/none.warc.gz": 404, "/wasapi/v1/files/one/../archive.json": 404,
		"/wasapi/v1/files/one/%2e%2e/archive.json": 404, "/wasapi/v1/files/one/..%2f..%2fetc%2fpasswd": 404, "/wasapi/v1/files/none/" + file.Filename: 404, "/wasapi/v1/files/": 404, "/wasapi/v2": 404} {
		if a := w.fetch(path, bearer); a.Code != want {
			t.Errorf("%s: %d, want %d", path, a.Code, want)
		}
	}
	// A file that is written is no file yet.
	if err := os.WriteFile(filepath.Join(dir, "warc", "now.warc.gz.open"), whole, 0o666); err != nil {
		t.Fatal(err)
	}
	if a := w.fetch("/wasapi/v1/files/one/now.warc.gz.open", bearer); a.Code != 404 {
		t.Errorf("a file that is being written: %d", a.Code)
	}
	// A file with something closed in it stays here, and so does one that no index knows.
	command(t, "access", dir, "add", "on-site", "http://a.test/on-site.html")
	w = newWalker(t, dir, "203.0.113.5:4") // rules are at most a second old; a new server reads them now
	if a := w.fetch(location, bearer); a.Code != 404 {
		t.Errorf("a file with what is closed: %d", a.Code)
	}
	command(t, "access", dir, "remove", "1")
	// Wrong tokens are told to wait after ten in a minute from one address. They shut out no right one, from there or elsewhere.
	w = newWalker(t, dir, "203.0.113.5:4")
	for i := range 11 {
		want := 401
		if i == 10 {
			want = 429
		}
		if a := w.fetch(list, "Bearer kavosh_wrong"); a.Code != want {
			t.Errorf("wrong token %d: %d, want %d", i, a.Code, want)
		}
	}
	if a := w.fetch(list, "Basic "+basic("anybody", "wrong")); a.Code != 429 || a.Header().Get("Retry-After") == "" {
		t.Errorf("after too many: %d", a.Code)
	}
	for _, right := range []string{bearer, "Basic " + basic("anybody", token)} {
		if a := w.fetch(list, right); a.Code != 200 {
			t.Errorf("a right token after too many wrong ones: %d", a.Code)
		}
		if a := w.fetch(location, right); a.Code != 200 {
			t.Errorf("a file for a right token after too many wrong ones: %d", a.Code)
		}
	}
	if a := w.fetch(list, ""); a.Code != 401 {
		t.Errorf("no token after too many wrong ones: %d", a.Code)
	}
	w.from = "203.0.113.6:4"
	if a := w.fetch(list, bearer); a.Code != 200 {
		t.Errorf("from another address: %d", a.Code)
	}
	command(t, "token", dir, "revoke", "1")
	if a := w.fetch(list, bearer); a.Code != 401 {
		t.Errorf("a revoked token: %d", a.Code)
	}
	ended := strings.TrimSpace(command(t, "token", dir, "add", "past", "--until", "2020-01-01"))
	if a := w.fetch(list, "Bearer "+ended); a.Code != 401 {
		t.Errorf("a token that ended: %d", a.Code)
	}
	if text := command(t, "token", dir, "list"); !strings.Contains(text, "1  library, revoked (") || !strings.Contains(text, "2  past, ended 2020-01-01 (") {
		t.Error(text)
	}
}

// A file that was being written when it was looked at is looked at again when it is sealed, and what the index does not have yet
// is read in it.
func TestWASAPIFilesThatGrow(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "growing")
	crawlWeb(t, dir, sameWeb(), "http://a.test/e1.html")
	files, err := filepath.Glob(filepath.Join(dir, "warc", "*.warc.gz"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	growing := files[0]
	crawlWeb(t, dir, "-- b.test/ --\n<title>closed</title> secret\n", "http://b.test/")
	if files, err = filepath.Glob(filepath.Join(dir, "warc", "*.warc.gz")); err != nil || len(files) != 2 {
		t.Fatal(files, err)
	}
	more, err := os.ReadFile(files[1])
	if err != nil {
		t.Fatal(err)
	}
	begun, err := os.ReadFile(growing)
	if err != nil {
		t.Fatal(err)
	}
	command(t, "access", dir, "add", "takedown", "b.test")
	bearer := "Bearer " + strings.TrimSpace(command(t, "token", dir, "add", "library"))
	listed := func(w *walker) bool {
		t.Helper()
		list := w.fetch("/wasapi/v1/webdata", bearer)
		got := w.fetch("/wasapi/v1/files/one/"+filepath.Base(growing), bearer)
		if list.Code != 200 || (got.Code == 200) != strings.Contains(list.Body.String(), filepath.Base(growing)) {
			t.Errorf("the list and the file do not agree: %d %s", got.Code, list.Body)
		}
		return got.Code == 200
	}
	if err := os.Rename(growing, growing+".open"); err != nil {
		t.Fatal(err)
	}
	w := newWalker(t, dir, "203.0.113.5:4")
	if listed(w) {
		t.Error("a file that is being written is handed out")
	}
	if err := os.WriteFile(growing, append(begun, more...), 0o666); err != nil {
		t.Fatal(err)
	}
	if listed(w) {
		t.Error("what came to the file is closed, and it is handed out")
	}
	if listed(newWalker(t, dir, "203.0.113.5:4")) {
		t.Error("the index lacks what is closed in the file, and it is handed out")
	}
	if err := os.WriteFile(growing, begun, 0o666); err != nil {
		t.Fatal(err)
	}
	if !listed(newWalker(t, dir, "203.0.113.5:4")) {
		t.Error("a file in which all is open is not handed out")
	}
}

// basic is the value of basic authentication.
func basic(user, password string) string {
	r := httptest.NewRequest("GET", "/", nil)
	r.SetBasicAuth(user, password)
	return strings.TrimPrefix(r.Header.Get("Authorization"), "Basic ")
}
