package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// spread holds times to the first byte, in milliseconds.
type spread struct {
	Requests int     `json:"requests"`
	P50      float64 `json:"p50_ms"`
	P95      float64 `json:"p95_ms"`
	P99      float64 `json:"p99_ms"`
	Max      float64 `json:"max_ms"`
	Rate     float64 `json:"asked_a_second"` // 0 = as fast as answers come
	Second   float64 `json:"requests_a_second"`
	CPU      float64 `json:"cpu_ms"`        // of the server, per request: the figure that a busy machine changes least
	Client   float64 `json:"client_cpu_ms"` // of the clients, which share the processors
}

// ask sends n requests by several clients. At rate 0 each client sends its next request as soon as it has an answer: a
// closed loop that keeps the processors busy, so that requests mostly wait for each other. Otherwise requests are due
// at random moments, rate per second over all clients (a Poisson process). A request's time counts from when it was
// due, even if its client was still waiting for the answer before, so that slow answers are not hidden (Tene's
// coordinated omission). For a client that slept, it counts from when it woke, because waking late is not the server's
// fault. Each answer must have the status.
func (o *settings) ask(ctx context.Context, n, status int, rate float64, base *server, path func(i int) string) (spread, error) {
	times := make([]time.Duration, n)
	var next atomic.Int64
	var wait sync.WaitGroup
	failed := make([]error, o.clients)
	began, used := time.Now(), processor()
	for k := range o.clients {
		wait.Go(func() { failed[k] = o.client(ctx, k, times, &next, status, rate, base, path) })
	}
	wait.Wait()
	took := time.Since(began)
	if err := errors.Join(failed...); err != nil {
		return spread{}, err
	}
	slices.Sort(times)
	at := func(share float64) float64 { return float64(times[int(share*float64(n-1))].Microseconds()) / 1000 }
	return spread{Requests: n, P50: at(0.5), P95: at(0.95), P99: at(0.99), Max: at(1), Rate: rate, Second: float64(n) / took.Seconds(),
		Client: float64((processor() - used).Microseconds()) / 1000 / float64(n)}, nil
}

// client takes requests until there are none.
func (o *settings) client(ctx context.Context, k int, times []time.Duration, next *atomic.Int64, status int,
	rate float64, of *server, path func(i int) string) error {
	c, err := dial(ctx, of.host)
	if err != nil {
		return err
	}
	defer c.conn.Close()
	random := rand.New(rand.NewPCG(3, uint64(k)))
	for due := time.Now(); ; {
		i := int(next.Add(1)) - 1
		if i >= len(times) || ctx.Err() != nil {
			return ctx.Err()
		}
		start := time.Now()
		if rate > 0 {
			due = due.Add(time.Duration(random.ExpFloat64() * float64(o.clients) / rate * float64(time.Second)))
			if pause := due.Sub(start); pause > 0 {
				time.Sleep(pause)
				start = time.Now()
			} else {
				start = due
			}
		}
		first, got, err := c.get(path(i))
		if err == nil && got != status {
			err = fmt.Errorf("status %d, want %d", got, status)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", path(i), err)
		}
		times[i] = first.Sub(start)
	}
}

// connection sends requests to one server. It uses little of the processors that it shares with the server: it reads
// only as much of an answer as it needs to find its end.
type connection struct {
	conn net.Conn
	host string
	in   *bufio.Reader
	out  []byte
}

func dial(ctx context.Context, host string) (*connection, error) {
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", host)
	if err != nil {
		return nil, err
	}
	return &connection{conn: conn, host: host, in: bufio.NewReaderSize(conn, 64<<10)}, nil
}

// get requests a path and reads the whole answer. first is when its first byte came.
func (c *connection) get(path string) (first time.Time, status int, err error) {
	c.out = append(append(append(c.out[:0], "GET "...), path...), " HTTP/1.1\r\nHost: "...)
	c.out = append(append(c.out, c.host...), "\r\n\r\n"...)
	if _, err := c.conn.Write(c.out); err != nil {
		return first, 0, err
	}
	if _, err := c.in.Peek(1); err != nil {
		return first, 0, err
	}
	first = time.Now()
	length, chunked := 0, false
	for n := 0; ; n++ {
		line, err := c.in.ReadSlice('\n')
		if err != nil {
			return first, 0, err
		}
		line = bytes.TrimRight(line, "\r\n")
		switch name, value, _ := bytes.Cut(line, []byte(": ")); {
		case n == 0 && len(line) > len("HTTP/1.1 200"):
			status, err = strconv.Atoi(string(line[len("HTTP/1.1 "):len("HTTP/1.1 200")]))
		case len(line) == 0:
			return first, status, c.skip(length, chunked)
		case string(name) == "Content-Length":
			length, err = strconv.Atoi(string(value))
		case string(name) == "Transfer-Encoding":
			chunked = true
		}
		if err != nil {
			return first, 0, err
		}
	}
}

// skip skips the body of an answer.
func (c *connection) skip(length int, chunked bool) error {
	for {
		if chunked {
			line, err := c.in.ReadSlice('\n')
			if err != nil {
				return err
			}
			n, err := strconv.ParseUint(string(bytes.TrimRight(line, "\r\n")), 16, 31)
			if err != nil {
				return err
			}
			if length = int(n) + len("\r\n"); n == 0 {
				chunked = false
			}
		}
		if _, err := c.in.Discard(length); err != nil || !chunked {
			return err
		}
	}
}

// processor returns the processor time of this process, that is, of the clients.
func processor() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
