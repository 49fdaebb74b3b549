package engine

import (
	"iter"
	"net"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh"
	"kavosh/fetch"
	"kavosh/frontier/order"
	"kavosh/frontier/scope"
	"kavosh/internal/clock"
	"kavosh/judge"
	"kavosh/lib/warc"
)

// Options say what a crawl is to do. Archive and Seeds (or Resume) are needed; every other zero value is the default
// that the field names.
type Options struct {
	Archive string // folder of the archive; made when absent
	// Seeds are from package seeds: Kind Seed, or Sitemap for a sitemap to read. They are read once, and kept. A *BadSeed is a line
	// that is none; any other error ends the crawl before it begins.
	Seeds  iter.Seq2[kavosh.Link, error]
	Resume bool   // go on with the latest unfinished crawl of the archive, or with ID
	ID     string // of the crawl to resume; empty for the latest

	Scope        scope.Options
	Order        string        // as --order has it, "name[,key=value…]"; "" = "breadth"
	OrderSetup   order.Setup   // what the order is given; Topic comes from Judge
	Datasets     bool          // ask each origin for what describes its data sets, /.well-known/void, and SPARQL endpoints what they hold (endpoints.go)
	Negotiate    bool          // ask for a URL's form in RDF, too, where there may be one (negotiate.go)
	URIs         bool          // every URI of an RDF document is a link, not only those of rdfs:seeAlso and its like
	SeeAlso      bool          // … only those of rdfs:seeAlso itself
	Judge        judge.Judge   // says which pages the crawl is after; nil = nobody
	Only         judge.Judge   // says which pages the archive keeps; nil = all. It may be Judge, which is then asked once a page
	Serial       bool          // each exchange is made durable before the next begins: an order sees every page before it chooses. For studies, with one worker
	Workers      int           // exchanges at once; 0 = 16
	Delay        time.Duration // end of one answer to the next request of the same host; as given, 0 is no delay
	AddressDelay time.Duration // … of the same address
	HostBudget   int           // pages a host may have in a round, robots.txt not counted; 0 = no limit
	DomainBudget int           // … a domain, a public suffix plus one label
	QueryBudget  int           // different queries of one path that are queued, more is a trap; 0 = 10,000, negative = no limit
	Limits       Limits

	RecordRobots string           // a reason for fetching what robots.txt forbids (--robots record); "" = obey
	NoFollow     string           // "obey" (default): rel=nofollow and meta robots nofollow links stay out; "ignore"
	Digest       string           // "sha256" (default) or "sha1"
	MaxFile      int64            // compressed bytes after which a WARC file is sealed; 0 = 1 GiB
	Compression  warc.Compression // of records; the zero value is gzip at record.DefaultLevel
	Fetch        fetch.Options
	Browser      Loader    // loads pages so that what their scripts ask for is recorded, too; nil = none is
	Web          fetch.Web // how names resolve and connections are made; nil = the real one from Fetch

	Config  map[string]string // what the person asked for, flag by flag: kept in config.toml and in warcinfo
	Version string            // of this program, for warcinfo
	Node    string            // name of this machine in WARC file names; "" = "1"

	// Commands are given before the run begins, as if on the socket: what somebody resumes a crawl with goes before what
	// was said to it earlier.
	Commands []Command
	// Control opens the socket on which the running crawl, whose folder it is given, takes commands; nil is none.
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
	Finished func(Line)          // a URL has its outcome, after its records are durable
	Trouble  func(text string)   // something a person should know: one line with the cause and, if there is one, the fix
	Progress func(func() Status) // called once at the start with a function that tells the crawl's state at any time
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
	Known    int64
	Hosts    int64
	InFlight int64
	Revisits int64
	Failed   map[kavosh.Failure]int64
	Codes    map[int]int64
	MIME     map[string]int64
	Stopping string                   // why the crawl is ending; "" while it goes on
	Waiting  string                   // why nothing is asked for now: "", WaitingPaused, WaitingNetwork
	Held     int64                    // hosts that wait until somebody releases them, or their hours begin
	Again    map[kavosh.Failure]int64 // hosts that did not answer, by how, and are asked again
	AgainAt  time.Time                // when the first of them is
}

// Reasons of Status.Waiting.
const (
	WaitingPaused  = "paused"  // somebody said so
	WaitingNetwork = "network" // this machine's network is down
)

