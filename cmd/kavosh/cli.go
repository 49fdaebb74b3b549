package main

// This file lists the subcommands, parses command lines, and turns errors into messages and exit statuses.

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"

	"kavosh/frontier/order"
	"kavosh/lib/units"
	"kavosh/plan"
	"kavosh/schedule"
)

// These are the exit statuses. They stay the same, because scripts depend on them.
const (
	exitDone        = 0
	exitFailed      = 1
	exitUsage       = 2
	exitNothing     = 3   // nothing was recorded from any seed
	exitInterrupted = 130 // interrupted; the crawl can be resumed
)

// cli is the command line. Each field is a subcommand; the tag part names its heading in the help.
type cli struct {
	Demo       demoCmd       `cmd:"" part:"crawl" help:"Crawl a small built-in web and show the result. Needs no network."`
	Crawl      crawlCmd      `cmd:"" part:"crawl" help:"Crawl from seeds into an archive, or go on with a crawl that was stopped."`
	Control    controlCmd    `cmd:"" part:"crawl" help:"Tell a running crawl what to do: pause, other delays, more seeds, hold a host …"`
	Queue      queueCmd      `cmd:"" part:"crawl" help:"List, count or change what waits to be asked for, with when and why."`
	Report     reportCmd     `cmd:"" part:"crawl" help:"Print the report of a crawl again."`
	Log        logCmd        `cmd:"" part:"crawl" help:"Print a crawl's log, one line a URL."`
	Why        whyCmd        `cmd:"" part:"crawl" help:"Say why a URL was or was not fetched, and where its records are."`
	Behaviours behavioursCmd `cmd:"" part:"crawl" help:"List what the browser does on pages, and check packs of such rules."`
	Profile    profileCmd    `cmd:"" part:"crawl" help:"Logins for crawls: log in with a browser once, and crawl what you see there."`
	Identity   identityCmd   `cmd:"" part:"crawl" help:"Keys that sign the requests of crawls, so that servers know whose they are."`

	Serve    serveCmd    `cmd:"" part:"show" help:"Show archives in a browser: replay, calendar, Memento, index queries."`
	Search   searchCmd   `cmd:"" part:"show" help:"Find pages and pictures of an archive by their words."`
	Change   changeCmd   `cmd:"" part:"show" help:"Say what changed on a page, or between two crawls, and how much it matters."`
	Quality  qualityCmd  `cmd:"" part:"show" help:"Say which parts of its pages an archive lacks, worst first, and which are of another time."`
	Watch    watchCmd    `cmd:"" part:"show" help:"Tell by feed or webhook what changes on a page, or a part of it."`
	Render   renderCmd   `cmd:"" part:"show" help:"Make a picture, the text or the boxes of a captured page, as it is replayed."`
	Describe describeCmd `cmd:"" part:"show" help:"Give an archive a title, a description and a picture, in English and Persian."`
	Access   accessCmd   `cmd:"" part:"show" help:"Say who may see what of an archive: takedowns, embargoes, on-site reading …"`
	Token    tokenCmd    `cmd:"" part:"show" help:"Make tokens by which programs fetch an archive's WARC files."`

	Check   checkCmd   `cmd:"" part:"keep" help:"Check an archive, or loose WARC, ARC and WACZ files. Never writes."`
	Repair  repairCmd  `cmd:"" part:"keep" help:"Copy the undamaged records of a damaged file to a new one."`
	Rebuild rebuildCmd `cmd:"" part:"keep" help:"Make an archive's log and index anew from its WARC files."`
	Import  importCmd  `cmd:"" part:"keep" help:"Copy WACZ, WARC and ARC files that others made into an archive, checked."`
	Export  exportCmd  `cmd:"" part:"keep" help:"Export an archive for other programs: as a WACZ file, as tables, or the texts of its pages."`

	Characterise characteriseCmd `cmd:"" part:"study" help:"Say what an archive's part of the web is like: languages, domains, sizes, links, servers …"`
	Rdf          rdfCmd          `cmd:"" part:"study" help:"Statements of the semantic web that an archive, or RDF files, hold: count, find, export."`
	Seeds        seedsCmd        `cmd:"" part:"study" help:"Propose seeds for a new crawl, by what an archive holds: hosts that it lacks, hubs, searches."`
	Judge        judgeCmd        `cmd:"" part:"study" help:"Train models that tell relevant pages from others, and try them."`
	Lab          labCmd          `cmd:"" part:"study" help:"Compare crawl orders on stored webs."`

	Man        manCmd        `cmd:"" part:"more" help:"Write the manual page of all commands."`
	Completion completionCmd `cmd:"" part:"more" help:"Write a script by which bash, zsh or fish completes commands and flags."`
	Version    versionCmd    `cmd:"" part:"more" help:"Print the version."`
}

const tour = `Kavosh crawls a part of the web, keeps what it saw as a web archive (WARC), and shows it again.

    kavosh demo                                a first look, without network
    kavosh crawl https://example.org/          crawl one site into ./example.org.kavosh
    kavosh serve example.org.kavosh            browse what was crawled
    kavosh why example.org.kavosh URL          why a page is there, or is not`

