// Command frontier measures the frontier alone: no network, answers made up, everything else as in a crawl.
//
//	go run ./bench/frontier urls -urls 1000000,10000000,100000000
//	go run ./bench/frontier hosts -hosts 10000000 -minutes 10
//	go run ./bench/frontier resume -urls 100000000
//
// urls offers each URL ten times, in no order, then leases and finishes all of them. hosts crawls an endless web that
// begins with a queued URL on each of many hosts. resume kills a process in which many URLs are queued, and takes the time
// that the next one needs until its first lease. Each part runs in a process of its own, so that its memory is its own,
// prints a table with ratios, and writes JSON.
//
// web.go makes the URLs, shuffle.go brings them into no order, clock.go lets time pass that nobody needs to wait for,
// crawl.go leases and answers, measure.go reads what the process used.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

func main() {
	parts := map[string]func([]string) error{
		"urls": measureURLs, "hosts": measureHosts, "resume": measureResume,
		"urls-part": partURLs, "hosts-part": partHosts, "fill-part": partFill, "lease-part": partLease,
	}
	if len(os.Args) < 2 || parts[os.Args[1]] == nil {
		fmt.Fprintln(os.Stderr, "usage: frontier urls|hosts|resume [flags]; -h after each tells its flags")
		os.Exit(2)
	}
	if err := parts[os.Args[1]](os.Args[2:]); err != nil {
		fmt.Fprintln(os.Stderr, "bench/frontier:", err)
		os.Exit(1)
	}
}

// machine is where figures were taken.
type machine struct {
	CPU    string `json:"cpu"`
	Cores  int    `json:"cores"`
	System string `json:"system"`
	Go     string `json:"go"`
}

func thisMachine() machine {
	m := machine{CPU: "unknown", Cores: runtime.NumCPU(), System: runtime.GOOS + "/" + runtime.GOARCH, Go: runtime.Version()}
	text, _ := os.ReadFile("/proc/cpuinfo") // where there is none, its name stays unknown
	for line := range strings.Lines(string(text)) {
		if name, value, _ := strings.Cut(line, ":"); strings.TrimSpace(name) == "model name" {
			m.CPU = strings.TrimSpace(value)
			break
		}
	}
	return m
}

func (m machine) String() string {
	return fmt.Sprintf("%d × %s, %s, %s", m.Cores, m.CPU, m.System, m.Go)
}

// part starts this program again for one part of the work. What it prints is JSON.
func part(args ...string) (*exec.Cmd, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	c := exec.Command(self, args...)
	c.Stderr = os.Stderr
	return c, nil
}

// runPart runs a part to its end and reads its result.
func runPart(result any, args ...string) error {
	c, err := part(args...)
	if err != nil {
		return err
	}
	out, err := c.Output()
	if err != nil {
		return fmt.Errorf("%s: %w", args[0], err)
	}
	return json.Unmarshal(out, result)
}

// tell prints the result of a part for the process that started it.
func tell(result any) error { return json.NewEncoder(os.Stdout).Encode(result) }

// progress says on standard error how far it has come.
func progress(format string, args ...any) { fmt.Fprintf(os.Stderr, format+"\n", args...) }

// keep writes a result as JSON; "" keeps nothing.
func keep(name string, result any) error {
	if name == "" {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	e := json.NewEncoder(w)
	e.SetIndent("", "\t")
	if err := e.Encode(result); err != nil {
		f.Close()
		return err
	}
	if err := w.Flush(); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

// scratch makes a folder for a frontier inside dir, or beside the results when that is "".
func scratch(dir string) (string, error) {
	if dir == "" {
		dir = ".cache/bench"
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	return os.MkdirTemp(dir, "frontier-")
}
