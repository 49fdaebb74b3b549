package main

// This file is the command kavosh crawl: from the plan of a crawl to a running engine.

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"os"

	"github.com/alecthomas/kong"

	"kavosh/archive"
	"kavosh/engine"
	"kavosh/frontier/order"
	"kavosh/judge"
	"kavosh/lib/units"
	"kavosh/plan"
	"kavosh/schedule"
	"kavosh/seeds"
)

// flagGroups are the headings over the flags of commands, above all of kavosh crawl.
var flagGroups = []kong.Group{
	{Key: "what", Title: "What to crawl:"},
	{Key: "scope", Title: "How far to go:"},
	{Key: "limits", Title: "When to stop (the crawl can be resumed):"},
	{Key: "again", Title: "Going on, to follow what changes:"},
	{Key: "polite", Title: "Politeness:"},
	{Key: "network", Title: "The way to the servers:"},
	{Key: "keep", Title: "What is kept:"},
	{Key: "watch", Title: "Watching:"},
	{Key: "only", Title: "Print only:"},
	{Key: "change", Title: "Change what waits:"},
}

type crawlCmd struct {
	plan.Plan

	Resume  resume   `first:"yes" group:"what" help:"Go on with the latest unfinished crawl of the archive, or with --resume=ID. Limits, delays, workers and the way to the servers may change."`
	Config  string   `group:"what" placeholder:"FILE" help:"Read flags from a TOML file, under the same names. The command line beats the file."`
	Explain []string `group:"scope" sep:"none" placeholder:"URL|-" help:"Do not crawl: say of this URL (- reads them from standard input) whether it would be in scope, and by which rule. May be repeated."`
	DryRun  *int     `name:"dry-run" group:"scope" least:"1" most:"10000" placeholder:"N" help:"Do not keep anything: fetch at most N pages politely into a temporary folder, and show as a tree what would be taken, what left out and by which rule, with robots.txt, limits and traps asked."`

	typed map[string]bool // the keys that were given on the command line
	said  plan.Plan       // what was given there
	file  []byte          // of --config
}

// Help returns the text above the flags in the help.
func (crawlCmd) Help() string {
	return `Examples:

    kavosh crawl https://example.org/                        one site, politely, into ./example.org.kavosh
    kavosh crawl --archive news --scope domain --max-time 2h https://example.org/
    kavosh crawl --archive news --seeds seeds.txt --contact you@library.example
    kavosh crawl --archive news --starts 'daily 03:00' https://example.org/   every night
    kavosh crawl --archive news --resume                     go on after Ctrl-C, a crash or a full disk
    kavosh crawl --browser always https://example.org/app     what scripts load is kept, too, of every page
    kavosh crawl --revisit gain,budget=500,period=1h https://example.org/   go on, and look again where something changes
    kavosh crawl --revisit once https://example.org/          visit each page twice: which fit together?
    kavosh crawl --patch --archive news                       fetch the pictures, styles, … that pages of the archive lack
    kavosh crawl --patch incoherent --archive news            visit the pages again that do not fit the others in time
    kavosh crawl --explain https://example.org/a https://example.org/   would it be in scope?
    kavosh crawl --dry-run 20 https://example.org/            what would it take, and what leave out?
    kavosh crawl --delay 0 --connect-to ::127.0.0.1:8091 https://example.org/   your own copy of a web

Exit status: 0 done, 1 failed, 2 wrong use, 3 nothing recorded from any seed, 130 interrupted (resumable).`
}

// AfterApply makes the plan. The command line counts before the file of --config, and that before the crawl that is
// resumed. Of such a crawl, what kavosh control may have changed is not in the plan but comes as commands after it.
func (c *crawlCmd) AfterApply(ctx *kong.Context) error {
	c.typed = map[string]bool{}
	for _, part := range ctx.Path {
		switch {
		case part.Flag != nil:
			c.typed[part.Flag.Name] = true
		case part.Positional != nil:
			c.typed[part.Positional.Name] = true
		}
	}
	if c.Config != "" {
		var err error
		if c.file, err = os.ReadFile(c.Config); err != nil {
			return fmt.Errorf("cannot read the settings: %w", err)
		}
	}
	c.said = c.Plan
	if err := c.over(plan.New(), c.typed); err != nil {
		return err
	}
	if c.Resume.Set {
		return c.goOn()
	}
	return c.Check()
}

