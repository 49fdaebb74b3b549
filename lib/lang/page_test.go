package lang

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestPageOfManyBlocks has more blocks than are weighed each by itself: what comes after them counts as much.
func TestPageOfManyBlocks(t *testing.T) {
	v := model.New().Page(Page{Text: strings.Repeat("book\n", mostBlocks) + strings.Repeat(persianText+"\n", 2000)})
	if fa := share(v.Shares, "fa"); fa < 0.85 || v.Languages[0].Code != "fa" {
		t.Errorf("a long Persian text after as many short English lines: %v", v.Shares)
	}
}

func BenchmarkPage(b *testing.B) {
	for name, text := range map[string]string{
		"text": strings.Repeat(persianText+"\n"+englishText+"\n", 50), "letters": strings.Repeat("a\n", mostBlocks), "scripts": strings.Repeat("a б ا क ב\n", mostBlocks),
	} {
		b.Run(name, func(b *testing.B) {
			id := model.New()
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				id.Page(Page{Text: text})
			}
		})
	}
}

// TestPageGoesOnInAnotherLanguage has much text in one language and then some in another: near or far, of the same letters or not.
func TestPageGoesOnInAnotherLanguage(t *testing.T) {
	const (
		german = "Dieses Buch handelt von der Geschichte des Landes und wurde für alle geschrieben, die sie kennen wollen."
		dutch  = "Dit boek gaat over de geschiedenis van het land en is geschreven voor iedereen die haar wil leren kennen."
		urdu   = "یہ کتاب ملک کی تاریخ کے بارے میں ہے اور ان لوگوں کے لیے لکھی گئی ہے جو اپنا ماضی جاننا چاہتے ہیں۔"
		pashto = "دا کتاب د هېواد د تاریخ په اړه دی او د هغو خلکو لپاره لیکل شوی چې غواړي خپل تېر وخت وپېژني."
	)
	id := model.New()
	for _, c := range []struct{ first, then, a, b string }{
		{englishText, german, "en", "de"}, {german, dutch, "de", "nl"}, {persianText, arabicText, "fa", "ar"}, {persianText, urdu, "fa", "ur"},
		{pashto, persianText, "ps", "fa"}, {persianText, englishText, "fa", "en"},
	} {
		for _, text := range []string{
			strings.Repeat(c.first+"\n", 60) + strings.Repeat(c.then+"\n", 20),
			strings.Repeat(strings.Repeat(c.first+"\n", 3)+c.then+"\n", 20),
		} {
			shares := id.Page(Page{Text: text}).Shares
			letters := func(s string) (n float64) { return float64(strings.Count(text, s) * utf8.RuneCountInString(s)) }
			want := letters(c.then) / (letters(c.first) + letters(c.then))
			if a, b := share(shares, c.a), share(shares, c.b); math.Abs(b-want) > 0.05 || math.Abs(a+want-1) > 0.05 {
				t.Errorf("%.2f %s and then %.2f %s is %v", 1-want, c.a, want, c.b, shares)
			}
		}
	}
}

// TestPagesBeforeDoNotMatter reads pages in an order and in the other, and each by itself.
func TestPagesBeforeDoNotMatter(t *testing.T) {
	var pages []Page
	for _, text := range []string{persianText, englishText, arabicText, persianText + "\n" + englishText} {
		for _, times := range []int{1, 8, 80} {
			pages = append(pages, Page{Text: strings.Repeat(text+"\n", times)})
		}
	}
	forth, back := model.New(), Load().New()
	first := map[int]string{}
	for i, p := range pages {
		first[i] = fmt.Sprint(forth.Page(p))
	}
	for i := len(pages) - 1; i >= 0; i-- {
		if got, alone := fmt.Sprint(back.Page(pages[i])), fmt.Sprint(model.New().Page(pages[i])); got != first[i] || alone != first[i] {
			t.Errorf("%.20q: %s, in the other order %s, by itself %s", pages[i].Text, first[i], got, alone)
		}
	}
}

