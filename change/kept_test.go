package change

import (
	"bytes"
	"context"
	"errors"
	"io"
	"iter"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh"
	"kavosh/internal/disk"
	"kavosh/internal/records"
	"kavosh/lib/cdx"
	"kavosh/lib/segment"
	"kavosh/lib/warc"
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

// files has captures in one WARC file, and counts how often it is opened.
type files struct {
	data   bytes.Buffer
	opened int
}

func (f *files) Query(context.Context, cdx.Query) iter.Seq2[cdx.Entry, error] {
	return func(func(cdx.Entry, error) bool) {}
}

func (f *files) Open(string) (io.ReaderAt, int64, func(), error) {
	f.opened++
	return bytes.NewReader(f.data.Bytes()), int64(f.data.Len()), func() {}, nil
}

// put adds a capture of a page.
func (f *files) put(t *testing.T, day, digest, html string) *cdx.Entry {
	e := &cdx.Entry{URL: "https://news.test/", Timestamp: "202601" + day + "000000", Digest: digest, Offset: int64(f.data.Len())}
	block := "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + html
	h := warc.Header{{Name: "WARC-Type", Value: "response"}, {Name: "WARC-Record-ID", Value: warc.NewID()}, {Name: "WARC-Target-URI", Value: e.URL},
		{Name: "WARC-Date", Value: "2026-01-" + day + "T00:00:00Z"}, {Name: "Content-Type", Value: "application/http; msgtype=response"}, {Name: "Content-Length", Value: strconv.Itoa(len(block))}}
	if _, err := warc.NewWriter(&f.data, warc.Compression{Format: warc.Gzip}).WriteRecord(h, strings.NewReader(block)); err != nil {
		t.Fatal(err)
	}
	return e
}

// A version is read once and a pair compared once, across runs; what is closed since is not told from what is kept, and
// what is damaged is made again. What a browser shows is never kept.
func TestKept(t *testing.T) {
	fs, in := vfs.NewMem(), &files{}
	old, new := in.put(t, "01", "sha1:A", page), in.put(t, "02", "sha1:B", strings.Replace(page, ">sport<", ">sports<", 1))
	r := &Reader{Records: &records.Records{Index: in, Files: in}}
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
		if err != nil || len(report.Operations) != 1 || report.Operations[0].New.Name != "sports" || report.To.Day() != 2 || report.Segmenter != segment.Flow {
			t.Fatalf("%+v, %v", report, err)
		}
	}
	if in.opened != 2 {
		t.Errorf("%d versions were read, there are 2", in.opened)
	}
	shown := 0
	r.Layout = func(context.Context, *cdx.Entry) (*segment.Layout, error) {
		shown++
		return &segment.Layout{Root: segment.FlowOf(parsed(page)).Root, Made: Rendered}, nil
	}
	for range 2 {
		if report, err := compare(); err != nil || report.Segmenter != Rendered || len(report.Operations) > 0 {
			t.Errorf("rendered: %+v, %v", report, err)
		}
	}
	if shown != 4 {
		t.Errorf("a browser showed versions %d times, 4 are wanted", shown)
	}
	r.Layout = nil
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
