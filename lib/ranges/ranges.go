// Package ranges reads files at HTTP servers at random, by asking for ranges of bytes (RFC 9110, section 14).
//
// A server that does not give ranges, gives others than were asked, codes them, changes the file meanwhile or sends too slowly
// is found out: reading fails with a line that says so, and never with wrong bytes. Redirects are followed within one origin
// alone: who named the address decides whether it may lead elsewhere, to a private address for one.
package ranges

import (
	"container/list"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	blockSize = 64 << 10 // bytes that are asked for at least
	maxRun    = 16       // blocks that are asked for at most in one request
	patience  = time.Minute
	maxHops   = 5        // redirects
	maxHeader = 64 << 10 // bytes of an answer's head
)

// Options say how to ask. The zero value works.
type Options struct {
	// Dial connects; nil for the system's own way, with its proxy settings.
	Dial func(ctx context.Context, network, addr string) (net.Conn, error)
	// UserAgent is who asks; "" for "Kavosh".
	UserAgent string
	// Cache is how many bytes are kept in memory of all files together; 0 for 64 MiB.
	Cache int64
}

// Client opens files. It is safe for concurrent use.
type Client struct {
	http  *http.Client
	agent string
	max   int // blocks

	mu struct {
		sync.Mutex
		blocks map[place]*list.Element // of *block
		recent list.List               // the least recently used last
	}
}

// place is where a block lies: its number in a file.
type place struct {
	file *File
	n    int64
}

// block is blockSize bytes of a file, fewer at its end. Its data are there when ready is closed.
type block struct {
	place
	ready chan struct{}
	data  []byte
	err   error
	run   int // how many blocks came with it
}

// New makes a client.
func New(o Options) *Client {
	t := &http.Transport{
		Proxy: http.ProxyFromEnvironment, DialContext: (&net.Dialer{Timeout: 10 * time.Second}).DialContext,
		TLSHandshakeTimeout: 10 * time.Second,
		IdleConnTimeout:     time.Minute, DisableCompression: true, ForceAttemptHTTP2: true, MaxResponseHeaderBytes: maxHeader,
	}
	if o.Dial != nil {
		t.Proxy, t.DialContext = nil, o.Dial
	}
	c := &Client{http: &http.Client{Transport: t, CheckRedirect: sameOrigin}, agent: o.UserAgent, max: int(o.Cache / blockSize)}
	if c.agent == "" {
		c.agent = "Kavosh"
	}
	if o.Cache == 0 {
		c.max = 64 << 20 / blockSize
	}
	c.max = max(c.max, maxRun)
	c.mu.blocks = map[place]*list.Element{}
	return c
}

// sameOrigin follows redirects that stay where the address that was named is.
func sameOrigin(r *http.Request, via []*http.Request) error {
	if first := via[0].URL; r.URL.Scheme != first.Scheme || r.URL.Host != first.Host {
		return fmt.Errorf("it leads to %.200s: name that address to have it from there", r.URL)
	}
	if len(via) > maxHops {
		return fmt.Errorf("it leads from one address to the next, more than %d times", maxHops)
	}
	return nil
}

// File is a file at a server. It may be used by several goroutines.
type File struct {
	client *Client
	ctx    context.Context // ends all reading
	url    string
	size   int64
	first  validators

	mu struct {
		sync.Mutex
		changed error
	}
}

// validators are what a server tells versions of a file apart by.
type validators struct{ tag, modified string }

// unchanged is what If-Range can hold: a strong tag, or a date; "" for neither.
func (v validators) unchanged() string {
	if v.tag != "" && !strings.HasPrefix(v.tag, "W/") {
		return v.tag
	}
	return v.modified
}

// differs reports whether two answers are of different versions. A server may leave one of them out.
func (v validators) differs(w validators) bool {
	other := func(a, b string) bool { return a != "" && b != "" && a != b }
	return other(v.tag, w.tag) || other(v.modified, w.modified)
}

// IsURL reports whether a name is the address of a file at an HTTP server.
func IsURL(name string) bool {
	low := strings.ToLower(name[:min(len(name), 8)])
	return strings.HasPrefix(low, "http://") || strings.HasPrefix(low, "https://")
}

