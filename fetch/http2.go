package fetch

// This file speaks HTTP/2 on one connection, one exchange at a time.

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"kavosh/lib/httpwire"
)

// Bounds on an HTTP/2 connection.
const (
	streamTable  = 4096     // bytes of each side's table of header fields: the protocol's initial value
	streamFrame  = 16 << 10 // bytes of a frame's payload: the smallest allowed, and what all servers send
	streamWindow = 4 << 20  // bytes that a server may send before we confirm reading them
	maxPassed    = 1000     // consecutive frames that bring nothing of the response
)

// streams is the HTTP/2 state of a connection. It makes one request at a time, and the goroutine of the exchange reads.
// Between exchanges nobody reads: the next exchange reads first what the server said meanwhile.
type streams struct {
	c    *conn
	fr   *http2.Framer // writes into out
	out  bytes.Buffer
	enc  *hpack.Encoder // writes into block
	dec  *hpack.Decoder
	name map[string]fieldName // names of request fields: few, because they are our own

	block  bytes.Buffer
	fields []hpack.HeaderField // of the block being read
	size   int                 // total size of fields, counted like SETTINGS_MAX_HEADER_LIST_SIZE
	limit  int                 // bound on size

	id      uint32 // stream of the current or last request
	frame   uint32 // the largest frame that the server accepts, in bytes
	settled bool   // the server's first SETTINGS has come
	leaving bool   // the server sent GOAWAY: no further request is possible
	why     string // the text of that GOAWAY
	head    []byte // the last fields in the form of HTTP/1.1
	window  int64  // bytes that the server may still send on the connection
	stream  int64  // … on the stream
}

// newStreams begins HTTP/2 on c. It sends nothing before the first request. maxHead bounds a list of fields, in bytes.
func newStreams(c *conn, maxHead int) *streams {
	s := &streams{c: c, name: map[string]fieldName{}, limit: maxHead, frame: streamFrame}
	s.fr = http2.NewFramer(&s.out, c.Conn)
	s.fr.SetMaxReadFrameSize(streamFrame)
	s.fr.SetReuseFrames()
	s.enc = hpack.NewEncoder(&s.block)
	s.dec = hpack.NewDecoder(streamTable, s.took)
	s.dec.SetMaxStringLength(maxHead)
	return s
}

// spent reports whether no further request is possible, because the server leaves or identifiers run out.
func (s *streams) spent() bool { return s.leaving || s.id > math.MaxInt32-2 }

// rest frees what an exchange needed, so that a kept connection holds little memory.
func (s *streams) rest() {
	clear(s.fields[:cap(s.fields)])
	s.fields = s.fields[:0]
	if cap(s.fields) > keptFields {
		s.fields = nil
	}
	if cap(s.head) > keptHead {
		s.head = nil
	}
	if s.out.Cap() > keptHead {
		s.out = bytes.Buffer{}
	}
	if s.block.Cap() > keptHead {
		s.block = bytes.Buffer{}
	}
}

// took adds a decoded field, unless the bound is exceeded.
func (s *streams) took(f hpack.HeaderField) {
	if s.size += len(f.Name) + len(f.Value) + 32; s.size <= s.limit && len(s.fields) <= maxFields {
		s.fields = append(s.fields, f)
	}
}

// request sends a request head, given in the form of HTTP/1.1, on a new stream. Before the first request it sends the
// connection preface. All goes in one write.
func (s *streams) request(head []byte, scheme string) error {
	s.out.Reset()
	if s.id == 0 {
		s.id = 1
		s.out.WriteString(http2.ClientPreface)
		s.fr.WriteSettings(
			http2.Setting{ID: http2.SettingEnablePush, Val: 0},
			http2.Setting{ID: http2.SettingInitialWindowSize, Val: streamWindow},
			http2.Setting{ID: http2.SettingMaxHeaderListSize, Val: uint32(s.limit)},
		)
		s.window = 65535
		s.grant(0, &s.window)
	} else {
		s.id += 2
	}
	s.stream = streamWindow
	s.encode(string(head), scheme)
	for first := true; first || s.block.Len() > 0; first = false {
		piece := s.block.Next(int(s.frame))
		last := s.block.Len() == 0
		if first {
			s.fr.WriteHeaders(http2.HeadersFrameParam{StreamID: s.id, BlockFragment: piece, EndStream: true, EndHeaders: last})
		} else {
			s.fr.WriteContinuation(s.id, last, piece)
		}
	}
	return s.flush()
}

