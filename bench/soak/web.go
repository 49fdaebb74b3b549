package main

import (
	"bufio"
	"bytes"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/miekg/dns"
)

// web is a web of many hosts in which everything follows from the seed and the URL. A host has 5 to about 5,000 pages
// (few have many), and a page 20 to 50 links, two in five of them to its own host. Hosts with small numbers get the
// most links. Some hosts and pages misbehave:
//
//	hosts: 1 in 100 has no address, 1 in 100 closes every connection without a word, 1 in 200 answers 503 with Retry-After,
//	1 in 50 is slow, 1 in 4 sets a cookie
//	pages: 3 in 100 are 404, 3 in 100 redirect elsewhere, 1 in 100 is 500, 1 in 200 ends before its length
//	robots.txt: 1 in 10 hosts has none, 1 in 20 forbids a part
//
// The web's name server gives every host its own address in 127.0.0.0/8, where one server answers for all at one port.
type web struct {
	Hosts uint64
	Seed  uint64
	port  uint16
	words []byte
}

// suffix is the suffix of all host names.
const suffix = ".soak.test"

// idle is how long the server keeps an idle connection.
const idle = 10 * time.Second

func (w *web) register(set *flag.FlagSet) {
	set.Uint64Var(&w.Hosts, "hosts", 3_000_000, "hosts of the web")
	set.Uint64Var(&w.Seed, "seed", 1, "of the web")
}

// mix returns a pseudorandom number from numbers (the finalizer of splitmix64).
func (w *web) mix(n ...uint64) uint64 {
	h := w.Seed
	for _, x := range n {
		h = (h ^ x) + 0x9e3779b97f4a7c15
		h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
		h = (h ^ h>>27) * 0x94d049bb133111eb
		h ^= h >> 31
	}
	return h
}

// pages returns how many pages a host has.
func (w *web) pages(host uint64) uint64 { return 5000 / (1 + w.mix(host, 1)%1000) }

func (w *web) url(b []byte, host, page uint64) []byte {
	b = append(b, "http://h"...)
	b = strconv.AppendUint(b, host, 10)
	b = append(append(b, suffix...), ':')
	b = strconv.AppendUint(b, uint64(w.port), 10)
	return w.path(b, host, page)
}

// hostOf returns the number of a host from its name, with or without a port or final dot.
func (w *web) hostOf(name string) (host uint64, ok bool) {
	name, _, _ = strings.Cut(strings.ToLower(name), ":")
	number, of := strings.CutSuffix(strings.TrimSuffix(strings.TrimPrefix(name, "h"), "."), suffix)
	host, err := strconv.ParseUint(number, 10, 64)
	return host, of && err == nil && host < w.Hosts
}

// lookUp answers a DNS query.
func (w *web) lookUp(to dns.ResponseWriter, query *dns.Msg) {
	answer := new(dns.Msg).SetReply(query)
	for _, q := range query.Question {
		switch host, ok := w.hostOf(q.Name); {
		case !ok || w.mix(host, 18)%100 == 0:
			answer.Rcode = dns.RcodeNameError
		case q.Qtype == dns.TypeA:
			n := w.mix(host, 19)
			answer.Answer = append(answer.Answer, &dns.A{
				Hdr: dns.RR_Header{Name: q.Name, Rrtype: dns.TypeA, Class: dns.ClassINET, Ttl: 3600},
				A:   net.IPv4(127, byte(1+n%254), byte(n>>8), byte(1+n>>16%254)),
			})
		}
	}
	to.WriteMsg(answer)
}

func (w *web) path(b []byte, host, page uint64) []byte {
	b = append(b, '/')
	b = strconv.AppendUint(b, w.mix(host, page, 2)%40, 36)
	b = append(b, '/')
	b = strconv.AppendUint(b, w.mix(host, page, 3)%46656, 36)
	b = append(b, '-')
	b = strconv.AppendUint(b, page, 36)
	return append(b, ".html"...)
}

