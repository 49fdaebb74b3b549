// Package sparql asks SPARQL endpoints what they hold, with a few cheap requests, and parses the answers.
//
// The requests are URLs for GET (SPARQL 1.1 Protocol, 2.1.1). So a crawl fetches them like any URL, and the query in
// the URL later says what it was.
package sparql

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"net/url"
	"strconv"
	"strings"
)

// Query is a question for endpoints.
type Query uint8

// The questions. The answer to Sample is RDF, the answers to the others are results (Read).
const (
	Ask    Query = iota // is there a statement?
	Count               // how many statements are there?
	Sample              // some of them, at most 1,000
)

var queries = [...]string{
	Ask:    "ASK { ?s ?p ?o }",
	Count:  "SELECT (COUNT(*) AS ?n) WHERE { ?s ?p ?o }",
	Sample: "CONSTRUCT { ?s ?p ?o } WHERE { ?s ?p ?o } LIMIT 1000",
}

// parameter returns the query in the form for a URL.
func (q Query) parameter() string {
	return "query=" + strings.ReplaceAll(url.QueryEscape(queries[q]), "+", "%20")
}

// URL returns the URL at which an endpoint answers a question.
func URL(endpoint string, q Query) string {
	endpoint, _, _ = strings.Cut(endpoint, "#")
	join := "?"
	if strings.Contains(endpoint, "?") {
		join = "&"
	}
	return endpoint + join + q.parameter()
}

// Parse is the inverse of URL; ok is false for any other URL.
func Parse(url string) (endpoint string, q Query, ok bool) {
	for q := range queries {
		if before, found := strings.CutSuffix(url, Query(q).parameter()); found && before != "" {
			return before[:len(before)-1], Query(q), true
		}
	}
	return "", 0, false
}

// Answer is an endpoint's answer to Ask or Count.
type Answer struct {
	True  bool  `json:"true,omitempty"`
	Count int64 `json:"count,omitempty"`
}

// maxAnswer is how many bytes of an answer are read: a normal one has a few hundred.
const maxAnswer = 64 << 10

var errNoAnswer = errors.New("these are no results of SPARQL")

// Read parses results in JSON (SPARQL 1.1 Query Results JSON Format) or XML (SPARQL Query Results XML Format), whatever
// their declared type: a boolean, or the number in the first binding. It fails if they are neither.
func Read(r io.Reader) (Answer, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxAnswer))
	if err != nil {
		return Answer{}, err
	}
	text = bytes.TrimLeft(bytes.TrimPrefix(text, []byte("\uFEFF")), " \t\r\n")
	switch {
	case bytes.HasPrefix(text, []byte("{")):
		return readJSON(text)
	case bytes.HasPrefix(text, []byte("<")):
		return readXML(text)
	}
	return Answer{}, errNoAnswer
}

// answered makes an Answer from a boolean, or from the text of the first binding.
func answered(boolean *bool, binding string) (Answer, error) {
	if boolean != nil {
		return Answer{True: *boolean}, nil
	}
	n, err := strconv.ParseInt(strings.TrimSpace(binding), 10, 64)
	if err != nil || n < 0 {
		return Answer{}, errNoAnswer
	}
	return Answer{Count: n}, nil
}

func readJSON(text []byte) (Answer, error) {
	var results struct {
		Boolean *bool
		Results struct {
			Bindings []map[string]struct{ Value string }
		}
	}
	if err := json.Unmarshal(text, &results); err != nil {
		return Answer{}, errNoAnswer
	}
	binding := ""
	if rows := results.Results.Bindings; len(rows) > 0 && len(rows[0]) == 1 {
		for _, term := range rows[0] {
			binding = term.Value
		}
	}
	return answered(results.Boolean, binding)
}

func readXML(text []byte) (Answer, error) {
	var results struct {
		XMLName xml.Name `xml:"http://www.w3.org/2005/sparql-results# sparql"`
		Boolean *bool    `xml:"boolean"`
		Numbers []string `xml:"results>result>binding>literal"`
	}
	if err := xml.Unmarshal(text, &results); err != nil {
		return Answer{}, errNoAnswer
	}
	return answered(results.Boolean, strings.Join(results.Numbers[:min(1, len(results.Numbers))], ""))
}
