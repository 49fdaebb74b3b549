package warc

import (
	"bytes"
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"hash"
	"strings"
)

// Digest is the value of a digest field: the algorithm and the sum, which is met in base32, hexadecimal and base64.
type Digest struct {
	Algorithm string // "sha1", "sha256", "sha384", "sha512" or "md5"; another name when it is not known
	Sum       []byte // nil when the algorithm is not known
	Encoding  string // "base32", "base16" or "base64"
}

var (
	base32NoPad = base32.StdEncoding.WithPadding(base32.NoPadding)
	sumSizes    = []struct {
		algorithm string
		size      int
	}{ // in an order in which a sum without a name is taken for what it is: few sums in base32 look like hexadecimal
		{"md5", md5.Size}, {"sha1", sha1.Size}, {"sha256", sha256.Size}, {"sha512", sha512.Size}, {"sha384", sha512.Size384},
	}
)

// ParseDigest reads the value of a digest field. A value without an algorithm is taken for the one of that length. An
// unknown algorithm is not an error: New then gives nil.
func ParseDigest(s string) (Digest, error) { return parseDigest(nil, s) }

// parseDigest is ParseDigest with the sum behind dst, when it is in hexadecimal as we write it: the crawl asks at each page.
func parseDigest(dst []byte, s string) (Digest, error) {
	name, text, ok := strings.Cut(strings.TrimSpace(s), ":")
	if !ok {
		name, text = "", name
	}
	name = algorithm(name)
	text = strings.TrimSpace(text)
	if name != "" && !IsAlgorithm(name) {
		return Digest{Algorithm: name}, nil
	}
	for _, a := range sumSizes {
		if name != "" && name != a.algorithm {
			continue
		}
		if sum, encoding := decodeSum(dst, text, a.size); sum != nil {
			return Digest{a.algorithm, sum, encoding}, nil
		}
	}
	return Digest{}, fmt.Errorf("warc: %q is no digest such as sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ", s)
}

// algorithm is the name of an algorithm as we write it: SHA-256 is sha256.
func algorithm(name string) string {
	return strings.ReplaceAll(strings.ToLower(strings.TrimSpace(name)), "-", "")
}

// IsAlgorithm reports whether name is that of an algorithm whose digests we read.
func IsAlgorithm(name string) bool {
	for _, a := range sumSizes {
		if a.algorithm == algorithm(name) {
			return true
		}
	}
	return false
}

// decodeSum decodes a sum of size bytes: the encodings differ in length for every size in use.
func decodeSum(dst []byte, text string, size int) (sum []byte, encoding string) {
	bare := strings.TrimRight(text, "=")
	var err error
	switch len(bare) {
	case hex.EncodedLen(size):
		encoding = "base16"
		var digits [2 * sha512.Size]byte
		sum, err = hex.AppendDecode(dst, digits[:copy(digits[:], bare)])
	case base32NoPad.EncodedLen(size):
		encoding = "base32"
		sum, err = base32NoPad.DecodeString(strings.ToUpper(bare))
	case base64.RawStdEncoding.EncodedLen(size):
		encoding = "base64"
		if sum, err = base64.RawStdEncoding.DecodeString(bare); err != nil {
			sum, err = base64.RawURLEncoding.DecodeString(bare)
		}
	}
	if err != nil || len(sum) != size {
		return nil, ""
	}
	return sum, encoding
}

// FormatDigest is a digest as we write it: "sha1:" and the sum in base32, which all tools do, and of any other algorithm
// the sum in hexadecimal. Longer sums do not come out even in base32, and readers disagree about the padding that this
// takes: see docs/decisions/0200-digests-that-all-readers-take.md.
func FormatDigest(algorithm string, sum []byte) string {
	var b [160]byte
	return string(AppendDigest(b[:0], algorithm, sum))
}

// AppendDigest appends to b what FormatDigest makes.
func AppendDigest(b []byte, algorithm string, sum []byte) []byte {
	b = append(append(b, algorithm...), ':')
	if algorithm == "sha1" {
		return base32.StdEncoding.AppendEncode(b, sum)
	}
	return hex.AppendEncode(b, sum)
}

// DigestKey is the same for all spellings of a digest: with and without the algorithm's name, in base32, hexadecimal and
// base64, in either case, padded or not. Of what is no digest, or one of an unknown algorithm, it is the text itself. It
// is what stores keep, and never shown: the form, base32 with padding, is that of the files that Kavosh 1.0 wrote.
func DigestKey(s string) string {
	var b [160]byte
	return string(AppendDigestKey(b[:0], s))
}

// AppendDigestKey appends to b what DigestKey makes.
func AppendDigestKey(b []byte, s string) []byte {
	var room [sha512.Size]byte
	d, err := parseDigest(room[:0], s)
	if err != nil || d.Sum == nil {
		return append(b, strings.TrimSpace(s)...)
	}
	return base32.StdEncoding.AppendEncode(append(append(b, d.Algorithm...), ':'), d.Sum)
}

// SameDigest reports whether two texts are the same digest, however each is spelt.
func SameDigest(a, b string) bool {
	if a == b {
		return true
	}
	var x, y [160]byte
	return a != "" && b != "" && bytes.Equal(AppendDigestKey(x[:0], a), AppendDigestKey(y[:0], b))
}

// New is a hash to compute such a digest with; nil when the algorithm is not known.
func (d Digest) New() hash.Hash {
	switch d.Algorithm {
	case "sha1":
		return sha1.New()
	case "sha256":
		return sha256.New()
	case "sha384":
		return sha512.New384()
	case "sha512":
		return sha512.New()
	case "md5":
		return md5.New()
	}
	return nil
}

// Matches reports whether sum is the digest's sum.
func (d Digest) Matches(sum []byte) bool { return d.Sum != nil && bytes.Equal(d.Sum, sum) }
