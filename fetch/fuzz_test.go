package fetch

import (
	"bytes"
	"context"
	"crypto/sha256"
	"io"
	"net"
	"net/netip"
	"testing"
	"time"

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
		x, err := h.Fetch(t.Context(), &kavosh.Task{URL: "http://a.test/"})
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
