package engine

import (
	"bytes"
	"errors"
	"io/fs"
	"time"

	"kavosh"
	"kavosh/frontier/order"
	"kavosh/internal/disk"
	"kavosh/judge"
)

// purpose is what a crawl is after: the order of its URLs, and who judges its pages.
type purpose struct {
	order order.Policy
	needs kavosh.Needs
	saved time.Time // when the order's knowledge was last kept
}

// openPurpose makes the order that Options.Order names.
func (c *crawl) openPurpose() error {
	setup := c.opt.OrderSetup
	if c.opt.Judge != nil {
		setup.Topic, setup.Language = c.opt.Judge.Text, judge.LanguageOf(c.opt.Judge)
		c.purpose.needs = c.opt.Judge.Needs()
	}
	if c.opt.Only != nil {
		c.purpose.needs = c.purpose.needs.Or(c.opt.Only.Needs())
		c.purpose.needs.Text = true // what has none is kept, whatever the judge goes by
	}
	var err error
	if c.purpose.order, err = order.Parse(c.opt.Order, setup); err != nil {
		return err
	}
	if r, ok := c.purpose.order.(order.Reader); ok {
		c.purpose.needs = c.purpose.needs.Or(r.Needs())
	}
	if c.opt.Negotiate {
		c.purpose.needs.RDF = true
	}
	if c.opt.SeeAlso {
		c.purpose.needs = c.purpose.needs.Or(kavosh.Needs{RDF: true, SeeAlso: true})
	}
	if c.opt.URIs {
		c.purpose.needs = c.purpose.needs.Or(kavosh.Needs{RDF: true, URIs: true})
	}
	return nil
}

// wanted says whether the body of an answer is read: an order may leave some unread.
func (c *crawl) wanted(t *kavosh.Task, contentType string) bool {
	f, ok := c.purpose.order.(order.Filter)
	return !ok || f.Reads(t, contentType)
}

// weigh is the judge's verdict about an answer's page, and whether the archive keeps the answer (--only). What is no
// answer, or an error's page, is not relevant, and is kept.
func (c *crawl) weigh(x *kavosh.Exchange, page *kavosh.Page) (verdict kavosh.Verdict, dropped *kavosh.Verdict) {
	ok := x.Status >= 200 && x.Status <= 299 || x.Status == 304
	if !ok || x.Task.Kind == kavosh.Prerequisite {
		return verdict, nil
	}
	if c.opt.Judge != nil {
		verdict = c.opt.Judge.Judge(page)
	}
	if c.opt.Only == nil || x.Status == 304 || x.Task.Kind == kavosh.Embed || page.Text == "" {
		return verdict, nil // it belongs to another page, or there is nothing to judge by
	}
	only := verdict
	if c.opt.Judge != c.opt.Only {
		only = c.opt.Only.Judge(page)
	}
	if only.Relevant() {
		return verdict, nil
	}
	return verdict, &only
}

// keepEvery is how often a running crawl keeps what its order has learned. A crash loses no more than that, and it can
// be learned again.
const keepEvery = time.Minute

// keepOrder keeps what the order has learned, if it is one that learns: its specification, a line feed, its own bytes.
func (c *crawl) keepOrder() error {
	k, ok := c.purpose.order.(order.Keeper)
	if !ok {
		return nil
	}
	state, err := k.Save()
	if err != nil {
		return err
	}
	return disk.WriteFile(c.fs, c.orderFile(), append([]byte(c.opt.Order+"\n"), state...))
}

// recallOrder gives the order what it learned in an earlier run of the crawl, unless that is damaged or of another
// order.
func (c *crawl) recallOrder() error {
	k, ok := c.purpose.order.(order.Keeper)
	if !ok {
		return nil
	}
	data, err := disk.ReadFile(c.fs, c.orderFile())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	spec, state, _ := bytes.Cut(data, []byte{'\n'})
	if string(spec) != c.opt.Order {
		return nil
	}
	if err := k.Restore(state); err != nil {
		c.trouble("what the order " + c.opt.Order + " had learned cannot be read, it begins anew: " + err.Error())
		return c.openPurpose() // it may have taken half of it
	}
	return nil
}

func (c *crawl) orderFile() string { return c.fs.PathJoin(c.dir, "order") }