// Open asks for the beginning of the file at an address. Reading ends when ctx does. The error is one line that says what is
// wrong with the address, the server or its answer.
func (c *Client) Open(ctx context.Context, address string) (*File, error) {
	if u, err := url.Parse(address); err != nil || !IsURL(address) || u.Host == "" {
		return nil, fmt.Errorf("%.200q is no address of a file at an HTTP server", address)
	}
	f := &File{client: c, ctx: ctx, url: address, size: -1}
	b := &block{place: place{f, 0}, ready: make(chan struct{}), run: 1}
	if b.data, b.err = f.fetch(0, blockSize); b.err != nil {
		return nil, fmt.Errorf("%s: %w", address, b.err)
	}
	close(b.ready)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.keep(b)
	return f, nil
}

// Size is the length of the file in bytes.
func (f *File) Size() int64 { return f.size }

// ReadAt reads len(p) bytes from offset.
func (f *File) ReadAt(p []byte, offset int64) (int, error) {
	if offset < 0 {
		return 0, fmt.Errorf("%s: negative offset", f.url)
	}
	n := 0
	for n < len(p) && offset < f.size {
		data, err := f.block(offset/blockSize, (min(offset+int64(len(p)-n), f.size)-1)/blockSize)
		if err != nil {
			return n, fmt.Errorf("%s: %w", f.url, err)
		}
		k := copy(p[n:], data[offset%blockSize:])
		n, offset = n+k, offset+int64(k)
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// block is the n-th block of f. Those up to last will be wanted too, and if f is read one after the other, as many again.
func (f *File) block(n, last int64) ([]byte, error) {
	f.mu.Lock()
	changed := f.mu.changed
	f.mu.Unlock()
	if changed != nil {
		return nil, changed
	}
	c := f.client
	c.mu.Lock()
	if e := c.mu.blocks[place{f, n}]; e != nil {
		c.mu.recent.MoveToFront(e)
		b := e.Value.(*block)
		c.mu.Unlock()
		<-b.ready
		return b.data, b.err
	}
	ahead := 0
	if e := c.mu.blocks[place{f, n - 1}]; e != nil {
		ahead = 2 * e.Value.(*block).run
	}
	last = min(max(last, n, n+int64(ahead)-1), n+maxRun-1, (f.size-1)/blockSize)
	var run []*block
	for i := n; i <= last && c.mu.blocks[place{f, i}] == nil; i++ {
		b := &block{place: place{f, i}, ready: make(chan struct{})}
		run = append(run, b)
		c.keep(b)
	}
	c.mu.Unlock()

	data, err := f.fetch(n*blockSize, min(int64(len(run))*blockSize, f.size-n*blockSize))
	for i, b := range run {
		if b.run, b.err = len(run), err; err == nil {
			b.data = data[i*blockSize : min((i+1)*blockSize, len(data)) : min((i+1)*blockSize, len(data))]
		}
		close(b.ready)
	}
	if err != nil { // it is asked for again the next time
		c.mu.Lock()
		for _, b := range run {
			c.forget(b)
		}
		c.mu.Unlock()
	}
	return run[0].data, run[0].err
}

// keep puts b into the cache, and removes what was not used for longest.
func (c *Client) keep(b *block) {
	c.mu.blocks[b.place] = c.mu.recent.PushFront(b)
	for c.mu.recent.Len() > c.max {
		c.forget(c.mu.recent.Back().Value.(*block))
	}
}

func (c *Client) forget(b *block) {
	if e := c.mu.blocks[b.place]; e != nil && e.Value == b {
		c.mu.recent.Remove(e)
		delete(c.mu.blocks, b.place)
	}
}

// fetch asks for n bytes from offset; of a file that was not asked for before, for up to n.
func (f *File) fetch(offset, n int64) ([]byte, error) {
	ctx, cancel := context.WithTimeoutCause(f.ctx, patience, fmt.Errorf("%d bytes did not come within %v", n, patience))
	defer cancel()
	data, err := f.ask(ctx, offset, n)
	if cause := context.Cause(ctx); err != nil && cause != nil {
		return nil, cause
	}
	var failed *url.Error
	if errors.As(err, &failed) {
		err = failed.Err // without the address, which stands before
	}
	return data, err
}

func (f *File) ask(ctx context.Context, offset, n int64) ([]byte, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, f.url, nil)
	if err != nil {
		return nil, err
	}
	r.Header.Set("User-Agent", f.client.agent)
	r.Header.Set("Accept-Encoding", "identity")
	r.Header.Set("Range", fmt.Sprintf("bytes=%d-%d", offset, offset+n-1))
	if v := f.first.unchanged(); v != "" {
		r.Header.Set("If-Range", v)
	}
	answer, err := f.client.http.Do(r)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	n, err = f.judge(answer, offset, n)
	if err != nil {
		return nil, err
	}
	data := make([]byte, n)
	if got, err := io.ReadFull(answer.Body, data); err != nil {
		return nil, fmt.Errorf("%d of %d bytes came: %w", got, n, err)
	}
	if more, _ := io.ReadFull(answer.Body, make([]byte, 1)); more > 0 {
		return nil, errors.New("more bytes came than the server said")
	}
	return data, nil
}

// judge says how many bytes the answer to a request for n from offset brings. The first answer says what later ones must.
func (f *File) judge(answer *http.Response, offset, n int64) (int64, error) {
	now := validators{answer.Header.Get("ETag"), answer.Header.Get("Last-Modified")}
	opened := f.size >= 0
	switch {
	case answer.StatusCode == http.StatusOK && opened && (now.differs(f.first) || answer.ContentLength >= 0 && answer.ContentLength != f.size):
		return 0, f.change()
	case answer.StatusCode == http.StatusOK:
		return 0, errors.New("the server gives the file whole alone, no ranges of it: download it, and name the copy")
	case answer.StatusCode == http.StatusRequestedRangeNotSatisfiable && opened:
		return 0, f.change()
	case answer.StatusCode == http.StatusRequestedRangeNotSatisfiable:
		return 0, errors.New("the file is empty")
	case answer.StatusCode != http.StatusPartialContent:
		return 0, fmt.Errorf("the server answered %.100q", answer.Status)
	}
	if coding := answer.Header.Get("Content-Encoding"); coding != "" && coding != "identity" {
		return 0, fmt.Errorf("the server codes ranges as %.40q, so that they are none of the file: download it, and name the copy", coding)
	}
	first, last, size, ok := contentRange(answer.Header.Get("Content-Range"))
	if !ok {
		return 0, fmt.Errorf("the server does not say which range it sends: Content-Range is %.100q", answer.Header.Get("Content-Range"))
	}
	if !opened {
		f.size, f.first = size, now
	}
	if size != f.size || now.differs(f.first) {
		return 0, f.change()
	}
	if n = min(n, size-offset); first != offset || last != offset+n-1 {
		return 0, fmt.Errorf("the server sends bytes %d to %d when asked for %d to %d", first, last, offset, offset+n-1)
	}
	if answer.ContentLength >= 0 && answer.ContentLength != n {
		return 0, fmt.Errorf("the server says that %d bytes are %d", n, answer.ContentLength)
	}
	return n, nil
}

// change remembers that the file is another now: what was read of it before does not fit what would be read.
func (f *File) change() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.mu.changed = errors.New("the file changed at the server since it was opened: start again to read it as it is now")
	return f.mu.changed
}

// contentRange reads "bytes FIRST-LAST/SIZE".
func contentRange(s string) (first, last, size int64, ok bool) {
	s, ok = strings.CutPrefix(s, "bytes ")
	span, of, ok2 := strings.Cut(s, "/")
	from, to, ok3 := strings.Cut(span, "-")
	number := func(s string) int64 {
		n, err := strconv.ParseInt(s, 10, 64)
		if err != nil || s[0] < '0' || s[0] > '9' {
			return -1
		}
		return n
	}
	first, last, size = number(from), number(to), number(of)
	return first, last, size, ok && ok2 && ok3 && 0 <= first && first <= last && last < size
}
