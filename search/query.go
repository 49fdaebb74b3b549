package search

// This file parses what people write into the search field. Every text means something: there are no errors.

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"kavosh"
	"kavosh/lib/dates"
	"kavosh/lib/words"
)

// These constants bound a query, together with kavosh.MaxSearchText.
const (
	maxUnits     = 32  // words and phrases
	maxPhrase    = 16  // words of a phrase
	maxExpansion = 100 // terms that a word* stands for
	minPrefix    = 2   // least number of letters before the *
)

// query is a query after it was parsed.
type query struct {
	groups []phrase // runs of words, and quoted phrases
	like   string   // URL of a picture; the results must look like it
	kind   kavosh.SearchKind
	only   map[string][]string // by field: it must have one of these values
	not    map[string][]string // by field: it must have none of these values
	sites  []string            // hosts, or domains with all hosts below them
	inURL  []string            // texts that a URL must contain (notURL: must not contain)
	notURL []string
	notes  []string
}

// phrase is a run of words of a query.
type phrase struct {
	text  string // as written
	quote bool   // the words must stand side by side in this order; otherwise anywhere
	title bool   // they must stand in the title
	not   bool   // they must not be there
	star  bool   // the last word is only the beginning of a word
}

// parse parses a query. It has no error: every text means something.
func parse(text string) *query {
	q := &query{only: map[string][]string{}, not: map[string][]string{}}
	if len(text) > kavosh.MaxSearchText {
		text = words.Clip(text, kavosh.MaxSearchText)
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

// closing has, for each sign that opens a quotation, the sign that closes it.
var closing = map[rune]rune{'"': '"', '«': '»', '“': '”', '„': '“'}

// item parses the first item of a query and returns what comes after it.
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

// isField reports whether name is the name of a field in a query.
func isField(name string) bool {
	switch name {
	case "title", "url", "site", "like", "kind", kavosh.FieldHost, kavosh.FieldLang, kavosh.FieldType, kavosh.FieldYear, kavosh.FieldStatus:
		return true
	}
	return false
}

// put adds an item to the query.
func (q *query) put(field, value string, not, quote bool) {
	switch field {
	case "", "title":
		if n := len(q.groups); n > 0 && field == "" && !not && !quote && !strings.HasSuffix(value, "*") {
			if last := &q.groups[n-1]; !last.quote && !last.not && !last.title && !last.star {
				last.text += " " + value // keep them together: people write a space for a non-joiner
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
