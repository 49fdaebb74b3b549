package ranges

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// serve gives a client whose every connection leads to h, in virtual time, and counts what was asked.
func serve(t *testing.T, h http.HandlerFunc) (c *Client, asked func() []string) {
	var mu sync.Mutex
	var all []string
	l := &pipes{made: make(chan net.Conn), done: make(chan struct{})}
	s := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		all = append(all, r.Header.Get("Range"))
		mu.Unlock()
		h(w, r)
	})}
	go s.Serve(l)
	c = New(Options{Dial: func(context.Context, string, string) (net.Conn, error) { return l.dial() }})
	t.Cleanup(func() { c.http.CloseIdleConnections(); s.Close(); <-time.After(2 * time.Second) }) // handlers see it
	return c, func() []string { mu.Lock(); defer mu.Unlock(); return append([]string(nil), all...) }
}

// pipes is a listener whose connections are made in memory.
type pipes struct {
	made chan net.Conn
	once sync.Once
	done chan struct{}
}

func (p *pipes) dial() (net.Conn, error) {
	ours, theirs := net.Pipe()
	p.made <- theirs
	return ours, nil
}
func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.made:
		return c, nil
	case <-p.done:
		return nil, net.ErrClosed
	}
}
func (p *pipes) Close() error   { p.once.Do(func() { close(p.done) }); return nil }
func (p *pipes) Addr() net.Addr { return &net.TCPAddr{} }

const address = "http://files.example/x.wacz"

// file is size bytes that are all different from their neighbours'.
func file(size int) []byte {
	b := make([]byte, size)
	r := rand.NewChaCha8([32]byte{})
	r.Read(b)
	return b
}

// content answers with ranges of b, as net/http does.
func content(b []byte, tag string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", tag)
		http.ServeContent(w, r, "x.wacz", time.Unix(1e9, 0), bytes.NewReader(b))
	}
}

func TestReadsWhatIsThere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const size = 3<<20 + 17
		b := file(size)
		c, asked := serve(t, content(b, `"one"`))
		f, err := c.Open(t.Context(), address)
		if err != nil || f.Size() != size {
			t.Fatalf("%v, %v", f, err)
		}
		r := rand.New(rand.NewPCG(1, 2))
		for range 200 {
			at := r.Int64N(size + 10)
			p := make([]byte, r.IntN(200_000))
			n, err := f.ReadAt(p, at)
			want := b[min(at, size):min(at+int64(len(p)), size)]
			if !bytes.Equal(p[:n], want) || (n < len(p)) != (err == io.EOF) || err != nil && err != io.EOF {
				t.Fatalf("%d bytes at %d: %d, %v", len(p), at, n, err)
			}
		}
		if n := len(asked()); n > size/blockSize+1 {
			t.Errorf("%d requests for %d blocks", n, size/blockSize+1)
		}
		if _, err := f.ReadAt(make([]byte, 1), -1); err == nil {
			t.Error("a negative offset is read")
		}
	})
}

// A file that is read from its beginning to its end takes ever larger requests, and what is read again none.
func TestReadsAhead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := file(8 << 20)
		c, asked := serve(t, content(b, `"one"`))
		f, err := c.Open(t.Context(), address)
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			got, err := io.ReadAll(io.NewSectionReader(f, 0, f.Size()))
			if err != nil || !bytes.Equal(got, b) {
				t.Fatalf("%d bytes, %v", len(got), err)
			}
		}
		if n := len(asked()); n > 16 {
			t.Errorf("%d requests: %v", n, asked())
		}
	})
}

// Several readers of one place make one request.
func TestReadersShare(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := file(1 << 20)
		c, asked := serve(t, func(w http.ResponseWriter, r *http.Request) {
			<-time.After(time.Second)
			content(b, `"one"`)(w, r)
		})
		f, err := c.Open(t.Context(), address)
		if err != nil {
			t.Fatal(err)
		}
		var wait sync.WaitGroup
		for i := range 20 {
			wait.Go(func() {
				p := make([]byte, 1000)
				if _, err := f.ReadAt(p, 500_000+int64(i)); err != nil || !bytes.Equal(p, b[500_000+i:501_000+i]) {
					t.Errorf("%v", err)
				}
			})
		}
		wait.Wait()
		if n := len(asked()); n != 2 {
			t.Errorf("%d requests", n)
		}
	})
}

func TestCacheIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := file(4 << 20)
		c, _ := serve(t, content(b, `"one"`))
		c.max = maxRun
		f, err := c.Open(t.Context(), address)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(io.NewSectionReader(f, 0, f.Size())); err != nil || !bytes.Equal(got, b) {
			t.Errorf("%d bytes, %v", len(got), err)
		}
		if n := len(c.mu.blocks); n > maxRun || n != c.mu.recent.Len() {
			t.Errorf("%d blocks are kept", n)
		}
	})
}

// What a server may do, first when a file is opened and then when it is read, and the line that says so. Never are wrong bytes
// given out, and never is waited for ever.
func TestHostileServers(t *testing.T) {
	b := file(1 << 20)
	part := func(w http.ResponseWriter, r *http.Request, answer string, body []byte) {
		w.Header().Set("ETag", `"one"`)
		w.Header().Set("Content-Range", answer)
		w.WriteHeader(http.StatusPartialContent)
		w.Write(body)
	}
	asked := func(r *http.Request) (from, to int) {
		fmt.Sscanf(r.Header.Get("Range"), "bytes=%d-%d", &from, &to)
		return from, to
	}
	for _, c := range []struct {
		name   string
		answer http.HandlerFunc
		cause  string
	}{
		{"no ranges", func(w http.ResponseWriter, r *http.Request) { w.Write(b) }, "no ranges of it"},
		{"not found", http.NotFound, `"404 Not Found"`},
		{"another range", func(w http.ResponseWriter, r *http.Request) {
			from, to := asked(r)
			part(w, r, fmt.Sprintf("bytes %d-%d/%d", from+1, to+1, len(b)), b[from+1:to+2])
		}, "when asked for"},
		{"a shorter range", func(w http.ResponseWriter, r *http.Request) {
			from, _ := asked(r)
			part(w, r, fmt.Sprintf("bytes %d-%d/%d", from, from+9, len(b)), b[from:from+10])
		}, "when asked for"},
		{"no range", func(w http.ResponseWriter, r *http.Request) { part(w, r, "", b[:10]) }, "does not say which range"},
		{"a range that is none", func(w http.ResponseWriter, r *http.Request) { part(w, r, "bytes -5-9/100", b[:10]) }, "does not say which range"},
		{"a range of an unknown whole", func(w http.ResponseWriter, r *http.Request) { part(w, r, "bytes 0-9/*", b[:10]) }, "does not say which range"},
		{"several ranges", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "multipart/byteranges; boundary=x")
			w.WriteHeader(http.StatusPartialContent)
		}, "does not say which range"},
		{"a length that the range is not", func(w http.ResponseWriter, r *http.Request) {
			from, to := asked(r)
			w.Header().Set("Content-Length", "10")
			part(w, r, fmt.Sprintf("bytes %d-%d/%d", from, to, len(b)), b[:10])
		}, "bytes are 10"},
		{"fewer bytes than it says", func(w http.ResponseWriter, r *http.Request) {
			from, to := asked(r)
			part(w, r, fmt.Sprintf("bytes %d-%d/%d", from, to, len(b)), b[from:to-100])
			w.(http.Flusher).Flush()
		}, "bytes came"},
		{"more bytes than it says", func(w http.ResponseWriter, r *http.Request) {
			from, to := asked(r)
			part(w, r, fmt.Sprintf("bytes %d-%d/%d", from, to, len(b)), b[from:to+1])
			w.(http.Flusher).Flush()
			for r.Context().Err() == nil {
				if _, err := w.Write(b); err != nil {
					return
				}
			}
		}, "more bytes came"},
		{"ranges in gzip", func(w http.ResponseWriter, r *http.Request) {
			from, to := asked(r)
			w.Header().Set("Content-Encoding", "gzip")
			part(w, r, fmt.Sprintf("bytes %d-%d/%d", from, to, len(b)), b[from:to+1])
		}, `codes ranges as "gzip"`},
		{"a byte a second, for ever", func(w http.ResponseWriter, r *http.Request) {
			from, to := asked(r)
			part(w, r, fmt.Sprintf("bytes %d-%d/%d", from, to, len(b)), nil)
			for i := from; r.Context().Err() == nil; i++ {
				w.Write(b[i : i+1])
				w.(http.Flusher).Flush()
				<-time.After(time.Second)
			}
		}, "did not come within 1m0s"},
		{"no answer at all", func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, "did not come within 1m0s"},
		{"a huge head", func(w http.ResponseWriter, r *http.Request) {
			for i := range 100 {
				w.Header().Set(fmt.Sprint("X-", i), strings.Repeat("x", 10_000))
			}
			content(b, `"one"`)(w, r)
		}, "exceeded"},
		{"a redirect to another host", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://169.254.169.254/latest", http.StatusFound)
		}, "it leads to http://169.254.169.254/latest: name that address"},
		{"a redirect to another port", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://files.example:8080/", http.StatusFound)
		}, "name that address"},
		{"redirects for ever", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, r.URL.Path+"x", http.StatusFound) }, "from one address to the next"},
		{"an empty file", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Range", "bytes */0")
			w.WriteHeader(http.StatusRequestedRangeNotSatisfiable)
		}, "empty"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var bad atomic.Bool
				client, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
					if bad.Load() {
						c.answer(w, r)
					} else {
						content(b, `"one"`)(w, r)
					}
				})
				check := func(when string, err error) {
					switch {
					case err == nil:
						t.Errorf("%s: no error", when)
					case when == "read" && c.name == "an empty file":
						if !strings.Contains(err.Error(), "changed at the server") { // it gave ranges before
							t.Errorf("%s: %v", when, err)
						}
					case !strings.Contains(err.Error(), c.cause) || !strings.HasPrefix(err.Error(), address+": ") || strings.Contains(err.Error(), "\n"):
						t.Errorf("%s: %v, want %q", when, err, c.cause)
					}
				}
				f, err := client.Open(t.Context(), address)
				if err != nil {
					t.Fatal(err)
				}
				bad.Store(true)
				_, err = client.Open(t.Context(), address)
				check("open", err)
				p := make([]byte, 10)
				_, err = f.ReadAt(p, 300_000)
				check("read", err)
				if c.name == "an empty file" {
					return
				}
				bad.Store(false) // it is not so for ever
				if _, err := f.ReadAt(p, 300_000); err != nil || !bytes.Equal(p, b[300_000:300_010]) {
					t.Errorf("later: %v", err)
				}
			})
		})
	}
}

