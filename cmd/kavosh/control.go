package main

// This file is the command kavosh control, which changes a running crawl. Package engine does what
// the commands say.

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/user"
	"slices"
	"strconv"
	"strings"
	"time"
	_ "time/tzdata" // for --zone on machines without a time zone database

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh"
	"kavosh/archive"
	"kavosh/engine"
	"kavosh/frontier/scope"
	"kavosh/lib/dates"
	"kavosh/lib/spelling"
	"kavosh/lib/units"
	"kavosh/plan"
	"kavosh/seeds"
)

type controlCmd struct {
	target
	Args      []string   `arg:"" optional:"" name:"archive-and-command" help:"The archive's folder, then the command."`
	Until     moment     `placeholder:"TIME" help:"host hold: release it then, such as 2026-03-21T06:00:00+03:30, 2026-03-21 or 1405/1/1."`
	For       units.Span `name:"for" help:"host hold: release it after this time, such as 30m or 2d."`
	Rule      []string   `sep:"none" placeholder:"LINE" help:"seeds add: a rule of these seeds alone, asked before the crawl's, such as 'leave url=/print/'. May be repeated."`
	Depth     *int       `placeholder:"N" help:"seeds add: most clicks from these seeds."`
	ExtraHops int        `name:"extra-hops" placeholder:"N" help:"seeds add: so many clicks from them may lead out of the crawl's scope."`
	Priority  score      `placeholder:"N" help:"seeds add: added to the scores of their URLs; a higher one goes first."`
	Why       string     `placeholder:"TEXT" help:"Why, for those who read the log later."`
	Zone      string     `placeholder:"ZONE" help:"host off-peak: the time zone of the hours, such as Asia/Tehran; this machine's by default."`
	Host      []string   `sep:"none" placeholder:"NAME" help:"pings: answer to this host name, too. May be repeated."`
	JSON      bool       `name:"json" help:"Print the answer as one JSON object; the log as one object a line."`
}

// Help returns the text above the flags in the help.
func (controlCmd) Help() string {
	return `Tells a running crawl what to do, from the machine it runs on. Commands:

    kavosh control ARCHIVE status                       how it goes, and what was set
    kavosh control ARCHIVE pause | resume | stop        stop can be resumed by kavosh crawl --resume
    kavosh control ARCHIVE workers 32                   requests at once, over all hosts
    kavosh control ARCHIVE delay 5s                     between two requests to a host
    kavosh control ARCHIVE delay 1s-3s                  … each time a random time between these
    kavosh control ARCHIVE delay-factor 5               rest at least five times as long as the answer took
    kavosh control ARCHIVE host-rate 500kB/s            bytes a second from each host, on average; 0 is no limit
    kavosh control ARCHIVE rate 2MB/s                   … from all hosts together
    kavosh control ARCHIVE address-delay 500ms          … to an address
    kavosh control ARCHIVE limit host www.example.org 1000          URLs, bytes or time that are taken; the rest waits
    kavosh control ARCHIVE limit seed|host|domain|crawl 500,2GB,1h  … of each seed, host, domain, or of the crawl; or: none
    kavosh control ARCHIVE scope exclude '/print/'      leave out, also what waits already
    kavosh control ARCHIVE scope include '^https://cdn\.example/'
    kavosh control ARCHIVE scope remove exclude '/print/'
    kavosh control ARCHIVE rules add 'leave host=ads.example'       a rule after the others; rules add 1 LINE: before them
    kavosh control ARCHIVE rules list | remove 2 | set FILE         the first rule that matches a URL decides
    kavosh control ARCHIVE permit add www.example.org 'its owner agreed'    fetch what robots.txt forbids there; or: permit remove
    kavosh control ARCHIVE seeds add https://example.org/ https://example.net/
    kavosh control ARCHIVE seeds add --depth 2 --rule 'leave url=/print/' https://example.org/     … with what holds for it alone
    kavosh control ARCHIVE pings :8095                  take seeds that others submit, by HTTP, until Ctrl-C: POST /ping with url=…
    kavosh control ARCHIVE priority https://example.org/news 10     its score, if it waits: a higher one goes first
    kavosh control ARCHIVE priority host www.example.org 5          added to the scores of all its URLs; 0 takes it away
    kavosh control ARCHIVE priority host .example.org 5             … of a domain: that name and all below it
    kavosh control ARCHIVE priority match '/news/' 3                … of URLs like that, queued from now on
    kavosh control ARCHIVE host hold www.example.org --for 2h --why 'its owner called'
    kavosh control ARCHIVE host release www.example.org
    kavosh control ARCHIVE host off-peak www.example.org 22:00-06:00 --zone Asia/Tehran     or: never
    kavosh control ARCHIVE log                          who changed what, when

What is set holds until it is changed, over kills and --resume too. Hosts that answer with a bot wall are held by the crawl itself; release lets it try again.`
}