// program is what a subcommand may use of its process.
type program struct {
	in       io.Reader
	out, err io.Writer // for people; characters that control a terminal are made visible
	data     io.Writer // for programs; unchanged, unless it is a terminal
	atOnce   func()    // called before a second Ctrl-C ends the process; may be nil
	allHelp  bool      // help shows all flags, and not only the first ones
}

// usageError is a mistake on the command line. The exit status is 2.
type usageError struct{ text string }

func (e usageError) Error() string { return e.text }

func usage(format string, args ...any) error { return usageError{fmt.Sprintf(format, args...)} }

// exitStatus ends the program with a status, when everything was said already.
type exitStatus int

func (e exitStatus) Error() string { return fmt.Sprintf("exit status %d", int(e)) }

// grammar returns what the parser of a command line fills: a cli, or one with the named subcommand alone, which is made in a
// tenth of the time. Manual pages and completions are made of all subcommands.
func grammar(args []string) any {
	all := reflect.TypeFor[cli]()
	for i := range all.NumField() {
		field := all.Field(i)
		if len(args) > 0 && strings.EqualFold(field.Name, args[0]) && field.Name != "Man" && field.Name != "Completion" {
			return reflect.New(reflect.StructOf([]reflect.StructField{{Name: field.Name, Type: field.Type, Tag: field.Tag}})).Interface()
		}
	}
	return new(cli)
}

// newParser returns the parser of the command line, which fills what grammar returned.
func newParser(grammar any, p *program) (*kong.Kong, error) {
	parser, err := kong.New(grammar,
		kong.Name("kavosh"),
		kong.Description(tour),
		kong.Writers(p.out, p.err),
		kong.Help(p.help),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, NoAppDescFormat: true, WrapUpperBound: 110}),
		kong.ExplicitGroups(flagGroups),
		kong.Vars{"orders": order.Names(), "schedules": schedule.Names()},
		kong.TypeMapper(reflect.TypeFor[plan.Patch](), patchFlag{}),
		kong.Bind(p),
	)
	if err != nil {
		return nil, err
	}
	groupCommands(parser.Model.Node)
	parser.Model.HelpFlag.Help = "Show this help."
	return parser, nil
}

// parse parses a command line with a grammar.
func parse(grammar any, p *program, args []string) (*kong.Kong, *kong.Context, error) {
	parser, err := newParser(grammar, p)
	if err != nil {
		return nil, nil, err
	}
	ctx, err := parser.Parse(flagsFirst(parser.Model.Node, withMinus(args)))
	return parser, ctx, err
}

// run runs the program and returns its exit status.
func run(args []string, p program) int {
	out, told := &visible{out: p.out}, &visible{out: p.err}
	defer told.flush()
	defer out.flush()
	if p.data = p.out; terminal(p.out) != nil {
		p.data = out
	}
	p.out, p.err = out, told
	switch {
	case len(args) == 0:
		args = []string{"--help"}
	case args[0] == "help":
		args = helpLast(args[1:])
	case args[0] == "--version":
		args = []string{"version"}
	}
	args, p.allHelp = helpAll(args)
	_, ctx, err := parse(grammar(args), &p, args)
	if err != nil {
		parser, _, again := parse(new(cli), &p, args) // other subcommands may have what was meant
		verb, err := mistake(parser, cmp.Or(again, err), args)
		all := ""
		if verb == "kavosh crawl" { // its short help has not all flags
			all = " all"
		}
		fmt.Fprintf(p.err, "kavosh: %s (see %s --help%s)\n", oneLine(err), verb, all)
		return exitUsage
	}
	if err := checkFlags(ctx); err != nil {
		return p.status(err)
	}
	return p.status(ctx.Run())
}

// checkFlags refuses numbers outside their bounds and words that are not among the choices, in flags and in files.
func checkFlags(ctx *kong.Context) error {
	for _, flag := range ctx.Flags() {
		if err := units.Check(flag.Target, flag.Tag.Get); err != nil {
			return usage("--%s %v", flag.Name, err)
		}
	}
	return nil
}

// mostScore is the largest score, positive or negative, that a person may give.
const mostScore = 1e9

var negative = regexp.MustCompile(`^-([0-9.])`)

// unwanted matches a word that kavosh search must not find.
var unwanted = regexp.MustCompile(`^-([^-h]|h.)`)

// minus replaces the minus sign of a negative number or an unwanted word, which the parser would take for a flag.
const minus = "\u2212"

// withMinus replaces the minus signs of negative numbers for kavosh control, log and queue, and of unwanted words for
// kavosh search, so that they can be arguments and values.
func withMinus(args []string) []string {
	what := map[string]*regexp.Regexp{"control": negative, "log": negative, "queue": negative, "search": unwanted}
	if len(args) == 0 || what[args[0]] == nil {
		return args
	}
	args = slices.Clone(args)
	for i := range args {
		args[i] = what[args[0]].ReplaceAllString(args[i], minus+"$1")
	}
	return args
}