// Report is what a crawl did, as DESIGN and docs/formats/report.md name it; written to crawls/<id>/report.json.
type Report struct {
	ID          string                   `json:"id"`
	Started     time.Time                `json:"started"`
	Ended       time.Time                `json:"ended"`
	Seconds     float64                  `json:"seconds"` // running time over all its runs
	End         string                   `json:"end"`     // "done", "interrupted", "pages", "urls", "time", "bytes", "disk", "failed"
	Fetched     int64                    `json:"fetched"`
	Pages       int64                    `json:"pages"` // of them, as Limits.Pages counts them
	Recorded    int64                    `json:"recorded"`
	Bytes       int64                    `json:"bytes"`
	Revisits    int64                    `json:"revisits"`
	Near        int64                    `json:"near_duplicates"` // recorded pages nearly the same as an earlier one; 0 unless scope looks for them
	Failed      map[kavosh.Failure]int64 `json:"failed"`
	Status      map[string]int64         `json:"status"`
	MIME        map[string]int64         `json:"mime"`
	Classes     map[kavosh.Class]int64   `json:"classes"` // of the recorded, to a crawl of the semantic web; none unless judge or order ask
	Tallies     []order.Tally            `json:"tallies"` // how often the order was right; none unless it is an order.Accountant
	Hosts       int64                    `json:"hosts"`
	Known       int64                    `json:"known"`
	Queued      int64                    `json:"queued"`
	Relevant    int64                    `json:"relevant"`
	HarvestRate float64                  `json:"harvest_rate"`
	Dropped     int64                    `json:"dropped"`          // fetched, and not kept in the archive (--only)
	Forbidden   int64                    `json:"robots_forbidden"` // fetched although robots.txt forbids it
	Walls       int64                    `json:"walls"`            // answers of bot walls, those that were asked for again included
	PeakRSS     int64                    `json:"peak_rss"`         // bytes
	SeedsFailed int64                    `json:"seeds_failed"`
	SeedsKept   int64                    `json:"seeds_recorded"` // seeds from which something was recorded; 0 = exit status 3
	SeedsBad    int64                    `json:"seeds_bad"`      // lines of lists from which no URL could be read
	BadSeeds    []string                 `json:"bad_seeds"`      // the first of them, each with list, line and why
	KeepSecrets bool                     `json:"secrets_kept"`   // credentials and cookies stand in the WARC files
	Files       []string                 `json:"files"`          // sealed WARC files of this crawl
}

// Line is one line of crawl.log: a URL with its outcome, or why it was never requested.
type Line struct {
	Time    time.Time         `json:"time"` // end of the exchange, or of the decision
	URL     string            `json:"url"`
	Outcome string            `json:"outcome"` // "recorded", "failed", "refused" (never requested), "retry", "dropped" (by --only)
	Status  int               `json:"status,omitempty"`
	Failure kavosh.Failure    `json:"failure,omitempty"`
	Reason  string            `json:"reason,omitempty"`    // in words: scope rule, robots line, budget, trap, cause of the failure
	Forbids string            `json:"forbidden,omitempty"` // the rule of robots.txt against it, where it was asked all the same
	Wall    string            `json:"wall,omitempty"`      // the bot wall that answered in place of the site
	Rule    string            `json:"rule,omitempty"`      // class of a refusal by scope: "scope", "exclude", "hops", "nofollow", "guess", "chain", "trap"
	Kind    string            `json:"kind"`
	Via     string            `json:"via,omitempty"`
	Seed    string            `json:"seed,omitempty"`
	Path    string            `json:"path,omitempty"`
	Hops    int               `json:"hops"`
	Score   float64           `json:"score,omitempty"`
	Why     string            `json:"why,omitempty"` // words for Score, where the order or somebody else has any
	Attempt int               `json:"attempt,omitempty"`
	MIME    string            `json:"mime,omitempty"`
	Size    int64             `json:"size,omitempty"` // payload bytes
	Took    int64             `json:"took,omitempty"` // milliseconds
	Began   time.Time         `json:"began,omitzero"` // the WARC-Date of its records
	Digest  string            `json:"digest,omitempty"`
	Revisit string            `json:"revisit,omitempty"` // profile, when nothing new was stored
	Near    string            `json:"near,omitempty"`    // URL of an earlier page of this run that says nearly the same
	Cut     kavosh.Truncation `json:"truncated,omitempty"`
	File    string            `json:"file,omitempty"`
	Offset  int64             `json:"offset,omitempty"`
	Verdict float64           `json:"verdict,omitempty"` // the judge's, from 0 to 1
	Because string            `json:"because,omitempty"` // the judge's reasons
	Variant bool              `json:"variant,omitempty"` // its form in RDF was asked for
	Class   kavosh.Class      `json:"class,omitempty"`   // what it is to a crawl of the semantic web, where somebody asked
	Links   int               `json:"links,omitempty"`   // found in it
	Anchor  string            `json:"anchor,omitempty"`  // of the link that led to it
	Notes   []string          `json:"notes,omitempty"`
}
