package replay

// This file knows the public addresses of the two origins, and of each collection.

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// Addresses holds the public URLs of the two origins: that of the archive's own pages, and that of the replay.
type Addresses struct {
	Home, Replay string // base URLs without slash at the end; an empty one means: the origin that the request came to
	origins      *origins
}

// NewAddresses checks base URLs such as "http://127.0.0.1:8088". collectionHost gives each collection an origin of its
// own: in "*.replay.example.org", "*" stands for the collection's name. If it is "" and the replay's address is one of
// this machine alone, "*.localhost" is used, but readers are not redirected there. An error names what is wrong.
func NewAddresses(home, replay, collectionHost string) (*Addresses, error) {
	a := &Addresses{}
	var err error
	if a.Home, err = origin("home address", home); err != nil {
		return nil, err
	}
	if a.Replay, err = origin("replay address", replay); err != nil {
		return nil, err
	}
	if a.Home != "" && a.Home == a.Replay {
		return nil, fmt.Errorf("home and replay have the same address %s: archived scripts need an origin of their own", a.Home)
	}
	a.origins, err = newOrigins(collectionHost, a.Replay)
	return a, err
}

// origin checks the base URL of an origin and removes a slash at its end.
func origin(what, addr string) (string, error) {
	if addr == "" {
		return "", nil
	}
	u, err := url.Parse(addr)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || strings.Trim(u.Path, "/") != "" || u.RawQuery != "" {
		return "", fmt.Errorf("%s %q: give scheme, host and port, as in http://127.0.0.1:8088", what, addr)
	}
	return u.Scheme + "://" + u.Host, nil
}

// Others returns the origins of all collections as a Content-Security-Policy names them, or "" if readers are not
// redirected to them.
func (a *Addresses) Others() string {
	if o := a.origins; o != nil && o.asked && o.after != "" {
		return o.scheme + "://*" + o.after
	}
	return ""
}

// self returns the base URL of the replay's origin as this client sees it.
func (a *Addresses) self(r *http.Request) string {
	scheme := "http"
	if strings.HasPrefix(a.Replay, "https:") || r.TLS != nil {
		scheme = "https"
	}
	for i := 0; i < len(r.Host); i++ {
		if c := r.Host[i]; !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte("-.:[]_", c) >= 0) {
			return a.Replay
		}
	}
	if r.Host == "" {
		return a.Replay
	}
	return scheme + "://" + r.Host
}

// origins gives each collection an origin of its own: a host name with the collection's name instead of "*", written as
// browsers write it in host names. So pages of one collection cannot read cookies, storage or frames of another.
type origins struct {
	before, after string // what stands before and after the name in the host, in lower case, with the port
	scheme        string
	asked         bool // a pattern was given, so that readers are redirected there
}

// newOrigins parses a pattern such as "*.replay.example.org:8089". Without one, a replay at an address of this machine
// alone has "*.localhost" with its port. Browsers resolve these names to this machine by themselves, and treat them as
// secure.
func newOrigins(pattern, base string) (*origins, error) {
	u, err := url.Parse(base)
	if err != nil {
		return nil, err
	}
	o := &origins{scheme: u.Scheme, asked: pattern != ""}
	if pattern == "" {
		switch u.Hostname() {
		case "127.0.0.1", "::1", "localhost":
			pattern = "*.localhost"
			if u.Port() != "" {
				pattern += ":" + u.Port()
			}
		default:
			return nil, nil
		}
	}
	var ok bool
	o.before, o.after, ok = strings.Cut(strings.ToLower(pattern), "*")
	if !ok || strings.ContainsAny(o.after, "*/ ") || strings.ContainsAny(o.before, "/ ") || !strings.HasPrefix(o.after, ".") && o.after != "" {
		return nil, fmt.Errorf("collection host %q: give a host name with * for the collection's name, as in *.replay.example.org", pattern)
	}
	return o, nil
}

// name returns the label of the collection that a host belongs to, or "".
func (o *origins) name(host string) string {
	if o == nil {
		return ""
	}
	rest, ok := strings.CutPrefix(strings.ToLower(host), o.before)
	if !ok {
		return ""
	}
	name, _ := strings.CutSuffix(rest, o.after)
	if len(name) == len(rest) && o.after != "" {
		return ""
	}
	return name
}

// OriginOfCollection reports whether host is the origin of a collection. host has the port, if there is one.
func (s *router) OriginOfCollection(host string) bool {
	name := s.addresses.origins.name(host)
	return name == All || slices.ContainsFunc(s.collections.List, func(c *Collection) bool { return c.label == name })
}

// route parses what a request asks for.
func (s *router) route(r *http.Request) route { return s.at(r.Host, r.RequestURI) }

// at parses a request for target at a host. The origin of a collection has that collection alone.
func (s *router) at(host, target string) route {
	rt := s.split(target)
	if name := s.addresses.origins.name(host); name != "" && rt.coll != nil && rt.coll.label != name {
		return route{verb: stray}
	}
	return rt
}

// elsewhere returns the collection's own origin if a request for a page must be redirected there, else "".
func (s *router) elsewhere(r *http.Request, rt route) string {
	if s.addresses.origins == nil || !s.addresses.origins.asked || rt.coll == nil || rt.loose || r.Method != http.MethodGet || !roleOf(r, rt.mod).page || s.addresses.origins.name(r.Host) != "" {
		return ""
	}
	return s.addresses.origins.scheme + "://" + s.addresses.origins.before + rt.coll.label + s.addresses.origins.after
}