// countries, cities and people are lists of names in Persian: words that its neighbours write, too.
const (
	countries = "اتریش\nاردن\nارمنستان\nازبکستان\nاسپانیا\nاسترالیا\nاسلواکی\nاسلوونی\nافغانستان\nالبانی\nالجزایر\nاندونزی\nاوگاندا\nایتالیا\nایرلند\nبحرین\nبرزیل\nبلژیک\nبلغارستان\nبنگلادش\nپاراگوئه\nپاکستان\nپاناما\nپرتغال\nپرو\nتاجیکستان\nترکمنستان\nترکیه\nتونس\nجامائیکا\nدانمارک\nروسیه\nرومانی\nزیمبابوه\nژاپن\nسریلانکا\nسنگاپور\nسوئد\nسوریه\nسومالی\nشیلی\nصربستان\nعراق\nعربستان\nعمان\nغنا\nفرانسه\nفنلاند\nفیلیپین\nقبرس\nقرقیزستان\nقزاقستان\nقطر\nکامبوج\nکانادا\nکرواسی\nکلمبیا\nکنیا\nکوبا\nکویت\nگرجستان\nلبنان\nلهستان\nلیبی\nمالزی\nمجارستان\nمراکش\nمصر\nمغولستان\nمکزیک\nنپال\nنروژ\nنیجریه\nونزوئلا\nویتنام\nهلند\nهند\nیمن\nیونان\n"
	people    = "حسن محمودی\nرضا کریمی\nفاطمه احمدی\nزهرا حسینی\nعلی اکبر صالحی\nمحمدرضا نوری\nسعید جلالی\nمریم میرزایی\nعباس قاسمی\nاکبر هاشمی\nنرگس عباسی\nیاسر رحیمی\nمجید طاهری\nناصر حیدری\nسمیرا موسوی\nابراهیم یزدانی\nمصطفی کاظمی\nجواد ابراهیمی\nحمید صادقی\nمنصور اسدی\nلیلا باقری\nمهدی جعفری\nبهرام نجفی\nداریوش فرهادی\nکامران سلطانی\nشهرام اکبری\nآرش مرادی\nسیاوش شریفی\nپروین غلامی\nفرزانه امینی\n"
)

// TestListsOfNames has lists of names and nothing else: they are no text in a rare neighbour of Persian.
func TestListsOfNames(t *testing.T) {
	id := model.New()
	for _, list := range []string{countries, people, countries + people, people + countries} {
		for name, text := range map[string]string{"a name a line": list, "one paragraph": strings.ReplaceAll(list, "\n", "، ")} {
			if v := id.Page(Page{Text: text}); v.Languages[0].Code != "fa" || v.Languages[0].Probability < 0.5 {
				t.Errorf("%.30q, %s: %v of %v", list, name, v.Languages, v.Shares)
			}
		}
	}
}

// TestOddBlocksSpeakForThemselves has a long Persian text and lists of names: what they say is not multiplied.
func TestOddBlocksSpeakForThemselves(t *testing.T) {
	id := model.New()
	for _, times := range []int{20, 60, 200} {
		for _, list := range []string{countries, people, strings.Repeat(countries, 3)} {
			text := strings.Repeat(persianText+"\n", times)
			for _, text := range []string{text + list, list + text, text + list + text} {
				if fa := share(id.Page(Page{Text: text}).Languages, "fa"); fa < 0.8 {
					t.Errorf("%d paragraphs and %d letters of names are Persian by %.2f", times, len(list)/2, fa)
				}
			}
		}
	}
}

