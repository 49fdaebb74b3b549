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

	"kavosh/archive"
	"kavosh/engine"
	"kavosh/lib/dates"
	"kavosh/lib/spelling"
	"kavosh/lib/units"
	"kavosh/plan"
	"kavosh/seeds"
)

type controlCmd struct {
	target
	Args  []string   `arg:"" optional:"" name:"archive-and-command" help:"The archive's folder, then the command."`
	Until moment     `placeholder:"TIME" help:"host hold: release it then, such as 2026-03-21T06:00:00+03:30, 2026-03-21 or 1405/1/1."`
	For   units.Span `name:"for" help:"host hold: release it after this time, such as 30m or 2d."`
	Why   string     `placeholder:"TEXT" help:"Why, for those who read the log later."`
	Zone  string     `placeholder:"ZONE" help:"host off-peak: the time zone of the hours, such as Asia/Tehran; this machine's by default."`
	Host  []string   `sep:"none" placeholder:"NAME" help:"pings: answer to this host name, too. May be repeated."`
	JSON  bool       `name:"json" help:"Print the answer as one JSON object; the log as one object a line."`
}

// Help returns the text above the flags in the help.
func (controlCmd) Help() string {
	return `Tells a running crawl what to do, from the machine it runs on. Commands:

    kavosh control ARCHIVE status                       how it goes, and what was set
    kavosh control ARCHIVE pause | resume | stop        stop can be resumed by kavosh crawl --resume
    kavosh control ARCHIVE workers 32                   requests at once, over all hosts
    kavosh control ARCHIVE delay 5s                     between two requests to a host
    kavosh control ARCHIVE delay-factor 5               rest at least five times as long as the answer took
    kavosh control ARCHIVE address-delay 500ms          … to an address
    kavosh control ARCHIVE scope exclude '/print/'      leave out, also what waits already
    kavosh control ARCHIVE scope include '^https://cdn\.example/'
    kavosh control ARCHIVE scope remove exclude '/print/'
    kavosh control ARCHIVE permit add www.example.org 'its owner agreed'    fetch what robots.txt forbids there; or: permit remove
    kavosh control ARCHIVE seeds add https://example.org/ https://example.net/
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
	cmd, err := c.command(rest)
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
func (c *controlCmd) command(words []string) (cmd engine.Command, err error) {
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
	case "workers", "delay", "delay-factor", "address-delay":
		example := " 2s"
		switch name {
		case "workers":
			example = " 32"
		case "delay-factor":
			example = " 5"
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
	case "seeds":
		if len(rest) < 2 || rest[0] != "add" {
			return cmd, usage("write it as kavosh control ARCHIVE seeds add URL…")
		}
		cmd.URLs, err = seenKeys(rest[1:])
		return cmd, err
	case "priority":
		if len(rest) < 2 {
			return cmd, usage("write it as kavosh control ARCHIVE priority URL… SCORE, such as … priority https://example.org/news 10; or … priority host HOST N; or … priority match RE N")
		}
		last := len(rest) - 1
		if cmd.Score, err = strconv.ParseFloat(dates.Digits(strings.Replace(rest[last], minus, "-", 1)), 64); err != nil || !(math.Abs(cmd.Score) <= mostScore) {
			return cmd, usage("%q is no score: write a number from -%[2]d to %[2]d at the end, such as 10 or -1", strings.Replace(rest[last], minus, "-", 1), int(mostScore))
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
	for _, text := range s.Alarms {
		fmt.Fprintf(&b, "  %-14s %s\n", "warning", text)
	}
	fmt.Fprintf(&b, "  %-14s %d\n", "workers", s.Workers)
	fmt.Fprintf(&b, "  %-14s %s a host, %s an address\n", "delay", s.Delay, s.AddressDelay)
	if s.DelayFactor > 0 {
		fmt.Fprintf(&b, "  %-14s %d\n", "delay factor", s.DelayFactor)
	}
	for _, list := range []struct {
		name string
		of   []string
	}{{"include", s.Include}, {"exclude", s.Exclude}} {
		for _, re := range list.of {
			fmt.Fprintf(&b, "  %-14s %s\n", list.name, re)
		}
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
	for _, more := range append([]string{c.Host, c.Value, c.Zone}, c.URLs...) {
		if more != "" {
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
