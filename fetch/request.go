package fetch

// This file splits URLs and writes the heads of requests.

import (
	"cmp"
	"encoding/base64"
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"kavosh"
	"kavosh/internal/clock"
	"kavosh/lib/httpsig"
	"kavosh/lib/httpwire"
	"kavosh/lib/weburl"
)

// urlParts is a task's URL, split for one exchange.
type urlParts struct {
	scheme    string
	host      string // without brackets
	port      uint16
	authority string // host and port as in the URL: the Host field
	path      string // with the query
}

func splitURL(raw string) (urlParts, error) {
	if u, ok := splitPlain(raw); ok {
		return u, nil
	}
	parsed, err := weburl.Parse(raw)
	if err != nil {
		return urlParts{}, fmt.Errorf("fetch: %w", err)
	}
	if !parsed.Fetchable() {
		return urlParts{}, fmt.Errorf("fetch: %q is neither http nor https", raw)
	}
	return urlParts{
		scheme: parsed.Scheme(), host: trimBrackets(parsed.Hostname()), port: uint16(parsed.PortNumber()),
		authority: parsed.Host(), path: parsed.PathQuery(),
	}, nil
}

// plainPath holds the bytes that are never encoded in path and query.
var plainPath = func() (t [256]bool) {
	for c := '!'; c <= '~'; c++ {
		t[c] = !strings.ContainsRune("\"#'<>\\^`{|}", c)
	}
	return t
}()

// splitPlain does what splitURL does, but without allocations, for the URLs of nearly all tasks: serialised, plain
// host, no credentials. It returns false for all others. FuzzSplit checks that both agree.
func splitPlain(raw string) (u urlParts, ok bool) {
	rest, found := strings.CutPrefix(raw, "http://")
	u.scheme, u.port = "http", 80
	if !found {
		if rest, found = strings.CutPrefix(raw, "https://"); !found {
			return u, false
		}
		u.scheme, u.port = "https", 443
	}
	slash := strings.IndexByte(rest, '/')
	if slash < 0 || len(raw) > weburl.MaxLength {
		return u, false
	}
	u.authority, u.path = rest[:slash], rest[slash:]
	u.host = u.authority
	if colon := strings.IndexByte(u.authority, ':'); colon >= 0 {
		digits := u.authority[colon+1:]
		n, err := strconv.ParseUint(digits, 10, 16)
		if err != nil || digits[0] < '1' || uint16(n) == u.port {
			return u, false
		}
		u.host, u.port = u.authority[:colon], uint16(n)
	}
	return u, plainHost(u.host) && isPlainPath(u.path)
}

// plainHost reports whether a host is serialised and either an IPv4 address or a name of plain, unencoded labels.
func plainHost(host string) bool {
	if host == "" {
		return false
	}
	label, numeric := 0, true // where the last label begins, and whether it is all digits
	for i := 0; i < len(host); i++ {
		switch c := host[i]; {
		case c == '.':
			if i == label {
				return false
			}
			label, numeric = i+1, true
		case 'a' <= c && c <= 'z', c == '-' && i > label:
			numeric = false
			if c == 'x' && i == label && strings.HasPrefix(host[i:], "xn--") {
				return false
			}
		case '0' <= c && c <= '9':
			if i == label && strings.HasPrefix(host[i:], "0x") {
				return false
			}
		default:
			return false
		}
	}
	if label == len(host) {
		return false
	}
	if numeric {
		a, err := netip.ParseAddr(host)
		return err == nil && a.Is4()
	}
	return true
}

// isPlainPath reports whether path and query are serialised: nothing to encode and no dot segments.
func isPlainPath(path string) bool {
	for i := 0; i < len(path); i++ {
		if !plainPath[path[i]] {
			return false
		}
		if path[i] == '/' && i+1 < len(path) && (path[i+1] == '.' || strings.HasPrefix(path[i+1:], "%2")) {
			return false
		}
	}
	return true
}

func joinHostPort(host string, port uint16) string {
	if strings.Contains(host, ":") {
		return fmt.Sprintf("[%s]:%d", host, port)
	}
	return fmt.Sprintf("%s:%d", host, port)
}

func basic(user, password string) string {
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(user+":"+password))
}

