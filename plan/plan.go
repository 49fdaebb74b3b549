// Package plan says as data what a crawl is to do. The command line, settings files, what an archive keeps of a crawl,
// and what may change when the crawl is resumed all come from one struct. It reads no file itself.
//
// [Plan] declares each key once, in the tags of its field: its name, its possible values, its default, and when it may
// change. [New] returns a plan with all defaults. [Plan.Read] reads TOML or JSON, [OfKept] what an archive keeps, and
// the parser of command lines fills a plan too. [Plan.Check] says what is wrong, as a [Mistake] that names the key and
// the fix. engine.FromPlan makes a crawl of a plan. [Plan.ToTOML] and [Plan.ToJSON] write it, for another crawl.
package plan

import (
	"cmp"
	"reflect"
	"slices"
	"strings"

	"kavosh/frontier/order"
	"kavosh/frontier/scope"
	"kavosh/lib/units"
	"kavosh/schedule"
)

// Plan says what a crawl is to do. The tags of each field declare it. The parser of command lines (kong) reads
//
//	name          of the flag, and of the key in files
//	group         under which help shows it
//	placeholder   what help shows in place of a value
//	default       the value if none is given
//	help          what it means, for people
//
// and this package reads also
//
//	choice        the possible values, separated by commas
//	least, most   bounds of a number, if they differ from those of units.BoundsOf
//	pattern       "yes": it is a regular expression
//	change        "never": it stays the same when a crawl is resumed; "run": kavosh control can change it in a running crawl
//	kept          "no": the archive does not keep it, because it is not about the crawl but about its place or its display
//	told          "yes": readers of the archive may see the value, because it names no host and no URL
//	first         "yes": the short help shows it, which has some ten flags
//	secret        the part that is written nowhere: "password" of a URL, or "fields" that give access to something
type Plan struct {
	Seed []string `name:"seed" arg:"" optional:"" kept:"no" help:"URLs to begin with; a name such as example.org means https://example.org/."`

	Archive     string   `name:"archive" first:"yes" group:"what" placeholder:"DIR" kept:"no" help:"Folder of the archive, made if it is not there. Default: the first seed's host and .kavosh."`
	Seeds       []string `name:"seeds" first:"yes" group:"what" sep:"none" placeholder:"FILE|-" kept:"no" help:"Read seeds from a file, or from standard input: one URL a line, # begins a comment. A file whose name ends in .toml has a table [[seed]] for each, with url and perhaps rules, depth, extra-hops and priority of that seed alone. May be repeated."`
	StrictSeeds bool     `name:"strict-seeds" group:"what" kept:"no" help:"Refuse a list of seeds that has a bad line. Otherwise the good ones begin, and the report and the log name the bad ones."`

	Patch Patch `name:"patch" group:"what" change:"never" told:"yes" help:"Mend the archive: ask for what it lacks of its pages (kavosh quality lists that), and for what these parts need in turn, each once. No link is followed, and what kavosh access has closed is not asked for. Takes no seeds. Or incoherent: visit those pages again that are not known to have been there at the moment at which most were; of these, that which has not changed was."`

	Scope        scope.Mode   `name:"scope" first:"yes" group:"scope" choice:"page,prefix,host,domain,any" default:"host" placeholder:"MODE" change:"never" told:"yes" help:"page: the seeds alone; prefix: below a seed's folder; host (default): the seeds' hosts; domain: their public suffix plus one label; any: the whole web. Pictures, styles and scripts of a page come along always."`
	Include      []string     `name:"include" pattern:"yes" group:"scope" sep:"none" placeholder:"RE" change:"never" help:"Also take URLs in which this regular expression is found. May be repeated."`
	Exclude      []string     `name:"exclude" first:"yes" pattern:"yes" group:"scope" sep:"none" placeholder:"RE" change:"never" help:"Leave out URLs in which this regular expression is found; beats everything else. May be repeated."`
	Rule         []scope.Rule `name:"rule" group:"scope" sep:"none" placeholder:"LINE" change:"run" help:"Take or leave URLs by a rule, such as 'leave host=ads.example' or 'take surt=org,example)/docs/ hops<3': conditions are surt, host, domain, url, via, kind, type, hops and size. The first rule that matches decides, after --exclude and before --scope and --include. May be repeated."`
	MaxHops      Hops         `name:"max-hops" group:"scope" default:"unlimited" change:"never" told:"yes" help:"Most clicks from a seed; 0 is the seeds alone."`
	Since        Since        `name:"since" group:"scope" placeholder:"DATE|TIME" change:"never" told:"yes" help:"Of what sitemaps list, leave out what they say was not changed since then: a date such as 2026-03-01 or 1404/12/10, or a time before now such as 7d. What they say nothing of is taken."`
	SkipYounger  Younger      `name:"skip-younger" group:"scope" placeholder:"DATE|TIME|lastmod" change:"never" told:"yes" help:"Do not ask again for what the archive has and was visited since then: 7d, or a date. lastmod: nor for what its sitemap or feed says is as it was at the last visit, of sites that were right before; 7d,lastmod is both. Links are followed as the archive has them, and seeds, sitemaps and feeds are asked for always, since they tell of new pages."`
	HostBudget   int          `name:"host-budget" group:"scope" default:"0" placeholder:"N" told:"yes" help:"Ask each host for at most so many pages in a round, robots.txt not counted; the rest waits until all others have had theirs, then a new round begins. 0 is no limit."`
	DomainBudget int          `name:"domain-budget" group:"scope" default:"0" placeholder:"N" told:"yes" help:"The same for a domain: all hosts of a public suffix plus one label."`
	QueryBudget  int          `name:"query-budget" group:"scope" default:"10000" placeholder:"N" told:"yes" help:"Take at most so many different queries (what follows the ?) of one path from pages, and count more as a trap; 10,000 by default, 0 is no limit. Seeds and sitemaps are free of it."`
	Prefer       []string     `name:"prefer" group:"scope" sep:"none" placeholder:"KIND=VALUE" change:"never" help:"What the crawl is after, so that it comes first and is counted: language=CODE, keyword=WORD, query=WORDS, topic=FILE, model=FILE, rdf, re=RE; --prefer help explains them. May be repeated: any of them will do."`
	Only         []string     `name:"only" group:"scope" sep:"none" placeholder:"KIND=VALUE" change:"never" help:"What the archive keeps, in the words of --prefer: of other pages it keeps a note with address, digest and verdict. Their links are followed. Without --prefer it is also what comes first."`
	LanguageID   string       `name:"language-id" group:"scope" choice:"all,text,tag,published" default:"all" placeholder:"all|text|tag|published" change:"never" told:"yes" help:"What language=CODE goes by: all (default), the text alone, the declared language alone, or the published method for Persian, to compare with."`
	Order        string       `name:"order" group:"scope" placeholder:"NAME[,key=value…]" change:"never" help:"What to fetch first: ${orders}; --order help explains them. Default: breadth; with --prefer reinforce-linear, with --prefer rdf rdf-learn."`
	ContextGraph string       `name:"context-graph" group:"scope" placeholder:"FILE" change:"never" help:"What the order context-graph goes by: a model that kavosh judge context-graph made."`
	RDFLinks     string       `name:"rdf-links" group:"scope" choice:"special,seealso,all" default:"special" placeholder:"special|seealso|all" told:"yes" help:"special (default) follows from RDF documents what they name to go on with, by rdfs:seeAlso, owl:sameAs, rdfs:isDefinedBy, owl:imports and VoID, and of other URIs those whose neighbours gave RDF, where the crawl's purpose or order is RDF; seealso follows rdfs:seeAlso alone; all follows every URI in them."`
	Negotiate    bool         `name:"negotiate" group:"scope" told:"yes" help:"Ask for RDF by Accept, too: of seeds, of URLs whose server says that it chooses by Accept or answers 303, and of URLs that RDF documents name. Page and RDF are both kept; a URL whose path ends in a file's extension is asked for once, as ever."`
	Nofollow     string       `name:"nofollow" group:"scope" choice:"obey,ignore" default:"obey" placeholder:"obey|ignore" change:"never" told:"yes" help:"obey (default) leaves out links that their page asks robots not to follow; ignore takes them."`

	Starts      Starts        `name:"starts" group:"limits" placeholder:"WHEN" told:"yes" help:"Crawl again and again, and begin at these times: hourly :15, daily 03:00, weekly fri 03:00, monthly 1 03:00 or monthly 1 jalali 03:00; one after the other as in \"weekly fri 03:00 until 2027-06-18, monthly 1 03:00\"; with in Asia/Tehran at the end for the time of a place. A beginning that was missed is made up for at once, and so is the first."`
	MaxPages    int64         `name:"max-pages" first:"yes" group:"limits" default:"0" told:"yes" help:"Begin no page after so many finished ones, finish what these show (pictures, styles, scripts, frames), and stop. robots.txt, sitemaps and feeds are no pages; 0 is no limit."`
	MaxURLs     int64         `name:"max-urls" group:"limits" default:"0" told:"yes" help:"Stop after so many finished URLs, pictures and all, robots.txt and DNS not counted; 0 is no limit."`
	MaxTime     units.Span    `name:"max-time" first:"yes" group:"limits" default:"0" told:"yes" help:"Stop after this time, such as 30m, 8h or 2d; 0 is no limit."`
	MaxBytes    units.Size    `name:"max-bytes" group:"limits" default:"0" told:"yes" help:"Stop after this much was recorded, such as 500MB or 20GiB; 0 is no limit."`
	SeedLimit   []SeedLimit   `name:"seed-limit" group:"limits" sep:"none" placeholder:"[URL=]LIMIT" change:"run" help:"Take at most so much of each seed and what it leads to, or of one: in URLs, bytes or time, such as 500, 2GB, 1h or 500,2GB,1h. The rest waits in the queue until the limit is raised, by --resume or kavosh control. May be repeated."`
	HostLimit   []HostLimit   `name:"host-limit" group:"limits" sep:"none" placeholder:"[HOST=]LIMIT" change:"run" help:"The same for each host, or for one, such as example.org=2000; example.org=none frees it."`
	DomainLimit []DomainLimit `name:"domain-limit" group:"limits" sep:"none" placeholder:"[DOMAIN=]LIMIT" change:"run" help:"The same for a domain: all hosts of a public suffix plus one label."`
	CrawlLimit  Limit         `name:"crawl-limit" group:"limits" default:"none" placeholder:"LIMIT" change:"run" told:"yes" help:"The same for the whole crawl, over all its runs."`
	MinFree     units.Size    `name:"min-free" group:"limits" default:"256MiB" told:"yes" help:"Stop when less than this is free on the archive's disk."`

	Revisit     string        `name:"revisit" group:"again" placeholder:"NAME[,key=value…]" told:"yes" help:"Go on when all is fetched: visit pages again by this schedule, until Ctrl-C or --max-time: ${schedules}; --revisit help explains them. budget=1000 and period=1h, the defaults, are 1,000 visits an hour; pages that are new come on top. --resume goes on with what was learned, with another schedule if you name one. Or once: visit each page once more when all are fetched, or a limit is reached, and end; these visits count in no limit but --max-bytes, which is for each round, and --max-time. The report says which pages fit together."`
	RevisitRule []RevisitRule `name:"revisit-rule" group:"again" sep:"none" placeholder:"LINE" help:"Bound how often --revisit visits some pages, such as 'host=example.org least=1h most=7d until=2026-12-01': host, pattern and type say which, least and most how often, until for how long. Of rules for the same pages the next holds then; after the last, they are not visited any more. The first that fits a page holds. May be repeated."`

	Workers      int         `name:"workers" group:"polite" default:"16" least:"1" most:"10000" change:"run" told:"yes" help:"Requests at once, over all hosts."`
	Delay        units.Spans `name:"delay" first:"yes" group:"polite" default:"1s" placeholder:"1s" change:"run" told:"yes" help:"Least time from the end of a host's answer to the next request to it, or two such as 1s-3s for a random time between them. Twice to eight times as long while a host answers much slower than usual. 0 is for your own servers."`
	DelayFactor  int         `name:"delay-factor" group:"polite" default:"0" placeholder:"N" most:"1000" change:"run" told:"yes" help:"Rest also at least N times as long as the answer took, so that slow servers are asked less often; at most a minute. 0 (default) is off; 5 is considerate."`
	AddressDelay *units.Span `name:"address-delay" group:"polite" placeholder:"100ms" change:"run" told:"yes" help:"Least time between two requests to an address, which many hosts may share; 0 under --connect-to."`
	HostRate     units.Rate  `name:"host-rate" group:"polite" default:"0" placeholder:"SIZE/s" change:"run" told:"yes" help:"Take at most so many bytes a second from each host, such as 500kB/s, on average: after a large file it rests longer. 0 (default) is no limit."`
	Rate         units.Rate  `name:"rate" group:"polite" default:"0" placeholder:"SIZE/s" change:"run" told:"yes" help:"The same for all hosts together, so that a line is left to others. 0 (default) is no limit."`
	Robots       string      `name:"robots" group:"polite" choice:"obey,record" default:"obey" placeholder:"obey|record" change:"never" told:"yes" help:"obey (default); record keeps robots.txt and fetches what it forbids all the same; it needs --reason."`
	Reason       string      `name:"reason" group:"polite" placeholder:"TEXT" change:"never" help:"Why --robots record is right here, such as a legal deposit act or the owner's permission. Kept in the archive."`
	Permit       []Permit    `name:"permit" group:"polite" sep:"none" placeholder:"\"TARGET REASON\"" change:"run" help:"Fetch what robots.txt forbids there, and only there: a host, a domain with a dot before it, or the beginning of URLs, then why that is right, such as \"www.example.org its owner agreed\". Kept in the archive. May be repeated."`
	UserAgent    string      `name:"user-agent" group:"polite" placeholder:"TEXT" change:"never" told:"yes" help:"The whole User-Agent field. robots.txt is read for its first word, or the one after (compatible; . Default: kavosh, its version and --contact."`
	Contact      string      `name:"contact" first:"yes" group:"polite" placeholder:"URL|MAIL" told:"yes" help:"Where the owner of a server can reach you; sent with every request."`

	Identity       string `name:"identity" group:"polite" placeholder:"FILE" help:"Sign every request with the key in this file, as Web Bot Auth asks, so that servers know the crawl from others who use its name: kavosh identity new makes one. The archive keeps the file's name and never the key. Needs --signature-agent."`
	SignatureAgent string `name:"signature-agent" group:"polite" placeholder:"ORIGIN" help:"Where servers find the public half of --identity, such as https://bot.example.org: kavosh identity serve answers there."`

	ConnectTo    []string        `name:"connect-to" group:"network" sep:"none" placeholder:"H:P:H2:P2" help:"Connect to H2:P2 instead of H:P, as curl does; an empty H or P is any. May be repeated."`
	AllowPrivate []units.Network `name:"allow-private" group:"network" sep:"none" placeholder:"CIDR" help:"Open a range of addresses that are not public, such as 10.0.0.0/8. May be repeated."`
	TLS          string          `name:"tls" group:"network" choice:"capture,strict" default:"capture" placeholder:"capture|strict" told:"yes" help:"capture (default) fetches from servers with invalid certificates and notes it; strict refuses."`
	Proxy        string          `name:"proxy" group:"network" placeholder:"URL" secret:"password" help:"Go by way of a proxy: http://, https:// or socks5://, with user:password@ if it asks."`
	ProxyFor     []string        `name:"proxy-for" group:"network" sep:"none" placeholder:"\"HOST URL\"" secret:"password" help:"Go by way of this proxy to a host, or to a domain with a dot before it, such as \".onion socks5h://127.0.0.1:9050\"; direct in place of the URL goes without one. The first that fits counts, then --proxy. May be repeated."`
	HTTP         string          `name:"http" group:"network" choice:"1.1,2" default:"2" placeholder:"1.1|2" told:"yes" help:"2 (default) speaks HTTP/2 with servers that prefer it; 1.1 never does."`
	Header       []string        `name:"header" group:"network" sep:"none" placeholder:"\"NAME: VALUE\"" secret:"fields" help:"Send this field too. May be repeated. One that gives access to something, such as Cookie or Authorization, goes to the origin of the seeds alone, and is not recorded."`
	Credentials  string          `name:"credentials" group:"network" placeholder:"FILE" help:"Users and passwords, cookies and the like by origin, from a TOML file; the environment's KAVOSH_CREDENTIALS has the text of one. They go to no other host and are not recorded."`
	Cookies      string          `name:"cookies" group:"network" placeholder:"FILE" help:"Send the cookies in this file (cookies.txt, which extensions of browsers, curl and wget write), so that the crawl sees what you see who logged in. Only those of the seeds' domains are taken, and none is recorded."`
	Profile      []string        `name:"profile" group:"network" sep:"none" placeholder:"NAME" help:"Crawl as somebody who has logged in: with the cookies and the storage of this profile, which kavosh profile made, at its own sites alone. Links to log out are not followed; a host that logs the crawl out waits. Nothing of it is recorded. May be repeated, for several sites."`
	Passphrase   string          `name:"passphrase-file" group:"network" placeholder:"FILE" help:"The passphrase of the profiles is the first line of this file. Otherwise KAVOSH_PROFILE_PASSPHRASE has it, or kavosh asks."`
	KeepSecrets  bool            `name:"keep-secrets" group:"network" told:"yes" help:"Record credentials and cookies in the requests of the WARC files, where everybody who gets these can read them."`
	DNS          []string        `name:"dns" group:"network" sep:"none" placeholder:"SERVER" help:"Ask this name server instead of the system's. May be repeated."`

	Browser     string     `name:"browser" first:"yes" group:"keep" choice:"always,auto,never" default:"auto" placeholder:"never|auto|always" told:"yes" help:"Which pages Chromium loads, too, by way of the crawl, so that what only scripts ask for is kept; it takes some seconds a page. auto (default) loads the first pages of each kind, and more where their scripts find what the crawl did not know; without Chromium it is as never. always loads every page. never reads links from scripts without running them. Needs apt-get install chromium."`
	Behaviours  []string   `name:"behaviours" group:"keep" sep:"none" placeholder:"off|FILE|DIR" help:"What the browser does on a page so that it shows all it has, such as scrolling, opening tabs and refusing cookies: a pack of rules (kavosh behaviours lists those that come with it), or a folder of packs, whose rules come on top; off does nothing. May be repeated."`
	Render      Renderings `name:"render" group:"keep" default:"none" placeholder:"KIND,…" told:"yes" help:"Also record how each page that the browser loads looks: view (a picture of the window), full (of the page to its end), thumbnail, dom (the document after its scripts ran), text, pageinfo (what it asked for); by default none. They are records such as urn:view:URL, which ReplayWeb.page and Browsertrix read. Pictures take about as much space as the page."`
	Keep        Keep       `name:"keep" group:"keep" default:"all" placeholder:"all|changed|important=E" change:"never" told:"yes" help:"Which visits of a page that the archive has already leave a copy: all (default); changed, those that found more than noise: other adverts, counters, dates, tokens; important=E, those that found a difference of at least this importance, from 0 to 1 as kavosh change prints it. The others leave a note of what differs from the last copy, with the digest. What is the same makes a revisit record, as ever; what is no page, or what the browser loads, is kept."`
	Digest      string     `name:"digest" group:"keep" choice:"sha256,sha1" default:"sha256" placeholder:"sha256|sha1" change:"never" told:"yes" help:"Algorithm of the digests; sha256 by default."`
	Compression Packing    `name:"compression" group:"keep" default:"gzip" placeholder:"gzip|zstd[:LEVEL]" told:"yes" help:"How records are compressed: gzip (default), which every tool reads, or zstd, with a level if you like: gzip:6 is smaller and slower."`
	MaxBody     units.Size `name:"max-body" group:"keep" default:"1GiB" told:"yes" help:"Cut bodies that are larger, and note it in the record."`

	BrowserLanguage Language   `name:"browser-language" group:"keep" placeholder:"TAG" told:"yes" help:"The language that pages in the browser are asked for in and that their scripts see, such as fa-IR; en-US by default."`
	BrowserSize     Window     `name:"browser-size" group:"keep" default:"1280x1024" placeholder:"WxH" told:"yes" help:"Size of the browser's window in pixels; 1280x1024 by default."`
	BrowserMemory   units.Size `name:"browser-memory" group:"keep" default:"64GiB" least:"500e6" told:"yes" help:"How much memory all Chromium processes of the crawl may take together, and never more than half of what is free. Each may take 2GiB of it: 4GiB lets two run, if there are as many processors. The page that takes most is ended before it is more."`
	BrowserZone     Zone       `name:"browser-zone" group:"keep" placeholder:"ZONE" told:"yes" help:"The time zone that scripts of pages in the browser see, such as Asia/Tehran; this machine's by default."`

	NearDuplicates bool        `name:"near-duplicates" group:"watch" told:"yes" help:"Compare the text of every page with those before it, and note in the log and the report which say nearly the same."`
	Warn           []Threshold `name:"warn" group:"watch" sep:"none" placeholder:"WHAT=PERCENT" told:"yes" help:"Warn while the crawl runs when more than so many percent of all so far are so: missing (parts of pages without an answer, or answered by an error), failed (pages without an answer), errors (pages answered by an error) or standins (pages in whose place something else came). May be repeated."`
	JSON           bool        `name:"json" group:"watch" kept:"no" help:"Print the report as one JSON object on standard output."`
	Status         string      `name:"status" group:"watch" placeholder:"ADDR" kept:"no" help:"Serve a live page, where who holds the token can command the crawl, /metrics for Prometheus and /status.json at this address, such as :8090 (this machine only unless a host is named)."`
	Host           []string    `name:"host" group:"watch" sep:"none" placeholder:"NAME" kept:"no" help:"Answer to this host name at --status, too, such as that of a proxy in front. May be repeated."`

	Packs   []string `name:"packs" kong:"-" told:"yes" help:"Which packs of behaviours the browser went by, each with its version; written by kavosh."`
	Secrets []string `name:"secrets" kong:"-" help:"Which origins were sent credentials, each with the names of the fields; written by kavosh, which then asks for them again."`
}

