package order

// This file has the media types, words and file extensions of RDF for which the rules about links look. The published
// source (rdfrules.go) prints only the beginning of each set; the rest is ours.

import (
	"strings"

	"kavosh/lib/packed"
	"kavosh/lib/words"
)

// isRDFType reports whether a media type is one with which RDF documents are served.
func isRDFType(name string) bool {
	switch name {
	case "application/rdf+xml", "text/rdf+xml", "application/rdf", "text/rdf", "text/turtle", "application/turtle", "application/x-turtle", "text/n3",
		"text/rdf+n3", "application/n3", "application/n-triples", "text/x-ntriples", "application/n-quads", "text/x-nquads", "application/trig",
		"application/x-trig", "application/trix", "application/ld+json", "application/rdf+json":
		return true
	}
	return false
}

// isRDFWord reports whether a word, in lower case, speaks of RDF.
func isRDFWord(word string) bool {
	switch word {
	case "rdf", "rdfs", "owl", "foaf", "doap", "sioc", "skos", "n3", "ttl", "turtle", "trig", "ntriples", "nquads", "triple", "triples", "jsonld":
		return true
	}
	return false
}

// kindOfExtension is what the extension of a URL's path tells about it.
type kindOfExtension byte

const (
	noExtension    kindOfExtension = iota // no extension, or only a number after the last dot, which is a version
	rdfExtension                          // an extension of RDF documents, also of packed ones
	htmlExtension                         // an extension of pages, or of programs that make pages
	otherExtension                        // any other extension
	plainExtension                        // an extension of what is surely neither page nor RDF: pictures, archives, programs …
)

// extensionOf returns the kind of the extension of path.
func extensionOf(path string) kindOfExtension {
	ext := extension(path)
	if inside := packed.Inside(path); inside != path && isRDFExtension(extension(inside)) {
		return rdfExtension
	}
	if strings.Trim(ext, "0123456789") == "" {
		return noExtension
	}
	if isRDFExtension(ext) {
		return rdfExtension
	}
	switch ext {
	case "html", "htm", "xhtml", "xht", "shtml", "phtml", "php", "php3", "php4", "php5", "asp", "aspx", "jsp", "jspx", "jsf", "do", "cgi", "pl", "cfm":
		return htmlExtension
	case "jpg", "jpeg", "png", "gif", "svg", "ico", "bmp", "tif", "tiff", "webp", "eps", "ps", "pdf", "txt", "css", "js", "mjs", "map", "woff", "woff2",
		"ttf", "otf", "eot", "mp3", "mp4", "m4a", "ogg", "ogv", "wav", "avi", "mov", "mpg", "mpeg", "wmv", "webm", "flv", "swf", "zip", "gz", "tgz",
		"bz2", "xz", "7z", "rar", "tar", "jar", "war", "exe", "msi", "dmg", "iso", "deb", "rpm", "apk", "doc", "docx", "xls", "xlsx", "ppt", "pptx",
		"odt", "ods", "odp", "rtf", "csv", "tsv", "tex", "bib", "psd":
		return plainExtension
	}
	return otherExtension
}

func isRDFExtension(ext string) bool {
	switch ext {
	case "rdf", "rdfs", "owl", "n3", "ttl", "nt", "nq", "trig", "trix", "jsonld":
		return true
	}
	return false
}

// namesRDFType reports whether text contains a media type of RDF that is not a part of a longer word.
func namesRDFType(text string) bool {
	if strings.IndexByte(text, '/') < 0 {
		return false
	}
	for token := range strings.FieldsFuncSeq(strings.ToLower(text), func(c rune) bool {
		return !(c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '/' || c == '+' || c == '-' || c == '.')
	}) {
		if isRDFType(strings.Trim(token, ".-/+")) {
			return true
		}
	}
	return false
}

// hasRDFWord reports whether one of the words of text speaks of RDF.
func hasRDFWord(text string) bool {
	for word := range words.All(text) {
		if isRDFWord(string(word)) {
			return true
		}
	}
	return false
}
