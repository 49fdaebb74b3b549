package main

import (
	"archive/tar"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"

	"kavosh/lab/stored"
)

// labelled are the labels of a saved web, by URL.
func labelled(t *testing.T, dir, name string) map[string][]string {
	t.Helper()
	w, err := openWeb(dir, name)
	if err != nil {
		t.Fatal(err)
	}
	labels := map[string][]string{}
	for i := range w.Pages {
		labels[w.Pages[i].URL] = w.Pages[i].Labels
	}
	return labels
}

func want(t *testing.T, got map[string][]string, want map[string]string) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%d pages, want %d: %v", len(got), len(want), got)
	}
	for url, labels := range want {
		if has, ok := got[url]; !ok || strings.Join(has, " ") != labels {
			t.Errorf("%s bears %q, want %q", url, has, labels)
		}
	}
}

func TestUniversities(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "webkb.tar.gz")
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	w := tar.NewWriter(z)
	for _, f := range [][2]string{
		{"webkb/course/cornell/http_^^www.cs.cornell.edu^cs101^", "Server: X\nContent-length: 9\n\n<a href='staff.html'>staff</a>"},
		{"webkb/staff/cornell/http_^^www.cs.cornell.edu_8080^staff.html", "Server: X\n\n<p>us"},
		{"webkb/course/misc/http_^^www.cs.other.edu^c", "Server: X\n\n<p>other"},
		{"webkb/course/misc/http_^^www.cs.cornell.edu^x", "Server: X\n\n<p>a host of a university"},
	} {
		if err := w.WriteHeader(&tar.Header{Name: f[0], Size: int64(len(f[1])), Mode: 0o600}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(f[1])); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, packed.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := webkb(path, dir); err != nil {
		t.Fatal(err)
	}
	want(t, labelled(t, dir, "cornell"), map[string]string{"http://www.cs.cornell.edu/cs101/": "course", "http://www.cs.cornell.edu:8080/staff.html": "staff"})
	want(t, labelled(t, dir, others), map[string]string{"http://www.cs.other.edu/c": "course"})
	if n := len(labelled(t, dir, allUniversities)); n != 4 {
		t.Errorf("the web of all has %d pages, want 4", n)
	}
}

// post is a page of a blog: its own topics, and a margin that is on each page.
func post(own string) []byte {
	return []byte(`<title>p</title><h2>post</h2>` + own + `<ul><a href="tag/sea.html">sea</a> <a href="category/7.html">Trips (12)</a> <a href="tag/two+words.html">x</a></ul>`)
}

func TestBlogPostsBearTheirOwnTopics(t *testing.T) {
	w := newWeb("blog")
	w.html("http://b.test/index.html", post(`<a href="post/tag/sea.html">sea</a>`))
	w.html("http://b.test/post/1.html", post(`<a href="tag/sea.html">sea</a>`))
	w.html("http://b.test/post/2.html", post(`in <a href="category/7.html">Trips (12)</a>, <a href="tag/two&#32;words.html">two words</a>`))
	w.html("http://b.test/post/3.html", post(""))
	w.html("http://b.test/post/4.html", post(`<a href="http://other.test/post/tag/sea.html">sea</a>`))
	w.html("http://b.test/post/5.html", post(""))
	labelPosts(w)
	got := map[string][]string{}
	for _, p := range w.pages {
		got[p.url] = p.labels
	}
	want(t, got, map[string]string{
		"http://b.test/index.html": "", "http://b.test/post/1.html": "tag=sea", "http://b.test/post/2.html": "category=Trips tag=two words",
		"http://b.test/post/3.html": "", "http://b.test/post/4.html": "", "http://b.test/post/5.html": "",
	})
}

