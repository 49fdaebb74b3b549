// Package ranges reads files on HTTP servers at any offset, by range requests (RFC 9110, section 14).
//
// Reading fails with a clear error, and never with wrong bytes, if a server does not support ranges, sends others than
// requested, encodes them, changes the file meanwhile or sends too slowly. Redirects are followed only within one
// origin: whoever named the address decides whether it may lead elsewhere, for instance to a private address.
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
	"strings"
	"sync"
	"time"

	"kavosh/lib/httpwire"
)

const (
	blockSize = 64 << 10 // least bytes of a request
	maxRun    = 16       // most blocks of a request
	patience  = time.Minute
	maxHops   = 5        // redirects
	maxHeader = 64 << 10 // bytes of a response's head
)

// Options say how to send requests. The zero value is fine.
type Options struct {
	// Dial opens connections; nil means the system's way, with its proxy settings.
	Dial func(ctx context.Context, network, addr string) (net.Conn, error)
	// UserAgent is the User-Agent field; "" means "Kavosh".
	UserAgent string
	// Cache bounds the memory for all files together, in bytes; 0 means 64 MiB.
	Cache int64
}

// Client opens files. It is safe for concurrent use.
type Client struct {
	http  *http.Client
	agent string
	max   int // in blocks

	mu struct {
		sync.Mutex
		blocks map[place]*list.Element // elements are *block
		recent list.List               // least recently used last
	}
}

// place identifies a block: its file and its number there.
type place struct {
	file *File
	n    int64
}

// block is blockSize bytes of a file, fewer at the end. data is valid once ready is closed.
type block struct {
	place
	ready chan struct{}
	data  []byte
	err   error
	run   int // how many blocks came in the same request
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

// sameOrigin allows redirects only within the origin of the first request.
func sameOrigin(r *http.Request, via []*http.Request) error {
	if first := via[0].URL; r.URL.Scheme != first.Scheme || r.URL.Host != first.Host {
		return fmt.Errorf("it leads to %.200s: name that address to have it from there", r.URL)
	}
	if len(via) > maxHops {
		return fmt.Errorf("it leads from one address to the next, more than %d times", maxHops)
	}
	return nil
}

// File is a file on a server. Several goroutines may use it.
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

// validators are what tells versions of a file apart.
type validators struct{ tag, modified string }

// unchanged returns the value for If-Range: a strong tag or a date; "" if there is neither.
func (v validators) unchanged() string {
	if v.tag != "" && !strings.HasPrefix(v.tag, "W/") {
		return v.tag
	}
	return v.modified
}

// differs reports whether two responses are of different versions. A server may omit one of the validators.
func (v validators) differs(w validators) bool {
	other := func(a, b string) bool { return a != "" && b != "" && a != b }
	return other(v.tag, w.tag) || other(v.modified, w.modified)
}

// IsURL reports whether a name is an http or https URL.
func IsURL(name string) bool {
	low := strings.ToLower(name[:min(len(name), 8)])
	return strings.HasPrefix(low, "http://") || strings.HasPrefix(low, "https://")
}

// Open requests the beginning of the file at address. Reading ends when ctx does. The error says in one line what is
// wrong with the address, the server or its response.
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

// block returns the n-th block of f. It reads up to block last, because those are needed too; if f is read
// sequentially, as many again.
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
	if err != nil { // the next call requests it again
		c.mu.Lock()
		for _, b := range run {
			c.forget(b)
		}
		c.mu.Unlock()
	}
	return run[0].data, run[0].err
}

// keep puts b into the cache and removes the least recently used blocks.
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

// fetch requests n bytes from offset; in the first request for a file, up to n.
func (f *File) fetch(offset, n int64) ([]byte, error) {
	ctx, cancel := context.WithTimeoutCause(f.ctx, patience, fmt.Errorf("%d bytes did not come within %v", n, patience))
	defer cancel()
	data, err := f.ask(ctx, offset, n)
	if cause := context.Cause(ctx); err != nil && cause != nil {
		return nil, cause
	}
	var failed *url.Error
	if errors.As(err, &failed) {
		err = failed.Err // without the address, which the message already has
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

// judge returns how many bytes the response to a request for n from offset has. The first response decides what later
// ones must say.
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
	first, last, size, ok := httpwire.ContentRange(answer.Header.Get("Content-Range"))
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

// change remembers that the file has changed: bytes read earlier do not fit later ones.
func (f *File) change() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.mu.changed = errors.New("the file changed at the server since it was opened: start again to read it as it is now")
	return f.mu.changed
}
