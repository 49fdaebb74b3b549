package fetch

import (
	"slices"
	"strings"

	"kavosh/lib/weburl"
)

// Credentials are the request fields that one origin alone is sent, each "Name: value", by origin as weburl has it, such as
// "https://example.org:8443". They are never recorded, unless Options.KeepSecrets says so.
type Credentials map[string][]string

// Basic is the field that gives a user name and password, as RFC 7617 has it.
func Basic(user, password string) string { return "Authorization: " + basic(user, password) }

// originKey is an origin as a request has it.
type originKey struct {
	scheme, host string
	port         uint16
}

// secret is what one origin is sent.
type secret struct {
	fields string // lines of the head, each with its CRLF, without cookies
	cookie string
}

// newSecrets reads credentials. Its errors never repeat a value.
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

// without is the fields of s that has does not name already.
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

// fieldNames are the names of the fields in lines of a head, in lower case.
func fieldNames(lines string) (names []string) {
	for line := range strings.Lines(lines) {
		name, _, _ := strings.Cut(line, ":")
		if name = strings.ToLower(name); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}
