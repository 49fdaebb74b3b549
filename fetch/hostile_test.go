package fetch

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"kavosh"
)

// fakeWeb is a web in memory: every connection is a net.Pipe, whose deadlines run on the test's clock.
type fakeWeb struct {
	addrs map[string][]netip.Addr // nil: every name is at 93.184.216.34
	dial  func(ctx context.Context, addr netip.AddrPort) error
	serve func(c net.Conn, n int) // the n-th connection, from 0
	dials int
}

func (w *fakeWeb) Resolve(_ context.Context, host string) (Resolution, error) {
	if w.addrs == nil {
		return Resolution{Addrs: []netip.Addr{netip.MustParseAddr("93.184.216.34")}}, nil
	}
	if addrs := w.addrs[host]; addrs != nil {
		return Resolution{Addrs: addrs}, nil
	}
	return Resolution{Failure: "no such name (NXDOMAIN)"}, nil
}

func (w *fakeWeb) Dial(ctx context.Context, addr netip.AddrPort) (net.Conn, error) {
	if w.dial != nil {
		if err := w.dial(ctx, addr); err != nil {
			return nil, err
		}
	}
	client, server := net.Pipe()
	n := w.dials
	w.dials++
	go func() {
		defer server.Close()
		w.serve(server, n)
	}()
	return client, nil
}

// request reads one request head.
func request(c net.Conn) (string, error) {
	var b strings.Builder
	r := bufio.NewReaderSize(c, 16) // a pipe gives what is written at once: nothing is taken beyond the head
	for {
		line, err := r.ReadString('\n')
		b.WriteString(line)
		if err != nil || line == "\r\n" {
			return b.String(), err
		}
	}
}

// hostileRow is one way in which a server misbehaves, and what has to come of it.
type hostileRow struct {
	name  string
	serve func(c net.Conn) // the request was read; the connection is closed when it returns
	set   func(o *Options)

	failure   kavosh.Failure
	truncated kavosh.Truncation
	status    int
	payload   string        // "*" for any
	malformed string        // a part of Malformed
	detail    string        // a part of Detail
	atMost    time.Duration // by the test's clock
}

// broken reports whether the far side cut a body, as the words of the exchange have it.
func broken(x *kavosh.Exchange) bool {
	return x.Failure == kavosh.TruncatedAnswer && (x.Truncated == kavosh.TruncDisconnect || strings.Contains(x.Detail, "nothing came"))
}

// says writes text and ends.
func says(text string) func(net.Conn) {
	return func(c net.Conn) { io.WriteString(c, text) }
}

// saysAndWaits writes text and keeps the connection open.
func saysAndWaits(text string) func(net.Conn) {
	return func(c net.Conn) {
		io.WriteString(c, text)
		io.Copy(io.Discard, c)
	}
}

// drips writes first, then again and again one piece after each wait.
func drips(first, piece string, wait time.Duration) func(net.Conn) {
	return func(c net.Conn) {
		for _, err := io.WriteString(c, first); err == nil; _, err = io.WriteString(c, piece) {
			<-time.After(wait) // the test's clock
		}
	}
}

const ok = "HTTP/1.1 200 OK\r\n"

