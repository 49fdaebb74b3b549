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

// These tests build the tests of this package once more with a few lines changed (changed_test.go) and run that program
// in processes of their own: with all dice stilled but the seed's, so that a seed repeats a run to the byte; and with bugs
// planted, which must be found.

var long = struct {
	fetches *int64
	from    *uint64
	sums    *string
}{
	flag.Int64("fetches", 1_000_000, "how many fetches TestSimulatedMillions makes"),
	flag.Uint64("from", 1000, "its first seed"),
	flag.String("sums", "", "file for its sums as JSON"), // -json is go test's
}

// stilled makes a run depend on its seed alone. Pebble: the height of a node in its memtables, by which they fill up, comes
// from the key instead of a die, and it removes files without a pause that goes by the process's age. Go: nobody takes the processor away from a goroutine after some milliseconds or from one
// that reads a file, who was put off comes after all who are ready, a mutex goes by no clock, and the dice of a bubble (which ready case of a select, which of two timers
// that are due at once, where a map's iteration begins) are its own and begin anew with it.
func stilled() []change {
	const skl, rand = "pebble/internal/arenaskl/skl.go", "std/runtime/rand.go"
	return []change{
		{skl, "height = s.randomHeight()", "height = s.randomHeight(key)"},
		{skl, "randomHeight() uint32 {\n\trnd := rand.Uint32()",
			"randomHeight(key base.InternalKey) uint32 {\n\trnd := uint32(2166136261)\n\tfor _, b := range key.UserKey {\n\t\trnd = (rnd ^ uint32(b)) * 16777619\n\t}\n\trnd ^= rnd >> 15\n\trnd *= 2246822519\n\trnd ^= rnd >> 13"},
		{skl, "\t\"math/rand/v2\"\n", ""},
		{"pebble/obsolete_files.go", "cm.deletePacer.PacingDelay(crtime.NowMono(), of.fileSize)", "0.0"},
		{"std/runtime/proc.go", "func retake(now int64) uint32 {\n", "func retake(now int64) uint32 {\n\tif now != 0 {\n\t\treturn 0\n\t}\n"},
		{"std/runtime/proc.go", "if pp.schedtick%61 == 0 && !sched.runq.empty() {", "if false {"},
		{"std/internal/sync/mutex.go", "starvationThresholdNs = 1e6", "starvationThresholdNs = 1e18"},
		{"std/runtime/select.go", "cheaprandn(uint32(norder + 1))", "int(rand() % uint64(norder+1))"},
		{"std/runtime/time.go", "t.rand = cheaprand()", "t.rand = uint32(rand())"},
		{"std/runtime/alg.go", "key[i] = bootstrapRand()", "key[i] = uint64(i+1) * 0x9e3779b97f4a7c15"},
		{"std/runtime/synctest.go", "\tid      uint64 // unique id\n", "\tid      uint64 // unique id\n\tdice    uint64\n"},
		{"engine/counts.go", "return kb << 10", "return kb&0 + 100<<20"}, // the report says it
		{rand, "func rand() uint64 {\n", "func rand() uint64 {\n\tif b := getg().bubble; b != nil {\n\t\tb.dice += 0x9e3779b97f4a7c15\n\t\tx := (b.dice ^ b.dice>>30) * 0xbf58476d1ce4e5b9\n\t\tx = (x ^ x>>27) * 0x94d049bb133111eb\n\t\treturn x ^ x>>31\n\t}\n"},
	}
}

// run lets the program, with a bug or "", simulate n seeds from first on. Its words are worth reading only when it failed.
func run(t *testing.T, program, bug string, first uint64, n int, flags ...string) (sum simulation.Report, words []byte, err error) {
	t.Helper()
	report := filepath.Join(t.TempDir(), "report.json")
	args := append([]string{"-test.run", "^TestSimulation$", "-test.timeout", "0", "-seed", fmt.Sprint(first), "-seeds", fmt.Sprint(n), "-report", report}, flags...)
	cmd := exec.Command(program, args...)
	cmd.Env = append(os.Environ(), "GOMAXPROCS=1", variantVariable+"="+bug)
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
	program := build(t, stilled(), nil)
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
				part, words, err := run(t, program, "", first, batch)
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

// TestSimulationRepeats runs seeds in one process, and again in several at once that take the processors from one another,
// and wants the same trace, byte for byte.
func TestSimulationRepeats(t *testing.T) {
	program := build(t, stilled(), nil)
	const seeds, processes = 60, 6
	dir := t.TempDir()
	trace := func(first uint64, n int) []byte {
		name := filepath.Join(dir, fmt.Sprintf("%d-%d", first, n))
		if _, words, err := run(t, program, "", first, n, "-trace", name); err != nil {
			t.Errorf("%v\n%s", err, excerpt(words))
		}
		data, err := os.ReadFile(name)
		if err != nil {
			t.Error(err)
		}
		return data
	}
	a := trace(1, seeds)
	var parts [processes][]byte
	var wg sync.WaitGroup
	for i := range parts {
		const n = seeds / processes
		wg.Go(func() { parts[i] = trace(uint64(1+i*n), n) })
	}
	wg.Wait()
	b := bytes.Join(parts[:], nil)
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

// cuts are the changes of the disk after which the first life is killed, for bugs that hardly any other place shows.
func cuts() map[string]string {
	return map[string]string{
		"seeds kept and not queued are forgotten": `^rename .*/config\.toml$`,
		"robots.txt of a crash counts as fresh":   `^sync .*\.open$`,
		"a folder not synced that was there":      `^mkdir archive/warc$`,
	}
}

// TestPlantedBugs plants one bug after the other and wants each found.
func TestPlantedBugs(t *testing.T) {
	var variants []variant
	for _, b := range bugs() {
		variants = append(variants, variant{b.name, b.changes})
	}
	program := build(t, stilled(), variants)
	const most, batch = 1000, 20
	report := regexp.MustCompile(`(?m)^ *simulation_test.go:\d+: (.*)$`)
	for _, b := range bugs() {
		t.Run(strings.ReplaceAll(b.name, " ", "_"), func(t *testing.T) {
			look := func(first uint64, n int) (found bool) {
				sum, words, err := run(t, program, b.name, first, n, "-cut", cuts()[b.name])
				if err == nil {
					return false
				}
				seed := first
				if len(sum.Failed) > 0 {
					seed = sum.Failed[0]
				}
				what := excerpt(words)
				if m := report.FindSubmatch(words); m != nil {
					what = m[1]
				}
				t.Logf("found by seed %d: %s", seed, what)
				return true
			}
			if look(max(b.seed, 1), 1) {
				return
			}
			for first := uint64(1); first < most; first += batch {
				if look(first, batch) {
					return
				}
			}
			t.Errorf("planted and not found in %d seeds: %s", most, b.name)
		})
	}
}
