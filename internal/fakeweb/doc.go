// Package fakeweb is a web in one text file: several hosts, their pages and their misbehaviour, served on a socket or in
// memory.
//
// It is what tests and `kavosh demo` crawl instead of the live web. A file is a comment followed by answers; each answer
// begins with a marker line and goes on to the next marker:
//
//	-- host garden.example wait=20ms Server=rose --
//	-- garden.example/ --
//	<!doctype html><title>Garden</title> …
//	-- garden.example/style.css gzip ETag="\"v1\"" --
//	body { color: teal }
//	-- http://garden.example/old/** status=301 Location=/ --
//
// A marker names a URL without scheme (http and https are answered alike) or with one, then attributes: name=value, with
// a value quoted as in Go where it holds spaces. An attribute that begins with a capital letter is a header field of the
// answer; the others say how the answer is made:
//
//	status=N reason=TEXT   status line; 200 by default
//	accept=TYPE            the answer holds only for requests whose Accept names this media type; the next one that fits is tried
//	cookie=NAME=VALUE      the answer holds only for requests that send this cookie; the next one that fits is tried
//	times=N                … only for the first N requests that reach it
//	wait=D                 time to pass before the first byte
//	base64                 the text is base64 of the body
//	png=WxH,#sky,#land     the body is a generated picture (the two colours may be left out)
//	charset=NAME           the body is encoded so, and Content-Type says so unless the marker gives one
//	expand                 {path} {query} {rest} {n} {n+1} {n-1} in body and header fields are replaced: rest is what **
//	                       matched, n the last number in it
//	repeat=N|forever       the body is sent N times, {i} being the number of the copy
//	encode=gzip|deflate|br|zstd   content coding (gzip may stand without encode=; rawdeflate is deflate without its frame)
//	chunked                sent in chunks even when the length is known
//	ranges                 the rest of the body, from a byte on, is sent to who asks for it by Range, with the ETag or
//	                       Last-Modified as If-Range
//	cut=N reset=N stall=N  after N bytes of the answer, head included, the connection is closed, reset, or kept silent
//	raw                    the text is the answer itself, byte for byte: Go escapes such as \r\n, real line ends dropped
//	close                  the connection is closed after the answer
//
// A path may end in ** and then answers whatever no exact path does; a marker with a scheme goes before those without.
// A query is compared when the marker has one. An ETag
// or Last-Modified in the marker is honoured with 304. A host line is optional and gives fields and wait to all its
// answers, and: addr=A (its address in memory; hosts get 198.18.0.1, .2 … in order otherwise), dns=none (its name does
// not resolve), dial=refuse or dial=hang, tls=none (an https connection is refused).
//
// Parse reads a web, NewServer serves it; Demo and Rough are the webs that come with the package.
package fakeweb
