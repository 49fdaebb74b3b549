package plan

// This file has types of values that only plans need.

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"

	"kavosh"
	"kavosh/frontier/scope"
	"kavosh/lib/dates"
	"kavosh/lib/units"
	"kavosh/lib/warc"
	"kavosh/lib/weburl"
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

// Since is a time that is over: a date, or a length of time before the crawl begins. It is written "2026-03-01" or "7d";
// an archive keeps the time that is meant.
type Since struct {
	At  time.Time  // zero if Ago is given, or nothing
	Ago units.Span // before the crawl begins
}

// UnmarshalText parses what a person wrote.
func (s *Since) UnmarshalText(text []byte) error {
	var ago units.Span
	if err := ago.UnmarshalText(text); err == nil && ago > 0 {
		*s = Since{Ago: ago}
		return nil
	}
	span, err := dates.Parse(string(text), time.Local)
	if err != nil {
		return fmt.Errorf("%q is neither a date nor a length of time: write one such as 2026-03-01, 1404/12/10 or 7d", text)
	}
	*s = Since{At: span.First.UTC()}
	return nil
}

// MarshalText writes a text that UnmarshalText parses.
func (s Since) MarshalText() ([]byte, error) {
	switch {
	case s.Ago > 0:
		return s.Ago.MarshalText()
	case s.At.IsZero():
		return nil, nil
	}
	return []byte(s.At.Format(time.RFC3339)), nil
}

// From returns the time that is meant by s in a crawl that begins at a time; At is set in it, and not Ago.
func (s Since) From(begin time.Time) Since {
	if s.Ago > 0 {
		return Since{At: begin.Add(-time.Duration(s.Ago)).UTC().Truncate(time.Second)}
	}
	return s
}

// Younger says what a crawl does not ask for again: what was visited since a time, what its site says is unchanged, or both: "7d",
// "lastmod" or "7d,lastmod".
type Younger struct {
	Than Since
	Told bool // what a site says counts, if it was right before
}

// UnmarshalText parses what a person wrote.
func (y *Younger) UnmarshalText(text []byte) error {
	const lastmod = "lastmod"
	than, other, both := strings.Cut(string(text), ",")
	if than == lastmod {
		than, other = other, than
	}
	*y = Younger{Told: other == lastmod}
	switch {
	case y.Told && !both:
		return nil
	case both && !y.Told || y.Than.UnmarshalText([]byte(than)) != nil:
		return fmt.Errorf("%q is neither a date, a length of time nor lastmod: write one such as 2026-03-01, 1404/12/10, 7d, lastmod or 7d,lastmod", text)
	}
	return nil
}

