package charset

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
	"golang.org/x/text/encoding/unicode"
)

// Persian as it was typed for windows-1256: Arabic yeh, Persian kaf, and the four letters پ چ ژ گ.
const (
	persian   = "پيش از ظهر چند گزارش ديگر دربارهٔ ژاله و پژوهشگران کشور خوانديم و گفتند که چاپ کتاب دير شد."
	arabicT   = "ولد جميع الناس أحرارا متساوين في الكرامة والحقوق وقد وهبوا عقلا وضميرا وعليهم أن يعامل بعضهم بعضا بروح الإخاء."
	russian   = "Все люди рождаются свободными и равными в своем достоинстве и правах."
	french    = "L’été dernier, à la fête des pères, Noël a goûté une crème brûlée très sucrée; ça a plu à sa sœur aînée."
	german    = "Die Größe der Straßen überraschte Jörg, der für schöne Gärten Äpfel, Öl und Übermut mitbrachte."
	spanish   = "Él está aquí; allí hay más árboles y jardines. ¿Qué dirá José mañana del corazón de la canción?"
	japanese1 = "すべての人間は、生まれながらにして自由であり、かつ、尊厳と権利とについて平等である。"
	chinese   = "人人生而自由，在尊严和权利上一律平等。他们赋有理性和良心，并应以兄弟关系的精神相对待。"
	korean1   = "모든 인간은 태어날 때부터 자유로우며 그 존엄과 권리에 있어 동등하다."
)

func encode(t testing.TB, enc encoding.Encoding, s string) string {
	t.Helper()
	out, err := encoding.ReplaceUnsupported(enc.NewEncoder()).String(s)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func page(meta, body string) string {
	return "<!DOCTYPE html><html><head>" + meta + "<title>page</title></head><body class=\"main\"><p>" + body + "</p></body></html>"
}

func TestDecode(t *testing.T) {
	ascii := strings.Repeat("<!-- nothing but ASCII here -->\n", 200)
	for _, c := range []struct {
		what   string
		header string
		body   string
		name   string
		text   string // must be found in what comes out
	}{
		{"nothing", "", "", "utf-8", ""},
		{"ASCII", "text/html", page("", "plain"), "utf-8", "plain"},
		{"ASCII declared", "text/html; charset=Latin1", page("", "plain"), "windows-1252", "plain"},
		{"header", "text/html; charset=windows-1256", page("", encode(t, charmap.Windows1256, persian)), "windows-1256", "پژوهشگران"},
		{"meta charset", "text/html", page("<meta charset=windows-1256>", encode(t, charmap.Windows1256, persian)), "windows-1256", "پژوهشگران"},
		{"meta http-equiv", "", page(`<META HTTP-EQUIV="Content-Type" CONTENT="text/html; CHARSET=Windows-1256">`, encode(t, charmap.Windows1256, persian)), "windows-1256", "گزارش"},
		{"header beats meta", "text/html; charset=windows-1251", page("<meta charset=koi8-r>", encode(t, charmap.Windows1251, russian)), "windows-1251", "люди"},
		{"late meta", "", page(ascii+"<meta charset=gbk>", encode(t, simplifiedchinese.GBK, chinese)), "gbk", "尊严"},
		{"meta in a comment", "", page("<!-- <meta charset=gbk> -->", encode(t, charmap.Windows1256, persian)), "windows-1256", "پيش"},
		{"description that speaks of charsets", "", page(`<meta name=description content="set charset=gbk">`, encode(t, charmap.Windows1256, persian)), "windows-1256", "پيش"},
		{"unknown label", "text/html; charset=persian-new", page("", encode(t, charmap.Windows1256, persian)), "windows-1256", "پيش"},
		{"broken header", `text/html;;charset = "UTF-8"; x`, page("", persian), "utf-8", "پيش"},

		{"undeclared windows-1256", "text/html", page("", encode(t, charmap.Windows1256, persian)), "windows-1256", "چاپ"},
		{"declared as Latin", "text/html; charset=iso-8859-1", page("", encode(t, charmap.Windows1256, persian)), "windows-1256", "چاپ"},
		{"declared as UTF-8", "text/html; charset=utf-8", page("", encode(t, charmap.Windows1256, persian)), "windows-1256", "چاپ"},
		{"meta says UTF-8", "", page("<meta charset=utf-8>", encode(t, charmap.Windows1256, persian)), "windows-1256", "چاپ"},
		{"declared as Cyrillic", "text/html; charset=windows-1251", page("", encode(t, charmap.Windows1256, persian)), "windows-1256", "چاپ"},
		{"declared as iso-8859-6", "text/html; charset=iso-8859-6", page("", encode(t, charmap.Windows1256, persian)), "windows-1256", "چاپ"},
		{"undeclared iso-8859-6", "", page("", encode(t, charmap.ISO8859_6, arabicT)), "iso-8859-6", "الكرامة"},
		{"undeclared Arabic", "", page("", encode(t, charmap.Windows1256, arabicT)), "windows-1256", "الكرامة"},

		{"undeclared UTF-8 after kilobytes of ASCII", "text/html", page(ascii, persian), "utf-8", "پژوهشگران"},
		{"UTF-8 declared as Latin", "text/html; charset=iso-8859-1", page("", persian), "utf-8", "پژوهشگران"},
		{"UTF-8 declared as windows-1256", "", page("<meta charset=windows-1256>", persian), "utf-8", "پژوهشگران"},
		{"UTF-8 with one torn letter", "", page("", strings.Repeat(persian, 3)+"\xd9 "), "utf-8", "پژوهشگران"},
		{"UTF-8 cut in a letter", "", page("", persian)[:100] + "\xd9", "utf-8", "پيش"},

		{"UTF-8 mark", "text/html; charset=windows-1252", "\xEF\xBB\xBF" + persian, "utf-8", "پيش"},
		{"UTF-16LE mark", "text/html; charset=utf-8", encode(t, unicode.UTF16(unicode.LittleEndian, unicode.UseBOM), page("", persian)), "utf-16le", "پيش"},
		{"UTF-16BE mark", "", encode(t, unicode.UTF16(unicode.BigEndian, unicode.UseBOM), page("", persian)), "utf-16be", "پيش"},
		{"UTF-16LE by its markup", "", encode(t, unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM), page("", persian)), "utf-16le", "پيش"},
		{"meta cannot say UTF-16", "", page("<meta charset=utf-16>", persian), "utf-8", "پيش"},

		{"GBK", "", page("<meta charset=gb2312>", encode(t, simplifiedchinese.GBK, chinese)), "gbk", "尊严"},
		{"Big5", "text/html; charset=big5", page("", encode(t, traditionalchinese.Big5, "人人生而自由")), "big5", "生而自由"},
		{"Shift_JIS", "text/html; charset=Shift_JIS", page("", encode(t, japanese.ShiftJIS, japanese1)), "shift_jis", "人間"},
		{"EUC-JP", "", page("<meta charset=euc-jp>", encode(t, japanese.EUCJP, japanese1)), "euc-jp", "人間"},
		{"ISO-2022-JP", "", page("<meta charset=iso-2022-jp>", encode(t, japanese.ISO2022JP, japanese1)), "iso-2022-jp", "人間"},
		{"EUC-KR", "text/html; charset=ks_c_5601-1987", page("", encode(t, korean.EUCKR, korean1)), "euc-kr", "인간은"},

		{"French", "", page("", encode(t, charmap.Windows1252, french)), "windows-1252", "crème brûlée"},
		{"German", "", page("", encode(t, charmap.Windows1252, german)), "windows-1252", "Größe"},
		{"Spanish", "", page("", encode(t, charmap.Windows1252, spanish)), "windows-1252", "corazón"},
		{"French declared", "text/html; charset=iso-8859-1", page("", encode(t, charmap.Windows1252, french)), "windows-1252", "sucrée"},
		{"Russian", "", page("", encode(t, charmap.Windows1251, russian)), "windows-1251", "достоинстве"},
		{"Russian in KOI8", "", page("", encode(t, charmap.KOI8R, russian)), "koi8-r", "достоинстве"},
		{"signs only", "", page("", "\xa9 2004 \xab a \xbb \x85"), "windows-1252", "©"},

		{"XML", "application/xml", `<?xml version="1.0" encoding="windows-1256"?><a>` + encode(t, charmap.Windows1256, persian) + "</a>", "windows-1256", "گزارش"},
		{"CSS", "text/css", `@charset "windows-1256"; a:after{content:"` + encode(t, charmap.Windows1256, "گل") + `"}`, "windows-1256", "گل"},
	} {
		text, name, _ := Decode([]byte(c.body), c.header)
		if name != c.name || !strings.Contains(string(text), c.text) {
			t.Errorf("%s: %s without %q, want %s:\n%.300q", c.what, name, c.text, c.name, text)
		}
	}
}

