package main

import (
	"bufio"
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/big"
	"net"
	"os"
	"sync/atomic"
	"syscall"
	"time"
)

// siteFlags say what to serve: the same flags for the measuring program, the server and the profile.
type siteFlags struct {
	kind  string // "hard", "easy", or a folder to mirror
	pages int
	seed  uint64
	tls   bool
}

func (f *siteFlags) register(set *flag.FlagSet) {
	set.StringVar(&f.kind, "site", "hard", "hard or easy `text`, or a folder of real pages")
	set.IntVar(&f.pages, "pages", 20_000, "pages of the site")
	set.Uint64Var(&f.seed, "seed", 1, "of the made-up text")
	set.BoolVar(&f.tls, "tls", false, "serve over TLS")
}

func (f *siteFlags) args() []string {
	return []string{"serve", "-site", f.kind, "-pages", fmt.Sprint(f.pages), "-seed", fmt.Sprint(f.seed), fmt.Sprintf("-tls=%t", f.tls)}
}

// server serves a site with prepared responses from memory, to use as little of the machine as possible.
type server struct {
	site   *site
	robots []byte
	lost   []byte
	byPath []map[string]int32 // by host: path to page
	served []atomic.Bool      // by page
	asked  atomic.Int64       // requests of all kinds
	pages  atomic.Int64       // different pages served
	errors atomic.Int64       // requests for missing pages
}

// started is what the server prints on standard output when it is ready.
type started struct {
	Seeds []string `json:"seeds"` // URLs; all pages can be reached from the first
	Scope string   `json:"scope"` // scope for a crawl from these seeds that stays on the site: "any" or "host"
	Hosts int      `json:"hosts"` // addresses from 127.0.1.1 on
	Pages int      `json:"pages"`
	Bytes int64    `json:"bytes"` // of all bodies
	CA    string   `json:"ca"`    // certificate in PEM, over TLS
}

// counts is what the server prints when asked for counts, which then restart.
type counts struct {
	Requests int64 `json:"requests"`
	Pages    int64 `json:"pages"` // different ones
	Errors   int64 `json:"errors"`
}

// serve is the server's process. It serves until standard input ends. A line "counts" there asks for the counts since
// the last time, a line "urls" for the URLs of all pages.
func serve(args []string) error {
	var f siteFlags
	set := flag.NewFlagSet("serve", flag.ExitOnError)
	f.register(set)
	set.Parse(args)
	listeners, port, err := listen()
	if err != nil {
		return err
	}
	scheme := "http"
	if f.tls {
		scheme = "https"
	}
	origin := func(h int) string { return fmt.Sprintf("%s://%s:%d", scheme, hostAddress(h), port) }
	s := &server{}
	ready := started{Seeds: []string{origin(0) + "/"}, Scope: "any"}
	if f.kind == "hard" || f.kind == "easy" {
		s.site = synthetic(f.pages, f.kind == "easy", f.seed, origin)
	} else {
		if s.site, err = mirror(f.kind, f.pages, origin); err != nil {
			return err
		}
		ready.Scope = "host" // real pages also link elsewhere
		for h := range s.site.hosts {
			ready.Seeds = append(ready.Seeds, origin(h)+"/index.html")
		}
	}
	s.prepare()
	ready.Hosts, ready.Pages = s.site.hosts, len(s.site.pages)
	for _, p := range s.site.pages {
		ready.Bytes += int64(len(p.answer) - p.head)
	}
	var config *tls.Config
	if f.tls {
		if config, ready.CA, err = certificate(); err != nil {
			return err
		}
	}
	for h, l := range listeners {
		if h < s.site.hosts {
			go s.accept(l, h, config)
		}
	}
	out := json.NewEncoder(os.Stdout)
	if err := out.Encode(ready); err != nil {
		return err
	}
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		var answer any
		switch in.Text() {
		case "counts":
			answer = s.counts()
		case "urls":
			answer = s.urls()
		}
		if err := out.Encode(answer); err != nil {
			return err
		}
	}
	return in.Err()
}

// listen opens one port at the addresses of all hosts.
func listen() (listeners []net.Listener, port int, err error) {
	for range 20 {
		port = 0
		for h := range hosts {
			var l net.Listener
			if l, err = net.Listen("tcp4", fmt.Sprintf("%s:%d", hostAddress(h), port)); err != nil {
				break
			}
			listeners = append(listeners, l)
			port = l.Addr().(*net.TCPAddr).Port
		}
		if err == nil {
			return listeners, port, nil
		}
		for _, l := range listeners { // the port is in use at one of the addresses: try another
			l.Close()
		}
		listeners = nil
	}
	return nil, 0, err
}

func (s *server) prepare() {
	s.robots = newPage(0, "/robots.txt", "text/plain", []byte("User-agent: *\nDisallow: /private/\n")).answer
	s.lost = []byte("HTTP/1.1 404 Not Found\r\nContent-Type: text/plain\r\nContent-Length: 10\r\n\r\nnot found\n")
	s.byPath = make([]map[string]int32, s.site.hosts)
	for h := range s.byPath {
		s.byPath[h] = map[string]int32{}
	}
	for i, p := range s.site.pages {
		s.byPath[p.host][p.path] = int32(i)
	}
	s.served = make([]atomic.Bool, len(s.site.pages))
}

