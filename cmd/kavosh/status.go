package main

// This file is the status page of a running crawl (--status).

import (
	"cmp"
	"embed"
	"encoding/json"
	"fmt"
	"html/template"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	ptime "github.com/yaa110/go-persian-calendar"

	"kavosh/engine"
	"kavosh/internal/knownhosts"
	"kavosh/lib/units"
)

//go:embed status/page.html status/style.css status/live.js
var statusFiles embed.FS

// statusServer serves the state of a crawl: a page for people in English and Persian, /metrics for Prometheus, and
// /status.json for scripts. Nobody can change anything through it.
type statusServer struct {
	url    string
	server *http.Server
	page   *template.Template
	now    atomic.Pointer[func() engine.Status] // nil until the crawl has started
}

// startStatus listens at addr. Readers may reach it by its host or by one of the names.
func startStatus(addr string, names []string) (*statusServer, error) {
	listener, err := listen("--status", addr, names)
	if err != nil {
		return nil, err
	}
	s := &statusServer{url: listener.URL() + "/"}
	s.page, err = template.New("page.html").Funcs(template.FuncMap{"bar": bar}).ParseFS(statusFiles, "status/page.html")
	if err != nil {
		return nil, err
	}
	s.server = listener.Server(s.handler(), knownhosts.MaxAsked)
	go s.server.Serve(listener)
	return s, nil
}

// show lets the server show the state that now returns.
func (s *statusServer) show(now func() engine.Status) { s.now.Store(&now) }

func (s *statusServer) close() { s.server.Close() }

func (s *statusServer) status() engine.Status {
	if now := s.now.Load(); now != nil {
		return (*now)()
	}
	return engine.Status{}
}

func (s *statusServer) handler() http.Handler {
	registry := prometheus.NewRegistry()
	registry.MustRegister(crawlCollector{s.status}, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
	mux.HandleFunc("GET /status.json", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		json.NewEncoder(w).Encode(newStatusJSON(s.status()))
	})
	for path, kind := range map[string]string{"style.css": "text/css; charset=utf-8", "live.js": "text/javascript; charset=utf-8"} {
		mux.HandleFunc("GET /"+path, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", kind)
			data, _ := statusFiles.ReadFile("status/" + path)
			w.Write(data)
		})
	}
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		s.page.Execute(w, newStatusView(s.status(), pageLanguage(r)))
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cache-Control", "no-store")
		mux.ServeHTTP(w, r)
	})
}

// pageLanguage returns "fa" if ?lang, or else the browser's first language, says so, and "en" otherwise.
func pageLanguage(r *http.Request) string {
	lang := r.URL.Query().Get("lang")
	if lang == "" {
		lang = r.Header.Get("Accept-Language")
	}
	if strings.HasPrefix(strings.ToLower(lang), "fa") {
		return "fa"
	}
	return "en"
}

// statusJSON is /status.json (docs/guide/watching.md).
type statusJSON struct {
	ID       string           `json:"id"`
	Started  time.Time        `json:"started"`
	Now      time.Time        `json:"now"`
	Seconds  float64          `json:"seconds"`
	Finished int64            `json:"finished"`
	Pages    int64            `json:"pages"`
	Recorded int64            `json:"recorded"`
	Bytes    int64            `json:"bytes"`
	Queued   int64            `json:"queued"`
	Known    int64            `json:"known"`
	Hosts    int64            `json:"hosts"`
	InFlight int64            `json:"in_flight"`
	Revisits int64            `json:"revisits"`
	Failed   map[string]int64 `json:"failed"`
	Status   map[string]int64 `json:"status"`
	MIME     map[string]int64 `json:"mime"`
	Stopping string           `json:"stopping,omitempty"`
	Waiting  string           `json:"waiting,omitempty"`
}

func newStatusJSON(s engine.Status) statusJSON {
	j := statusJSON{
		ID: s.ID, Started: s.Started, Now: s.Now, Seconds: s.Now.Sub(s.Started).Seconds(), Finished: s.Finished, Pages: s.Pages, Recorded: s.Recorded,
		Bytes: s.Bytes, Queued: s.Queued, Known: s.Known, Hosts: s.Hosts, InFlight: s.InFlight, Revisits: s.Revisits,
		Failed: map[string]int64{}, Status: map[string]int64{}, MIME: map[string]int64{}, Stopping: s.Stopping, Waiting: s.Waiting,
	}
	for k, n := range s.Failed {
		j.Failed[string(k)] = n
	}
	for k, n := range s.Codes {
		j.Status[strconv.Itoa(k)] = n
	}
	for k, n := range s.MIME {
		j.MIME[shortType(k)] += n
	}
	return j
}

