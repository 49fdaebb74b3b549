package main

// This file is the progress line of commands that take long, above all of a crawl.

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mattn/go-runewidth"

	"kavosh"
	"kavosh/engine"
	"kavosh/engine/status"
	"kavosh/lib/units"
	"kavosh/quality"
)

// progress shows a crawl's state: on a terminal in one line that is drawn again and again, elsewhere in a new line now
// and then.
type progress struct {
	out   io.Writer
	width func() int // the terminal's width in characters; nil if out is no terminal
	ended chan struct{}
	wg    sync.WaitGroup

	mu struct {
		sync.Mutex
		drawn string // the terminal's last line
	}
}

const (
	redrawEvery = 250 * time.Millisecond
	plainEvery  = 10 * time.Second
)

func newProgress(out io.Writer) *progress {
	w := &progress{out: out, ended: make(chan struct{})}
	if f := terminal(out); f != nil && os.Getenv("TERM") != "dumb" {
		w.out = f
		w.width = func() int {
			if width, _ := widthOf(f); width >= 20 {
				return width
			}
			return 80
		}
	}
	return w
}

// say prints a line for people above the progress line.
func (w *progress) say(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	text := fmt.Sprintf("kavosh: "+format, args...) + "\n"
	if w.mu.drawn != "" {
		io.WriteString(w.out, "\r\x1b[K")
	}
	io.WriteString(&visible{out: w.out}, text)
	io.WriteString(w.out, w.mu.drawn)
}

// count returns a function that shows how many captures are done, at every hundredth.
func (w *progress) count(done string) func(n int64) {
	return func(n int64) {
		if n%100 == 0 {
			w.draw(fmt.Sprintf(" %s %s", plural(n, "capture"), done))
		}
	}
}

// measured shows how many pages were read, and what they lack, at every hundredth page.
func (w *progress) measured(sum *quality.Summary) {
	if sum.Pages%100 > 0 {
		return
	}
	w.draw(fmt.Sprintf(" %s read, %s missing", plural(sum.Pages, "page"), plural(sum.Lacking, "part")))
}

// read shows how many pages were looked at, at every hundredth.
func (w *progress) read(pages int64) {
	if pages%100 == 0 {
		w.draw(fmt.Sprintf(" %s read", plural(pages, "page")))
	}
}

// start shows the state that now returns, until stop.
func (w *progress) start(now func() engine.Status) {
	every := plainEvery
	if w.width != nil {
		every = redrawEvery
	}
	w.wg.Go(func() {
		tick := time.NewTicker(every)
		defer tick.Stop()
		var pages, urls meter
		first := now()
		pages.per(first.Now, first.Pages)
		urls.per(first.Now, first.Finished)
		for {
			select {
			case <-w.ended:
				return
			case <-tick.C:
			}
			s := now()
			line := progressLine(s, pages.per(s.Now, s.Pages), urls.per(s.Now, s.Finished))
			if w.width == nil {
				w.say("%s", strings.TrimSpace(line))
				continue
			}
			w.draw(line)
		}
	})
}

// stop ends the progress line. Nothing is drawn afterwards.
func (w *progress) stop() {
	close(w.ended)
	w.wg.Wait()
	w.draw("")
}

// draw replaces the progress line in one write, and only if it differs, so that it does not flicker.
func (w *progress) draw(line string) {
	if w.width == nil {
		return
	}
	line = runewidth.Truncate(line, w.width()-1, "…")
	w.mu.Lock()
	defer w.mu.Unlock()
	if line == w.mu.drawn {
		return
	}
	w.mu.drawn = line
	io.WriteString(w.out, "\r"+line+"\x1b[K")
}

// meter measures a rate over the last ten seconds.
type meter struct {
	samples []sample
}

type sample struct {
	at time.Time
	n  int64
}

// per returns by how much n grew in each of the last seconds, on average.
func (m *meter) per(now time.Time, n int64) float64 {
	m.samples = append(m.samples, sample{now, n})
	for len(m.samples) > 2 && now.Sub(m.samples[0].at) > 10*time.Second {
		m.samples = m.samples[1:]
	}
	first := m.samples[0]
	if d := now.Sub(first.at).Seconds(); d > 0 {
		return float64(n-first.n) / d
	}
	return 0
}

