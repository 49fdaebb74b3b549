// Command search measures full-text search: the time to build an index and its size, the time to answer questions when
// many ask at once, and the ranks at which known pages are found.
//
//	go run ./bench/search build -index DIR -captures 7 FILE…    an index of WARC files, with several captures of each page
//	go run ./bench/search load -index DIR -clients 8            answer times for questions from words of its texts
//	go run ./bench/search known -index DIR -lang fa -set test   mean reciprocal rank of known pages (known.go)
//
// Wall times depend on the machine; processor time, memory and file sizes are printed too. See docs/search.md.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh"
	"kavosh/archive"
	"kavosh/extract"
	"kavosh/internal/journal"
	"kavosh/internal/records"
	"kavosh/record"
	"kavosh/search"
	"kavosh/texts"
)

func main() {
	if len(os.Args) < 2 {
		fail(fmt.Errorf("say build, load or known"))
	}
	flags := flag.NewFlagSet(os.Args[1], flag.ExitOnError)
	dir := flags.String("index", "", "folder of the index")
	captures := flags.Int("captures", 1, "captures of each page")
	clients := flags.Int("clients", 8, "that ask at once")
	questions := flags.Int("questions", 400, "of each kind")
	language := flags.String("lang", "", "of known pages")
	set := flags.String("set", "test", "known pages to tune with (train) or to report (test)")
	show := flags.Bool("show", false, "print the questions that fail")
	if err := flags.Parse(os.Args[2:]); err != nil {
		fail(err)
	}
	var err error
	switch os.Args[1] {
	case "build":
		err = build(*dir, flags.Args(), *captures)
	case "load":
		err = load(*dir, *clients, *questions)
	case "known":
		err = known(*dir, *language, *set, *questions, *show)
	default:
		err = fmt.Errorf("say build, load or known")
	}
	fail(err)
}

func fail(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "search:", err)
		os.Exit(1)
	}
}

// build makes an index of WARC files. It adds further captures of each page, some weeks apart, as if a crawl found it
// unchanged.
func build(dir string, paths []string, captures int) error {
	began := time.Now()
	w, err := search.OpenWriter(vfs.Default, dir)
	if err != nil {
		return err
	}
	store, err := texts.OpenStore(vfs.Default, filepath.Join(dir, texts.Name))
	if err != nil {
		return err
	}
	var buffers extract.Buffers
	held, trouble := &records.Records{Files: archive.Paths{}}, func(url string, err error) { fmt.Fprintln(os.Stderr, url, err) }
	g := &search.Gatherer{Writer: w, Records: held, Trouble: trouble, Texts: &texts.Gatherer{
		Store: store, Records: held, Trouble: trouble,
		Extract: func(p texts.Payload) (*kavosh.Page, bool) {
			return extract.Extract(extract.Document{URL: p.URL, Status: p.Status, Header: p.Header, Payload: p.Body},
				extract.Options{Buffers: &buffers, MaxLinks: 2000, Needs: kavosh.Needs{Text: true, Blocks: true}}), false
		},
	}}
	if err := g.Reset(1); err != nil {
		return err
	}
	n := 0
	add := func(c kavosh.Capture) error {
		if c.Digest == "" {
			c.Digest = fmt.Sprint(c.File, c.Offset) // these records have none, but repeated captures need one
		}
		full, err := g.Add(context.Background(), &c, 0)
		if err != nil {
			return err
		}
		for i := 1; i < captures; i++ {
			c.Type, c.Time = "revisit", c.Time.Add(time.Duration(20+n%17)*24*time.Hour)
			if full, err = g.Add(context.Background(), &c, 0); err != nil {
				return err
			}
		}
		if n++; full {
			return g.Commit(journal.At(1, int64(n)))
		}
		return nil
	}
	for _, path := range paths {
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		err = record.Captures(f, path, add, func(offset int64, err error) { fmt.Fprintln(os.Stderr, path, offset, err) })
		f.Close()
		if err != nil {
			return err
		}
	}
	if err := g.Commit(journal.At(1, int64(n))); err != nil {
		return err
	}
	if err := errors.Join(w.Close(), store.Close()); err != nil {
		return err
	}
	x, err := search.Open(vfs.Default, dir, search.Hidden{})
	if err != nil {
		return err
	}
	defer x.Close()
	counts := x.Counts()
	fmt.Printf("%d documents, %d captures and mentions, %d URLs, %.1f MB, in %.0f s, %.0f s of processor time; peak of memory %.0f MB\n",
		counts.Documents, counts.Captures, counts.URLs, float64(counts.Bytes)/1e6, time.Since(began).Seconds(), processor().Seconds(), peak())
	return nil
}

// processor returns the processor time of this process.
func processor() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// peak returns the peak memory of this process, in MB.
func peak() float64 { return status("VmHWM:") }

// anonymous returns this process's memory that no file backs, in MB.
func anonymous() float64 { return status("RssAnon:") }

func status(field string) float64 {
	data, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(data)) {
		if rest, ok := strings.CutPrefix(line, field); ok {
			var kb float64
			if _, err := fmt.Sscan(rest, &kb); err == nil {
				return kb / 1000
			}
		}
	}
	return 0
}

// percentile returns the time below which that part of the sorted times is.
func percentile(times []time.Duration, part float64) time.Duration {
	slices.Sort(times)
	return times[min(len(times)-1, int(part*float64(len(times))))]
}
