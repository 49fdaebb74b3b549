package fetch

// This file makes one exchange over HTTP/1.1: it sends the request and reads the answer, each part within its bounds.

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"net/http"
	"strings"
	"syscall"
	"time"

	"kavosh"
	"kavosh/internal/spool"
	"kavosh/lib/httpwire"
)

const (
	headRead   = 32 << 10         // bytes to read at once until the head is complete
	maxInterim = 16               // 1xx heads before the final one
	maxFields  = 1000             // fields of a head
	keptFields = 64               // room for fields that a kept connection may hold on to
	keptHead   = 16 << 10         // … and for bytes of a head
	maxTrust   = 256 << 10        // bytes of memory to allocate for a Content-Length before the bytes come
	lastWait   = 5 * time.Second  // for the line end after the last chunk, or the end of a stream without a body: all else is there
	rateWindow = time.Minute      // period over which MinRate is measured
	eventTime  = 10 * time.Second // for a stream of events, which has no end: it is kept as far as it comes
)

// answer reads the responses of one connection, one after the other. Bytes go from the socket straight into the wire
// spool. From there they feed the digest and, for a chunked body, the payload spool.
type answer struct {
	h    *HTTP
	c    *conn
	x    *kavosh.Exchange
	hash hash.Hash

	wire    *spool.Buffer
	payload *spool.Buffer // of a chunked body; else nil
	held    *held
	head    httpwire.Head
	framing httpwire.Framing
	chunks  httpwire.Dechunker

	most    int64  // the most bytes of the body to take, as on the wire
	why     string // why no more, if not for Options.MaxBody
	body    int64  // … taken so far
	done    bool   // the body ended as its framing says, or was cut
	extra   int    // bytes after the end of the response
	notes   string // what was odd, other than in the head
	trailer string // trailer fields of HTTP/2, for people

	sent        time.Time
	total       time.Duration // how long the exchange may take
	now         time.Time     // when the last bytes came
	window      time.Time     // when the current minute of the body began
	windowBytes int64         // bytes in that minute
}

// reset prepares a for an exchange. With nil it prepares a to wait for one and drops everything of the last response.
func (a *answer) reset(held *held) {
	fields := a.head.Fields
	*a = answer{h: a.h, c: a.c, hash: a.hash, held: held, most: a.h.o.MaxBody}
	if cap(fields) <= keptFields {
		clear(fields[:cap(fields)])
		a.head.Fields = fields[:0]
	}
	if held == nil {
		return
	}
	a.hash.Reset()
	a.x, a.sent, a.now, a.total = &held.x, held.x.Began, held.x.Began, a.h.o.TotalTimeout
}

// rest lets go of the exchange.
func (a *answer) rest() {
	a.reset(nil)
	if s := a.c.streams; s != nil {
		s.rest()
	}
}

func (a *answer) note(s string) {
	if s == "" {
		return
	}
	if a.notes != "" {
		a.notes += "; "
	}
	a.notes += s
}

// exchange sends the request and reads the response into held. It reports whether the connection can be used again.
func (a *answer) exchange(r *route, held *held) (reusable bool, err error) {
	a.reset(held)
	defer a.rest()
	if err := a.send(r); err != nil {
		return false, err
	}
	a.wire = a.h.spool.Get()
	over := false // HTTP/2 said that the response has no body
	if a.c.streams != nil {
		over, err = a.streamHead()
	} else {
		err = a.readHead()
	}
	if err == nil && opens(a.x) { // what follows the head is the socket's
		held.after = bytes.Clone(a.wire.Bytes()[a.head.Len:])
		a.wire.Truncate(int64(a.head.Len))
	}
	if err != nil {
		a.wire.Close()
		return false, err
	}
	a.x.Wire = a.wire
	held.section = spool.Section{Of: a.wire, From: int64(a.head.Len)}
	a.x.Release = held.release
	if a.framing.By == httpwire.ByChunks { // never in HTTP/2
		a.payload = a.h.spool.Get()
	}
	if a.c.streams != nil {
		err = a.streamBody(over)
	} else {
		err = a.readBody()
		held.payload = a.payload
	}
	c, _ := err.(*cut)
	if err != nil && c == nil {
		return false, err
	}
	reusable, err = a.finish(c)
	return reusable && (a.c.streams == nil || !a.c.streams.spent()), err
}