// Run sends one command to the running crawl and prints its answer.
func (c *controlCmd) Run(p *program) error {
	dir, rest, err := c.archive(c.Args)
	if err != nil {
		return err
	}
	if len(rest) == 0 {
		return usage("what should the crawl do? such as kavosh control %s status; kavosh control --help lists the commands", dir)
	}
	if rest[0] == "log" && len(rest) == 1 {
		return c.log(p, dir)
	}
	if rest[0] == "pings" {
		if len(rest) != 2 {
			return usage("write it as kavosh control %s pings :8095", dir)
		}
		return takePings(p, dir, rest[1], c.Host)
	}
	cmd, err := c.command(p, rest)
	if err != nil {
		return err
	}
	cmd.Who, cmd.Why = whoami(), c.Why
	reply, err := engine.Tell(dir, &cmd)
	if errors.Is(err, engine.ErrTooLarge) {
		return usageError{err.Error()}
	}
	if err != nil {
		return err
	}
	if c.JSON {
		enc := json.NewEncoder(p.out)
		enc.SetIndent("", "  ")
		err = enc.Encode(reply)
	} else if rest[0] == "rules" && reply.State != nil && reply.Text == "" {
		_, err = io.WriteString(p.out, rulesText(reply.State))
	} else if reply.Error == "" {
		_, err = io.WriteString(p.out, replyText(&reply))
	}
	switch {
	case err != nil:
		return err
	case reply.Error != "" && c.JSON:
		return exitStatus(exitFailed)
	case reply.Error != "":
		return errors.New(reply.Error)
	}
	return nil
}

// command parses a command from its words.
func (c *controlCmd) command(p *program, words []string) (cmd engine.Command, err error) {
	name, rest := words[0], words[1:]
	need := func(n int, form string) error {
		if len(rest) != n {
			return usage("write it as kavosh control ARCHIVE %s", form)
		}
		return nil
	}
	cmd.Name = name
	switch name {
	case "status", "pause", "resume", "stop":
		return cmd, need(0, name)
	case "workers", "delay", "delay-factor", "address-delay", "host-rate", "rate":
		example := " 2s"
		switch name {
		case "workers":
			example = " 32"
		case "delay-factor":
			example = " 5"
		case "host-rate", "rate":
			example = " 500kB/s"
		}
		if err := need(1, name+example); err != nil {
			return cmd, err
		}
		_, now, err := new(plan.Plan).Change(name, rest[0], false)
		cmd.Value = strings.TrimPrefix(now, name+" ")
		return cmd, err
	case "scope":
		remove := len(rest) > 0 && rest[0] == "remove"
		if remove {
			rest = rest[1:]
		}
		if len(rest) != 2 || rest[0] != "include" && rest[0] != "exclude" {
			return cmd, usage("write it as kavosh control ARCHIVE scope [remove] include|exclude RE")
		}
		if cmd.Name, cmd.Value = rest[0], rest[1]; remove {
			cmd.Name += "-remove"
		}
		return cmd, nil
	case "limit":
		return limitCommand(rest)
	case "permit":
		if len(rest) < 3 || rest[0] != "add" && rest[0] != "remove" {
			return cmd, usage("write it as kavosh control ARCHIVE permit add|remove TARGET REASON, such as … permit add www.example.org 'its owner agreed'")
		}
		var permit plan.Permit
		if err := permit.UnmarshalText([]byte(strings.Join(rest[1:], " "))); err != nil {
			return cmd, usageError{err.Error()}
		}
		if cmd.Value = permit.String(); rest[0] == "remove" {
			cmd.Name += "-remove"
		}
		return cmd, nil
	case "rules":
		return rulesCommand(p, rest)
	case "seeds":
		if len(rest) < 2 || rest[0] != "add" {
			return cmd, usage("write it as kavosh control ARCHIVE seeds add URL…")
		}
		if cmd.URLs, err = seenKeys(rest[1:]); err == nil {
			cmd.Plan, err = c.seedPlan()
		}
		return cmd, err
	case "priority":
		if len(rest) < 2 {
			return cmd, usage("write it as kavosh control ARCHIVE priority URL… SCORE, such as … priority https://example.org/news 10; or … priority host HOST N; or … priority match RE N")
		}
		last := len(rest) - 1
		if cmd.Score, err = parseScore(rest[last]); err != nil {
			return cmd, err
		}
		switch {
		case rest[0] == "host" && last == 2:
			cmd.Name, cmd.Host = "priority-host", strings.ToLower(rest[1])
			return cmd, nil
		case rest[0] == "match" && last == 2:
			cmd.Name, cmd.Value = "priority-match", rest[1]
			return cmd, nil
		}
		cmd.URLs, err = seenKeys(rest[:last])
		return cmd, err
	case "host":
		return c.hostCommand(rest)
	}
	return cmd, unknownControl(name)
}