// counts returns the counts since the last call.
func (s *server) counts() counts {
	for i := range s.served {
		s.served[i].Store(false)
	}
	return counts{Requests: s.asked.Swap(0), Pages: s.pages.Swap(0), Errors: s.errors.Swap(0)}
}

func (s *server) urls() []string {
	var all []string
	for _, p := range s.site.pages {
		all = append(all, s.site.origin(p.host)+p.path)
	}
	return all
}

func (s *server) accept(l net.Listener, host int, config *tls.Config) {
	for {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		go s.converse(conn, host, config)
	}
}

// prompt acknowledges immediately what it reads during a TLS handshake. wget sends the end of its handshake in two
// pieces, the second only after the first is acknowledged, which otherwise takes 40 ms. That would say nothing about
// crawlers.
type prompt struct {
	*net.TCPConn
	made bool
}

// Read reads, and acknowledges until the handshake is done.
func (p *prompt) Read(b []byte) (int, error) {
	n, err := p.TCPConn.Read(b)
	if err != nil || p.made {
		return n, err
	}
	raw, err := p.SyscallConn()
	if err != nil {
		return n, err
	}
	var failed error
	err = raw.Control(func(fd uintptr) {
		failed = syscall.SetsockoptInt(int(fd), syscall.IPPROTO_TCP, syscall.TCP_QUICKACK, 1)
	})
	return n, errors.Join(err, failed)
}

func secure(conn *net.TCPConn, config *tls.Config) (net.Conn, error) {
	p := &prompt{TCPConn: conn}
	session := tls.Server(p, config)
	err := session.Handshake()
	p.made = true
	return session, err
}

// converse answers the requests on one connection. It knows only as much of HTTP as these crawlers need.
func (s *server) converse(conn net.Conn, host int, config *tls.Config) {
	defer conn.Close()
	if config != nil {
		var err error
		if conn, err = secure(conn.(*net.TCPConn), config); err != nil {
			return
		}
	}
	buf, n := make([]byte, 8<<10), 0
	for {
		end := bytes.Index(buf[:n], []byte("\r\n\r\n"))
		if end < 0 {
			if n == len(buf) {
				return
			}
			m, err := conn.Read(buf[n:])
			if err != nil {
				return
			}
			n += m
			continue
		}
		request := buf[:end+4]
		method, rest, _ := bytes.Cut(request, []byte(" "))
		target, rest, _ := bytes.Cut(rest, []byte(" "))
		if _, err := conn.Write(s.answer(host, target, string(method) == "HEAD")); err != nil {
			return
		}
		if bytes.HasPrefix(rest, []byte("HTTP/1.0")) && !bytes.Contains(rest, []byte("eep-")) ||
			bytes.Contains(rest, []byte("onnection: close")) {
			return
		}
		n = copy(buf, buf[end+4:n])
	}
}

func (s *server) answer(host int, target []byte, headOnly bool) []byte {
	s.asked.Add(1)
	if string(target) == "/robots.txt" {
		return s.robots
	}
	i, ok := s.byPath[host][string(target)]
	if !ok {
		s.errors.Add(1)
		return s.lost
	}
	p := &s.site.pages[i]
	if headOnly {
		return p.answer[:p.head]
	}
	if !s.served[i].Swap(true) {
		s.pages.Add(1)
	}
	return p.answer
}

// certificate makes a self-signed certificate for all hosts.
func certificate() (config *tls.Config, authority string, err error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, "", err
	}
	from := time.Now().Add(-time.Hour)
	t := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "bench"}, NotBefore: from, NotAfter: from.AddDate(0, 0, 30),
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		BasicConstraintsValid: true, IsCA: true,
	}
	for h := range hosts {
		t.IPAddresses = append(t.IPAddresses, net.ParseIP(hostAddress(h)))
	}
	der, err := x509.CreateCertificate(rand.Reader, t, t, &key.PublicKey, key)
	if err != nil {
		return nil, "", err
	}
	config = &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}, NextProtos: []string{"http/1.1"}}
	return config, string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})), nil
}

// serving is a running server process.
type serving struct {
	started
	child *child
	out   *json.Decoder
}

// startServer starts a server's process and waits until it is ready.
func startServer(f siteFlags) (*serving, error) {
	c, err := startSelf(f.args())
	if err != nil {
		return nil, err
	}
	s := &serving{child: c, out: json.NewDecoder(c.out)}
	if err := s.out.Decode(&s.started); err != nil {
		c.close()
		if errors.Is(err, io.EOF) {
			err = errors.New("the server ended before it was ready")
		}
		return nil, err
	}
	return s, nil
}

// ask sends the server a line and reads its answer.
func (s *serving) ask(what string, answer any) error {
	if _, err := io.WriteString(s.child.in, what+"\n"); err != nil {
		return err
	}
	return s.out.Decode(answer)
}

func (s *serving) close() error { return s.child.close() }
