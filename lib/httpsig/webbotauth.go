package httpsig

// This file holds what Web Bot Auth says: which fields a crawler's request has, and where its public keys are found.
// See draft-ietf-webbotauth-httpsig-protocol and draft-meunier-webbotauth-httpsig-directory.

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"
)

const (
	// DirectoryPath is where an origin has its Directory.
	DirectoryPath = "/.well-known/http-message-signatures-directory"
	directoryType = "application/http-message-signatures-directory+json"

	requestLife   = 5 * time.Minute // of a request's signature: connecting may take some of it, and clocks differ
	directoryLife = time.Hour       // of the directory and its signatures: verifiers may keep it so long
	label         = "sig1"
)

// Bot signs the requests of a crawler.
type Bot struct {
	key   *Key
	agent string // the field Signature-Agent
	link  string // its member for our label
}

// NewBot returns a Bot whose public key is found at an origin, such as https://bot.example.org.
func NewBot(key *Key, origin string) *Bot {
	link := `"` + origin + `"`
	return &Bot{key, label + "=" + link, link}
}

// AppendFields appends to a request's head the fields that sign it, each with CRLF. authority is the Host field: in
// lower case, with the port if it is not the scheme's own. No two signatures are the same.
func (b *Bot) AppendFields(head []byte, authority string, now time.Time) []byte {
	covered := [...]Component{{`"@authority"`, authority}, {`"signature-agent";key="` + label + `"`, b.link}}
	var nonce [16]byte
	rand.Read(nonce[:])
	input, signature := b.key.Sign(covered[:], &Params{
		Created: now, Expires: now.Add(requestLife), KeyID: b.key.id, Alg: Alg,
		Nonce: base64.RawURLEncoding.EncodeToString(nonce[:]), Tag: "web-bot-auth",
	})
	head = append(append(append(head, "Signature-Agent: "...), b.agent...), "\r\n"...)
	head = append(append(append(head, "Signature-Input: "+label+"="...), input...), "\r\n"...)
	return append(append(append(head, "Signature: "+label+"="...), signature...), "\r\n"...)
}

// IsField reports whether a Bot writes the field, by its name in any case.
func IsField(name string) bool {
	return strings.EqualFold(name, "signature") || strings.EqualFold(name, "signature-input") || strings.EqualFold(name, "signature-agent")
}

// jwk is the public half of a key (RFC 8037).
type jwk struct {
	Type  string `json:"kty"`
	Curve string `json:"crv"`
	ID    string `json:"kid"`
	X     string `json:"x"`
	Use   string `json:"use"`
}

// Directory holds the public halves of keys, and serves them. Each key signs each answer for the authority that was
// asked, so that nobody serves the directory of another as their own.
type Directory struct {
	Keys []*Key
	Now  func() time.Time
}

// JSON returns the directory: a JWK set.
func (d *Directory) JSON() []byte {
	set := struct {
		Keys []jwk `json:"keys"`
	}{}
	for _, k := range d.Keys {
		set.Keys = append(set.Keys, jwk{"OKP", "Ed25519", k.id, k.x(), "sig"})
	}
	text, err := json.Marshal(set)
	if err != nil {
		panic(err) // it is made of texts alone
	}
	return append(text, '\n')
}

// authority returns a Host field as signatures have it: in lower case and without the port of https or http. Which of
// them the client speaks is not known behind a proxy, and neither is served at the port of the other.
func authority(host string) string {
	return strings.TrimSuffix(strings.TrimSuffix(strings.ToLower(host), ":443"), ":80")
}

// ServeHTTP answers with the directory.
func (d *Directory) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	text := d.JSON()
	sum := sha256.Sum256(text)
	digest := "sha-256=:" + base64.StdEncoding.EncodeToString(sum[:]) + ":"
	covered := []Component{{`"@authority";req`, authority(r.Host)}, {`"content-digest"`, digest}}
	now := d.Now()
	var inputs, signatures []string
	for i, k := range d.Keys {
		input, signature := k.Sign(covered, &Params{
			Created: now, Expires: now.Add(directoryLife), KeyID: k.id, Alg: Alg, Tag: "http-message-signatures-directory",
		})
		inputs = append(inputs, fmt.Sprintf("sig%d=%s", i+1, input))
		signatures = append(signatures, fmt.Sprintf("sig%d=%s", i+1, signature))
	}
	h := w.Header()
	h.Set("Content-Type", directoryType)
	h.Set("Content-Digest", digest)
	h.Set("Signature-Input", strings.Join(inputs, ", "))
	h.Set("Signature", strings.Join(signatures, ", "))
	h.Set("Cache-Control", fmt.Sprintf("max-age=%d", int(directoryLife.Seconds())))
	w.Write(text)
}