// fieldName is what the encoder needs to know about a field name.
type fieldName struct {
	lower  string
	secret bool
}

// encode writes the fields of a request head into block, in order. Names become lower case. Secrets stay out of the
// table of fields.
func (s *streams) encode(head, scheme string) {
	s.block.Reset()
	line, rest, _ := strings.Cut(head, "\r\n")
	_, line, _ = strings.Cut(line, " ")
	path, _, _ := strings.Cut(line, " ")
	line, rest, _ = strings.Cut(rest, "\r\n")
	_, authority, _ := strings.Cut(line, ": ")
	put := func(name, value string, secret bool) {
		s.enc.WriteField(hpack.HeaderField{Name: name, Value: value, Sensitive: secret})
	}
	put(":method", "GET", false)
	put(":scheme", scheme, false)
	put(":authority", authority, false)
	put(":path", path, false)
	for {
		if line, rest, _ = strings.Cut(rest, "\r\n"); line == "" {
			return
		}
		name, value, _ := strings.Cut(line, ": ")
		known, ok := s.name[name]
		if !ok {
			name = strings.Clone(name)
			known = fieldName{strings.ToLower(name), httpwire.IsSecret(name, "")}
			s.name[name] = known
		}
		put(known.lower, value, known.secret || httpwire.IsSecret("", value))
	}
}

// grant lets the server send up to streamWindow again, on a stream or, for stream 0, on the connection.
func (s *streams) grant(stream uint32, window *int64) {
	s.fr.WriteWindowUpdate(stream, uint32(streamWindow-*window))
	*window = streamWindow
}

// flush sends what was written. Its error is the connection's.
func (s *streams) flush() error {
	if s.out.Len() == 0 {
		return nil
	}
	_, err := s.c.Write(s.out.Bytes())
	s.out.Reset()
	return err
}

// event is what a frame brings of the response.
type event struct {
	kind  eventKind
	data  []byte        // of the body; valid until the next frame is read
	code  http2.ErrCode // if the stream was reset
	ended bool          // nothing follows on the stream
}

type eventKind uint8

const (
	headCame eventKind = iota // the fields are in streams.fields
	dataCame
	wasReset   // by the server, which may have processed the request
	notStarted // the server has not processed the request and will not
)

// protocolError is a protocol error of the server. The connection cannot be used again.
type protocolError struct{ text string }

func (w *protocolError) Error() string { return w.text }

func wrongf(format string, args ...any) error { return &protocolError{fmt.Sprintf(format, args...)} }

// errHeadLimit means that a head exceeds one of our bounds.
var errHeadLimit = errors.New("the head is over its bound")

// next reads frames until one brings something of the response, and handles frames about the connection on the way. Its
// error is the connection's, a *protocolError, or errHeadLimit.
func (s *streams) next() (event, error) {
	for range maxPassed {
		f, err := s.read()
		if err != nil {
			return event{}, err
		}
		ev, ours, err := s.frameCame(f)
		s.flush() // if the server has answered and left, this fails, but its response can still be read; the end shows there
		if err != nil || ours {
			return ev, err
		}
	}
	return event{}, wrongf("%d frames in a row bring nothing of the answer", maxPassed)
}

// read reads one frame.
func (s *streams) read() (http2.Frame, error) {
	f, err := s.fr.ReadFrame()
	if err != nil {
		return nil, s.readEnd(err)
	}
	if _, ok := f.(*http2.SettingsFrame); !ok && !s.settled {
		return nil, wrongf("the first frame is %v, not SETTINGS", f.Header().Type)
	}
	return f, nil
}

// readEnd tells an invalid frame from a connection that ended.
func (s *streams) readEnd(err error) error {
	var code http2.ConnectionError
	var stream http2.StreamError
	switch {
	case errors.Is(err, http2.ErrFrameTooLarge) && !s.settled:
		return wrongf("what comes is not HTTP/2")
	case errors.Is(err, http2.ErrFrameTooLarge):
		return wrongf("a frame is larger than %d bytes", streamFrame)
	case errors.As(err, &code):
		if detail := s.fr.ErrorDetail(); detail != nil {
			return wrongf("%s", detail)
		}
		return wrongf("%s", code)
	case errors.As(err, &stream):
		return wrongf("%s", stream)
	}
	return err
}

