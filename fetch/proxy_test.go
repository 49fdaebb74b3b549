package fetch

import (
	"bytes"
	"crypto/tls"
	"encoding/binary"
	"io"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"testing"
	"time"

	"kavosh"
)

// origin answers every request with what it was asked.
func origin(t *testing.T) netip.AddrPort {
	return listen(t, func(c net.Conn, _ int) {
		for {
			head, err := request(c)
			if err != nil {
				return
			}
			line, _, _ := strings.Cut(head, "\r\n")
			io.WriteString(c, ok+"Content-Length: "+itoa(len(line))+"\r\n\r\n"+line)
		}
	})
}

// splice joins two connections until one ends.
func splice(a, b net.Conn) {
	go func() {
		io.Copy(a, b)
		a.Close()
	}()
	io.Copy(b, a)
	b.Close()
}

// httpProxy is a proxy for CONNECT and whole URLs, which sends everything to one place. heads gets the heads it read.
func httpProxy(t *testing.T, to netip.AddrPort, heads *[]string, wrap func(net.Conn) net.Conn) netip.AddrPort {
	return listen(t, func(c net.Conn, _ int) {
		if wrap != nil {
			c = wrap(c)
		}
		head, err := request(c)
		if err != nil {
			return
		}
		*heads = append(*heads, head)
		if !strings.Contains(head, "Proxy-Authorization: Basic dXNlcjpzZWNyZXQ=\r\n") {
			io.WriteString(c, "HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n")
			return
		}
		up, err := net.Dial("tcp", to.String())
		if err != nil {
			return
		}
		if strings.HasPrefix(head, "CONNECT ") {
			io.WriteString(c, "HTTP/1.1 200 Connection established\r\n\r\n")
		} else {
			io.WriteString(up, head)
		}
		splice(c, up)
	})
}

// TestProxyByHost has two proxies and a server: each host goes by the way that is said for it, and by no other.
func TestProxyByHost(t *testing.T) {
	var general, special []string
	to := origin(t)
	one, two := httpProxy(t, to, &general, nil), httpProxy(t, to, &special, nil)
	h := newHTTP(t, Options{
		Proxy:     "http://" + one.String(),
		ProxyFor:  []string{"free.b.test direct", ".b.test http://user:secret@" + two.String(), "C.test http://" + two.String()},
		ConnectTo: []string{"free.b.test:80:" + to.Addr().String() + ":" + strconv.Itoa(int(to.Port()))},
	})
	for _, host := range []string{"a.test", "b.test", "x.b.test", "free.b.test", "c.test", "xb.test"} {
		general, special = nil, nil
		x := get(t, h, "http://"+host+"/")
		want := map[string][2]int{"b.test": {0, 1}, "x.b.test": {0, 1}, "c.test": {0, 1}, "free.b.test": {0, 0}}[host]
		if want == [2]int{} && host != "free.b.test" {
			want = [2]int{1, 0}
		}
		if got := [2]int{len(general), len(special)}; x.Failure != "" || got != want {
			t.Errorf("%s went %v times by the two proxies, want %v (%s %s)", host, got, want, x.Failure, x.Detail)
		}
	}
}

func TestHTTPProxy(t *testing.T) {
	ca := newAuthority(t)
	plain := origin(t)
	secure := listenTLS(t, &tls.Config{Certificates: []tls.Certificate{ca.issue(t, time.Now().Add(time.Hour), "a.test")}})
	for _, tt := range []struct {
		name, scheme, url string
		to                netip.AddrPort
		connectTo         []string
		head, payload     string
	}{
		{"plain", "http", "http://a.test/x?y", plain, nil, "GET http://a.test/x?y HTTP/1.1\r\nHost: a.test\r\n", "GET http://a.test/x?y HTTP/1.1"},
		{"TLS", "http", "https://a.test/", secure, nil, "CONNECT a.test:443 HTTP/1.1\r\nHost: a.test:443\r\n", "a.test"},
		{"plain, sent elsewhere", "http", "http://a.test/", plain, []string{"a.test:80:b.test:81"}, "CONNECT b.test:81 HTTP/1.1\r\n", "GET / HTTP/1.1"},
		{"TLS to the proxy", "https", "http://a.test/", plain, nil, "GET http://a.test/ HTTP/1.1\r\n", "GET http://a.test/ HTTP/1.1"},
		{"TLS to the proxy and to the server", "https", "https://a.test/", secure, nil, "CONNECT a.test:443 HTTP/1.1\r\n", "a.test"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var heads []string
			var wrap func(net.Conn) net.Conn
			if tt.scheme == "https" {
				cfg := &tls.Config{Certificates: []tls.Certificate{ca.issue(t, time.Now().Add(time.Hour), "127.0.0.1")}}
				wrap = func(c net.Conn) net.Conn { return tls.Server(c, cfg) }
			}
			proxy := httpProxy(t, tt.to, &heads, wrap)
			h := newHTTP(t, Options{Roots: ca.pool, ConnectTo: tt.connectTo, Proxy: tt.scheme + "://user:secret@" + proxy.String()})
			x := get(t, h, tt.url)
			if x.Failure != "" || text(t, x.Payload) != tt.payload {
				t.Fatalf("%s %s: %q", x.Failure, x.Detail, text(t, x.Payload))
			}
			if len(heads) != 1 || !strings.HasPrefix(heads[0], tt.head) {
				t.Errorf("the proxy read %q", heads)
			}
			if bytes.Contains(x.Request, []byte("Proxy-")) || bytes.Contains(x.Request, []byte("dXNlcjpzZWNyZXQ")) {
				t.Errorf("the secret is in the request that is kept: %q", x.Request)
			}
			if x.Addr.IsValid() {
				t.Errorf("address %v, which nobody knows", x.Addr)
			}
			target, err := h.Address(t.Context(), &kavosh.Task{URL: tt.url})
			if err != nil || target.Addr.IsValid() || target.Failure != "" {
				t.Errorf("Address: %+v, %v", target, err)
			}
			h.Close()
		})
	}
}