func hostileRows() []hostileRow {
	small := func(o *Options) { o.MaxBody = 1 << 20 }
	unwanted := func(o *Options) {
		o.Body = func(_ *kavosh.Task, contentType string, length int64) (int64, string) {
			switch {
			case contentType == "text/csv":
				return 0, "not wanted"
			case length > 5 || length < 0:
				return 5, "too much"
			}
			return -1, ""
		}
	}
	x100 := strings.Repeat("x", 100)
	return []hostileRow{
		// Heads.
		{name: "silence", serve: saysAndWaits(""), failure: kavosh.TimeoutFailure, atMost: time.Minute},
		{name: "slow head drip", serve: drips(ok, "X: y\r\n", time.Second), failure: kavosh.TimeoutFailure, atMost: time.Minute},
		{name: "head byte by byte, in time", serve: drips(ok+"Content-Length: 0\r\nX: ", "y", 30*time.Second), failure: kavosh.TimeoutFailure, atMost: time.Minute},
		{name: "endless head", serve: drips(ok, strings.Repeat("X: yyyyyyyyyyyyyyyy\r\n", 100), 0), failure: kavosh.LimitFailure, detail: "longer than"},
		{name: "endless status line", serve: drips("HTTP/1.1 200 ", x100, 0), failure: kavosh.LimitFailure},
		{name: "endless field", serve: drips(ok+"X: ", x100, 0), failure: kavosh.LimitFailure},
		{name: "field flood", serve: says(ok + strings.Repeat("a:\n", 2000) + "\r\n"), failure: kavosh.LimitFailure, detail: "1000 fields"},
		{name: "head of just our bound", set: func(o *Options) { o.MaxHead = len(ok) + 106 }, serve: saysAndWaits(ok + "Content-Length: 0\r\nX: " + x100[20:] + "\r\n\r\n"), status: 200},
		{name: "head of a byte more", set: func(o *Options) { o.MaxHead = len(ok) + 106 }, serve: says(ok + "X: " + x100 + "\r\n\r\n"), failure: kavosh.LimitFailure, detail: "longer than"},
		{name: "1000 fields", serve: says(ok + strings.Repeat("a:\n", 1000) + "\r\n"), status: 200},
		{name: "1001 fields", serve: says(ok + strings.Repeat("a:\n", 1001) + "\r\n"), failure: kavosh.LimitFailure, detail: "1000 fields"},
		{name: "16 interim heads", serve: says(strings.Repeat("HTTP/1.1 100 Continue\r\n\r\n", 16) + ok + "\r\nhi"), status: 200, payload: "hi"},
		{name: "17 interim heads", serve: says(strings.Repeat("HTTP/1.1 100 Continue\r\n\r\n", 17) + ok + "\r\nhi"), failure: kavosh.LimitFailure, detail: "interim"},
		{name: "1xx flood", serve: drips("", "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n", 0), failure: kavosh.LimitFailure, detail: "interim"},
		{name: "large 1xx heads", serve: drips("", "HTTP/1.1 100 Continue\r\nX: "+strings.Repeat("x", 60_000)+"\r\n\r\n", 0), failure: kavosh.LimitFailure, detail: "longer than"},
		{name: "1xx and end", serve: says("HTTP/1.1 100 Continue\r\n\r\n"), failure: kavosh.ResetFailure},
		{name: "1xx, then no status line", serve: says("HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n<html>"), failure: kavosh.ProtocolFailure, payload: "<html>"},
		{name: "closed at once", serve: says(""), failure: kavosh.ResetFailure},
		{name: "closed in the status line", serve: says("HTTP/1."), failure: kavosh.ResetFailure},
		{name: "closed in a field", serve: says(ok + "Content-Ty"), failure: kavosh.ResetFailure},
		{name: "no blank line", serve: says("HTTP/1.1 302 Found\r\nLocation: /\r\n"), status: 302, malformed: "no blank line"},
		{name: "no status line", serve: says("<html>old"), failure: kavosh.ProtocolFailure, payload: "<html>old", malformed: "no status line"},
		{name: "fields without a status line", serve: says("Content-Type: text/html\r\n\r\n<p>"), failure: kavosh.ProtocolFailure, payload: "Content-Type: text/html\r\n\r\n<p>", malformed: "no status line"},
		{name: "short garbage", serve: says("?"), failure: kavosh.ProtocolFailure, payload: "?"},
		{name: "an SSH server", serve: saysAndWaits("SSH-2.0-OpenSSH_9.2\r\n"), failure: kavosh.ProtocolFailure, truncated: kavosh.TruncTime, payload: "SSH-2.0-OpenSSH_9.2\r\n", atMost: time.Minute},
		{name: "endless garbage", serve: drips("", x100, 0), set: small, failure: kavosh.ProtocolFailure, truncated: kavosh.TruncLength, payload: "*"},
		{name: "a TLS alert", serve: says("\x15\x03\x01\x00\x02\x02\x46"), failure: kavosh.ProtocolFailure, payload: "*"},
		{name: "NULs", serve: says("HTTP/1.1 200 OK\r\nA: b\x00\r\nContent-Length: 2\r\n\r\nhi"), status: 200, payload: "hi", malformed: "NUL"},
		{name: "bare LF", serve: says("HTTP/1.1 200 OK\nContent-Length: 2\n\nhi"), status: 200, payload: "hi"},
		{name: "shoutcast", serve: says("ICY 200 OK\r\nicy-name: x\r\n\r\nmusic"), status: 200, payload: "music", malformed: "ICY"},
		{name: "no status number", serve: says("HTTP/1.1 OK\r\nContent-Length: 2\r\n\r\nhi"), payload: "hi", malformed: "no status number"},
		{name: "switches protocols", serve: saysAndWaits("HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\n\r\n"), status: 101},

		// Bodies that nobody wants.
		{name: "unwanted", set: unwanted, serve: saysAndWaits(ok + "Content-Type: text/csv\r\nContent-Length: 9\r\n\r\nabc"), status: 200, failure: kavosh.LimitFailure, truncated: kavosh.TruncLength, detail: "not wanted"},
		{name: "unwanted, in chunks", set: unwanted, serve: saysAndWaits(ok + "Content-Type: text/csv\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n"), status: 200, failure: kavosh.LimitFailure, truncated: kavosh.TruncLength, detail: "not wanted"},
		{name: "bounded", set: unwanted, serve: saysAndWaits(ok + "Content-Length: 9\r\n\r\nabcdef"), status: 200, payload: "abcde", failure: kavosh.LimitFailure, truncated: kavosh.TruncLength, detail: "too much"},
		{name: "bounded, in chunks", set: unwanted, serve: saysAndWaits(ok + "Transfer-Encoding: chunked\r\n\r\n6\r\nabcdef\r\n"), status: 200, payload: "ab", failure: kavosh.LimitFailure, truncated: kavosh.TruncLength, detail: "too much"},
		{name: "within its bound", set: unwanted, serve: says(ok + "Content-Length: 5\r\n\r\nabcde"), status: 200, payload: "abcde"},
		{name: "unwanted and empty", set: unwanted, serve: says(ok + "Content-Type: text/csv\r\nContent-Length: 0\r\n\r\n"), status: 200},
		{name: "an error is read", set: unwanted, serve: says("HTTP/1.1 404 No\r\nContent-Type: text/csv\r\nContent-Length: 2\r\n\r\nno"), status: 404, payload: "no"},

		// Lengths.
		{name: "length of 5 is 3", serve: says(ok + "Content-Length: 5\r\n\r\nabc"), status: 200, payload: "abc", failure: kavosh.TruncatedAnswer, truncated: kavosh.TruncDisconnect, detail: "3 of 5 bytes"},
		{name: "length of 5 never comes", serve: saysAndWaits(ok + "Content-Length: 5\r\n\r\nabc"), status: 200, payload: "abc", failure: kavosh.TruncatedAnswer, truncated: kavosh.TruncTime, atMost: time.Minute},
		{name: "length of 3 is 5", serve: says(ok + "Content-Length: 3\r\n\r\nabcde"), status: 200, payload: "abc", detail: "2 bytes came after"},
		{name: "length is not a number", serve: says(ok + "Content-Length: abc\r\n\r\nhello"), status: 200, payload: "hello", malformed: "Content-Length is"},
		{name: "negative length", serve: says(ok + "Content-Length: -1\r\n\r\nhello"), status: 200, payload: "hello", malformed: `"-1"`},
		{name: "length overflows", serve: says(ok + "Content-Length: 18446744073709551617\r\n\r\nhello"), status: 200, payload: "hello", malformed: "Content-Length is"},
		{name: "largest length", serve: says(ok + "Content-Length: 9223372036854775807\r\n\r\nhello"), status: 200, payload: "hello", failure: kavosh.TruncatedAnswer, truncated: kavosh.TruncDisconnect},
		{name: "two lengths, same", serve: says(ok + "Content-Length: 5\r\nContent-Length: 5\r\n\r\nhello"), status: 200, payload: "hello"},
		{name: "two lengths, different", serve: says(ok + "Content-Length: 5\r\nContent-Length: 3\r\n\r\nhello"), status: 200, payload: "hello", failure: kavosh.ProtocolFailure, detail: "5 and 3"},
		{name: "length above our bound", serve: drips(ok+"Content-Length: 9999999999\r\n\r\n", strings.Repeat("x", 5000), 0), set: small, status: 200, payload: "*", failure: kavosh.LimitFailure, truncated: kavosh.TruncLength},
		{name: "length of just our bound", serve: says(ok + "Content-Length: 1048576\r\n\r\n" + strings.Repeat("x", 1<<20)), set: small, status: 200, payload: "*"},
		{name: "body of just our bound, to its end", serve: says(ok + "\r\n" + strings.Repeat("x", 1<<20)), set: small, status: 200, payload: "*"},
		{name: "body of a byte more", serve: says(ok + "\r\n" + strings.Repeat("x", 1<<20+1)), set: small, status: 200, payload: strings.Repeat("x", 1<<20), failure: kavosh.LimitFailure, truncated: kavosh.TruncLength, detail: "longer than 1048576"},
		{name: "length of a byte more", serve: says(ok + "Content-Length: 1048577\r\n\r\n" + strings.Repeat("x", 1<<20+1)), set: small, status: 200, payload: strings.Repeat("x", 1<<20), failure: kavosh.LimitFailure, truncated: kavosh.TruncLength},
		{name: "endless body", serve: drips(ok+"\r\n", strings.Repeat("x", 5000), 0), set: small, status: 200, payload: "*", failure: kavosh.LimitFailure, truncated: kavosh.TruncLength},
		{name: "body with 304", serve: says("HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\nhello"), status: 304, detail: "5 bytes came after"},
		{name: "body with 204", serve: says("HTTP/1.1 204 No Content\r\n\r\nhello"), status: 204, detail: "5 bytes came after"},
		{name: "two answers at once", serve: says(ok + "Content-Length: 1\r\n\r\na" + ok + "Content-Length: 1\r\n\r\nb"), status: 200, payload: "a", detail: "bytes came after"},

		// Time.
		{name: "slow body drip", serve: drips(ok+"Content-Length: 100000\r\n\r\n", "x", 10*time.Second), status: 200, payload: "*", failure: kavosh.TruncatedAnswer, truncated: kavosh.TruncTime, detail: "less than 100 bytes/s", atMost: 71 * time.Second},
		{name: "body that stops", serve: saysAndWaits(ok + "\r\nhello"), status: 200, payload: "hello", failure: kavosh.TruncatedAnswer, truncated: kavosh.TruncTime, detail: "nothing came for 1m0s", atMost: time.Minute},
		{name: "body that lasts for ever", serve: drips(ok+"\r\n", strings.Repeat("x", 500), time.Second), status: 200, payload: "*", failure: kavosh.TruncatedAnswer, truncated: kavosh.TruncTime, detail: "not whole after 20m0s", atMost: 20*time.Minute + time.Second},

		{name: "stream of events", serve: drips(ok+"Content-Type: Text/Event-Stream\r\n\r\n", "data: x\n\n", time.Second), status: 200, payload: "*", failure: kavosh.TruncatedAnswer, truncated: kavosh.TruncTime, detail: "not whole after 10s", atMost: 11 * time.Second},

		// Chunks.
		{name: "chunk size overflows", serve: says(ok + "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\nfffffffffffffffff\r\nx"), status: 200, payload: "hello", failure: kavosh.ProtocolFailure, truncated: kavosh.TruncDisconnect, detail: "63 bits"},
		{name: "chunk size is negative", serve: says(ok + "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n-5\r\nx"), status: 200, payload: "hello", failure: kavosh.ProtocolFailure, truncated: kavosh.TruncDisconnect},
		{name: "chunk larger than what comes", serve: says(ok + "Transfer-Encoding: chunked\r\n\r\n7fffffffffffffff\r\nhello"), status: 200, payload: "hello", failure: kavosh.TruncatedAnswer, truncated: kavosh.TruncDisconnect},
		{name: "no last chunk", serve: says(ok + "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"), status: 200, payload: "hello", failure: kavosh.TruncatedAnswer, truncated: kavosh.TruncDisconnect},
		{name: "closed after the last chunk", serve: says(ok + "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n"), status: 200, payload: "hello", malformed: "last chunk"},
		{name: "waits after the last chunk", serve: saysAndWaits(ok + "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n"), status: 200, payload: "hello", malformed: "last chunk", atMost: lastWait},
		{name: "endless chunk extension", serve: drips(ok+"Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n5;", x100, 0), status: 200, payload: "hello", failure: kavosh.ProtocolFailure, truncated: kavosh.TruncDisconnect},
		{name: "endless trailer", serve: drips(ok+"Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n", "A: b\r\n", 0), status: 200, payload: "hello", failure: kavosh.ProtocolFailure, truncated: kavosh.TruncDisconnect},
		{name: "endless chunks", serve: drips(ok+"Transfer-Encoding: chunked\r\n\r\n", "5\r\nhello\r\n", 0), set: small, status: 200, payload: "*", failure: kavosh.LimitFailure, truncated: kavosh.TruncLength},
		{name: "chunked it says, plain it is", serve: says(ok + "Transfer-Encoding: chunked\r\n\r\n<html>"), status: 200, payload: "<html>", malformed: "not chunked"},
		{name: "chunked it says, plain it is, byte by byte", serve: drips(ok+"Transfer-Encoding: chunked\r\nContent-Length: 6\r\n\r\n c", "x", time.Millisecond), status: 200, payload: " cxxxx", malformed: "not chunked", atMost: time.Second},
		{name: "chunked it says, a word it is", serve: says(ok + "Transfer-Encoding: chunked\r\n\r\nfade"), status: 200, payload: "fade", malformed: "not chunked"},
		{name: "chunked it says, plain it is, with a length", serve: saysAndWaits(ok + "Transfer-Encoding: chunked\r\nContent-Length: 6\r\n\r\n<html>"), status: 200, payload: "<html>", malformed: "not chunked"},
		{name: "chunked and a length", serve: saysAndWaits(ok + "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"), status: 200, payload: "hello", malformed: "beside chunked"},
		{name: "chunks and more", serve: says(ok + "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\nmore"), status: 200, payload: "hello", detail: "4 bytes came after"},
		{name: "gzip, chunked", serve: says(ok + "Transfer-Encoding: gzip, chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"), status: 200, payload: "hello", malformed: "gzip, chunked"},
	}
}