// over makes the plan anew: what is below, then the file, then the keys of the command line that names has.
func (c *crawlCmd) over(below *plan.Plan, names map[string]bool) error {
	c.Plan = *below
	if err := c.Read(c.Config, c.file); err != nil {
		return err
	}
	c.Take(&c.said, names)
	return nil
}

// goOn makes the plan that of the crawl that c.Resume names.
func (c *crawlCmd) goOn() error {
	begun, err := begunPlan(c.Archive, c.Resume.ID)
	if err != nil {
		return err
	}
	if err := c.over(begun, c.typed); err != nil {
		return err
	}
	if err := cmp.Or(c.GoesOnFrom(begun), c.Check()); err != nil {
		return err
	}
	stays := maps.Clone(c.typed)
	for _, k := range plan.Keys() {
		if k.Change == "run" {
			delete(stays, k.Name)
		}
	}
	return c.over(begun, stays)
}

// Run runs the crawl that the plan describes.
func (c *crawlCmd) Run(p *program) error {
	if len(c.Prefer) == 1 && c.Prefer[0] == "help" {
		_, err := io.WriteString(p.out, judge.Help())
		return err
	}
	if c.Order == "help" {
		_, err := io.WriteString(p.out, order.Help())
		return err
	}
	if c.Revisit == "help" {
		_, err := io.WriteString(p.out, schedule.Help())
		return err
	}
	if !c.Starts.None() && c.Revisit != "" {
		return usage("--starts begins one crawl after the other, and --revisit lets one go on: leave one of them out")
	}
	if !c.Starts.None() && len(c.Explain) == 0 && c.DryRun == nil {
		return c.byCalendar(p)
	}
	return c.once(p)
}

// once runs one crawl.
func (c *crawlCmd) once(p *program) error {
	list, err := engine.OpenSeeds(&c.Plan, p.in, func(text string) { fmt.Fprintln(p.err, "kavosh:", text) })
	if err != nil {
		return err
	}
	defer list.Close()
	switch {
	case len(c.Explain) > 0:
		return c.explain(p, list)
	case c.DryRun != nil && c.Patch != plan.NoPatch:
		return usage("--dry-run does not go with --patch: kavosh quality %s --urls lists what --patch asks for", quoted(c.Archive))
	case list.First == "" && !c.Resume.Set && c.Patch == plan.NoPatch:
		return usage("what to crawl? name a URL, such as kavosh crawl https://example.org/, or a file with --seeds")
	}
	profiles, keep, err := loadProfiles(p, c.Profile, c.Passphrase)
	if err != nil {
		return err
	}
	logins, err := engine.NewLogins(profiles, keep)
	if err != nil {
		return usage("%v", err)
	}
	opts, done, err := engine.FromPlan(&c.Plan, list, logins, version())
	if err != nil {
		return err
	}
	defer done()
	opts.Compare = comparer{}
	if opts.Resume, opts.ID = c.Resume.Set, c.Resume.ID; c.Resume.Set {
		opts.Commands = c.commands()
	}
	if c.Patch == plan.Missing && !c.Resume.Set && engine.Running(c.Archive) {
		return join(p, opts, c.JSON)
	}
	c.warn(p, list)
	if c.DryRun != nil {
		opts.Revisits = nil // it ends
		if opts.BrowserAuto {
			opts.Browser = nil // it shows what the crawl would take by its first links
		}
		return c.dry(p, opts)
	}
	var page *statusPage
	if c.Status != "" {
		if page, err = startStatus(c.Status, c.Archive, c.Host); err != nil {
			return err
		}
		defer page.close()
	}
	return runCrawl(p, opts, page, c.JSON)
}

// join lets the crawl that runs on the archive ask for what pages lack.
func join(p *program, opts engine.Options, asJSON bool) error {
	ctx, stop := p.interruptible(nil)
	defer stop()
	line := newProgress(p.err)
	opts.Events.Measuring = line.read
	joined, err := engine.Join(ctx, opts, whoami())
	line.stop()
	switch {
	case err != nil:
		return err
	case asJSON:
		return printJSON(p.out, joined)
	case joined.Parts == 0:
		_, err = fmt.Fprintln(p.out, "A crawl runs on this archive, whose pages lack nothing that could be asked for.")
	default:
		_, err = fmt.Fprintf(p.out, "Crawl %s runs on this archive, and asks for %s that pages lack, but for what it has asked for already.\n", joined.ID, plural(joined.Parts, "part"))
	}
	return err
}

