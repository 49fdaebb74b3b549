package rdf

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// drain gives what a reader yields up to its first fault, written as N-Quads, and its Fault or other error.
func drain(r Reader) (string, error) { return drainAll(Strict(r)) }

// drainAll gives what a reader yields, written as N-Quads, and its Fault or other error.
func drainAll(r Reader) (string, error) {
	var b strings.Builder
	w := NewNQuadsWriter(&b)
	for {
		q, err := r.Read()
		if err != nil {
			if _, again := r.Read(); again != err {
				return "", errors.New("another error when read again")
			}
			if closed := w.Close(); closed != nil {
				return "", closed
			}
			if err == io.EOF {
				err = nil
			}
			return b.String(), err
		}
		if err := w.Write(q); err != nil {
			return "", err
		}
	}
}

func TestLines(t *testing.T) {
	for _, tt := range []struct{ name, in, want, fault string }{
		{"plain", "<a:s> <a:p> <a:o> .\n", "<a:s> <a:p> <a:o> .\n", ""},
		{"no blanks", `<a:s><a:p>"o"@EN-us.` + "\n" + `_:s<a:p>_:o.#x` + "\n" + `<a:s><a:p>"1"^^<a:d><a:g>.`, "<a:s> <a:p> \"o\"@en-us .\n_:s <a:p> _:o .\n<a:s> <a:p> \"1\"^^<a:d> <a:g> .\n", ""},
		{"mark, comments, CRLF", "\uFEFF# x\r\n\r\n <a:s>\t<a:p> _:a.b. # y\r\n#z", "<a:s> <a:p> _:a.b .\n", ""},
		{"old line ends", "<a:s> <a:p> <a:o> .\r#x\r<a:s> <a:p> _:x-y .\r", "<a:s> <a:p> <a:o> .\n<a:s> <a:p> _:x-y .\n", ""},
		{"escapes", `<a:\u0633> <a:p> "\t\b\n\r\f\"\'\\\u00e9\U0001F600` + "\x00\x7f" + `" .`, `<a:س> <a:p> "\t\b\n\r\f\"'\\é😀\u0000\u007F" .` + "\n", ""},
		{"string is the datatype", `<a:s> <a:p> "x"^^<http://www.w3.org/2001/XMLSchema#string> .`, "<a:s> <a:p> \"x\" .\n", ""},
		{"nothing", "", "", ""},

		{"kept up to the fault", "<a:s> <a:p> <a:o> .\n<a:s> <a:p> پ .\n", "<a:s> <a:p> <a:o> .\n", "line 2, column 13: an object cannot begin so"},
		{"columns are characters", "<a:س> <a:p> \"سلام\"@1 .", "", "line 1, column 19: @ without a language"},
		{"two on a line", "<a:s> <a:p> <a:o> . <a:s> <a:p> <a:o> .", "<a:s> <a:p> <a:o> .\n", "line 1, column 21: more than a statement on a line"},
		{"relative", "<s> <a:p> <a:o> .", "", "line 1, column 1: a relative IRI, and no base"},
		{"blank in IRI", "<a:s x> <a:p> <a:o> .", "", "line 1, column 5: an IRI cannot have ' ' in it"},
		{"escaped blank in IRI", `<a:s\u0020x> <a:p> <a:o> .`, "", "line 1, column 5: an IRI cannot have ' ' in it"},
		{"named escape in IRI", `<a:s\n> <a:p> <a:o> .`, "", "line 1, column 5: an IRI cannot have '\\n' in it"},
		{"open IRI", "<a:s", "", "line 1, column 5: an IRI is not closed"},
		{"surrogate", `<a:s> <a:p> "\uD800" .`, "", "line 1, column 14: U+D800 is no character"},
		{"beyond", `<a:s> <a:p> "\U00110000" .`, "", "line 1, column 14: U+110000 is no character"},
		{"far beyond", `<a:s> <a:p> "\UFFFFFFFF" .`, "", "line 1, column 14: U+FFFFFFFF is no character"},
		{"short escape", `<a:s> <a:p> "\u12" .`, "", "line 1, column 14: an escape wants 4 hexadecimal digits"},
		{"no such escape", `<a:s> <a:p> "\x12" .`, "", `line 1, column 14: there is no escape \x`},
		{"end in escape", `<a:s> <a:p> "\u12`, "", "line 1, column 14: the document ends in an escape"},
		{"not UTF-8", "<a:s> <a:p> \"é\xffa\" .", "", "line 1, column 13: a literal is not UTF-8"},
		{"not UTF-8 in IRI", "<a:s> <a:\xc3> <a:o> .", "", "line 1, column 10: not UTF-8"},
		{"not UTF-8 in label", "_:a\xff <a:p> <a:o> .", "", "line 1, column 4: a predicate is an IRI"},
		{"line end in literal", "<a:s> <a:p> \"a\nb\" .", "", "line 1, column 15: a literal has a line end in it"},
		{"open literal", `<a:s> <a:p> "a`, "", "line 1, column 13: a literal is not closed"},
		{"single quotes", `<a:s> <a:p> 'a' .`, "", "line 1, column 13: an object cannot begin so"},
		{"three quotes", `<a:s> <a:p> """a""" .`, "", "line 1, column 15: a graph cannot begin so"},
		{"literal as subject", `"a" <a:p> <a:o> .`, "", "line 1, column 1: a subject cannot begin so"},
		{"label as predicate", `_:a _:b <a:o> .`, "", "line 1, column 5: a predicate is an IRI"},
		{"label begins with hyphen", `_:-a <a:p> <a:o> .`, "", "line 1, column 3: a blank node's label cannot begin so"},
		{"colon in a label", `_:a:b <a:p> <a:o> .`, "", "line 1, column 4: a predicate is an IRI"},
		{"no label", `_: <a:p> <a:o> .`, "", "line 1, column 3: a blank node's label cannot begin so"},
		{"language", `<a:s> <a:p> "a"@en- .`, "", "line 1, column 19: a graph cannot begin so"},
		{"no dot", "<a:s> <a:p> <a:o>\n", "", "line 1, column 18: a graph cannot begin so"},
		{"five", "<a:s> <a:p> <a:o> <a:g> <a:x> .", "", "line 1, column 25: a statement ends with a dot"},
	} {
		for name, in := range map[string]io.Reader{"": strings.NewReader(tt.in), " byte by byte": iotest.OneByteReader(strings.NewReader(tt.in))} {
			got, err := drain(NewNQuadsReader(in))
			var fault string
			if err != nil {
				fault = err.Error()
			}
			if got != tt.want || fault != tt.fault {
				t.Errorf("%s%s: got\n%s%s\nwant\n%s%s", tt.name, name, got, fault, tt.want, tt.fault)
			}
		}
	}
	if _, err := drain(NewNTriplesReader(strings.NewReader("<a:s> <a:p> <a:o> <a:g> .\n"))); err == nil || err.Error() != "line 1, column 19: a statement ends with a dot" {
		t.Errorf("a graph in N-Triples: %v", err)
	}
}

