package main

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// linesOf are the lines of a list that are no comments.
func linesOf(t *testing.T, write func(*bytes.Buffer) error) []string {
	t.Helper()
	var b bytes.Buffer
	if err := write(&b); err != nil {
		t.Fatal(err)
	}
	var lines []string
	for line := range strings.Lines(b.String()) {
		if !strings.HasPrefix(line, "#") {
			lines = append(lines, strings.TrimSpace(line))
		}
	}
	return lines
}

func TestLists(t *testing.T) {
	dir := t.TempDir()
	var common []string
	for i, choices := range keywords {
		if i%2 == 1 && len(choices) > 1 { // the first choice is on each page: too common
			common = append(common, choices[0])
		}
	}
	all := newWeb(allBlogs)
	directory := ""
	for i := range 300 {
		url := fmt.Sprintf("http://v%d.test/index.html", i)
		text := fmt.Sprintf("<meta charset=utf-8><title>Blog %d</title><p>%s", i, strings.Join(common, "، "))
		for k, choices := range keywords {
			if word := choices[k%2]; i%30 == k {
				text += "، " + word
			}
		}
		all.html(url, []byte(text+fmt.Sprintf("<p><a href=http://v%d.test/index.html>next</a>", i+1)))
		if i%10 == 0 {
			directory += fmt.Sprintf("<a href=%q>blog</a>", url)
		}
	}
	all.html(directoryOf(allBlogs), []byte("<title>Blogs</title>"+directory))
	universities := newWeb(allUniversities)
	for i := range 60 {
		universities.html(fmt.Sprintf("http://u%d.test/", i), fmt.Appendf(nil, "<title>U</title><a href=http://u%d.test/>next</a>", (i+1)%60))
	}
	many := newWeb(focus)
	for _, l := range seedLanguages {
		many.html("https://clickhouse.tech/docs/"+l+"/", []byte("<title>D</title>"), "lang="+l)
		many.html("https://clickhouse.tech/docs/"+l+"/deep/", []byte("<title>No home</title>"), "lang="+l)
	}
	many.html(directoryOf(focus), []byte("<title>D</title>"))
	for _, w := range []*web{all, universities, many} {
		if err := w.save(dir); err != nil {
			t.Fatal(err)
		}
	}

	chosen := linesOf(t, func(b *bytes.Buffer) error { return keywordList(b, dir) })
	if len(chosen) != len(keywords) {
		t.Fatalf("%d keywords, want %d: %q", len(chosen), len(keywords), chosen)
	}
	for i, line := range chosen {
		word := keywords[i][i%2]
		if want := "result\tblogs\tkeyword=" + word + "\t" + directoryOf(allBlogs) + "\tkeyword=" + word; line != want {
			t.Errorf("line %d is %q, want %q", i, line, want)
		}
	}
	hosts := linesOf(t, func(b *bytes.Buffer) error { return hostList(b, dir) })
	if len(hosts) != startsOfHosts+1 || !strings.Contains(hosts[startsOfHosts], "\tany\t"+directoryOf(allBlogs)+"\t") {
		t.Errorf("starts of many hosts: %q", hosts)
	}
	languages := linesOf(t, func(b *bytes.Buffer) error { return languageList(b, dir) })
	const site = "https://clickhouse.tech/docs/"
	if len(languages) != 3 || !strings.Contains(languages[0], directoryOf(focus)+" "+site+"de/ "+site+"en/ "+site+"es/ ") ||
		languages[1] != "result\tfocus\tlabel=lang=fa\t"+directoryOf(focus)+" "+site+"fa/\tlanguage=fa" {
		t.Errorf("starts of languages: %q", languages)
	}
}

func TestPersianIsToldFromArabicLetters(t *testing.T) {
	for text, want := range map[string]bool{
		"این یک متن فارسی است که چند جمله دارد": true, "هذا نص باللغة العربية": false, "an English text، فارسی": false, "": false,
	} {
		if got := lettersIn(text).persian(); got != want {
			t.Errorf("%q is Persian: %v, want %v", text, got, want)
		}
	}
}
