// Package units reads sizes, rates, lengths of time, hours and address ranges as people write them, and checks numbers and words by the
// tags of the fields that hold them.
//
// Digits may be Persian or Arabic. An error says what to write instead, and names no flag or key: that is the caller's.
package units

import (
	"fmt"
	"math"
	"net/netip"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"kavosh/lib/dates"
	"kavosh/lib/spelling"
)

// Size is a number of bytes as people write it: 500, 10MB (10⁷), 1GiB (2³⁰), 1.5G.
type Size int64

var sizeUnits = []struct {
	name  string
	bytes float64
}{
	{"KIB", 1 << 10}, {"MIB", 1 << 20}, {"GIB", 1 << 30}, {"TIB", 1 << 40},
	{"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12},
	{"K", 1e3}, {"M", 1e6}, {"G", 1e9}, {"T", 1e12}, {"B", 1},
}

// UnmarshalText parses what a person wrote.
func (s *Size) UnmarshalText(text []byte) error {
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
	*s = Size(n * unit)
	return nil
}

// MarshalText writes a text that UnmarshalText parses as the same number.
func (s Size) MarshalText() ([]byte, error) { return strconv.AppendInt(nil, int64(s), 10), nil }

// String returns the size for people, such as "12.4 MB".
func (s Size) String() string {
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

// Span is a length of time as people write it: as Go writes it, and with d for days and w for weeks.
type Span time.Duration

// UnmarshalText parses what a person wrote.
func (s *Span) UnmarshalText(text []byte) error {
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
			"ns": time.Nanosecond, "us": time.Microsecond, "µs": time.Microsecond, "ms": time.Millisecond, "s": time.Second,
			"m": time.Minute, "h": time.Hour, "d": 24 * time.Hour, "w": 7 * 24 * time.Hour,
		}[unit]
		if err != nil || !ok {
			return bad
		}
		total += n * float64(scale)
	}
	if total >= math.MaxInt64 {
		return bad
	}
	*s = Span(total)
	return nil
}

// MarshalText writes a text that UnmarshalText parses as the same time.
func (s Span) MarshalText() ([]byte, error) { return []byte(time.Duration(s).String()), nil }

// String returns the time for people, without parts that are zero: "2h30m", "1h".
func (s Span) String() string {
	text := time.Duration(s).String()
	if short, ok := strings.CutSuffix(text, "m0s"); ok {
		text = short + "m"
	}
	if short, ok := strings.CutSuffix(text, "h0m"); ok {
		text = short + "h"
	}
	return text
}

// Spans is a length of time that lies between two, as people write it: 1s-3s; or 2s if it is always the same.
type Spans struct{ Least, Most Span }

// Always returns the length of time that is always the same.
func Always(s Span) Spans { return Spans{s, s} }

// UnmarshalText parses what a person wrote.
func (s *Spans) UnmarshalText(text []byte) error {
	least, most, two := strings.Cut(strings.ReplaceAll(string(text), "–", "-"), "-")
	if least == "" { // -1s
		least, two = string(text), false
	}
	if err := s.Least.UnmarshalText([]byte(least)); err != nil {
		return err
	}
	if s.Most = s.Least; !two {
		return nil
	}
	if err := s.Most.UnmarshalText([]byte(most)); err != nil {
		return err
	}
	if s.Most < s.Least {
		return fmt.Errorf("%q ends before it begins; write the shorter time first, such as 1s-3s", text)
	}
	return nil
}

// MarshalText writes a text that UnmarshalText parses as the same times.
func (s Spans) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// String returns the times for people, such as "1s-3s".
func (s Spans) String() string {
	if s.Least == s.Most {
		return time.Duration(s.Least).String()
	}
	return time.Duration(s.Least).String() + "-" + time.Duration(s.Most).String()
}

// Rate is a number of bytes a second as people write it: 500kB/s, 2MB/s; the /s may be left out.
type Rate int64

// UnmarshalText parses what a person wrote.
func (r *Rate) UnmarshalText(text []byte) error {
	var s Size
	if err := s.UnmarshalText([]byte(strings.TrimSuffix(strings.TrimSpace(string(text)), "/s"))); err != nil {
		return fmt.Errorf("%q is no rate; write bytes a second, such as 500kB/s or 2MB/s", text)
	}
	*r = Rate(s)
	return nil
}

