package archive

import (
	"time"

	"kavosh"
	"kavosh/frontier/order"
)

// Report is what a crawl did, as docs/formats/report.md names it; written to crawls/<id>/report.json.
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
	Again       time.Time                `json:"again,omitzero"` // when the first URL that is done is asked for again
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
