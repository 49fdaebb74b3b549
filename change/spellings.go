package change

// This file tells hosts whose servers do not care about the case of letters in addresses. There a page may have been captured
// under several spellings, and under another one in each crawl: without this it would count twice, or as deleted and added.

import (
	"context"
	"iter"

	"kavosh/internal/records"
	"kavosh/lib/ascii"
	"kavosh/lib/cdx"
	"kavosh/lib/warc"
	"kavosh/lib/weburl"
)

// Folding returns the hosts of which crawls captured pages under several spellings, the same bytes under each, and nowhere
// others. of tells the captures of each crawl. Memory is bounded by one address and by the number of such hosts.
func Folding(ctx context.Context, index records.Index, of ...func(*cdx.Entry) bool) (map[string]bool, error) {
	hosts := map[string]bool{}
	same := make([][]cdx.Entry, len(of)) // the pages of one key in each crawl, the last capture of each URL
	judge := func() {
		for i := range same {
			for j := range same[i] {
				judgeSpellings(same[i][:j], &same[i][j], hosts)
			}
			same[i] = same[i][:0]
		}
	}
	key := ""
	for e, err := range index.Query(ctx, cdx.Query{URL: "*"}) {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return nil, err
		}
		if e.Key != key {
			judge()
			key = e.Key
		}
		if !IsPage(&e) || e.Digest == "" || e.Get("method") != "" || e.Get("variant") != "" || e.Get(cdx.Of) != "" {
			continue
		}
		for i, is := range of {
			if is(&e) {
				same[i] = keepLast(same[i], &e)
			}
		}
	}
	judge()
	for host, folds := range hosts {
		if !folds {
			delete(hosts, host)
		}
	}
	return hosts, nil
}

// keepLast puts a capture in the place of an earlier one of its URL.
func keepLast(list []cdx.Entry, e *cdx.Entry) []cdx.Entry {
	for i := range list {
		if list[i].URL == e.URL {
			list[i] = *e
			return list
		}
	}
	if len(list) == maxOfAKey {
		return list
	}
	return append(list, *e)
}

// judgeSpellings notes of the host of e whether it has answered other spellings of its URL alike. Once it has not, it stays so.
func judgeSpellings(others []cdx.Entry, e *cdx.Entry, hosts map[string]bool) {
	for i := range others {
		if !ascii.EqualFold(others[i].URL, e.URL) {
			continue
		}
		host := weburl.Host(e.URL)
		was, known := hosts[host]
		hosts[host] = (was || !known) && warc.SameDigest(others[i].Digest, e.Digest)
	}
}

// pairs are the Pairs of r's index, by its Folds.
func (r *Reader) pairs(ctx context.Context, old, new func(*cdx.Entry) bool) iter.Seq2[Pair, error] {
	return pairs(ctx, r.Records.Index, old, new, r.Folds)
}
