package screen

// This file is the browser's way to the network: a proxy on this machine, for this browser alone. The browser itself, as
// package chromium starts it, has none.

import (
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"time"
)

// way is an HTTP proxy.
type way struct {
	listener net.Listener
	server   *http.Server
	dialer   net.Dialer
}

func newWay() (*way, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	w := &way{listener: l, dialer: net.Dialer{Timeout: 20 * time.Second}}
	quiet := log.New(io.Discard, "", 0)
	plain := &httputil.ReverseProxy{
		Rewrite:   func(r *httputil.ProxyRequest) { r.Out.URL, r.Out.Host = r.In.URL, r.In.Host },
		Transport: &http.Transport{Proxy: nil, DialContext: w.dialer.DialContext, DisableCompression: true},
		ErrorLog:  quiet,
	}
	w.server = &http.Server{ErrorLog: quiet, Handler: http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodConnect {
			w.tunnel(rw, r)
			return
		}
		if !r.URL.IsAbs() {
			http.Error(rw, "this is a proxy", http.StatusBadRequest)
			return
		}
		plain.ServeHTTP(rw, r)
	})}
	go w.server.Serve(l) // until close
	return w, nil
}

func (w *way) address() string { return w.listener.Addr().String() }

func (w *way) close() { w.server.Close() }

// tunnel answers CONNECT: it passes bytes between the browser and a server.
func (w *way) tunnel(rw http.ResponseWriter, r *http.Request) {
	far, err := w.dialer.DialContext(r.Context(), "tcp", r.Host)
	if err != nil {
		http.Error(rw, "no connection", http.StatusBadGateway)
		return
	}
	near, buffered, err := rw.(http.Hijacker).Hijack()
	if err != nil {
		far.Close()
		return
	}
	_, err = io.WriteString(near, "HTTP/1.1 200 OK\r\n\r\n")
	if err != nil {
		near.Close()
		far.Close()
		return
	}
	go func() {
		io.Copy(far, buffered) // either end that closes ends both
		far.Close()
	}()
	io.Copy(near, far)
	near.Close()
}
