package access

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh"
	"kavosh/internal/about"
	"kavosh/internal/clock"
	"kavosh/lib/cdx"
	"kavosh/lib/weburl"
)

// rule is a decision as a person writes it: "takedown http://a.test/*", "embargo=2y *".
func rule(t testing.TB, text string) Decision {
	t.Helper()
	access, target, _ := strings.Cut(text, " ")
	access, end, _ := strings.Cut(access, "=")
	d := Decision{Do: "add", Access: kavosh.Access(access)}
	var err error
	if d.Target, err = ParseTarget(target); err != nil {
		t.Fatal(err)
	}
	if until, err := time.Parse("2006-01-02", end); err == nil {
		d.Until = until
	} else {
		d.After = end
	}
	if err := d.Check(); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return d
}

func rules(t testing.TB, texts ...string) *Rules {
	t.Helper()
	var ds []Decision
	for i, text := range texts {
		d := rule(t, text)
		d.ID = i + 1
		ds = append(ds, d)
	}
	return NewRules(ds)
}

func entry(url, timestamp, digest string) *cdx.Entry {
	return &cdx.Entry{Key: weburl.SURT(url), URL: url, Timestamp: timestamp, Digest: digest}
}

func TestMostSpecificRuleCounts(t *testing.T) {
	r := rules(t,
		"on-site *",
		"open *.example.org",
		"metadata news.example.org",
		"takedown http://news.example.org/private/*",
		"open http://news.example.org/private/press/*",
		"takedown http://news.example.org/private/press/draft",
		"takedown https://example.org/a",
		"takedown www.shop.test",
		"metadata http://port.test:8080/*",
		"metadata same.test", "takedown same.test",
		"takedown *.nested.test", "metadata nested.test",
	)
	for url, want := range map[string]kavosh.Access{
		"http://other.test/":                                    kavosh.OnSite,
		"http://example.org/":                                   kavosh.Open,
		"http://deep.sub.example.org:81/x":                      kavosh.Open,
		"http://notexample.org/":                                kavosh.OnSite,
		"https://news.example.org/x":                            kavosh.MetadataOnly,
		"https://news.example.org:8443/x":                       kavosh.MetadataOnly,
		"http://sub.news.example.org/":                          kavosh.Open,
		"http://news.example.org/private/":                      kavosh.Takedown,
		"http://news.example.org/private":                       kavosh.Takedown,
		"http://news.example.org/private/?a=1":                  kavosh.Takedown,
		"http://www.news.example.org/PRIVATE/x.html":            kavosh.Takedown,
		"http://news.example.org//private/x":                    kavosh.Takedown,
		"http://news.example.org/x/../private/x":                kavosh.Takedown,
		"http://news.example.org/%70rivate/x":                   kavosh.Takedown,
		"http://news.example.org/privateer":                     kavosh.MetadataOnly,
		"http://news.example.org/private/press/":                kavosh.Open,
		"http://news.example.org/private/press/1":               kavosh.Open,
		"http://news.example.org/private/press/Draft/":          kavosh.Takedown,
		"http://news.example.org/private/press/draft?x":         kavosh.Open,
		"http://www.example.org/a/":                             kavosh.Takedown,
		"ftp://user:word@example.org/A#top":                     kavosh.Takedown,
		"http://example.org/a?b":                                kavosh.Open,
		"https://example.org/a?PHPSESSID=0123456789abcdef01234": kavosh.Open,
		"http://shop.test/":                                     kavosh.Takedown,
		"http://port.test:8080/x":                               kavosh.MetadataOnly,
		"http://port.test/x":                                    kavosh.OnSite,
		"http://same.test/":                                     kavosh.Takedown,
		"http://nested.test/":                                   kavosh.MetadataOnly,
		"http://a.nested.test/":                                 kavosh.Takedown,
	} {
		if v := r.decide(entry(url, "20260101000000", ""), time.Now()); v.Access != want {
			t.Errorf("%s: %s by %v, want %s", url, v.Access, v.Rule, want)
		}
	}
	post := entry("http://example.org/a", "20260101000000", "")
	post.Key += "?__wb_method=post&q=1"
	if v := r.decide(post, time.Now()); v.Access != kavosh.Takedown {
		t.Errorf("an answer to POST is %s", v.Access)
	}
	if v := rules(t).decide(post, time.Now()); v.Access != kavosh.Open {
		t.Errorf("without rules: %s", v.Access)
	}
}