// requestForm is what every request head of a crawl has in common.
type requestForm struct {
	userAgent string
	fields    string // from User-Agent to the operator's own fields, in order, each with CRLF
	variant   string // the same for a request for a URL's RDF variant
	context   string // the same for a request for a JSON-LD context
	from      string // the From field with CRLF; or ""
	secrets   map[originKey]secret
	keep      bool // secrets are recorded
	signer    *signer
}

// signer signs requests. nil signs none.
type signer struct {
	*httpsig.Bot
	clock clock.Clock
}

// The fields that are sent unless the operator's --header names them.
const (
	accept = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
	// acceptRDF names the formats that we read, the most complete first. It includes those of SPARQL results, which an
	// endpoint sends for questions that RDF cannot answer. A page is better than nothing.
	acceptRDF = "text/turtle,application/n-triples,application/trig,application/n-quads,application/rdf+xml;q=0.9,application/ld+json;q=0.9," +
		"text/n3;q=0.8,application/sparql-results+json;q=0.7,application/sparql-results+xml;q=0.6,application/xhtml+xml;q=0.3,text/html;q=0.3,*/*;q=0.1"
	// acceptContext is the Accept field that JSON-LD 1.1 API, 9.4, requires for loading contexts.
	acceptContext  = "application/ld+json,application/json;q=0.9,*/*;q=0.1"
	acceptEncoding = "gzip, deflate, br, zstd"
)

// ownField reports whether a field is set from the URL or by the protocol: --header cannot set it.
func ownField(name string) bool {
	switch strings.ToLower(name) {
	case "host", "connection", "content-length", "transfer-encoding", "te", "trailer", "expect", "upgrade", "keep-alive",
		"proxy-authorization", "proxy-connection", "if-none-match", "if-modified-since":
		return true
	}
	return false
}

func newRequestForm(o *Options) (*requestForm, error) {
	if err := checkText("contact", o.Contact); err != nil {
		return nil, err
	}
	if err := checkText("user-agent", o.UserAgent); err != nil {
		return nil, err
	}
	isMail := strings.Contains(o.Contact, "@") && !strings.Contains(o.Contact, "://")
	f := &requestForm{userAgent: o.UserAgent, keep: o.KeepSecrets}
	var err error
	if f.secrets, err = newSecrets(o.Credentials); err != nil {
		return nil, err
	}
	if f.signer, err = newSigner(o); err != nil {
		return nil, err
	}
	if f.userAgent == "" {
		product := "kavosh/" + cmp.Or(o.Version, "dev")
		f.userAgent = "Mozilla/5.0 (compatible; " + product + ")"
		if o.Contact != "" {
			link := o.Contact
			if isMail && !strings.HasPrefix(link, "mailto:") {
				link = "mailto:" + link
			}
			f.userAgent = "Mozilla/5.0 (compatible; " + product + "; +" + link + ")"
		}
	}
	defaults := [][2]string{{"User-Agent", f.userAgent}, {"Accept", accept}, {"Accept-Encoding", acceptEncoding}}
	var extra []string
	for _, h := range o.Header {
		name, value, err := parseField("header", h)
		if err != nil {
			return nil, err
		}
		if httpwire.IsSecret(name, value) {
			return nil, badOption("header", "%s may give access to something and would go to every host; give it to one by --credentials", name)
		}
		replaced := false
		for i := range defaults {
			if strings.EqualFold(defaults[i][0], name) {
				defaults[i], replaced = [2]string{name, value}, true
			}
		}
		if !replaced {
			line := name + ": " + value + "\r\n"
			if strings.EqualFold(name, "Accept-Language") {
				extra = append([]string{line}, extra...)
			} else {
				extra = append(extra, line)
			}
		}
	}
	f.userAgent = defaults[0][1]
	for _, d := range defaults {
		f.fields += d[0] + ": " + d[1] + "\r\n"
		rdf, context := d[1], d[1]
		if strings.EqualFold(d[0], "Accept") {
			rdf, context = acceptRDF, acceptContext
		}
		f.variant += d[0] + ": " + rdf + "\r\n"
		f.context += d[0] + ": " + context + "\r\n"
	}
	f.fields += strings.Join(extra, "")
	f.variant += strings.Join(extra, "")
	f.context += strings.Join(extra, "")
	if isMail {
		f.from = "From: " + strings.TrimPrefix(o.Contact, "mailto:") + "\r\n"
	}
	return f, nil
}

