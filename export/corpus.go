package export

import (
	"encoding/json"
	"io"
	"unicode/utf8"

	"kavosh/lib/simhash"
)

// Text is a page's text in a corpus, and a line of its JSON.
type Text struct {
	URL         string  `json:"url"`
	Time        string  `json:"time"`                  // of the capture, RFC 3339
	Language    string  `json:"language,omitempty"`    // as judged
	Probability float64 `json:"probability,omitempty"` // that it is that language
	Title       string  `json:"title,omitempty"`
	Text        string  `json:"text"` // blocks parted by line feeds
}

// Corpus writes texts. What grows with it are 8 bytes a text; the rest of its memory is bounded, some 50 MB.
type Corpus struct {
	Language string                                       // only texts that are surely of this one; "" for all
	Identify func(text string) (tag string, prob float64) // the language of a text; may be nil where Language is ""
	Counts   Counts

	out     *json.Encoder
	cleaner cleaner
	texts   map[uint64]struct{}
	near    *simhash.Index[struct{}]
}

// Counts are what became of the pages that a corpus was given.
type Counts struct {
	Pages   int64 `json:"pages"`
	Kept    int64 `json:"kept"`
	Letters int64 `json:"letters"` // of those kept: code points
	Short   int64 `json:"short"`   // too little text was left
	Twice   int64 `json:"twice"`   // the same text, or nearly, was there before
	Foreign int64 `json:"foreign"` // in other languages, or not sure enough
}

const (
	leastText = 200     // code points of a text that is worth a line
	leastSure = 0.9     // probability of the language that is asked for
	mostNear  = 1 << 20 // texts among which near duplicates are found, the newest
)

// NewCorpus returns a corpus that writes to w.
func NewCorpus(w io.Writer) *Corpus {
	out := json.NewEncoder(w)
	out.SetEscapeHTML(false)
	return &Corpus{out: out, texts: map[uint64]struct{}{}, near: simhash.NewIndex[struct{}](mostNear)}
}

// Add takes the text of a page of a host, and writes it when it is worth it. An error is that of writing.
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

// met reports whether a text, or nearly the same, was there before.
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