// progressLine returns the state in one line, with pages and URLs that are finished in a second. The most important comes
// first, because the line is cut at the terminal's width.
func progressLine(s engine.Status, pages, urls float64) string {
	parts := []string{
		of(s.Pages, s.Limits.Pages, "page"),
		of(s.Finished, s.Limits.URLs, "URL"),
		status.Rate(urls) + "/s",
		count(s.Queued) + " queued",
	}
	if r := s.Schedule; r.Policy != "" {
		parts = append([]string{fmt.Sprintf("round %d: %s, %s changed", r.Round, of(r.VisitsOfRound, int64(r.Budget), "visit"), count(r.ChangedOfRound)), plural(r.Pages, "page") + " scheduled"}, parts...)
	}
	if s.Limited > 0 {
		parts = append(parts, count(s.Limited)+" beyond limits")
	}
	if s.OnHold > 0 {
		parts = append(parts, count(s.OnHold)+" on hold")
	}
	if left, atLeast := s.Left(pages, urls); left > 0 && s.Stopping == "" && s.Waiting == "" {
		about := "about "
		if atLeast {
			about = "at least "
		}
		parts = append(parts, about+roughly(left)+" left")
	}
	if errors := ranked(errorsOf(s.Codes), 2, " × "); errors != "" {
		parts = append(parts, errors)
	}
	if n, kind := total(s.Again); n > 0 {
		wait := max(s.AgainAt.Sub(s.Now), 0) + time.Second - 1
		parts = append(parts, fmt.Sprintf("waits to ask again: %s (%s), in %d s", plural(n, "host"), kind, wait/time.Second))
	}
	if rest := s.NextAt.Sub(s.Now); s.Next != "" && rest >= longRest && len(s.Again) == 0 && s.Waiting == "" {
		parts = append(parts, fmt.Sprintf("%s is asked in %s", s.Next, roughly(rest)))
	}
	size := units.Size(s.Bytes).String()
	if s.Limits.Bytes > 0 {
		size += " of " + units.Size(s.Limits.Bytes).String()
	}
	parts = append(parts, failedText(s.Failed), plural(s.Hosts, "host"), size)
	if types := byType(s.MIME, 5); types != "" {
		parts = append(parts, types)
	}
	if s.Held > 0 {
		parts = append([]string{plural(s.Held, "host") + " held"}, parts...)
	}
	switch {
	case s.Stopping != "":
		parts = append([]string{"stopping (" + s.Stopping + ")"}, parts...)
	case s.Waiting != "":
		parts = append([]string{status.Waiting(s.Waiting)}, parts...)
	}
	return " " + strings.Join(parts, "  ")
}

// longRest is how long all hosts rest at least before the line tells it. Shorter rests would make it flicker.
const longRest = 3 * time.Second

// of returns how many of a limit are done: "37 of 200 pages". A limit of 0 is none.
func of(n, limit int64, noun string) string {
	if limit == 0 {
		return plural(n, noun)
	}
	return count(n) + " of " + plural(limit, noun)
}

// roughly returns a length of time as people say it: "40 s", "12 min", "3 h", "2 days".
func roughly(d time.Duration) string {
	switch {
	case d < 90*time.Second:
		return fmt.Sprintf("%.0f s", math.Ceil(d.Seconds()))
	case d < 90*time.Minute:
		return fmt.Sprintf("%.0f min", d.Minutes())
	case d < 48*time.Hour:
		return fmt.Sprintf("%.0f h", d.Hours())
	}
	return fmt.Sprintf("%.0f days", d.Hours()/24)
}

// errorsOf returns the counts of status codes that mean an error.
func errorsOf(codes map[int]int64) map[int]int64 {
	errors := maps.Clone(codes)
	maps.DeleteFunc(errors, func(code int, _ int64) bool { return code < 400 })
	return errors
}

// failedText returns how many requests failed, and the most frequent kind of failure.
func failedText(failed map[kavosh.Failure]int64) string {
	all, most := total(failed)
	if all == 0 {
		return "0 failed"
	}
	return count(all) + " failed (" + string(most) + ")"
}

// total returns how many requests failed, and the most frequent kind of failure.
func total(failed map[kavosh.Failure]int64) (all int64, most kavosh.Failure) {
	for kind, n := range failed {
		if all += n; n > failed[most] || n == failed[most] && kind < most {
			most = kind
		}
	}
	return all, most
}

// byType returns the n most frequent types of captures by their everyday names: "html 210 · image 80".
func byType(mime map[string]int64, n int) string {
	counts := map[string]int64{}
	for m, c := range mime {
		counts[status.ShortType(m)] += c
	}
	return ranked(counts, n, " ")
}

// ranked returns the n largest counts, largest first.
func ranked[K cmp.Ordered](counts map[K]int64, n int, between string) string {
	keys := slices.SortedFunc(maps.Keys(counts), func(a, b K) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
	var parts []string
	for _, k := range keys {
		if counts[k] == 0 {
			continue
		}
		if len(parts) == n {
			parts = append(parts, "…")
			break
		}
		parts = append(parts, fmt.Sprint(k)+between+count(counts[k]))
	}
	return strings.Join(parts, " · ")
}
