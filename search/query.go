package search

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"kavosh"
	"kavosh/lib/dates"
)

// What bounds a question, beside kavosh.MaxSearchText.
const (
	maxUnits     = 32  // words and phrases
	maxPhrase    = 16  // words of a phrase
	maxExpansion = 100 // terms that a word* stands for
	minPrefix    = 2   // letters before the *
)

// query is a question as it was read.
type query struct {
	groups []phrase // words that stand beside each other, and phrases
	like   string   // URL of a picture
	kind   kavosh.SearchKind
	only   map[string][]string // values that fields must have one of
	not    map[string][]string // … none of
	sites  []string            // hosts, or domains that hosts are below
	inURL  []string            // what URLs hold, not holds of notInURL
	notURL []string
	notes  []string
}

// phrase is words of a question that stand together.
type phrase struct {
	text  string // as written
	quote bool   // in this order; else each for itself
	title bool   // in the title
	not   bool   // may not be there
	star  bool   // the last word is the beginning of one
}

// parse reads a question. Whatever stands there means something.
func parse(text string) *query {
	q := &query{only: map[string][]string{}, not: map[string][]string{}}
	if len(text) > kavosh.MaxSearchText {
		text = clip(text, kavosh.MaxSearchText)
		q.notes = append(q.notes, "the question was cut: it is too long")
	}
	rest := text
	for {
		rest = strings.TrimLeftFunc(rest, unicode.IsSpace)
		if rest == "" {
			break
		}
		rest = q.item(rest)
	}
	return q
}

// closing are the signs that end what an opening sign begins.
var closing = map[rune]rune{'"': '"', '«': '»', '“': '”', '„': '“'}

// item reads the first item of a question and returns what comes after it.
func (q *query) item(rest string) string {
	not := false
	if rest[0] == '-' && len(rest) > 1 && rest[1] != '-' && !startsWithSpace(rest[1:]) {
		not, rest = true, rest[1:]
	}
	field := ""
	if name, after, ok := strings.Cut(rest, ":"); ok && isField(name) && after != "" && !startsWithSpace(after) {
		field, rest = name, after
	}
	first, size := utf8.DecodeRuneInString(rest)
	value, quote := "", false
	if end, opens := closing[first]; opens {
		quote = true
		value, rest, _ = strings.Cut(rest[size:], string(end))
	} else if i := strings.IndexFunc(rest, unicode.IsSpace); i >= 0 {
		value, rest = rest[:i], rest[i:]
	} else {
		value, rest = rest, ""
	}
	q.put(field, value, not, quote)
	return rest
}

func startsWithSpace(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return unicode.IsSpace(r)
}

// isField reports whether a question can name a field so.
func isField(name string) bool {
	switch name {
	case "title", "url", "site", "like", "kind", kavosh.FieldHost, kavosh.FieldLang, kavosh.FieldType, kavosh.FieldYear, kavosh.FieldStatus:
		return true
	}
	return false
}

// put takes an item in.
func (q *query) put(field, value string, not, quote bool) {
	switch field {
	case "", "title":
		if n := len(q.groups); n > 0 && field == "" && !not && !quote && !strings.HasSuffix(value, "*") {
			if last := &q.groups[n-1]; !last.quote && !last.not && !last.title && !last.star {
				last.text += " " + value // read together: a space may stand for a non-joiner
				return
			}
		}
		if len(q.groups) >= maxUnits {
			q.note("the question was cut: it has too many words")
			return
		}
		word, star := value, false
		if !quote {
			word, star = strings.CutSuffix(value, "*")
		}
		q.groups = append(q.groups, phrase{text: word, quote: quote, title: field == "title", not: not, star: star && word != ""})
	case "url":
		if not {
			q.notURL = append(q.notURL, value)
		} else {
			q.inURL = append(q.inURL, value)
		}
	case "like":
		q.like = value
	case "kind":
		if value == "image" || value == "picture" {
			q.kind = kavosh.SearchPictures
		}
	case "site":
		value = strings.ToLower(strings.TrimPrefix(value, "www."))
		if not {
			q.not[field] = append(q.not[field], value)
		} else {
			q.sites = append(q.sites, value)
		}
	default:
		if field == kavosh.FieldYear || field == kavosh.FieldStatus {
			value = dates.Digits(value)
		}
		value = strings.ToLower(value)
		if not {
			q.not[field] = append(q.not[field], value)
		} else {
			q.only[field] = append(q.only[field], value)
		}
	}
}

func (q *query) note(text string) {
	for _, n := range q.notes {
		if n == text {
			return
		}
	}
	q.notes = append(q.notes, text)
}
