//go:build conformance

package journeys

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// The story in docs/guide/steering.md is true: its commands are run, and print what stands there.
func TestSteering(t *testing.T) {
	text, err := os.ReadFile("../../docs/guide/steering.md")
	if err != nil {
		t.Fatal(err)
	}
	site := serveRust(t)
	s := &story{journey: begin(t), ports: strings.NewReplacer(":8091", site.port, ":8090", freePort(t), ":8088", freePort(t), ":8089", freePort(t))}
	s.path = filepath.Dir(program) + string(os.PathListSeparator) + withoutBrowser(t)
	s.happens = []event{
		{"she begins", func() {
			site.answered.Clear()
			site.wallAfter.Store(site.asked.Load() + 60)
		}},
		{"lets her in", func() { site.wallAfter.Store(0) }},
		{"the power fails", func() {
			site.waits(t, 30) // for what stood behind the wall
			s.running.process.Kill()
			s.running.ends(t)
		}},
	}
	s.tell(string(text))
	for _, e := range s.happens {
		t.Errorf("the story does not say %q", e.words)
	}
	urls := 0
	site.answered.Range(func(any, any) bool { urls++; return true })
	if urls != 260 {
		t.Errorf("%d URLs of the host that may have 260 were asked for", urls)
	}
	s.tells()
}

// rust is the documentation of Rust as Debian has it, on four hosts: one asks for a password, one for the cookie of who
// signed in, and one begins to answer with a wall.
type rust struct {
	port      string        // with a colon before it
	asked     atomic.Int64  // requests to doc.rust.example but for robots.txt
	wallAfter atomic.Int64  // after so many of them the wall answers; 0 is never
	answered  sync.Map      // URLs of these requests, where no wall answered
	more      chan struct{} // gets one for each such answer
}

// wall is a page by which gateways find out whether a person asks.
const wall = `<!doctype html><title>Just a moment...</title><noscript>Enable JavaScript and cookies to continue</noscript>
<script>window._cf_chl_opt = {cType: 'managed'}; var s = document.createElement('script'); s.src = '/cdn-cgi/challenge-platform/h/g/orchestrate/chl_page/v1'; document.head.append(s)</script>`

func serveRust(t *testing.T) *rust {
	const root = "/usr/share/doc/rust-doc/html"
	if _, err := os.Stat(root + "/std/index.html"); err != nil {
		t.Fatalf("%v: run `make conformance-tools` (apt-get install rust-doc)", err)
	}
	site := &rust{more: make(chan struct{}, 1<<16)}
	files := http.FileServer(http.Dir(root))
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if sent := r.Header.Get("Cookie"); sent != "" && (sent != "session=member-1404" || r.Host != "members.rust.example") {
			t.Errorf("%s was sent the cookies %s", r.Host, sent)
		}
		switch {
		case r.Host == "book.rust.example":
			r.URL.Path = "/book" + r.URL.Path
		case r.Host == "drafts.rust.example":
			if user, password, _ := r.BasicAuth(); r.URL.Path != "/robots.txt" && (user != "library" || password != "open-sesame-1404") {
				w.Header().Set("WWW-Authenticate", `Basic realm="drafts"`)
				http.Error(w, "who are you?", http.StatusUnauthorized)
				return
			}
			r.URL.Path = "/edition-guide" + r.URL.Path
		case r.Host == "members.rust.example":
			if c, err := r.Cookie("session"); r.URL.Path != "/robots.txt" && (err != nil || c.Value != "member-1404") {
				http.Error(w, "sign in", http.StatusForbidden)
				return
			}
			r.URL.Path = "/nomicon" + r.URL.Path
		case r.URL.Path != "/robots.txt":
			if after := site.wallAfter.Load(); site.asked.Add(1) > after && after > 0 {
				w.Header().Set("Content-Type", "text/html; charset=utf-8")
				w.Header().Set("Cf-Mitigated", "challenge")
				w.WriteHeader(http.StatusForbidden)
				io.WriteString(w, wall)
				return
			}
			site.answered.Store(r.URL.String(), true)
			site.more <- struct{}{}
		}
		files.ServeHTTP(w, r)
	}))
	server.EnableHTTP2 = true
	server.StartTLS()
	t.Cleanup(server.Close)
	_, port, err := net.SplitHostPort(server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	site.port = ":" + port
	return site
}

