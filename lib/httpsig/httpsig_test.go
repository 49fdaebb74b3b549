package httpsig

import (
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"
)

// rfcKey is test-key-ed25519 of RFC 9421, B.1.4.
const rfcKey = `-----BEGIN PRIVATE KEY-----
MC4CAQAwBQYDK2VwBCIEIJ+DYvh6SEqVTm50DFtMDoQikTmiCqirVv9mWG9qfSnF
-----END PRIVATE KEY-----
`

func testKey(t *testing.T) *Key {
	k, err := ParseKey([]byte(rfcKey))
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// The signature of RFC 9421, B.2.6.
func TestSignAsTheRFC(t *testing.T) {
	input, signature := testKey(t).Sign([]Component{
		{`"date"`, "Tue, 20 Apr 2021 02:07:55 GMT"}, {`"@method"`, "POST"}, {`"@path"`, "/foo"}, {`"@authority"`, "example.com"},
		{`"content-type"`, "application/json"}, {`"content-length"`, "18"},
	}, &Params{Created: time.Unix(1618884473, 0), KeyID: "test-key-ed25519"})
	if want := `("date" "@method" "@path" "@authority" "content-type" "content-length");created=1618884473;keyid="test-key-ed25519"`; input != want {
		t.Errorf("Signature-Input %s, want %s", input, want)
	}
	if want := ":wqcAqbmYJ2ji2glfAMaRy4gruYYnx2nEFN2HN6jrnDnQCK1u02Gb04v9EDgwUPiu4A0w6vuQv5lIp5WPpBKRCw==:"; signature != want {
		t.Errorf("Signature %s, want %s", signature, want)
	}
}

// The key of the RFC has the thumbprint that RFC 8037's way gives it, is written as the RFC writes it, and no print
// shows its private half.
func TestKey(t *testing.T) {
	k := testKey(t)
	if want := "poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U"; k.ID() != want {
		t.Errorf("thumbprint %s, want %s", k.ID(), want)
	}
	if string(k.PEM()) != rfcKey {
		t.Errorf("%s", k.PEM())
	}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%x"} {
		text := fmt.Sprintf(verb, k)
		if verb != "%x" && text != k.ID() || verb == "%x" && text != fmt.Sprintf("%x", k.ID()) {
			t.Errorf("%s prints %s", verb, text)
		}
	}
	if made, again := NewKey(), NewKey(); made.ID() == again.ID() {
		t.Error("two new keys are the same")
	} else if read, err := ParseKey(made.PEM()); err != nil || read.ID() != made.ID() {
		t.Error(err)
	}
}

