package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A crawl's page names what the crawl began with and which links it followed, and its neighbour the files that were imported: by their own
// names, without the folders where they were. What a rule closes is named by none of it, whatever the rule is about.
func TestSeedsAndImportsOfCrawls(t *testing.T) {
	page := "<title>two</title>two"
	dir := storedArchive(t, storedRecord("response", "01", "http://a.test/", "", htmlHead+"<title>one</title>one"),
		storedRecord("response", "02", "http://c.test/content", "WARC-Payload-Digest: "+sha1Of(page), htmlHead+page))
	command(t, "describe", dir, "--title", "Mine")
	for _, name := range []string{"gone.test-2020.wacz", "باغ\u202e.wacz"} {
		packed := filepath.Join(t.TempDir(), name)
		one := onePageOf(t, "http://"+fmt.Sprint(len(name))+".test/")
		command(t, "export", "wacz", one, "-o", packed, "--title", "<b>From</b> "+strings.TrimSuffix(name, ".wacz"))
		command(t, "import", packed, dir)
	}
	crawl := filepath.Join(dir, "crawls", "20200101000000")
	seeds := `{"bad":"seeds.txt:3","why":"http://gone.test/bad"}` + "\n"
	for _, url := range []string{"http://a.test/", "http://gone.test/", "http://a.test/?to=http%3A%2F%2Fgone.test%2Fx", "http://c.test/content"} {
		seeds += fmt.Sprintf("{%q:%q}\n", "url", url)
	}
	for i := range 25 {
		seeds += fmt.Sprintf(`{"url":"http://seed%d.test/"}`+"\n", i)
	}
	if err := os.MkdirAll(crawl, 0o777); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"seeds": seeds, "config.toml": `scope = "domain"` + "\n", "crawl.log": ""} {
		if err := os.WriteFile(filepath.Join(crawl, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	ask := func(path string) string { return served(t, "one="+dir).ask(homeOrigin + "/c/one/" + path) }
	const one, all = "crawl?id=20200101000000&lang=", "crawls?lang="
	for path, wants := range map[string][]string{
		one + "en": {"those in the same domains", "http://a.test/<", "http://gone.test/<", "http://c.test/content<", "http://seed15.test/<", "and 9 more"},
		one + "fa": {"آن‌ها که در همین دامنه‌ها هستند", "http://seed15.test/<", "و ۹ نشانی دیگر"},
		all + "en": {"Imported files", `<bdi dir="ltr">stored.warc.gz</bdi>`, `<bdi dir="ltr">gone.test-2020.wacz</bdi>`, `<bdi dir="ltr">باغ.wacz</bdi>`, "<bdi>&lt;b&gt;From&lt;/b&gt; gone.test-2020</bdi>"},
		all + "fa": {"پرونده‌های واردشده", "stored.warc.gz"},
	} {
		text := ask(path)
		for _, want := range wants {
			if !strings.Contains(text, want) {
				t.Errorf("%s lacks %s: %.6000s", path, want, text)
			}
		}
		for _, not := range []string{"seeds.txt", "gone.test/bad", "seed16", t.TempDir()[:5] + "/", "\u202e"} {
			if strings.Contains(text, not) {
				t.Errorf("%s says %q", path, not)
			}
		}
	}
	command(t, "access", dir, "add", "takedown", "gone.test")
	command(t, "access", dir, "add", "takedown", sha1Of(page))
	for path, want := range map[string]string{one + "en": "and 6 more", all + "en": "باغ.wacz"} {
		text := ask(path)
		if !strings.Contains(text, want) || strings.Contains(text, "gone.test") || strings.Contains(text, "c.test/content") {
			t.Errorf("%s, after takedowns, lacks %q or names what they close: %.6000s", path, want, text)
		}
	}
}
