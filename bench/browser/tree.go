package main

// This file counts what a program and all the processes it starts take.

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// adopt makes this process the parent of processes below it whose own parent ended, so that it counts them all.
func adopt() error { return unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) }

// used is what a program took, with all its processes.
type used struct {
	CPU    float64 `json:"cpu"`    // seconds of the processor
	Wall   float64 `json:"wall"`   // seconds
	Memory int64   `json:"memory"` // most bytes at once, shared ones counted once, looked at every two seconds
}

// watch runs a command and counts. A non-zero exit status is an error.
func watch(cmd *exec.Cmd) (u used, err error) {
	before, err := children()
	if err != nil {
		return u, err
	}
	from := time.Now()
	if err := cmd.Start(); err != nil {
		return u, err
	}
	ended := make(chan struct{})
	var looking sync.WaitGroup
	looking.Go(func() {
		for {
			select {
			case <-ended:
				return
			case <-time.After(2 * time.Second):
				u.Memory = max(u.Memory, memory(os.Getpid()))
			}
		}
	})
	err = cmd.Wait()
	u.Wall = time.Since(from).Seconds()
	close(ended)
	looking.Wait()
	if reaped := reap(); reaped != nil {
		return u, reaped
	}
	after, counted := children()
	u.CPU = (after - before).Seconds()
	return u, errors.Join(err, counted)
}

// reap waits for the processes that were adopted, a minute at most.
func reap() error {
	for until := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		pid, err := unix.Wait4(-1, nil, unix.WNOHANG, nil)
		if errors.Is(err, unix.ECHILD) {
			return nil
		}
		if pid == 0 && time.Now().After(until) {
			return errors.New("processes of the crawl were still running a minute after its end: ps shows them")
		}
	}
}

// children returns the processor time of all processes below this one that have ended.
func children() (time.Duration, error) {
	var r unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_CHILDREN, &r); err != nil {
		return 0, fmt.Errorf("getrusage: %w", err)
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano()), nil
}

// memory returns the bytes that the processes below a process have, shared ones in parts (PSS).
func memory(above int) (sum int64) {
	files, _ := filepath.Glob("/proc/[0-9]*/stat")
	parents := map[int]int{}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			continue
		}
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(name)))
		rest := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
		parents[pid], _ = strconv.Atoi(rest[1])
	}
	for pid := range parents {
		if pid == above || !descends(pid, above, parents) {
			continue
		}
		sum += own(pid)
	}
	return sum
}

// own is the memory of one process, with its part of what it shares; 0 if there is no such process.
func own(pid int) int64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
	_, pss, ok := strings.Cut(string(text), "\nPss:")
	if err != nil || !ok {
		return 0
	}
	kB, _ := strconv.ParseInt(strings.Fields(pss)[0], 10, 64)
	return kB << 10
}

func descends(pid, above int, parents map[int]int) bool {
	for ; pid != 0; pid = parents[pid] {
		if pid == above {
			return true
		}
	}
	return false
}