// TestBlocksAgainstMenus has pages whose running text is short lines, beside long menu items, or a few longer lines, in
// another language. Where it is known which lines are links, most of the other text decides.
func TestBlocksAgainstMenus(t *testing.T) {
	verse := []string{"ئەی نیشتمانی جوانم هەمیشە لە دڵمدایت", "هەموو ڕۆژێک بیرت دەکەم و نازانم چی بکەم", "خۆشەویستی تۆ لە دڵی من هەرگیز نامرێت", "بە شەو و بە ڕۆژ چاوەڕێی گەڕانەوەتم",
		"دەستم بگرە و لەگەڵ خۆت بمبە بۆ ماڵەوە", "لە باخی گوڵان دا کچێک گۆرانی دەڵێت", "دایکم پێی وتم کە ژیان زۆر کورتە کوڕم", "ئێمە دەگەڕێینەوە بۆ گوندە جوانەکەمان"}
	menu := []string{"صفحهٔ نخست وبلاگ من و همهٔ دوستان خوبم", "پست الکترونیک نویسندهٔ این وبلاگ", "داستان‌های کوتاه و بلند برای خواندن در شب‌های زمستان", "بهترین شعرهای عاشقانهٔ شاعران معاصر ایران",
		"چگونه در خانه نان تازه و خوشمزه بپزیم", "عکس‌های زیبا از شهرها و روستاهای کشور", "همهٔ مطالب سال گذشته را در این‌جا ببینید", "آموزش رایگان رایانه برای کودکان و نوجوانان", "قالب‌های تازه برای وبلاگ شما"}
	spanish := []string{"Cómo abrir la ventana de errores", "El menú de las herramientas de dibujo", "Guardar todos los cambios del documento", "Este botón elimina los errores del registro",
		"La imagen no puede deshacer esta acción", "Elija el nombre y la carpeta del archivo", "Las opciones de la barra de colores", "Más información sobre las capas y los canales", "Puede acceder desde la barra de herramientas", "Seleccione una parte de la imagen con el ratón"}
	english := []string{"This button lets you save the errors to a file, whose name and directory you choose in the window that it opens.", "You can also select a part of the log and save only this part."}
	id := model.New()
	for _, c := range []struct {
		want         string
		linked, rest []string
	}{{"ckb", menu, verse}, {"es", nil, append(spanish, english...)}} {
		p := Page{Text: strings.Join(append(slices.Clone(c.linked), c.rest...), "\n")}
		for i, line := range append(slices.Clone(c.linked), c.rest...) {
			p.Linked = append(p.Linked, 0)
			if i < len(c.linked) {
				p.Linked[i] = len(line)
			}
		}
		if v := id.Page(p); share(v.Languages, c.want) < 0.5 {
			t.Errorf("%v of %v, not %s", v.Languages, v.Shares, c.want)
		} else if p.Linked = nil; share(id.Page(p).Languages, c.want) >= 0.5 {
			t.Errorf("%s even where links are not known", c.want)
		}
	}
}

// TestDeclaredDecides has as much Persian as English: what the page declares decides, but for English, which templates
// declare of themselves.
func TestDeclaredDecides(t *testing.T) {
	id := model.New()
	english := strings.Repeat(englishText+"\n", 4)
	persian := strings.Repeat(persianText+"\n", 4*utf8.RuneCountInString(englishText)/utf8.RuneCountInString(persianText))
	score := func(text string, tags ...string) float64 {
		return share(id.Page(Page{Text: text, Tags: tags}).Languages, "fa")
	}
	plain := score(persian + english)
	if fa := score(persian+english, "fa"); plain > 0.7 || fa < 0.7 {
		t.Errorf("half Persian is %.2f Persian, declared so %.2f", plain, fa)
	}
	if en := score(persian+english, "en"); math.Abs(en-plain) > 0.01 {
		t.Errorf("half Persian is %.2f Persian, declared English %.2f", plain, en)
	}
	if fa := score(english+english, "fa"); fa > 0 {
		t.Errorf("English declared Persian is %.2f Persian", fa)
	}
}

// TestLongPageIsSampled has languages that take turns throughout: the pieces that are read meet both.
func TestLongPageIsSampled(t *testing.T) {
	for period := 2; period <= 6; period++ {
		text := strings.Repeat(strings.Repeat(persianText+"\n", period-1)+arabicText+"\n", 400/period)
		shares := model.New().Page(Page{Text: text}).Shares
		n, m := float64((period-1)*utf8.RuneCountInString(persianText)), float64(utf8.RuneCountInString(arabicText))
		if fa, want := share(shares, "fa"), n/(n+m); math.Abs(fa-want) > 0.05 {
			t.Errorf("one block of %d in Arabic: %.2f Persian, not %.2f", period, fa, want)
		}
	}
}
