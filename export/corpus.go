package export

// This file decides which texts of pages go into a corpus, and writes them. export gives what an archive holds to other
// programs.

import (
	"encoding/json"
	"io"
	"unicode/utf8"

	"kavosh/lib/simhash"
)

// Text is the text of one page in a corpus. A corpus has one such JSON object on each line.
type Text struct {
	URL         string  `json:"url"`
	Time        string  `json:"time"`                  // time of the capture, RFC 3339
	Language    string  `json:"language,omitempty"`    // as detected
	Probability float64 `json:"probability,omitempty"` // probability of Language, 0 to 1
	Title       string  `json:"title,omitempty"`
	Text        string  `json:"text"` // blocks separated by line feeds
}

// Corpus writes texts. It keeps 8 bytes for each text; the rest of its memory is bounded, about 50 MB.
type Corpus struct {
	Language string                                       // keep only texts that are certainly in this language; "" keeps all
	Identify func(text string) (tag string, prob float64) // detects the language of a text; may be nil if Language is ""
	Counts   Counts

	out     *json.Encoder
	cleaner cleaner
	texts   map[uint64]struct{}
	near    *simhash.Index[struct{}]
}

// Counts says what happened to the pages that were added.
type Counts struct {
	Pages   int64 `json:"pages"`
	Kept    int64 `json:"kept"`
	Letters int64 `json:"letters"` // code points of the texts kept
	Short   int64 `json:"short"`   // pages left out: too little text
	Twice   int64 `json:"twice"`   // pages left out: the same text, or nearly the same, came before
	Foreign int64 `json:"foreign"` // pages left out: another language, or not certain enough
}

const (
	leastText = 200     // least code points of a text
	leastSure = 0.9     // least probability of the wanted language
	mostNear  = 1 << 20 // number of newest texts compared for near duplicates
)

// NewCorpus returns a corpus that writes to w.
func NewCorpus(w io.Writer) *Corpus {
	out := json.NewEncoder(w)
	out.SetEscapeHTML(false)
	return &Corpus{out: out, texts: map[uint64]struct{}{}, near: simhash.NewIndex[struct{}](mostNear)}
}

// Add adds the text of a page on a host, and writes it if it is worth keeping. An error comes from writing.
func (c *Corpus) Add(host string, t Text) error {
	c.Counts.Pages++
	t.Text = c.cleaner.clean(host, t.Text)
	length := utf8.RuneCountInString(t.Text)
	if length < leastText {
		c.Counts.Short++
		return nil
	}
	if c.met(t.Text) {
		c.Counts.Twice++
		return nil
	}
	if c.Identify != nil {
		t.Language, t.Probability = c.Identify(t.Text)
	}
	if c.Language != "" && (t.Language != c.Language || t.Probability < leastSure) {
		c.Counts.Foreign++
		return nil
	}
	c.Counts.Kept++
	c.Counts.Letters += int64(length)
	return c.out.Encode(&t)
}

// met reports whether the same text, or nearly the same, came before.
func (c *Corpus) met(text string) bool {
	sum := hash("", text)
	if _, again := c.texts[sum]; again {
		return true
	}
	c.texts[sum] = struct{}{}
	var h simhash.Hasher
	h.Add([]byte(text))
	print := h.Sum()
	if print == 0 {
		return false
	}
	if _, _, found := c.near.Find(print); found {
		return true
	}
	c.near.Add(print, struct{}{})
	return false
}
