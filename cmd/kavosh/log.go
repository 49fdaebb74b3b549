package main

// This file is the command kavosh log: it prints crawl.log in the columns of Heritrix.

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh"
	"kavosh/archive"
	"kavosh/internal/clock"
	"kavosh/internal/journal"
	"kavosh/quality"
)

type logCmd struct {
	target
	Args   []string `arg:"" optional:"" name:"archive" help:"The archive's folder."`
	Crawl  string   `placeholder:"ID" help:"The crawl; default the latest."`
	Crawls bool     `help:"List the archive's crawls instead."`
	JSON   bool     `name:"json" help:"Print the lines as they are stored, one JSON object each."`
	Follow bool     `help:"Go on with what a running crawl adds, until interrupted."`

	Status  []string `group:"only" placeholder:"STATUS" help:"Lines with this status: a code (404), a class of codes (4xx), an outcome (recorded, failed, refused, retry, dropped) or a kind of failure (dns, robots). May be repeated: any of them will do."`
	Host    []string `group:"only" placeholder:"NAME" help:"URLs of this host; with a dot before it, of a domain: that name and all names below it. May be repeated."`
	StandIn []string `name:"standin" group:"only" placeholder:"WHAT" help:"Answers that stand in place of the page asked for: wall, consent, login, notfound, parked, or any of them. May be repeated."`
	Type    []string `group:"only" placeholder:"TYPE" help:"Answers of this media type: text/html, image/*, or a short name such as html, image, pdf. May be repeated."`
}

// Help returns the text above the flags in the help.
func (logCmd) Help() string {
	return `Examples:

    kavosh log example.org.kavosh                   the latest crawl
    kavosh log example.org.kavosh --follow          … as it goes on
    kavosh log example.org.kavosh --json | jq .url
    kavosh log example.org.kavosh --status 4xx,failed --host www.example.org
    kavosh log example.org.kavosh --type pdf        documents alone
    kavosh log example.org.kavosh --standin any     bot walls, pages to sign in, "not found" with status 200 …
    kavosh log example.org.kavosh --crawls          the archive's crawls

Columns, as in Heritrix's crawl.log: time, status, payload bytes, URL, path from the seed, via, type, #thread (always -), begin+milliseconds, digest, seed, notes. Where there is no HTTP status stands: -1 name not found, -2 no connection, -3 closed or reset, -4 timeout, -5 not HTTP or no TLS, -4000 trap, -5000 out of scope, -5001 address not public, -5003 a limit of ours, -9998 robots.txt.`
}

// Run prints a crawl's log, or the list of crawls.
func (c *logCmd) Run(p *program) error {
	dir, rest, err := c.archive(c.Args)
	if err != nil {
		return err
	}
	if len(rest) > 0 {
		return usage("kavosh log takes one archive; %q is too much", rest[0])
	}
	wanted, err := newLogFilter(c.Status, c.Host, c.StandIn, c.Type)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(p.out)
	if c.Crawls {
		crawls, err := archive.Crawls(vfs.Default, dir)
		if err != nil {
			return err
		}
		listCrawls(out, crawls, archive.Anomalies(vfs.Default, dir, crawls))
		return out.Flush()
	}
	info, err := crawlOf(dir, c.Crawl)
	if err != nil {
		return err
	}
	ctx, stop := p.interruptible(nil)
	defer stop()
	for position := int64(0); ; {
		if position, err = c.print(out, wanted, vfs.Default.PathJoin(dir, "crawls", info.ID, archive.CrawlLogFile), position); err != nil {
			return err
		}
		if err := out.Flush(); err != nil || !c.Follow {
			return err
		}
		if (clock.Real{}).Sleep(ctx, time.Second/2) != nil {
			return nil // following always ends by an interrupt
		}
	}
}

// print prints the wanted lines of the log from position on, and returns where it stopped.
func (c *logCmd) print(out io.Writer, wanted *logFilter, path string, position int64) (int64, error) {
	for e, err := range journal.Read(vfs.Default, path, position) {
		if err != nil {
			return position, err
		}
		position = e.Next
		var l archive.Line
		if !c.JSON || wanted.some() {
			if l, err = archive.ReadLine(e.Line); err != nil {
				return position, fmt.Errorf("%s is damaged before byte %d: %w", path, e.Next, err)
			}
		}
		if !wanted.matches(&l) {
			continue
		}
		if c.JSON {
			_, err = fmt.Fprintf(out, "%s\n", e.Line)
		} else {
			_, err = io.WriteString(out, logLine(&l)+"\n")
		}
		if err != nil {
			return position, err
		}
	}
	return position, nil
}

