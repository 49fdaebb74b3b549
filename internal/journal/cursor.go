package journal

// This file says how far a reader of logs has come, and names the files of the logs.

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// Cursor says how far a follower has read the logs of several writers: the generation of the logs, and how many bytes
// of each writer's log. The zero Cursor is the beginning. It is stored as JSON: {"generation":1,"positions":[4711]}.
type Cursor struct {
	Generation int     `json:"generation"`
	Positions  []int64 `json:"positions,omitempty"` // of writer 1, 2, …
}

// Self is the number of this machine's writer.
const Self = 1

// At returns a place in this machine's log.
func At(generation int, position int64) Cursor { return Cursor{generation, []int64{position}} }

// Of returns the position in a writer's log.
func (c Cursor) Of(writer int) int64 {
	if writer > len(c.Positions) {
		return 0
	}
	return c.Positions[writer-1]
}

// With returns c with another position in a writer's log.
func (c Cursor) With(writer int, position int64) Cursor {
	c.Positions = append(make([]int64, 0, max(writer, len(c.Positions))), c.Positions...)
	for len(c.Positions) < writer {
		c.Positions = append(c.Positions, 0)
	}
	c.Positions[writer-1] = position
	return c
}

// Covers reports whether c has read everything that o has read.
func (c Cursor) Covers(o Cursor) bool {
	for i, position := range o.Positions {
		if c.Of(i+1) < position {
			return false
		}
	}
	return c.Generation == o.Generation
}

// Equal reports whether c and o are the same place.
func (c Cursor) Equal(o Cursor) bool { return c.Covers(o) && o.Covers(c) }

// ParseCursor parses a stored cursor. It also parses the forms of older programs, which knew only one writer: JSON with
// "position" in place of "positions", "generation LF position LF", or both numbers as unsigned varints.
func ParseCursor(stored []byte) (c Cursor, err error) {
	if bytes.HasPrefix(stored, []byte("{")) && json.Unmarshal(stored, &c) == nil {
		return c, nil
	}
	if fields := strings.Fields(string(stored)); len(fields) == 2 {
		generation, err := strconv.Atoi(fields[0])
		position, err2 := strconv.ParseInt(fields[1], 10, 64)
		if err == nil && err2 == nil && generation >= 0 && position >= 0 {
			return At(generation, position), nil
		}
	}
	generation, n := binary.Uvarint(stored)
	position, m := binary.Uvarint(stored[max(n, 0):])
	if n <= 0 || m <= 0 || n+m != len(stored) || generation > 1<<31 || position > 1<<62 {
		return Cursor{}, fmt.Errorf("the cursor %q %w", stored, ErrDamaged)
	}
	return At(int(generation), int64(position)), nil
}

// UnmarshalJSON parses a cursor like ParseCursor.
func (c *Cursor) UnmarshalJSON(data []byte) error {
	var stored struct {
		Generation int     `json:"generation"`
		Positions  []int64 `json:"positions"`
		Position   int64   `json:"position"`
	}
	if err := json.Unmarshal(data, &stored); err != nil {
		return err
	}
	if stored.Positions == nil && stored.Position != 0 {
		stored.Positions = []int64{stored.Position}
	}
	if stored.Generation < 0 || slices.ContainsFunc(stored.Positions, func(p int64) bool { return p < 0 }) {
		return fmt.Errorf("the cursor %s %w", data, ErrDamaged)
	}
	c.Generation, c.Positions = stored.Generation, stored.Positions
	return nil
}

// File returns the path of a writer's log in a generation of the logs in dir.
func File(fs vfs.FS, dir string, generation, writer int) string {
	return fs.PathJoin(dir, fmt.Sprintf("%06d", generation), strconv.Itoa(writer)+fileEnd)
}

const fileEnd = ".jsonl"

// Newest returns the newest generation of the logs in dir, or 0 if there is none.
func Newest(fs vfs.FS, dir string) (generation int) {
	names, _ := fs.List(dir) // no folder: no names
	for _, n := range names {
		if g, err := strconv.Atoi(n); err == nil {
			generation = max(generation, g)
		}
	}
	return generation
}

// Writers returns the writers that have a log in a generation of the logs in dir, in ascending order.
func Writers(fs vfs.FS, dir string, generation int) (writers []int) {
	names, _ := fs.List(fs.PathDir(File(fs, dir, generation, Self))) // none when it is not there
	for _, n := range names {
		if w, err := strconv.Atoi(strings.TrimSuffix(n, fileEnd)); err == nil && w > 0 && w < maxWriters && strconv.Itoa(w)+fileEnd == n {
			writers = append(writers, w)
		}
	}
	slices.Sort(writers)
	return writers
}

// maxWriters is the greatest number of writers, because a cursor has a position for each.
const maxWriters = 1 << 16
