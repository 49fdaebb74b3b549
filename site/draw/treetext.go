package draw

import "kavosh/pages"

// treeTexts has what the page of a tree says.
var treeTexts = pages.Words{
	"tree.title":                {"Tree of defects", "درخت ناهماهنگی‌ها"},
	"tree.each":                 {"Each collection has a tree of its own:", "هر مجموعه درخت خود را دارد:"},
	"tree.none":                 {"There are no two crawls here that could be compared.", "در اینجا دو خزش نیست که بتوان با هم سنجید."},
	"tree.growing":              {"The pages of the crawls are being compared. This page shows the tree as soon as that is done.", "صفحه‌های خزش‌ها با هم سنجیده می‌شوند. همین که کار تمام شود درخت در اینجا نشان داده می‌شود."},
	"tree.large":                {"To compare all pages takes too long here. This command draws the tree, and keeps what it compared:", "سنجیدن همهٔ صفحه‌ها در اینجا بیش از اندازه طول می‌کشد. این فرمان درخت را می‌کشد و سنجش‌ها را نگه می‌دارد:"},
	"tree.overlap":              {"These crawls went on at the same time, so that none visits the pages of the other again.", "این خزش‌ها هم‌زمان پیش رفته‌اند و هیچ‌یک صفحه‌های دیگری را دوباره ندیده است."},
	"tree.lead":                 {"Each of %s addresses hangs below the page whose link led to it, with the colour of what the second visit found. A node opens and closes by a click; one that stands for several is the larger the more they are.", "هر یک از %s نشانی زیر صفحه‌ای است که پیوندش به آن رسیده، و رنگش می‌گوید دیدار دوم چه یافته است. گره با کلیک باز و بسته می‌شود؛ گره‌ای که نمایندهٔ چند گره است، هرچه شمارشان بیشتر باشد بزرگ‌تر است."},
	"tree.cut":                  {"The tree is too large: later addresses are left out.", "درخت بیش از اندازه بزرگ است: نشانی‌های بعدی نیامده‌اند."},
	"tree.steps":                {"From crawl to crawl", "از خزش به خزش"},
	"tree.keys":                 {"Drag or use the arrow keys to move, the wheel or + and − to come closer.", "برای جابه‌جایی بکشید یا از کلیدهای پیکان، و برای نزدیک شدن از چرخ ماوس یا + و − استفاده کنید."},
	"tree.legend":               {"What colours and shapes mean", "معنای رنگ‌ها و شکل‌ها"},
	"tree.class":                {"What was found", "یافته"},
	"tree.telling":              {"The most telling nodes", "گویاترین گره‌ها"},
	"tree.found":                {"What was found of the nodes directly below", "یافته دربارهٔ گره‌هایی که مستقیم زیر آن‌اند"},
	"tree.root":                 {"the seeds of the crawl", "دانه‌های خزش"},
	"tree.below":                {"%s node below %s|%s nodes below %s", "%s گره زیر %s"},
	"tree.class.missing":        {"missing", "گم‌شده"},
	"tree.class.deleted":        {"not there any more", "دیگر نیست"},
	"tree.class.structure":      {"with other links", "با پیوندهای دیگر"},
	"tree.class.content":        {"with other content", "با محتوای دیگر"},
	"tree.class.added":          {"added", "افزوده"},
	"tree.class.coherent":       {"unchanged", "بی‌تغییر"},
	"tree.class.untold":         {"unknown", "نامعلوم"},
	"tree.shape.ellipse":        {"page", "صفحه"},
	"tree.shape.hexagon":        {"picture, sound or film", "تصویر، صدا یا فیلم"},
	"tree.shape.roundrectangle": {"script or style", "اسکریپت یا شیوه‌نامه"},
	"tree.shape.rectangle":      {"other file", "فایل دیگر"},
}
