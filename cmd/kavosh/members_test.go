package main

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	neturl "net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh/archive"
)

// club is a site for members. Its session changes its cookie, and may end on the server's side. Its application has a
// token in the browser's storage.
type club struct {
	*httptest.Server
	mu       sync.Mutex
	valid    map[string]bool // cookies of the session
	secrets  []string        // all that were given out
	token    string
	left     int // requests until the session ends; below 0 for never
	logouts  int
	asked    map[string]int
	refused  int // requests for members' pages of somebody who is not logged in
	echoes   bool
	stall    int           // the number of the request that is never answered; 0 for none
	stalled  chan struct{} // closed when it came
	password string
}

// clubPages is how many plain pages members have.
const clubPages = 30

func newClub(t *testing.T) *club {
	c := &club{valid: map[string]bool{}, left: -1, asked: map[string]int{}, password: "PW-" + rand.Text()}
	c.token = c.secret()
	c.Server = httptest.NewServer(c)
	t.Cleanup(c.Close)
	return c
}

func (c *club) secret() string {
	s := rand.Text()
	c.secrets = append(c.secrets, s)
	return s
}

// logIn begins a session of so many requests, and returns its cookie.
func (c *club) logIn(requests int) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	sid := c.secret()
	c.valid, c.left = map[string]bool{sid: true}, requests
	return sid
}

func (c *club) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.asked[r.URL.Path]++; len(c.asked) == c.stall {
		close(c.stalled)
		c.mu.Unlock()
		<-r.Context().Done()
		c.mu.Lock()
		c.stall = 0
		return
	}
	cookie, _ := r.Cookie("sid")
	w.Header().Set("Content-Type", "text/html")
	switch r.URL.Path {
	case "/robots.txt":
		http.NotFound(w, r)
		return
	case "/login":
		if r.Method == http.MethodPost && r.FormValue("password") == c.password {
			sid := c.secret()
			c.valid[sid] = true
			http.SetCookie(w, &http.Cookie{Name: "sid", Value: sid, Path: "/", HttpOnly: true})
			fmt.Fprintf(w, `<!doctype html><title>welcome</title><script>localStorage.setItem('token', '%s'); location = '/'</script>`, c.token)
			return
		}
		io.WriteString(w, `<!doctype html><title>Log in</title><h1>Log in</h1><form method=post><input name=user><input type=password name=password><button>Log in</button></form>`)
		return
	case "/logout", "/session/end":
		c.logouts++
		clear(c.valid)
		http.Redirect(w, r, "/login", http.StatusFound)
		return
	case "/api/data":
		if r.Header.Get("Authorization") != "Bearer "+c.token {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, `{"page": "/for-the-app-alone"}`)
		return
	}
	if cookie == nil || !c.valid[cookie.Value] || c.left == 0 {
		c.refused++
		http.Redirect(w, r, "/login?next="+neturl.QueryEscape(r.URL.Path), http.StatusFound)
		return
	}
	if c.left > 0 {
		c.left--
	}
	if len(c.asked)%5 == 0 {
		sid := c.secret()
		c.valid[sid] = true
		http.SetCookie(w, &http.Cookie{Name: "sid", Value: sid, Path: "/", HttpOnly: true})
	}
	fmt.Fprintf(w, `<!doctype html><title>members: %s</title><p>For members alone: %s <a href=/session/end>Log out</a> <a href="/logout?all=1">x</a>`, r.URL.Path, r.URL.Path)
	if c.echoes {
		fmt.Fprintf(w, `<input name=csrf value=%s>`, cookie.Value)
	}
	switch r.URL.Path {
	case "/":
		for i := range clubPages {
			fmt.Fprintf(w, " <a href=/p/%d>%d</a>", i, i)
		}
		io.WriteString(w, ` <a href=/app>app</a>`)
	case "/app":
		io.WriteString(w, `<div id=out></div><script>
const at = (...parts) => parts.join('');
fetch(at('/api', '/data'), {headers: {Authorization: 'Bearer ' + localStorage.token}}).then(r => r.json()).then(d => {
  const a = document.createElement('a'); a.href = d.page; a.textContent = 'app'; document.getElementById('out').append(a);
});</script>`)
	}
}

// flags are those of a crawl of the club.
func (c *club) flags(dir string, more ...string) []string {
	return append([]string{"crawl", "--archive", dir, "--delay", "0", "--connect-to", "club.test::" + strings.TrimPrefix(c.URL, "http://"), "--browser", "never", "--profile", "club", "http://club.test/"}, more...)
}