func TestHostileServers(t *testing.T) {
	for _, row := range hostileRows() {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := &fakeWeb{serve: func(c net.Conn, _ int) {
					if _, err := request(c); err == nil {
						row.serve(c)
					}
				}}
				o := Options{Web: w}
				if row.set != nil {
					row.set(&o)
				}
				h := newHTTP(t, o)
				began := time.Now()
				x := get(t, h, "http://hostile.test/")
				row.check(t, x, time.Since(began))
				h.Close()
				<-time.After(time.Minute) // the server notices
			})
		})
	}
}

func (row *hostileRow) check(t *testing.T, x *kavosh.Exchange, took time.Duration) {
	t.Helper()
	if x.Failure != row.failure || x.Truncated != row.truncated || x.Status != row.status {
		t.Errorf("failure %q, truncated %q, status %d; want %q, %q, %d (%s)",
			x.Failure, x.Truncated, x.Status, row.failure, row.truncated, row.status, x.Detail)
	}
	if x.Broken != broken(x) {
		t.Errorf("broken off by the far side: %v (%s)", x.Broken, x.Detail)
	}
	if (x.Failure != "" || row.detail != "") && (x.Detail == "" || !strings.Contains(x.Detail, row.detail)) {
		t.Errorf("detail %q, want %q", x.Detail, row.detail)
	}
	if !strings.Contains(x.Malformed, row.malformed) {
		t.Errorf("malformed %q, want %q", x.Malformed, row.malformed)
	}
	if took > row.atMost {
		t.Errorf("took %v, at most %v", took, row.atMost)
	}
	if string(x.Request) == "" {
		t.Error("no request")
	}
	if !x.Answered() {
		if row.status != 0 || row.payload != "" {
			t.Error("no answer")
		}
		return
	}
	if got := text(t, x.Payload); row.payload != "*" && got != row.payload {
		t.Errorf("payload %q, want %q", got, row.payload)
	}
	if x.Payload.Size() > 1<<20 {
		t.Errorf("payload of %d bytes", x.Payload.Size())
	}
	if len(x.Digest) != 32 {
		t.Errorf("digest %x", x.Digest)
	}
}

