package order

// This file takes URLs apart for ordering policies: host, path, folders, extension, words and shape. It keeps no state.

import (
	"strings"

	"kavosh/frontier/scope"
	"kavosh/lib/weburl"
)

// split cuts a seen-key (the form by which the crawl tells URLs apart) into host, path and query. If it is no http or
// https URL, all of it is the path.
func split(url string) (host, path, query string) {
	p, ok := scope.Split(url)
	if !ok {
		return "", url, ""
	}
	return p.Host, p.Path, p.Query
}

// hostKey returns the hash of a URL's host.
func hostKey(url string) uint64 {
	host, _, _ := split(url)
	return hash(host)
}

// domainKey returns the hash of a URL's pay-level domain: public suffix plus one label.
func domainKey(url string) uint64 {
	p, ok := scope.Split(url)
	if !ok {
		return hash(url)
	}
	return hash(weburl.Domain(p.Name))
}

// segments returns the non-empty parts of a path between slashes.
func segments(path string) []string {
	return strings.FieldsFunc(path, func(c rune) bool { return c == '/' })
}

// extension returns the extension of the last segment of path, in lower case and without its dot; "" if there is none,
// or if it is longer than 7 bytes.
func extension(path string) string {
	last := path[strings.LastIndexByte(path, '/')+1:]
	dot := strings.LastIndexByte(last, '.')
	if dot <= 0 || len(last)-dot > 8 {
		return ""
	}
	return strings.ToLower(last[dot+1:])
}

// folder returns a hash of the host and at most depth folders of the path: the segments before its last slash.
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

// asWords returns the path and query of a URL as a text that a judge can read: all that separates words is a space.
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

// shapeOf returns a hash of what URLs made by one pattern have in common: the host, the number of segments in the path,
// the first segment without digits if there are several, whether the path ends in a slash, whether the last segment is
// a number, the extension, and the names of the parameters.
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

// digitless returns c, or -1 if c is an ASCII digit: strings.Map then leaves it out.
func digitless(c rune) rune {
	if c >= '0' && c <= '9' {
		return -1
	}
	return c
}