func TestProxyFailures(t *testing.T) {
	var heads []string
	proxy := httpProxy(t, netip.AddrPort{}, &heads, nil)
	silent := listen(t, func(c net.Conn, _ int) { request(c) })
	flood := listen(t, func(c net.Conn, _ int) { drips("HTTP/1.1 200 OK\r\n", strings.Repeat("A: b\r\n", 100), 0)(c) })
	closed := listen(t, func(net.Conn, int) {})
	for _, tt := range []struct{ name, proxy, url, detail string }{
		{"refuses", "http://" + proxy.String(), "https://a.test/", "407"},
		{"wrong password", "http://user:wrong@" + proxy.String(), "https://a.test/", "407"},
		{"hangs up", "http://" + silent.String(), "https://a.test/", "no answer to CONNECT"},
		{"endless head", "http://" + flood.String(), "https://a.test/", "does not end"},
		{"no such proxy", "http://proxy.invalid:1", "https://a.test/", "proxy proxy.invalid"},
		{"SOCKS hangs up", "socks5h://" + closed.String(), "http://a.test/", "proxy"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := newHTTP(t, Options{Proxy: tt.proxy, Resolver: []string{silentDNS(t)}})
			x := get(t, h, tt.url)
			if x.Failure != kavosh.ConnectFailure || !strings.Contains(x.Detail, tt.detail) || strings.Contains(x.Detail, "wrong") {
				t.Errorf("failure %q, detail %q", x.Failure, x.Detail)
			}
		})
	}
	t.Run("private addresses stay closed", func(t *testing.T) {
		h, err := New(Options{Proxy: "http://127.0.0.1:1"})
		if err != nil {
			t.Fatal(err)
		}
		defer h.Close()
		for _, url := range []string{"http://127.0.0.1/", "http://localhost/", "https://[::ffff:10.0.0.1]/"} {
			if x := get(t, h, url); x.Failure != kavosh.BlockedAddress {
				t.Errorf("%s: %q %q", url, x.Failure, x.Detail)
			}
		}
	})
}

// socksProxy is a SOCKS5 proxy with a password, which sends everything to one place and keeps what it was asked for.
func socksProxy(t *testing.T, to netip.AddrPort, asked *string) netip.AddrPort {
	return listen(t, func(c net.Conn, _ int) {
		read := func(n int) []byte {
			b := make([]byte, n)
			io.ReadFull(c, b)
			return b
		}
		read(int(read(2)[1]))
		c.Write([]byte{5, 2})
		user := read(int(read(2)[1]))
		pass := read(int(read(1)[0]))
		if string(user) != "user" || string(pass) != "secret" {
			c.Write([]byte{1, 1})
			return
		}
		c.Write([]byte{1, 0})
		var host string
		switch read(4)[3] {
		case 1:
			host = net.IP(read(4)).String()
		case 3:
			host = string(read(int(read(1)[0])))
		case 4:
			host = net.IP(read(16)).String()
		}
		*asked = joinHostPort(host, binary.BigEndian.Uint16(read(2)))
		up, err := net.Dial("tcp", to.String())
		if err != nil {
			return
		}
		c.Write([]byte{5, 0, 0, 1, 0, 0, 0, 0, 0, 0})
		splice(c, up)
	})
}

func TestSOCKSProxy(t *testing.T) {
	to := origin(t)
	for _, tt := range []struct{ scheme, asked, addr string }{
		{"socks5h", "a.localhost.test:8080", ""},
		{"socks5", "127.0.0.1:8080", "127.0.0.1:8080"},
	} {
		t.Run(tt.scheme, func(t *testing.T) {
			var asked string
			proxy := socksProxy(t, to, &asked)
			url := "http://a.localhost.test:8080/x"
			if tt.scheme == "socks5" {
				url = "http://a.localhost:8080/x"
			}
			h := newHTTP(t, Options{Proxy: tt.scheme + "://user:secret@" + proxy.String()})
			x := get(t, h, url)
			if x.Failure != "" || text(t, x.Payload) != "GET /x HTTP/1.1" || asked != tt.asked {
				t.Errorf("%s %s: %q, asked for %q", x.Failure, x.Detail, text(t, x.Payload), asked)
			}
			if x.Addr.IsValid() != (tt.addr != "") || tt.addr != "" && x.Addr.String() != tt.addr {
				t.Errorf("address %v", x.Addr)
			}
			h.Close()
		})
	}
	var asked string
	h := newHTTP(t, Options{Proxy: "socks5h://user:wrong@" + socksProxy(t, to, &asked).String()})
	if x := get(t, h, "http://a.test/"); x.Failure != kavosh.ConnectFailure || strings.Contains(x.Detail, "wrong") {
		t.Errorf("failure %q, detail %q", x.Failure, x.Detail)
	}
}
