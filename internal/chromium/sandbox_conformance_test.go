//go:build conformance && linux

package chromium

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// TestSandbox wants the process that runs a page's scripts to be shut in: no user with rights, no way to gain any, few
// system calls, and a world of processes of its own. All the more where this test runs as root.
func TestSandbox(t *testing.T) {
	b, err := Start(t.Context(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	tab, cancel, err := b.Tab("")
	if err != nil {
		t.Fatal(err)
	}
	defer cancel()
	if err := chromedp.Do(tab, chromedp.Navigate("data:text/html,x")); err != nil {
		t.Fatal(err)
	}
	renderers := 0
	for _, pid := range groupOf(t, chromedp.FromContext(b.ctx).Browser.Process().Pid) {
		line, _ := os.ReadFile(filepath.Join("/proc", pid, "cmdline"))
		status, _ := os.ReadFile(filepath.Join("/proc", pid, "status"))
		if regexp.MustCompile(`(?m)^Uid:.*\t0\b`).Match(status) {
			t.Errorf("process %s of the browser runs as root", pid)
		}
		if !bytes.Contains(line, []byte("--type=renderer")) {
			continue
		}
		renderers++
		for _, want := range []string{`Seccomp:\t2`, `NoNewPrivs:\t1`, `CapEff:\t0+`, `NSpid:\t\d+\t\d+`} {
			if !regexp.MustCompile(`(?m)^` + want).Match(status) {
				t.Errorf("a renderer has not %s:\n%s", want, status)
			}
		}
	}
	if renderers == 0 {
		t.Error("no renderer runs")
	}
}

// groupOf returns the processes of a process group.
func groupOf(t *testing.T, group int) (pids []string) {
	t.Helper()
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, name := range stats {
		stat, _ := os.ReadFile(name)
		_, after, _ := bytes.Cut(stat, []byte(") "))
		var state string
		var parent, of int
		if fmt.Sscan(string(after), &state, &parent, &of); of == group {
			pids = append(pids, strings.Split(name, "/")[2])
		}
	}
	return pids
}

// TestEndsWithTheProgram kills a program that runs a browser, and wants no process of the browser to be left.
func TestEndsWithTheProgram(t *testing.T) {
	const program = "KAVOSH_TEST_PROGRAM"
	if os.Getenv(program) != "" { // it is that program
		b, err := Start(t.Context(), Options{})
		if err != nil {
			t.Fatal(err)
		}
		fmt.Println("browser", chromedp.FromContext(b.ctx).Browser.Process().Pid)
		select {}
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestEndsWithTheProgram$", "-test.v")
	cmd.Env = append(os.Environ(), program+"=1")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var group int
	for word := ""; word != "browser"; {
		if _, err := fmt.Fscan(out, &word); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := fmt.Fscan(out, &group); err != nil || len(groupOf(t, group)) < 3 {
		t.Fatalf("group %d: %d processes (%v)", group, len(groupOf(t, group)), err)
	}
	cmd.Process.Signal(syscall.SIGKILL)
	cmd.Wait()
	left := groupOf(t, group)
	for end := time.Now().Add(10 * time.Second); len(left) > 0 && time.Now().Before(end); left = groupOf(t, group) {
		<-time.After(50 * time.Millisecond)
	}
	if len(left) > 0 {
		t.Errorf("processes %v are left", left)
	}
}