// link appends the target of link i of a page.
func (w *web) link(b []byte, host, page, i uint64) []byte {
	r := w.mix(host, page, i, 4)
	if r%5 >= 2 {
		u := float64(r>>11) / (1 << 53)
		host = uint64(u * u * float64(w.Hosts))
	}
	return w.url(b, host, w.mix(r, 5)%max(5, w.pages(host)))
}

// seeds returns n seed URLs, one per line.
func (w *web) seeds(n uint64) string {
	var b []byte
	for i := range n {
		b = append(w.url(b, w.mix(i, 6)%w.Hosts, 0), '\n')
	}
	return string(b)
}

// reply is what the server does for a request.
type reply struct {
	wait time.Duration // before the response
	cut  int           // bytes of the response to send before closing the connection; -1 = all
}

// answer appends the whole response to b.
func (w *web) answer(b []byte, host uint64, path []byte) ([]byte, reply) {
	r := reply{cut: -1}
	switch kind := w.mix(host, 7) % 200; {
	case kind < 2:
		r.cut = 0
		return b, r
	case kind == 2:
		return respond(b, "503 Service Unavailable", "Retry-After: 30\r\n", "text/plain", []byte("later\n")), r
	case kind < 7:
		r.wait = time.Duration(100+w.mix(host, 8)%1900) * time.Millisecond
	}
	if string(path) == "/robots.txt" {
		switch kind := w.mix(host, 9) % 20; {
		case kind < 2:
			return respond(b, "404 Not Found", "", "text/plain", []byte("no\n")), r
		case kind == 2:
			return respond(b, "200 OK", "", "text/plain", []byte("User-agent: *\nDisallow: /1\nDisallow: /2\n")), r
		}
		return respond(b, "200 OK", "", "text/plain", []byte("User-agent: *\nDisallow:\n")), r
	}
	page, ok := pageOf(path)
	if !ok || !bytes.Equal(w.path(nil, host, page), path) {
		return respond(b, "404 Not Found", "", "text/plain", []byte("no such page\n")), r
	}
	kind := w.mix(host, page, 10) % 200
	switch {
	case kind < 6:
		return respond(b, "404 Not Found", "", "text/html", []byte("<title>gone</title>\n")), r
	case kind < 12:
		return respond(b, "301 Moved Permanently", "Location: "+string(w.link(nil, host, page, 0))+"\r\n", "text/html",
			[]byte("<title>moved</title>\n")), r
	case kind < 14:
		return respond(b, "500 Internal Server Error", "", "text/html", []byte("<title>broken</title>\n")), r
	}
	body := append(make([]byte, 0, 8<<10), "<!DOCTYPE html>\n<html><head><title>"...)
	body = w.text(body, 40, host, page, 11)
	body = append(body, "</title></head>\n<body>\n"...)
	for i := range 20 + w.mix(host, page, 12)%31 {
		body = append(body, "<p>"...)
		body = w.text(body, 60, host, page, i, 13)
		body = append(body, ` <a href="`...)
		body = w.link(body, host, page, i)
		body = append(body, `">`...)
		body = w.text(body, 15, host, page, i, 14)
		body = append(body, "</a></p>\n"...)
	}
	body = append(body, "</body></html>\n"...)
	cookie := ""
	if w.mix(host, 20)%4 == 0 {
		cookie = fmt.Sprintf("Set-Cookie: session=%016x; Path=/\r\n", w.mix(host, 21))
	}
	b = respond(b, "200 OK", cookie, "text/html; charset=utf-8", body)
	if kind == 14 {
		r.cut = len(b) / 2
	}
	return b, r
}

// text appends n bytes from the middle of the words.
func (w *web) text(b []byte, n int, of ...uint64) []byte {
	at := int(w.mix(of...) % uint64(len(w.words)-n))
	return append(b, w.words[at:at+n]...)
}

func pageOf(path []byte) (uint64, bool) {
	_, number, ok := bytes.Cut(path, []byte("-"))
	number, html := bytes.CutSuffix(number, []byte(".html"))
	n, err := strconv.ParseUint(string(number), 36, 64)
	return n, ok && html && err == nil
}

