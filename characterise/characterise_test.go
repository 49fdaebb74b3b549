package characterise

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"kavosh"
)

func page(url, lang, text string, links ...string) *Capture {
	p := &kavosh.Page{URL: url, Type: "text/html", Charset: "utf-8", Lang: lang, Text: text}
	for _, l := range links {
		p.Links = append(p.Links, kavosh.Link{URL: l, Kind: kavosh.Navigation})
	}
	is := "en"
	if strings.Contains(text, "سلام") {
		is = "fa"
	}
	return &Capture{Page: p, Lang: is, Status: 200, Bytes: int64(len(text)), Coded: "utf-8", Digest: hash(text), Header: kavosh.Header{{Name: "Server", Value: "Apache/2.4 (Debian)"}}}
}

func noFile() (File, error) { return nil, errors.New("no file is needed") }

// TestReport surveys a small web whose numbers can be counted by hand.
func TestReport(t *testing.T) {
	s := NewSurvey(noFile)
	const home, a, b, c = "http://a.ir/", "http://a.ir/x/a.php", "http://www.a.ir/x/y/b.html?q=1", "http://c.co.uk/c.html"
	for _, capture := range []*Capture{
		page(home, "fa-IR", "سلام", a, b, c, c, home),
		page(a, "en", "سلام", home),
		page(b, "", "hello", home, a),
		{Page: &kavosh.Page{URL: c, Type: "text/html", Lang: "en-GB", Links: []kavosh.Link{{URL: home, Kind: kavosh.Navigation}}}, Lang: "en", Status: 200, Header: kavosh.Header{{Name: "Server", Value: "Apache"}, {Name: "Last-Modified", Value: "Tue, 15 Jan 2019 12:45:26 GMT"}}},
		page(home, "fa", "later", a), // the first capture counts
		{Page: &kavosh.Page{URL: "http://a.ir/none"}, Status: 404, Bytes: 10},
		{Page: &kavosh.Page{URL: "http://a.ir/p.png", Type: "image/png"}, Status: 200, Bytes: 100},
	} {
		if err := s.Add(capture); err != nil {
			t.Fatal(err)
		}
	}
	r, err := s.Report()
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []struct {
		what      string
		got, want int64
	}{
		{"captures", r.Captures, 7}, {"URLs", r.URLs, 6}, {"pages", r.Pages, 4}, {"hosts", r.Hosts, 3}, {"domains", r.Domains, 2},
		{"duplicates", r.Duplicates, 1}, {"dynamic", r.Dynamic, 2}, {"languages declared", r.LanguageTags.Present, 3},
		{"languages declared truly", r.LanguageTags.True, 2}, {"links within hosts", r.Links.Host, 3}, {"within domains", r.Links.Domain, 3},
		{"links away", r.Links.Away, 3}, {"deepest", r.Depth.Most, 2}, {"farthest from a root", r.Clicks.Most, 1}, {"roots", r.Clicks.Bars[0].Count, 3}, {"unreached", r.Unreached, 0}, {"most links in", r.In.Most, 3}, {"most links out", r.Out.Most, 3}, {"pages of a host", r.OfHost.Most, 2},
	} {
		if n.got != n.want {
			t.Errorf("%s: %d, want %d", n.what, n.got, n.want)
		}
	}
	if got := r.Languages; len(got) != 2 || got[0].Count != 2 || got[0].Share != 0.5 {
		t.Errorf("languages %v", got)
	}
	if got := r.Suffixes[0]; got.Name != ".ir" || got.Count != 3 {
		t.Errorf("first domain %v", got)
	}
	for _, table := range []struct {
		what string
		got  []Part
		want string
	}{{"linked domains", r.Linked, ".uk 2 .ir 1"}, {"programs", r.Programs, ".php 1 ? 1"}, {"years", r.Modified, "unknown 3 2019 1"}} {
		var got []string
		for _, p := range table.got {
			got = append(got, fmt.Sprint(p.Name, " ", p.Count))
		}
		if strings.Join(got, " ") != table.want {
			t.Errorf("%s %q, want %q", table.what, got, table.want)
		}
	}
	if got := r.Servers; len(got) != 1 || got[0].Name != "apache" || got[0].Count != 3 {
		t.Errorf("servers %v", got)
	}

	var text, table, html bytes.Buffer
	if err := errors.Join(r.Text(&text), r.CSV(&table), r.Page(&html, "</script><b>")); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(text.String(), "4 pages on 3 hosts of 2 domains") {
		t.Errorf("text says\n%s", &text)
	}
	if rows, err := csv.NewReader(&table).ReadAll(); err != nil || len(rows) < 20 {
		t.Errorf("%d lines of CSV, %v", len(rows), err)
	}
	if strings.Contains(html.String(), "</script><b>") {
		t.Error("a name ends the page's script")
	}
}

