package fetch

// This file keeps the cookies of a crawl.

import (
	"encoding/json"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/net/publicsuffix"

	"kavosh"
	"kavosh/internal/clock"
	"kavosh/lib/weburl"
)

// Bounds of a jar.
const (
	maxCookie       = 4096  // bytes of name and value
	maxAttribute    = 1024  // bytes of an attribute's value; longer ones are ignored
	maxPerDomain    = 50    // for each registrable domain
	maxCookies      = 10000 // in all
	maxCookieHeader = 16 << 10
	maxCookieAge    = 400 * 24 * time.Hour
)

// Jar keeps the cookies of one crawl as browsers do (RFC 6265bis): domains by the public suffix list, paths, Secure,
// expiry, name prefixes. Session cookies last as long as the crawl, and every request counts as one from the site
// itself, because a crawl has no user. It is safe for concurrent use.
type Jar struct {
	clock clock.Clock
	any   atomic.Bool // false while there are no cookies, so that nobody waits for the lock
	mu    struct {
		sync.Mutex
		domains  map[string][]*cookie // by registrable domain; oldest first
		private  map[string]bool      // domains where a person is logged in: all cookies there are given
		n        int
		serial   int64  // source of Made and Used
		snapshot []byte // nil after a cookie changed
	}
}

// cookie is one cookie, and its stored form: see docs/formats/exchange.md.
type cookie struct {
	kavosh.Cookie
	Made int64 `json:"made"` // order of creation
	Used int64 `json:"used"` // order of last use

	given bool // it is of a person's login: it is not stored
}

// NewJar returns an empty jar. A nil clock means the machine's.
func NewJar(c clock.Clock) *Jar {
	if c == nil {
		c = clock.Real{}
	}
	j := &Jar{clock: c}
	j.mu.domains, j.mu.private = map[string][]*cookie{}, map[string]bool{}
	return j
}