// A connection that goes away is shown by real sockets, which alone can be reset.
func TestResets(t *testing.T) {
	for _, tt := range []struct {
		name, says string
		failure    kavosh.Failure
		truncated  kavosh.Truncation
	}{
		{"before the answer", "", kavosh.ResetFailure, ""},
		{"in the head", "HTTP/1.1 200 OK\r\nA: b\r\n", kavosh.ResetFailure, ""},
		{"after the head", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", kavosh.TruncatedAnswer, kavosh.TruncDisconnect},
		{"in the body", "HTTP/1.1 200 OK\r\n\r\nhello", kavosh.TruncatedAnswer, kavosh.TruncDisconnect},
		{"in a chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel", kavosh.TruncatedAnswer, kavosh.TruncDisconnect},
	} {
		t.Run(tt.name, func(t *testing.T) {
			read := make(chan struct{}) // closed when the client has what was said
			addr := listen(t, func(c net.Conn, _ int) {
				request(c)
				io.WriteString(c, tt.says)
				if tt.says != "" {
					<-read
				}
				c.(*net.TCPConn).SetLinger(0)
			})
			h := newHTTP(t, Options{Web: readSignal{addr: addr, want: len(tt.says), read: read}})
			x := get(t, h, "http://reset.test/")
			if x.Failure != tt.failure || x.Truncated != tt.truncated || !strings.Contains(x.Detail, "reset by the server") {
				t.Errorf("failure %q, truncated %q, detail %q", x.Failure, x.Truncated, x.Detail)
			}
		})
	}
}

// readSignal is a web of one server that closes read when a client has read want bytes.
type readSignal struct {
	addr netip.AddrPort
	want int
	read chan struct{}
}

func (w readSignal) Resolve(context.Context, string) (Resolution, error) {
	return Resolution{Addrs: []netip.Addr{w.addr.Addr()}}, nil
}

func (w readSignal) Dial(context.Context, netip.AddrPort) (net.Conn, error) {
	c, err := net.Dial("tcp", w.addr.String())
	return &signalConn{Conn: c, w: w}, err
}

type signalConn struct {
	net.Conn
	w   readSignal
	got int
}

func (c *signalConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if c.got += n; n > 0 && c.got == c.w.want {
		close(c.w.read)
	}
	return n, err
}

// listen serves connections on a loopback socket until the test ends.
func listen(t testing.TB, serve func(c net.Conn, n int)) netip.AddrPort {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for n := 0; ; n++ {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				serve(c, n)
			}()
		}
	}()
	return netip.MustParseAddrPort(l.Addr().String())
}