// Whatever the rules, the bisection must find what a look at each of them finds.
func FuzzDecide(f *testing.F) {
	f.Add("ab/ ab ab/c* a* ab*", "ab/c")
	f.Fuzz(func(t *testing.T, targets, path string) {
		var ds []Decision
		for i, text := range strings.Fields(targets) {
			target, err := ParseTarget("http://a.test/" + text)
			if err != nil {
				continue
			}
			ds = append(ds, Decision{ID: i + 1, Do: "add", Access: kavosh.Takedown, Target: target})
		}
		r := NewRules(ds)
		e := entry("http://a.test/"+path, "20260101000000", "")
		v, speak := r.Why(e, time.Time{})
		got := v.Rule
		if (got == nil) != (len(speak) == 0) {
			t.Fatalf("%q, %q: %v counts of %d", targets, path, got, len(speak))
		}
		for _, d := range speak {
			if d.Target.Kind == URL && got.Target.Kind != URL || d.Target.Kind == got.Target.Kind && len(weburl.SURT(d.Target.Value)) > len(weburl.SURT(got.Target.Value)) {
				t.Fatalf("%q, %q: %v counts before %v", targets, path, got, d)
			}
		}
	})
}

func TestContentAndEmbargo(t *testing.T) {
	const digest = "sha256:4OYMIQUY7QOBJGX36TEJS35ZEQT24QPEMSNZGTFESWMRW6CSXBKQ"
	now := time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)
	r := rules(t, "takedown "+digest, "open http://a.test/*", "embargo=2y b.test", "embargo=2030-01-01 http://b.test/late", "embargo=2020-01-01 c.test",
		"metadata sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ", "takedown http://d.test/*", "takedown *", "metadata sha256:"+strings.Repeat("ab", 32))
	for _, c := range []struct {
		e    *cdx.Entry
		want kavosh.Access
	}{
		{entry("http://a.test/", "20260101000000", digest), kavosh.Takedown},
		{entry("http://a.test/", "20260101000000", "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"), kavosh.Takedown},
		{entry("http://a.test/", "20260101000000", "3i42h3s6nnfq2msvx7xzkyayscx5qbyj"), kavosh.MetadataOnly},
		{entry("http://d.test/", "20260101000000", "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ"), kavosh.Takedown},
		{entry("http://a.test/", "20260101000000", "sha1:other"), kavosh.Open},
		{entry("http://a.test/", "20260101000000", ""), kavosh.Open},
		{entry("http://b.test/", "20240602000000", ""), kavosh.Embargo},
		{entry("http://b.test/", "20240531000000", ""), kavosh.Open},
		{entry("http://b.test/", "2024", ""), kavosh.Embargo},
		{entry("http://b.test/", "", ""), kavosh.Embargo},
		{entry("http://b.test/late", "20100101000000", ""), kavosh.Embargo},
		{entry("http://c.test/", "20260101000000", ""), kavosh.Open},
		{entry("http://e.test/", "20260101000000", ""), kavosh.Takedown},
	} {
		if v := r.decide(c.e, now); v.Access != c.want {
			t.Errorf("%s %s %s: %s, want %s", c.e.Timestamp, c.e.URL, c.e.Digest, v.Access, c.want)
		}
	}
	for _, spelt := range []string{"4OYMIQUY7QOBJGX36TEJS35ZEQT24QPEMSNZGTFESWMRW6CSXBKQ====", "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=",
		"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855", "E3B0C44298FC1C149AFBF4C8996FB92427AE41E4649B934CA495991B7852B855"} {
		for _, algorithm := range []string{"sha256:", "SHA-256:", ""} {
			if v := r.decide(entry("http://a.test/", "20260101000000", algorithm+spelt), now); v.Access != kavosh.Takedown {
				t.Errorf("%s: %s, want a takedown", algorithm+spelt, v.Access)
			}
			if target, err := ParseTarget(algorithm + spelt); algorithm != "" && (err != nil || target != Target{Digest, "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"}) {
				t.Errorf("ParseTarget(%q) = %+v, %v", algorithm+spelt, target, err)
			}
		}
	}
	if v := r.decide(entry("http://b.test/", "20250131000000", ""), now); !v.Until.Equal(time.Date(2027, 1, 31, 0, 0, 0, 0, time.UTC)) {
		t.Errorf("an embargo of two years ends %v", v.Until)
	}
}

