package main

import (
	"fmt"
	"math"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"kavosh/lib/dates"
	"kavosh/lib/warc"
)

// size is a number of bytes as people write it: 500, 10MB (10⁷), 1GiB (2³⁰), 1.5G.
type size int64

var sizeUnits = []struct {
	name  string
	bytes float64
}{
	{"KIB", 1 << 10}, {"MIB", 1 << 20}, {"GIB", 1 << 30}, {"TIB", 1 << 40},
	{"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12},
	{"K", 1e3}, {"M", 1e6}, {"G", 1e9}, {"T", 1e12}, {"B", 1},
}

// UnmarshalText reads what a person wrote.
func (s *size) UnmarshalText(text []byte) error {
	t := strings.ToUpper(strings.TrimSpace(dates.Digits(string(text))))
	unit := 1.0
	for _, u := range sizeUnits {
		if rest, ok := strings.CutSuffix(t, u.name); ok {
			t, unit = strings.TrimSpace(rest), u.bytes
			break
		}
	}
	n, err := strconv.ParseFloat(t, 64)
	if err != nil || !(n >= 0) || n*unit >= math.MaxInt64 {
		return fmt.Errorf("%q is no size; write one such as 500, 10MB or 1GiB", text)
	}
	*s = size(n * unit)
	return nil
}

// String is the size for people, such as "12.4 MB".
func (s size) String() string {
	n, units := float64(s), []string{"B", "kB", "MB", "GB", "TB", "PB", "EB"}
	i := 0
	for n >= 999.5 && i < len(units)-1 {
		n, i = n/1000, i+1
	}
	if i == 0 || n >= 99.5 {
		return fmt.Sprintf("%.0f %s", n, units[i])
	}
	return fmt.Sprintf("%.1f %s", n, units[i])
}

// span is a length of time as people write it: what Go reads, and d for days and w for weeks.
type span time.Duration

// UnmarshalText reads what a person wrote.
func (s *span) UnmarshalText(text []byte) error {
	t := strings.TrimSpace(dates.Digits(string(text)))
	bad := fmt.Errorf("%q is no length of time; write one such as 500ms, 1s, 2h30m or 1d", text)
	if n, err := strconv.ParseFloat(t, 64); err == nil && n-n == 0 {
		if n != 0 {
			return fmt.Errorf("%q needs a unit: write %ss for seconds, %sm for minutes", text, t, t)
		}
		*s = 0
		return nil
	}
	if t == "" {
		return bad
	}
	var total float64
	for t != "" {
		digits := strings.IndexFunc(t, func(r rune) bool { return r != '.' && (r < '0' || r > '9') })
		if digits <= 0 {
			return bad
		}
		end := strings.IndexAny(t[digits:], "0123456789.")
		if end < 0 {
			end = len(t) - digits
		}
		n, err := strconv.ParseFloat(t[:digits], 64)
		unit := t[digits : digits+end]
		t = t[digits+end:]
		scale, ok := map[string]time.Duration{
			"ns": time.Nanosecond, "us": time.Microsecond, "µs": time.Microsecond, "ms": time.Millisecond, "s": time.Second, "m": time.Minute, "h": time.Hour, "d": 24 * time.Hour, "w": 7 * 24 * time.Hour,
		}[unit]
		if err != nil || !ok {
			return bad
		}
		total += n * float64(scale)
	}
	if total >= math.MaxInt64 {
		return bad
	}
	*s = span(total)
	return nil
}

// hops is a number of steps from a seed; negative is no limit, written "unlimited".
type hops int

// UnmarshalText reads what a person wrote.
func (h *hops) UnmarshalText(text []byte) error {
	if string(text) == "unlimited" {
		*h = -1
		return nil
	}
	n, err := strconv.Atoi(dates.Digits(string(text)))
	if err != nil || n < 0 {
		return fmt.Errorf("%q is no number of steps; write 0, 1, 2 … or unlimited", text)
	}
	*h = hops(n)
	return nil
}

// network is an address range, or one address.
type network struct{ netip.Prefix }

// UnmarshalText reads what a person wrote.
func (n *network) UnmarshalText(text []byte) error {
	if a, err := netip.ParseAddr(string(text)); err == nil {
		n.Prefix = netip.PrefixFrom(a, a.BitLen())
		return nil
	}
	p, err := netip.ParsePrefix(string(text))
	if err != nil {
		return fmt.Errorf("%q is no address range; write one such as 10.0.0.0/8 or 127.0.0.1", text)
	}
	n.Prefix = p.Masked()
	return nil
}

// resume is a flag that may stand alone, or with a crawl's id.
type resume struct {
	Set bool
	ID  string
}

// IsBool lets the flag stand without a value.
func (*resume) IsBool() bool { return true }

// Decode takes the value if one was joined on by =.
func (r *resume) Decode(ctx *kong.DecodeContext) error {
	r.Set = true
	if ctx.Scan.Peek().Type == kong.FlagValueToken {
		return ctx.Scan.PopValueInto("crawl id", &r.ID)
	}
	return nil
}

// count writes n with its thousands apart.
func count[T ~int | ~int64](n T) string {
	s := strconv.FormatInt(int64(n), 10)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// elapsed is a length of time for people: "8.2 s", "3 min 5 s", "2 h 14 min".
func elapsed(d time.Duration) string {
	switch {
	case d < 10*time.Second:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d < time.Minute:
		return fmt.Sprintf("%.0f s", d.Seconds())
	case d < time.Hour:
		d = d.Round(time.Second)
		return fmt.Sprintf("%d min %d s", int(d.Minutes()), int(d.Seconds())%60)
	}
	d = d.Round(time.Minute)
	return fmt.Sprintf("%d h %d min", int(d.Hours()), int(d.Minutes())%60)
}

// plural is a number with its noun: "1 file", "2 files".
func plural[T ~int | ~int64](n T, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return count(n) + " " + noun + "s"
}

func none(n int, noun string) string {
	if n == 0 {
		return "no " + noun + "s"
	}
	return plural(n, noun)
}

// packing is how records are compressed: gzip or zstd, and perhaps how hard, written "gzip" or "zstd:9".
type packing warc.Compression

// UnmarshalText reads what a person wrote.
func (c *packing) UnmarshalText(text []byte) error {
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

// String is what UnmarshalText reads.
func (c packing) String() string {
	name := "gzip"
	if c.Format == warc.Zstd {
		name = "zstd"
	}
	if c.Level == 0 {
		return name
	}
	return fmt.Sprintf("%s:%d", name, c.Level)
}

// prefixes are the ranges of networks.
func prefixes(networks []network) []netip.Prefix {
	var list []netip.Prefix
	for _, n := range networks {
		list = append(list, n.Prefix)
	}
	return list
}
