//go:build conformance

package crawl

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// small mounts a file system in memory with the given options, such as "size=18m" or "nr_inodes=30", and gives its folder.
func small(t *testing.T, options string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	mount(t, "-t", "tmpfs", "-o", options, "tmpfs", dir)
	t.Cleanup(func() { exec.Command("umount", "-l", dir).Run() })
	return dir
}

func mount(t *testing.T, args ...string) {
	t.Helper()
	if out, err := exec.Command("mount", args...).CombinedOutput(); err != nil {
		t.Fatalf("mount %s: %v: %s: this test mounts a tmpfs: run it as `sudo go test -tags conformance -run '^%s$' ./conformance/crawl`",
			strings.Join(args, " "), err, out, strings.SplitN(t.Name(), "/", 2)[0])
	}
}

// grow gives a file system more room.
func grow(t *testing.T, dir string) {
	t.Helper()
	mount(t, "-o", "remount,size=400m,nr_inodes=100000", dir)
}

// limit is how long a command of these tests may take.
const limit = 2 * time.Minute

// ends runs kavosh, which must end by itself with 0, or with 1 and one line that names a cause and a fix; it gives that line.
func ends(t *testing.T, args ...string) (ok bool, line string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	var out, errs bytes.Buffer
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	if ctx.Err() != nil {
		t.Fatalf("kavosh %s goes on after %v:\n%s", strings.Join(args, " "), limit, tail(errs.String()))
	}
	return err == nil, complaint(t, strings.Join(args, " "), errs.String(), err)
}

// complaint wants of a command that ended with err to have said so in one line, which it gives.
func complaint(t *testing.T, command, text string, err error) (line string) {
	t.Helper()
	if strings.Contains(text, "goroutine ") || strings.Contains(text, "panic") {
		t.Errorf("kavosh %s dumps:\n%s", command, tail(text))
	}
	if err == nil {
		return ""
	}
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 1 {
		t.Errorf("kavosh %s: %v:\n%s", command, err, tail(text))
	}
	line = lastLine(text)
	if !strings.HasPrefix(line, "kavosh: ") || len(line) > 1000 {
		t.Errorf("kavosh %s says:\n%s", command, tail(text))
	}
	return line
}

// goOn resumes the crawl of s, or begins it anew when it got nowhere, and wants all of s to be there once.
func goOn(t *testing.T, s *site, archive string, args []string) {
	t.Helper()
	if crawls, _ := filepath.Glob(filepath.Join(archive, "crawls", "*", "config.toml")); len(crawls) > 0 {
		args = append(slices.Clone(args), "--resume")
	} else {
		args = seeded(s, args)
	}
	if ok, line := ends(t, args...); !ok {
		t.Fatalf("going on: %s", line)
	}
	compare(t, "going on", responses(t, archive), s.urls(""))
	sound(t, archive)
}

// sound wants check to find nothing.
func sound(t *testing.T, archive string) {
	t.Helper()
	if text, err := exec.CommandContext(t.Context(), program, "check", archive).CombinedOutput(); err != nil {
		t.Errorf("check: %v\n%s", err, tail(string(text)))
	}
}

// saysFull wants line to name a full disk, and the fix.
func saysFull(t *testing.T, line string) {
	t.Helper()
	if !strings.Contains(line, "no space left on device") && !strings.Contains(line, "are free on the disk") || !strings.Contains(line, "free some space, then ") {
		t.Errorf("it says: %s", line)
	}
}

// seeded are args with the seeds of s.
func seeded(s *site, args []string) []string {
	args = slices.Clone(args)
	for h := range s.hosts {
		args = append(args, "http://"+s.host(h)+"/")
	}
	return args
}

