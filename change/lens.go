package change

// This file sees versions of a page through a lens: the part of it that somebody watches. What is seen of a version is cut
// into blocks like a page of its own, so that all that tells what changed on pages tells it of parts, too.

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"

	"kavosh"
	"kavosh/lib/cdx"
	"kavosh/lib/css"
	"kavosh/lib/htmltree"
	"kavosh/lib/segment"
	"kavosh/lib/warc"
	"kavosh/lib/words"
)

// Version is a capture of a page, with what reads it.
type Version struct {
	Entry  cdx.Entry
	Reader *Reader
}

// Seen is what differs between two versions that follow each other, as it is seen through a lens.
type Seen struct {
	Old, New *Version
	Report   *Report
}

// CheckLens says what is wrong with a lens.
func CheckLens(l kavosh.Lens) error {
	_, err := viewOf(l)
	return err
}

// Through yields what changed from each version to the next one, the oldest first, where something is seen through the
// lens. A version that may not be read is passed over. So is one that cannot be read, and the error says why. It is the last
// one if the lens is wrong.
func Through(ctx context.Context, l kavosh.Lens, versions []Version) iter.Seq2[Seen, error] {
	return func(yield func(Seen, error) bool) {
		v, err := viewOf(l)
		if err != nil {
			yield(Seen{}, err)
			return
		}
		var old *Version
		var was *segment.Page
		for i := range versions {
			new := &versions[i]
			is, err := v.see(ctx, new)
			if ctx.Err() != nil {
				yield(Seen{}, ctx.Err())
				return
			}
			if _, refused := errors.AsType[*kavosh.Refused](err); refused || err == nil && is == nil {
				continue
			}
			var report *Report
			if err == nil && was != nil {
				report, err = v.compare(new.Entry.URL, was, is)
			}
			if err != nil {
				if !yield(Seen{}, fmt.Errorf("%s: %w", new.Entry.URL, err)) || errors.Is(err, ErrNoBlock) {
					return
				}
				continue
			}
			if report != nil && len(report.News()) > 0 {
				report.From, report.To = old.Entry.Time(), new.Entry.Time()
				if !yield(Seen{old, new, report}, nil) {
					return
				}
			}
			old, was = new, is
		}
	}
}

// compare returns what differs between what is seen of two versions. In a part that somebody chose nothing is noise: who
// points at a counter or a date wants to know it.
func (v *view) compare(url string, was, is *segment.Page) (*Report, error) {
	d, err := Between(was, is)
	if err != nil {
		return nil, err
	}
	if v.selector != nil || v.words != nil || v.at != "" {
		d.chosen = true
		for i := range d.Operations {
			d.Operations[i].Noise = ""
		}
	}
	if v.words != nil { // that a block came with the words says nothing more
		d.Operations = slices.DeleteFunc(d.Operations, func(o Operation) bool { return o.What == Block })
	}
	return d.report(url, is.Made), nil
}

// See returns what is seen of one version through a lens. Of a block it must be the version in which it was chosen.
func See(ctx context.Context, l kavosh.Lens, version *Version) (*segment.Page, error) {
	v, err := viewOf(l)
	if err != nil {
		return nil, err
	}
	return v.see(ctx, version)
}

// view is a lens that looks at one version after the other.
type view struct {
	selector *css.Selector
	words    []byte // of a text, each with a space after it
	text     string

	// Of a block: the capture in which somebody chose it and its ID there; the last version that had it, and what it was
	// there.
	at   string
	id   uint64
	last *segment.Page
	held []int
}

func viewOf(l kavosh.Lens) (v *view, err error) {
	v = &view{text: l.Text}
	switch {
	case l.Selector != "":
		v.selector, err = css.ParseSelector(l.Selector)
	case l.Text != "":
		if v.words = words.Append([]byte(" "), l.Text); len(v.words) == 1 {
			err = fmt.Errorf("the text %q has no word", l.Text)
		}
	case l.Block != "":
		at, id, ok := strings.Cut(l.Block, "/")
		v.at = at
		if v.id, err = strconv.ParseUint(id, 16, 64); !ok || err != nil || len(at) != len(stampLayout) || len(id) != 16 {
			err = fmt.Errorf("%q names no block: write the time of the capture and the block's name in it, as the page of its blocks shows them, such as 20260102030405/00112233aabbccdd", l.Block)
		}
	}
	return v, err
}

