package engine

// removal takes one bound away, or one rule of one: without it each of the cases fails.
type removal struct {
	name    string
	bound   string   // of the cases
	cases   string   // of hostileCrawls, a blank between
	changes []change // each within the body of one function
}

// removals take away every bound that a hostile case names.
func removals() []removal {
	return append(append(wireRemovals(), readingRemovals()...), append(pageRemovals(), nameRemovals()...)...)
}

// wireRemovals concern connections, TLS, heads, bodies and their framing.
func wireRemovals() []removal {
	const answer, head, connect, framing, chunked = "fetch/answer.go", "lib/httpwire/head.go", "fetch/connect.go", "lib/httpwire/framing.go", "lib/httpwire/chunked.go"
	return []removal{
		{"time of a head", headTime, "silence stall-in-status-line stall-in-head slow-head slow-field slow-interim-heads nothing-read robots-silence", []change{
			{answer, `a.setDeadline(a.sent.Add(min(a.h.o.HeadTimeout, a.h.o.TotalTimeout)))`, `a.setDeadline(time.Time{})`}}},
		{"bytes of a head", headBytes, "endless-head endless-status-line endless-field endless-field-name endless-folding large-interim-heads", []change{
			{"fetch/fetch.go", `setDefault(&o.MaxHead, 256<<10)`, `setDefault(&o.MaxHead, 2<<20)`}}},
		{"fields of a head", headFields, "field-flood", []change{
			{answer, `if len(h.Fields) > maxFields {`, `if false {`}}},
		{"interim answers", interims, "interim-flood", []change{
			{answer, `if interim++; interim > maxInterim {
				return far(kavosh.LimitFailure, "more than %d interim (1xx) answers", maxInterim)`, `if interim++; false {
				return far(kavosh.LimitFailure, "more than %d interim (1xx) answers", maxInterim)`}}},
		{"attempts", attempts, "interim-and-end closed-at-once closed-in-status-line closed-in-field bare-cr-alone refused reset-before-request closed-before-request " +
			"answers-unasked half-closed reset-before-answer reset-in-head reset-kept-connection robots-reset robots-500 tls-wants-certificate dns-alias-to-nowhere dns-empty " +
			"dns-no-such-name dns-broken-server dns-refused dns-garbage dns-always-truncated dns-cut-over-tcp", []change{
			{"frontier/frontier.go", `o.Attempts = orDefault(o.Attempts, 3)`, `o.Attempts = 1000`}}},
		{"bytes of a body", bodyBytes, "blank-line-flood endless-garbage length-above-limit endless-body endless-body-of-404 chunk-extension-flood endless-chunks " +
			"endless-redirect-body robots-endless robots-endless-line sitemap-endless endless-page tls-endless-body", []change{
			{answer, `left := a.most - a.body`, `left := int64(1) << 40`}}},
		{"idle time of a body", bodyIdle, "ssh stall-in-chunk stall-after-last-chunk stall-before-body stall-in-body stall-without-length robots-stall tls-stall-in-body", []change{
			{answer, `a.setDeadline(a.bodyDeadline(a.now))`, `a.setDeadline(time.Time{})`}}},
		{"rate of a body", bodyRate, "slow-body slow-chunks robots-slow", []change{
			{answer, `if a.windowBytes < int64(past.Seconds()*float64(a.h.o.MinRate)) {`, `if false {`}}},
		{"time of an exchange", bodyTime, "lasting-body", []change{
			{answer, `if now.Sub(a.sent) >= a.total {`, `if false {`},
			{answer, `if total.Before(idle) {`, `if false {`}}},
		{"line of a chunk", chunkLine, "endless-chunk-size endless-chunk-extension", []change{
			{chunked, `if d.line++; d.line > maxChunkLine {`, `if d.line++; false {`}}},
		{"trailer", trailerBytes, "endless-trailer", []change{
			{chunked, `if d.trailer++; d.trailer > maxTrailer {`, `if d.trailer++; false {`}}},
		{"two lengths", oneLength, "length-listed-differently two-lengths-different", []change{
			{framing, `case n != length:`, `case false:`}}},
		{"own bytes", ownBytes, "length-too-short body-with-304 body-with-204 smuggled-answer smuggled-behind-chunks chunks-and-more", []change{
			{answer, `case c == nil && a.extra > 0:`, `case false:`},
			{answer, `a.done && a.extra == 0 && a.head.KeepAlive()`, `a.done && a.head.KeepAlive()`}}},
		{"time of a connection", connectTime, "half-open", []change{
			{connect, `dctx, cancel := context.WithTimeout(ctx, h.o.ConnectTimeout)`, `dctx, cancel := context.WithCancel(ctx)`}}},
		{"time of TLS", tlsTime, "tls-stall tls-slow", []change{
			{connect, "defer stop()\n\tnc.SetDeadline(h.o.Clock.Now().Add(h.o.TLSTimeout))", "defer stop()"}}},
		{"size of a TLS handshake", tlsBytes, "tls-huge-chain tls-huge-handshake", []change{
			{"std/crypto/tls/conn.go", `if n > maxHandshakeSize {`, `if false {`}}},
		{"useless TLS alerts", tlsBytes, "tls-warning-flood", []change{
			{"std/crypto/tls/conn.go", "if c.retryCount > maxUselessRecords {\n\t\tc.sendAlert(alertUnexpectedMessage)\n\t\treturn c.in.setErrorLocked(errors.New(\"tls: too many ignored", "if false {\n\t\treturn c.in.setErrorLocked(errors.New(\"tls: too many ignored"}}},
		{"notes on certificates", tlsNoted, "tls-expired tls-not-yet tls-other-host tls-self-signed", []change{
			{connect, "; err != nil {\n\t\treturn cause(err)\n\t}\n\treturn \"\"", "; false {\n\t\treturn cause(err)\n\t}\n\treturn \"\""}}},
		{"strict certificates", tlsStrict, "tls-expired tls-not-yet tls-other-host tls-self-signed tls-old", []change{
			{connect, `if h.o.TLSStrict && c.tls.Invalid != "" {`, `if false {`},
			{connect, `min: tls.VersionTLS12, sessions`, `min: tls.VersionTLS10, sessions`}}},
		{"robots.txt that cannot be had", robotsKnown, "tls-other-protocol tls-wants-certificate-old tls-closed tls-reset tls-plain tls-garbage tls-alert tls-empty-record-flood", []change{
			{"frontier/robots.go", "asked %s\", r.failure, r.detail, times(r.attempts))\n\t\tv.rules = robots.DisallowAll(v.text)",
				"asked %s\", r.failure, r.detail, times(r.attempts))\n\t\tv.rules = robots.AllowAll()"}}},

		{"roots", oneReading, "tls-good tls-long-chain", []change{{connect, `Roots: h.o.Roots, CurrentTime`, `Roots: x509.NewCertPool(), CurrentTime`}}},
		{"old TLS", oneReading, "tls-old", []change{{connect, `f.min = tls.VersionTLS10`, `f.min = tls.VersionTLS12`}}},
		{"end without a closing message", oneReading, "tls-not-closed", []change{
			{answer, `return err == io.EOF || err == io.ErrUnexpectedEOF`, `return err == io.EOF`}}},
		{"head without a blank line", oneReading, "no-blank-line", []change{{answer, `case ended && a.wire.Bytes()[got-1] == '\n':`, `case false:`}}},
		{"answer without a status line", oneReading, "no-status-line fields-without-status tls-alert-in-plain", []change{
			{answer, "known && off < 0 {\n\t\t\ta.noHead()\n\t\t\treturn nil", "known && off < 0 {\n\t\t\treturn far(kavosh.ProtocolFailure, \"no status line\")"}}},
		{"Shoutcast", oneReading, "shoutcast", []change{{head, `if first {`, `if false {`}}},
		{"note on a status", oneReading, "no-status-number status-of-ten-digits status-zero negative-status", []change{
			{head, `p.note("no status number in the status line " + quote(line))`, ``}}},
		{"other versions", oneReading, "http-version-nine", []change{{head, `if c := b[4]; c == '/' ||`, `if c := b[4]; c == '/' && (len(b) < 6 || b[5] == '1') ||`}}},
		{"101 is final", oneReading, "switching-protocols", []change{
			{answer, `if s := a.head.Status; s/100 != 1 || s == 101 {`, `if s := a.head.Status; s/100 != 1 {`}}},
		{"bare line feeds", oneReading, "bare-lf", []change{{head, `if len(rest) > 0 && rest[0] == '\n' {`, `if false {`}}},
		{"note on a bare CR", oneReading, "bare-cr", []change{{head, `p.note(fmt.Sprintf("line %d holds a bare CR", p.line))`, ``}}},
		{"note on NULs", oneReading, "nul-in-field nul-in-name", []change{{head, `p.note("NUL bytes, removed")`, ``}}},
		{"note on folding", oneReading, "folded-line", []change{{head, `p.note(fmt.Sprintf("line %d continues the field before it", p.line))`, ``}}},
		{"note on folding nothing", oneReading, "folded-first-line", []change{{head, `p.note(fmt.Sprintf("line %d continues no field", p.line))`, ``}}},
		{"note on a space before the colon", oneReading, "space-before-colon", []change{
			{head, `p.note(fmt.Sprintf("line %d has white space before its colon", p.line))`, ``}}},
		{"note on no colon", oneReading, "no-colon second-status-line", []change{{head, `p.note(fmt.Sprintf("line %d has no colon", p.line))`, ``}}},
		{"note on no name", oneReading, "empty-field-name", []change{{head, `p.note(fmt.Sprintf("line %d has no field name", p.line))`, ``}}},
		{"any bytes in a value", oneReading, "raw-bytes-in-field", []change{
			{head, `if strings.IndexByte(value, '\r') >= 0 {`, `if strings.IndexByte(value, '\r') >= 0 || strings.ToValidUTF8(value, "") != value {`}}},
		{"what is cut is truncated", oneReading, "length-too-long length-largest chunk-larger-than-comes no-last-chunk reset-after-head reset-in-body reset-in-chunk tls-cut", []change{
			{answer, `if isEnd(err) && a.framing.By == httpwire.UntilClose {`, `if !isTimeout(err) {`}}},
		{"note on a length", oneReading, "length-not-a-number length-negative length-with-plus length-hexadecimal length-empty length-overflows", []change{
			{framing, `f.Note = "Content-Length is " + quote(trim(v))`, `f.Note = ""`}}},
		{"a length said twice", oneReading, "length-listed two-lengths-same", []change{{framing, `case n != length:`, `default:`}}},
		{"note on a length beside chunks", oneReading, "length-beside-chunks", []change{{framing, `f.Note = "Content-Length beside chunked"`, `f.Note = ""`}}},
		{"broken chunks cut the body", oneReading, "chunk-size-overflows chunk-size-negative chunk-size-words", []change{
			{answer, `return n, &cut{kavosh.ProtocolFailure, kavosh.TruncDisconnect, err.Error(), false}`, `return n, nil`}}},
		{"note on chunks that are none", oneReading, "chunked-it-says", []change{{answer, `a.note("the body is not chunked")`, ``}}},
		{"line feeds between chunks", oneReading, "chunks-with-bare-lf", []change{{chunked, "case c == '\\n':\n\t\td.sized()", "case c == '\\n':\n\t\treturn d.fail(ErrChunk)"}}},
		{"note on transfer codings", oneReading, "gzip-chunked chunked-twice chunked-then-identity", []change{
			{framing, `f.Note = "Transfer-Encoding: " + quote(h.Fields[i].Value)`, `f.Note = ""`}}},
		{"only chunked is chunked", oneReading, "xchunked", []change{{framing, `if ascii.EqualFold(trim(c), "chunked") {`, `if strings.Contains(c, "chunked") {`}}},
		{"white space around a value", oneReading, "chunked-tabbed", []change{{head, `value := trim(line[colon+1:])`, `value := line[colon+1:]`}}},
	}
}

