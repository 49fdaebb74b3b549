package fetch

import (
	"bytes"
	"crypto/tls"
	"encoding/binary"
	"io"
	"net"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"kavosh"
)

// farSide writes frames to a client whose request was read. What the client sends is read and dropped.
type farSide struct {
	c     *tls.Conn
	fr    *http2.Framer
	id    uint32 // of the request
	block bytes.Buffer
	enc   *hpack.Encoder
}

// head writes a head of names and values.
func (s *farSide) head(ended bool, fields ...string) error {
	return s.fr.WriteHeaders(http2.HeadersFrameParam{StreamID: s.id, BlockFragment: s.encode(fields...), EndHeaders: true, EndStream: ended})
}

func (s *farSide) encode(fields ...string) []byte {
	s.block.Reset()
	for i := 0; i < len(fields); i += 2 {
		s.enc.WriteField(hpack.HeaderField{Name: fields[i], Value: fields[i+1]})
	}
	return s.block.Bytes()
}

func (s *farSide) data(ended bool, text string) error {
	return s.fr.WriteData(s.id, ended, []byte(text))
}

// forEver writes until the client goes.
func forEver(write func() error) {
	for write() == nil {
	}
}

// raw is a frame's bytes, whatever they say.
func raw(kind http2.FrameType, flags http2.Flags, id uint32, payload string) string {
	var h [9]byte
	binary.BigEndian.PutUint32(h[:], uint32(len(payload))<<8|uint32(kind))
	h[4] = byte(flags)
	binary.BigEndian.PutUint32(h[5:], id)
	return string(h[:]) + payload
}

// listenFrames serves HTTP/2 connections: serve is called with each request's stream, the settings having been sent.
func listenFrames(t testing.TB, cfg *tls.Config, settings []http2.Setting, serve func(s *farSide, n int)) netip.AddrPort {
	cfg = cfg.Clone()
	if cfg.NextProtos == nil {
		cfg.NextProtos = []string{"h2"}
	}
	return listen(t, func(c net.Conn, n int) {
		tc := tls.Server(c, cfg)
		if tc.Handshake() != nil {
			return
		}
		if tc.ConnectionState().NegotiatedProtocol != "h2" {
			request(tc)
			io.WriteString(tc, ok+"Content-Length: 3\r\n\r\none")
			return
		}
		preface := make([]byte, len(http2.ClientPreface))
		if _, err := io.ReadFull(tc, preface); err != nil || string(preface) != http2.ClientPreface {
			t.Errorf("preface %q, %v", preface, err)
			return
		}
		s := &farSide{c: tc, fr: http2.NewFramer(tc, tc)}
		s.fr.AllowIllegalWrites = true
		s.enc = hpack.NewEncoder(&s.block)
		if settings != nil {
			s.fr.WriteSettings(settings...)
		}
		requests := make(chan uint32)
		go func() {
			defer close(requests)
			s.fr.ReadMetaHeaders = hpack.NewDecoder(4096, nil)
			for {
				f, err := s.fr.ReadFrame()
				if err != nil {
					return
				}
				if h, ok := f.(*http2.MetaHeadersFrame); ok {
					requests <- h.StreamID
				}
			}
		}()
		for id := range requests {
			s.id = id
			serve(s, n)
		}
	})
}

// frameRow is one way in which a server misbehaves, and what has to come of it.
type frameRow struct {
	name  string
	rude  bool // no settings are sent before
	serve func(s *farSide)
	set   func(o *Options)

	failure   kavosh.Failure
	truncated kavosh.Truncation
	status    int
	payload   string // "*" for any
	malformed string // a part of Malformed
	detail    string // a part of Detail
	head      string // a part of the kept head
	stays     bool   // the connection is left open; else it is ended after serve
}

