package fakeweb

// This file parses the text file that describes a made-up web.

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"net/netip"
	"net/url"
	"path"
	"strconv"
	"strings"
	"time"

	"golang.org/x/text/encoding/htmlindex"
)

// Web is a parsed file. It does not change; several servers may serve it.
type Web struct {
	hosts map[string]*host
	names []string // in the order of the file
}

type host struct {
	name  string
	addr  netip.Addr
	dns   string // "" or "none"
	dial  string // "", "refuse", "hang"
	tls   string // "" or "none"
	wait  time.Duration
	field []field
	exact map[string][]*answer // by unescaped path, with the query if the marker had one
	wild  []*answer            // in the order of the file, which surprises less than longest prefix first
}

type field struct{ name, value string }

// answer is one marker and its text.
type answer struct {
	scheme  string // "" means both
	prefix  string // of a path that ended in **
	status  int
	reason  string
	fields  []field
	accept  string // media type that the request's Accept must contain
	cookie  string // "name=value" that the request must send
	times   int    // 0 means always
	wait    time.Duration
	charset string
	expand  bool
	repeat  int // copies; -1 means for ever
	encode  string
	chunked bool
	ranges  bool
	raw     bool
	close   bool
	end     ending
	body    []byte
}

// ending is how an answer breaks off.
type ending struct {
	how string // "", "cut", "reset", "stall"
	at  int64  // after this many bytes
}

// Hosts returns the names of the hosts, in the order of the file.
func (w *Web) Hosts() []string { return append([]string(nil), w.names...) }

// Parse reads a web. An error names the line.
func Parse(text []byte) (*Web, error) {
	w := &Web{hosts: map[string]*host{}}
	var (
		ans  *answer
		attr attributes
		body []byte
		at   int // line of the marker
	)
	finish := func() error {
		if ans == nil {
			return nil
		}
		if err := ans.setBody(attr, body); err != nil {
			return fmt.Errorf("line %d: %w", at, err)
		}
		return nil
	}
	line := 0
	for len(text) > 0 {
		line++
		row, rest, _ := bytes.Cut(text, []byte("\n"))
		whole := text[:len(text)-len(rest)]
		text = rest
		inner, isMarker := marker(row)
		if !isMarker {
			body = append(body, whole...)
			continue
		}
		if err := finish(); err != nil {
			return nil, err
		}
		at, body, ans = line, nil, nil
		words, err := splitWords(inner)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", line, err)
		}
		if words[0] == "host" {
			err = w.addHost(words[1:])
		} else {
			attr = readAttributes(words[1:])
			ans, err = w.addAnswer(words[0], attr)
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", line, err)
		}
	}
	return w, finish()
}

// marker returns the text between the dashes of a marker line.
func marker(row []byte) (string, bool) {
	s := strings.TrimRight(string(row), "\r")
	if len(s) < 7 || !strings.HasPrefix(s, "-- ") || !strings.HasSuffix(s, " --") {
		return "", false
	}
	s = strings.TrimSpace(s[3 : len(s)-3])
	return s, s != ""
}

// splitWords splits at spaces outside quotes and unquotes values like Go.
func splitWords(s string) ([]string, error) {
	var words []string
	for s = strings.TrimLeft(s, " "); s != ""; s = strings.TrimLeft(s, " ") {
		end := strings.IndexAny(s, ` "`)
		switch {
		case end < 0:
			words, s = append(words, s), ""
		case s[end] == ' ':
			words, s = append(words, s[:end]), s[end:]
		default:
			quoted, err := strconv.QuotedPrefix(s[end:])
			if err != nil {
				return nil, fmt.Errorf("unfinished quote in %q", s)
			}
			value, err := strconv.Unquote(quoted)
			if err != nil {
				return nil, fmt.Errorf("bad quote %s", quoted)
			}
			words, s = append(words, s[:end]+value), s[end+len(quoted):]
		}
	}
	return words, nil
}

// attributes holds a marker's words after the URL. Those with a capital are header fields, in order.
type attributes struct {
	fields []field
	set    map[string]string
}

func readAttributes(words []string) attributes {
	a := attributes{set: map[string]string{}}
	for _, w := range words {
		name, value, _ := strings.Cut(w, "=")
		if name != "" && 'A' <= name[0] && name[0] <= 'Z' {
			a.fields = append(a.fields, field{name, value})
			continue
		}
		a.set[name] = value
	}
	return a
}

func (w *Web) host(name string) *host {
	h := w.hosts[name]
	if h == nil {
		n := len(w.names) + 1
		h = &host{name: name, exact: map[string][]*answer{}, addr: netip.AddrFrom4([4]byte{198, 18, byte(n >> 8), byte(n)})}
		w.hosts[name] = h
		w.names = append(w.names, name)
	}
	return h
}

