package main

import (
	"io"

	"github.com/alecthomas/kong"

	"kavosh/archive"
	"kavosh/engine"
	"kavosh/frontier/order"
	"kavosh/frontier/scope"
	"kavosh/judge"
)

// flagGroups are the headings in the help of kavosh crawl.
var flagGroups = []kong.Group{
	{Key: "what", Title: "What to crawl:"},
	{Key: "scope", Title: "How far to go:"},
	{Key: "limits", Title: "When to stop (the crawl can be resumed):"},
	{Key: "polite", Title: "Politeness:"},
	{Key: "network", Title: "The way to the servers:"},
	{Key: "keep", Title: "What is kept:"},
	{Key: "watch", Title: "Watching:"},
}

type crawlCmd struct {
	Seed []string `arg:"" optional:"" help:"URLs to begin with; a name such as example.org means https://example.org/."`

	Archive     string     `group:"what" placeholder:"DIR" help:"Folder of the archive, made if it is not there. Default: the first seed's host and .kavosh."`
	Seeds       []string   `group:"what" sep:"none" placeholder:"FILE|-" help:"Read seeds from a file, or from standard input: one URL a line, # begins a comment. May be repeated."`
	StrictSeeds bool       `group:"what" help:"Refuse a list of seeds that has a bad line. Otherwise the good ones begin, and the report and the log name the bad ones."`
	Resume      resume     `group:"what" help:"Go on with the latest unfinished crawl of the archive, or with --resume=ID. Limits, delays, workers and the way to the servers may change."`
	Config      configFile `group:"what" placeholder:"FILE" help:"Read flags from a TOML file, under the same names. The command line beats the file."`

	Scope        scope.Mode `group:"scope" enum:"page,prefix,host,domain,any" default:"host" placeholder:"MODE" help:"page: the seeds alone; prefix: below a seed's folder; host (default): the seeds' hosts; domain: their public suffix plus one label; any: the whole web. Pictures, styles and scripts of a page come along always."`
	Include      []string   `group:"scope" sep:"none" placeholder:"RE" help:"Also take URLs in which this regular expression is found. May be repeated."`
	Exclude      []string   `group:"scope" sep:"none" placeholder:"RE" help:"Leave out URLs in which this regular expression is found; beats everything else. May be repeated."`
	MaxHops      hops       `group:"scope" default:"unlimited" help:"Most clicks from a seed; 0 is the seeds alone."`
	HostBudget   int        `group:"scope" default:"0" placeholder:"N" help:"Ask each host for at most so many pages in a round, robots.txt not counted; the rest waits until all others have had theirs, then a new round begins. 0 is no limit."`
	DomainBudget int        `group:"scope" default:"0" placeholder:"N" help:"The same for a domain: all hosts of a public suffix plus one label."`
	QueryBudget  int        `group:"scope" default:"10000" placeholder:"N" help:"Take at most so many different queries (what follows the ?) of one path from pages, and count more as a trap; 10,000 by default, 0 is no limit. Seeds and sitemaps are free of it."`
	Prefer       []string   `group:"scope" sep:"none" placeholder:"KIND=VALUE" help:"What the crawl is after, so that it comes first and is counted: language=CODE, keyword=WORD, query=WORDS, topic=FILE, model=FILE, rdf, re=RE; --prefer help explains them. May be repeated: any of them will do."`
	Only         []string   `group:"scope" sep:"none" placeholder:"KIND=VALUE" help:"What the archive keeps, in the words of --prefer: of other pages it keeps a note with address, digest and verdict. Their links are followed. Without --prefer it is also what comes first."`
	LanguageID   string     `group:"scope" name:"language-id" enum:"all,text,tag,published" default:"all" placeholder:"all|text|tag|published" help:"What language=CODE goes by: all (default), the text alone, the declared language alone, or the published method for Persian, to compare with."`
	Order        string     `group:"scope" placeholder:"NAME[,key=value…]" help:"What to fetch first: ${orders}; --order help explains them. Default: breadth; with --prefer reinforce-linear, with --prefer rdf rdf-learn."`
	ContextGraph string     `group:"scope" placeholder:"FILE" help:"What the order context-graph goes by: a model that kavosh judge context-graph made."`
	RDFLinks     string     `group:"scope" name:"rdf-links" enum:"special,seealso,all" default:"special" placeholder:"special|seealso|all" help:"special (default) follows from RDF documents what they name to go on with, by rdfs:seeAlso, owl:sameAs, rdfs:isDefinedBy, owl:imports and VoID, where the crawl's purpose or order is RDF; seealso follows rdfs:seeAlso alone; all follows every URI in them."`
	Negotiate    bool       `group:"scope" help:"Ask for RDF by Accept, too: of seeds, of URLs whose server says that it chooses by Accept or answers 303, and of URLs that RDF documents name. Page and RDF are both kept; a URL whose path ends in a file's extension is asked for once, as ever."`
	Nofollow     string     `group:"scope" enum:"obey,ignore" default:"obey" placeholder:"obey|ignore" help:"obey (default) leaves out links that their page asks robots not to follow; ignore takes them."`
	Explain      []string   `group:"scope" sep:"none" placeholder:"URL|-" help:"Do not crawl: say of this URL (- reads them from standard input) whether it would be in scope, and by which rule. May be repeated."`

	MaxPages int64 `group:"limits" default:"0" help:"Begin no page after so many finished ones, finish what these show (pictures, styles, scripts, frames), and stop. robots.txt, sitemaps and feeds are no pages; 0 is no limit."`
	MaxURLs  int64 `group:"limits" name:"max-urls" default:"0" help:"Stop after so many finished URLs, pictures and all, robots.txt and DNS not counted; 0 is no limit."`
	MaxTime  span  `group:"limits" default:"0" help:"Stop after this time, such as 30m, 8h or 2d; 0 is no limit."`
	MaxBytes size  `group:"limits" default:"0" help:"Stop after this much was recorded, such as 500MB or 20GiB; 0 is no limit."`
	MinFree  size  `group:"limits" default:"256MiB" help:"Stop when less than this is free on the archive's disk."`

	Workers      int    `group:"polite" default:"16" least:"1" most:"10000" help:"Requests at once, over all hosts."`
	Delay        span   `group:"polite" default:"1s" help:"Least time from the end of a host's answer to the next request to it. 0 is for your own servers."`
	AddressDelay *span  `group:"polite" placeholder:"100ms" help:"The same for an address, which many hosts may share; 0 under --connect-to."`
	Robots       string `group:"polite" enum:"obey,record" default:"obey" placeholder:"obey|record" help:"obey (default); record keeps robots.txt and fetches what it forbids all the same; it needs --reason."`
	Reason       string `group:"polite" placeholder:"TEXT" help:"Why --robots record is right here, such as a legal deposit act or the owner's permission. Kept in the archive."`
	UserAgent    string `group:"polite" placeholder:"TEXT" help:"The whole User-Agent field. robots.txt is read for its first word, or the one after (compatible; . Default: kavosh, its version and --contact."`
	Contact      string `group:"polite" placeholder:"URL|MAIL" help:"Where the owner of a server can reach you; sent with every request."`

	ConnectTo    []string  `group:"network" sep:"none" placeholder:"H:P:H2:P2" help:"Connect to H2:P2 instead of H:P, as curl does; an empty H or P is any. May be repeated."`
	AllowPrivate []network `group:"network" sep:"none" placeholder:"CIDR" help:"Open a range of addresses that are not public, such as 10.0.0.0/8. May be repeated."`
	TLS          string    `group:"network" name:"tls" enum:"capture,strict" default:"capture" placeholder:"capture|strict" help:"capture (default) fetches from servers with invalid certificates and notes it; strict refuses."`
	Proxy        string    `group:"network" placeholder:"URL" help:"Go by way of a proxy: http://, https:// or socks5://, with user:password@ if it asks."`
	HTTP         string    `group:"network" name:"http" enum:"1.1,2" default:"2" placeholder:"1.1|2" help:"2 (default) speaks HTTP/2 with servers that prefer it; 1.1 never does."`
	Header       []string  `group:"network" sep:"none" placeholder:"\"NAME: VALUE\"" help:"Send this field too. May be repeated. One that gives access to something, such as Cookie or Authorization, goes to the origin of the seeds alone, and is not recorded."`
	Credentials  string    `group:"network" placeholder:"FILE" help:"Users and passwords, cookies and the like by origin, from a TOML file; the environment's KAVOSH_CREDENTIALS has the text of one. They go to no other host and are not recorded."`
	KeepSecrets  bool      `group:"network" help:"Record credentials and cookies in the requests of the WARC files, where everybody who gets these can read them."`
	DNS          []string  `group:"network" name:"dns" sep:"none" placeholder:"SERVER" help:"Ask this name server instead of the system's. May be repeated."`

	Browser     string  `group:"keep" enum:"never,always" default:"never" placeholder:"never|always" help:"always loads every page in Chromium, too, by way of the crawl, so that what only scripts ask for is kept; it takes some seconds a page. never (default) reads links from scripts without running them. Needs apt-get install chromium."`
	Digest      string  `group:"keep" enum:"sha256,sha1" default:"sha256" placeholder:"sha256|sha1" help:"Algorithm of the digests; sha256 by default."`
	Compression packing `group:"keep" default:"gzip" placeholder:"gzip|zstd[:LEVEL]" help:"How records are compressed: gzip (default), which every tool reads, or zstd, with a level if you like: gzip:6 is smaller and slower."`
	MaxBody     size    `group:"keep" default:"1GiB" help:"Cut bodies that are larger, and note it in the record."`

	NearDuplicates bool     `group:"watch" help:"Compare the text of every page with those before it, and note in the log and the report which say nearly the same."`
	JSON           bool     `group:"watch" name:"json" help:"Print the report as one JSON object on standard output."`
	Status         string   `group:"watch" placeholder:"ADDR" help:"Serve a live page, /metrics for Prometheus and /status.json at this address, such as :8090 (this machine only unless a host is named)."`
	Host           []string `group:"watch" sep:"none" placeholder:"NAME" help:"Answer to this host name at --status, too, such as that of a proxy in front. May be repeated."`

	hadSecrets string // of the crawl that is resumed, as keptSecrets has it
}