// held is an exchange with its buffers, allocated together.
type held struct {
	x       kavosh.Exchange
	section spool.Section // of the wire buffer, after the head
	payload *spool.Buffer // of a chunked body; else nil
	after   []byte        // what came after the head that opens a WebSocket
	masks   bool          // the values of cookies in the head are not recorded
	digest  [sha256.Size]byte
	fields  [16]kavosh.Field // memory for Header, unless it is longer

	request message
	permit  Permit        // nil permits always
	wait    time.Duration // set with errBusy
}

// release returns the buffers. An error when removing a temporary file does no harm: the next start removes it.
func (h *held) release() {
	if h.x.Socket != nil {
		h.x.Socket.Close()
	}
	h.section.Of.Close()
	h.payload.Close()
}

func (a *answer) send(r *route) error {
	request := a.held.request.sent
	wire := request
	if r.absolute && r.proxy.auth != "" {
		// Secret fields go before the blank line, and not into the record.
		end := bytes.Index(request, []byte("\r\n\r\n")) + len("\r\n")
		wire = append(appendField(bytes.Clone(request[:end]), "Proxy-Authorization", r.proxy.auth), request[end:]...)
	}
	a.setDeadline(a.sent.Add(min(a.h.o.HeadTimeout, a.h.o.TotalTimeout)))
	a.x.Request, a.x.Withheld = a.held.request.kept, a.held.request.withheld
	var err error
	if a.c.streams != nil {
		err = a.c.streams.request(request, a.c.key.scheme)
	} else {
		_, err = a.c.Write(wire)
	}
	if err != nil {
		if isTimeout(err) {
			return far(kavosh.TimeoutFailure, "the request could not be sent within %v", a.h.o.HeadTimeout)
		}
		if a.c.served > 0 {
			return errStale
		}
		return far(kavosh.ResetFailure, "the connection ended while the request was sent: %s", cause(err))
	}
	return nil
}

// setDeadline sets the connection's deadline, unless the one already set is close enough.
func (a *answer) setDeadline(t time.Time) {
	if d := t.Sub(a.c.until); d < 0 || d > min(time.Second, a.h.o.IdleTimeout/16) {
		a.c.SetDeadline(t)
		a.c.until = t
	}
}

// readHead reads up to the blank line of the final head, then parses and frames it. A response without a status line
// has no head: all of it is body.
func (a *answer) readHead() error {
	seen, interim := 0, 0
	for {
		b := a.wire.Bytes()
		if off, known := httpwire.Start(b); known && off < 0 {
			a.noHead()
			return nil
		}
		if end := httpwire.HeadEndFrom(b, seen); end >= 0 && len(a.x.Interim)+end <= a.h.o.MaxHead {
			a.head.Parse(b[:end])
			if s := a.head.Status; s/100 != 1 || s == 101 {
				return a.gotHead()
			}
			if interim++; interim > maxInterim {
				return far(kavosh.LimitFailure, "more than %d interim (1xx) answers", maxInterim)
			}
			a.x.Interim = append(a.x.Interim, b[:end]...)
			a.wire.Cut(end)
			seen = 0
			continue
		}
		if len(a.x.Interim)+len(b) > a.h.o.MaxHead {
			return far(kavosh.LimitFailure, "the head is longer than %d bytes", a.h.o.MaxHead)
		}
		seen = len(b)
		// Read only a little at once: a read that fills the buffer moves it to a file, and the head must be in memory.
		tail := a.wire.Tail()
		n, err := a.c.Read(tail[:min(len(tail), headRead)])
		if cerr := a.wire.Commit(n); cerr != nil {
			return cerr
		}
		if err != nil && n == 0 {
			return a.headEnd(seen, err)
		}
	}
}

