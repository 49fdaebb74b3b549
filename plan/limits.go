package plan

// This file has limits beyond which URLs wait, as people write them.

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"kavosh/frontier/scope"
	"kavosh/lib/dates"
	"kavosh/lib/units"
	"kavosh/lib/weburl"
)

// Limit bounds what is taken in URLs, bytes and time, of which 0 is no limit. It is written as those that there are,
// with commas between them, such as "500,2GB,1h", or "none".
type Limit struct {
	URLs  int64
	Bytes units.Size
	Time  units.Span
}

// UnmarshalText parses what a person wrote. A plain number is one of URLs.
func (l *Limit) UnmarshalText(text []byte) error {
	*l = Limit{}
	if string(text) == "none" {
		return nil
	}
	for part := range strings.SplitSeq(dates.Digits(string(text)), ",") {
		part = strings.TrimSpace(part)
		number := strings.TrimLeft(part, "0123456789.")
		var err error
		twice := false
		switch {
		case part != "" && number == "":
			twice = l.URLs != 0
			l.URLs, err = strconv.ParseInt(part, 10, 64)
		case strings.ContainsAny(number, "BKMGT"):
			twice = l.Bytes != 0
			err = l.Bytes.UnmarshalText([]byte(part))
		default:
			twice = l.Time != 0
			err = l.Time.UnmarshalText([]byte(part))
		}
		if err != nil || twice || l.URLs > math.MaxInt64/2 {
			return fmt.Errorf("%q is no limit; write a number of URLs, a size, a time, or several of them, such as 500, 2GB, 1h or 500,2GB,1h; or none", text)
		}
	}
	return nil
}

// MarshalText writes a text that UnmarshalText parses.
func (l Limit) MarshalText() ([]byte, error) {
	var parts []string
	if l.URLs != 0 {
		parts = append(parts, strconv.FormatInt(l.URLs, 10))
	}
	if l.Bytes != 0 {
		parts = append(parts, exact(l.Bytes))
	}
	if l.Time != 0 {
		parts = append(parts, l.Time.String())
	}
	if len(parts) == 0 {
		return []byte("none"), nil
	}
	return []byte(strings.Join(parts, ",")), nil
}

// String returns the limit for people: "500 URLs, 2.0 GB, 1h".
func (l Limit) String() string {
	var parts []string
	if l.URLs != 0 {
		parts = append(parts, strconv.FormatInt(l.URLs, 10)+" URLs")
	}
	if l.Bytes != 0 {
		parts = append(parts, l.Bytes.String())
	}
	if l.Time != 0 {
		parts = append(parts, l.Time.String())
	}
	if len(parts) == 0 {
		return "none"
	}
	return strings.Join(parts, ", ")
}

// exact returns a size in the largest unit of which it is a whole number.
func exact(size units.Size) string {
	unit := "B"
	for _, larger := range [...]string{"kB", "MB", "GB", "TB"} {
		if size%1000 != 0 {
			break
		}
		size, unit = size/1000, larger
	}
	return strconv.FormatInt(int64(size), 10) + unit
}

// NamedLimit is the limit of one seed, host or domain, written "NAME=LIMIT"; with an empty name, written "LIMIT", of
// each that is not named.
type NamedLimit struct {
	Name string // a seen-key, a host, or a public suffix plus one label
	Limit
}

// SeedLimit is the NamedLimit of a seed, HostLimit of a host, DomainLimit of a domain.
type (
	SeedLimit   struct{ NamedLimit }
	HostLimit   struct{ NamedLimit }
	DomainLimit struct{ NamedLimit }
)

// UnmarshalText parses what a person wrote.
func (l *SeedLimit) UnmarshalText(text []byte) error {
	return l.read(text, func(name string) (string, error) {
		if !strings.Contains(name, "://") {
			name = "https://" + name
		}
		key, err := weburl.Key(name)
		if err == nil && !weburl.Fetchable(key) {
			err = fmt.Errorf("%q is no seed: write its URL, of http or https", name)
		}
		return key, err
	})
}

// UnmarshalText parses what a person wrote.
func (l *HostLimit) UnmarshalText(text []byte) error { return l.read(text, hostName) }

// UnmarshalText parses what a person wrote.
func (l *DomainLimit) UnmarshalText(text []byte) error {
	return l.read(text, func(name string) (string, error) {
		host, err := hostName(strings.TrimPrefix(name, "."))
		if domain := weburl.Domain(host); err == nil && domain != host {
			return "", fmt.Errorf("%q is a host of the domain %s: write that, or --host-limit", name, domain)
		}
		return host, err
	})
}

// hostName returns a host as URLs have it.
func hostName(name string) (string, error) {
	key, err := weburl.Key("https://" + name + "/")
	p, ok := scope.Split(key)
	if err != nil || !ok || p.PathQuery != "/" || p.Host != p.Name || strings.HasPrefix(name, ".") || strings.ContainsAny(name, "*=@") {
		return "", fmt.Errorf("%q is no name of a host: write one such as www.example.org, without scheme and port", name)
	}
	return p.Name, nil
}

// read parses NAME=LIMIT or LIMIT. canonical returns a name as the crawl has it.
func (l *NamedLimit) read(text []byte, canonical func(name string) (string, error)) error {
	*l = NamedLimit{}
	name, limit, named := "", string(text), false
	if at := strings.LastIndexByte(limit, '='); at >= 0 {
		name, limit, named = strings.TrimSpace(limit[:at]), limit[at+1:], true
	}
	if err := l.Limit.UnmarshalText([]byte(limit)); err != nil || !named {
		return err
	}
	key, err := canonical(name)
	if err != nil {
		return err
	}
	l.Name = strings.Clone(key)
	return nil
}

// MarshalText writes a text that UnmarshalText parses.
func (l NamedLimit) MarshalText() ([]byte, error) {
	text, err := l.Limit.MarshalText()
	if l.Name != "" {
		text = append([]byte(l.Name+"="), text...)
	}
	return text, err
}

// String returns the limit as it is written.
func (l NamedLimit) String() string {
	text, _ := l.MarshalText() // it never fails
	return string(text)
}

// subject returns what the limit is about. Of several limits of one subject the last counts.
func (l NamedLimit) subject() string { return l.Name }
