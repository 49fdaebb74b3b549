package records

import (
	"strings"

	"kavosh"
)

const maxURL = 2 << 10 // bytes: nobody looks for what has a longer URL

// Searchable reports whether somebody may look for a capture by words. Redirects, failures, styles and scripts are left out.
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

// IsDocument reports whether a URL is of a document, and not of what a crawl asks or notes for its own sake.
func IsDocument(url string) bool {
	scheme, rest, _ := strings.Cut(url, "://")
	host, isRobots := strings.CutSuffix(rest, "/robots.txt")
	return (scheme == "http" || scheme == "https" || scheme == "ftp" || scheme == "file") && (!isRobots || strings.Contains(host, "/"))
}