func respond(b []byte, status, fields, kind string, body []byte) []byte {
	b = fmt.Appendf(b, "HTTP/1.1 %s\r\nServer: soak\r\n%sContent-Type: %s\r\nContent-Length: %d\r\n\r\n", status, fields, kind, len(body))
	return append(b, body...)
}

// makeWords makes the text from which pages show parts.
func (w *web) makeWords() {
	var words []string
	for i := range uint64(3000) {
		var b strings.Builder
		for j := range 1 + w.mix(i, 15)%4 {
			r := w.mix(i, j, 16)
			b.WriteByte("bcdfghjklmnprstv"[r%16])
			b.WriteByte("aeiou"[r>>8%5])
		}
		words = append(words, b.String())
	}
	for i := uint64(0); len(w.words) < 1<<20; i++ {
		r := w.mix(i, 17)
		w.words = append(append(w.words, words[(r%3000)*(r>>20%3000)/3000]...), ' ') // some words are more frequent than others
	}
}

// serve is the server's process. It ends when its standard input ends.
func serve(args []string) error {
	var w web
	set := flag.NewFlagSet("serve", flag.ExitOnError)
	w.register(set)
	set.Parse(args)
	w.makeWords()
	l, err := net.Listen("tcp4", "0.0.0.0:0")
	if err != nil {
		return err
	}
	names, err := net.ListenPacket("udp4", "127.0.0.1:0")
	if err != nil {
		return err
	}
	w.port = uint16(l.Addr().(*net.TCPAddr).Port)
	fmt.Println(w.port, names.LocalAddr())
	go dns.ActivateAndServe(nil, names, dns.HandlerFunc(w.lookUp))
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go w.converse(conn)
		}
	}()
	_, err = io.Copy(io.Discard, os.Stdin)
	return err
}

// converse answers the requests of one connection.
func (w *web) converse(conn net.Conn) {
	defer conn.Close()
	in := bufio.NewReaderSize(conn, 4<<10)
	var path, out []byte
	for {
		conn.SetDeadline(time.Now().Add(idle))
		line, err := in.ReadSlice('\n')
		if err != nil {
			return
		}
		_, target, _ := bytes.Cut(line, []byte(" "))
		target, _, _ = bytes.Cut(target, []byte(" "))
		path = append(path[:0], target...)
		host, known := uint64(0), false
		for {
			if line, err = in.ReadSlice('\n'); err != nil {
				return
			}
			if line = bytes.TrimRight(line, "\r\n"); len(line) == 0 {
				break
			}
			if name, value, _ := bytes.Cut(line, []byte(": ")); bytes.EqualFold(name, []byte("host")) {
				host, known = w.hostOf(string(value))
			}
		}
		if !known {
			return
		}
		var r reply
		out, r = w.answer(out[:0], host, path)
		if r.wait > 0 {
			time.Sleep(r.wait)
		}
		if r.cut >= 0 {
			conn.Write(out[:r.cut])
			return
		}
		if _, err := conn.Write(out); err != nil {
			return
		}
	}
}

// start starts the server's process. It returns the address of its name server, and a function that ends it.
func (w *web) start() (names string, end func(), err error) {
	self, err := os.Executable()
	if err != nil {
		return "", nil, err
	}
	cmd := exec.Command(self, "serve", "-hosts", fmt.Sprint(w.Hosts), "-seed", fmt.Sprint(w.Seed))
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return "", nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return "", nil, err
	}
	if err := cmd.Start(); err != nil {
		return "", nil, err
	}
	end = func() {
		in.Close()
		cmd.Wait()
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		end()
		return "", nil, fmt.Errorf("the server ended at once: %w", err)
	}
	if _, err := fmt.Sscan(line, &w.port, &names); err != nil {
		end()
		return "", nil, fmt.Errorf("the server says %q", line)
	}
	return names, end, nil
}