// waits waits until doc.rust.example has given n more answers.
func (r *rust) waits(t *testing.T, n int) {
	for len(r.more) > 0 {
		<-r.more
	}
	for range n {
		select {
		case <-r.more:
		case <-time.After(30 * time.Second):
			t.Fatal("the crawl asks for nothing that stood behind the wall")
		}
	}
}

// freePort is a port that nobody uses, with a colon before it.
func freePort(t *testing.T) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return ":" + port
}

// story does what a document tells, piece by piece. A block of toml or cookies, whose first line is a comment, is the file
// of that name. A block of sh is commands. A block without a language is lines that the commands before it print, in their order;
// if its last line is …, they go on. A block "page" is an address, and lines that a browser shows there. In all of them …
// stands for any text, and as a line for any lines.
type story struct {
	*journey
	path    string            // with the folder of the program
	ports   *strings.Replacer // the ports of the document may be taken on this machine
	happens []event           // that are still to come
	printed *screen           // by the last commands
	running *screen           // by those that go on
	tab     context.Context   // nil before the first page
}

// event is what happens where the words stand in the text of a document, and nobody types.
type event struct {
	words string
	do    func()
}

// block is a block of code in a document: its language, and what stands in it.
var block = regexp.MustCompile("(?ms)^```(\\w*)\n(.*?)^```$")

func (s *story) tell(text string) {
	all := block.FindAllStringSubmatchIndex(text, -1)
	at := 0
	for i, m := range all {
		s.prose(text[at:m[0]])
		at = m[1]
		language, body := text[m[2]:m[3]], text[m[4]:m[5]]
		switch language {
		case "toml", "cookies":
			name, _, _ := strings.Cut(strings.TrimPrefix(body, "# "), "\n")
			if err := os.WriteFile(filepath.Join(s.dir, name), []byte(s.ports.Replace(body)), 0o600); err != nil {
				s.t.Fatal(err)
			}
		case "sh":
			var prints string
			if i+1 < len(all) && all[i+1][2] == all[i+1][3] {
				prints = text[all[i+1][4]:all[i+1][5]]
			}
			s.does(body, strings.HasSuffix(prints, "\n…\n"))
		case "":
			s.shows("prints", body, s.printed.wait)
		case "page":
			address, lines, _ := strings.Cut(body, "\n")
			s.shows("shows at "+address, lines, func(enough func(string) bool) { s.looks(s.ports.Replace(address), enough) })
		default:
			s.t.Errorf("nobody knows what to do with a block of %q", language)
		}
	}
	s.prose(text[at:])
}

// prose lets happen what a text tells.
func (s *story) prose(text string) {
	text = strings.Join(strings.Fields(text), " ")
	for len(s.happens) > 0 && strings.Contains(text, s.happens[0].words) {
		s.happens[0].do()
		s.happens = s.happens[1:]
	}
}

// withoutBrowser returns a folder with all programs but browsers: the story is told of crawls that read scripts without
// running them.
func withoutBrowser(t *testing.T) string {
	dir := t.TempDir()
	for _, from := range filepath.SplitList(os.Getenv("PATH")) {
		programs, _ := os.ReadDir(from)
		for _, p := range programs {
			if name := p.Name(); !strings.Contains(name, "chrom") {
				_ = os.Symlink(filepath.Join(from, name), filepath.Join(dir, name)) // the first of a name counts
			}
		}
	}
	return dir
}

