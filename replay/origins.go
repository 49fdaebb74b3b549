package replay

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

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

// all is every collection's origin as a Content-Security-Policy names them, "" where readers are led to none.
func (o *origins) all() string {
	if o == nil || !o.asked || o.after == "" {
		return ""
	}
	return o.scheme + "://*" + o.after
}

// OriginOfCollection reports whether a collection has an origin of its own at that host, with its port if it has one.
func (s *Server) OriginOfCollection(host string) bool {
	name := s.origins.name(host)
	return name == All || slices.ContainsFunc(s.colls, func(c *Collection) bool { return c.label == name })
}

// route is what a request asks for.
func (s *Server) route(r *http.Request) route { return s.at(r.Host, r.RequestURI) }

// at is what a request for the target asks of a host. At a collection's own origin there is that collection alone.
func (s *Server) at(host, target string) route {
	rt := s.split(target)
	if name := s.origins.name(host); name != "" && rt.coll != nil && rt.coll.label != name {
		return route{verb: stray}
	}
	return rt
}

// elsewhere is the origin to which a reader is led who asks for a page of a collection that has one of its own, "" when
// it is here.
func (s *Server) elsewhere(r *http.Request, rt route) string {
	if s.origins == nil || !s.origins.asked || rt.coll == nil || rt.loose || r.Method != http.MethodGet || !roleOf(r, rt.mod).page || s.origins.name(r.Host) != "" {
		return ""
	}
	return s.origins.scheme + "://" + s.origins.before + rt.coll.label + s.origins.after
}