func TestTargetsThatAreNone(t *testing.T) {
	for text, want := range map[string]string{
		"":                        "nothing to name",
		"sha256:abc":              "no sha256 digest",
		"http://a.test/x?y=*":     "before the query",
		"http://a.test*":          "at least the slash",
		"a.*.test":                "stands alone",
		"*.1.2.3.4":               "under an address",
		"*.www.a.test":            "folded away",
		"*.a.test/x":              "has no path",
		"a.test:8080":             "at all its ports",
		"http://a b.test/":        "stands alone",
		"https://[::1":            "",
		"http://a.test/x\ny":      "",
		"http://\x00.test/x":      "",
		"takedown everything now": "",
	} {
		if target, err := ParseTarget(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("ParseTarget(%q) = %v, %v; want %q", text, target, err, want)
		}
	}
}

// archive is a file system with an archive, called "archive".
func archive(t testing.TB) vfs.FS {
	t.Helper()
	fs := vfs.NewMem()
	if err := about.Create(fs, "archive", "test", time.Time{}); err != nil {
		t.Fatal(err)
	}
	return fs
}

// lines are an index of these entries, and files that all hold the same.
type lines []cdx.Entry

func (l lines) Query(_ context.Context, q cdx.Query) iter.Seq2[cdx.Entry, error] {
	return q.Answer(func(q cdx.Query) iter.Seq2[cdx.Entry, error] {
		from, to, _ := q.Range()
		return cdx.Search(l, from, to, q.Reverse)
	})
}

func (l lines) Open(string) (io.ReaderAt, int64, func(), error) {
	return strings.NewReader("secret"), 6, func() {}, nil
}

// shown is why a reader does not get what a capture holds.
func shown(ctx context.Context, g *Guard, e *cdx.Entry) error {
	refused, err := g.Refused(ctx, e)
	if err == nil && refused != nil {
		err = refused
	}
	return err
}

func urls(seq iter.Seq2[cdx.Entry, error]) (list []string, err error) {
	for e, err := range seq {
		if err != nil {
			return list, err
		}
		list = append(list, e.URL)
	}
	return list, nil
}

// What was decided holds for a guard that is in use, within a second; what is taken back holds no more.
func TestGuardFollowsDecisions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fs := archive(t)
		index := lines{*entry("http://a.test/1", "20260101000000", ""), *entry("http://a.test/2", "20260101000000", ""), *entry("http://a.test/3", "20260101000000", "")}
		g := NewGuard(index, index, Follow(fs, "archive", clock.Real{}))
		all := cdx.Query{URL: "*", Limit: 2}
		want := func(anybody, onSite, listed string) {
			t.Helper()
			<-time.After(lookAgain)
			list, err := urls(g.Query(t.Context(), all))
			if got := strings.Join(list, " "); err != nil || got != listed {
				t.Errorf("listed %s, %v; want %s", got, err, listed)
			}
			for reader, want := range map[Reader]string{{}: anybody, {OnSite: true}: onSite} {
				open := []string{}
				for i := range index {
					err := shown(With(t.Context(), reader), g, &index[i])
					if refused, ok := errors.AsType[*kavosh.Refused](err); err == nil {
						open = append(open, index[i].URL[len(index[i].URL)-1:])
					} else if !ok {
						t.Error(err)
					} else if refused.Error() == "" {
						t.Error("a refusal without words")
					}
				}
				if got := strings.Join(open, ""); got != want {
					t.Errorf("%+v opened %s, want %s", reader, got, want)
				}
			}
		}
		decide := func(d Decision) Decision {
			t.Helper()
			ds, err := Decide(fs, "archive", clock.Real{}, "someone", d)
			if err != nil {
				t.Fatal(err)
			}
			return ds[0]
		}
		want("123", "123", "http://a.test/1 http://a.test/2")
		two := decide(rule(t, "on-site http://a.test/2"))
		want("13", "123", "http://a.test/1 http://a.test/2")
		one := decide(rule(t, "takedown http://a.test/1"))
		want("3", "23", "http://a.test/2 http://a.test/3")
		if refused, err := g.Withheld(t.Context(), "https://www.a.test/1/"); err != nil || refused == nil || refused.Access != kavosh.Takedown {
			t.Errorf("withheld: %v, %v", refused, err)
		}
		if refused, err := g.Withheld(t.Context(), "http://a.test/2"); err != nil || refused != nil {
			t.Errorf("withheld of what is listed: %v, %v", refused, err)
		}
		decide(Decision{Do: "remove", ID: one.ID, Why: "settled"})
		want("13", "123", "http://a.test/1 http://a.test/2")
		if _, err := Decide(fs, "archive", clock.Real{}, "someone", Decision{Do: "remove", ID: one.ID}); err == nil {
			t.Error("a rule was removed twice")
		}
		var trail []string
		for d, err := range Decisions(fs, "archive") {
			trail = append(trail, fmt.Sprint(d.Do, d.ID, d.Who, d.Why, err))
		}
		if got := strings.Join(trail, " "); got != "add1someone<nil> add2someone<nil> remove2someonesettled<nil>" || two.ID != 1 {
			t.Errorf("trail %s", got)
		}
	})
}

