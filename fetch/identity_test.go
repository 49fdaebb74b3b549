package fetch

import (
	"bytes"
	"cmp"
	"crypto/ed25519"
	"crypto/tls"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"kavosh"
	"kavosh/lib/httpsig"
)

// verifier is a server's side of Web Bot Auth: it has the public half of a key.
type verifier struct {
	public ed25519.PublicKey
	nonces sync.Map // those that were seen: a second one is a replay
}

func newVerifier(t testing.TB, key *httpsig.Key) *verifier {
	var set struct{ Keys []struct{ X string } }
	if err := json.Unmarshal((&httpsig.Directory{Keys: []*httpsig.Key{key}}).JSON(), &set); err != nil {
		t.Fatal(err)
	}
	public, err := base64.RawURLEncoding.DecodeString(set.Keys[0].X)
	if err != nil {
		t.Fatal(err)
	}
	return &verifier{public: public}
}

// wrong is what is wrong with a request's signature, or "".
func (v *verifier) wrong(authority string, h http.Header) string {
	for _, name := range []string{"Signature", "Signature-Input", "Signature-Agent"} {
		if n := len(h.Values(name)); n != 1 {
			return fmt.Sprintf("%d fields %s", n, name)
		}
	}
	input, _ := strings.CutPrefix(h.Get("Signature-Input"), "sig1=")
	if _, again := v.nonces.LoadOrStore(input, true); again {
		return "it was sent before"
	}
	agent, _ := strings.CutPrefix(h.Get("Signature-Agent"), "sig1=")
	base := "\"@authority\": " + authority + "\n\"signature-agent\";key=\"sig1\": " + agent + "\n\"@signature-params\": " + input
	text, _ := strings.CutPrefix(h.Get("Signature"), "sig1=")
	signature, err := base64.StdEncoding.DecodeString(strings.Trim(text, ":"))
	if err != nil || !ed25519.Verify(v.public, []byte(base), signature) {
		return "it does not fit:\n" + base
	}
	return ""
}

// ServeHTTP says what is wrong with the signature.
func (v *verifier) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	io.Copy(io.Discard, r.Body)
	io.WriteString(w, v.wrong(r.Host, r.Header))
}

// Every request is signed, each anew, and the records have the fields as sent: over HTTP/1.1 and 2, through proxies, after
// a kept connection died, and with what a page in the browser asks for, whose own signature does not go along.
func TestEveryRequestIsSigned(t *testing.T) {
	key := httpsig.NewKey()
	check := newVerifier(t, key)
	ca := newAuthority(t)
	cert := ca.issue(t, time.Now().Add(time.Hour), "127.0.0.1", "a.test")
	plain, one, two := httptest.NewServer(check), httptest.NewUnstartedServer(check), httptest.NewUnstartedServer(check)
	two.EnableHTTP2 = true
	for _, s := range []*httptest.Server{one, two} {
		s.TLS = &tls.Config{Certificates: []tls.Certificate{cert}}
		s.StartTLS()
		defer s.Close()
	}
	defer plain.Close()
	var heads []string
	proxied := httpProxy(t, plain.Listener.Addr().(*net.TCPAddr).AddrPort(), &heads, nil)
	tunnelled := httpProxy(t, two.Listener.Addr().(*net.TCPAddr).AddrPort(), &heads, nil)
	page := &kavosh.Ask{Method: "POST", Body: []byte("q=1"), Header: []kavosh.Field{{Name: "signature", Value: "sig1=:AA==:"}, {Name: "Signature-Agent", Value: `"https://evil.test"`}}}
	for _, tt := range []struct {
		name, url string
		o         Options
		ask       *kavosh.Ask
		proto     string
	}{
		{name: "HTTP/1.1", url: plain.URL + "/a?b"},
		{name: "TLS", url: one.URL + "/robots.txt"},
		{name: "HTTP/2", url: two.URL + "/", proto: "h2"},
		{name: "HTTP/1.1 alone", url: two.URL + "/", o: Options{NoHTTP2: true}},
		{name: "a proxy", url: "http://a.test/", o: Options{Proxy: "http://user:secret@" + proxied.String()}},
		{name: "a tunnel", url: "https://a.test/", o: Options{Proxy: "http://user:secret@" + tunnelled.String()}, proto: "h2"},
		{name: "a page asks", url: plain.URL + "/api", ask: page},
		{name: "with secrets", url: plain.URL, o: Options{Credentials: Credentials{plain.URL: {"Authorization: Basic x", "Cookie: a=b"}}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.o.Roots, tt.o.Identity, tt.o.SignedAs = ca.pool, key, "https://bot.test"
			h := newHTTP(t, tt.o)
			for range 3 {
				x, _, err := h.Fetch(t.Context(), &kavosh.Task{URL: tt.url, Ask: tt.ask}, nil)
				if err != nil {
					t.Fatal(err)
				}
				defer x.Close()
				if x.Status != 200 || text(t, x.Payload) != "" || x.Proto != cmp.Or(tt.proto, "HTTP/1.1") {
					t.Errorf("%d %s %s %q: %s", x.Status, x.Proto, x.Failure, x.Detail, text(t, x.Payload))
				}
				for _, want := range []string{"\r\nSignature: sig1=:", "\r\nSignature-Input: sig1=(", "\r\nSignature-Agent: sig1=\"https://bot.test\"\r\n"} {
					if bytes.Count(x.Request, []byte(want)) != 1 {
						t.Errorf("the record lacks %q:\n%s", want, x.Request)
					}
				}
			}
			h.Close()
		})
	}
}

// A request that is sent again, because the kept connection was closed, is signed again.
func TestSignedAgainOverANewConnection(t *testing.T) {
	key := httpsig.NewKey()
	var mu sync.Mutex
	var sent []string
	addr := listen(t, func(c net.Conn, n int) {
		for i := 0; ; i++ {
			head, err := request(c)
			if err != nil {
				return
			}
			mu.Lock()
			sent = append(sent, head)
			mu.Unlock()
			if n == 0 && i == 1 {
				return
			}
			io.WriteString(c, ok+"Content-Length: 0\r\n\r\n")
		}
	})
	h := newHTTP(t, Options{Identity: key, SignedAs: "https://bot.test"})
	url := "http://" + addr.String() + "/"
	get(t, h, url)
	x := get(t, h, url)
	h.Close()
	mu.Lock()
	defer mu.Unlock()
	if x.Status != 200 || len(sent) != 3 || sent[1] == sent[2] || string(x.Request) != sent[2] {
		t.Errorf("%d %s, sent\n%s\nkept\n%s", x.Status, x.Detail, strings.Join(sent, ""), x.Request)
	}
}

func TestUnusableIdentity(t *testing.T) {
	for _, c := range []struct {
		o    Options
		want string
	}{
		{Options{SignedAs: "bot.test"}, `--signature-agent: "bot.test" is no https origin`},
		{Options{SignedAs: "http://bot.test"}, "no https origin"},
		{Options{SignedAs: "https://bot.test/keys"}, "no https origin"},
		{Options{SignedAs: "https://me:word@bot.test/"}, "no https origin"},
		{Options{SignedAs: "https://bot.test", Credentials: Credentials{"https://a.test": {"signature: x"}}}, "--identity: signature is made of the key"},
	} {
		c.o.Identity = httpsig.NewKey()
		_, err := New(c.o)
		var bad *OptionError
		if !errors.As(err, &bad) || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "word") {
			t.Errorf("%+v: %v, want %s", c.o, err, c.want)
		}
	}
}
