package browser

// This file stands between a page and the far side of a WebSocket that the crawl opened for it. It passes frames on, both
// ways, and keeps them.

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"

	"kavosh"
	"kavosh/lib/weburl"
)

// Bounds on the WebSockets of one page.
const (
	maxSockets  = 8         // that it may ask for
	maxFrames   = 1000      // of one, both ways together; then it is closed
	maxSent     = 256 << 10 // bytes of frames of one that the page sends
	maxCame     = 16 << 20  // … that it is sent
	keptFrame   = 16 << 10  // bytes; of a longer frame the size is kept alone
	keptSockets = 1 << 20   // bytes of frames of the whole page
)

// Socket is a WebSocket that a page asked for, and got an answer.
type Socket struct {
	URL     string    `json:"url"` // ws or wss
	Began   time.Time `json:"began"`
	Request string    `json:"request"` // head as recorded: without secret fields
	Status  int       `json:"status"`  // 101 if it was opened
	Answer  string    `json:"answer"`  // head, with masked cookies where somebody is logged in
	Frames  []Frame   `json:"frames"`
	Ended   string    `json:"ended,omitempty"` // which bound ended it; "" for the page, the far side, or the page's end
}

// Frame is one frame of a WebSocket (RFC 6455, 5.2). Text or Data is its payload, unless that is longer than keptFrame, or
// the page's frames together are longer than keptSockets.
type Frame struct {
	After int64  `json:"after"` // milliseconds after the socket opened
	Page  bool   `json:"page"`  // the page sent it, not the far side
	Kind  string `json:"kind"`  // text, binary, continuation, close, ping, pong
	Size  int64  `json:"size"`  // bytes of the payload
	Last  bool   `json:"last"`  // of its message
	Text  string `json:"text,omitempty"`
	Data  []byte `json:"data,omitempty"` // in base64, of what is no text
}

// frameHead is the head of a frame as it crosses the wire.
type frameHead struct {
	raw    []byte
	opcode byte
	last   bool
	masked bool
	mask   [4]byte
	size   int64
}

// readFrameHead reads the head of a frame.
func readFrameHead(r io.Reader) (h frameHead, err error) {
	h.raw = make([]byte, 2, 14)
	more := func(n int) []byte {
		at := len(h.raw)
		h.raw = h.raw[:at+n]
		if err == nil {
			_, err = io.ReadFull(r, h.raw[at:])
		}
		return h.raw[at:]
	}
	if _, err = io.ReadFull(r, h.raw); err != nil {
		return h, err
	}
	h.last, h.opcode, h.masked = h.raw[0]&0x80 != 0, h.raw[0]&0xf, h.raw[1]&0x80 != 0
	switch short := h.raw[1] & 0x7f; short {
	case 126:
		h.size = int64(binary.BigEndian.Uint16(more(2)))
	case 127:
		h.size = int64(binary.BigEndian.Uint64(more(8)))
	default:
		h.size = int64(short)
	}
	if h.masked {
		copy(h.mask[:], more(4))
	}
	if err == nil && h.size < 0 {
		err = fmt.Errorf("a frame of more than 2^63 bytes")
	}
	return h, err
}

func (h *frameHead) kind() string {
	switch h.opcode {
	case 0:
		return "continuation"
	case 1:
		return "text"
	case 2:
		return "binary"
	case 8:
		return "close"
	case 9:
		return "ping"
	case 10:
		return "pong"
	}
	return fmt.Sprintf("opcode %d", h.opcode)
}

