// Package format detects the syntax of an RDF document by its content, and opens it for reading.
//
// Content-Type headers and file names are often wrong: RDF/XML comes as application/xml, Turtle as text/plain, an error
// page as application/rdf+xml. So a syntax is accepted only if statements in it can be read. The declared type decides
// between syntaxes of which one includes the other, and whether a document that breaks early was meant as RDF.
package format

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/url"
	"path"
	"strings"

	"kavosh/lib/charset"
	"kavosh/lib/rdf"
	"kavosh/lib/rdf/jsonld"
	"kavosh/lib/rdf/rdfxml"
)

// Format is a syntax, by its name in reports.
type Format string

// The syntaxes. None is anything else. HTML may contain statements, but is not read here.
const (
	None     Format = ""
	NTriples Format = "n-triples"
	NQuads   Format = "n-quads"
	Turtle   Format = "turtle"
	TriG     Format = "trig"
	N3       Format = "n3"
	RDFXML   Format = "rdf-xml"
	JSONLD   Format = "json-ld"
	HTML     Format = "html"
)

// HeadSize is how many bytes of a document Detect examines; a shorter head is taken for the whole document.
const HeadSize = 32 << 10

// mediaTypes are the types that servers send for RDF, including old ones.
var mediaTypes = map[string]Format{
	"application/n-triples": NTriples,
	"application/n-quads":   NQuads,
	"text/x-nquads":         NQuads,
	"text/turtle":           Turtle,
	"application/x-turtle":  Turtle,
	"application/turtle":    Turtle,
	"application/trig":      TriG,
	"application/x-trig":    TriG,
	"text/n3":               N3,
	"text/rdf+n3":           N3,
	"application/n3":        N3,
	"application/rdf+xml":   RDFXML,
	"application/ld+json":   JSONLD,
	"text/html":             HTML,
	"application/xhtml+xml": HTML,
}

var extensions = map[string]Format{
	".nt": NTriples, ".nq": NQuads, ".ttl": Turtle, ".trig": TriG, ".n3": N3, ".rdf": RDFXML, ".owl": RDFXML, ".rdfs": RDFXML,
	".jsonld": JSONLD, ".html": HTML, ".htm": HTML, ".xhtml": HTML,
}

// Said returns the format that a Content-Type header declares, or else the end of a URL's path or file name; None if
// neither does.
func Said(mediaType, name string) Format {
	essence, _, _ := mime.ParseMediaType(mediaType) // an error in the parameters does not matter
	if f := mediaTypes[essence]; f != None {
		return f
	}
	if u, err := url.Parse(name); err == nil && u.Path != "" {
		name = u.Path
	}
	return extensions[strings.ToLower(path.Ext(name))]
}

// Detect returns the format of a document that begins with head. mediaType is its Content-Type and name its URL or file
// name; both may be "". Only head decides whether the document is RDF, with one exception: a document in a text format
// that breaks inside head must also be declared as RDF.
func Detect(head []byte, mediaType, name string) Format {
	head = head[:min(len(head), HeadSize)]
	said := Said(mediaType, name)
	text := head
	if utf16(head) {
		text, _, _ = charset.Decode(head, "")
	}
	text = bytes.TrimPrefix(text, []byte("\xEF\xBB\xBF"))
	start := bytes.TrimLeft(text, " \t\r\n\f")
	switch {
	case len(start) == 0:
		return None
	case isPage(start):
		return HTML
	case start[0] == '<' && rdfxml.Is(head):
		return RDFXML
	case (start[0] == '{' || start[0] == '[') && isJSONLD(start, said == JSONLD):
		return JSONLD
	}
	if f := detectText(head, said); f != None {
		return f
	}
	if hasTag(start, fragments) || said == HTML && bytes.Contains(start, []byte("</")) && !bytes.HasPrefix(start, []byte("<?xml")) {
		return HTML
	}
	return None
}

// utf16 reports whether b looks like UTF-16.
func utf16(b []byte) bool {
	for _, mark := range []string{"\xFF\xFE", "\xFE\xFF", "<\x00", "\x00<"} {
		if bytes.HasPrefix(b, []byte(mark)) {
			return true
		}
	}
	return false
}

// The elements that pages begin with, and those that fragments of pages begin with, by the WHATWG's MIME Sniffing.
var (
	pages     = []string{"html", "head", "body", "title", "script", "style", "meta", "link"}
	fragments = []string{"div", "p", "h1", "h2", "table", "iframe", "br", "font", "b", "a", "span", "form", "center",
		"img", "ul", "section", "main", "nav", "header", "article"}
)

