package search

import (
	"errors"

	"kavosh/internal/journal"
)

// Name is the folder of the index below an archive's derived/.
const Name = "search@1"

// Name is that of the index that is added to.
func (g *Gatherer) Name() string { return Name }

// Cursor is where in the capture log the next Add must go on: at the beginning when what is made with the texts lacks what the index has,
// and when there are PDF documents that can be read by now.
func (g *Gatherer) Cursor() journal.Cursor {
	at := g.Writer.Cursor()
	if !g.Texts.Join(at) || g.PDF != nil && g.Writer.LacksPDF() {
		return journal.Cursor{}
	}
	return at
}

// Reset empties the index.
func (g *Gatherer) Reset(generation int) error {
	return errors.Join(g.Texts.Begin(generation), g.Writer.Reset(generation, g.PDF != nil))
}

// Commit makes what was added durable, and that the capture log is read up to cursor. The texts go first: what a crash leaves beyond the
// index is there already when it is added again.
func (g *Gatherer) Commit(cursor journal.Cursor) error {
	if err := g.Texts.Commit(cursor); err != nil {
		return err
	}
	return g.Writer.Commit(cursor)
}
