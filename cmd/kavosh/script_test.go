package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"kavosh/internal/fakeweb"
)

func TestMain(m *testing.M) {
	testscript.Main(apart{m}, map[string]func(){"kavosh": main})
}

// apart runs the tests apart from the settings and keys of whoever runs them.
type apart struct{ tests *testing.M }

func (a apart) Run() int {
	config, err := os.MkdirTemp("", "kavosh-config-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(config)
	os.Setenv("XDG_CONFIG_HOME", config)
	return a.tests.Run()
}

// Every verb is tested as a person runs it: testdata/script/*.txtar, whose commands beyond testscript's own are
//
//	web FILE               serve the fake web in FILE, its markers written == URL ==, since -- is the script's own; $WEB
//	                       is its address, for --connect-to ::$WEB
//	asked [!] HOST/PATH    it was (not) asked for that; HOST/** is whatever begins so
//	status N CMD…          run CMD and want exit status N
//	start VAR REGEXP CMD…  run CMD in the background until a line of its output matches; $VAR is what (…) matched
//	signal INT|TERM|KILL N send it to what start started last and has not ended, and want it to end with status N (-1: killed); stdout is all it
//	                       said. INT,INT sends a second one once it has said that it is stopping
//	ends N                 wait until what start started ends by itself, with status N; stdout as with signal
//	get URL [STATUS] [NAME: VALUE…]   ask for URL; stdout is the answer's head and body
//	post URL FORM [STATUS] [NAME: VALUE…]   send it a form, such as a=1&b=2; stdout likewise
//	keep VAR REGEXP FILE   $VAR is what (…) matches in FILE, such as stdout
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(e *testscript.Env) error {
			e.Setenv("NO_COLOR", "1")
			e.Setenv("TZ", "UTC")
			e.Setenv("GORACE", os.Getenv("GORACE"))
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"web": cmdWeb, "asked": cmdAsked, "status": cmdStatus, "start": cmdStart, "signal": cmdSignal, "ends": cmdEnds, "get": cmdGet, "post": cmdPost, "keep": cmdKeep,
		},
		RequireUniqueNames: true,
	})
}

// servers are the fake webs of running scripts and background their processes, by the script's folder.
var (
	servers    sync.Map
	background sync.Map
)

var markers = regexp.MustCompile(`(?m)^== (.*) ==$`)

func cmdWeb(ts *testscript.TestScript, neg bool, args []string) {
	w, err := fakeweb.Parse(markers.ReplaceAll([]byte(ts.ReadFile(args[0])), []byte("-- $1 --")))
	ts.Check(err)
	s, err := fakeweb.NewServer(w, nil)
	ts.Check(err)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	ts.Check(err)
	go s.Serve(l)
	ts.Defer(s.Close)
	servers.Store(ts.Getenv("WORK"), s)
	ts.Setenv("WEB", l.Addr().String())
}

func cmdAsked(ts *testscript.TestScript, neg bool, args []string) {
	s, _ := servers.Load(ts.Getenv("WORK"))
	asked := func() bool {
		for _, r := range s.(*fakeweb.Server).Requests() {
			if begin, all := strings.CutSuffix(args[0], "**"); r.Host+r.Path == args[0] || all && strings.HasPrefix(r.Host+r.Path, begin) {
				return true
			}
		}
		return false
	}
	patience := time.After(time.Minute)
	for !neg && !asked() { // a crawl that runs in the background may be about to
		select {
		case <-time.After(20 * time.Millisecond):
		case <-patience:
			ts.Fatalf("never asked for %s", args[0])
		}
	}
	if neg && asked() {
		ts.Fatalf("asked for %s", args[0])
	}
}

func cmdStatus(ts *testscript.TestScript, neg bool, args []string) {
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	got := 0
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		got = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("exit status %d, want %d", got, want)
	}
}

// signals are what the command signal can send.
var signals = map[string]os.Signal{"INT": os.Interrupt, "TERM": syscall.SIGTERM, "KILL": syscall.SIGKILL}

// process is what start started.
type process struct {
	cmd      *exec.Cmd
	read     chan string   // all output, once it has ended
	stopping chan struct{} // closed when it says that it is stopping
	earlier  *process      // that was started before it and has not ended; nil if there is none
}

