package fetch

// This file is the fetcher: it asks for one task's URL over a connection that is kept or new.

import (
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"errors"
	"hash"
	"net/netip"
	"strings"
	"time"

	"kavosh"
	"kavosh/internal/spool"
)

// HTTP fetches over HTTP/1.1, with and without TLS, and over HTTP/2 if a server prefers it. It is safe for concurrent
// use. It shares nothing: it has its own connections, cookies, buffers and resolved names.
type HTTP struct {
	o         Options
	form      *requestForm
	connectTo []connectTo
	proxy     *proxyServer // nil without one
	proxyFor  []proxyFor   // before proxy
	policy    *addressPolicy
	tls       tlsForm
	web       Web
	ownWeb    *RealWeb // closed with it; nil if the caller supplied a Web
	conns     *conns
	jar       *Jar // nil without cookies
	spool     spool.Pool
	newHash   func() hash.Hash
	refusers  refusers
}

// New returns an HTTP fetcher, or an *OptionError for an unusable option.
func New(o Options) (*HTTP, error) {
	o.setDefaults()
	h := &HTTP{o: o, policy: newAddressPolicy(o.AllowPrivate), tls: newTLSForm(o.TLSStrict), web: o.Web}
	var err error
	if h.form, err = newRequestForm(&o); err != nil {
		return nil, err
	}
	for _, rule := range o.ConnectTo {
		c, err := parseConnectTo(rule)
		if err != nil {
			return nil, err
		}
		h.connectTo = append(h.connectTo, c)
	}
	if h.proxy, err = parseProxy("proxy", o.Proxy); err != nil {
		return nil, err
	}
	for _, rule := range o.ProxyFor {
		p, err := parseProxyFor(rule)
		if err != nil {
			return nil, err
		}
		h.proxyFor = append(h.proxyFor, p)
	}
	switch o.Digest {
	case "sha256":
		h.newHash = sha256.New
	case "sha1":
		h.newHash = sha1.New
	default:
		return nil, badOption("digest", "%q is neither sha256 nor sha1", o.Digest)
	}
	h.spool.Memory = o.Memory
	if o.Dir != "" {
		h.spool.FS, h.spool.Dir = o.FS, o.Dir
		if err := h.spool.Clear(); err != nil {
			return nil, err
		}
	}
	if h.web == nil {
		if h.ownWeb, err = NewWeb(WebOptions{Resolver: o.Resolver, Clock: o.Clock}); err != nil {
			return nil, err
		}
		h.web = h.ownWeb
	}
	if !o.NoCookies {
		h.jar = NewJar(o.Clock)
		h.jar.give(o.Cookies)
	}
	h.conns = newConns(max(o.MaxIdle, 0), o.MaxIdlePerHost, o.KeepIdle)
	return h, nil
}

// Close closes the kept connections. It does not disturb exchanges in progress; they keep no connection afterwards.
func (h *HTTP) Close() error {
	h.conns.drop(true)
	if h.ownWeb != nil {
		return h.ownWeb.Close()
	}
	return nil
}

// UserAgent returns the value of the User-Agent field.
func (h *HTTP) UserAgent() string { return h.form.userAgent }

// AllowHost permits the addresses of a seed's host at port, even private ones: those that host (in the form of weburl's
// Hostname) has when it is first looked up. They are then permitted for every name that leads there.
func (h *HTTP) AllowHost(host string, port int) { h.policy.allowHost(trimBrackets(host), uint16(port)) }

// Cookies returns all cookies in the form that RestoreCookies reads; nil if the crawl keeps none.
func (h *HTTP) Cookies() []byte {
	if h.jar == nil {
		return nil
	}
	return h.jar.Snapshot()
}

// RestoreCookies restores the cookies of an earlier run. An empty snapshot restores none.
func (h *HTTP) RestoreCookies(snapshot []byte) error {
	if h.jar == nil || len(snapshot) == 0 {
		return nil
	}
	err := h.jar.Restore(snapshot)
	h.jar.give(h.o.Cookies)
	return err
}

// Target is where a task's request would go.
type Target struct {
	Addr    netip.Addr     // the address tried first; the zero Addr if a proxy finds it
	DNS     *kavosh.DNS    // what the resolver answered, if it was asked now
	Failure kavosh.Failure // why it cannot go anywhere: dns or blocked-address; else ""
	Gone    bool           // for dns: the name has no address for certain; otherwise the resolver failed
	Detail  string
}

// Address finds the address of a task's host, so that the caller can lease the address before Fetch. Fetch uses the
// same result from the cache. It fails only if ctx ends or the URL is neither http nor https.
func (h *HTTP) Address(ctx context.Context, t *kavosh.Task) (Target, error) {
	u, err := splitURL(t.URL)
	if err != nil {
		return Target{}, err
	}
	r := h.route(&u)
	var target Target
	if !r.resolvesHere() {
		err = h.refuseLiteral(ctx, &r)
	} else {
		var addrs []netip.Addr
		if addrs, err = h.addresses(ctx, &r, &target.DNS); err == nil {
			target.Addr = addrs[0]
		}
	}
	if f, ok := errors.AsType[*farError](err); ok {
		target.Failure, target.Gone, target.Detail, err = f.kind, f.gone, f.detail, nil
	}
	return target, err
}

