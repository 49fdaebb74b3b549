package site

// This file tells what is seen to change through a lens: as feeds, and as the messages of watches.

import (
	"cmp"
	"context"
	"encoding/json"
	"iter"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh"
	"kavosh/change"
	"kavosh/lib/cdx"
	"kavosh/pages"
	"kavosh/replay"
	"kavosh/site/draw"
	"kavosh/watch"
)

// maxFollowed is how many versions a feed follows a block through.
const maxFollowed = 500

// Told is what a watch tells of a version.
type Told struct {
	Message string // its name
	change.Seen
}

// Tell returns what a watch has to tell about versions of its page, the oldest first. Versions that cannot be read are passed
// over, and trouble is told why.
func Tell(ctx context.Context, w *watch.Watch, versions []change.Version, trouble func(string)) (list []Told, err error) {
	for seen, err := range change.Through(ctx, w.Lens, versions) {
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err != nil:
			trouble(err.Error())
		case w.Begins(&seen.New.Entry) && seen.Report.Importance.Weighed >= w.Least:
			list = append(list, Told{w.Message(&seen.New.Entry), seen})
		}
	}
	return list, nil
}

// Since returns the versions that a watch needs to be given: from the last one before it was made on.
func Since(w *watch.Watch, versions []change.Version) []change.Version {
	if w.Lens.Block != "" {
		return versions // it is followed from where it was chosen
	}
	first := slices.IndexFunc(versions, func(v change.Version) bool { return w.Begins(&v.Entry) })
	if first < 0 {
		return nil
	}
	return versions[max(0, first-1):]
}

// maxOperations is how many operations a message has.
const maxOperations = 100

// message is what a webhook sends, in the form that Standard Webhooks recommends.
type message struct {
	Type string      `json:"type"`
	Time time.Time   `json:"timestamp"` // when it was captured
	Data messageData `json:"data"`
}

type messageData struct {
	ID         string             `json:"id"`
	Watch      int                `json:"watch"`
	URL        string             `json:"url"`
	Lens       kavosh.Lens        `json:"lens,omitzero"`
	From       time.Time          `json:"from"`
	To         time.Time          `json:"to"`
	Importance float64            `json:"importance"`
	Title      string             `json:"title"`
	Words      string             `json:"words"`
	Operations []change.Operation `json:"operations"`
	More       int                `json:"more,omitempty"`       // how many operations are left out
	Comparison string             `json:"comparison,omitempty"` // where both versions are shown side by side
}

// MessageBody returns what a webhook sends. collection is the URL of the collection in the replay, such as
// "http://127.0.0.1:8089/news"; "" if none is known.
func MessageBody(w *watch.Watch, t *Told, collection string) ([]byte, error) {
	report := t.Report
	m := message{Type: "page.changed", Time: report.To, Data: messageData{ID: t.Message, Watch: w.ID, URL: w.URL, Lens: w.Lens, From: report.From, To: report.To,
		Importance: report.Importance.Weighed, Operations: report.News()}}
	m.Data.Title, m.Data.Words = Words(w.Lang, report)
	if n := len(m.Data.Operations); n > maxOperations {
		m.Data.Operations, m.Data.More = m.Data.Operations[:maxOperations], n-maxOperations
	}
	if collection != "" {
		m.Data.Comparison = collection + "/" + t.Old.Entry.Timestamp + "-" + t.New.Entry.Timestamp + "/" + w.URL
	}
	return json.Marshal(m)
}

// Words says what changed, in "en" or "fa": how much in a line, and what in some lines.
func Words(lang string, report *change.Report) (title, lines string) {
	return draw.FeedEntry(pages.Lang(lang), report)
}

// lensOf returns the lens that a request names.
func lensOf(r *http.Request) kavosh.Lens {
	return kavosh.Lens{Selector: r.FormValue("selector"), Text: r.FormValue("text"), Block: r.FormValue("block")}
}

// versions returns the versions of the page at a URL that the reader may know of. any is false if there are no captures.
func (c *Collection) versions(ctx context.Context, url string) (list []change.Version, any bool, err error) {
	for v, err := range c.readable(ctx, cdx.Query{URL: url, MatchType: cdx.Exact, Limit: maxFed}) {
		if err != nil {
			return nil, false, err
		}
		list = append(list, v)
	}
	return change.VersionsOf(url, list), len(list) > 0, nil
}

// readable yields the captures that a query finds, with what reads them.
func (c *Collection) readable(ctx context.Context, q cdx.Query) iter.Seq2[change.Version, error] {
	return func(yield func(change.Version, error) bool) {
		readers := map[*replay.Collection]*change.Reader{}
		for e, err := range c.Captures(ctx, q) {
			if err == nil && readers[e.Coll] == nil {
				readers[e.Coll] = &change.Reader{Records: e.Coll.Records}
			}
			if !yield(change.Version{Entry: e.Entry, Reader: readers[e.Coll]}, err) || err != nil {
				return
			}
		}
	}
}