// headEnd returns the error for a connection that ended or timed out before the head was complete.
func (a *answer) headEnd(got int, err error) error {
	off, _ := httpwire.Start(a.wire.Bytes())
	ended := isEnd(err)
	switch {
	case isTimeout(err):
		return far(kavosh.TimeoutFailure, "no whole head within %v (%d bytes of it came)", a.h.o.HeadTimeout, got)
	case got == 0 && a.c.served > 0 && a.x.Interim == nil:
		return errStale
	case got == 0:
		return far(kavosh.ResetFailure, "the connection ended before the answer began: %s", endCause(err))
	case off < 0 && ended:
		a.noHead()
		return nil
	case ended && a.wire.Bytes()[got-1] == '\n':
		// Every line is complete and only the blank line is missing, as careless scripts write it. Browsers show the page.
		a.head.Parse(a.wire.Bytes())
		return a.gotHead()
	}
	return far(kavosh.ResetFailure, "the connection ended within the head, after %d bytes: %s", got, endCause(err))
}

// isEnd reports whether err is an orderly end. Many servers end a TLS session without its closing message.
func isEnd(err error) bool { return err == io.EOF || err == io.ErrUnexpectedEOF }

func endCause(err error) string {
	switch {
	case isEnd(err):
		return "closed by the server"
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		return "reset by the server"
	}
	return cause(err)
}

const noStatusLine = "no status line: all of the answer is taken for its body"

func (a *answer) noHead() {
	a.head = httpwire.Head{Fields: a.head.Fields[:0]} // drop the fields of interim heads
	a.framing = httpwire.Framing{Length: -1}
	a.note(noStatusLine)
}

func (a *answer) gotHead() error {
	h := &a.head
	if len(h.Fields) > maxFields {
		return far(kavosh.LimitFailure, "the head has more than %d fields", maxFields)
	}
	a.framing = httpwire.Frame(h, a.x.Method, h.Status)
	a.note(h.Malformed)
	a.note(a.framing.Note)
	a.note(a.framing.Impossible)
	x := a.x
	x.HeadLen, x.Proto, x.Status = h.Len, h.Proto, h.Status
	x.Header = append(a.held.fields[:0:len(a.held.fields)], h.Fields...) // h is read into again
	if kind, _, _ := strings.Cut(x.Header.Get("Content-Type"), ";"); strings.EqualFold(strings.TrimSpace(kind), "text/event-stream") {
		a.total = min(a.total, eventTime)
	}
	if a.held.masks { // the fields of x stay as they came
		x.Masked = maskCookies(a.wire.Bytes()[:h.Len])
		maskCookies(x.Interim)
	}
	// Bounds are those of the whole body, of which earlier answers may have brought some.
	had := int64(0)
	if p := x.Task.Partial; p != nil && x.Status == http.StatusPartialContent {
		had = p.Size
		a.most = max(a.most-had, 0)
	}
	if bound := a.h.o.Body; bound != nil && x.Status >= 200 && x.Status <= 299 {
		length := int64(-1)
		if a.framing.By == httpwire.ByLength {
			length = a.framing.Length + had
		}
		if most, why := bound(x.Task, x.Header.Get("Content-Type"), length); most >= 0 && max(most-had, 0) < a.most {
			a.most, a.why = max(most-had, 0), why
		}
	}
	return nil
}

// cut says why a body ended early. It is an error on its way into the exchange.
type cut struct {
	kind      kavosh.Failure
	truncated kavosh.Truncation
	detail    string
	ours      bool // a limit of ours cut it
}

func (c *cut) Error() string { return c.detail }

func tooLate(format string, args ...any) *cut {
	return &cut{kavosh.TruncatedAnswer, kavosh.TruncTime, fmt.Sprintf(format, args...), true}
}

