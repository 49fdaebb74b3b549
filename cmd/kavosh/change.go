package main

// This file is the command kavosh change: it says what changed between two captures of a page, and how much it matters.

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh/archive"
	"kavosh/change"
	"kavosh/internal/records"
	"kavosh/lib/cdx"
	"kavosh/lib/charset"
	"kavosh/lib/dates"
	"kavosh/lib/htmltree"
	"kavosh/lib/httpwire"
	"kavosh/lib/segment"
	"kavosh/lib/warc"
	"kavosh/lib/words"
	"kavosh/replay"
	"kavosh/seeds"
)

type changeCmd struct {
	target
	Args []string `arg:"" optional:"" name:"archive-and-url" help:"The archive's folder, then the URL of a page."`
	From string   `placeholder:"DATE" help:"The older version: what the page showed at the end of that day, month or year, UTC: 2024-03-05, 2024-03, 2024, or of the Jalali calendar: 1402/12/15. Default: the newest that differs from the other."`
	To   string   `placeholder:"DATE" help:"The newer version, alike. Default: the newest capture."`
	JSON bool     `name:"json" help:"Print the changes as one JSON object."`
}

// Help returns the text above the flags in the help.
func (changeCmd) Help() string {
	return `Examples:

    kavosh change news.kavosh https://example.org/
    kavosh change news.kavosh https://example.org/ --from 2024-03 --to 2024-04
    kavosh change news.kavosh https://example.org/ --from 1402/12 --json

Says what changed on a page between two captures, as a reader sees it: parts of the page that came, went, moved, were split or merged, and the links, images and texts in them. That parts next to each other changed places is no change. The importance, from 0 to 1, says how much of the page changed, what is in the middle of it more than menus, and these more than its foot.

The page is cut into parts by its HTML alone: what only its scripts or styles make is not seen. Exit status 1: there are no two captures to compare.`
}

// edition is a capture of a page, cut into blocks.
type edition struct {
	at   time.Time
	page *segment.Page
}

// Run prints what changed.
func (c *changeCmd) Run(p *program) error {
	dir, rest, err := c.archive(c.Args)
	if err != nil {
		return err
	}
	if len(rest) != 1 {
		return usage("which page? write kavosh change ARCHIVE URL")
	}
	url, err := seeds.Key(rest[0])
	if err != nil {
		return usageError{err.Error()}
	}
	var bounds [2]string
	for i, text := range [...]string{c.From, c.To} {
		if text == "" {
			continue
		}
		span, err := dates.Parse(text, time.UTC)
		if err != nil {
			return usage("%s: %v", [...]string{"--from", "--to"}[i], err)
		}
		bounds[i] = span.Last.UTC().Format(replay.TimestampLayout)
	}
	ctx, stop := p.interruptible(nil)
	defer stop()
	r := archive.RecordsOf(vfs.Default, dir)
	old, new, err := pair(ctx, r, dir, url, bounds[0], bounds[1])
	if err != nil {
		return err
	}
	versions := [2]edition{}
	for i, e := range [...]*cdx.Entry{old, new} {
		if versions[i], err = cutCapture(ctx, r, e); err != nil {
			return err
		}
	}
	if versions[1].at.Before(versions[0].at) { // within one second, as the index counts
		versions[0], versions[1] = versions[1], versions[0]
	}
	d, err := change.Between(versions[0].page, versions[1].page)
	if err != nil {
		return err
	}
	if c.JSON {
		return printChangeJSON(p.out, url, &versions, d)
	}
	_, err = io.WriteString(p.out, changeText(url, &versions, d))
	return err
}

