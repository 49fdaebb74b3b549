package pages

import (
	"fmt"
	"strings"
)

// phrase is a text in both languages. %s stand for what the page fills in, in the same order in both. A "one|many" text
// is chosen from by the first argument being one.
type phrase struct{ en, fa string }

// phrases are all words of all pages and of the banner.
var phrases = map[string]phrase{
	"name":          {"Kavosh", "کاوش"},
	"tagline":       {"The web as it was", "وب، آن‌گونه که بود"},
	"skip":          {"Skip to content", "رفتن به متن"},
	"language":      {"فارسی", "English"},
	"language.hint": {"این صفحه به فارسی", "This page in English"},
	"nav":           {"Site", "سایت"},
	"home":          {"Collections", "مجموعه‌ها"},
	"version":       {"Kavosh %s", "کاوش %s"},
	"utc":           {"UTC", "به وقت جهانی"},
	"all":           {"All collections", "همهٔ مجموعه‌ها"},

	"home.title":    {"Web archive", "بایگانی وب"},
	"home.lead":     {"Enter the address of a page to see when it was captured.", "نشانی یک صفحه را بنویسید تا ببینید چه زمان‌هایی ثبت شده است."},
	"home.none":     {"No captures yet. Record a site, then serve its archive:", "هنوز چیزی ثبت نشده است. وبگاهی را ثبت کنید و بایگانی‌اش را بیاورید:"},
	"home.first":    {"First", "نخستین"},
	"home.last":     {"Latest", "تازه‌ترین"},
	"home.counting": {"being counted", "در حال شمارش"},

	"search.label":      {"Address of a page", "نشانی صفحه"},
	"search.collection": {"Collection", "مجموعه"},
	"search.button":     {"Show captures", "نمایش نسخه‌ها"},
	"search.bad":        {"“%s” is not an address of the web. Write it as in example.com/page.", "«%s» نشانی وب نیست. آن را مانند example.com/page بنویسید."},

	"list.label":    {"Addresses that begin with", "نشانی‌هایی که آغازشان این است"},
	"list.button":   {"List", "فهرست"},
	"list.captures": {"Captures", "نسخه‌ها"},
	"list.last":     {"Latest", "تازه‌ترین"},
	"list.type":     {"Type", "نوع"},
	"list.address":  {"Address", "نشانی"},
	"list.none":     {"No address in this collection begins so. Try a shorter one, such as the host alone.", "هیچ نشانی‌ای در این مجموعه چنین آغاز نمی‌شود. کوتاه‌ترش را بیازمایید، مثلاً تنها نام میزبان."},
	"list.prev":     {"Previous page", "صفحهٔ پیش"},
	"list.next":     {"Next page", "صفحهٔ بعد"},
	"list.page":     {"Page %s", "صفحهٔ %s"},

	"captures":         {"%s capture|%s captures", "%s نسخه"},
	"calendar.title":   {"Captures of %s", "نسخه‌های %s"},
	"calendar.heading": {"Captures of", "نسخه‌های"},
	"calendar.between": {"from %s to %s", "از %s تا %s"},
	"calendar.once":    {"on %s", "در %s"},
	"calendar.years":   {"Captures by month", "نسخه‌ها به تفکیک ماه"},
	"calendar.list":    {"All captures", "همهٔ نسخه‌ها"},
	"calendar.newest":  {"The newest %s", "تازه‌ترین‌ها: %s"},
	"calendar.more":    {"For older ones choose a day above, or read the full list:", "برای نسخه‌های کهنه‌تر روزی را از تقویم برگزینید یا فهرست کامل را بخوانید:"},
	"calendar.timemap": {"TimeMap", "TimeMap"},
	"calendar.time":    {"Time", "زمان"},
	"calendar.status":  {"Status", "وضعیت"},
	"calendar.type":    {"Type", "نوع"},
	"calendar.size":    {"Size", "اندازه"},
	"calendar.details": {"Details", "جزئیات"},
	"calendar.same":    {"unchanged", "بی‌تغییر"},
	"calendar.other":   {"These captures are of addresses that differ a little from the one asked for, such as in capitals or a slash at the end.", "این نسخه‌ها از نشانی‌هایی هستند که اندکی با نشانی خواسته‌شده فرق دارند، مثلاً در بزرگی حروف یا ممیز پایانی."},

	"capture.title":    {"Capture of %s", "نسخهٔ %s"},
	"capture.heading":  {"Capture of", "نسخهٔ"},
	"capture.open":     {"Open page", "باز کردن صفحه"},
	"capture.raw":      {"Bytes as archived", "بایت‌ها، چنان‌که بایگانی شد"},
	"capture.calendar": {"All captures", "همهٔ نسخه‌ها"},
	"capture.time":     {"Captured", "زمان ثبت"},
	"capture.coll":     {"Collection", "مجموعه"},
	"capture.status":   {"Status", "وضعیت"},
	"capture.type":     {"Type", "نوع"},
	"capture.digest":   {"Digest", "چکیده"},
	"capture.file":     {"File", "پرونده"},
	"capture.offset":   {"Offset", "جای رکورد"},
	"capture.length":   {"Record size", "اندازهٔ رکورد"},
	"capture.original": {"Content from", "محتوا از"},
	"capture.headers":  {"Headers as archived", "سرآیندها، چنان‌که بایگانی شد"},

	"banner.archive":   {"Archive", "بایگانی"},
	"banner.archived":  {"Archived page", "صفحهٔ بایگانی‌شده"},
	"banner.region":    {"Web archive", "بایگانی وب"},
	"banner.prev":      {"Earlier", "پیشین"},
	"banner.next":      {"Later", "پسین"},
	"banner.hide":      {"Hide", "پنهان کردن"},
	"banner.home":      {"Collections", "مجموعه‌ها"},
	"banner.truncated": {"This capture was cut short: part of the page is missing.", "ثبت این نسخه ناتمام ماند: بخشی از صفحه نیست."},
	"banner.revisit":   {"Unchanged since %s; the content is from then.", "از %s تغییر نکرده است؛ محتوا از همان زمان است."},
	"banner.status":    {"The server answered with status %s.", "پاسخ کارساز، وضعیت %s بود."},

	"problem.no-capture":         {"Not in the archive", "در بایگانی نیست"},
	"problem.no-capture.do":      {"No capture of this address was found. It may never have been linked, or it was out of the crawl's scope. Look for it by a shorter address, or ask the archive why:", "نسخه‌ای از این نشانی پیدا نشد. شاید پیوندی به آن نبوده یا بیرون از دامنهٔ کاوش بوده است. نشانی کوتاه‌تری را بجویید، یا دلیل را از بایگانی بپرسید:"},
	"problem.no-original":        {"Its content is not here", "محتوای آن اینجا نیست"},
	"problem.no-original.do":     {"The record says only that the page had not changed since an earlier capture, and that capture is not in this collection. Serve the archive that holds it too, and open the page in “all collections”:", "این رکورد تنها می‌گوید که صفحه از نسخه‌ای پیشین تغییر نکرده است و آن نسخه در این مجموعه نیست. بایگانی دارندهٔ آن را نیز بیاورید و صفحه را در «همهٔ مجموعه‌ها» باز کنید:"},
	"problem.no-page":            {"There is no such page", "چنین صفحه‌ای نیست"},
	"problem.no-page.do":         {"Begin at the list of collections. Addresses of archived pages look like this:", "از فهرست مجموعه‌ها آغاز کنید. نشانی صفحه‌های بایگانی چنین است:"},
	"problem.bad-request":        {"The address cannot be read", "نشانی خوانا نیست"},
	"problem.bad-request.do":     {"Addresses of archived pages look like this:", "نشانی صفحه‌های بایگانی چنین است:"},
	"problem.accept-datetime":    {"The wanted time cannot be read", "زمان خواسته‌شده خوانا نیست"},
	"problem.accept-datetime.do": {"The header holds one date, like this:", "این سرآیند یک تاریخ می‌پذیرد، مانند:"},
	"problem.method":             {"An archive only shows", "بایگانی تنها نشان می‌دهد"},
	"problem.method.do":          {"Forms and other requests that send something reach no server here. Go back to the page.", "فرم‌ها و درخواست‌هایی که چیزی می‌فرستند در اینجا به هیچ کارسازی نمی‌رسند. به صفحهٔ پیش بازگردید."},
	"problem.service-worker":     {"No service workers", "بدون service worker"},
	"problem.service-worker.do":  {"An archived page may not take over the addresses of others. The page works without.", "صفحهٔ بایگانی‌شده نمی‌تواند نشانی‌های دیگران را در دست گیرد. صفحه بدون آن کار می‌کند."},
	"problem.broken":             {"The archive cannot be read", "بایگانی خوانده نمی‌شود"},
	"problem.broken.do":          {"A record or the index is damaged or missing. See what is wrong, then make the index again:", "رکورد یا نمایه آسیب دیده یا نیست. ببینید چه آسیبی دیده است و سپس نمایه را از نو بسازید:"},
	"problem.access-metadata":    {"Held, and not shown", "نگهداری می‌شود و نمایش داده نمی‌شود"},
	"problem.access-metadata.do": {"The archive holds this page and may not show it. Its address and its times are listed.", "بایگانی این صفحه را دارد و اجازهٔ نمایش آن را ندارد. نشانی و زمان‌های آن فهرست شده است."},
	"problem.access-on-site":     {"Shown in the reading room only", "تنها در تالار مطالعه نمایش داده می‌شود"},
	"problem.access-on-site.do":  {"The archive may show this page only at its own addresses. Its address and its times are listed.", "بایگانی این صفحه را تنها در نشانی‌های خود می‌تواند نمایش دهد. نشانی و زمان‌های آن فهرست شده است."},
	"problem.access-embargo":     {"Not shown yet", "هنوز نمایش داده نمی‌شود"},
	"problem.access-embargo.do":  {"The archive holds this page and may show it only after a time. Its address and its times are listed.", "بایگانی این صفحه را دارد و تنها پس از مدتی می‌تواند آن را نمایش دهد. نشانی و زمان‌های آن فهرست شده است."},
	"problem.access-takedown":    {"No longer shown", "دیگر نمایش داده نمی‌شود"},
	"problem.access-takedown.do": {"The archive was asked to show this page no longer, or may not show it.", "از بایگانی خواسته‌اند که این صفحه را دیگر نمایش ندهد، یا نمایش آن مجاز نیست."},
	"problem.no-collection":      {"There is no such collection", "چنین مجموعه‌ای نیست"},
	"problem.no-collection.do":   {"Choose one from the list of collections.", "یکی را از فهرست مجموعه‌ها برگزینید."},
	"problem.cause":              {"Cause", "علت"},
	"problem.calendar":           {"Captures of this address", "نسخه‌های این نشانی"},
	"problem.list":               {"Addresses of this host in the archive", "نشانی‌های این میزبان در بایگانی"},
	"unit.b":                     {"B", "بایت"},
	"unit.kb":                    {"KB", "کیلوبایت"},
	"unit.mb":                    {"MB", "مگابایت"},
	"unit.gb":                    {"GB", "گیگابایت"},
	"unit.tb":                    {"TB", "ترابایت"},
}