// readingRemovals concern codings, cookies, redirects, robots.txt and sitemaps.
func readingRemovals() []removal {
	const decode, coded, cookies, reading, scope, rules, sitemap = "lib/httpwire/decode.go", "lib/httpwire/coded.go", "fetch/cookies.go", "engine/reading.go", "frontier/scope/scope.go", "lib/robots/rules.go", "lib/sitemap/sitemap.go"
	return []removal{
		{"ratio of a coding", codedRatio, "gzip-bomb deflate-bomb br-bomb zstd-bomb nested-bomb", []change{
			{decode, `if b.in != nil && b.out > ratioFloor && b.out/b.ratio > b.in.n {`, `if false {`}}},
		{"bytes of a payload", codedBytes, "larger-than-read", []change{
			{reading, `codings, maxRead, maxRatio)`, `codings, 1<<40, maxRatio)`},
			{reading, `MaxBytes: maxRead, Buffers`, `MaxBytes: 1 << 40, Buffers`}}},
		{"codings in a row", codingsInRow, "many-codings", []change{{coded, `case undone == maxCodings:`, `case false:`}}},
		{"window of zstd", window, "zstd-huge-window", []change{{decode, `zstd.WithDecoderMaxWindow(zstdWindow))`, `zstd.WithDecoderMaxWindow(1<<30))`}}},
		{"two codings", oneReading, "gzip-twice", []change{{coded, `case undone == maxCodings:`, `case undone == 1:`}}},
		{"a coding that is not there", oneReading, "gzip-it-says gzip-broken", []change{
			{coded, `io.MultiReader(bytes.NewReader(d.in.kept), &d.in)`, `bytes.NewReader(nil)`}}},
		{"unknown codings", oneReading, "unknown-coding", []change{
			{decode, `break // what is below it cannot be reached`, `return &bounded{err: ErrTooLarge}`}}},
		{"a cut coding is read up to the cut", oneReading, "gzip-cut", []change{
			{reading, `notes = append(notes, "read for links as far as it decodes: "+err.Error())`, `payload = nil`}}},
		{"members of gzip", oneReading, "gzip-member-flood", []change{{decode, `if magic, _ := m.r.Peek(2); !isGzip(magic) {`, `if true {`}}},

		{"size of a cookie", cookieSize, "huge-cookie", []change{{cookies, `|| len(c.Name)+len(c.Value) > maxCookie {`, `{`}}},
		{"cookies of a domain", cookieCount, "cookie-flood", []change{{cookies, `if len(fresh) > maxPerDomain {`, `if false {`}}},
		{"bytes of Cookie", cookieBytes, "large-cookies", []change{{cookies, `len(c.Value); size > maxCookieHeader {`, `len(c.Value); false {`}}},
		{"whose a cookie is", cookieHost, "cookie-for-all", []change{{cookies, "if err == nil || suffix == domain {", "if _ = suffix; err == nil {"}}},
		{"controls in cookies", oneReading, "cookie-with-controls", []change{{cookies, `if checkText("", field) != nil {`, `if false {`}}},

		{"once", once, "redirect-to-itself redirect-ring redirect-with-cookie sitemap-of-itself import-ring", []change{
			{"frontier/apply.go", `if s.status.state != stateUnseen && s.status.state != stateRejected {`, `if false {`}}},
		{"redirects in a row", redirectChain, "redirect-chain refresh-chain refresh-header-chain", []change{{scope, `n >= maxRedirects {`, `n < 0 {`}}},
		{"embeds in a row", embedChain, "embed-chain import-chain", []change{{scope, `strings.Count(chain, "E") >= maxEmbeds {`, `chain == "-" {`}}},
		{"sitemaps in a row", sitemapChain, "sitemap-index-chain", []change{{scope, `n >= maxSitemaps {`, `n < 0 {`}}},
		{"guesses in a row", guesses, "guess-chain", []change{{scope, `if parent.Guessed {`, `if false {`}}},
		{"public addresses", publicOnly, "redirect-to-private redirect-to-loopback redirect-to-localhost redirect-to-metadata redirect-to-decimal redirect-to-octal redirect-to-ipv6 " +
			"redirect-to-mapped robots-redirect-to-private links-to-private dns-private dns-loopback dns-unspecified dns-link-local dns-mapped dns-nat64 dns-6to4-private " +
			"dns-half-private dns-alias-to-localhost", []change{{"fetch/address.go", `if !slices.ContainsFunc(addrs, blocked) {`, `if _ = blocked; true {`}}},
		{"schemes of links", webOnly, "redirect-to-file redirect-to-script redirect-to-data redirect-to-ftp schemes", []change{
			{"extract/reading.go", `return ascii.EqualFold(ref[:i], "http") || ascii.EqualFold(ref[:i], "https")`, `return true`},
			{"extract/reading.go", `if !bytes.HasPrefix(key, []byte("http:")) && !bytes.HasPrefix(key, []byte("https:")) {`, `if false {`}}},
		{"schemes of a base", webOnly, "base-script base-data", []change{{"extract/elements.go", `if err != nil || !base.Fetchable() {`, `if err != nil {`}}},
		{"schemes of robots.txt", webOnly, "robots-redirect-to-file", []change{{"frontier/robots.go", `return target, ok`, `return target, true`}}},
		{"the first Location", oneReading, "redirect-twice", []change{
			{"extract/extract.go", `if to := h.Get("Location"); to != "" {`, `if all := h.Values("Location"); len(all) > 0 {
			to := all[len(all)-1]`}}},

		{"bytes of robots.txt", robotsBytes, "robots-huge robots-gzip-bomb", []change{
			{"engine/judge.go", `bytes.Clone(body[:min(len(body), maxRobots)])`, `bytes.Clone(body)`},
			{"frontier/robots.go", `r.body = a.Body[:min(len(a.Body), robotsBody)]`, `r.body = a.Body`},
			{"lib/robots/robots.go", `whole := len(body) <= MaxBytes`, `whole := true`}}},
		{"cost of a rule", robotsCost, "robots-star-bomb", []change{{rules, `path = path[len(r.prefix):]`, `path = path[len(r.prefix):]
	var fits func(rest []string, path string) bool
	fits = func(rest []string, path string) bool {
		for i := range path {
			if after, ok := strings.CutPrefix(path[i:], rest[0]); ok && (len(rest) == 1 || fits(rest[1:], after)) {
				return true
			}
		}
		return false
	}
	if len(r.rest) > 0 && !fits(r.rest, path) {
		return false
	}`}}},
		{"redirects of robots.txt", robotsRedirects, "robots-redirect-to-itself robots-redirect-chain", []change{
			{"frontier/robots.go", `ok && r.hops < robotsRedirects {`, `ok {`}}},
		{"a page for robots.txt", oneReading, "robots-is-a-page", []change{
			{"frontier/robots.go", `v.rules = robots.Parse(r.body).For(agent)`, `v.rules = robots.Parse(r.body).For(agent)
		if len(r.body) > 0 && r.body[0] == '<' {
			v.rules = robots.DisallowAll("a page")
		}`}}},
		{"NULs in robots.txt", oneReading, "robots-nuls", []change{
			{"lib/robots/robots.go", `text := string(decode(body))`, `text, _, _ := strings.Cut(string(decode(body)), "\x00")`}}},
		{"UTF-16 in robots.txt", oneReading, "robots-utf16", []change{{"lib/robots/robots.go", `case bytes.HasPrefix(body, []byte{0xFF, 0xFE}):`, `case false:`}}},
		{"Allow wins ties", oneReading, "robots-contradiction", []change{{rules, "if r.allow {\n\t\tr.weight++", "if !r.allow {\n\t\tr.weight++"}}},

		{"bytes of a sitemap", sitemapBytes, "sitemap-gzip-bomb", []change{{sitemap, `N: limit + 1}`, `N: 1 << 40}`}}},
		{"gzip of a sitemap", sitemapGzip, "sitemap-nested-gzip", []change{{sitemap, `for range 2 { // some servers`, `for range 9 { // some servers`}}},
		{"a token of a sitemap", sitemapToken, "sitemap-huge-token", []change{{"lib/sitemap/markup.go", `r.z.SetMaxBuf(maxToken)`, ``}}},
		{"depth of a sitemap", sitemapDepth, "sitemap-deep", []change{{"lib/sitemap/markup.go", `if len(r.stack) == maxDepth {`, `if false {`}}},
		{"entities of a sitemap", noEntities, "sitemap-entities sitemap-external-entity", []change{
			{sitemap, `case ref[0] == '&' || ref[0] == '#' || p.entities && entity.MatchString(ref):`, `case false:`}}},
		{"definitions before a root", oneReading, "feed-entities", []change{
			{"extract/sniff.go", `s = scanner{src: afterDTD(s.src[s.pos-1-len(subset):]), xml: true}`, `_ = subset`}}},
		{"what can be read is not UTF-16", oneReading, "sitemap-charset-lie", []change{
			{sitemap, `if strings.HasPrefix(strings.ToLower(label), "utf-16") {`, `if false {`}}},
	}
}

