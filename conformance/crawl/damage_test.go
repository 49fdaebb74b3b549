//go:build conformance

package crawl

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// damages are what happens to a file; nil is no file.
var damages = map[string]func(rng *rand.Rand, data []byte) []byte{
	"flip": func(rng *rand.Rand, data []byte) []byte {
		if len(data) > 0 {
			data[rng.IntN(len(data))] ^= 1 << rng.IntN(8)
		}
		return data
	},
	"cut": func(rng *rand.Rand, data []byte) []byte { return data[:rng.IntN(len(data)+1)] },
	"zero": func(rng *rand.Rand, data []byte) []byte {
		from := rng.IntN(len(data) + 1)
		clear(data[from:min(len(data), from+1+rng.IntN(4096))])
		return data
	},
	"garbage": func(rng *rand.Rand, data []byte) []byte {
		from := rng.IntN(len(data) + 1)
		for i := from; i < min(len(data), from+1+rng.IntN(512)); i++ {
			data[i] = byte(rng.Uint32())
		}
		return data
	},
	"missing": func(*rand.Rand, []byte) []byte { return nil },
}

// varying is what tells files of a kind apart.
var varying = regexp.MustCompile(`\d+|-[0-9a-z]{6,}`)

// hidden is a page that a takedown closes.
const hidden = "http://h00.test/page/3.html"