func TestDecodeIsCertainOnlyOfWhatWasDeclaredOrProved(t *testing.T) {
	for header, want := range map[string]bool{"": false, "text/html; charset=windows-1256": true} {
		if _, _, certain := Decode([]byte(encode(t, charmap.Windows1256, persian)), header); certain != want {
			t.Errorf("header %q: certain %v, want %v", header, certain, want)
		}
	}
	if _, _, certain := Decode([]byte(persian), ""); !certain {
		t.Error("valid UTF-8 is proof")
	}
}

func TestDecodeLeavesItsInputAlone(t *testing.T) {
	in := []byte(page("", persian))
	out, _, _ := Decode(in, "")
	if &in[0] != &out[0] {
		t.Error("UTF-8 was copied")
	}
	old := []byte(encode(t, charmap.Windows1256, persian))
	kept := bytes.Clone(old)
	Decode(old, "")
	if !bytes.Equal(old, kept) {
		t.Error("the payload was changed")
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(page("<meta charset=windows-1256>", "\xd3\xe1\xc7\xe3")), "text/html")
	f.Add([]byte("\xff\xfe<\x00"), "text/html; charset=gbk")
	f.Add([]byte(`<meta charset="`), `charset='`)
	f.Add([]byte(`<?xml encoding='`), "charset")
	f.Fuzz(func(t *testing.T, payload []byte, contentType string) {
		text, name, _ := Decode(payload, contentType)
		if !utf8.Valid(text) {
			t.Errorf("%s: not UTF-8: %q", name, text)
		}
		if _, canonical := Lookup(name); canonical != name {
			t.Errorf("%q is not a WHATWG name", name)
		}
		if len(text) > 3*len(payload)+3 {
			t.Errorf("%d bytes grew to %d", len(payload), len(text))
		}
	})
}

func BenchmarkDecode(b *testing.B) {
	for name, body := range map[string]string{
		"ascii":        page("", strings.Repeat("some words and <b>tags</b> ", 2000)),
		"utf-8":        page("", strings.Repeat(persian, 300)),
		"windows-1256": page("", strings.Repeat(encode(b, charmap.Windows1256, persian), 600)),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			for b.Loop() {
				Decode([]byte(body), "text/html")
			}
		})
	}
}
