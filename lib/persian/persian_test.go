package persian

import (
	"bufio"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestNormalize(t *testing.T) {
	for in, want := range map[string]string{
		"كتاب علي":                    "کتاب علی",
		"على ۀ خانۀ خانهٔ مدرسة":      "علی ه خانه خانه مدرسه",
		"إسلام أحمد ٱلله مؤمن مسئول":  "اسلام احمد الله مومن مسئول",
		"آب ا\u0653ب مسي\u0654ول":     "آب آب مسئول",
		"سال ۱۳۸۸ و ٢٠٠٩":             "سال 1388 و 2009",
		"۱۲٫۵ درصد، ۱٬۲۳۴٬۵۶۷ نفر":    "12.5 درصد، 1234567 نفر",
		"سَلامٌ عَلَيكُم":             "سلام علیکم",
		"ســــلام":                    "سلام",
		"ﺳﻼﻡ ﻓﺎﺭﺳﯽ ﻻ ﷼":               "سلام فارسی لا ریال",
		"می\u200Cروم":                 "می\u200Cروم",
		"می\u200C\u200Cروم":           "می\u200Cروم",
		"می\u200Bروم":                 "می\u200Cروم",
		"\u200Cمی\u200Cروم\u200C. ":   "می\u200Cروم. ",
		"کار\u200Cها":                 "کارها",
		"می روم، نمي روم":             "می\u200Cروم، نمی\u200Cروم",
		"می\u00A0روم":                 "می\u200Cروم",
		"کتاب ها و کتاب هاي من":       "کتاب\u200Cها و کتاب\u200Cهای من",
		"بزرگ تر ها":                  "بزرگ\u200Cترها",
		"خانه ام، خانه ای، کتاب ام":   "خانه\u200Cام، خانه\u200Cای، کتاب ام",
		"چنین اند، سی و اند":          "چنین\u200Cاند، سی و اند",
		"می، روم":                     "می، روم",
		"می\nروم":                     "می\nروم",
		"\u202Bسلام\u200F\u202C دنیا": "سلام دنیا",
		"Kavosh 2.0 café, ok":         "Kavosh 2.0 café, ok",
		"":                            "",
		"بد\xffبد":                    "بد\uFFFDبد",
	} {
		if got := Normalize(in); got != want {
			t.Errorf("Normalize(%+q)\n  = %+q\nnot %+q", in, got, want)
		}
	}
}

func TestWordsSayWhereTheyStand(t *testing.T) {
	text := "«می رومِ» به خانه هاي ۱۲٫۵ Tehran!"
	var got []string
	for w := range Words(text) {
		got = append(got, text[w.Start:w.End]+"="+string(w.Text))
	}
	want := []string{"می رومِ=می\u200Cروم", "به=به", "خانه هاي=خانه\u200Cهای", "۱۲٫۵=12.5", "Tehran=Tehran"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, not %q", got, want)
	}
}

func TestSentences(t *testing.T) {
	text := "«کجا می‌روی؟» پرسید. به www.example.ir سر بزن! قیمت ۱۲.۵ تومان است... م.ر. شجریان آمد.\n۱. مقدمه\nعنوان بی‌نقطه\nآخر"
	want := []string{
		"«کجا می‌روی؟»", "پرسید.", "به www.example.ir سر بزن!", "قیمت ۱۲.۵ تومان است...", "م.ر. شجریان آمد.", "۱. مقدمه", "عنوان بی‌نقطه", "آخر",
	}
	if got := slices.Collect(Sentences(text)); !slices.Equal(got, want) {
		t.Errorf("%q\nnot %q", got, want)
	}
}

// TestStem counts the hand-made pairs that the stemmer gets right, and how often it harms a word that is no inflection.
func TestStem(t *testing.T) {
	f, err := os.Open("testdata/stems.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	inflected, right, whole, harmed := 0, 0, 0, 0
	bare := false
	for lines := bufio.NewScanner(f); lines.Scan(); {
		word, stem, ok := strings.Cut(lines.Text(), "\t")
		if !ok {
			bare = strings.HasPrefix(word, "# not")
			continue
		}
		got := string(Stem([]byte(Normalize(word))))
		if got != stem {
			t.Logf("%s: %s, not %s", word, got, stem)
		}
		switch {
		case bare:
			whole++
			if got != stem {
				harmed++
			}
		default:
			inflected++
			if got == stem {
				right++
			}
		}
	}
	t.Logf("%d of %d inflected words right; %d of %d others harmed", right, inflected, harmed, whole)
	if right*100 < inflected*90 {
		t.Error("fewer than nine in ten inflected words are right")
	}
	if harmed*50 > whole {
		t.Error("more than one in fifty words that are not inflected are harmed")
	}
}

func TestStopwords(t *testing.T) {
	for _, w := range []string{"است", "را", "که", "برای", "از", "شد", "کرد"} {
		if !IsStopword([]byte(w)) {
			t.Errorf("%s is none", w)
		}
	}
	for _, w := range []string{"في", "من", "و", "علی", "الله", "book", "", "این", "کتابخانه"} {
		if IsStopword([]byte(w)) {
			t.Errorf("%s is one", w)
		}
	}
}

func TestWordsNeedNoMemoryEach(t *testing.T) {
	text := strings.Repeat("این كتاب‌ها را می خوانم و ۱۲٫۵ بار گفته ام. ", 200)
	buf := make([]byte, 0, 2*len(text))
	if n := testing.AllocsPerRun(10, func() { buf = AppendNormalized(buf[:0], text) }); n > 12 {
		t.Errorf("%.0f allocations for %d words", n, 200*10)
	}
}

func FuzzNormalize(f *testing.F) {
	f.Add("می روم ها تر خانه ام ٔ ۱٫۵ ﷺﻻ\u200C")
	f.Add("کتاب ها ها می می‌روم ا\u0653 1..5")
	f.Fuzz(func(t *testing.T, text string) {
		once := Normalize(text)
		if twice := Normalize(once); twice != once {
			t.Errorf("%+q becomes %+q, then %+q", text, once, twice)
		}
		if !utf8.ValidString(once) {
			t.Errorf("%+q becomes invalid %+q", text, once)
		}
		end := 0
		for w := range Words(text) {
			if w.Start < end || w.End <= w.Start || w.End > len(text) || len(w.Text) == 0 {
				t.Fatalf("%+q: word %+q at %d–%d after %d", text, w.Text, w.Start, w.End, end)
			}
			end = w.End
			was := len(w.Text)
			if stem := Stem(w.Text); len(stem) > was || len(stem) == 0 {
				t.Errorf("stem %+q of %+q", stem, w.Text)
			}
		}
		joined := strings.Join(slices.Collect(Sentences(text)), "")
		strip := func(s string) string { return strings.Join(strings.Fields(s), "") }
		if strip(joined) != strip(text) {
			t.Errorf("%+q in sentences is %+q", text, joined)
		}
	})
}

func BenchmarkNormalize(b *testing.B) {
	text := strings.Repeat("این كتاب‌ها را می خوانم و ۱۲٫۵ بار گفته ام که خانه ها بزرگ تر شده اند. ", 200)
	buf := make([]byte, 0, 2*len(text))
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		buf = AppendNormalized(buf[:0], text)
	}
}
