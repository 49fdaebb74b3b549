package kavosh

// Lens is the part of a page that somebody watches: a change is told if it is seen through the lens. At most one field is
// set; without any, it is the whole page.
type Lens struct {
	Selector string `json:"selector,omitempty"` // CSS: the elements that match, with all in them
	Text     string `json:"text,omitempty"`     // words: whether the page has them
	Block    string `json:"block,omitempty"`    // "TIME/ID": a block of the capture of that time, and what it becomes
}

// String returns what is watched for people, such as "selector #news"; "" for the whole page.
func (l Lens) String() string {
	switch {
	case l.Selector != "":
		return "selector " + l.Selector
	case l.Text != "":
		return "text " + l.Text
	case l.Block != "":
		return "block " + l.Block
	}
	return ""
}