// TestTags counts what is declared as true when it is the judged language by another code, and judges by no language that is
// not known.
func TestTags(t *testing.T) {
	s := NewSurvey(noFile)
	for i, p := range [][2]string{{"no", "nb"}, {"iw-IL", "he"}, {"per", "fa"}, {"sr", "sr-Latn"}, {"fa", "und"}, {"en", ""}, {"de", "fa"}} {
		c := page(fmt.Sprintf("http://a.ir/%d", i), p[0], "text")
		c.Lang = p[1]
		if err := s.Add(c); err != nil {
			t.Fatal(err)
		}
	}
	r, err := s.Report()
	if err != nil || r.LanguageTags != (Tags{Present: 7, Judged: 5, True: 4}) {
		t.Errorf("%+v, %v", r.LanguageTags, err)
	}
	if i := slices.IndexFunc(r.Languages, func(p Part) bool { return p.Name == "unknown" }); i < 0 || r.Languages[i].Count != 2 {
		t.Errorf("languages %v", r.Languages)
	}
}

// TestNoEncoding judges no declaration by a page that holds nothing.
func TestNoEncoding(t *testing.T) {
	s := NewSurvey(noFile)
	full, empty := page("http://a.ir/", "", "text"), page("http://a.ir/empty", "", "")
	empty.Page.Charset = ""
	if err := errors.Join(s.Add(full), s.Add(empty)); err != nil {
		t.Fatal(err)
	}
	if r, err := s.Report(); err != nil || r.CharsetTags != (Tags{Present: 2, Judged: 1, True: 1}) {
		t.Errorf("%+v, %v", r.CharsetTags, err)
	}
}

// TestSizes keeps sizes to three digits.
func TestSizes(t *testing.T) {
	for _, n := range []int64{0, 1, 1023, 1055, 4095, 123_456_789} {
		if got := coarse(n); math.Abs(float64(got-n)) > float64(n)/1000 {
			t.Errorf("%d is taken for %d", n, got)
		}
	}
}

// TestHostileNames has servers and media types that are long, cut in a letter, or would steer a terminal.
func TestHostileNames(t *testing.T) {
	s := NewSurvey(noFile)
	for i, name := range []string{"\x1b[2Jroot", strings.Repeat("é", 5000), "a\u202eb\xff\x9b31m", "x" + strings.Repeat("漢", 100)} {
		c := page(fmt.Sprintf("http://%d.ir/", i), "en", name)
		c.Header = kavosh.Header{{Name: "Server", Value: name}}
		other := *c
		other.Page = &kavosh.Page{URL: c.Page.URL + "x", Type: "image/" + name}
		if err := errors.Join(s.Add(c), s.Add(&other)); err != nil {
			t.Fatal(err)
		}
	}
	r, err := s.Report()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range append(r.Servers, r.Types...) {
		if len(p.Name) > 80 || !utf8.ValidString(p.Name) || strings.IndexFunc(p.Name, func(r rune) bool { return !unicode.IsGraphic(r) }) >= 0 {
			t.Errorf("name %+q", p.Name)
		}
	}
}