// commit makes a repository of files and returns the name of its commit.
func commit(t *testing.T, repository string, files map[string]string) string {
	t.Helper()
	for path, text := range files {
		name := filepath.Join(repository, path)
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var out []byte
	for _, args := range [][]string{{"init", "-q"}, {"add", "."}, {"-c", "user.name=a", "-c", "user.email=a@b.test", "commit", "-qm", "pages"}, {"rev-parse", "HEAD"}} {
		var err error
		if out, err = exec.Command("git", append([]string{"-C", repository}, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("git %s: %v: %s", args[0], err, out)
		}
	}
	return strings.TrimSpace(string(out))
}

// Of ClickHouse's site the newest pages are taken, at the address of their folder, with the language that they are in.
func TestClickHouse(t *testing.T) {
	repository := t.TempDir()
	at := commit(t, repository, map[string]string{
		"docs/en/index.html":         "<p>A sentence that is long enough to be compared.",
		"docs/fa/index.html":         "<p>جمله‌ای که به اندازهٔ کافی بلند است.",
		"docs/en/faq/general.html":   "<p>No page of its own folder.",
		"docs/fa/old/index.html":     `<meta http-equiv="refresh" content="0; url=../">`,
		"docs/v20.3/fa/a/index.html": "<p>of another version",
		"docs/en/engine/index.html":  "<p>Another one, and it is long, too.",
		"docs/fa/engine/index.html":  "<p>Another one, and it is long, too.",
	})
	w, err := clickHouseWeb(repository, at)
	if err != nil {
		t.Fatal(err)
	}
	all := newWeb(focus)
	all.join(w)
	got := map[string][]string{}
	for _, p := range all.pages {
		got[p.url] = p.labels
	}
	const site = "https://clickhouse.tech/docs/"
	want(t, got, map[string]string{site + "en/": "lang=en", site + "fa/": "lang=fa", site + "en/engine/": "lang=en", site + "fa/engine/": ""})
}

// What is taken of a web that was made before is moved, and blogs that are too small or too large stay behind.
func TestTake(t *testing.T) {
	dir := t.TempDir()
	book := documents{name: "book"}
	made := newWeb(book.name)
	made.html(book.home()+"fa/a.html", []byte("<p>a"), "lang=fa")
	made.html(directoryOf(book.name), []byte("<p>all"))
	writers := newWeb(allBlogs)
	for _, url := range []string{"http://v.test/1", "http://v.test/2", "http://alone.test/1", "http://u.test/1", "http://www.u.test/1"} {
		writers.html(url, []byte("<meta charset=utf-8><p>این وبلاگ پر از گل و گیاه است"), "tag=sea")
	}
	for _, url := range []string{"http://u.test/2", "http://www.u.test/2"} {
		writers.html(url, []byte("<meta charset=utf-8><p>دڵم لەگەڵ تۆیە هەموو ڕۆژێک"))
	}
	for _, w := range []*web{made, writers} {
		if err := w.save(dir); err != nil {
			t.Fatal(err)
		}
	}
	w := newWeb(focus)
	if err := w.take(dir, "book", "https://book.example/read/"); err != nil {
		t.Fatal(err)
	}
	if err := w.take(dir, allBlogs, ""); err != nil {
		t.Fatal(err)
	}
	got := map[string][]string{}
	for _, p := range w.pages {
		got[p.url] = p.labels
	}
	want(t, got, map[string]string{"https://book.example/read/fa/a.html": "lang=fa", "http://v.test/1": "lang=fa", "http://v.test/2": "lang=fa",
		"http://u.test/1": "lang=fa", "http://u.test/2": "", "http://www.u.test/1": "lang=fa", "http://www.u.test/2": ""}) // a blog in two languages
}

// A page of a blog whose menus are Sorani is judged by what is its own.
func TestFrames(t *testing.T) {
	const menu, post, sorani = "دڵم لەگەڵ تۆیە هەموو ڕۆژێک", "این نوشته به فارسی است", "ئه‌وه‌ په‌یامی ئێمه‌یه‌"
	f := frames{map[string]int{}, map[uint64]int{}}
	for i := range fewPages {
		f.see("http://u.test/", fmt.Sprintf("%s\n%s %d", menu, post, i))
	}
	for own, want := range map[string]bool{post + " 3": false, sorani: true} {
		if got := f.without("http://www.u.test/", menu+"\n"+own); got != own+"\n" || lettersIn(got).sorani() != want {
			t.Errorf("%q is Sorani: %v, want %v", got, !want, want)
		}
	}
}

func TestBlogsOfARepository(t *testing.T) {
	repository, out := t.TempDir(), t.TempDir()
	files := map[string]string{
		"vera.test/index.html":    "<title>Vera</title><a href=post/1.html>1</a>",
		"vera.test/post/1.html":   "<title>one</title>",
		"vera.test/robots.txt":    "User-agent: *",
		"w.test/a b?.html":        "<title>odd name</title>",
		"alice.test/index.html":   "<title>kept apart</title>",
		"xn--v.test/index.html":   "<title>kept apart</title>",
		"README.html":             "<title>of no host</title>",
		"vera.test/post/tag/x.md": "no page",
	}
	pages := map[string]string{
		"http://directory.blogs.test/": "", "http://vera.test/index.html": "", "http://vera.test/post/1.html": "", "http://w.test/a%20b%3F.html": "",
	}
	for i := range 8 { // so many that two links are no fifth
		files[fmt.Sprintf("w.test/%d.html", i)] = "<title>more</title>"
		pages[fmt.Sprintf("http://w.test/%d.html", i)] = ""
	}
	commit(t, repository, files)
	if err := blogs(repository, out); err != nil {
		t.Fatal(err)
	}
	want(t, labelled(t, out, allBlogs), pages)
}

func TestMarkupTellsLabels(t *testing.T) {
	tests := []struct {
		rules       []rule
		page, label string
	}{
		{javadoc, `<div class="sub-title"><span class="package-label-in-type">Package</span>&nbsp;<a href="package-summary.html">org.a.b</a></div><h1 title="Enum Class Color" class="title">`, "javadoc=enum package=org.a.b"},
		{javadoc, `<h2 title="Annotation Type Old" class="title">Annotation Type Old</h2>`, "javadoc=annotation"},
		{javadoc, `<h1 title="Class Box" class="title">Class Box</h1>`, ""},
		{doxygen, `<div class="title">ns::Box&lt; T &gt; Struct Template Reference</div>`, "doxygen=struct"},
		{doxygen, `<div class="title">box.h File Reference</div>`, "doxygen=file"},
		{libreoffice, `<p>This page is: <a href="https://code.test/xref/help/source/text/swriter/guide/a.xhp">a</a>`, "module=writer"},
		{rustdoc, `<body class="rustdoc trait"><h1>`, "rustdoc=trait"},
		{gidocs, `<h3><a href="index.html">Gtk</a></h3><h3>Signal</h3>`, "library=gtk gi=signal"},
		{postgres, `<th width="60%" align="center">Chapter 9. Functions &amp; Operators</th><div class="sect1">`, "chapter=functions & operators"},
		{postgres, `<th width="60%" align="center">SQL Commands</th><div class="refentry" id="X">`, "docbook=refentry"},
		{cppreference, `<div class="t-navbar-head"><a href="../../cpp.html" title="cpp"> C++</a></div><div class="t-navbar-head"><a href="../x.html" title="cpp/string"> Strings library</a>`, "category=strings library"},
		{sphinx, `<li class="nav-item nav-item-1"><a href="i.html" >The Library</a> »</li><li class="nav-item nav-item-2"><a href="n.html" accesskey="U">Net Data</a>`, "section=net data part=the library"},
		{readTheDocs, "<li class=\"breadcrumb-item\"><a href=\"../k.html\">Kernel</a></li>\n<li class=\"breadcrumb-item\"><a href=\"i.html\">Networking</a></li>\n  <li class=\"breadcrumb-item active\">X</li>", "section=networking"},
		{qt, `<title>QBox Class | Qt Core 5.15.8</title>`, "module=qt core qt=class"},
	}
	for _, tt := range tests {
		d := documents{rules: tt.rules}
		if got := strings.Join(d.labels([]byte(tt.page)), " "); got != tt.label {
			t.Errorf("%s: labels %q, want %q", tt.page, got, tt.label)
		}
	}
}

func TestTranslations(t *testing.T) {
	d := documents{name: "book", language: anyLanguage}
	w := newWeb(d.name)
	english := "<p>A sentence that is long enough to be compared.<p>Another one, and it is long, too."
	for path, text := range map[string]string{
		"faq/index.en.html":    "<title>FAQ</title>" + english,
		"faq/fa/index.fa.html": "<title>پرسش‌ها</title><p>جمله‌ای که به اندازهٔ کافی بلند است.",
		"faq/de/index.de.html": "<title>FAQ de</title>" + english, // not translated
	} {
		w.html(d.home()+path, []byte(text))
	}
	d.translations(w)
	got := map[string][]string{}
	for _, p := range w.pages {
		got[p.url] = p.labels
	}
	want(t, got, map[string]string{
		directoryOf("book"): "", d.home() + "faq/index.en.html": "lang=en", d.home() + "faq/fa/index.fa.html": "lang=fa", d.home() + "faq/de/index.de.html": "",
	})
	if home := w.pages[w.at[directoryOf("book")]].body; !bytes.Contains(home, []byte("index.fa.html")) {
		t.Errorf("the directory does not lead to a language's home: %s", home)
	}
}

func TestListsOfEverythingAreLeftOut(t *testing.T) {
	w := newWeb("w")
	var all strings.Builder
	for i := range 20 {
		url := fmt.Sprintf("http://a.test/%d", i)
		fmt.Fprintf(&all, "<a href=%q>x</a>", url)
		w.html(url, fmt.Appendf(nil, "<a href=/%d>next</a>", i+1))
	}
	w.html("http://a.test/all", []byte(all.String()))
	if inside := w.withoutIndexes(); inside != 19 {
		t.Errorf("%d links stay, want 19", inside)
	}
	if _, ok := w.at["http://a.test/all"]; ok || len(w.pages) != 20 {
		t.Errorf("%d pages stay, want 20 and not the list", len(w.pages))
	}
}

// TestUnits: a chain of pages with what is wanted at its end counts, and is listed twice the same.
func TestUnits(t *testing.T) {
	dir := t.TempDir()
	w := newWeb("texas")
	const pages = 120
	for i := range pages {
		text := fmt.Sprintf("<title>page %d</title>", i)
		for _, to := range []int{i*2 + 1, i*2 + 2, 0} {
			text += fmt.Sprintf("<a href=/%d>to</a> ", to%pages)
		}
		var labels []string
		if i >= 110 && i < 114 {
			labels = []string{"course"}
		}
		w.html(fmt.Sprintf("http://a.test/%d", i), []byte(text), labels...)
	}
	if err := w.save(dir); err != nil {
		t.Fatal(err)
	}
	var first, second bytes.Buffer
	if err := units(&first, dir); err != nil {
		t.Fatal(err)
	}
	if err := units(&second, dir); err != nil {
		t.Fatal(err)
	}
	if first.String() != second.String() {
		t.Errorf("two lists of the same webs:\n%s\n%s", &first, &second)
	}
	lines := strings.Split(strings.TrimSpace(first.String()), "\n")
	if last := lines[len(lines)-1]; !strings.HasPrefix(last, "tuning\ttexas\tlabel=course\thttp://a.test/") || !strings.HasSuffix(last, "\tquery=course") {
		t.Errorf("the list ends with %q", last)
	}
}

func TestEachWebHasOneRole(t *testing.T) {
	var names []string
	for i := range documentation {
		if slices.Contains(names, documentation[i].name) {
			t.Errorf("two webs are named %s", documentation[i].name)
		}
		names = append(names, documentation[i].name)
	}
	tuning := 0
	for _, n := range names {
		if roleOf(n) == "tuning" {
			tuning++
		}
	}
	if tuning < len(names)/6 || tuning > len(names)/2 {
		t.Errorf("%d of %d webs of documentation are for tuning, want about a third", tuning, len(names))
	}
	if _, err := stored.Open(filepath.Join(t.TempDir(), "none.warc.gz"), stored.Options{}); err == nil {
		t.Error("a web that is not there was opened")
	}
}
