package archive

// Counted is what a crawl counts of its own quality as it goes. It costs the same for each URL, however large the crawl is.
type Counted struct {
	Pages    int64 `json:"pages"`     // asked for: all that is no part of a page
	Failed   int64 `json:"failed"`    // of them, those without an answer
	Errors   int64 `json:"errors"`    // … answered by a status of 400 and above
	StandIns int64 `json:"standins"`  // … by something that stands in place of the page
	Parts    int64 `json:"parts"`     // of pages, asked for
	Missing  int64 `json:"missing"`   // of them, those without an answer, or answered by an error
	NotAsked int64 `json:"not_asked"` // parts that were never asked for, as by robots.txt or a rule
}

// These are what a person can have watched (--warn).
const (
	ShareMissing  = "missing"
	ShareFailed   = "failed"
	ShareErrors   = "errors"
	ShareStandIns = "standins"
)

// Share returns how many of how many are so.
func (c *Counted) Share(what string) (n, of int64) {
	switch what {
	case ShareMissing:
		return c.Missing, c.Parts
	case ShareFailed:
		return c.Failed, c.Pages
	case ShareErrors:
		return c.Errors, c.Pages
	}
	return c.StandIns, c.Pages
}