func frameRows() []frameRow {
	small := func(o *Options) { o.MaxBody = 1 << 20 }
	hasty := func(o *Options) { o.HeadTimeout, o.IdleTimeout = 200*time.Millisecond, 200*time.Millisecond }
	says := func(text string) func(*farSide) {
		return func(s *farSide) { io.WriteString(s.c, text) }
	}
	// answers writes a head of 200 with more fields, then the data.
	answers := func(data string, fields ...string) func(*farSide) {
		return func(s *farSide) {
			s.head(false, append([]string{":status", "200"}, fields...)...)
			s.data(true, data)
		}
	}
	// begins writes a head and five bytes, then does more.
	begins := func(more func(s *farSide)) func(*farSide) {
		return func(s *farSide) {
			s.head(false, ":status", "200")
			s.data(false, "hello")
			more(s)
		}
	}
	cut := func(row frameRow) frameRow {
		row.status, row.payload = 200, "hello"
		return row
	}
	ping := func(s *farSide) func() error { return func() error { return s.fr.WritePing(false, [8]byte{1}) } }
	return []frameRow{
		// Beginnings.
		{name: "HTTP/1.1 although it chose h2", rude: true, serve: says(ok + "Content-Length: 2\r\n\r\nhi"), failure: kavosh.ProtocolFailure, detail: "what comes is not HTTP/2"},
		{name: "garbage", rude: true, serve: says(strings.Repeat("\xff", 100)), failure: kavosh.ProtocolFailure, detail: "what comes is not HTTP/2"},
		{name: "no settings", rude: true, serve: func(s *farSide) { s.head(true, ":status", "200") }, failure: kavosh.ProtocolFailure, detail: "not SETTINGS"},
		{name: "settings of seven bytes", rude: true, serve: says(raw(http2.FrameSettings, 0, 0, "1234567")), failure: kavosh.ProtocolFailure},
		{name: "settings of a stream", rude: true, serve: says(raw(http2.FrameSettings, 0, 1, "")), failure: kavosh.ProtocolFailure},
		{name: "settings with an impossible frame size", rude: true, serve: says(raw(http2.FrameSettings, 0, 0, "\x00\x05\x00\x00\x00\x01")), failure: kavosh.ProtocolFailure, detail: "MAX_FRAME_SIZE"},
		{name: "ends at once", rude: true, serve: says(""), failure: kavosh.ResetFailure, detail: "closed by the server"},
		{name: "ends after its settings", serve: says(""), failure: kavosh.ResetFailure, detail: "closed by the server"},
		{name: "silence", rude: true, serve: says(""), set: hasty, stays: true, failure: kavosh.TimeoutFailure},
		{name: "silence after its settings", serve: says(""), set: hasty, stays: true, failure: kavosh.TimeoutFailure},
		{name: "leaves", serve: func(s *farSide) { s.fr.WriteGoAway(0, http2.ErrCodeNo, nil) }, stays: true, failure: kavosh.ResetFailure, detail: "GOAWAY NO_ERROR"},
		{name: "leaves with words", serve: func(s *farSide) {
			s.fr.WriteGoAway(0, http2.ErrCodeEnhanceYourCalm, []byte("too\r\nmany "+strings.Repeat("x", 10_000)))
		}, stays: true, failure: kavosh.ResetFailure, detail: `ENHANCE_YOUR_CALM "too\r\nmany xxx`},
		{name: "means to answer, and leaves", serve: func(s *farSide) { s.fr.WriteGoAway(1, http2.ErrCodeInternal, nil) }, failure: kavosh.ResetFailure, detail: "GOAWAY INTERNAL_ERROR"},
		{name: "refuses the stream", serve: func(s *farSide) { s.fr.WriteRSTStream(1, http2.ErrCodeRefusedStream) }, stays: true, failure: kavosh.ResetFailure, detail: "REFUSED_STREAM"},
		{name: "resets the stream", serve: func(s *farSide) { s.fr.WriteRSTStream(1, http2.ErrCodeInternal) }, stays: true, failure: kavosh.ResetFailure, detail: "INTERNAL_ERROR"},

		// Floods before the head.
		{name: "endless pings", serve: func(s *farSide) { forEver(ping(s)) }, failure: kavosh.ProtocolFailure, detail: "1000 frames in a row"},
		{name: "endless settings", serve: func(s *farSide) { forEver(func() error { return s.fr.WriteSettings() }) }, failure: kavosh.ProtocolFailure, detail: "1000 frames in a row"},
		{name: "endless acknowledgements", serve: func(s *farSide) { forEver(s.fr.WriteSettingsAck) }, failure: kavosh.ProtocolFailure, detail: "1000 frames in a row"},
		{name: "endless windows", serve: func(s *farSide) { forEver(func() error { return s.fr.WriteWindowUpdate(0, 1) }) }, failure: kavosh.ProtocolFailure, detail: "1000 frames in a row"},
		{name: "endless priorities", serve: func(s *farSide) {
			forEver(func() error { return s.fr.WritePriority(1, http2.PriorityParam{StreamDep: 3}) })
		}, failure: kavosh.ProtocolFailure},
		{name: "endless frames of an unknown kind", serve: func(s *farSide) { forEver(func() error { return s.fr.WriteRawFrame(99, 0, 1, []byte("x")) }) }, failure: kavosh.ProtocolFailure, detail: "1000 frames in a row"},
		{name: "endless leaving", serve: func(s *farSide) { forEver(func() error { return s.fr.WriteGoAway(1, 0, nil) }) }, failure: kavosh.ProtocolFailure, detail: "1000 frames in a row"},
		{name: "pings and no head", serve: func(s *farSide) {
			forEver(func() error { <-time.After(20 * time.Millisecond); return ping(s)() })
		}, set: hasty, failure: kavosh.TimeoutFailure},
		{name: "a window of nothing", serve: says(raw(http2.FrameWindowUpdate, 0, 0, "\x00\x00\x00\x00")), failure: kavosh.ProtocolFailure},
		{name: "a ping of seven bytes", serve: says(raw(http2.FramePing, 0, 0, "1234567")), failure: kavosh.ProtocolFailure},

		// Frames out of place.
		{name: "pushes", serve: func(s *farSide) {
			s.fr.WritePushPromise(http2.PushPromiseParam{StreamID: 1, PromiseID: 2, BlockFragment: s.encode(":method", "GET"), EndHeaders: true})
		}, failure: kavosh.ProtocolFailure, detail: "it pushes"},
		{name: "answers on a stream of its own", serve: func(s *farSide) { s.id = 2; s.head(true, ":status", "200") }, failure: kavosh.ProtocolFailure, detail: "which nobody opened"},
		{name: "answers what was not asked", serve: func(s *farSide) { s.id = 3; s.head(true, ":status", "200") }, failure: kavosh.ProtocolFailure, detail: "which nobody opened"},
		{name: "answers on no stream", serve: says(raw(http2.FrameHeaders, http2.FlagHeadersEndHeaders, 0, "\x88")), failure: kavosh.ProtocolFailure},
		{name: "a body without a head", serve: func(s *farSide) { s.data(true, "hello") }, failure: kavosh.ProtocolFailure, detail: "without a head"},
		{name: "a continuation of nothing", serve: func(s *farSide) { s.fr.WriteContinuation(1, true, s.encode(":status", "200")) }, failure: kavosh.ProtocolFailure},
		{name: "a ping within a head", serve: func(s *farSide) {
			s.fr.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: s.encode(":status", "200")})
			ping(s)()
		}, failure: kavosh.ProtocolFailure},
		{name: "ends within a head", serve: func(s *farSide) {
			s.fr.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: s.encode(":status", "200")})
		}, failure: kavosh.ResetFailure},
		{name: "ends within a frame", serve: says(raw(http2.FrameHeaders, http2.FlagHeadersEndHeaders, 1, "\x88\x88\x88")[:11]), failure: kavosh.ResetFailure},

		// Heads.
		{name: "endless empty continuations", serve: func(s *farSide) {
			s.fr.WriteHeaders(http2.HeadersFrameParam{StreamID: 1})
			forEver(func() error { return s.fr.WriteContinuation(1, false, nil) })
		}, failure: kavosh.LimitFailure},
		{name: "endless continuations", serve: func(s *farSide) {
			s.fr.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: s.encode(":status", "200")})
			forEver(func() error { return s.fr.WriteContinuation(1, false, []byte("\x00\x01a\x01b")) })
		}, failure: kavosh.LimitFailure},
		{name: "a small block of a large head", serve: func(s *farSide) {
			block := append([]byte(nil), s.encode(":status", "200", "x", strings.Repeat("x", 3900))...)
			s.fr.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: append(block, bytes.Repeat([]byte{0xbe}, 10_000)...), EndHeaders: true})
		}, failure: kavosh.LimitFailure, detail: "longer than"},
		{name: "too many fields", serve: func(s *farSide) {
			s.fr.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: []byte("\x88" + strings.Repeat("\x00\x01a\x01b", 1500)), EndHeaders: true})
		}, failure: kavosh.LimitFailure, detail: "1000 fields"},
		{name: "a value that is never whole", serve: func(s *farSide) {
			s.fr.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: []byte("\x88\x00\x01a\x7f\xff\xff\xff\x07"), EndHeaders: true})
		}, failure: kavosh.LimitFailure},
		{name: "a field that is not in the table", serve: func(s *farSide) {
			s.fr.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: []byte("\xff\x7f"), EndHeaders: true})
		}, failure: kavosh.ProtocolFailure, detail: "cannot be decoded"},
		{name: "a block cut short", serve: func(s *farSide) {
			s.fr.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: []byte("\x88\x00\x01a\x05b"), EndHeaders: true})
		}, failure: kavosh.ProtocolFailure, detail: "cannot be decoded"},
		{name: "a table larger than allowed", serve: func(s *farSide) {
			s.fr.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: []byte("\x3f\xe1\xff\x03\x88"), EndHeaders: true})
		}, failure: kavosh.ProtocolFailure, detail: "cannot be decoded"},
		{name: "1xx flood", serve: func(s *farSide) { forEver(func() error { return s.head(false, ":status", "103", "link", "</x>") }) }, failure: kavosh.LimitFailure, detail: "interim"},
		{name: "large 1xx heads", serve: func(s *farSide) {
			forEver(func() error { return s.head(false, ":status", "103", "x", strings.Repeat("|", 12_000)) })
		}, set: func(o *Options) { o.MaxHead = 64 << 10 }, failure: kavosh.LimitFailure, detail: "longer than"},
		{name: "1xx and end", serve: func(s *farSide) { s.head(true, ":status", "103") }, failure: kavosh.ResetFailure, detail: "interim"},
		{name: "no status", serve: func(s *farSide) { s.head(true, "a", "b") }, malformed: "no status number", head: "a: b\r\n"},
		{name: "a status in words", serve: func(s *farSide) { s.head(true, ":status", "ok\r\nx: y") }, malformed: "no status number", head: "HTTP/1.1 ok  x: y \r\n\r\n"},
		{name: "two statuses", serve: func(s *farSide) { s.head(true, ":status", "200", ":status", "404") }, status: 200, malformed: `":status" cannot stand in a head`, head: "HTTP/1.1 200 OK\r\n\r\n"},
		{name: "an unknown pseudo-field", serve: func(s *farSide) { s.head(true, ":status", "200", ":path", "/") }, status: 200, malformed: `":path" cannot`, head: "HTTP/1.1 200 OK\r\n\r\n"},
		{name: "switches protocols", serve: func(s *farSide) { s.head(true, ":status", "101") }, status: 101},
		{name: "a status nobody knows", serve: func(s *farSide) { s.head(true, ":status", "299") }, status: 299, head: "HTTP/1.1 299 \r\n"},
		{name: "a line end in a value", serve: func(s *farSide) { s.head(true, ":status", "200", "x", "a\r\nSet-Cookie: b\x00\n\n") }, status: 200, malformed: "a line end or NUL", head: "x: a  Set-Cookie: b   \r\n"},
		{name: "a line end in a name", serve: func(s *farSide) { s.head(true, ":status", "200", "x: y\r\nz", "a") }, status: 200, malformed: `"x: y\r\nz" cannot`, head: "HTTP/1.1 200 OK\r\n\r\n"},
		{name: "an empty name", serve: func(s *farSide) { s.head(true, ":status", "200", "", "a") }, status: 200, malformed: `cannot stand in a head`, head: "HTTP/1.1 200 OK\r\n\r\n"},
		{name: "names in capitals", serve: func(s *farSide) { s.head(true, ":status", "200", "X-Y", "a", "x-y", "b") }, status: 200, head: "X-Y: a\r\nx-y: b\r\n"},
		{name: "chunked, it says", serve: answers("5\r\nhello\r\n0\r\n\r\n", "transfer-encoding", "chunked"), status: 200, payload: "5\r\nhello\r\n0\r\n\r\n", malformed: "means nothing in HTTP/2", head: "HTTP/1.1 200 OK\r\n\r\n"},
		{name: "ends its connection, it says", serve: answers("hi", "connection", "close"), status: 200, payload: "hi", head: "connection: close\r\n"},

		// Bodies.
		{name: "length of 5 is 3", serve: answers("abc", "content-length", "5"), status: 200, payload: "abc", failure: kavosh.TruncatedAnswer, truncated: kavosh.TruncDisconnect, detail: "3 of 5 bytes"},
		{name: "length of 5 is nothing", serve: func(s *farSide) { s.head(true, ":status", "200", "content-length", "5") }, status: 200, failure: kavosh.TruncatedAnswer, truncated: kavosh.TruncDisconnect, detail: "0 of 5 bytes"},
		{name: "length of 3 is 5", serve: answers("abcde", "content-length", "3"), status: 200, payload: "abcde", malformed: "Content-Length is 3, the body has 5 bytes"},
		{name: "two lengths", serve: answers("abc", "content-length", "3", "content-length", "5"), status: 200, payload: "abc", malformed: "3 and 5"},
		{name: "a length that is no number", serve: answers("abc", "content-length", "-3"), status: 200, payload: "abc", malformed: `"-3"`},
		{name: "the largest length", serve: answers("abc", "content-length", "9223372036854775807"), status: 200, payload: "abc", failure: kavosh.TruncatedAnswer, truncated: kavosh.TruncDisconnect},
		{name: "padding", serve: func(s *farSide) {
			s.head(false, ":status", "200")
			s.fr.WriteDataPadded(1, false, []byte("hel"), make([]byte, 255))
			s.fr.WriteDataPadded(1, true, []byte("lo"), make([]byte, 1))
		}, status: 200, payload: "hello"},
		cut(frameRow{name: "resets the stream in the body", serve: begins(func(s *farSide) { s.fr.WriteRSTStream(1, http2.ErrCodeCancel) }), stays: true, failure: kavosh.TruncatedAnswer, truncated: kavosh.TruncDisconnect, detail: "CANCEL) after 5 bytes"}),
		cut(frameRow{name: "resets the stream without an error", serve: begins(func(s *farSide) { s.fr.WriteRSTStream(1, http2.ErrCodeNo) }), stays: true, failure: kavosh.TruncatedAnswer, truncated: kavosh.TruncDisconnect}),
		cut(frameRow{name: "leaves in the body", serve: begins(func(s *farSide) { s.fr.WriteGoAway(0, http2.ErrCodeNo, nil) }), stays: true, failure: kavosh.TruncatedAnswer, truncated: kavosh.TruncDisconnect}),
		cut(frameRow{name: "ends in the body", serve: begins(func(s *farSide) {}), failure: kavosh.TruncatedAnswer, truncated: kavosh.TruncDisconnect, detail: "closed by the server after 5 bytes"}),
		cut(frameRow{name: "ends in a frame of the body", serve: begins(func(s *farSide) { io.WriteString(s.c, raw(http2.FrameData, 0, 1, "world")[:12]) }), failure: kavosh.TruncatedAnswer, truncated: kavosh.TruncDisconnect}),
		cut(frameRow{name: "stops in the body", serve: begins(func(s *farSide) {}), set: hasty, stays: true, failure: kavosh.TruncatedAnswer, truncated: kavosh.TruncTime, detail: "nothing came for 200ms"}),
		cut(frameRow{name: "pings and no body", serve: begins(func(s *farSide) {
			forEver(func() error { <-time.After(20 * time.Millisecond); return ping(s)() })
		}), set: hasty, failure: kavosh.TruncatedAnswer, truncated: kavosh.TruncTime}),
		{name: "lasts for ever", serve: func(s *farSide) {
			s.head(false, ":status", "200")
			forEver(func() error { <-time.After(20 * time.Millisecond); return s.data(false, "x") })
		}, set: func(o *Options) { o.TotalTimeout = 300 * time.Millisecond }, status: 200, payload: "*", failure: kavosh.TruncatedAnswer, truncated: kavosh.TruncTime, detail: "not whole after 300ms"},
		{name: "endless body", serve: func(s *farSide) {
			s.head(false, ":status", "200")
			forEver(func() error { return s.data(false, strings.Repeat("x", 16384)) })
		}, set: small, status: 200, payload: "*", failure: kavosh.LimitFailure, truncated: kavosh.TruncLength, detail: "longer than 1048576 bytes"},
		cut(frameRow{name: "endless empty data", serve: begins(func(s *farSide) { forEver(func() error { return s.data(false, "") }) }), failure: kavosh.ProtocolFailure, truncated: kavosh.TruncDisconnect, detail: "1000 frames in a row"}),
		cut(frameRow{name: "endless padding", serve: begins(func(s *farSide) {
			forEver(func() error { return s.fr.WriteDataPadded(1, false, nil, make([]byte, 255)) })
		}), failure: kavosh.ProtocolFailure, truncated: kavosh.TruncDisconnect, detail: "1000 frames in a row"}),
		cut(frameRow{name: "padding longer than its frame", serve: begins(func(s *farSide) { io.WriteString(s.c, raw(http2.FrameData, http2.FlagDataPadded, 1, "\xffabc")) }), failure: kavosh.ProtocolFailure, truncated: kavosh.TruncDisconnect}),
		cut(frameRow{name: "a frame larger than allowed", serve: begins(func(s *farSide) { s.data(false, strings.Repeat("x", 16385)) }), failure: kavosh.ProtocolFailure, truncated: kavosh.TruncDisconnect, detail: "larger than 16384"}),
		cut(frameRow{name: "a second head", serve: begins(func(s *farSide) { s.head(false, ":status", "200") }), failure: kavosh.ProtocolFailure, truncated: kavosh.TruncDisconnect, detail: "a second head"}),
		cut(frameRow{name: "a trailer", serve: begins(func(s *farSide) { s.head(true, "sum", "4\r\n2") }), detail: `"sum": "4\r\n2"`}),
		cut(frameRow{name: "endless trailer", serve: begins(func(s *farSide) {
			s.fr.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, EndStream: true})
			forEver(func() error { return s.fr.WriteContinuation(1, false, []byte("\x00\x01a\x01b")) })
		}), failure: kavosh.ProtocolFailure, truncated: kavosh.TruncDisconnect, detail: "trailer is too long"}),
		{name: "a body with 304", serve: func(s *farSide) { s.head(false, ":status", "304"); s.data(true, "hello") }, status: 304, detail: "5 bytes came after"},
		{name: "304 with an end of its own", serve: func(s *farSide) { s.head(false, ":status", "304", "content-length", "5"); s.data(true, "") }, status: 304},
		{name: "304 without an end", serve: func(s *farSide) { s.head(false, ":status", "304") }, set: hasty, stays: true, status: 304, malformed: "does not end with its head"},
	}
}