func TestConnectFailures(t *testing.T) {
	hang := func(ctx context.Context, _ netip.AddrPort) error {
		<-ctx.Done()
		return ctx.Err()
	}
	for _, tt := range []struct {
		name    string
		web     fakeWeb
		url     string
		failure kavosh.Failure
		detail  string
	}{
		{"no such name", fakeWeb{addrs: map[string][]netip.Addr{}}, "http://nowhere.test/", kavosh.DNSFailure, "NXDOMAIN"},
		{"half-open", fakeWeb{dial: hang}, "http://a.test/", kavosh.ConnectFailure, "within 20s"},
		{"refused", fakeWeb{dial: func(context.Context, netip.AddrPort) error { return errors.New("connection refused") }}, "http://a.test/", kavosh.ConnectFailure, "93.184.216.34:80: connection refused"},
		{"reset at once", fakeWeb{dial: func(context.Context, netip.AddrPort) error { return &net.OpError{Op: "dial", Err: syscall.ECONNRESET} }}, "http://a.test/", kavosh.ResetFailure, "reset by the server"},
		{"private address", fakeWeb{addrs: map[string][]netip.Addr{"a.test": prefixAddrs("10.0.0.1", "fd00::1")}}, "http://a.test/", kavosh.BlockedAddress, "10.0.0.1"},
		{"TLS handshake never answered", fakeWeb{serve: func(c net.Conn, _ int) { io.Copy(io.Discard, c) }}, "https://a.test/", kavosh.TLSFailure, "within 20s"},
		{"TLS handshake cut", fakeWeb{serve: func(c net.Conn, _ int) { io.ReadFull(c, make([]byte, 50)) }}, "https://a.test/", kavosh.TLSFailure, ""},
		{"no TLS at all", fakeWeb{serve: func(c net.Conn, _ int) {
			go io.Copy(io.Discard, c)
			io.WriteString(c, "HTTP/1.1 400 Bad Request\r\n\r\n")
		}}, "https://a.test/", kavosh.TLSFailure, "first record"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newHTTP(t, Options{Web: &tt.web})
				x := get(t, h, tt.url)
				if x.Failure != tt.failure || !strings.Contains(x.Detail, tt.detail) || x.Detail == "" || x.Request != nil || x.Answered() {
					t.Errorf("failure %q, detail %q, request %q", x.Failure, x.Detail, x.Request)
				}
				if x.Took > 20*time.Second {
					t.Errorf("took %v", x.Took)
				}
			})
		})
	}
}