// newSigner returns what signs the requests of o, or nil.
func newSigner(o *Options) (*signer, error) {
	if o.Identity == nil {
		return nil, nil
	}
	u, err := weburl.Parse(o.SignedAs)
	if err != nil || u.Scheme() != "https" || u.PathQuery() != "/" || strings.Contains(o.SignedAs, "@") {
		return nil, badOption("signature-agent", "%q is no https origin; write one such as https://bot.example.org", weburl.Hide(o.SignedAs))
	}
	for _, fields := range append(slices.Collect(maps.Values(o.Credentials)), o.Header) {
		for _, field := range fields {
			if name, _, _ := strings.Cut(field, ":"); httpsig.IsField(name) {
				return nil, badOption("identity", "%s is made of the key; do not give it too", name)
			}
		}
	}
	return &signer{httpsig.NewBot(o.Identity, u.Origin()), o.Clock}, nil
}

// parseField parses "Name: value" of an option. Its errors do not repeat the value, which may be secret.
func parseField(option, text string) (name, value string, err error) {
	name, value, found := strings.Cut(text, ":")
	value = strings.Trim(value, " \t")
	switch {
	case !found || name == "":
		return "", "", badOption(option, "a field has no name and colon; write \"Name: value\"")
	case !isFieldName(name):
		return "", "", badOption(option, "%q is no field name; write \"Name: value\"", name)
	case strings.EqualFold(name, "Proxy-Authorization"):
		return "", "", badOption(option,
			"Proxy-Authorization is made of the proxy's user and password; write --proxy http://user:password@host:port")
	case ownField(name):
		return "", "", badOption(option, "%s is set by the crawler; leave it out", name)
	}
	for i := range len(value) {
		if isControl(value[i]) {
			return "", "", badOption(option, "%s holds a line end or another control character; write it on one line", name)
		}
	}
	return name, value, nil
}

func isControl(c byte) bool { return c < ' ' && c != '\t' || c == 0x7f }

// checkText refuses text that would end a line of the head early.
func checkText(option, s string) error {
	for i := range len(s) {
		if isControl(s[i]) {
			return badOption(option, "%q holds a line end or another control character; write it on one line", s)
		}
	}
	return nil
}

// fieldSafe reports whether a value from a server may be used in a request.
func fieldSafe(s string) bool { return s != "" && len(s) <= 1<<10 && checkText("", s) == nil }

// message is a request: its head and, if it has one, its body.
type message struct {
	sent     []byte
	kept     []byte // the part that is recorded
	withheld string // names of the fields that are not recorded, with commas between
}

// head builds the request for u. With absolute, the request line has the whole URL, as proxies want it. secrets are those of
// HTTP.Secrets; where there are some, the crawl knows the cookies better than the browser.
func (f *requestForm) head(u *urlParts, t *kavosh.Task, cookies string, secrets []string, absolute bool) (r message) {
	fields, own, prior := f.fields, "", t.Prior
	switch {
	case t.Variant && strings.HasSuffix(strings.TrimRight(t.Path, "R"), "E"): // a context, or the target of a context's redirect
		fields = f.context
	case t.Variant:
		fields = f.variant
	case t.Ask != nil:
		fields, own = f.asked(t.Ask, secrets)
		if secrets == nil {
			cookies = mergeCookies(t.Ask.Cookie, cookies)
		} else {
			cookies = mergeCookies(cookies, t.Ask.Cookie)
		}
	}
	if len(f.secrets) > 0 {
		s := f.secrets[originKey{u.scheme, u.host, u.port}]
		own += s.without(own)
		cookies = mergeCookies(s.cookie, cookies)
	}
	size := 128 + len(u.path) + 2*len(u.authority) + len(fields) + len(f.from) + len(own) + len(cookies) + 256
	if f.signer != nil {
		size += 512
	}
	if len(own)+len(cookies) > 0 {
		size *= 2 // what is kept goes behind what is sent
	}
	b := make([]byte, 0, size)
	b = append(append(b, method(t)...), ' ')
	if absolute {
		b = append(b, u.scheme...)
		b = append(b, "://"...)
		b = append(b, u.authority...)
	}
	b = append(b, u.path...)
	b = append(b, " HTTP/1.1\r\nHost: "...)
	b = append(b, u.authority...)
	b = append(b, "\r\n"...)
	b = append(b, fields...)
	from := len(b)
	b = append(b, own...)
	if cookies != "" {
		b = appendField(b, "Cookie", cookies)
	}
	to, bodyLen := len(b), 0
	if prior != nil {
		if fieldSafe(prior.ETag) {
			b = appendField(b, "If-None-Match", prior.ETag)
		}
		if fieldSafe(prior.LastModified) {
			b = appendField(b, "If-Modified-Since", prior.LastModified)
		}
	}
	if p := t.Partial; p != nil {
		b = strconv.AppendInt(append(b, "Range: bytes="...), p.Size, 10)
		b = appendField(append(b, "-\r\n"...), "If-Range", p.Validator)
	}
	b = append(b, f.from...)
	if t.Ask != nil && t.Ask.Socket {
		b = append(b, "Connection: Upgrade\r\nUpgrade: websocket\r\n"...)
	}
	if f.signer != nil {
		b = f.signer.AppendFields(b, u.authority, f.signer.clock.Now())
	}
	if t.Ask != nil && t.Ask.Method == "POST" {
		b = appendField(b, "Content-Length", strconv.Itoa(len(t.Ask.Body)))
		b = append(append(b, "\r\n"...), t.Ask.Body...)
		bodyLen = len(t.Ask.Body)
	} else {
		b = append(b, "\r\n"...)
	}
	if f.keep || from == to && len(secrets) == 0 {
		return message{sent: b, kept: b}
	}
	r.sent, r.kept, r.withheld = b[:len(b):len(b)], append(append(b[len(b):], b[:from]...), b[to:]...), "cookie"
	maskTexts(r.kept[len(r.kept)-bodyLen:], secrets)
	if from == to {
		r.withheld = ""
	}
	if own != "" {
		r.withheld = strings.Join(fieldNames(string(b[from:to])), ", ")
	}
	return r
}

