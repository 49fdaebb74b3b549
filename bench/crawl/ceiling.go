package main

import (
	"bytes"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"strconv"
	"sync"

	"github.com/klauspost/compress/gzip"
	"golang.org/x/net/html"
)

type ceilingWork struct {
	URLs []string `json:"urls"`
	CA   string   `json:"ca"`
}

// ceilingResult is what the ceiling prints on standard output.
type ceilingResult struct {
	Pages, Links, Bytes int64 // Bytes: size of the file
	Digest              byte  // of all digests, so that the compiler cannot leave any out
}

// ceiling is the process of the bare loop. It fetches given URLs over kept connections, computes the SHA-256 of each
// page, searches it for links, compresses it with klauspost/compress's gzip and appends it to one file. It has no
// queue, politeness, index or care for misbehaving servers: a Go crawler that does these four things with these
// libraries cannot be faster. Links are found by golang.org/x/net/html's tokenizer, or by a lean scan that is about as
// fast as possible.
func ceiling(args []string) error {
	set := flag.NewFlagSet("ceiling", flag.ExitOnError)
	level := set.Int("level", 6, "of gzip; 0 leaves packing out")
	lean := set.Bool("lean", false, "find links by a lean scan, not with a tokenizer")
	workers := set.Int("workers", 16, "connections in use at once")
	told := set.String("work", "", "`file` with the URLs")
	file := set.String("file", "", "what to write")
	set.Parse(args)
	var work ceilingWork
	text, err := os.ReadFile(*told)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, &work); err != nil {
		return err
	}
	out, err := os.Create(*file)
	if err != nil {
		return err
	}
	loops := make([]bareLoop, *workers)
	byHost := map[string]int{} // host to the loop that fetches from it
	for _, u := range work.URLs {
		p, err := url.Parse(u)
		if err != nil {
			return err
		}
		n, ok := byHost[p.Host]
		if !ok {
			n = len(byHost) % *workers
			byHost[p.Host] = n
		}
		loops[n].urls = append(loops[n].urls, p)
	}
	var (
		wg     sync.WaitGroup
		mu     sync.Mutex
		total  ceilingResult
		failed error
	)
	var roots *x509.CertPool
	if work.CA != "" {
		roots = x509.NewCertPool()
		roots.AppendCertsFromPEM([]byte(work.CA))
	}
	for i := range loops {
		l := &loops[i]
		l.roots, l.conns, l.in, l.links = roots, map[string]net.Conn{}, make([]byte, 64<<10), tokenized
		if *lean {
			l.links = scanned
		}
		if *level != 0 {
			if l.zip, err = gzip.NewWriterLevel(io.Discard, *level); err != nil {
				return err
			}
		}
		l.write = func(p []byte) error {
			mu.Lock()
			defer mu.Unlock()
			n, err := out.Write(p)
			total.Bytes += int64(n)
			return err
		}
		wg.Go(func() {
			err := l.run()
			mu.Lock()
			defer mu.Unlock()
			total.Pages += l.result.Pages
			total.Links += l.result.Links
			total.Digest ^= l.result.Digest
			failed = errors.Join(failed, err)
		})
	}
	wg.Wait()
	if failed != nil {
		return failed
	}
	if err := out.Sync(); err != nil {
		return err
	}
	if err := out.Close(); err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(total)
}

// bareLoop fetches one page after another.
type bareLoop struct {
	urls   []*url.URL
	roots  *x509.CertPool
	conns  map[string]net.Conn
	links  func(page []byte) int64
	zip    *gzip.Writer // nil means no compression
	write  func([]byte) error
	in     []byte // a response
	out    bytes.Buffer
	result ceilingResult
}

