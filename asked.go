package kavosh

// Asked is what a page asked for in the browser, and what came of it: the block of a PageInfo rendering.
type Asked struct {
	URL    string              `json:"url"`
	URLs   map[string]Answered `json:"urls"`
	Counts AskedCounts         `json:"counts"`

	Leaks []string `json:"leaks,omitempty"` // of a page that is replayed: what it asked for outside of the archive, in vain
}

// Answered is what came of a request of a page: status 0 means nothing.
type Answered struct {
	Status int    `json:"status"`
	MIME   string `json:"mime,omitempty"`
	Type   string `json:"type,omitempty"` // what the browser asked for it as, such as "stylesheet"; "" if nobody noted it
}

// Good reports whether an answer came that is no error.
func (a Answered) Good() bool { return a.Status > 0 && a.Status < 400 }

// AskedCounts counts what else happened on a page.
type AskedCounts struct {
	Errors int `json:"jsErrors"` // of its scripts, that nothing caught
}

// ShownParts is a kind that is rendered of captures only, and not recorded: a Shown in JSON.
const ShownParts RenderingKind = "parts"

// Shown says how much of a page is text and where its parts stand. All lengths are CSS pixels.
type Shown struct {
	Width    float64     `json:"width"` // of the page
	Height   float64     `json:"height"`
	Bands    []float64   `json:"bands"`    // area of its text in each BandHeight, from the top
	Unstyled float64     `json:"unstyled"` // share of this area that no rule of its styles seems to be made for
	Parts    []ShownPart `json:"parts"`
}

// BandHeight is how high a band is in which the text of a page is counted.
const BandHeight = 100

// ShownPart is a place on a page that a part fills, or would fill.
type ShownPart struct {
	URL    string  `json:"url"`
	Tag    string  `json:"tag"` // name of the element in lower case; "background" for a picture that its style asks for
	X      float64 `json:"x"`
	Y      float64 `json:"y"`
	Width  float64 `json:"width"`
	Height float64 `json:"height"`
	Loaded bool    `json:"loaded"` // it is there, as far as the element tells
	Sized  bool    `json:"sized"`  // it has this size also if it is missing
	Like   string  `json:"like"`   // names of the elements around it and their classes: parts with the same look alike
}
