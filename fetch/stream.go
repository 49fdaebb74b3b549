package fetch

// This file makes one exchange over HTTP/2, as answer.go does over HTTP/1.1.

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"kavosh"
	"kavosh/lib/httpwire"
)

// errHTTP1 means that the server wants this request over HTTP/1.1.
var errHTTP1 = errors.New("the server asks for HTTP/1.1")

// wantsHTTP1 reports whether a server that sends this code offers no HTTP/2 at all, or not in this kind of TLS session.
func wantsHTTP1(code http2.ErrCode) bool {
	return code == http2.ErrCodeHTTP11Required || code == http2.ErrCodeInadequateSecurity
}

// maxRefusers is how many hosts are remembered that offered HTTP/2 but want HTTP/1.1.
const maxRefusers = 4096

// refusers remembers hosts that offered HTTP/2 but want HTTP/1.1. It is safe for concurrent use.
type refusers struct {
	mu struct {
		sync.Mutex
		keys map[connKey]struct{}
	}
}

func (r *refusers) has(key connKey) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	_, has := r.mu.keys[key]
	return has
}

// add remembers key. If there are too many, it forgets all: each costs one more request to learn again.
func (r *refusers) add(key connKey) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.mu.keys == nil || len(r.mu.keys) >= maxRefusers {
		r.mu.keys = map[connKey]struct{}{}
	}
	r.mu.keys[key] = struct{}{}
}

// streamHead reads up to the final head and puts it into the wire buffer in the form of HTTP/1.1. ended means that
// there is no body.
func (a *answer) streamHead() (ended bool, err error) {
	s := a.c.streams
	for interim := 0; ; {
		ev, err := s.next()
		if err != nil {
			return false, a.streamHeadEnd(err)
		}
		switch ev.kind {
		case wasReset, notStarted:
			return false, a.streamRefused(ev)
		case dataCame:
			return false, far(kavosh.ProtocolFailure, "HTTP/2: a body without a head")
		}
		before := a.notes
		head := a.headOf(s.fields)
		if len(a.x.Interim)+len(head) > a.h.o.MaxHead {
			return false, a.streamHeadEnd(errHeadLimit)
		}
		a.head.Parse(head)
		if st := a.head.Status; st/100 != 1 || st == 101 {
			if _, err := a.wire.Write(head); err != nil {
				return false, err
			}
			return ev.ended, a.gotStreamHead()
		}
		a.notes = before // forget notes about an interim response
		if interim++; interim > maxInterim {
			return false, far(kavosh.LimitFailure, "more than %d interim (1xx) answers", maxInterim)
		}
		if ev.ended {
			return false, far(kavosh.ResetFailure, "the answer ended with an interim head (%d)", a.head.Status)
		}
		a.x.Interim = append(a.x.Interim, head...)
	}
}

// streamRefused returns the error for a stream that the server ended or refused before there was a head.
func (a *answer) streamRefused(ev event) error {
	switch {
	case wantsHTTP1(ev.code):
		return errHTTP1
	case ev.kind == notStarted && a.c.served > 0:
		return errStale
	case a.c.streams.why != "":
		return far(kavosh.ResetFailure, "the server ended the connection before the answer began: %s", a.c.streams.why)
	}
	return far(kavosh.ResetFailure, "the server ended the stream before the answer began: %v", ev.code)
}

// streamHeadEnd returns the error for a connection that brings no complete head.
func (a *answer) streamHeadEnd(err error) error {
	var w *protocolError
	switch {
	case errors.Is(err, errHeadLimit):
		return far(kavosh.LimitFailure, "the head is longer than %d bytes or has more than %d fields", a.h.o.MaxHead, maxFields)
	case errors.As(err, &w):
		return far(kavosh.ProtocolFailure, "HTTP/2: %s", w.text)
	case isTimeout(err):
		return far(kavosh.TimeoutFailure, "no whole head within %v", a.h.o.HeadTimeout)
	case a.c.served > 0 && a.x.Interim == nil:
		return errStale
	case a.c.streams.why != "":
		return far(kavosh.ResetFailure, "the connection ended before the answer began: %s", a.c.streams.why)
	}
	return far(kavosh.ResetFailure, "the connection ended before the answer began: %s", endCause(err))
}

// gotStreamHead is gotHead for a head of HTTP/2. The body ends with its stream, whatever the fields say.
func (a *answer) gotStreamHead() error {
	if err := a.gotHead(); err != nil {
		return err
	}
	a.x.Proto = "h2"
	a.framing.Impossible = "" // it is only noted
	if a.framing.By != httpwire.NoBody {
		a.framing.By = httpwire.UntilClose
	}
	return nil
}

