package change

// This file goes through two crawls side by side, page by page, by the index of captures alone.

import (
	"cmp"
	"context"
	"iter"
	"net/http"

	"kavosh/internal/records"
	"kavosh/lib/ascii"
	"kavosh/lib/cdx"
	"kavosh/lib/warc"
	"kavosh/lib/weburl"
)

// Fate is what came of a page between two crawls.
type Fate string

// The fates.
const (
	New       Fate = "new"       // the older crawl does not have it
	Differs   Fate = "changed"   // its bytes are others, or the index does not know them
	Same      Fate = "unchanged" // its bytes are the same
	Gone      Fate = "gone"      // there is another answer now: an error, or the way to another address
	NotAsked  Fate = "not-asked" // the newer crawl has no answer
	noFate    Fate = ""
	maxOfAKey      = 1000 // URLs that are one to the index, such as those with and without www
)

// Pair is a page in two crawls: the last capture that each has.
type Pair struct {
	Fate     Fate
	URL      string
	Old, New *cdx.Entry // nil if there is none
	Asked    *cdx.Entry // an answer 304 that the newer crawl has before New, which is none; else nil
}

// Pairs yields the pages of two crawls in the order of the index. old and new tell which captures belong to which. Memory is bounded
// by one address, whatever the index holds.
func Pairs(ctx context.Context, index records.Index, old, new func(*cdx.Entry) bool) iter.Seq2[Pair, error] {
	return pairs(ctx, index, old, new, nil)
}

// pairs is Pairs; addresses of hosts for which folds is true are one whatever the case of their letters.
func pairs(ctx context.Context, index records.Index, old, new func(*cdx.Entry) bool, folds map[string]bool) iter.Seq2[Pair, error] {
	return func(yield func(Pair, error) bool) {
		var of []*Pair // those of one key
		key := ""
		flush := func() bool {
			for _, p := range of {
				if p.settle(); p.Fate != noFate && !yield(*p, nil) {
					return false
				}
			}
			of = of[:0]
			return true
		}
		for e, err := range index.Query(ctx, cdx.Query{URL: "*"}) {
			if err == nil {
				err = ctx.Err()
			}
			if err != nil {
				yield(Pair{}, err)
				return
			}
			if e.Key != key {
				if !flush() {
					return
				}
				key = e.Key
			}
			isOld, isNew := old(&e), new(&e)
			if !isOld && !isNew || e.Get("method") != "" || e.Get("variant") != "" || e.Get(cdx.Of) != "" {
				continue
			}
			var p *Pair
			for _, had := range of {
				if had.URL == e.URL || len(folds) > 0 && ascii.EqualFold(had.URL, e.URL) && folds[weburl.Host(e.URL)] {
					p = had
				}
			}
			if p == nil {
				if len(of) == maxOfAKey {
					continue
				}
				p = &Pair{URL: e.URL}
				of = append(of, p)
			}
			p.URL = e.URL
			if isOld {
				p.Old = &e
			}
			if isNew {
				p.add(&e)
			}
		}
		flush()
	}
}

// add takes up a capture of the newer crawl. Within a second the index does not say which came first.
func (p *Pair) add(e *cdx.Entry) {
	was := p.New
	if was != nil && was.Timestamp == e.Timestamp && cmp.Or(cmp.Compare(was.Filename, e.Filename), cmp.Compare(was.Offset, e.Offset)) > 0 {
		was, e = e, was
	}
	if p.New, p.Asked = e, nil; was != nil && was.Status == http.StatusNotModified && e.Status != http.StatusNotModified {
		p.Asked = was
	}
}

// settle tells the fate of a page; it is none for what is no page in either crawl.
func (p *Pair) settle() {
	was := p.Old != nil && IsPage(p.Old)
	is := p.New != nil && IsPage(p.New) && (was || p.New.Type() != "") // what a revisit is of may be known by the older one alone
	switch {
	case was && is && (p.Old.Digest != "" && warc.SameDigest(p.Old.Digest, p.New.Digest) || p.New.MIME == cdx.Revisit && p.New.Digest == ""):
		p.Fate = Same
	case was && is:
		p.Fate = Differs
	case is:
		p.Fate = New
	case was && p.New != nil:
		p.Fate = Gone
	case was:
		p.Fate = NotAsked
	}
}

// Tally counts pages by what came of them.
type Tally struct {
	New       int64 `json:"new"`
	Changed   int64 `json:"changed"`
	Unchanged int64 `json:"unchanged"`
	Gone      int64 `json:"gone"`
}

// Count counts the pages that a crawl asked for again, and the new ones, beside what the archive had before.
func Count(ctx context.Context, index records.Index, before, crawl func(*cdx.Entry) bool) (t Tally, err error) {
	for p, err := range Pairs(ctx, index, before, crawl) {
		if err != nil {
			return t, err
		}
		t.Add(p.Fate)
	}
	return t, nil
}

// Add counts one page.
func (t *Tally) Add(f Fate) {
	switch f {
	case New:
		t.New++
	case Differs:
		t.Changed++
	case Same:
		t.Unchanged++
	case Gone:
		t.Gone++
	}
}
