package main

// This file is the command kavosh queue: it lists what waits to be asked for.

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"time"

	"kavosh"
	"kavosh/archive"
	"kavosh/engine"
	"kavosh/frontier"
	"kavosh/frontier/scope"
	"kavosh/lib/spelling"
)

type queueCmd struct {
	target
	Args  []string `arg:"" optional:"" name:"archive-and-crawl" help:"The archive's folder, then perhaps a crawl; default the crawl that runs, or the latest."`
	Limit int      `default:"100" min:"0" placeholder:"N" help:"List so many URLs at most; 0 lists all. Default 100."`
	Count bool     `help:"Count what waits, by host and state, instead of listing it."`
	JSON  bool     `name:"json" help:"Print one JSON object a line."`

	Drop     bool   `group:"change" help:"Take what the flags below choose out of the queue: it is not asked for, and the log says so. The crawl must be running."`
	Priority string `group:"change" placeholder:"N" help:"Give what the flags below choose this score: higher ones go first. The crawl must be running."`
	Hold     bool   `group:"change" help:"Put what the flags below choose on hold: it waits until it is released. The crawl must be running."`
	Release  bool   `group:"change" help:"Let what the flags below choose wait for its turn again, if it is on hold. The crawl must be running."`
	Why      string `group:"change" placeholder:"TEXT" help:"Why, for those who read the log later."`

	Host  string   `group:"only" placeholder:"NAME" help:"URLs of this host; with a dot before it, of a domain: that name and all names below it."`
	URL   string   `name:"url" group:"only" placeholder:"REGEXP" help:"URLs in which this regular expression is found."`
	Kind  []string `group:"only" placeholder:"KIND" help:"URLs that were found so: seed, navigation, embed, redirect, sitemap, feed, speculative. May be repeated: any of them will do."`
	State []string `group:"only" placeholder:"STATE" help:"URLs that wait for this: a state of the list above. May be repeated: any of them will do."`
}

// Help returns the text above the flags in the help.
func (queueCmd) Help() string {
	return `Examples:

    kavosh queue example.org.kavosh                          what waits, the first 100
    kavosh queue example.org.kavosh --count                  how many wait, by host and state
    kavosh queue example.org.kavosh --host .example.org --state retry,held
    kavosh queue example.org.kavosh --url '/print/' --limit 0
    kavosh queue example.org.kavosh --json --limit 0 | jq .url
    kavosh queue example.org.kavosh --url '/print/' --drop --why 'printed views'
    kavosh queue example.org.kavosh --host news.example.org --priority 10
    kavosh queue example.org.kavosh --url '/gallery/' --hold --why 'their owner asks for a week'
    kavosh queue example.org.kavosh --state held --release

Lists the URLs that a crawl has found and not asked for yet, also while it runs: it goes on meanwhile, and the list is that of one moment. Hosts come by name; the URLs of a host come in the order of their turns. Columns: state, when it is due (- is when its turn comes), score with the priority of its host, kind, URL, via, why it waits. Of a limit or a hold the lines have the name alone; standard error says once what it is.

States: ready (waits for its turn alone), asked (is being asked for), rest (its host or address rests), backoff (its host asked for time or did not answer), robots (robots.txt comes first), retry (failed, and is asked for again), budget (its host has had its pages of this round), limit (a limit of the crawl), held (on hold), again (done, and visited again).

--drop, --hold, --release and --priority change what waits now, and not what is found later (kavosh control has scope, rules and priority for that). They hold over kills and --resume. A crawl whose only URLs are on hold does not end: it waits for them. List first what you are about to change.`
}

// Run lists or counts what waits.
func (c *queueCmd) Run(p *program) error {
	dir, rest, err := c.archive(c.Args)
	if err != nil {
		return err
	}
	if len(rest) > 1 {
		return usage("kavosh queue takes one archive and perhaps one crawl; %q is too much", rest[1])
	}
	ask, err := c.ask()
	if err != nil {
		return err
	}
	id := append(rest, "")[0]
	if reply, err := engine.Tell(dir, &engine.Command{Name: "status"}); err == nil && id == "" && reply.State != nil {
		id = reply.State.ID // though a later one may be there, done
	}
	info, err := crawlOf(dir, id)
	if err != nil {
		return err
	}
	if c.Drop || c.Hold || c.Release || c.Priority != "" {
		return c.change(p, dir, &info, ask)
	}
	out := bufio.NewWriter(p.out)
	said := map[string]bool{} // by what holds URLs back: its full sentence was written
	show := func(l *engine.QueueLine) error {
		if u := l.URL; u != nil && u.By != "" && !said[u.State+u.By] && len(said) < mostSaid {
			said[u.State+u.By] = true
			fmt.Fprintf(p.err, "kavosh: %s %s: %s\n", u.State, u.By, u.Reason)
		}
		return writeQueueLine(out, l)
	}
	if c.JSON {
		enc := json.NewEncoder(out)
		show = func(l *engine.QueueLine) error {
			if l.URL != nil {
				return enc.Encode(l.URL)
			}
			return enc.Encode(l.Count)
		}
	}
	end, err := engine.ListQueue(dir, &info, ask, func(l *engine.QueueLine) error {
		if l.Queue != nil {
			fmt.Fprintf(p.err, "kavosh: %s\n", queueText(l.Queue))
			return nil
		}
		return show(l)
	})
	if flushed := out.Flush(); err == nil {
		err = flushed
	}
	if err != nil {
		return err
	}
	switch {
	case end.Left > 0:
		fmt.Fprintf(p.err, "kavosh: %s more: --limit 0 lists all, --count counts them\n", count(end.Left))
	case c.Count:
		fmt.Fprintf(p.err, "kavosh: %s in all\n", plural(int(end.Listed), "URL"))
	case end.Listed == 0:
		fmt.Fprintln(p.err, "kavosh: nothing of that kind waits")
	}
	return nil
}

