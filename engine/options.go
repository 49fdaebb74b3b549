package engine

// This file says what a crawl can be told (Options) and what it tells (Events, Status).

import (
	"iter"
	"net"
	"slices"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh"
	"kavosh/archive"
	"kavosh/fetch"
	"kavosh/frontier"
	"kavosh/frontier/order"
	"kavosh/frontier/scope"
	"kavosh/internal/clock"
	"kavosh/judge"
	"kavosh/lib/warc"
	"kavosh/plan"
)

// Options say what a crawl is to do. Archive and Seeds (or Resume) are needed; every other zero value is the default
// that the field names.
type Options struct {
	Archive string // folder of the archive; made when absent
	// Seeds come from package seeds, with Kind Seed, or Sitemap for a sitemap to read. They are read once, and kept.
	// The error *seeds.Bad means a line that is no seed; any other error ends the crawl before it begins.
	Seeds  iter.Seq2[kavosh.Link, error]
	Resume bool   // go on with the latest unfinished crawl of the archive, or with ID
	ID     string // of the crawl to resume; empty for the latest

	Scope         scope.Options
	Order         string      // as --order has it, "name[,key=value…]"; "" = "breadth"
	OrderSetup    order.Setup // what the order is given; Topic comes from Judge
	Datasets      bool        // ask each origin for what describes its data sets, /.well-known/void, and SPARQL endpoints what they hold (endpoints.go)
	Negotiate     bool        // ask for a URL's form in RDF, too, where there may be one (negotiate.go)
	URIs          bool        // every URI of an RDF document is a link, not only those of rdfs:seeAlso and its like, and those that likely give RDF (uris.go)
	SeeAlso       bool        // … only those of rdfs:seeAlso itself
	Judge         judge.Judge // says which pages the crawl is after; nil = nobody
	Only          judge.Judge // says which pages the archive keeps; nil = all. It may be Judge, which is then asked once a page
	SkipYounger   time.Time   // what was visited since then, before the crawl began, is not requested; its links are followed. Zero: all is
	SkipTold      bool        // … nor what its site says is as it was at the last visit, if the site was right before (told.go)
	Keep          plan.Keep   // which visits of pages leave a copy; the zero value: all. Others need Compare
	Compare       Comparer    // tells Keep what differs
	Workers       int         // exchanges at once; 0 = 16. With one, the order sees every page before it chooses the next URL
	frontier.Pace             // how fast hosts are asked; as given, 0 is no delay
	HostBudget    int         // pages a host may have in a round, robots.txt not counted; 0 = no limit
	DomainBudget  int         // … a domain, a public suffix plus one label
	QueryBudget   int         // different queries of one path that are queued, more is a trap; 0 = 10,000, negative = no limit
	Limits        Limits
	SeedLimit     []plan.SeedLimit // how much is taken of seeds, hosts, domains and the crawl; the rest waits
	HostLimit     []plan.HostLimit
	DomainLimit   []plan.DomainLimit
	CrawlLimit    plan.Limit
	Warn          []plan.Threshold // shares above which the user is warned while the crawl runs
	Patch         plan.Patch       // what of the archive the crawl mends, in place of Seeds
	Revisits      *Revisits        // how pages are visited again by a schedule; nil is not. The crawl then goes on

	RecordRobots string           // a reason for fetching what robots.txt forbids (--robots record); "" = obey
	Permits      []plan.Permit    // where else it may be fetched
	NoFollow     string           // "obey" (default): rel=nofollow and meta robots nofollow links stay out; "ignore"
	Digest       string           // "sha256" (default) or "sha1"
	MaxFile      int64            // compressed bytes after which a WARC file is sealed; 0 = 1 GiB
	Compression  warc.Compression // of records; the zero value is gzip at record.DefaultLevel
	Fetch        fetch.Options
	Logins       *Logins   // profiles with which the crawl has logged in; nil = none
	Browser      Loader    // loads pages so that what their scripts ask for is recorded, too; nil = none is
	PageInfo     bool      // what each page asked for in the browser is recorded with what the browser made of it
	BrowserAuto  bool      // … only pages whose scripts find more, as pages like them show (auto.go)
	NoBrowser    error     // why BrowserAuto loads none; nil if it does
	Web          fetch.Web // how names resolve and connections are made; nil = the real one from Fetch

	Config  map[string]string // what the person asked for, flag by flag: kept in config.toml and in warcinfo
	Version string            // of this program, for warcinfo
	Node    string            // name of this machine in WARC file names; "" = "1"

	// Commands are given before the run begins, as if on the socket: what somebody resumes a crawl with goes before
	// what was said to it earlier.
	Commands []Command
	// Control opens the socket on which the running crawl takes commands; its argument is the folder of the crawl. If
	// it is nil, there is no socket.
	Control func(dir string) (net.Listener, error)

	FS     vfs.FS        // nil = the machine's
	Clock  clock.Clock   // nil = the machine's
	NewID  func() string // of records, as record.Options has it; nil = random ones
	Events Events
}

