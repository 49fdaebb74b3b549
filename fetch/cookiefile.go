package fetch

// This file reads the cookies that a person took from a browser.

import (
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"

	"kavosh"
	"kavosh/lib/weburl"
)

// GivenCookies are cookies of a person's browser. They are sent as the browser would send them, and stored nowhere; no
// more are those that servers set in their domains later.
type GivenCookies struct {
	all     []kavosh.Cookie
	domains []string // registrable
}

// maxCookieFile bounds the lines of a file of cookies.
const maxCookieFile = 100_000

// ReadCookies reads a file of cookies (cookies.txt, which browsers' extensions, curl and wget write): a cookie a line,
// its seven fields separated by tabs. A browser has the cookies of a person's whole life, so only those are taken of
// whose domain wanted says so; it is asked with registrable domains. An error names a line and never a value.
func ReadCookies(text string, wanted func(domain string) bool) (given GivenCookies, err error) {
	if t := strings.TrimSpace(text); strings.HasPrefix(t, "[") || strings.HasPrefix(t, "{") {
		return given, fmt.Errorf("it is JSON: let the browser's extension export it in the form of Netscape, cookies.txt")
	}
	read, n := 0, 0
	for line := range strings.Lines(text) {
		if n++; n > maxCookieFile {
			return given, fmt.Errorf("it has more than %d lines: is it a file of cookies?", maxCookieFile)
		}
		line, httpOnly := strings.CutPrefix(strings.TrimRight(line, "\r\n"), "#HttpOnly_")
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		fields := strings.Split(line, "\t")
		if len(fields) == 6 {
			fields = append(fields, "") // an empty value, whose tab an editor took away
		}
		if len(fields) != 7 {
			return given, fmt.Errorf("line %d has %d fields and not seven, separated by tabs: write cookies.txt by an extension of the browser, or by curl -c", n, len(fields))
		}
		c, ok := cookieOfFile(fields)
		if !ok {
			return given, fmt.Errorf("line %d is no cookie: write cookies.txt by an extension of the browser, or by curl -c", n)
		}
		read++
		if domain := weburl.Domain(c.Domain); wanted(domain) {
			c.HTTPOnly = httpOnly
			given.Add([]kavosh.Cookie{c.Cookie}, []string{domain})
		}
	}
	switch {
	case read == 0:
		return given, fmt.Errorf("it has no cookie: write cookies.txt by an extension of the browser, or by curl -c")
	case len(given.all) == 0:
		return given, fmt.Errorf("none of its %d cookies is of a seed's domain: log in there with the browser, then write cookies.txt again", read)
	case len(given.all) > maxCookies:
		return given, fmt.Errorf("it has more than %d cookies of the seeds' domains: take those out that are not needed", maxCookies)
	}
	return given, nil
}

// cookieOfFile returns the cookie that the seven fields of a line describe: domain, whether hosts below it get it, path,
// whether it goes over https only, when it ends in seconds since 1970 (0: with the session), name, value.
func cookieOfFile(fields []string) (cookie, bool) {
	u, err := weburl.Parse("http://" + strings.TrimPrefix(fields[0], ".") + "/")
	end, errEnd := strconv.ParseFloat(fields[4], 64)
	if err != nil || errEnd != nil || u.PathQuery() != "/" || u.Hostname() == "" || !strings.HasPrefix(fields[2], "/") || end > 1e11 {
		return cookie{}, false
	}
	c := cookie{Cookie: kavosh.Cookie{Name: fields[5], Value: fields[6], Domain: trimBrackets(u.Hostname()), HostOnly: true, Path: fields[2], Secure: strings.EqualFold(fields[3], "TRUE")}}
	_, errAddr := netip.ParseAddr(c.Domain)
	if strings.EqualFold(fields[1], "TRUE") && errAddr != nil && !c.setDomain(c.Domain, c.Domain) {
		return cookie{}, false
	}
	if end > 0 {
		c.Expires = time.Unix(int64(end), 0).UTC()
	}
	ok := len(c.Name)+len(c.Value) <= maxCookie && c.Name+c.Value != "" && !strings.ContainsAny(c.Name+c.Value, ";\r\n\x00") && checkText("", c.Name+c.Value) == nil
	return c, ok
}

// Add adds cookies, and the registrable domains of the hosts that know the person by them.
func (g *GivenCookies) Add(cookies []kavosh.Cookie, domains []string) {
	g.all = append(g.all, cookies...)
	g.domains = append(g.domains, domains...)
	slices.Sort(g.domains)
	g.domains = slices.Compact(g.domains)
}

// Domains returns the registrable domains of the cookies, in order.
func (g GivenCookies) Domains() []string { return g.domains }

// Cookies returns the cookies.
func (g GivenCookies) Cookies() []kavosh.Cookie { return g.all }

// Live reports whether a cookie is still good at a time.
func (g GivenCookies) Live(now time.Time) bool {
	return slices.ContainsFunc(g.all, func(c kavosh.Cookie) bool { return live(&c, now) })
}

// give adds cookies of a person's browser to those of the crawl.
func (j *Jar) give(given GivenCookies) {
	j.mu.Lock()
	for _, domain := range given.domains {
		j.mu.private[domain] = true
	}
	j.mu.Unlock()
	for _, c := range given.all {
		j.keep(&cookie{Cookie: c}, func(*cookie) bool { return false })
	}
}
