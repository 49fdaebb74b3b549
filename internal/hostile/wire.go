package hostile

// This file has hosts that break HTTP itself.

import (
	"strings"
	"time"
)

const ok = "HTTP/1.1 200 OK\r\n"

// says answers with text and ends the connection.
func says(text string) func(*Visit) {
	return func(v *Visit) { _ = v.Say(text) } // the client may be gone
}

// saysAndWaits answers with text and keeps the connection open.
func saysAndWaits(text string) func(*Visit) {
	return func(v *Visit) {
		_ = v.Say(text)
		v.Wait()
	}
}

// floods answers with first, then piece without end.
func floods(first, piece string) func(*Visit) { return func(v *Visit) { v.Flood(first, piece) } }

// drips is floods with a pause between the pieces.
func drips(first, piece string, wait time.Duration) func(*Visit) {
	return func(v *Visit) { v.Drip(first, piece, wait) }
}

// saysAndResets answers with text, which the client can read, and then resets the connection.
func saysAndResets(text string) func(*Visit) {
	return func(v *Visit) {
		_ = v.Say(text)
		v.Reset()
	}
}

// heads returns responses with a wrong head.
func heads() []Behaviour {
	return []Behaviour{
		{Name: "silence", Page: saysAndWaits("")},
		{Name: "stall-in-status-line", Page: saysAndWaits("HTTP/1.1 20")},
		{Name: "stall-in-head", Page: saysAndWaits(ok + "X: y\r\n")},
		{Name: "slow-head", Page: drips(ok, "X: y\r\n", time.Second)},
		{Name: "slow-field", Page: drips(ok+"X: ", "y", 9*time.Second)},
		{Name: "endless-head", Page: floods(ok, "X: yyyyyyyyyyyyyyyy\r\n")},
		{Name: "endless-status-line", Page: floods("HTTP/1.1 200 ", "x")},
		{Name: "endless-field", Page: floods(ok+"X: ", "y")},
		{Name: "endless-field-name", Page: floods(ok, "n")},
		{Name: "endless-folding", Page: floods(ok+"X: y\r\n", " y\r\n")},
		{Name: "field-flood", Page: says(ok + strings.Repeat("a:\n", 2000) + "\r\n")},
		{Name: "blank-line-flood", Page: floods("", "\r\n")},
		{Name: "interim-flood", Page: floods("", "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n")},
		{Name: "large-interim-heads", Page: floods("", "HTTP/1.1 100 Continue\r\nX: "+strings.Repeat("x", 60_000)+"\r\n\r\n")},
		{Name: "slow-interim-heads", Page: drips("", "HTTP/1.1 102 Processing\r\n\r\n", 12*time.Second)},
		{Name: "interim-and-end", Page: says("HTTP/1.1 100 Continue\r\n\r\n")},
		{Name: "closed-at-once", Page: says("")},
		{Name: "closed-in-status-line", Page: says("HTTP/1.")},
		{Name: "closed-in-field", Page: says(ok + "Content-Ty")},
		{Name: "no-blank-line", Page: says("HTTP/1.1 302 Found\r\nLocation: /\r\n")},
		{Name: "no-status-line", Page: says("<html>as in 1991")},
		{Name: "fields-without-status", Page: says("Content-Type: text/html\r\n\r\n<p>")},
		{Name: "endless-garbage", Page: floods("", "\x00\xff?")},
		{Name: "ssh", Page: saysAndWaits("SSH-2.0-OpenSSH_9.2\r\n")},
		{Name: "tls-alert-in-plain", Page: says("\x15\x03\x01\x00\x02\x02\x46")},
		{Name: "shoutcast", Page: says("ICY 200 OK\r\nicy-name: x\r\n\r\nmusic")},
		{Name: "no-status-number", Page: says("HTTP/1.1 OK\r\nContent-Length: 2\r\n\r\nhi")},
		{Name: "status-of-ten-digits", Page: says("HTTP/1.1 2000000000 OK\r\nContent-Length: 2\r\n\r\nhi")},
		{Name: "status-zero", Page: says("HTTP/1.1 000 None\r\nContent-Length: 2\r\n\r\nhi")},
		{Name: "negative-status", Page: says("HTTP/1.1 -200 OK\r\nContent-Length: 2\r\n\r\nhi")},
		{Name: "http-version-nine", Page: says("HTTP/9.9 200 OK\r\nContent-Length: 2\r\n\r\nhi")},
		{Name: "switching-protocols", Page: saysAndWaits("HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\n\r\n")},
	}
}

