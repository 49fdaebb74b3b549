package engine

// This file lists what waits in the queue of a crawl: of one that runs, which it asks over its socket, or of one that can
// be resumed.

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"net"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh"
	"kavosh/archive"
	"kavosh/frontier"
	"kavosh/frontier/scope"
	"kavosh/internal/clock"
	"kavosh/plan"
)

// Selection says which of the URLs that wait are meant: those for which all that is not empty holds.
type Selection struct {
	Host   string   `json:"host,omitempty"`   // they are of this host; with a dot before it, of a domain
	Match  string   `json:"match,omitempty"`  // this regular expression is found in them
	Kinds  []string `json:"kinds,omitempty"`  // they were found so: one of kavosh.Kind's names
	States []string `json:"states,omitempty"` // they wait for this: one of frontier.States
}

// String is the selection for people, as flags of kavosh queue.
func (s *Selection) String() string {
	var flags []string
	for _, f := range []struct{ name, value string }{{"host", s.Host}, {"url", s.Match}, {"kind", strings.Join(s.Kinds, ",")}, {"state", strings.Join(s.States, ",")}} {
		if f.value != "" {
			flags = append(flags, "--"+f.name+" "+f.value)
		}
	}
	return strings.Join(flags, " ")
}

// all reports whether nothing is left out.
func (s *Selection) all() bool {
	return s.Host == "" && s.Match == "" && len(s.Kinds) == 0 && len(s.States) == 0
}

// chooser returns a function that reports whether a task of the right host is meant. An error names cause and fix.
func (s *Selection) chooser() (func(*frontier.Waits) bool, error) {
	var match *regexp.Regexp
	if s.Match != "" {
		var err error
		if match, err = scope.Pattern(s.Match); err != nil {
			return nil, fmt.Errorf("--url %w", err)
		}
	}
	for _, name := range s.Kinds {
		if _, ok := kavosh.ParseKind(name); !ok {
			return nil, fmt.Errorf("%q is no kind of link", name)
		}
	}
	for _, name := range s.States {
		if !slices.Contains(frontier.States(), name) {
			return nil, fmt.Errorf("%q is nothing that a URL waits for", name)
		}
	}
	return func(w *frontier.Waits) bool {
		return (len(s.States) == 0 || slices.Contains(s.States, w.State)) &&
			(len(s.Kinds) == 0 || slices.Contains(s.Kinds, w.Task.Kind.String())) &&
			(match == nil || match.MatchString(w.Task.URL))
	}, nil
}

// QueueAsk is what somebody wants to know of a queue.
type QueueAsk struct {
	Selection
	Limit int  `json:"limit,omitempty"` // so many URLs at most; 0 is all
	Count bool `json:"count,omitempty"` // not the URLs, but how many wait, by host and state
}

// Queue is the queue that is listed, as it was at one moment.
type Queue struct {
	ID      string    `json:"id"` // of the crawl
	At      time.Time `json:"at"`
	Waiting int64     `json:"waiting"`           // URLs that wait, or are asked for now
	Running bool      `json:"running,omitempty"` // the crawl runs; Stopped is empty
	Stopped string    `json:"stopped,omitempty"` // how the crawl ended, in words
	Idle    string    `json:"idle,omitempty"`    // why a crawl that runs requests nothing, in words
}

// Queued is a URL that waits, as kavosh queue --json prints it. Outcome is "queued", Reason says why it waits.
type Queued struct {
	archive.Line
	State    string    `json:"state"`              // what it waits for: one of frontier.States
	Due      time.Time `json:"due,omitzero"`       // when that is over, if it is known
	By       string    `json:"by,omitempty"`       // what holds it back, in few words: frontier.Wait.By
	Priority float64   `json:"priority,omitempty"` // what the priority of its host adds to Score
}

// QueueCount is how many URLs of a host wait, by state. Those that are done and asked for again have no host here.
type QueueCount struct {
	Host   string           `json:"host,omitempty"`
	States map[string]int64 `json:"states"`
}

// QueueLine is a line of an answer about a queue. It has one of these, or none if there is nothing to say yet.
type QueueLine struct {
	Queue *Queue      `json:"queue,omitempty"` // the first line
	URL   *Queued     `json:"url,omitempty"`
	Count *QueueCount `json:"count,omitempty"`
	End   *QueueEnd   `json:"end,omitempty"`   // the last line, if all went well
	Error string      `json:"error,omitempty"` // else this is
}

// QueueEnd says how much was listed.
type QueueEnd struct {
	Listed int64 `json:"listed"`         // URLs that were told or counted
	Left   int64 `json:"left,omitempty"` // URLs beyond the limit, which were not
}