// lensFeed sends the feed of what is seen to change through a lens on the page at a URL.
func (s *Site) lensFeed(w http.ResponseWriter, r *http.Request, c *Collection, l kavosh.Lens) {
	address := r.FormValue("url")
	if err := change.CheckLens(l); err != nil {
		s.problem(w, r, http.StatusBadRequest, "bad-request", err.Error())
		return
	}
	of := &watch.Watch{URL: address, Lens: l}
	s.tellFeed(w, r, c, of, func(list []change.Version) []change.Version {
		if l.Block == "" {
			return list[max(0, len(list)-maxEntries-1):]
		}
		first := max(0, slices.IndexFunc(list, func(v change.Version) bool { return v.Entry.Timestamp >= l.Block[:len(replay.TimestampLayout)] }))
		return list[first:min(len(list), first+maxFollowed)]
	})
}

// watchFeed sends the feed of a watch.
func (s *Site) watchFeed(w http.ResponseWriter, r *http.Request, c *Collection) {
	id, err := strconv.Atoi(r.FormValue("id"))
	if err != nil || c.Dir == "" {
		s.problem(w, r, http.StatusNotFound, "no-page", "")
		return
	}
	of, err := watch.Find(vfs.Default, c.Dir, id)
	if err != nil {
		s.problem(w, r, http.StatusNotFound, "no-page", "")
		return
	}
	s.tellFeed(w, r, c, of, func(list []change.Version) []change.Version { return Since(of, list) })
}

// watchesPage lists what is watched, as far as the reader may know of its pages. Where messages go is not told.
func (s *Site) watchesPage(w http.ResponseWriter, r *http.Request, c *Collection) {
	p, lang := draw.Watches{Collection: c.summary()}, s.draw.LangOf(r)
	var list []watch.Watch
	var became map[string]watch.Delivery
	var err error
	if c.Dir != "" {
		if list, err = watch.List(vfs.Default, c.Dir); err == nil && len(list) > 0 {
			became, err = watch.Deliveries(vfs.Default, c.Dir, s.now())
		}
	}
	for i := range list {
		of := &list[i]
		if _, known, broken := c.versions(r.Context(), of.URL); broken != nil || !known {
			err = cmp.Or(err, broken)
			continue
		}
		one := draw.Watched{URL: of.URL, Calendar: c.calendarPath(lang, of.URL), Feed: c.page("watch?id=") + strconv.Itoa(of.ID), Lens: of.Lens, Since: of.Time}
		for _, d := range became {
			switch {
			case d.Watch != of.ID:
				continue
			case d.State == watch.Sent:
				one.Sent++
			case d.State == watch.Failed:
				one.Failed++
			}
			if d.Doubt {
				one.Unsure++
			}
		}
		p.List = append(p.List, one)
	}
	if err != nil {
		s.broken(w, r, "decisions", err)
		return
	}
	s.draw.Watches(w, r, p)
}

// tellFeed sends what a watch tells about some of the versions of its page, the newest first. One without a number stands for
// a lens that a reader named: its entries are named by their comparison.
func (s *Site) tellFeed(w http.ResponseWriter, r *http.Request, c *Collection, of *watch.Watch, some func([]change.Version) []change.Version) {
	versions, any, err := c.versions(r.Context(), of.URL)
	if err != nil {
		s.broken(w, r, "index", err)
		return
	}
	if !any {
		p := draw.Problem{Status: http.StatusNotFound, Kind: "no-capture", URL: of.URL}
		if refused := s.withheld(r.Context(), c, of.URL); refused != nil {
			p.Status, p.Kind = replay.OfRefused(refused)
		}
		s.draw.HomeProblem(w, r, p)
		return
	}
	told, err := Tell(r.Context(), of, some(versions), s.trouble)
	if err != nil {
		s.broken(w, r, "records", err)
		return
	}
	lang, replayed := s.draw.LangOf(r), cmp.Or(s.addresses.Replay, "http://"+r.Host)
	var list []feedEntry
	for _, t := range slices.Backward(told[max(0, len(told)-maxEntries):]) {
		at := replayed + comparePath(c, t.Old.Entry.Timestamp, t.New.Entry.Timestamp, of.URL)
		title, words := draw.FeedEntry(lang, t.Report)
		id := at
		if of.ID > 0 {
			id = "urn:uuid:" + t.Message
		}
		list = append(list, feedEntry{id, of.URL + ": " + title, t.Report.To, feedLink{"alternate", at}, words})
	}
	s.sendFeed(w, r, draw.WatchTitle(lang, of.URL, of.Lens), list)
}