// change drops, holds or releases what waits, or gives it another score.
func (c *queueCmd) change(p *program, dir string, info *archive.Crawl, ask *engine.QueueAsk) error {
	cmd := engine.Command{Who: whoami(), Why: c.Why, Queue: &engine.QueueAsk{Selection: ask.Selection}}
	what := ""
	for _, change := range []struct {
		asked      bool
		name, done string
	}{
		{c.Drop, engine.QueueDrop, "dropped"}, {c.Hold, engine.QueueHold, "put on hold"}, {c.Release, engine.QueueRelease, "released"},
		{c.Priority != "", engine.QueuePriority, "given the score "},
	} {
		if change.asked && what != "" {
			return usage("--drop, --hold, --release and --priority exclude each other: give one of them")
		}
		if change.asked {
			cmd.Name, what = change.name, change.done
		}
	}
	if c.Priority != "" {
		var err error
		if cmd.Score, err = parseScore(c.Priority); err != nil {
			return err
		}
		what += strconv.FormatFloat(cmd.Score, 'g', -1, 64)
	}
	if ask.Host+ask.Match == "" && len(ask.Kinds)+len(ask.States) == 0 {
		return usage("which URLs? say so by --host, --url, --kind or --state; without --drop, --hold, --release and --priority they are listed")
	}
	n, err := engine.ChangeQueue(dir, info, &cmd)
	if err != nil {
		return err
	}
	if c.JSON {
		return json.NewEncoder(p.out).Encode(map[string]int64{"changed": n})
	}
	_, err = fmt.Fprintf(p.out, "%s %s\n", plural(int(n), "URL"), what)
	return err
}

// ask returns what the flags ask for. A value that nothing can have is an error.
func (c *queueCmd) ask() (*engine.QueueAsk, error) {
	ask := &engine.QueueAsk{Limit: c.Limit, Count: c.Count}
	ask.Match, ask.Kinds, ask.States = c.URL, c.Kind, c.State
	if c.URL != "" {
		if _, err := scope.Pattern(c.URL); err != nil {
			return nil, usage("--url %v", err)
		}
	}
	for _, kind := range c.Kind {
		if _, ok := kavosh.ParseKind(kind); !ok {
			return nil, usage("--kind %s: there is no such kind of link%s", kind, spelling.OrOneOf(kind, slices.Collect(maps.Keys(foundBy))))
		}
	}
	for _, state := range c.State {
		if !slices.Contains(frontier.States(), state) {
			return nil, usage("--state %s: no URL waits for that%s", state, spelling.OrOneOf(state, frontier.States()))
		}
	}
	if c.Host == "" {
		return ask, nil
	}
	filter, err := newLogFilter(nil, []string{c.Host}, nil, nil)
	if err != nil {
		return nil, err
	}
	ask.Host = filter.hosts[0]
	return ask, nil
}

// mostSaid is how many full sentences a list has beside its lines.
const mostSaid = 100

// queueText says which queue is listed, and when.
func queueText(q *engine.Queue) string {
	state := "crawl " + q.ID + " runs"
	switch {
	case q.Stopped != "":
		state = "crawl " + q.ID + " " + q.Stopped
	case q.Idle != "":
		state += " (" + q.Idle + ")"
	}
	return fmt.Sprintf("%s; its queue at %s: %s", state, q.At.Local().Format(time.DateTime), plural(int(q.Waiting), "URL"))
}

// writeQueueLine writes a URL that waits, or how many of a host wait.
func writeQueueLine(out io.Writer, l *engine.QueueLine) error {
	if l.Count != nil {
		for _, state := range frontier.States() {
			if n := l.Count.States[state]; n > 0 {
				if _, err := fmt.Fprintf(out, "%9d %-7s %s\n", n, state, cmp.Or(l.Count.Host, "-")); err != nil {
					return err
				}
			}
		}
		return nil
	}
	u := l.URL
	due := ""
	if !u.Due.IsZero() {
		due = u.Due.UTC().Format("2006-01-02T15:04:05Z")
	}
	why := cmp.Or(u.By, u.Reason)
	if u.Why != "" {
		why += "; score: " + u.Why
	}
	url := u.URL
	if u.Variant {
		why += "; its form in RDF"
	}
	_, err := fmt.Fprintf(out, "%-7s %-20s %6s %-11s %s %s %s\n", u.State, cmp.Or(due, "-"), strconv.FormatFloat(u.Score+u.Priority, 'g', 6, 64), u.Kind, url, cmp.Or(u.Via, "-"), why)
	return err
}
