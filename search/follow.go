package search

// This file makes the search index a follower of an archive's capture log (archive.Follower).

import (
	"errors"

	"kavosh/internal/journal"
)

// Name is the folder of the index, below an archive's folder derived.
const Name = "search@1"

// Name returns the name of the derived thing.
func (g *Gatherer) Name() string { return Name }

// Cursor returns the place in the capture log from which Add must go on. It is the beginning if the things made
// together with the texts lack captures that the index has, or if the index has PDF documents that can only be read
// now.
func (g *Gatherer) Cursor() journal.Cursor {
	at := g.Writer.Cursor()
	if !g.Texts.Join(at) || g.PDF != nil && g.Writer.LacksPDF() {
		return journal.Cursor{}
	}
	return at
}

// Reset empties the index. The caller then adds all captures of the given generation of the capture log.
func (g *Gatherer) Reset(generation int) error {
	return errors.Join(g.Texts.Begin(generation), g.Writer.Reset(generation, g.PDF != nil))
}

// Commit makes what was added durable, and records that the capture log is read up to cursor. The texts become durable
// first: if a crash leaves more texts than the index has, they are found when the captures are added again.
func (g *Gatherer) Commit(cursor journal.Cursor) error {
	if err := g.Texts.Commit(cursor); err != nil {
		return err
	}
	return g.Writer.Commit(cursor)
}
