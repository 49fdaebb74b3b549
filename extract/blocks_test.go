package extract

import (
	"fmt"
	"strings"
	"testing"

	"kavosh"
)

// TestBlocks tells of each line of a page's text what it is.
func TestBlocks(t *testing.T) {
	for _, c := range []struct{ page, want string }{
		{`plain <b>words</b>`, ` 0 0`},
		{`<h1>Title</h1><p>One <a href=/>two</a> three<p>four<ul><li>five<li><a href=/>six</a></ul>after`, `h1 0 4|p 3 17|p 0 47|li 0 59|li 3 77| 0 89`},
		{`<div>a<p>b</div>c`, `div 0 5|p 0 9| 0 16`},
		{`<table><tr><td>a<td>b<tr><th>c</table>d`, `td 0 15|td 0 20|th 0 29| 0 38`},
		{`<article>x<p hidden>no<p>y</p>z</article>`, `article 0 9|p 0 25|article 0 30`},
		{`<p>a<br>b <a name=x>not a link</a><hr>c</p></div>d`, `p 0 3| 0 38| 0 49`},
		{`<p><a href=/>  linked  </a></p><dl><dt>t<dd>d</dl>`, `p 6 13|dt 0 39|dd 0 44`},
		{`<p>&eacute;t&eacute; <img src=a alt=picture>`, `p 0 3`},
		{``, ``},
		{strings.Repeat(`<div>`, 300) + `deep` + strings.Repeat(`</div>`, 300) + `out`, `div 0 1500| 0 3304`},
	} {
		doc := Document{URL: "http://a.test/", Status: 200, Header: kavosh.Header{{Name: "Content-Type", Value: "text/html; charset=utf-8"}}, Payload: []byte(c.page)}
		page := Extract(doc, Options{Needs: kavosh.Needs{Text: true, Blocks: true}})
		var got []string
		for _, b := range page.Blocks {
			got = append(got, fmt.Sprint(b.Tag, " ", b.Linked, " ", b.At))
		}
		if strings.Join(got, "|") != c.want {
			t.Errorf("%.80s: %q, want %q", c.page, strings.Join(got, "|"), c.want)
		}
		if again := Extract(doc, Options{Needs: kavosh.Needs{Text: true}}); again.Text != page.Text || again.Blocks != nil {
			t.Errorf("%.80s: %q with blocks, %q without", c.page, page.Text, again.Text)
		}
	}
}