// Rules that cannot be known close everything.
func TestDamagedDecisionsClose(t *testing.T) {
	for _, text := range []string{"{\n", `{"id":1,"do":"add","access":"later","target":{"kind":"collection"}}` + "\n",
		`{"id":1,"do":"add","access":"takedown","target":{"kind":"digest","value":"crc:1"}}` + "\n"} {
		fs := archive(t)
		if err := fs.MkdirAll("archive/decisions", 0o777); err != nil {
			t.Fatal(err)
		}
		f, err := fs.Create("archive/decisions/access.jsonl", vfs.WriteCategoryUnspecified)
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(f, text)
		f.Close()
		index := lines{*entry("http://a.test/1", "20260101000000", "")}
		g := NewGuard(index, index, Follow(fs, "archive", clock.Real{}))
		if list, err := urls(g.Query(t.Context(), cdx.Query{URL: "*"})); err == nil || len(list) > 0 {
			t.Errorf("%s: listed %v, %v", text, list, err)
		}
		if err := shown(t.Context(), g, &index[0]); err == nil {
			t.Errorf("%s: opened", text)
		}
		if _, err := Decide(fs, "archive", clock.Real{}, "someone", rule(t, "open *")); err == nil {
			t.Errorf("%s: added to", text)
		}
	}
}

// Rules stay the same ones while no decision comes, with none too: what is made of them is not made anew.
func TestRulesStayWithoutDecisions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fs := archive(t)
		f := Follow(fs, "archive", clock.Real{})
		var before *Rules
		for _, texts := range [][]string{nil, {"takedown http://a.test/1"}, {"open http://a.test/1", "on-site *"}} {
			for _, text := range texts {
				if _, err := Decide(fs, "archive", clock.Real{}, "someone", rule(t, text)); err != nil {
					t.Fatal(err)
				}
			}
			<-time.After(lookAgain)
			rules, err := f.Rules()
			if err != nil || rules == before {
				t.Fatalf("after %q: the same rules: %t, %v", texts, rules == before, err)
			}
			for range 3 {
				<-time.After(lookAgain)
				if again, err := f.Rules(); err != nil || again != rules {
					t.Errorf("after %q: other rules for the same decisions, %v", texts, err)
				}
			}
			before = rules
		}
	})
}

