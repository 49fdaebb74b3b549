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

// Digest is the value of a digest field: "sha1:" and the sum in base32 as a rule, in hexadecimal or base64 as also met.
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
	}{{"sha1", sha1.Size}, {"sha256", sha256.Size}, {"md5", md5.Size}, {"sha512", sha512.Size}, {"sha384", sha512.Size384}}
)

// ParseDigest reads the value of a digest field. A value without an algorithm is taken for the one of that length. An
// unknown algorithm is not an error: New then gives nil.
func ParseDigest(s string) (Digest, error) {
	name, text, ok := strings.Cut(strings.TrimSpace(s), ":")
	if !ok {
		name, text = "", name
	}
	name = strings.ReplaceAll(strings.ToLower(strings.TrimSpace(name)), "-", "")
	text = strings.TrimSpace(text)
	if name != "" && !knownAlgorithm(name) {
		return Digest{Algorithm: name}, nil
	}
	for _, a := range sumSizes {
		if name != "" && name != a.algorithm {
			continue
		}
		if sum, encoding := decodeSum(text, a.size); sum != nil {
			return Digest{a.algorithm, sum, encoding}, nil
		}
	}
	return Digest{}, fmt.Errorf("warc: %q is no digest such as sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ", s)
}

func knownAlgorithm(name string) bool {
	for _, a := range sumSizes {
		if a.algorithm == name {
			return true
		}
	}
	return false
}

// decodeSum decodes a sum of size bytes: the encodings differ in length for every size in use.
func decodeSum(text string, size int) (sum []byte, encoding string) {
	bare := strings.TrimRight(text, "=")
	var err error
	switch len(bare) {
	case hex.EncodedLen(size):
		encoding = "base16"
		sum, err = hex.DecodeString(bare)
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

// FormatDigest is a digest as we write it: "sha256:" and the sum in base32. It is padded with "=", which for SHA-1 comes
// to none: gowarc and warcio take a longer sum without padding for a wrong one.
func FormatDigest(algorithm string, sum []byte) string {
	var b [128]byte
	return string(AppendDigest(b[:0], algorithm, sum))
}

// AppendDigest appends to b what FormatDigest makes.
func AppendDigest(b []byte, algorithm string, sum []byte) []byte {
	return base32.StdEncoding.AppendEncode(append(append(b, algorithm...), ':'), sum)
}

// String is the digest in the usual form, whatever its encoding was.
func (d Digest) String() string { return FormatDigest(d.Algorithm, d.Sum) }

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
