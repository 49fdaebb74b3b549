package archive

import (
	"context"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh"
	"kavosh/change"
	"kavosh/frontier/order"
	"kavosh/lib/cdx"
	"kavosh/quality"
	"kavosh/record"
)

// Report says what a crawl did (docs/formats/report.md). It is stored as crawls/<id>/report.json.
type Report struct {
	ID              string                   `json:"id"`
	Started         time.Time                `json:"started"`
	Ended           time.Time                `json:"ended"`
	Seconds         float64                  `json:"seconds"` // running time of all its runs together
	End             string                   `json:"end"`     // "done", "interrupted", "pages", "urls", "time", "bytes", "disk", "limits", "login", "failed"
	Fetched         int64                    `json:"fetched"`
	Pages           int64                    `json:"pages"` // pages among the fetched URLs, counted as for --max-pages
	Recorded        int64                    `json:"recorded"`
	Bytes           int64                    `json:"bytes"`
	Revisits        int64                    `json:"revisits"`
	Changes         change.Tally             `json:"changes"`         // of its pages beside what the archive had before; zero if that was nothing, and for a crawl that mends the archive
	Near            int64                    `json:"near_duplicates"` // recorded pages with nearly the text of an earlier one; 0 unless the scope looks for them
	Failed          map[kavosh.Failure]int64 `json:"failed"`
	Status          map[string]int64         `json:"status"`
	MIME            map[string]int64         `json:"mime"`
	Classes         map[kavosh.Class]int64   `json:"classes"` // recorded documents by class; none unless the judge or the order asks
	Tallies         []order.Tally            `json:"tallies"` // how often the order was right; none unless the order is an order.Accountant
	Hosts           int64                    `json:"hosts"`
	Known           int64                    `json:"known"`
	Queued          int64                    `json:"queued"`
	Limited         []Limited                `json:"limited"`             // limits beyond which URLs of Queued wait, those with the most first; at most 100
	AllLimited      int                      `json:"all_limited"`         // how many there are
	Schedule        Schedule                 `json:"schedule,omitzero"`   // of a crawl that goes on, or visits its pages twice
	Coherence       *change.Coherence        `json:"coherence,omitempty"` // of a crawl that visited its pages twice: which could be seen together when the first round ended
	Patch           *Patch                   `json:"patch,omitempty"`     // of a crawl that mends the archive
	Quality         Counted                  `json:"quality"`             // as it was counted
	Proposals       []quality.Proposal       `json:"proposals"`           // settings that would help the next crawl
	Relevant        int64                    `json:"relevant"`
	HarvestRate     float64                  `json:"harvest_rate"`
	RelevantHosts   int64                    `json:"relevant_hosts"`   // hosts of the relevant pages
	RelevantDomains int64                    `json:"relevant_domains"` // registered domains of these: public suffix and one label
	Dropped         int64                    `json:"dropped"`          // fetched, but not kept in the archive (--only)
	Unkept          int64                    `json:"unkept"`           // fetched, but not kept since little had changed (--keep)
	Forbidden       int64                    `json:"robots_forbidden"` // fetched although robots.txt forbids it
	Permitted       map[string]int64         `json:"permitted"`        // of these, count by the permit (target and reason) that let them
	Rules           map[string]int64         `json:"rules"`            // URLs that a rule or --exclude left out, by its words
	StandIns        map[string]int64         `json:"standins"`         // answers that stand in place of the page asked for, by kavosh.StandIn
	Acts            map[string]int64         `json:"behaviours"`       // acts of behaviours on pages in the browser, by their names
	Walls           int64                    `json:"walls"`            // answers of bot walls, also those that were requested again later
	Walled          map[string]int64         `json:"walled"`           // these by host
	Loads           Loads                    `json:"browser"`          // what the browser loaded and found with --browser auto
	PeakRSS         int64                    `json:"peak_rss"`         // most memory in use, in bytes
	SeedsFailed     int64                    `json:"seeds_failed"`
	SeedsKept       int64                    `json:"seeds_recorded"` // seeds from which something was recorded; 0 = exit status 3
	SeedsBad        int64                    `json:"seeds_bad"`      // lines of seed lists in which no URL could be read
	BadSeeds        []string                 `json:"bad_seeds"`      // the first of these lines, each with its list, number and reason
	LoggedOut       int64                    `json:"logged_out"`     // hosts that logged the crawl out in this run, whose URLs wait
	LoginsOver      []LoginOver              `json:"logins_over"`    // hosts whose URLs wait since they logged the crawl out; at most 100
	Echoed          int64                    `json:"secrets_seen"`   // answers of this run in whose URL or body a secret of a profile stands
	KeepSecrets     bool                     `json:"secrets_kept"`   // the WARC files contain credentials and cookies
	Files           []string                 `json:"files"`          // sealed WARC files of this crawl
}

// Schedule says how a crawl goes on, and what came of it in all its runs.
type Schedule struct {
	Policy         string  `json:"policy"`  // as --revisit has it
	Seconds        float64 `json:"seconds"` // of a round; 0 if each page is visited twice
	Budget         int     `json:"budget"`  // visits a round
	Pages          int64   `json:"pages"`   // that are visited again
	Round          int     `json:"round"`   // the last one, from 1
	Visits         int64   `json:"visits"`  // of pages that were visited before
	Changed        int64   `json:"changed"` // of these, those that found a change
	VisitsOfRound  int64   `json:"visits_of_round"`
	ChangedOfRound int64   `json:"changed_of_round"`
	Checked        int64   `json:"checked"` // of a crawl that visits its pages twice: answers 304 that were checked by asking for the whole page
	Lied           int64   `json:"lied"`    // … of which the page was another
}

// Limited is a limit that a crawl has reached, and what waits beyond it; or why URLs are on hold, and how many.
type Limited struct {
	Kind    string `json:"kind"`    // "seed", "host", "domain", "crawl" or "hold"
	Name    string `json:"name"`    // of the seed, host or domain; "" for the crawl; why, for "hold"
	Reached string `json:"reached"` // such as "500 URLs"; "" if there is room again
	Waiting int64  `json:"waiting"` // URLs
}

// LoginOver is a host that has logged the crawl out, and the profile to make anew.
type LoginOver struct {
	Host    string `json:"host"`
	Profile string `json:"profile"` // "" if it is not known, like Page
	Page    string `json:"page"`    // that shows whether one is logged in
}

// Ending returns in words how a crawl ended. end is Report.End; for any other text it returns "".
func Ending(end string) string { return endings[end] }

var endings = map[string]string{
	"done":        "is done",
	"interrupted": "was interrupted",
	"pages":       "reached --max-pages",
	"urls":        "reached --max-urls",
	"time":        "reached --max-time",
	"bytes":       "reached --max-bytes",
	"limits":      "is done but for what lies beyond its limits",
	"login":       "stopped, for it is logged out",
	"disk":        "stopped, for the disk is full (--min-free)",
	"failed":      "failed",
}

// ChangesOf counts the pages of a crawl beside what the archive had before. If that was nothing, so are the counts.
func ChangesOf(ctx context.Context, fs vfs.FS, dir, id string) (change.Tally, error) {
	had := false
	before := func(e *cdx.Entry) bool {
		earlier := record.CrawlOf(e.Filename) != id
		had = had || earlier
		return earlier
	}
	n, err := change.Count(ctx, RecordsOf(fs, dir).Index, before, func(e *cdx.Entry) bool { return record.CrawlOf(e.Filename) == id })
	if !had {
		return change.Tally{}, err
	}
	return n, err
}