func TestOnSite(t *testing.T) {
	site := Site{Addresses: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("2001:db8::/32")}, Proxies: []netip.Prefix{netip.MustParsePrefix("10.9.9.9/32"), netip.MustParsePrefix("192.0.2.0/24")}}
	for _, c := range []struct {
		peer, forwarded string
		want            bool
	}{
		{"10.1.2.3:99", "", true},
		{"[::ffff:10.1.2.3]:99", "", true},
		{"[2001:db8::1%eth0]:99", "", true},
		{"203.0.113.5:99", "", false},
		{"203.0.113.5:99", "10.1.2.3", false}, // anybody can write that
		{"10.1.2.3:99", "203.0.113.5", true},  // no proxy: its word does not count
		{"10.9.9.9:99", "", false},            // a proxy that does not say for whom
		{"10.9.9.9:99", "10.1.2.3", true},
		{"10.9.9.9:99", "203.0.113.5", false},
		{"10.9.9.9:99", "10.1.2.3, 203.0.113.5", false}, // the reader wrote the first
		{"10.9.9.9:99", "203.0.113.5, 10.1.2.3, 192.0.2.7", true},
		{"10.9.9.9:99", "10.1.2.3, nonsense", false},
		{"10.9.9.9:99", "192.0.2.7", false},
		{"", "10.1.2.3", false},
	} {
		got := false
		h := site.Handler(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { got = From(r.Context()).OnSite }))
		r := httptest.NewRequest("GET", "/", nil)
		r.RemoteAddr = c.peer
		if c.forwarded != "" {
			r.Header.Set("X-Forwarded-For", c.forwarded)
		}
		if h.ServeHTTP(httptest.NewRecorder(), r); got != c.want {
			t.Errorf("from %s, forwarded for %q: on site %v", c.peer, c.forwarded, got)
		}
	}
}

// BenchmarkDecide decides about captures under 100,000 rules of all kinds about addresses.
func BenchmarkDecide(b *testing.B) {
	var ds []Decision
	for i := range 100_000 {
		d := rule(b, "takedown "+fmt.Sprintf([]string{"http://h%d.test/page", "http://h%d.test/folder/*", "h%d.test", "*.h%d.test"}[i%4], i/8))
		d.ID = i + 1
		ds = append(ds, d)
	}
	r := NewRules(ds)
	var entries []*cdx.Entry
	for i := range 1024 {
		entries = append(entries, entry(fmt.Sprintf("http://h%d.test/folder/%d.html", i*25, i), "20260101000000", "sha256:4OYMIQUY7QOBJGX36TEJS35ZEQT24QPEMSNZGTFESWMRW6CSXBKQ"))
	}
	now := time.Now()
	b.ReportAllocs()
	closed := 0
	for i := 0; b.Loop(); i++ {
		if !r.decide(entries[i%len(entries)], now).listed() {
			closed++
		}
	}
	b.ReportMetric(float64(r.Len()), "rules")
	if closed == 0 {
		b.Error("nothing is closed")
	}
}

// Pages of a list in which something is taken down have each capture that is left once.
func TestGuardPages(t *testing.T) {
	fs := archive(t)
	var index lines
	for i := range 20 {
		e := entry("http://a.test/", "20260101000000", "")
		e.Offset = int64(i)
		if i%3 == 0 {
			e.Digest = "sha256:4OYMIQUY7QOBJGX36TEJS35ZEQT24QPEMSNZGTFESWMRW6CSXBKQ"
		}
		index = append(index, *e)
	}
	if _, err := Decide(fs, "archive", clock.Real{}, "someone", rule(t, "takedown "+index[0].Digest)); err != nil {
		t.Fatal(err)
	}
	g := NewGuard(index, index, Follow(fs, "archive", clock.Real{}))
	var got []int64
	for after := ""; ; {
		mark, n := cdx.NewMark(after), 0
		for e, err := range g.Query(t.Context(), cdx.Query{URL: "*", Limit: 3, After: after}) {
			if err != nil {
				t.Fatal(err)
			}
			mark.Pass(&e)
			got, n = append(got, e.Offset), n+1
		}
		if n == 0 {
			break
		}
		after = mark.String()
	}
	if want := "[1 2 4 5 7 8 10 11 13 14 16 17 19]"; fmt.Sprint(got) != want {
		t.Errorf("listed %v, want %s", got, want)
	}
}

