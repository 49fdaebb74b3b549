package engine

// What bounds a case: removed, the case fails.
const (
	headTime        = "30 s from the request to the end of the head, interim answers included"
	headBytes       = "256 KiB of head, interim answers included"
	headFields      = "1,000 fields of a head"
	interims        = "16 interim answers"
	attempts        = "3 requests"
	bodyBytes       = "the body's limit, here 1 MiB"
	bodyIdle        = "20 s without a byte of the body, 5 s for what ends a chunked one"
	bodyRate        = "100 bytes a second over a minute"
	bodyTime        = "2 minutes for an exchange"
	chunkLine       = "16 KiB of one line of chunk framing"
	trailerBytes    = "256 KiB of trailer"
	oneReading      = "one reading, that of browsers, and what is odd is noted"
	oneLength       = "two lengths end nothing, and the answer says so"
	ownBytes        = "what follows an answer is never taken for the next one"
	codedRatio      = "1,000 times the encoded size"
	codedBytes      = "16 MiB of a payload read"
	codingsInRow    = "4 content codings"
	window          = "8 MiB of zstd window"
	cookieSize      = "4 KiB a cookie"
	cookieCount     = "50 cookies a domain"
	cookieBytes     = "16 KiB of Cookie"
	cookieHost      = "cookies for the host's own domain alone"
	once            = "a URL is requested once"
	onePlace        = "one link to a URL of each kind in a page"
	redirectChain   = "10 redirects in a row"
	publicOnly      = "addresses that are globally reachable alone"
	webOnly         = "http and https alone"
	urlRead         = "32 KiB of a URL in a page"
	urlBytes        = "4,096 bytes of a URL"
	anchorBytes     = "512 bytes of anchor text"
	robotsBytes     = "500 KiB of robots.txt"
	robotsCost      = "time for a rule that grows with its length alone"
	robotsRedirects = "10 redirects of robots.txt"
	robotsKnown     = "nothing is asked while robots.txt cannot be had"
	sitemapChain    = "8 sitemaps in a row"
	sitemapBytes    = "64 MiB of a sitemap after unpacking"
	sitemapGzip     = "2 layers of gzip around a sitemap"
	sitemapToken    = "1 MiB of one tag or text of a sitemap"
	sitemapDepth    = "200 elements of a sitemap open at once"
	noEntities      = "no location with an entity that only a definition could explain"
	toTheEnd        = "a page is read once, in one pass, to its end: nothing in it hides what stands behind"
	attributes      = "512 attributes of a tag"
	pageLinks       = "50,000 links of a page"
	nesting         = "4 documents inside documents"
	jsonDepth       = "256 objects in one another in JSON"
	pdfStream       = "4 MiB of one stream of a PDF"
	pathRepeats     = "4 times the same segments in a row"
	pathSegments    = "40 segments of a path"
	queryRepeats    = "4 times the same parameter"
	queryParameters = "100 parameters of a query"
	years           = "10 years ahead in a calendar"
	sessions        = "8 session ids of a URL"
	embedChain      = "5 embeds in a row"
	guesses         = "one guess after another"
	connectTime     = "2 s for a connection"
	tlsTime         = "30 s for a TLS handshake"
	tlsBytes        = "64 KiB of a handshake message, 256 KiB of certificates, 16 alerts without use: those of crypto/tls"
	tlsNoted        = "captured, and the certificate's fault noted"
	tlsStrict       = "refused with --tls strict"
	dnsTime         = "3 s for an answer of a name server, 15 s for a name"
	dnsAliases      = "8 further questions along a chain of aliases"
	dnsRing         = "as many steps along the aliases of an answer as it has records"
	dnsAddresses    = "16 addresses of a name"
	dnsPackets      = "32 datagrams for one answer"
	dnsAsked        = "an answer to the question that was asked alone"
	dnsPinned       = "a minute at least for what a name has"
	dnsOwn          = "records of the name asked for alone"
)

// hostileCase is what comes of one hostile host: what crawl.log says of its first page, its records, and what the host may
// have seen of us at most.
type hostileCase struct {
	name    string
	want    string // outcome, status, failure and cut of the host's first page
	bound   string // in words
	records string // of that page; "" = the usual of want
	robots  string // as want, of robots.txt, where it is the reason of a refusal
	asked   string // paths asked for, each once, in order of the alphabet; "" = the first page alone, "-" = none, "*" = counted alone
	times   int    // requests at most, robots.txt not counted; 0 = the first page's attempts and once each other
	links   int    // taken from the first page
	sent    int64  // bytes that the host got rid of at most; 0 = 64 KiB
	cookie  int    // bytes of a request's Cookie field at most
	queries int    // questions to the name server at most; 0 = any
	why     string // what the reason in crawl.log says, of robots.txt where that is the reason of a refusal
}