// Help is shown above the flags.
func (crawlCmd) Help() string {
	return `Examples:

    kavosh crawl https://example.org/                        one site, politely, into ./example.org.kavosh
    kavosh crawl --archive news --scope domain --max-time 2h https://example.org/
    kavosh crawl --archive news --seeds seeds.txt --contact you@library.example
    kavosh crawl --archive news --resume                     go on after Ctrl-C, a crash or a full disk
    kavosh crawl --browser always https://example.org/app     what scripts load is kept, too
    kavosh crawl --explain https://example.org/a https://example.org/   would it be in scope?
    kavosh crawl --delay 0 --connect-to ::127.0.0.1:8091 https://example.org/   your own copy of a web

Exit status: 0 done, 1 failed, 2 wrong use, 3 nothing recorded from any seed, 130 interrupted (resumable).`
}

// BeforeResolve lets the file named by --config give flags their values, and below it the crawl that is resumed.
func (c *crawlCmd) BeforeResolve(ctx *kong.Context) error {
	given := flagsGiven(ctx)
	var file map[string]any
	if f := given["config"]; f != nil {
		path := string(ctx.FlagValue(f).(configFile))
		var err error
		if file, err = readSettings(ctx, path); err != nil {
			return err
		}
		defer ctx.AddResolver(settings{path, file}) // the last one asked has the last word
	}
	if f := given["resume"]; f != nil {
		archive, _ := file["archive"].(string)
		if f := given["archive"]; f != nil {
			archive = ctx.FlagValue(f).(string)
		}
		crawl, err := resumeSettings(ctx, archive, ctx.FlagValue(f).(resume).ID, given, file)
		c.hadSecrets = crawl.Config[keptSecrets]
		return err
	}
	return nil
}