// A rule is taken back once, by whoever was told its number, also by the decision before in the same list; one that is not there cannot be, and where no archive
// is nothing is decided.
func TestRulesAreTakenBackOnce(t *testing.T) {
	fs := archive(t)
	decide := func(want bool, ds ...Decision) {
		t.Helper()
		if _, err := Decide(fs, "archive", clock.Real{}, "someone", ds...); (err == nil) != want {
			t.Errorf("%+v: %v", ds, err)
		}
	}
	remove := func(id int) Decision { return Decision{Do: "remove", ID: id, Why: "settled"} }
	decide(false, remove(1))
	decide(true, rule(t, "takedown http://a.test/1"))
	decide(false, remove(2))
	decide(false, remove(1), remove(1))
	decide(true, remove(1))
	decide(false, remove(1))
	decide(true, rule(t, "takedown http://a.test/2"), remove(2))
	if _, err := Decide(vfs.NewMem(), "none", clock.Real{}, "someone", rule(t, "takedown http://a.test/")); err == nil {
		t.Error("a rule was made for an archive that is none")
	}
}

// What was taken down stays out of lists, whatever is decided about others later.
func TestTakedownBeforeAnotherRule(t *testing.T) {
	fs := archive(t)
	index := lines{*entry("http://a.test/1", "20260101000000", ""), *entry("http://a.test/2", "20260101000000", "")}
	if _, err := Decide(fs, "archive", clock.Real{}, "someone", rule(t, "takedown http://a.test/1"), rule(t, "metadata http://a.test/2")); err != nil {
		t.Fatal(err)
	}
	g := NewGuard(index, index, Follow(fs, "archive", clock.Real{}))
	if list, err := urls(g.Query(t.Context(), cdx.Query{URL: "*"})); err != nil || fmt.Sprint(list) != "[http://a.test/2]" {
		t.Errorf("listed %v, %v", list, err)
	}
}

// A record about a page is closed with the page. A page whose address ends with another address is no record about that.
func TestRecordsAboutPages(t *testing.T) {
	r := rules(t, "takedown b.test")
	for url, want := range map[string]kavosh.Access{
		"urn:text:http://b.test/":               kavosh.Takedown,
		"screenshot:https://b.test/x":           kavosh.Takedown,
		"screenshot:http://a.test/":             kavosh.Open,
		"http://b.test/go:http://a.test/":       kavosh.Takedown,
		"http://a.test/go:http://b.test/":       kavosh.Open,
		"http://b.test/?to=see:https://a.test/": kavosh.Takedown,
	} {
		if v := r.decide(entry(url, "20260101000000", ""), time.Now()); v.Access != want {
			t.Errorf("%s: %s, want %s", url, v.Access, want)
		}
	}
}

// An embargo is as long as its unit says, and ends; whoever asks why is told all rules, the most specific first.
func TestLengthOfEmbargo(t *testing.T) {
	for after, want := range map[string]string{"10d": "2026-02-10", "2w": "2026-02-14", "3m": "2026-05-01", "1y": "2027-01-31"} {
		until, err := time.Parse("2006-01-02", want)
		if err != nil {
			t.Fatal(err)
		}
		v := rules(t, "embargo="+after+" *").decide(entry("http://a.test/", "20260131000000", ""), until.Add(-1))
		if v.Access != kavosh.Embargo || !v.Until.Equal(until) {
			t.Errorf("%s after 31 January: %s until %v, want %v", after, v.Access, v.Until, until)
		}
	}
	for _, after := range []string{"0d", "-1y", "100001d", "d", "2", "2h"} {
		d := Decision{Do: "add", Access: kavosh.Embargo, Target: Target{Kind: Collection}, After: after}
		if err := d.Check(); err == nil {
			t.Errorf("an embargo of %q was taken", after)
		}
	}
	r := rules(t, "on-site *", "open http://a.test/", "metadata *.a.test", "takedown sha256:4OYMIQUY7QOBJGX36TEJS35ZEQT24QPEMSNZGTFESWMRW6CSXBKQ", "open a.test", "open http://b.test/*", "metadata http://a.test/*")
	_, speak := r.Why(entry("http://a.test/", "20260101000000", "sha256:4OYMIQUY7QOBJGX36TEJS35ZEQT24QPEMSNZGTFESWMRW6CSXBKQ"), time.Now())
	var ids []int
	for _, d := range speak {
		ids = append(ids, d.ID)
	}
	if fmt.Sprint(ids) != "[4 2 7 5 3 1]" {
		t.Errorf("rules %v", ids)
	}
}
