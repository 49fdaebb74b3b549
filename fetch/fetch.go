// Package fetch turns a task into the bytes that crossed the wire.
//
// HTTP fetches ordinary URLs. It is an HTTP client of our own over net.Conn and crypto/tls, because net/http hides the
// raw bytes and refuses many responses that browsers show. One Fetch runs through these files:
//
//	http.go     the exchange: a kept or new connection, one retry if a kept one is dead, the outcome
//	route.go    where to connect for a URL: its host, --connect-to, or a proxy; connect.go connects
//	address.go  which addresses may be dialled at all
//	request.go  the head that is sent
//	answer.go   the response: head, body, bounds and deadlines; bytes go into a spool as they come
//	stream.go   the response where the server prefers HTTP/2, from the frames of http2.go
//	conns.go    connections kept for the next exchange
//
// Whatever the far side does is data in the Exchange: see the closed lists of kavosh.Failure and kavosh.Truncation, and
// docs/formats/exchange.md. A Go error means that we failed (disk, descriptors) or were stopped.
//
// The web itself is two functions, Resolve and Dial, so that tests can replace it by a simulated one. The real one
// (NewWeb) has its own DNS client and cache in dns.go. Redirects are not followed here: they are links, and each gets
// its own task.
package fetch

import (
	"context"
	"crypto/x509"
	"fmt"
	"net"
	"net/netip"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh"
	"kavosh/internal/clock"
	"kavosh/lib/httpsig"
)

// Web is all that HTTP needs of the world. It is safe for concurrent use.
type Web interface {
	// Resolve finds the addresses of a host: a name in lower-case ASCII, or an IP address without brackets. If a name does
	// not resolve, it returns a Resolution with Failure set. The error is ctx's.
	Resolve(ctx context.Context, host string) (Resolution, error)
	// Dial opens a TCP connection. ctx carries the timeout. Unless ctx ended, its error is the far side's. Deadlines set
	// on the connection use Options.Clock.
	Dial(ctx context.Context, addr netip.AddrPort) (net.Conn, error)
}

// Resolution is what a name resolves to.
type Resolution struct {
	Addrs   []netip.Addr // in the order to try them; shared, so do not change it
	Failure string       // why there are none; else ""
	Gone    bool         // the resolver said that there are none; it did not merely fail
	Record  *kavosh.DNS  // what the resolver answered; nil if it was remembered or no resolver was asked
}