// readBody reads the body to its end. Its error is a *cut or a failure of ours.
func (a *answer) readBody() error {
	a.now = a.h.o.Clock.Now()
	a.window, a.x.Waited = a.now, a.now.Sub(a.sent)
	if a.framing.By == httpwire.ByLength {
		a.wire.Grow(min(a.framing.Length-(a.wire.Size()-int64(a.head.Len)), maxTrust))
	}
	if err := a.retake(); err != nil {
		return err
	}
	for !a.done {
		a.setDeadline(a.bodyDeadline(a.now))
		tail := a.wire.Tail()
		n, err := a.c.Read(tail)
		if n > 0 {
			a.now = a.h.o.Clock.Now()
			if err := a.got(tail[:n]); err != nil {
				return err
			}
			if c := a.tooSlow(a.now, n); c != nil && !a.done {
				return c
			}
		}
		if err != nil && !a.done {
			return a.bodyEnd(err)
		}
	}
	return nil
}

// got adds the bytes just read into the tail of the wire spool, if they belong to the response.
func (a *answer) got(b []byte) error {
	n, err := a.take(b)
	if err == httpwire.ErrNotChunked {
		if err := a.wire.Commit(len(b)); err != nil {
			return err
		}
		a.plain()
		return a.retake()
	}
	a.extra += len(b) - n
	if err := a.wire.Commit(n); err != nil {
		return err
	}
	return err
}

// retake takes the whole body again from its beginning. It is still in memory, behind the head.
func (a *answer) retake() error {
	rest := a.wire.Bytes()[a.head.Len:]
	n, err := a.take(rest)
	if err == httpwire.ErrNotChunked {
		a.plain()
		n, err = a.take(rest)
	}
	a.extra = len(rest) - n
	a.wire.Truncate(int64(a.head.Len + n))
	return err
}

// plain switches to a body without chunks although the head says chunked. No payload was taken yet.
func (a *answer) plain() {
	a.note("the body is not chunked")
	a.payload.Close()
	a.payload, a.chunks, a.body = nil, httpwire.Dechunker{}, 0
	a.framing.By = httpwire.UntilClose
	if a.framing.Length >= 0 {
		a.framing.By = httpwire.ByLength
	}
}

// take handles the next bytes of the body: the first n belong to it and go into digest and payload. The error is
// ErrNotChunked (then nothing was taken), or a *cut after n bytes, or a failure of ours.
func (a *answer) take(b []byte) (n int, err error) {
	left := a.most - a.body // how much more to take
	within := b[:min(int64(len(b)), left)]
	switch a.framing.By {
	case httpwire.NoBody:
		a.done = true
		return 0, nil
	case httpwire.ByChunks:
		n, err = a.takeChunks(within)
	case httpwire.ByLength:
		n = int(min(int64(len(within)), a.framing.Length-a.body))
		a.hash.Write(b[:n])
		a.done = a.body+int64(n) == a.framing.Length
	case httpwire.UntilClose:
		n = len(within)
		a.hash.Write(b[:n])
	}
	a.body += int64(n)
	if err == nil && !a.done && n < len(b) {
		a.done = true
		err = &cut{kavosh.LimitFailure, kavosh.TruncLength, cmp.Or(a.why, fmt.Sprintf("the body is longer than %d bytes", a.h.o.MaxBody)), true}
	}
	return n, err
}

func (a *answer) takeChunks(b []byte) (n int, err error) {
	for n < len(b) && !a.chunks.Done() {
		k, data, err := a.chunks.Step(b[n:])
		n += k
		a.hash.Write(data)
		if _, err := a.payload.Write(data); err != nil {
			return n, err
		}
		if err == httpwire.ErrNotChunked {
			return 0, err
		}
		if err != nil {
			a.done = true
			return n, &cut{kavosh.ProtocolFailure, kavosh.TruncDisconnect, err.Error(), false}
		}
	}
	a.done = a.chunks.Done()
	return n, nil
}

func (a *answer) bodyDeadline(now time.Time) time.Time {
	wait := a.h.o.IdleTimeout
	if a.framing.By == httpwire.ByChunks && a.chunks.Last() || a.framing.By == httpwire.NoBody {
		wait = min(wait, lastWait)
	}
	idle, total := now.Add(wait), a.sent.Add(a.total)
	if total.Before(idle) {
		return total
	}
	return idle
}