// TestReadPast wants a line with a fault left out, the others read, and characters that have one meaning alone replaced.
func TestReadPast(t *testing.T) {
	const before, after = "<a:s> <a:p> \"before\" .\n", "<a:s> <a:p> \"after\" .\n"
	for _, tt := range []struct {
		in, want string
		faults   int64
	}{
		{"garbage\n", "", 1},
		{"<a:s> <a:p> .\n<a:s> <a:p> \"a\nb\" .\n", "", 3},
		{"<a:s> <a:p> <rel> . # x\r\n", "", 1},
		{"<a:s> <a:p> \"x\"@en_US .\n", "", 1},
		{"<a:s> <a:p> \"x\" . <a:s> <a:p> \"y\" .\n", "<a:s> <a:p> \"x\" .\n<a:s> <a:p> \"y\" .\n", 1},
		{"<a:s> <a:p> \"x\" . garbage\n", "<a:s> <a:p> \"x\" .\n", 1},
		{"<a:s> <a:p> <a:{b} c|d> .\n<a:s> <a:p> <a:{b} c|d> .\n", strings.Repeat("<a:s> <a:p> <a:%7Bb%7D%20c%7Cd> .\n", 2), 2},
		{"<a:s> <a:p> \"b\xfb\\\"\" .\n", "<a:s> <a:p> \"b\uFFFD\\\"\" .\n", 1},
		{"<a:s> <a:p> <a:\xfb> .\n", "", 1},
		{"<a:s> <a:p> \"" + strings.Repeat("x", 2*maxLiteral) + "\" .\n", "", 1},
	} {
		r := NewNTriplesReader(strings.NewReader(before + tt.in + after))
		got, err := drainAll(r)
		if got != before+tt.want+after || err != nil || r.Warnings().Count != tt.faults {
			t.Errorf("%.60q: %d faults, want %d, %v\n%.300s", tt.in, r.Warnings().Count, tt.faults, err, got)
		}
	}
	if got, err := drainAll(NewNTriplesReader(strings.NewReader("\xff\xfe<\x00\n" + after))); got != "" || err == nil {
		t.Errorf("UTF-16: %q, %v", got, err)
	}
}

