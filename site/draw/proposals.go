package draw

// This file says in words which settings of the next crawl would help.

import (
	"kavosh/pages"
	"kavosh/quality"
)

// ProposalWords says in a sentence why a proposal is made.
func ProposalWords(lang pages.Lang, p *quality.Proposal) string {
	args := []any{p.N, p.Of}
	host := func(name string) string {
		if lang == pages.Persian {
			return "\u2066" + name + "\u2069"
		}
		return name
	}
	key := "help." + string(p.About)
	switch p.About {
	case quality.TroubleParts:
		if p.As != "" {
			key, args = key+".as", append(args, text(lang, "help.as."+string(p.As)))
		}
	case quality.TroubleApart:
	case quality.TroubleMoved:
		args = append(args, host(p.Host), host(p.To))
	default:
		args = append(args, host(p.Host))
	}
	return text(lang, key, args...)
}

var proposalTexts = pages.Words{
	"help.title":      {"What would help the next crawl", "آنچه به خزش بعدی کمک می‌کند"},
	"help.down":       {"%s of %s requests to %s had no answer: this asks again for what is missing.", "%s درخواست از %s درخواست به %s پاسخی نگرفت؛ این فرمان آنچه را نیست دوباره می‌خواهد."},
	"help.moved":      {"%s of %s requests to %s lead to %s: this makes that a seed.", "%s درخواست از %s درخواست به %s به %s می‌رسد؛ این فرمان آن را نشانی آغازین می‌کند."},
	"help.refusing":   {"%s of %s requests to %s were refused as too many: this asks more slowly.", "%s درخواست از %s درخواست به %s چون بیش از اندازه بود رد شد؛ این فرمان کندتر می‌پرسد."},
	"help.slow":       {"%s of %s requests to %s took long or had no answer in time: this rests after each answer the longer, the longer it took.", "%s درخواست از %s درخواست به %s دیر پاسخ گرفت یا به‌موقع پاسخی نگرفت؛ با این فرمان هرچه پاسخی دیرتر بیاید درنگ پس از آن بیشتر می‌شود."},
	"help.wall":       {"%s of %s pages of %s are a bot wall or only ask for consent: a browser that asks slowly is let in more often.", "%s صفحه از %s صفحهٔ %s دیوار ضدربات است یا تنها رضایت می‌خواهد؛ مرورگری که آهسته بپرسد بیشتر راه داده می‌شود."},
	"help.login":      {"%s of %s pages of %s only ask to sign in: this makes a profile that has logged in, and crawls with it.", "%s صفحه از %s صفحهٔ %s تنها ورود می‌خواهد؛ این دو فرمان نمایه‌ای می‌سازد که وارد شده است و با آن می‌خزد."},
	"help.notfound":   {"%s of %s pages of %s say that there is no such page, with a status that says otherwise: this follows no link of such pages.", "%s صفحه از %s صفحهٔ %s می‌گوید چنین صفحه‌ای نیست، ولی وضعیت آن چیز دیگری می‌گوید؛ این فرمان پیوندهای چنین صفحه‌هایی را دنبال نمی‌کند."},
	"help.parked":     {"%s of %s pages of %s are those of a domain without a site: this leaves it out.", "%s صفحه از %s صفحهٔ %s صفحهٔ دامنه‌ای بی‌سایت است؛ این قاعده آن را کنار می‌گذارد."},
	"help.parts":      {"%s of %s parts of pages are missing: this asks for them alone.", "%s تکه از %s تکهٔ صفحه‌ها نیست؛ این فرمان تنها آن‌ها را می‌خواهد."},
	"help.parts.as":   {"%s of %s parts of pages are missing, most of them %s: this asks for them alone.", "%s تکه از %s تکهٔ صفحه‌ها نیست، بیشتر %s؛ این فرمان تنها آن‌ها را می‌خواهد."},
	"help.as.style":   {"styles", "شیوه‌نامه"},
	"help.as.frame":   {"frames", "قاب"},
	"help.as.media":   {"films or sounds", "فیلم یا صدا"},
	"help.as.script":  {"scripts", "اسکریپت"},
	"help.as.image":   {"pictures", "تصویر"},
	"help.as.decor":   {"pictures of styles", "تصویر آرایشی"},
	"help.as.font":    {"fonts", "قلم"},
	"help.scripts":    {"%s of %s pages that were looked at lack parts that only their scripts ask for, most on %s: this loads each page in a browser.", "%s صفحه از %s صفحهٔ بررسی‌شده تکه‌هایی ندارد که تنها اسکریپت‌ها می‌خواهند، بیشتر در %s؛ این فرمان هر صفحه را در مرورگر بار می‌کند."},
	"help.apart":      {"%s of %s pages cannot have been seen together with the others: this visits them again.", "%s صفحه از %s صفحه نمی‌تواند همراه بقیه دیده شده باشد؛ این فرمان آن‌ها را دوباره می‌بیند."},
	"help.redesigned": {"%s of %s pages are new, changed or gone in the newest crawl, most on %s: this shows what the scope takes and leaves out of the site as it is now.", "%s صفحه از %s صفحه در تازه‌ترین خزش تازه، تغییرکرده یا ازدست‌رفته است، بیشتر در %s؛ این فرمان نشان می‌دهد دامنهٔ خزش از سایت کنونی چه را می‌گیرد و چه را کنار می‌گذارد."},
	"help.cut":        {"%s of %s pages that the crawl before had are missing in the newest one, most on %s: this asks for them, more slowly.", "%s صفحه از %s صفحه‌ای که خزش پیشین داشت در تازه‌ترین خزش نیست، بیشتر در %s؛ این فرمان آن‌ها را کندتر می‌خواهد."},
	"help.often":      {"%s of %s pages changed more often than they were visited, most on %s: this visits them as often as they change.", "%s صفحه از %s صفحه بیش از آنکه دیده شود تغییر کرده است، بیشتر در %s؛ این فرمان آن‌ها را به اندازهٔ تغییرشان می‌بیند."},
}