// pageRemovals concern documents and sites.
func pageRemovals() []removal {
	const scan, html, reading, trap, weburl, declare = "extract/scan.go", "extract/html.go", "extract/reading.go", "frontier/scope/trap.go", "lib/weburl/weburl.go", "lib/charset/declare.go"
	return []removal{
		{"reading to the end", toTheEnd, "deep-page deep-lists unclosed-tags end-tag-flood entity-flood charset-broken-utf8 charset-escapes script-deep script-endless-string " +
			"script-regexp-flood feed-deep svg-as-page style-deep style-data-url", []change{{"engine/reading.go", `MaxBytes: maxRead, Buffers`, `MaxBytes: 64 << 10, Buffers`}}},
		{"attributes", attributes, "attribute-flood", []change{
			{scan, "\t\tif len(t.attrs) < maxAttrs {\n\t\t\tt.attrs = append(t.attrs, a)\n\t\t}\n\t}\n", "\t\tt.attrs = append(t.attrs, a)\n\t}\n"}}},
		{"links of a page", pageLinks, "million-links", []change{{reading, `if len(r.links) >= r.opts.MaxLinks {`, `if false {`}}},
		{"one link to a URL", onePlace, "same-link-million-times srcset-flood link-header-flood", []change{{reading, "i, hash := r.seen.find(r.links, key, l.Kind)\n\tif i >= 0 {", "i, hash := r.seen.find(r.links, key, l.Kind)\n\tif false {"}}},
		{"length of what is read as a URL", urlRead, "megabyte-url megabyte-query megabyte-host dots-flood percent-flood base-long", []change{
			{weburl, "if len(ref) > MaxLength {\n\t\treturn dst", "if false {\n\t\treturn dst"},
			{weburl, "if len(out) > MaxLength {\n\t\treturn dst", "if false {\n\t\treturn dst"},
			{weburl, "if len(ref) > MaxLength {\n\t\treturn nil", "if false {\n\t\treturn nil"},
			{weburl, "if len(out) > MaxLength {\n\t\treturn nil", "if false {\n\t\treturn nil"}}},
		{"length of a URL", urlBytes, "long-url redirect-to-long-url", []change{{trap, `if len(key) > trapLength {`, `if false {`}}},
		{"anchor text", anchorBytes, "megabyte-anchor", []change{
			{"extract/context.go", `l.Anchor = c.r.text.put(cut(bytes.Trim(c.text[p.start:p.end], " "), maxAnchor))`, `l.Anchor = c.r.text.put(bytes.Trim(c.text[p.start:p.end], " "))`}}},
		{"documents in documents", nesting, "nested-srcdoc", []change{{html, "if r.depth >= maxDepth {\n\t\treturn\n\t}\n\tr.depth++\n\th := ", "r.depth++\n\th := "}}},
		{"depth of JSON", jsonDepth, "json-deep", []change{{"extract/json.go", `if len(s.path) >= maxNesting {`, `if false {`}}},
		{"stream of a PDF", pdfStream, "pdf-bomb", []change{{"extract/pdf.go", `min(maxPDFStream, left)`, `left`}}},
		{"comment that does not end", oneReading, "unclosed-comment", []change{
			{scan, "j := bytes.Index(rest[i:], []byte(\"--\"))\n\t\tif j < 0 {\n\t\t\ts.pos = len(s.src)", "j := bytes.Index(rest[i:], []byte(\"--\"))\n\t\tif j < 0 || i > 1<<16 {\n\t\t\ts.pos = start"}}},
		{"tag that does not end", oneReading, "unclosed-tag", []change{
			{scan, "if end < 0 {\n\t\t\t\t\ts.pos = len(src)\n\t\t\t\t\treturn false\n\t\t\t\t}", "if end < 0 {\n\t\t\t\t\ti++\n\t\t\t\t\tcontinue\n\t\t\t\t}"}}},
		{"script in a script's comment", oneReading, "nested-script", []change{{scan, `if state != doubly {`, `if true {`}}},
		{"base", oneReading, "base-to-other-host base-twice", []change{{"extract/elements.go", `h.reading.base, h.reading.guess = base, base`, `h.page.Base = ""`}}},
		{"unknown charsets", oneReading, "charset-utf7 charset-replacement charset-unheard-of", []change{
			{declare, "label, ok := labelIn(contentType)\n\tif !ok {\n\t\treturn \"\"\n\t}", "label, ok := labelIn(contentType)\n\tif _, name := Lookup(label); ok && name == \"\" {\n\t\treturn label\n\t}"},
			{"lib/charset/charset.go", `if name == utf8Name || enc == nil || enc == encoding.Replacement {`, `if enc == nil || enc == encoding.Replacement {
		return nil, name, certain
	}
	if name == utf8Name {`}}},
		{"UTF-16 that a page says of itself", oneReading, "charset-utf16-it-says", []change{{declare, `if name == "utf-16le" || name == "utf-16be" {`, `if false {`}}},
		{"UTF-16 that a header says", oneReading, "charset-utf16-header", []change{
			{declare, "label, ok := labelIn(contentType)\n\tif !ok {", "label, ok := labelIn(contentType)\n\tif ok = ok && !strings.HasPrefix(label, \"utf-16\"); !ok {"}}},
		{"byte order mark", oneReading, "charset-utf16-mark", []change{{declare, `case bytes.HasPrefix(b, []byte("\xFF\xFE")):`, `case false:`}}},
		{"declared types", oneReading, "media-type-lie", []change{{"extract/sniff.go", `case "", "unknown/unknown",`, `case "", "image/png", "unknown/unknown",`}}},

		{"segments that repeat", pathRepeats, "path-that-repeats path-that-repeats-by-two", []change{{trap, `same == size*(trapRun-1) {`, `false {`}}},
		{"segments of a path", pathSegments, "path-that-grows", []change{{trap, `len(segments) == trapSegments {`, `false {`}}},
		{"parameters that repeat", queryRepeats, "query-that-grows", []change{{trap, `if times == trapPairs {`, `if false {`}}},
		{"parameters of a query", queryParameters, "query-of-new-names", []change{{trap, `if n > trapParams {`, `if false {`}}},
		{"years", years, "calendar calendar-by-query", []change{{trap, `if !ok || y <= year+trapYears {`, `if !ok || y <= year+trapYears || true {`}}},
		{"session ids", sessions, "session-ids session-ids-in-path", []change{{"frontier/budget.go", `"session "+without, sessionBudget)`, `"session "+without, 1<<40)`}}},
	}
}

