//go:build conformance

package crawl

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestMillionSeeds begins a crawl with a million seeds, adds to it while it runs, stops and resumes it. What that takes is logged; memory and
// the time of adding have bounds, nearly the same for a million seeds on a thousand hosts and for a host for each
// (docs/decisions/0266-millions-of-seeds.md).
func TestMillionSeeds(t *testing.T) {
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/robots.txt" {
			http.NotFound(w, r)
			return
		}
		fmt.Fprintf(w, "<!doctype html><title>%s</title><a href=/next>next</a> <a href=http://elsewhere.example/>away</a>", r.Host)
	}))
	t.Cleanup(web.Close)
	for _, tt := range []struct {
		hosts  int
		memory int64 // megabytes, at most
	}{{1_000, 400}, {1_000_000, 420}} {
		t.Run(fmt.Sprintf("%d hosts", tt.hosts), func(t *testing.T) { millionSeeds(t, web.URL, tt.hosts, tt.memory) })
	}
}

func millionSeeds(t *testing.T, web string, hosts int, memory int64) {
	dir := t.TempDir()
	list, archive := filepath.Join(dir, "seeds.txt"), filepath.Join(dir, "archive")
	f, err := os.Create(list)
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewWriter(f)
	for i := range 1_000_000 {
		fmt.Fprintf(lines, "http://www.host-%d.example/%d\n", i%hosts, i)
	}
	if err := errors.Join(lines.Flush(), f.Close()); err != nil {
		t.Fatal(err)
	}
	args := []string{"crawl", "--archive", archive, "--connect-to", "::" + strings.TrimPrefix(web, "http://")}
	var out bytes.Buffer
	begin := func(what string, more ...string) *exec.Cmd {
		t.Helper()
		began := time.Now()
		out.Reset()
		cmd := start(t, &out, append(args, more...)...)
		for peakOf(cmd) > 0 && exec.Command(program, "control", archive, "status").Run() != nil {
			<-time.After(100 * time.Millisecond)
		}
		peak := peakOf(cmd)
		t.Logf("%s: %.1f s, %d MB", what, time.Since(began).Seconds(), peak)
		if peak == 0 {
			cmd.Wait()
			t.Fatalf("%s: %v, and it says:\n%s", what, cmd.ProcessState, tail(out.String()))
		}
		if peak > memory {
			t.Errorf("%s took %d MB, wanted are at most %d", what, peak, memory)
		}
		return cmd
	}
	add := func(n int) {
		t.Helper()
		const each = 10_000 // in one command
		began, peak := time.Now(), int64(0)
		for from := 0; from < n; from += each {
			words := []string{"control", archive, "seeds", "add"}
			for i := range min(n-from, each) {
				words = append(words, fmt.Sprintf("http://www.added-%d.example/%d", i%hosts, n+from+i))
			}
			cmd := exec.Command(program, words...)
			if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "taken") {
				t.Fatalf("adding seeds: %v: %s", err, out)
			}
			peak = max(peak, cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss>>10)
		}
		took := time.Since(began)
		var own syscall.Rusage // a command's peak begins with the size of who starts it
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &own); err != nil {
			t.Fatal(err)
		}
		t.Logf("adding %d: %.2f s, %d MB", n, took.Seconds(), peak)
		if took > 2*time.Second+time.Duration(n)*200*time.Microsecond || peak > max(100, own.Maxrss>>10+20) {
			t.Errorf("adding %d seeds takes %v and %d MB", n, took, peak)
		}
	}
	crawl := begin("start", "--seeds", list)
	add(1)
	add(100_000)
	ping(t, archive)
	for peakOf(crawl) > 0 && finished(t, archive) < 5_000 {
		<-time.After(100 * time.Millisecond)
	}
	end := func() {
		run(t, 0, "control", archive, "stop")
		crawl.Wait()
		if crawl.ProcessState.ExitCode() != 130 {
			t.Fatalf("%v, and it says:\n%s", crawl.ProcessState, tail(out.String()))
		}
	}
	peak := peakOf(crawl)
	t.Logf("when 5,000 URLs are finished: %d MB", peak)
	if peak == 0 || peak > memory {
		t.Errorf("the crawl took %d MB, wanted are at most %d", peak, memory)
	}
	end()
	crawl = begin("resuming", "--resume")
	end()
}

// ping submits a seed by HTTP.
func ping(t *testing.T, archive string) {
	t.Helper()
	cmd := exec.Command(program, "control", archive, "pings", "127.0.0.1:0")
	says, err := cmd.StderrPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		cmd.Process.Signal(os.Interrupt)
		cmd.Wait()
	}()
	line, err := bufio.NewReader(says).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(line, "http")
	at, _, _ := strings.Cut(rest, ";")
	began := time.Now()
	answer, err := http.PostForm("http"+at, url.Values{"url": {"http://submitted.example/"}})
	if err != nil {
		t.Fatalf("%q: %v", line, err)
	}
	answer.Body.Close()
	peak, took := peakOf(cmd), time.Since(began)
	t.Logf("a ping: %.2f s, %d MB", took.Seconds(), peak)
	if answer.StatusCode != http.StatusAccepted || peak > 100 || took > 2*time.Second {
		t.Errorf("a ping: %s after %v, %d MB", answer.Status, took, peak)
	}
}

// finished is how many URLs a crawl says that it has finished.
func finished(t *testing.T, archive string) int {
	t.Helper()
	var reply struct{ State struct{ Finished int } }
	if err := json.Unmarshal([]byte(run(t, 0, "control", archive, "status", "--json")), &reply); err != nil {
		t.Fatal(err)
	}
	return reply.State.Finished
}

// peakOf is the most memory that a process has held, in megabytes, rounded up; 0 for one that ended.
func peakOf(cmd *exec.Cmd) int64 {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", cmd.Process.Pid))
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			n, _ := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 10, 64)
			return n>>10 + 1
		}
	}
	return 0
}
