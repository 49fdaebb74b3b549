package journal

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

// Cursor says how far a follower has read the logs of several writers: a generation of the logs, and in it how many bytes of each
// writer's log. The zero Cursor is the beginning. Its stored form is JSON: {"generation":1,"positions":[4711]}.
type Cursor struct {
	Generation int     `json:"generation"`
	Positions  []int64 `json:"positions,omitempty"` // of writer 1, 2, …
}

// Self is the writer that this machine is.
const Self = 1

// At is a place in this machine's log.
func At(generation int, position int64) Cursor { return Cursor{generation, []int64{position}} }

// Of is the position in a writer's log.
func (c Cursor) Of(writer int) int64 {
	if writer > len(c.Positions) {
		return 0
	}
	return c.Positions[writer-1]
}

// With is c with another position in a writer's log.
func (c Cursor) With(writer int, position int64) Cursor {
	c.Positions = append(make([]int64, 0, max(writer, len(c.Positions))), c.Positions...)
	for len(c.Positions) < writer {
		c.Positions = append(c.Positions, 0)
	}
	c.Positions[writer-1] = position
	return c
}

// Covers reports whether all that was read up to o was read up to c, too.
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

// ParseCursor reads a stored cursor, or one that an older program stored, which knew one writer: JSON with a "position" in place of
// "positions", "generation LF position LF", or the two as unsigned varints.
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

// UnmarshalJSON reads a cursor as ParseCursor does.
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

// File is the log of a writer in a generation of the logs in dir.
func File(fs vfs.FS, dir string, generation, writer int) string {
	return fs.PathJoin(dir, fmt.Sprintf("%06d", generation), strconv.Itoa(writer)+fileEnd)
}

const fileEnd = ".jsonl"

// Newest is the newest generation of the logs in dir; 0 for none.
func Newest(fs vfs.FS, dir string) (generation int) {
	names, _ := fs.List(dir) // none when it is not there
	for _, n := range names {
		if g, err := strconv.Atoi(n); err == nil {
			generation = max(generation, g)
		}
	}
	return generation
}

// Writers are those that have a log in a generation of the logs in dir, in order.
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

// maxWriters bounds the writers of a log: a cursor has a position for each.
const maxWriters = 1 << 16