func TestHostileFrames(t *testing.T) {
	ca := newAuthority(t)
	cfg := &tls.Config{Certificates: []tls.Certificate{ca.issue(t, time.Now().Add(time.Hour), "127.0.0.1")}}
	for _, row := range frameRows() {
		t.Run(row.name, func(t *testing.T) {
			settings := []http2.Setting{{ID: http2.SettingMaxConcurrentStreams, Val: 100}}
			if row.rude {
				settings = nil
			}
			addr := listenFrames(t, cfg, settings, func(s *farSide, _ int) {
				row.serve(s)
				if !row.stays {
					s.c.CloseWrite()
				}
			})
			o := Options{Roots: ca.pool}
			if row.set != nil {
				row.set(&o)
			}
			x := get(t, newHTTP(t, o), "https://"+addr.String()+"/")
			as := hostileRow{failure: row.failure, truncated: row.truncated, status: row.status, payload: row.payload, malformed: row.malformed, detail: row.detail}
			as.check(t, x, 0)
			if x.Detail != "" && strings.ContainsAny(x.Detail, "\r\n") || len(x.Detail) > 1000 {
				t.Errorf("detail %q", x.Detail)
			}
			if !x.Answered() {
				return
			}
			readsBack(t, x)
			if head := text(t, x.Wire)[:x.HeadLen]; !strings.Contains(head, row.head) {
				t.Errorf("head %q, want %q", head, row.head)
			}
			if (row.malformed == "") != (x.Malformed == "") {
				t.Errorf("malformed: %q", x.Malformed)
			}
		})
	}
}

