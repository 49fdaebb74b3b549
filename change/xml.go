package change

// This file writes blocks and differences as XML, in the words of their authors: Vi-XML and Vi-Delta
// (docs/formats/change.md).

import (
	"encoding/xml"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"kavosh/lib/segment"
)

// viXML is a version of a page, cut into blocks.
type viXML struct {
	XMLName   struct{}  `xml:"XML"`
	URL       string    `xml:"url,attr"`
	Date      time.Time `xml:"date,attr"`
	Segmenter string    `xml:"segmenter,attr"`
	Block     viBlock   `xml:"Block"`
}

type viBlock struct {
	Ref    string        `xml:"Ref,attr"` // its way from the page: 1.2 is the second block of the first
	ID     string        `xml:"ID,attr"`  // hash of what it holds
	Pos    string        `xml:"pos,attr"` // left, top, width, height
	DoC    int           `xml:"DoC,attr"`
	Place  segment.Place `xml:"place,attr,omitempty"`
	Links  *viLinks      `xml:"Links"`
	Images *viImages     `xml:"Imgs"`
	Texts  *viTexts      `xml:"Txts"`
	Blocks []viBlock     `xml:"Block"`
}

type viLinks struct {
	Links []viLink `xml:"link"`
}

type viLink struct {
	Name    string `xml:"Name,attr"`
	Address string `xml:"Adr,attr"`
}

type viImages struct {
	Images []viImage `xml:"img"`
}

type viImage struct {
	Name    string `xml:"Name,attr"`
	Address string `xml:"Src,attr"`
}

type viTexts struct {
	Texts []string `xml:"txt"`
}

// WriteBlocks writes a version of a page as Vi-XML.
func WriteBlocks(w io.Writer, url string, at time.Time, p *segment.Page) error {
	return writeXML(w, viXML{URL: url, Date: at, Segmenter: p.Made, Block: blockXML(p.Root, "1")})
}

func blockXML(b *segment.Block, ref string) viBlock {
	x := viBlock{Ref: ref, ID: fmt.Sprintf("%016x", b.ID), Pos: fmt.Sprint(b.Rect.X, b.Rect.Y, b.Rect.W, b.Rect.H), DoC: b.Coherence, Place: b.Place}
	if len(b.Links) > 0 {
		x.Links = &viLinks{}
		for _, l := range b.Links {
			x.Links.Links = append(x.Links.Links, viLink(l))
		}
	}
	if len(b.Images) > 0 {
		x.Images = &viImages{}
		for _, i := range b.Images {
			x.Images.Images = append(x.Images.Images, viImage(i))
		}
	}
	if len(b.Texts) > 0 {
		x.Texts = &viTexts{b.Texts}
	}
	for i, c := range b.Blocks {
		x.Blocks = append(x.Blocks, blockXML(c, ref+"."+strconv.Itoa(i+1)))
	}
	return x
}

// viDelta is the difference between two versions.
type viDelta struct {
	XMLName    struct{}      `xml:"Delta"`
	URL        string        `xml:"url,attr"`
	From       time.Time     `xml:"from,attr"`
	To         time.Time     `xml:"to,attr"`
	Segmenter  string        `xml:"segmenter,attr"`
	Printed    float64       `xml:"printed,attr"`
	Summed     float64       `xml:"summed,attr"`
	Weighed    float64       `xml:"weighed,attr"`
	Old        []viPart      `xml:"Old>Block"`
	New        []viPart      `xml:"New>Block"`
	Operations []viOperation `xml:"Operations>Operation"`
}

type viPart struct {
	Number int           `xml:"number,attr"`
	Pos    string        `xml:"pos,attr"`
	Place  segment.Place `xml:"place,attr,omitempty"`
	Text   string        `xml:",chardata"`
}

type viOperation struct {
	Do   Do     `xml:"do,attr"`
	What Kind   `xml:"what,attr"`
	From string `xml:"from,attr,omitempty"` // numbers of blocks
	To   string `xml:"to,attr,omitempty"`

	Noise Noise    `xml:"noise,attr,omitempty"`
	Old   *viValue `xml:"Old"`
	New   *viValue `xml:"New"`
}

type viValue struct {
	Name    string `xml:"Name,attr,omitempty"`
	Address string `xml:"Adr,attr,omitempty"`
}

// WriteXML writes the difference as a Vi-Delta.
func (r *Report) WriteXML(w io.Writer) error {
	x := viDelta{URL: r.URL, From: r.From, To: r.To, Segmenter: r.Segmenter, Printed: r.Importance.Printed, Summed: r.Importance.Summed, Weighed: r.Importance.Weighed,
		Old: partsXML(r.Old), New: partsXML(r.New)}
	for _, o := range r.Operations {
		x.Operations = append(x.Operations, viOperation{o.Do, o.What, numbers(o.From), numbers(o.To), o.Noise, (*viValue)(o.Old), (*viValue)(o.New)})
	}
	return writeXML(w, x)
}

func partsXML(of map[int]Part) (list []viPart) {
	for _, n := range slices.Sorted(maps.Keys(of)) {
		p := of[n]
		list = append(list, viPart{n, fmt.Sprint(p.Rect[0], p.Rect[1], p.Rect[2], p.Rect[3]), p.Place, p.Text})
	}
	return list
}

func numbers(list []int) string { return strings.Trim(fmt.Sprint(list), "[]") }

func writeXML(w io.Writer, v any) error {
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	enc := xml.NewEncoder(w)
	enc.Indent("", " ")
	if err := enc.Encode(v); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}