// fields returns heads with odd lines.
func fields() []Behaviour {
	const hi = "Content-Length: 2\r\n\r\nhi"
	return []Behaviour{
		{Name: "bare-lf", Page: says("HTTP/1.1 200 OK\nContent-Length: 2\n\nhi")},
		{Name: "bare-cr", Page: says("HTTP/1.1 200 OK\r\nA: b\rc\r\n" + hi)},
		{Name: "bare-cr-alone", Page: says("HTTP/1.1 200 OK\rContent-Length: 2\r\rhi")},
		{Name: "nul-in-field", Page: says(ok + "A: b\x00\r\n" + hi)},
		{Name: "nul-in-name", Page: says(ok + "Con\x00tent-Length: 2\r\n\r\nhi")},
		{Name: "folded-line", Page: says(ok + "A: b\r\n c\r\n" + hi)},
		{Name: "folded-first-line", Page: says(ok + " c\r\n" + hi)},
		{Name: "space-before-colon", Page: says(ok + "Content-Length : 2\r\n\r\nhi")},
		{Name: "no-colon", Page: says(ok + "no colon here\r\n" + hi)},
		{Name: "empty-field-name", Page: says(ok + ": x\r\n" + hi)},
		{Name: "raw-bytes-in-field", Page: says(ok + "Server: \xff\xfe\x80\r\n" + hi)},
		{Name: "second-status-line", Page: says(ok + "HTTP/1.1 500 No\r\n" + hi)},
	}
}

// lengths returns responses whose body has another length than stated.
func lengths() []Behaviour {
	twice := func(a, b string) func(*Visit) {
		return says(ok + "Content-Length: " + a + "\r\nContent-Length: " + b + "\r\n\r\nhello")
	}
	one := func(length string) func(*Visit) { return says(ok + "Content-Length: " + length + "\r\n\r\nhello") }
	return []Behaviour{
		{Name: "length-too-long", Page: one("50")},
		{Name: "length-too-short", Page: one("3")},
		{Name: "length-not-a-number", Page: one("abc")},
		{Name: "length-negative", Page: one("-1")},
		{Name: "length-with-plus", Page: one("+5")},
		{Name: "length-hexadecimal", Page: one("0x5")},
		{Name: "length-empty", Page: one("")},
		{Name: "length-overflows", Page: one("18446744073709551617")},
		{Name: "length-largest", Page: one("9223372036854775807")},
		{Name: "length-listed", Page: one("5, 5")},
		{Name: "length-listed-differently", Page: one("5, 6")},
		{Name: "two-lengths-same", Page: twice("5", "5")},
		{Name: "two-lengths-different", Page: twice("5", "3")},
		{Name: "length-above-limit", Page: floods(ok+"Content-Length: 9999999999\r\n\r\n", "x")},
		{Name: "endless-body", Page: floods(ok+"\r\n", "x")},
		{Name: "body-with-304", Page: says("HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\nhello")},
		{Name: "body-with-204", Page: says("HTTP/1.1 204 No Content\r\n\r\nhello")},
		{Name: "endless-body-of-404", Page: floods("HTTP/1.1 404 Not Found\r\n\r\n", "x")},
		{Name: "smuggled-answer", Page: func(v *Visit) {
			if v.Path != "/" {
				v.Page("the true second answer")
				return
			}
			body := `<a href="/second">second</a>`
			v.keep = v.Say(ok+"Content-Type: text/html\r\nContent-Length: 28\r\n\r\n"+body+ok+"Content-Length: 8\r\n\r\nsmuggled") == nil
		}},
		{Name: "length-beside-chunks", Page: saysAndWaits(ok + "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n")},
		{Name: "smuggled-behind-chunks", Page: func(v *Visit) {
			if v.Path != "/" {
				v.Page("the true second answer")
				return
			}
			v.keep = v.Say(ok+"Content-Type: text/html\r\nContent-Length: 45\r\nTransfer-Encoding: chunked\r\n\r\n"+
				"1c\r\n<a href=\"/second\">second</a>\r\n0\r\n\r\n"+ok+"Content-Length: 8\r\n\r\nsmuggled") == nil
		}},
	}
}

