package change

import (
	"bytes"
	"encoding/xml"
	"strings"
	"testing"
	"time"

	"kavosh/lib/segment"
)

// What is written as XML can be read again, and says the same.
func TestXML(t *testing.T) {
	old, new := cut(page), cut(strings.Replace(strings.Replace(page, ">sport<", "> \x01 & sports<", 1), "bread and oil", "bread <b>and</b> \"rice\"", 1))
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	var out bytes.Buffer
	if err := WriteBlocks(&out, "https://news.test/?a&b", at, new); err != nil {
		t.Fatal(err)
	}
	var x viXML
	if err := xml.Unmarshal(out.Bytes(), &x); err != nil {
		t.Fatal(err)
	}
	var read func(b *viBlock) *segment.Block
	read = func(b *viBlock) *segment.Block {
		to := &segment.Block{Place: b.Place, Coherence: b.DoC}
		if b.Links != nil {
			for _, l := range b.Links.Links {
				to.Links = append(to.Links, segment.Element(l))
			}
		}
		if b.Images != nil {
			for _, i := range b.Images.Images {
				to.Images = append(to.Images, segment.Element(i))
			}
		}
		if b.Texts != nil {
			to.Texts = b.Texts.Texts
		}
		for i := range b.Blocks {
			to.Blocks = append(to.Blocks, read(&b.Blocks[i]))
		}
		return to
	}
	again := &segment.Page{Made: x.Segmenter, Root: read(&x.Block)}
	again.Identify()
	for _, l := range new.Root.Leaves(nil) { // XML has no such character
		for i := range l.Links {
			l.Links[i].Name = strings.ReplaceAll(l.Links[i].Name, "\x01", "\ufffd")
		}
	}
	new.Identify()
	if x.URL != "https://news.test/?a&b" || !x.Date.Equal(at) || again.Root.ID != new.Root.ID {
		t.Errorf("%s", out.Bytes())
	}

	r, err := Compare("https://news.test/", old, new)
	if err != nil {
		t.Fatal(err)
	}
	out.Reset()
	if err := r.WriteXML(&out); err != nil {
		t.Fatal(err)
	}
	var d viDelta
	if err := xml.Unmarshal(out.Bytes(), &d); err != nil {
		t.Fatal(err)
	}
	if len(d.Operations) != len(r.Operations) || len(d.Operations) != 2 || len(d.Old) != len(r.Old) || len(d.New) != len(r.New) || d.Summed != r.Importance.Summed {
		t.Errorf("%s", out.Bytes())
	}
	for i, o := range r.Operations {
		if g := d.Operations[i]; g.Do != o.Do || g.What != o.What || Value(*g.Old) != *o.Old || Value(*g.New) != *o.New || g.From != numbers(o.From) {
			t.Errorf("%+v, want %+v", g, o)
		}
	}
}
