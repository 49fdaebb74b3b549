// Package knownhosts runs HTTP servers that answer only to host names which somebody gave them.
//
// A page of any web site can make a name of its own lead to this machine (DNS rebinding). It can then read what is
// served here, in the browser of somebody who can reach us. But its requests name that site as Host, so requests with a
// name that nobody gave us get nothing.
package knownhosts

import (
	"cmp"
	"fmt"
	"iter"
	"net"
	"net/http"
	"net/netip"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"kavosh/lib/weburl"
)

// Address says where a server listens, and by which names it is reached.
type Address struct {
	flag, host, port string
	names            []string // hosts in the form that hostName returns
}

// ParseAddress parses a TCP address that a person gave with a flag. Readers may reach it by its host, by an address of
// this machine, or by one of the names. An address without a host is this machine's loopback, so that nothing is shown
// to others unless that is wanted. The error says what to write.
func ParseAddress(flag, addr string, names []string) (Address, error) {
	if _, err := strconv.Atoi(addr); err == nil {
		addr = ":" + addr
	}
	a := Address{flag: flag}
	var err error
	if a.host, a.port, err = net.SplitHostPort(addr); err != nil {
		return a, fmt.Errorf("%s %s: write an address such as 127.0.0.1:8090, or :8090", flag, addr)
	}
	if _, err := net.LookupPort("tcp", a.port); err != nil {
		return a, fmt.Errorf("%s %s: %q is no port: write a number from 0 to 65535", flag, addr, a.port)
	}
	a.host = cmp.Or(a.host, "127.0.0.1")
	for _, given := range append([]string{a.host}, names...) {
		name := hostName(given)
		if name == "" {
			return a, fmt.Errorf("--host %s: write a host name alone, such as archive.example.org", given)
		}
		a.names = append(a.names, name)
	}
	return a, nil
}

// Listener accepts the connections of one server.
type Listener struct {
	net.Listener
	Also func(host string) bool // reports whether a host, with its port, is known in addition to the names; may be nil

	names []string
}

// Listen opens the address.
func (a Address) Listen() (*Listener, error) {
	l := &Listener{names: a.names}
	addr := net.JoinHostPort(a.host, a.port)
	var err error
	if l.Listener, err = net.Listen("tcp", addr); err != nil {
		return nil, fmt.Errorf("cannot listen at %s: %w; choose another with %s, such as %s:0 for any free port", addr, err, a.flag, a.host)
	}
	if l.everywhere() {
		if name, err := os.Hostname(); err == nil {
			l.names = append(l.names, hostName(name))
		}
	}
	return l, nil
}

func (l *Listener) everywhere() bool { return l.Addr().(*net.TCPAddr).IP.IsUnspecified() }

// URL returns the URL at which people reach the listener, without a final slash. A listener on all addresses has the
// machine's name.
func (l *Listener) URL() string {
	addr := l.Addr().(*net.TCPAddr)
	host := addr.IP.String()
	if l.everywhere() {
		host = "localhost"
		if name, err := os.Hostname(); err == nil {
			host = name
		}
	}
	return "http://" + net.JoinHostPort(host, fmt.Sprint(addr.Port))
}

// hostName returns a host without port, in the form that browsers send, or "" if text is no host.
func hostName(text string) string {
	if _, err := netip.ParseAddr(text); err == nil && strings.Contains(text, ":") {
		text = "[" + text + "]"
	}
	u, err := weburl.Parse("http://" + text + "/")
	if err != nil || u.Port() != "" || strings.ContainsAny(text, "/?#@\\") {
		return ""
	}
	return strings.TrimSuffix(u.Hostname(), ".")
}

// knows reports whether a request's Host is a name of this listener: localhost, an address of this machine, the address
// at which the connection came in, or a name that the operator gave.
func (l *Listener) knows(r *http.Request) bool {
	host := strings.ToLower(r.Host)
	if i := strings.LastIndexByte(host, ':'); i >= 0 && !strings.HasSuffix(host, "]") {
		host = host[:i]
	}
	host = strings.TrimSuffix(host, ".")
	if host == "localhost" || host != "" && slices.Contains(l.names, host) || l.Also != nil && l.Also(r.Host) {
		return true
	}
	if strings.HasPrefix(host, "[") && strings.HasSuffix(host, "]") {
		host = host[1 : len(host)-1]
	}
	addr, err := netip.ParseAddr(host)
	if err != nil {
		return false
	}
	addr = addr.Unmap()
	local, _ := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr)
	return addr.IsLoopback() || local != nil && local.AddrPort().Addr().Unmap().WithZone("") == addr
}

