package scope

import (
	"strconv"
	"strings"
)

// Parts are the pieces of a seen-key (the form by which the crawl tells URLs apart), by which scope, politeness and
// robots.txt decide. They share the memory of the key.
type Parts struct {
	Origin    string // "https://h.example:8443"
	Host      string // "h.example:8443"
	Name      string // "h.example"; an IPv6 address in its brackets
	PathQuery string // "/a/b?x=1"; never empty
	Path      string // "/a/b"
	Query     string // "x=1"
}

// Split cuts a seen-key (weburl.Key) into its parts. ok is false if it is no http or https URL with a host.
func Split(key string) (p Parts, ok bool) {
	scheme, rest, found := strings.Cut(key, "://")
	if !found || scheme != "http" && scheme != "https" {
		return p, false
	}
	end := 0
	for end < len(rest) && rest[end] != '/' && rest[end] != '?' && rest[end] != '#' {
		end++
	}
	p.Host, p.PathQuery = rest[:end], rest[end:]
	if at := strings.LastIndexByte(p.Host, '@'); at >= 0 {
		p.Host = p.Host[at+1:]
		p.Origin = scheme + "://" + p.Host
	} else {
		p.Origin = key[:len(scheme)+3+end]
	}
	p.Name = p.Host
	if colon := strings.LastIndexByte(p.Host, ':'); colon > strings.LastIndexByte(p.Host, ']') {
		p.Name = p.Host[:colon]
	}
	if p.PathQuery == "" {
		p.PathQuery = "/"
	}
	p.Path, p.Query, _ = strings.Cut(p.PathQuery, "?")
	return p, p.Name != "" && strings.IndexByte(p.Name, 0) < 0
}

// port returns the port that is asked.
func (p *Parts) port() int64 {
	if port, found := strings.CutPrefix(p.Host, p.Name+":"); found {
		n, _ := strconv.ParseInt(port, 10, 32)
		return n
	}
	if strings.HasPrefix(p.Origin, "https:") {
		return 443
	}
	return 80
}
