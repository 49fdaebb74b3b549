//go:build conformance

package crawl

import (
	"bytes"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestFullDisk crawls into a real file system of 18 MB, which fills, twice: with the reserve that --min-free keeps, and
// without. The crawl stops with the cause and the fix; with more room it goes on, and the archive is whole.
func TestFullDisk(t *testing.T) {
	for _, minFree := range []string{"2MiB", "0"} {
		t.Run("min-free "+minFree, func(t *testing.T) {
			s := &site{hosts: 10, pages: 300, latency: time.Millisecond}
			port := s.serve(t, "127.0.0.1:0")
			dir := small(t, "size=18m")
			archive := filepath.Join(dir, "archive")
			args := []string{"crawl", "--archive", archive, "--delay", "0s", "--min-free", minFree, "--connect-to", "::127.0.0.1:" + port}
			first := append([]string{}, args...)
			for h := range s.hosts {
				first = append(first, "http://"+s.host(h)+"/")
			}
			var out bytes.Buffer
			cmd := exec.Command(program, first...)
			cmd.Stderr, cmd.Stdout = &out, &out
			err := cmd.Run()
			if err == nil {
				t.Fatalf("the crawl did not notice that the disk is full\n%s", tail(out.String()))
			}
			if text := out.String(); !strings.Contains(text, "--resume") || strings.Contains(text, "goroutine ") || cmd.ProcessState.ExitCode() != 1 {
				t.Errorf("exit status %d, and it says:\n%s", cmd.ProcessState.ExitCode(), tail(text))
			}
			if s.served.Load() < 100 {
				t.Errorf("stopped after %d requests: the disk was too small to fill", s.served.Load())
			}
			t.Logf("stopped after %d requests: %s", s.served.Load(), lastLine(out.String()))
			grow(t, dir)
			run(t, 0, append(args, "--resume")...)
			compare(t, "after the disk was full", responses(t, archive), s.urls(""))
			run(t, 0, "check", archive)
		})
	}
}

func lastLine(s string) string {
	lines := strings.Split(strings.TrimSpace(s), "\n")
	return lines[len(lines)-1]
}
