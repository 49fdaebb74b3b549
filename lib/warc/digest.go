package warc

// This file parses, writes and compares the digests of records.

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

// Digest is the value of a digest field: an algorithm and a sum. Files have the sum in base32, hexadecimal or base64.
type Digest struct {
	Algorithm string // "sha1", "sha256", "sha384", "sha512" or "md5"; other names are unknown algorithms
	Sum       []byte // nil if the algorithm is unknown
	Encoding  string // "base32", "base16" or "base64"
}

var (
	base32NoPad = base32.StdEncoding.WithPadding(base32.NoPadding)
	sumSizes    = []struct {
		algorithm string
		size      int
	}{ // this order decides what a sum without a name is taken for: few base32 sums look like hexadecimal
		{"md5", md5.Size}, {"sha1", sha1.Size}, {"sha256", sha256.Size}, {"sha512", sha512.Size}, {"sha384", sha512.Size384},
	}
)

// ParseDigest reads the value of a digest field. Without a name, the length of the sum decides the algorithm. An
// unknown algorithm is not an error; Digest.New then returns nil.
func ParseDigest(s string) (Digest, error) { return parseDigest(nil, s) }

// parseDigest is ParseDigest, but appends a hexadecimal sum to dst: called for each page, it must not allocate.
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

// algorithm returns the name as we write it: "SHA-256" becomes "sha256".
func algorithm(name string) string {
	return strings.ReplaceAll(strings.ToLower(strings.TrimSpace(name)), "-", "")
}

// IsAlgorithm reports whether we know the algorithm of that name.
func IsAlgorithm(name string) bool {
	for _, a := range sumSizes {
		if a.algorithm == algorithm(name) {
			return true
		}
	}
	return false
}

// decodeSum decodes a sum of size bytes. The length of text tells the encoding, for every size in use.
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

// FormatDigest writes a digest the way all tools read it: SHA-1 as "sha1:" and base32, all others with the sum in
// hexadecimal. Readers disagree about the padding that longer sums need in base32: see
// docs/decisions/0042-payload-digests.md.
func FormatDigest(algorithm string, sum []byte) string {
	var b [160]byte
	return string(AppendDigest(b[:0], algorithm, sum))
}

// AppendDigest appends FormatDigest(algorithm, sum) to b.
func AppendDigest(b []byte, algorithm string, sum []byte) []byte {
	b = append(append(b, algorithm...), ':')
	if algorithm == "sha1" {
		return base32.StdEncoding.AppendEncode(b, sum)
	}
	return hex.AppendEncode(b, sum)
}

// DigestKey returns the same key for all spellings of a digest: with or without the algorithm's name, in base32,
// hexadecimal or base64, upper or lower case, padded or not. For other texts and unknown algorithms it returns s. The
// key is stored and never shown. It is base32 with padding, as Kavosh 1.0 wrote it.
func DigestKey(s string) string {
	var b [160]byte
	return string(AppendDigestKey(b[:0], s))
}

// AppendDigestKey appends DigestKey(s) to b.
func AppendDigestKey(b []byte, s string) []byte {
	var room [sha512.Size]byte
	d, err := parseDigest(room[:0], s)
	if err != nil || d.Sum == nil {
		return append(b, strings.TrimSpace(s)...)
	}
	return base32.StdEncoding.AppendEncode(append(append(b, d.Algorithm...), ':'), d.Sum)
}

// SameDigest reports whether a and b are the same digest, perhaps spelt differently.
func SameDigest(a, b string) bool {
	if a == b {
		return true
	}
	var x, y [160]byte
	return a != "" && b != "" && bytes.Equal(AppendDigestKey(x[:0], a), AppendDigestKey(y[:0], b))
}

// New returns a hash that computes digests of this algorithm; nil if the algorithm is unknown.
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

// Matches reports whether sum equals the digest's sum.
func (d Digest) Matches(sum []byte) bool { return d.Sum != nil && bytes.Equal(d.Sum, sum) }
