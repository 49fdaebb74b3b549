package engine

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh"
	"kavosh/archive"
	"kavosh/fetch"
	"kavosh/frontier/scope"
	"kavosh/internal/hostile"
	"kavosh/lib/warc"
)

// onlyHostile takes few hosts, for those who look into one or take its bound away.
var onlyHostile = flag.String("hostile", "", "names of hostile hosts, comma between; all when empty")

// hostileWeb is the hostile Internet as the crawl's web: names by our own DNS client from its name server, connections
// over real sockets.
type hostileWeb struct {
	*fetch.RealWeb
	s *hostile.Server
}

func (w hostileWeb) Dial(ctx context.Context, addr netip.AddrPort) (net.Conn, error) {
	return w.s.Dial(ctx, addr)
}

// hostileCrawl is one crawl over many hostile hosts.
type hostileCrawl struct {
	name  string
	cases []hostileCase
	hub   bool // the hosts are found in a page instead of being seeds, whose addresses are trusted
	set   func(o *Options)
}

func hostileCrawls() []hostileCrawl {
	return []hostileCrawl{
		{name: "wire", cases: append(hostileWire(), hostileTLS()...), set: func(o *Options) { o.Fetch.MaxBody = 1 << 20 }},
		{name: "strict", cases: hostileStrict(), set: func(o *Options) { o.Fetch.TLSStrict = true }},
		{name: "pages", cases: hostilePages(), set: func(o *Options) {
			o.Fetch.HeadTimeout, o.Fetch.IdleTimeout, o.Fetch.TotalTimeout, o.Fetch.MinRate = 10*time.Minute, 10*time.Minute, time.Hour, -1 // it is work that counts here
		}},
		{name: "names", cases: hostileNames(), hub: true, set: func(o *Options) { o.Scope.Mode = scope.Any }},
	}
}

// TestHostile crawls hosts of which each misbehaves in its own way, over real sockets, and holds every case to its outcome,
// its records and its bound, as the host saw it. Time runs ten times as fast. The crawls mostly wait, and do so at once.
func TestHostile(t *testing.T) {
	crawls := slices.DeleteFunc(hostileCrawls(), func(c hostileCrawl) bool { return len(chosen(c.cases)) == 0 })
	results := make([]hostileResult, len(crawls))
	var wg sync.WaitGroup
	for i := range crawls {
		crawls[i].cases = chosen(crawls[i].cases)
		wg.Go(func() { results[i] = crawls[i].run(t.Context()) })
	}
	wg.Wait()
	for i := range crawls {
		t.Run(crawls[i].name, func(t *testing.T) { crawls[i].check(t, &results[i]) })
	}
}

// chosen are the cases that -hostile names.
func chosen(cases []hostileCase) []hostileCase {
	if *onlyHostile == "" {
		return cases
	}
	names := strings.Split(*onlyHostile, ",")
	return slices.DeleteFunc(cases, func(c hostileCase) bool { return !slices.Contains(names, c.name) })
}

// hostileResult is what a hostileCrawl left.
type hostileResult struct {
	report *archive.Report
	err    error
	fs     vfs.FS
	s      *hostile.Server // closed
}

