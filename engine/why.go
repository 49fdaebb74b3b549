package engine

// This file says what came of a URL in the crawls of an archive. It reads their logs and queues, asks the running
// crawl, and writes nothing.

import (
	"fmt"
	"hash/fnv"
	"io"
	"slices"
	"strings"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh/archive"
	"kavosh/frontier"
	"kavosh/lib/weburl"
)

// Explanation says what came of a URL. It is also what kavosh why --json prints.
type Explanation struct {
	URL    string      `json:"url"`
	Crawls []Explained `json:"crawls"`         // the crawls that met the URL, oldest first
	Near   []string    `json:"near,omitempty"` // if no crawl met it: URLs that differ only in scheme, www or a final slash
}

// Explained is what one crawl says of a URL.
type Explained struct {
	ID    string         `json:"id"`
	Loads []archive.Load `json:"loads,omitempty"` // what the browser found in the page, with --browser auto
	Lines []archive.Line `json:"lines"`           // the lines about the URL, in order; if it waits, one has the outcome "queued"
	Chain []archive.Line `json:"chain,omitempty"` // the lines of the pages from the seed to the one that links to it
}

// Explain reads what came of key, a seen-key, in the logs and queues of the crawls of the archive in dir. It asks the
// running crawl, too.
func Explain(dir, key string) (Explanation, error) {
	answer := Explanation{URL: key, Crawls: []Explained{}}
	crawls, err := archive.Crawls(vfs.Default, dir)
	if err != nil {
		return answer, err
	}
	near := variants(key)
	running, _ := Tell(dir, &Command{Name: "why", URLs: []string{key}}) // an error means that no crawl is running
	for _, info := range crawls {
		found := Explained{ID: info.ID}
		vias := map[uint64]uint64{} // by a URL's hash: the hash of the page that first linked to it; 16 bytes for each line
		for l, err := range archive.ReadLog(vfs.Default, dir, info.ID) {
			if err != nil {
				return answer, err
			}
			if l.URL == key {
				found.Lines = append(found.Lines, l)
			}
			if slices.Contains(near, l.URL) && !slices.Contains(answer.Near, l.URL) {
				answer.Near = append(answer.Near, l.URL)
			}
			if h := hash(l.URL); vias[h] == 0 && l.Via != "" {
				vias[h] = hash(l.Via)
			}
		}
		for l, err := range archive.ReadLoads(vfs.Default, dir, info.ID) {
			if err != nil {
				return answer, err
			}
			if l.URL == key {
				found.Loads = append(found.Loads, l)
			}
		}
		if running.State != nil && running.State.ID == info.ID {
			found.Lines = append(found.Lines, running.Lines...)
		}
		for _, variant := range []bool{false, true} {
			if waiting, ok := queued(dir, info, key, variant); ok {
				found.Lines = append(found.Lines, waiting)
			}
		}
		if len(found.Lines) == 0 {
			continue
		}
		if found.Chain, err = chain(dir, info.ID, &found.Lines[0], vias); err != nil {
			return answer, err
		}
		answer.Crawls = append(answer.Crawls, found)
	}
	if len(answer.Crawls) > 0 {
		answer.Near = nil
	}
	return answer, nil
}

// queued returns a line about a URL that waits in the queue of a crawl that can be resumed. ok is false if it does not
// wait, and while the crawl runs.
func queued(dir string, info archive.Crawl, key string, variant bool) (l archive.Line, ok bool) {
	if !info.Unfinished() {
		return l, false
	}
	w, ok, err := frontier.Look(vfs.Default, vfs.Default.PathJoin(dir, "crawls", info.ID, "frontier"), key, variant)
	if err != nil || !ok {
		return l, false
	}
	then := "--resume goes on"
	if w.State == frontier.WaitLimit {
		then = "--resume with a higher one goes on"
	}
	l = storedQueue(&info).explain(&w, then)
	if !variant {
		tellAgain(&l, &w, storedWhy(dir, &info, key))
	}
	return l, true
}

