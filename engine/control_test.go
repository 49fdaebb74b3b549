package engine

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh/archive"
	"kavosh/internal/fakeweb"
)

// Hours that reach over midnight, and the ends of summer time, in which days have 23 and 25 hours.
func TestHours(t *testing.T) {
	h, err := ParseHours("a.test", "22:00-06:00", "Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		at, next string
		open     bool
	}{
		{"2026-03-01T12:00:00+01:00", "2026-03-01T22:00:00+01:00", false},
		{"2026-03-01T22:00:00+01:00", "2026-03-02T06:00:00+01:00", true},
		{"2026-03-02T05:59:59+01:00", "2026-03-02T06:00:00+01:00", true},
		{"2026-03-28T23:00:00+01:00", "2026-03-29T06:00:00+02:00", true},
		{"2026-10-24T23:00:00+02:00", "2026-10-25T06:00:00+01:00", true},
	} {
		at, _ := time.Parse(time.RFC3339, test.at)
		next, _ := time.Parse(time.RFC3339, test.next)
		if open, when := h.At(at); open != test.open || !when.Equal(next) {
			t.Errorf("at %s: %v until %s, want %v until %s", test.at, open, when, test.open, test.next)
		}
	}
	for _, bad := range []string{"", "22-06", "22:00", "25:00-06:00", "06:00-06:00"} {
		if _, err := ParseHours("a.test", bad, ""); err == nil {
			t.Errorf("%q passes", bad)
		}
	}
}

// askedHosts are the hosts that were asked for pages, in order.
func askedHosts(s *fakeweb.Server) (hosts []string) {
	for _, q := range requests(s) {
		if q.Path != "/robots.txt" {
			hosts = append(hosts, q.Host)
		}
	}
	return hosts
}

// URLs that look as somebody wants are asked for first from then on, over a restart too.
func TestPriorityByPattern(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fs := vfs.NewMem()
		var web strings.Builder
		web.WriteString("-- a.test/ --\n<a href=/1>1</a> <a href=/2>2</a> <a href=/more>m</a> <a href=/news/1>n</a> <a href=/news/2>n</a>\n-- a.test/more --\n<a href=/3>3</a> <a href=/news/3>n</a>\n")
		for _, path := range []string{"1", "2", "3", "news/1", "news/2", "news/3"} {
			web.WriteString("-- a.test/" + path + " --\nx\n")
		}
		s := serve(t, web.String())
		o := options(s, fs, "http://a.test/")
		o.Limits.Pages = 2
		o.Commands = []Command{{Who: "ali", Name: "priority-match", Value: "/news/", Score: 10}}
		crawlNow(t, o)
		o.Commands, o.Limits, o.Seeds, o.Resume = nil, Limits{}, nil, true
		r := crawlNow(t, o)
		if got := fmt.Sprint(asked(s, "a.test")); got != "[/robots.txt / /news/1 /news/2 /1 /2 /more /news/3 /3]" {
			t.Errorf("asked for %s", got)
		}
		for cmd, err := range ReadControlLog(fs, "archive", r.ID) {
			if err != nil || cmd.Who != "ali" || cmd.Before != "priority +0" || cmd.After != "priority +10, for URLs queued from now on" {
				t.Errorf("control.log: %+v, %v", cmd, err)
			}
		}
	})
}

// A host and a domain go before all others, what is queued already included, over a restart too.
func TestPriorityOfHosts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fs := vfs.NewMem()
		s := serve(t, bigWeb(4, 5)+"-- www.dom.test/0 --\nx\n")
		o := options(s, fs, "http://h0.test/0", "http://h1.test/0", "http://www.dom.test/0", "http://h2.test/0", "http://h3.test/0", "http://h3.test/1", "http://h3.test/2", "http://h3.test/3", "http://h3.test/4")
		o.Delay, o.AddressDelay, o.Workers, o.Limits.Pages = 0, 0, 1, 1
		crawlNow(t, o)
		o.Seeds, o.Resume, o.Limits.Pages = nil, true, 3
		o.Commands = []Command{
			{Who: "ali", Name: "priority-host", Host: "h3.test", Score: 20}, {Who: "ali", Name: "priority-host", Host: ".dom.test", Score: 50},
		}
		crawlNow(t, o)
		o.Commands, o.Limits.Pages = nil, 7
		crawlNow(t, o)
		if got := fmt.Sprint(askedHosts(s)); got != "[h0.test www.dom.test h3.test h3.test h3.test h3.test h3.test]" {
			t.Errorf("asked %s", got)
		}
	})
}

// Commands that cannot be obeyed change nothing, and say what would be right.
func TestWrongPriorities(t *testing.T) {
	set := newSettings(&Options{})
	for _, cmd := range []Command{
		{Name: "priority-host", Host: "http://a.test/", Score: 1}, {Name: "priority-host", Host: "..a.test", Score: 1}, {Name: "priority-host", Score: 1},
		{Name: "priority-match", Value: "(", Score: 1}, {Name: "priority-match", Score: 1},
	} {
		if _, _, err := set.take(&cmd); err == nil {
			t.Errorf("%+v passes", cmd)
		}
	}
	for i := range maxFavours {
		if _, _, err := set.take(&Command{Name: "priority-match", Value: fmt.Sprint(i), Score: 1}); err != nil {
			t.Fatal(err)
		}
	}
	if _, _, err := set.take(&Command{Name: "priority-match", Value: "one more", Score: 1}); err == nil {
		t.Error("one pattern more than may be passes")
	}
}

// What a stranger submits is a seed, but opens no address that is not public; what a person gives does.
func TestSubmittedAddresses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, name := range []string{"submit", "seeds"} {
			fs := vfs.NewMem()
			s := serve(t, "-- a.test/ --\na\n-- b.test/ --\nb\n-- host 127.0.0.1 addr=127.0.0.1 --\n-- 127.0.0.1/ --\nsecret\n")
			o := options(s, fs, "http://a.test/")
			o.Commands = []Command{{Name: name, Who: "somebody", URLs: []string{"http://b.test/", "http://127.0.0.1/"}}}
			crawlNow(t, o)
			outcomes := map[string]string{}
			for l, err := range archive.ReadLog(fs, o.Archive, "") {
				if err != nil {
					t.Fatal(err)
				}
				outcomes[l.URL] = l.Outcome
			}
			want := map[string]string{"submit": archive.Failed, "seeds": archive.Recorded}[name]
			if outcomes["http://b.test/"] != archive.Recorded || (outcomes["http://127.0.0.1/"] == archive.Recorded) != (want == archive.Recorded) {
				t.Errorf("%s: %v", name, outcomes)
			}
		}
	})
}
