package fakeweb

// This file sends one answer of a made-up web, as its text file describes it.

import (
	"bytes"
	"compress/flate"
	"compress/zlib"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"regexp"
	"strconv"
	"strings"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// exchange is a request being answered.
type exchange struct {
	server *Server
	conn   net.Conn // where the answer is written
	tcp    net.Conn // below TLS, for resets
	scheme string
	req    *http.Request
	end    ending
	sent   int64
	status int
}

// errEnding ends an answer where its marker says so.
var errEnding = errors.New("the answer breaks off here")

// Write sends bytes up to the place where the answer breaks off.
func (x *exchange) Write(b []byte) (int, error) {
	if x.end.how != "" && x.sent+int64(len(b)) > x.end.at {
		n, err := x.conn.Write(b[:max(0, x.end.at-x.sent)])
		x.sent += int64(n)
		if err != nil {
			return n, err
		}
		return n, errEnding
	}
	n, err := x.conn.Write(b)
	x.sent += int64(n)
	return n, err
}

// answer writes the answer and reports whether the connection stays open.
func (x *exchange) answer() bool {
	h := x.server.web.hosts[hostname(x.req.Host)]
	if h == nil {
		return x.plain(http.StatusMisdirectedRequest, "no such host in this web")
	}
	a := x.pick(h)
	if a == nil {
		if err := x.server.clock.Sleep(x.server.ctx, h.wait); err != nil {
			return false
		}
		return x.plain(http.StatusNotFound, "not found")
	}
	if err := x.server.clock.Sleep(x.server.ctx, a.wait); err != nil {
		return false
	}
	x.end = a.end
	err := x.send(h, a)
	if errors.Is(err, errEnding) || err == nil && x.end.how != "" {
		x.breakOff()
		return false
	}
	return err == nil && !a.close && !x.req.Close
}

// breakOff does what the ending says, after its bytes were sent.
func (x *exchange) breakOff() {
	switch x.end.how {
	case "stall":
		io.Copy(io.Discard, x.tcp) // until the client gives up, or Close
	case "reset":
		if t, ok := x.tcp.(*net.TCPConn); ok {
			t.SetLinger(0)
		}
		x.tcp.Close()
	}
}

// pick finds the answer. Answers for this scheme come before answers for both; among them the exact path with its
// query, then the path without it, then the patterns in the order of the file.
func (x *exchange) pick(h *host) *answer {
	key := lookupKey(x.req.URL.RequestURI())
	bare, _, _ := strings.Cut(key, "?")
	candidates := append([]*answer(nil), h.exact[key]...)
	if bare != key {
		candidates = append(candidates, h.exact[bare]...)
	}
	candidates = append(candidates, h.wild...)
	x.server.mu.Lock()
	defer x.server.mu.Unlock()
	for _, scheme := range []string{x.scheme, ""} {
		for _, a := range candidates {
			if a.scheme != scheme || a.prefix != "" && !strings.HasPrefix(bare, a.prefix) {
				continue
			}
			if a.accept != "" && !strings.Contains(x.req.Header.Get("Accept"), a.accept) {
				continue
			}
			if a.cookie != "" && !x.hasCookie(a.cookie) {
				continue
			}
			if a.times > 0 && x.server.mu.hits[a] >= a.times {
				continue
			}
			x.server.mu.hits[a]++
			return a
		}
	}
	return nil
}

func (x *exchange) hasCookie(want string) bool {
	name, value, _ := strings.Cut(want, "=")
	for _, c := range x.req.Cookies() {
		if c.Name == name && c.Value == value {
			return true
		}
	}
	return false
}

func (x *exchange) plain(status int, text string) bool {
	a := &answer{status: status, repeat: 1, fields: []field{{"Content-Type", "text/plain; charset=utf-8"}}, body: []byte(text + "\n")}
	return x.send(&host{}, a) == nil && !x.req.Close
}

// send writes head and body.
func (x *exchange) send(h *host, a *answer) error {
	if a.raw {
		return copies(x, a, a.body)
	}
	x.status = a.status
	fields := append(append([]field(nil), h.field...), a.fields...)
	if a.expand {
		for i := range fields {
			fields[i].value = string(x.expand(a, []byte(fields[i].value)))
		}
	}
	if a.status == 200 && notModified(fields, x.req.Header) {
		x.status = http.StatusNotModified
	}
	body := a.body
	if a.expand {
		body = x.expand(a, body)
	}
	if a.ranges {
		var whole bytes.Buffer
		if err := copies(&whole, a, body); err != nil {
			return err
		}
		once := *a
		once.repeat = 1
		a, body = &once, whole.Bytes()
	}
	streamed := a.repeat < 0 || a.repeat > 1 || a.chunked
	if !streamed && a.encode != "" {
		var b bytes.Buffer
		if err := encodeTo(&b, a.encode, func(w io.Writer) error { _, err := w.Write(body); return err }); err != nil {
			return err
		}
		body = b.Bytes()
	}
	if from := rest(fields, x.req.Header); a.ranges && x.status == 200 && from > 0 && from < len(body) {
		x.status = http.StatusPartialContent
		fields = append(fields, field{"Content-Range", fmt.Sprintf("bytes %d-%d/%d", from, len(body)-1, len(body))})
		body = body[from:]
	}

	bodiless := x.req.Method == http.MethodHead || x.status == http.StatusNotModified || x.status == http.StatusNoContent
	reason := a.reason
	if reason == "" {
		reason = http.StatusText(x.status)
	}
	var head bytes.Buffer
	fmt.Fprintf(&head, "HTTP/1.1 %d %s\r\n", x.status, reason)
	lengthGiven := false
	for _, f := range fields {
		lengthGiven = lengthGiven || strings.EqualFold(f.name, "Content-Length")
		fmt.Fprintf(&head, "%s: %s\r\n", f.name, f.value)
	}
	if a.encode != "" {
		fmt.Fprintf(&head, "Content-Encoding: %s\r\n", strings.TrimPrefix(a.encode, "raw"))
	}
	if streamed && !lengthGiven {
		head.WriteString("Transfer-Encoding: chunked\r\n")
	} else if !lengthGiven && x.status != http.StatusNotModified {
		fmt.Fprintf(&head, "Content-Length: %d\r\n", len(body))
	}
	if a.close || x.req.Close {
		head.WriteString("Connection: close\r\n")
	}
	head.WriteString("\r\n")
	if !streamed && !bodiless {
		head.Write(body)
	}
	if _, err := x.Write(head.Bytes()); err != nil || !streamed || bodiless {
		return err
	}
	if lengthGiven {
		return copies(x, a, body)
	}
	chunks := chunker{x}
	if a.encode != "" {
		if err := encodeTo(chunks, a.encode, func(w io.Writer) error { return copies(w, a, body) }); err != nil {
			return err
		}
	} else if err := copies(chunks, a, body); err != nil {
		return err
	}
	_, err := io.WriteString(x, "0\r\n\r\n")
	return err
}

// notModified reports whether the client sent the validators of this answer.
func notModified(fields []field, header http.Header) bool {
	for _, f := range fields {
		switch {
		case strings.EqualFold(f.name, "ETag") && header.Get("If-None-Match") != "":
			return header.Get("If-None-Match") == f.value
		case strings.EqualFold(f.name, "Last-Modified") && header.Get("If-None-Match") == "":
			if header.Get("If-Modified-Since") == f.value {
				return true
			}
		}
	}
	return false
}

// rest returns the byte from which on the client wants the body, if it has the beginning of this answer's; else 0.
func rest(fields []field, header http.Header) (from int) {
	for _, f := range fields {
		if (strings.EqualFold(f.name, "ETag") || strings.EqualFold(f.name, "Last-Modified")) && f.value == header.Get("If-Range") {
			fmt.Sscanf(header.Get("Range"), "bytes=%d-", &from)
		}
	}
	return from
}

func copies(w io.Writer, a *answer, body []byte) error {
	for i := 1; a.repeat < 0 || i <= a.repeat; i++ {
		b := body
		if bytes.Contains(b, []byte("{i}")) {
			b = bytes.ReplaceAll(b, []byte("{i}"), strconv.AppendInt(nil, int64(i), 10))
		}
		if _, err := w.Write(b); err != nil {
			return err
		}
	}
	return nil
}

type chunker struct{ w io.Writer }

func (c chunker) Write(b []byte) (int, error) {
	if len(b) == 0 {
		return 0, nil
	}
	framed := append(fmt.Appendf(nil, "%x\r\n", len(b)), b...)
	if _, err := c.w.Write(append(framed, "\r\n"...)); err != nil {
		return 0, err
	}
	return len(b), nil
}

func encodeTo(w io.Writer, coding string, body func(io.Writer) error) error {
	var z io.WriteCloser
	var err error
	switch coding {
	case "gzip":
		z = gzip.NewWriter(w)
	case "deflate":
		z = zlib.NewWriter(w)
	case "rawdeflate": // some servers send this as deflate
		z, err = flate.NewWriter(w, flate.DefaultCompression)
	case "br":
		z = brotli.NewWriter(w)
	case "zstd":
		z, err = zstd.NewWriter(w)
	default:
		err = fmt.Errorf("unknown content coding %q", coding)
	}
	if err != nil {
		return err
	}
	if err := body(z); err != nil {
		return err
	}
	return z.Close()
}

var number = regexp.MustCompile(`\d+`)

// expand replaces the placeholders that the marker's expand attribute allows.
func (x *exchange) expand(a *answer, text []byte) []byte {
	p, query, _ := strings.Cut(lookupKey(x.req.URL.RequestURI()), "?")
	rest := strings.TrimPrefix(p, a.prefix)
	n := 0
	if all := number.FindAllString(rest+query, -1); len(all) > 0 {
		n, _ = strconv.Atoi(all[len(all)-1])
	}
	return []byte(strings.NewReplacer(
		"{path}", x.req.URL.EscapedPath(), "{query}", query, "{rest}", rest,
		"{n}", strconv.Itoa(n), "{n+1}", strconv.Itoa(n+1), "{n-1}", strconv.Itoa(n-1),
	).Replace(string(text)))
}
