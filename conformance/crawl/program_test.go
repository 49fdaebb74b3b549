//go:build conformance

package crawl

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"kavosh/lib/httpwire"
	"kavosh/lib/warc"
)

// program is the path of the kavosh that TestMain built.
var program = filepath.Join(os.TempDir(), "kavosh-under-test", "kavosh")

func TestMain(m *testing.M) {
	build := exec.Command("go", "build", "-o", program, "kavosh/cmd/kavosh")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		os.Stderr.Write(out)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// run starts kavosh with args and gives the running process; what it prints is in out once it has ended.
func start(t *testing.T, out io.Writer, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(program, args...)
	cmd.Stderr, cmd.Stdout = out, out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill() })
	return cmd
}

// run runs kavosh to its end and fails the test unless its exit status is want.
func run(t *testing.T, want int, args ...string) (stdout string) {
	t.Helper()
	const long = 10 * time.Minute
	ctx, cancel := context.WithTimeout(t.Context(), long)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, args...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	if ctx.Err() != nil {
		t.Fatalf("kavosh %s goes on after %v\n%s\n%s", strings.Join(args, " "), long, tail(out.String()), tail(errs.String()))
	}
	var exit *exec.ExitError
	code := 0
	if errors.As(err, &exit) {
		code = exit.ExitCode()
	} else if err != nil {
		t.Fatal(err)
	}
	if code != want {
		t.Fatalf("kavosh %s: exit status %d, want %d\n%s\n%s", strings.Join(args, " "), code, want, tail(out.String()), tail(errs.String()))
	}
	return out.String()
}

func tail(s string) string {
	if len(s) > 3000 {
		return "…" + s[len(s)-3000:]
	}
	return s
}

// responses reads every response and revisit record of an archive's WARC files from the files alone: URL → payload
// digests as they compute, one a record.
func responses(t *testing.T, archive string) map[string][]string {
	t.Helper()
	found := map[string][]string{}
	files, err := filepath.Glob(filepath.Join(archive, "warc", "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		if strings.HasSuffix(name, ".open") {
			t.Errorf("%s is not sealed", name)
		}
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		r, err := warc.NewReader(bufio.NewReaderSize(f, 1<<20))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for {
			rec, err := r.Next()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if typ := rec.Type(); typ != "response" && typ != "revisit" {
				continue
			}
			digest := rec.Header.Get("WARC-Payload-Digest")
			if rec.Type() == "response" {
				d, err := warc.ParseDigest(digest)
				if err != nil {
					t.Fatal(err)
				}
				br := bufio.NewReader(rec.Block)
				head, err := io.ReadAll(io.LimitReader(br, rec.Size))
				if err != nil {
					t.Fatal(err)
				}
				n := httpwire.HeadEnd(head)
				parsed, _ := httpwire.ParseResponseHead(head[:n])
				h := d.New()
				if _, err := io.Copy(h, httpwire.Payload(parsed, bytes.NewReader(head[n:]))); err != nil {
					t.Errorf("%s: %s: %v", name, rec.TargetURI(), err)
				}
				if !d.Matches(h.Sum(nil)) {
					t.Errorf("%s: the digest of %s is wrong", name, rec.TargetURI())
				}
			}
			found[rec.TargetURI()] = append(found[rec.TargetURI()], digest)
		}
		f.Close()
	}
	return found
}

// report is what --json prints.
func report(t *testing.T, out string) (r struct {
	Fetched, Recorded int64
	Failed            map[string]int64
	Seconds           float64
	End               string
}) {
	t.Helper()
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		t.Fatalf("the report is no JSON object: %v\n%s", err, tail(out))
	}
	return r
}

// kill ends the process as a power cut would, and waits for it.
func kill(cmd *exec.Cmd) {
	cmd.Process.Signal(syscall.SIGKILL)
	cmd.Wait()
}

// waitFor polls cond, a thing that another process brings about.
func waitFor(limit time.Duration, cond func() bool) bool {
	for deadline := time.Now().Add(limit); time.Now().Before(deadline); {
		if cond() {
			return true
		}
		<-time.After(200 * time.Microsecond)
	}
	return false
}
