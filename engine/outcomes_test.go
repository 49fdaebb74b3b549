package engine

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh"
	"kavosh/archive"
	"kavosh/frontier/scope"
	"kavosh/internal/disk"
	"kavosh/lib/warc"
	"kavosh/plan"
	"kavosh/record"
)

// recordsOf are the records of each URL in the archive, in order: their types, and WARC-Truncated or the profile where
// there is one.
func recordsOf(t *testing.T, fs vfs.FS) map[string]string {
	t.Helper()
	files, err := record.Files(fs, "archive/warc")
	if err != nil {
		t.Fatal(err)
	}
	of := map[string][]string{}
	for _, name := range files {
		data, err := disk.ReadFile(fs, "archive/warc/"+name)
		if err != nil {
			t.Fatal(err)
		}
		r, err := warc.NewReader(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		for {
			rec, err := r.Next()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			block, err := io.ReadAll(rec.Block)
			if err != nil {
				t.Fatal(err)
			}
			what := rec.Type()
			if tr := rec.Header.Get("WARC-Truncated"); tr != "" {
				what += "(" + tr + ")"
			}
			if _, profile, ok := strings.Cut(rec.Header.Get("WARC-Profile"), "/revisit/"); ok {
				what += "(" + profile + ")"
			}
			for _, note := range []string{"malformedHead", "invalidCertificate"} {
				if bytes.Contains(block, []byte(note+": ")) {
					what += "(" + note + ")"
				}
			}
			of[rec.TargetURI()] = append(of[rec.TargetURI()], what)
		}
	}
	all := map[string]string{}
	for url, types := range of {
		all[url] = strings.Join(types, " ")
	}
	return all
}

// TestOutcomes reads as docs/formats/outcomes.md: what a host does, and what then stands in the archive and in
// crawl.log. The page http://a.test/ links to the URL in question.
func TestOutcomes(t *testing.T) {
	const long = "a page of more than 256 bytes, so that it may be an original, "
	same := strings.Repeat(long, 8) + "\n"
	for _, test := range []struct {
		row     string // of the table
		web     string
		url     string // "" is http://a.test/x
		records string
		line    string // outcome, status and what else applies
		reason  string // is in the line's
		change  func(*Options)
		before  int // crawls before the one that is looked at
	}{
		{row: "a whole answer, any status", web: "-- a.test/x --\nx\n", records: "response request", line: "recorded 200"},
		{row: "a whole answer, any status", web: "-- a.test/x status=404 --\nx\n", records: "response request", line: "recorded 404"},
		{row: "a whole answer, any status", web: "-- a.test/x status=204 --\n", records: "response request", line: "recorded 204"},
		{row: "… whose payload the archive has", web: "-- a.test/x --\n" + same + "-- a.test/y --\n" + same,
			url: "http://a.test/y", records: "revisit(identical-payload-digest) request", line: "recorded 200 revisit:identical"},
		{row: "304 to a conditional request", web: "-- a.test/x ETag=\"\\\"v\\\"\" --\nx\n", before: 1,
			records: "response request revisit(server-not-modified) request", line: "recorded 304 revisit:not-modified"},
		{row: "an answer whose head is malformed", web: "-- a.test/x raw --\nHTTP/1.1 200 OK\\r\\nno colon here\\r\\nContent-Length: 2\\r\\n\\r\\nok\n",
			records: "response request metadata(malformedHead)", line: "recorded 200"},
		{row: "invalid certificate, captured", web: "-- a.test/x --\nx\n", url: "https://a.test/x",
			records: "response request metadata(invalidCertificate)", line: "recorded 200"},
		{row: "… with `--tls strict`", web: "-- a.test/x --\nx\n", url: "https://a.test/x", change: func(o *Options) { o.Fetch.TLSStrict = true },
			line: "refused 0 tls", reason: "robots.txt could not be had"},
		{row: "body ended before its length", web: "-- a.test/x Content-Length=5000 close --\nx\n",
			records: "response(disconnect) request metadata", line: "recorded 200 truncated cut:disconnect"},
		{row: "… and its rest came later, in pieces", web: "-- a.test/x ranges repeat=8000 cut=40000 ETag=\"\\\"v\\\"\" --\nline {i}\n",
			records: "response(disconnect) request metadata response request", line: "recorded 200 retries:1", reason: "the body came in 2 pieces"},
		{row: "… and its rest did not come", web: "-- a.test/x repeat=8000 cut=40000 ETag=\"\\\"v\\\"\" times=1 --\nline {i}\n-- a.test/x status=404 --\n",
			records: "response(disconnect) request metadata", line: "recorded 200 truncated cut:disconnect retries:1", reason: "and not the rest: the answer was 404"},
		{row: "body too slow or too long in time", web: "-- a.test/x stall=150 repeat=1000 --\nline\n",
			records: "response(time) request metadata", line: "recorded 200 truncated cut:time"},
		{row: "body larger than our limit", web: "-- a.test/x repeat=1000 --\nline\n", change: func(o *Options) { o.Fetch.MaxBody = 2000 },
			records: "response(length) request metadata", line: "recorded 200 limit cut:length"},
		{row: "body left unread by the order, for its Content-Type", web: "-- a.test/x Content-Type=application/octet-stream --\nx\n",
			change:  func(o *Options) { o.Order = "rdf-r,filter=1" },
			records: "response(length) request metadata", line: "recorded 200 limit cut:length"},
		{row: "body left unread, or cut, by a rule on type or size", web: "-- a.test/x Content-Type=video/mp4 --\nx\n",
			change:  func(o *Options) { o.Scope.Rules = rule(t, "leave type=video/*") },
			records: "response(length) request metadata", line: "recorded 200 limit cut:length", reason: "rule 1: leave type=video/*"},
		{row: "head larger than our limit", web: "-- a.test/x raw repeat=forever --\nHTTP/1.1 200 OK\\r\\nX-Flood: {i}\\r\\n\n",
			records: "metadata request", line: "failed 0 limit"},
		{row: "name does not resolve", web: "-- host b.test dns=none --\n", url: "http://b.test/x", line: "refused 0 dns"},
		{row: "no connection", web: "-- host b.test dial=refuse --\n", url: "http://b.test/x", line: "refused 0 connect"},
		{row: "no TLS session", web: "-- host b.test tls=none --\n-- b.test/x --\nx\n", url: "https://b.test/x", line: "refused 0 tls"},
		{row: "nothing within the time limits", web: "-- a.test/x stall=20 --\nx\n", records: "metadata request", line: "failed 0 timeout"},
		{row: "closed or reset before the head was whole", web: "-- a.test/x reset=20 --\nx\n", records: "metadata request", line: "failed 0 reset"},
		{row: "closed or reset before the head was whole", web: "-- a.test/x cut=0 --\nx\n", records: "metadata request", line: "failed 0 reset"},
		{row: "not HTTP (all of it is body), or impossible framing", web: "-- a.test/x raw close --\nSSH-2.0-rose\\r\\n\n",
			records: "response request metadata(malformedHead)", line: "recorded 0 protocol"},
		{row: "not HTTP (all of it is body), or impossible framing",
			web:     "-- a.test/x raw close --\nHTTP/1.1 200 OK\\r\\nContent-Length: 3\\r\\nContent-Length: 30\\r\\n\\r\\nok\n",
			records: "response request metadata(malformedHead)", line: "recorded 200 protocol"},
		{row: "resolves to an address that is not globally reachable", web: "-- host b.test addr=10.0.0.1 --\n-- b.test/x --\nx\n",
			url: "http://b.test/x", line: "refused 0 blocked-address"},
		{row: "forbidden by robots.txt, or robots.txt cannot be had", web: "-- a.test/robots.txt --\nUser-agent: *\nDisallow: /x\n",
			line: "refused 0 robots", reason: "robots.txt line 2: Disallow: /x"},
		{row: "forbidden by robots.txt, or robots.txt cannot be had", web: "-- b.test/robots.txt status=500 --\n", url: "http://b.test/x",
			line: "refused 0 robots", reason: "robots.txt could not be had (status 500), asked 3 times"},
		{row: "taken for a trap", url: "http://a.test/y/y/y/y/x", line: "refused 0 trap", reason: "trap"},
		{row: "out of scope, excluded, left by a rule, too many hops, nofollow, unchanged by its sitemap, new in the second round of `--revisit once`", url: "http://a.test/x",
			change: func(o *Options) { o.Scope.Rules = rule(t, "leave url=/x$") }, line: "refused 0", reason: "rule 1: leave url=/x$"},
		{row: "out of scope, excluded, left by a rule, too many hops, nofollow, unchanged by its sitemap, new in the second round of `--revisit once`", url: "http://a.test/secret",
			change: func(o *Options) { o.Scope.Exclude = []string{"secret"} }, line: "refused 0", reason: "excluded by --exclude secret"},
		{row: "visited since `--skip-younger`", web: "-- a.test/x --\nx\n", before: 1, records: "response request", line: "refused 0",
			reason: "visited on 2000-01-01 00:00:0", change: func(o *Options) { o.SkipYounger = time.Date(1999, 12, 31, 0, 0, 0, 0, time.UTC) }},
		{row: "unchanged since the last visit by the word of its site, with `--skip-younger lastmod`", url: "http://a.test/p1", web: tellingWeb(true), before: 2,
			records: "response request revisit(server-not-modified) request", line: "refused 0",
			reason: "last changed on 1999-12-01 12:00:00 by the word of its site, whose trust is 0.8", change: func(o *Options) { o.SkipTold = true }},
		{row: "left out by the order of the crawl, such as `rdf-r`", url: "http://a.test/x.png", change: func(o *Options) { o.Order = "rdf-r" },
			line: "refused 0", reason: "the order leaves it out: N: extension png"},
		{row: "dropped from the queue by a person", url: "http://a.test/",
			change: func(o *Options) {
				o.Commands = []Command{{Name: QueueDrop, Who: "ada", Why: "not ours", Queue: &QueueAsk{Selection: Selection{Match: "/$"}}}}
			}, line: "refused 0", reason: "dropped from the queue by ada: not ours"},
		{row: "to be asked again (429, 5xx, time-outs, resets, a bot wall)", web: "-- a.test/x status=503 times=1 --\n-- a.test/x --\nx\n",
			records: "response request", line: "recorded 200 retries:1"},
		{row: "to be asked again (429, 5xx, time-outs, resets, a bot wall)", web: "-- a.test/x status=500 --\n", records: "response request", line: "recorded 500 retries:2"},
		{row: "to be asked again (429, 5xx, time-outs, resets, a bot wall)", web: "-- b.test/robots.txt status=503 --\n", url: "http://b.test/robots.txt",
			records: "response request", line: "recorded 503 retries:2"},
		{row: "to be asked again (429, 5xx, time-outs, resets, a bot wall)", web: "-- a.test/x times=2 Content-Type=text/html --\n" + challenge + "\n-- a.test/x --\nx\n",
			records: "response request", line: "recorded 200 retries:2"},
		{row: "a bot wall that the browser loaded (`--browser`) and that still stands", change: func(o *Options) { o.Browser = walled{} },
			web:     "-- a.test/x times=3 status=403 Content-Type=text/html --\n" + challenge + "\n-- a.test/x --\nx\n",
			records: "response request response request metadata response request metadata response request", line: "recorded 200 retries:3"},
		{row: "an answer that `--only` does not keep", web: "-- a.test/x --\n<p>A tulip.\n", change: func(o *Options) { o.Only = roses(t) },
			records: "metadata", line: "dropped 200", reason: "--only: 0.00"},
		{row: "a page that changed too little for `--keep`", web: "-- a.test/x times=1 --\n<p>Seen 1 times.\n-- a.test/x --\n<p>Seen 2 times.\n", before: 1,
			change:  func(o *Options) { o.Keep, o.Compare = plan.Keep{Changed: true}, counters{} },
			records: "response request metadata", line: "dropped 200", reason: "--keep changed: a counter since the capture of 2000-01-01 00:00:0"},
		{row: "waiting when the crawl ended", web: "-- a.test/x --\nx\n", change: func(o *Options) { o.Limits.Pages = 1 }},
	} {
		t.Run(test.row, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				fs := vfs.NewMem()
				url := cmp.Or(test.url, "http://a.test/x")
				s := serve(t, fmt.Sprintf("-- a.test/ --\n<a href=/x>x</a> <a href=%s>x</a> <a href=http://b.test/>b</a>\n%s", url, test.web))
				o := options(s, fs, "http://a.test/")
				o.Scope.Mode = scope.Any
				if test.change != nil {
					test.change(&o)
				}
				r := crawlNow(t, o)
				for range test.before {
					<-time.After(time.Hour) // in the bubble's time
					r = crawlNow(t, o)
				}
				got, reason, retries := "", "", 0
				for l, err := range archive.ReadLog(fs, "archive", r.ID) {
					if err != nil {
						t.Fatal(err)
					}
					if l.URL != url {
						continue
					}
					if l.Outcome == archive.Retry {
						retries++
						continue
					}
					if got != "" {
						t.Errorf("a second line in crawl.log: %s %d %s", l.Outcome, l.Status, l.Reason)
					}
					got = fmt.Sprint(l.Outcome, " ", l.Status)
					for _, more := range []struct{ name, value string }{
						{"", string(l.Failure)}, {"cut:", string(l.Cut)}, {"revisit:", l.Revisit},
					} {
						if more.value != "" {
							got += " " + more.name + more.value
						}
					}
					reason = l.Reason
				}
				line := got
				if strings.Contains(test.line, "retries:") {
					line = fmt.Sprintf("%s retries:%d", got, retries)
				}
				if line != test.line || !strings.Contains(reason, test.reason) {
					t.Errorf("crawl.log: %q (%s)\n      want %q (%s)", line, reason, test.line, test.reason)
				}
				if records := strings.ReplaceAll(recordsOf(t, fs)[url], " resource", ""); records != test.records {
					t.Errorf("records: %q, want %q", records, test.records)
				}
				recordedFailures(t, fs, test.row)
			})
		})
	}
}

