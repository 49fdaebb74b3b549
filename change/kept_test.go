package change

import (
	"context"
	"errors"
	"io"
	"iter"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh"
	"kavosh/internal/disk"
	"kavosh/internal/records"
	"kavosh/lib/cdx"
	"kavosh/lib/segment"
)

// gate closes captures of one digest.
type gate struct{ digest string }

func (g gate) Refused(_ context.Context, e *cdx.Entry) (*kavosh.Refused, error) {
	if e.Digest == g.digest {
		return &kavosh.Refused{Access: kavosh.Takedown}, nil
	}
	return nil, nil
}
func (gate) Revisiting(ctx context.Context, _ *cdx.Entry) context.Context { return ctx }
func (gate) Withheld(context.Context, string) (*kavosh.Refused, error)    { return nil, nil }
func (gate) Edition() string                                              { return "" }

// nowhere is an archive without an index.
type nowhere struct{}

func (nowhere) Query(context.Context, cdx.Query) iter.Seq2[cdx.Entry, error] {
	return func(func(cdx.Entry, error) bool) {}
}
func (nowhere) Open(string) (io.ReaderAt, int64, func(), error) { return nil, 0, nil, io.EOF }

// A version is laid out once and a pair compared once, across runs; what is closed since is not told from what is kept,
// and what is damaged is made again.
func TestKept(t *testing.T) {
	fs, asked := vfs.NewMem(), 0
	pages := map[string]string{"sha1:A": page, "sha1:B": strings.Replace(page, ">sport<", ">sports<", 1)}
	r := &Reader{Records: &records.Records{Index: nowhere{}, Files: nowhere{}}, Layout: func(_ context.Context, e *cdx.Entry) (*segment.Layout, error) {
		asked++
		l := segment.FlowOf(parsed(pages[e.Digest]))
		l.Made = Rendered
		return l, nil
	}}
	old, new := &cdx.Entry{URL: "https://news.test/", Timestamp: "20260101000000", Digest: "sha1:A"}, &cdx.Entry{URL: "https://news.test/", Timestamp: "20260102000000", Digest: "sha1:B"}
	compare := func() (report *Report, err error) {
		if r.Kept, err = OpenKept(fs, "derived"); err != nil {
			t.Fatal(err)
		}
		if _, err := OpenKept(fs, "derived"); !errors.Is(err, disk.ErrInUse) {
			t.Errorf("opened twice: %v", err)
		}
		report, err = r.Compare(t.Context(), old, new)
		if err := r.Kept.Close(); err != nil {
			t.Fatal(err)
		}
		return report, err
	}
	for range 2 {
		report, err := compare()
		if err != nil || len(report.Operations) != 1 || report.Operations[0].New.Name != "sports" || report.To.Day() != 2 || report.Segmenter != Rendered {
			t.Fatalf("%+v, %v", report, err)
		}
	}
	if asked != 2 {
		t.Errorf("%d versions were laid out, there are 2", asked)
	}
	r.Records.Gate = gate{"sha1:A"}
	var refused *kavosh.Refused
	if _, err := compare(); !errors.As(err, &refused) {
		t.Errorf("closed: %v", err)
	}
	r.Records.Gate = nil
	names, err := fs.List("derived/change@1")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if strings.HasPrefix(name, "MANIFEST") {
			if err := disk.WriteFile(fs, "derived/change@1/"+name, []byte("damaged")); err != nil {
				t.Fatal(err)
			}
		}
	}
	if report, err := compare(); err != nil || len(report.Operations) != 1 {
		t.Errorf("damaged: %+v, %v", report, err)
	}
}

// What a browser says of a page makes blocks; what is hidden or drawn as a whole is not read.
func TestLayoutOf(t *testing.T) {
	p := segment.Cut(LayoutOf(&kavosh.Layout{Width: 1000, Height: 500, Boxes: []kavosh.Box{
		{Parent: -1, Tag: "body", Width: 1000, Height: 500, Display: "block"},
		{Parent: 0, Tag: "div", Names: "x sidebar", Width: 200, Height: 500, Display: "block", Background: "rgb(200, 200, 200)"},
		{Parent: 1, Tag: "a", Address: "http://a.test/", Width: 50, Height: 20, Display: "inline"},
		{Parent: 2, Tag: "#text", Text: " to\n A ", Width: 50, Height: 20},
		{Parent: 0, Tag: "p", X: 200, Width: 800, Height: 500, Display: "block"},
		{Parent: 4, Tag: "#text", Text: "News of the day.", X: 200, Width: 300, Height: 20, FontSize: "16px", FontWeight: "700"},
		{Parent: 4, Tag: "svg", X: 200, Y: 20, Width: 20, Height: 20, Display: "inline"},
		{Parent: 6, Tag: "#text", Text: "drawn", Width: 20, Height: 20},
		{Parent: 4, Tag: "span", X: 200, Width: 20, Height: 20, Visibility: "hidden"},
		{Parent: 8, Tag: "#text", Text: "hidden", Width: 20, Height: 20},
	}}))
	var got []string
	for _, b := range p.Root.Leaves(nil) {
		for _, l := range b.Links {
			got = append(got, string(b.Place)+" "+l.Name+" "+l.Address)
		}
		got = append(got, b.Texts...)
	}
	if want := "aside to A http://a.test/|News of the day."; strings.Join(got, "|") != want || p.Made != Rendered {
		t.Errorf("%q by %s, want %q", got, p.Made, want)
	}
}

func FuzzLayoutOf(f *testing.F) {
	f.Add("div", "text", "rgb(1,2,3)", "12px", -1, 5.0, 9.0)
	f.Fuzz(func(t *testing.T, tag, text, colour, size string, parent int, x, w float64) {
		l := &kavosh.Layout{Width: w, Height: x}
		for i := range 6 {
			l.Boxes = append(l.Boxes, kavosh.Box{Parent: max(-1, min(parent, i-1)), Tag: []string{tag, "#text", "a", "td"}[i%4], Text: text, Background: colour, FontSize: size, FontWeight: size,
				X: x, Y: w, Width: w, Height: x, Display: text, Address: colour})
		}
		segment.Cut(LayoutOf(l))
	})
}
