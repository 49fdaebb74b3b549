package site

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh"
	"kavosh/internal/records"
	"kavosh/quality"
	"kavosh/replay"
	"kavosh/replay/replaytest"
)

// The page of quality shows what was found of pages as they are replayed, of those that the reader may see; and how to look, where nobody did.
func TestQualityOfReplayedPages(t *testing.T) {
	const at = "20260301120000"
	a, dir := replaytest.New(t), t.TempDir()
	var looks []*quality.Look
	for _, page := range []struct {
		path string
		look quality.Look
	}{
		{"well", quality.Look{}}, {"lost", quality.Look{Damage: 0.5, Lacks: []quality.Part{{As: quality.Image}, {As: quality.Image}, {As: quality.Style}}}}, {"blank", quality.Look{Blank: true, Damage: 1}},
		{"live", quality.Look{Leaks: []string{"http://live.test/"}, StandIn: kavosh.Login}}, {"old/shut", quality.Look{Damage: 0.9, Failed: "for a reason"}},
	} {
		a.Page("http://a.test/"+page.path, at, "200 text/html", "<title>"+page.path+"</title>A page")
		page.look.URL, page.look.Time, page.look.Random = "http://a.test/"+page.path, time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC), true
		looks = append(looks, &page.look)
	}
	s, err := New(Options{HomeAddr: "http://home.test", ReplayAddr: "http://replay.test", Collections: []Collection{
		{Collection: &replay.Collection{Name: "one", Records: &records.Records{Index: a, Files: a, Gate: refuseOld{}}}, Dir: dir}}})
	if err != nil {
		t.Fatal(err)
	}
	wants(t, s, "/c/one/quality", "All 4 pages", "As pages are replayed", "kavosh quality ARCHIVE --rendered 200", "!would help")
	folder := filepath.Join(dir, "derived", quality.LooksName)
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := quality.KeepLooks(vfs.Default, folder, time.Date(2026, 3, 20, 9, 0, 0, 0, time.UTC), len(looks), looks); err != nil {
		t.Fatal(err)
	}
	s.measures.of = nil // as after ten minutes
	wants(t, s, "/c/one/quality", "4 of 4 pages were looked at in a browser, 4 of them picked at random", "20 March 2026", "25.0%", "http://replay.test/one/"+at+"/http://a.test/blank", "is blank", "1 style is missing, 2 pictures are missing", "asks the live web for 1 address", "asks to sign in",
		"!shut", "!could not be rendered", "!--rendered 200")
	wants(t, s, "/c/one/quality?lang=fa", "صفحه‌ها آن‌گونه که بازپخش می‌شوند", "۲۹ اسفند ۱۴۰۴", "سفید است", "۲ تصویر نیست")
	wants(t, s, "/c/one/quality?host=a.test", "!As pages are replayed")
}