func (c *hostileCrawl) run(ctx context.Context) (r hostileResult) {
	names := []string{}
	for i := range c.cases {
		names = append(names, c.cases[i].name)
	}
	if c.hub {
		names = append(names, "hub")
	}
	if r.s, r.err = hostile.Start(10, names...); r.err != nil {
		return r
	}
	defer r.s.Close()
	clock := r.s.Clock
	web, err := fetch.NewWeb(fetch.WebOptions{Resolver: []string{r.s.Resolver()}, Clock: clock, Hosts: "none"})
	if err != nil {
		r.err = err
		return r
	}
	defer web.Close()
	r.fs = vfs.NewMem()
	o := Options{
		Archive: "archive", FS: r.fs, Clock: clock, Web: hostileWeb{web, r.s}, Workers: 256, Scope: scope.Options{Mode: scope.Host, MaxHops: -1},
		Fetch: fetch.Options{
			Roots: r.s.Roots(), ConnectTimeout: 2 * time.Second, TLSTimeout: 30 * time.Second, HeadTimeout: 30 * time.Second, IdleTimeout: 20 * time.Second, TotalTimeout: 2 * time.Minute,
		},
	}
	o.Limits.Pages = 5000 // for those that a missing bound lets go on for ever
	c.set(&o)
	var urls []string
	for _, b := range hostile.Behaviours() {
		if slices.Contains(names, b.Name) && (!c.hub || b.Name == "hub") {
			urls = append(urls, b.URL())
		}
	}
	o.Seeds = SeedURLs(urls...)
	// A crawl that a missing bound keeps from ending is stopped, and what it did not come to is a failed case.
	patience := 4 * time.Minute
	if *onlyHostile != "" {
		patience = time.Minute
	}
	ctx, stop := context.WithTimeout(ctx, patience)
	defer stop()
	r.report, r.err = Run(ctx, o)
	return r
}

// check holds what was left to the cases.
func (c *hostileCrawl) check(t *testing.T, r *hostileResult) {
	if r.err != nil {
		t.Error(r.err)
	}
	if r.report == nil {
		return
	}
	if r.report.End != "done" {
		t.Errorf("the crawl did not end by itself: %s, %d queued", r.report.End, r.report.Queued)
	}
	urls := map[string]string{}
	for _, b := range hostile.Behaviours() {
		urls[b.Name] = b.URL()
	}
	lines, records := finalLines(t, r.fs), recordsOf(t, r.fs)
	for i := range c.cases {
		row := &c.cases[i]
		t.Run(row.name, func(t *testing.T) { row.check(t, urls[row.name], lines, records, r.s) })
	}
	if _, err := archive.Check(t.Context(), r.fs, "archive", true, func(f warc.Finding) {
		if f.Severity == warc.Fault { // that answers are malformed is worth a warning
			t.Errorf("the archive: %v", f)
		}
	}); err != nil {
		t.Error(err)
	}
}

// finalLines are the last lines of all URLs that are no retries. robots.txt alone may have more than one.
func finalLines(t *testing.T, fs vfs.FS) map[string]archive.Line {
	t.Helper()
	lines := map[string]archive.Line{}
	for l, err := range archive.ReadLog(fs, "archive", "") {
		if err != nil {
			t.Fatal(err)
		}
		if l.Outcome == archive.Retry {
			continue
		}
		if _, twice := lines[l.URL]; twice && !strings.HasSuffix(l.URL, "/robots.txt") {
			t.Errorf("a second line in crawl.log of %s", l.URL)
		}
		lines[l.URL] = l
	}
	return lines
}