// isPage reports whether b begins like HTML: with its doctype or an element that only pages begin with, after comments
// and instructions.
func isPage(b []byte) bool {
	for {
		b = bytes.TrimLeft(b, " \t\r\n\f")
		end := ""
		switch {
		case bytes.HasPrefix(b, []byte("<!--")):
			end = "-->"
		case bytes.HasPrefix(b, []byte("<?")):
			end = "?>"
		case hasTag(b, []string{"!doctype"}):
			fields := bytes.Fields(b[:min(len(b), 64)])
			if len(fields) < 2 {
				return false
			}
			name, _, _ := strings.Cut(string(fields[1]), ">")
			return strings.EqualFold(name, "html")
		default:
			return hasTag(b, pages)
		}
		i := bytes.Index(b, []byte(end))
		if i < 0 {
			return false
		}
		b = b[i+len(end):]
	}
}

func hasTag(b []byte, names []string) bool {
	if len(b) == 0 || b[0] != '<' {
		return false
	}
	b = b[1:]
	end := bytes.IndexAny(b, " \t\r\n\f/>")
	for _, name := range names {
		if end == len(name) && strings.EqualFold(string(b[:end]), name) {
			return true
		}
	}
	return false
}

// isJSONLD examines the members of the object at the beginning of b, or of the objects in an array. A context makes it
// JSON-LD if there is anything else; a context alone states nothing and is for other documents. Without a context,
// keywords are not enough, because other JSON has them too: there must also be an IRI as a name or a type. If said is
// true, one of both is enough.
func isJSONLD(b []byte, said bool) bool {
	decoder := json.NewDecoder(bytes.NewReader(b))
	var around []json.Delim
	var name string // of the member whose value comes next
	keyword, iri, context, other := false, false, false, false
	for named := false; ; {
		token, err := decoder.Token()
		if err != nil {
			return !context && (keyword && (iri || said) || iri && said)
		}
		object := len(around) > 0 && around[len(around)-1] == '{'
		member := object && (len(around) == 1 || len(around) == 2 && around[0] == '[')
		switch word := token.(type) {
		case json.Delim:
			if word == '{' || word == '[' {
				around = append(around, word)
			} else {
				around = around[:len(around)-1]
			}
			named = false
			continue
		case string:
			if !named && object {
				name = word
				if member {
					context, other = context || name == "@context", other || name != "@context"
					if name == "@graph" || context && other {
						return true
					}
				}
				switch name {
				case "@id", "@type", "@value", "@list", "@set", "@reverse", "@included":
					keyword = true
				}
			}
			iri = iri || member && (!named || name == "@type") && strings.Contains(word, "://")
		}
		named = !named && object
	}
}

// errCut means the end of a head that is not the whole document.
var errCut = errors.New("format: the head ends here")

// detectText returns the text format in which head can be read without a fault, trying the declared one first.
// Otherwise it returns the declared format if that yields statements before the fault, or None. It tries RDF/XML only
// if that is declared, for nodes of vocabularies that are not well known.
func detectText(head []byte, said Format) Format {
	broken := None
	for _, f := range []Format{said, NTriples, NQuads, Turtle, TriG, N3} {
		if f == None || f == JSONLD || f == HTML {
			continue
		}
		end := io.Reader(cut{})
		if len(head) < HeadSize {
			end = bytes.NewReader(nil)
		}
		r := Open(io.MultiReader(bytes.NewReader(head), end), f, "http://localhost/", nil)
		past, _ := r.(rdf.Lenient)
		if f != said {
			r = rdf.Strict(r)
		}
		_, err := r.Read()
		statements := err == nil
		for err == nil {
			_, err = r.Read()
		}
		switch {
		case !statements:
		case (err == io.EOF || err == errCut) && (past == nil || past.Warnings().Count == 0):
			return f
		case f == said && f != RDFXML:
			broken = f
		}
	}
	return broken
}

type cut struct{}

func (cut) Read([]byte) (int, error) { return 0, errCut }

// Open returns a reader of r, a document in format f; base is its IRI. contexts has the contexts that JSON-LD may name,
// and may be nil. It returns nil for HTML and None.
func Open(r io.Reader, f Format, base string, contexts jsonld.Contexts) rdf.Reader {
	switch f {
	case NTriples:
		return rdf.NewNTriplesReader(r)
	case NQuads:
		return rdf.NewNQuadsReader(r)
	case Turtle:
		return rdf.NewTurtleReader(r, base)
	case TriG:
		return rdf.NewTriGReader(r, base)
	case N3:
		return rdf.NewN3Reader(r, base)
	case RDFXML:
		return rdfxml.NewReader(r, base)
	case JSONLD:
		return jsonld.NewReader(r, base, contexts)
	}
	return nil
}
