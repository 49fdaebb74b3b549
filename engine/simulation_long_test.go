//go:build simulation

package engine

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"kavosh/internal/simulation"
)

// These tests build the tests of this package once more with a few lines changed (go test -overlay) and run that program
// in processes of their own: with the dice of libraries stilled, so that a seed repeats a run to the byte; and with a
// bug planted, which must be found.

var long = struct {
	fetches *int64
	from    *uint64
	sums    *string
}{
	flag.Int64("fetches", 1_000_000, "how many fetches TestSimulatedMillions makes"),
	flag.Uint64("from", 1000, "its first seed"),
	flag.String("sums", "", "file for its sums as JSON"), // -json is go test's
}

// change is a line of source to be changed. File is a path in this module, or one below Pebble's when it begins with
// "pebble/". Old must stand in it once.
type change struct{ file, old, new string }

// stilled makes a run depend on its seed alone: the height of a node in Pebble's memtables, by which they fill up, comes
// from the key instead of a die.
func stilled() []change {
	const file = "pebble/internal/arenaskl/skl.go"
	return []change{
		{file, "height = s.randomHeight()", "height = s.randomHeight(key)"},
		{file, "randomHeight() uint32 {\n\trnd := rand.Uint32()",
			"randomHeight(key base.InternalKey) uint32 {\n\trnd := uint32(2166136261)\n\tfor _, b := range key.UserKey {\n\t\trnd = (rnd ^ uint32(b)) * 16777619\n\t}\n\trnd ^= rnd >> 15\n\trnd *= 2246822519\n\trnd ^= rnd >> 13"},
		{file, "\t\"math/rand/v2\"\n", ""},
	}
}

// build makes the program with changes.
func build(t *testing.T, changes []change) (program string) {
	t.Helper()
	dir := t.TempDir()
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{}
	for _, c := range changes {
		path := filepath.Join(root, filepath.FromSlash(c.file))
		if rest, library := strings.CutPrefix(c.file, "pebble/"); library {
			path = filepath.Join(pebbleCopy(t, dir), filepath.FromSlash(rest))
		}
		text, ok := texts[path]
		if !ok {
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			text = string(data)
		}
		if n := strings.Count(text, c.old); n != 1 {
			t.Fatalf("%s has %d places like this, and not one: bring the change up to date\n%s", c.file, n, c.old)
		}
		texts[path] = strings.Replace(text, c.old, c.new, 1)
	}
	program = filepath.Join(dir, "simulation.test")
	args := []string{"test", "-c", "-vet=off", "-ldflags", "-s -w", "-overlay", overlay(t, dir, texts), "-o", program}
	if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
		args = append(args, "-trimpath", "-modfile", filepath.Join(dir, "go.mod"))
	}
	goCommand(t, append(args, ".")...)
	return program
}

// overlay writes sources into dir, and the file by which go takes them in place of those at their paths.
func overlay(t *testing.T, dir string, texts map[string]string) (name string) {
	t.Helper()
	replace := map[string]string{}
	for path, text := range texts {
		changed := filepath.Join(dir, fmt.Sprintf("%d.go", len(replace)))
		if err := os.WriteFile(changed, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		replace[path] = changed
	}
	data, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	name = filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(name, data, 0o644); err != nil {
		t.Fatal(err)
	}
	return name
}

// pebbleCopy is a copy of Pebble in dir, used by the go.mod there: go lets no file of its module cache be overlaid.
func pebbleCopy(t *testing.T, dir string) string {
	t.Helper()
	const module = "github.com/cockroachdb/pebble/v2"
	to := filepath.Join(dir, "pebble")
	if _, err := os.Stat(to); err == nil {
		return to
	}
	from := strings.TrimSpace(goCommand(t, "list", "-m", "-f", "{{.Dir}}", module))
	err := filepath.WalkDir(from, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		if d.IsDir() {
			if d.Name() == "testdata" {
				return filepath.SkipDir
			}
			return os.MkdirAll(filepath.Join(to, rel), 0o755)
		}
		if strings.HasSuffix(path, "_test.go") {
			return nil
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, rel), data, 0o644)
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"go.mod", "go.sum"} {
		data, err := os.ReadFile(filepath.Join("..", name))
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), data, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	goCommand(t, "mod", "edit", "-replace", module+"="+to, filepath.Join(dir, "go.mod"))
	return to
}