// pair returns the captures to compare: the newest up to each bound, or by default the newest, and the newest before it
// that has another digest.
func pair(ctx context.Context, r *records.Records, dir, url, from, to string) (old, new *cdx.Entry, err error) {
	var all []cdx.Entry
	for e, err := range r.Index.Query(ctx, cdx.Query{URL: url, MatchType: cdx.Exact}) {
		if err != nil {
			return nil, nil, err
		}
		if page := strings.Contains(e.MIME, "html") && e.Status/100 == 2; e.URL == url && (page || e.MIME == cdx.Revisit) {
			all = append(all, e)
		}
	}
	upTo := func(bound string) int { // the last one that is not after it; the first if all are
		after := slices.IndexFunc(all, func(e cdx.Entry) bool { return e.Timestamp > bound })
		if after < 0 {
			after = len(all)
		}
		return max(0, after-1)
	}
	switch len(all) {
	case 0:
		return nil, nil, fmt.Errorf("%s has no page of %s: kavosh why %s %s says what came of it", dir, url, dir, url)
	case 1:
		return nil, nil, fmt.Errorf("%s has one capture of %s, of %s: crawl it again to have two to compare", dir, url, stampText(all[0].Timestamp))
	}
	j := len(all) - 1
	if to != "" {
		j = upTo(to)
	}
	i := max(0, j-1)
	if from != "" {
		i = upTo(from)
	} else {
		for i > 0 && warc.SameDigest(all[i].Digest, all[j].Digest) {
			i--
		}
	}
	if i == j {
		return nil, nil, fmt.Errorf("--from and --to both mean the capture of %s: %s has captures of this page from %s to %s", stampText(all[i].Timestamp), dir,
			stampText(all[0].Timestamp), stampText(all[len(all)-1].Timestamp))
	}
	return &all[min(i, j)], &all[max(i, j)], nil
}

func stampText(stamp string) string {
	t, err := time.Parse(replay.TimestampLayout, stamp)
	if err != nil {
		return stamp
	}
	return t.Format(time.DateTime)
}

// Bounds of a page that is compared.
const (
	maxCompared      = 16 << 20 // bytes
	maxComparedRatio = 1000     // of its content coding
)

// cutCapture reads a capture and cuts it into blocks.
func cutCapture(ctx context.Context, r *records.Records, e *cdx.Entry) (v edition, err error) {
	p, err := r.Open(ctx, e)
	if errors.Is(err, records.ErrNoOriginal) {
		return v, fmt.Errorf("the capture of %s is a revisit, and the archive does not have what it repeats", stampText(e.Timestamp))
	}
	if err != nil {
		return v, err
	}
	defer p.Close()
	var decoder httpwire.Decoder
	body, err := decoder.All(p.Body, p.Codings(), maxCompared, maxComparedRatio)
	if err != nil {
		return v, fmt.Errorf("the capture of %s: %w", stampText(e.Timestamp), err)
	}
	kind := p.Header.Get("Content-Type")
	text, _, _ := charset.Decode(body, kind)
	if v.at, err = time.Parse(time.RFC3339Nano, p.Record.Get("WARC-Date")); err != nil {
		v.at, _ = time.Parse(replay.TimestampLayout, e.Timestamp) // of an ARC file
	}
	v.page = segment.Cut(segment.FlowOf(htmltree.Parse(string(text), strings.Contains(kind, "xhtml"), e.URL)))
	return v, nil
}

