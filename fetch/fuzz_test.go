package fetch

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/netip"
	"testing"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"kavosh"
	"kavosh/lib/httpwire"
)

// scripted is a connection whose far side says data, at most step bytes at a time, and ends.
type scripted struct {
	net.Conn
	data []byte
	step int
}

func (c *scripted) Read(p []byte) (int, error) {
	if len(c.data) == 0 {
		return 0, io.EOF
	}
	n := copy(p, c.data[:min(len(c.data), c.step)])
	c.data = c.data[n:]
	return n, nil
}

func (c *scripted) Write(p []byte) (int, error)   { return len(p), nil }
func (c *scripted) Close() error                  { return nil }
func (c *scripted) SetDeadline(t time.Time) error { return nil }

type scriptedWeb struct {
	data []byte
	step int
}

func (w scriptedWeb) Resolve(context.Context, string) (Resolution, error) {
	return Resolution{Addrs: []netip.Addr{netip.AddrFrom4([4]byte{8, 8, 8, 8})}}, nil
}

func (w scriptedWeb) Dial(context.Context, netip.AddrPort) (net.Conn, error) {
	return &scripted{data: w.data, step: w.step}, nil
}

// FuzzExchange lets a server say anything. What is kept is what it said, and reads back to the same payload.
func FuzzExchange(f *testing.F) {
	for _, row := range hostileRows() {
		if row.atMost > 0 {
			continue // it takes time, which is real here
		}
		var said bytes.Buffer
		row.serve(&recorder{w: &said, left: 4096})
		f.Add(said.Bytes(), uint16(7))
	}
	f.Fuzz(func(t *testing.T, data []byte, step uint16) {
		h, err := New(Options{Web: scriptedWeb{data, int(step) + 1}})
		if err != nil {
			t.Fatal(err)
		}
		x, _, err := h.Fetch(t.Context(), &kavosh.Task{URL: "http://a.test/"}, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer x.Close()
		if !x.Answered() {
			if x.Failure == "" || x.Detail == "" || x.Payload != nil || x.Header != nil && x.Failure != kavosh.LimitFailure {
				t.Fatalf("%+v", x)
			}
			return
		}
		wire := x.Wire.Bytes()
		if !bytes.HasPrefix(data, append(bytes.Clone(x.Interim), wire...)) {
			t.Fatalf("kept %q %q of %q", x.Interim, wire, data)
		}
		payload := x.Payload.Bytes()
		if sum := sha256.Sum256(payload); !bytes.Equal(sum[:], x.Digest) {
			t.Fatal("digest of something else")
		}
		if x.Truncated != "" && x.Failure == "" {
			t.Fatalf("%+v", x)
		}
		head, raw, body, err := httpwire.Split(bytes.NewReader(wire), httpwire.MaxHead)
		if err != nil || len(raw) != x.HeadLen || head.Status != x.Status || len(head.Fields) != len(x.Header) {
			t.Fatalf("head reads back as %+v, %v; was %+v", head, err, x)
		}
		if again, _ := io.ReadAll(httpwire.Payload(head, body)); !bytes.Equal(again, payload) {
			t.Fatalf("payload reads back as %q, was %q", again, payload)
		}
	})
}

// FuzzHTTP2 lets a server say anything in frames, for two exchanges one after the other. What is kept reads back.
func FuzzHTTP2(f *testing.F) {
	settings := raw(http2.FrameSettings, 0, 0, "")
	for _, row := range frameRows() {
		if row.set != nil || row.stays {
			continue // it takes time, which is real here
		}
		var said bytes.Buffer
		s := &farSide{id: 1, c: tls.Server(&recorder{w: io.Discard}, nil)} // what is said past the framer is left out
		s.fr = http2.NewFramer(&recorder{w: &said, left: 4096}, nil)
		s.fr.AllowIllegalWrites = true
		s.enc = hpack.NewEncoder(&s.block)
		row.serve(s)
		f.Add([]byte(settings+said.String()), uint16(50))
	}
	f.Add([]byte(settings+raw(http2.FrameHeaders, http2.FlagHeadersEndHeaders|http2.FlagHeadersEndStream, 1, "\x88")+
		raw(http2.FrameHeaders, http2.FlagHeadersEndHeaders, 3, "\x88\x00\x01a\x01b")+raw(http2.FrameData, http2.FlagDataEndStream, 3, "hello")), uint16(9))
	f.Fuzz(func(t *testing.T, data []byte, step uint16) {
		h, err := New(Options{Web: scriptedWeb{}})
		if err != nil {
			t.Fatal(err)
		}
		u, err := splitURL("https://a.test/")
		if err != nil {
			t.Fatal(err)
		}
		r := h.route(&u)
		c := &conn{Conn: &scripted{data: data, step: int(step) + 1}, key: connKey{u.scheme, u.host, u.port, false}}
		c.streams = newStreams(c, h.o.MaxHead)
		for range 2 {
			held := &held{x: kavosh.Exchange{Task: &kavosh.Task{}, Began: time.Now()}}
			x := &held.x
			held.request = h.form.head(&u, &kavosh.Task{}, "", nil, false)
			err := h.over(t.Context(), c, &u, &r, held)
			if err != nil {
				var f *farError
				if x.Answered() || !errors.As(err, &f) && err != errStale && err != errHTTP1 {
					t.Fatalf("%+v, %v", x, err)
				}
				return
			}
			if x.Proto != "h2" || x.Truncated != "" && x.Failure == "" || x.Failure != "" && x.Detail == "" {
				t.Fatalf("%+v", x)
			}
			readsBack(t, x)
			x.Close()
			if h.conns.get(c.key, time.Now()) == nil {
				return
			}
		}
	})
}

// recorder keeps what a server says, up to some bytes.
type recorder struct {
	net.Conn
	w    io.Writer
	left int
}

func (r *recorder) Write(p []byte) (int, error) {
	if r.left -= len(p); r.left < 0 {
		return 0, io.ErrClosedPipe
	}
	return r.w.Write(p)
}

func (r *recorder) Read([]byte) (int, error) { return 0, io.EOF }