func (row *hostileCase) check(t *testing.T, url string, lines map[string]archive.Line, records map[string]string, s *hostile.Server) {
	l, logged := lines[url]
	seen := s.Seen(row.name)
	if got := outcomeOf(&l); !logged || got != row.want {
		t.Errorf("outcome %q (%s), want %q", got, l.Reason, row.want)
	}
	if l.Outcome == archive.Refused {
		robots := lines[url+"robots.txt"]
		if got := outcomeOf(&robots); got != row.robots {
			t.Errorf("robots.txt: %q (%s), want %q", got, robots.Reason, row.robots)
		}
	}
	if robots := lines[url+"robots.txt"]; !strings.Contains(l.Reason+robots.Reason, row.why) {
		t.Errorf("reason %q, and of robots.txt %q, want one with %q", l.Reason, robots.Reason, row.why)
	}
	if got, want := strings.ReplaceAll(records[url], " resource", ""), row.wantRecords(); got != want {
		t.Errorf("records %q, want %q", got, want)
	}
	if l.Links != row.links {
		t.Errorf("%d links taken, want %d", l.Links, row.links)
	}
	asked := seen.Paths()
	times := len(asked)
	for i := range asked {
		if len(asked[i]) > 100 {
			asked[i] = "…"
		}
	}
	slices.Sort(asked)
	asked = slices.Compact(asked)
	want := cmp.Or(row.asked, "/")
	if l.Outcome == archive.Refused && row.asked == "" || want == "-" {
		want = ""
	}
	if got := strings.Join(asked, " "); want != "*" && got != want {
		t.Errorf("asked for %.500q, want %q", got, want)
	}
	most := row.times
	if most == 0 {
		most = len(strings.Fields(want))
		if l.Outcome == archive.Failed {
			most += 3 // two further attempts, and one when a kept connection proves dead
		}
	}
	if times > most {
		t.Errorf("%d requests, at most %d", times, most)
	}
	if most := cmp.Or(row.sent, 64<<10); seen.Sent > most {
		t.Errorf("%d bytes taken, at most %d", seen.Sent, most)
	}
	for _, head := range seen.Requests {
		_, after, _ := strings.Cut(head, "\r\nCookie: ")
		if cookie, _, _ := strings.Cut(after, "\r\n"); len(cookie) > row.cookie {
			t.Errorf("%d bytes of cookies sent, at most %d: %.100s", len(cookie), row.cookie, cookie)
		}
	}
	if row.bound == bodyIdle && seen.Longest > 5*time.Minute {
		t.Errorf("a connection lasted %v", seen.Longest)
	}
	if row.queries > 0 && seen.Queries > row.queries {
		t.Errorf("%d questions to the name server, at most %d", seen.Queries, row.queries)
	}
	row.checkDialled(t, s.Dialled())
	for _, to := range lines {
		if to.Via == url && len(to.Anchor) > 512 {
			t.Errorf("%d bytes of anchor text of %.80s", len(to.Anchor), to.URL)
		}
	}
	if t.Failed() {
		t.Logf("the bound: %s", row.bound)
	}
}

// checkDialled holds the addresses dialled to what is public, and to 16 for each request to a name that has thousands at which
// nobody is.
func (row *hostileCase) checkDialled(t *testing.T, all []netip.AddrPort) {
	public, empty := netip.MustParsePrefix("45.80.0.0/15"), netip.MustParsePrefix("45.81.0.0/16")
	vain := 0
	for _, a := range all {
		if !public.Contains(a.Addr()) && row.bound == publicOnly {
			t.Errorf("%s was dialled", a)
		}
		if empty.Contains(a.Addr()) {
			vain++
		}
	}
	if row.bound == dnsAddresses && vain > 3*16 {
		t.Errorf("%d addresses dialled, at most 16 in each of three attempts", vain)
	}
}

// outcomeOf is a line in short.
func outcomeOf(l *archive.Line) string {
	s := fmt.Sprint(l.Outcome, " ", l.Status)
	if l.Failure != kavosh.NoFailure {
		s += " " + string(l.Failure)
	}
	if l.Cut != kavosh.Whole {
		s += " cut:" + string(l.Cut)
	}
	return s
}

// wantRecords are the case's records: where none are named, those that docs/formats/outcomes.md has for its outcome.
func (row *hostileCase) wantRecords() string {
	if row.records != "" {
		return row.records
	}
	_, cut, short := strings.Cut(row.want, "cut:")
	switch {
	case strings.HasPrefix(row.want, archive.Refused):
		return ""
	case strings.HasPrefix(row.want, archive.Failed):
		return "metadata request"
	case short:
		return "response(" + cut + ") request metadata"
	}
	return "response request"
}

// Every behaviour has its case, and there are many.
func TestHostileCasesAreAll(t *testing.T) {
	known := map[string]bool{}
	for _, b := range hostile.Behaviours() {
		if known[b.Name] {
			t.Errorf("two hosts are called %s", b.Name)
		}
		known[b.Name] = false
	}
	cases := 0
	for _, c := range hostileCrawls() {
		for _, row := range c.cases {
			if _, ok := known[row.name]; !ok || row.bound == "" {
				t.Errorf("%s: no such host, or no bound", row.name)
			}
			known[row.name] = true
			cases++
		}
	}
	for name, tried := range known {
		if !tried && name != "hub" { // which leads to others
			t.Errorf("no case of %s", name)
		}
	}
	if cases < 100 {
		t.Errorf("%d cases", cases)
	}
}