// waiting says of those of urls that wait how the crawl came to them. k is locked.
func (k *controls) waiting(urls []string) (lines []archive.Line, err error) {
	q := k.queue()
	for _, url := range urls {
		for _, variant := range []bool{false, true} {
			w, found, err := k.frontier.Waits(url, variant)
			if err != nil {
				return nil, err
			}
			if !found {
				continue
			}
			l := q.explain(&w, "the crawl runs")
			why, err := k.revisits.why(url)
			if err != nil {
				return nil, err
			}
			if !variant {
				tellAgain(&l, &w, why)
			}
			lines = append(lines, l)
		}
	}
	return lines, nil
}

// tellAgain adds to a line about a URL that waits why its page is visited again; why is "" if it is not.
func tellAgain(l *archive.Line, w *frontier.Waits, why string) {
	switch {
	case why == "":
	case w.State == frontier.WaitAgain:
		l.Reason = why
	default:
		l.Reason += "; " + why
	}
}

// explain is line with all that a reader of one URL wants to know. then says what comes next.
func (q *Queue) explain(w *frontier.Waits, then string) archive.Line {
	l := q.line(w)
	if w.Add != 0 {
		l.Reason += fmt.Sprintf("; its host's URLs count %+g more than their scores", w.Add)
	}
	if w.State != frontier.WaitAgain {
		l.Reason += "; " + then
	}
	return l
}

// Waiting returns a line about a URL in the queue of a crawl that runs or can be resumed. ok is false if it does not
// wait there, or if the queue cannot be read.
func Waiting(dir string, info archive.Crawl, url string) (l archive.Line, ok bool) {
	if !info.Unfinished() {
		return l, false
	}
	running, err := Tell(dir, &Command{Name: "why", URLs: []string{url}})
	if err == nil && running.State != nil && running.State.ID == info.ID {
		if len(running.Lines) == 0 {
			return l, false
		}
		return running.Lines[0], true
	}
	return queued(dir, info, url, false)
}

// chain returns the lines of the pages that lead from the seed to the page that has the link to last's URL.
func chain(dir, id string, last *archive.Line, vias map[uint64]uint64) ([]archive.Line, error) {
	var steps []uint64 // from the last page to the first
	for h := hash(last.Via); last.Via != "" && h != 0 && !slices.Contains(steps, h) && len(steps) < 256; h = vias[h] {
		steps = append(steps, h)
	}
	lines := map[uint64]archive.Line{}
	if len(steps) > 0 {
		for l, err := range archive.ReadLog(vfs.Default, dir, id) {
			if err != nil {
				return nil, err
			}
			if h := hash(l.URL); slices.Contains(steps, h) && l.Outcome != "retry" {
				lines[h] = l
			}
		}
	}
	var out []archive.Line
	for _, h := range slices.Backward(steps) {
		if l, ok := lines[h]; ok {
			out = append(out, l)
		}
	}
	return out, nil
}

func hash(s string) uint64 {
	h := fnv.New64a()
	io.WriteString(h, s)
	return h.Sum64()
}

// variants returns the URLs that people take for the same: with the other scheme, with and without www, with and
// without a final slash.
func variants(key string) []string {
	u, err := weburl.Parse(key)
	if err != nil {
		return nil
	}
	hosts := []string{u.Host(), "www." + u.Host()}
	if bare, ok := strings.CutPrefix(u.Host(), "www."); ok {
		hosts[1] = bare
	}
	paths := []string{u.PathQuery(), u.PathQuery() + "/"}
	if bare, ok := strings.CutSuffix(u.PathQuery(), "/"); ok && bare != "" {
		paths[1] = bare
	}
	var all []string
	for _, scheme := range []string{"https", "http"} {
		for _, h := range hosts {
			for _, p := range paths {
				if v, err := weburl.Key(scheme + "://" + h + p); err == nil && v != key {
					all = append(all, v)
				}
			}
		}
	}
	return all
}
