package records

import (
	"strings"

	"kavosh"
)

const maxURL = 2 << 10 // bytes; documents with longer URLs are not searchable

// Searchable reports whether a capture can be searched by words. Redirects, failures, styles and scripts cannot.
func Searchable(c *kavosh.Capture) bool {
	if c.Failure != kavosh.NoFailure || len(c.URL) > maxURL || c.Type != "response" && c.Type != "revisit" && c.Type != "resource" {
		return false
	}
	if c.Type == "response" && (c.Status < 200 || c.Status >= 300 && c.Status < 400) || !IsDocument(c.URL) {
		return false
	}
	switch kind, sub, _ := strings.Cut(c.MIME, "/"); kind {
	case "audio", "video", "font":
		return false
	case "image":
		return true
	case "text":
		return sub != "css" && sub != "javascript"
	case "application":
		switch sub {
		case "javascript", "x-javascript", "ecmascript", "json", "wasm", "octet-stream", "font-woff", "font-woff2", "x-font-ttf", "zip", "gzip",
			"x-gzip", "x-tar", "java-archive", "x-shockwave-flash", "vnd.ms-fontobject", "ocsp-response", "dash+xml", "vnd.apple.mpegurl":
			return false
		}
	}
	return true
}

// IsDocument reports whether a URL belongs to a document, and not to something that a crawl requests or notes for
// itself.
func IsDocument(url string) bool {
	scheme, rest, _ := strings.Cut(url, "://")
	host, isRobots := strings.CutSuffix(rest, "/robots.txt")
	return (scheme == "http" || scheme == "https" || scheme == "ftp" || scheme == "file") && (!isRobots || strings.Contains(host, "/"))
}
