package search

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh"
)

// Whatever is asked is answered, and what is marked lies in the text.
func FuzzQuestions(f *testing.F) {
	x := indexOf(f, vfs.NewMem(), 2,
		testPage{url: "http://a.test/x", title: "کتاب‌های ملی", text: "دانش‌آموزان در کتابخانه‌های ملی ایران درس می‌خوانند\nو دیگران", lang: "fa"},
		testPage{url: "http://a.test/y", title: "The garbage collector", text: "of stamps. 東京都庁舎 and more, 1399", lang: "en", day: 50},
		testPage{url: "http://b.test/z", title: "", text: "garbage", lang: "en", status: 404},
	)
	for _, q := range []string{`"a b" -c title:x`, `«دانش آموز» ملي`, "gar* -host:b.test year:۲۰۲۴", `"unclosed`, "-", "--", ":", "title:", "like:http://a.test/x", "url:%", strings.Repeat("a ", 3000), `-"" *`, "\x01کتاب\x01", "\xff\xfe \u200c"} {
		f.Add(q, int64(0))
	}
	f.Fuzz(func(t *testing.T, text string, at int64) {
		q := kavosh.Search{Text: text, Months: at%2 == 0}
		if at > 0 && at < 1<<32 {
			q.At = instant(uint32(at))
		}
		r := ask(t, x, q)
		for _, g := range r.Groups {
			for _, s := range []kavosh.Snippet{g.Title, g.Snippet} {
				last := 0
				for _, m := range s.Marks {
					if m.Start < last || m.End <= m.Start || m.End > len(s.Text) || utf8.ValidString(s.Text) && !utf8.ValidString(s.Text[m.Start:m.End]) {
						t.Fatalf("%q marks %+v", s.Text, s.Marks)
					}
					last = m.End
				}
			}
		}
	})
}

// A damaged index says so, by an error; it neither panics nor takes memory without end.
func FuzzDamage(f *testing.F) {
	fs := vfs.NewMem()
	indexOf(f, fs, 9,
		testPage{url: "http://a.test/x", title: "Words", text: strings.Repeat("some words of a text ", 50), lang: "en"},
		testPage{url: "http://a.test/y", title: "Others", text: "other words of دانش‌آموزان", lang: "fa", day: 3},
	)
	file, err := fs.Open("search/000000" + segmentEnd)
	if err != nil {
		f.Fatal(err)
	}
	whole, err := io.ReadAll(file)
	if err != nil {
		f.Fatal(err)
	}
	for i := 0; i < len(whole); i += 11 {
		f.Add(uint32(i), byte(0xFF))
	}
	f.Fuzz(func(t *testing.T, at uint32, to byte) {
		data := append([]byte{}, whole...)
		data[int(at)%len(data)] ^= to
		damaged := vfs.NewMem()
		if err := damaged.MkdirAll("search", 0o755); err != nil {
			t.Fatal(err)
		}
		for name, data := range map[string][]byte{"000000" + segmentEnd: data, manifestName: []byte(`{"version":1,"generation":1,"position":1,"next":1,"segments":[{"name":"000000.segment","documents":2,"bytes":1}]}`)} {
			f, err := damaged.Create("search/"+name, vfs.WriteCategoryUnspecified)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := f.Write(data); err != nil {
				t.Fatal(err)
			}
			if err := f.Close(); err != nil {
				t.Fatal(err)
			}
		}
		x, err := Open(damaged, "search", Hidden{})
		if err != nil {
			return
		}
		defer x.Close()
		for _, q := range []string{"words text", `"some words"`, "دانش آموز", "wrods", "lang:fa", "url:y"} {
			if _, err := x.Search(context.Background(), kavosh.Search{Text: q}); err != nil && !errors.Is(err, ErrDamaged) {
				t.Logf("%v", err)
			}
		}
	})
}
