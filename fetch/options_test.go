package fetch

import (
	"context"
	"errors"
	"io"
	"net"
	"net/netip"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
	"github.com/google/go-cmp/cmp"

	"kavosh"
)

// asked is the request head that a fetcher with these options sends for t.
func asked(t *testing.T, o Options, task *kavosh.Task, setCookies ...string) string {
	t.Helper()
	var got string
	synctest.Test(t, func(t *testing.T) {
		w := &fakeWeb{serve: func(c net.Conn, n int) {
			head, _ := request(c)
			if n == len(setCookies) {
				got = head
				io.WriteString(c, ok+"Content-Length: 0\r\nConnection: close\r\n\r\n")
				return
			}
			io.WriteString(c, ok+"Content-Length: 0\r\nConnection: close\r\nSet-Cookie: "+setCookies[n]+"\r\n\r\n")
		}}
		o.Web = w
		h := newHTTP(t, o)
		for range setCookies {
			get(t, h, task.URL)
		}
		x, _, err := h.Fetch(t.Context(), task, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer x.Close()
		kept := withheldLines.ReplaceAllString(got, "")
		if o.KeepSecrets {
			kept = got
		}
		if string(x.Request) != kept || (x.Withheld == "") != (kept == got) {
			t.Errorf("recorded %q without %q, sent %q", x.Request, x.Withheld, got)
		}
	})
	return got
}

// withheldLines are the lines of a head that are not recorded.
var withheldLines = regexp.MustCompile(`(?mi)^(Cookie|Authorization|X-Api-Key): .*\r\n`)

func TestRequestHead(t *testing.T) {
	task := func(url string) *kavosh.Task { return &kavosh.Task{URL: url} }
	prior := &kavosh.Task{URL: "http://a.test/", Prior: &kavosh.Prior{ETag: `W/"x"`, LastModified: "Thu, 01 Jan 2026 00:00:00 GMT"}}
	odd := &kavosh.Task{URL: "http://a.test/", Prior: &kavosh.Prior{ETag: "\"x\"\r\nX: y", LastModified: "\x00"}}
	const agent = "User-Agent: Mozilla/5.0 (compatible; kavosh/dev)\n"
	const rest = "Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8\nAccept-Encoding: gzip, deflate, br, zstd\n"
	for _, tt := range []struct {
		name    string
		o       Options
		task    *kavosh.Task
		cookies []string
		want    string
	}{
		{"plain", Options{}, task("http://a.test/p?q=%20"), nil, "GET /p?q=%20 HTTP/1.1\nHost: a.test\n" + agent + rest + "\n"},
		{"port", Options{}, task("http://a.test:8080/"), nil, "GET / HTTP/1.1\nHost: a.test:8080\n" + agent + rest + "\n"},
		{"IPv6", Options{}, task("http://[2606::1]:8080/"), nil, "GET / HTTP/1.1\nHost: [2606::1]:8080\n" + agent + rest + "\n"},
		{"contact", Options{Contact: "https://example.org/bot"}, task("http://a.test/"), nil,
			"GET / HTTP/1.1\nHost: a.test\nUser-Agent: Mozilla/5.0 (compatible; kavosh/dev; +https://example.org/bot)\n" + rest + "\n"},
		{"contact by mail", Options{Contact: "crawl@example.org"}, task("http://a.test/"), nil,
			"GET / HTTP/1.1\nHost: a.test\nUser-Agent: Mozilla/5.0 (compatible; kavosh/dev; +mailto:crawl@example.org)\n" + rest + "From: crawl@example.org\n\n"},
		{"own agent", Options{UserAgent: "me/1", Contact: "https://example.org/"}, task("http://a.test/"), nil,
			"GET / HTTP/1.1\nHost: a.test\nUser-Agent: me/1\n" + rest + "\n"},
		{"everything, in order", Options{Header: []string{"X-One:  1 ", "Accept-Language: fa, en;q=0.5", "X-Two: 2"}, Contact: "a@b.test"},
			prior, []string{"s=1"}, "GET / HTTP/1.1\nHost: a.test\nUser-Agent: Mozilla/5.0 (compatible; kavosh/dev; +mailto:a@b.test)\n" + rest +
				"Accept-Language: fa, en;q=0.5\nX-One: 1\nX-Two: 2\nCookie: s=1\nIf-None-Match: W/\"x\"\nIf-Modified-Since: Thu, 01 Jan 2026 00:00:00 GMT\nFrom: a@b.test\n\n"},
		{"replaced", Options{Header: []string{"accept: */*", "User-Agent: you"}}, task("http://a.test/"), nil,
			"GET / HTTP/1.1\nHost: a.test\nUser-Agent: you\naccept: */*\nAccept-Encoding: gzip, deflate, br, zstd\n\n"},
		{"a form in RDF", Options{Header: []string{"X-One: 1"}}, &kavosh.Task{URL: "http://a.test/", Variant: true}, nil,
			"GET / HTTP/1.1\nHost: a.test\n" + agent + "Accept: " + acceptRDF + "\nAccept-Encoding: gzip, deflate, br, zstd\nX-One: 1\n\n"},
		{"password in the URL", Options{}, task("http://me:p%40ss@a.test/"), nil, "GET / HTTP/1.1\nHost: a.test\n" + agent + rest + "\n"},
		{"credentials", Options{Credentials: Credentials{"http://a.test": {Basic("me", "p@ss"), "x-api-key: 1", "cookie: a=1; s=2"}}}, task("http://a.test/"), []string{"s=1", "t=1"},
			"GET / HTTP/1.1\nHost: a.test\n" + agent + rest + "Authorization: Basic bWU6cEBzcw==\nx-api-key: 1\nCookie: a=1; s=2; t=1\n\n"},
		{"credentials of others", Options{Credentials: Credentials{"https://a.test": {"X-Api-Key: 1"}, "http://a.test:81": {"X-Api-Key: 2"}, "http://www.a.test": {"X-Api-Key: 3"}}}, task("http://a.test/"), nil,
			"GET / HTTP/1.1\nHost: a.test\n" + agent + rest + "\n"},
		{"secrets kept", Options{KeepSecrets: true, Credentials: Credentials{"http://a.test": {"X-Api-Key: 1"}}}, task("http://a.test/"), []string{"s=1"},
			"GET / HTTP/1.1\nHost: a.test\n" + agent + rest + "X-Api-Key: 1\nCookie: s=1\n\n"},
		{"a browser's", Options{Credentials: Credentials{"http://a.test": {"Authorization: Bearer ours", "Cookie: a=1"}}},
			&kavosh.Task{URL: "http://a.test/", Ask: &kavosh.Ask{Method: "GET", Cookie: "b=2", Header: kavosh.Header{{Name: "Authorization", Value: "Bearer theirs"}, {Name: "X-Two", Value: "2"}}}}, nil,
			"GET / HTTP/1.1\nHost: a.test\n" + agent + rest + "X-Two: 2\nAuthorization: Bearer theirs\nCookie: a=1; b=2\n\n"},
		{"hostile validators", Options{}, odd, nil, "GET / HTTP/1.1\nHost: a.test\n" + agent + rest + "\n"},
		{"cookies off", Options{NoCookies: true}, task("http://a.test/"), []string{"s=1"}, "GET / HTTP/1.1\nHost: a.test\n" + agent + rest + "\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := asked(t, tt.o, tt.task, tt.cookies...)
			if diff := cmp.Diff(tt.want, strings.ReplaceAll(got, "\r\n", "\n")); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestBadOptionsNameTheFlagAndTheFix(t *testing.T) {
	for _, tt := range []struct {
		name string
		o    Options
		want string
	}{
		{"injected field", Options{Header: []string{"A: b\r\nHost: evil"}}, "--header: "},
		{"bare LF", Options{Header: []string{"A: b\nC: d"}}, "--header: "},
		{"no colon", Options{Header: []string{"nonsense"}}, "--header: "},
		{"no name", Options{Header: []string{": x"}}, "--header: "},
		{"name with a space", Options{Header: []string{"A B: x"}}, "--header: "},
		{"a secret for all", Options{Header: []string{"Cookie: a=s3cret"}}, "--header: Cookie may give access to something and would go to every host"},
		{"a secret by its value", Options{Header: []string{"X: bearer s3cret"}}, "--header: X may give access"},
		{"a secret without colon", Options{Header: []string{"Cookie s3cret"}}, "--header: "},
		{"a secret with a line end", Options{Header: []string{"X: s3cret\n"}}, "--header: X holds"},
		{"of no origin", Options{Credentials: Credentials{"https://u:s3cret@a.test/": {"Cookie: s3cret"}}}, "--credentials: \"https://…@a.test/\" is no origin"},
		{"of a path", Options{Credentials: Credentials{"https://a.test/x": {"Cookie: s3cret"}}}, "--credentials: "},
		{"the proxy's", Options{Credentials: Credentials{"https://a.test": {"Proxy-Authorization: s3cret"}}}, "--credentials: Proxy-Authorization is made of"},
		{"own field", Options{Header: []string{"host: x"}}, "--header: host is set by the crawler"},
		{"framing", Options{Header: []string{"Transfer-Encoding: chunked"}}, "--header: "},
		{"agent", Options{UserAgent: "a\r\nb"}, "--user-agent: "},
		{"contact", Options{Contact: "a\nb"}, "--contact: "},
		{"connect-to", Options{ConnectTo: []string{"a:b:c:d"}}, "--connect-to: "},
		{"connect-to, three parts", Options{ConnectTo: []string{"::127.0.0.1"}}, "--connect-to: "},
		{"connect-to, port", Options{ConnectTo: []string{"::127.0.0.1:65536"}}, "--connect-to: "},
		{"connect-to, bracket", Options{ConnectTo: []string{"::[::1:80"}}, "--connect-to: "},
		{"proxy kind", Options{Proxy: "ftp://secret@x"}, "--proxy: "},
		{"proxy host", Options{Proxy: "http://"}, "--proxy: "},
		{"proxy port", Options{Proxy: "http://user:secret@x:99999"}, "--proxy: "},
		{"proxy text", Options{Proxy: "http://user:secret@x y"}, "--proxy: "},
		{"proxy for nobody", Options{ProxyFor: []string{"http://user:secret@x:1"}}, "--proxy-for: a rule is no host and proxy"},
		{"proxy for a URL", Options{ProxyFor: []string{"http://a.test/ http://user:secret@x:1"}}, "--proxy-for: a rule is no host"},
		{"no proxy for a host", Options{ProxyFor: []string{"a.test ftp://user:secret@x"}}, "--proxy-for: unknown kind of proxy"},
		{"digest", Options{Digest: "md5"}, "--digest: "},
		{"resolver", Options{Resolver: []string{"dns"}}, "--dns: "},
	} {
		_, err := New(tt.o)
		var oe *OptionError
		if !errors.As(err, &oe) || !strings.HasPrefix(err.Error(), tt.want) || strings.ContainsAny(err.Error(), "\r\n") || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}

func TestConnectTo(t *testing.T) {
	for _, tt := range []struct {
		rules []string
		url   string
		want  string // address dialled
	}{
		{[]string{"::10.0.0.1:8091"}, "http://a.test/", "10.0.0.1:8091"},
		{[]string{"::10.0.0.1:8091"}, "http://b.test:99/", "10.0.0.1:8091"},
		{[]string{"::10.0.0.1:"}, "http://b.test:99/", "10.0.0.1:99"},
		{[]string{":::8091"}, "http://a.test/", "93.184.216.34:8091"},
		{[]string{"A.test:80:[fd00::1]:81"}, "http://a.test/", "[fd00::1]:81"},
		{[]string{"[2606::1]:80:10.0.0.1:81"}, "http://[2606::1]/", "10.0.0.1:81"},
		{[]string{"b.test::10.0.0.1:81", "a.test::10.0.0.2:82", "::10.0.0.3:83"}, "http://a.test/", "10.0.0.2:82"},
		{[]string{"a.test:81:10.0.0.1:1"}, "http://a.test/", "93.184.216.34:80"},
	} {
		synctest.Test(t, func(t *testing.T) {
			var dialled netip.AddrPort
			public := netip.MustParseAddr("93.184.216.34")
			w := &resolveLiterals{fakeWeb{dial: func(_ context.Context, a netip.AddrPort) error { dialled = a; return nil },
				serve: func(c net.Conn, _ int) { request(c); io.WriteString(c, ok+"Content-Length: 0\r\n\r\n") }}, public}
			h, err := New(Options{Web: w, ConnectTo: tt.rules})
			if err != nil {
				t.Fatal(err)
			}
			x := get(t, h, tt.url)
			if x.Status != 200 || dialled.String() != tt.want || x.Addr != dialled {
				t.Errorf("%v %s: dialled %v, want %s (%s)", tt.rules, tt.url, dialled, tt.want, x.Detail)
			}
			target, err := h.Address(t.Context(), x.Task)
			if err != nil || target.Addr != dialled.Addr() {
				t.Errorf("Address: %+v, %v", target, err)
			}
			h.Close()
		})
	}
}

// Only a rule that names its target host is the operator's word for a private address; another port alone is not.
func TestConnectToTrust(t *testing.T) {
	for rule, want := range map[string]kavosh.Failure{
		"::127.0.0.1:8091": "", "a.test::localhost:": "", ":18200::18200": kavosh.BlockedAddress, ":::8091": kavosh.BlockedAddress, ":::": kavosh.BlockedAddress,
		"a.test:80::": kavosh.BlockedAddress, "b.test::127.0.0.1:80": kavosh.BlockedAddress,
	} {
		synctest.Test(t, func(t *testing.T) {
			private := netip.MustParseAddr("127.0.0.1")
			w := &resolveLiterals{fakeWeb{serve: func(c net.Conn, _ int) { request(c); io.WriteString(c, ok+"Content-Length: 0\r\n\r\n") }}, private}
			h, err := New(Options{Web: w, ConnectTo: []string{rule}})
			if err != nil {
				t.Fatal(err)
			}
			defer h.Close()
			url := "http://a.test/"
			if rule == ":18200::18200" {
				url = "http://a.test:18200/"
			}
			if x := get(t, h, url); x.Failure != want {
				t.Errorf("%s: %q, want %q (%s)", rule, x.Failure, want, x.Detail)
			}
		})
	}
}

// resolveLiterals knows addresses, and one for every name.
type resolveLiterals struct {
	fakeWeb
	addr netip.Addr
}

func (w *resolveLiterals) Resolve(_ context.Context, host string) (Resolution, error) {
	if a, err := netip.ParseAddr(host); err == nil {
		return Resolution{Addrs: []netip.Addr{a}}, nil
	}
	return Resolution{Addrs: []netip.Addr{w.addr}}, nil
}

func TestAddressPolicy(t *testing.T) {
	p := newAddressPolicy(prefixes("10.1.0.0/16", "fd00:1::/32"))
	for addr, want := range map[string]bool{
		"8.8.8.8": true, "93.184.216.34": true, "192.0.0.9": true, "192.0.1.1": true, "100.63.255.255": true, "172.32.0.1": true, "198.20.0.1": true,
		"0.0.0.0": false, "0.1.2.3": false, "10.0.0.1": false, "100.64.0.1": false, "100.127.255.255": false, "127.0.0.1": false, "127.255.0.1": false,
		"169.254.169.254": false, "172.16.0.1": false, "172.31.255.255": false, "192.0.0.1": false, "192.0.2.1": false, "192.88.99.1": false,
		"192.168.1.1": false, "198.18.0.1": false, "198.19.255.255": false, "198.51.100.1": false, "203.0.113.1": false, "224.0.0.1": false,
		"240.0.0.1": false, "255.255.255.255": false,
		"2606:4700::1": true, "2001:4860:4860::8888": true, "2001:1::1": true, "2001:20::1": true, "2620:4f:8000::1": true,
		"::": false, "::1": false, "fc00::1": false, "fd12:3456::1": false, "fe80::1": false, "fe80::1%eth0": false, "fec0::1": false, "ff02::1": false,
		"2001:db8::1": false, "2001:2::1": false, "2001:10::1": false, "100::1": false, "3fff::1": false, "5f00::1": false, "4000::1": false,
		"::127.0.0.1": false, "::ffff:127.0.0.1": false, "::ffff:8.8.8.8": true, "::ffff:10.0.0.1": false, "::ffff:169.254.169.254": false,
		"64:ff9b::127.0.0.1": false, "64:ff9b::8.8.8.8": true, "64:ff9b:1::8.8.8.8": false, "64:ff9b::a00:1": false,
		"2002:7f00:1::1": false, "2002:808:808::1": true, "2002:a9fe:a9fe::1": false,
		"2001:0:808:808:0:0:80ff:fffe": false, // Teredo client 127.0.0.1
		"2001:0:808:808:0:0:f7f7:f7f7": true,  // Teredo client 8.8.8.8
		"10.1.2.3":                     true,
		"::ffff:10.1.2.3":              true,
		"64:ff9b::a01:203":             true,
		"10.2.0.1":                     false,
		"fd00:1::1":                    true,
		"fd00:2::1":                    false,
	} {
		if got := len(p.permitted("a.test", 80, prefixAddrs(addr))) == 1; got != want {
			t.Errorf("%s permitted: %v, want %v", addr, got, want)
		}
	}
	if got := p.permitted("a.test", 80, prefixAddrs("10.0.0.1", "8.8.8.8", "::1")); len(got) != 1 || got[0].String() != "8.8.8.8" {
		t.Errorf("of a mixed list: %v", got)
	}
}

func TestSeedOpensItsOwnAddressAndPort(t *testing.T) {
	p := newAddressPolicy(nil)
	p.allowHost("seed.test", 8080)
	try := func(host string, port uint16, addr string) bool {
		return len(p.permitted(host, port, prefixAddrs(addr))) == 1
	}
	for _, tt := range []struct {
		host string
		port uint16
		addr string
		want bool
	}{
		{"seed.test", 8081, "10.0.0.1", false}, // another port
		{"other.test", 8080, "10.0.0.1", false},
		{"seed.test", 8080, "10.0.0.1", true},         // what the operator meant
		{"seed.test", 8080, "::ffff:10.0.0.1", true},  // the same
		{"other.test", 8080, "10.0.0.1", true},        // the same place under another name
		{"seed.test", 8080, "169.254.169.254", false}, // pointed elsewhere later
		{"seed.test", 8080, "8.8.8.8", true},
		{"seed.test", 80, "10.0.0.1", false},
	} {
		if got := try(tt.host, tt.port, tt.addr); got != tt.want {
			t.Errorf("%s:%d at %s: %v, want %v", tt.host, tt.port, tt.addr, got, tt.want)
		}
	}
	p.allowHost("seed.test", 8080) // again, as a resumed crawl may: it opens nothing more
	if try("seed.test", 8080, "169.254.169.254") {
		t.Error("named again, the seed opened another address")
	}
}

func TestLoopbackSeed(t *testing.T) {
	addr := listen(t, func(c net.Conn, _ int) {
		request(c)
		io.WriteString(c, ok+"Content-Length: 0\r\n\r\n")
	})
	h, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	url := "http://" + addr.String() + "/"
	if x := get(t, h, url); x.Failure != kavosh.BlockedAddress || !strings.Contains(x.Detail, "--allow-private") {
		t.Errorf("failure %q, detail %q", x.Failure, x.Detail)
	}
	h.AllowHost("127.0.0.1", int(addr.Port()))
	if x := get(t, h, url); x.Status != 200 {
		t.Errorf("failure %q, detail %q", x.Failure, x.Detail)
	}
	h.AllowHost("[::1]", int(addr.Port()))
	if got := h.policy.permitted("::1", addr.Port(), prefixAddrs("::1")); len(got) != 1 {
		t.Error("an IPv6 seed in brackets stays closed")
	}
}

func TestLargeAnswersGoToAFile(t *testing.T) {
	const size = 3 << 20
	page := strings.Repeat("0123456789abcdef", size/16)
	for _, chunked := range []bool{false, true} {
		addr := listen(t, func(c net.Conn, _ int) {
			request(c)
			if !chunked {
				io.WriteString(c, ok+"Content-Length: "+itoa(size)+"\r\n\r\n"+page)
				return
			}
			io.WriteString(c, ok+"Transfer-Encoding: chunked\r\n\r\n")
			for i := 0; i < size; i += 1 << 16 {
				io.WriteString(c, "10000\r\n"+page[i:i+1<<16]+"\r\n")
			}
			io.WriteString(c, "0\r\n\r\n")
		})
		fs := vfs.NewMem()
		h, err := New(Options{AllowPrivate: prefixes("127.0.0.0/8"), FS: fs, Dir: "tmp"})
		if err != nil {
			t.Fatal(err)
		}
		defer h.Close()
		x := get(t, h, "http://"+addr.String()+"/")
		if x.Failure != "" || x.Wire.Bytes() != nil || text(t, x.Payload) != page || x.Wire.Size() < size {
			t.Errorf("failure %q %q, %d bytes", x.Failure, x.Detail, x.Payload.Size())
		}
		x.Close()
		if names, _ := fs.List("tmp"); len(names) != 0 {
			t.Errorf("files left: %v", names)
		}
	}
}

func TestFullDiskIsOurFailure(t *testing.T) {
	addr := listen(t, func(c net.Conn, _ int) {
		request(c)
		drips(ok+"\r\n", strings.Repeat("x", 1<<16), 0)(c)
	})
	full := errors.New("no space left on device")
	fs := errorfs.Wrap(vfs.NewMem(), errorfs.InjectorFunc(func(op errorfs.Op) error {
		if op.Kind == errorfs.OpFileWrite {
			return full
		}
		return nil
	}))
	h, err := New(Options{AllowPrivate: prefixes("127.0.0.0/8"), FS: fs, Dir: "tmp"})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	if x, _, err := h.Fetch(t.Context(), &kavosh.Task{URL: "http://" + addr.String() + "/"}, nil); x != nil || !errors.Is(err, full) {
		t.Errorf("%+v, %v", x, err)
	}
	if _, _, err := h.Fetch(t.Context(), &kavosh.Task{URL: "ftp://a.test/"}, nil); err == nil {
		t.Error("a URL that nobody can fetch is no error")
	}
}
