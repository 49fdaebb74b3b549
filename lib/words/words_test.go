package words

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestWords gives texts and the words that must come of them.
func TestWords(t *testing.T) {
	for text, want := range map[string]string{
		"":                            "",
		" ,.!? ":                      "",
		"The quick, brown FOX-trot":   "the quick brown fox trot",
		"MP3 and 1,234.5":             "mp3 and 1 234 5",
		"snake_case don't e-mail@a.b": "snake case don t e mail a b",
		"Ärger ÉTÉ Łódź ΣΊΣΥΦΟΣ Привет":  "ärger été łódź σίσυφοσ привет",
		"e\u0301te\u0301 = été":          "été été",
		"İstanbul":                       "istanbul",
		"co\u00ADop\u00ADer\u200Date":    "cooperate",
		"ﬁnal ＡＢＣ１２ 𝐱𝟙":                  "final abc12 x1",
		"كتاب‌هاي علي":                   "کتابهای علی",
		"می‌خواهم، مي‌خواهم، میخواهم":    "میخواهم میخواهم میخواهم",
		"آذربایجان أحمد إسلام ٱلله":      "اذربایجان احمد اسلام الله",
		"مسئول مؤمن هیأت خانۀ خانهٔ":     "مسیول مومن هیات خانه خانه",
		"شیء، ء، فاطمة":                  "شی فاطمه",
		"مُحَمَّد کــتــاب":              "محمد کتاب",
		"۱۳۹۹/۰۱ ٢٠٢٤ २०२४":              "1399 01 2024 2024",
		"ﻻ ﺳﻼم":                          "لا سلام",
		"שָׁלוֹם":                        "שלום",
		"東京都に行く":                         "東京 京都 都に に行 行く",
		"車 and 電車。カタカナ ｶﾀ":               "車 and 電車 カタ タカ カナ カタ",
		"서울에서 간다":                        "서울 울에 에서 간다",
		"GNU框架x":                         "gnu 框架 x",
		"ภาษาไทย":                        "ภา าษ ษา าไ ไท ทย",
		"हिन्दी क़लम क़लम":               "हिन्दी क़लम क़लम",
		"a\xffb \xd8":                    "a b",
		strings.Repeat("x", 100) + " y":  strings.Repeat("x", Longest) + " y",
		strings.Repeat("ش", 100) + " y":  strings.Repeat("ش", Longest/2) + " y",
		"\ufeffdéjà\u200bvu":             "déjà vu",
		"Ünïcödé\u200c\u200cjoined ،،؛؟": "ünïcödéjoined",
	} {
		if got := strings.TrimSuffix(string(Append(nil, text)), " "); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// A phrase is found where its words stand side by side, however they are written.
func TestPhraseIsFoundByPlainSearch(t *testing.T) {
	text := Append([]byte(" "), "… كتاب‌هاي خوب، را می خوانم. 東京都庁舎")
	for phrase, found := range map[string]bool{"کتابهای خوب": true, "کتاب": false, "خوب را": true, "京都庁": true, "京庁": false} {
		if got := bytes.Contains(text, Append([]byte(" "), phrase)); got != found {
			t.Errorf("%s: found %v", phrase, got)
		}
	}
}

func TestAllStopsAndAllocatesLittle(t *testing.T) {
	text := strings.Repeat("Some words, برخی واژه‌ها ", 100)
	if n := testing.AllocsPerRun(20, func() {
		n := 0
		for range All(text) {
			if n++; n == 300 {
				break
			}
		}
	}); n > 2 {
		t.Errorf("%.0f allocations a text", n)
	}
}

func Fuzz(f *testing.F) {
	for _, s := range []string{"e\u0301 ＡＢ ｶﾞ", "كتاب‌هاي", "東京a都", "ﷺ", "00ȾȺİẞ", "क़़", "\u1100\u1161\u0301", "ͅΑ", "\xff\xfe"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		all := Append(nil, text)
		if !utf8.Valid(all) {
			t.Fatalf("%q: not UTF-8: %q", text, all)
		}
		var joined []byte
		for w := range All(text) {
			if len(w) == 0 || len(w) > Longest || bytes.ContainsRune(w, ' ') {
				t.Fatalf("%q: word %q", text, w)
			}
			joined = append(append(joined, w...), ' ')
		}
		if !bytes.Equal(joined, all) {
			t.Fatalf("%q: by All %q, by Append %q", text, joined, all)
		}
		if again := Append(nil, string(all)); !bytes.Equal(again, all) {
			t.Fatalf("%q: %q, whose words are %q", text, all, again)
		}
	})
}

func BenchmarkAppend(b *testing.B) {
	for name, s := range map[string]string{
		"english": "The quick brown fox jumps over the lazy dog, and runs away from 12 others. ",
		"persian": "این یک متن فارسی است که برای آزمودن سرعت جدا کردن واژه‌ها نوشته شده است. ",
		"chinese": "这是一个用来测试分词速度的句子，没有空格。",
		"russian": "Это предложение написано, чтобы измерить скорость разбора слов. ",
		"hindi":   "यह वाक्य शब्दों को अलग करने की गति मापने के लिए लिखा गया है। ",
	} {
		b.Run(name, func(b *testing.B) {
			text := strings.Repeat(s, 200)
			var dst []byte
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				dst = Append(dst[:0], text)
			}
		})
	}
}