// relay answers a page's request for a WebSocket with x. If x opens one, it passes frames on until either side closes it, a
// bound is met, or the page has ended.
func (p *proxy) relay(w http.ResponseWriter, r *Request, x *kavosh.Exchange) {
	url := r.URL
	if key, err := weburl.Key(url); err == nil {
		url = key
	}
	s := &Socket{
		URL: "ws" + strings.TrimPrefix(url, "http"), Began: x.Began, Request: string(x.Request), Status: x.Status, Frames: []Frame{},
	}
	if x.Wire != nil {
		head := make([]byte, x.HeadLen)
		n, _ := x.Wire.ReadAt(head, 0) // what cannot be read is not kept
		s.Answer = string(head[:n])
	}
	p.mu.Lock()
	p.mu.sockets = append(p.mu.sockets, s)
	p.mu.Unlock()
	if x.Socket == nil {
		return
	}
	c, buffered, err := w.(http.Hijacker).Hijack()
	if err != nil {
		return
	}
	c.SetDeadline(time.Time{})
	var head strings.Builder
	head.WriteString("HTTP/1.1 101 Switching Protocols\r\n")
	for _, f := range x.Header {
		fmt.Fprintf(&head, "%s: %s\r\n", f.Name, f.Value)
	}
	io.WriteString(c, head.String()+"\r\n") // an error ends the reading, too
	p.end()                                 // no page rests that waits for the end of a socket
	defer p.begin()
	opened := p.clock.Now()
	over := make(chan struct{}, 2)
	go func() { p.pass(s, opened, true, x.Socket, buffered.Reader); over <- struct{}{} }()
	go func() { p.pass(s, opened, false, c, bufio.NewReader(x.Socket)); over <- struct{}{} }()
	ended := 0
	select {
	case <-over:
		ended++
	case <-p.ended:
	}
	c.Close()
	x.Socket.Close()
	for ; ended < 2; ended++ {
		<-over
	}
}

// pass passes frames of a socket on and keeps them, until one side ends or a bound is met.
func (p *proxy) pass(s *Socket, opened time.Time, page bool, to io.Writer, from *bufio.Reader) {
	most := int64(maxCame)
	if page {
		most = maxSent
	}
	for {
		h, err := readFrameHead(from)
		if err != nil {
			return
		}
		after := p.clock.Now().Sub(opened)
		f := Frame{After: after.Milliseconds(), Page: page, Kind: h.kind(), Size: h.size, Last: h.last}
		var payload []byte
		if h.size <= keptFrame {
			payload = make([]byte, h.size)
			if _, err := io.ReadFull(from, payload); err != nil {
				return
			}
			f.take(&h, payload)
		}
		if !p.keep(s, f, most) {
			return
		}
		most -= h.size
		if after < settle { // else a page that always talks would never rest
			p.count(0)
		}
		if _, err := to.Write(append(h.raw, payload...)); err != nil {
			return
		}
		if _, err := io.CopyN(to, from, h.size-int64(len(payload))); err != nil {
			return
		}
	}
}

// keep keeps a frame, before it is passed on. It returns false if the frame meets a bound, which ends its socket. most is how
// many bytes of frames its side may still send.
func (p *proxy) keep(s *Socket, f Frame, most int64) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case s.Ended != "":
		return false
	case f.Size > most:
		s.Ended = "after too many bytes"
		return false
	case len(s.Frames) >= maxFrames:
		s.Ended = fmt.Sprintf("after %d frames", maxFrames)
		return false
	}
	if kept := int64(len(f.Text) + len(f.Data)); p.mu.framed+kept <= keptSockets {
		p.mu.framed += kept
	} else {
		f.Text, f.Data = "", nil
	}
	s.Frames = append(s.Frames, f)
	return true
}

// take takes the payload as it crosses the wire.
func (f *Frame) take(h *frameHead, payload []byte) {
	plain := make([]byte, len(payload))
	for i, b := range payload {
		plain[i] = b
		if h.masked {
			plain[i] ^= h.mask[i%4]
		}
	}
	if h.opcode <= 1 && utf8.Valid(plain) {
		f.Text = string(plain)
	} else {
		f.Data = plain
	}
}

// sockets returns the WebSockets so far.
func (p *proxy) sockets() (all []Socket) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, s := range p.mu.sockets {
		c := *s
		c.Frames = append([]Frame{}, s.Frames...)
		all = append(all, c)
	}
	return all
}
