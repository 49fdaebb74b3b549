package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"

	"kavosh"
)

// A repository with pages, packed in each way, becomes two folders with labels.
func TestFoldersOfARepository(t *testing.T) {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	fmt.Fprint(z, `<link rel=canonical href="https://www.news.test/a"><p>news`)
	z.Close()
	commit, clones := repository(t, map[string]string{
		"pages/news.html.gz": packed.String(),
		"pages/other.html":   `<meta property="og:url" content="https://news.test/b"><p>more news`,
		"pages/broken.html":  "left out",
		"pages/wall.html":    "are you a robot?",
		"har/login.json":     `{"log":{"entries":[{"response":{"content":{"text":"PHA+c2lnbiBpbg==","encoding":"base64"}}}]}}`,
		"README":             "not named",
	})
	rows := []string{
		"pages/broken.html\t-\t0\t-\t-",
		"pages/wall.html\twall\t403\t-\tsome maker",
		"har/login.json\tlogin\t200\thttps://login.test/\t-",
		"pages/*\tpage\t0\t-\t-",
	}
	out := t.TempDir()
	read, err := readRows("# a comment\no/r\t"+commit+"\t"+strings.Join(rows, "\no/r\t"+commit+"\t")+"\n", "")
	if err != nil {
		t.Fatal(err)
	}
	if err := run(read, clones, out); err != nil {
		t.Fatal(err)
	}
	var got []string
	halves := map[string]string{}
	for _, half := range []string{"train", "held"} {
		labels, err := os.ReadFile(filepath.Join(out, half, "labels.tsv"))
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(labels)) {
			f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
			page, err := os.ReadFile(filepath.Join(out, half, f[0]))
			if err != nil {
				t.Fatal(err)
			}
			halves[f[4]] = half
			_, text, _ := strings.Cut(string(page), "<p>")
			got = append(got, strings.Join(append(f[1:], text), " "))
		}
	}
	slices.Sort(got)
	want := []string{
		"login 200 https://login.test/ o/r/har/login.json sign in",
		"page 0 - o/r/pages/news.html.gz news",
		"page 0 - o/r/pages/other.html more news",
		"wall 403 - o/r/pages/wall.html ",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if halves["o/r/pages/news.html.gz"] != halves["o/r/pages/other.html"] {
		t.Error("two pages of one site are in different halves")
	}
}

// repository makes a clone of o/r with one commit.
func repository(t *testing.T, files map[string]string) (commit, clones string) {
	clones = t.TempDir()
	dir := filepath.Join(clones, "o+r.git")
	git := func(args ...string) string {
		text, err := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=n", "-c", "user.email=e@e.test"}, args...)...).CombinedOutput()
		if err != nil {
			t.Fatalf("git %s: %v: %s", args[0], err, text)
		}
		return strings.TrimSpace(string(text))
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	git("init", "--quiet")
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	git("add", ".")
	git("commit", "--quiet", "-m", "pages")
	return git("rev-parse", "HEAD"), clones
}

// The answers of a table may go to a folder of their own.
func TestUnseen(t *testing.T) {
	commit, clones := repository(t, map[string]string{"wall.html": "are you a robot?"})
	rows, err := readRows("o/r\t"+commit+"\twall.html\twall\t0\t-\t-\n", "unseen")
	if err != nil {
		t.Fatal(err)
	}
	out := t.TempDir()
	if err := run(rows, clones, out); err != nil {
		t.Fatal(err)
	}
	if labels, err := os.ReadFile(filepath.Join(out, "unseen", "labels.tsv")); err != nil || string(labels) != "wall-00001.html\twall\t0\t-\to/r/wall.html\n" {
		t.Errorf("%q, %v", labels, err)
	}
}

// The lists are read whole: their labels are those that a crawl tells, and the rows of a commit stand together. No
// repository of pages.tsv has unseen answers.
func TestList(t *testing.T) {
	rows, err := readRows(pagesTable, "")
	if err != nil {
		t.Fatal(err)
	}
	unseen, err := readRows(unseenTable, "unseen")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range unseen {
		if slices.ContainsFunc(rows, func(seen row) bool { return seen.repository == r.repository }) {
			t.Errorf("%s is in both lists", r.repository)
		}
	}
	rows = append(rows, unseen...)
	done, last := map[string]bool{}, ""
	for _, r := range rows {
		if r.label != "page" && r.label != "-" && !slices.Contains(kavosh.StandIns(), kavosh.StandIn(r.label)) {
			t.Errorf("%s: unknown label %q", r.path, r.label)
		}
		if len(r.commit) != 40 {
			t.Errorf("%s: %q is no whole commit", r.path, r.commit)
		}
		if at := r.repository + " " + r.commit; at != last {
			if done[at] {
				t.Errorf("the rows of %s do not stand together", at)
			}
			done[at], last = true, at
		}
	}
}

func TestBadRows(t *testing.T) {
	for _, table := range []string{"one\tfield", "r\tc\tp\tpage\tmany\t-\t-", "r\tc\t[\tpage\t0\t-\t-"} {
		if _, err := readRows(table, ""); err == nil {
			t.Errorf("%q was read", table)
		}
	}
}
