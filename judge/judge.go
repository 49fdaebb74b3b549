// Package judge scores pages and words: how relevant are they to the purpose of the crawl?
//
// Each kind of judge is one file: keyword.go, query.go (with background.go), class.go, language.go, rdf.go, regexp.go.
// mix.go combines several, and parse.go parses the values of --prefer. class.go judges by a [Model], whose stored form
// is in model.go; train.go and validate.go make a model from labelled pages and measure how good it is. docs/judges.md
// is the guide.
//
// A verdict depends only on the page, not on earlier pages. So it can be stored, made again and explained later.
package judge

import (
	"bytes"
	"iter"
	"slices"
	"sync"

	"kavosh"
	"kavosh/lib/words"
)

// Judge says how relevant something is, from 0 (not at all) to 1 (certainly). From [kavosh.RelevantFrom] on it counts
// as relevant. Many goroutines may use a Judge at once. Whatever the page contains, it takes no longer than for a
// megabyte of text.
type Judge interface {
	// Judge returns the verdict on a page, by its address, title and text, with the strongest reasons.
	Judge(p *kavosh.Page) kavosh.Verdict
	// Text returns the relevance of a few words, such as an anchor text; 0 if there are none.
	Text(text string) float64
	// Needs returns what the judge needs of a page in addition to its links.
	Needs() kavosh.Needs
}

// maxReasons is the greatest number of reasons in a verdict.
const maxReasons = 4

// kind judges text that is already split into words, which is done once for all judges of a mix.
type kind interface {
	judge(d *document) kavosh.Verdict
}

// document is the page or text being judged. The words of title and text have spaces around them, " one two ", so that
// a plain search finds a phrase; see words.Append.
type document struct {
	page        *kavosh.Page
	title, text []byte
	hashes      []uint32  // scratch space of features
	vector      []feature // scratch space of class
}

func (d *document) read(p *kavosh.Page) {
	d.page = p
	d.title = words.Append(append(d.title[:0], ' '), p.Title)
	d.text = words.Append(append(d.text[:0], ' '), p.Text)
}

// whole turns a kind into a Judge.
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

// maxKept bounds the bytes that a document keeps for the next one, so that a huge page frees its memory.
const maxKept = 1 << 20

func (w *whole) give(d *document) {
	d.page = nil
	if cap(d.title)+cap(d.text)+4*cap(d.hashes)+8*cap(d.vector) <= maxKept {
		w.documents.Put(d)
	}
}

// Judge implements [Judge].
func (w *whole) Judge(p *kavosh.Page) kavosh.Verdict {
	d := w.take()
	defer w.give(d)
	d.read(p)
	v := w.judge(d)
	v.Reasons = v.Reasons[:min(len(v.Reasons), maxReasons)]
	return v
}

// Text implements [Judge].
func (w *whole) Text(text string) float64 {
	d := w.take()
	defer w.give(d)
	d.read(&kavosh.Page{Text: text})
	return w.judge(d).Score
}

// Needs implements [Judge].
func (w *whole) Needs() kavosh.Needs { return kavosh.Needs{Text: true} }

// weightiest sorts reasons, the strongest first; the order of equal ones stays.
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

// each yields words that are separated by spaces.
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
