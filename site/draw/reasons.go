package draw

// This file translates the reasons that crawl logs give for URLs that were not requested: of scope, robots.txt and hosts.

import (
	"regexp"
	"strconv"
	"strings"

	"kavosh/pages"
)

// reasons has sentences of logs with their Persian; the first that fits counts. In English % stands for what differs, of
// which {1} in Persian is the first. site's tests hold the table to what scope says.
var reasons = []struct{ english, persian string }{
	{"only http and https are fetched", "تنها نشانی‌های http و https درخواست می‌شود"},
	{"excluded by --exclude %", "کنار گذاشته با ⁦--exclude⁩ {1}"},
	{"rule % of its seed: %", "قاعدهٔ {1} از قاعده‌های نشانی آغازین آن: {2}"},
	{"rule %: %", "قاعدهٔ {1}: {2}"},
	{"not what a reader would click", "خواننده روی آن کلیک نمی‌کند"},
	{"more than % redirects in a row", "بیش از {1} جابه‌جایی پیاپی"},
	{"more than % embeds in a row", "بیش از {1} جزء صفحه، هر یک درون دیگری"},
	{"more than % sitemaps in a row", "بیش از {1} نقشهٔ سایت پیاپی"},
	{"guessed in a page that was itself a guess", "حدسی در صفحه‌ای که نشانی‌اش خود حدس بود"},
	{"the link or its page says nofollow", "پیوند یا صفحهٔ آن نشان nofollow دارد"},
	{"more than % hops from its seed", "بیش از {1} گام از نشانی آغازین"},
	{"not a seed and not embedded in one (--scope page)", "نه نشانی آغازین است و نه جزئی از صفحهٔ آن (⁦--scope page⁩)"},
	{"not below a seed's path (--scope prefix)", "زیر مسیر هیچ نشانی آغازینی نیست (⁦--scope prefix⁩)"},
	{"% is no seed's host (--scope host)", "{1} میزبان هیچ نشانی آغازینی نیست (⁦--scope host⁩)"},
	{"% is in no seed's domain (--scope domain)", "{1} در دامنهٔ هیچ نشانی آغازینی نیست (⁦--scope domain⁩)"},
	{"extra hop %, and its seed may have %", "گام {1} در بیرون از دامنه، حال آنکه نشانی آغازین آن {2} گام روا می‌داند"},
	{"its sitemap says that it was last changed on %, and --since takes what was changed from % on",
		"به گفتهٔ نقشهٔ سایت آخرین تغییر آن در {1} بود و ⁦--since⁩ تنها تغییرهای {2} به بعد را می‌گیرد"},
	{"its sitemap says that it never changes, and --since takes what was changed", "به گفتهٔ نقشهٔ سایت هرگز تغییر نمی‌کند و ⁦--since⁩ تنها تغییرها را می‌گیرد"},
	{"part of a page that --only keeps out of the archive", "جزء صفحه‌ای که ⁦--only⁩ آن را در بایگانی نگه نمی‌دارد"},
	{"visited on %, and --skip-younger leaves out what was visited since %", "در {1} بازدید شده است و ⁦--skip-younger⁩ آنچه را از {2} به بعد بازدید شده کنار می‌گذارد"},
	{"visited on %, and last changed on % by the word of its site, whose trust is % (--skip-younger lastmod)", "در {1} بازدید شده است و به گفتهٔ سایتش آخرین بار در {2} تغییر کرده است؛ اعتبار گفتهٔ آن سایت {3} است (⁦--skip-younger lastmod⁩)"},
	{"found in the second round, which visits the pages of the first and their parts", "در دور دوم یافته شده است، و آن دور تنها صفحه‌های دور نخست و جزءهایشان را بازدید می‌کند"},
	{"it logs out, and the crawl is logged in there by the profile %", "پیوند خروج است و خزش در آنجا با ورودِ نگه‌داشتهٔ {1} وارد شده است"},
	{"--keep %: % since the capture of %, importance %", "⁦--keep {1}⁩: از ثبت {3} تاکنون ⁦{2}⁩، اهمیت {4}"},
	{"dropped from the queue by %", "{1} آن را از صف برداشت"},
	{"trap: a URL of more than % bytes", "دام: نشانی بلندتر از {1} بایت"},
	{"trap: a path of more than % segments", "دام: مسیری با بیش از {1} بخش"},
	{"trap: a path of % segments, only % of them different", "دام: مسیری با {1} بخش که تنها {2} بخش آن متفاوت است"},
	{"trap: % stands % times in a row in the path", "دام: {1} در مسیر {2} بار پیاپی آمده است"},
	{"trap: a query of more than % parameters", "دام: پرس‌وجویی با بیش از {1} پارامتر"},
	{"trap: the parameter % stands % times in the query", "دام: پارامتر {1} در پرس‌وجو {2} بار آمده است"},
	{"trap: a calendar at the year %, more than % years ahead", "دام: تقویمی در سال {1}، بیش از {2} سال پیش رو"},
	{"trap: more than % clicks from a seed (--max-hops sets another bound)", "دام: بیش از {1} کلیک از نشانی آغازین (⁦--max-hops⁩ حد دیگری می‌گذارد)"},
	{"robots.txt line %: %", "سطر {1} از robots.txt: {2}"},
	{"robots.txt could not be had (status %), asked once", "robots.txt به دست نیامد (وضعیت {1})، یک بار درخواست شد"},
	{"robots.txt could not be had (status %), asked % times", "robots.txt به دست نیامد (وضعیت {1})، {2} بار درخواست شد"},
	{"robots.txt could not be had (%), asked once", "robots.txt به دست نیامد ({1})، یک بار درخواست شد"},
	{"robots.txt could not be had (%), asked % times", "robots.txt به دست نیامد ({1})، {2} بار درخواست شد"},
	{"robots.txt was not read: it redirects to %, which is left out (%)", "robots.txt خوانده نشد: به {1} می‌رود که کنار گذاشته شده است ({2})"},
	{"no address was found for %, whenever it was looked up: not asked again for a day", "برای {1} هیچ بار نشانی‌ای پیدا نشد: تا یک روز درخواست نمی‌شود"},
	{"% did not answer % requests in a row (%): not asked again for a day", "{1} به {2} درخواست پیاپی پاسخ نداد ({3}): تا یک روز درخواست نمی‌شود"},
}

// fits are the English sentences of reasons as regular expressions, in their order.
var fits = func() (all []*regexp.Regexp) {
	for _, r := range reasons {
		all = append(all, regexp.MustCompile("^(?s:"+strings.ReplaceAll(regexp.QuoteMeta(r.english), "%", "(.+?)")+")$"))
	}
	return all
}()

// Reason translates why a URL was not requested, in the words of a log. It returns "" for English, and if there is no
// translation. What differs stands from left to right, and whole numbers have the digits of the language.
func Reason(lang pages.Lang, english string) string {
	if lang != pages.Persian {
		return ""
	}
	for i, re := range fits {
		found := re.FindStringSubmatch(english)
		if found == nil {
			continue
		}
		var pairs []string
		for n, value := range found[1:] {
			if strings.Trim(value, "0123456789") == "" {
				value = lang.Digits(value)
			} else {
				value = "\u2066" + value + "\u2069"
			}
			pairs = append(pairs, "{"+strconv.Itoa(n+1)+"}", value)
		}
		return strings.NewReplacer(pairs...).Replace(reasons[i].persian)
	}
	return ""
}
