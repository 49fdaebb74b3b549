// Command frontier measures the frontier alone: without network and with generated answers, otherwise as in a crawl.
//
//	go run ./bench/frontier urls -urls 1000000,10000000,100000000
//	go run ./bench/frontier hosts -hosts 10000000 -minutes 10
//	go run ./bench/frontier resume -urls 100000000
//
// urls offers each URL ten times in random order, then leases and finishes all of them. hosts crawls an endless web,
// starting with a queued URL on each of many hosts. resume kills a process with many queued URLs, and measures the time
// until the next one's first lease. Each part runs in its own process, to measure its memory, prints a table with
// ratios, and writes JSON.
//
// web.go makes the URLs, shuffle.go shuffles them, clock.go skips waiting times, crawl.go leases and answers,
// measure.go reads what the process used.
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

// machine describes where the figures were measured.
type machine struct {
	CPU    string `json:"cpu"`
	Cores  int    `json:"cores"`
	System string `json:"system"`
	Go     string `json:"go"`
}

func thisMachine() machine {
	m := machine{CPU: "unknown", Cores: runtime.NumCPU(), System: runtime.GOOS + "/" + runtime.GOARCH, Go: runtime.Version()}
	text, _ := os.ReadFile("/proc/cpuinfo") // if it cannot be read, the name stays unknown
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

// part starts this program again for one part of the work, which prints JSON.
func part(args ...string) (*exec.Cmd, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	c := exec.Command(self, args...)
	c.Stderr = os.Stderr
	return c, nil
}

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

// tell prints a part's result for the process that started it.
func tell(result any) error { return json.NewEncoder(os.Stdout).Encode(result) }

// progress prints progress on standard error.
func progress(format string, args ...any) { fmt.Fprintf(os.Stderr, format+"\n", args...) }

// keep writes a result as JSON to a file; "" writes nothing.
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

// scratch makes a folder for a frontier in dir, or beside the results if dir is "".
func scratch(dir string) (string, error) {
	if dir == "" {
		dir = ".cache/bench"
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	return os.MkdirTemp(dir, "frontier-")
}