func cmdStart(ts *testscript.TestScript, neg bool, args []string) {
	want := regexp.MustCompile(args[1])
	program := args[2]
	for dir := range strings.SplitSeq(ts.Getenv("PATH"), string(os.PathListSeparator)) {
		if path := dir + "/" + program; !strings.Contains(program, "/") {
			if _, err := os.Stat(path); err == nil {
				program = path
			}
		}
	}
	cmd := exec.Command(program, args[3:]...)
	cmd.Dir = ts.MkAbs(".")
	cmd.Env = append(os.Environ(), "NO_COLOR=1", "TZ=UTC", "TMPDIR="+ts.Getenv("TMPDIR"))
	out, in := io.Pipe()
	cmd.Stdout, cmd.Stderr = in, in
	ts.Check(cmd.Start())
	p := &process{cmd: cmd, read: make(chan string, 1), stopping: make(chan struct{})}
	matched := make(chan string, 1)
	go func() {
		var all strings.Builder
		lines := bufio.NewScanner(out)
		for lines.Scan() {
			fmt.Fprintln(&all, lines.Text())
			if strings.Contains(lines.Text(), "stopping:") {
				close(p.stopping)
			}
			if m := want.FindStringSubmatch(lines.Text()); m != nil {
				select {
				case matched <- m[len(m)-1]:
				default:
				}
			}
		}
		p.read <- all.String()
	}()
	ts.Defer(func() { cmd.Process.Kill(); in.Close() })
	earlier, _ := background.Load(ts.Getenv("WORK"))
	p.earlier, _ = earlier.(*process)
	background.Store(ts.Getenv("WORK"), p)
	select {
	case value := <-matched:
		ts.Setenv(args[0], value)
	case <-time.After(2 * time.Minute):
		cmd.Process.Kill()
		in.Close()
		ts.Fatalf("no line matches %s in:\n%s", want, <-p.read)
	}
	go func() { cmd.Wait(); in.Close() }()
}

func cmdSignal(ts *testscript.TestScript, neg bool, args []string) {
	v, _ := background.Load(ts.Getenv("WORK"))
	p := v.(*process)
	first, second, twice := strings.Cut(args[0], ",")
	ts.Check(p.cmd.Process.Signal(signals[first]))
	if twice {
		<-p.stopping
		ts.Check(p.cmd.Process.Signal(signals[second]))
	}
	cmdEnds(ts, neg, args[1:])
}

func cmdEnds(ts *testscript.TestScript, neg bool, args []string) {
	v, _ := background.Load(ts.Getenv("WORK"))
	p := v.(*process)
	background.Store(ts.Getenv("WORK"), p.earlier)
	select {
	case text := <-p.read:
		io.WriteString(ts.Stdout(), text)
	case <-time.After(2 * time.Minute):
		ts.Fatalf("it did not end within two minutes")
	}
	if got := fmt.Sprint(p.cmd.ProcessState.ExitCode()); got != args[0] {
		ts.Fatalf("exit status %s, want %s", got, args[0])
	}
}

func cmdGet(ts *testscript.TestScript, neg bool, args []string) {
	req, err := http.NewRequest("GET", args[0], nil)
	ts.Check(err)
	ask(ts, req, args[1:])
}

func cmdPost(ts *testscript.TestScript, neg bool, args []string) {
	req, err := http.NewRequest("POST", args[0], strings.NewReader(args[1]))
	ts.Check(err)
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	ask(ts, req, args[2:])
}

func cmdKeep(ts *testscript.TestScript, neg bool, args []string) {
	m := regexp.MustCompile(args[1]).FindStringSubmatch(ts.ReadFile(args[2]))
	if m == nil {
		ts.Fatalf("nothing matches %s in:\n%s", args[1], ts.ReadFile(args[2]))
	}
	ts.Setenv(args[0], m[1])
}

// ask sends a request with the fields that args has, and wants the status that stands among them.
func ask(ts *testscript.TestScript, req *http.Request, args []string) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	req = req.WithContext(ctx)
	want := 200
	for _, a := range args {
		if n, err := strconv.Atoi(a); err == nil {
			want = n
		} else if name, value, ok := strings.Cut(a, ": "); ok {
			req.Header.Set(name, value)
			if name == "Host" {
				req.Host = value
			}
		}
	}
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := client.Do(req)
	ts.Check(err)
	defer resp.Body.Close()
	out := ts.Stdout()
	resp.Header.Write(out)
	io.WriteString(out, "\n")
	_, err = io.Copy(out, resp.Body)
	ts.Check(err)
	if resp.StatusCode != want {
		ts.Fatalf("%s: status %d, want %d", req.URL, resp.StatusCode, want)
	}
}
