// Package change finds what differs between two versions of a page as a reader would see it, and how much it matters.
//
// A version is cut into blocks (lib/segment). Between blocks go the steps of Vi-DIFF (Pehlivan, Ben Saad and Gançarski,
// "Vi-DIFF: Understanding Web Pages Changes", 2010), in files:
//
//	match.go       tells which block of the old version is which of the new one, also where blocks were split or merged
//	elements.go    finds links, images and texts that were inserted, deleted, updated, or moved to another block
//	noise.go       tells which operations say nothing: adverts, counters, dates (noise.txt has the words)
//	importance.go  weighs the difference, chance.go by whether it is of the content, history.go by the past
//
// A Delta is the result. It is a pure function of the two versions: no clock, no network, no files. Above it,
//
//	versions.go    reads versions from captures, and compares them
//	rendered.go    takes pages as a browser lays them out
//	kept.go        keeps what was cut and compared
//	lens.go        sees only a part of each version
//	report.go      makes of a Delta what is printed and drawn; xml.go writes it as XML, page.go as a page
//	coherence.go   says which pages of a crawl can have been seen together
//	crawls.go      goes through two crawls side by side, and ranked.go lists what changed most
package change

import (
	"errors"
	"slices"

	"kavosh/lib/segment"
)

// Kind is what an operation is done to.
type Kind string

// The kinds.
const (
	Block Kind = "block"
	Link  Kind = "link"
	Image Kind = "image"
	Text  Kind = "text"
)

// Do is what was done.
type Do string

// What may be done. Blocks are not updated: what changed in them is told of their elements. Elements are not split or
// merged.
const (
	Insert Do = "insert"
	Delete Do = "delete"
	Update Do = "update"
	Move   Do = "move"
	Split  Do = "split"
	Merge  Do = "merge"
)

// Operation is one difference.
type Operation struct {
	Do   Do   `json:"do"`
	What Kind `json:"what"`
	// From and To are the blocks in the old and the new version, by their places in Delta.Old and Delta.New; more than one
	// where blocks were split or merged. From is empty for what was inserted, To for what was deleted.
	From []int `json:"from,omitempty"`
	To   []int `json:"to,omitempty"`

	Old *Value `json:"old,omitempty"` // of an element, before
	New *Value `json:"new,omitempty"` // and after

	Noise Noise `json:"noise,omitempty"` // why it tells nothing; "" if it does
}

// Value is what a link, an image or a text was.
type Value struct {
	Name    string `json:"name,omitempty"` // the words of a link or text; what stands for an image
	Address string `json:"address,omitempty"`
}

// Delta is what differs between two versions.
type Delta struct {
	Operations []Operation
	// Old and New are the blocks without blocks of both versions, in order.
	Old, New []*segment.Block

	groups []group
	main   bool // both versions say which part is the main one
	chosen bool // somebody chose what is compared: all of it is content
}

// ErrMakers means that two versions were cut by different makers of layouts, and cannot be compared.
var ErrMakers = errors.New("the two versions were cut into blocks in different ways (with and without a browser): cut both alike")

// Between returns what differs between two versions of a page.
func Between(old, new *segment.Page) (*Delta, error) {
	if old.Made != new.Made {
		return nil, ErrMakers
	}
	d := &Delta{}
	d.Old, d.New = Blocks(old), Blocks(new)
	m := matcher{old: side(d.Old), new: side(d.New)}
	if old.Root.ID != new.Root.ID {
		m.match()
	} else {
		for i := range m.old.of {
			m.pair(i, i)
		}
	}
	d.groups = m.groups()
	d.main = slices.ContainsFunc(d.Old, inMain) && slices.ContainsFunc(d.New, inMain)
	d.blocks(&m)
	d.elements()
	d.noise()
	return d, nil
}