// hostileWire are heads, bodies, framing, codings, cookies, redirects and robots.txt.
func hostileWire() []hostileCase {
	return []hostileCase{
		{name: "silence", want: "failed 0 timeout", bound: headTime},
		{name: "stall-in-status-line", want: "failed 0 timeout", bound: headTime},
		{name: "stall-in-head", want: "failed 0 timeout", bound: headTime},
		{name: "slow-head", want: "failed 0 timeout", bound: headTime},
		{name: "slow-field", want: "failed 0 timeout", bound: headTime},
		{name: "endless-head", want: "failed 0 limit", bound: headBytes, sent: 768 << 10},
		{name: "endless-status-line", want: "failed 0 limit", bound: headBytes, sent: 768 << 10},
		{name: "endless-field", want: "failed 0 limit", bound: headBytes, sent: 768 << 10},
		{name: "endless-field-name", want: "failed 0 limit", bound: headBytes, sent: 768 << 10},
		{name: "endless-folding", want: "failed 0 limit", bound: headBytes, sent: 768 << 10},
		{name: "field-flood", want: "failed 0 limit", bound: headFields},
		{name: "blank-line-flood", want: "recorded 0 protocol cut:length", bound: bodyBytes, records: "response(length) request metadata(malformedHead)", sent: 1408 << 10},
		{name: "interim-flood", want: "failed 0 limit", bound: interims, sent: 448 << 10, why: "more than 16 interim"},
		{name: "large-interim-heads", want: "failed 0 limit", bound: headBytes, sent: 704 << 10},
		{name: "slow-interim-heads", want: "failed 0 timeout", bound: headTime},
		{name: "interim-and-end", want: "failed 0 reset", bound: attempts},
		{name: "closed-at-once", want: "failed 0 reset", bound: attempts, times: 4},
		{name: "closed-in-status-line", want: "failed 0 reset", bound: attempts},
		{name: "closed-in-field", want: "failed 0 reset", bound: attempts},
		{name: "no-blank-line", want: "recorded 302", bound: oneReading, records: "response request metadata(malformedHead)", links: 1},
		{name: "no-status-line", want: "recorded 0 protocol", bound: oneReading, records: "response request metadata(malformedHead)"},
		{name: "fields-without-status", want: "recorded 0 protocol", bound: oneReading, records: "response request metadata(malformedHead)"},
		{name: "endless-garbage", want: "recorded 0 protocol cut:length", bound: bodyBytes, records: "response(length) request metadata(malformedHead)", sent: 1408 << 10},
		{name: "ssh", want: "recorded 0 protocol cut:time", bound: bodyIdle, records: "response(time) request metadata(malformedHead)"},
		{name: "tls-alert-in-plain", want: "recorded 0 protocol", bound: oneReading, records: "response request metadata(malformedHead)"},
		{name: "shoutcast", want: "recorded 200", bound: oneReading, records: "response request metadata(malformedHead)"},
		{name: "no-status-number", want: "recorded 0", bound: oneReading, records: "response request metadata(malformedHead)"},
		{name: "status-of-ten-digits", want: "recorded 0", bound: oneReading, records: "response request metadata(malformedHead)"},
		{name: "status-zero", want: "recorded 0", bound: oneReading, records: "response request metadata(malformedHead)"},
		{name: "negative-status", want: "recorded 0", bound: oneReading, records: "response request metadata(malformedHead)"},
		{name: "http-version-nine", want: "recorded 200", bound: oneReading},
		{name: "switching-protocols", want: "recorded 101", bound: oneReading},
		{name: "bare-lf", want: "recorded 200", bound: oneReading},
		{name: "bare-cr", want: "recorded 200", bound: oneReading, records: "response request metadata(malformedHead)"},
		{name: "bare-cr-alone", want: "failed 0 reset", bound: attempts},
		{name: "nul-in-field", want: "recorded 200", bound: oneReading, records: "response request metadata(malformedHead)"},
		{name: "nul-in-name", want: "recorded 200", bound: oneReading, records: "response request metadata(malformedHead)"},
		{name: "folded-line", want: "recorded 200", bound: oneReading, records: "response request metadata(malformedHead)"},
		{name: "folded-first-line", want: "recorded 200", bound: oneReading, records: "response request metadata(malformedHead)"},
		{name: "space-before-colon", want: "recorded 200", bound: oneReading, records: "response request metadata(malformedHead)"},
		{name: "no-colon", want: "recorded 200", bound: oneReading, records: "response request metadata(malformedHead)"},
		{name: "empty-field-name", want: "recorded 200", bound: oneReading, records: "response request metadata(malformedHead)"},
		{name: "raw-bytes-in-field", want: "recorded 200", bound: oneReading},
		{name: "second-status-line", want: "recorded 200", bound: oneReading, records: "response request metadata(malformedHead)"},
		{name: "length-too-long", want: "recorded 200 truncated cut:disconnect", bound: oneReading},
		{name: "length-too-short", want: "recorded 200", bound: ownBytes, records: "response request metadata"},
		{name: "length-not-a-number", want: "recorded 200", bound: oneReading, records: "response request metadata(malformedHead)"},
		{name: "length-negative", want: "recorded 200", bound: oneReading, records: "response request metadata(malformedHead)"},
		{name: "length-with-plus", want: "recorded 200", bound: oneReading, records: "response request metadata(malformedHead)"},
		{name: "length-hexadecimal", want: "recorded 200", bound: oneReading, records: "response request metadata(malformedHead)"},
		{name: "length-empty", want: "recorded 200", bound: oneReading, records: "response request metadata(malformedHead)"},
		{name: "length-overflows", want: "recorded 200", bound: oneReading, records: "response request metadata(malformedHead)"},
		{name: "length-largest", want: "recorded 200 truncated cut:disconnect", bound: oneReading},
		{name: "length-listed", want: "recorded 200", bound: oneReading},
		{name: "length-listed-differently", want: "recorded 200 protocol", bound: oneLength, records: "response request metadata(malformedHead)"},
		{name: "two-lengths-same", want: "recorded 200", bound: oneReading},
		{name: "two-lengths-different", want: "recorded 200 protocol", bound: oneLength, records: "response request metadata(malformedHead)"},
		{name: "length-above-limit", want: "recorded 200 limit cut:length", bound: bodyBytes, sent: 1408 << 10},
		{name: "endless-body", want: "recorded 200 limit cut:length", bound: bodyBytes, sent: 1472 << 10},
		{name: "body-with-304", want: "recorded 304", bound: ownBytes, records: "response request metadata"},
		{name: "body-with-204", want: "recorded 204", bound: ownBytes, records: "response request metadata"},
		{name: "endless-body-of-404", want: "recorded 404 limit cut:length", bound: bodyBytes, sent: 1408 << 10},
		{name: "smuggled-answer", want: "recorded 200", bound: ownBytes, records: "response request metadata", asked: "/ /second", links: 1},
		{name: "length-beside-chunks", want: "recorded 200", bound: oneReading, records: "response request metadata(malformedHead)"},
		{name: "smuggled-behind-chunks", want: "recorded 200", bound: ownBytes, records: "response request metadata(malformedHead)", asked: "/ /second", links: 1, why: "came after the end"},
		{name: "chunk-size-overflows", want: "recorded 200 protocol cut:disconnect", bound: oneReading},
		{name: "chunk-size-negative", want: "recorded 200 protocol cut:disconnect", bound: oneReading},
		{name: "chunk-size-words", want: "recorded 200 protocol cut:disconnect", bound: oneReading},
		{name: "chunk-larger-than-comes", want: "recorded 200 truncated cut:disconnect", bound: oneReading},
		{name: "endless-chunk-size", want: "recorded 200 protocol cut:disconnect", bound: chunkLine, sent: 512 << 10},
		{name: "no-last-chunk", want: "recorded 200 truncated cut:disconnect", bound: oneReading},
		{name: "stall-in-chunk", want: "recorded 200 truncated cut:time", bound: bodyIdle},
		{name: "stall-after-last-chunk", want: "recorded 200", bound: bodyIdle, records: "response request metadata(malformedHead)"},
		{name: "endless-chunk-extension", want: "recorded 200 protocol cut:disconnect", bound: chunkLine, sent: 448 << 10},
		{name: "chunk-extension-flood", want: "recorded 200 limit cut:length", bound: bodyBytes, sent: 1408 << 10},
		{name: "endless-trailer", want: "recorded 200 protocol cut:disconnect", bound: trailerBytes, sent: 512 << 10},
		{name: "endless-chunks", want: "recorded 200 limit cut:length", bound: bodyBytes, sent: 1408 << 10},
		{name: "chunked-it-says", want: "recorded 200", bound: oneReading, records: "response request metadata(malformedHead)"},
		{name: "chunks-and-more", want: "recorded 200", bound: ownBytes, records: "response request metadata"},
		{name: "chunks-with-bare-lf", want: "recorded 200", bound: oneReading},
		{name: "gzip-chunked", want: "recorded 200", bound: oneReading, records: "response request metadata(malformedHead)"},
		{name: "chunked-twice", want: "recorded 200", bound: oneReading, records: "response request metadata(malformedHead)"},
		{name: "chunked-then-identity", want: "recorded 200", bound: oneReading, records: "response request metadata(malformedHead)"},
		{name: "xchunked", want: "recorded 200", bound: oneReading},
		{name: "chunked-tabbed", want: "recorded 200", bound: oneReading},
		{name: "slow-body", want: "recorded 200 truncated cut:time", bound: bodyRate, why: "less than 100 bytes/s"},
		{name: "slow-chunks", want: "recorded 200 truncated cut:time", bound: bodyRate, why: "less than 100 bytes/s"},
		{name: "stall-before-body", want: "recorded 200 truncated cut:time", bound: bodyIdle},
		{name: "stall-in-body", want: "recorded 200 truncated cut:time", bound: bodyIdle},
		{name: "stall-without-length", want: "recorded 200 truncated cut:time", bound: bodyIdle},
		{name: "lasting-body", want: "recorded 200 truncated cut:time", bound: bodyTime, sent: 512 << 10},
		{name: "nothing-read", want: "refused 0 timeout", bound: headTime, robots: "failed 0 timeout"},
		{name: "refused", want: "refused 0 connect", bound: attempts, robots: "failed 0 connect"},
		{name: "half-open", want: "refused 0 connect", bound: connectTime, robots: "failed 0 connect"},
		{name: "reset-before-request", want: "refused 0 reset", bound: attempts, robots: "failed 0 reset"},
		{name: "closed-before-request", want: "refused 0 reset", bound: attempts, robots: "failed 0 reset"},
		{name: "answers-unasked", want: "recorded 408", bound: attempts, asked: "-"},
		{name: "half-closed", want: "refused 0 reset", bound: attempts, robots: "failed 0 reset"},
		{name: "reset-before-answer", want: "failed 0 reset", bound: attempts, times: 4},
		{name: "reset-in-head", want: "failed 0 reset", bound: attempts},
		{name: "reset-after-head", want: "recorded 200 truncated cut:disconnect", bound: oneReading},
		{name: "reset-in-body", want: "recorded 200 truncated cut:disconnect", bound: oneReading},
		{name: "reset-in-chunk", want: "recorded 200 truncated cut:disconnect", bound: oneReading},
		{name: "reset-kept-connection", want: "recorded 200", bound: attempts, asked: "/ /second", times: 5, links: 1},
		{name: "gzip-twice", want: "recorded 200", bound: oneReading, asked: "/ /second", links: 1},
		{name: "gzip-it-says", want: "recorded 200", bound: oneReading, asked: "/ /second", links: 1},
		{name: "unknown-coding", want: "recorded 200", bound: oneReading, asked: "/ /second", links: 1},
		{name: "gzip-broken", want: "recorded 200", bound: oneReading, asked: "/ /second", links: 1},
		{name: "zstd-huge-window", want: "recorded 200", bound: window},
		{name: "cookie-flood", want: "recorded 200", bound: cookieCount, asked: "/ /second", links: 1, sent: 768 << 10, cookie: 11 << 10},
		{name: "large-cookies", want: "recorded 200", bound: cookieBytes, asked: "/ /second", links: 1, sent: 512 << 10, cookie: 16 << 10},
		{name: "huge-cookie", want: "recorded 200", bound: cookieSize, asked: "/ /second", links: 1},
		{name: "cookie-for-all", want: "recorded 200", bound: cookieHost, asked: "/ /second", links: 1},
		{name: "cookie-with-controls", want: "recorded 200", bound: oneReading, asked: "/ /second", links: 1, cookie: len("b=1")},
		{name: "redirect-to-itself", want: "recorded 302", bound: once, links: 1},
		{name: "redirect-ring", want: "recorded 302", bound: once, asked: "/ /a /b", links: 1},
		{name: "redirect-chain", want: "recorded 302", bound: redirectChain, asked: "*", times: 11, links: 1},
		{name: "redirect-with-cookie", want: "recorded 302", bound: once, links: 1},
		{name: "redirect-to-private", want: "recorded 302", bound: publicOnly, links: 1},
		{name: "redirect-to-loopback", want: "recorded 302", bound: publicOnly, links: 1},
		{name: "redirect-to-localhost", want: "recorded 302", bound: publicOnly, links: 1},
		{name: "redirect-to-metadata", want: "recorded 302", bound: publicOnly, links: 1},
		{name: "redirect-to-decimal", want: "recorded 302", bound: publicOnly, links: 1},
		{name: "redirect-to-octal", want: "recorded 302", bound: publicOnly, links: 1},
		{name: "redirect-to-ipv6", want: "recorded 302", bound: publicOnly, links: 1},
		{name: "redirect-to-mapped", want: "recorded 302", bound: publicOnly, links: 1},
		{name: "redirect-to-file", want: "recorded 302", bound: webOnly},
		{name: "redirect-to-script", want: "recorded 302", bound: webOnly},
		{name: "redirect-to-data", want: "recorded 302", bound: webOnly},
		{name: "redirect-to-ftp", want: "recorded 302", bound: webOnly},
		{name: "redirect-to-long-url", want: "recorded 302", bound: urlBytes, links: 1},
		{name: "redirect-twice", want: "recorded 302", bound: oneReading, asked: "/ /first", links: 1},
		{name: "endless-redirect-body", want: "recorded 302 limit cut:length", bound: bodyBytes, links: 1, sent: 1408 << 10},
		{name: "refresh-chain", want: "recorded 200", bound: redirectChain, asked: "*", times: 11, links: 1},
		{name: "refresh-header-chain", want: "recorded 200", bound: redirectChain, asked: "*", times: 11, links: 1},
		{name: "robots-endless", want: "recorded 200", bound: bodyBytes, asked: "/ /allowed", links: 2, sent: 1408 << 10},
		{name: "robots-endless-line", want: "recorded 200", bound: bodyBytes, asked: "/ /allowed", links: 2, sent: 1472 << 10},
		{name: "robots-stall", want: "refused 0 timeout", bound: bodyIdle, robots: "recorded 200 truncated cut:time"},
		{name: "robots-silence", want: "refused 0 timeout", bound: headTime, robots: "failed 0 timeout"},
		{name: "robots-slow", want: "refused 0 timeout", bound: bodyRate, robots: "recorded 200 truncated cut:time", why: "less than 100 bytes/s"},
		{name: "robots-redirect-to-itself", want: "recorded 200", bound: robotsRedirects, asked: "/ /allowed /forbidden", links: 2},
		{name: "robots-redirect-chain", want: "recorded 200", bound: robotsRedirects, asked: "*", times: 13, links: 2},
		{name: "robots-redirect-to-private", want: "refused 0 blocked-address", bound: publicOnly, robots: "recorded 302"},
		{name: "robots-redirect-to-file", want: "recorded 200", bound: webOnly, asked: "/ /allowed /forbidden", links: 2},
		{name: "robots-reset", want: "refused 0 reset", bound: attempts, robots: "failed 0 reset"},
		{name: "robots-500", want: "refused 0 robots", bound: attempts, robots: "recorded 500"},
		{name: "robots-is-a-page", want: "recorded 200", bound: oneReading, asked: "/ /allowed /forbidden", links: 2},
		{name: "robots-nuls", want: "recorded 200", bound: oneReading, asked: "/ /allowed", links: 2},
		{name: "robots-utf16", want: "recorded 200", bound: oneReading, asked: "/ /allowed", links: 2},
		{name: "robots-contradiction", want: "recorded 200", bound: oneReading, asked: "/ /allowed /forbidden", links: 2},
		{name: "sitemap-endless", want: "recorded 200", bound: bodyBytes, asked: "/ /first /sitemap.xml", sent: 1472 << 10},
		{name: "endless-page", want: "recorded 200 limit cut:length", bound: bodyBytes, asked: "/ /second", links: 1, sent: 1472 << 10},
	}
}

