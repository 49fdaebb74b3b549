package rdf

import (
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

const (
	typed  = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
	first  = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#first>"
	rest   = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#rest>"
	empty  = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#nil>"
	sameAs = "<http://www.w3.org/2002/07/owl#sameAs>"
	number = "^^<http://www.w3.org/2001/XMLSchema#"
)

// readAs tries a document, whole and byte by byte.
func readAs(t *testing.T, name string, open func(io.Reader, string) *TurtleReader, in, want, fault string) {
	t.Helper()
	for _, stream := range []io.Reader{strings.NewReader(in), iotest.OneByteReader(strings.NewReader(in))} {
		got, err := drain(open(stream, "http://x/d/"))
		var told string
		if err != nil {
			told = err.Error()
		}
		if got != want || told != fault {
			t.Errorf("%s: got\n%s%s\nwant\n%s%s", name, got, told, want, fault)
		}
	}
}

// TestUTF16 wants the fault to say what is wrong.
func TestUTF16(t *testing.T) {
	for _, r := range []Reader{NewTurtleReader(strings.NewReader("\xFF\xFE<\x00"), ""), NewNTriplesReader(strings.NewReader("\xFE\xFF\x00<"))} {
		if _, err := r.Read(); err == nil || !strings.Contains(err.Error(), "UTF-16") {
			t.Error(err)
		}
	}
}

func TestTurtle(t *testing.T) {
	for _, tt := range []struct{ name, in, want, fault string }{
		{"directives", "@prefix p: <a:> . PREFIX : <#>\npReFiX ex.a: <b:> @base <http://y/z/> . base <w> p:s :p <q>, ex.a:q .", "<a:s> <http://x/d/#p> <http://y/z/q> .\n<a:s> <http://x/d/#p> <b:q> .\n", ""},
		{"prefix declared again", "@prefix p: <a:>. p:s p:s p:s. @prefix p: <b:>. p:s p:s p:s. ", "<a:s> <a:s> <a:s> .\n<b:s> <b:s> <b:s> .\n", ""},
		{"base declared again", "<s> <s> <s> . base <e/> <s> <s> <s> .", "<http://x/d/s> <http://x/d/s> <http://x/d/s> .\n<http://x/d/e/s> <http://x/d/e/s> <http://x/d/e/s> .\n", ""},
		{"semicolons and commas", "<a:s> a <a:o>,<a:p> ; ; <a:q> <a:o> ;;. <a:t> a <a:o>;.", "<a:s> " + typed + " <a:o> .\n<a:s> " + typed + " <a:p> .\n<a:s> <a:q> <a:o> .\n<a:t> " + typed + " <a:o> .\n", ""},
		{"local names", `@prefix p: <a:>. p:1 p:%4a\~\-.\. p: . p:a.b:c p:س· p:_..`, "<a:1> <a:%4a~-..> <a:> .\n<a:a.b:c> <a:س·> <a:_> .\n", "line 1, column 57: a subject cannot begin so"},
		{"names end where they must", "@prefix : <a:>. :s :-5 , :.:s :p true.:s :p 1.:s :p .5,-1.e1.", "<a:s> <a:> \"-5\"" + number + "integer> .\n<a:s> <a:> <a:> .\n<a:s> <a:p> \"true\"" + number + "boolean> .\n<a:s> <a:p> \"1\"" + number + "integer> .\n<a:s> <a:p> \".5\"" + number + "decimal> .\n<a:s> <a:p> \"-1.e1\"" + number + "double> .\n", ""},
		{"literals", `<a:s> <a:p> 'a"' , """b"c\"\u0021""" , '''

d''' @FA , "" , '' , """""" , "x" ^^ <a:d> , false.`, `<a:s> <a:p> "a\"" .
<a:s> <a:p> "b\"c\"!" .
<a:s> <a:p> "\n\nd"@fa .
<a:s> <a:p> "" .
<a:s> <a:p> "" .
<a:s> <a:p> "" .
<a:s> <a:p> "x"^^<a:d> .
<a:s> <a:p> "false"^^<http://www.w3.org/2001/XMLSchema#boolean> .
`, ""},
		{"lists", "[] <a:p> [ ] . [ <a:p> 'x' ; <a:q> [ <a:r> 'y' ], 'z' ] . [<a:p> 'x'] <a:q> [#c\n] .", `_:_1 <a:p> _:_2 .
_:_3 <a:p> "x" .
_:_3 <a:q> _:_4 .
_:_4 <a:r> "y" .
_:_3 <a:q> "z" .
_:_5 <a:p> "x" .
_:_5 <a:q> _:_6 .
`, ""},
		{"collections", "() <a:p> (). <a:s> <a:p> ('x' ('y') [<a:q> 'z'] ), 'v' . ('w') <a:p> 'x'.", empty + " <a:p> " + empty + ` .
<a:s> <a:p> _:_1 .
_:_1 ` + first + ` "x" .
_:_1 ` + rest + ` _:_2 .
_:_2 ` + first + ` _:_3 .
_:_3 ` + first + ` "y" .
_:_3 ` + rest + " " + empty + ` .
_:_2 ` + rest + ` _:_4 .
_:_4 ` + first + ` _:_5 .
_:_5 <a:q> "z" .
_:_4 ` + rest + " " + empty + ` .
<a:s> <a:p> "v" .
_:_6 ` + first + ` "w" .
_:_6 ` + rest + " " + empty + ` .
_:_6 <a:p> "x" .
`, ""},
		{"labels kept apart from those made up", "_:_1 <a:p> [], _:a, _:__1 .", "_:__1 <a:p> _:_1 .\n_:__1 <a:p> _:a .\n_:__1 <a:p> _:___1 .\n", ""},

		{"kept up to the fault", "<a:s> <a:p> 'x', [ <a:q> 'y' ; پ", "<a:s> <a:p> \"x\" .\n<a:s> <a:p> _:_1 .\n_:_1 <a:q> \"y\" .\n", `line 1, column 32: a name without a prefix: "پ"`},
		{"line of a fault after a long literal", "<a:s> <a:p> '''\n\n''' x", "<a:s> <a:p> \"\\n\\n\" .\n", "line 3, column 5: after an object stands a comma, a semicolon or the end of the statement"},
		{"line of a fault in a long literal", "<a:s> <a:p> '''\n\nس\\x'''", "", `line 3, column 2: there is no escape \x`},
		{"unknown prefix", "<a:s> <a:p> p:x .", "", `line 1, column 13: the prefix "p" is not declared`},
		{"graph in Turtle", "{ <a:s> <a:p> <a:o> }", "", "line 1, column 1: a subject cannot begin so"},
		{"named graph in Turtle", "<a:g> { <a:s> <a:p> <a:o> }", "", "line 1, column 7: a predicate cannot begin so"},
		{"literal as subject", "'x' <a:p> <a:o> .", "", "line 1, column 1: a subject cannot begin so"},
		{"blank predicate", "<a:s> _:p <a:o> .", "", "line 1, column 7: a predicate is an IRI"},
		{"list as predicate", "<a:s> [] <a:o> .", "", "line 1, column 7: a predicate cannot begin so"},
		{"rule", "<a:s> => <a:o> .", "", "line 1, column 7: a predicate cannot begin so"},
		{"list alone, empty", "[] .", "", "line 1, column 4: a predicate cannot begin so"},
		{"collection alone", "(1) .", "_:_1 " + first + " \"1\"" + number + "integer> .\n_:_1 " + rest + " " + empty + " .\n", "line 1, column 5: a predicate cannot begin so"},
		{"open list", "<a:s> <a:p> [ <a:q> 1", "<a:s> <a:p> _:_1 .\n_:_1 <a:q> \"1\"" + number + "integer> .\n", "line 1, column 22: the document ends in a statement"},
		{"open collection", "<a:s> <a:p> ( ", "<a:s> <a:p> _:_1 .\n", "line 1, column 15: the document ends before an object"},
		{"closed wrongly", "<a:s> <a:p> [ <a:q> <a:o> ) .", "<a:s> <a:p> _:_1 .\n_:_1 <a:q> <a:o> .\n", "line 1, column 27: after an object stands a comma, a semicolon or the end of the statement"},
		{"no dot", "<a:s> <a:p> <a:o>", "<a:s> <a:p> <a:o> .\n", "line 1, column 18: the document ends in a statement"},
		{"no dot after a directive", "@prefix p: <a:> p:s p:s p:s", "", "line 1, column 17: a directive that begins with @ ends with a dot"},
		{"dot after PREFIX", "PREFIX p: <a:> . ", "", "line 1, column 16: a subject cannot begin so"},
		{"no such directive", "@keywords a.", "", "line 1, column 1: there is no directive @keywords"},
		{"prefix with a name after it", "@prefix p:q <a:> .", "", "line 1, column 11: a prefix stands for an IRI"},
		{"prefix that begins with a digit", "@prefix 1: <a:> .", "", "line 1, column 9: a prefix that is declared ends with a colon"},
		{"percent", "@prefix p: <a:> . p:%g0 a p:x .", "", "line 1, column 21: % wants two hexadecimal digits"},
		{"escape in a name", "@prefix p: <a:> . p:\\a a p:x .", "", "line 1, column 21: there is no such escape in a local name"},
		{"lone sign", "<a:s> <a:p> + .", "", "line 1, column 13: an object cannot begin so"},
		{"not UTF-8", "\xff", "", "line 1, column 1: a subject cannot begin so"},
		{"label as datatype", "<a:s> <a:p> ''^^_:a .", "", "line 1, column 20: a datatype is an IRI"},
	} {
		readAs(t, tt.name, NewTurtleReader, tt.in, tt.want, tt.fault)
	}
	if got, err := drain(NewTurtleReader(strings.NewReader("<s> <p> <o> ."), "")); got != "" || err == nil || err.Error() != "line 1, column 1: a relative IRI, and no base" {
		t.Errorf("no base: %s%v", got, err)
	}
}

func TestTriG(t *testing.T) {
	for _, tt := range []struct{ name, in, want, fault string }{
		{"graphs", "@prefix : <a:> . :s :p :o . { :s :p :o } :g { :s :p :o . :s :p :q ; . } GRAPH :h {} graph [] { [:p :o] } _:g { } [] {(1) :p 1.}",
			"<a:s> <a:p> <a:o> .\n<a:s> <a:p> <a:o> .\n<a:s> <a:p> <a:o> <a:g> .\n<a:s> <a:p> <a:q> <a:g> .\n_:_2 <a:p> <a:o> _:_1 .\n" +
				"_:_4 " + first + " \"1\"" + number + "integer> _:_3 .\n_:_4 " + rest + " " + empty + " _:_3 .\n_:_4 <a:p> \"1\"" + number + "integer> _:_3 .\n", ""},
		{"Turtle after a graph", "<a:g> {<a:s> a <a:o>} <a:s> a <a:o> .", "<a:s> " + typed + " <a:o> <a:g> .\n<a:s> " + typed + " <a:o> .\n", ""},
		{"open graph", "<a:g> { <a:s> <a:p> <a:o> . ", "<a:s> <a:p> <a:o> <a:g> .\n", "line 1, column 29: the document ends in a graph"},
		{"graph in a graph", "{ <a:g> { } }", "", "line 1, column 9: a predicate cannot begin so"},
		{"directive in a graph", "{ @prefix p: <a:> . }", "", "line 1, column 3: a subject cannot begin so"},
		{"directive of SPARQL in a graph", "{ PREFIX p: <a:> }", "", `line 1, column 3: a name without a prefix: "PREFIX"`},
		{"list as a graph", "[ <a:p> 1 ] { }", "_:_1 <a:p> \"1\"" + number + "integer> .\n", "line 1, column 13: a predicate cannot begin so"},
		{"GRAPH without a name", "GRAPH { }", "", "line 1, column 7: a graph cannot begin so"},
		{"GRAPH without a graph", "GRAPH <a:g> <a:p> <a:o> .", "", "line 1, column 13: a graph begins with {"},
		{"dot after a graph", "{ } .", "", "line 1, column 5: a subject cannot begin so"},
		{"brace alone", "}", "", "line 1, column 1: a subject cannot begin so"},
		{"brace in a list", "{ <a:s> <a:p> [ <a:q> <a:o> }", "<a:s> <a:p> _:_1 .\n_:_1 <a:q> <a:o> .\n", "line 1, column 29: after an object stands a comma, a semicolon or the end of the statement"},
	} {
		readAs(t, tt.name, NewTriGReader, tt.in, tt.want, tt.fault)
	}
}

func TestN3(t *testing.T) {
	for _, tt := range []struct{ name, in, want, fault string }{
		{"signs and words", "@prefix p: <a:> . :s = p:s; is p:p of p:o, [ has p:q 'x' ]; has p:p p:o; is a of p:i .",
			"<http://x/d/#s> " + sameAs + " <a:s> .\n<a:o> <a:p> <http://x/d/#s> .\n_:_1 <a:p> <http://x/d/#s> .\n_:_1 <a:q> \"x\" .\n<http://x/d/#s> <a:p> <a:o> .\n<a:i> " + typed + " <http://x/d/#s> .\n", ""},
		{"inverse collections", ":s is <a:p> of ([is <a:q> of :o]) .", "_:_1 <a:p> <http://x/d/#s> .\n_:_1 " + first + " _:_2 .\n<http://x/d/#o> <a:q> _:_2 .\n_:_1 " + rest + " " + empty + " .\n", ""},
		{"formula", "{ :s :p :o } => {} .", "", "line 1, column 1: a formula of Notation3 is not data"},
		{"formula as object", ":s :p {} .", "", "line 1, column 7: a formula of Notation3 is not data"},
		{"rule", ":s => :o .", "", "line 1, column 4: a rule of Notation3 is not data"},
		{"rule backwards", ":s <= :o .", "", "line 1, column 4: a rule of Notation3 is not data"},
		{"variable", "?x a :c .", "", "line 1, column 1: a variable of Notation3 is not data"},
		{"path", ":s :p :a!:b .", "<http://x/d/#s> <http://x/d/#p> <http://x/d/#a> .\n", "line 1, column 9: a path of Notation3 is not data"},
		{"path of a subject", ":a!:b :p :o .", "", "line 1, column 3: a path of Notation3 is not data"},
		{"a collection alone", "(1) . :s :p 2 .", "_:_1 <http://www.w3.org/1999/02/22-rdf-syntax-ns#first> \"1\"^^<http://www.w3.org/2001/XMLSchema#integer> .\n" +
			"_:_1 <http://www.w3.org/1999/02/22-rdf-syntax-ns#rest> <http://www.w3.org/1999/02/22-rdf-syntax-ns#nil> .\n" +
			"<http://x/d/#s> <http://x/d/#p> \"2\"^^<http://www.w3.org/2001/XMLSchema#integer> .\n", ""},
		{"quantifier", "@forAll :x .", "", "line 1, column 1: @forAll of Notation3 is not data"},
		{"literal turned subject", ":s is :p of 'x' .", "", "line 1, column 13: a literal cannot be a subject"},
		{"number turned subject", ":s is :p of 1 .", "", "line 1, column 13: a literal cannot be a subject"},
		{"truth turned subject", ":s is :p of true .", "", "line 1, column 17: a literal cannot be a subject"},
		{"is without of", ":s is :p :o .", "", `line 1, column 10: "is" wants "of" after the predicate`},
	} {
		readAs(t, tt.name, NewN3Reader, tt.in, tt.want, tt.fault)
	}
}

// TestTurtleBounds wants documents that ask for too much refused.
func TestTurtleBounds(t *testing.T) {
	prefixes := func(n int) string {
		var b strings.Builder
		for range n {
			b.WriteString("@prefix p")
			b.WriteString(strings.Repeat("x", b.Len()%97))
			b.WriteString(strings.Repeat("y", b.Len()%89))
			b.WriteString(strings.Repeat("z", b.Len()%83))
			b.WriteString(": <a:> .\n")
		}
		return b.String()
	}
	for _, tt := range []struct{ name, in, fault string }{
		{"deep enough", "<a:s> <a:p> " + strings.Repeat("(", maxDepth) + strings.Repeat(")", maxDepth) + ".", ""},
		{"too deep", "<a:s> <a:p> " + strings.Repeat("(", maxDepth+2), "more than 256 brackets inside one another"},
		{"too deep in lists", "<a:s> <a:p> " + strings.Repeat("[<a:p>", maxDepth+2), "more than 256 brackets inside one another"},
		{"many lists one after the other", "<a:s> <a:p> 1" + strings.Repeat(",[<a:p>(1)]", 10*maxDepth) + ".", ""},
		{"namespace", "@prefix p: <a:" + strings.Repeat("x", maxNamespace) + "> .", "a prefix stands for more than 4096 bytes"},
		{"base", "@base <a:" + strings.Repeat("x", maxNamespace) + "> .", "a base has more than 4096 bytes"},
		{"prefixes", prefixes(50_000), "there are more than 10000 prefixes, or they have more than 1048576 bytes"},
		{"one prefix many times", strings.Repeat("@prefix p: <a:> . @prefix p: <b:> .\n", 50_000), ""},
		{"prefixed name", "@prefix p: <a:> . p:" + strings.Repeat("x", maxIRI) + " ", "a prefixed name is longer than 65536 bytes"},
		{"number", "<a:s> <a:p> " + strings.Repeat("1", maxLiteral+1), "a token is longer than 4194304 bytes"},
		{"word", strings.Repeat("x", maxLiteral+1), "a token is longer than 4194304 bytes"},
	} {
		_, err := drain(NewTurtleReader(strings.NewReader(tt.in), ""))
		if tt.fault == "" && err != nil || tt.fault != "" && (err == nil || !strings.HasSuffix(err.Error(), tt.fault)) {
			t.Errorf("%s: %v, want %s", tt.name, err, tt.fault)
		}
	}
}

// TestTurtleReadPast wants what has one meaning alone read, with a warning for each fault.
func TestTurtleReadPast(t *testing.T) {
	for _, tt := range []struct {
		in, want string
		faults   int64
	}{
		{"@prefix p: <a:>\n@base <b:/>\np:s p:p <o> .", "<a:s> <a:p> <b:/o> .\n", 2},
		{`<a:s> <a:p> <a:# \u0020b\u007Cc> .`, "<a:s> <a:p> <a:#%20%20b%7Cc> .\n", 1},
	} {
		r := NewTurtleReader(strings.NewReader(tt.in), "")
		if got, err := drainAll(r); got != tt.want || err != nil || r.Warnings().Count != tt.faults {
			t.Errorf("%s: %d faults, want %d, %v\n%s", tt.in, r.Warnings().Count, tt.faults, err, got)
		}
	}
}