// reason says in words why a task waits.
func (q *Queue) reason(w *frontier.Waits) string {
	switch {
	case w.State == frontier.WaitReady && q.Stopped != "":
		return "its turn had not come when the crawl " + q.Stopped
	case w.State == frontier.WaitReady && q.Idle != "":
		return "its turn has not come yet: " + q.Idle
	case w.State == frontier.WaitReady && w.Why != "":
		return "its turn has not come yet: " + w.Why
	case w.State == frontier.WaitReady:
		return "its turn has not come yet"
	}
	return w.Why
}

// line is a line, which no log has, of a task that waits, and why.
func (q *Queue) line(w *frontier.Waits) archive.Line {
	t := &w.Task
	l := archive.Line{
		Time: t.Added, URL: t.URL, Outcome: "queued", Reason: q.reason(w), Kind: t.Kind.String(), Via: t.Via, Seed: t.Seed,
		Path: t.Path, Hops: t.Hops, Score: t.Score, Why: t.Why, Attempt: t.Attempt, Variant: t.Variant,
	}
	if math.IsNaN(l.Score) || math.IsInf(l.Score, 0) {
		l.Score = 0 // JSON has no such number
	}
	return l
}

// sparse is how many tasks that are not meant are passed over before an empty line says that the listing goes on.
const sparse = 1 << 16

// tell lists a queue by list, which is frontier.Frontier.List or like it, and calls emit for each line of the answer.
func (q *Queue) tell(ask *QueueAsk, list func(host string, begin func(frontier.Stats), yield func(*frontier.Waits) (bool, error)) error, emit func(*QueueLine) error) error {
	chosen, err := ask.chooser()
	if err != nil {
		return emit(&QueueLine{Error: err.Error()})
	}
	var end QueueEnd
	var count *QueueCount
	var begun error
	flush := func() error {
		if count == nil {
			return nil
		}
		return emit(&QueueLine{Count: count})
	}
	listed := map[string]map[string]int64{} // URLs beyond limits or on hold, by host and state: their lists may have many hosts
	flushListed := func() error {
		for _, host := range slices.Sorted(maps.Keys(listed)) {
			if err := emit(&QueueLine{Count: &QueueCount{host, listed[host]}}); err != nil {
				return err
			}
		}
		clear(listed)
		return nil
	}
	passed := 0
	err = list(ask.Host, func(s frontier.Stats) {
		q.Waiting = s.Queued
		begun = emit(&QueueLine{Queue: q})
	}, func(w *frontier.Waits) (bool, error) {
		if begun != nil {
			return false, begun
		}
		if passed++; passed%sparse == 0 {
			if err := emit(&QueueLine{}); err != nil {
				return false, err
			}
		}
		switch {
		case !chosen(w):
			return true, nil
		case ask.Count && (w.State == frontier.WaitLimit || w.State == frontier.WaitHeld):
			end.Listed++
			if listed[w.Host] == nil {
				listed[w.Host] = map[string]int64{}
			}
			if listed[w.Host][w.State]++; len(listed) < sparse {
				return true, nil
			}
			return true, flushListed()
		case ask.Count:
			host := w.Host
			if w.State == frontier.WaitAgain {
				host = "" // they come by time, and would be one line each
			}
			if count == nil || count.Host != host {
				if err := flush(); err != nil {
					return false, err
				}
				count = &QueueCount{Host: host, States: map[string]int64{}}
			}
			count.States[w.State]++
			end.Listed++
			return true, nil
		case ask.Limit > 0 && end.Listed == int64(ask.Limit):
			if ask.all() {
				end.Left = max(q.Waiting-end.Listed, 1) // known without reading on
				return false, nil
			}
			end.Left++
			return true, nil
		}
		end.Listed++
		return true, emit(&QueueLine{URL: &Queued{Line: q.line(w), State: w.State, Due: w.Until, By: w.By, Priority: w.Add}})
	})
	if err = errors.Join(err, begun); err == nil {
		err = cmp.Or(flush(), flushListed())
	}
	if err != nil {
		return err
	}
	return emit(&QueueLine{End: &end})
}

// queue is the queue of the crawl that runs. k is locked.
func (k *controls) queue() *Queue {
	s := k.status()
	q := Queue{ID: s.ID, At: k.clock.Now().UTC().Truncate(time.Millisecond), Running: true}
	switch {
	case s.Waiting == WaitingNetwork:
		q.Idle = "the crawl waits for this machine's network"
	case k.set.paused:
		q.Idle = "the crawl is paused"
	}
	return &q
}

// answerOn returns a function that writes lines of an answer to conn.
func answerOn(conn net.Conn, c clock.Clock) (emit func(*QueueLine) error) {
	out := bufio.NewWriter(&patient{conn, c.Now})
	enc := json.NewEncoder(out)
	return func(l *QueueLine) error {
		if err := enc.Encode(l); err != nil || l.URL != nil || l.Count != nil {
			return err
		}
		return out.Flush()
	}
}