// What a server does between two exchanges, and how the second one fares.
func TestHTTP2KeptConnections(t *testing.T) {
	ca := newAuthority(t)
	cfg := &tls.Config{Certificates: []tls.Certificate{ca.issue(t, time.Now().Add(time.Hour), "127.0.0.1")}}
	for _, tt := range []struct {
		name    string
		between func(s *farSide) // after the first answer
		again   func(s *farSide) // instead of the second answer over the same connection; nil = an answer
		conns   int32
		failure kavosh.Failure
	}{
		{"nothing", func(*farSide) {}, nil, 1, ""},
		{"says what concerns the connection", func(s *farSide) {
			s.fr.WritePing(false, [8]byte{1})
			s.fr.WriteWindowUpdate(0, 100)
			s.fr.WriteSettings(http2.Setting{ID: http2.SettingHeaderTableSize, Val: 0}, http2.Setting{ID: http2.SettingMaxFrameSize, Val: 1 << 20})
			s.fr.WriteRSTStream(1, http2.ErrCodeNo)
		}, nil, 1, ""},
		{"leaves", func(s *farSide) { s.fr.WriteGoAway(1, http2.ErrCodeNo, nil) }, func(*farSide) {}, 2, ""},
		{"leaves and ends", func(s *farSide) { s.fr.WriteGoAway(1, http2.ErrCodeNo, nil); s.c.CloseWrite() }, func(*farSide) {}, 2, ""},
		{"ends", func(s *farSide) { s.c.CloseWrite() }, func(*farSide) {}, 2, ""},
		{"refuses the second", func(*farSide) {}, func(s *farSide) { s.fr.WriteRSTStream(s.id, http2.ErrCodeRefusedStream) }, 2, ""},
		{"ends after the second request", func(*farSide) {}, func(s *farSide) { s.c.CloseWrite() }, 2, ""},
		{"answers the first again", func(s *farSide) { s.head(true, ":status", "404") }, nil, 1, kavosh.ProtocolFailure},
		{"goes on with the first", func(s *farSide) { s.data(true, "more") }, nil, 1, kavosh.ProtocolFailure},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var conns atomic.Int32
			addr := listenFrames(t, cfg, []http2.Setting{{ID: http2.SettingInitialWindowSize, Val: 1}}, func(s *farSide, n int) {
				if n == 0 && s.id == 3 && tt.again != nil {
					tt.again(s)
					return
				}
				if s.id == 1 {
					conns.Add(1)
				}
				s.head(false, ":status", "200")
				s.data(true, "hello")
				if n == 0 && s.id == 1 {
					tt.between(s)
				}
			})
			h := newHTTP(t, Options{Roots: ca.pool})
			for i, want := range []kavosh.Failure{"", tt.failure} {
				x := get(t, h, "https://"+addr.String()+"/")
				if x.Failure != want || want == "" && text(t, x.Payload) != "hello" {
					t.Fatalf("exchange %d: %q %q %d", i+1, x.Failure, x.Detail, x.Status)
				}
			}
			if n := conns.Load(); n != tt.conns {
				t.Errorf("%d connections, want %d", n, tt.conns)
			}
		})
	}
}

