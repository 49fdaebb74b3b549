package fetch

// This file tells a host that is gone from a network that is down.

import (
	"context"
	"errors"
	"net"

	"kavosh"
)

// rememberingWeb is a Web with a cache of resolved names.
type rememberingWeb interface {
	// ResolveAnew is Resolve without the cache: it neither reads nor fills it.
	ResolveAnew(ctx context.Context, host string) (Resolution, error)
	// ForgetFailures removes failed look-ups from the cache.
	ForgetFailures()
}

// Reach reports whether a TCP connection to a URL's host can be opened now, after a fresh look-up of its name. It sends
// nothing over the connection except what a proxy needs. The error is ours or ctx's.
//
// Call it for hosts that answered before: it tells a host that is gone from a network that is down.
func (h *HTTP) Reach(ctx context.Context, url string) (bool, error) {
	u, err := splitURL(url)
	if err != nil {
		return false, err
	}
	r := h.route(&u)
	var nc net.Conn
	if r.proxy != nil {
		nc, _, err = h.viaProxy(ctx, &r, &kavosh.Exchange{})
	} else {
		nc, err = h.directAnew(ctx, &r)
	}
	if _, far := errors.AsType[*farError](err); far {
		return false, ctx.Err()
	}
	if err != nil {
		return false, err
	}
	return true, nc.Close()
}

// directAnew is direct with a fresh look-up of the name.
func (h *HTTP) directAnew(ctx context.Context, r *route) (net.Conn, error) {
	resolve := h.web.Resolve
	if web, ok := h.web.(rememberingWeb); ok {
		resolve = web.ResolveAnew
	}
	res, err := resolve(ctx, r.host)
	if err != nil {
		return nil, err
	}
	addrs, err := h.dialable(r, res)
	if err != nil {
		return nil, err
	}
	nc, _, err := h.dial(ctx, addrs, r.port)
	return nc, err
}

// ForgetFailures removes failed look-ups from the cache. Call it after a time without any name server: failures then
// say nothing about the names.
func (h *HTTP) ForgetFailures() {
	if web, ok := h.web.(rememberingWeb); ok {
		web.ForgetFailures()
	}
}
