package weburl

import (
	"encoding/base64"
	"encoding/json"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// maxSigned bounds the query in which Expires looks, in bytes.
const maxSigned = 8 << 10

// Expires returns when a URL stops being valid, as its signature says: those of Amazon S3, CloudFront, Google Cloud
// Storage, Azure, Akamai, and a JSON Web Token or a plain time beside a signature. If it names several times, the first
// one counts. ok is false for a URL that names none, and for times before 2000 or after 2099.
func Expires(key string) (at time.Time, ok bool) {
	_, query, _ := strings.Cut(key, "?")
	if len(query) == 0 || len(query) > maxSigned {
		return time.Time{}, false
	}
	var s signed
	for pair := range strings.SplitSeq(query, "&") {
		name, value, _ := strings.Cut(pair, "=")
		if value, err := url.QueryUnescape(value); err == nil {
			s.read(strings.ToLower(name), value)
		}
	}
	for i, date := range s.dates {
		if !date.IsZero() && s.lasts[i] > 0 {
			s.ends(date.Add(s.lasts[i]))
		}
	}
	if s.signature {
		s.ends(s.plain)
	}
	return s.first, !s.first.IsZero()
}

// signed is what the parameters of a signed URL say.
type signed struct {
	first     time.Time        // the first time that is sure
	plain     time.Time        // a time that counts beside a signature
	signature bool             // there is one
	dates     [2]time.Time     // when it was signed: by Amazon, by Google
	lasts     [2]time.Duration // for how long
}

// ends notes a time at which the URL stops being valid.
func (s *signed) ends(t time.Time) {
	if y := t.Year(); y >= 2000 && y < 2100 && (s.first.IsZero() || t.Before(s.first)) {
		s.first = t
	}
}

func (s *signed) read(name, value string) {
	switch name {
	case "x-amz-date", "x-goog-date":
		s.dates[byGoogle(name)], _ = time.Parse("20060102T150405Z", value)
	case "x-amz-expires", "x-goog-expires":
		if n, err := strconv.ParseUint(value, 10, 31); err == nil {
			s.lasts[byGoogle(name)] = time.Duration(n) * time.Second
		}
	case "expires", "expire", "expiry", "exp":
		s.plain = seconds(value)
	case "se": // of Azure
		for _, form := range []string{time.RFC3339, "2006-01-02T15:04Z", time.DateOnly} {
			if t, err := time.Parse(form, value); err == nil {
				s.plain = t
			}
		}
	case "signature", "sig", "hmac", "hash", "md5", "key-pair-id":
		s.signature = true
	case "hdnts", "hdnea", "__token__": // of Akamai
		for part := range strings.SplitSeq(value, "~") {
			if number, ok := strings.CutPrefix(part, "exp="); ok {
				s.ends(seconds(number))
			}
		}
	case "token", "jwt", "access_token":
		s.signature = true
		parts := strings.Split(value, ".")
		if len(parts) != 3 {
			return
		}
		var claims struct {
			Exp json.Number `json:"exp"`
		}
		if body, err := base64.RawURLEncoding.DecodeString(parts[1]); err == nil && json.Unmarshal(body, &claims) == nil {
			s.ends(seconds(claims.Exp.String()))
		}
	}
}

func byGoogle(name string) int {
	if strings.HasPrefix(name, "x-goog-") {
		return 1
	}
	return 0
}

// seconds reads a time in seconds, or in milliseconds, since 1970. It is zero if text is none.
func seconds(text string) time.Time {
	n, err := strconv.ParseInt(text, 10, 64)
	switch {
	case err != nil:
		return time.Time{}
	case n > 1e11:
		return time.UnixMilli(n).UTC()
	}
	return time.Unix(n, 0).UTC()
}
