package judge

// This file is a kind of judge: it scores pages by their language.

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"kavosh"
	"kavosh/lib/lang"
)

// language judges by the language of pages.
type language struct {
	code     string
	evidence evidence
	model    *lang.Model
	// identifiers holds the idle identifiers, and nil for each that is not made yet. There are only as many as can work
	// at once, because one that has met many words is faster.
	identifiers chan *lang.Identifier
}

// evidence says what a language judge relies on.
type evidence string

// The values of by=.
const (
	everything evidence = "all"       // the text, block by block, and the declared language
	textAlone  evidence = "text"      // ignores the declared language
	tagAlone   evidence = "tag"       // only the declared language; a page without one is not relevant
	published  evidence = "published" // the four stages of Azimzadeh, Yari and Aleahmad (2009), for Persian
)

// Language judges by the language of pages. The score is the probability, by a model, that most of the text is in that
// language. value is a language code of lib/lang, such as "fa", optionally with what to rely on: "fa,by=all" (the
// default), "fa,by=text", "fa,by=tag" or "fa,by=published".
func Language(model *lang.Model, value string) (Judge, error) {
	code, how, given := strings.Cut(value, ",by=")
	j := &language{code: code, evidence: everything, model: model, identifiers: make(chan *lang.Identifier, runtime.GOMAXPROCS(0))}
	for range cap(j.identifiers) {
		j.identifiers <- nil
	}
	if given {
		j.evidence = evidence(how)
	}
	if codes := model.Codes(); !slices.Contains(codes, code) {
		return nil, fmt.Errorf("%q is no language that is known; there are %s", code, strings.Join(codes, " "))
	}
	switch j.evidence {
	case everything, textAlone, tagAlone:
	case published:
		if code != "fa" {
			return nil, errors.New("the published method knows Persian alone: language=fa,by=published")
		}
	default:
		return nil, fmt.Errorf("a language is judged by=all, text, tag or published, not by=%s", how)
	}
	return j, nil
}

// take waits for an idle identifier; give returns it.
func (j *language) take() *lang.Identifier {
	if id := <-j.identifiers; id != nil {
		return id
	}
	return j.model.New()
}

func (j *language) give(id *lang.Identifier) { j.identifiers <- id }

// LanguageOf returns the language code of a judge made by Language; "" for other judges.
func LanguageOf(j Judge) string {
	if l, ok := j.(*language); ok {
		return l.code
	}
	return ""
}

// Judge implements [Judge].
func (j *language) Judge(p *kavosh.Page) kavosh.Verdict {
	page := lang.Page{Title: p.Title, Text: p.Text, Charset: p.Charset}
	if len(p.Blocks) > 0 {
		page.Linked = make([]int, len(p.Blocks))
		for i := range p.Blocks {
			page.Linked[i] = p.Blocks[i].Linked
		}
	}
	if p.Lang != "" && j.evidence != textAlone {
		page.Tags = []string{p.Lang}
	}
	switch j.evidence {
	case tagAlone:
		if lang.Code(p.Lang) != j.code {
			return kavosh.Verdict{Reasons: []kavosh.Reason{{Text: fmt.Sprintf("declared as %q", p.Lang)}}}
		}
		return kavosh.Verdict{Score: 1, Reasons: []kavosh.Reason{{Text: fmt.Sprintf("declared as %q", p.Lang), Weight: 1}}}
	case published:
		is, by := lang.Published(page)
		if !is {
			return kavosh.Verdict{Reasons: []kavosh.Reason{{Text: "not Persian by its " + string(by)}}}
		}
		return kavosh.Verdict{Score: 1, Reasons: []kavosh.Reason{{Text: "Persian by its " + string(by), Weight: 1}}}
	}
	id := j.take()
	defer j.give(id)
	found := id.Page(page)
	var v kavosh.Verdict
	for _, l := range found.Languages {
		if l.Code == j.code {
			v.Score = min(l.Probability, 1)
		}
	}
	if found.Letters == 0 && lang.Code(p.Lang) == j.code && len(page.Tags) > 0 {
		v.Score = lang.DeclaredAlone
	}
	for _, l := range found.Shares[:min(len(found.Shares), maxReasons-1)] {
		weight := 0.0
		if l.Code == j.code {
			weight = v.Score
		}
		v.Reasons = append(v.Reasons,
			kavosh.Reason{Text: fmt.Sprintf("%.0f %% of %d letters %s", 100*l.Probability, found.Letters, l.Code), Weight: weight})
	}
	if len(page.Tags) > 0 {
		v.Reasons = append(v.Reasons, kavosh.Reason{Text: fmt.Sprintf("declared as %q", p.Lang)})
	}
	return v
}

// Text implements [Judge]: the probability that a few words are in the language.
func (j *language) Text(text string) float64 {
	id := j.take()
	defer j.give(id)
	return id.Probability(text, j.code)
}

// Needs implements [Judge].
func (j *language) Needs() kavosh.Needs {
	return kavosh.Needs{Text: j.evidence != tagAlone, Blocks: j.evidence == everything || j.evidence == textAlone}
}
