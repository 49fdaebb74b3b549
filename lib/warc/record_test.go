package warc

import (
	"encoding/hex"
	"regexp"
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
	h := Header{{"WARC-Type", "response"}, {"x", "1"}, {"X", "2"}}
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
		if d.String() != "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ" {
			t.Errorf("String = %s", d)
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