func prefixAddrs(texts ...string) (addrs []netip.Addr) {
	for _, t := range texts {
		addrs = append(addrs, netip.MustParseAddr(t))
	}
	return addrs
}

func TestAddressesAreTriedInTurn(t *testing.T) {
	addrs := prefixAddrs("1.1.1.1", "2.2.2.2", "2606::3")
	for _, tt := range []struct {
		name  string
		dial  func(ctx context.Context, a netip.AddrPort) error
		want  string // address that answers, or "" for a failure
		after time.Duration
	}{
		{"the first answers", nil, "1.1.1.1:80", 0},
		{"the first refuses", func(_ context.Context, a netip.AddrPort) error {
			if a.Addr() == addrs[0] {
				return errors.New("refused")
			}
			return nil
		}, "2.2.2.2:80", 0},
		{"the first two hang", func(ctx context.Context, a netip.AddrPort) error {
			if a.Addr() != addrs[2] {
				<-ctx.Done()
				return ctx.Err()
			}
			return nil
		}, "[2606::3]:80", 2 * stagger},
		{"the first is slow and still first", func(ctx context.Context, a netip.AddrPort) error {
			if a.Addr() == addrs[0] {
				<-time.After(300 * time.Millisecond) // the test's clock
				return nil
			}
			<-ctx.Done()
			return ctx.Err()
		}, "1.1.1.1:80", 300 * time.Millisecond},
		{"all refuse", func(context.Context, netip.AddrPort) error { return errors.New("refused") }, "", 0},
		{"all hang", func(ctx context.Context, _ netip.AddrPort) error { <-ctx.Done(); return ctx.Err() }, "", 20 * time.Second},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := &fakeWeb{addrs: map[string][]netip.Addr{"a.test": addrs}, dial: tt.dial, serve: func(c net.Conn, _ int) {
					request(c)
					io.WriteString(c, ok+"Content-Length: 0\r\n\r\n")
				}}
				h := newHTTP(t, Options{Web: w})
				began := time.Now()
				x := get(t, h, "http://a.test/")
				if took := time.Since(began); took != tt.after {
					t.Errorf("after %v, want %v", took, tt.after)
				}
				if tt.want == "" {
					if x.Failure != kavosh.ConnectFailure {
						t.Errorf("failure %q %q", x.Failure, x.Detail)
					}
				} else if x.Status != 200 || x.Addr.String() != tt.want {
					t.Errorf("from %v, want %v: %s %s", x.Addr, tt.want, x.Failure, x.Detail)
				}
				h.Close()
			})
		})
	}
}

