package hostile

// This file has hosts whose bodies are bombs or broken codings.

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"fmt"
	"io"
	"strings"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"
)

// Beacon is a path that is linked only beyond a bound: a client that requests it has no such bound.
const Beacon = "/beyond-the-bound"

const beaconLink = `<a href="` + Beacon + `">beyond</a>`

// bomb is how many bytes a bomb has before its beacon: a thousand times its size on the wire.
const bomb = 5 << 20

// packers returns a compressor for each content coding.
func packers() map[string]func(io.Writer) io.WriteCloser {
	return map[string]func(io.Writer) io.WriteCloser{
		"gzip": func(w io.Writer) io.WriteCloser {
			z, err := gzip.NewWriterLevel(w, 9)
			if err != nil {
				panic(err) // there is level 9
			}
			return z
		},
		"deflate": func(w io.Writer) io.WriteCloser {
			z, err := flate.NewWriter(w, 9)
			if err != nil {
				panic(err) // there is level 9
			}
			return z
		},
		"br": func(w io.Writer) io.WriteCloser { return brotli.NewWriterLevel(w, 3) },
		"zstd": func(w io.Writer) io.WriteCloser {
			z, err := zstd.NewWriter(w, zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(1<<20))
			if err != nil {
				panic(err) // the options are good
			}
			return z
		},
	}
}

// pack applies codings to body, in order.
func pack(body []byte, codings ...string) []byte {
	for _, coding := range codings {
		var b bytes.Buffer
		w := packers()[coding](&b)
		if _, err := w.Write(body); err != nil {
			panic(err) // memory does not fail
		}
		if err := w.Close(); err != nil {
			panic(err)
		}
		body = b.Bytes()
	}
	return body
}

// packedPage answers with a page in content codings.
func packedPage(body func() []byte, codings ...string) func(*Visit) {
	return func(v *Visit) {
		if v.Path != "/" {
			v.Page("reached")
			return
		}
		v.Answer("200 OK", "Content-Type: text/html\r\nContent-Encoding: "+strings.Join(codings, ", ")+"\r\n", string(pack(body(), codings...)))
	}
}

func bombBody() []byte { return append(bytes.Repeat([]byte{' '}, bomb), beaconLink...) }

func linkBody() []byte { return []byte(`<a href="/second">second</a>`) }

// codings returns bodies whose content coding is an attack, or not what it claims.
func codings() []Behaviour {
	says := func(coding, body string) func(*Visit) {
		return func(v *Visit) {
			if v.Path != "/" {
				v.Page("reached")
				return
			}
			v.Answer("200 OK", "Content-Type: text/html\r\nContent-Encoding: "+coding+"\r\n", body)
		}
	}
	return []Behaviour{
		{Name: "gzip-bomb", Page: packedPage(bombBody, "gzip")},
		{Name: "deflate-bomb", Page: packedPage(bombBody, "deflate")},
		{Name: "br-bomb", Page: packedPage(bombBody, "br")},
		{Name: "zstd-bomb", Page: packedPage(bombBody, "zstd")},
		{Name: "nested-bomb", Page: packedPage(bombBody, "gzip", "br", "gzip")},
		{Name: "many-codings", Page: packedPage(linkBody, "gzip", "gzip", "gzip", "gzip", "gzip", "gzip")},
		{Name: "gzip-twice", Page: packedPage(linkBody, "gzip", "gzip")},
		{Name: "gzip-it-says", Page: says("gzip", string(linkBody()))},
		{Name: "unknown-coding", Page: says("x-unheard-of", string(linkBody()))},
		{Name: "gzip-cut", Page: func(v *Visit) {
			body := pack(append(linkBody(), strings.Repeat("<p>x", 50_000)...), "gzip")
			says("gzip", string(body[:len(body)-20]))(v)
		}},
		{Name: "gzip-broken", Page: says("gzip", "\x1f\x8b\xff"+strings.Repeat(" ", 20)+string(linkBody()))},
		{Name: "gzip-member-flood", Page: func(v *Visit) {
			says("gzip", strings.Repeat(string(pack(nil, "gzip")), 20_000)+string(pack(linkBody(), "gzip")))(v)
		}},
		// 16 MiB, and a block of 38 uncompressed bytes
		{Name: "zstd-huge-window", Page: says("zstd", "\x28\xb5\x2f\xfd\x00\x70\x31\x01\x00"+beaconLink)},
	}
}

// cookies returns floods of cookies, and cookies for other hosts.
func cookies() []Behaviour {
	set := func(fields string) func(*Visit) {
		return func(v *Visit) {
			v.Answer("200 OK", "Content-Type: text/html\r\n"+fields, `<a href="/second">second</a>`)
		}
	}
	var many, large strings.Builder
	for i := range 900 {
		fmt.Fprintf(&many, "Set-Cookie: n%d=%s\r\n", i, strings.Repeat("v", 200))
	}
	for i := range 40 {
		fmt.Fprintf(&large, "Set-Cookie: n%d=%s\r\n", i, strings.Repeat("v", 4000))
	}
	return []Behaviour{
		{Name: "cookie-flood", Page: set(many.String())},
		{Name: "large-cookies", Page: set(large.String())},
		{Name: "huge-cookie", Page: set("Set-Cookie: n=" + strings.Repeat("v", 8_000) + "\r\n")},
		{Name: "cookie-for-all", Page: set("Set-Cookie: everybody=1; Domain=test\r\nSet-Cookie: google=1; Domain=google.com\r\n")},
		{Name: "cookie-with-controls", Page: set("Set-Cookie: a=\x01\x02\r\nSet-Cookie: =\r\nSet-Cookie: ;\r\nSet-Cookie: b=1\r\n")},
	}
}
