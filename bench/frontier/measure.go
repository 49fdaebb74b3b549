package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/pprof"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// cpu returns the processor time that this process has used.
func cpu() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err) // fails only for a wrong argument
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// memory returns the value of name in /proc/self/status (VmRSS or VmHWM), in bytes; 0 if there is none.
func memory(name string) int64 {
	text, _ := os.ReadFile("/proc/self/status")
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, name+":"); ok {
			n, _ := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 10, 64)
			return n << 10
		}
	}
	return 0
}

// onDisk returns the size of all readable files in dir; some may come and go meanwhile.
func onDisk(dir string) (bytes int64) {
	_ = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			if info, err := d.Info(); err == nil {
				bytes += info.Size()
			}
		}
		return nil
	})
	return bytes
}

// settle waits until background work (merging and compacting) is done: the process uses next to no CPU.
func settle() {
	const window, idle = 500 * time.Millisecond, 50 * time.Millisecond
	for quiet := 0; quiet < 3; {
		before := cpu()
		time.Sleep(window)
		if cpu()-before < idle {
			quiet++
		} else {
			quiet = 0
		}
	}
}

// settling is how long settle observes.
const settling = 1500 * time.Millisecond

// phase is one stretch of work and what it took, in total and for its last tenth.
type phase struct {
	Items      int64   `json:"items"`
	Seconds    float64 `json:"seconds"` // until background work was done
	Working    float64 `json:"working"` // until the last item
	CPU        float64 `json:"cpu_seconds"`
	Rate       float64 `json:"rate"`           // items per second, total
	LastTenth  float64 `json:"rate_lasttenth"` // items per second in the last tenth, with its background work
	CPUNanos   float64 `json:"cpu_ns_an_item"`
	RSS        int64   `json:"rss"` // at the end
	Peak       int64   `json:"rss_peak"`
	Disk       int64   `json:"disk"` // at the end
	begun, nth time.Time
	start      time.Duration
	watching   *watch
}

func begin() *phase { return &phase{begun: time.Now(), start: cpu(), watching: newWatch()} }

// tenth marks the beginning of the last tenth.
func (p *phase) tenth() { p.nth = time.Now() }

// end waits for background work and computes the figures.
func (p *phase) end(items int64, dir string) {
	worked := time.Now()
	settle()
	ended := time.Now().Add(-settling)
	p.Items, p.Seconds, p.Working = items, ended.Sub(p.begun).Seconds(), worked.Sub(p.begun).Seconds()
	p.CPU = (cpu() - p.start).Seconds()
	p.Rate = float64(items) / p.Seconds
	if !p.nth.IsZero() {
		p.LastTenth = float64(items) / 10 / ended.Sub(p.nth).Seconds()
	}
	p.CPUNanos = p.CPU * 1e9 / float64(items)
	p.Peak = p.watching.stop()
	p.RSS, p.Disk = memory("VmRSS"), onDisk(dir)
}

// profile begins a CPU profile in dir, unless dir is "", and returns a function that ends it.
func profile(dir, name string) (stop func(), err error) {
	if dir == "" {
		return func() {}, nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	f, err := os.Create(filepath.Join(dir, name))
	if err != nil {
		return nil, err
	}
	if err := pprof.StartCPUProfile(f); err != nil {
		f.Close()
		return nil, err
	}
	return func() {
		pprof.StopCPUProfile()
		f.Close()
	}, nil
}

// watch samples the memory ten times a second.
type watch struct {
	quit chan struct{}
	done sync.WaitGroup
	peak int64
}

func newWatch() *watch {
	w := &watch{quit: make(chan struct{})}
	w.done.Go(func() {
		t := time.NewTicker(100 * time.Millisecond)
		defer t.Stop()
		for {
			w.peak = max(w.peak, memory("VmRSS"))
			select {
			case <-t.C:
			case <-w.quit:
				return
			}
		}
	})
	return w
}

func (w *watch) stop() int64 {
	close(w.quit)
	w.done.Wait()
	return w.peak
}

func mb(bytes int64) string { return fmt.Sprintf("%.0f", float64(bytes)/1e6) }

// thousands returns n with its digits in groups of three.
func thousands(n float64) string {
	s := strconv.FormatInt(int64(n+0.5), 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// ratio is one comparison that matters, with its target.
type ratio struct {
	What  string  `json:"what"`
	Value float64 `json:"value"`
	Want  float64 `json:"want"`
	Most  bool    `json:"at_most"` // Want is an upper bound
	Met   bool    `json:"met"`
}

func compare(what string, value, want float64, most bool) ratio {
	return ratio{what, value, want, most, value >= want && !most || value <= want && most}
}

func (r ratio) String() string {
	bound, met := "at least", "met"
	if r.Most {
		bound = "at most"
	}
	if !r.Met {
		met = "NOT MET"
	}
	value := fmt.Sprintf("%.2f", r.Value)
	want := fmt.Sprintf("%g", r.Want)
	if r.Value >= 1000 {
		value, want = thousands(r.Value), thousands(r.Want)
	}
	return fmt.Sprintf("%s: %s (wanted: %s %s) %s", r.What, value, bound, want, met)
}