// profiles sets up a folder for profiles, and makes one of a cookie of the club.
func (c *club) profile(t *testing.T, sid string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "cookies.txt")
	if err := os.WriteFile(file, []byte("#HttpOnly_club.test\tFALSE\t/\tFALSE\t0\tsid\t"+sid+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if said, status := talk("profile", "import", "club", "http://club.test/", file); status != 0 {
		t.Fatal(said)
	}
}

// search fails the test if a secret of the club stands in any file below the folders, or in what was said, in any spelling.
func (c *club) search(t *testing.T, said string, dirs ...string) {
	t.Helper()
	places := map[string]string{"what was said": said}
	for _, dir := range dirs {
		for path, text := range allBytes(t, dir) {
			places[path] = text
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for place, text := range places {
		for _, secret := range append(slices.Clone(c.secrets), c.password) {
			for _, as := range []string{secret, neturl.QueryEscape(secret), base64.StdEncoding.EncodeToString([]byte(secret)), base64.RawURLEncoding.EncodeToString([]byte("sid=" + secret))[2:20]} {
				if i := strings.Index(text, as); i >= 0 {
					t.Errorf("%s holds a secret: …%.200q", place, text[max(0, i-150):])
				}
			}
		}
	}
}

// pages returns the members' pages that are recorded, and what else is of status 200.
func pages(t *testing.T, dir string) (members, others []string) {
	t.Helper()
	said, status := talk("log", "--json", dir)
	if status != 0 {
		t.Fatal(said)
	}
	for text := range strings.Lines(said) {
		var l archive.Line
		if err := json.Unmarshal([]byte(text), &l); err != nil {
			t.Fatal(err)
		}
		switch {
		case l.Outcome != archive.Recorded || strings.HasSuffix(l.URL, "/robots.txt"):
		case strings.HasPrefix(l.Title, "members: "):
			members = append(members, l.URL)
		default:
			others = append(others, l.URL)
		}
	}
	return members, others
}

func TestMembersPagesAreCrawled(t *testing.T) {
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	t.Setenv("TMPDIR", t.TempDir())
	t.Setenv(passphraseVariable, "three plain words")
	c := newClub(t)
	c.profile(t, c.logIn(-1))
	dir := t.TempDir()
	var said strings.Builder
	for _, name := range []string{"one", "two"} { // the second one with the cookie that the first one was given
		c.mu.Lock()
		c.valid = map[string]bool{c.secrets[len(c.secrets)-1]: true}
		c.mu.Unlock()
		text, status := talk(c.flags(filepath.Join(dir, name), "--json", "--workers", "1")...)
		said.WriteString(text)
		if status != 0 {
			t.Fatal(text)
		}
		members, others := pages(t, filepath.Join(dir, name))
		if len(members) != clubPages+2 || len(others) > 0 || c.logouts != 0 || c.refused != 0 {
			t.Errorf("%d members' pages, others %q, %d logouts, %d times asked to log in", len(members), others, c.logouts, c.refused)
		}
	}
	for _, args := range [][]string{
		{"log", filepath.Join(dir, "one")}, {"why", filepath.Join(dir, "one"), "http://club.test/logout?all=1"}, {"report", filepath.Join(dir, "one")}, {"check", filepath.Join(dir, "one")}, {"profile", "show", "club"}, {"profile", "list"},
		{"export", "wacz", filepath.Join(dir, "one"), "-o", filepath.Join(dir, "one.wacz")}, {"export", "text", filepath.Join(dir, "one")}, {"export", "tables", filepath.Join(dir, "one"), "-o", filepath.Join(dir, "tables")},
	} {
		text, status := talk(args...)
		if status != 0 {
			t.Errorf("%v: %s", args, text)
		}
		if said.WriteString(text); args[0] == "why" && !strings.Contains(text, "it logs out") {
			t.Errorf("why not log out? %s", text)
		}
	}
	c.search(t, said.String(), dir, os.Getenv("XDG_CONFIG_HOME"), os.Getenv("TMPDIR"))
}

func TestALogoutHoldsTheHost(t *testing.T) {
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	t.Setenv(passphraseVariable, "three plain words")
	c := newClub(t)
	c.profile(t, c.logIn(12))
	dir := filepath.Join(t.TempDir(), "archive")
	text, status := talk(c.flags(dir)...)
	if status != 130 || !strings.Contains(text, "club.test is held (logged out: ") || !strings.Contains(text, "kavosh profile new club") || !strings.Contains(text, "--resume") {
		t.Fatalf("status %d: %s", status, text)
	}
	for _, part := range []string{"\n  login over  club.test ", "\n  log in  kavosh profile new club http://club.test/"} {
		if !strings.Contains(text, part) {
			t.Errorf("the report does not say %q: %s", part, text)
		}
	}
	for lang, words := range map[string]string{"en": "kavosh profile new", "fa": "ورود به آن‌ها پایان یافته است"} {
		crawls, err := archive.Crawls(vfs.Default, dir)
		if err != nil || len(crawls) != 1 {
			t.Fatal(crawls, err)
		}
		if page := newWalkerOf(t, dir, "203.0.113.5:4", "members").ask(homeOrigin + "/c/one/crawl?lang=" + lang + "&id=" + crawls[0].ID); !strings.Contains(page, words) || !strings.Contains(page, ">club.test<") {
			t.Errorf("the page of the crawl in %s: %s", lang, page)
		}
	}
	members, others := pages(t, dir)
	if len(members) == 0 || len(members) > 12 || len(others) > 0 {
		t.Errorf("%d members' pages, others %q", len(members), others)
	}
	if text, status := talk("crawl", "--archive", dir, "--resume"); status != 130 || !strings.Contains(text, "club.test is held (logged out: ") { // nobody logged in again
		t.Fatalf("status %d: %s", status, text)
	}
	c.profile(t, c.logIn(-1))
	more, status := talk("crawl", "--archive", dir, "--resume")
	if status != 0 {
		t.Fatalf("status %d: %s", status, more)
	}
	members, others = pages(t, dir)
	if len(members) != clubPages+2 || len(others) > 0 || c.logouts != 0 {
		t.Errorf("%d members' pages, others %q, %d logouts", len(members), others, c.logouts)
	}
	c.search(t, text+more, dir, os.Getenv("XDG_CONFIG_HOME"))
}

// A login that ends in the second round of --revisit once holds the host: with the profile made anew, each page is visited
// twice, by a member.
func TestALogoutInTheSecondRound(t *testing.T) {
	for _, limited := range []bool{false, true} {
		t.Setenv("XDG_CONFIG_HOME", t.TempDir())
		t.Setenv(passphraseVariable, "three plain words")
		c := newClub(t)
		dir, pagesOf := filepath.Join(t.TempDir(), "archive"), clubPages+2
		flags := c.flags(dir, "--revisit", "once")
		if limited {
			pagesOf = 20
			flags = append(flags, "--max-pages", "20")
		}
		c.profile(t, c.logIn(pagesOf+9))
		text, status := talk(flags...)
		if status != 130 || !strings.Contains(text, "club.test is held (logged out: ") {
			t.Fatalf("status %d: %s", status, text)
		}
		c.profile(t, c.logIn(-1))
		if text, status = talk("crawl", "--archive", dir, "--resume"); status != 0 || !strings.Contains(text, fmt.Sprintf("%d coherent, 0 incoherent, 0 unknown", pagesOf)) {
			t.Errorf("status %d: %s", status, text)
		}
		members, others := pages(t, dir)
		rounds := map[string]int{}
		for _, url := range members {
			rounds[url]++
		}
		for url, n := range rounds {
			if n != 2 {
				t.Errorf("%s was visited %d times", url, n)
			}
		}
		if len(rounds) != pagesOf || len(others) > 0 || c.logouts != 0 {
			t.Errorf("%d members' pages, others %q, %d logouts", len(rounds), others, c.logouts)
		}
	}
}

func TestAKilledCrawlLeavesNoSecret(t *testing.T) {
	config, temporary := t.TempDir(), t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", config)
	t.Setenv("TMPDIR", temporary)
	t.Setenv(passphraseVariable, "three plain words")
	c := newClub(t)
	c.stall, c.stalled = 9, make(chan struct{})
	c.profile(t, c.logIn(-1))
	dir := filepath.Join(t.TempDir(), "archive")
	cmd := exec.Command("kavosh", c.flags(dir, "--workers", "1")...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	select {
	case <-c.stalled:
	case <-time.After(time.Minute):
		t.Fatal("the crawl does not go on")
	}
	cmd.Process.Kill()
	cmd.Wait()
	c.search(t, "", dir, config, temporary)
	text, status := talk("crawl", "--archive", dir, "--resume")
	if members, others := pages(t, dir); status != 0 || len(members) != clubPages+2 || len(others) > 0 {
		t.Errorf("status %d, %d members' pages, others %q: %s", status, len(members), others, text)
	}
	c.search(t, text, dir, config, temporary)
}

// A site that writes the cookie into its pages cannot be recorded without: the crawl says so, and counts.
func TestAnEchoedSecretIsCounted(t *testing.T) {
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	t.Setenv(passphraseVariable, "three plain words")
	c := newClub(t)
	c.echoes = true
	c.profile(t, c.logIn(-1))
	text, status := talk(c.flags(filepath.Join(t.TempDir(), "archive"), "--max-pages", "3")...)
	if status != 0 || !strings.Contains(text, "the site shows a secret of the login") || strings.Contains(text, c.secrets[1]) {
		t.Errorf("status %d: %s", status, text)
	}
}