// parseScore reads a score that a person wrote.
func parseScore(text string) (float64, error) {
	text = strings.Replace(text, minus, "-", 1)
	score, err := strconv.ParseFloat(dates.Digits(text), 64)
	if err != nil || !(math.Abs(score) <= mostScore) {
		return 0, usage("%q is no score: write a number from -%[2]d to %[2]d at the end, such as 10 or -1", text, int(mostScore))
	}
	return score, nil
}

// seedPlan returns what the flags say of new seeds; nil if they say nothing.
func (c *controlCmd) seedPlan() (*kavosh.SeedPlan, error) {
	if len(c.Rule) == 0 && c.Depth == nil && c.ExtraHops == 0 && c.Priority.of == 0 {
		return nil, nil
	}
	plan := &kavosh.SeedPlan{Rules: c.Rule, Depth: c.Depth, ExtraHops: c.ExtraHops, Priority: c.Priority.of}
	if err := scope.CheckPlan(plan); err != nil {
		return nil, usageError{err.Error()}
	}
	return plan, nil
}

// score is a score, or what is added to one, as a flag.
type score struct{ of float64 }

// UnmarshalText parses what a person wrote.
func (s *score) UnmarshalText(text []byte) (err error) {
	s.of, err = parseScore(string(text))
	return err
}

// limitCommand parses a command about limits.
func limitCommand(words []string) (cmd engine.Command, err error) {
	kinds := []string{"seed", "host", "domain", "crawl"}
	if len(words) < 2 || len(words) > 3 || !slices.Contains(kinds, words[0]) || words[0] == "crawl" && len(words) == 3 {
		return cmd, usage("write it as kavosh control ARCHIVE limit seed|host|domain [NAME] LIMIT or limit crawl LIMIT, such as … limit host www.example.org 1000")
	}
	cmd.Name, cmd.Value = words[0]+"-limit", strings.Join(words[1:], "=")
	_, now, err := new(plan.Plan).Change(cmd.Name, cmd.Value, false)
	cmd.Value = strings.TrimPrefix(now, cmd.Name+" ")
	return cmd, err
}

// hostCommand parses a command about one host.
func (c *controlCmd) hostCommand(words []string) (cmd engine.Command, err error) {
	form := func() error {
		if len(words) > 0 && !slices.Contains(hostControls, words[0]) {
			return usage("kavosh control has no command host %s%s", words[0], spelling.OrOneOf(words[0], hostControls))
		}
		if len(words) == 1 {
			return usage("which host? write kavosh control ARCHIVE host %s HOST; kavosh control ARCHIVE status tells which are held", words[0])
		}
		return usage("write it as kavosh control ARCHIVE host hold|release HOST, or host off-peak HOST 22:00-06:00")
	}
	if len(words) < 2 {
		return cmd, form()
	}
	cmd.Name, cmd.Host, cmd.Zone = words[0], strings.ToLower(words[1]), c.Zone
	switch {
	case cmd.Name == "release" && len(words) == 2:
		return cmd, nil
	case cmd.Name == "off-peak" && len(words) == 3:
		cmd.Value = dates.Digits(words[2])
		if cmd.Value != "never" {
			if _, err := engine.ParseHours(cmd.Host, cmd.Value, cmd.Zone); err != nil {
				return cmd, usageError{err.Error()}
			}
		}
		return cmd, nil
	case cmd.Name == "hold" && len(words) == 2:
		now := time.Now()
		switch {
		case c.For > 0 && !c.Until.IsZero():
			return cmd, usage("--for and --until say the same: give one of them")
		case c.For > 0:
			cmd.Until = now.Add(time.Duration(c.For)).UTC().Truncate(time.Second)
		default:
			cmd.Until = c.Until.Time
		}
		return cmd, nil
	}
	return cmd, form()
}

// seenKeys returns the seen-keys of the URLs that a person wrote.
func seenKeys(texts []string) ([]string, error) {
	var keys []string
	for _, t := range texts {
		key, err := new(seeds.Reader).One(t)
		if err != nil {
			return nil, usageError{err.Error()}
		}
		keys = append(keys, key)
	}
	return keys, nil
}

// whoami returns the name of the person who gives the command. Under sudo it is the person who called sudo.
func whoami() string {
	if name := os.Getenv("SUDO_USER"); name != "" {
		return name
	}
	if u, err := user.Current(); err == nil {
		return u.Username
	}
	return strconv.Itoa(os.Getuid())
}

