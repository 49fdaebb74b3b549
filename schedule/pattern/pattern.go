// Package pattern learns when in the week pages change, and how much it matters then.
//
// The week is cut into bins, one for each hour of each kind of day (calendar.go, with calendars.tsv): a workday, the
// lesser half of a weekend, a day of rest. A Pattern holds what was seen in each bin (this file). What is seldom seen is
// drawn towards what is common, neighbouring hours that do not differ become one period, and sites with one rhythm are
// grouped (shape.go). How far the times can be believed that pages tell of themselves is learned for each site
// (trust.go). Patterns are those of Ben Saad and Gançarski ("Archiving the Web using Page Changes Patterns", JCDL 2011),
// who leave open how they are learned.
package pattern

// Bins is how many bins a pattern has: the hours of a day, for each kind of day.
const Bins = 24 * int(kinds)

// Pattern is what was seen of the changes of pages, by bin. The zero value has seen nothing. It takes 864 bytes.
type Pattern struct {
	Expected   [Bins]float32 // changes that would have come in the hours watched if all hours were alike
	Seen       [Bins]float32 // changes that came; one whose hour is unknown is shared out among the hours it may be of
	Importance [Bins]float32 // the sum of the importance E of these
}

// Part is how much of something falls into a bin.
type Part struct {
	Bin   uint8
	Hours float32
}

// Watched notes that a page which changes rate times an hour was watched for the hours of parts.
func (p *Pattern) Watched(parts []Part, rate float64) {
	for _, part := range parts {
		p.Expected[part.Bin] += part.Hours * float32(rate)
	}
}

// Changed notes changes of importance e together, that came at some time within parts. Each part has a share of them, by its
// hours and by the shape.
func (p *Pattern) Changed(parts []Part, shape *Shape, changes, e float64) {
	all := float32(0)
	for _, part := range parts {
		all += part.Hours * shape.Changes[part.Bin]
	}
	if all <= 0 {
		return
	}
	for _, part := range parts {
		share := part.Hours * shape.Changes[part.Bin] / all
		p.Seen[part.Bin] += share * float32(changes)
		p.Importance[part.Bin] += share * float32(e)
	}
}

// ChangedAt notes a change of importance e whose bin is known.
func (p *Pattern) ChangedAt(bin uint8, changes, e float64) {
	p.Seen[bin] += float32(changes)
	p.Importance[bin] += float32(e)
}

// Add adds what another pattern has seen.
func (p *Pattern) Add(o *Pattern) {
	for b := range Bins {
		p.Expected[b] += o.Expected[b]
		p.Seen[b] += o.Seen[b]
		p.Importance[b] += o.Importance[b]
	}
}

// Fade leaves a share of what was seen, so that what is new counts for more.
func (p *Pattern) Fade(share float32) {
	for b := range Bins {
		p.Expected[b] *= share
		p.Seen[b] *= share
		p.Importance[b] *= share
	}
}