// streamBody reads the body to the end of the stream. Its error is a *cut or a failure of ours.
func (a *answer) streamBody(ended bool) error {
	a.now = a.h.o.Clock.Now()
	a.window, a.x.Waited = a.now, a.now.Sub(a.sent)
	a.wire.Grow(min(max(a.framing.Length, 0), maxTrust))
	for !ended {
		a.setDeadline(a.bodyDeadline(a.now))
		ev, err := a.c.streams.next()
		if err != nil {
			return a.streamBodyEnd(err)
		}
		switch ev.kind {
		case wasReset, notStarted:
			return &cut{kavosh.TruncatedAnswer, kavosh.TruncDisconnect, fmt.Sprintf("the server ended the stream (%v) after %s", ev.code, a.soFar()), false}
		case headCame:
			if !ev.ended {
				return a.streamBodyEnd(wrongf("a second head"))
			}
			a.trailer = trailerText(a.c.streams.fields)
		case dataCame:
			if a.framing.By == httpwire.NoBody && len(ev.data) > 0 {
				a.extra = len(ev.data)
				return nil // do not wait for the rest of it
			}
			if err := a.streamData(ev.data); err != nil {
				return err
			}
		}
		ended = ev.ended
	}
	a.done = true
	switch {
	case a.framing.Length < 0 || a.body == a.framing.Length:
	case a.body < a.framing.Length:
		return &cut{kavosh.TruncatedAnswer, kavosh.TruncDisconnect, "the server ended the stream after " + a.soFar(), false}
	default:
		a.note(fmt.Sprintf("Content-Length is %d, the body has %d bytes", a.framing.Length, a.body))
	}
	return nil
}

// streamData adds the data of a frame.
func (a *answer) streamData(data []byte) error {
	n, err := a.take(data)
	if _, werr := a.wire.Write(data[:n]); werr != nil {
		return werr
	}
	if err != nil {
		return err
	}
	a.now = a.h.o.Clock.Now()
	if c := a.tooSlow(a.now, n); c != nil {
		return c
	}
	return nil
}

// streamBodyEnd returns the error for a connection that ends before the stream does.
func (a *answer) streamBodyEnd(err error) error {
	var w *protocolError
	switch {
	case a.framing.By == httpwire.NoBody:
		a.note("the stream does not end with its head")
		return nil
	case errors.As(err, &w):
		return &cut{kavosh.ProtocolFailure, kavosh.TruncDisconnect, "HTTP/2: " + w.text + ", after " + a.soFar(), false}
	case errors.Is(err, errHeadLimit):
		return &cut{kavosh.ProtocolFailure, kavosh.TruncDisconnect, "HTTP/2: the trailer is too long, after " + a.soFar(), false}
	}
	return a.cutShort(err)
}

// headOf writes the fields of a head in the form of HTTP/1.1: in order, with repeats, names and values unchanged. What
// that form cannot hold, or what would change its meaning, is dropped or replaced, and noted. The bytes are valid until
// the next head.
func (a *answer) headOf(fields []hpack.HeaderField) []byte {
	status, reason := "", ""
	for _, f := range fields {
		if f.Name == ":status" {
			status = f.Value
			break
		}
	}
	if len(status) == 3 && strings.Trim(status, "0123456789") == "" {
		n := int(status[0]-'0')*100 + int(status[1]-'0')*10 + int(status[2]-'0')
		reason = http.StatusText(n)
	}
	b := append(a.c.streams.head[:0], "HTTP/1.1 "...)
	b = a.appendValue(b, status)
	b = append(b, ' ')
	b = append(b, reason...)
	b = append(b, "\r\n"...)
	taken := false
	for _, f := range fields {
		switch {
		case f.Name == ":status" && !taken:
			taken = true
			continue
		case strings.HasPrefix(f.Name, ":"), !isFieldName(f.Name):
			a.note("the field " + quoteShort([]byte(f.Name)) + " cannot stand in a head and is left out")
			continue
		case strings.EqualFold(f.Name, "transfer-encoding"):
			a.note("Transfer-Encoding: " + quoteShort([]byte(f.Value)) + " means nothing in HTTP/2 and is left out")
			continue
		}
		b = append(b, f.Name...)
		b = append(b, ": "...)
		b = a.appendValue(b, f.Value)
		b = append(b, "\r\n"...)
	}
	b = append(b, "\r\n"...)
	a.c.streams.head = b
	return b
}

// appendValue appends a value without bytes that would end its line.
func (a *answer) appendValue(b []byte, value string) []byte {
	if !strings.ContainsAny(value, "\r\n\x00") {
		return append(b, value...)
	}
	a.note("a line end or NUL in a value, replaced by a space")
	for i := 0; i < len(value); i++ {
		switch c := value[i]; c {
		case '\r', '\n', 0:
			b = append(b, ' ')
		default:
			b = append(b, c)
		}
	}
	return b
}

// isFieldName reports whether a name can stand before a colon: visible ASCII without HTTP's separators.
func isFieldName(name string) bool {
	for i := 0; i < len(name); i++ {
		if c := name[i]; c <= ' ' || c >= 0x7f || strings.IndexByte(`"(),/:;<=>?@[\]{}`, c) >= 0 {
			return false
		}
	}
	return name != ""
}

// trailerText returns the fields after a body in one line, a few hundred bytes at most.
func trailerText(fields []hpack.HeaderField) string {
	var b strings.Builder
	for _, f := range fields {
		if b.Len() > 500 {
			b.WriteString(" …")
			break
		}
		fmt.Fprintf(&b, " %s: %s", quoteShort([]byte(f.Name)), quoteShort([]byte(f.Value)))
	}
	return "fields came after the body:" + b.String()
}
