package characterise

// This file counts how many clicks pages are away from the entry of their host.

import (
	"encoding/binary"
	"io"
)

// clicks finds the least number of links from a host's entry page to each of its pages. For each page it keeps one
// entry for itself and one for each page of its host that it links to, like [links], but in the order of arrival.
// Entries beyond what fits into memory go to a file, which is read completely once for each click.
type clicks struct {
	temp    func() (File, error)
	file    File
	written int64 // entries in the file
	entries []uint64
}

// mostClicks is how many clicks from the entry page are counted: farther pages usually belong to an endless calendar.
const mostClicks = 64

// unreached means that no links lead to a page from the entry.
const unreached = mostClicks + 1

// add adds a page and the distinct URLs of its host that it links to.
func (c *clicks) add(page uint64, targets []uint64) error {
	c.entries = append(c.entries, page|1)
	for _, t := range targets {
		c.entries = append(c.entries, t&^1)
	}
	if len(c.entries) < mostLinks {
		return nil
	}
	return c.spill()
}

// spill moves the entries to the file.
func (c *clicks) spill() (err error) {
	if c.file == nil {
		if c.file, err = c.temp(); err != nil {
			return err
		}
	}
	b := make([]byte, 0, 8*len(c.entries))
	for _, e := range c.entries {
		b = binary.LittleEndian.AppendUint64(b, e)
	}
	if _, err := c.file.WriteAt(b, 8*c.written); err != nil {
		return err
	}
	c.written += int64(len(c.entries))
	c.entries = c.entries[:0]
	return nil
}

// each yields all entries in order.
func (c *clicks) each(yield func(uint64)) error {
	if c.written > 0 {
		r := run{left: io.NewSectionReader(c.file, 0, 8*c.written)}
		for {
			if err := r.fill(); err != nil {
				return err
			}
			if len(r.entries) == 0 {
				break
			}
			for _, e := range r.entries {
				yield(e)
			}
			r.entries = r.entries[:0]
		}
	}
	for _, e := range c.entries {
		yield(e)
	}
	return nil
}

// count returns how many clicks pages are away from the entries of their hosts, and how many are unreachable.
func (c *clicks) count(entries map[uint64]bool) (away Spread, none int64, err error) {
	depth := map[uint64]uint8{}
	err = c.each(func(e uint64) {
		if e&1 == 1 {
			if depth[e&^1] = unreached; entries[e&^1] {
				depth[e&^1] = 0
			}
		}
	})
	for d, more := uint8(0), true; more && d < mostClicks && err == nil; d++ {
		more = false
		from := false // whether the current entries are links of a page d clicks away
		err = c.each(func(e uint64) {
			if e&1 == 1 {
				from = depth[e&^1] == d
			} else if from && depth[e] == unreached {
				depth[e], more = d+1, true
			}
		})
	}
	away = Spread{}
	for _, d := range depth {
		if d == unreached {
			none++
		} else {
			away.add(int64(d))
		}
	}
	return away, none, err
}