// words has the page's texts in one language.
type words struct {
	Title, Other, OtherLang, Crawl, Running, Stopping, Waiting                                  string
	Pages, URLs, Rate, Queued, Known, Hosts, InFlight, Recorded, Bytes, Failed, Revisits, Since string
	Types, Answers, Failures, None, Data, Metrics                                               string

	Names map[string]string // of types, failures and units; other names are shown unchanged
	date  func(time.Time) string
}

func (w *words) name(s string) string {
	if n, ok := w.Names[s]; ok {
		return n
	}
	return s
}

// size returns a number of bytes with its unit, in the page's language.
func (w *words) size(n int64) string {
	number, unit, _ := strings.Cut(units.Size(n).String(), " ")
	return number + " " + w.name(unit)
}

var pageWords = map[string]words{
	"en": {
		Title: "Kavosh: live crawl", Other: "فارسی", OtherLang: "fa", Crawl: "Crawl", Running: "running", Stopping: "stopping", Waiting: "The crawl has not started yet.",
		Pages: "pages", URLs: "URLs finished", Rate: "a second", Queued: "queued", Known: "known", Hosts: "hosts", InFlight: "in flight", Recorded: "recorded", Bytes: "kept",
		Failed: "failed", Revisits: "unchanged", Since: "since",
		Types: "By type", Answers: "By answer", Failures: "Failures", None: "none so far", Data: "status.json", Metrics: "metrics",
		Names: map[string]string{
			engine.WaitingPaused: "paused", engine.WaitingNetwork: "waiting for the network", "pages": "--max-pages", "urls": "--max-urls", "time": "--max-time", "bytes": "--max-bytes",
		},
		date: func(t time.Time) string { return t.Format("2 January 2006, 15:04") },
	},
	"fa": {
		Title: "کاوش: خزش زنده", Other: "English", OtherLang: "en", Crawl: "خزش", Running: "در حال کار", Stopping: "در حال ایستادن", Waiting: "خزش هنوز آغاز نشده است.",
		Pages: "صفحه", URLs: "نشانی تمام‌شده", Rate: "در ثانیه", Queued: "در صف", Known: "شناخته", Hosts: "میزبان", InFlight: "در راه", Recorded: "ضبط‌شده", Bytes: "نگه‌داشته",
		Failed: "ناموفق", Revisits: "بی‌تغییر", Since: "از",
		Types: "به تفکیک نوع", Answers: "به تفکیک پاسخ", Failures: "خطاها", None: "هنوز هیچ", Data: "status.json", Metrics: "metrics",
		Names: map[string]string{
			"image": "تصویر", "text": "متن", "font": "قلم", "video": "ویدئو", "audio": "صدا", "other": "دیگر", "no type": "بی‌نوع",
			"dns": "نام پیدا نشد", "connect": "اتصال نشد", "tls": "TLS", "timeout": "بی‌پاسخ", "reset": "قطع شد", "truncated": "ناتمام",
			"protocol": "HTTP نبود", "robots": "robots.txt", "trap": "دام", "limit": "حد", "blocked-address": "نشانی بسته",
			engine.WaitingPaused: "در مکث", engine.WaitingNetwork: "در انتظار شبکه",
			"interrupted": "به خواست کاربر", "failed": "خطا", "pages": "--max-pages", "urls": "--max-urls", "time": "--max-time", "bytes": "--max-bytes",
			"B": "بایت", "kB": "کیلوبایت", "MB": "مگابایت", "GB": "گیگابایت", "TB": "ترابایت", "PB": "پتابایت", "EB": "اگزابایت",
		},
		date: func(t time.Time) string { return ptime.New(t).Format("d MMM yyyy، HH:mm") },
	},
}