// TestNoInodes crawls into file systems that take so and so many files: none from the beginning, and none in the middle.
func TestNoInodes(t *testing.T) {
	failed := 0
	for inodes := 2; inodes < 45; inodes += 2 {
		t.Run(fmt.Sprint(inodes), func(t *testing.T) {
			s := &site{hosts: 3, pages: 60}
			port := s.serve(t, "127.0.0.1:0")
			dir := small(t, fmt.Sprintf("size=400m,nr_inodes=%d", inodes))
			archive := filepath.Join(dir, "archive")
			args := []string{"crawl", "--archive", archive, "--delay", "0s", "--connect-to", "::127.0.0.1:" + port}
			if ok, line := ends(t, seeded(s, args)...); !ok {
				failed++
				saysFull(t, line)
				grow(t, dir)
				goOn(t, s, archive, args)
			}
		})
	}
	if failed < 10 {
		t.Errorf("%d crawls met the end of the disk", failed)
	}
	for _, after := range []int64{1, 100, 1000} {
		t.Run(fmt.Sprintf("after %d requests", after), func(t *testing.T) {
			s := &site{hosts: 10, pages: 300, latency: time.Millisecond}
			port := s.serve(t, "127.0.0.1:0")
			dir := small(t, "size=400m,nr_inodes=300")
			archive := filepath.Join(dir, "archive")
			args := []string{"crawl", "--archive", archive, "--delay", "0s", "--connect-to", "::127.0.0.1:" + port}
			cmd, out := begin(t, seeded(s, args))
			if !waitFor(limit, func() bool { return s.served.Load() >= after }) {
				t.Fatal("the crawl asks for nothing")
			}
			for i := 0; ; i++ {
				if os.WriteFile(filepath.Join(dir, fmt.Sprint("x", i)), nil, 0o600) != nil {
					break
				}
			}
			err := ended(t, cmd, out)
			saysFull(t, complaint(t, "crawl", out.String(), err))
			grow(t, dir)
			goOn(t, s, archive, args)
		})
	}
}

// begin starts a crawl.
func begin(t *testing.T, args []string) (*exec.Cmd, *printed) {
	t.Helper()
	var out printed
	return start(t, &out, args...), &out
}

// ended waits for the end of a command that must come to one.
func ended(t *testing.T, cmd *exec.Cmd, out *printed) error {
	t.Helper()
	over := make(chan error, 1)
	go func() { over <- cmd.Wait() }()
	select {
	case err := <-over:
		return err
	case <-time.After(limit):
		t.Fatalf("it goes on after %v:\n%s", limit, tail(out.String()))
		return nil
	}
}

