package engine

// This file lets the crawl that runs on an archive mend it, too: what pages lack goes into its queue by its control socket.

import (
	"cmp"
	"context"
	"errors"

	"kavosh/archive"
	"kavosh/quality"
)

// addParts is the name of the command that adds parts of a page to the queue.
const addParts = "parts"

// Joined says what a crawl was given that runs.
type Joined struct {
	ID    string `json:"id"`    // of the crawl
	Parts int    `json:"parts"` // that it was given; what it has asked for already is not asked for again
	Met   int    `json:"met"`   // of them, those that only readers met as missing
}

// Running reports whether a crawl runs on the archive in dir that takes commands.
func Running(dir string) bool {
	_, err := Tell(dir, &Command{Name: "status"})
	return err == nil
}

// Join gives the crawl that runs on the archive of opt the parts that pages lack, as everybody may see them, without those that a rule of access
// holds back. The pages are those that the archive has when they are read. who is the name of the user.
func Join(ctx context.Context, opt Options, who string) (*Joined, error) {
	c := newCrawl(opt)
	p := &patch{reader: archive.QualityOf(c.fs, opt.Archive, c.clock)}
	if err := c.findMissing(ctx, p); err != nil {
		return nil, err
	}
	j := &Joined{Met: p.fromBegin.Met}
	of, order := map[string][]string{}, []string{}
	for i := range p.missing {
		if m := &p.missing[i]; m.State != quality.Closed {
			via := cmp.Or(m.Via, m.On)
			if of[via] == nil {
				order = append(order, via)
			}
			of[via] = append(of[via], m.Wanted())
		}
	}
	for _, via := range order {
		reply, err := Tell(opt.Archive, &Command{Who: who, Name: addParts, Via: via, URLs: of[via]})
		if err == nil && reply.Error != "" {
			err = errors.New(reply.Error)
		}
		if err = cmp.Or(err, ctx.Err()); err != nil {
			return j, err
		}
		j.ID = reply.State.ID
		j.Parts += len(of[via])
	}
	return j, nil
}
