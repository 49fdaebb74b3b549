// Package status tells programs how a running crawl goes: /metrics for Prometheus, and /status.json for scripts
// (docs/guide/watching.md). Nobody can change anything through it.
package status

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"kavosh"
	"kavosh/archive"
	"kavosh/engine"
)

// Numbers serves the state of a crawl.
type Numbers struct {
	http.Handler
	now atomic.Pointer[func() engine.Status] // nil until the crawl has started
}

// Show lets programs read the state that now returns.
func (n *Numbers) Show(now func() engine.Status) { n.now.Store(&now) }

func (n *Numbers) status() engine.Status {
	if now := n.now.Load(); now != nil {
		return (*now)()
	}
	return engine.Status{}
}

// New returns Numbers that are all zero until Show.
func New() *Numbers {
	n := &Numbers{}
	registry := prometheus.NewRegistry()
	registry.MustRegister(collector{n.status}, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
	mux.HandleFunc("GET /status.json", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		json.NewEncoder(w).Encode(newState(n.status()))
	})
	n.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cache-Control", "no-store")
		mux.ServeHTTP(w, r)
	})
	return n
}

// state is /status.json (docs/guide/watching.md).
type state struct {
	ID       string           `json:"id"`
	Started  time.Time        `json:"started"`
	Now      time.Time        `json:"now"`
	Seconds  float64          `json:"seconds"`
	Finished int64            `json:"finished"`
	Pages    int64            `json:"pages"`
	Recorded int64            `json:"recorded"`
	Bytes    int64            `json:"bytes"`
	Queued   int64            `json:"queued"`
	Limited  int64            `json:"limited"`
	OnHold   int64            `json:"on_hold"`
	Held     int64            `json:"hosts_held"`
	Known    int64            `json:"known"`
	Hosts    int64            `json:"hosts"`
	InFlight int64            `json:"in_flight"`
	Revisits int64            `json:"revisits"`
	Failed   map[string]int64 `json:"failed"`
	Status   map[string]int64 `json:"status"`
	MIME     map[string]int64 `json:"mime"`
	Walls    int64            `json:"walls"`
	StandIns map[string]int64 `json:"standins"`
	Stopping string           `json:"stopping,omitempty"`
	Waiting  string           `json:"waiting,omitempty"`
	Schedule archive.Schedule `json:"schedule,omitzero"`
}

func newState(s engine.Status) state {
	j := state{
		ID: s.ID, Started: s.Started, Now: s.Now, Seconds: s.Now.Sub(s.Started).Seconds(), Finished: s.Finished, Pages: s.Pages, Recorded: s.Recorded,
		Bytes: s.Bytes, Queued: s.Queued, Limited: s.Limited, OnHold: s.OnHold, Held: s.Held, Known: s.Known, Hosts: s.Hosts, InFlight: s.InFlight, Revisits: s.Revisits,
		Failed: map[string]int64{}, Status: map[string]int64{}, MIME: map[string]int64{}, Walls: s.Walls, StandIns: map[string]int64{}, Stopping: s.Stopping, Waiting: s.Waiting, Schedule: s.Schedule,
	}
	for _, kind := range kavosh.StandIns() { // all of them, so that Prometheus knows a count of 0 before the first
		j.StandIns[string(kind)] = s.StandIns[string(kind)]
	}
	for k, n := range s.Failed {
		j.Failed[string(k)] = n
	}
	for k, n := range s.Codes {
		j.Status[strconv.Itoa(k)] = n
	}
	for k, n := range s.MIME {
		j.MIME[ShortType(k)] += n
	}
	return j
}

// Waiting says what a crawl waits for, by its engine.Status.
func Waiting(code string) string {
	return map[string]string{engine.WaitingPaused: "paused", engine.WaitingNetwork: "waiting for the network"}[code]
}

// Rate writes how many URLs are finished in a second.
func Rate(rate float64) string {
	if rate < 10 {
		return fmt.Sprintf("%.1f", rate)
	}
	return fmt.Sprintf("%.0f", rate)
}

// ShortType returns the everyday name of a media type.
func ShortType(mime string) string {
	major, minor, _ := strings.Cut(mime, "/")
	switch {
	case mime == "" || mime == "unknown": // reports write "unknown"
		return "no type"
	case minor == "html" || minor == "xhtml+xml":
		return "html"
	case minor == "css":
		return "css"
	case strings.Contains(minor, "javascript") || minor == "ecmascript":
		return "js"
	case minor == "pdf" || strings.Contains(minor, "json"):
		return strings.TrimSuffix(minor, "+json")
	case strings.Contains(minor, "font") || major == "font":
		return "font"
	case major == "image" || major == "video" || major == "audio":
		return major
	case strings.Contains(minor, "xml"):
		return "xml"
	case mime == "text/plain":
		return "text"
	}
	return "other"
}

// collector gives Prometheus the state of a crawl at the time of each scrape.
type collector struct{ now func() engine.Status }

// Describe sends nothing. This makes the collector an unchecked one, because its label values are not known before.
func (c collector) Describe(chan<- *prometheus.Desc) {}

// Collect sends the metrics. Prometheus calls it at each scrape.
func (c collector) Collect(ch chan<- prometheus.Metric) {
	s := newState(c.now())
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
		{"walls_total", "Answers of bot walls, also those after which the URL is asked for again.", counter, float64(s.Walls)},
		{"urls_queued", "URLs waiting for their turn.", gauge, float64(s.Queued)},
		{"urls_limited", "URLs of urls_queued that wait beyond a limit of a seed, host, domain or the crawl.", gauge, float64(s.Limited)},
		{"urls_on_hold", "URLs of urls_queued that somebody put on hold.", gauge, float64(s.OnHold)},
		{"hosts_held", "Hosts on hold: because of a bot wall, or because somebody said so.", gauge, float64(s.Held)},
		{"urls_known", "URLs seen so far.", gauge, float64(s.Known)},
		{"hosts", "Hosts asked so far.", gauge, float64(s.Hosts)},
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
		{"standins_total", "Answers that stand in place of the page asked for, by what they are.", "kind", s.StandIns},
		{"captures_total", "Recorded URLs by type of content.", "type", s.MIME},
	} {
		desc := prometheus.NewDesc("kavosh_"+m.name, m.help, []string{m.label}, nil)
		for value, n := range m.counts {
			ch <- prometheus.MustNewConstMetric(desc, counter, float64(n), value)
		}
	}
}
