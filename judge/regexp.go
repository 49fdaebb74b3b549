package judge

// This file is a kind of judge: it finds a regular expression.

import (
	"fmt"
	"regexp"
	"strings"

	"kavosh"
)

// pattern judges by a regular expression.
type pattern struct{ re *regexp.Regexp }

// Bounds in bytes: RE2 takes time for each byte and each part of the expression.
const (
	maxPattern = 1 << 10   // length of the expression
	maxMatched = 128 << 10 // beginning of the text that is searched
	maxQuoted  = 80        // length of a match shown in reasons
)

// Regexp judges by an RE2 expression of at most 1 KiB. A page scores 1 if its address, its title or the first 128 KiB
// of its text match, and 0 otherwise.
func Regexp(expression string) (Judge, error) {
	if len(expression) > maxPattern {
		return nil, fmt.Errorf("an expression of %d bytes, at most %d are read", len(expression), maxPattern)
	}
	re, err := regexp.Compile(expression)
	if err != nil {
		return nil, err
	}
	return &whole{kind: pattern{re}}, nil
}

func (p pattern) judge(d *document) kavosh.Verdict {
	text := d.page.Text[:min(len(d.page.Text), maxMatched)]
	for _, part := range [...]struct{ name, text string }{{"address", d.page.URL}, {"title", d.page.Title}, {"text", text}} {
		if part.text == "" {
			continue
		}
		if at := p.re.FindStringIndex(part.text); at != nil {
			found := strings.ToValidUTF8(part.text[at[0]:min(at[1], at[0]+maxQuoted)], "")
			return kavosh.Verdict{Score: 1,
				Reasons: []kavosh.Reason{{Text: fmt.Sprintf("%q in the %s matches %s", found, part.name, p.re), Weight: 1}}}
		}
	}
	return kavosh.Verdict{Reasons: []kavosh.Reason{{Text: "nothing matches " + p.re.String()}}}
}
