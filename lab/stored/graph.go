package stored

// This file opens a graph file as a stored web.

import (
	"encoding/json"
	"fmt"
	"html"
	"strings"

	"kavosh"
	"kavosh/lib/packed"
	"kavosh/lib/weburl"
)

// GraphPage is one line of a graph file, in JSON: a page with its links and labels.
type GraphPage struct {
	URL    string      `json:"url"`
	Status int         `json:"status,omitempty"` // 0 or absent means 200
	Title  string      `json:"title,omitempty"`
	Lang   string      `json:"lang,omitempty"`
	Text   string      `json:"text,omitempty"`
	To     string      `json:"to,omitempty"` // target of a redirect
	Labels []string    `json:"labels,omitempty"`
	Links  []GraphLink `json:"links,omitempty"`
}

// GraphLink is a link of a GraphPage.
type GraphLink struct {
	URL    string `json:"url"`
	Anchor string `json:"anchor,omitempty"`
	Around string `json:"around,omitempty"` // the words around it
}

func isGraph(path string) bool {
	return strings.HasSuffix(packed.Inside(path), ".jsonl")
}

func openGraph(path string) (*Web, error) {
	l, err := openLines(path)
	if err != nil {
		return nil, err
	}
	defer l.Close()
	b := newBuilder(path)
	var pages []GraphPage
	for l.next() {
		if len(strings.TrimSpace(l.text())) == 0 {
			continue
		}
		var p GraphPage
		if err := json.Unmarshal(l.bytes(), &p); err != nil {
			return nil, l.errorf("%v", err)
		}
		if err := p.normalise(); err != nil {
			return nil, l.errorf("%v", err)
		}
		a := p.answer()
		if !b.add(p.URL, &a, p.Labels) {
			return nil, l.errorf("%s comes a second time", p.URL)
		}
		pages = append(pages, p)
	}
	if err := l.err(); err != nil {
		return nil, err
	}
	b.web.answer = func(i int) (Answer, error) { return pages[i].answer(), nil }
	return b.done()
}

// normalise turns URLs into seen-keys.
func (p *GraphPage) normalise() error {
	keys := []*string{&p.URL}
	if p.To != "" {
		keys = append(keys, &p.To)
	}
	for i := range p.Links {
		keys = append(keys, &p.Links[i].URL)
	}
	for _, u := range keys {
		key, err := weburl.Key(*u)
		if err != nil || !strings.HasPrefix(key, "http:") && !strings.HasPrefix(key, "https:") {
			return fmt.Errorf("%q is no http or https URL", *u)
		}
		*u = key
	}
	if p.Status == 0 {
		p.Status = 200
		if p.To != "" {
			p.Status = 301
		}
	}
	if p.Status < 100 || p.Status > 999 {
		return fmt.Errorf("status %d is none of HTTP's", p.Status)
	}
	return nil
}

// answer returns an HTML page with the content of p.
func (p *GraphPage) answer() Answer {
	a := Answer{Status: p.Status, Header: kavosh.Header{{Name: "Content-Type", Value: "text/html; charset=utf-8"}}}
	if p.To != "" {
		a.Header = append(a.Header, kavosh.Field{Name: "Location", Value: p.To})
	}
	var b strings.Builder
	b.WriteString("<!doctype html>\n")
	if p.Lang != "" {
		fmt.Fprintf(&b, "<html lang=%q>", p.Lang)
	}
	fmt.Fprintf(&b, "<title>%s</title>\n", html.EscapeString(p.Title))
	for line := range strings.Lines(p.Text) {
		fmt.Fprintf(&b, "<p>%s</p>\n", html.EscapeString(strings.TrimSpace(line)))
	}
	for _, l := range p.Links {
		fmt.Fprintf(&b, "<div><a href=\"%s\">%s</a> %s</div>\n", html.EscapeString(l.URL), html.EscapeString(l.Anchor),
			html.EscapeString(l.Around))
	}
	a.Body = []byte(b.String())
	return a
}
