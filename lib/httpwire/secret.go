package httpwire

import "strings"

// secretWords stand in the names of fields that give access to something: Cookie, Authorization, X-Api-Key, Private-Token …
var secretWords = [...]string{"auth", "cookie", "token", "secret", "passw", "credential", "session", "jwt", "api-key", "apikey", "access-key", "subscription-key", "signature"}

// IsSecret reports whether a request field gives access to something, by its name or by how its value begins. In doubt it
// does: then one origin alone gets it.
func IsSecret(name, value string) bool {
	for _, word := range secretWords {
		if containsFold(name, word) {
			return true
		}
	}
	return hasPrefixFold(value, "Bearer ") || hasPrefixFold(value, "Basic ")
}

func hasPrefixFold(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}

// containsFold is strings.Contains without regard to case, and without memory.
func containsFold(s, word string) bool {
	for i := range s {
		if hasPrefixFold(s[i:], word) {
			return true
		}
	}
	return false
}