// list answers a "queue" on conn, until ctx ends: then the crawl does.
func (k *controls) list(ctx context.Context, conn net.Conn, ask *QueueAsk) {
	emit := answerOn(conn, k.clock)
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	if ask == nil {
		ask = &QueueAsk{}
	}
	k.Lock()
	q := k.queue()
	k.Unlock()
	if err := q.tell(ask, k.frontier.List, emit); err != nil {
		_ = emit(&QueueLine{Error: err.Error()}) // it may be the connection that failed
	}
}

// patient is a connection whose reader may take controlTime for each piece.
type patient struct {
	net.Conn
	now func() time.Time
}

// Write implements io.Writer.
func (p *patient) Write(b []byte) (int, error) {
	_ = p.SetWriteDeadline(p.now().Add(controlTime))
	return p.Conn.Write(b)
}

// ListQueue lists the queue of a crawl of the archive in dir. It calls emit for the first line, a Queue, and for each
// URL or count that is wanted, and returns how much that was. An error of emit ends it.
func ListQueue(dir string, info *archive.Crawl, ask *QueueAsk, emit func(*QueueLine) error) (end QueueEnd, err error) {
	each := func(l *QueueLine) error {
		switch {
		case l.Error != "":
			return errors.New(l.Error)
		case l.End != nil:
			end = *l.End
		case *l != QueueLine{}:
			return emit(l)
		}
		return nil
	}
	conn, err := dialCrawl(dir, info.ID)
	if err == nil {
		defer conn.Close()
		return end, askQueue(conn, info.ID, &Command{Name: "queue", Queue: ask}, each)
	}
	if !errors.Is(err, errNotRunning) {
		return end, err
	}
	q := storedQueue(info)
	path := vfs.Default.PathJoin(dir, "crawls", info.ID, "frontier")
	if _, err := vfs.Default.Stat(path); err != nil && !info.Unfinished() {
		return end, emit(&QueueLine{Queue: q}) // the queue is not needed any more, and may be deleted
	}
	list := func(host string, begin func(frontier.Stats), yield func(*frontier.Waits) (bool, error)) error {
		return frontier.ListStored(vfs.Default, path, host, begin, yield)
	}
	return end, q.tell(ask, list, each)
}

// Forbidden returns which of urls, seen-keys, the crawl id with these options may not request, and why: what robots.txt
// forbids and nobody permitted, by the robots.txt files that it has. The crawl must not run.
func (o *Options) Forbidden(id string, urls []string) (map[string]string, error) {
	if o.RecordRobots != "" {
		return nil, nil
	}
	urls = slices.DeleteFunc(slices.Clone(urls), func(url string) bool {
		return slices.ContainsFunc(o.Permits, func(p plan.Permit) bool { return p.Covers(url) })
	})
	return frontier.Forbidden(vfs.Default, vfs.Default.PathJoin(o.Archive, "crawls", id, "frontier"), agentOf(o.Fetch.UserAgent), urls)
}

// storedQueue is the queue of a crawl that does not run.
func storedQueue(info *archive.Crawl) *Queue {
	q := Queue{ID: info.ID, At: time.Now().UTC().Truncate(time.Millisecond), Stopped: archive.Ending(info.End)}
	if q.Stopped == "" {
		q.Stopped = "was stopped"
	}
	return &q
}

// ChangeQueue lets the running crawl of the archive in dir carry out cmd, which changes what waits, and returns how many
// URLs that changed.
func ChangeQueue(dir string, info *archive.Crawl, cmd *Command) (changed int64, err error) {
	conn, err := dialCrawl(dir, info.ID)
	if err == errNotRunning {
		return 0, noneRuns(dir)
	}
	if err != nil {
		return 0, err
	}
	defer conn.Close()
	err = askQueue(conn, info.ID, cmd, func(l *QueueLine) error {
		if l.End != nil {
			changed = l.End.Listed
		}
		if l.Error != "" {
			return errors.New(l.Error)
		}
		return nil
	})
	return changed, err
}

// askQueue gives cmd to the running crawl id on conn, and calls each for each line of its answer.
func askQueue(conn net.Conn, id string, cmd *Command, each func(*QueueLine) error) error {
	data, err := json.Marshal(cmd)
	if err != nil {
		return err
	}
	if len(data) >= MaxCommand {
		return ErrTooLarge
	}
	_ = conn.SetDeadline(time.Now().Add(answerTime))
	if _, err := conn.Write(append(data, '\n')); err != nil {
		return fmt.Errorf("crawl %s ended before it answered: %w", id, err)
	}
	for dec := json.NewDecoder(conn); ; {
		_ = conn.SetReadDeadline(time.Now().Add(answerTime))
		var l QueueLine
		if err := dec.Decode(&l); err != nil {
			again := "give the command again"
			if cmd.changes() {
				again = "kavosh control ARCHIVE log tells whether it took the command; what is left of it is done when the crawl goes on"
			}
			return fmt.Errorf("crawl %s ended before it had said all (%w): %s", id, err, again)
		}
		if err := each(&l); err != nil || l.End != nil {
			return err
		}
	}
}
