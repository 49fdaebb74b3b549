package extract

// This file finds out what kind of document a response is.

import (
	"bytes"
	"net/http"
	"strings"

	"kavosh/lib/ascii"
)

// described is what is known of a document before it is read.
type described struct {
	mediaType string // essence in lower case, from header and content
	extension string // of the URL's path, in lower case, without the dot
	root      string // local name of an XML document's root element, in lower case; else ""
	name      string // last segment of the URL's path, in lower case
	head      []byte // first bytes of the payload
}

// describe finds out what a document is, by the MIME Sniffing Standard. It believes the declared type, except where
// servers are known to declare without looking: no type, text/plain for anything, text/html for feeds.
func describe(doc Document, payload []byte) described {
	d := described{head: payload[:min(len(payload), 4096)]}
	path, _, _ := strings.Cut(doc.URL, "?")
	path, _, _ = strings.Cut(path, "#")
	d.name = strings.ToLower(path[strings.LastIndexByte(path, '/')+1:])
	if i := strings.LastIndexByte(d.name, '.'); i >= 0 {
		d.extension = d.name[i+1:]
	}
	declared, _, _ := strings.Cut(doc.Header.Get("Content-Type"), ";")
	d.mediaType = strings.ToLower(strings.TrimSpace(declared))
	if i := strings.IndexByte(d.mediaType, ','); i >= 0 { // two headers in one
		d.mediaType = strings.TrimSpace(d.mediaType[:i])
	}
	switch d.mediaType {
	case "", "unknown/unknown", "application/unknown", "*/*", "text/plain", "application/octet-stream", "binary/octet-stream":
		d.mediaType = sniff(d)
	}
	if d.mediaType == "text/html" || d.mediaType == "application/xml" || d.mediaType == "text/xml" || strings.HasSuffix(d.mediaType, "+xml") {
		d.root = rootElement(d.head)
	}
	if d.mediaType == "text/html" { // servers often send feeds as text/html
		switch d.root {
		case "rss":
			d.mediaType = "application/rss+xml"
		case "feed":
			d.mediaType = "application/atom+xml"
		}
	}
	return d
}

// sniff returns the type of a document whose declared type says nothing.
func sniff(d described) string {
	found, _, _ := strings.Cut(http.DetectContentType(d.head), ";")
	if d.mediaType == "text/plain" {
		// By the standard text/plain is text or binary, never HTML. But browsers load scripts and style sheets all the same,
		// and programs read sitemaps and feeds without looking at the type.
		if found == "text/html" {
			found = "text/plain"
		}
	}
	if found != "text/plain" && found != "application/octet-stream" {
		return found
	}
	switch d.extension {
	case "css":
		return "text/css"
	case "js", "mjs":
		return "text/javascript"
	case "json", "webmanifest", "geojson":
		return "application/json"
	}
	if found == "application/octet-stream" && d.mediaType == "text/plain" && !bytes.Contains(d.head, []byte{0}) {
		return "text/plain" // text in an old encoding
	}
	return found
}

// rootElement returns the local name of the first element, after declarations and comments.
func rootElement(head []byte) string {
	s := scanner{src: bytes.TrimPrefix(head, []byte("\xEF\xBB\xBF")), xml: true}
	for {
		switch kind, text := s.next(); kind {
		case startTag:
			return string(s.tag.name)
		case comment:
			if _, subset, ok := bytes.Cut(text, []byte{'['}); ok && ascii.EqualFold(text[:min(len(text), 7)], "doctype") {
				s = scanner{src: afterDTD(s.src[s.pos-1-len(subset):]), xml: true}
			}
		case textToken:
			if len(bytes.TrimSpace(text)) > 0 {
				return ""
			}
		default:
			return ""
		}
	}
}

// afterDTD returns what follows a DTD. src begins inside the DTD's brackets.
func afterDTD(src []byte) []byte {
	for {
		i := bytes.IndexAny(src, `]"'<`)
		if i < 0 {
			return nil
		}
		src = src[i:]
		switch {
		case src[0] == ']':
			src = bytes.TrimLeft(src[1:], " \t\r\n")
			if bytes.HasPrefix(src, []byte{'>'}) {
				return src[1:]
			}
		case bytes.HasPrefix(src, []byte("<!--")):
			_, src, _ = bytes.Cut(src, []byte("-->"))
		case src[0] == '<':
			src = src[1:]
		default:
			_, src, _ = bytes.Cut(src[1:], src[:1])
		}
	}
}

func isHTML(d described) bool {
	return d.mediaType == "text/html" || d.mediaType == "application/vnd.wap.xhtml+xml"
}

func isXML(d described) bool {
	return d.mediaType == "text/xml" || d.mediaType == "application/xml" || strings.HasSuffix(d.mediaType, "+xml")
}

func isCSS(d described) bool { return d.mediaType == "text/css" }

func isScript(d described) bool { return isProgramType(d.mediaType) }

func isJSON(d described) bool {
	return d.mediaType == "application/json" || d.mediaType == "text/json" || strings.HasSuffix(d.mediaType, "+json") ||
		d.mediaType == "importmap" || d.mediaType == "application/speculationrules"
}

func isManifest(d described) bool {
	return d.mediaType == "application/manifest+json" || isJSON(d) && (d.extension == "webmanifest" || d.name == "manifest.json")
}

func isFeed(d described) bool {
	switch d.root {
	case "rss", "feed", "rdf":
		return true
	}
	return d.mediaType == "application/feed+json" ||
		isJSON(d) && bytes.Contains(d.head[:min(len(d.head), 512)], []byte("jsonfeed.org/version"))
}

func isSitemap(d described) bool {
	switch d.root {
	case "urlset", "sitemapindex":
		return true
	}
	switch d.mediaType {
	case "text/plain", "text/xml", "application/xml": // a DTD may be longer than head
		return d.root == "" && strings.Contains(d.name, "sitemap")
	case "application/gzip", "application/x-gzip":
		return strings.HasSuffix(d.name, ".xml.gz") || strings.Contains(d.name, "sitemap")
	}
	return false
}

func isPDF(d described) bool { return d.mediaType == "application/pdf" }

// isProgram reports whether a script element of that type holds JavaScript.
func isProgram(scriptType []byte) bool {
	t := strings.ToLower(string(bytes.TrimSpace(scriptType)))
	t, _, _ = strings.Cut(t, ";")
	return t == "" || t == "module" || t == "text/babel" || t == "text/jsx" || isProgramType(strings.TrimSpace(t))
}

func isProgramType(t string) bool {
	switch t {
	case "text/javascript", "application/javascript", "application/x-javascript", "text/ecmascript", "application/ecmascript",
		"application/x-ecmascript", "text/x-javascript", "text/x-ecmascript", "text/jscript", "text/livescript", "text/typescript",
		"text/javascript1.0", "text/javascript1.1", "text/javascript1.2", "text/javascript1.3", "text/javascript1.4", "text/javascript1.5":
		return true
	}
	return false
}
