package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh"
	"kavosh/archive"
	"kavosh/texts"
)

const textWeb = `-- a.test/ --
<!doctype html><title>The first page</title><h1>Herons of the lake</h1><p>Grey herons stand in <a href=/empty>shallow water</a> and wait for fish,
often for hours, before they move a single step.<ul><li><a href=/plain>Plain text</a></ul><img src=/p.png alt="A heron">
-- a.test/plain Content-Type=text/plain --
Bitterns hide in reeds.

They are seldom seen.
-- a.test/empty --
<!doctype html><title>Egrets</title>
-- a.test/doc.pdf Content-Type=application/pdf --
%PDF-1.4
nothing
-- a.test/twin Content-Type=text/plain --
Bitterns hide in reeds.

They are seldom seen.
`

// textsOf is what derived/text@1 says of each URL of an archive.
func textsOf(t *testing.T, dir string) map[string]*kavosh.Text {
	t.Helper()
	r, err := texts.Open(vfs.Default, filepath.Join(dir, "derived", texts.Name))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	log, err := archive.OpenLog(vfs.Default, dir)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]*kavosh.Text{}
	for c, err := range log.Read(log.Begin()) {
		if err != nil {
			t.Fatal(err)
		}
		if !texts.Has(&c.Capture) {
			continue
		}
		text, err := texts.Of(r, &c.Capture)
		if err != nil {
			t.Fatal(err)
		}
		if text != nil {
			all[c.URL] = text
		}
	}
	return all
}

// followTexts lets the texts of an archive have all of it.
func followTexts(t *testing.T, dir string) {
	t.Helper()
	source := &archive.Source{Dir: dir, Trouble: func(text string) { t.Log(text) }}
	if _, whole, err := source.Update(t.Context(), texting(), archive.Following{}); err != nil || !whole {
		t.Fatal(whole, err)
	}
	if err := source.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestTexts keeps what a reader sees of each page: search makes it, and who follows the texts alone makes the same.
func TestTexts(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "archive")
	crawlWeb(t, dir, textWeb, "--scope", "host", "http://a.test/", "http://a.test/doc.pdf", "http://a.test/twin")
	command(t, "search", dir, "herons")
	made := textsOf(t, dir)
	first, plain := made["http://a.test/"], made["http://a.test/plain"]
	if first == nil || plain == nil || made["http://a.test/twin"] == nil || len(made) != 6 {
		t.Fatalf("%+v", made)
	}
	var blocks []string
	for i, line := range strings.Split(first.Text, "\n") {
		blocks = append(blocks, fmt.Sprintf("%s %d %.14s", first.Blocks[i].Tag, first.Blocks[i].Linked, line))
	}
	if got, want := strings.Join(blocks, "|"), "h1 0 Herons of the |p 13 Grey herons st|li 10 Plain text| 0 A heron"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if first.Outcome != kavosh.TextWhole || first.Title != "The first page" || first.Lang != "en" || first.Certain < 0.9 || first.Simhash == 0 ||
		len(first.Pictures) != 1 || first.Pictures[0].URL != "http://a.test/p.png" || first.Pictures[0].Title != "A heron" {
		t.Errorf("%+v", first)
	}
	if plain.Type != "text/plain" || plain.Text != "Bitterns hide in reeds.\n\nThey are seldom seen.\n" || plain.Blocks != nil {
		t.Errorf("%+v", plain)
	}
	if empty, pdf := made["http://a.test/empty"], made["http://a.test/doc.pdf"]; empty.Outcome != kavosh.TextEmpty || empty.Title != "Egrets" || pdf.Outcome != kavosh.TextNone || pdf.Type != "application/pdf" {
		t.Errorf("%+v %+v", empty, pdf)
	}
	if err := os.RemoveAll(filepath.Join(dir, "derived")); err != nil {
		t.Fatal(err)
	}
	followTexts(t, dir)
	for url, text := range textsOf(t, dir) {
		if fmt.Sprintf("%+v", text) != fmt.Sprintf("%+v", made[url]) {
			t.Errorf("%s alone is %+v, with search %+v", url, text, made[url])
		}
	}
}

// TestTextsAreMadeOnce makes the index of words anew without the records, and goes on with texts that lack what is before.
func TestTextsAreMadeOnce(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "archive")
	made := filepath.Join(dir, "derived", texts.Name)
	crawlWeb(t, dir, textWeb, "--scope", "host", "http://a.test/")
	followTexts(t, dir)
	warc, aside := filepath.Join(dir, "warc"), filepath.Join(dir, "aside")
	if err := os.Rename(warc, aside); err != nil {
		t.Fatal(err)
	}
	finds := func(words ...string) {
		t.Helper()
		for _, word := range words {
			if out := command(t, "search", dir, word); !strings.Contains(out, "http://") {
				t.Errorf("%s: %s", word, out)
			}
		}
	}
	finds("herons", "bitterns", "egrets")
	if err := errors.Join(os.Rename(aside, warc), os.RemoveAll(made)); err != nil {
		t.Fatal(err)
	}
	crawlWeb(t, dir, "-- b.test/ --\n<!doctype html><title>Storks</title>\n", "--scope", "page", "http://b.test/")
	finds("herons", "storks")
	if n := len(textsOf(t, dir)); n != 1 {
		t.Errorf("%d texts: the index of words goes on, and only what it adds is read", n)
	}
	followTexts(t, dir)
	if n := len(textsOf(t, dir)); n != 5 {
		t.Errorf("%d texts when the texts follow by themselves", n)
	}
	files, err := filepath.Glob(filepath.Join(made, "*.texts"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	data, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	for i := range data {
		data[i] ^= 0x2a
	}
	if err := os.WriteFile(files[0], data, 0o666); err != nil {
		t.Fatal(err)
	}
	finds("herons", "storks")
	followTexts(t, dir)
	if n := len(textsOf(t, dir)); n != 5 {
		t.Errorf("%d texts after damage", n)
	}
}