// printChangeJSON prints the changes as one JSON object.
func printChangeJSON(w io.Writer, url string, versions *[2]edition, d *change.Delta) error {
	type block struct {
		Place segment.Place `json:"place,omitempty"`
		Rect  [4]int32      `json:"rect"` // left, top, width, height in pixels
		Text  string        `json:"text,omitempty"`
	}
	var blocks [2]map[int]block
	for v, list := range [...][]*segment.Block{d.Old, d.New} {
		blocks[v] = map[int]block{}
		for _, o := range d.Operations {
			for _, i := range [...][]int{o.From, o.To}[v] {
				b := list[i]
				blocks[v][i] = block{b.Place, [...]int32{b.Rect.X, b.Rect.Y, b.Rect.W, b.Rect.H}, words.Clip(gist(b), 200)}
			}
		}
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(struct {
		URL        string             `json:"url"`
		From       time.Time          `json:"from"`
		To         time.Time          `json:"to"`
		Segmenter  string             `json:"segmenter"`
		Importance change.Importance  `json:"importance"`
		Operations []change.Operation `json:"operations"`
		Old        map[int]block      `json:"old_blocks"`
		New        map[int]block      `json:"new_blocks"`
	}{url, versions[0].at, versions[1].at, versions[0].page.Made, d.Importance(change.ByPlace()), d.Operations, blocks[0], blocks[1]})
}

// gist returns words by which a person finds a block.
func gist(b *segment.Block) string {
	for _, t := range b.Texts {
		return t
	}
	for _, l := range b.Links {
		if l.Name != "" {
			return l.Name
		}
	}
	for _, i := range b.Images {
		return cmp.Or(i.Name, i.Address)
	}
	return ""
}

// places has in words where a block is.
var places = map[segment.Place]string{
	segment.Head: "head of the page", segment.Menu: "menu", segment.Main: "main part", segment.Side: "beside the main part", segment.Foot: "foot of the page",
	segment.Advert: "advertisement", segment.Remarks: "comments",
}

// signs begin lines about what was done.
var signs = map[change.Do]string{change.Insert: "+", change.Delete: "-", change.Update: "~", change.Move: ">", change.Split: "/", change.Merge: "&"}

// changeText returns the changes in words.
func changeText(url string, versions *[2]edition, d *change.Delta) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n  %s → %s", url, versions[0].at.Format(time.DateTime), versions[1].at.Format(time.DateTime))
	if len(d.Operations) == 0 {
		b.WriteString("   nothing changed that a reader sees\n")
		return b.String()
	}
	fmt.Fprintf(&b, "   importance %.2g of 1\n", d.Importance(change.ByPlace()).Summed)
	in := ""
	for _, o := range ordered(d) {
		if heading := heading(place(d, &o)); heading != in {
			in = heading
			fmt.Fprintf(&b, "\n%s\n", heading)
		}
		fmt.Fprintf(&b, "  %s %-5s ", signs[o.Do], o.What)
		switch {
		case o.What == change.Block:
			switch o.Do {
			case change.Insert:
				b.WriteString("new")
			case change.Delete:
				b.WriteString("gone")
			case change.Move:
				b.WriteString("moved here")
			case change.Split:
				fmt.Fprintf(&b, "was split in %d", len(o.To))
			case change.Merge:
				fmt.Fprintf(&b, "was made of %d", len(o.From))
			}
		case o.Do == change.Update:
			fmt.Fprintf(&b, "%s\n          → %s", shown(o.Old, nil), shown(o.New, o.Old))
		case o.Do == change.Move:
			fmt.Fprintf(&b, "%s, from: %s", shown(o.New, nil), heading(d.Old[o.From[0]]))
		default:
			fmt.Fprint(&b, shown(cmp.Or(o.New, o.Old), nil))
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// ordered returns the operations block by block, in the order of the page.
func ordered(d *change.Delta) []change.Operation {
	list := slices.Clone(d.Operations)
	slices.SortStableFunc(list, func(a, b change.Operation) int { return cmp.Compare(place(d, &a).Rect.Y, place(d, &b).Rect.Y) })
	return list
}

// place returns the block that an operation is told of: the new one, or the old one of what is gone.
func place(d *change.Delta, o *change.Operation) *segment.Block {
	if len(o.To) > 0 {
		return d.New[o.To[0]]
	}
	return d.Old[o.From[0]]
}

// heading names a block for people.
func heading(b *segment.Block) string {
	words := words.Clip(gist(b), 70)
	if words != gist(b) {
		words += "…"
	}
	if place := places[b.Place]; place != "" {
		return place + ": " + words
	}
	return words
}

// shown returns a value in words; of what it shares with another one, only the name.
func shown(v, other *change.Value) string {
	name := words.Clip(v.Name, 300)
	if name != v.Name {
		name += "…"
	}
	if v.Address == "" {
		return name
	}
	if other != nil && other.Address == v.Address {
		return name
	}
	return strings.TrimSpace(name + " <" + v.Address + ">")
}