// goCommand runs the go command and returns what it says.
func goCommand(t *testing.T, args ...string) string {
	t.Helper()
	cmd := exec.Command("go", args...)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0") // as it is released, and no C to be compiled
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// run lets the program simulate n seeds from first on. Its words are worth reading only when it failed.
func run(t *testing.T, program string, first uint64, n int, flags ...string) (sum simulation.Report, words []byte, err error) {
	t.Helper()
	report := filepath.Join(t.TempDir(), "report.json")
	args := append([]string{"-test.run", "^TestSimulation$", "-test.timeout", "0", "-seed", fmt.Sprint(first), "-seeds", fmt.Sprint(n), "-report", report}, flags...)
	cmd := exec.Command(program, args...)
	cmd.Env = append(os.Environ(), "GOMAXPROCS=1")
	words, err = cmd.CombinedOutput()
	data, readErr := os.ReadFile(report)
	if readErr == nil {
		readErr = json.Unmarshal(data, &sum)
	}
	if readErr != nil && err == nil {
		err = readErr
	}
	return sum, words, err
}

// TestSimulatedMillions runs as many seeds as -fetches takes, on GOMAXPROCS processors, and wants no violation and each
// kind of fault many times. Its sums are in the file of -sums every minute, so that a run that is broken off counts, too.
func TestSimulatedMillions(t *testing.T) {
	program := build(t, stilled())
	const batch = 100
	var mu sync.Mutex
	sum := simulation.Report{Counts: map[string]int64{}}
	next, began, told := *long.from, time.Now(), time.Now()
	keep := func() {
		data, err := json.MarshalIndent(sum, "", "  ")
		if err == nil && *long.sums != "" {
			err = os.WriteFile(*long.sums, append(data, '\n'), 0o644)
		}
		if err != nil {
			t.Error(err)
		}
	}
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for {
				mu.Lock()
				first := next
				next += batch
				enough := sum.Counts["fetch"] >= *long.fetches || len(sum.Failed) > 20
				mu.Unlock()
				if enough {
					return
				}
				part, words, err := run(t, program, first, batch)
				mu.Lock()
				if err != nil {
					t.Errorf("seeds %d to %d: %v\n%s", first, first+batch-1, err, excerpt(words))
					if len(part.Failed) == 0 { // it broke off
						part.Failed = []uint64{first}
					}
				}
				sum.Seeds += part.Seeds
				sum.Failed = append(sum.Failed, part.Failed...)
				sum.Add(part.Counts)
				if time.Since(told) > time.Minute {
					told = time.Now()
					t.Logf("%s: %d seeds, %d fetches, %d kills and power cuts, %d seeds failed", time.Since(began).Round(time.Second),
						sum.Seeds, sum.Counts["fetch"], sum.Counts["kill"]+sum.Counts["power cut"], len(sum.Failed))
					keep()
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	keep()
	t.Logf("%+v", sum)
	for _, kind := range simulation.Kinds() {
		if n := sum.Counts[kind]; n < *long.fetches/10_000 {
			t.Errorf("%s happened %d times, want at least one in 10,000 fetches", kind, n)
		}
	}
}

// excerpt is what of a failed program's words a person needs.
func excerpt(words []byte) []byte {
	const most = 6000
	if i := bytes.Index(words, []byte("--- FAIL")); i > 0 && len(words) > most {
		words = words[i:]
	}
	return words[:min(len(words), most)]
}

// TestSimulationRepeats runs seeds twice and wants the same trace, byte for byte.
func TestSimulationRepeats(t *testing.T) {
	program := build(t, stilled())
	const seeds = 60
	var traces [2][]byte
	for i := range traces {
		name := filepath.Join(t.TempDir(), "trace")
		if _, words, err := run(t, program, 1, seeds, "-trace", name); err != nil {
			t.Errorf("%v\n%s", err, excerpt(words))
		}
		var err error
		if traces[i], err = os.ReadFile(name); err != nil {
			t.Fatal(err)
		}
	}
	a, b := traces[0], traces[1]
	if bytes.Equal(a, b) {
		t.Logf("%d seeds, twice: the same %d bytes of trace", seeds, len(a))
		return
	}
	at := 0
	for at < min(len(a), len(b)) && a[at] == b[at] {
		at++
	}
	from := bytes.LastIndexByte(a[:at], '\n') + 1
	t.Errorf("two runs differ from byte %d on:\n%.300s\nand\n%.300s", at, a[from:], b[from:])
}

// TestPlantedBugs plants one bug after the other and wants each found.
func TestPlantedBugs(t *testing.T) {
	report := regexp.MustCompile(`(?m)^ *simulation_test.go:\d+: (.*)$`)
	for _, b := range bugs() {
		t.Run(strings.ReplaceAll(b.name, " ", "_"), func(t *testing.T) {
			program := build(t, b.changes)
			look := func(first uint64, n int) (found bool) {
				sum, words, err := run(t, program, first, n)
				if err == nil {
					return false
				}
				seed := first
				if len(sum.Failed) > 0 {
					seed = sum.Failed[0]
				}
				what := "it broke off"
				if m := report.FindSubmatch(words); m != nil {
					what = string(m[1])
				}
				t.Logf("found by seed %d: %s", seed, what)
				return true
			}
			if look(max(b.seed, 1), 1) {
				return
			}
			for first := uint64(1); first < 1000; first += 20 {
				if look(first, 20) {
					return
				}
			}
			t.Errorf("planted and not found in 1000 seeds: %s", b.name)
		})
	}
}