// Limits end a crawl or refuse a URL. 0 is no limit.
type Limits struct {
	Pages   int64         // finished pages, whatever their outcome: embedded parts, robots.txt, sitemaps and feeds not counted; parts of these pages are asked for beyond it
	URLs    int64         // finished URLs, robots.txt and DNS not counted
	Time    time.Duration // from the start of this run
	Bytes   int64         // payload bytes recorded
	MinFree int64         // bytes that must stay free on the archive's disk; the crawl stops, resumable, when they are not
}

// Events are what an observer may be told, each called from the goroutine where it happens: they must return soon.
// A nil field is not called.
type Events struct {
	Started  func(id string, resumed bool)
	Finished func(archive.Line) // a URL has its outcome, after its records are durable
	Trouble  func(text string)  // something a person should know: one line with the cause and, if there is one, the fix
	// Measuring is called after each page while a crawl that mends the archive looks at all pages, before Started and at the end.
	Measuring func(pages int64)
	Progress  func(func() Status) // called once at the start with a function that tells the crawl's state at any time
}

// Status is a crawl's state at one moment.
type Status struct {
	ID       string
	Started  time.Time
	Now      time.Time
	Finished int64 // URLs with an outcome of this crawl, never-requested ones not counted
	Pages    int64 // of them, pages as Limits.Pages counts them
	Recorded int64 // of Finished, those with a response or revisit record
	Bytes    int64 // payload bytes of the recorded
	Queued   int64
	Limited  int64 // of Queued, those that wait beyond a limit (Options.HostLimit and its like)
	OnHold   int64 // of Queued, those that a person put on hold (QueueHold)
	Known    int64
	Hosts    int64 // that were asked
	InFlight int64
	Revisits int64
	Failed   map[kavosh.Failure]int64
	Codes    map[int]int64
	MIME     map[string]int64
	Walls    int64                    // answers of bot walls
	StandIns map[string]int64         // of Finished, answers that stand in for the page, by kavosh.StandIn
	Stopping string                   // why the crawl is ending; "" while it goes on
	Waiting  string                   // why nothing is asked for now: "", WaitingPaused, WaitingNetwork
	Held     int64                    // hosts that wait until somebody releases them, or their hours begin
	Again    map[kavosh.Failure]int64 // hosts that did not answer, by how, and are asked again
	AgainAt  time.Time                // when the first of them is
	Next     string                   // while all hosts rest: the host that is asked next; otherwise ""
	NextAt   time.Time                // when it is asked
	Limits   Limits                   // of the crawl
	Alarms   []Alarm                  // what goes wrong now
	Schedule archive.Schedule         // of a crawl that goes on; zero of others
}

// Left returns how long the crawl will go on at a rate of so many pages and URLs a second: until it reaches one of its
// limits or, without a limit, until the queue is empty. In that case atLeast is true, because new links make the queue
// longer. It returns 0 if nobody can say.
func (s *Status) Left(pages, urls float64) (left time.Duration, atLeast bool) {
	var all []float64 // seconds
	until := func(limit, now int64, rate float64) {
		if limit > now && rate > 0 {
			all = append(all, float64(limit-now)/rate)
		}
	}
	passed := s.Now.Sub(s.Started)
	until(s.Limits.Pages, s.Pages, pages)
	until(s.Limits.URLs, s.Finished, urls)
	until(s.Limits.Bytes, s.Bytes, float64(s.Bytes)/passed.Seconds())
	until(int64(s.Limits.Time), int64(passed), 1e9)
	if atLeast = len(all) == 0; atLeast {
		until(s.Queued-s.Limited-s.OnHold, 0, urls)
	}
	if len(all) == 0 {
		return 0, false
	}
	return time.Duration(min(slices.Min(all), 1e9) * float64(time.Second)), atLeast
}

// Reasons of Status.Waiting.
const (
	WaitingPaused  = "paused"  // somebody said so
	WaitingNetwork = "network" // this machine's network is down
)
