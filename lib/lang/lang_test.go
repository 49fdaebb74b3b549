package lang

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
)

var model = Load()

const (
	persianText = "این کتاب درباره تاریخ ایران است و برای کسانی نوشته شده که می‌خواهند گذشته سرزمین خود را بشناسند."
	arabicText  = "هذا الكتاب عن تاريخ المنطقة وقد كتب للذين يريدون أن يعرفوا ماضي بلادهم وثقافتها القديمة."
	englishText = "This book is about the history of the country and was written for those who want to know its past."
)

func TestIdentify(t *testing.T) {
	id := model.New()
	for text, want := range map[string]string{
		persianText: "fa",
		strings.NewReplacer("ی", "ي", "ک", "ك", "\u200c", " ").Replace(persianText): "fa",
		strings.ReplaceAll(persianText, "\u200c", ""):                               "fa",
		arabicText: "ar",
		"یہ کتاب ملک کی تاریخ کے بارے میں ہے اور ان لوگوں کے لیے لکھی گئی ہے جو اپنا ماضی جاننا چاہتے ہیں۔":   "ur",
		"ئەم کتێبە دەربارەی مێژووی وڵاتە و بۆ ئەو کەسانە نووسراوە کە دەیانەوێت ڕابردووی خۆیان بزانن":          "ckb",
		"دا کتاب د هېواد د تاریخ په اړه دی او د هغو خلکو لپاره لیکل شوی چې غواړي خپل تېر وخت وپېژني":          "ps",
		"بۇ كىتاب دۆلەتنىڭ تارىخى توغرىسىدا بولۇپ، ئۆزىنىڭ ئۆتمۈشىنى بىلمەكچى بولغان كىشىلەر ئۈچۈن يېزىلغان":  "ug",
		"هي ڪتاب ملڪ جي تاريخ بابت آهي ۽ انهن ماڻهن لاءِ لکيو ويو آهي جيڪي پنهنجو ماضي ڄاڻڻ چاهين ٿا":         "sd",
		"Ин китоб дар бораи таърихи кишвар аст ва барои онҳое навишта шудааст, ки мехоҳанд гузаштаро донанд.": "tg",
		englishText: "en",
		"Dieses Buch handelt von der Geschichte des Landes und wurde für alle geschrieben, die sie kennen wollen.": "de",
		"Эта книга об истории страны написана для тех, кто хочет знать её прошлое.":                                "ru",
		"この本は国の歴史についての本です。":                                                                                        "ja",
		"这本书讲的是国家的历史。":                                                                                             "zh",
		"이 책은 나라의 역사에 관한 것이다.":                                                                                     "ko",
		"Αυτό το βιβλίο είναι για την ιστορία της χώρας.":                                                          "el",
		"in ketab darbareye tarikhe iran ast va baraye hame ast":                                                   "fa-Latn",
	} {
		found := id.Identify(text)
		if len(found) == 0 || found[0].Code != want {
			t.Errorf("%s: %v, not %s", text, found, want)
		}
		sum := 0.0
		for _, l := range found {
			sum += l.Probability
		}
		if sum > 1+1e-9 {
			t.Errorf("%s: probabilities add up to %v", text, sum)
		}
	}
	if found := id.Identify("123 — ، . 456 %$#"); len(found) != 0 {
		t.Errorf("text without letters is %v", found)
	}
}

func TestLanguagesOfPersiansNeighboursAreKnown(t *testing.T) {
	all := model.Codes()
	if t.Logf("%d languages", len(all)); len(all) < 180 {
		t.Errorf("%d languages", len(all))
	}
	for _, l := range strings.Fields("fa ar ur ckb ps azb glk mzn ug sd ks bal pnb ku-Arab fa-Latn tg") {
		if !slices.Contains(all, l) {
			t.Errorf("%s is not known", l)
		}
	}
	if len(encoded) > 4<<20 {
		t.Errorf("the model takes %d bytes of the program", len(encoded))
	}
}

func TestIdentifyIsTheSameAgain(t *testing.T) {
	id := model.New()
	first := fmt.Sprint(id.Identify(persianText + englishText))
	id.Identify(arabicText)
	if second := fmt.Sprint(id.Identify(persianText + englishText)); second != first {
		t.Errorf("%s, then %s", first, second)
	}
}

func TestShortTextIsLessSure(t *testing.T) {
	id := model.New()
	short := id.Identify("کتاب")[0].Probability
	if long := id.Identify(persianText)[0].Probability; short >= long {
		t.Errorf("one word is %v sure, a sentence %v", short, long)
	}
}

func share(v []Language, code string) float64 {
	for _, l := range v {
		if l.Code == code {
			return l.Probability
		}
	}
	return 0
}

func TestPageGivesShares(t *testing.T) {
	v := model.New().Page(Page{Text: strings.Repeat(persianText+"\n", 6) + strings.Repeat(englishText+"\n", 3)})
	fa, en := share(v.Shares, "fa"), share(v.Shares, "en")
	if math.Abs(fa-0.65) > 0.06 || math.Abs(en-0.35) > 0.06 {
		t.Errorf("two to one of Persian and English is %.2f and %.2f", fa, en)
	}
	if v.Languages[0].Code != "fa" {
		t.Errorf("the page is %v", v.Languages)
	}
}