// does types commands. Unless they go on they must end well.
func (s *story) does(commands string, goOn bool) {
	s.commands += strings.Count(commands, "\n")
	line := s.ports.Replace(commands)
	if goOn {
		line = "exec " + line // so that what is killed is not the shell
	}
	cmd := exec.Command("bash", "-ec", line)
	if strings.HasPrefix(commands, "kavosh serve ") {
		cmd.Args[2] = strings.Replace(line, "serve", s.ports.Replace("serve --addr 127.0.0.1:8088 --replay-addr 127.0.0.1:8089"), 1)
	}
	cmd.Dir, cmd.Env = s.dir, append(os.Environ(), "PATH="+s.path)
	out := &screen{ended: make(chan struct{}), changed: make(chan struct{}, 1)}
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	out.process = cmd.Process
	go func() {
		out.err = cmd.Wait()
		close(out.ended)
	}()
	s.printed = out
	if goOn {
		s.running = out
		s.t.Cleanup(func() {
			cmd.Process.Kill()
			<-out.ended
		})
		return
	}
	if out.ends(s.t); out.err != nil {
		s.t.Fatalf("%s%v\n%s", commands, out.err, out.text())
	}
}

// shows fails the test unless a text gets the lines of a block. wait waits until a text has enough, or cannot get more.
func (s *story) shows(how, lines string, wait func(enough func(string) bool)) {
	var missing, last string
	lines = s.ports.Replace(lines)
	wait(func(text string) bool {
		missing, last = lacks(text, lines), text
		return missing == ""
	})
	if missing != "" {
		s.t.Fatalf("nothing %s this, at its place: %s\nbut:\n%s", how, missing, last)
	}
}

// lacks returns the first of lines that a text does not have after those before it; "" if it has all.
func lacks(text, lines string) string {
	text = strings.Join(strings.FieldsFunc(blanks.ReplaceAllString(text, " "), func(r rune) bool { return r == '\n' }), "\n")
	for line := range strings.Lines(lines) {
		line = strings.TrimSpace(blanks.ReplaceAllString(line, " "))
		if line == "…" || line == "" {
			continue
		}
		like := regexp.MustCompile(`(?m)^ ?` + strings.ReplaceAll(regexp.QuoteMeta(line), "…", ".*") + ` ?$`)
		at := like.FindStringIndex(text)
		if at == nil {
			return line
		}
		text = text[at[1]:]
	}
	return ""
}

var blanks = regexp.MustCompile(`[ \t]+`)

// looks opens an address again until the page shows enough, or a minute is over.
func (s *story) looks(address string, enough func(string) bool) {
	s.clicks++
	if s.tab == nil {
		s.tab = s.browser()
	}
	for s.tab.Err() == nil {
		err := chromedp.Do(s.tab, chromedp.Navigate(address), chromedp.WaitReady("body"))
		if err == nil && enough(reads[string](s.journey, s.tab, `document.body.innerText`)) {
			return
		}
	}
}

// screen is what commands print, while they run and afterwards.
type screen struct {
	process *os.Process
	err     error         // of the commands that have ended
	ended   chan struct{} // closed when they have
	changed chan struct{} // gets one when more was printed

	mu struct {
		sync.Mutex
		bytes.Buffer
	}
}

func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case s.changed <- struct{}{}:
	default:
	}
	return s.mu.Write(p)
}

func (s *screen) text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.mu.String()
}

// wait waits until the text is enough, the commands have ended, or a minute is over.
func (s *screen) wait(enough func(string) bool) {
	minute := time.After(time.Minute)
	for !enough(s.text()) {
		select {
		case <-s.changed:
		case <-s.ended:
			enough(s.text())
			return
		case <-minute:
			return
		}
	}
}

// ends waits for the end of the commands.
func (s *screen) ends(t *testing.T) {
	select {
	case <-s.ended:
	case <-time.After(time.Minute):
		t.Fatalf("it does not end:\n%s", s.text())
	}
}
