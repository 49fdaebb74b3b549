package kavosh

// This file says what an exchange is: what a fetcher sent and received, or why nothing came.

import (
	"io"
	"net/netip"
	"time"

	"kavosh/lib/header"
)

// Failure says why an exchange has no complete answer. There are no other values than these: reports count by them, and
// docs/formats says which records each leads to.
type Failure string

const (
	NoFailure       Failure = ""
	DNSFailure      Failure = "dns"             // the name does not resolve, or the resolver does not answer
	ConnectFailure  Failure = "connect"         // no TCP connection, or the proxy refused
	TLSFailure      Failure = "tls"             // no TLS session, or --tls strict refused the certificate
	TimeoutFailure  Failure = "timeout"         // too long without a byte before the head was whole
	ResetFailure    Failure = "reset"           // closed or reset before the head was whole
	TruncatedAnswer Failure = "truncated"       // head whole, body cut by disconnect or time (recorded as a response)
	ProtocolFailure Failure = "protocol"        // what came is not HTTP, or its framing is impossible
	RobotsFailure   Failure = "robots"          // robots.txt forbids it: never requested
	TrapFailure     Failure = "trap"            // taken for a trap: never requested
	LimitFailure    Failure = "limit"           // a bound of ours cut or refused it (head size, body size, redirects)
	BlockedAddress  Failure = "blocked-address" // resolves to an address that is not globally reachable: never dialled
)

// Truncation is the value of WARC-Truncated.
type Truncation string

const (
	Whole           Truncation = ""
	TruncLength     Truncation = "length"     // our size limit
	TruncTime       Truncation = "time"       // our time limit, or too slow
	TruncDisconnect Truncation = "disconnect" // the connection ended before the announced length
)

// Body is a run of bytes in memory or in a temporary file, bounded by the fetcher's limits. It is valid until its
// Exchange is closed.
type Body interface {
	io.ReaderAt
	Size() int64
	Bytes() []byte // all bytes if they are in memory, otherwise nil
}

// Exchange is what crossed the wire for one task. A failure of the far side is part of it, never a Go error. For an
// answer, Wire holds the bytes as received, and Payload the same body after transfer decoding.
type Exchange struct {
	Task     *Task
	Began    time.Time     // when the request was about to be written: the WARC-Date
	Waited   time.Duration // from Began to the end of the answer's head; 0 without one
	Took     time.Duration // from Began to the last byte read
	Addr     netip.AddrPort
	Method   string // "GET", or Task.Ask's
	Request  []byte // request head as sent, without the Withheld fields, then the body of a POST; nil if nothing was sent
	Withheld string // names of the secret fields that were sent, separated by commas
	Interim  []byte // 1xx heads as received, in order, each with its blank line; nil for none

	Wire    Body   // final head and body exactly as received (chunk framing kept); nil without an answer
	HeadLen int    // bytes of Wire up to and including the blank line
	Payload Body   // body after transfer decoding, content encoding kept; nil without an answer
	Digest  []byte // SHA-256 or SHA-1 of Payload, as the fetcher's Digest option says

	Proto     string // from the status line, such as "HTTP/1.1"; "h2" for HTTP/2; "" if malformed
	Status    int    // HTTP status; 0 if the head is malformed or missing
	Header    Header // fields of the final head, in order, as received
	Malformed string // "" or what is wrong with the head, for the records
	Masked    bool   // values of cookies in Wire are masked, since somebody is logged in there; Header has them

	Failure   Failure
	Detail    string // one line for people: the cause, in words
	Truncated Truncation
	Broken    bool // the far side ended the body too soon or fell silent; no limit of ours cut it
	TLS       *TLS
	DNS       *DNS               // set on the exchange whose resolution was not cached
	Decided   *Resource          // the decision that we took from it, recorded with it; nil for none
	Socket    io.ReadWriteCloser // of a WebSocket that was opened (status 101): what the far side sends and takes; Close closes it. nil for all else
	Dropped   *Dropped           // why the archive keeps only a note of the answer (--only, --keep); nil if it keeps the answer
	Release   func()             // set by the fetcher: what Close calls
}

// Resource is a text of ours that is recorded with an exchange as a resource record: the decision about a robots.txt.
type Resource struct {
	URL  string // "urn:kavosh:robots:" and the origin
	Type string // media type of Text
	Text string
}

// Close releases the exchange's buffers. Wire and Payload must not be used afterwards.
func (x *Exchange) Close() {
	if x != nil && x.Release != nil {
		x.Release()
		x.Release = nil
	}
}

// Answered reports whether a final head came, complete or malformed.
func (x *Exchange) Answered() bool { return x.Wire != nil }

// TLS is what is recorded about a TLS session.
type TLS struct {
	Version string // "TLS 1.3"
	Cipher  string
	Invalid string // why the certificate chain is not valid; "" if it is
}

// DNS is one answered name look-up. It is recorded as a resource of type text/dns.
type DNS struct {
	Name   string
	Time   time.Time
	Server string // the resolver asked, or "hosts" for the local table
	Text   string // answers in zone-file form, one a line, at most 64 KiB
}

// Field is one header field as received; Header is the fields of a head, in order, repeats kept.
type (
	Field  = header.Field
	Header = header.Header
)
