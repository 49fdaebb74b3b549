package judge

// This file is a kind of judge: it finds a word or phrase. Judges score how well a page fits the purpose of a crawl.

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"kavosh"
	"kavosh/lib/words"
)

// keyword finds a word or phrase in the title or the text.
type keyword struct {
	as    string // as the user wrote it
	words []byte // in the form " one two "
}

// Keyword judges by a word or phrase: whole words in this order, in any writing (see lib/words). A page that contains
// it is relevant, and more so the more often: 0.6 for once, 0.8 for six times. An occurrence in the title counts as
// three.
func Keyword(phrase string) (Judge, error) {
	k := &keyword{as: strings.Join(strings.Fields(phrase), " "), words: words.Append([]byte{' '}, phrase)}
	if len(k.words) == 1 {
		return nil, errors.New("there is no word in it")
	}
	return &whole{kind: k}, nil
}

// inTitle is how many occurrences in the text one in the title is worth.
const inTitle = 3

func (k *keyword) judge(d *document) kavosh.Verdict {
	title, text := float64(inTitle*count(d.title, k.words)), float64(count(d.text, k.words))
	n := title + text
	if n == 0 {
		return kavosh.Verdict{Reasons: []kavosh.Reason{{Text: fmt.Sprintf(`no "%s"`, k.as)}}}
	}
	v := kavosh.Verdict{Score: 0.5 + 0.5*n/(n+4)}
	if title > 0 {
		v.Reasons = append(v.Reasons, kavosh.Reason{Text: fmt.Sprintf(`"%s" in the title`, k.as), Weight: v.Score * title / n})
	}
	if text > 0 {
		v.Reasons = append(v.Reasons, kavosh.Reason{Text: fmt.Sprintf(`"%s" %s`, k.as, times(int(text))), Weight: v.Score * text / n})
	}
	weightiest(v.Reasons)
	return v
}

// count returns how often phrase occurs in in.
func count(in, phrase []byte) (n int) {
	for {
		i := bytes.Index(in, phrase)
		if i < 0 {
			return n
		}
		n++
		in = in[i+len(phrase)-1:] // the space after the phrase also precedes the next word
	}
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}