// oddWords says in words how a crawl is unlike those before it.
var oddWords = map[quality.Odd]string{
	quality.Redesigned: "the site seems redesigned", quality.Cut: "pages seem to be missing",
	quality.Down: "the server seems to have been down", quality.Away: "the site seems to have moved",
}

func listCrawls(out io.Writer, crawls []archive.Crawl, odd map[string]quality.Odd) {
	for _, info := range crawls {
		end := info.End
		if end == "" {
			end = "running, or stopped without a report"
		}
		if info.Mends() {
			end = "patch, " + end
		}
		if words := oddWords[odd[info.ID]]; words != "" {
			end += "; " + words
		}
		fmt.Fprintf(out, "%s  %s  %s\n", info.ID, info.Started.Local().Format(time.DateTime), end)
	}
}

// heritrixStatus has the numbers of Heritrix's crawl.log for failures, which have no HTTP status.
var heritrixStatus = map[kavosh.Failure]int{
	kavosh.DNSFailure: -1, kavosh.ConnectFailure: -2, kavosh.ResetFailure: -3, kavosh.TimeoutFailure: -4,
	kavosh.ProtocolFailure: -5, kavosh.TLSFailure: -5, kavosh.TrapFailure: -4000, kavosh.BlockedAddress: -5001,
	kavosh.LimitFailure: -5003, kavosh.RobotsFailure: -9998,
}

// outOfScope is Heritrix's number for a URL that a scope rule leaves out.
const outOfScope = -5000

// statusOf returns the second column of a line.
func statusOf(l *archive.Line) int {
	if l.Status == 0 {
		if n, ok := heritrixStatus[l.Failure]; ok {
			return n
		}
		if l.Outcome == "refused" {
			return outOfScope
		}
	}
	return l.Status
}

// logLine returns a line in the columns of Heritrix's crawl.log.
func logLine(l *archive.Line) string {
	dash := func(s string) string {
		if s == "" {
			return "-"
		}
		return s
	}
	bytes, fetched := "-", "-"
	if l.Outcome == "recorded" {
		bytes = strconv.FormatInt(l.Size, 10)
	}
	if !l.Began.IsZero() {
		fetched = fmt.Sprintf("%s+%d", strings.Replace(l.Began.UTC().Format("20060102150405.000"), ".", "", 1), l.Took)
	}
	var notes []string
	if l.Outcome != "recorded" {
		notes = append(notes, l.Outcome)
	}
	if l.Attempt > 0 {
		notes = append(notes, fmt.Sprintf("%dt", l.Attempt+1))
	}
	if l.Revisit != "" {
		notes = append(notes, "duplicate:"+l.Revisit)
	}
	if l.Cut != "" {
		notes = append(notes, "cut:"+string(l.Cut))
	}
	text := strings.Join(notes, ",")
	if l.Forbids != "" {
		text = strings.TrimSpace(text + " forbidden by " + l.Forbids)
		if l.Permit != "" {
			text += " permitted: " + l.Permit
		}
	}
	if l.StandIn != kavosh.NoStandIn && l.Outcome != "retry" { // otherwise the reason says it
		text = strings.TrimSpace(text + " " + string(l.StandIn) + ": " + l.Sign)
	}
	if l.Reason != "" {
		text = strings.TrimSpace(text + " " + strings.Join(strings.Fields(l.Reason), " "))
	}
	if len(l.Notes) > 0 {
		text = strings.TrimSpace(text + " note: " + strings.Join(l.Notes, "; "))
	}
	return fmt.Sprintf("%s %5d %10s %s %s %s %s - %s %s %s %s", l.Time.UTC().Format("2006-01-02T15:04:05.000Z"), statusOf(l), bytes,
		l.URL, dash(l.Path), dash(l.Via), dash(l.MIME), fetched, dash(l.Digest), dash(l.Seed), dash(text))
}
