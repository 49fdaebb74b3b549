package order

// This file takes URLs apart for policies: host, path, folders, extension, words and shape. It keeps no state.

import (
	"strings"

	"kavosh/frontier/scope"
	"kavosh/lib/weburl"
)

// split cuts a seen-key, of any kind, into host, path and query.
func split(url string) (host, path, query string) {
	p, ok := scope.Split(url)
	if !ok {
		return "", url, ""
	}
	return p.Host, p.Path, p.Query
}

// hostKey is the hash of a URL's host.
func hostKey(url string) uint64 {
	host, _, _ := split(url)
	return hash(host)
}

// domainKey is the hash of a URL's pay-level domain: public suffix plus one label.
func domainKey(url string) uint64 {
	p, ok := scope.Split(url)
	if !ok {
		return hash(url)
	}
	return hash(weburl.Domain(p.Name))
}

// segments are the parts of a path between slashes, empty ones left out.
func segments(path string) []string {
	return strings.FieldsFunc(path, func(c rune) bool { return c == '/' })
}

// extension is the last segment's, in lower case, without its dot; "" for none or one that is no extension.
func extension(path string) string {
	last := path[strings.LastIndexByte(path, '/')+1:]
	dot := strings.LastIndexByte(last, '.')
	if dot <= 0 || len(last)-dot > 8 {
		return ""
	}
	return strings.ToLower(last[dot+1:])
}

// folder hashes the host and at most depth folders of the path: what stands before its last slash.
func folder(url string, depth int) uint64 {
	host, path, _ := split(url)
	key := hash(host)
	for _, s := range segments(path[:strings.LastIndexByte(path, '/')+1]) {
		if depth--; depth < 0 {
			break
		}
		key = joined(key, hash(s))
	}
	return key
}

// asWords is a URL as words that a judge of texts can read: its path and query, with what parts them made blanks.
func asWords(url string) string {
	_, path, query := split(url)
	if i := strings.LastIndexByte(path, '.'); i > strings.LastIndexByte(path, '/') {
		path = path[:i] // an extension says what a file is, not what it is about
	}
	words := []byte(path + " " + query)
	for i, c := range words {
		if c < '0' || c > '9' && c < 'A' || c > 'Z' && c < 'a' || c > 'z' && c < 0x80 {
			words[i] = ' '
		}
	}
	return string(words)
}

// shapeOf is a hash of what URLs have in common that were made by one pattern: the host, how many segments the path has,
// the first of several with digits left out, whether the last is a folder's or a number, its extension, and the names of
// parameters.
func shapeOf(url string) uint64 {
	host, path, query := split(url)
	s := segments(path)
	key := joined(hash(host), uint64(min(len(s), 8)))
	if len(s) > 1 {
		key = joined(key, hash(strings.Map(digitless, s[0])))
	}
	if n := len(s); n > 0 {
		key = joined(key, uint64(asNumber(strings.HasSuffix(path, "/")))+2*uint64(asNumber(strings.Map(digitless, s[n-1]) == "")))
	}
	key = joined(key, hash(extension(path)))
	for query != "" {
		var parameter string
		parameter, query, _ = strings.Cut(query, "&")
		name, _, _ := strings.Cut(parameter, "=")
		key = joined(key, hash(name))
	}
	return key
}

// digitless leaves out ASCII digits.
func digitless(c rune) rune {
	if c >= '0' && c <= '9' {
		return -1
	}
	return c
}
