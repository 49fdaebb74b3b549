package extract

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"kavosh"
	"kavosh/lib/ascii"
)

var update = flag.Bool("update", false, "write what the tests get into testdata as what they want")

// TestGolden reads testdata/*.txtar (with RDF those named so, with all URIs where the head says so): an answer (its address and head in "head", its body in "body", which is decoded from
// \x escapes when "head" says so), the page that it must give ("page") and, where there is such a part, its text ("text").
func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) < 15 {
		t.Fatalf("%d golden files, %v", len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			ar, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			part := map[string]*txtar.File{}
			for i := range ar.Files {
				part[ar.Files[i].Name] = &ar.Files[i]
			}
			head := string(part["head"].Data)
			opts := Options{Needs: kavosh.Needs{Text: part["text"] != nil, RDF: strings.HasPrefix(filepath.Base(file), "rdf-"), URIs: strings.Contains(head, "URIs: "), Embedded: strings.Contains(head, "Embedded: ")}}
			page := Extract(document(t, head, part["body"].Data), opts)
			got := printed(page)
			if *update {
				part["page"].Data = []byte(got)
				if part["text"] != nil {
					part["text"].Data = []byte(page.Text + "\n")
				}
				if err := os.WriteFile(file, txtar.Format(ar), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if want := string(part["page"].Data); got != want {
				t.Errorf("got\n%s\nwant\n%s\n(go test -run Golden -update)", got, want)
			}
			if part["text"] != nil && page.Text+"\n" != string(part["text"].Data) {
				t.Errorf("got the text\n%s\nwant\n%s", page.Text, part["text"].Data)
			}
		})
	}
}

// document makes a Document of the head and body parts. The head's first line is the URL; Via and Status are said as if
// they were header fields.
func document(t *testing.T, head string, body []byte) Document {
	t.Helper()
	lines := strings.Split(strings.TrimSpace(head), "\n")
	doc := Document{URL: lines[0], Status: 200, Payload: body}
	for _, line := range lines[1:] {
		name, value, _ := strings.Cut(line, ": ")
		switch name {
		case "Via":
			doc.Via = value
		case "Status":
			fmt.Sscan(value, &doc.Status)
		case "Escaped":
			doc.Payload, _ = unescapeBytes(body)
		default:
			doc.Header = append(doc.Header, kavosh.Field{Name: name, Value: value})
		}
	}
	return doc
}

// unescapeBytes turns \xHH into bytes, so that old encodings can stand in a text file.
func unescapeBytes(b []byte) ([]byte, int) {
	var out []byte
	for i := 0; i < len(b); i++ {
		if b[i] == '\\' && i+3 < len(b) && b[i+1] == 'x' {
			out = append(out, byte(ascii.Hex(b[i+2])<<4|ascii.Hex(b[i+3])))
			i += 3
			continue
		}
		out = append(out, b[i])
	}
	return out, len(out)
}

// printed is a page as text, one line a link.
func printed(p *kavosh.Page) string {
	var b bytes.Buffer
	fmt.Fprintf(&b, "type %s charset %s lang %s\n", p.Type, p.Charset, p.Lang)
	if p.RDF.Class != kavosh.Unclassed {
		fmt.Fprintf(&b, "class %s %s %d statements\n", p.RDF.Class, p.RDF.Format, p.RDF.Statements)
	}
	for _, f := range []struct{ name, value string }{{"base", p.Base}, {"title", p.Title}, {"canonical", p.Canonical}} {
		if f.value != "" && !(f.name == "base" && f.value == p.URL) {
			fmt.Fprintf(&b, "%s %s\n", f.name, f.value)
		}
	}
	for _, f := range []struct {
		name string
		set  bool
	}{{"nofollow", p.NoFollow}, {"noindex", p.NoIndex}, {"noarchive", p.NoArchive}} {
		if f.set {
			fmt.Fprintln(&b, f.name)
		}
	}
	for _, n := range p.Notes {
		fmt.Fprintln(&b, "note", n)
	}
	for _, l := range p.Links {
		fmt.Fprintf(&b, "%s %s %s %s", l.Kind, l.Element, l.Attr, l.URL)
		for _, f := range []struct{ name, value string }{{"anchor", l.Anchor}, {"around", l.Around}, {"rel", l.Rel}, {"hreflang", l.Hreflang}, {"title", l.Title}, {"type", l.Type}} {
			if f.value != "" {
				fmt.Fprintf(&b, " %s=%q", f.name, f.value)
			}
		}
		if l.NoFollow {
			b.WriteString(" nofollow")
		}
		b.WriteByte('\n')
	}
	return b.String()
}
