package status

// This file has the page for people, in English and Persian.

import (
	"fmt"
	"strconv"
	"strings"

	"kavosh/engine"
	"kavosh/pages"
)

// words has the page's texts in one language.
type words struct {
	Title, Other, OtherLang, Crawl, Running, Stopping, Waiting                                  string
	Pages, URLs, Rate, Queued, Known, Hosts, InFlight, Recorded, Bytes, Failed, Revisits, Since string
	Types, Answers, Failures, None, Data, Metrics                                               string
	Comma, Point                                                                                string // in dates and in fractions

	Names map[string]string // of types, failures and limits; other names are shown unchanged
}

func (w *words) name(s string) string {
	if n, ok := w.Names[s]; ok {
		return n
	}
	return s
}

var pageWords = map[pages.Lang]words{
	pages.English: {
		Title: "Kavosh: live crawl", Other: "فارسی", OtherLang: "fa", Crawl: "Crawl", Running: "running", Stopping: "stopping", Waiting: "The crawl has not started yet.",
		Pages: "pages", URLs: "URLs finished", Rate: "a second", Queued: "queued", Known: "known", Hosts: "hosts", InFlight: "in flight", Recorded: "recorded", Bytes: "kept",
		Failed: "failed", Revisits: "unchanged", Since: "since",
		Types: "By type", Answers: "By answer", Failures: "Failures", None: "none so far", Data: "status.json", Metrics: "metrics", Comma: ",", Point: ".",
		Names: map[string]string{
			engine.WaitingPaused: "paused", engine.WaitingNetwork: "waiting for the network", "pages": "--max-pages", "urls": "--max-urls", "time": "--max-time", "bytes": "--max-bytes",
		},
	},
	pages.Persian: {
		Title: "کاوش: خزش زنده", Other: "English", OtherLang: "en", Crawl: "خزش", Running: "در حال کار", Stopping: "در حال ایستادن", Waiting: "خزش هنوز آغاز نشده است.",
		Pages: "صفحه", URLs: "نشانی تمام‌شده", Rate: "در ثانیه", Queued: "در صف", Known: "شناخته", Hosts: "میزبان", InFlight: "در راه", Recorded: "ضبط‌شده", Bytes: "نگه‌داشته",
		Failed: "ناموفق", Revisits: "بی‌تغییر", Since: "از",
		Types: "به تفکیک نوع", Answers: "به تفکیک پاسخ", Failures: "خطاها", None: "هنوز هیچ", Data: "status.json", Metrics: "metrics", Comma: "،", Point: "٫",
		Names: map[string]string{
			"image": "تصویر", "text": "متن", "font": "قلم", "video": "ویدئو", "audio": "صدا", "other": "دیگر", "no type": "بی‌نوع",
			"dns": "نام پیدا نشد", "connect": "اتصال نشد", "tls": "TLS", "timeout": "بی‌پاسخ", "reset": "قطع شد", "truncated": "ناتمام",
			"protocol": "HTTP نبود", "robots": "robots.txt", "trap": "دام", "limit": "حد", "blocked-address": "نشانی بسته",
			engine.WaitingPaused: "در مکث", engine.WaitingNetwork: "در انتظار شبکه",
			"interrupted": "به خواست کاربر", "failed": "خطا", "pages": "--max-pages", "urls": "--max-urls", "time": "--max-time", "bytes": "--max-bytes",
		},
	},
}

// view is what the page's template shows. All of it is text in the page's language.
type view struct {
	Lang, Dir, ID, Started, Elapsed, State string
	Words                                  words
	Tiles                                  []tile
	Tables                                 []table
}

type tile struct{ Value, Name string }

type table struct {
	Title, None string
	Rows        []row
}

type row struct {
	Name, Value string
	Share       int // percent of the largest row
}

// bar returns the class that draws a row's bar. The page allows no style attributes.
func bar(share int) string { return "bar w" + strconv.Itoa((share+4)/5*5) }

func newView(s engine.Status, lang pages.Lang) view {
	w := pageWords[lang]
	v := view{Lang: string(lang), Dir: lang.Dir(), Words: w, ID: s.ID, State: w.Running}
	if s.ID == "" {
		return v // the crawl has not started yet
	}
	switch {
	case s.Stopping != "":
		v.State = w.Stopping + ": " + w.name(s.Stopping)
	case s.Waiting != "":
		v.State = w.name(s.Waiting)
	}
	passed := s.Now.Sub(s.Started)
	began := s.Started.Local()
	year, month, day := lang.Calendar().YMD(began)
	v.Started = lang.Digits(fmt.Sprintf("%d %s %d%s %s", day, lang.Month(month), year, w.Comma, began.Format("15:04")))
	v.Elapsed = lang.Digits(fmt.Sprintf("%d:%02d:%02d", int(passed.Hours()), int(passed.Minutes())%60, int(passed.Seconds())%60))
	var failed int64
	for _, n := range s.Failed {
		failed += n
	}
	rate := 0.0
	if passed > 0 {
		rate = float64(s.Finished) / passed.Seconds()
	}
	speed := lang.Digits(strings.Replace(Rate(rate), ".", w.Point, 1))
	v.Tiles = []tile{
		{lang.Number(s.Pages), w.Pages}, {lang.Number(s.Finished), w.URLs}, {speed, w.Rate}, {lang.Number(s.Queued), w.Queued}, {lang.Number(s.Known), w.Known},
		{lang.Number(s.Hosts), w.Hosts}, {lang.Number(s.InFlight), w.InFlight}, {lang.Number(s.Recorded), w.Recorded}, {lang.Size(s.Bytes), w.Bytes},
		{lang.Number(s.Revisits), w.Revisits}, {lang.Number(failed), w.Failed},
	}
	j := newState(s)
	for _, t := range []struct {
		title  string
		counts map[string]int64
	}{{w.Types, j.MIME}, {w.Answers, j.Status}, {w.Failures, j.Failed}} {
		v.Tables = append(v.Tables, newTable(t.title, lang, t.counts))
	}
	return v
}

func newTable(title string, lang pages.Lang, counts map[string]int64) table {
	w := pageWords[lang]
	t := table{Title: title, None: w.None}
	named := func(key string) pages.Share { return pages.Share{Label: lang.Digits(w.name(key))} }
	for _, s := range lang.Ranked(counts, len(counts), named) {
		if s.Count > 0 {
			t.Rows = append(t.Rows, row{s.Label, lang.Number(s.Count), int(100 * s.Count / s.Of)})
		}
	}
	return t
}

// Waiting says in English what a crawl waits for, by its engine.Status.
func Waiting(code string) string { return pageWords[pages.English].Names[code] }
