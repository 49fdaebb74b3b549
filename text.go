package kavosh

// Text is what a reader sees of a payload. An archive has one for each distinct payload, made once for all that use
// texts.
type Text struct {
	Outcome  TextOutcome
	Type     string  // media type by content and header together, such as "text/html"
	Title    string  // at most 1 KiB
	Text     string  // like Page.Text: blocks separated by line feeds, at most 1 MiB
	Blocks   []Block // one for each line of Text; none for plain text
	Lang     string  // the detected language, BCP 47; "" if it cannot be told
	Certain  float64 // how certain Lang is, from 0 to 1
	Simhash  uint64  // fingerprint of Text (lib/simhash); 0 if there is too little text
	Pictures []Picture
	Told     bool // it comes from an imported package and holds for this capture only, because scripts wrote the text
}

// Block is a paragraph, a heading, a list item or another block of a page: one line of its text.
type Block struct {
	Tag    string // name of its element: "p", "h1", "li"; "" if it is in none
	Linked int    // bytes of its text that are links
	At     int    // the byte at which it begins in the document, in UTF-8
}

// Picture is a picture that a page shows, with the words around it.
type Picture struct {
	URL    string
	Title  string // its alternative text, or the title of its element
	Around string
}

// TextOutcome says whether a payload has a text, and why not.
type TextOutcome uint8

// These are the values of TextOutcome.
const (
	TextWhole  TextOutcome = iota // the complete text
	TextCut                       // only its beginning: the payload is too large, was cut, or cannot be decoded to its end
	TextEmpty                     // documents of this kind have text, but this one shows none
	TextNone                      // documents of this kind have no text
	TextBroken                    // the record cannot be read
)
