package quads

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh"
	"kavosh/internal/journal"
	"kavosh/lib/iri"
	"kavosh/lib/rdf"
)

func openStore(t *testing.T, fs vfs.FS) *Store {
	t.Helper()
	s, err := Open(fs, "rdf")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// put puts a document of N-Quads.
func put(t *testing.T, s *Store, url string, day int, text string) Document {
	t.Helper()
	d := Document{URL: url, Time: time.Date(2026, 1, day, 0, 0, 0, 0, time.UTC), Digest: fmt.Sprint("sha256:", Hash(text))}
	err := s.Put(&d, func(yield func(rdf.Quad) error) (err error) {
		d.Reading, err = Read(Payload{URL: url, Body: strings.NewReader(text)}, yield)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// lines are the statements that match, as N-Quads.
func lines(t *testing.T, s *Store, pattern string) []string {
	t.Helper()
	p, err := ParsePattern(pattern)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	w := rdf.NewNQuadsWriter(&b)
	for q, err := range s.Match(p) {
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Write(q); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
}

const (
	people = "<http://a.ir/#s> <http://xmlns.com/foaf/0.1/name> \"سارا\"@fa .\n<http://a.ir/#s> <http://xmlns.com/foaf/0.1/knows> _:b .\n" +
		"_:b <http://xmlns.com/foaf/0.1/name> \"a \\\"b\\\" \\\\ c\\n\" .\n<http://a.ir/#s> <http://xmlns.com/foaf/0.1/name> \"سارا\"@fa .\n"
	others = "<http://a.ir/#s> <http://xmlns.com/foaf/0.1/age> \"30\"^^<http://www.w3.org/2001/XMLSchema#integer> .\n_:b <http://xmlns.com/foaf/0.1/name> \"B\" .\n"
)

// TestStoreKeepsWhatDocumentsSay sorts, drops what is said twice, gives the document's URL as graph, and keeps blank nodes of
// documents apart.
func TestStoreKeepsWhatDocumentsSay(t *testing.T) {
	fs := vfs.NewMem()
	s := openStore(t, fs)
	put(t, s, "http://a.ir/people", 1, people)
	put(t, s, "http://b.ir/others", 1, others)
	all := lines(t, s, "? ? ?")
	if len(all) != 5 || !slices.IsSorted(all) {
		t.Errorf("not five sorted statements:\n%s", strings.Join(all, "\n"))
	}
	if got := lines(t, s, `? foaf:name "سارا"@fa`); len(got) != 1 || !strings.HasSuffix(got[0], " <http://a.ir/people> .") {
		t.Errorf("%q", got)
	}
	names := lines(t, s, "? foaf:name ?")
	blank := map[string]bool{}
	for _, l := range names {
		if label, _, ok := strings.Cut(l, " "); ok && strings.HasPrefix(label, "_:") {
			blank[label] = true
		}
	}
	if len(names) != 3 || len(blank) != 2 {
		t.Errorf("%d blank nodes, not two: %q", len(blank), names)
	}
	if err := s.Commit(journal.At(3, 77)); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = openStore(t, fs)
	defer s.Close()
	if again := lines(t, s, "? ? ?"); !slices.Equal(again, all) {
		t.Errorf("after opening it again: %q", again)
	}
	if c := s.Cursor(); !c.Equal(journal.At(3, 77)) {
		t.Errorf("cursor %+v", c)
	}
	if err := s.Reset(3); err != nil {
		t.Fatal(err)
	}
	if left := lines(t, s, "? ? ?"); len(left) != 1 || left[0] != "" {
		t.Errorf("after Reset: %q", left)
	}
}

// TestNewestCaptureCounts replaces what a document said by what it says later, whichever is put first.
func TestNewestCaptureCounts(t *testing.T) {
	for _, order := range [][]int{{1, 2}, {2, 1}} {
		s := openStore(t, vfs.NewMem())
		for _, day := range order {
			put(t, s, "http://a.ir/", day, []string{people, others}[day-1])
		}
		if got := lines(t, s, "? ? ? <http://a.ir/>"); len(got) != 2 || !strings.Contains(strings.Join(got, ""), "age") {
			t.Errorf("in the order %v: %q", order, got)
		}
		if d, ok, err := s.Document("http://a.ir/"); err != nil || !ok || d.Time.Day() != 2 || d.Class != kavosh.ClassRDF || d.Statements != 2 {
			t.Errorf("%+v %v %v", d, ok, err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestPatternsFindWhatIsThere compares every kind of pattern with a look at all statements.
func TestPatternsFindWhatIsThere(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	s := openStore(t, vfs.NewMem())
	defer s.Close()
	term := func(n int) rdf.Term {
		switch k := rng.IntN(n); {
		case k == 0:
			return blank("x")
		case k%2 == 0:
			return plain(strings.Repeat("ab ", k))
		default:
			return iriTerm("http://x/" + strings.Repeat("a", k))
		}
	}
	for g := range 4 {
		d := Document{URL: "http://g/" + strings.Repeat("g", g)}
		err := s.Put(&d, func(yield func(rdf.Quad) error) error {
			for range 60 {
				q := rdf.Quad{Subject: iriTerm("http://x/" + strings.Repeat("a", rng.IntN(5))), Predicate: iriTerm("http://p/" + strings.Repeat("a", rng.IntN(3))), Object: term(6)}
				if err := yield(q); err != nil {
					return err
				}
			}
			d.Statements = 60
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	var all []rdf.Quad
	for q, err := range s.Match(Pattern{}) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, q)
	}
	for _, sample := range all[:20] {
		for bound := range 16 {
			var p Pattern
			for i, set := range []func(){func() { p.Subject = sample.Subject }, func() { p.Predicate = sample.Predicate }, func() { p.Object = sample.Object }, func() { p.Graph = sample.Graph }} {
				if bound>>i&1 == 1 {
					set()
				}
			}
			want, got := 0, 0
			for _, q := range all {
				if p.Matches(q) {
					want++
				}
			}
			for q, err := range s.Match(p) {
				if err != nil || !p.Matches(q) {
					t.Fatalf("%v: %v %v", p, q, err)
				}
				got++
			}
			if got != want || want == 0 {
				t.Errorf("%v: %d of %d found", p, got, want)
			}
		}
	}
}

// TestTwin finds the document whose payload an answer without one stands for.
func TestTwin(t *testing.T) {
	s := openStore(t, vfs.NewMem())
	defer s.Close()
	d := put(t, s, "http://a.ir/", 1, people)
	put(t, s, "http://a.ir/empty", 1, "nothing of the kind")
	if twin, ok, err := s.Twin(d.Digest); err != nil || !ok || twin.URL != "http://a.ir/" {
		t.Errorf("%+v %v %v", twin, ok, err)
	}
	put(t, s, "http://a.ir/", 2, others)
	if _, ok, err := s.Twin(d.Digest); err != nil || ok {
		t.Errorf("found %v %v, though it says something else now", ok, err)
	}
}

func TestPatternsThatAreNone(t *testing.T) {
	for text, want := range map[string]string{
		"? foaf:name":            "has 2",
		"? ? ? ? ?":              "too much",
		`"x" ? ?`:                "about a literal",
		`? "x" ?`:                "predicate is an IRI",
		"? nobody:knows ?":       "no prefix",
		`? ? "x`:                 "not closed",
		"? ? <http://x":          "not closed",
		"? name ?":               "is no term",
		`? ? "x"5`:               "no literal",
		`? ? ? "document"`:       "graph is an IRI",
		`<http://x/> ? "1"^^a:b`: "no prefix",
	} {
		if _, err := ParsePattern(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
	p, err := ParsePattern(`<http://x/> a "1"^^xsd:integer .`)
	if err != nil || p.Predicate.Value != rdfType || p.Object != integer(1) {
		t.Errorf("%v %v", p, err)
	}
}

// FuzzTerm reads back every term as it was written.
func FuzzTerm(f *testing.F) {
	f.Add("http://a/", "a \"\\\n\x00", "fa", true)
	f.Fuzz(func(t *testing.T, iriText, text, language string, typed bool) {
		if !iri.Valid(iriText) || strings.ContainsAny(language, " \"@\\") {
			return
		}
		term := rdf.Term{Kind: rdf.Literal, Value: text, Language: language}
		if typed {
			term.Language, term.Datatype = "", iriText
		}
		for _, want := range []rdf.Term{term, iriTerm(iriText)} {
			got, rest, ok := cutTerm(string(appendTerm(nil, want)) + "rest")
			if got != want || rest != "rest" || !ok {
				t.Errorf("%q: %q %q %v", want, got, rest, ok)
			}
		}
	})
}

func FuzzPattern(f *testing.F) {
	f.Add(`? foaf:name "x"@fa <http://a/>`)
	f.Fuzz(func(t *testing.T, text string) {
		if p, err := ParsePattern(text); err == nil {
			p.plan()
		}
	})
}
