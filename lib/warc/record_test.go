package warc

import (
	"crypto/sha256"
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestParseDate(t *testing.T) {
	at := time.Date(2026, 1, 31, 12, 30, 15, 0, time.UTC)
	for s, want := range map[string]time.Time{
		"2026-01-31T12:30:15Z":           at,
		"2026-01-31T12:30:15.000000001Z": at.Add(1),
		"2026-01-31T12:30:15.5Z":         at.Add(500 * time.Millisecond),
		"2026-01-31T14:00:15+01:30":      at,
		"2026-01-31T12:30Z":              at.Truncate(time.Minute),
		"2026-01-31":                     at.Truncate(24 * time.Hour),
		"2026-01":                        time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC),
		"2026":                           time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC),
		"20260131123015":                 at,
		"2026-01-31T12:30:15":            at,
	} {
		if got, err := ParseDate(s); err != nil || !got.Equal(want) || got.Location() != time.UTC {
			t.Errorf("ParseDate(%q) = %v, %v; want %v", s, got, err, want)
		}
	}
	for _, s := range []string{"", "yesterday", "2026-13-01", "2026-02-30T00:00:00Z", "31/01/2026", "20261331000000"} {
		if got, err := ParseDate(s); err == nil {
			t.Errorf("ParseDate(%q) = %v", s, got)
		}
	}
	if got := FormatDate(at.Add(1234567).In(time.FixedZone("", 3600))); got != "2026-01-31T12:30:15.001234Z" {
		t.Errorf("FormatDate = %s", got)
	}
}

func TestNewID(t *testing.T) {
	form := regexp.MustCompile(`^<urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}>$`)
	if a, b := NewID(), NewID(); !form.MatchString(a) || a == b {
		t.Errorf("NewID = %s, %s", a, b)
	}
}

func TestHeader(t *testing.T) {
	h := Header{{Name: "WARC-Type", Value: "response"}, {Name: "x", Value: "1"}, {Name: "X", Value: "2"}}
	if h.Get("warc-TYPE") != "response" || h.Get("x") != "1" || len(h.Values("X")) != 2 || h.Has("y") {
		t.Errorf("reading %v", h)
	}
	c := h.Clone()
	c.Set("X", "3")
	c.Set("new", "4")
	if len(c) != 3 || c.Get("x") != "3" || c.Get("New") != "4" || h.Get("x") != "1" {
		t.Errorf("after Set: %v, the original %v", c, h)
	}
	if c.Del("x"); c.Has("x") || len(c) != 2 {
		t.Errorf("after Del: %v", c)
	}
}

// spellings are how digests of these algorithms are met; hex alone is what we write, but of SHA-1.
func spellings(algorithm string, sum []byte) (all []string) {
	nopad := base32.StdEncoding.WithPadding(base32.NoPadding)
	for _, text := range []string{
		base32.StdEncoding.EncodeToString(sum), nopad.EncodeToString(sum), strings.ToLower(nopad.EncodeToString(sum)), hex.EncodeToString(sum),
		strings.ToUpper(hex.EncodeToString(sum)), base64.StdEncoding.EncodeToString(sum), base64.RawURLEncoding.EncodeToString(sum),
	} {
		for _, name := range []string{algorithm + ":", strings.ToUpper(algorithm) + ":", strings.TrimRight(algorithm, "0123456789") + "-" + strings.TrimLeft(algorithm, "sha") + ": ", ""} {
			if algorithm != "md5" || !strings.Contains(name, "-") {
				all = append(all, name+text)
			}
		}
	}
	return all
}

