package draw

import "kavosh/pages"

// timelineTexts has what pages say of when pages were as the archive has them.
var timelineTexts = pages.Words{
	"timeline.title":    {"When pages were as the archive has them", "صفحه‌ها کی همان بودند که در بایگانی است"},
	"timeline.link":     {"When its pages were there together", "صفحه‌ها کی با هم برقرار بودند"},
	"timeline.each":     {"Each collection has a picture of its own:", "هر مجموعه تصویر خود را دارد:"},
	"timeline.none":     {"No page of these crawls was visited twice.", "هیچ صفحه‌ای از این خزش‌ها دو بار دیده نشده است."},
	"timeline.reading":  {"The pages of the crawls are being compared. This page shows the picture as soon as that is done.", "صفحه‌های خزش‌ها با هم سنجیده می‌شوند. همین که کار تمام شود تصویر در اینجا نشان داده می‌شود."},
	"timeline.large":    {"To compare all pages takes too long here. This command draws the picture, and keeps what it compared:", "سنجیدن همهٔ صفحه‌ها در اینجا بیش از اندازه طول می‌کشد. این فرمان تصویر را می‌کشد و سنجش‌ها را نگه می‌دارد:"},
	"timeline.together": {"Most pages were there together from %s to %s: %s of them for sure; at no moment were more than %s.", "بیشترین صفحه‌ها از %s تا %s با هم برقرار بودند: %s آن‌ها به‌یقین؛ در هیچ لحظه‌ای بیش از %s نبود."},
	"timeline.weighed":  {"If pages count more to which more pages link, that was from %s to %s: %s for sure, and never more than %s.", "اگر صفحه‌هایی که پیوند بیشتری به آن‌ها هست مهم‌تر باشند، این زمان از %s تا %s بود: %s به‌یقین، و هیچ‌گاه بیش از %s نبود."},
	"timeline.how":      {"Each bar is a page: dark while its version was certainly there, pale while it may have been. Those that were not there at that moment come first, the most important before. Time runs slower where visits are: the lines tell when they begin and end.", "هر نوار یک صفحه است: پررنگ تا زمانی که نسخهٔ آن به‌یقین برقرار بود و کم‌رنگ تا زمانی که شاید بود. نخست صفحه‌هایی آمده‌اند که در آن لحظه برقرار نبودند، مهم‌ترها پیش‌تر. زمان در میان بازدیدها کشیده‌تر است: خط‌ها آغاز و پایان آن‌ها را نشان می‌دهند."},
	"timeline.group":    {"%s: %s pages, %s drawn", "%s: %s صفحه، %s کشیده شده"},
	"timeline.more":     {"More pages, as thin bars", "صفحه‌های بیشتر با نوارهای باریک"},
	"timeline.fewer":    {"Fewer pages, with their addresses", "صفحه‌های کمتر با نشانی"},
	"timeline.share":    {"share of all pages", "سهم از همهٔ صفحه‌ها"},
	"timeline.state":    {"At that moment", "در آن لحظه"},
	"timeline.pages":    {"Pages", "صفحه‌ها"},
	"timeline.drawn":    {"Drawn", "کشیده شده"},
	"timeline.telling":  {"The ten most telling pages", "گویاترین ده صفحه"},
	"timeline.when":     {"When this version was there", "این نسخه کی برقرار بود"},
	"timeline.visits":   {"Visits", "بازدیدها"},
	"timeline.once":     {"%s", "%s"},
	"timeline.twice":    {"%s; again %s: %s", "%s؛ دوباره %s: %s"},

	"timeline.incoherent": {"not there at that moment", "در آن لحظه برقرار نبود"},
	"timeline.unknown":    {"perhaps there at that moment", "شاید در آن لحظه برقرار بود"},
	"timeline.coherent":   {"there at that moment", "در آن لحظه برقرار بود"},

	"timeline.key.possible": {"may have been there", "شاید برقرار بود"},
	"timeline.key.still":    {"visited", "بازدید"},
	"timeline.key.again":    {"visited again", "بازدید دوباره"},
	"timeline.key.moment":   {"when most pages were there together", "زمانی که بیشترین صفحه‌ها با هم برقرار بودند"},
	"timeline.key.weighed":  {"the same by importance", "همان بر پایهٔ اهمیت"},

	"timeline.known":    {"there for sure from %s to %s", "به‌یقین از %s تا %s برقرار بود"},
	"timeline.earlier":  {"perhaps since long before", "شاید از مدت‌ها پیش"},
	"timeline.earliest": {"perhaps from %s on", "شاید از %s"},
	"timeline.later":    {"perhaps long after", "شاید تا مدت‌ها بعد"},
	"timeline.latest":   {"perhaps until %s", "شاید تا %s"},
}
