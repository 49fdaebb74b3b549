package httpsig

import (
	"crypto/ed25519"
	"encoding/base64"
	"strconv"
	"time"
)

// Component is a part of a message that a signature covers.
type Component struct {
	ID    string // as signatures write it, with quotes and parameters: `"@authority"`, `"date"`, `"@authority";req`
	Value string
}

// Params says what a signature tells of itself. What is empty is left out. No text may hold a quote, a backslash or
// anything but visible ASCII.
type Params struct {
	Created, Expires time.Time // to the second
	KeyID            string
	Alg              string
	Nonce            string
	Tag              string
}

// Alg is the name of the algorithm of all keys of this package.
const Alg = "ed25519"

// Sign signs the components. It returns the values that stand behind a label in the fields Signature-Input and
// Signature, such as sig1=input and sig1=signature.
func (k *Key) Sign(covered []Component, p *Params) (input, signature string) {
	base := make([]byte, 0, 768)
	for _, c := range covered {
		base = append(append(append(append(base, c.ID...), ": "...), c.Value...), '\n')
	}
	base = append(base, `"@signature-params": `...)
	from := len(base)
	base = p.append(base, covered)
	value := append(make([]byte, 0, 2+base64.StdEncoding.EncodedLen(ed25519.SignatureSize)), ':')
	value = base64.StdEncoding.AppendEncode(value, ed25519.Sign(k.private, base))
	return string(base[from:]), string(append(value, ':'))
}

// append appends the list of components with the parameters: the last line of what is signed, and the value of
// Signature-Input.
func (p *Params) append(b []byte, covered []Component) []byte {
	b = append(b, '(')
	for i, c := range covered {
		if i > 0 {
			b = append(b, ' ')
		}
		b = append(b, c.ID...)
	}
	b = append(b, ')')
	b = appendTime(b, "created", p.Created)
	b = appendText(b, "keyid", p.KeyID)
	b = appendText(b, "alg", p.Alg)
	b = appendTime(b, "expires", p.Expires)
	b = appendText(b, "nonce", p.Nonce)
	return appendText(b, "tag", p.Tag)
}

func appendTime(b []byte, name string, t time.Time) []byte {
	if t.IsZero() {
		return b
	}
	b = append(append(append(b, ';'), name...), '=')
	return strconv.AppendInt(b, t.Unix(), 10)
}

func appendText(b []byte, name, text string) []byte {
	if text == "" {
		return b
	}
	b = append(append(append(b, ';'), name...), `="`...)
	return append(append(b, text...), '"')
}
