package search

import (
	"errors"

	"kavosh"
	"kavosh/internal/journal"
)

// Links keeps which page of an archive links where: of the pages that a Gatherer reads.
type Links interface {
	Cursor() journal.Cursor
	Reset(generation int) error
	Add(c *kavosh.Capture, page *kavosh.Page) error // page is nil for a redirect
	Commit(journal.Cursor) error
}

// Name is the folder of the index below an archive's derived/.
const Name = "search@1"

// Name is that of the index that is added to.
func (g *Gatherer) Name() string { return Name }

// Cursor is where in the capture log the next Add must go on: at the beginning when the links lack what the index has, and when there
// are PDF documents that can be read by now.
func (g *Gatherer) Cursor() journal.Cursor {
	at := g.Writer.Cursor()
	if g.Links != nil && !g.Links.Cursor().Covers(at) || g.PDF != nil && g.Writer.LacksPDF() {
		return journal.Cursor{}
	}
	return at
}

// Reset empties the index and the links.
func (g *Gatherer) Reset(generation int) error {
	var err error
	if g.Links != nil {
		err = g.Links.Reset(generation)
	}
	return errors.Join(err, g.Writer.Reset(generation, g.PDF != nil))
}

// Commit makes what was added durable, and that the capture log is read up to cursor. The links go first: what a crash leaves beyond the
// index is read again, and a link that comes twice counts once.
func (g *Gatherer) Commit(cursor journal.Cursor) error {
	if g.Links != nil {
		if err := g.Links.Commit(cursor); err != nil {
			return err
		}
	}
	return g.Writer.Commit(cursor)
}