// recordedFailures wants a metadata record for the robots.txt of a host that could not be asked: where its URLs are refused
// for that, it is what stands for the failure.
func recordedFailures(t *testing.T, fs vfs.FS, row string) {
	t.Helper()
	kind := map[string]kavosh.Failure{
		"name does not resolve": kavosh.DNSFailure, "no connection": kavosh.ConnectFailure, "no TLS session": kavosh.TLSFailure,
		"resolves to an address that is not globally reachable": kavosh.BlockedAddress, "… with `--tls strict`": kavosh.TLSFailure,
	}[row]
	if kind == kavosh.NoFailure {
		return
	}
	all := outcomes(t, fs)
	for url, l := range all {
		if strings.HasSuffix(url, "/robots.txt") && l.Outcome == archive.Failed && l.Failure == kind {
			if got := recordsOf(t, fs)[url]; got != "metadata" {
				t.Errorf("records of %s: %q, want one metadata", url, got)
			}
			return
		}
	}
	t.Errorf("no robots.txt failed by %s", kind)
}

// rule is a list of one rule.
func rule(t *testing.T, line string) []scope.Rule {
	r, err := scope.ParseRule(line)
	if err != nil {
		t.Fatal(err)
	}
	return []scope.Rule{r}
}

// Every row of the document is tried, and every row that is tried is in the document.
func TestOutcomesAreThoseOfTheDocument(t *testing.T) {
	doc, err := os.ReadFile("../docs/formats/outcomes.md")
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile("outcomes_test.go")
	if err != nil {
		t.Fatal(err)
	}
	rows := 0
	for line := range strings.Lines(string(doc)) {
		cells := strings.Split(line, " | ")
		if !strings.HasPrefix(line, "| ") || len(cells) != 4 || cells[0] == "| outcome" {
			continue
		}
		rows++
		if row := strings.TrimPrefix(cells[0], "| "); !strings.Contains(string(source), fmt.Sprintf("{row: %q", row)) {
			t.Errorf("no test of the row %q", row)
		}
	}
	if rows < 20 {
		t.Errorf("found %d rows in the table", rows)
	}
}