func (l *bareLoop) run() error {
	var request []byte
	for _, u := range l.urls {
		conn, err := l.conn(u)
		if err != nil {
			return err
		}
		request = fmt.Appendf(request[:0], "GET %s HTTP/1.1\r\nHost: %s\r\n\r\n", u.EscapedPath(), u.Host)
		if _, err := conn.Write(request); err != nil {
			return err
		}
		answer, body, err := l.receive(conn)
		if err != nil {
			return fmt.Errorf("%s: %w", u, err)
		}
		digest := sha256.Sum256(body)
		l.result.Digest ^= digest[0]
		l.result.Links += l.links(body)
		l.result.Pages++
		if l.zip != nil {
			l.out.Reset()
			l.zip.Reset(&l.out)
			if _, err := l.zip.Write(answer); err != nil {
				return err
			}
			if err := l.zip.Close(); err != nil {
				return err
			}
			answer = l.out.Bytes()
		}
		if err := l.write(answer); err != nil {
			return err
		}
	}
	for _, c := range l.conns {
		c.Close()
	}
	return nil
}

// conn returns the kept connection to a URL's host.
func (l *bareLoop) conn(u *url.URL) (net.Conn, error) {
	if c := l.conns[u.Host]; c != nil {
		return c, nil
	}
	c, err := net.Dial("tcp4", u.Host)
	if err != nil {
		return nil, err
	}
	if u.Scheme == "https" {
		c = tls.Client(c, &tls.Config{ServerName: u.Hostname(), RootCAs: l.roots})
	}
	l.conns[u.Host] = c
	return c, nil
}

// receive reads one response with a Content-Length.
func (l *bareLoop) receive(conn net.Conn) (answer, body []byte, err error) {
	n, head, size := 0, 0, -1
	for size < 0 || n < size {
		if n == len(l.in) {
			l.in = append(l.in, make([]byte, max(len(l.in), size-n))...)
		}
		m, err := conn.Read(l.in[n:])
		n += m
		if err != nil {
			return nil, nil, err
		}
		if size < 0 {
			end := bytes.Index(l.in[:n], []byte("\r\n\r\n"))
			if end < 0 {
				continue
			}
			_, field, _ := bytes.Cut(l.in[:end+2], []byte("\r\nContent-Length: "))
			digits, _, _ := bytes.Cut(field, []byte("\r\n"))
			length, err := strconv.Atoi(string(digits))
			if err != nil {
				return nil, nil, err
			}
			head = end + 4
			size = head + length
		}
	}
	return l.in[:n], l.in[head:n], nil
}

// tokenized counts the links of a page with a full HTML tokenizer.
func tokenized(body []byte) (n int64) {
	z := html.NewTokenizer(bytes.NewReader(body))
	for {
		switch z.Next() {
		case html.ErrorToken:
			return n
		case html.StartTagToken, html.SelfClosingTagToken:
			_, more := z.TagName()
			for more {
				var key []byte
				key, _, more = z.TagAttr()
				if k := string(key); k == "href" || k == "src" {
					n++
				}
			}
		}
	}
}

// scanned counts the links of a page by searching for tags and attributes; it ignores what scripts and comments are.
func scanned(b []byte) (n int64) {
	for {
		i := bytes.IndexByte(b, '<')
		if i < 0 || i+1 >= len(b) {
			return n
		}
		b = b[i+1:]
		if c := b[0] | 0x20; c < 'a' || c > 'z' {
			continue
		}
		for len(b) > 0 && b[0] > ' ' && b[0] != '>' {
			b = b[1:]
		}
		for {
			for len(b) > 0 && (b[0] <= ' ' || b[0] == '/') {
				b = b[1:]
			}
			if len(b) == 0 || b[0] == '>' {
				break
			}
			end := 0
			for end < len(b) && b[end] > ' ' && b[end] != '=' && b[end] != '>' {
				end++
			}
			name := b[:end]
			b = b[end:]
			if len(b) < 2 || b[0] != '=' {
				if end == 0 {
					break
				}
				continue
			}
			if string(name) == "href" || string(name) == "src" {
				n++
			}
			if quote := b[1]; quote == '"' || quote == '\'' {
				b = b[2:]
				if end = bytes.IndexByte(b, quote); end < 0 {
					return n
				}
				b = b[end+1:]
				continue
			}
			for b = b[1:]; len(b) > 0 && b[0] > ' ' && b[0] != '>'; {
				b = b[1:]
			}
		}
	}
}
