package replay

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// Addresses say where the two origins are, as people reach them: that of the pages beside the archived ones, and the replay's.
type Addresses struct {
	Home, Replay string // base URLs without slash at the end; an empty one stands for the origin of the page that links there
	origins      *origins
}

// NewAddresses checks base URLs such as "http://127.0.0.1:8088", and the host name at which each collection has an origin of its own,
// "*.replay.example.org" with "*" for its name; "" = "*.localhost" where the replay is at an address of this machine alone, and readers
// are not led there. An error names what is wrong.
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

// origin checks the base URL of an origin and returns it without slash at the end.
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

// Others is every collection's origin as a Content-Security-Policy names them, "" where readers are led to none.
func (a *Addresses) Others() string {
	if o := a.origins; o != nil && o.asked && o.after != "" {
		return o.scheme + "://*" + o.after
	}
	return ""
}

// self is the base URL of the replay's origin as this client reaches it.
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

// origins is the rule by which a collection has an origin of its own: a host name with the collection's name in the
// place of "*", as browsers write it in hosts. Pages of one such origin have nothing of another's: no cookie, no storage, no way to its frames.
type origins struct {
	before, after string // the host, around the name, in lower case; with the port
	scheme        string
	asked         bool // readers are led there; else a collection is found there by those who look
}

// newOrigins reads a pattern, "*.replay.example.org:8089". Without one, a replay on this machine's own address is found at
// "*.localhost" with its port: names that browsers lead to this machine by themselves, and hold for secure.
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

// name is the label of the collection whose origin the host is, "" for a host that is of none.
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

// OriginOfCollection reports whether a collection has an origin of its own at that host, with its port if it has one.
func (s *router) OriginOfCollection(host string) bool {
	name := s.addresses.origins.name(host)
	return name == All || slices.ContainsFunc(s.collections.List, func(c *Collection) bool { return c.label == name })
}

// route is what a request asks for.
func (s *router) route(r *http.Request) route { return s.at(r.Host, r.RequestURI) }

// at is what a request for the target asks of a host. At a collection's own origin there is that collection alone.
func (s *router) at(host, target string) route {
	rt := s.split(target)
	if name := s.addresses.origins.name(host); name != "" && rt.coll != nil && rt.coll.label != name {
		return route{verb: stray}
	}
	return rt
}

// elsewhere is the origin to which a reader is led who asks for a page of a collection that has one of its own, "" when
// it is here.
func (s *router) elsewhere(r *http.Request, rt route) string {
	if s.addresses.origins == nil || !s.addresses.origins.asked || rt.coll == nil || rt.loose || r.Method != http.MethodGet || !roleOf(r, rt.mod).page || s.addresses.origins.name(r.Host) != "" {
		return ""
	}
	return s.addresses.origins.scheme + "://" + s.addresses.origins.before + rt.coll.label + s.addresses.origins.after
}