// TestFullElsewhere lets what else writes into an archive meet the end of space and of files.
func TestFullElsewhere(t *testing.T) {
	s := &site{hosts: 3, pages: 100}
	port := s.serve(t, "127.0.0.1:0")
	source := filepath.Join(t.TempDir(), "source")
	crawl := func(archive string) []string {
		return []string{"crawl", "--archive", archive, "--delay", "0s", "--min-free", "0", "--connect-to", "::127.0.0.1:" + port}
	}
	run(t, 0, seeded(s, crawl(source))...)
	files, err := filepath.Glob(filepath.Join(source, "warc", "*"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	used, inodes := usage(t, source)
	for _, c := range []struct {
		name    string
		command func(archive string) []string
		from    bool // it begins with a copy of source
	}{
		{"import", func(a string) []string { return append(append([]string{"import"}, files...), "--archive", a) }, false},
		{"rebuild", func(a string) []string { return []string{"rebuild", a} }, true},
		{"search", func(a string) []string { return []string{"search", a, "page"} }, true},
		{"access", func(a string) []string { return []string{"access", a, "add", "takedown", hidden} }, true},
		{"crawl", func(a string) []string { return seeded(s, crawl(a)) }, true},
	} {
		room, count, failed := int64(64<<10), 1, 0
		if c.from {
			room, count = used+8<<10, inodes+1
		}
		for step := range 8 {
			for _, option := range []string{
				fmt.Sprintf("size=%dk,nr_inodes=100000", (room+int64(step)*used/5)>>10), fmt.Sprintf("size=400m,nr_inodes=%d", count+step*3),
			} {
				t.Run(c.name+" "+option, func(t *testing.T) {
					dir := small(t, option)
					archive := filepath.Join(dir, "archive")
					if c.from {
						if err := os.CopyFS(archive, os.DirFS(source)); err != nil {
							t.Fatal(err)
						}
					}
					ok, line := ends(t, c.command(archive)...)
					if ok {
						return
					}
					failed++
					saysFull(t, line)
					grow(t, dir)
					again := c.command(archive)
					if strings.Contains(line, "--resume") {
						again = append(crawl(archive), "--resume")
					}
					if ok, line := ends(t, again...); !ok {
						t.Errorf("with room: %s", line)
					}
					sound(t, archive)
				})
			}
		}
		if failed == 0 {
			t.Errorf("%s never met the end of the disk", c.name)
		}
	}
}

// usage is what a folder takes of a file system: bytes in whole pages, and files.
func usage(t *testing.T, dir string) (bytes int64, files int) {
	t.Helper()
	if err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		files++
		bytes += (info.Size() + 4095) / 4096 * 4096
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return bytes, files
}

// TestServeFull serves an archive from a disk that has no room and takes no file.
func TestServeFull(t *testing.T) {
	s := &site{hosts: 2, pages: 30}
	port := s.serve(t, "127.0.0.1:0")
	source := filepath.Join(t.TempDir(), "source")
	run(t, 0, seeded(s, []string{"crawl", "--archive", source, "--delay", "0s", "--connect-to", "::127.0.0.1:" + port})...)
	used, inodes := usage(t, source)
	for _, option := range []string{fmt.Sprintf("size=%dk,nr_inodes=100000", used/1024+8), fmt.Sprintf("size=400m,nr_inodes=%d", inodes+1)} {
		t.Run(option, func(t *testing.T) {
			dir := small(t, option)
			archive := filepath.Join(dir, "archive")
			if err := os.CopyFS(archive, os.DirFS(source)); err != nil {
				t.Fatal(err)
			}
			var out printed
			cmd := start(t, &out, "serve", "a="+archive, "--addr", "127.0.0.1:0", "--replay-addr", "127.0.0.1:0")
			var address []string
			if !waitFor(time.Minute, func() bool { address = collection.FindStringSubmatch(out.String()); return address != nil }) {
				t.Fatalf("serve shows nothing:\n%s", out.String())
			}
			answer, err := http.Get(address[1] + "20990101000000id_/http://h00.test/page/3.html")
			if err != nil {
				t.Fatal(err)
			}
			answer.Body.Close()
			if answer.StatusCode != 200 {
				t.Errorf("%s\n%s", answer.Status, out.String())
			}
			if !waitFor(limit, func() bool { return strings.Contains(out.String(), "no space left on device") }) {
				t.Errorf("it does not say that it cannot index for the search:\n%s", out.String())
			}
			cmd.Process.Signal(os.Interrupt)
			err = ended(t, cmd, &out)
			if text := out.String(); err != nil || !strings.Contains(text, "free some space") || strings.Contains(text, "goroutine ") {
				t.Errorf("%v: it says:\n%s", err, text)
			}
		})
	}
}

// TestDeleted removes an archive, or a part of it, while a crawl writes it. The crawl says what is gone and what to do, and doing that helps.
func TestDeleted(t *testing.T) {
	for _, part := range []string{"", "crawls", "crawls/*", "crawls/*/frontier", "crawls/*/crawl.log", "index", "warc", "warc/*", "log", "log/*/*", "derived", "derived/*"} {
		for _, after := range []int64{30, 400} {
			t.Run(fmt.Sprintf("%q after %d", part, after), func(t *testing.T) {
				s := &site{hosts: 3, pages: 300, latency: 20 * time.Millisecond}
				port := s.serve(t, "127.0.0.1:0")
				archive := filepath.Join(t.TempDir(), "archive")
				args := []string{"crawl", "--archive", archive, "--delay", "0s", "--connect-to", "::127.0.0.1:" + port}
				cmd, out := begin(t, seeded(s, args))
				if !waitFor(limit, func() bool { return s.served.Load() >= after }) {
					t.Fatal("the crawl asks for nothing")
				}
				found, err := filepath.Glob(filepath.Join(archive, part))
				if err != nil || len(found) == 0 {
					t.Fatalf("there is none yet: %v", err)
				}
				for _, path := range found {
					for os.RemoveAll(path) != nil { // the crawl makes files meanwhile
					}
				}
				err = ended(t, cmd, out)
				line := complaint(t, "crawl", out.String(), err)
				t.Log(line)
				if err == nil || !strings.Contains(line, "was removed while the crawl ran: ") || !strings.Contains(line, strings.TrimSuffix(found[0], ".open")) {
					t.Fatalf("it does not say what is gone: %s", line)
				}
				if strings.Contains(line, "kavosh rebuild") {
					run(t, 0, "rebuild", archive)
				}
				if strings.Contains(line, "without --resume") {
					if ok, line := ends(t, seeded(s, args)...); !ok {
						t.Errorf("beginning again: %s", line)
					}
					sound(t, archive)
					return
				}
				goOn(t, s, archive, args)
			})
		}
	}
}