// replyText returns an answer in words.
func replyText(r *engine.Reply) string {
	if r.Text != "" {
		return r.Text + "\n"
	}
	s := r.State
	if s == nil {
		return "done\n"
	}
	var b strings.Builder
	state := "running"
	switch {
	case s.Stopping != "":
		state = "stopping"
	case s.Paused:
		state = "paused"
	case s.Offline:
		state = "waiting for the network"
	}
	fmt.Fprintf(&b, "crawl %s is %s: %s finished, %s recorded, %s waiting, %d in flight\n", s.ID, state, count(s.Finished), count(s.Recorded), count(s.Queued), s.InFlight)
	for _, alarm := range s.Alarms {
		fmt.Fprintf(&b, "  %-14s %s\n", "warning", alarm)
	}
	fmt.Fprintf(&b, "  %-14s %d\n", "workers", s.Workers)
	fmt.Fprintf(&b, "  %-14s %s a host, %s an address\n", "delay", units.Spans{Least: units.Span(s.Delay), Most: units.Span(s.Delay + s.DelaySpread)}, s.AddressDelay)
	if s.DelayFactor > 0 {
		fmt.Fprintf(&b, "  %-14s %d\n", "delay factor", s.DelayFactor)
	}
	if s.HostRate > 0 {
		fmt.Fprintf(&b, "  %-14s %s a host\n", "rate", units.Rate(s.HostRate))
	}
	if s.Rate > 0 {
		fmt.Fprintf(&b, "  %-14s %s in all\n", "rate", units.Rate(s.Rate))
	}
	for _, list := range []struct {
		name string
		of   []string
	}{{"include", s.Include}, {"exclude", s.Exclude}} {
		for _, re := range list.of {
			fmt.Fprintf(&b, "  %-14s %s\n", list.name, re)
		}
	}
	for i, rule := range s.Rules {
		fmt.Fprintf(&b, "  %-14s %s\n", fmt.Sprint("rule ", i+1), rule)
	}
	if s.Limited > 0 {
		fmt.Fprintf(&b, "  %-14s %s beyond limits\n", "waiting", count(s.Limited))
	}
	if s.OnHold > 0 {
		fmt.Fprintf(&b, "  %-14s %s on hold\n", "waiting", count(s.OnHold))
	}
	for _, limit := range s.Limits {
		kind, value, _ := strings.Cut(limit, " ")
		fmt.Fprintf(&b, "  %-14s %s\n", strings.ReplaceAll(kind, "-", " "), value)
	}
	for _, permit := range s.Permits {
		fmt.Fprintf(&b, "  %-14s %s\n", "permit", permit)
	}
	for _, h := range s.Held {
		until := "until it is released"
		if !h.Until.IsZero() {
			until = "until " + h.Until.Local().Format("2006-01-02 15:04")
		}
		fmt.Fprintf(&b, "  %-14s %s %s since %s", "held", h.Host, until, h.Since.Local().Format("2006-01-02 15:04"))
		if h.Why != "" {
			fmt.Fprintf(&b, " (%s)", h.Why)
		}
		b.WriteByte('\n')
	}
	for _, p := range s.Priorities {
		fmt.Fprintf(&b, "  %-14s %+g %s\n", "priority", p.Add, cmp.Or(p.Host, p.Match))
	}
	for _, h := range s.Hours {
		fmt.Fprintf(&b, "  %-14s %s %s\n", "off-peak", h.Host, h)
	}
	return b.String()
}

// log prints the commands that were given to the latest crawl that has any.
func (c *controlCmd) log(p *program, dir string) error {
	crawls, err := archive.Crawls(vfs.Default, dir)
	if err != nil {
		return err
	}
	enc := json.NewEncoder(p.out)
	for _, info := range slices.Backward(crawls) {
		found := false
		for cmd, err := range engine.ReadControlLog(vfs.Default, dir, info.ID) {
			if err != nil {
				return err
			}
			found = true
			if c.JSON {
				err = enc.Encode(cmd)
			} else {
				_, err = io.WriteString(p.out, commandText(&cmd))
			}
			if err != nil {
				return err
			}
		}
		if found {
			return nil
		}
	}
	fmt.Fprintf(p.err, "kavosh: no command was ever given to a crawl of %s\n", dir)
	return nil
}

// commandText returns a command in words.
func commandText(c *engine.Command) string {
	what := c.Name
	said := append([]string{c.Host, c.Value, c.Zone}, c.URLs...)
	if c.Queue != nil {
		said = append(said, c.Queue.String())
	}
	for _, more := range said {
		if more != "" && c.Name != "rules" { // After says what changed of them
			what += " " + more
		}
	}
	if c.Before != "" {
		what += ": " + c.Before + " → " + c.After
	} else if c.After != "" {
		what += ": " + c.After
	}
	if c.Why != "" {
		what += " (" + c.Why + ")"
	}
	return fmt.Sprintf("%s %s %s\n", c.Time.Local().Format(time.DateTime), c.Who, what)
}
