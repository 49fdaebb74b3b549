package fetch

// This file decides by which way a request goes: directly, through a proxy, or to another host by --connect-to.

import (
	"net/url"
	"strconv"
	"strings"

	"kavosh/lib/weburl"
)

// connectTo is one rule of --connect-to. On the left, "" and 0 match anything; on the right, they change nothing.
type connectTo struct {
	host1 string
	port1 uint16
	host2 string
	port2 uint16
}

func parseConnectTo(rule string) (connectTo, error) {
	bad := func() (connectTo, error) {
		return connectTo{}, badOption("connect-to",
			"%q is not HOST1:PORT1:HOST2:PORT2 with ports from 1 to 65535, such as ::127.0.0.1:8080 or example.org:443:[::1]:8443", rule)
	}
	var parts []string
	for rest := rule; ; {
		var part string
		if strings.HasPrefix(rest, "[") {
			end := strings.IndexByte(rest, ']')
			if end < 0 {
				return bad()
			}
			part, rest = rest[1:end], rest[end+1:]
		} else {
			end := strings.IndexByte(rest+":", ':')
			part, rest = rest[:end], rest[end:]
		}
		parts = append(parts, part)
		if rest == "" {
			break
		}
		if rest[0] != ':' {
			return bad()
		}
		rest = rest[1:]
	}
	if len(parts) != 4 {
		return bad()
	}
	port := func(s string) (uint16, bool) {
		if s == "" {
			return 0, true
		}
		n, err := strconv.ParseUint(s, 10, 16)
		return uint16(n), err == nil && n > 0
	}
	port1, ok1 := port(parts[1])
	port2, ok2 := port(parts[3])
	if !ok1 || !ok2 || strings.ContainsAny(parts[0]+parts[2], " /\r\n") {
		return bad()
	}
	return connectTo{strings.ToLower(parts[0]), port1, strings.ToLower(parts[2]), port2}, nil
}

// proxyServer is the proxy that the operator named.
type proxyServer struct {
	scheme string // "http", "https", "socks5", "socks5h"
	host   string
	port   uint16
	user   string
	pass   string
	auth   string // Basic credentials, or ""
}

// proxyFor is one rule of --proxy-for.
type proxyFor struct {
	host   string       // or a domain with a dot before it
	server *proxyServer // nil: direct
}

// parseProxyFor never repeats the proxy in its errors, as parseProxy.
func parseProxyFor(rule string) (p proxyFor, err error) {
	host, raw, ok := strings.Cut(strings.TrimSpace(rule), " ")
	raw = strings.TrimSpace(raw)
	name, dotted := strings.CutPrefix(host, ".")
	u, err := weburl.Parse("http://" + name + "/")
	if !ok || raw == "" || err != nil || name == "" || u.Hostname() == "" || strings.ContainsAny(name, "/@:?#") {
		return p, badOption("proxy-for", "a rule is no host and proxy; write a host such as example.org, or a domain with a dot before it, then the proxy: \".onion socks5h://127.0.0.1:9050\"; or direct for none")
	}
	if p.host = u.Hostname(); dotted {
		p.host = "." + p.host
	}
	if raw != "direct" {
		p.server, err = parseProxy("proxy-for", raw)
	}
	return p, err
}

// proxyOf is the proxy by which a host is asked; nil for none.
func (h *HTTP) proxyOf(host string) *proxyServer {
	for i := range h.proxyFor {
		p := &h.proxyFor[i]
		if name, dotted := strings.CutPrefix(p.host, "."); host == name || dotted && strings.HasSuffix(host, p.host) {
			return p.server
		}
	}
	return h.proxy
}

// parseProxy never repeats raw in its errors, because it may hold a password. key is that of the option.
func parseProxy(key, raw string) (*proxyServer, error) {
	if raw == "" {
		return nil, nil
	}
	bad := func(reason string) (*proxyServer, error) {
		return nil, badOption(key, "%s; write http://, https://, socks5:// or socks5h:// and [user:password@]host:port", reason)
	}
	u, err := url.Parse(raw)
	if err != nil || checkText(key, raw) != nil {
		return bad("not a URL, or its port is no number from 1 to 65535")
	}
	p := &proxyServer{scheme: u.Scheme, host: u.Hostname(), port: 1080}
	switch p.scheme {
	case "https":
		p.port = 443
	case "http", "socks5", "socks5h":
	default:
		return bad("unknown kind of proxy")
	}
	if p.host == "" {
		return bad("no host")
	}
	if u.Port() != "" {
		n, err := strconv.ParseUint(u.Port(), 10, 16)
		if err != nil || n == 0 {
			return bad("the port is no number from 1 to 65535")
		}
		p.port = uint16(n)
	}
	if u.User != nil {
		p.user = u.User.Username()
		p.pass, _ = u.User.Password()
		if strings.HasPrefix(p.scheme, "http") {
			p.auth = basic(u.User.Username(), p.pass)
		}
	}
	return p, nil
}

// route is where the bytes for a target go.
type route struct {
	host    string // the final host
	port    uint16
	trusted bool         // named by the operator, so the address policy does not apply
	turned  bool         // --connect-to sends it to another place than the URL's
	proxy   *proxyServer // or nil
	// absolute: the proxy is sent the whole URL; otherwise it is asked for a connection to host and port.
	absolute bool
}

func (h *HTTP) route(u *urlParts) route {
	r := route{host: u.host, port: u.port, proxy: h.proxyOf(u.host)}
	for _, c := range h.connectTo {
		if (c.host1 == "" || c.host1 == u.host) && (c.port1 == 0 || c.port1 == u.port) {
			if c.host2 != "" {
				r.host = c.host2
			}
			if c.port2 != 0 {
				r.port = c.port2
			}
			r.turned, r.trusted = true, c.host2 != ""
			break
		}
	}
	if r.proxy != nil && strings.HasPrefix(r.proxy.scheme, "http") {
		r.absolute = u.scheme == "http" && !r.turned
	}
	return r
}

// resolvesHere reports whether we look up the route's names, rather than a proxy.
func (r *route) resolvesHere() bool { return r.proxy == nil || r.proxy.scheme == "socks5" }