// A server that serves nobody by HTTP/2, although it offers it, is asked by HTTP/1.1, and the next time at once.
func TestHTTP2RefusersAreAskedByHTTP1(t *testing.T) {
	ca := newAuthority(t)
	cfg := &tls.Config{
		Certificates: []tls.Certificate{ca.issue(t, time.Now().Add(time.Hour), "127.0.0.1")}, NextProtos: []string{"h2", "http/1.1"},
	}
	for name, refuse := range map[string]func(s *farSide){
		"by a reset": func(s *farSide) { s.fr.WriteRSTStream(s.id, http2.ErrCodeHTTP11Required) },
		"by leaving": func(s *farSide) { s.fr.WriteGoAway(0, http2.ErrCodeInadequateSecurity, nil) },
	} {
		t.Run(name, func(t *testing.T) {
			var refused atomic.Int32
			addr := listenFrames(t, cfg, []http2.Setting{}, func(s *farSide, _ int) {
				refused.Add(1)
				refuse(s)
			})
			h := newHTTP(t, Options{Roots: ca.pool})
			for range 3 {
				if x := get(t, h, "https://"+addr.String()+"/"); x.Failure != "" || x.Proto != "HTTP/1.1" || text(t, x.Payload) != "one" {
					t.Errorf("%+v", x)
				}
			}
			if n := refused.Load(); n != 1 {
				t.Errorf("asked %d times by HTTP/2", n)
			}
		})
	}
}

// A head larger than a frame goes in several.
func TestHTTP2LargeRequest(t *testing.T) {
	ca := newAuthority(t)
	cfg := &tls.Config{Certificates: []tls.Certificate{ca.issue(t, time.Now().Add(time.Hour), "127.0.0.1")}}
	addr := listenFrames(t, cfg, []http2.Setting{}, func(s *farSide, _ int) {
		s.head(false, ":status", "200")
		s.data(true, "hello")
	})
	h := newHTTP(t, Options{Roots: ca.pool, Header: []string{"X-Long: " + strings.Repeat("|", 40_000)}})
	if x := get(t, h, "https://"+addr.String()+"/"+strings.Repeat("%7C", 8000)); x.Failure != "" || text(t, x.Payload) != "hello" {
		t.Errorf("%q %q", x.Failure, x.Detail)
	}
}
