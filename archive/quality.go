package archive

import (
	"strings"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh"
	"kavosh/access"
	"kavosh/change"
	"kavosh/extract"
	"kavosh/internal/clock"
	"kavosh/quality"
)

// QualityOf returns what reads the pages of the archive in dir, as everybody may see them, for what they lack.
func QualityOf(fs vfs.FS, dir string, c clock.Clock) *quality.Reader {
	all := RecordsOf(fs, dir)
	return &quality.Reader{Records: access.NewGuard(all.Index, all.Files, access.Follow(fs, dir, c)).Records(), Links: ExtractedLinks()}
}

// ViewOf returns what tells how far pages of the archive in dir, as everybody may see them, were there together. Its Rate is to be set.
func ViewOf(fs vfs.FS, dir string, c clock.Clock) *quality.View {
	return &quality.View{Reader: &change.Reader{Records: QualityOf(fs, dir, c).Records}}
}

// ExtractedLinks returns what finds the links of documents, one at a time.
func ExtractedLinks() func(quality.Document) []kavosh.Link {
	var buffers extract.Buffers
	return func(d quality.Document) []kavosh.Link {
		return extract.Extract(extract.Document{URL: d.URL, Status: 200, Header: d.Header, Payload: d.Body}, extract.Options{Buffers: &buffers}).Links
	}
}

// PatchFile is the name of the file in the folder of a crawl that mends the archive that says what it found when it began: a Patch.
const PatchFile = "patch.json"

// Patch says what a crawl mends of its archive (kavosh crawl --patch), and what came of it.
type Patch struct {
	Of      string           `json:"of"`               // as --patch has it
	Parts   int              `json:"parts"`            // that pages lacked when it began; at most quality.MaxMissing
	Met     int              `json:"met"`              // of them, those that no page's newest capture lacks and readers met as missing (Wanted)
	Closed  int64            `json:"closed"`           // of them and of what these need, those not asked for since a rule of access holds them back
	Robots  int64            `json:"robots"`           // … since robots.txt forbids them
	LeftOut int64            `json:"left_out"`         // … since the scope leaves them out, as by --exclude or for a trap
	Before  *quality.Summary `json:"before,omitempty"` // what all pages lacked when it began, without lists
	After   *quality.Summary `json:"after,omitempty"`  // … when it ended; nil if it did not come to its end

	Together *Rejoined `json:"together,omitempty"` // of a crawl that visits pages again (incoherent), which has nothing of the above but Of, Robots and LeftOut
}

// Nothing reports whether there was nothing to ask for.
func (p *Patch) Nothing() bool {
	return int64(p.Parts) <= p.Closed && (p.Together == nil || p.Together.Pages == 0)
}

// Rejoined is what a crawl did that visits pages again which were not there together with the others.
type Rejoined struct {
	At     time.Time     `json:"at"`              // the moment at which most could be
	Pages  int           `json:"pages"`           // that were not known to be there then, and are visited again
	Late   int64         `json:"late"`            // pages whose newest version began later, which no visit helps
	Before *quality.AsOf `json:"before"`          // what the archive showed of that moment, by the nearest capture of each page
	After  *quality.AsOf `json:"after,omitempty"` // … and shows when the crawl has ended; nil if it did not come to its end
}

// Anomalies tells of crawls, the oldest first, which are odd beside earlier ones with the same first seed and the same scope, and how, by ID.
// Those that mend the archive, go on, or run are left out. Where the seeds cannot be read, the scope alone counts.
func Anomalies(fs vfs.FS, dir string, crawls []Crawl) map[string]quality.Odd {
	ids, series := map[string][]string{}, map[string][]quality.Crawled{}
	for i := range crawls {
		c := &crawls[i]
		if c.End == "" || c.Report.Patch != nil || c.Report.Schedule.Policy != "" {
			continue
		}
		of := c.Config["scope"]
		for seed, err := range Seeds(fs, dir, c.ID) {
			if err == nil {
				of += " " + seed
			}
			break
		}
		ids[of], series[of] = append(ids[of], c.ID), append(series[of], c.Report.crawled())
	}
	odd := map[string]quality.Odd{}
	for of, list := range series {
		for i, o := range quality.Anomalies(list) {
			if o != quality.Usual {
				odd[ids[of][i]] = o
			}
		}
	}
	return odd
}

// unanswered are the failures of requests to which no answer came.
var unanswered = []kavosh.Failure{kavosh.DNSFailure, kavosh.ConnectFailure, kavosh.TLSFailure, kavosh.TimeoutFailure, kavosh.ResetFailure, kavosh.ProtocolFailure}

// crawled returns what a series is told of the crawl.
func (r *Report) crawled() quality.Crawled {
	c := quality.Crawled{New: r.Changes.New, Changed: r.Changes.Changed, Unchanged: r.Changes.Unchanged, Gone: r.Changes.Gone, Seconds: r.Seconds}
	for status, n := range r.Status {
		if c.Answers += n; strings.HasPrefix(status, "3") && status != "304" {
			c.Moved += n
		}
	}
	for _, f := range unanswered {
		c.Failed += r.Failed[f]
	}
	return c
}