// chunks returns bodies with broken chunked coding.
func chunks() []Behaviour {
	const chunked = ok + "Transfer-Encoding: chunked\r\n\r\n"
	coded := func(coding string) func(*Visit) {
		return says(ok + "Transfer-Encoding: " + coding + "\r\n\r\n5\r\nhello\r\n0\r\n\r\n")
	}
	return []Behaviour{
		{Name: "chunk-size-overflows", Page: says(chunked + "5\r\nhello\r\nfffffffffffffffff\r\nx")},
		{Name: "chunk-size-negative", Page: says(chunked + "5\r\nhello\r\n-5\r\nx")},
		{Name: "chunk-size-words", Page: says(chunked + "5\r\nhello\r\nlarge\r\nx")},
		{Name: "chunk-larger-than-comes", Page: says(chunked + "7fffffffffffffff\r\nhello")},
		{Name: "endless-chunk-size", Page: floods(chunked+"5\r\nhello\r\n", "0")},
		{Name: "no-last-chunk", Page: says(chunked + "5\r\nhello\r\n")},
		{Name: "stall-in-chunk", Page: saysAndWaits(chunked + "50\r\nhello")},
		{Name: "stall-after-last-chunk", Page: saysAndWaits(chunked + "5\r\nhello\r\n0\r\n")},
		{Name: "endless-chunk-extension", Page: floods(chunked+"5\r\nhello\r\n5;", "x")},
		{Name: "chunk-extension-flood", Page: floods(chunked, "1;"+strings.Repeat("x", 8000)+"\r\nx\r\n")},
		{Name: "endless-trailer", Page: floods(chunked+"5\r\nhello\r\n0\r\n", "A: b\r\n")},
		{Name: "endless-chunks", Page: floods(chunked, "1\r\nx\r\n")},
		{Name: "chunked-it-says", Page: says(chunked + "<html>")},
		{Name: "chunks-and-more", Page: says(chunked + "5\r\nhello\r\n0\r\n\r\nmore")},
		{Name: "chunks-with-bare-lf", Page: says(chunked + "5\nhello\n0\n\n")},
		{Name: "gzip-chunked", Page: coded("gzip, chunked")},
		{Name: "chunked-twice", Page: coded("chunked, chunked")},
		{Name: "chunked-then-identity", Page: coded("chunked, identity")},
		{Name: "xchunked", Page: coded("xchunked")},
		{Name: "chunked-tabbed", Page: coded("\tchunked")},
	}
}

// times returns responses that take too long.
func times() []Behaviour {
	return []Behaviour{
		{Name: "slow-body", Page: drips(ok+"Content-Length: 100000\r\n\r\n", "x", 5*time.Second)},
		{Name: "slow-chunks", Page: drips(ok+"Transfer-Encoding: chunked\r\n\r\n", "1\r\nx\r\n", 5*time.Second)},
		{Name: "stall-before-body", Page: saysAndWaits(ok + "Content-Length: 5\r\n\r\n")},
		{Name: "stall-in-body", Page: saysAndWaits(ok + "Content-Length: 5\r\n\r\nabc")},
		{Name: "stall-without-length", Page: saysAndWaits(ok + "\r\nhello")},
		{Name: "lasting-body", Page: drips(ok+"\r\n", strings.Repeat("x", 3000), 4*time.Second)},
		{Name: "nothing-read", Conn: func(c *Conn) { <-c.h.s.ctx.Done() }},
	}
}

// ends returns connections that end badly, or never begin.
func ends() []Behaviour {
	return []Behaviour{
		{Name: "refused", Listen: nobody},
		{Name: "half-open", Listen: backlogged},
		{Name: "reset-before-request", Conn: func(c *Conn) { c.Reset() }},
		{Name: "closed-before-request", Conn: func(*Conn) {}},
		{Name: "answers-unasked", Conn: func(c *Conn) {
			_ = c.Say("HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
			c.Wait()
		}},
		{Name: "half-closed", Conn: func(c *Conn) {
			_ = c.tcp.CloseWrite()
			c.Wait()
		}},
		{Name: "reset-before-answer", Page: saysAndResets("")},
		{Name: "reset-in-head", Page: saysAndResets(ok + "A: b\r\n")},
		{Name: "reset-after-head", Page: saysAndResets(ok + "Content-Length: 5\r\n\r\n")},
		{Name: "reset-in-body", Page: saysAndResets(ok + "Content-Length: 50\r\n\r\nhello")},
		{Name: "reset-in-chunk", Page: saysAndResets(ok + "Transfer-Encoding: chunked\r\n\r\n50\r\nhello")},
		{Name: "reset-kept-connection", Page: func(v *Visit) {
			if v.Path == "/" {
				v.Page(`<a href="/second">second</a>`)
				return
			}
			v.Reset()
		}},
	}
}
