package scope

import (
	"strings"
	"testing"
)

// What a print leaves out, and what it does not.
func TestPrint(t *testing.T) {
	const url = "http://a.test/%D8%B3%D9%84%D8%A7%D9%85/list?sid=8f3a9c12&page=17"
	const page = "<title>Shop</title><p>One, two and three: 4 apples <img src=/apple.jpg> <a href=/x>more</a> "
	of := func(html string) uint64 { return Print([]byte(html), url) }
	for what, pair := range map[string][2]string{
		"other links":           {page, strings.Replace(page, "href=/x", `href="/y?sid=ffff0000"`, 1)},
		"another order":         {page, "<a href=>more</a><img src=/apple.jpg><p>two three and One: apples 4<title>Shop</title>"},
		"its own token":         {page, page + "8f3a9c12"},
		"numbers beside its":    {page + month, page + month + " 18 17 16 ۱۸ ١٦ 018"},
		"the time of day":       {page, page + "23:59:01.25 7:15"},
		"a form's token":        {page + "<input value=0c9d8e7f6a5b>", page + `<input value="a8f3c7e51b2d">`},
		"a nonce":               {page + "<x nonce=0c9d8e7f6a5b content='aBcDeFgHi'>", page + `<x nonce='a8f3c7e51b2d' content=zXcVbNmAsDfG>`},
		"a comment":             {page, page + "<!-- made in 0.17 s by server 12 -->"},
		"a comment without end": {page, page + "<!-- made"},
		"a link without end":    {page + "<a href=", page + `<a href="x y`},
		"a form's target":       {page + "<form action=>", page + "<form action='/z?a=b'>"},
		"what its form says":    {page + "<input value='12'>", page + "<input value='12 8f3a9c12'>"},
		"Persian numbers":       {page + "1405", page + "۱۴۰۵"},
		"the year of a month":   {page + month + " 2031", page + month + " 2030"},
	} {
		if of(pair[0]) != of(pair[1]) {
			t.Errorf("%s: another print", what)
		}
	}
	for what, html := range map[string]string{
		"a word":                  page + "four",
		"a word less":             strings.Replace(page, "two", "", 1),
		"a word twice":            page + "two",
		"a number":                page + "5",
		"a year":                  page + "2031",
		"a word of data":          page + "<script>x = {t: 'data'}</script>",
		"a picture":               strings.Replace(page, "apple.jpg", "pear.jpg", 1),
		"a picture's name":        strings.Replace(page, "apple.jpg", "8f3a9c13d.jpg", 1),
		"a form's word":           page + "<input value=hello>",
		"its own number":          page + "17",
		"a picture of its number": page + "<img src=/17.jpg>",
		"its token in data":       page + "<script>'8f3a9c12'</script>",
		"an attribute":            page + "<x data-t=hello>",
	} {
		if of(html) == of(page) {
			t.Errorf("%s: the same print", what)
		}
	}
	if of("<p>one two three <a href=x y=four>") != 0 || of("<p>one two three four") == 0 {
		t.Error("too few words for a print, or too many")
	}
}

// A print needs no memory.
func TestPrintAllocatesNothing(t *testing.T) {
	page := []byte(strings.Repeat("<p>Some words of 2031 <a href='/x?y=z'>and a link</a> ", 100))
	if n := testing.AllocsPerRun(10, func() { Print(page, "http://a.test/x/17?sid=8f3a9c12") }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

func FuzzPrint(f *testing.F) {
	f.Add([]byte("<a href=x>1</a><!-- c --><input value='aB3dEfGh1'> 12:30:01 ۱۴۰۵"), "http://a.test/%D8%B3/17?x=%zz")
	f.Fuzz(func(t *testing.T, html []byte, url string) {
		if Print(html, url) != Print(append(append([]byte("<!-- x -->"), html...), "\n"...), url) {
			t.Error("a comment before it makes another page")
		}
	})
}

func BenchmarkPrint(b *testing.B) {
	page := []byte("<p>" + strings.Repeat("<p>Some words of 2031 <a href='/x?y=z'>and a link</a>, and then more of them ", 270))
	b.SetBytes(int64(len(page)))
	b.ReportAllocs()
	for b.Loop() {
		Print(page, "http://a.test/x/17?sid=8f3a9c12")
	}
}

// Eight bytes at once are told apart as one at a time is.
func TestWordBytes(t *testing.T) {
	for c := range 256 {
		for at := range 8 {
			x := uint64(c) << (8 * at)
			if got := wordBytes(x)&(0x80<<(8*at)) != 0; got != inWord(byte(c)) || wordBytes(x)&^(0x80<<(8*at)) != 0 {
				t.Errorf("%#x at %d: %x", c, at, wordBytes(x))
			}
		}
	}
}