// Run crawls.
func (c *crawlCmd) Run(p *program, ctx *kong.Context) error {
	if len(c.Prefer) == 1 && c.Prefer[0] == "help" {
		_, err := io.WriteString(p.out, judge.Help())
		return err
	}
	if c.Order == "help" {
		_, err := io.WriteString(p.out, order.Help())
		return err
	}
	list, err := c.readSeeds(p)
	if err != nil {
		return err
	}
	defer list.close()
	if len(c.Explain) > 0 {
		return c.explain(p, list)
	}
	opts, err := c.options(list, configText(ctx))
	if err != nil {
		return err
	}
	if c.Resume.Set {
		opts.Commands = c.commands(flagsGiven(ctx))
	}
	if c.Browser == "always" {
		b, err := newBrowser(opts)
		if err != nil {
			return err
		}
		defer b.Close()
		opts.Browser = b
	}
	c.warn(p, list)
	var page *statusServer
	if c.Status != "" {
		if page, err = startStatus(c.Status, c.Host); err != nil {
			return err
		}
		defer page.close()
	}
	return runCrawl(p, opts, page, c.JSON)
}

// runCrawl runs the engine with everything that one watches it by, page too unless it is nil, and says what came of it.
func runCrawl(p *program, opts engine.Options, page *statusServer, asJSON bool) error {
	watch := newProgress(p.err)
	opts.Events = engine.Events{
		Started: func(id string, resumed bool) {
			if resumed {
				watch.say("going on with crawl %s of %s", id, opts.Archive)
			} else {
				watch.say("crawl %s into %s", id, opts.Archive)
			}
		},
		Trouble: func(text string) { watch.say("%s", text) },
		Progress: func(now func() engine.Status) {
			if page != nil {
				page.show(now)
				watch.say("watch it at %s", page.url)
			}
			watch.start(now)
		},
	}
	faults := newSeedFaults(watch.say, opts.Archive)
	opts.Events.Finished = func(l archive.Line) { faults.line(&l) }
	opts.Control = listenControl
	ctx, stop := p.interruptible(func() {
		watch.say("stopping: finishing what is in flight; Ctrl-C again stops at once")
	})
	defer stop()
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
	case report.SeedsKept == 0:
		if why := faults.final(); why != "" {
			watch.say("%s", why)
		}
		watch.say("nothing was recorded from any seed: kavosh log %s tells why", quoted(opts.Archive))
		return exitStatus(exitNothing)
	}
	return nil
}
