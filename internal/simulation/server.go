package simulation

// This file answers for the servers of a simulated world.

import (
	"crypto/sha256"
	"fmt"
	"io"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// rough returns the ways in which a response goes wrong.
func rough() []string {
	return []string{
		"reset before head", "reset in head", "reset in body", "closed early", "length too short", "length missing",
		"stall before head", "stall in body",
		"slow answer", "half-open", "garbage", "bad chunk", "busy", "busy with Retry-After", "too many requests", "interim answers",
	}
}

// payload returns the SHA-256 digest of a body, as WARC records have it.
func payload(body string) string {
	sum := sha256.Sum256([]byte(body))
	return fmt.Sprintf("sha256:%x", sum)
}

// Served reports whether a server ever sent a body with this digest for url (cut as the head says), and whether it was
// the whole page.
func (w *World) Served(url, digest string) (sent, whole bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	whole, sent = w.mu.served[url+" "+digest]
	return sent, whole
}

// serve answers a request: it adds the server's actions to the connection's script. The caller holds w.mu.
func (w *World) serve(c *conn, head string) {
	line, fields, _ := strings.Cut(head, "\r\n")
	_, path, _ := strings.Cut(line, " ")
	path, _, _ = strings.Cut(path, " ")
	host, from, of := "", 0, "" // from which byte on it wants a body, and of which ETag
	for f := range strings.SplitSeq(fields, "\r\n") {
		name, value, _ := strings.Cut(f, ": ")
		switch strings.ToLower(name) {
		case "host":
			host = value
		case "range":
			fmt.Sscanf(value, "bytes=%d-", &from)
		case "if-range":
			of = value
		}
	}
	url := "http://" + host + path
	r := &request{life: c.l, host: host, addr: c.to.Addr(), origin: "http://" + host, path: path}
	w.asked(r)
	c.now = r
	n := w.tick("request " + url)
	a := answer{w: w, c: c, r: r, url: url, page: w.web.at(host, path)}
	if p := &a.page; from > 0 && p.tag == of && of != "" {
		w.count("rest")
		if p.whole = p.body; from < len(p.body) {
			p.status, p.body, a.from = 206, p.body[from:], from
		} else {
			p.status, p.body = 416, ""
		}
	}
	rng := w.dice("answer", url, n)
	s := &w.web.hosts[w.web.names[host]]
	a.at = time.Now().Add(s.paced + time.Duration(rng.IntN(80))*time.Millisecond)
	if s.robots == "slow" && path == "/robots.txt" {
		a.at = a.at.Add(20 * time.Second)
	}
	fault := ""
	if s.rough > 0 && rng.IntN(100) < s.rough {
		all := rough()
		fault = all[rng.IntN(len(all))]
	}
	if n < a.page.busy {
		fault = []string{"busy", "busy with Retry-After", "too many requests"}[rng.IntN(3)]
	}
	if fault != "" {
		w.count(fault)
		w.trace("%s%s: %s", host, path, fault)
	}
	wait := time.Duration(1+rng.IntN([]int{5, 5, 5, 60, 60, 60, 60, 3000}[rng.IntN(8)])) * time.Second
	switch fault {
	case "busy":
		a.page = page{status: 503, mime: "text/plain", body: "later\n"}
	case "busy with Retry-After":
		a.page, a.wait = page{status: 503, mime: "text/plain", body: "later\n"}, wait
	case "too many requests":
		a.page, a.wait = page{status: 429, mime: "text/plain", body: "slower\n"}, wait
	}
	a.form = rng.IntN(4)
	a.write(fault, 1+rng.IntN(3), rng.IntN(100))
}

// answer is a response on its way into a connection's script.
type answer struct {
	w    *World
	c    *conn
	r    *request
	url  string
	page page
	at   time.Time
	wait time.Duration // Retry-After; 0 if none
	from int           // the byte of the whole body at which this one begins
	form int           // framing of the body: by length (0, 1), by chunks (2), by the connection's end (3)
}

func (a *answer) add(data string, done func()) {
	a.c.script = append(a.c.script, event{at: a.at, data: []byte(data), done: done})
}

func (a *answer) end(err error) { a.c.script = append(a.c.script, event{at: a.at, err: err}) }

// headRead records what follows from the crawler having read the head.
func (a *answer) headRead() {
	a.r.wait = a.wait
	if a.page.status >= 300 {
		a.w.consented(a.r, a.page.status) // its body does not matter
	}
}

// answered returns a function that records that the crawler has read the whole response. keep: the connection lives on.
func (a *answer) answered(keep bool) func() {
	return func() {
		a.w.consented(a.r, a.page.status)
		a.c.served++
		a.c.idle = time.Now()
		if keep {
			a.w.ended(a.r)
			a.c.now = nil
		}
	}
}

// write makes the script of a response, with a fault or without, and its body in parts.
func (a *answer) write(fault string, parts, percent int) {
	body := a.page.body
	form := a.form
	length := len(body)
	sent := body // what counts as the payload
	switch fault {
	case "reset before head":
		a.r.stale = a.c.served > 0
		a.end(syscall.ECONNRESET)
		return
	case "stall before head":
		return
	case "half-open":
		a.c.gone = true
		return
	case "garbage":
		a.add("\x00\x01garbage "+strings.Repeat("x", percent), nil)
		a.end(io.EOF)
		return
	case "closed early":
		form, length = 0, len(body)+1+percent
	case "length too short":
		form, length = 0, len(body)*percent/100
		sent = body[:length]
	case "length missing":
		form = 3
	case "bad chunk":
		form = 2
	}
	head := fmt.Sprintf("HTTP/1.1 %d %s\r\nContent-Type: %s\r\n", a.page.status, "So Be It", a.page.mime)
	if fault == "interim answers" {
		head = strings.Repeat("HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n", 1+percent%3) + head
	}
	if a.page.location != "" {
		head += "Location: " + a.page.location + "\r\n"
	}
	if a.page.tag != "" {
		head += "ETag: " + a.page.tag + "\r\n"
	}
	if a.from > 0 {
		head += fmt.Sprintf("Content-Range: bytes %d-%d/%d\r\n", a.from, len(a.page.whole)-1, len(a.page.whole))
	}
	if a.wait > 0 {
		head += "Retry-After: " + strconv.Itoa(int(a.wait/time.Second)) + "\r\n"
	}
	switch form {
	case 0, 1:
		head += fmt.Sprintf("Content-Length: %d\r\n\r\n", length)
	case 2:
		head += "Transfer-Encoding: chunked\r\n\r\n"
		chunked := ""
		for i := 0; i < len(body); i += 700 {
			part := body[i:min(i+700, len(body))]
			chunked += fmt.Sprintf("%x\r\n%s\r\n", len(part), part)
			if fault == "bad chunk" {
				chunked += "zzz\r\n"
			}
		}
		body = chunked + "0\r\n\r\n"
	case 3:
		head += "Connection: close\r\n\r\n"
	}
	if fault == "reset in head" {
		a.add(head[:min(len(head)*percent/100+1, len(head)-4)], nil) // never the blank line, because then it would be complete
		a.end(syscall.ECONNRESET)
		return
	}
	// A body is whole even without the line end after the last chunk, whatever the connection does next.
	whole := form == 2 && (fault == "reset in body" || fault == "stall in body") && len(body)*percent/100 >= len(body)-2
	a.r.body = sent
	if fault == "" || whole || fault == "length too short" || a.page.status != 200 || fault == "length missing" ||
		fault == "slow answer" || fault == "interim answers" {
		a.w.noteServed(a.url, payload(sent), len(sent) == len(a.page.body))
	}
	if a.from > 0 {
		a.w.noteServed(a.url, payload(a.page.whole), true) // joined from what was sent
	}
	keep := form != 3
	cut := len(body)
	switch fault {
	case "reset in body", "stall in body":
		cut = len(body) * percent / 100
	case "slow answer":
		parts = 5 + percent/5
	}
	last := a.answered(keep)
	if fault == "length too short" {
		if length == 0 {
			a.add(head, func() { a.headRead(); last() })
		} else {
			a.add(head, a.headRead)
			a.add(body[:length], last)
		}
		if length < len(body) {
			a.add(body[length:], nil)
		}
		return
	}
	if cut == 0 && len(body) > 0 || len(body) == 0 && form == 3 {
		a.add(head, a.headRead)
	} else if cut == 0 {
		a.add(head, func() { a.headRead(); last() })
	} else {
		a.add(head, a.headRead)
	}
	for i := range parts {
		from, to := cut*i/parts, cut*(i+1)/parts
		if from == to {
			continue
		}
		a.at = a.at.Add(time.Duration(percent/4+1) * time.Millisecond)
		if fault == "slow answer" {
			a.at = a.at.Add(time.Duration(1+percent/10) * time.Second)
		}
		if to == len(body) && keep && fault != "closed early" && (fault != "bad chunk" || a.page.body == "") {
			a.add(body[from:to], last)
		} else if whole && to == cut {
			a.add(body[from:to], func() { a.w.consented(a.r, a.page.status) })
		} else {
			a.add(body[from:to], nil)
		}
	}
	switch {
	case fault == "stall in body":
	case fault == "reset in body":
		a.end(syscall.ECONNRESET)
	case form == 3:
		if percent%5 == 0 { // the server does not say at once that this was all
			a.at = a.at.Add(time.Duration(percent) * 70 * time.Millisecond)
		}
		a.c.script = append(a.c.script, event{at: a.at, err: io.EOF, done: last})
	case fault == "closed early", fault == "bad chunk" && a.page.body != "":
		a.end(io.EOF)
	}
}

// noteServed remembers a body that was sent. The caller holds w.mu.
func (w *World) noteServed(url, digest string, whole bool) { w.mu.served[url+" "+digest] = whole }