// A file that becomes another is noticed, and no longer read, what was kept of it neither.
func TestChangeIsNoticed(t *testing.T) {
	old, new := file(1<<20), file(1<<20+1)
	for name, later := range map[string]http.HandlerFunc{
		"other tag, If-Range held against it": content(old, `"two"`),
		"other size":                          content(new, `"one"`),
		"other tag, If-Range passed over": func(w http.ResponseWriter, r *http.Request) {
			r.Header.Del("If-Range")
			content(old, `"two"`)(w, r)
		},
		"shorter": content(old[:100], `"one"`),
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var now atomic.Pointer[http.HandlerFunc]
				before := content(old, `"one"`)
				now.Store(&before)
				c, _ := serve(t, func(w http.ResponseWriter, r *http.Request) { (*now.Load())(w, r) })
				f, err := c.Open(t.Context(), address)
				if err != nil {
					t.Fatal(err)
				}
				now.Store(&later)
				p := make([]byte, 10)
				for _, at := range []int64{500_000, 0} { // the second is kept
					if _, err := f.ReadAt(p, at); err == nil || !strings.Contains(err.Error(), "changed at the server") {
						t.Errorf("at %d: %v", at, err)
					}
				}
			})
		})
	}
}

// The end of the context ends reading.
func TestContextEndsReading(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := file(1 << 20)
		var slow atomic.Bool
		c, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
			if slow.Load() {
				<-r.Context().Done()
			}
			content(b, `"one"`)(w, r)
		})
		ctx, cancel := context.WithCancel(t.Context())
		f, err := c.Open(ctx, address)
		if err != nil {
			t.Fatal(err)
		}
		slow.Store(true)
		go func() { <-time.After(time.Second); cancel() }()
		if _, err := f.ReadAt(make([]byte, 1), 500_000); !errors.Is(err, context.Canceled) {
			t.Errorf("%v", err)
		}
	})
}

func TestAddresses(t *testing.T) {
	for _, bad := range []string{"", "x.wacz", "ftp://a.example/x", "http://", "http:///x", "http://[::1/x"} {
		if _, err := New(Options{}).Open(t.Context(), bad); err == nil || !strings.Contains(err.Error(), "no address") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}