// warn prints what a considerate operator would want to know before the crawl starts.
func (c *crawlCmd) warn(p *program, list *seeds.List) {
	if list.Public && c.Contact == "" && len(c.ConnectTo) == 0 && !c.Resume.Set {
		fmt.Fprintln(p.err, "kavosh: say who you are with --contact URL|MAIL, so that the owners of the servers can reach you")
	}
	if c.Robots == "record" {
		fmt.Fprintf(p.err, "kavosh: what robots.txt forbids is fetched anyway; the recorded reason: %s\n", c.Reason)
	}
	permits := c.Permit
	if c.Resume.Set {
		permits = c.said.Permit
	}
	for _, permit := range permits {
		fmt.Fprintf(p.err, "kavosh: what robots.txt forbids is fetched anyway of %s; the recorded reason: %s\n", permit.Target, permit.Reason)
	}
	if c.KeepSecrets {
		fmt.Fprintln(p.err, "kavosh: credentials and cookies are recorded (--keep-secrets): whoever gets the WARC files or an export of them can use them")
	}
}

// runCrawl runs the engine with its progress line, its control socket and (if page is not nil) its status page, and
// prints the report.
func runCrawl(p *program, opts engine.Options, page *statusPage, asJSON bool) error {
	watch := newProgress(p.err)
	opts.Events = engine.Events{
		Started: func(id string, resumed bool) {
			if resumed {
				watch.say("going on with crawl %s of %s", id, opts.Archive)
			} else {
				watch.say("crawl %s into %s", id, opts.Archive)
			}
			switch r := opts.Revisits; {
			case r == nil:
			case r.Once:
				watch.say("--revisit once: when all is fetched, each page is visited once more, and the crawl ends")
			default:
				watch.say("--revisit %s: rounds of %s with %s each; it goes on until Ctrl-C", r.Spec, units.Span(r.Period), plural(r.Budget, "visit"))
			}
			switch {
			case opts.NoBrowser != nil:
				watch.say("--browser auto: scripts are not run, since %v", opts.NoBrowser)
			case opts.BrowserAuto:
				watch.say("--browser auto: Chromium loads pages where scripts find more")
			}
			if page != nil {
				page.begin(id, watch.say)
			}
		},
		Trouble:   func(text string) { watch.say("%s", text) },
		Measuring: watch.read,
		Progress: func(now func() engine.Status) {
			if page != nil {
				page.numbers.Show(now)
			}
			watch.start(now)
		},
	}
	faults := newSeedFaults(watch.say, opts.Archive)
	opts.Events.Finished = func(l archive.Line) { faults.line(&l) }
	opts.Control = engine.ListenControl
	ctx, stop := p.interruptible(func() {
		watch.say("stopping: finishing what is in flight; Ctrl-C again stops at once")
	})
	defer stop()
	boundGarbage()
	report, err := engine.Run(ctx, opts)
	watch.stop()
	if report != nil {
		if werr := writeReport(p.out, report, opts.Archive, asJSON); werr != nil && err == nil {
			err = werr
		}
	}
	switch {
	case err != nil:
		return err
	case report.End == "interrupted":
		return exitStatus(exitInterrupted)
	case report.End == "login":
		watch.say("all that is left waits for a login: make the profile anew by kavosh profile, then kavosh crawl --archive %s --resume", quoted(opts.Archive))
		return exitStatus(exitInterrupted)
	case report.Patch != nil && (report.Recorded > 0 || report.Patch.Nothing()):
		return nil
	case report.Patch != nil:
		what := "parts"
		if report.Patch.Together != nil {
			what = "pages"
		}
		watch.say("none of the %s could be had: kavosh log %s tells why", what, quoted(opts.Archive))
		return exitStatus(exitNothing)
	case report.SeedsKept == 0:
		if why := faults.final(); why != "" {
			watch.say("%s", why)
		}
		watch.say("nothing was recorded from any seed: kavosh log %s tells why", quoted(opts.Archive))
		return exitStatus(exitNothing)
	}
	return nil
}
