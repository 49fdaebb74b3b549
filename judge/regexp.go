package judge

import (
	"fmt"
	"regexp"
	"strings"

	"kavosh"
)

// pattern finds a regular expression.
type pattern struct{ re *regexp.Regexp }

// Bounds of what a pattern is looked for in, in bytes: RE2 needs time for each byte and each place in the expression.
const (
	maxPattern = 1 << 10   // of the expression
	maxMatched = 128 << 10 // of a text, from its beginning
	maxQuoted  = 80        // of what was found, in reasons
)

// Regexp judges by a regular expression of RE2, at most 1 KiB long: what has it in the address, the title or the first
// 128 KiB of the text is relevant (1), all else is not (0).
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
			return kavosh.Verdict{Score: 1, Reasons: []kavosh.Reason{{Text: fmt.Sprintf("%q in the %s matches %s", found, part.name, p.re), Weight: 1}}}
		}
	}
	return kavosh.Verdict{Reasons: []kavosh.Reason{{Text: "nothing matches " + p.re.String()}}}
}