// TestStreamFails wants the stream's own error where the stream is why a document ends, and the fault where there is one before.
func TestStreamFails(t *testing.T) {
	gone := errors.New("gone")
	for in, want := range map[string]string{
		"":                       "gone",
		"<a:s> <a:p> <a:":        "gone",
		"<a:s> <a:p> <a:o> .":    "gone",
		"<a:s> <a:p> \"x":        "gone",
		"<a:s> a":                "line 1, column 7: a predicate is an IRI",
		"<a:s> <a:p> <a:b c> .x": "line 1, column 17: an IRI cannot have ' ' in it",
	} {
		r := NewNTriplesReader(io.MultiReader(strings.NewReader(in), iotest.ErrReader(gone)))
		if _, err := drain(r); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", in, err, want)
		}
	}
}

// TestBounds wants what is too long refused, and what is just long enough read.
func TestBounds(t *testing.T) {
	long := strings.Repeat("x", maxIRI-3)
	for in, want := range map[string]string{
		"<a:" + long + "> <a:p> <a:o> .":                                                           "",
		"<a:" + long + "x> <a:p> <a:o> .":                                                          "line 1, column 1: an IRI is longer than 65536 bytes",
		"_:" + long + "xx <a:p> <a:o> .":                                                           "line 1, column 1: a label is longer than 65536 bytes",
		"<a:s> <a:p> \"x\"@" + long + "xxx .":                                                      "line 1, column 16: a language tag is longer than 65536 bytes",
		`<a:s> <a:p> "` + strings.Repeat("é", maxLiteral/2-1) + `" .`:                              "",
		`<a:s> <a:p> "` + strings.Repeat("é", maxLiteral/2) + `" .`:                                "line 1, column 13: a token is longer than 4194304 bytes",
		"#" + strings.Repeat("x", 2*maxLiteral) + "\n#" + strings.Repeat("\n", 2*maxLiteral) + "x": "line 8388610, column 1: a subject cannot begin so",
	} {
		_, err := drain(NewNTriplesReader(strings.NewReader(in)))
		if got := ""; err != nil || want != "" {
			if err != nil {
				got = err.Error()
			}
			if got != want {
				t.Errorf("%.30s…: %s, want %s", in, got, want)
			}
		}
	}
}

// TestTermsThatCannotBeWritten wants the statement refused, and the next one written.
func TestTermsThatCannotBeWritten(t *testing.T) {
	s, bad := Term{Kind: IRI, Value: "a:s"}, func(k Kind, v string) Term { return Term{Kind: k, Value: v} }
	for want, q := range map[string]Quad{
		`rdf: "x" cannot be a subject`:                     {bad(Literal, "x"), s, s, Term{}},
		`rdf: "x" cannot be a predicate`:                   {s, bad(Blank, "x"), s, Term{}},
		`rdf: "" cannot be an object`:                      {s, s, Term{}, Term{}},
		`rdf: "x" cannot be a graph`:                       {s, s, s, bad(Literal, "x")},
		`rdf: "a:b c" is no absolute IRI`:                  {s, s, bad(IRI, "a:b c"), Term{}},
		`rdf: "a b" has no label that can be written`:      {bad(Blank, "a b"), s, s, Term{}},
		`rdf: "a." has no label that can be written`:       {bad(Blank, "a."), s, s, Term{}},
		`rdf: "" has no label that can be written`:         {bad(Blank, ""), s, s, Term{}},
		`rdf: "\xff" is not UTF-8`:                         {s, s, bad(Literal, "\xff"), Term{}},
		`rdf: "l" has no language tag that can be written`: {s, s, Term{Literal, "l", "", "e n"}, Term{}},
		`rdf: "d" has no absolute IRI as datatype`:         {s, s, Term{Literal, "d", "d", ""}, Term{}},
	} {
		var b strings.Builder
		w := NewNQuadsWriter(&b)
		var refused *TermError
		if err := w.Write(q); !errors.As(err, &refused) || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
		if err := errors.Join(w.Write(Quad{s, s, s, s}), w.Close()); err != nil || b.String() != "<a:s> <a:s> <a:s> <a:s> .\n" {
			t.Errorf("then %q, %v", b.String(), err)
		}
	}
}
