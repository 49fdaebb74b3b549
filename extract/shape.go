package extract

import (
	"bytes"
	"strings"

	"kavosh/lib/ascii"
)

// This file says what an address looks like, for strings of which nothing else says that they are addresses.

// shape says how much a string must look like an address.
type shape uint8

const (
	shapeString shape = iota // for any string: a path with a known extension, or a whole http URL
	shapeSink                // for a string given to what takes addresses: any path
)

// hole replaces, in a string, what only running the script would tell.
const hole = 0x1A

// wholeURL reports whether a string has no hole.
func wholeURL(s []byte) bool { return bytes.IndexByte(s, hole) < 0 }

func looksLikeURL(s []byte, level shape) bool {
	if len(s) < 2 || len(s) > 2048 {
		return false
	}
	for i, c := range s {
		if c <= ' ' || c == 0x7F || strings.IndexByte("<>\"'`{}|\\^*$", c) >= 0 {
			return false
		}
		if c == '%' && (i+2 >= len(s) || !ascii.IsHex(s[i+1]) || !ascii.IsHex(s[i+2])) {
			return false
		}
	}
	switch {
	case ascii.HasPrefixFold(s, "http://") || ascii.HasPrefixFold(s, "https://"):
		host := s[bytes.IndexByte(s, ':')+len("://"):]
		if level == shapeString && (bytes.HasSuffix(host, []byte("/")) || bytes.IndexByte(host, '/') < 0) {
			return false // more often the beginning of an address than an address
		}
		return likelyHost(host) && !isName(s)
	case bytes.HasPrefix(s, []byte("//")):
		return likelyHost(s[2:]) && bytes.IndexByte(s[2:], '/') > 0
	}
	path := s
	if i := bytes.IndexAny(path, "?#"); i >= 0 {
		path = path[:i]
		if i == 0 {
			return level == shapeSink && s[0] == '?' && bytes.IndexByte(s, '=') > 0
		}
	}
	last := path[bytes.LastIndexByte(path, '/')+1:]
	folder := len(last) < len(path)
	dot := bytes.LastIndexByte(last, '.')
	known := dot > 0 && isExtension(last[dot+1:], folder || level == shapeSink) && hasAlnum(last[:dot])
	if level == shapeString {
		return known && plainPath(path)
	}
	switch {
	case bytes.IndexByte(path, ':') >= 0 || bytes.HasPrefix(path, []byte("//")):
		return false
	case known:
		return true
	case folder:
		return !isMediaType(path) && (hasAlnum(path) || len(path) > 1 && path[0] == '.') && !bytes.HasPrefix(path, []byte("/:"))
	}
	return len(path) < len(s) && s[len(path)] == '?' && hasAlnum(path) // page?id=1
}

// plainPath reports whether a path looks like a file name: segments of letters, digits and - _ . ~ % + @, after an
// optional /, ./ or ../.
func plainPath(path []byte) bool {
	rest := path
	for bytes.HasPrefix(rest, []byte("../")) {
		rest = rest[3:]
	}
	rest = bytes.TrimPrefix(rest, []byte("./"))
	if len(rest) == len(path) {
		rest = bytes.TrimPrefix(rest, []byte("/"))
	}
	start := true
	for _, c := range rest {
		switch {
		case ascii.IsLetter(c) || ascii.IsDigit(c) || c == '_' || c >= 0x80 || c == '%' || c == '~' || c == '@':
			start = false
		case c == '/':
			if start {
				return false
			}
			start = true
		case c == '-' || c == '.' || c == '+' || c == ',' || c == '=':
			if start {
				return false // hidden files, options, globs
			}
		default:
			return false
		}
	}
	return true
}

// likelyHost reports whether s starts with a host name that a public web server may have.
func likelyHost(s []byte) bool {
	if i := bytes.IndexAny(s, "/?#"); i >= 0 {
		s = s[:i]
	}
	if i := bytes.IndexByte(s, ':'); i >= 0 {
		for _, c := range s[i+1:] {
			if !ascii.IsDigit(c) {
				return false
			}
		}
		s = s[:i]
	}
	dot := bytes.LastIndexByte(s, '.')
	if dot <= 0 || dot == len(s)-1 {
		return false
	}
	for i, c := range s {
		if !ascii.IsLetter(c) && !ascii.IsDigit(c) && c != '-' && c < 0x80 && (c != '.' || i == 0 || s[i-1] == '.') {
			return false
		}
	}
	return s[0] != '-'
}