// hostileTLS are TLS, where a broken certificate is captured.
func hostileTLS() []hostileCase {
	return []hostileCase{
		{name: "tls-good", want: "recorded 200", bound: oneReading},
		{name: "tls-expired", want: "recorded 200", bound: tlsNoted, records: "response request metadata(invalidCertificate)"},
		{name: "tls-not-yet", want: "recorded 200", bound: tlsNoted, records: "response request metadata(invalidCertificate)"},
		{name: "tls-other-host", want: "recorded 200", bound: tlsNoted, records: "response request metadata(invalidCertificate)"},
		{name: "tls-self-signed", want: "recorded 200", bound: tlsNoted, records: "response request metadata(invalidCertificate)"},
		{name: "tls-long-chain", want: "recorded 200", bound: oneReading},
		{name: "tls-huge-chain", want: "refused 0 tls", bound: tlsBytes, robots: "failed 0 tls"},
		{name: "tls-old", want: "recorded 200", bound: oneReading},
		{name: "tls-other-protocol", want: "refused 0 tls", bound: robotsKnown, robots: "failed 0 tls"},
		{name: "tls-wants-certificate", want: "refused 0 reset", bound: attempts, robots: "failed 0 reset"},
		{name: "tls-wants-certificate-old", want: "refused 0 tls", bound: robotsKnown, robots: "failed 0 tls"},
		{name: "tls-stall", want: "refused 0 tls", bound: tlsTime, robots: "failed 0 tls"},
		{name: "tls-slow", want: "refused 0 tls", bound: tlsTime, robots: "failed 0 tls"},
		{name: "tls-closed", want: "refused 0 tls", bound: robotsKnown, robots: "failed 0 tls"},
		{name: "tls-reset", want: "refused 0 tls", bound: robotsKnown, robots: "failed 0 tls"},
		{name: "tls-plain", want: "refused 0 tls", bound: robotsKnown, robots: "failed 0 tls"},
		{name: "tls-garbage", want: "refused 0 tls", bound: robotsKnown, robots: "failed 0 tls", sent: 448 << 10},
		{name: "tls-alert", want: "refused 0 tls", bound: robotsKnown, robots: "failed 0 tls"},
		{name: "tls-warning-flood", want: "refused 0 tls", bound: tlsBytes, robots: "failed 0 tls", sent: 448 << 10},
		{name: "tls-empty-record-flood", want: "refused 0 tls", bound: robotsKnown, robots: "failed 0 tls", sent: 448 << 10},
		{name: "tls-huge-handshake", want: "refused 0 tls", bound: tlsBytes, robots: "failed 0 tls", sent: 448 << 10},
		{name: "tls-not-closed", want: "recorded 200", bound: oneReading},
		{name: "tls-cut", want: "recorded 200 truncated cut:disconnect", bound: oneReading},
		{name: "tls-endless-body", want: "recorded 200 limit cut:length", bound: bodyBytes, sent: 1472 << 10},
		{name: "tls-stall-in-body", want: "recorded 200 truncated cut:time", bound: bodyIdle},
	}
}

