package kavosh

import "strings"

// Rendering is something that a browser made of a page while the crawl loaded it: a picture of it, its text. It is
// recorded as a resource whose URL names the page, in the way of other crawlers that do so, and is as open or closed to
// readers as the page.
type Rendering struct {
	Kind RenderingKind
	Data []byte
}

// RenderingKind says what a rendering is. It is the word of --render.
type RenderingKind string

// These are the kinds of renderings. ViewPicture and FullPicture are PNG, ThumbnailPicture is JPEG, RenderedDOM is HTML in
// UTF-8, RenderedText plain text in UTF-8, PageInfo an Asked in JSON (docs/formats/warc.md).
const (
	ViewPicture      RenderingKind = "view"      // what the window shows
	FullPicture      RenderingKind = "full"      // the page to its end
	ThumbnailPicture RenderingKind = "thumbnail" // its top, small
	RenderedDOM      RenderingKind = "dom"       // the document after its scripts ran
	RenderedText     RenderingKind = "text"      // what the page displays
	PageInfo         RenderingKind = "pageinfo"  // what the page asked for, and what came of it
)

// RenderingKinds returns all kinds.
func RenderingKinds() []RenderingKind {
	return []RenderingKind{ViewPicture, FullPicture, ThumbnailPicture, RenderedDOM, RenderedText, PageInfo}
}

// Type returns the Content-Type of renderings of a kind.
func (k RenderingKind) Type() string {
	switch k {
	case ViewPicture, FullPicture:
		return "image/png"
	case ThumbnailPicture:
		return "image/jpeg"
	case RenderedDOM:
		return "text/html; charset=utf-8"
	case PageInfo, WebSockets, LayoutBoxes, ShownParts:
		return "application/json"
	}
	return "text/plain; charset=utf-8"
}

// URL returns the URL under which a rendering of the page at a URL is recorded, such as
// "urn:view:https://example.org/".
func (k RenderingKind) URL(page string) string {
	if k == FullPicture {
		k = "fullPage"
	}
	return "urn:" + string(k) + ":" + page
}

// RenderedPage returns the URL of the page that a rendering with a URL was made of. ok is false if the URL is none of a
// rendering; also renderings by other crawlers are known, of kinds that Kavosh does not make.
func RenderedPage(url string) (page string, ok bool) {
	rest, ok := strings.CutPrefix(url, "urn:")
	kind, page, found := strings.Cut(rest, ":")
	if !ok || !found || kind == "kavosh" || !strings.HasPrefix(page, "http://") && !strings.HasPrefix(page, "https://") {
		return "", false
	}
	return page, true
}

// WebSockets is a kind that is made of each page that asked for some, unasked: their heads and frames in JSON
// (docs/formats/warc.md).
const WebSockets RenderingKind = "websockets"

// LayoutBoxes is a kind that is rendered of captures only, and not recorded: a Layout in JSON.
const LayoutBoxes RenderingKind = "boxes"

// Layout says where the parts of a page stand.
type Layout struct {
	Width  float64 `json:"width"` // of the page, in CSS pixels, as all lengths here
	Height float64 `json:"height"`
	Boxes  []Box   `json:"boxes"` // parents before what is in them, in the order of the document; frames' after the page's
}

// Box is an element that takes part in the layout, or a run of text.
type Box struct {
	Parent     int     `json:"parent"` // index of the box that the element around it has; -1 for none
	Tag        string  `json:"tag"`    // in lower case; "#text" for text
	Text       string  `json:"text,omitempty"`
	Address    string  `json:"address,omitempty"` // absolute URL to which a link leads, or of an image
	Label      string  `json:"label,omitempty"`   // what stands for an image, or names a link
	Names      string  `json:"names,omitempty"`   // its role, identifier and classes
	X          float64 `json:"x"`                 // from the left edge of the page
	Y          float64 `json:"y"`                 // from its top
	Width      float64 `json:"width"`
	Height     float64 `json:"height"`
	FontSize   string  `json:"font-size,omitempty"` // these are computed styles as CSS writes them; text has those of its element
	FontWeight string  `json:"font-weight,omitempty"`
	Color      string  `json:"color,omitempty"`
	Background string  `json:"background-color,omitempty"`
	Display    string  `json:"display,omitempty"`
	Position   string  `json:"position,omitempty"`
	Visibility string  `json:"visibility,omitempty"`
}