func TestStaleConnectionIsReplacedOnce(t *testing.T) {
	for _, tt := range []struct {
		name     string
		second   string // what the kept connection says to the second request before it ends
		failure  kavosh.Failure
		wantDial int
	}{
		{"closed before anything came", "", "", 2},
		{"closed within the answer", "HTTP/1.1 2", kavosh.ResetFailure, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				answer := ok + "Content-Length: 2\r\n\r\nhi"
				w := &fakeWeb{serve: func(c net.Conn, _ int) {
					request(c)
					io.WriteString(c, answer)
					request(c)
					io.WriteString(c, tt.second)
				}}
				h := newHTTP(t, Options{Web: w})
				get(t, h, "http://a.test/1")
				x := get(t, h, "http://a.test/2")
				if x.Failure != tt.failure || w.dials != tt.wantDial {
					t.Errorf("failure %q (%s) after %d dials", x.Failure, x.Detail, w.dials)
				}
				h.Close()
			})
		})
	}
	// A server that closes every connection before it answers is asked once on the kept one and once more.
	synctest.Test(t, func(t *testing.T) {
		w := &fakeWeb{serve: func(c net.Conn, n int) {
			request(c)
			if n == 0 {
				io.WriteString(c, ok+"Content-Length: 0\r\n\r\n")
				request(c)
			}
		}}
		h := newHTTP(t, Options{Web: w})
		get(t, h, "http://a.test/1")
		if x := get(t, h, "http://a.test/2"); x.Failure != kavosh.ResetFailure || w.dials != 2 {
			t.Errorf("failure %q after %d dials", x.Failure, w.dials)
		}
	})
}