// hostileStrict are TLS with --tls strict.
func hostileStrict() []hostileCase {
	return []hostileCase{
		{name: "tls-good", want: "recorded 200", bound: oneReading},
		{name: "tls-expired", want: "refused 0 tls", bound: tlsStrict, robots: "failed 0 tls"},
		{name: "tls-not-yet", want: "refused 0 tls", bound: tlsStrict, robots: "failed 0 tls"},
		{name: "tls-other-host", want: "refused 0 tls", bound: tlsStrict, robots: "failed 0 tls"},
		{name: "tls-self-signed", want: "refused 0 tls", bound: tlsStrict, robots: "failed 0 tls"},
		{name: "tls-long-chain", want: "recorded 200", bound: oneReading},
		{name: "tls-huge-chain", want: "refused 0 tls", bound: tlsBytes, robots: "failed 0 tls"},
		{name: "tls-old", want: "refused 0 tls", bound: tlsStrict, robots: "failed 0 tls"},
		{name: "tls-other-protocol", want: "refused 0 tls", bound: robotsKnown, robots: "failed 0 tls"},
	}
}

// hostilePages are bombs, documents, sitemaps and sites.
func hostilePages() []hostileCase {
	return []hostileCase{
		{name: "gzip-bomb", want: "recorded 200", bound: codedRatio},
		{name: "deflate-bomb", want: "recorded 200", bound: codedRatio},
		{name: "br-bomb", want: "recorded 200", bound: codedRatio},
		{name: "zstd-bomb", want: "recorded 200", bound: codedRatio},
		{name: "nested-bomb", want: "recorded 200", bound: codedRatio},
		{name: "many-codings", want: "recorded 200", bound: codingsInRow},
		{name: "gzip-cut", want: "recorded 200", bound: oneReading, asked: "/ /second", links: 1},
		{name: "gzip-member-flood", want: "recorded 200", bound: oneReading, sent: 768 << 10, asked: "/ /second", links: 1},
		{name: "robots-huge", want: "recorded 200", bound: robotsBytes, asked: "/ /allowed", links: 2},
		{name: "robots-gzip-bomb", want: "recorded 200", bound: robotsBytes, asked: "/ /allowed", links: 2},
		{name: "robots-star-bomb", want: "recorded 200", bound: robotsCost, asked: "/ /allowed …", links: 3},
		{name: "sitemap-index-chain", want: "recorded 200", bound: sitemapChain, asked: "*", times: 9},
		{name: "sitemap-of-itself", want: "recorded 200", bound: once, asked: "/ /sitemap.xml"},
		{name: "sitemap-gzip-bomb", want: "recorded 200", bound: sitemapBytes, asked: "/ /first /sitemap.xml", sent: 512 << 10},
		{name: "sitemap-nested-gzip", want: "recorded 200", bound: sitemapGzip, asked: "/ /sitemap.xml"},
		{name: "sitemap-entities", want: "recorded 200", bound: noEntities, asked: "/ /first /sitemap.xml"},
		{name: "sitemap-external-entity", want: "recorded 200", bound: noEntities, asked: "/ /first /sitemap.xml"},
		{name: "sitemap-deep", want: "recorded 200", bound: sitemapDepth, asked: "/ /first /sitemap.xml", sent: 1344 << 10},
		{name: "sitemap-huge-token", want: "recorded 200", bound: sitemapToken, asked: "/ /first /sitemap.xml", sent: 1408 << 10},
		{name: "sitemap-charset-lie", want: "recorded 200", bound: oneReading, asked: "/ /first /sitemap.xml"},
		{name: "deep-page", want: "recorded 200", bound: toTheEnd, asked: "/ /second", links: 1, sent: 1792 << 10},
		{name: "deep-lists", want: "recorded 200", bound: toTheEnd, asked: "/ /second", links: 1, sent: 1152 << 10},
		{name: "attribute-flood", want: "recorded 200", bound: attributes, asked: "/ /second", links: 1, sent: 1216 << 10},
		{name: "million-links", want: "recorded 200", bound: pageLinks, links: 50000, sent: 5888 << 10},
		{name: "same-link-million-times", want: "recorded 200", bound: onePlace, asked: "/ /second", links: 1, sent: 4480 << 10},
		{name: "megabyte-url", want: "recorded 200", bound: urlRead, asked: "/ /second", links: 1, sent: 1408 << 10},
		{name: "megabyte-query", want: "recorded 200", bound: urlRead, asked: "/ /second", links: 1, sent: 1408 << 10},
		{name: "megabyte-host", want: "recorded 200", bound: urlRead, asked: "/ /second", links: 1, sent: 1408 << 10},
		{name: "long-url", want: "recorded 200", bound: urlBytes, asked: "/ /second", links: 2},
		{name: "dots-flood", want: "recorded 200", bound: urlRead, sent: 1344 << 10},
		{name: "percent-flood", want: "recorded 200", bound: urlRead, asked: "/ /second", links: 1, sent: 1216 << 10},
		{name: "megabyte-anchor", want: "recorded 200", bound: anchorBytes, links: 1, sent: 1664 << 10},
		{name: "larger-than-read", want: "recorded 200", bound: codedBytes, asked: "/ /second", links: 1, sent: 512 << 10},
		{name: "unclosed-comment", want: "recorded 200", bound: oneReading, asked: "/ /second", links: 1, sent: 1600 << 10},
		{name: "unclosed-tag", want: "recorded 200", bound: oneReading, asked: "/ /second", links: 1, sent: 1216 << 10},
		{name: "unclosed-tags", want: "recorded 200", bound: toTheEnd, asked: "/ /second", links: 1, sent: 1344 << 10},
		{name: "end-tag-flood", want: "recorded 200", bound: toTheEnd, asked: "/ /second", links: 1, sent: 1920 << 10},
		{name: "entity-flood", want: "recorded 200", bound: toTheEnd, asked: "/ /second", links: 1, sent: 1536 << 10},
		{name: "nested-script", want: "recorded 200", bound: oneReading, sent: 1536 << 10},
		{name: "base-to-other-host", want: "recorded 200", bound: oneReading, links: 1},
		{name: "base-twice", want: "recorded 200", bound: oneReading, asked: "/ /one/second", links: 1},
		{name: "base-script", want: "recorded 200", bound: webOnly, asked: "/ /second", links: 1},
		{name: "base-data", want: "recorded 200", bound: webOnly, asked: "/ /second", links: 1},
		{name: "base-long", want: "recorded 200", bound: urlRead, asked: "/ /relative /second", links: 2, sent: 1408 << 10},
		{name: "schemes", want: "recorded 200", bound: webOnly, asked: "/ /second", links: 2},
		{name: "links-to-private", want: "recorded 200", bound: publicOnly, asked: "/ /second", links: 5},
		{name: "charset-utf7", want: "recorded 200", bound: oneReading, asked: "/ /second", links: 1},
		{name: "charset-replacement", want: "recorded 200", bound: oneReading, asked: "/ /second", links: 1},
		{name: "charset-unheard-of", want: "recorded 200", bound: oneReading, asked: "/ /second", links: 1},
		{name: "charset-utf16-it-says", want: "recorded 200", bound: oneReading, asked: "/ /second", links: 1},
		{name: "charset-utf16-header", want: "recorded 200", bound: oneReading},
		{name: "charset-utf16-mark", want: "recorded 200", bound: oneReading, asked: "/ /second", links: 1},
		{name: "charset-broken-utf8", want: "recorded 200", bound: toTheEnd, asked: "/ /second", links: 1, sent: 640 << 10},
		{name: "charset-escapes", want: "recorded 200", bound: toTheEnd, asked: "/ /second", links: 1, sent: 640 << 10},
		{name: "nested-srcdoc", want: "recorded 200", bound: nesting, asked: "/ /second", links: 1},
		{name: "srcset-flood", want: "recorded 200", bound: onePlace, asked: "/ /second", links: 1, sent: 2496 << 10},
		{name: "script-deep", want: "recorded 200", bound: toTheEnd, asked: "/ /second", links: 1, sent: 1728 << 10},
		{name: "script-endless-string", want: "recorded 200", bound: toTheEnd, asked: "/ /second", links: 1, sent: 768 << 10},
		{name: "script-regexp-flood", want: "recorded 200", bound: toTheEnd, sent: 1536 << 10, asked: "/ /second", links: 1},
		{name: "json-deep", want: "recorded 200", bound: jsonDepth, asked: "/ /second.html", links: 1, sent: 1920 << 10},
		{name: "feed-entities", want: "recorded 200", bound: oneReading, asked: "/ /second", links: 1},
		{name: "feed-deep", want: "recorded 200", bound: toTheEnd, asked: "/ /second /third", links: 2, sent: 1728 << 10},
		{name: "svg-as-page", want: "recorded 200", bound: toTheEnd, asked: "/ /second", links: 1, sent: 960 << 10},
		{name: "style-deep", want: "recorded 200", bound: toTheEnd, asked: "/ /second", links: 1, sent: 1792 << 10},
		{name: "style-data-url", want: "recorded 200", bound: toTheEnd, asked: "/ /second", links: 1, sent: 512 << 10},
		{name: "pdf-bomb", want: "recorded 200", bound: pdfStream},
		{name: "link-header-flood", want: "recorded 200", bound: onePlace, asked: "/ /second", links: 1, sent: 576 << 10},
		{name: "media-type-lie", want: "recorded 200", bound: oneReading},
		{name: "path-that-repeats", want: "recorded 200", bound: pathRepeats, asked: "/ /again/ /again/again/ /again/again/again/", links: 1},
		{name: "path-that-repeats-by-two", want: "recorded 200", bound: pathRepeats, asked: "*", times: 8, links: 1},
		{name: "path-that-grows", want: "recorded 200", bound: pathSegments, asked: "*", times: 41, links: 1},
		{name: "query-that-grows", want: "recorded 200", bound: queryRepeats, asked: "/ /?&next=1 /?&next=1&next=1 /?&next=1&next=1&next=1", links: 1},
		{name: "query-of-new-names", want: "recorded 200", bound: queryParameters, asked: "*", times: 100, links: 1},
		{name: "calendar", want: "recorded 200", bound: years, asked: "*", times: 17, links: 1},
		{name: "calendar-by-query", want: "recorded 200", bound: years, asked: "*", times: 17, links: 1},
		{name: "session-ids", want: "recorded 200", bound: sessions, asked: "*", times: 9, links: 40},
		{name: "session-ids-in-path", want: "recorded 200", bound: sessions, asked: "*", times: 9, links: 40},
		{name: "embed-chain", want: "recorded 200", bound: embedChain, asked: "*", times: 6, links: 1},
		{name: "import-chain", want: "recorded 200", bound: embedChain, asked: "*", times: 6, links: 1},
		{name: "import-ring", want: "recorded 200", bound: once, asked: "/ /a.css /b.css", links: 1},
		{name: "guess-chain", want: "recorded 200", bound: guesses, asked: "/ /guess/1.json", links: 1},
	}
}