// TestBoilerplateDoesNotDecide has a page whose menu and footer are in English, and longer than its one sentence.
func TestBoilerplateDoesNotDecide(t *testing.T) {
	menu := "Home\nAbout\nContact\nSearch\nLogin\nRegister\nPowered by the content management system\n"
	v := model.New().Page(Page{Text: menu + persianText + "\nCopyright 2009, all rights reserved\n"})
	if v.Languages[0].Code != "fa" || v.Languages[0].Probability < 0.8 {
		t.Errorf("the page is %v", v.Languages)
	}
}

// TestManyMenusDoNotDecide has one paragraph among five times as much text in the menus of a template.
func TestManyMenusDoNotDecide(t *testing.T) {
	menu := strings.Repeat("Startseite\nÜber uns\nNeueste Beiträge\nSeite durchsuchen\nAnmelden\n", 8)
	v := model.New().Page(Page{Text: menu + persianText + " " + persianText + "\n" + menu})
	if v.Languages[0].Code != "fa" || v.Languages[0].Probability < 0.8 || share(v.Shares, "de") < 0.6 {
		t.Errorf("the page is %v, its text %v", v.Languages, v.Shares)
	}
}

func TestContentOverrulesTag(t *testing.T) {
	id := model.New()
	if v := id.Page(Page{Text: englishText, Tags: []string{"fa"}}); v.Languages[0].Code != "en" {
		t.Errorf("English text that says fa is %v", v.Languages)
	}
	with := share(id.Page(Page{Text: "سلام دنیا", Tags: []string{"fa-IR"}}).Languages, "fa")
	without := share(id.Page(Page{Text: "سلام دنیا"}).Languages, "fa")
	if with <= without {
		t.Errorf("two words are Persian by %v with a tag and by %v without", with, without)
	}
}

func TestPublished(t *testing.T) {
	for _, c := range []struct {
		page Page
		want bool
		by   Stage
	}{
		{Page{Text: englishText, Tags: []string{"fa-IR"}}, true, ByTag},
		{Page{Text: persianText, Tags: []string{"en"}}, false, ByTag},
		{Page{Text: persianText, Charset: "shift_jis"}, false, ByCharset},
		{Page{Text: englishText, Charset: "utf-8"}, false, ByRange},
		{Page{Text: persianText, Charset: "windows-1256"}, true, ByStopwords},
		{Page{Text: arabicText}, false, ByStopwords},
	} {
		if got, by := Published(c.page); got != c.want || by != c.by {
			t.Errorf("%+v: %v by %s, not %v by %s", c.page, got, by, c.want, c.by)
		}
	}
}

func TestIdentifyNeedsNoMemory(t *testing.T) {
	id := model.New()
	text := strings.Repeat(persianText+englishText, 20)
	if n := testing.AllocsPerRun(20, func() { id.Identify(text) }); n > 2 {
		t.Errorf("%v allocations", n)
	}
}

func FuzzPage(f *testing.F) {
	f.Add(persianText+"\n"+englishText, "fa", "utf-8")
	f.Add("漢字 かな\xff 한국 ﷺ ʻ\u0301", "", "windows-1256")
	id := model.New()
	f.Fuzz(func(t *testing.T, text, tag, charset string) {
		v := id.Page(Page{Text: text, Tags: []string{tag}, Charset: charset})
		for _, list := range [][]Language{v.Languages, v.Shares} {
			sum := 0.0
			for _, l := range list {
				if sum += l.Probability; math.IsNaN(l.Probability) || l.Probability < 0 || l.Code == "" {
					t.Fatalf("%+q: %v", text, list)
				}
			}
			if sum > 1+1e-6 {
				t.Errorf("%+q: %v add up to %v", text, list, sum)
			}
		}
	})
}

func BenchmarkIdentify(b *testing.B) {
	for name, text := range map[string]string{"fa": persianText, "en": englishText} {
		b.Run(name, func(b *testing.B) {
			id := model.New()
			text := strings.Repeat(text+" ", 50)
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				id.Identify(text)
			}
		})
	}
}

// TestCode finds the code of each language that has one with a script, and of tags as they are met.
func TestCode(t *testing.T) {
	for _, code := range model.Codes() {
		if Code(code) != code {
			t.Errorf("%s is %s", code, Code(code))
		}
	}
	for tag, want := range map[string]string{
		"sr-Latn-RS": "sr-Latn", "sr_Cyrl": "sr", "fas": "fa", "fa-IR": "fa", " FA-latn ": "fa-Latn", "kmr-Arab-IQ": "ku-Arab", "": "", "zh-Hans": "zh",
		"Fa-Ir,Farsi,Persian": "fa", " Farsi": "fa", "Persian, English": "fa", "ar; q=1": "ar", "English": "en",
	} {
		if got := Code(tag); got != want {
			t.Errorf("%q is %q, not %q", tag, got, want)
		}
	}
}

// TestFewWordsAreNotSure gives a page of a few words no more certainty than the words give by themselves.
func TestFewWordsAreNotSure(t *testing.T) {
	id := Load().New()
	for _, text := range []string{"این خانه", "خانه ما", "سلام دنیا", "کتاب"} {
		sure := id.Identify(text)[0].Probability
		for _, page := range []Page{{Text: text}, {Text: text + "\n" + "12"}} {
			if v := id.Page(page); v.Languages[0].Probability > sure+0.05 {
				t.Errorf("%q: %s with %.2f as a page, %.2f as a text", text, v.Languages[0].Code, v.Languages[0].Probability, sure)
			}
		}
	}
}
