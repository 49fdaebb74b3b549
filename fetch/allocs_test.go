package fetch

import (
	"encoding/binary"
	"net"
	"net/netip"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/http2"

	"kavosh"
)

// An exchange over a kept connection, with the look at its address before, makes six things: the exchange with all that
// hangs on it, the request head, the answer's head, the buffer of the answer, what gives it back, and the list of the one
// address. The server here makes nothing.
func TestExchangeAllocations(t *testing.T) {
	addr := canned(t, nil)
	for _, tt := range []struct {
		name, url string
		set       func(h *HTTP)
		most      float64
	}{
		{"plain", "http://" + addr.String() + "/a/page.html?q=1", func(*HTTP) {}, 6},
		{"with a cookie", "http://" + addr.String() + "/a/page.html?q=1", func(h *HTTP) {
			h.jar.Set("http", "127.0.0.1", "/", "session=1")
		}, 7},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := newHTTP(t, Options{})
			tt.set(h)
			task := &kavosh.Task{URL: tt.url}
			ctx := t.Context()
			allocs := testing.AllocsPerRun(200, func() {
				target, err := h.Address(ctx, task)
				if err != nil || target.Addr != addr.Addr() {
					t.Fatalf("%+v, %v", target, err)
				}
				x, _, err := h.Fetch(ctx, task, nil)
				if err != nil || x.Status != 200 || x.Payload.Size() != 20480 || len(x.Digest) != 32 {
					t.Fatalf("%+v, %v", x, err)
				}
				x.Close()
			})
			if allocs > tt.most {
				t.Errorf("%v allocations an exchange, want at most %v", allocs, tt.most)
			}
		})
	}
}

// Over HTTP/2 four more come: the fields of the request as text, the Framer's frame of the head, and name and value of its
// one field that is in no table. There is no TLS here, which makes one whenever it reads from the socket.
func TestHTTP2Allocations(t *testing.T) {
	h := newHTTP(t, Options{})
	addr := cannedFrames(t)
	nc, err := net.Dial("tcp", addr.String())
	if err != nil {
		t.Fatal(err)
	}
	kept := &conn{Conn: nc, key: connKey{"https", addr.Addr().String(), addr.Port(), false}, addr: addr}
	kept.streams = newStreams(kept, h.o.MaxHead)
	h.conns.put(kept, time.Now())
	task := &kavosh.Task{URL: "https://" + addr.String() + "/a/page.html?q=1"}
	ctx := t.Context()
	allocs := testing.AllocsPerRun(200, func() {
		x, _, err := h.Fetch(ctx, task, nil)
		if err != nil || x.Status != 200 || x.Proto != "h2" || x.Payload.Size() != 20480 {
			t.Fatalf("%+v, %v", x, err)
		}
		x.Close()
	})
	if allocs > 9 {
		t.Errorf("%v allocations an exchange, want at most 9", allocs)
	}
}

// cannedFrames answers every request over HTTP/2 with one page of 20 KB and makes nothing on the way.
func cannedFrames(t testing.TB) netip.AddrPort {
	page := strings.Repeat("<p>kavosh means exploration</p>\n", 640)
	frames := []byte(raw(http2.FrameHeaders, http2.FlagHeadersEndHeaders, 1, "\x88\x00\x06server\x06canned") +
		raw(http2.FrameData, 0, 1, page[:16384]) + raw(http2.FrameData, http2.FlagDataEndStream, 1, page[16384:]))
	return listen(t, func(c net.Conn, _ int) {
		answer, buf := append([]byte(nil), frames...), make([]byte, 4096)
		c.Write([]byte(raw(http2.FrameSettings, 0, 0, "")))
		for first := true; ; first = false {
			n, err := c.Read(buf) // the client here writes whole frames, in one piece
			if err != nil {
				return
			}
			in := buf[:n]
			if first {
				in = in[len(http2.ClientPreface):]
			}
			for len(in) >= 9 {
				size, kind, id := int(in[0])<<16|int(in[1])<<8|int(in[2]), http2.FrameType(in[3]), binary.BigEndian.Uint32(in[5:])
				if in = in[min(9+size, len(in)):]; kind != http2.FrameHeaders {
					continue
				}
				for at := 0; at < len(answer); at += 9 + int(answer[at])<<16 + int(answer[at+1])<<8 + int(answer[at+2]) {
					binary.BigEndian.PutUint32(answer[at+5:], id)
				}
				if _, err := c.Write(answer); err != nil {
					return
				}
			}
		}
	})
}
