package search

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/google/go-cmp/cmp"

	"kavosh"
	"kavosh/internal/journal"
)

// testPage is a page for an index, captured at a day of 2024.
type testPage struct {
	url, title, text, lang string
	day                    int
	status                 int
}

func dayOf(n int) time.Time { return time.Date(2024, 1, 1+n, 12, 0, 0, 0, time.UTC) }

// put adds a page as a Gatherer does.
func put(w *Writer, p testPage) {
	hash := textHash(p.title, p.text)
	doc, ok := w.find(hash)
	if !ok {
		doc = w.b.document(pageKind, &Document{Title: p.title, Text: p.text, Lang: p.lang}, p.url, "", "sha1:"+p.title, hash, payloadHash("sha1:"+p.title))
	}
	status := p.status
	if status == 0 {
		status = 200
	}
	w.b.capture(p.url, capture{time: seconds(dayOf(p.day)), doc: doc, status: uint16(status), kind: uint16(w.b.types.get("text/html"))})
}

// indexOf makes an index of pages, committed each time that so many were added.
func indexOf(t testing.TB, fs vfs.FS, every int, pages ...testPage) *Index {
	t.Helper()
	w, err := OpenWriter(fs, "search")
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range pages {
		put(w, p)
		if (i+1)%every == 0 || i+1 == len(pages) {
			if err := w.Commit(journal.At(1, int64(i+1))); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return open(t, fs)
}

func open(t testing.TB, fs vfs.FS) *Index {
	t.Helper()
	x, err := Open(fs, "search", Hidden{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(x.Close)
	return x
}

func ask(t testing.TB, x *Index, q kavosh.Search) *kavosh.SearchResult {
	t.Helper()
	r, err := x.Search(context.Background(), q)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// urls are the URLs that a question finds, sorted.
func urls(t testing.TB, x *Index, text string) string {
	t.Helper()
	r := ask(t, x, kavosh.Search{Text: text, Limit: 100})
	if r.Relaxed {
		return ""
	}
	var all []string
	for _, g := range r.Groups {
		all = append(all, g.URL)
	}
	slices.Sort(all)
	return strings.Join(all, " ")
}

// However Persian is written, the same is found.
func TestWritingsOfPersianFindTheSame(t *testing.T) {
	texts := []string{
		"کتاب‌های ملی ایران در سال ۱۳۹۹ منتشر شد", "كتاب‌هاي ملي ايران در سال ١٣٩٩ منتشر شد", "کتابهای ملی ایران در سال 1399 منتشر شد",
		"کتاب های ملّی ایران در سال ۱۳۹۹ منتشر شد", "دانش‌آموزان خوب می‌خوانند", "دانش آموزان خوب می خوانند", "دانشآموزان خوب میخوانند",
		"چیز دیگری است و کار دیگری", "دانش چیز دیگری از آموزان است",
	}
	var pages []testPage
	for i, text := range texts {
		pages = append(pages, testPage{url: fmt.Sprintf("http://a.test/%d", i), title: fmt.Sprint("صفحه", i), text: text, day: i, lang: "fa"})
	}
	x := indexOf(t, vfs.NewMem(), 4, pages...)
	for want, writings := range map[string][]string{
		"0 1 2 3": {"کتاب‌های ملی", "كتاب‌هاي ملي", "کتابهای ملی", "کتاب های ملی", "ملی کتاب", "۱۳۹۹", "1399", "١٣٩٩", "ايران", "ایران", "مُلّی", `"ملی ایران"`, `"ملي ايران"`, `«کتاب‌های ملی»`, `"كتابهاي ملي"`},
		"4 5 6":   {"دانش‌آموز", "دانش آموز", "دانشآموز", "دانش‌آموزان", "دانش آموزان", `"دانش آموزان خوب"`, `"دانش‌آموزان خوب"`, `"دانشآموزان خوب"`, "می‌خوانند دانش‌آموز", "میخوانند دانش آموزان"},
		"7 8":     {"چيز ديگري", "چیز دیگری"},
	} {
		var all []string
		for _, n := range strings.Fields(want) {
			all = append(all, "http://a.test/"+n)
		}
		for _, q := range writings {
			if got := urls(t, x, q); got != strings.Join(all, " ") {
				t.Errorf("%s: found %q, want %s", q, got, want)
			}
		}
	}
}

// A snippet shows the sentence that has the word, not the menu that has it too; and without words of the question prose.
func TestSnippetsLeaveOutMenus(t *testing.T) {
	prose := "The rose garden behind the library was laid out in 1931, and it has been tended by the same family of gardeners from the first day until this one."
	x := indexOf(t, vfs.NewMem(), 1, testPage{url: "http://a.test/", title: "A", text: "Home\nNews\nRose garden\nContact\nImprint and privacy\n" + strings.Repeat("Entry\n", 60) + prose + "\nRose garden\nHome"})
	for _, q := range []string{"garden", "rose garden", "host:a.test"} {
		g := ask(t, x, kavosh.Search{Text: q}).Groups
		if len(g) != 1 || !strings.Contains(g[0].Snippet.Text, "tended by the same family") {
			t.Errorf("%s: %+v", q, g)
		}
	}
}

// Words of a real text, and two of them side by side, find the same in every way to write them.
func TestEveryWritingFindsTheSame(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("..", "docs", "guide", "fa.md")) // Persian prose
	if err != nil {
		t.Fatal(err)
	}
	var pages []testPage
	var questions []string
	for i, line := range strings.Split(string(data), "\n") {
		if strings.ContainsAny(line, "<`") || len(line) < 40 {
			continue
		}
		pages = append(pages, testPage{url: fmt.Sprintf("http://a.test/%d", i), title: fmt.Sprint("line ", i), text: line, lang: "fa"})
		words := strings.FieldsFunc(line, func(r rune) bool {
			return r != '\u200c' && !unicode.In(r, unicode.Arabic, unicode.Mn) || strings.ContainsRune("،؛؟", r)
		})
		for j := range words {
			questions = append(questions, words[j])
			if j > 0 {
				questions = append(questions, words[j-1]+" "+words[j])
			}
		}
	}
	x := indexOf(t, vfs.NewMem(), 7, pages...)
	writings := map[string]*strings.Replacer{
		"Arabic letters": strings.NewReplacer("ی", "ي", "ک", "ك"), "final ى": strings.NewReplacer("ی", "ى"), "joined": strings.NewReplacer("\u200c", ""),
		"a space": strings.NewReplacer("\u200c", " "), "drawn out": strings.NewReplacer("س", "ســ"), "vowels": strings.NewReplacer("ر", "رَ"), "ezafe": strings.NewReplacer("هٔ", "ه‌ی"),
	}
	differ := 0
	for _, q := range questions {
		want := urls(t, x, q)
		if want == "" {
			t.Errorf("%q finds nothing, and is of the text", q)
		}
		for name, w := range writings {
			other := w.Replace(q)
			if name == "joined" && (strings.Contains(q, "ه\u200cای") || strings.Contains(q, "ی\u200cای") || strings.Contains(q, "ه\u200cاش")) {
				continue // خانهای may be خان‌های, نامهاش may be نام‌هاش, and nobody tells نشانیای from دنیای
			}
			if name == "joined" && strings.Contains(strings.ReplaceAll(q, "ه\u200cاند", ""), "\u200cاند") {
				continue // چنیناند is چنین‌اند, but ماند is a verb
			}
			if other != q {
				differ++
				if got := urls(t, x, other); got != want {
					t.Errorf("%s: %q finds %q, %q %q", name, q, want, other, got)
				}
			}
		}
	}
	if differ < 200 {
		t.Errorf("only %d questions are written otherwise", differ)
	}
}

func TestQuestions(t *testing.T) {
	x := indexOf(t, vfs.NewMem(), 2,
		testPage{url: "http://go.test/gc", title: "The garbage collector", text: "A garbage collector frees memory. Memory is freed in cycles.", lang: "en"},
		testPage{url: "http://docs.go.test/fa%D8%B3", title: "Memory", text: "The collector of stamps: no garbage here, and it's libraries.", lang: "en", day: 400},
		testPage{url: "http://java.test/memory.html", title: "Java", text: "Java has a garbage collector, too. Library functions.", lang: "en", status: 404},
		testPage{url: "http://jp.test/", title: "東京", text: "東京都庁舎に行く", lang: "ja"},
	)
	for q, want := range map[string]string{
		"garbage collector":                "http://docs.go.test/fa%D8%B3 http://go.test/gc http://java.test/memory.html",
		`"garbage collector"`:              "http://go.test/gc http://java.test/memory.html",
		`"garbage collector" -java`:        "http://go.test/gc",
		`"garbage collector" -"in cycles"`: "http://java.test/memory.html",
		"title:memory":                     "http://docs.go.test/fa%D8%B3",
		"title:garbage":                    "http://go.test/gc",
		`title:"garbage collector"`:        "http://go.test/gc",
		"memory status:404":                "http://java.test/memory.html",
		"LIBRARY":                          "http://docs.go.test/fa%D8%B3 http://java.test/memory.html",
		"host:go.test":                     "http://go.test/gc",
		"site:go.test":                     "http://docs.go.test/fa%D8%B3 http://go.test/gc",
		"-site:go.test lang:en":            "http://java.test/memory.html",
		"year:2025":                        "http://docs.go.test/fa%D8%B3",
		"year:۲۰۲۵":                        "http://docs.go.test/fa%D8%B3",
		"url:faس":                          "http://docs.go.test/fa%D8%B3",
		"url:memory.html":                  "http://java.test/memory.html",
		"collec*":                          "http://docs.go.test/fa%D8%B3 http://go.test/gc http://java.test/memory.html",
		"京都庁":                              "http://jp.test/",
		"京庁":                               "",
		"title:nothing":                    "",
		"lang:de":                          "",
	} {
		if got := urls(t, x, q); got != want {
			t.Errorf("%s: found %q, want %q", q, got, want)
		}
	}
	r := ask(t, x, kavosh.Search{Text: "garbage colector"})
	if !r.Relaxed || r.DidYouMean != "garbage collector" {
		t.Errorf("a misspelt word: relaxed %v, did you mean %q", r.Relaxed, r.DidYouMean)
	}
	r = ask(t, x, kavosh.Search{Text: `frees "garbage collector"`})
	g := r.Groups[0]
	var marked []string
	for _, m := range g.Snippet.Marks {
		marked = append(marked, g.Snippet.Text[m.Start:m.End])
	}
	if got := strings.Join(marked, " "); got != "garbage collector frees" {
		t.Errorf("marked %q in %q", got, g.Snippet.Text)
	}
	if r := ask(t, x, kavosh.Search{Text: "site:test"}); r.Total != 4 || len(r.Facets) != 5 || r.Facets[0].Values[0].Count != 1 || fmt.Sprint(r.Facets[1].Values) != "[{en 3} {ja 1}]" ||
		fmt.Sprint(r.Facets[3].Values) != "[{2024 3} {2025 1}]" || fmt.Sprint(r.Facets[4].Values) != "[{200 3} {404 1}]" {
		t.Errorf("facets: %+v", r.Facets)
	}
}

// What a page said at a time is found then, and months count captures.
func TestTime(t *testing.T) {
	old := testPage{url: "http://a.test/", title: "News", text: "the election was called", day: 0}
	now := testPage{url: "http://a.test/", title: "News", text: "the flood has come", day: 40}
	again := old
	again.day = 70
	other := testPage{url: "http://b.test/", title: "Other", text: "an election elsewhere", day: 45}
	x := indexOf(t, vfs.NewMem(), 1, old, now, again, other)
	for _, c := range []struct {
		q    kavosh.Search
		want string
	}{
		{kavosh.Search{Text: "election"}, "http://a.test/ 2, http://b.test/ 1"},
		{kavosh.Search{Text: "election", At: dayOf(39)}, "http://a.test/ 1"},
		{kavosh.Search{Text: "election", At: dayOf(41)}, ""},
		{kavosh.Search{Text: "election", At: dayOf(60)}, "http://b.test/ 1"},
		{kavosh.Search{Text: "election", At: dayOf(70)}, "http://a.test/ 1, http://b.test/ 1"},
		{kavosh.Search{Text: "flood", At: dayOf(70)}, ""},
		{kavosh.Search{Text: "election", From: dayOf(1), To: dayOf(50)}, "http://b.test/ 1"},
		{kavosh.Search{Text: "election", From: dayOf(60)}, "http://a.test/ 1"},
	} {
		r := ask(t, x, c.q)
		var got []string
		for _, g := range r.Groups {
			got = append(got, fmt.Sprintf("%s %d", g.URL, g.Captures))
		}
		slices.Sort(got)
		if strings.Join(got, ", ") != c.want {
			t.Errorf("%+v: found %v, want %s", c.q, got, c.want)
		}
	}
	r := ask(t, x, kavosh.Search{Text: "election", Months: true})
	if got := fmt.Sprint(r.Months); got != "[{2024-01 1 1} {2024-02 1 2} {2024-03 1 1}]" {
		t.Errorf("months %s", got)
	}
	// Of the Jalali calendar: dayOf(70) is 21 Esfand 1402, and 1403 begins at dayOf(79).
	newYear := old
	newYear.day = 79
	x = indexOf(t, vfs.NewMem(), 1, old, now, again, newYear, other)
	r = ask(t, x, kavosh.Search{Text: "election", Months: true, Jalali: true})
	if got := fmt.Sprint(r.Months, r.Facets[3].Values); got != "[{1402-10 1 1} {1402-11 1 2} {1402-12 1 1} {1403-01 1 1}] [{1402 2} {1403 1}]" {
		t.Errorf("Jalali months and years %s", got)
	}
	for _, c := range [][2]string{{"election year:1402", "http://a.test/ 2, http://b.test/ 1"}, {"election year:۱۴۰۳", "http://a.test/ 1"}, {"election -year:1402", "http://a.test/ 1"},
		{"election year:2024", "http://a.test/ 3, http://b.test/ 1"}, {"election year:1401", ""}, {"election year:x", ""}, {"election -year:2024", ""}, {"election year:1403 year:1402", "http://a.test/ 3, http://b.test/ 1"}} {
		var got []string
		for _, g := range ask(t, x, kavosh.Search{Text: c[0]}).Groups {
			got = append(got, fmt.Sprintf("%s %d", g.URL, g.Captures))
		}
		slices.Sort(got)
		if strings.Join(got, ", ") != c[1] {
			t.Errorf("%s: found %v, want %s", c[0], got, c[1])
		}
	}
	if r := ask(t, x, kavosh.Search{Text: "election", Sort: kavosh.ByNewest}); r.Groups[0].URL != "http://a.test/" || !r.Groups[0].Newest.Equal(dayOf(79)) || !r.Groups[0].First.Equal(dayOf(0)) {
		t.Errorf("by newest: %+v", r.Groups[0])
	}
}

// Nothing tells of what is hidden: no result, no count, no proposal.
func TestHidden(t *testing.T) {
	fs := vfs.NewMem()
	const sum = "3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ"
	x := indexOf(t, fs, 2,
		testPage{url: "http://open.test/", title: sum, text: "some common words"},
		testPage{url: "http://secret.test/x", title: "B", text: "some common words and treasure"},
		testPage{url: "http://secret.test/y", title: "C", text: "some common words, digest"},
		testPage{url: "http://mirror.test/y", title: "C", text: "some common words, digest"},
	)
	closed := func(_ string, _ time.Time, digest string) bool { return digest != "" }
	for name, c := range map[string]struct {
		hidden Hidden
		want   string
	}{
		"nothing":          {Hidden{}, "http://mirror.test/y http://open.test/ http://secret.test/x http://secret.test/y"},
		"prefix":           {Hidden{Capture: func(url string, _ time.Time, _ string) bool { return strings.HasPrefix(url, "http://secret.test/") }}, "http://mirror.test/y http://open.test/"},
		"another spelling": {Hidden{Digests: []string{"sha1:" + strings.ToLower(sum)}, Capture: closed}, "http://mirror.test/y http://secret.test/x http://secret.test/y"},
		"digest for now": {Hidden{Digests: []string{"sha1:C"}, Capture: func(url string, _ time.Time, digest string) bool {
			return digest != "" && url == "http://mirror.test/y"
		}}, "http://open.test/ http://secret.test/x http://secret.test/y"},
		"digest": {Hidden{Digests: []string{"sha1:C"}, Capture: closed}, "http://open.test/ http://secret.test/x"},
	} {
		if err := x.Hide(c.hidden); err != nil {
			t.Fatal(err)
		}
		if got := urls(t, x, "common"); got != c.want {
			t.Errorf("%s hidden: found %q", name, got)
		}
		r := ask(t, x, kavosh.Search{Text: "common", Months: true})
		n := len(strings.Fields(c.want))
		hosts := 0
		for _, v := range r.Facets[0].Values {
			hosts += v.Count
		}
		if r.Total != n || hosts != n || r.Months[0].All != n || r.Months[0].Found != n {
			t.Errorf("%s hidden: total %d, hosts %d, months %v", name, r.Total, hosts, r.Months)
		}
		suggests := ask(t, x, kavosh.Search{Text: "treasuro"}).DidYouMean
		if (suggests == "treasure") != strings.Contains(c.want, "secret.test/x") {
			t.Errorf("%s hidden: proposes %q", name, suggests)
		}
	}
}

// An index answers the same however it was cut into segments, and a plain look at the texts finds the same.
func TestSegmentsAnswerAsOne(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	vocabulary := strings.Fields("alpha beta gamma delta epsilon zeta eta theta iota kappa کتاب‌ها دانش‌آموز خانه")
	var pages []testPage
	for i := range 300 {
		var text []string
		for range 1 + random.IntN(30) {
			text = append(text, vocabulary[random.IntN(len(vocabulary))])
		}
		pages = append(pages, testPage{
			url: fmt.Sprintf("http://h%d.test/%d", random.IntN(9), random.IntN(300)), title: strings.Join(text[:1+random.IntN(min(3, len(text)))], " "),
			text: strings.Join(text, " "), lang: []string{"en", "fa"}[random.IntN(2)], day: i,
		})
	}
	var answers []string
	for _, every := range []int{3, 40, 1000} {
		x := indexOf(t, vfs.NewMem(), every, pages...)
		var all []*kavosh.SearchResult
		for i, a := range vocabulary {
			b, c := vocabulary[(i+1)%len(vocabulary)], vocabulary[(i+5)%len(vocabulary)]
			for _, q := range []string{a, a + " " + b, `"` + a + " " + b + `"`, a + " -" + b, "title:" + a, `"` + a + " " + b + " " + c + `"`, a + " " + b + " " + c + " nowhere"} {
				all = append(all, ask(t, x, kavosh.Search{Text: q, Limit: 20, Months: true}))
			}
			want := map[string]bool{}
			for _, p := range pages {
				if words := strings.Fields(p.text); slices.Contains(words, a) && slices.Contains(words, b) {
					want[p.url] = true
				}
			}
			if r := ask(t, x, kavosh.Search{Text: a + " " + b}); r.Total != len(want) && !r.Relaxed {
				t.Errorf("%s %s: %d URLs, by looking at the texts %d", a, b, r.Total, len(want))
			}
		}
		data, err := json.Marshal(all)
		if err != nil {
			t.Fatal(err)
		}
		answers = append(answers, string(data))
	}
	for _, other := range answers[1:] {
		if diff := cmp.Diff(answers[0], other); diff != "" {
			t.Fatalf("other segments, other answers: %.2000s", diff)
		}
	}
}

// After a crash the index is what the last commit made it, and can be added to.
func TestCrash(t *testing.T) {
	fs := vfs.NewCrashableMem()
	w, err := OpenWriter(fs, "search")
	if err != nil {
		t.Fatal(err)
	}
	put(w, testPage{url: "http://a.test/", title: "A", text: "first words"})
	if err := w.Commit(journal.At(1, 10)); err != nil {
		t.Fatal(err)
	}
	put(w, testPage{url: "http://b.test/", title: "B", text: "second words"})
	if err := w.add(w.b.write); err != nil { // and no manifest
		t.Fatal(err)
	}
	put(w, testPage{url: "http://c.test/", title: "C", text: "third words"})
	for range 5 {
		crashed := fs.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: 50, RNG: rand.New(rand.NewPCG(1, 1))})
		after, err := OpenWriter(crashed, "search")
		if err != nil {
			t.Fatal(err)
		}
		if position := after.Cursor().Of(journal.Self); position != 10 {
			t.Errorf("goes on at %d", position)
		}
		put(after, testPage{url: "http://b.test/", title: "B", text: "second words"})
		if err := after.Commit(journal.At(1, 20)); err != nil {
			t.Fatal(err)
		}
		if err := after.Close(); err != nil {
			t.Fatal(err)
		}
		if got := urls(t, open(t, crashed), "words"); got != "http://a.test/ http://b.test/" {
			t.Errorf("after a crash found %q", got)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

// While somebody adds, others read what was committed.
func TestReadersWhileWriting(t *testing.T) {
	fs := vfs.NewMem()
	x := indexOf(t, fs, 1, testPage{url: "http://a.test/0", title: "0", text: "words"})
	w, err := OpenWriter(fs, "search")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := OpenWriter(fs, "search"); err == nil {
		t.Error("two writers")
	}
	asked := make(chan error)
	go func() {
		for range 200 {
			if _, err := x.Search(context.Background(), kavosh.Search{Text: "words"}); err != nil {
				asked <- err
				return
			}
		}
		asked <- nil
	}()
	for i := 1; i < 20; i++ {
		put(w, testPage{url: fmt.Sprintf("http://a.test/%d", i), title: fmt.Sprint(i), text: "words", day: i})
		if err := w.Commit(journal.At(1, int64(i))); err != nil {
			t.Fatal(err)
		}
		if err := x.Refresh(); err != nil {
			t.Fatal(err)
		}
	}
	if err := <-asked; err != nil {
		t.Fatal(err)
	}
	if r := ask(t, x, kavosh.Search{Text: "words"}); r.Total != 20 {
		t.Errorf("%d found", r.Total)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestUnionPagesThroughAll(t *testing.T) {
	var pages []testPage
	for i := range 130 {
		pages = append(pages, testPage{url: fmt.Sprintf("http://a.test/%03d", i), title: fmt.Sprint(i), text: strings.Repeat("words and ", 1+i%7) + fmt.Sprint(i), day: i})
	}
	u := Union{indexOf(t, vfs.NewMem(), 50, pages[:70]...), indexOf(t, vfs.NewMem(), 50, pages[70:]...)}
	seen := map[string]bool{}
	for offset := 0; offset < 140; offset += 10 {
		r, err := u.Search(context.Background(), kavosh.Search{Text: "words", Offset: offset, Months: true})
		if err != nil {
			t.Fatal(err)
		}
		if r.Total != 130 || r.Facets[0].Values[0].Count != 130 {
			t.Fatalf("total %d, %+v", r.Total, r.Facets[0])
		}
		for _, g := range r.Groups {
			seen[g.URL] = true
		}
	}
	if len(seen) != 130 {
		t.Errorf("%d seen on all pages", len(seen))
	}
}

// drawn is a picture with shapes of a number's.
func drawn(n uint64, width, height int) image.Image {
	random := rand.New(rand.NewPCG(n, n))
	var spots [6][4]float64
	for i := range spots {
		spots[i] = [4]float64{random.Float64(), random.Float64(), 0.1 + random.Float64()/3, random.Float64() * 255}
	}
	m := image.NewRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			light := 128.0
			for _, s := range spots {
				dx, dy := float64(x)/float64(width)-s[0], float64(y)/float64(height)-s[1]
				if dx*dx+dy*dy < s[2]*s[2] {
					light = s[3]
				}
			}
			m.Set(x, y, color.RGBA{uint8(light), uint8(255 - light), 90, 255})
		}
	}
	return m
}

// Pictures that were scaled and packed otherwise are alike, others are not; words of pages find them.
func TestPictures(t *testing.T) {
	fs := vfs.NewMem()
	w, err := OpenWriter(fs, "search")
	if err != nil {
		t.Fatal(err)
	}
	for i := range 30 {
		var large, small bytes.Buffer
		if err := png.Encode(&large, drawn(uint64(i), 200, 160)); err != nil {
			t.Fatal(err)
		}
		if err := jpeg.Encode(&small, drawn(uint64(i), 90, 72), &jpeg.Options{Quality: 60}); err != nil {
			t.Fatal(err)
		}
		for name, data := range map[string][]byte{"large.png": large.Bytes(), "small.jpg": small.Bytes()} {
			url := fmt.Sprintf("http://p.test/%d/%s", i, name)
			doc := w.b.document(pictureKind, &Document{Likeness: likeness(data)}, url, "", "", hashOf(url))
			w.b.capture(url, capture{time: seconds(dayOf(i)), doc: doc, status: 200, kind: uint16(w.b.types.get("image/png"))})
			if name == "small.jpg" {
				continue
			}
			doc = w.b.document(mentionKind, &Document{Title: fmt.Sprint("sunset number ", i), Text: "the words around it"}, url, "http://p.test/page", "")
			w.b.capture(url, capture{time: seconds(dayOf(i)), doc: doc, kind: uint16(w.b.types.get("")), mention: true})
		}
	}
	doc := w.b.document(mentionKind, &Document{Title: "sunset that nobody captured"}, "http://p.test/gone.png", "http://p.test/page", "")
	w.b.capture("http://p.test/gone.png", capture{time: seconds(dayOf(0)), doc: doc, kind: uint16(w.b.types.get("")), mention: true})
	if err := w.Commit(journal.At(1, 1)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	x := open(t, fs)
	for i := range 30 {
		r := ask(t, x, kavosh.Search{Text: fmt.Sprintf("like:http://p.test/%d/large.png", i)})
		if len(r.Groups) < 2 || r.Groups[0].URL != fmt.Sprintf("http://p.test/%d/large.png", i) || r.Groups[1].URL != fmt.Sprintf("http://p.test/%d/small.jpg", i) {
			t.Errorf("like %d: %+v", i, r.Groups)
		} else if r.Total > 4 {
			t.Errorf("like %d: %d pictures are taken for it", i, r.Total)
		}
	}
	r := ask(t, x, kavosh.Search{Text: "sunset number 7", Kind: kavosh.SearchPictures})
	if r.Total != 1 || r.Groups[0].URL != "http://p.test/7/large.png" || r.Groups[0].Page != "http://p.test/page" || r.Groups[0].Captures != 1 {
		t.Errorf("by words: %+v", r.Groups)
	}
	if r := ask(t, x, kavosh.Search{Text: "kind:image small"}); r.Total != 30 {
		t.Errorf("by file name: %d", r.Total)
	}
	if r := ask(t, x, kavosh.Search{Text: "sunset"}); r.Total != 0 {
		t.Errorf("%d pictures among the pages", r.Total)
	}
	if likeness([]byte("no picture")) != 0 || likeness(nil) != 0 {
		t.Error("what is no picture has a likeness")
	}
}

// Of pages with the same text the one that lies less deep comes first, and one that was there before an error, though they are older.
func TestShallowPagesBeforeDeepOnesAndErrors(t *testing.T) {
	for name, pages := range map[string][2]testPage{
		"deep":  {{url: "http://a.test/x", day: 1}, {url: "http://a.test/x/x/x", day: 9}},
		"query": {{url: "http://a.test/x", day: 1}, {url: "http://a.test/x?x=1", day: 9}},
		"error": {{url: "http://a.test/x", day: 1}, {url: "http://a.test/y", day: 9, status: 404}},
	} {
		for i := range pages {
			pages[i].title, pages[i].text, pages[i].lang = "Wanted", "the wanted words", "en"
		}
		r := ask(t, indexOf(t, vfs.NewMem(), 2, pages[1], pages[0]), kavosh.Search{Text: "wanted"})
		if len(r.Groups) != 2 || r.Groups[0].URL != pages[0].url || r.Groups[0].Score <= r.Groups[1].Score {
			t.Errorf("%s: %+v", name, r.Groups)
		}
	}
}