func (w *Web) addHost(words []string) error {
	if len(words) == 0 {
		return fmt.Errorf("host needs a name")
	}
	h := w.host(words[0])
	attr := readAttributes(words[1:])
	h.field = attr.fields
	var err error
	for name, value := range attr.set {
		switch name {
		case "addr":
			h.addr, err = netip.ParseAddr(value)
		case "dns":
			h.dns = value
		case "dial":
			h.dial = value
		case "tls":
			h.tls = value
		case "wait":
			h.wait, err = time.ParseDuration(value)
		default:
			err = fmt.Errorf("unknown host attribute %q", name)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (w *Web) addAnswer(target string, attr attributes) (*answer, error) {
	a := &answer{status: 200, repeat: 1, fields: attr.fields}
	if scheme, rest, ok := strings.Cut(target, "://"); ok {
		a.scheme, target = scheme, rest
	}
	slash := strings.IndexByte(target, '/')
	if slash <= 0 {
		return nil, fmt.Errorf("%q is not host/path", target)
	}
	h, key := w.host(target[:slash]), lookupKey(target[slash:])
	var err error
	for name, value := range attr.set {
		switch name {
		case "status":
			a.status, err = strconv.Atoi(value)
		case "reason":
			a.reason = value
		case "accept":
			a.accept = value
		case "cookie":
			a.cookie = value
		case "times":
			a.times, err = strconv.Atoi(value)
		case "wait":
			a.wait, err = time.ParseDuration(value)
		case "charset":
			a.charset = value
		case "expand":
			a.expand = true
		case "repeat":
			a.repeat = -1
			if value != "forever" {
				a.repeat, err = strconv.Atoi(value)
			}
		case "encode":
			a.encode = value
		case "gzip":
			a.encode = "gzip"
		case "chunked":
			a.chunked = true
		case "ranges":
			a.ranges = true
		case "raw":
			a.raw = true
		case "close":
			a.close = true
		case "cut", "reset", "stall":
			a.end.how = name
			a.end.at, err = strconv.ParseInt(value, 10, 64)
		case "base64", "png": // handled in setBody
		default:
			err = fmt.Errorf("unknown attribute %q", name)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", target, err)
		}
	}
	if a.wait == 0 {
		a.wait = h.wait
	}
	a.setType(key)
	if prefix, ok := strings.CutSuffix(key, "**"); ok {
		a.prefix = prefix
		h.wild = append(h.wild, a)
	} else {
		h.exact[key] = append(h.exact[key], a)
	}
	return a, nil
}

// lookupKey turns "/%D8%A8" and "/ب" into the same key.
func lookupKey(pathQuery string) string {
	p, q, has := strings.Cut(pathQuery, "?")
	if un, err := url.PathUnescape(p); err == nil {
		p = un
	}
	if has {
		p += "?" + q
	}
	return p
}

// types maps file extensions to media types; a name without extension is a page.
var types = map[string]string{
	"": "text/html", ".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".json": "application/json",
	".xml": "application/xml", ".rss": "application/rss+xml", ".atom": "application/atom+xml", ".svg": "image/svg+xml",
	".png": "image/png", ".ico": "image/png", ".txt": "text/plain", ".ttf": "font/ttf", ".woff2": "font/woff2",
	".webmanifest": "application/manifest+json", ".pdf": "application/pdf", ".gz": "application/gzip",
}

func (a *answer) setType(key string) {
	for _, f := range a.fields {
		if strings.EqualFold(f.name, "Content-Type") {
			return
		}
	}
	p, _, _ := strings.Cut(key, "?")
	t, ok := types[path.Ext(p)]
	if !ok {
		t = "text/html"
	}
	switch {
	case a.charset != "":
		t += "; charset=" + a.charset
	case strings.HasPrefix(t, "text/"):
		t += "; charset=utf-8"
	}
	a.fields = append([]field{{"Content-Type", t}}, a.fields...)
}

func (a *answer) setBody(attr attributes, text []byte) error {
	switch {
	case a.raw:
		s := strings.ReplaceAll(string(text), "\n", "")
		s = strings.ReplaceAll(s, `"`, `\"`)
		raw, err := strconv.Unquote(`"` + s + `"`)
		if err != nil {
			return fmt.Errorf("raw text has an escape that Go does not know")
		}
		a.body = []byte(raw)
		return nil
	case has(attr, "base64"):
		b, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(string(text)), ""))
		a.body = b
		return err
	case has(attr, "png"):
		b, err := picture(attr.set["png"])
		a.body = b
		return err
	}
	// The empty line between two answers is not part of the page, like an editor's last line end.
	a.body = bytes.TrimRight(text, "\n")
	if len(a.body) > 0 {
		a.body = append(a.body, '\n')
	}
	if a.charset != "" {
		enc, err := htmlindex.Get(a.charset)
		if err != nil {
			return fmt.Errorf("unknown charset %q", a.charset)
		}
		b, err := enc.NewEncoder().Bytes(a.body)
		if err != nil {
			return fmt.Errorf("the text has letters that %s lacks: %w", a.charset, err)
		}
		a.body = b
	}
	return nil
}

func has(attr attributes, name string) bool {
	_, ok := attr.set[name]
	return ok
}
