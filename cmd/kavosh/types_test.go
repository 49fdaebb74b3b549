package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh/archive"
	"kavosh/characterise"
	"kavosh/site/draw"
)

// What is stored as a revisit, since another URL had the same bytes or since the server says that nothing changed, has the type
// of what it confirms: in the report of the crawl, among the collection's numbers and in its list, after a rebuild, too.
func TestRevisitsHaveTheTypeOfWhatTheyConfirm(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "same")
	web := sameWeb() + "-- a.test/kept.css Content-Type=text/css ETag=\"v1\" --\n" + strings.Repeat("p { color: red }\n", 30)
	seeds := append(sameSeeds, "http://a.test/kept.css")
	crawlWeb(t, dir, web, seeds...)
	crawlWeb(t, dir, web, seeds...)
	infos, err := archive.Crawls(vfs.Default, dir)
	if err != nil || len(infos) != 2 {
		t.Fatal(infos, err)
	}
	if r := infos[1].Report; r.Status["304"] != 1 || r.Revisits != 6 || r.MIME["text/html"] != 5 || r.MIME["text/css"] != 1 || len(r.MIME) != 2 {
		t.Errorf("the second crawl's report has %v with %v, %d revisits", r.MIME, r.Status, r.Revisits)
	}
	for _, when := range []string{"as crawled", "rebuilt"} {
		w := newWalker(t, dir, "")
		home := w.ask(homeOrigin + "/c/one")
		if strings.Contains(home, "Not known") || !strings.Contains(home, "Style") {
			t.Errorf("%s: the collection's page has types that are not known", when)
		}
		if s := w.ask(homeOrigin + "/c/one/pages?kind=" + draw.KindOf("")); strings.Contains(s, "a.test/e") || strings.Contains(s, "kept.css") {
			t.Errorf("%s: the list has captures of no known type: %s", when, s)
		}
		command(t, "rebuild", dir)
	}
}

// An original may lie in a later file than its revisits: a survey counts these as it counts that one.
func TestSurveyCountsRevisitsBeforeTheirOriginals(t *testing.T) {
	dir := t.TempDir()
	page := "<html lang=fa><p>" + strings.Repeat("این نوشته به زبان فارسی است. ", 20)
	answer, digest := htmlHead+page, "WARC-Payload-Digest: "+sha1Of(page)
	same := digest + "\r\nWARC-Profile: http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"
	for name, records := range map[string]string{
		"1.warc": storedRecord("revisit", "01", "http://a.test/1", same, htmlHead) + storedRecord("revisit", "02", "http://a.test/2", same, htmlHead),
		"2.warc": storedRecord("response", "03", "http://a.test/3", digest, answer),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(records), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	var report characterise.Report
	if err := json.Unmarshal([]byte(command(t, "characterise", "--json", dir)), &report); err != nil {
		t.Fatal(err)
	}
	if r := report; r.Captures != 3 || r.Pages != 3 || r.Duplicates != 2 || r.Bytes != 3*int64(len(page)) || len(r.Languages) != 1 || r.Languages[0].Count != 3 {
		t.Errorf("%d captures, %d pages, %d the same, %d bytes of %d, %v", r.Captures, r.Pages, r.Duplicates, r.Bytes, len(page), r.Languages)
	}
}
