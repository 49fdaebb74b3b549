package draw

import "strings"

// Kinds returns the kinds of media types for people, in the order in which pages offer them.
func Kinds() []string {
	return []string{"page", "document", "image", "media", "data", "text", "style", "script", "font", "other", "unknown"}
}

// KindOf returns the kind of a media type.
func KindOf(mime string) string {
	mime = strings.ToLower(mime)
	switch mime {
	case "":
		return "unknown"
	case "text/html", "application/xhtml+xml":
		return "page"
	case "application/pdf", "application/msword", "application/rtf", "application/epub+zip",
		"application/vnd.ms-excel", "application/vnd.ms-powerpoint":
		return "document"
	case "text/css":
		return "style"
	case "application/json", "application/xml", "text/xml", "text/csv", "text/turtle",
		"application/n-triples", "application/n-quads", "application/trig":
		return "data"
	case "application/vnd.ms-fontobject":
		return "font"
	}
	has := func(parts ...string) bool {
		for _, p := range parts {
			if strings.Contains(mime, p) {
				return true
			}
		}
		return false
	}
	switch {
	case has("javascript", "ecmascript"):
		return "script"
	case has("font"):
		return "font"
	case has("opendocument", "officedocument"):
		return "document"
	case strings.HasPrefix(mime, "image/"):
		return "image"
	case strings.HasPrefix(mime, "audio/"), strings.HasPrefix(mime, "video/"), has("mpegurl", "dash+xml"):
		return "media"
	case has("+json", "+xml"):
		return "data"
	case strings.HasPrefix(mime, "text/"):
		return "text"
	}
	return "other"
}