// statusView is what the page's template shows. All of it is text in the page's language.
type statusView struct {
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

func newStatusView(s engine.Status, lang string) statusView {
	w := pageWords[lang]
	digits := func(text string) string { return text }
	v := statusView{Lang: lang, Dir: "ltr", Words: w, ID: s.ID, State: w.Running}
	if lang == "fa" {
		v.Dir, digits = "rtl", persianDigits
	}
	switch {
	case s.Stopping != "":
		v.State = w.Stopping + ": " + w.name(s.Stopping)
	case s.Waiting != "":
		v.State = w.name(s.Waiting)
	}
	passed := s.Now.Sub(s.Started)
	v.Started = digits(w.date(s.Started.Local()))
	v.Elapsed = digits(fmt.Sprintf("%d:%02d:%02d", int(passed.Hours()), int(passed.Minutes())%60, int(passed.Seconds())%60))
	var failed int64
	for _, n := range s.Failed {
		failed += n
	}
	rate := 0.0
	if passed > 0 {
		rate = float64(s.Finished) / passed.Seconds()
	}
	for _, t := range []tile{
		{count(s.Pages), w.Pages}, {count(s.Finished), w.URLs}, {rateText(rate), w.Rate}, {count(s.Queued), w.Queued}, {count(s.Known), w.Known},
		{count(s.Hosts), w.Hosts}, {count(s.InFlight), w.InFlight}, {count(s.Recorded), w.Recorded}, {w.size(s.Bytes), w.Bytes},
		{count(s.Revisits), w.Revisits}, {count(failed), w.Failed},
	} {
		v.Tiles = append(v.Tiles, tile{digits(t.Value), t.Name})
	}
	j := newStatusJSON(s)
	for _, t := range []struct {
		title  string
		counts map[string]int64
	}{{w.Types, j.MIME}, {w.Answers, j.Status}, {w.Failures, j.Failed}} {
		v.Tables = append(v.Tables, newTable(t.title, w, t.counts, digits))
	}
	return v
}

func newTable(title string, w words, counts map[string]int64, digits func(string) string) table {
	t := table{Title: title, None: w.None}
	keys := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
	for _, k := range keys {
		if counts[k] > 0 {
			t.Rows = append(t.Rows, row{digits(w.name(k)), digits(count(counts[k])), int(100 * counts[k] / counts[keys[0]])})
		}
	}
	return t
}

// persianDigits writes numbers with Persian digits and separators.
func persianDigits(s string) string {
	inNumber := false
	return strings.Map(func(r rune) rune {
		digit := '0' <= r && r <= '9'
		switch {
		case digit:
			r = '۰' + r - '0'
		case r == ',' && inNumber:
			r = '٬'
		case r == '.' && inNumber:
			r = '٫'
		}
		inNumber = digit
		return r
	}, s)
}

// crawlCollector gives Prometheus the state of a crawl at the time of each scrape.
type crawlCollector struct{ now func() engine.Status }

// Describe sends nothing. This makes the collector an unchecked one, because its label values are not known before.
func (c crawlCollector) Describe(chan<- *prometheus.Desc) {}

// Collect sends the metrics. Prometheus calls it at each scrape.
func (c crawlCollector) Collect(ch chan<- prometheus.Metric) {
	s := newStatusJSON(c.now())
	counter, gauge := prometheus.CounterValue, prometheus.GaugeValue
	for _, m := range []struct {
		name, help string
		kind       prometheus.ValueType
		value      float64
	}{
		{"urls_finished_total", "URLs with an outcome, those never requested not counted.", counter, float64(s.Finished)},
		{"pages_finished_total", "Pages with an outcome, as --max-pages counts them.", counter, float64(s.Pages)},
		{"urls_recorded_total", "URLs with a response or revisit record.", counter, float64(s.Recorded)},
		{"revisits_total", "URLs whose content was in the archive already.", counter, float64(s.Revisits)},
		{"payload_bytes_total", "Payload bytes recorded.", counter, float64(s.Bytes)},
		{"urls_queued", "URLs waiting for their turn.", gauge, float64(s.Queued)},
		{"urls_known", "URLs seen so far.", gauge, float64(s.Known)},
		{"hosts", "Hosts seen so far.", gauge, float64(s.Hosts)},
		{"requests_in_flight", "Exchanges going on.", gauge, float64(s.InFlight)},
		{"running_seconds", "Time since this run of the crawl started.", gauge, s.Seconds},
	} {
		ch <- prometheus.MustNewConstMetric(prometheus.NewDesc("kavosh_"+m.name, m.help, nil, nil), m.kind, m.value)
	}
	for _, m := range []struct {
		name, help, label string
		counts            map[string]int64
	}{
		{"failures_total", "URLs without a whole answer, by kind of failure.", "kind", s.Failed},
		{"answers_total", "Answers by HTTP status.", "code", s.Status},
		{"captures_total", "Recorded URLs by type of content.", "type", s.MIME},
	} {
		desc := prometheus.NewDesc("kavosh_"+m.name, m.help, []string{m.label}, nil)
		for value, n := range m.counts {
			ch <- prometheus.MustNewConstMetric(desc, counter, float64(n), value)
		}
	}
}
