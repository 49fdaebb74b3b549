package httpwire

import (
	"strings"

	"kavosh/lib/ascii"
)

// secretWords occur in the names of fields that grant access: Cookie, Authorization, X-Api-Key, Private-Token …
var secretWords = [...]string{
	"auth", "cookie", "token", "secret", "passw", "passphrase", "credential", "session", "jwt", "apikey", "signature",
}

// secretParts are whole parts of such names: X-Functions-Key, X_Access_Code.
var secretParts = [...]string{"key", "code", "pass", "pin", "pwd", "otp"}

// secretSchemes begin values that grant access.
var secretSchemes = [...]string{
	"apikey ", "api-key ", "aws4-", "basic ", "bearer ", "digest ", "dpop ", "hawk ", "negotiate ", "ntlm ", "oauth ", "sso-key ", "token ",
}

// IsSecret reports whether a request field grants access to something, judging by its name and the beginning of its
// value. In doubt it returns true: then only one origin gets the field.
func IsSecret(name, value string) bool {
	for _, word := range secretWords {
		if containsFold(name, word) {
			return true
		}
	}
	for from := 0; from < len(name); {
		end := from
		for end < len(name) && name[end] != '-' && name[end] != '_' {
			end++
		}
		for _, part := range secretParts {
			if strings.EqualFold(name[from:end], part) {
				return true
			}
		}
		from = end + 1
	}
	for _, scheme := range secretSchemes {
		if ascii.HasPrefixFold(value, scheme) {
			return true
		}
	}
	return false
}

// containsFold is strings.Contains without regard to case, and without allocating.
func containsFold(s, word string) bool {
	for i := range s {
		if ascii.HasPrefixFold(s[i:], word) {
			return true
		}
	}
	return false
}
