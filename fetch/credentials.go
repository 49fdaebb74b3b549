package fetch

// This file keeps request fields that are sent to one origin only, and never to another.

import (
	"slices"
	"strings"

	"kavosh/lib/weburl"
)

// Credentials holds request fields that are sent to one origin only: "Name: value" lines by origin in weburl's form,
// such as "https://example.org:8443". They are not recorded unless Options.KeepSecrets is set.
type Credentials map[string][]string

// Basic returns the field for a user name and password (RFC 7617).
func Basic(user, password string) string { return "Authorization: " + basic(user, password) }

// originKey is an origin, in the parts that a request has.
type originKey struct {
	scheme, host string
	port         uint16
}

// secret is what is sent to one origin.
type secret struct {
	fields string // lines of the head, each with CRLF, without cookies
	cookie string
}

// newSecrets parses credentials. Its errors never repeat a value.
func newSecrets(credentials Credentials) (map[originKey]secret, error) {
	secrets := map[originKey]secret{}
	for origin, fields := range credentials {
		u, err := weburl.Parse(origin)
		if err != nil || !u.Fetchable() || u.Origin() != origin {
			return nil, badOption("credentials", "%q is no origin; write scheme, host and port, such as https://example.org", weburl.Hide(origin))
		}
		var s secret
		for _, field := range fields {
			name, value, err := parseField("credentials", field)
			switch {
			case err != nil:
				return nil, err
			case strings.EqualFold(name, "Cookie"):
				s.cookie = mergeCookies(s.cookie, value)
			default:
				s.fields += name + ": " + value + "\r\n"
			}
		}
		secrets[originKey{u.Scheme(), trimBrackets(u.Hostname()), uint16(u.PortNumber())}] = s
	}
	return secrets, nil
}

// without returns the fields of s whose names are not already in the lines of has.
func (s *secret) without(has string) string {
	if has == "" {
		return s.fields
	}
	names := fieldNames(has)
	var left strings.Builder
	for line := range strings.Lines(s.fields) {
		if name, _, _ := strings.Cut(line, ":"); !slices.Contains(names, strings.ToLower(name)) {
			left.WriteString(line)
		}
	}
	return left.String()
}

// fieldNames returns the field names in lines of a head, in lower case.
func fieldNames(lines string) (names []string) {
	for line := range strings.Lines(lines) {
		name, _, _ := strings.Cut(line, ":")
		if name = strings.ToLower(name); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}