// tooSlow checks the rate at the end of each minute, and the total time. It returns nil if both are fine.
func (a *answer) tooSlow(now time.Time, n int) *cut {
	if now.Sub(a.sent) >= a.total {
		return tooLate("not whole after %v", a.total)
	}
	a.windowBytes += int64(n)
	past := now.Sub(a.window)
	if past < rateWindow {
		return nil
	}
	if a.windowBytes < int64(past.Seconds()*float64(a.h.o.MinRate)) {
		return tooLate("%d bytes in %v: less than %d bytes/s", a.windowBytes, past.Round(time.Second), a.h.o.MinRate)
	}
	a.window, a.windowBytes = now, 0
	return nil
}

// bodyEnd returns the error for a connection that ended or timed out before the end that the framing names.
func (a *answer) bodyEnd(err error) error {
	if a.framing.By == httpwire.ByChunks && a.chunks.Last() {
		a.note("no line end after the last chunk")
		return nil
	}
	if a.framing.By == httpwire.ByChunks && !a.chunks.Begun() && a.body > 0 {
		a.plain() // not even the line with the first size is complete
		if err := a.retake(); err != nil || a.done {
			return err
		}
	}
	if isEnd(err) && a.framing.By == httpwire.UntilClose {
		return nil
	}
	return a.cutShort(err)
}

// soFar says how much of the body came.
func (a *answer) soFar() string {
	if a.framing.By != httpwire.ByChunks && a.framing.Length >= 0 {
		return fmt.Sprintf("%d of %d bytes", a.body, a.framing.Length)
	}
	return fmt.Sprintf("%d bytes", a.body)
}

// cutShort returns the cut for a body whose connection failed with err.
func (a *answer) cutShort(err error) *cut {
	a.now = a.h.o.Clock.Now()
	got := a.soFar()
	switch {
	case !isTimeout(err):
		return &cut{kavosh.TruncatedAnswer, kavosh.TruncDisconnect, endCause(err) + " after " + got, false}
	case a.now.Sub(a.sent) >= a.total:
		return tooLate("not whole after %v: %s", a.total, got)
	}
	return &cut{kavosh.TruncatedAnswer, kavosh.TruncTime, fmt.Sprintf("nothing came for %v, after %s", a.h.o.IdleTimeout, got), false}
}

// finish fills the exchange with what was read. c says how the body was cut; nil if it was not.
func (a *answer) finish(c *cut) (reusable bool, err error) {
	x, held := a.x, a.held
	a.note(a.chunks.Note())
	if err := a.wire.Finish(); err != nil {
		return false, err
	}
	x.Payload = &held.section
	if a.payload != nil {
		if err := a.payload.Finish(); err != nil {
			return false, err
		}
		x.Payload = a.payload
	}
	x.Took = a.h.o.Clock.Now().Sub(x.Began) // not a.now: waiting for an end that does not come kept the server busy too
	x.Digest = a.hash.Sum(held.digest[:0])
	x.Malformed = a.notes
	if c != nil {
		x.Failure, x.Truncated, x.Detail = c.kind, c.truncated, c.detail
	}
	switch {
	case x.HeadLen == 0:
		x.Failure, x.Detail = kavosh.ProtocolFailure, noStatusLine
	case a.framing.Impossible != "":
		x.Failure, x.Detail = kavosh.ProtocolFailure, a.framing.Impossible
	case c == nil && a.extra > 0:
		x.Detail = fmt.Sprintf("%d bytes came after the end of the answer and were dropped", a.extra)
	case c == nil:
		x.Detail = a.trailer
	}
	x.Broken = c != nil && !c.ours && x.Failure == kavosh.TruncatedAnswer
	a.c.served++
	return c == nil && a.done && a.extra == 0 && a.head.KeepAlive() && x.Status != 101, nil
}
