package kavosh

// Text is what a reader sees of a payload. An archive keeps one of each distinct payload, made once for all who read texts.
type Text struct {
	Outcome  TextOutcome
	Type     string  // media type by content and header together, such as "text/html"
	Title    string  // at most 1 KiB
	Text     string  // as Page.Text: blocks parted by line feeds, at most 1 MiB
	Blocks   []Block // of each line of Text; none for plain text, whose lines say nothing of themselves
	Lang     string  // BCP 47, as judged; "" when it cannot be told
	Certain  float64 // how certain Lang is, from 0 to 1
	Simhash  uint64  // fingerprint of Text (lib/simhash); 0 when there is too little of it
	Pictures []Picture
	Told     bool // an imported package gives it, of this capture alone: the payload's scripts wrote it
}

// Block is a paragraph, a heading, a list item … of a page: one line of its text.
type Block struct {
	Tag    string // of the element that it stands in: "p", "h1", "li"; "" outside of all
	Linked int    // bytes of its text that are links
	At     int    // where it begins: byte in the document, in UTF-8
}

// Picture is one that a page shows, with the words around it.
type Picture struct {
	URL    string
	Title  string // its alternative text, or the title of its element
	Around string
}

// TextOutcome says whether a payload has a text, and why not.
type TextOutcome uint8

// The outcomes of reading a payload for its text.
const (
	TextWhole  TextOutcome = iota // all of it
	TextCut                       // its beginning: the payload is too big, or was cut, or does not decode to its end
	TextEmpty                     // the document is of a kind that has text, and shows none
	TextNone                      // it is of another kind
	TextBroken                    // its record cannot be read
)