// MarshalText writes a text that UnmarshalText parses as the same number.
func (r Rate) MarshalText() ([]byte, error) {
	if r == 0 {
		return []byte("0"), nil
	}
	n, unit := int64(r), ""
	for _, larger := range [...]string{"k", "M", "G"} {
		if n%1000 != 0 {
			break
		}
		n, unit = n/1000, larger
	}
	return fmt.Appendf(nil, "%d%sB/s", n, unit), nil
}

// String returns the rate for people, such as "12.4 MB/s".
func (r Rate) String() string { return Size(r).String() + "/s" }

// Network is an address range, or one address.
type Network struct{ netip.Prefix }

// UnmarshalText parses what a person wrote.
func (n *Network) UnmarshalText(text []byte) error {
	if a, err := netip.ParseAddr(string(text)); err == nil {
		n.Prefix = netip.PrefixFrom(a, a.BitLen())
		return nil
	}
	p, err := netip.ParsePrefix(string(text))
	if err != nil {
		return fmt.Errorf("%q is no address range; write one such as 10.0.0.0/8 (with /0 to /32, or to /128 of IPv6) or 127.0.0.1", text)
	}
	n.Prefix = p.Masked()
	return nil
}

// Prefixes returns the ranges as net/netip has them.
func Prefixes(networks []Network) (all []netip.Prefix) {
	for _, n := range networks {
		all = append(all, n.Prefix)
	}
	return all
}

// Bounds are the least and the greatest value of a number, a size or a length of time.
type Bounds struct {
	Least, Most float64
	show        func(float64) string
}

// These are the bounds of values that name no others.
const (
	mostNumber = 1e12
	mostSize   = 1 << 60
	mostTime   = 100 * 365 * 24 * time.Hour
)

// BoundsOf returns the bounds of a value's type: from 0 to more than any machine needs, unless the tags "least" and
// "most" name others. tag reads a tag, like reflect.StructTag.Get. ok is false for types that are no numbers, and for
// types with words for some values.
func BoundsOf(t reflect.Type, tag func(string) string) (b Bounds, ok bool) {
	switch reflect.Zero(t).Interface().(type) {
	case Span, Spans:
		b = Bounds{0, float64(mostTime), func(v float64) string {
			if v >= float64(48*time.Hour) {
				return strconv.FormatInt(int64(v)/int64(24*time.Hour), 10) + "d"
			}
			return time.Duration(v).String()
		}}
	case Size, Rate:
		b = Bounds{0, mostSize, func(v float64) string { return Size(v).String() }}
	case int, int64:
		b = Bounds{0, mostNumber, func(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }}
	case float64:
		b = Bounds{0, mostNumber, func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }}
	default:
		return b, false
	}
	for name, bound := range map[string]*float64{"least": &b.Least, "most": &b.Most} {
		if text := tag(name); text != "" {
			var err error
			if *bound, err = strconv.ParseFloat(text, 64); err != nil {
				panic(err) // the bound in a tag is wrong
			}
		}
	}
	return b, true
}

// String returns the bounds for people, such as "0s to 36500d".
func (b Bounds) String() string { return b.show(b.Least) + " to " + b.show(b.Most) }

// Check returns an error if a number is beyond its bounds or a word is not among its choices, by the tags least, most
// and choice of the field that holds v. The error's text follows the name of the field: "100 is beyond its bounds:
// write 1 to 10".
func Check(v reflect.Value, tag func(string) string) error {
	if v.Kind() == reflect.Pointer && v.IsNil() {
		return nil
	}
	v = reflect.Indirect(v)
	if choice := tag("choice"); choice != "" {
		if known := strings.Split(choice, ","); !slices.Contains(known, v.String()) {
			return fmt.Errorf("cannot be %q%s", v.String(), spelling.OrOneOf(v.String(), known))
		}
		return nil
	}
	b, ok := BoundsOf(v.Type(), tag)
	if !ok {
		return nil
	}
	n := 0.0
	switch spans, ok := v.Interface().(Spans); {
	case ok:
		n = float64(spans.Most)
	case v.CanInt():
		n = float64(v.Int())
	default:
		n = v.Float()
	}
	if n >= b.Least && n <= b.Most {
		return nil
	}
	return fmt.Errorf("%s is beyond its bounds: write %s", b.show(n), b)
}
