package change

// This file makes of a difference what is kept of it, printed and drawn.

import (
	"cmp"
	"slices"
	"time"

	"kavosh/lib/segment"
	"kavosh/lib/words"
)

// Report says what differs between two versions of a page: the Vi-Delta of Vi-DIFF, with the blocks that it names.
type Report struct {
	URL        string       `json:"url"`
	From       time.Time    `json:"from"`
	To         time.Time    `json:"to"`
	Segmenter  string       `json:"segmenter"` // what cut both versions, such as segment.Flow
	Importance Importance   `json:"importance"`
	Operations []Operation  `json:"operations"`
	Old        map[int]Part `json:"old_blocks"` // those that operations name, by their numbers in Operation.From
	New        map[int]Part `json:"new_blocks"` // and in Operation.To
}

// Part is a block that an operation names.
type Part struct {
	Place segment.Place `json:"place,omitempty"`
	Rect  [4]int32      `json:"rect"`           // left, top, width, height in pixels
	Text  string        `json:"text,omitempty"` // words by which a person finds it
}

// maxGist is how many bytes Part.Text has at most.
const maxGist = 200

// Compare returns what differs between two versions of the page at a URL, without their times.
func Compare(url string, old, new *segment.Page) (*Report, error) {
	d, err := Between(old, new)
	if err != nil {
		return nil, err
	}
	return d.report(url, new.Made), nil
}

// report says what differs between versions of the page at a URL that a segmenter made.
func (d *Delta) report(url, made string) *Report {
	r := &Report{URL: url, Segmenter: made, Importance: d.Importance(ByPlace()), Operations: d.Operations, Old: map[int]Part{}, New: map[int]Part{}}
	for _, o := range d.Operations {
		for _, i := range o.From {
			r.Old[i] = partOf(d.Old[i])
		}
		for _, j := range o.To {
			r.New[j] = partOf(d.New[j])
		}
	}
	return r
}

// Counts returns how many operations that tell something there are of each kind, such as "insert link".
func (r *Report) Counts() map[string]int {
	counts := map[string]int{}
	for _, o := range r.Operations {
		if o.Noise == "" {
			counts[string(o.Do)+" "+string(o.What)]++
		}
	}
	return counts
}

func partOf(b *segment.Block) Part {
	return Part{b.Place, [...]int32{b.Rect.X, b.Rect.Y, b.Rect.W, b.Rect.H}, words.Clip(gist(b), maxGist)}
}

// gist returns words by which a person finds a block.
func gist(b *segment.Block) string {
	for _, t := range b.Texts {
		return t
	}
	for _, l := range b.Links {
		if l.Name != "" {
			return l.Name
		}
	}
	for _, i := range b.Images {
		return cmp.Or(i.Name, i.Address)
	}
	return ""
}

// At returns the block that an operation is told of: the new one, or the old one of what is gone.
func (r *Report) At(o *Operation) Part {
	if len(o.To) > 0 {
		return r.New[o.To[0]]
	}
	return r.Old[o.From[0]]
}

// Noise counts the operations on elements that tell nothing, by why.
func (r *Report) Noise() map[Noise]int {
	var n map[Noise]int
	for _, o := range r.Operations {
		if o.Noise != "" && o.What != Block {
			if n == nil {
				n = map[Noise]int{}
			}
			n[o.Noise]++
		}
	}
	return n
}

// News returns the operations that tell something.
func (r *Report) News() []Operation {
	return slices.DeleteFunc(slices.Clone(r.Operations), func(o Operation) bool { return o.Noise != "" })
}