func method(t *kavosh.Task) string {
	if t.Ask != nil {
		return t.Ask.Method
	}
	return "GET"
}

// key returns what a connection must serve to be used for t. Requests other than GET use HTTP/1.1, where a body needs
// no windows, and so do those that open a WebSocket.
func (u *urlParts) key(t *kavosh.Task) connKey {
	return connKey{u.scheme, u.host, u.port, t.Ask != nil && (t.Ask.Method != "GET" || t.Ask.Socket)}
}

// asked returns the fields for a browser's request: the crawl's own fields with the browser's Accept, and the browser's
// other fields that the crawl does not set. Secret ones are separate, and those that hold one of secrets.
func (f *requestForm) asked(a *kavosh.Ask, secrets []string) (public, secret string) {
	var b, hidden []byte
	for line := range strings.Lines(f.fields) {
		name, value, _ := strings.Cut(strings.TrimRight(line, "\r\n"), ": ")
		if name == "Accept" && value == accept {
			value = cmp.Or(a.Header.Get(name), value)
		}
		b = appendField(b, name, value)
	}
	has := func(name string) bool {
		for line := range strings.Lines(f.fields) {
			if n, _, _ := strings.Cut(line, ":"); strings.EqualFold(n, name) {
				return true
			}
		}
		return ownField(name) || f.signer != nil && httpsig.IsField(name)
	}
	for _, field := range a.Header {
		if !isFieldName(field.Name) || checkText("", field.Value) != nil || has(field.Name) {
			continue
		}
		if httpwire.IsSecret(field.Name, field.Value) || holdsOne(field.Value, secrets) {
			hidden = appendField(hidden, field.Name, field.Value)
		} else {
			b = appendField(b, field.Name, field.Value)
		}
	}
	return string(b), string(hidden)
}

// mergeCookies returns a browser's cookies (scripts may have set some), and those of the jar that the browser lacks.
func mergeCookies(browser, jar string) string {
	if browser == "" || checkText("", browser) != nil {
		return jar
	}
	if jar == "" {
		return browser
	}
	names := map[string]bool{}
	for c := range strings.SplitSeq(browser, ";") {
		name, _, _ := strings.Cut(strings.TrimSpace(c), "=")
		names[name] = true
	}
	for c := range strings.SplitSeq(jar, "; ") {
		if name, _, _ := strings.Cut(c, "="); c != "" && !names[name] {
			browser += "; " + c
		}
	}
	return browser
}

func appendField(b []byte, name, value string) []byte {
	b = append(b, name...)
	b = append(b, ": "...)
	b = append(b, value...)
	return append(b, "\r\n"...)
}
