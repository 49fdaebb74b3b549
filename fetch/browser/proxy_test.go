package browser

import (
	"context"
	"io"
	"net"
	"testing"
	"time"

	"kavosh"
	"kavosh/internal/chromium"
	"kavosh/internal/clock"
)

// TestProxyIsNoServer asks a page's proxy as a web site could that leads its own name to this machine: it is no server, and answers
// nothing.
func TestProxyIsNoServer(t *testing.T) {
	asked := make(chan string, 8)
	p, err := newProxy(t.Context(), clock.Real{}, nil, func(_ context.Context, r *Request, _ func(*kavosh.Exchange)) { asked <- r.URL })
	if err != nil {
		t.Fatal(err)
	}
	defer p.close()
	for _, request := range []string{
		"GET / HTTP/1.1\r\nHost: evil.test\r\n\r\n", "GET / HTTP/1.1\r\nHost: " + p.address() + "\r\n\r\n", "POST /x HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n",
		"GET file:///etc/passwd HTTP/1.1\r\nHost: localhost\r\n\r\n",
	} {
		c, err := net.Dial("tcp", p.address())
		if err != nil {
			t.Fatal(err)
		}
		c.SetDeadline(time.Now().Add(10 * time.Second))
		io.WriteString(c, request)
		if said, err := io.ReadAll(c); len(said) > 0 || err != nil && !isReset(err) {
			t.Errorf("%q: %s, %v", request, said, err)
		}
		c.Close()
	}
	select {
	case url := <-asked:
		t.Errorf("the crawl was asked for %s", url)
	default:
	}
}

func isReset(err error) bool {
	e, ok := err.(net.Error)
	return ok && !e.Timeout()
}

// TestTunnelEndsQuiet: a page that asks for a tunnel does not rest, for what it asks the tunnel for comes in a moment.
func TestTunnelEndsQuiet(t *testing.T) {
	p, err := newProxy(t.Context(), clock.Real{}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer p.close()
	p.mu.Lock()
	p.mu.changed = p.mu.changed.Add(-time.Hour)
	p.mu.Unlock()
	c, err := net.Dial("tcp", p.address())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	io.WriteString(c, "CONNECT a.test:80 HTTP/1.1\r\nHost: a.test:80\r\n\r\n")
	if _, err := c.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	if q := p.quiet(); q > time.Minute {
		t.Errorf("quiet for %v after a tunnel was asked for", q)
	}
}

// TestPoolMemory wants all processes together to keep within the memory that the crawl gives them.
func TestPoolMemory(t *testing.T) {
	for _, most := range []int64{0, 600 << 20, 2 << 30, 5 << 30} {
		p := newPool(chromium.Options{}, most, clock.Real{})
		if processes := int64(cap(p.free) / tabs); processes < 1 || p.memory > maxMemory || most > 0 && processes*p.memory > most {
			t.Errorf("of %d bytes %d processes take %d each", most, processes, p.memory)
		}
	}
}
