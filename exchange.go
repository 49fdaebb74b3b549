package kavosh

// This file says what an exchange is: what a fetcher sent and received, or why nothing came.

import (
	"io"
	"net/netip"
	"time"

	"kavosh/lib/header"
)

// Failure is why an exchange has no whole answer. The list is closed: reports count by it and docs/formats maps each to
// its records.
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

// Body is a run of bytes held in memory or in a temporary file, bounded by the fetcher's limits.
// It is valid until its Exchange is closed.
type Body interface {
	io.ReaderAt
	Size() int64
	Bytes() []byte // all of it when it is held in memory, else nil
}

// Exchange is what crossed the wire for one task: the far side's failure is part of it, never a Go error.
// For an answer, Wire holds the bytes as received and Payload the same body after transfer decoding.
type Exchange struct {
	Task     *Task
	Began    time.Time     // when the request was about to be written: the WARC-Date
	Took     time.Duration // from Began to the last byte read
	Addr     netip.AddrPort
	Method   string // "GET", or Task.Ask's
	Request  []byte // request head as sent, without what is Withheld, and the body of a POST behind it; nil when nothing was sent
	Withheld string // names of the fields that were sent and are secret, with commas between
	Interim  []byte // 1xx heads as received, in order, each with its blank line; nil for none

	Wire    Body   // final head and body exactly as received (chunk framing kept); nil without an answer
	HeadLen int    // bytes of Wire up to and including the blank line
	Payload Body   // body after transfer decoding, content encoding kept; nil without an answer
	Digest  []byte // SHA-256 or SHA-1 of Payload, as the fetcher's Digest option says

	Proto     string // as the status line has it, such as "HTTP/1.1"; "h2" for HTTP/2, which has none; "" when malformed
	Status    int    // 0 when the head is malformed or there is none
	Header    Header // of the final head, in order, as received
	Malformed string // "" or what is wrong with the head, for the records

	Failure   Failure
	Detail    string // one line for people: the cause, in words
	Truncated Truncation
	TLS       *TLS
	DNS       *DNS      // set on the exchange whose resolution was not cached
	Decided   *Resource // what we decided by it, kept beside it
	Dropped   *Verdict  // why the archive does not keep the answer, only a note of it (--only); nil = it is kept
	Release   func()    // set by the fetcher: what Close calls
}

// Resource is a text of ours that is kept with an exchange as a resource record: the decision taken on a robots.txt.
type Resource struct {
	URL  string // "urn:kavosh:robots:" and the origin
	Type string // media type of Text
	Text string
}

// Close gives the exchange's buffers back. Nothing of Wire or Payload may be used after it.
func (x *Exchange) Close() {
	if x != nil && x.Release != nil {
		x.Release()
		x.Release = nil
	}
}

// Answered reports whether a final head came, whole or malformed.
func (x *Exchange) Answered() bool { return x.Wire != nil }

// TLS is what is worth keeping of a TLS session.
type TLS struct {
	Version string // "TLS 1.3"
	Cipher  string
	Invalid string // why the certificate chain does not verify; "" when it does
}

// DNS is one resolution as it was answered, kept as a resource record of type text/dns.
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