// New returns the plan with all defaults.
func New() *Plan {
	p := new(Plan)
	for _, k := range keys {
		if k.Default != "" {
			if err := k.set(p, []string{k.Default}); err != nil {
				panic(err) // the default in a tag is wrong
			}
		}
	}
	return p
}

// Key is the declaration of one field of Plan.
type Key struct {
	Name, Default, Help string
	Choice              []string
	Change              string // "never", "resume" or "run"
	Kept, Told          bool

	field reflect.StructField
}

// keys has all keys, in the order of the help text.
var keys = func() (all []Key) {
	for _, f := range reflect.VisibleFields(reflect.TypeFor[Plan]()) {
		tag := f.Tag
		k := Key{
			Name: tag.Get("name"), Default: tag.Get("default"), Help: tag.Get("help"),
			Change: cmp.Or(tag.Get("change"), "resume"), Kept: tag.Get("kept") != "no", Told: tag.Get("told") == "yes", field: f,
		}
		if strings.Contains(k.Help, "${") {
			k.Help = strings.ReplaceAll(k.Help, "${orders}", order.Names())
		}
		k.Help = strings.ReplaceAll(k.Help, "${schedules}", schedule.Names())
		if choice := tag.Get("choice"); choice != "" {
			k.Choice = strings.Split(choice, ",")
		}
		all = append(all, k)
	}
	return all
}()

