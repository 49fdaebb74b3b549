package engine

// This file joins the order and the judges that a crawl goes by.

import (
	"bytes"
	"errors"
	"os"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh"
	"kavosh/frontier/order"
	"kavosh/internal/disk"
	"kavosh/judge"
)

// purpose is what a crawl is after: the order of its URLs, and who judges its pages.
type purpose struct {
	opt   *Options
	order order.Policy
	needs kavosh.Needs
	some  bool      // of the URIs in RDF documents some are links, as uris chooses
	saved time.Time // when the order's knowledge was last kept; the committer's
}

// open makes the order that Options.Order names, which knows nothing yet.
func (p *purpose) open() error {
	setup := p.opt.OrderSetup
	if p.opt.Judge != nil {
		setup.Topic, setup.Language = p.opt.Judge.Text, judge.LanguageOf(p.opt.Judge)
		p.needs = p.opt.Judge.Needs()
	}
	if p.opt.Only != nil {
		p.needs = p.needs.Or(p.opt.Only.Needs())
		p.needs.Text = true // what has none is kept, whatever the judge goes by
	}
	var err error
	if p.order, err = order.Parse(p.opt.Order, setup); err != nil {
		return err
	}
	if r, ok := p.order.(order.Reader); ok {
		p.needs = p.needs.Or(r.Needs())
	}
	if p.opt.Negotiate {
		p.needs.RDF = true
	}
	if p.opt.SeeAlso {
		p.needs = p.needs.Or(kavosh.Needs{RDF: true, SeeAlso: true})
	}
	if p.opt.URIs {
		p.needs = p.needs.Or(kavosh.Needs{RDF: true, URIs: true})
	}
	p.needs.Programs = p.opt.BrowserAuto && p.opt.Browser != nil
	if p.needs.RDF && !p.needs.URIs && !p.opt.SeeAlso {
		p.needs.URIs, p.some = true, true
	}
	return nil
}

// bodyBound is fetch.Options.Body: an order may leave bodies unread, and rules may leave out types and sizes.
func (c *crawl) bodyBound(t *kavosh.Task, contentType string, length int64) (most int64, why string) {
	if f, ok := c.purpose.order.(order.Filter); ok && !f.Reads(t, contentType) {
		return 0, "the body is not wanted, by its Content-Type"
	}
	return c.scope.Body(t, contentType, length)
}

// weigh is the judge's verdict about an answer's page, and whether the archive keeps the answer (--only). What is no
// answer, is an error's page, or stands in for the page is not relevant, and is kept.
func (p *purpose) weigh(x *kavosh.Exchange, page *kavosh.Page) (verdict kavosh.Verdict, dropped *kavosh.Dropped) {
	ok := x.Status >= 200 && x.Status <= 299 || x.Status == 304
	if !ok || x.Task.Kind == kavosh.Prerequisite || page.StandIn != kavosh.NoStandIn {
		return verdict, nil
	}
	if p.opt.Judge != nil {
		verdict = p.opt.Judge.Judge(page)
	}
	if p.opt.Only == nil || x.Status == 304 || x.Task.Kind == kavosh.Embed || page.Text == "" {
		return verdict, nil // it belongs to another page, or there is nothing to judge by
	}
	only := verdict
	if p.opt.Judge != p.opt.Only {
		only = p.opt.Only.Judge(page)
	}
	if only.Relevant() {
		return verdict, nil
	}
	return verdict, &kavosh.Dropped{By: "--only", Score: only.Score, Why: only.Why()}
}

// keepEvery is how often a running crawl keeps what its order has learned. A crash loses no more than that, and it can
// be learned again.
const keepEvery = time.Minute

// keep keeps in a file what the order has learned, if it is one that learns: its specification, a line feed, its own bytes.
func (p *purpose) keep(fs vfs.FS, file string) error {
	k, ok := p.order.(order.Keeper)
	if !ok {
		return nil
	}
	state, err := k.Save()
	if err != nil {
		return err
	}
	return disk.WriteFile(fs, file, append([]byte(p.opt.Order+"\n"), state...))
}

// recall gives the order what it learned in an earlier run of the crawl, from a file that need not exist, unless that is
// damaged or of another order.
func (p *purpose) recall(fs vfs.FS, file string, trouble func(string)) error {
	k, ok := p.order.(order.Keeper)
	if !ok {
		return nil
	}
	data, err := disk.ReadFile(fs, file)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	spec, state, _ := bytes.Cut(data, []byte{'\n'})
	if string(spec) != p.opt.Order {
		return nil
	}
	if err := k.Restore(state); err != nil {
		trouble("what the order " + p.opt.Order + " had learned cannot be read, it begins anew: " + err.Error())
		return p.open() // it may have taken half of it
	}
	return nil
}