func TestADigestIsTheSameHoweverItIsSpelt(t *testing.T) {
	for _, algorithm := range []string{"md5", "sha1", "sha256", "sha384", "sha512"} {
		var keys []string
		for _, data := range []string{"", "hello", "سلام"} {
			h := Digest{Algorithm: algorithm}.New()
			io.WriteString(h, data)
			all := spellings(algorithm, h.Sum(nil))
			for _, s := range append(all, FormatDigest(algorithm, h.Sum(nil))) {
				if !SameDigest(s, all[0]) || !SameDigest(all[0], s) {
					t.Errorf("%q and %q are the same digest", s, all[0])
				}
			}
			keys = append(keys, DigestKey(all[0]))
		}
		if slices.Sort(keys); len(slices.Compact(keys)) != 3 {
			t.Errorf("%s: keys of different digests are the same: %q", algorithm, keys)
		}
	}
	sum := sha256.Sum256(nil)
	if key := DigestKey(FormatDigest("sha256", sum[:])); key != "sha256:4OYMIQUY7QOBJGX36TEJS35ZEQT24QPEMSNZGTFESWMRW6CSXBKQ====" {
		t.Errorf("the key in stores is now %s: what older ones hold is not found", key)
	}
	for _, other := range [][2]string{{"", ""}, {"", "sha1:"}, {"blake3:AB", "blake3:ab"}, {"sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ", "sha256:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ"}} {
		if other[0] != other[1] && SameDigest(other[0], other[1]) {
			t.Errorf("%q and %q are the same", other[0], other[1])
		}
	}
}

func TestDigestsAsSeenInTheWild(t *testing.T) {
	const empty = "da39a3ee5e6b4b0d3255bfef95601890afd80709"
	want, _ := hex.DecodeString(empty)
	for _, s := range []string{
		"sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ", "SHA1:3i42h3s6nnfq2msvx7xzkyayscx5qbyj", "sha-1:" + empty, "sha1:DA39A3EE5E6B4B0D3255BFEF95601890AFD80709",
		"sha1:2jmj7l5rSw0yVb/vlWAYkK/YBwk=", "sha1:2jmj7l5rSw0yVb/vlWAYkK/YBwk", "sha1:2jmj7l5rSw0yVb_vlWAYkK_YBwk=", "3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ", " sha1: " + empty + " ",
	} {
		d, err := ParseDigest(s)
		if err != nil || d.Algorithm != "sha1" || !d.Matches(want) || !d.Matches(d.New().Sum(nil)) {
			t.Errorf("ParseDigest(%q) = %+v, %v", s, d, err)
		}
		if got := FormatDigest(d.Algorithm, d.Sum); got != "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ" {
			t.Errorf("FormatDigest = %s", got)
		}
	}
	for s, algorithm := range map[string]string{
		"sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855":                         "sha256",
		"sha256:4OYMIQUY7QOBJGX36TEJS35ZEQT24QPEMSNZGTFESWMRW6CSXBKQ":                                     "sha256",
		"sha256:4OYMIQUY7QOBJGX36TEJS35ZEQT24QPEMSNZGTFESWMRW6CSXBKQ====":                                 "sha256",
		"sha256:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=":                                             "sha256",
		"md5:d41d8cd98f00b204e9800998ecf8427e":                                                            "md5",
		"md5:1B2M2Y8AsgTpgAmY7PhCfg==":                                                                    "md5",
		"md5:2QOYZWMPACZAJ2MABGMOZ6CCPY======":                                                            "md5",
		"d41d8cd98f00b204e9800998ecf8427e":                                                                "md5",
		"sha512:z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg==": "sha512",
	} {
		d, err := ParseDigest(s)
		if err != nil || d.Algorithm != algorithm || !d.Matches(d.New().Sum(nil)) {
			t.Errorf("ParseDigest(%q) = %+v, %v", s, d, err)
		}
	}
	if d, err := ParseDigest("blake3:af1349b9f5f9a1a6a0404dea36dcc949"); err != nil || d.New() != nil || d.Matches(nil) {
		t.Errorf("an unknown algorithm: %+v, %v", d, err)
	}
	for _, s := range []string{"", "sha1:", "sha1:xyz", "sha1:1112H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ", "sha256:" + empty, "nonsense"} {
		if d, err := ParseDigest(s); err == nil {
			t.Errorf("ParseDigest(%q) = %+v", s, d)
		}
	}
}
