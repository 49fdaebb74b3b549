package httpwire

import (
	"strings"

	"kavosh/lib/ascii"
)

// secretWords stand in the names of fields that give access to something: Cookie, Authorization, X-Api-Key, Private-Token …
var secretWords = [...]string{
	"auth", "cookie", "token", "secret", "passw", "passphrase", "credential", "session", "jwt", "apikey", "signature",
}

// secretParts are whole parts of such names: X-Functions-Key, X_Access_Code.
var secretParts = [...]string{"key", "code", "pass", "pin", "pwd", "otp"}

// secretSchemes begin values that give access to something.
var secretSchemes = [...]string{
	"apikey ", "api-key ", "aws4-", "basic ", "bearer ", "digest ", "dpop ", "hawk ", "negotiate ", "ntlm ", "oauth ", "sso-key ", "token ",
}

// IsSecret reports whether a request field gives access to something, by its name or by how its value begins. In doubt it
// does: then one origin alone gets it.
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

// containsFold is strings.Contains without regard to case, and without memory.
func containsFold(s, word string) bool {
	for i := range s {
		if ascii.HasPrefixFold(s[i:], word) {
			return true
		}
	}
	return false
}
