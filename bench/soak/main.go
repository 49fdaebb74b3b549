// Command soak lets kavosh crawl a generated web of millions of hosts for an hour, and checks that its memory, rate,
// goroutines and open files stay constant.
//
// A server in its own process generates the web (web.go) from the URLs alone, so any page can be requested at any time
// and is always the same. kavosh runs with its defaults, with robots.txt and politeness. It asks that web's name server
// for each host and finds it at its own address on this machine. Each minute a line is printed and stored (watch.go).
// At the end a line is fitted through the minutes after the start, and the verdict (verdict.go) is its slope. If
// something is not constant, the exit status is 1.
//
// At a thousand pages per second the archive takes about 15 GB an hour; it is removed at the end unless -keep is given.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"time"
)

type settings struct {
	kavosh  string
	time    time.Duration
	every   time.Duration
	workers int
	delay   string
	dir     string
	out     string
	keep    bool
	web     web
}

func main() {
	run, args := soak, os.Args[1:]
	if len(args) > 0 && args[0] == "serve" {
		run, args = serve, args[1:]
	}
	if err := run(args); err != nil {
		fmt.Fprintln(os.Stderr, "bench/soak:", err)
		os.Exit(1)
	}
}

func soak(args []string) error {
	var o settings
	set := flag.NewFlagSet("soak", flag.ExitOnError)
	set.StringVar(&o.kavosh, "kavosh", "bin/kavosh", "the `program`")
	set.DurationVar(&o.time, "time", time.Hour, "how long to crawl")
	set.DurationVar(&o.every, "every", time.Minute, "time between two lines")
	set.IntVar(&o.workers, "workers", 64, "kavosh's --workers")
	set.StringVar(&o.delay, "delay", "1s", "kavosh's --delay")
	set.StringVar(&o.dir, "dir", ".cache/bench", "`folder` for the archive")
	set.StringVar(&o.out, "json", ".cache/bench/soak.json", "`file` for the results")
	set.BoolVar(&o.keep, "keep", false, "keep the archive")
	o.web.register(set)
	set.Parse(args)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	r, err := o.run(ctx)
	if err != nil {
		return err
	}
	r.print(os.Stdout)
	data, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(o.out), 0o777); err != nil {
		return err
	}
	if err := os.WriteFile(o.out, append(data, '\n'), 0o666); err != nil {
		return err
	}
	if !r.flat() {
		return errors.New("kavosh does not stay as it was")
	}
	return nil
}

// run runs kavosh and watches it. An error means that there is nothing to judge.
func (o *settings) run(ctx context.Context) (*result, error) {
	if err := os.MkdirAll(o.dir, 0o777); err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp(o.dir, "soak-")
	if err != nil {
		return nil, err
	}
	if !o.keep {
		defer os.RemoveAll(dir)
	}
	names, end, err := o.web.start()
	if err != nil {
		return nil, err
	}
	defer end()
	seeds := filepath.Join(dir, "seeds.txt")
	if err := os.WriteFile(seeds, []byte(o.web.seeds(1000)), 0o666); err != nil {
		return nil, err
	}
	archive := filepath.Join(dir, "archive")
	cmd := exec.CommandContext(ctx, o.kavosh, "crawl", "--browser", "never", "--archive", archive, "--seeds", seeds, "--scope", "any", "--delay", o.delay,
		"--workers", fmt.Sprint(o.workers), "--dns", names, "--allow-private", "127.0.0.0/8", "--max-time", o.time.String(),
		"--status", "127.0.0.1:0")
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	said, err := cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	began := time.Now()
	page, rest := statusPage(said)
	if page == "" {
		err := cmd.Wait()
		return nil, fmt.Errorf("kavosh ended before it showed its state: %w; it said:\n%s", errors.Join(err, ctx.Err()), rest)
	}
	w := &watcher{pid: cmd.Process.Pid, page: page, archive: archive, began: began}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	r := &result{Began: began.UTC(), Hosts: o.web.Hosts, Time: o.time.Seconds()}
	fmt.Println(heading)
	tick := time.NewTicker(o.every)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			s, err := w.sample()
			if err != nil {
				continue // kavosh is ending; the report follows below
			}
			r.Samples = append(r.Samples, s)
			fmt.Println(s)
		case err := <-done:
			r.Late = time.Since(began).Seconds() - o.time.Seconds()
			var exit *exec.ExitError
			if err != nil && !errors.As(err, &exit) {
				return nil, err
			}
			r.Status = cmd.ProcessState.ExitCode()
			r.PeakRSS = cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss << 10
			r.Trends = trends(r.Samples)
			return r, nil
		}
	}
}

var watchIt = regexp.MustCompile(`watch it at (http://\S+)`)

// statusPage reads kavosh's output until it prints the address of its live page; later output is dropped.
func statusPage(said io.Reader) (url, before string) {
	lines := bufio.NewReader(said)
	var all strings.Builder
	for {
		line, err := lines.ReadString('\n')
		all.WriteString(line)
		if m := watchIt.FindStringSubmatch(line); m != nil {
			go io.Copy(io.Discard, lines)
			return strings.TrimSuffix(m[1], "/"), ""
		}
		if err != nil {
			return "", all.String()
		}
	}
}
