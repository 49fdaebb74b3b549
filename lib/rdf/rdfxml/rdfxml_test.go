package rdfxml

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"

	"kavosh/lib/rdf"
	"kavosh/lib/rdf/rdftest"
)

const (
	base = "http://example.org/dir/doc"
	head = `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:e="http://e/">`
	tail = `</rdf:RDF>`
)

// lines reads document up to its first fault and gives its statements as N-Quads, and what ended it.
func lines(t testing.TB, document string) (string, error) {
	t.Helper()
	return asQuads(t, rdf.Strict(NewReader(strings.NewReader(document), base)))
}

// asQuads gives the statements of a reader as N-Quads, and what ended it.
func asQuads(t testing.TB, r rdf.Reader) (string, error) {
	t.Helper()
	quads, err := rdftest.ReadAll(r)
	var out strings.Builder
	w := rdf.NewNQuadsWriter(&out)
	for _, q := range quads {
		if err := w.Write(q); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(out.String(), "http://www.w3.org/1999/02/22-rdf-syntax-ns#", "rdf:"), err
}

// TestRead has what W3C's suite leaves out.
func TestRead(t *testing.T) {
	for _, tt := range []struct{ name, document, want string }{
		{"no rdf:RDF", `<e:Cat xmlns:e="http://e/" e:name="Pishi"/>`,
			"_:_1 <rdf:type> <http://e/Cat> .\n_:_1 <http://e/name> \"Pishi\" .\n"},
		{"blank labels kept apart", head + `<rdf:Description rdf:nodeID="_1"><e:p><rdf:Description/></e:p><e:p rdf:nodeID="x."/></rdf:Description>` + tail,
			"_:__1 <http://e/p> _:_1 .\n_:__1 <http://e/p> _:_.x._ .\n"},
		{"language in lower case, and none", head + `<rdf:Description rdf:about="#a" xml:lang="fa-IR"><e:p>سلام</e:p><e:p xml:lang="">x</e:p><e:p rdf:datatype="#d">1</e:p></rdf:Description>` + tail,
			"<http://example.org/dir/doc#a> <http://e/p> \"سلام\"@fa-ir .\n<http://example.org/dir/doc#a> <http://e/p> \"x\" .\n<http://example.org/dir/doc#a> <http://e/p> \"1\"^^<http://example.org/dir/doc#d> .\n"},
		{"datatypes that go without saying", head + `<rdf:Description rdf:about="#a"><e:p rdf:datatype="http://www.w3.org/2001/XMLSchema#string">1</e:p></rdf:Description>` + tail,
			"<http://example.org/dir/doc#a> <http://e/p> \"1\" .\n"},
		{"base inside base", head + `<rdf:Description xml:base="sub/x" rdf:about="y"><e:p xml:base="../z" rdf:resource=""/></rdf:Description>` + tail,
			"<http://example.org/dir/sub/y> <http://e/p> <http://example.org/dir/z> .\n"},
		{"what IRIs do not have", head + `<rdf:Description rdf:about=" a b{c}|گ
"><e:p rdf:resource="http://h/&lt;x&gt;"/></rdf:Description>` + tail,
			"<http://example.org/dir/a%20b%7Bc%7D%7Cگ> <http://e/p> <http://h/%3Cx%3E> .\n"},
		{"entities of an ontology", `<?xml version="1.0"?><!DOCTYPE rdf:RDF [ <!ENTITY w "http://w/"> <!-- ]> --> <?x ]> ?> <!ELEMENT a (#PCDATA)> <!ENTITY owl '&w;owl#'><!ENTITY owl "second"> <!ENTITY % p "x"> %p; <!ENTITY far SYSTEM "far.ent">]>` +
			strings.Replace(head, ">", ` xmlns:o="&owl;">`, 1) + `<o:Class rdf:about="&owl;Thing"><e:p>&amp;&#60;&#x633;&w;</e:p></o:Class>` + tail,
			"<http://w/owl#Thing> <rdf:type> <http://w/owl#Class> .\n<http://w/owl#Thing> <http://e/p> \"&<سhttp://w/\" .\n"},
		{"entities with markup and quotes", `<!DOCTYPE r [<!ENTITY n "<e:q a:b='&quot;' xmlns:a='http://a/'></e:q>"><!ENTITY q '"&#38;lt;"'><!ENTITY e "">]>` +
			head + `<rdf:Description rdf:about="#a" e:p="&q;'&e;">&n;</rdf:Description>` + tail,
			"<http://example.org/dir/doc#a> <http://e/p> \"\\\"<\\\"'\" .\n<http://example.org/dir/doc#a> <http://e/q> _:_1 .\n_:_1 <http://a/b> \"\\\"\" .\n"},
		{"comments, sections and instructions in a text", head + `<rdf:Description rdf:about="#a"><e:p> a<!-- b --><![CDATA[<c>]]]]><![CDATA[>&amp;]]><?d e?> ]]></e:p></rdf:Description>` + tail,
			"<http://example.org/dir/doc#a> <http://e/p> \" a<c>]]>&amp; ]]>\" .\n"},
		{"line ends", strings.ReplaceAll(head, " ", "\r\n") + "<rdf:Description rdf:about='#a' e:p='a\r\nb\tc\rd&#10;e'><e:q>a\r\nb\rc\r\r\n&#13;</e:q></rdf:Description>" + tail,
			"<http://example.org/dir/doc#a> <http://e/p> \"a b c d\\ne\" .\n<http://example.org/dir/doc#a> <http://e/q> \"a\\nb\\nc\\n\\n\\r\" .\n"},
		{"attributes of others", strings.Replace(head, ">", ` xmlns:xsi="http://xsi/" xsi:schemaLocation="a b" xml:id="x">`, 1) + `<rdf:Description rdf:about="#a" xml:space="preserve" xmlfoo="1" type="#t"/>` + tail,
			"<http://example.org/dir/doc#a> <rdf:type> <http://example.org/dir/doc#t> .\n"},
		{"no prefix", `<RDF xmlns="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><Description about="#a"><value resource="#b"/></Description></RDF>`,
			"<http://example.org/dir/doc#a> <rdf:value> <http://example.org/dir/doc#b> .\n"},
		{"collections", head + `<rdf:Description rdf:about="#a"><e:p rdf:parseType="Collection"> <e:C rdf:about="#c"/> <!-- --> <rdf:Description rdf:nodeID="d"/> </e:p><e:q rdf:parseType="Collection"/></rdf:Description>` + tail,
			"<http://example.org/dir/doc#a> <http://e/p> _:_1 .\n_:_1 <rdf:first> <http://example.org/dir/doc#c> .\n<http://example.org/dir/doc#c> <rdf:type> <http://e/C> .\n_:_2 <rdf:first> _:d .\n" +
				"_:_1 <rdf:rest> _:_2 .\n_:_2 <rdf:rest> <rdf:nil> .\n<http://example.org/dir/doc#a> <http://e/q> <rdf:nil> .\n"},
		{"XML literals", head + "<rdf:Description rdf:about='#a'><e:p rdf:parseType='Literal'>\n <x xmlns='http://x/' e:z='\"1\t' a='2' b='&#9;&lt;'><y/><e:w><v xmlns=''><![CDATA[<&]]></v></e:w><?t  d ?><!--c--></x></e:p></rdf:Description>" + tail,
			`<http://example.org/dir/doc#a> <http://e/p> "\n <x xmlns=\"http://x/\" xmlns:e=\"http://e/\" a=\"2\" b=\"&#x9;&lt;\" e:z=\"&quot;1 \"><y></y><e:w><v xmlns=\"\">&lt;&amp;</v></e:w><?t d ?><!--c--></x>"^^<rdf:XMLLiteral> .` + "\n"},
		{"a statement that has a name", head + `<rdf:Description rdf:about="#a"><e:p rdf:ID="s"><rdf:Description rdf:about="#b"><e:q>1</e:q></rdf:Description></e:p></rdf:Description>` + tail,
			"<http://example.org/dir/doc#a> <http://e/p> <http://example.org/dir/doc#b> .\n<http://example.org/dir/doc#s> <rdf:type> <rdf:Statement> .\n<http://example.org/dir/doc#s> <rdf:subject> <http://example.org/dir/doc#a> .\n" +
				"<http://example.org/dir/doc#s> <rdf:predicate> <http://e/p> .\n<http://example.org/dir/doc#s> <rdf:object> <http://example.org/dir/doc#b> .\n<http://example.org/dir/doc#b> <http://e/q> \"1\" .\n"},
	} {
		got, err := lines(t, tt.document)
		if got = sorted(got); got != sorted(tt.want) || err != nil {
			t.Errorf("%s: %v\n%swant\n%s", tt.name, err, got, sorted(tt.want))
		}
		slow, err := rdftest.ReadAll(NewReader(iotest.OneByteReader(strings.NewReader(tt.document)), base))
		if quick, _ := rdftest.ReadAll(NewReader(strings.NewReader(tt.document), base)); err != nil || fmt.Sprint(slow) != fmt.Sprint(quick) {
			t.Errorf("%s, byte by byte: %v %v", tt.name, slow, err)
		}
	}
}

func sorted(s string) string {
	l := strings.SplitAfter(s, "\n")
	slices.Sort(l)
	return strings.Join(l, "")
}

func TestEncodings(t *testing.T) {
	body := head + `<rdf:Description rdf:about="#a"><e:p>é</e:p></rdf:Description>` + tail
	latin, err := charmap.ISO8859_1.NewEncoder().String(`<?xml version="1.0" encoding='ISO-8859-1'?>` + body)
	if err != nil {
		t.Fatal(err)
	}
	wide := func(order unicode.Endianness, mark unicode.BOMPolicy, s string) string {
		s, err := unicode.UTF16(order, mark).NewEncoder().String(s)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	for name, document := range map[string]string{
		"UTF-8":                        body,
		"UTF-8 with mark":              "\uFEFF" + body,
		"Latin":                        latin,
		"UTF-16 little":                wide(unicode.LittleEndian, unicode.UseBOM, body),
		"UTF-16 big":                   wide(unicode.BigEndian, unicode.UseBOM, `<?xml version="1.0" encoding="utf-16"?>`+body),
		"UTF-16 little, no mark":       wide(unicode.LittleEndian, unicode.IgnoreBOM, body),
		"UTF-16 big, no mark":          wide(unicode.BigEndian, unicode.IgnoreBOM, body),
		"UTF-8 that says it is UTF-16": `<?xml version="1.0" encoding="utf-16"?>` + body,
		"space before the declaration": "\n" + `<?xml version="1.0" encoding="utf-8"?>` + body,
	} {
		if got, err := lines(t, document); got != "<http://example.org/dir/doc#a> <http://e/p> \"é\" .\n" || err != nil {
			t.Errorf("%s: %v\n%s", name, err, got)
		}
	}
}

// TestFaults: the statements before a fault are read, and the fault tells its place.
func TestFaults(t *testing.T) {
	first := `<rdf:Description rdf:about="#a"><e:p>1</e:p></rdf:Description>` + "\n"
	for _, tt := range []struct{ document, want string }{
		{`<rdf:Description>سلام`, "line 2, column 22: there is text where none may stand"},
		{`<rdf:Description>سلام</rdf:Description>`, "line 2, column 22: there is text where none may stand"},
		{`<rdf:Description`, "line 2, column 17: the document ends inside <rdf:Description"},
		{`<rdf:Description></rdf:RDF>`, "line 2, column 27: </rdf:RDF> stands where <rdf:Description> should end"},
		{`<x:y/>`, `line 2, column 7: the prefix "x" is not declared`},
		{`<y/>`, "line 2, column 5: <y> has no namespace"},
		{`<e:T a="b"/>`, "line 2, column 13: the attribute a has no namespace"},
		{`<e:T e:a="b" e:a="c"/>`, "line 2, column 23: <e:T has e:a twice"},
		{`<e:T xmlns:f="http://e/" e:a="b" f:a="c"/>`, "line 2, column 43: <e:T has f:a twice"},
		{`<e:T xmlns:f="1" xmlns:f="1"/>`, `line 2, column 29: the prefix "f" is declared twice`},
		{`<e:T xmlns:xml="http://e/"/>`, `line 2, column 27: the prefix "xml" cannot stand for "http://e/"`},
		{`<e:T e:a=b/>`, "line 2, column 10: the value of e:a is not in quotes"},
		{`<e:T e:a="<"/>`, "line 2, column 12: there is a < in the value of e:a"},
		{`<e:T e:a="&nbsp;"/>`, "line 2, column 17: the entity nbsp is not declared"},
		{`<e:T e:a="a & b"/>`, "line 2, column 14: a & begins no reference (a plain one is written &amp;)"},
		{`<e:T e:a="&#0;"/>`, "line 2, column 15: &#0; is no character"},
		{`<e:T xml:lang="a b"/>`, `line 2, column 22: xml:lang "a b" is no language`},
		{`<1/>`, `line 2, column 3: "1" is no name`},
		{`<a::b/>`, `line 2, column 6: "a::b" has a colon where none may stand`},
		{`<!-- -- -->`, "line 2, column 8: a comment has -- inside"},
		{`<!DOCTYPE x>`, "line 2, column 3: <! stands where nothing may be declared"},
		{`<rdf:li/>`, "line 2, column 10: rdf:li is no node"},
		{`<e:T rdf:bagID="x"/>`, "line 2, column 21: rdf:bagID is no attribute"},
		{`<e:T rdf:about="x" rdf:ID="x"/>`, "line 2, column 32: a node has more than one of rdf:ID, rdf:about and rdf:nodeID"},
		{`<e:T rdf:ID="x"/><e:T rdf:ID="x"/>`, `line 2, column 35: rdf:ID "x" stands twice`},
		{`<e:T rdf:ID="a:b"/>`, `line 2, column 20: rdf:ID "a:b" is no name`},
		{`<e:T rdf:nodeID="a b"/>`, `line 2, column 24: rdf:nodeID "a b" is no name`},
		{`<e:T><e:p rdf:parseType="Literal" e:q="1"/></e:T>`, "line 2, column 44: beside rdf:parseType no other value may stand"},
		{`<e:T><e:p><e:T/><e:T/></e:p></e:T>`, "line 2, column 23: a property has two values"},
		{`<e:T><e:p>x<e:T/></e:p></e:T>`, "line 2, column 18: a property has text and an element"},
		{`<e:T><e:p><e:T/>x</e:p></e:T>`, "line 2, column 18: there is text where none may stand"},
		{`<e:T><e:p rdf:resource="x">x</e:p></e:T>`, "line 2, column 29: there is text where none may stand"},
		{`<e:T><e:p rdf:datatype="x"><e:T/></e:p></e:T>`, "line 2, column 34: there is an element inside a property that has its value"},
		{tail + `x`, "line 2, column 11: there is text outside of the root element"},
		{tail + `<x/>`, "line 2, column 12: there is a second root element"},
		{tail + `</x>`, "line 2, column 14: </x> ends nothing"},
	} {
		got, err := lines(t, head+first+tt.document)
		var fault *rdf.Fault
		if !errors.As(err, &fault) || err.Error() != tt.want {
			t.Errorf("%s\n got %v\nwant %s", tt.document, err, tt.want)
		}
		if !strings.HasPrefix(got, "<http://example.org/dir/doc#a> <http://e/p> \"1\" .\n") {
			t.Errorf("%s: the first statement is lost: %s", tt.document, got)
		}
	}
	for document, want := range map[string]string{
		"":     "line 1, column 1: there is no element",
		"text": "line 1, column 1: there is text outside of the root element",
		`<!DOCTYPE x [<!ENTITY a "&b;"><!ENTITY b "&a;">]><e:T xmlns:e="http://e/" e:p="&a;"/>`: "line 1, column 83: the entity a contains itself",
	} {
		if _, err := lines(t, document); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", document, err, want)
		}
	}
}

// TestReadPast: what is faulty is left out, and nothing else. Of each document as many faults are warned of as want has.
func TestReadPast(t *testing.T) {
	const pre, post = `<rdf:Description rdf:about="http://a/">`, `<e:q>after</e:q></rdf:Description>`
	const list = "<http://a/> <http://e/p> _:_1 .\n"
	for _, tt := range []struct {
		document, want string
		faults         int64
	}{
		{`stray <e:p>1</e:p> stray`, "<http://a/> <http://e/p> \"1\" .\n", 2},
		{`<e:p rdf:resource="http://b/">stray</e:p>`, "<http://a/> <http://e/p> <http://b/> .\n", 1},
		{`<e:p rdf:resource="http://b/"><e:T rdf:about="http://c/"/></e:p>`, "<http://a/> <http://e/p> <http://b/> .\n", 1},
		{`<e:p><e:T rdf:about="http://b/"/>stray<e:T rdf:about="http://c/"/></e:p>`, "<http://a/> <http://e/p> <http://b/> .\n<http://b/> <rdf:type> <http://e/T> .\n", 2},
		{`<e:p>text <b>and <i>markup</i></b> and <b/></e:p>`, "", 1},
		{`<e:p>text <e:T rdf:about="http://b/"/></e:p>`, "", 1},
		{`<e:p><b/>text</e:p>`, "", 1},
		{`<e:p rdf:datatype="http://d/">1<e:T/></e:p>`, "", 1},
		{`<b>unqualified</b>`, "", 1},
		{`<e:p ordinal="1">1</e:p>`, "<http://a/> <http://e/p> \"1\" .\n", 1},
		{`<e:p><e:T rdf:about="http://b/" rdf:bagID="x"/></e:p>`, "<http://a/> <http://e/p> <http://b/> .\n<http://b/> <rdf:type> <http://e/T> .\n", 1},
		{`<e:p><e:T rdf:aboutEach="http://b/"/></e:p>`, "", 1},
		{`<e:p><e:T rdf:about="http://b/" rdf:ID="b"/></e:p>`, "", 1},
		{`<e:p><rdf:li/></e:p>`, "", 1},
		{`<rdf:Description>x</rdf:Description>`, "", 1},
		{`<e:p rdf:about="http://b/">1</e:p>`, "", 1},
		{`<e:p rdf:parseType="Literal" rdf:resource="http://b/"/>`, "", 1},
		{`<e:p xml:lang="fa"><e:T rdf:about="http://b/" xml:lang="of Iran" e:r="x"/></e:p>`, "<http://a/> <http://e/p> <http://b/> .\n<http://b/> <rdf:type> <http://e/T> .\n<http://b/> <http://e/r> \"x\" .\n", 1},
		{`<e:p rdf:ID="1 a" xml:base="http://b/">x</e:p>`, "<http://a/> <http://e/p> \"x\" .\n<http://b/#1%20a> <rdf:type> <rdf:Statement> .\n<http://b/#1%20a> <rdf:subject> <http://a/> .\n<http://b/#1%20a> <rdf:predicate> <http://e/p> .\n<http://b/#1%20a> <rdf:object> \"x\" .\n", 1},
		{`<e:p><e:T rdf:ID="x"/></e:p><e:p><e:T rdf:ID="x"/></e:p>`, strings.Repeat("<http://a/> <http://e/p> <http://example.org/dir/doc#x> .\n<http://example.org/dir/doc#x> <rdf:type> <http://e/T> .\n", 2), 1},
		{`<e:p rdf:nodeID="a b"/><e:p rdf:nodeID="a b"/><e:p rdf:nodeID="a"/>`, "<http://a/> <http://e/p> _:_.612062_ .\n<http://a/> <http://e/p> _:_.612062_ .\n<http://a/> <http://e/p> _:a .\n", 2},
		{`<e:p rdf:resource="` + strings.Repeat("x", maxIRI) + `"/>`, "", 1},
		{"<e:p>caf\xe9\r\n\x01\xffz\uFFFF</e:p><e:p rdf:resource='http://b/\xe9'/><e:\xe9>x</e:\xe9>", "<http://a/> <http://e/p> \"caf\uFFFD\\n\uFFFD\uFFFDz\uFFFD\" .\n", 3},
		{`<e:p rdf:parseType="Collection">stray<e:T rdf:about="http://b/"/><b/></e:p>`, list + "_:_1 <rdf:first> <http://b/> .\n<http://b/> <rdf:type> <http://e/T> .\n_:_1 <rdf:rest> _:_2 .\n_:_2 <rdf:rest> <rdf:nil> .\n", 2},
		{`<e:p><e:T rdf:type="` + strings.Repeat("x", maxIRI) + `" rdf:about="http://b/"/></e:p>`, "<http://a/> <http://e/p> <http://b/> .\n<http://b/> <rdf:type> <http://e/T> .\n", 1},
	} {
		r := NewReader(strings.NewReader(head+pre+tt.document+post+tail), base)
		got, err := asQuads(t, r)
		if want := sorted(tt.want + "<http://a/> <http://e/q> \"after\" .\n"); sorted(got) != want || err != nil {
			t.Errorf("%.100s: %v\n%swant\n%s", tt.document, err, got, want)
		}
		if n := r.Warnings().Count; n != tt.faults || len(r.Warnings().First) != int(n) {
			t.Errorf("%.100s: %d faults, want %d: %v", tt.document, n, tt.faults, r.Warnings().First)
		}
	}
	r := NewReader(strings.NewReader(head+strings.Repeat("stray<!-- -->", 1000)+tail), base)
	if _, err := asQuads(t, r); err != nil || r.Warnings().Count != 1000 || len(r.Warnings().First) != 10 {
		t.Errorf("%v, %d warnings, of which %d are kept", err, r.Warnings().Count, len(r.Warnings().First))
	}
}

// TestRelative: without a base a relative reference is a fault, an absolute one none.
func TestRelative(t *testing.T) {
	for document, want := range map[string]string{
		`<rdf:Description rdf:about="http://a/" e:p="1"/>`:              "",
		`<rdf:Description rdf:about="a" e:p="1"/>`:                      `line 1, column 126: the IRI "a" is relative, and to what is not known`,
		`<rdf:Description xml:base="http://b/" rdf:about="a" e:p="1"/>`: "",
		`<e:T xmlns:f="rel#" f:p="1"/>`:                                 `line 1, column 115: the IRI "rel#p" is relative, and to what is not known`,
	} {
		_, err := rdftest.ReadAll(rdf.Strict(NewReader(strings.NewReader(head+document+tail), "")))
		if got := fmt.Sprint(err); err == nil && want != "" || err != nil && got != want {
			t.Errorf("%s: %v, want %s", document, err, want)
		}
	}
}

// TestBounds: what grows without end is a fault, and not too late.
func TestBounds(t *testing.T) {
	laughs := `<!DOCTYPE x [<!ENTITY a0 "ha">`
	for i := range 30 {
		laughs += fmt.Sprintf(`<!ENTITY a%d "&a%d;&a%d;">`, i+1, i, i)
	}
	var nothings strings.Builder
	nothings.WriteString(`<!DOCTYPE x [<!ENTITY a0 "">`)
	for i := range 60 {
		fmt.Fprintf(&nothings, `<!ENTITY a%d "%s">`, i+1, strings.Repeat(fmt.Sprintf("&a%d;", i), 100))
	}
	node := `<rdf:Description rdf:about="#a">`
	for name, tt := range map[string]struct {
		document io.Reader
		want     string
	}{
		"laughs":         {strings.NewReader(laughs + `]>` + head + node + `<e:p>&a30;`), "the entity a16 stands for more than 65536 bytes"},
		"nothings":       {strings.NewReader(nothings.String() + `]>` + head + node + `<e:p>&a60;</e:p></rdf:Description>` + tail), ""},
		"quadratic":      {io.MultiReader(strings.NewReader(`<!DOCTYPE x [<!ENTITY a "`+strings.Repeat("x", 60000)+`">]>`+head+node), endless(`<e:p>&a;</e:p>`)), "entities stand for more than 16 times the document"},
		"a long text":    {io.MultiReader(strings.NewReader(head+node+`<e:p>`), endless("text ")), "a text is longer than 4194304 bytes"},
		"texts":          {io.MultiReader(strings.NewReader(head+node+`<e:p>`), endless("text <!-- -->")), "a literal is longer than 4194304 bytes"},
		"a long value":   {io.MultiReader(strings.NewReader(head+`<e:T e:p="`), endless("text ")), "a text is longer than 4194304 bytes"},
		"a long name":    {io.MultiReader(strings.NewReader(head+`<e:T`), endless("name")), "a name is longer than 4096 bytes"},
		"a long comment": {io.MultiReader(strings.NewReader(head+`<!-- `), endless("text ")), "a text is longer than 4194304 bytes"},
		"a long literal": {io.MultiReader(strings.NewReader(head+node+`<e:p rdf:parseType="Literal">`), endless("<a/>")), "a literal is longer than 4194304 bytes"},
		"a long DTD":     {io.MultiReader(strings.NewReader(`<!DOCTYPE x [`), endless(`<!ELEMENT a ANY>`)), "the document type declaration is longer than 1048576 bytes"},
		"long values":    {io.MultiReader(strings.NewReader(head+`<e:T`), numbered(` e:a%d="`+strings.Repeat("x", 30000)+`"`)), "a tag is longer than 4194304 bytes"},
		"entities":       {io.MultiReader(strings.NewReader(`<!DOCTYPE x [`), numbered(`<!ENTITY a%d "">`)), "more than 4096 entities are declared"},
		"depth":          {io.MultiReader(strings.NewReader(head), endless(`<e:T><e:p>`)), "elements lie deeper than 1024 inside one another"},
		"literal depth":  {io.MultiReader(strings.NewReader(head+node+`<e:p rdf:parseType="Literal">`), endless(`<a>`)), "elements lie deeper than 1024 inside one another"},
		"a long IRI":     {strings.NewReader(head + `<e:T rdf:about="` + strings.Repeat("x", maxIRI) + `"/>`), "an IRI is longer than 65536 bytes"},
		"a namespace":    {strings.NewReader(head + `<e:T xmlns:f="a:` + strings.Repeat("x", maxNamespace) + `"/>`), "a namespace has more than 4096 bytes"},
		"a base":         {strings.NewReader(head + `<e:T xml:base="a:` + strings.Repeat("x", maxNamespace) + `"/>`), "a base has more than 4096 bytes"},
		"a long label":   {strings.NewReader(head + `<e:T rdf:nodeID="` + strings.Repeat("x", maxName+1) + `"/>`), "is no name"},
		"attributes":     {io.MultiReader(strings.NewReader(head+`<e:T`), numbered(` e:a%d=""`)), "an element has more than 256 attributes"},
		"prefixes":       {io.MultiReader(strings.NewReader(head+`<e:T`), numbered(` xmlns:a%d="a:"`)), "more than 1024 namespace declarations are in force"},
	} {
		_, err := rdftest.ReadAll(rdf.Strict(NewReader(tt.document, base)))
		if tt.want == "" && err == nil {
			continue
		}
		if err == nil || !strings.HasSuffix(err.Error(), tt.want) || tt.want == "" {
			t.Errorf("%s: %v, want %s", name, err, tt.want)
		}
	}
}

// endless repeats s for ever.
func endless(s string) io.Reader { return numbered(strings.Repeat(s, 1000)) }

// numbered repeats a format with 0, 1, 2 and so on, for ever.
func numbered(format string) io.Reader { return &repeated{format: format} }

type repeated struct {
	format string
	n      int
	rest   string
}

func (r *repeated) Read(b []byte) (int, error) {
	if r.rest == "" {
		r.rest = r.format
		if strings.Contains(r.format, "%d") {
			r.rest = fmt.Sprintf(r.format, r.n)
		}
		r.n++
	}
	n := copy(b, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

// TestBrokenStream: the error of the stream beneath comes after the statements before it.
func TestBrokenStream(t *testing.T) {
	broken := errors.New("broken")
	got, err := rdftest.ReadAll(NewReader(io.MultiReader(strings.NewReader(head+`<e:T rdf:about="#a"/>`), iotest.ErrReader(broken)), base))
	if err != broken || len(got) != 1 {
		t.Errorf("%v %v", got, err)
	}
}

// TestMemory: a document of any length is read in bounded memory.
func TestMemory(t *testing.T) {
	r := NewReader(io.MultiReader(strings.NewReader(head), numbered(`<e:T rdf:ID="x%d"><e:p>text</e:p><e:q rdf:resource="#y"/></e:T>`)), base)
	for range 300_000 {
		if _, err := r.Read(); err != nil {
			t.Fatal(err)
		}
	}
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	runtime.KeepAlive(r)
	if m.HeapAlloc > 32<<20 {
		t.Errorf("%d bytes are held", m.HeapAlloc)
	}
}

// FuzzReader wants faults at a place, and blank nodes whose statements can be written, whatever the document.
func FuzzReader(f *testing.F) {
	f.Add([]byte(head + `<rdf:Description rdf:nodeID="a b">stray<e:p rdf:parseType="Collection"><e:T/><b/></e:p><e:p e:q="&#1;"/></rdf:Description>` + tail))
	f.Add([]byte("<!DOCTYPE r [<!ENTITY e '<b/>'>]>" + head + "<e:T rdf:ID='\xe9'><e:p>&e;x</e:p></e:T>" + tail))
	f.Fuzz(func(t *testing.T, document []byte) {
		r := NewReader(strings.NewReader(string(document)), base)
		quads, err := rdftest.ReadAll(r)
		var fault *rdf.Fault
		if err != nil && !errors.As(err, &fault) {
			t.Fatal(err)
		}
		if fault != nil {
			r.Warnings().Warn(fault)
		}
		for _, w := range r.Warnings().First {
			if w.Line < 1 || w.Column < 1 || w.Reason == "" {
				t.Fatalf("a fault at no place: %v", w)
			}
		}
		for _, q := range quads {
			if refused := (*rdf.TermError)(nil); errors.As(q.Check(false), &refused) && refused.Term.Kind == rdf.Blank {
				t.Fatal(refused)
			}
		}
	})
}