// frameCame handles a frame. ours is true if ev is part of the response.
func (s *streams) frameCame(f http2.Frame) (ev event, ours bool, err error) {
	h := f.Header()
	if h.StreamID%2 == 0 && h.StreamID > 0 || h.StreamID > s.id {
		return ev, false, wrongf("a %v frame on the stream %d, which nobody opened", h.Type, h.StreamID)
	}
	switch f := f.(type) {
	case *http2.SettingsFrame:
		return ev, false, s.settings(f)
	case *http2.PingFrame:
		if !f.IsAck() {
			s.fr.WritePing(true, f.Data)
		}
	case *http2.GoAwayFrame:
		s.leaving = true
		s.why = fmt.Sprintf("GOAWAY %v %s", f.ErrCode, quoteShort(f.DebugData()))
		if f.LastStreamID < s.id {
			return event{kind: notStarted, code: f.ErrCode}, true, nil
		}
	case *http2.RSTStreamFrame:
		if h.StreamID == s.id {
			ev = event{kind: wasReset, code: f.ErrCode}
			if f.ErrCode == http2.ErrCodeRefusedStream {
				ev.kind = notStarted
			}
			return ev, true, nil
		}
	case *http2.HeadersFrame:
		if h.StreamID != s.id {
			return ev, false, wrongf("a head on the stream %d, which is closed", h.StreamID)
		}
		return event{kind: headCame, ended: f.StreamEnded()}, true, s.fieldsCame(f)
	case *http2.DataFrame:
		if h.StreamID != s.id {
			return ev, false, wrongf("data on the stream %d, which is closed", h.StreamID)
		}
		ended := f.StreamEnded()
		s.spend(int64(h.Length), ended)
		return event{kind: dataCame, data: f.Data(), ended: ended}, len(f.Data()) > 0 || ended, nil
	case *http2.PushPromiseFrame:
		return ev, false, wrongf("it pushes, which we refused")
	}
	return ev, false, nil // PRIORITY, WINDOW_UPDATE (we send no bodies) and unknown kinds mean nothing to us
}

func (s *streams) settings(f *http2.SettingsFrame) error {
	s.settled = true
	if f.IsAck() {
		return nil
	}
	err := f.ForeachSetting(func(v http2.Setting) error {
		if err := v.Valid(); err != nil {
			return wrongf("its settings have %v", v)
		}
		switch v.ID {
		case http2.SettingMaxFrameSize:
			s.frame = v.Val
		case http2.SettingHeaderTableSize:
			s.enc.SetMaxDynamicTableSize(min(v.Val, streamTable))
		}
		return nil
	})
	if err == nil {
		s.fr.WriteSettingsAck()
	}
	return err
}

// spend subtracts n bytes from the windows and opens them again when half is used. The windows bound only how far the
// server may run ahead; MaxBody bounds the body.
func (s *streams) spend(n int64, ended bool) {
	s.window -= n
	s.stream -= n
	if s.window < streamWindow/2 {
		s.grant(0, &s.window)
	}
	if s.stream < streamWindow/2 && !ended {
		s.grant(s.id, &s.stream)
	}
}

// fieldsCame reads a whole block of fields: the HEADERS frame and its CONTINUATION frames. Nothing else may come
// between them.
func (s *streams) fieldsCame(f *http2.HeadersFrame) error {
	s.fields, s.size = s.fields[:0], 0
	fragment, last := f.HeaderBlockFragment(), f.HeadersEnded()
	for sent, frames := 0, 0; ; frames++ {
		if _, err := s.dec.Write(fragment); err != nil {
			if errors.Is(err, hpack.ErrStringLength) {
				return errHeadLimit
			}
			return wrongf("a head cannot be decoded: %s", err)
		}
		if sent += len(fragment); sent > s.limit || s.size > s.limit || len(s.fields) > maxFields || frames > maxPassed {
			return errHeadLimit
		}
		if last {
			break
		}
		next, err := s.read()
		if err != nil {
			return err
		}
		more, ok := next.(*http2.ContinuationFrame)
		if !ok {
			return wrongf("a %v frame within a head", next.Header().Type)
		}
		fragment, last = more.HeaderBlockFragment(), more.HeadersEnded()
	}
	if err := s.dec.Close(); err != nil {
		return wrongf("a head cannot be decoded: %s", err)
	}
	return nil
}

// quoteShort returns at most 100 bytes of what a server wrote, quoted; "" for nothing.
func quoteShort(b []byte) string {
	if len(b) == 0 {
		return ""
	}
	return strconv.QuoteToASCII(string(b[:min(len(b), 100)]))
}
