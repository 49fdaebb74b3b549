package fetch

import (
	"context"
	"errors"
	"net"

	"kavosh"
)

// rememberingWeb is a Web that remembers what it resolved.
type rememberingWeb interface {
	// ResolveAnew is Resolve without what is remembered, and is not remembered.
	ResolveAnew(ctx context.Context, host string) (Resolution, error)
	// ForgetFailures lets names be looked up again of which nothing was found.
	ForgetFailures()
}

// Reach says whether a TCP connection towards a URL's host can be opened now, its name looked up anew. Nothing is sent
// over it, but what a proxy needs to make it. The error is ours or ctx's.
//
// It tells a host that is gone from a line that is down: it is to be asked of hosts that answered before.
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

// directAnew is direct without what is remembered of the name.
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

// ForgetFailures lets names be looked up again of which nothing was found: while no name server could be reached, that
// said nothing of the names.
func (h *HTTP) ForgetFailures() {
	if web, ok := h.web.(rememberingWeb); ok {
		web.ForgetFailures()
	}
}