// These constants bound the head of a request. Everything that browsers keep as cookies for one host fits in (180 of 4
// KiB): any page with the same host name, at any port, can set cookies, and must not be able to lock a reader out.
const (
	MaxAsked   = 64 << 10 // bytes of the head without cookies
	maxHead    = 1 << 20
	maxCookies = 16 << 10 // bytes of cookies that are normal; if there are more, they are cleared
	maxCleared = 32 << 10 // bytes of an answer's head that are used to clear them
)

// Server serves h to requests by the listener's names whose heads have at most most bytes without cookies (usually
// MaxAsked). It bounds what a client can hold open. Answers have no time limit, because they may be large and the
// reader far away.
func (l *Listener) Server(h http.Handler, most int) *http.Server {
	door := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !l.knows(r) {
			misdirected(w, r)
			return
		}
		if headSize(r) > most {
			http.Error(w, "the head of this request is too large", http.StatusRequestHeaderFieldsTooLarge)
			return
		}
		clearCookies(w, r)
		h.ServeHTTP(w, r)
	})
	return &http.Server{Handler: door, ReadHeaderTimeout: 10 * time.Second, ReadTimeout: time.Minute, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: maxHead}
}

// headSize returns the size of a request's head without its cookies. Other pages may have set these, and too many are
// cleared.
func headSize(r *http.Request) int {
	n := len(r.RequestURI) + len(r.Host)
	for name, values := range r.Header {
		for _, value := range values {
			if name != "Cookie" {
				n += len(name) + len(value)
			}
		}
	}
	return n
}

// misdirected tells a client that used an unknown name what to do.
func misdirected(w http.ResponseWriter, r *http.Request) {
	host, _, err := net.SplitHostPort(r.Host)
	if err != nil {
		host = r.Host
	}
	if host = hostName(host); host == "" || len(host) > 253 {
		host = "NAME"
	}
	h := w.Header()
	h.Set("Content-Type", "text/plain; charset=utf-8")
	h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusMisdirectedRequest)
	fmt.Fprintf(w, "kavosh does not answer to the host name in this address. If the name is right, the operator of kavosh can add --host %s\n"+
		"کاوش خود را به نامی که در این نشانی است نمی‌شناسد. اگر نام درست است، گردانندهٔ کاوش می‌تواند این را بیفزاید: --host %s\n", host, host)
}

// clearCookies removes the cookies of a request that has so many that a page must have tried to lock the reader out. It
// also makes the browser forget them: all at once if the browser takes the connection for secure, otherwise some with
// each answer.
func clearCookies(w http.ResponseWriter, r *http.Request) {
	size := 0
	for _, line := range r.Header["Cookie"] {
		size += len(line)
	}
	if size <= maxCookies {
		return
	}
	w.Header().Set("Clear-Site-Data", `"cookies"`)
	cookies, left := r.Cookies(), maxCleared
	r.Header.Del("Cookie")
	base, _, _ := strings.Cut(r.URL.EscapedPath(), ";") // the path of a cookie cannot have what follows
	for path := range foldersOf(base) {
		for _, c := range cookies {
			gone := (&http.Cookie{Name: c.Name, Path: path, MaxAge: -1}).String()
			if left -= len(gone); left < 0 {
				return
			}
			w.Header().Add("Set-Cookie", gone)
		}
	}
}

// foldersOf yields the paths that a cookie which is sent with path may have, in the form that browsers keep: each
// folder, with and without its last slash.
func foldersOf(path string) iter.Seq[string] {
	return func(yield func(string) bool) {
		if !yield("/") {
			return
		}
		for i := 1; i < len(path); i++ {
			if path[i] == '/' && (!yield(path[:i]) || !yield(path[:i+1])) {
				return
			}
		}
	}
}
