package lab

import (
	"context"
	"net/netip"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh"
	"kavosh/archive"
	"kavosh/engine"
	"kavosh/fetch"
	"kavosh/frontier/order"
	"kavosh/judge"
	"kavosh/lab/stored"
)

// Full makes a run as Walk does without Pace, with the whole engine: pages are fetched over connections in memory,
// recorded, read and judged anew. It is slower, and shows that a Walk leaves nothing out.
func Full(ctx context.Context, web *stored.Web, spec string, setup order.Setup, j judge.Judge, starts []string,
	budget int) ([]Fetch, error) {
	server, err := stored.NewServer(web)
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var fetches []Fetch
	answered := 0
	o := engine.Options{
		Archive: "archive", FS: vfs.NewMem(), Web: server, Order: spec, OrderSetup: setup, Judge: j, Workers: 1,
		Scope: studyScope(), QueryBudget: -1,
		Fetch: fetch.Options{AllowPrivate: []netip.Prefix{netip.MustParsePrefix("0.0.0.0/0"), netip.MustParsePrefix("::/0")}},
	}
	o.Seeds = engine.SeedURLs(starts...)
	o.Events.Finished = func(l archive.Line) {
		if l.Outcome != "recorded" && l.Outcome != "failed" || l.Kind == kavosh.Prerequisite.String() || budget > 0 && answered >= budget {
			return
		}
		at := web.Find(l.URL)
		fetches = append(fetches, Fetch{Page: int32(at)})
		if at >= 0 {
			answered++
		}
		if budget > 0 && (answered >= budget || len(fetches)-answered > maxMissing*budget) {
			stop()
		}
	}
	if _, err := engine.Run(ctx, o); err != nil && ctx.Err() == nil {
		return nil, err
	}
	return fetches, nil
}
