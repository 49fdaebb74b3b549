package change

// This file tells by which chance a difference is of what a page is about, and not of what stands around it: by where
// something was done, to what, and what. How much each tells was learnt from histories of sites, whose makers' sources say
// when the content changed (bench/change, docs/decisions/0332-importance-by-labels.md).

import (
	"math"

	"kavosh/lib/segment"
)

// Class is what of an operation on an element tells something.
type Class struct {
	Where Where
	What  Kind
	Do    Do
	Long  bool // it is a text of more than maxShort words
}

// Where is the part of the page, as far as it matters.
type Where string

// The parts.
const (
	InMain  Where = "main"
	Unnamed Where = "none"   // between the beginning and the end of a page that does not name its main part
	AtEdge  Where = "edge"   // the beginning and the end of such a page
	Around  Where = "around" // of a page that names its main part, what has no name
	InMenu  Where = "menu"   // or head
	Beside  Where = "beside"
	InFoot  Where = "foot"
)

// whereOf returns the part in which an operation is.
func (d *Delta) whereOf(o *Operation) Where {
	switch d.blockOf(o).Place {
	case segment.Main:
		return InMain
	case segment.Head, segment.Menu:
		return InMenu
	case segment.Foot:
		return InFoot
	case "":
		switch d.whereabouts(o) {
		case amid:
			return Unnamed
		case margin:
			return AtEdge
		}
		return Around
	}
	return Beside
}

// blockOf returns the block in which an operation is: the new one, or the old one of what is gone.
func (d *Delta) blockOf(o *Operation) *segment.Block {
	if len(o.To) > 0 {
		return d.New[o.To[0]]
	}
	return d.Old[o.From[0]]
}

// Class returns that of an operation on an element.
func (d *Delta) Class(o *Operation) Class {
	return Class{d.whereOf(o), o.What, o.Do, o.What == Text && (tooLong(o.Old) || tooLong(o.New))}
}

func tooLong(v *Value) bool {
	return v != nil && hasWords(v.Name, maxShort)
}

// Odds are the logarithms of odds that an operation is of the content: those of its place and those of what was done are
// added.
type Odds struct {
	Where map[Where]float64
	Done  map[Class]float64 // of classes without place
}

// of returns the chance of a class.
func (o Odds) of(c Class) float64 {
	where := o.Where[c.Where]
	c.Where = ""
	return 1 / (1 + math.Exp(-where-o.Done[c]))
}

// Counted is how often something of a class was done.
type Counted struct {
	Class
	N    int
	Calm float64 // of the blocks in which it was, the share of the one that changed least before
}

// Counts counts the operations that tell something, by class. calm returns the share by which a block is weighed; nil for 1.
func (d *Delta) Counts(calm func(*segment.Block) float64) (list []Counted) {
	at := map[Class]int{}
	for i := range d.Operations {
		o := &d.Operations[i]
		if o.What == Block || o.Noise != "" {
			continue
		}
		c, share := d.Class(o), 1.0
		if calm != nil {
			share = calm(d.blockOf(o))
		}
		n, ok := at[c]
		if !ok {
			n = len(list)
			at[c] = n
			list = append(list, Counted{Class: c})
		}
		list[n].N++
		list[n].Calm = max(list[n].Calm, share)
	}
	return list
}

// Chance returns by which chance the content changed, from 0 to 1. What is done many times of one class counts little more
// than once: it is mostly one thing, such as another menu.
func (o Odds) Chance(list []Counted) float64 {
	not := 1.0
	for _, c := range list {
		not *= math.Pow(1-o.of(c.Class)*c.Calm, 1+math.Log(float64(c.N)))
	}
	return 1 - not
}

// learnt are the odds that bench/change learnt of the sites that sites.tsv there calls "develop"; AtEdge, of which they have
// nothing, stands between Unnamed and Around.
var learnt = Odds{
	Where: map[Where]float64{InMain: 3.1, Unnamed: 0.4, AtEdge: -1.1, Around: -2.6, Beside: -2.6, InMenu: -3.8, InFoot: -3.4},
	Done: map[Class]float64{
		{What: Image, Do: Insert}: -1.6, {What: Image, Do: Delete}: -1.3, {What: Image, Do: Update}: -0.9, {What: Image, Do: Move}: -1,
		{What: Link, Do: Insert}: -1.6, {What: Link, Do: Delete}: -3.2, {What: Link, Do: Update}: 0.3, {What: Link, Do: Move}: 0.6,
		{What: Text, Do: Insert}: -2.9, {What: Text, Do: Delete}: -4.4, {What: Text, Do: Update}: -0.6, {What: Text, Do: Move}: -0.2,
		{What: Text, Do: Insert, Long: true}: -0.7, {What: Text, Do: Delete, Long: true}: -2.4, {What: Text, Do: Update, Long: true}: 0.2, {What: Text, Do: Move, Long: true}: -1,
	},
}
