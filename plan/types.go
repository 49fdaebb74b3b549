package plan

// This file has types of values that only plans need.

import (
	"fmt"
	"strconv"
	"strings"

	"kavosh/lib/dates"
	"kavosh/lib/warc"
)

// Hops is a number of steps from a seed. A negative number means no limit, and is written "unlimited".
type Hops int

// UnmarshalText parses what a person wrote.
func (h *Hops) UnmarshalText(text []byte) error {
	if string(text) == "unlimited" {
		*h = -1
		return nil
	}
	n, err := strconv.Atoi(dates.Digits(string(text)))
	if err != nil || n < 0 || n > mostHops {
		return fmt.Errorf("%q is no number of steps; write 0, 1, 2 … or unlimited", text)
	}
	*h = Hops(n)
	return nil
}

const mostHops = 1_000_000_000

// MarshalText writes a text that UnmarshalText parses.
func (h Hops) MarshalText() ([]byte, error) {
	if h < 0 {
		return []byte("unlimited"), nil
	}
	return strconv.AppendInt(nil, int64(h), 10), nil
}

// Packing says how records are compressed: gzip or zstd, optionally with a level, written "gzip" or "zstd:9".
type Packing warc.Compression

// UnmarshalText parses what a person wrote.
func (c *Packing) UnmarshalText(text []byte) error {
	name, level, leveled := strings.Cut(string(text), ":")
	most := 9
	switch name {
	case "gzip":
		c.Format = warc.Gzip
	case "zstd":
		c.Format, most = warc.Zstd, 22
	default:
		return fmt.Errorf("%q is no compression; write gzip or zstd, or with a level gzip:6", text)
	}
	if !leveled {
		c.Level = 0
		return nil
	}
	n, err := strconv.Atoi(level)
	if err != nil || n < 1 || n > most {
		return fmt.Errorf("%q: levels of %s are 1 (fast) to %d (small)", text, name, most)
	}
	c.Level = n
	return nil
}

// MarshalText writes a text that UnmarshalText parses.
func (c Packing) MarshalText() ([]byte, error) {
	name := "gzip"
	if c.Format == warc.Zstd {
		name = "zstd"
	}
	if c.Level != 0 {
		name += ":" + strconv.Itoa(c.Level)
	}
	return []byte(name), nil
}
