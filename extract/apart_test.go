package extract

import (
	"testing"

	"kavosh"
)

// What a reader sees as two words is two words in the text, though the markup has no space between; what is one stays one.
func TestNeighboursStandApart(t *testing.T) {
	for _, c := range [][2]string{
		{"<a href=/a>site</a><a href=/b>documentation</a>", "site documentation"},
		{"<a href=/a>نمونه</a><a href=/b>دربارهٔ</a><a href=/c>ما</a>", "نمونه دربارهٔ ما"},
		{"<span><a href=/a>one</a></span><span><b><a href=/b>two</a></b></span>", "one two"},
		{"<a href=/x>one<a href=/y>two", "one two"},
		{"<a href=/a>one</a><span hidden>|</span><a href=/b>two</a>", "one two"},
		{"<a href=/a>one</a><!-- --><a href=/b>two</a>", "one two"},
		{"<a href=/a>Go</a><a href=/b>(3)</a><a href=/c>more</a>", "Go (3) more"},
		{"<button>Save</button><button>Send</button>now", "Save Send now"},
		{"<label>Name</label><input><label>Mail</label><select><option>one<option>two</select>go", "Name Mail\none\ntwo go"},
		{"<fieldset><legend>Who</legend><label>Name</label></fieldset>", "Who\nName"},
		{"<table><tr><td>one<td>two</table>", "one\ntwo"},
		{"<menu><li>one<li>two</menu>", "one\ntwo"},
		{"one<br>two<br/>three", "one two three"},
		{"<img alt=Debian><img alt=Logo>Welcome", "Debian Logo Welcome"},
		{"<a href=/a><img alt=Home></a><a href=/b>Next</a>", "Home Next"},
		{"press <kbd>Ctrl</kbd><kbd>C</kbd>", "press Ctrl C"},
		{"<svg><text>10</text><text>20</text></svg>", "10 20"},

		{"<b>w</b>ord and un<a href=/a>link</a>ed", "word and unlinked"},
		{"<i>a</i><b>b</b><span>c</span><span>d</span>", "abcd"},
		{"<a href=/a>می\u200c</a><a href=/b>خواهم</a>", "می\u200cخواهم"},
		{"<a href=/a>کتاب</a>\u200c<a href=/b>ها</a>", "کتاب\u200cها"},
		{"<a href=/a>کتاب</a><a href=/b>\u200cها</a>", "کتاب\u200cها"},
		{"<ruby>漢<rt>kan</rt>字<rt>ji</rt></ruby>", "漢kan字ji"},
		{"<a href=/a>東京都</a><a href=/b>千代田区</a>", "東京都千代田区"},
		{"<a href=/a>one</a> <a href=/b>two</a>\n<a href=/c> three</a>", "one two three"},
		{"<a href=/a>one</a><a href=/b>, two</a>", "one, two"},
		{"(<a href=/a>one</a><a href=/b>)</a>", "(one)"},
		{"<a href=/a>usr/</a><a href=/b>share</a><a href=/b>/doc</a>", "usr/share/doc"},
		{"<a href=/a></a><a href=/b></a>one", "one"},
		{"<img alt=O>nce upon", "Once upon"},
	} {
		doc := Document{URL: "http://site.test/", Payload: []byte(c[0]), Header: kavosh.Header{{Name: "Content-Type", Value: "text/html; charset=utf-8"}}}
		if p := Extract(doc, Options{Needs: kavosh.Needs{Text: true}}); p.Text != c[1] {
			t.Errorf("%s is %q, want %q", c[0], p.Text, c[1])
		}
	}
}

// The words around a link are told apart as the page's are, whether its text is asked for or not.
func TestNeighboursOfLinksStandApart(t *testing.T) {
	doc := Document{URL: "http://site.test/", Payload: []byte("<a href=/a>one</a><a href=/b>two</a><a href=/c>three</a>"), Header: kavosh.Header{{Name: "Content-Type", Value: "text/html"}}}
	for _, text := range []bool{false, true} {
		l := Extract(doc, Options{Needs: kavosh.Needs{Text: text}}).Links
		if len(l) != 3 || l[1].Anchor != "two" || l[1].Around != "one three" || l[2].Around != "one two" {
			t.Errorf("text %v: links %+v", text, l)
		}
	}
}