// Options are the settings of HTTP. A zero field means the default named beside it.
type Options struct {
	UserAgent    string                     // the whole value; "" = Mozilla/5.0 (compatible; kavosh/VERSION; +CONTACT)
	Version      string                     // of this program, for the user agent; "" = dev
	Contact      string                     // URL or mail address of whoever runs the crawl; a mail address is also sent as From
	Header       []string                   // further request fields, "Name: value", for every host; they replace default fields of the same name
	Credentials  Credentials                // further request fields, each for one origin; not recorded
	Cookies      GivenCookies               // of a person's browser; not recorded
	Tokens       func(host string) []string // further texts that give access to a host of Cookies; they are not recorded where a browser sends them. nil = none. It must be safe for concurrent use
	KeepSecrets  bool                       // record credentials and cookies as they were sent
	Identity     *httpsig.Key               // signs every request (Web Bot Auth); nil = none is signed
	SignedAs     string                     // the https origin that has the public half of Identity
	ConnectTo    []string                   // HOST1:PORT1:HOST2:PORT2, as curl's --connect-to
	AllowPrivate []netip.Prefix             // ranges that may be dialled although they are not globally reachable
	TLSStrict    bool                       // refuse invalid certificates (instead of noting them) and anything below TLS 1.2
	Roots        *x509.CertPool             // nil = the machine's
	Proxy        string                     // http://, https://, socks5:// (names resolved here) or socks5h://, [user:password@]host:port
	ProxyFor     []string                   // "HOST PROXY": a proxy as above, or "direct", for one host, or for a domain with a dot before it; the first that fits
	Resolver     []string                   // DNS servers, "address" or "address:port"; nil = those of /etc/resolv.conf
	NoCookies    bool                       // do not keep or send cookies
	NoHTTP2      bool                       // HTTP/1.1 only, even if the server prefers HTTP/2

	MaxHead int   // bytes of a head, interim heads included; 0 = 256 KiB
	MaxBody int64 // bytes of a body on the wire; 0 = 1 GiB
	// Body says how many bytes of the body of a 2xx response are read at most, and why no more. contentType is the field as
	// received, length that of the body on the wire, -1 if the head does not tell it. A negative most leaves it at MaxBody,
	// 0 cuts the exchange after the head. Many goroutines may call it at once. nil bounds nothing.
	Body           func(t *kavosh.Task, contentType string, length int64) (most int64, why string)
	ConnectTimeout time.Duration // for a TCP connection, all addresses together; 0 = 20 s
	TLSTimeout     time.Duration // for a TLS handshake, or for a proxy's answer; 0 = 20 s
	HeadTimeout    time.Duration // from the request to the end of the head; 0 = 60 s
	IdleTimeout    time.Duration // between two bytes of the body; 0 = 60 s
	TotalTimeout   time.Duration // for the whole exchange; 0 = 20 min
	MinRate        int64         // lowest rate of a body over any minute, in bytes/s; 0 = 100, below 0 = any

	MaxIdle        int           // connections kept; 0 = 1024, below 0 = none
	MaxIdlePerHost int           // … for one scheme, host and port; 0 = 16
	KeepIdle       time.Duration // how long one is kept; 0 = 30 s

	Digest string // of payloads: "sha256" (default) or "sha1"
	Memory int    // bytes of a response kept in memory before a file takes over; 0 = 1 MiB, at least MaxHead and 64 KiB
	FS     vfs.FS // file system for these files; nil = vfs.Default
	Dir    string // folder for them, used by nobody else; "" = responses larger than Memory fail with an error

	Clock clock.Clock // nil means the machine's
	Web   Web         // nil = the real one
}

// OptionError reports an option with an unusable value: a usage error.
type OptionError struct {
	Option string // the flag without its dashes, such as "connect-to"
	Reason string // what is wrong and what would be right; contains no secret
}

func (e *OptionError) Error() string { return "--" + e.Option + ": " + e.Reason }

func badOption(option, format string, args ...any) error {
	return &OptionError{option, fmt.Sprintf(format, args...)}
}

func (o *Options) setDefaults() {
	setDefault(&o.MaxHead, 256<<10)
	setDefault(&o.MaxBody, 1<<30)
	setDefault(&o.ConnectTimeout, 20*time.Second)
	setDefault(&o.TLSTimeout, 20*time.Second)
	setDefault(&o.HeadTimeout, time.Minute)
	setDefault(&o.IdleTimeout, time.Minute)
	setDefault(&o.TotalTimeout, 20*time.Minute)
	setDefault(&o.MinRate, 100)
	setDefault(&o.MaxIdle, 1024)
	setDefault(&o.MaxIdlePerHost, 16)
	setDefault(&o.KeepIdle, 30*time.Second)
	setDefault(&o.Digest, "sha256")
	setDefault(&o.Memory, 1<<20)
	// A head is read in one piece, and so is the first line of a chunked body.
	o.Memory = max(o.Memory, o.MaxHead+64<<10)
	if o.Clock == nil {
		o.Clock = clock.Real{}
	}
	if o.FS == nil {
		o.FS = vfs.Default
	}
}

func setDefault[T comparable](v *T, value T) {
	var zero T
	if *v == zero {
		*v = value
	}
}

// farError is a failure of the far side on its way into an Exchange.
type farError struct {
	kind   kavosh.Failure
	detail string
	gone   bool // becomes Target.Gone
}

func (e *farError) Error() string { return string(e.kind) + ": " + e.detail }

func far(kind kavosh.Failure, format string, args ...any) error {
	return &farError{kind: kind, detail: fmt.Sprintf(format, args...)}
}