// hostileNames are name servers.
func hostileNames() []hostileCase {
	return []hostileCase{
		{name: "dns-private", want: "refused 0 blocked-address", bound: publicOnly, robots: "failed 0 blocked-address", queries: 12},
		{name: "dns-loopback", want: "refused 0 blocked-address", bound: publicOnly, robots: "failed 0 blocked-address", queries: 12},
		{name: "dns-unspecified", want: "refused 0 blocked-address", bound: publicOnly, robots: "failed 0 blocked-address", queries: 12},
		{name: "dns-link-local", want: "refused 0 blocked-address", bound: publicOnly, robots: "failed 0 blocked-address", queries: 12},
		{name: "dns-mapped", want: "refused 0 blocked-address", bound: publicOnly, robots: "failed 0 blocked-address", queries: 12},
		{name: "dns-nat64", want: "refused 0 blocked-address", bound: publicOnly, robots: "failed 0 blocked-address", queries: 12},
		{name: "dns-6to4-private", want: "refused 0 blocked-address", bound: publicOnly, robots: "failed 0 blocked-address", queries: 12},
		{name: "dns-half-private", want: "recorded 200", bound: publicOnly, queries: 12},
		{name: "dns-rebinding", want: "recorded 200", bound: dnsPinned, asked: "/ /1 /2 /3", links: 3, queries: 12},
		{name: "dns-alias-to-itself", want: "refused 0 dns", bound: dnsRing, robots: "failed 0 dns", queries: 12},
		{name: "dns-alias-ring", want: "refused 0 dns", bound: dnsRing, robots: "failed 0 dns", queries: 12},
		{name: "dns-alias-to-nowhere", want: "refused 0 dns", bound: attempts, robots: "failed 0 dns", queries: 12},
		{name: "dns-alias-chain", want: "refused 0 dns", bound: dnsAliases, robots: "failed 0 dns", queries: 48},
		{name: "dns-alias-to-localhost", want: "refused 0 blocked-address", bound: publicOnly, robots: "failed 0 blocked-address", queries: 12},
		{name: "dns-thousands", want: "refused 0 connect", bound: dnsAddresses, robots: "failed 0 connect", queries: 24},
		{name: "dns-foreign-records", want: "refused 0 dns", bound: dnsOwn, robots: "failed 0 dns", queries: 12},
		{name: "dns-empty", want: "refused 0 dns", bound: attempts, robots: "failed 0 dns", queries: 12},
		{name: "dns-no-such-name", want: "refused 0 dns", bound: attempts, robots: "failed 0 dns", queries: 12},
		{name: "dns-broken-server", want: "refused 0 dns", bound: attempts, robots: "failed 0 dns", queries: 12},
		{name: "dns-refused", want: "refused 0 dns", bound: attempts, robots: "failed 0 dns", queries: 12},
		{name: "dns-silent", want: "refused 0 dns", bound: dnsTime, robots: "failed 0 dns", queries: 24},
		{name: "dns-garbage", want: "refused 0 dns", bound: attempts, robots: "failed 0 dns", queries: 24},
		{name: "dns-wrong-identifier", want: "refused 0 dns", bound: dnsPackets, robots: "failed 0 dns", queries: 24, why: "only answers to other questions"},
		{name: "dns-wrong-question", want: "refused 0 dns", bound: dnsAsked, robots: "failed 0 dns", queries: 24},
		{name: "dns-always-truncated", want: "refused 0 dns", bound: attempts, robots: "failed 0 dns", queries: 24},
		{name: "dns-cut-over-tcp", want: "refused 0 dns", bound: attempts, robots: "failed 0 dns", queries: 48},
	}
}
