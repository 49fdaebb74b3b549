package seeds

import (
	"slices"
	"strings"
	"testing"

	"kavosh/lib/weburl"
)

func TestTemplateOf(t *testing.T) {
	for url, want := range map[string]Template{
		"https://search.test/?q=foaf&page=2":             "https://search.test/?q={searchTerms}",
		"http://blog.test/?paged=2&s=%D8%A8%D8%A7%D8%BA": "http://blog.test/?s={searchTerms}",
		"http://blog.test/?s=":                           "",
		"http://blog.test/?q=327":                        "",
		"http://a.test/url?q=http%3A%2F%2Fb.test%2F":     "",
		"http://blog.test/?id=3":                         "",
		"http://blog.test/#?q=word":                      "",
		"mailto:a@b.test?q=word":                         "",
	} {
		if got := TemplateOf(url); got != want {
			t.Errorf("%s: %q, want %q", url, got, want)
		}
	}
	if got := Template("https://search.test/?q={searchTerms}").Fill("باغ & گل"); got != "https://search.test/?q=%D8%A8%D8%A7%D8%BA+%26+%DA%AF%D9%84" {
		t.Error(got)
	}
}

func TestDescriptionTemplates(t *testing.T) {
	got := DescriptionTemplates([]byte(`<?xml version="1.0"?><OpenSearchDescription xmlns="http://a9.com/-/spec/opensearch/1.1/">
<ShortName>S</ShortName><Url type="application/json" template="https://s.test/api?q={searchTerms}"/>
<Url type="text/html" method="post" template="https://s.test/post?q={searchTerms}"/>
<Url type="text/html" template="https://s.test/find?q={searchTerms}&amp;start={startIndex?}&amp;enc={inputEncoding}&amp;l={language?}"/>
<Url type="text/html" template="javascript:{searchTerms}"/><Url type="text/html" template="https://s.test/#{searchTerms}"/><Broken`))
	if !slices.Equal(got, []Template{"https://s.test/find?q={searchTerms}&start=1&enc=UTF-8&l="}) {
		t.Errorf("%q", got)
	}
}

func TestFormTemplates(t *testing.T) {
	got := FormTemplates(`<base href=/in/><form><input name=user><input name=password type=password></form>
<form action="find?old=1"><input type=hidden name=lang value="f&amp;a"><input name=Q><input type=submit name=go value=Go></form>
<form method=post action=/x><input name=q></form><form action=http://g.test/s><input type=search name=words></form>
<form action=/two><input name=q><input name=from></form><form action="javascript:x"><input name=q></form>`, "http://a.test/page")
	if !slices.Equal(got, []Template{"http://a.test/in/find?lang=f%26a&Q={searchTerms}", "http://g.test/s?words={searchTerms}"}) {
		t.Errorf("%q", got)
	}
}

// Whatever a page or a description says, its templates give URLs that can be fetched, and words stay within them.
func FuzzTemplates(f *testing.F) {
	f.Add(`<form action=/find><input name=q></form>`)
	f.Add(`<Url type="text/html" template="https://s.test/{searchTerms}"/>`)
	f.Add("http://a.test/?q=1")
	f.Fuzz(func(t *testing.T, text string) {
		all := append(FormTemplates(text, "http://a.test/"), DescriptionTemplates([]byte(text))...)
		if one := TemplateOf(text); one != "" {
			all = append(all, one)
		}
		for _, one := range all {
			url := one.Fill("a b&c")
			if key, err := weburl.Key(url); err != nil || key != url || !weburl.Fetchable(url) || strings.ContainsAny(url, " \n") {
				t.Errorf("%q gives %q", one, url)
			}
		}
	})
}
