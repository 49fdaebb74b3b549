package sitemap

// This file reads the texts and dates in sitemaps.

import (
	"bytes"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// appendText appends raw with XML's five entities and character references replaced. Any other "&" stays: usually it is
// in a query string that nobody escaped.
func appendText(dst, raw []byte) []byte {
	for {
		i := bytes.IndexByte(raw, '&')
		if i < 0 {
			return append(dst, raw...)
		}
		dst, raw = append(dst, raw[:i]...), raw[i:]
		end := bytes.IndexByte(raw[:min(len(raw), 12)], ';')
		r, ok := rune(0), false
		if end > 0 {
			r, ok = reference(string(raw[1:end]))
		}
		if !ok {
			dst, raw = append(dst, '&'), raw[1:]
			continue
		}
		dst, raw = utf8.AppendRune(dst, r), raw[end+1:]
	}
}

func reference(name string) (rune, bool) {
	switch name {
	case "amp":
		return '&', true
	case "lt":
		return '<', true
	case "gt":
		return '>', true
	case "quot":
		return '"', true
	case "apos":
		return '\'', true
	}
	digits, base := strings.CutPrefix(name, "#")
	if !base {
		return 0, false
	}
	radix := 10
	if hex, ok := strings.CutPrefix(strings.ToLower(digits), "x"); ok {
		digits, radix = hex, 16
	}
	n, err := strconv.ParseUint(digits, radix, 32)
	if err != nil || n == 0 || n > utf8.MaxRune {
		return 0, false
	}
	return rune(n), true
}

// timeLayouts are the date formats of sitemaps and feeds: W3C's profile of ISO 8601, complete and cut short, then RFC
// 822 with its usual mistakes. A date without zone is UTC, except in RFC 822, where local time is more likely. Of RFC
// 822's zone names only GMT is accepted, because the others are ambiguous.
var timeLayouts = [...]string{
	"2006-01-02T15:04:05Z07:00",
	"2006-01-02",
	"2006-01-02T15:04:05Z0700",
	"2006-01-02T15:04Z07:00",
	"2006-01-02T15:04Z0700",
	"2006-01-02T15:04:05",
	"2006-01-02T15:04",
	"2006-01-02 15:04:05Z07:00",
	"2006-01-02 15:04:05",
	"2006-01",
	"2006",
	"2 Jan 2006 15:04:05 -0700",
	"2 Jan 06 15:04:05 -0700",
	"2 Jan 2006 15:04 -0700",
}

// parseTime parses a date, in UTC; the zero time if it is invalid.
func parseTime(s string) time.Time {
	if _, rest, ok := strings.Cut(s, ","); ok { // "Thu, 05 Jan 2017 …"
		s = strings.TrimSpace(rest)
	}
	for _, zone := range []string{" GMT", " UTC", " UT", " Z"} {
		if clock, ok := strings.CutSuffix(s, zone); ok {
			s = clock + " +0000"
		}
	}
	for _, layout := range timeLayouts {
		if t, err := time.Parse(layout, s); err == nil && t.Year() > 0 && t.Year() < 10000 {
			return t.UTC()
		}
	}
	return time.Time{}
}
