package extract

import (
	"testing"

	"kavosh"
)

// A page's language is what its root element declares, or else its first meta element, or else the header.
func TestDeclaredLanguage(t *testing.T) {
	for _, c := range [][2]string{
		{`<html lang=fa><meta name=language content=English>`, "fa"},
		{`<html lang=""><meta http-equiv=Content-Language content=fa>`, "fa"},
		{`<meta name=language content=" Farsi ">`, "Farsi"},
		{`<meta name=Language content="Fa-Ir,Farsi,Persian"><meta http-equiv=content-language content=en>`, "Fa-Ir,Farsi,Persian"},
		{`<meta name="DC.Language" scheme=RFC1766 content=ckb>`, "ckb"},
		{`<meta name=dcterms.language content=fa-IR>`, "fa-IR"},
		{`<meta property=dc:language content=ar>`, "ar"},
		{`<meta name=language><p>`, "tg"},
		{`<p lang=fr>`, "tg"},
	} {
		doc := Document{URL: "http://site.test/", Payload: []byte(c[0]), Header: kavosh.Header{{Name: "Content-Type", Value: "text/html"}, {Name: "Content-Language", Value: "tg, en"}}}
		if p := Extract(doc, Options{}); p.Lang != c[1] {
			t.Errorf("%s declares %q, want %q", c[0], p.Lang, c[1])
		}
	}
}

// A picture's bytes are no words, though tools write them as its alternative text.
func TestPictureIsNoText(t *testing.T) {
	for _, c := range [][2]string{
		{`one<img src="data:image/gif;base64,R0lGODlh" alt="data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP">two`, "one two"},
		{`one<img alt=" DATA:image/svg+xml,%3Csvg%3E ">two`, "one two"},
		{`<img alt="data: rain, wind / snow">`, "data: rain, wind / snow"},
		{`<img alt="Data:image">`, "Data:image"},
	} {
		doc := Document{URL: "http://site.test/", Payload: []byte(c[0]), Header: kavosh.Header{{Name: "Content-Type", Value: "text/html"}}}
		p := Extract(doc, Options{Needs: kavosh.Needs{Text: true}})
		if p.Text != c[1] {
			t.Errorf("%s is %q, want %q", c[0], p.Text, c[1])
		}
		for _, l := range p.Links {
			if len(l.Anchor) > 0 {
				t.Errorf("%s: the anchor is %q", c[0], l.Anchor)
			}
		}
	}
}
