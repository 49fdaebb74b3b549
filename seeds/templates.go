package seeds

// This file finds the URLs that ask search engines: in their descriptions, in forms, and in the URLs of results.

import (
	"bytes"
	"encoding/xml"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"kavosh/lib/htmltree"
	"kavosh/lib/weburl"
)

// Template is the URL of a search in which {searchTerms} stands for what is looked for, as in OpenSearch 1.1.
type Template string

const (
	searchTerms     = "{searchTerms}"
	mostTemplates   = 16   // of one document
	mostTokens      = 1000 // of a description that are read
	longestTemplate = 2 << 10
)

// queryNames are names of the parameter that has what is looked for.
var queryNames = []string{"q", "s", "query", "search", "keyword", "keywords", "searchword", "search_query", "wd", "text"}

// TemplateOf returns the template of a URL that asks for results: its query has words under one of the usual names. What
// else the query has is left out, such as the number of a page. It is "" for other URLs.
func TemplateOf(u string) Template {
	before, query, _ := strings.Cut(u, "?")
	for part := range strings.SplitSeq(query, "&") {
		name, value, _ := strings.Cut(part, "=")
		words, err := url.QueryUnescape(value)
		if err == nil && slices.Contains(queryNames, name) && strings.ContainsFunc(words, unicode.IsLetter) && !strings.Contains(words, "://") {
			return checked(before + "?" + name + "=" + searchTerms)
		}
	}
	return ""
}

// DescriptionTemplates returns the templates for HTML results in an OpenSearch description.
func DescriptionTemplates(document []byte) (all []Template) {
	in := xml.NewDecoder(bytes.NewReader(document))
	in.Strict = false
	for range mostTokens {
		token, err := in.RawToken()
		if err != nil || len(all) == mostTemplates {
			return all // a broken description counts up to there
		}
		start, ok := token.(xml.StartElement)
		if !ok || start.Name.Local != "Url" {
			continue
		}
		at := map[string]string{}
		for _, a := range start.Attr {
			at[a.Name.Local] = strings.TrimSpace(a.Value)
		}
		if at["type"] == "text/html" && !strings.EqualFold(at["method"], "post") {
			if t := checked(at["template"]); t != "" {
				all = append(all, t)
			}
		}
	}
	return all
}

// FormTemplates returns the templates of the search forms in a page: those sent by GET with one field for text, of type
// search or with one of the usual names. Hidden fields go along.
func FormTemplates(page, pageURL string) (all []Template) {
	tree := htmltree.Parse(page, false, pageURL)
	var action, hidden, name string
	fields := 0
	end := func() {
		if action != "" && fields == 1 && name != "" {
			before, _, _ := strings.Cut(action, "?") // what the form sends stands in place of the query
			if t := checked(before + "?" + hidden + url.QueryEscape(name) + "=" + searchTerms); t != "" && !slices.Contains(all, t) && len(all) < mostTemplates {
				all = append(all, t)
			}
		}
		action, hidden, name, fields = "", "", "", 0
	}
	get := func(n *htmltree.Node, name string) string { v, _ := n.Get(name); return strings.TrimSpace(v) }
	for n := range tree.Elements() {
		switch n.Name {
		case "form":
			end()
			if method := get(n, "method"); method == "" || strings.EqualFold(method, "get") {
				action, _ = tree.Resolve(get(n, "action"))
			}
		case "input":
			field, value := get(n, "name"), get(n, "value")
			switch kind := strings.ToLower(get(n, "type")); {
			case action == "" || field == "":
			case kind == "hidden":
				hidden += url.QueryEscape(field) + "=" + url.QueryEscape(value) + "&"
			case kind == "search", (kind == "" || kind == "text") && slices.Contains(queryNames, strings.ToLower(field)):
				fields, name = fields+1, field
			case kind == "" || kind == "text" || kind == "password" || kind == "email":
				fields++
			}
		}
	}
	end()
	return all
}

// placeholder is a parameter of OpenSearch in a template; one with ? may be left out.
var placeholder = regexp.MustCompile(`\{[^{}]*\}`)

// checked fills in all parameters but the words, and returns the template, or "" if it is none for http.
func checked(template string) Template {
	if len(template) > longestTemplate || strings.Count(template, searchTerms) != 1 {
		return ""
	}
	template = placeholder.ReplaceAllStringFunc(template, func(p string) string {
		switch name := strings.TrimSuffix(strings.Trim(p, "{}"), "?"); {
		case p == searchTerms:
			return p
		case name == "startIndex", name == "startPage":
			return "1"
		case name == "inputEncoding", name == "outputEncoding":
			return "UTF-8"
		}
		return ""
	})
	if u := Template(template).Fill("word"); u == "" || weburl.SURT(u) == weburl.SURT(Template(template).Fill("another")) {
		return "" // the words stand where they do not count, as in a fragment
	}
	return Template(template)
}

// Fill returns the URL that asks for words, as a seen-key; "" if there is none.
func (t Template) Fill(words string) string {
	key, err := weburl.Key(strings.ReplaceAll(string(t), searchTerms, url.QueryEscape(words)))
	if err != nil || !weburl.Fetchable(key) {
		return ""
	}
	return key
}