// MarshalText writes a text that UnmarshalText parses.
func (y Younger) MarshalText() ([]byte, error) {
	text, err := y.Than.MarshalText()
	switch {
	case err != nil || !y.Told:
		return text, err
	case len(text) > 0:
		text = append(text, ',')
	}
	return append(text, "lastmod"...), nil
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

// Patch says what of an archive a crawl mends.
type Patch string

// These are all values of Patch.
const (
	NoPatch Patch = ""
	Missing Patch = "missing" // parts that pages lack

	Incoherent Patch = "incoherent" // pages that were not there together with the others, which are visited again
)

// UnmarshalText parses what a person wrote, or true or false in a file.
func (p *Patch) UnmarshalText(text []byte) error {
	switch word := string(text); word {
	case "true", string(Missing):
		*p = Missing
	case string(Incoherent):
		*p = Incoherent
	case "false", "":
		*p = NoPatch
	default:
		return fmt.Errorf("%q is nothing that can be mended: write missing or incoherent", word)
	}
	return nil
}

// Keep says which visits of a page leave a copy: "all", "changed" or "important=E".
type Keep struct {
	Changed   bool    // those that found more than noise, such as counters and dates
	Important float64 // those that found a difference of at least this importance, from 0 to 1; 0 if Changed decides, or all are kept
}

// All reports whether all visits leave a copy.
func (k Keep) All() bool { return k == Keep{} }

// LeavesOut reports whether a visit leaves no copy that found a difference of an importance, which matters or does not.
func (k Keep) LeavesOut(importance float64, matters bool) bool {
	return k.Changed && !matters || importance < k.Important
}

// UnmarshalText parses what a person wrote.
func (k *Keep) UnmarshalText(text []byte) error {
	switch e, named := strings.CutPrefix(string(text), "important="); {
	case named:
		least, err := strconv.ParseFloat(e, 64)
		if err != nil || !(least > 0 && least <= 1) {
			return fmt.Errorf("%q: the importance of a change is a number over 0 and up to 1, such as important=0.02", text)
		}
		*k = Keep{Important: least}
	case string(text) == "changed":
		*k = Keep{Changed: true}
	case string(text) == "all":
		*k = Keep{}
	default:
		return fmt.Errorf("%q is none of these: write all, changed, or important= with a number such as important=0.02", text)
	}
	return nil
}

// MarshalText writes a text that UnmarshalText parses.
func (k Keep) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// String returns what a person would write.
func (k Keep) String() string {
	switch {
	case k.Changed:
		return "changed"
	case k.Important > 0:
		return "important=" + strconv.FormatFloat(k.Important, 'g', -1, 64)
	}
	return "all"
}

// Renderings lists what is recorded of how pages look in the browser: words of kavosh.RenderingKind, in their order and
// with commas between them; "" for nothing, which is written "none".
type Renderings string

// UnmarshalText parses what a person wrote.
func (r *Renderings) UnmarshalText(text []byte) error {
	asked := map[kavosh.RenderingKind]bool{}
	for word := range strings.SplitSeq(string(text), ",") {
		if word = strings.TrimSpace(word); word != "none" {
			asked[kavosh.RenderingKind(word)] = true
		}
	}
	var kinds []string
	for _, k := range kavosh.RenderingKinds() {
		if asked[k] {
			kinds = append(kinds, string(k))
		}
		delete(asked, k)
	}
	for other := range asked {
		return fmt.Errorf("%q is nothing that can be recorded of a page: write some of view, full, thumbnail, dom, text, pageinfo with commas between them, or none", other)
	}
	*r = Renderings(strings.Join(kinds, ","))
	return nil
}

// MarshalText writes a text that UnmarshalText parses.
func (r Renderings) MarshalText() ([]byte, error) { return []byte(cmp.Or(string(r), "none")), nil }

// Kinds returns the kinds in the list.
func (r Renderings) Kinds() (kinds []kavosh.RenderingKind) {
	if r == "" {
		return nil
	}
	for word := range strings.SplitSeq(string(r), ",") {
		kinds = append(kinds, kavosh.RenderingKind(word))
	}
	return kinds
}

// Permit is a part of the web in which the crawl may fetch what robots.txt forbids, and why it may. It is written as
// "TARGET REASON".
type Permit struct {
	Target string // "*", a host, a domain with a dot before it, or a seen-key with which URLs begin
	Reason string
}

// UnmarshalText parses what a person wrote.
func (t *Permit) UnmarshalText(text []byte) error {
	target, reason, _ := strings.Cut(strings.TrimSpace(string(text)), " ")
	reason = strings.Join(strings.Fields(reason), " ")
	if reason == "" {
		return fmt.Errorf("%q gives no reason: write why robots.txt need not be obeyed there, such as \"www.example.org its owner agreed\"", text)
	}
	if strings.Contains(target, "://") {
		key, err := weburl.Key(target)
		if err != nil {
			return fmt.Errorf("%q: %w", target, err)
		}
		*t = Permit{key, reason}
		return nil
	}
	name, dotted := strings.CutPrefix(target, ".")
	key, err := weburl.Key("https://" + name + "/")
	p, ok := scope.Split(key)
	if err != nil || !ok || p.PathQuery != "/" || p.Host != p.Name || strings.Contains(name, "*") {
		return fmt.Errorf("%q is no host: write a host such as www.example.org, a domain such as .example.org, or the beginning of URLs such as https://example.org/docs/", target)
	}
	if t.Target, t.Reason = p.Name, reason; dotted {
		t.Target = "." + p.Name
	}
	return nil
}

// MarshalText writes a text that UnmarshalText parses.
func (t Permit) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// String returns the permit as it is written.
func (t Permit) String() string { return t.Target + " " + t.Reason }

// Covers reports whether a URL, a seen-key, lies in the part of the web that the permit is about.
func (t Permit) Covers(url string) bool {
	if strings.Contains(t.Target, "://") {
		rest, ok := strings.CutPrefix(url, t.Target)
		return ok && (rest == "" || strings.HasSuffix(t.Target, "/") || rest[0] == '/' || rest[0] == '?')
	}
	p, _ := scope.Split(url)
	domain, dotted := strings.CutPrefix(t.Target, ".")
	return p.Name == domain || dotted && strings.HasSuffix(p.Name, t.Target)
}
