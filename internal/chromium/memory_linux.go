package chromium

// This file tells how much memory a browser takes with all its processes, and how much is free.

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"syscall"

	"github.com/chromedp/chromedp"
)

// Memory returns how many bytes of memory the browser's processes have to themselves or among each other. Files in memory,
// such as the program itself, do not count.
func (b *Browser) Memory() int64 {
	all, _ := b.processes()
	return all
}

// EndLargest ends the page with the most memory: the process that runs its scripts. It returns false if another process of
// the browser takes more, so that this would not help.
func (b *Browser) EndLargest() bool {
	_, largest := b.processes()
	line, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", largest))
	return err == nil && bytes.Contains(line, []byte("--type=renderer")) && syscall.Kill(largest, syscall.SIGKILL) == nil
}

// processes returns the memory of all processes of the browser, and the process with the most.
func (b *Browser) processes() (all int64, largest int) {
	own := chromedp.FromContext(b.ctx).Browser.Process()
	if own == nil {
		return 0, 0
	}
	most := int64(0)
	proc, err := os.Open("/proc")
	if err != nil {
		return 0, 0
	}
	defer proc.Close()
	names, _ := proc.Readdirnames(-1) // of what cannot be read nothing is known
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		if group, err := syscall.Getpgid(pid); err != nil || group != own.Pid {
			continue
		}
		status, _ := os.ReadFile("/proc/" + name + "/status")
		n := sizeIn(status, "RssAnon:") + sizeIn(status, "RssShmem:")
		all += n
		if n > most {
			most, largest = n, pid
		}
	}
	return all, largest
}

// sizeIn returns the bytes that a file of /proc gives in kB for name; 0 if it gives none.
func sizeIn(text []byte, name string) int64 {
	for line := range bytes.Lines(text) {
		if value, ok := bytes.CutPrefix(line, []byte(name)); ok {
			n, _ := strconv.ParseInt(string(bytes.TrimSpace(bytes.TrimSuffix(bytes.TrimSpace(value), []byte("kB")))), 10, 64)
			return n << 10
		}
	}
	return 0
}

// FreeMemory returns how many bytes of memory programs may still take on this machine, or in this container. ok is false if
// that is not known.
func FreeMemory() (n int64, ok bool) {
	machine, _ := os.ReadFile("/proc/meminfo")
	if n = sizeIn(machine, "MemAvailable:"); n == 0 {
		return 0, false
	}
	most, _ := os.ReadFile("/sys/fs/cgroup/memory.max")
	used, _ := os.ReadFile("/sys/fs/cgroup/memory.current")
	limit, err := strconv.ParseInt(string(bytes.TrimSpace(most)), 10, 64)
	if err == nil { // else there is no limit
		taken, _ := strconv.ParseInt(string(bytes.TrimSpace(used)), 10, 64)
		n = min(n, max(limit-taken, 1))
	}
	return n, true
}
