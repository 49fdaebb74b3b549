package main

// This file crawls the web of soakweb.go in the browser, kills the crawl again and again, and judges what is there in the end.

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh/archive"
	"kavosh/lib/units"
)

// soaking is a soak and what was seen of it.
type soaking struct {
	kavosh  string
	pages   int
	kills   int
	memory  units.Size // kavosh's --browser-memory
	archive string
	web     *soakWeb
	address string

	killed   int
	chromium int64 // most bytes of all Chromium processes at once
	program  int64 // … of kavosh
	ended    time.Duration
}

// beyond is how much more than its bound Chromium may take for a moment, since it is looked at twice a second.
const beyond = 1.3

func soak(args []string) error {
	s := soaking{memory: 2e9}
	flags := flag.NewFlagSet("soak", flag.ContinueOnError)
	flags.StringVar(&s.kavosh, "kavosh", "bin/kavosh", "the program")
	flags.IntVar(&s.pages, "pages", 2000, "pages of the web, of which one in ten is hostile")
	flags.IntVar(&s.kills, "kills", 100, "how often the crawl is killed")
	flags.TextVar(&s.memory, "memory", s.memory, "kavosh's --browser-memory")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() != 1 {
		return errors.New("one argument, a folder for the archive, is missing or too much")
	}
	dir, err := os.MkdirTemp(flags.Arg(0), "soak-browser-")
	if err != nil {
		return err
	}
	if err := adopt(); err != nil {
		return err
	}
	s.archive, s.web = filepath.Join(dir, "archive"), newSoakWeb(s.pages)
	address, stop, err := listen(s.web)
	if err != nil {
		return err
	}
	defer stop()
	s.address = address
	began := time.Now()
	if err := s.crawl(); err != nil {
		return fmt.Errorf("%w; what was crawled is in %s", err, dir)
	}
	s.ended = time.Since(began)
	if err := s.judge(); err != nil {
		return fmt.Errorf("%w; what was crawled is in %s", err, dir)
	}
	return os.RemoveAll(dir)
}

// crawl crawls to the end. The kills come when that many more pages were asked for, and a moment later.
func (s *soaking) crawl() error {
	random := rand.New(rand.NewPCG(1, 2))
	for {
		args := []string{"crawl", "--archive", s.archive, "--resume"}
		if s.killed == 0 {
			args = []string{"crawl", "--archive", s.archive, "--browser", "always", "--delay", "0", "--scope", "host", "--connect-to", soakHost + "::" + s.address,
				"--browser-memory", fmt.Sprint(int64(s.memory)), s.web.url("page", 0)}
		} else {
			args = append(args, "--connect-to", soakHost+"::"+s.address)
		}
		var said bytes.Buffer
		cmd := exec.Command(s.kavosh, args...)
		cmd.Stderr = &said
		if err := cmd.Start(); err != nil {
			return err
		}
		done := make(chan error, 1)
		go func() { done <- cmd.Wait() }()
		err, ended := s.watch(cmd, done, random)
		if err := reap(); err != nil {
			return err
		}
		if ended && err != nil {
			return fmt.Errorf("the crawl ended with %w after %d kills; it said:\n%s", err, s.killed, &said)
		}
		if ended {
			return nil
		}
	}
}

// watch looks at a run until it ends or is killed.
func (s *soaking) watch(cmd *exec.Cmd, done chan error, random *rand.Rand) (err error, ended bool) {
	at := (s.killed + 1) * s.pages / (s.kills + 1) // pages
	least := time.Now().Add(2*time.Second + time.Duration(random.Int64N(int64(4*time.Second))))
	tick := time.NewTicker(500 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case err := <-done:
			return err, true
		case now := <-tick.C:
			program := own(cmd.Process.Pid)
			s.program = max(s.program, program)
			s.chromium = max(s.chromium, memory(os.Getpid())-program)
			if s.killed < s.kills && s.web.begun() >= at && now.After(least) {
				s.killed++
				if err := cmd.Process.Signal(syscall.SIGKILL); err != nil {
					return err, true
				}
				<-done
				fmt.Fprintf(os.Stderr, "kill %d after %d of %d pages; most memory so far %v in Chromium, %v in kavosh\n", s.killed, s.web.begun(), s.pages, units.Size(s.chromium), units.Size(s.program))
				return nil, false
			}
		}
	}
}

// judge says what came of it. An error says what is not as it must be.
func (s *soaking) judge() error {
	outcomes := map[string][]string{} // by URL: all that are final
	for l, err := range archive.ReadLog(vfs.Default, s.archive, "") {
		if err != nil {
			return err
		}
		if l.Outcome != archive.Retry {
			outcomes[l.URL] = append(outcomes[l.URL], l.Outcome)
		}
	}
	var wrong []string
	one := func(url string) {
		if !slices.Equal(outcomes[url], []string{archive.Recorded}) {
			wrong = append(wrong, fmt.Sprintf("%s: %q", url, outcomes[url]))
		}
	}
	hostile := 0
	for n := range s.pages {
		one(s.web.url("page", n))
		if _, bad := s.web.hostile(n); bad {
			hostile++
			continue
		}
		one(s.web.url("data", n))
		one(s.web.url("found", n))
	}
	fmt.Printf("%d pages, %d of them hostile, %d kills, %v; most memory: %v in all Chromium processes (bound %v), %v in kavosh; %d URLs have an outcome\n",
		s.pages, hostile, s.killed, s.ended.Round(time.Second), units.Size(s.chromium), s.memory, units.Size(s.program), len(outcomes))
	if out, err := exec.Command(s.kavosh, "check", s.archive).CombinedOutput(); err != nil {
		return fmt.Errorf("kavosh check: %w\n%s", err, out)
	}
	switch {
	case len(wrong) > 0:
		return fmt.Errorf("%d URLs do not have one outcome, such as %q", len(wrong), wrong[:min(len(wrong), 10)])
	case float64(s.chromium) > beyond*float64(s.memory):
		return errors.New("the Chromium processes take more memory than they may")
	case s.killed < s.kills:
		return fmt.Errorf("the crawl ended after %d kills", s.killed)
	}
	return nil
}