// examples are what a person may type or write, the same in every language, under the key of the problem they help with.
var examples = map[string]string{
	"home.none":       "kavosh crawl --archive DIR URL\nkavosh serve --archive DIR",
	"no-capture":      "kavosh why ARCHIVE URL",
	"no-original":     "kavosh serve --archive ONE=DIR --archive TWO=DIR",
	"no-page":         "/collection/20240131/http://example.com/",
	"bad-request":     "/collection/20240131/http://example.com/",
	"accept-datetime": "Accept-Datetime: Thu, 31 May 2007 20:35:00 GMT",
	"broken":          "kavosh check ARCHIVE\nkavosh rebuild ARCHIVE",
}

// text is the phrase of that key in l, its %s filled in. Numbers among args are written as l writes them.
func (l Lang) text(key string, args ...any) string {
	p, ok := phrases[key]
	if !ok {
		return "⟦" + key + "⟧" // a test looks for it on every page
	}
	s := p.en
	if l == Persian {
		s = p.fa
	}
	for i, a := range args {
		switch a.(type) {
		case int, int64:
			if one, many, ok := strings.Cut(s, "|"); ok && i == 0 {
				if s = many; fmt.Sprint(a) == "1" {
					s = one
				}
			}
			args[i] = l.number(a)
		}
	}
	if len(args) == 0 {
		return s
	}
	return fmt.Sprintf(s, args...)
}