// Keys returns all keys, in the order of the help text.
func Keys() []Key { return slices.Clone(keys) }

// KeyOf returns the key with a name. ok is false if there is none.
func KeyOf(name string) (Key, bool) {
	i := slices.IndexFunc(keys, func(k Key) bool { return k.Name == name })
	if i < 0 {
		return Key{}, false
	}
	return keys[i], true
}

// Bounds returns in words the bounds of a number, a size or a length of time, or "" for other values.
func (k *Key) Bounds() string {
	b, ok := units.BoundsOf(k.kind(), k.field.Tag.Get)
	if !ok {
		return ""
	}
	return b.String()
}

// kind returns the type of a value, or of each value if there may be several.
func (k *Key) kind() reflect.Type {
	if t := k.field.Type; t.Kind() == reflect.Slice || t.Kind() == reflect.Pointer {
		return t.Elem()
	}
	return k.field.Type
}

// many reports whether the key may be given several times.
func (k *Key) many() bool { return k.field.Type.Kind() == reflect.Slice }

// isNumber reports whether a value is a plain number, without a unit.
func (k *Key) isNumber() bool {
	return k.kind() == reflect.TypeFor[int]() || k.kind() == reflect.TypeFor[int64]()
}

// in returns the key's value in a plan.
func (k *Key) in(p *Plan) reflect.Value { return reflect.ValueOf(p).Elem().FieldByIndex(k.field.Index) }