// nameRemovals concern name servers.
func nameRemovals() []removal {
	const dns = "fetch/dns.go"
	return []removal{
		{"least time of a name", dnsPinned, "dns-rebinding", []change{{dns, `out.ttl = max(out.ttl, minTTL)`, ``}}},
		{"chain of aliases", dnsAliases, "dns-alias-chain", []change{{dns, `for range maxChain {`, `for range 1000 {`}}},
		{"ring of aliases", dnsRing, "dns-alias-to-itself dns-alias-ring", []change{
			{dns, `for range len(msg.Answer) + 1 {`, `for {`},
			{dns, `f.add(rr, nil)`, `continue`}}},
		{"addresses of a name", dnsAddresses, "dns-thousands", []change{{"fetch/hosts.go", `!seen[a] && len(out) < maxAddrs {`, `!seen[a] {`}}},
		{"records of others", dnsOwn, "dns-foreign-records", []change{
			{dns, `if !strings.EqualFold(rr.Header().Name, owner) || rr.Header().Class`, `if rr.Header().Class`}}},
		{"time of a name", dnsTime, "dns-silent", []change{
			{dns, `context.WithTimeout(ctx, queryTimeout)`, `context.WithCancel(ctx)`},
			{dns, `context.WithTimeout(ctx, lookupTimeout)`, `context.WithCancel(ctx)`}}},
		{"datagrams", dnsPackets, "dns-wrong-identifier", []change{{dns, `for range maxPackets {`, `for range 1 << 40 {`}}},
		{"answers to other questions", dnsAsked, "dns-wrong-question", []change{{dns, `if err == nil && answers(msg, query) {`, `if err == nil {`}}},
	}
}