func TestKeptConnectionThatSpokeUnaskedIsNotUsed(t *testing.T) {
	spoke := make(chan struct{})
	addr := listen(t, func(c net.Conn, n int) {
		request(c)
		fmt.Fprintf(c, "%sContent-Length: 1\r\n\r\n%d", ok, n)
		if n == 0 {
			io.WriteString(c, "HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\n\r\n")
			close(spoke)
		}
		request(c)
	})
	h := newHTTP(t, Options{})
	url := "http://" + addr.String() + "/"
	get(t, h, url)
	<-spoke
	if x := get(t, h, url); x.Status != 200 || text(t, x.Payload) != "1" {
		t.Errorf("status %d, payload %q: another answer was taken for this one", x.Status, text(t, x.Payload))
	}
}

func TestIdleConnectionsAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var open atomic.Int64
		w := &fakeWeb{serve: func(c net.Conn, _ int) {
			open.Add(1)
			defer open.Add(-1)
			for {
				if _, err := request(c); err != nil {
					return
				}
				io.WriteString(c, ok+"Content-Length: 0\r\n\r\n")
			}
		}}
		h := newHTTP(t, Options{Web: w, MaxIdle: 3, KeepIdle: 10 * time.Second})
		for i := range 10 {
			get(t, h, fmt.Sprintf("http://host%d.test/", i))
		}
		synctest.Wait()
		if n := open.Load(); n != 3 {
			t.Errorf("%d connections kept, want 3", n)
		}
		<-time.After(11 * time.Second) // the test's clock
		get(t, h, "http://host9.test/")
		synctest.Wait()
		if n := open.Load(); n != 1 || w.dials != 11 {
			t.Errorf("%d connections after the expiry, %d dials", n, w.dials)
		}
		h.Close()
		synctest.Wait()
		if n := open.Load(); n != 0 {
			t.Errorf("%d connections after Close", n)
		}
	})
}

func TestNoMoreSockets(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var open atomic.Int64
		full := true
		w := &fakeWeb{serve: func(c net.Conn, _ int) {
			open.Add(1)
			defer open.Add(-1)
			for _, err := request(c); err == nil; _, err = request(c) {
				io.WriteString(c, ok+"Content-Length: 0\r\n\r\n")
			}
		}}
		h := newHTTP(t, Options{Web: w})
		get(t, h, "http://kept.test/")
		w.dial = func(context.Context, netip.AddrPort) error {
			if synctest.Wait(); full || open.Load() > 0 {
				return &net.OpError{Op: "dial", Err: syscall.EMFILE}
			}
			return nil
		}
		if x, _, err := h.Fetch(t.Context(), &kavosh.Task{URL: "http://a.test/"}, nil); x != nil || err == nil || !strings.Contains(err.Error(), "ulimit -n") {
			t.Errorf("%+v, %v: the far side has not failed", x, err)
		}
		full = false
		get(t, h, "http://kept.test/")
		if x := get(t, h, "http://b.test/"); x.Status != 200 {
			t.Errorf("failure %q %q: a kept connection was not given up", x.Failure, x.Detail)
		}
		h.Close()
	})
}

func TestCancelRecordsNothing(t *testing.T) {
	stages := map[string]func(c net.Conn){
		"before the head": saysAndWaits(""),
		"in the head":     saysAndWaits("HTTP/1.1 200"),
		"in the body":     saysAndWaits(ok + "Content-Length: 5\r\n\r\nab"),
	}
	for name, serve := range stages {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := &fakeWeb{serve: func(c net.Conn, _ int) { request(c); serve(c) }}
				h := newHTTP(t, Options{Web: w})
				ctx, cancel := context.WithCancel(t.Context())
				time.AfterFunc(time.Second, cancel)
				x, _, err := h.Fetch(ctx, &kavosh.Task{URL: "http://a.test/"}, nil)
				if headRead := name == "in the body"; (x != nil) != headRead || headRead && x.Status != 200 || err != context.Canceled {
					t.Errorf("%+v, %v", x, err)
				}
			})
		})
	}
	for _, url := range []string{"http://a.test/", "https://a.test/"} {
		synctest.Test(t, func(t *testing.T) {
			w := &fakeWeb{serve: func(c net.Conn, _ int) { io.Copy(io.Discard, c) }}
			if strings.HasPrefix(url, "http:") {
				w.dial = func(ctx context.Context, _ netip.AddrPort) error { <-ctx.Done(); return ctx.Err() }
			}
			h := newHTTP(t, Options{Web: w})
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(time.Second, cancel)
			if x, _, err := h.Fetch(ctx, &kavosh.Task{URL: url}, nil); x != nil || err != context.Canceled {
				t.Errorf("%s: %+v, %v", url, x, err)
			}
		})
	}
}