// Header returns the value of the Cookie field for a request; "" for none.
func (j *Jar) Header(scheme, host, path string) string {
	if !j.any.Load() {
		return ""
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	kept := j.keptFor(host)
	if len(kept) == 0 {
		return ""
	}
	path, _, _ = strings.Cut(path, "?")
	now := j.clock.Now()
	var few [8]*cookie
	send := few[:0]
	for _, c := range kept {
		if c.live(now) && (!c.Secure || scheme == "https") && c.domainMatches(host) && pathMatches(path, c.Path) {
			send = append(send, c)
		}
	}
	slices.SortStableFunc(send, func(a, b *cookie) int {
		if d := len(b.Path) - len(a.Path); d != 0 {
			return d
		}
		return int(a.Made - b.Made)
	})
	var b strings.Builder
	size := 0
	for i, c := range send {
		if size += len("; ") + len(c.Name) + len("=") + len(c.Value); size > maxCookieHeader {
			send = send[:i]
			break
		}
	}
	b.Grow(min(size, maxCookieHeader))
	for _, c := range send {
		if b.Len() > 0 {
			b.WriteString("; ")
		}
		if c.Name != "" {
			b.WriteString(c.Name + "=")
		}
		b.WriteString(c.Value)
		j.mu.serial++
		c.Used = j.mu.serial
	}
	return b.String()
}

// keptFor returns the cookies of host's registrable domain without a look-up in the public suffix list: it uses the
// longest suffix of host, at a dot, that is a key. No suffix longer than the domain is a key. The caller holds j.mu.
func (j *Jar) keptFor(host string) []*cookie {
	for end := strings.TrimSuffix(host, "."); ; {
		if kept := j.mu.domains[end]; kept != nil {
			return kept
		}
		dot := strings.IndexByte(end, '.')
		if dot < 0 {
			return nil
		}
		end = end[dot+1:]
	}
}

func (c *cookie) live(now time.Time) bool { return live(&c.Cookie, now) }

func live(c *kavosh.Cookie, now time.Time) bool { return c.Expires.IsZero() || now.Before(c.Expires) }

func (c *cookie) domainMatches(host string) bool {
	return host == c.Domain || !c.HostOnly && strings.HasSuffix(host, "."+c.Domain)
}

func pathMatches(path, of string) bool {
	return strings.HasPrefix(path, of) && (len(path) == len(of) || of[len(of)-1] == '/' || path[len(of)] == '/')
}

// Set handles one Set-Cookie field of a response. It ignores cookies that are not allowed.
func (j *Jar) Set(scheme, host, path, field string) {
	c, ok := parseCookie(scheme, host, path, field, j.clock.Now())
	if !ok {
		return
	}
	j.keep(c, func(o *cookie) bool {
		// A response over http must not change a cookie that https set.
		return o.Secure && scheme != "https" && o.Name == c.Name && pathMatches(c.Path, o.Path) &&
			(o.domainMatches(c.Domain) || c.domainMatches(o.Domain))
	})
}

// keep adds a cookie, unless a live one of its registrable domain guards against it.
func (j *Jar) keep(c *cookie, guards func(*cookie) bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	now := j.clock.Now()
	key := weburl.Domain(c.Domain)
	kept := j.mu.domains[key]
	for _, o := range kept {
		if o.live(now) && guards(o) {
			return
		}
	}
	j.mu.serial++
	c.Made, c.Used, c.given = j.mu.serial, j.mu.serial, j.mu.private[key]
	fresh := slices.DeleteFunc(kept, func(o *cookie) bool {
		same := o.Name == c.Name && o.Domain == c.Domain && o.HostOnly == c.HostOnly && o.Path == c.Path
		if same {
			c.Made = o.Made
		}
		return same || !o.live(now)
	})
	if c.live(now) {
		fresh = append(fresh, c)
	}
	if len(fresh) > maxPerDomain {
		least := slices.MinFunc(fresh, func(a, b *cookie) int { return int(a.Used - b.Used) })
		fresh = slices.DeleteFunc(fresh, func(c *cookie) bool { return c == least })
	}
	j.store(key, len(kept), fresh)
	if j.mu.n > maxCookies {
		j.evict(now)
	}
}

// store replaces the cookies of key; before is how many there were. The caller holds j.mu.
func (j *Jar) store(key string, before int, cookies []*cookie) {
	j.mu.snapshot = nil
	j.mu.n += len(cookies) - before
	if len(cookies) == 0 {
		delete(j.mu.domains, key)
	} else {
		j.mu.domains[key] = cookies
	}
	j.any.Store(j.mu.n > 0)
}

// evict makes room: it drops expired cookies, then the least recently used tenth. The caller holds j.mu.
func (j *Jar) evict(now time.Time) {
	var used []int64
	for _, cookies := range j.mu.domains {
		for _, c := range cookies {
			used = append(used, c.Used)
		}
	}
	slices.Sort(used)
	limit := used[len(used)/10]
	for key, cookies := range j.mu.domains {
		before := len(cookies)
		j.store(key, before, slices.DeleteFunc(cookies, func(c *cookie) bool { return !c.live(now) || c.Used <= limit }))
	}
}

// Snapshot returns all cookies that servers set, in the form of docs/formats/exchange.md. It returns the same slice until a response sets
// a cookie; callers must not change it.
func (j *Jar) Snapshot() []byte {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.mu.snapshot != nil {
		return j.mu.snapshot
	}
	all := []*cookie{}
	for _, cookies := range j.mu.domains {
		for _, c := range cookies {
			if !c.given {
				all = append(all, c)
			}
		}
	}
	slices.SortFunc(all, func(a, b *cookie) int { return int(a.Made - b.Made) })
	data, err := json.Marshal(all)
	if err != nil {
		panic(err) // unreachable: all fields are strings, numbers, and times with a four-digit year
	}
	j.mu.snapshot = data
	return data
}

// Restore replaces all cookies by those of a Snapshot.
func (j *Jar) Restore(snapshot []byte) error {
	var all []*cookie
	if err := json.Unmarshal(snapshot, &all); err != nil {
		return fmt.Errorf("the cookies kept with the crawl cannot be read: %w", err)
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.mu.domains, j.mu.n, j.mu.serial, j.mu.snapshot = map[string][]*cookie{}, 0, 0, nil
	for _, c := range all {
		if c == nil || c.Domain == "" || !strings.HasPrefix(c.Path, "/") {
			continue
		}
		key := weburl.Domain(c.Domain)
		j.mu.domains[key] = append(j.mu.domains[key], c)
		j.mu.n++
		j.mu.serial = max(j.mu.serial, c.Made, c.Used)
	}
	j.any.Store(j.mu.n > 0)
	return nil
}

// parseCookie parses a Set-Cookie field by RFC 6265bis 5.6 and 5.7. It returns false if the cookie is to be ignored.
func parseCookie(scheme, host, path, field string, now time.Time) (*cookie, bool) {
	if checkText("", field) != nil {
		return nil, false
	}
	pair, attributes, _ := strings.Cut(field, ";")
	name, value, found := strings.Cut(pair, "=")
	if !found {
		name, value = "", pair
	}
	c := &cookie{Cookie: kavosh.Cookie{Name: strings.Trim(name, " \t"), Value: strings.Trim(value, " \t"), Domain: host, HostOnly: true, Path: defaultPath(path)}}
	if c.Name+c.Value == "" || len(c.Name)+len(c.Value) > maxCookie {
		return nil, false
	}
	hasAge, hasPath := false, false
	for attribute := range strings.SplitSeq(attributes, ";") {
		key, value, _ := strings.Cut(attribute, "=")
		key, value = strings.ToLower(strings.Trim(key, " \t")), strings.Trim(value, " \t")
		if len(value) > maxAttribute {
			continue
		}
		switch key {
		case "expires":
			if t, ok := parseCookieDate(value); ok && !hasAge {
				c.Expires = t
			}
		case "max-age":
			if seconds, ok := parseAge(value); ok {
				hasAge = true
				c.Expires = now.Add(seconds)
			}
		case "domain":
			if !c.setDomain(host, strings.ToLower(strings.TrimPrefix(value, "."))) {
				return nil, false
			}
		case "path":
			if hasPath = strings.HasPrefix(value, "/"); hasPath {
				c.Path = value
			} else {
				c.Path = defaultPath(path)
			}
		case "secure":
			c.Secure = true
		case "httponly":
			c.HTTPOnly = true
		}
	}
	if c.Secure && scheme != "https" {
		return nil, false
	}
	if limit := now.Add(maxCookieAge); c.Expires.After(limit) {
		c.Expires = limit
	}
	switch prefix := strings.ToLower(c.Name); {
	case strings.HasPrefix(prefix, "__secure-") && !c.Secure:
		return nil, false
	case strings.HasPrefix(prefix, "__host-") && !(c.Secure && c.HostOnly && hasPath && c.Path == "/"):
		return nil, false
	}
	return c, true
}

// setDomain widens a cookie to a domain. It returns false if the host is not in the domain or the domain is a public
// suffix. Addresses, and hosts that are public suffixes themselves, keep their cookies to themselves.
func (c *cookie) setDomain(host, domain string) bool {
	if domain == "" {
		return true
	}
	suffix, _ := publicsuffix.PublicSuffix(domain)
	_, err := netip.ParseAddr(host)
	if err == nil || suffix == domain {
		return host == domain
	}
	c.Domain, c.HostOnly = domain, false
	return c.domainMatches(host)
}

// defaultPath returns the folder of a request path.
func defaultPath(path string) string {
	path, _, _ = strings.Cut(path, "?")
	if i := strings.LastIndexByte(path, '/'); i > 0 {
		return path[:i]
	}
	return "/"
}

// parseAge parses Max-Age. Values of zero and less expire at once.
func parseAge(s string) (time.Duration, bool) {
	digits := strings.TrimPrefix(s, "-")
	if digits == "" || strings.Trim(digits, "0123456789") != "" {
		return 0, false
	}
	if digits != s {
		return -time.Second, true
	}
	var n time.Duration
	for i := 0; i < len(digits); i++ {
		if n = n*10 + time.Duration(digits[i]-'0'); n > maxCookieAge/time.Second {
			return maxCookieAge, true
		}
	}
	return n * time.Second, true
}

// parseCookieDate parses a date as leniently as RFC 6265 5.1.1: its parts in any order, with any separators.
func parseCookieDate(s string) (time.Time, bool) {
	const months = "janfebmaraprmayjunjulaugsepoctnovdec"
	hour, minute, second, day, year := -1, 0, 0, 0, -1
	month := time.Month(0)
	words := strings.FieldsFunc(s, func(r rune) bool {
		return !('0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || r == ':' || r >= 0x7f)
	})
	for _, w := range words {
		n, width := leadingNumber(w)
		switch {
		case hour < 0 && strings.Count(w, ":") == 2 && width > 0:
			if k, _ := fmt.Sscanf(w, "%d:%d:%d", &hour, &minute, &second); k != 3 {
				return time.Time{}, false
			}
		case day == 0 && (width == 1 || width == 2):
			day = n
		case month == 0 && len(w) >= 3 && width == 0 && strings.Index(months, strings.ToLower(w[:3]))%3 == 0:
			month = time.Month(strings.Index(months, strings.ToLower(w[:3]))/3 + 1)
		case year < 0 && (width == 2 || width == 4):
			year = n
		}
	}
	switch {
	case 70 <= year && year <= 99:
		year += 1900
	case 0 <= year && year <= 69:
		year += 2000
	}
	if hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 59 || day < 1 || day > 31 || month == 0 || year < 1601 {
		return time.Time{}, false
	}
	t := time.Date(year, month, day, hour, minute, second, 0, time.UTC)
	return t, t.Day() == day
}

// leadingNumber returns the number at the front of w and its count of digits; 0 digits if none or too many.
func leadingNumber(w string) (n, width int) {
	for width < len(w) && '0' <= w[width] && w[width] <= '9' {
		if width == 4 {
			return 0, 0
		}
		n = n*10 + int(w[width]-'0')
		width++
	}
	return n, width
}