// isReserved reports whether a host is used for examples, by RFC 2606 or by habit.
func isReserved(host string) bool {
	for _, r := range reserved {
		if h, ok := strings.CutSuffix(host, r); ok && (h == "" || h[len(h)-1] == '.') {
			return true
		}
	}
	return false
}

var reserved = [...]string{"example.com", "example.org", "example.net", "example", "test", "invalid", "localhost",
	"yourdomain.com", "mydomain.com", "domain.com"}

// isName reports whether an http URL names something and is no place to fetch: an XML namespace, a vocabulary.
func isName(s []byte) bool {
	_, rest, _ := bytes.Cut(s, []byte("//"))
	rest = bytes.TrimPrefix(rest, []byte("www."))
	for _, n := range names {
		if bytes.HasPrefix(rest, []byte(n)) {
			return true
		}
	}
	return false
}

var names = [...]string{
	"w3.org/1", "w3.org/2", "w3.org/XML/", "w3.org/TR/", "w3.org/ns/", "schema.org", "schemas.", "purl.org/", "ns.adobe.com/",
	"xmlns.com/", "ogp.me/ns", "json-schema.org/", "relaxng.org/ns", "opengis.net/", "docbook.org/ns", "mozilla.org/keymaster/",
	"sodipodi.sourceforge.net/DTD", "inkscape.org/namespaces",
}

// isMediaType reports whether a two-part word such as "text/css" is a media type.
func isMediaType(s []byte) bool {
	first, second, ok := bytes.Cut(s, []byte("/"))
	if !ok || bytes.IndexByte(second, '/') >= 0 {
		return false
	}
	switch string(bytes.ToLower(first)) {
	case "application", "audio", "chemical", "font", "image", "message", "model", "multipart", "text", "video":
		return true
	}
	return false
}

func hasAlnum(s []byte) bool {
	for _, c := range s {
		if ascii.IsLetter(c) || ascii.IsDigit(c) || c >= 0x80 {
			return true
		}
	}
	return false
}

// isExtension reports whether ext ends file names on the web. More extensions count in a folder, or where an address is
// expected, than at the end of a bare word.
func isExtension(ext []byte, folder bool) bool {
	if len(ext) < 2 || len(ext) > 11 {
		return false
	}
	var low [12]byte
	for i, c := range ext {
		low[i] = ascii.Lower(c)
	}
	alone, ok := extensions[string(low[:len(ext)])]
	return ok && (alone || folder)
}

// extensions says, for each known extension, whether it also counts at the end of a bare word.
var extensions = func() map[string]bool {
	m := map[string]bool{}
	for _, e := range strings.Fields(`html htm xhtml shtml php php5 phtml asp aspx jsp jspx cfm cgi
		js mjs css json jsonp jsonld xml xsl xslt rss atom rdf csv tsv pdf doc docx xls xlsx ppt pptx odt ods odp rtf epub
		png jpg jpeg gif svg svgz webp avif ico bmp tif tiff apng jxl heic woff woff2 ttf otf eot
		mp3 ogg oga ogv wav flac m4a aac opus mp4 m4v webm mov avi mkv mpg mpeg wmv flv swf m3u8 mpd vtt srt
		zip gz tar tgz bz2 xz 7z rar wasm webmanifest appcache geojson topojson kml kmz gpx gltf glb`) {
		m[e] = true
	}
	for _, e := range strings.Fields(`txt md do action pl py rb ttl nt ps eps map ts jar bin dat data log conf ini toml yaml yml tpl tmpl hbs mustache vue
		obj stl fbx hdr pbf mvt xap atlas fnt po ics vcf cur ani mid midi lua sql`) {
		m[e] = false
	}
	return m
}()
