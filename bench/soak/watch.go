package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// sample is kavosh's state at one moment; rates are since the sample before.
type sample struct {
	Minutes    float64 `json:"minutes"` // since the start
	Finished   int64   `json:"finished"`
	Rate       float64 `json:"pages_per_second"`
	CPURate    float64 `json:"pages_per_cpu_second"`
	RSS        int64   `json:"rss"`  // bytes
	Heap       int64   `json:"heap"` // bytes of Go's objects
	Goroutines int64   `json:"goroutines"`
	Files      int64   `json:"open_files"`
	Threads    int64   `json:"threads"`
	Queued     int64   `json:"queued"`
	Known      int64   `json:"known"`
	Hosts      int64   `json:"hosts"`
	Failed     int64   `json:"failed"`
	Disk       int64   `json:"disk_bytes"` // of the archive
	cpu        float64 // seconds so far
}

const heading = "minute   pages/s  /CPU-s   RSS MB  heap MB  gorout.   files   queued       known       hosts   failed  disk MB"

// String returns the sample as a line of the table under heading.
func (s sample) String() string {
	return fmt.Sprintf("%6.1f  %8.0f  %6.0f  %7.0f  %7.0f  %7d  %6d  %11d  %10d  %9d  %7d  %7.0f", s.Minutes, s.Rate, s.CPURate,
		float64(s.RSS)/1e6, float64(s.Heap)/1e6, s.Goroutines, s.Files, s.Queued, s.Known, s.Hosts, s.Failed, float64(s.Disk)/1e6)
}

// watcher reads the state of a running kavosh from its live page and from /proc.
type watcher struct {
	pid     int
	page    string // URL of the live page
	archive string
	began   time.Time
	last    sample
}

// sample reads the current state.
func (w *watcher) sample() (sample, error) {
	s := sample{Minutes: time.Since(w.began).Minutes()}
	var state struct {
		Finished, Queued, Known, Hosts int64
		Failed                         map[string]int64
	}
	text, err := get(w.page + "/status.json")
	if err != nil {
		return s, err
	}
	if err := json.Unmarshal(text, &state); err != nil {
		return s, err
	}
	s.Finished, s.Queued, s.Known, s.Hosts = state.Finished, state.Queued, state.Known, state.Hosts
	for _, n := range state.Failed {
		s.Failed += n
	}
	if text, err = get(w.page + "/metrics"); err != nil {
		return s, err
	}
	s.Goroutines, s.Heap = int64(metric(text, "go_goroutines")), int64(metric(text, "go_memstats_heap_inuse_bytes"))
	s.Threads, s.Files = int64(metric(text, "go_threads")), int64(metric(text, "process_open_fds"))
	s.RSS, s.cpu = int64(metric(text, "process_resident_memory_bytes")), metric(text, "process_cpu_seconds_total")
	s.Disk = diskBytes(w.archive)
	n := float64(s.Finished - w.last.Finished)
	s.Rate, s.CPURate = n/((s.Minutes-w.last.Minutes)*60), n/max(s.cpu-w.last.cpu, 0.01)
	w.last = s
	return s, nil
}

func get(url string) ([]byte, error) {
	client := http.Client{Timeout: 20 * time.Second}
	answer, err := client.Get(url)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	var b bytes.Buffer
	_, err = b.ReadFrom(answer.Body)
	return b.Bytes(), err
}

// metric returns the value of a metric without labels; 0 if it is missing.
func metric(text []byte, name string) float64 {
	for line := range strings.Lines(string(text)) {
		if value, ok := strings.CutPrefix(line, name+" "); ok {
			v, _ := strconv.ParseFloat(strings.TrimSpace(value), 64)
			return v
		}
	}
	return 0
}

// diskBytes adds up the files of a folder that is being written to; files may vanish meanwhile.
func diskBytes(dir string) (n int64) {
	filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return nil
		}
		if info, err := d.Info(); err == nil {
			n += info.Size()
		}
		return nil
	})
	return n
}
