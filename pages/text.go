package pages

// This file chooses and fills the phrases of pages, in English and Persian.

import (
	"fmt"
	"strings"
)

// Phrase is a text in English and in Persian. The page fills in each %s, in the same order in both. A text "one|many"
// has a singular, which is used if the first argument is 1, and a plural.
type Phrase [2]string

// Words are phrases by their keys.
type Words map[string]Phrase

// common has the words that all pages share.
var common = Words{
	"name":               {"Kavosh", "کاوش"},
	"tagline":            {"The web as it was", "وب، آن‌گونه که بود"},
	"skip":               {"Skip to content", "رفتن به متن"},
	"language":           {"فارسی", "English"},
	"language.hint":      {"این صفحه به فارسی", "This page in English"},
	"nav":                {"Site", "سایت"},
	"version":            {"Kavosh %s", "کاوش %s"},
	"times":              {"Times are in UTC", "ساعت‌ها به وقت جهانی (UTC) است"},
	"calendar.jalali":    {"Jalali dates", "تاریخ‌های هجری خورشیدی"},
	"calendar.gregorian": {"Gregorian dates", "تاریخ‌های میلادی"},
	"theme.dark":         {"Dark colours", "رنگ‌های تیره"},
	"theme.light":        {"Light colours", "رنگ‌های روشن"},
	"lang.und":           {"not known", "ناشناخته"},
	"lang.azb":           {"South Azerbaijani", "ترکی آذربایجانی (ایران)"},
	"lang.hac":           {"Gorani", "گورانی"},
	"lang.trw":           {"Torwali", "توروالی"},
	"lang.sr-Latn":       {"Serbian (Latin)", "صربی (لاتینی)"},
	"graph.table":        {"As a table", "به شکل جدول"},
	"graph.time":         {"Time", "زمان"},
	"graph.count":        {"Number", "تعداد"},
	"graph.bad":          {"Errors", "خطاها"},
	"graph.most":         {"Most: %s, %s", "بیشترین: %s، %s"},
	"graph.scale":        {"twice as high is four times as many", "دو برابر بلندتر یعنی چهار برابر بیشتر"},
	"heat.less":          {"less", "کمتر"},
	"heat.more":          {"more", "بیشتر"},
	"heat.hour":          {"Hour", "ساعت"},
	"share.scale":        {"A bar twice as long means four times as many: so small numbers are seen, too.", "میلهٔ دو برابر درازتر یعنی چهار برابر بیشتر: این‌گونه عددهای کوچک هم دیده می‌شوند."},
	"share.what":         {"What", "مورد"},
	"date.from":          {"From", "از"},
	"date.to":            {"to", "تا"},
	"date.at":            {"As on", "وضعیت در"},
	"date.like":          {"2017-07-25", "۱۳۹۶/۵/۳"},
	"date.hint":          {"Year, month or day, such as 2017, 2017-07, 2017-07-25, or of the Jalali calendar: 1396, 1396/5, 1396/5/3", "سال، ماه یا روز، مانند ۱۳۹۶، ۱۳۹۶/۵، ۱۳۹۶/۵/۳، یا میلادی: ۲۰۱۷، ۲۰۱۷/۷، ۲۰۱۷/۷/۲۵"},
	"date.wrong":         {"This is not a date. Write a year, month or day, such as 2017, 2017-07 or 2017-07-25, or 1396, 1396/5 or 1396/5/3. In 3/5/2020 it is not clear which number is the day: write the year first.", "این تاریخ خوانده نشد. سال، ماه یا روز را بنویسید، مانند ۱۳۹۶، ۱۳۹۶/۵ یا ۱۳۹۶/۵/۳، یا میلادی: ۲۰۱۷، ۲۰۱۷/۷ یا ۲۰۱۷/۷/۲۵. در ۳/۵/۲۰۲۰ روشن نیست کدام روز است: سال را نخست بنویسید."},
	"unit.both":          {"%s %s", "%s و %s"},
	"unit.s":             {"s", "ثانیه"},
	"unit.min":           {"min", "دقیقه"},
	"unit.h":             {"h", "ساعت"},
	"unit.d":             {"d", "روز"},
	"unit.b":             {"B", "بایت"},
	"unit.kb":            {"KB", "کیلوبایت"},
	"unit.mb":            {"MB", "مگابایت"},
	"unit.gb":            {"GB", "گیگابایت"},
	"unit.tb":            {"TB", "ترابایت"},
}

// Say returns the phrase with the given key in the language l, from words or from those that all pages share. It fills
// in args for each %s, with numbers as l writes them.
func (l Lang) Say(words Words, key string, args ...any) string {
	p, ok := words[key]
	if !ok {
		p, ok = common[key]
	}
	if !ok {
		return "⟦" + key + "⟧" // a test searches all pages for these brackets
	}
	s := p[0]
	if l == Persian {
		s = p[1]
	}
	for i, a := range args {
		switch a.(type) {
		case int, int64:
			if one, many, ok := strings.Cut(s, "|"); ok && i == 0 {
				if s = many; fmt.Sprint(a) == "1" {
					s = one
				}
			}
			args[i] = l.Number(a)
		}
	}
	if len(args) == 0 {
		return s
	}
	return fmt.Sprintf(s, args...)
}