// TestHostsHoldNoAddresses has hosts whose first page has a long address: memory must not grow by those.
func TestHostsHoldNoAddresses(t *testing.T) {
	const hosts, length = 2000, 16 << 10
	inUse := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := inUse()
	s := NewSurvey(noFile)
	for i := range hosts {
		if err := s.Add(page(fmt.Sprintf("http://h%d.ir/%s", i, strings.Repeat("x", length)), "fa", "text")); err != nil {
			t.Fatal(err)
		}
	}
	if grown := inUse() - before; grown > hosts*length/4 {
		t.Errorf("%d bytes a host", grown/hosts)
	}
	runtime.KeepAlive(s)
}

// TestLinksThatOutgrowMemory counts the same whether links stay in memory or go to a file in many runs.
func TestLinksThatOutgrowMemory(t *testing.T) {
	count := func(spilled bool) Spread {
		f, err := os.Create(t.TempDir() + "/links")
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		rng := rand.New(rand.NewPCG(1, 2))
		l := links{temp: func() (File, error) { return f, nil }}
		for page := range uint64(5000) {
			var targets []uint64
			for range 20 {
				targets = append(targets, mixed(rng.Uint64N(8000)*rng.Uint64N(8000)/8000))
			}
			if err := l.add(mixed(page), targets); err != nil {
				t.Fatal(err)
			}
			if spilled && page%300 == 0 {
				if err := l.spill(); err != nil {
					t.Fatal(err)
				}
			}
		}
		in, err := l.count()
		if err != nil {
			t.Fatal(err)
		}
		return in
	}
	in, again := count(false), count(true)
	pages := int64(0)
	for n, c := range in {
		pages += c
		if again[n] != c {
			t.Errorf("%d pages have %d links in memory, %d by a file", c, n, again[n])
		}
	}
	if pages != 5000 || len(again) != len(in) {
		t.Errorf("%d pages with %d degrees, and %d by a file", pages, len(in), len(again))
	}
}

// TestClicks follows rings of links, in memory and by a file, and a page that nobody leads to.
func TestClicks(t *testing.T) {
	for _, spilled := range []bool{false, true} {
		f, err := os.Create(t.TempDir() + "/clicks")
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		c := clicks{temp: func() (File, error) { return f, nil }}
		const rings, length = 50, 90
		entries := map[uint64]bool{}
		for ring := range uint64(rings) {
			for i := range uint64(length) { // both ways, so that the farthest is 45 away; of a ring, the pages come last to first
				at := func(i uint64) uint64 { return mixed(ring*length + i%length) }
				if err := c.add(at(length-i), []uint64{at(length - i + 1), at(2*length - i - 1), mixed(1 << 20)}); err != nil {
					t.Fatal(err)
				}
			}
			entries[mixed(ring*length)&^1] = true
			if spilled && ring%9 == 0 {
				if err := c.spill(); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := c.add(mixed(1<<21), []uint64{mixed(0)}); err != nil {
			t.Fatal(err)
		}
		away, none, err := c.count(entries)
		if err != nil || none != 1 || away[0] != rings || away[1] != 2*rings || away[length/2] != rings || len(away) != length/2+1 {
			t.Errorf("file %v: %v; %d not reached, %v", spilled, away, none, err)
		}
	}
}

func mixed(n uint64) uint64 { return hash(string([]byte{byte(n), byte(n >> 8), byte(n >> 16)})) }

// TestPowerLaw finds the exponent that numbers were drawn by.
func TestPowerLaw(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, want := range []float64{2.1, 2.8} {
		s := Spread{}
		for range 50_000 {
			s.add(int64(4.5*math.Pow(1-rng.Float64(), -1/(want-1)) + 0.5))
		}
		if sh := s.shape(true); math.Abs(sh.Exponent-want) > 0.1 {
			t.Errorf("exponent %.3f from %d on, want %.1f", sh.Exponent, sh.From, want)
		}
	}
}