// Permit returns how long a request to this address must wait; 0 if not at all. The address is zero if a proxy finds
// it.
type Permit func(netip.Addr) (wait time.Duration)

// Fetch makes one exchange for t. What ended it is in Failure, Detail and Truncated; the error is ours (disk, ctx), never
// the far side's. The caller closes the exchange.
//
// permit, unless it is nil, is asked right before a request is sent, over a new connection or a kept one: another address
// than the first may be the one that answers, and the host may have asked for time while it was looked up and dialled.
// When it says to wait nothing is sent, and there is neither an exchange nor an error. With ctx's error there is an
// exchange only when ctx ended after the head was read: closed, and good for nothing but its status and header.
func (h *HTTP) Fetch(ctx context.Context, t *kavosh.Task, permit Permit) (x *kavosh.Exchange, wait time.Duration, err error) {
	u, err := splitURL(t.URL)
	if err != nil {
		return nil, 0, err
	}
	r := h.route(&u)
	held := &held{x: kavosh.Exchange{Task: t, Method: method(t), Began: h.o.Clock.Now()}, permit: permit}
	x = &held.x
	if err = h.exchange(ctx, &u, &r, held); err != nil {
		x.Took = h.o.Clock.Now().Sub(x.Began)
		if f, ok := errors.AsType[*farError](err); ok {
			x.Failure, x.Detail, err = f.kind, f.detail, nil
		}
	}
	if x.Failure != kavosh.NoFailure && ctx.Err() != nil {
		err = ctx.Err() // we cut it ourselves
	}
	if err != nil {
		x.Close()
		switch {
		case err == errBusy:
			return nil, held.wait, nil
		case x.Status == 0 || ctx.Err() == nil:
			return nil, 0, err
		}
	}
	return x, 0, err
}

// errBusy means that no request may be sent now.
var errBusy = errors.New("the host or its address is to be left alone")

// errStale means that a kept connection ended before it brought anything for this request.
var errStale = errors.New("the kept connection was closed")

// exchange sends the request and reads the response, over a kept connection or a new one.
func (h *HTTP) exchange(ctx context.Context, u *urlParts, r *route, held *held) error {
	x := &held.x
	if err := ctx.Err(); err != nil {
		return err
	}
	key := u.key(x.Task)
	err := errStale
	if c := h.conns.get(key, x.Began); c != nil {
		err = h.over(ctx, c, u, r, held)
	}
	if err == errStale {
		err = h.overNew(ctx, u, r, held)
	}
	if err == errHTTP1 {
		h.refusers.add(key)
		err = h.overNew(ctx, u, r, held)
	}
	return err
}

// overNew makes the exchange over a new connection.
func (h *HTTP) overNew(ctx context.Context, u *urlParts, r *route, held *held) error {
	x := &held.x
	x.Request, x.Withheld, x.Interim, x.TLS = nil, "", nil, nil
	c, err := h.connect(ctx, u, r, x)
	if errors.Is(err, errSockets) {
		// Kept connections can be given up to free sockets.
		h.conns.drop(false)
		c, err = h.connect(ctx, u, r, x)
	}
	if err != nil {
		return err
	}
	x.Began = h.o.Clock.Now()
	return h.over(ctx, c, u, r, held)
}

// over makes the exchange over c, then keeps or closes c.
func (h *HTTP) over(ctx context.Context, c *conn, u *urlParts, r *route, held *held) error {
	x := &held.x
	if held.permit != nil {
		if held.wait = held.permit(c.addr.Addr()); held.wait > 0 {
			h.conns.put(c, h.o.Clock.Now())
			return errBusy
		}
	}
	var cookies string
	if h.jar != nil {
		cookies = h.jar.Header(u.scheme, u.host, u.path)
	}
	secrets := h.Secrets(u.host)
	held.masks = secrets != nil && !h.o.KeepSecrets
	held.request = h.form.head(u, x.Task, cookies, secrets, r.absolute)
	x.Addr, x.TLS = c.addr, c.tls
	if c.answer == nil {
		c.answer = &answer{h: h, c: c, hash: h.newHash()}
	}
	err := c.begin(ctx)
	reusable := false
	if err == nil {
		reusable, err = c.answer.exchange(r, held)
	}
	if err == nil && h.jar != nil {
		for i := range x.Header {
			if len(x.Header[i].Name) == len("Set-Cookie") && strings.EqualFold(x.Header[i].Name, "Set-Cookie") {
				h.jar.Set(u.scheme, u.host, u.path, x.Header[i].Value)
			}
		}
	}
	open := c.end()
	if open && err == nil && opens(x) {
		c.SetDeadline(time.Time{})
		x.Socket = &socket{conn: c, after: held.after}
		return nil
	}
	if open && reusable && err == nil {
		h.conns.put(c, x.Began.Add(x.Took))
	} else {
		c.Close()
	}
	return err
}
