package css

import (
	"strings"
	"testing"
	"time"

	"kavosh/lib/htmltree"
)

const page = `<!doctype html><html><body id=top>
<h1 class="big title">A</h1>
<ul id=news><li class=first>one<li>two <b>bold</b><li data-kind="press release" lang=en-GB>three</ul>
<div class="a"><div class="b"><p>deep</p></div><p>after</p></div>
<p id="x:y">colon</p>
</body></html>`

// Each selector finds what a browser finds, less what lies in another match.
func TestSelector(t *testing.T) {
	for selector, want := range map[string]string{
		"h1": "A", "#news li": "one|two bold|three", "#news > li:first-child": "one", "li:last-child": "three", "li:nth-child(2)": "two bold",
		"li:nth-child(odd)": "one|three", "li:nth-child(-n+2)": "one|two bold", "li:not(.first)": "two bold|three", "li + li": "two bold|three",
		"li.first ~ li": "two bold|three", ".a p": "deep|after", ".a > p": "after", "div p": "deep|after", "div": "deepafter", ".b, .b ~ p": "deep|after",
		"body .a .b > p": "deep", "[data-kind]": "three", "[data-kind~=press]": "three", `[data-kind^="press "]`: "three", "[lang|=en]": "three",
		"[data-kind='PRESS release' i]": "three", "[data-kind$=ease]": "three", "[data-kind*='ss re']": "three", `#x\:y`: "colon", `#x\3a y`: "colon",
		"h1.title.big": "A", "H1": "A", "*#news": "onetwo boldthree", "h1, b": "A|bold", "ul h1": "", "h1 ~ p": "colon", "h1, h1 ~ p": "A|colon", "ol": "",
	} {
		s, err := ParseSelector(selector)
		if err != nil {
			t.Errorf("%s: %v", selector, err)
			continue
		}
		p := htmltree.Parse(page, false, "http://a.test/")
		var found []string
		for _, n := range s.Select(p) {
			text, _ := p.Text(n)
			found = append(found, strings.Join(strings.Fields(text), " "))
		}
		if got := strings.Join(found, "|"); got != want {
			t.Errorf("%s found %q, want %q", selector, got, want)
		}
	}
}

// A selector that is none is refused with what to write.
func TestBadSelectors(t *testing.T) {
	for _, selector := range []string{"", ",", "h1,", "> p", "p >", "#", ".", "[", "[a", "[a=", `[a="b`, "p:hover", "p::before", ":nth-child(x)", ":nth-child(", ":not(", ":not(a b)",
		":not(:not(a))", "p)", "p{", strings.Repeat("a ", 65), strings.Repeat("a", 501)} {
		if s, err := ParseSelector(selector); err == nil {
			t.Errorf("%q is taken: %v", selector, s)
		}
	}
}

// The worst of selectors on the worst of pages takes no longer than its length asks for.
func TestSelectorIsLinear(t *testing.T) {
	s, err := ParseSelector(strings.TrimSuffix(strings.Repeat("div>div div~div ", 15), " ") + " x")
	if err != nil {
		t.Fatal(err)
	}
	p := htmltree.Parse(strings.Repeat("<div>", 400)+strings.Repeat("<div></div>", 100_000), false, "http://a.test/")
	since := time.Now()
	if found := s.Select(p); len(found) != 0 {
		t.Error("found", len(found))
	}
	if took := time.Since(since); took > 5*time.Second {
		t.Errorf("it took %v", took)
	}
}

// No selector makes the reader fail, and what it finds lies in the page, in its order.
func FuzzSelector(f *testing.F) {
	for _, seed := range []string{"#news > li:nth-child(2n+1), [a~='b' i]", `\3a x`, ":not(*)", "a+b~c d", "[a|=", `"`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, selector string) {
		s, err := ParseSelector(selector)
		if err != nil {
			return
		}
		last := -1
		for _, n := range s.Select(htmltree.Parse(page, false, "http://a.test/")) {
			if n.Name == "" || n.Offset < last {
				t.Errorf("%q finds %v", selector, n)
			}
			last = n.Offset
		}
	})
}