// damageable makes an archive with a finished and a killed crawl, an import, a takedown, a token and a search index.
func damageable(t *testing.T) (archive string, resume []string) {
	s := &site{hosts: 3, pages: 24, latency: 5 * time.Millisecond}
	port := s.serve(t, "127.0.0.1:0")
	archive, other := filepath.Join(t.TempDir(), "archive"), filepath.Join(t.TempDir(), "other")
	args := []string{"--delay", "0s", "--workers", "2", "--scope", "host", "--connect-to", "::127.0.0.1:" + port}
	run(t, 0, append([]string{"crawl", "--archive", other, "http://h02.test/"}, args...)...)
	run(t, 0, append([]string{"crawl", "--archive", archive, "http://h00.test/"}, args...)...)
	files, err := filepath.Glob(filepath.Join(other, "warc", "*"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	run(t, 0, append(append([]string{"import"}, files...), "--archive", archive)...)
	run(t, 0, "access", archive, "add", "takedown", hidden)
	run(t, 0, "token", archive, "add", "somebody")
	run(t, 0, "search", archive, "page")
	before := s.served.Load()
	cmd := start(t, io.Discard, append([]string{"crawl", "--archive", archive, "http://h01.test/"}, args...)...)
	if !waitFor(time.Minute, func() bool { return s.served.Load() > before+12 }) {
		t.Fatal("the second crawl asked for nothing")
	}
	kill(cmd)
	sockets, err := filepath.Glob(filepath.Join(archive, "crawls", "*", "control.sock"))
	if err != nil || len(sockets) != 1 {
		t.Fatal(sockets, err)
	}
	if err := os.Remove(sockets[0]); err != nil { // it cannot be copied
		t.Fatal(err)
	}
	return archive, []string{"--resume", "--delay", "0s", "--workers", "2", "--connect-to", "::127.0.0.1:" + port}
}

// TestDamage damages a file of a copy of an archive, 300 times over all kinds of files; in short, a file of each kind in one way.
// Whatever it was, no command ends with a dump, each says in a line what is wrong, nothing is recorded twice, nothing closed is
// shown, and after a rebuild the archive is sound, or check names what is lost.
func TestDamage(t *testing.T) {
	archive, resume := damageable(t)
	if !closed(t, archive) {
		t.Fatal("no page of the sound archive is shown")
	}
	kinds := map[string][]string{}
	err := filepath.WalkDir(archive, func(path string, d fs.DirEntry, err error) error {
		if name := strings.ToLower(d.Name()); err != nil || d.IsDir() || !d.Type().IsRegular() || name == "lock" {
			return err
		}
		rel, err := filepath.Rel(archive, path)
		kind := varying.ReplaceAllString(rel, "N")
		kinds[kind] = append(kinds[kind], rel)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	names, ways := slices.Sorted(maps.Keys(kinds)), slices.Sorted(maps.Keys(damages))
	t.Logf("%d kinds of files: %q", len(names), names)
	const least = 300
	rounds := (least + len(names)*len(ways) - 1) / (len(names) * len(ways))
	n := 0
	t.Run("all", func(t *testing.T) {
		for round := range rounds {
			for i, kind := range names {
				for j, way := range ways {
					if testing.Short() && (round > 0 || j != i%len(ways)) {
						continue
					}
					rng := rand.New(rand.NewPCG(14, uint64(n)))
					n++
					file := kinds[kind][rng.IntN(len(kinds[kind]))]
					t.Run(fmt.Sprintf("%d/%s of %s", round, way, kind), func(t *testing.T) {
						t.Parallel()
						suffer(t, archive, file, resume, func(data []byte) []byte { return damages[way](rng, data) })
					})
				}
			}
		}
	})
	t.Logf("%d damages", n)
}

// suffer damages a file of a copy of the archive and does with the copy what people would.
func suffer(t *testing.T, archive, file string, resume []string, damage func([]byte) []byte) {
	dir := filepath.Join(t.TempDir(), "archive")
	if err := os.CopyFS(dir, os.DirFS(archive)); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, file)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if data = damage(data); data == nil {
		err = os.Remove(path)
	} else {
		err = os.WriteFile(path, data, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	say(t, "check", dir)
	if strings.HasPrefix(file, "decisions") || file == "archive.json" {
		closed(t, dir)
	}
	went, _ := say(t, append([]string{"crawl", "--archive", dir}, resume...)...)
	if went == 0 && !strings.HasPrefix(file, "warc") {
		for url, records := range responses(t, dir) {
			if len(records) > 1 {
				t.Errorf("%s is recorded %d times", url, len(records))
			}
		}
	}
	say(t, "rebuild", dir)
	if code, text := say(t, "check", dir); code != 0 && !strings.Contains(text, strings.TrimSuffix(filepath.Base(file), ".open")) {
		t.Errorf("after rebuild check ends with %d and does not name the file:\n%s", code, tail(text))
	}
	say(t, "search", dir, "page")
}

// say runs kavosh, which may refuse, in short and in no dump.
func say(t *testing.T, args ...string) (code int, text string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	out, err := exec.CommandContext(ctx, program, args...).CombinedOutput()
	if ctx.Err() != nil {
		t.Fatalf("kavosh %s goes on after %v:\n%s", strings.Join(args, " "), limit, tail(string(out)))
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		code = exit.ExitCode()
	} else if err != nil {
		t.Fatal(err)
	}
	text = string(out)
	last := lastLine(text)
	if code < 0 || code > 2 || strings.Contains(text, "goroutine ") || code != 0 && (len(last) == 0 || len(last) > 1500) || bytes.ContainsAny(out, "\x00\x1b") {
		t.Errorf("kavosh %s ends with %d and says:\n%s", strings.Join(args, " "), code, tail(text))
	}
	return code, text
}

// closed serves the archive, or is refused, and wants the hidden page not to be shown; it says whether another page is.
func closed(t *testing.T, dir string) bool {
	t.Helper()
	var out printed
	cmd := start(t, &out, "serve", "a="+dir, "--addr", "127.0.0.1:0", "--replay-addr", "127.0.0.1:0")
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	defer cmd.Process.Kill()
	var address []string
	var err error
	over := false
	if !waitFor(time.Minute, func() bool {
		select {
		case err = <-ended:
			over = true
		default:
		}
		address = collection.FindStringSubmatch(out.String())
		return over || address != nil
	}) {
		t.Fatalf("serve shows nothing:\n%s", out.String())
	}
	if over {
		if text := out.String(); err == nil || strings.Contains(text, "goroutine ") {
			t.Errorf("serve ended (%v):\n%s", err, tail(text))
		}
		return false
	}
	shown := func(page string) bool {
		answer, err := (&http.Client{Timeout: limit}).Get(address[1] + "20990101000000id_/http://h00.test/page/" + page + ".html")
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		body, err := io.ReadAll(answer.Body)
		if err != nil {
			t.Fatal(err)
		}
		return bytes.Contains(body, []byte("<h1>Page "+page+" of h00"))
	}
	if shown("3") {
		t.Errorf("the closed page is shown:\n%s", out.String())
	}
	return shown("4")
}

// collection is the line of serve that tells where the archive is.
var collection = regexp.MustCompile(`(?m)^a +(http://[^ ]+/a/)`)

// printed is what a program that goes on has printed.
type printed struct {
	sync.Mutex
	bytes.Buffer
}

func (p *printed) Write(b []byte) (int, error) {
	p.Lock()
	defer p.Unlock()
	return p.Buffer.Write(b)
}

func (p *printed) String() string {
	p.Lock()
	defer p.Unlock()
	return p.Buffer.String()
}
