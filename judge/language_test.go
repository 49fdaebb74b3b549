package judge

import (
	"strings"
	"testing"

	"kavosh"
	"kavosh/lib/lang"
)

const (
	persianText = "کتاب‌های کهن در این شهر بیش از هر جای دیگر نگهداری می‌شوند و خوانندگان بسیاری از آن‌ها دیدن می‌کنند. این کتابخانه هر روز باز است و همه می‌توانند در آن بنشینند و بخوانند."
	arabicText  = "الكتب القديمة محفوظة في هذه المدينة أكثر من أي مكان آخر ويزورها كثير من القراء كل يوم. المكتبة مفتوحة للجميع ويمكن لكل من يريد أن يجلس فيها ويقرأ ما يشاء."
	englishText = "The old books are kept in this town more than anywhere else, and many readers come to see them every day. The library is open and everybody may sit in it and read."
)

// TestLanguage judges pages that say what they are, that do not, and that lie, by each kind of evidence.
func TestLanguage(t *testing.T) {
	judges, model := map[string]Judge{}, lang.Load()
	for _, c := range []struct {
		value string
		page  kavosh.Page
		want  bool
	}{
		{"fa", kavosh.Page{Text: persianText}, true},
		{"fa", kavosh.Page{Text: arabicText}, false},
		{"fa", kavosh.Page{Text: englishText, Lang: "fa"}, false}, // a template's tag
		{"fa", kavosh.Page{Text: persianText, Lang: "en-US"}, true},
		{"fa", kavosh.Page{Text: "Home\nAbout\n" + persianText + "\n" + persianText}, true},
		{"fa", kavosh.Page{Text: persianText + "\n" + strings.Repeat(englishText+"\n", 4)}, false},
		{"fa", kavosh.Page{Lang: "fa"}, true}, // frames
		{"fa", kavosh.Page{Lang: "fa", Title: "A"}, true},
		{"fa", kavosh.Page{Lang: "fa-IR", Title: "Untitled Document"}, true},
		{"fa", kavosh.Page{Lang: "Farsi", Text: "Home"}, true},
		{"fa", kavosh.Page{Lang: "ru", Title: "A"}, false},
		{"fa", kavosh.Page{Lang: "en", Title: "کتاب‌های کهن"}, true},
		{"en", kavosh.Page{Lang: "fa", Title: "The history of the old books of our town"}, true},
		{"fa", kavosh.Page{}, false},
		{"ar", kavosh.Page{Text: arabicText}, true},
		{"en", kavosh.Page{Text: englishText}, true},
		{"fa,by=text", kavosh.Page{Lang: "fa"}, false},
		{"fa,by=tag", kavosh.Page{Text: englishText, Lang: "fa-IR"}, true},
		{"fa,by=tag", kavosh.Page{Text: persianText}, false},
		{"sr-Latn,by=tag", kavosh.Page{Text: englishText, Lang: "sr-latn-RS"}, true},
		{"sr-Latn,by=tag", kavosh.Page{Text: englishText, Lang: "sr"}, false},
		{"sr,by=tag", kavosh.Page{Text: englishText, Lang: "sr_Cyrl"}, true},
		{"sr,by=tag", kavosh.Page{Text: englishText, Lang: "sr-Latn"}, false},
		{"az,by=tag", kavosh.Page{Text: englishText, Lang: "az-Latn-AZ"}, true},
		{"fa,by=published", kavosh.Page{Text: englishText, Lang: "fa"}, true},
		{"fa,by=published", kavosh.Page{Text: persianText}, true},
		{"fa,by=published", kavosh.Page{Text: englishText}, false},
	} {
		if judges[c.value] == nil {
			judges[c.value] = must(Language(model, c.value))
		}
		v := judges[c.value].Judge(&c.page)
		if v.Relevant() != c.want || v.Score > 1 || v.Score < 0 {
			t.Errorf("%s of %.30q, declared %q: %.2f %s", c.value, c.page.Text, c.page.Lang, v.Score, v.Why())
		}
	}
	j := judges["fa"]
	if fa, ar, none := j.Text("کتاب‌های کهن ایران"), j.Text("الكتب القديمة"), j.Text("12 - 13"); fa < 0.5 || ar > 0.5 || none != 0 {
		t.Errorf("anchors: %.2f %.2f %.2f", fa, ar, none)
	}
}
