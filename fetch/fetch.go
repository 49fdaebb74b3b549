// Package fetch turns a task into the bytes that crossed the wire.
//
// HTTP is the fetcher of ordinary URLs: an HTTP client of our own over net.Conn and crypto/tls, because net/http hides
// the bytes as they came and refuses many answers that browsers show. One Fetch goes top to bottom through
//
//	http.go     the exchange: a kept or new connection, one retry when a kept one proves dead, the outcome
//	route.go    where to connect for a URL: itself, --connect-to, or a proxy; connect.go goes there
//	address.go  which addresses may be dialled at all
//	request.go  the head that is sent
//	answer.go   the answer: head, body, bounds and deadlines; bytes flow into a spool as they come
//	stream.go   the answer where the server prefers HTTP/2, from the frames of http2.go
//	conns.go    connections kept for the next exchange
//
// Whatever the far side does is data in the Exchange: see the closed lists of kavosh.Failure and kavosh.Truncation, and
// docs/formats/exchange.md for which outcome is which. A Go error means that we failed (disk, descriptors) or were stopped.
//
// The web itself is two functions, Resolve and Dial, so that a simulated one can stand below. The real one (NewWeb) has
// its own DNS client and cache in dns.go. Redirects are not followed here: they are links, and each has its own task.
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
)

// Web is the web as two functions: all that HTTP needs of the world. It is safe for concurrent use.
type Web interface {
	// Resolve finds the addresses of a host: a name in lower case ASCII, or an IP address without brackets. A name that
	// does not resolve is a Resolution with Failure set; the error is ctx's.
	Resolve(ctx context.Context, host string) (Resolution, error)
	// Dial opens a TCP connection. Its error is the far side's, unless ctx ended. The time for it is in ctx. Deadlines
	// set on the connection are by Options.Clock.
	Dial(ctx context.Context, addr netip.AddrPort) (net.Conn, error)
}

// Resolution is what a name resolves to.
type Resolution struct {
	Addrs   []netip.Addr // in the order in which they are to be tried; shared, not to be changed
	Failure string       // "" or why there are none
	Gone    bool         // there are none for certain: a resolver said so, and did not merely fail
	Record  *kavosh.DNS  // what the resolver answered; nil when it was known already or needs no resolver
}

// Options are the settings of HTTP. The zero value of each field is the default that it names.
type Options struct {
	UserAgent    string         // the whole value; "" = Mozilla/5.0 (compatible; kavosh/VERSION; +CONTACT)
	Version      string         // of this program, for the user agent; "" = dev
	Contact      string         // URL or mail address of who runs the crawl; a mail address is also sent as From
	Header       []string       // more request fields, "Name: value", for every host; one named like a default field replaces it
	Credentials  Credentials    // more request fields, each for one origin; not recorded
	KeepSecrets  bool           // record them, and cookies, as they were sent
	ConnectTo    []string       // HOST1:PORT1:HOST2:PORT2 as curl's --connect-to
	AllowPrivate []netip.Prefix // ranges that may be dialled although they are not globally reachable
	TLSStrict    bool           // refuse invalid certificates instead of noting them, and anything below TLS 1.2
	Roots        *x509.CertPool // nil = the machine's
	Proxy        string         // http://, https://, socks5:// (names resolved here) or socks5h://, [user:password@]host:port
	Resolver     []string       // DNS servers, "address" or "address:port"; nil = those of /etc/resolv.conf
	NoCookies    bool           // neither keep nor send cookies
	NoHTTP2      bool           // HTTP/1.1 alone, also with servers that prefer HTTP/2

	MaxHead int   // bytes of a head with the interim ones before it; 0 = 256 KiB
	MaxBody int64 // bytes of a body on the wire; 0 = 1 GiB
	// Wanted says whether the body of a 2xx answer is read, by its Content-Type as received; one that is not is cut short
	// after its head. It may be called by many goroutines at once. nil = every body is.
	Wanted         func(t *kavosh.Task, contentType string) bool
	ConnectTimeout time.Duration // for a TCP connection, all addresses together; 0 = 20 s
	TLSTimeout     time.Duration // for a TLS handshake, or a proxy to answer; 0 = 20 s
	HeadTimeout    time.Duration // from the request to the end of the head; 0 = 60 s
	IdleTimeout    time.Duration // without a byte of the body; 0 = 60 s
	TotalTimeout   time.Duration // for the whole exchange; 0 = 20 min
	MinRate        int64         // least bytes/s of a body over any minute; 0 = 100, below 0 = any

	MaxIdle        int           // connections kept; 0 = 1024, below 0 = none
	MaxIdlePerHost int           // … for one scheme, host and port; 0 = 16
	KeepIdle       time.Duration // how long one is kept; 0 = 30 s

	Digest string // of payloads: "sha256" (default) or "sha1"
	Memory int    // bytes of an answer held in memory before a file takes over; 0 = 1 MiB, at least MaxHead and 64 KiB
	FS     vfs.FS // where these files go; nil = vfs.Default
	Dir    string // the folder for them, ours alone; "" = answers that outgrow Memory are an error

	Clock clock.Clock // nil = the machine's
	Web   Web         // nil = the real one
}

// OptionError is an option that cannot be used: a usage error.
type OptionError struct {
	Option string // the flag without its dashes, such as "connect-to"
	Reason string // what is wrong and what would be right; holds no secret
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
	gone   bool // Target.Gone
}

func (e *farError) Error() string { return string(e.kind) + ": " + e.detail }

func far(kind kavosh.Failure, format string, args ...any) error {
	return &farError{kind: kind, detail: fmt.Sprintf(format, args...)}
}
