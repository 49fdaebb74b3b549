package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"kavosh/lib/warc"
	"kavosh/site"
)

// newspaper is an archive of a host whose first page was visited every hour for four weeks, and got news, at the hours from 9 to 12
// of Tehran, from Saturday to Wednesday. A counter on it changes at each visit.
func newspaper(t *testing.T, dir string) {
	t.Helper()
	tehran, err := time.LoadLocation("Asia/Tehran")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "newspaper.warc.gz")
	f, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	w := warc.NewWriter(f, warc.Compression{Format: warc.Gzip})
	news := ""
	for i := range 4 * 7 * 24 {
		at := time.Date(2026, 5, 9, 0, 0, 0, 0, tehran).Add(time.Duration(i) * time.Hour)
		if day := at.Weekday(); day != time.Thursday && day != time.Friday && at.Hour() >= 10 && at.Hour() <= 12 {
			what, where := []string{"Flood", "Fair", "Strike", "Wedding", "Storm", "Match", "Theft"}[i%7], []string{"north", "south", "harbour", "market", "valley"}[i%5]
			news = fmt.Sprintf("<h2>%s in the %s</h2><p>How the %s came to the %s, told at some length by those who saw it.</p>", what, where, strings.ToLower(what), where)
		}
		block := fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<!doctype html><title>Newspaper</title><main>%s</main><footer><p>Visitors: %d</p></footer>", news, 1000+i)
		h := warc.Header{{Name: "WARC-Type", Value: "response"}, {Name: "WARC-Record-ID", Value: warc.NewID()}, {Name: "WARC-Target-URI", Value: "http://paper.ir/"},
			{Name: "WARC-Date", Value: warc.FormatDate(at)}, {Name: "Content-Type", Value: "application/http; msgtype=response"}, {Name: "Content-Length", Value: fmt.Sprint(len(block))}}
		if _, err := w.WriteRecord(h, strings.NewReader(block)); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	command(t, "import", file, dir)
}

// What is drawn of a rhythm, on the command line and on a page, is the rhythm that the pages had, in the time zone and by the
// weekend of their country, and a counter is no change.
func TestRhythm(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "paper")
	newspaper(t, dir)
	var r site.Rhythm
	if err := json.Unmarshal([]byte(command(t, "change", dir, "--rhythm", "paper.ir", "--json")), &r); err != nil {
		t.Fatal(err)
	}
	// The visits at 10, 11 and 12 of 20 workdays find what came in the hours before.
	if r.Days != "iran" || r.Zone != "Asia/Tehran" || r.Pages != 1 || r.Visits != 672 || r.Changes < 56 || r.Changes > 60 || r.Exact != r.Changes {
		t.Errorf("%+v", r)
	}
	for _, h := range r.Hours {
		switch busy := h.Day == "workday" && h.Hour >= 9 && h.Hour < 12; {
		case busy && h.Changes < 4:
			t.Errorf("%s %d changes %.2f times the mean", h.Day, h.Hour, h.Changes)
		case !busy && h.Hour != 8 && h.Hour != 12 && h.Changes > 1:
			t.Errorf("%s %d changes %.2f times the mean", h.Day, h.Hour, h.Changes)
		}
	}
	text := command(t, "change", dir, "--rhythm", "paper.ir")
	if !strings.Contains(text, "workdays 9 to 10 (") || !strings.Contains(text, "█") {
		t.Error(text)
	}
	w := newWalkerOf(t, dir, "", "newspaper")
	for lang, want := range map[string][]string{
		"en": {"Pages change most at ", "9–10 on workdays (", "Workdays: Saturday to Wednesday", "Days of rest: Friday and holidays", "Asia/Tehran"},
		"fa": {"ساعت ۹–۱۰ روزهای کاری (", "شنبه تا چهارشنبه", `<rect x="14" width="0.94" height="1" fill-opacity="`, "خرداد ۱۴۰۵"},
	} {
		page := w.ask(homeOrigin + "/c/one/rhythm?host=paper.ir&lang=" + lang)
		for _, part := range want {
			if !strings.Contains(page, part) {
				t.Errorf("the page in %s lacks %q:\n%s", lang, part, page)
			}
		}
	}
	if other := command(t, "change", dir, "--rhythm", "paper.ir", "--calendar", "world"); !strings.Contains(other, "days of the calendar world, hours of UTC") || !strings.Contains(other, "rest days 6 to 7") {
		t.Error(other) // Sunday is a day like others in Iran
	}
}