// RFC 8037, A.1 and A.3: its key and the thumbprint of it.
func TestThumbprint(t *testing.T) {
	seed, err := base64.RawURLEncoding.DecodeString("nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := newKey(ed25519.NewKeyFromSeed(seed)).ID(), "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestBadKeys(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", "no PRIVATE KEY"}, {"hello", "no PRIVATE KEY"},
		{"-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEAJrQLj5P/89iXES9+vFgrIy29clF9CC/oPPsw3c5D0bs=\n-----END PUBLIC KEY-----\n", "no PRIVATE KEY"},
		{"-----BEGIN PRIVATE KEY-----\nMC4CAQAw\n-----END PRIVATE KEY-----\n", "damaged"},
		// of X25519, which cannot sign
		{"-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VuBCIEIJ+DYvh6SEqVTm50DFtMDoQikTmiCqirVv9mWG9qfSnF\n-----END PRIVATE KEY-----\n", "not for Ed25519"},
	} {
		if _, err := ParseKey([]byte(c.text)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %s", c.text, err, c.want)
		}
	}
}

func FuzzParseKey(f *testing.F) {
	f.Add([]byte(rfcKey))
	f.Fuzz(func(t *testing.T, text []byte) {
		k, err := ParseKey(text)
		if err != nil {
			return
		}
		if again, err := ParseKey(k.PEM()); err != nil || again.ID() != k.ID() {
			t.Fatalf("%v", err)
		}
	})
}

var fields = regexp.MustCompile(`^Signature-Agent: sig1="https://bot\.test"\r\n` +
	`Signature-Input: sig1=(\("@authority" "signature-agent";key="sig1"\);created=1735689600;keyid="[\w-]{43}";alg="ed25519";expires=1735689900;nonce="([\w-]{22})";tag="web-bot-auth")\r\n` +
	`Signature: sig1=:(.*):\r\n$`)

// A request's fields are those of Web Bot Auth, their signature fits what it is said to cover, and no two are the same.
func TestBot(t *testing.T) {
	k := testKey(t)
	bot := NewBot(k, "https://bot.test")
	nonces := map[string]bool{}
	for range 3 {
		m := fields.FindStringSubmatch(string(bot.AppendFields(nil, "example.com", time.Unix(1735689600, 0))))
		if m == nil {
			t.Fatalf("%s", bot.AppendFields(nil, "example.com", time.Unix(1735689600, 0)))
		}
		nonces[m[2]] = true
		base := "\"@authority\": example.com\n\"signature-agent\";key=\"sig1\": \"https://bot.test\"\n\"@signature-params\": " + m[1]
		signature, err := base64.StdEncoding.DecodeString(m[3])
		if err != nil || !ed25519.Verify(k.private.Public().(ed25519.PublicKey), []byte(base), signature) {
			t.Errorf("%v: the signature does not fit\n%s", err, base)
		}
	}
	if len(nonces) != 3 {
		t.Error("nonces repeat:", nonces)
	}
}

// Signing makes little: the two values, the text of the nonce, and what crypto makes; one more under the race detector.
func TestAllocations(t *testing.T) {
	bot := NewBot(testKey(t), "https://bot.test")
	if n := testing.AllocsPerRun(100, func() { bot.AppendFields(make([]byte, 0, 1024), "example.com", time.Unix(1735689600, 0)) }); n > 5 {
		t.Errorf("%v allocations, want at most 5", n)
	}
}

// Each key of a directory signs it for the authority that was asked, as a client behind a proxy for https sees it.
func TestDirectory(t *testing.T) {
	for host, want := range map[string]string{
		"Bot.Test": "bot.test", "bot.test:443": "bot.test", "bot.test:80": "bot.test", "bot.test:8443": "bot.test:8443", "[::1]:8080": "[::1]:8080",
	} {
		t.Run(host, func(t *testing.T) { testDirectory(t, host, want) })
	}
}

func testDirectory(t *testing.T, host, authority string) {
	d := &Directory{[]*Key{testKey(t), NewKey()}, func() time.Time { return time.Unix(1735689600, 0) }}
	r, w := httptest.NewRequest("GET", DirectoryPath, nil), httptest.NewRecorder()
	r.Host = host
	d.ServeHTTP(w, r)
	var set struct{ Keys []jwk }
	if err := json.Unmarshal(w.Body.Bytes(), &set); err != nil || len(set.Keys) != 2 || w.Header().Get("Content-Type") != directoryType {
		t.Fatal(err, set, w.Header())
	}
	inputs, signatures := strings.Split(w.Header().Get("Signature-Input"), ", "), strings.Split(w.Header().Get("Signature"), ", ")
	for i, k := range set.Keys {
		label := fmt.Sprintf("sig%d=", i+1)
		input, ok := strings.CutPrefix(inputs[i], label)
		if !ok || !strings.Contains(input, `;keyid="`+k.ID+`"`) {
			t.Errorf("%s is not of %s", inputs[i], k.ID)
		}
		base := "\"@authority\";req: " + authority + "\n\"content-digest\": " + w.Header().Get("Content-Digest") + "\n\"@signature-params\": " + input
		public, err := base64.RawURLEncoding.DecodeString(k.X)
		if err != nil {
			t.Fatal(err)
		}
		signature, err := base64.StdEncoding.DecodeString(strings.Trim(strings.TrimPrefix(signatures[i], label), ":"))
		if err != nil || !ed25519.Verify(public, []byte(base), signature) {
			t.Errorf("%v: %s does not fit\n%s", err, signatures[i], base)
		}
	}
}