// flagsFirst moves the arguments after the flags. The parser stops reading a list of arguments at the first flag after
// it, as in kavosh rdf match ARCHIVE --count PATTERN.
func flagsFirst(command *kong.Node, args []string) []string {
	var flags, rest []string
	for i := 0; i < len(args); i++ {
		arg := args[i]
		switch child := childOf(command, arg); {
		case arg == "--":
			return slices.Concat(flags, []string{arg}, rest, args[i+1:])
		case strings.HasPrefix(arg, "-") && arg != "-":
			n := 1
			if takesNext(command, arg, args[i+1:]) {
				n = 2
			}
			if i+n > len(args) { // its value is missing: the parser will say so
				return slices.Concat(flags, rest, args[i:])
			}
			flags = append(flags, args[i:i+n]...)
			i += n - 1
		case child != nil && len(rest) == 0:
			command = child
			flags = append(flags, arg)
		default:
			rest = append(rest, arg)
		}
	}
	return append(flags, rest...)
}

// childOf returns the subcommand with a name, or nil.
func childOf(command *kong.Node, name string) *kong.Node {
	for _, child := range command.Children {
		if child.Type == kong.CommandNode && child.Name == name {
			return child
		}
	}
	return nil
}

// takesNext reports whether the argument after a flag is its value; rest are those after it.
func takesNext(command *kong.Node, arg string, rest []string) bool {
	for _, group := range command.AllFlags(false) {
		for _, flag := range group {
			if arg == "--"+flag.Name || flag.Short != 0 && arg == "-"+string(flag.Short) {
				if _, ok := flag.Mapper.(patchFlag); ok {
					return len(rest) > 0 && isPatch(rest[0])
				}
				return !flag.IsBool() && !flag.IsCounter()
			}
		}
	}
	return false
}

// status prints an error and returns the exit status that it means.
func (p *program) status(err error) int {
	var (
		wrong  usageError
		plan   *plan.Mistake
		silent exitStatus
	)
	switch {
	case err == nil:
		return exitDone
	case errors.As(err, &silent):
		return int(silent)
	case errors.As(err, &wrong), errors.As(err, &plan):
		fmt.Fprintln(p.err, "kavosh:", oneLine(err))
		return exitUsage
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(p.err, "kavosh: interrupted")
		return exitInterrupted
	}
	fmt.Fprintln(p.err, "kavosh:", oneLine(err))
	return exitFailed
}

// oneLine returns an error on one line, without repeated parts. If the disk is full, it says what to do.
func oneLine(err error) string {
	var parts []string
	for line := range strings.Lines(err.Error()) {
		line = strings.Join(strings.Fields(line), " ")
		if !slices.ContainsFunc(parts, func(part string) bool { return strings.HasSuffix(part, line) }) {
			parts = append(parts, line)
		}
	}
	text := strings.Join(parts, " ")
	if diskFull.MatchString(text) && !strings.Contains(text, freeSpace) {
		text += ": " + freeSpace + ", then do it again"
	}
	return text
}

// diskFull matches what systems say when there is no more space, or no more files, or a quota is used up.
var diskFull = regexp.MustCompile(`no space left on device|disk quota exceeded|not enough space on the disk`)

const freeSpace = "free some space"

// interruptible returns a context that ends at the first Ctrl-C or SIGTERM. It then calls first, if that is not nil.
// The second one ends the program at once, as a kill does. The crawl can be resumed afterwards.
func (p *program) interruptible(first func()) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(context.Background())
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		select {
		case <-signals:
		case <-ctx.Done():
			return
		}
		if first != nil {
			first()
		}
		cancel()
		<-signals
		if p.atOnce != nil {
			p.atOnce()
		}
		fmt.Fprintln(p.err, "kavosh: stopped at once")
		os.Exit(exitInterrupted)
	}()
	return ctx, func() {
		signal.Stop(signals)
		cancel()
	}
}

// target is the archive that a command works on: the first argument, or --archive.
type target struct {
	Archive string `name:"archive" placeholder:"DIR" help:"The archive, when it is not the first argument."`
}

// split returns the archive's folder and the other arguments.
func (t target) split(args []string) (string, []string, error) {
	if t.Archive != "" {
		return t.Archive, args, missing(t.Archive)
	}
	if len(args) == 0 {
		return "", nil, usage("which archive? name the folder that kavosh crawl made, such as example.org.kavosh")
	}
	if len(args) == 2 && strings.Contains(args[0], "://") {
		if ok, err := isArchive(args[1]); err == nil && ok {
			return "", nil, usage("the archive goes first: write %s %s", args[1], args[0])
		}
	}
	return args[0], args[1:], missing(args[0])
}

// archive is like split, for a command that takes an archive and nothing else.
func (t target) archive(args []string) (string, []string, error) {
	dir, rest, err := t.split(args)
	if err == nil {
		err = anArchive(dir)
	}
	return dir, rest, err
}
