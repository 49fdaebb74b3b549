// Package judge scores pages and words: how relevant are they to what the crawl is for?
//
// Each kind of judge is one file: keyword.go, query.go (with background.go), class.go, language.go, rdf.go, regexp.go; mix.go makes one judge
// of several, and parse.go reads them as people write them for --prefer. class.go judges by a [Model], whose stored form
// is in model.go; train.go and validate.go make one from labelled pages and say how good it is. docs/judges.md is the
// guide.
//
// A verdict depends on the page alone, not on what was judged before: it can be kept, made again and explained later.
package judge

import (
	"bytes"
	"iter"
	"slices"
	"sync"

	"kavosh"
	"kavosh/lib/words"
)

// Judge tells how relevant something is, on one scale from 0, not at all, to 1, surely; from [kavosh.RelevantFrom] on it
// counts as relevant. It may be used by many goroutines at once. The time it takes is bounded by that for a megabyte of
// text, whatever the page holds.
type Judge interface {
	// Judge is the verdict on a page, by its address, title and text, with the weightiest reasons.
	Judge(p *kavosh.Page) kavosh.Verdict
	// Text is how relevant a few words are, such as an anchor; 0 when there are none.
	Text(text string) float64
	// Needs is what it wants of pages beyond their links.
	Needs() kavosh.Needs
}

// maxReasons bounds the reasons of a verdict.
const maxReasons = 4

// kind is a way to judge what was cut into words already, once for all judges of a mix.
type kind interface {
	judge(d *document) kavosh.Verdict
}

// document is a page, or a text, being judged. The words of title and text stand between spaces: " one two ", so that
// a phrase with spaces around it is found by a plain search; see words.Append.
type document struct {
	page        *kavosh.Page
	title, text []byte
	hashes      []uint32  // scratch of features
	vector      []feature // scratch of class
}

func (d *document) read(p *kavosh.Page) {
	d.page = p
	d.title = words.Append(append(d.title[:0], ' '), p.Title)
	d.text = words.Append(append(d.text[:0], ' '), p.Text)
}

// whole makes a Judge of a kind.
type whole struct {
	kind
	documents sync.Pool // of *document
}

func (w *whole) take() *document {
	if d, ok := w.documents.Get().(*document); ok {
		return d
	}
	return &document{}
}

// maxKept bounds the bytes that a document keeps for the next one: a huge page must not cost its memory for ever.
const maxKept = 1 << 20

func (w *whole) give(d *document) {
	d.page = nil
	if cap(d.title)+cap(d.text)+4*cap(d.hashes)+8*cap(d.vector) <= maxKept {
		w.documents.Put(d)
	}
}

// Judge is [Judge]'s.
func (w *whole) Judge(p *kavosh.Page) kavosh.Verdict {
	d := w.take()
	defer w.give(d)
	d.read(p)
	v := w.judge(d)
	v.Reasons = v.Reasons[:min(len(v.Reasons), maxReasons)]
	return v
}

// Text is [Judge]'s.
func (w *whole) Text(text string) float64 {
	d := w.take()
	defer w.give(d)
	d.read(&kavosh.Page{Text: text})
	return w.judge(d).Score
}

// Needs is [Judge]'s.
func (w *whole) Needs() kavosh.Needs { return kavosh.Needs{Text: true} }

// weightiest sorts reasons, the weightiest first; equal ones as they stand.
func weightiest(reasons []kavosh.Reason) {
	slices.SortStableFunc(reasons, func(a, b kavosh.Reason) int {
		switch x, y := a.Weight*a.Weight, b.Weight*b.Weight; {
		case x > y:
			return -1
		case x < y:
			return 1
		}
		return 0
	})
}

// each walks over words that stand between spaces.
func each(text []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for text = text[min(1, len(text)):]; len(text) > 0; {
			i := bytes.IndexByte(text, ' ')
			if !yield(text[:i]) {
				return
			}
			text = text[i+1:]
		}
	}
}