// see returns what is seen of a version; nil if the lens begins with a later one.
func (v *view) see(ctx context.Context, version *Version) (*segment.Page, error) {
	r, e := version.Reader, &version.Entry
	if v.selector == nil {
		if e.Timestamp < v.at {
			return nil, nil
		}
		p, err := r.Page(ctx, e)
		switch {
		case err != nil || v.words == nil && v.at == "":
			return p, err
		case v.words != nil:
			return v.mention(p), nil
		}
		return v.follow(p)
	}
	if err := r.Records.May(ctx, e); err != nil {
		return nil, err
	}
	source, err := r.source(ctx, e)
	if err != nil {
		return nil, err
	}
	tree := source.tree(e.URL)
	root := &htmltree.Node{Name: "body"}
	end := &root.First
	for _, n := range v.selector.Select(tree) {
		part := *n // the tree around it stays as it is
		part.Next = nil
		*end = &part
		end = &part.Next
	}
	tree.Root = root
	return segment.Cut(segment.FlowOf(tree)), nil
}

// mention returns a page that has the text, if p does, and nothing else.
func (v *view) mention(p *segment.Page) *segment.Page {
	text := []byte(" ")
	for _, b := range p.Root.Leaves(nil) {
		for _, t := range b.Texts {
			text = words.Append(text, t)
		}
		for _, l := range b.Links {
			text = words.Append(text, l.Name)
		}
	}
	if !bytes.Contains(text, v.words) {
		return pageOf(p)
	}
	return pageOf(p, &segment.Block{Rect: p.Root.Rect, Coherence: 10, Texts: []string{v.text}})
}

// ErrNoBlock means that a capture has no block of a name.
var ErrNoBlock = errors.New("its page has no such block, or is cut into other blocks since it was chosen: choose it again")

// follow returns a page that has what became of the block. If it is gone, later versions are compared with the last one
// that had it, so that it is found when it comes back.
func (v *view) follow(p *segment.Page) (*segment.Page, error) {
	leaves := Blocks(p)
	var now []int
	if v.last == nil {
		for i, b := range leaves {
			if b.ID == v.id {
				now = []int{i}
				break
			}
		}
		if now == nil {
			return nil, ErrNoBlock
		}
	} else {
		d, err := Between(v.last, p)
		if err != nil {
			return nil, err
		}
		now = d.Became(v.held)
	}
	if len(now) > 0 {
		v.last, v.held = p, now
	}
	var blocks []*segment.Block
	for _, i := range now {
		blocks = append(blocks, leaves[i])
	}
	return pageOf(p, blocks...), nil
}

// pageOf returns a page of some blocks, cut as another one.
func pageOf(like *segment.Page, blocks ...*segment.Block) *segment.Page {
	p := &segment.Page{Made: like.Made, Root: &segment.Block{Rect: like.Root.Rect, Coherence: 10, Blocks: blocks}}
	p.Identify()
	return p
}

// Blocks returns the blocks without blocks of a page, each of which a lens may show; none of a page that holds nothing.
func Blocks(p *segment.Page) []*segment.Block {
	if p.Empty() {
		return nil
	}
	return p.Root.Leaves(nil)
}

// Became returns the new blocks, by their places in Delta.New, that some of the old ones became. It is empty if they are
// gone.
func (d *Delta) Became(old []int) (new []int) {
	of := map[int]bool{}
	for _, i := range old {
		of[i] = true
	}
	for _, g := range d.groups {
		for _, i := range g.old {
			if of[i] {
				new = append(new, g.new...)
				break
			}
		}
	}
	slices.Sort(new)
	return new
}

// VersionsOf returns those captures of the page at a URL that differ in their bytes from the one before, the oldest first.
func VersionsOf(url string, captures []Version) (list []Version) {
	captures = slices.Clone(captures)
	slices.SortStableFunc(captures, func(a, b Version) int { // within one second by their files
		return cmp.Or(cmp.Compare(a.Entry.Timestamp, b.Entry.Timestamp), cmp.Compare(a.Entry.Filename, b.Entry.Filename), cmp.Compare(a.Entry.Offset, b.Entry.Offset))
	})
	for i := range captures {
		e := &captures[i].Entry
		if e.URL != url || !IsPage(e) || e.MIME == cdx.Revisit && e.Digest == "" {
			continue
		}
		if n := len(list); n > 0 && e.Digest != "" && warc.SameDigest(list[n-1].Entry.Digest, e.Digest) {
			continue
		}
		list = append(list, captures[i])
	}
	return list
}
