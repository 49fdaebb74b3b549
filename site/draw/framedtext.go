package draw

import "kavosh/pages"

// framedTexts has what the page says on which links are framed.
var framedTexts = pages.Words{
	"framed.title":    {"The links of %s", "پیوندهای %s"},
	"framed.heading":  {"The links of", "پیوندهای"},
	"framed.lead":     {"each link has a frame that says what the archive has of where it leads. A click on one chooses it in the list.", "هر پیوند قابی دارد که می‌گوید بایگانی از مقصد آن چه دارد. با کلیک روی هر یک، در فهرست برگزیده می‌شود."},
	"framed.legend":   {"What frames mean", "معنای قاب‌ها"},
	"framed.links":    {"Links", "پیوندها"},
	"framed.list":     {"Where the links lead", "مقصد پیوندها"},
	"framed.none":     {"No link leads from this page.", "از این صفحه پیوندی به جایی نمی‌رود."},
	"framed.more":     {"%s more link was not looked up.|%s more links were not looked up.", "%s پیوند دیگر بررسی نشده است."},
	"framed.shown":    {"what is shown is of", "آنچه نشان داده می‌شود از"},
	"framed.fits":     {"in the archive as it was beside this page", "در بایگانی هست، همان‌گونه که کنار این صفحه بود"},
	"framed.violates": {"in the archive, but another version was there then", "در بایگانی هست، اما آن زمان نسخه‌ای دیگر برقرار بود"},
	"framed.unsure":   {"in the archive; nothing tells whether it was so then", "در بایگانی هست؛ معلوم نیست آن زمان هم چنین بود"},
	"framed.failed":   {"missing: there are nothing but errors", "گم‌شده: تنها خطا ثبت شده است"},
	"framed.absent":   {"never captured", "هرگز ثبت نشده است"},
	"framed.how":      {"What is shown is the capture nearest in time. It was so beside this page if captures before and after are the same, or if it says itself that it had not changed since.", "نزدیک‌ترین نسخه از نظر زمان نشان داده می‌شود. کنار این صفحه همان بود اگر نسخه‌های پیش و پس از آن یکسان باشند، یا خودش بگوید که از آن زمان تغییر نکرده است."},
}
