package sitemap

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"
	"unicode/utf16"
)

const base = "https://example.org/maps/sitemap.xml"

func parse(t *testing.T, doc string) Sitemap {
	t.Helper()
	m, err := Parse(strings.NewReader(doc), base, Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// locs are the locations found, sitemaps after URLs.
func locs(m Sitemap) string {
	var all []string
	for _, u := range m.URLs {
		all = append(all, u.Loc)
	}
	for _, s := range m.Sitemaps {
		all = append(all, s.Loc)
	}
	return strings.Join(all, " ")
}

// TestLocations gives documents as sites really write them, what is to be found in each, and a part of the first note.
func TestLocations(t *testing.T) {
	for _, tt := range []struct{ name, doc, want, note string }{
		{"sitemap", `<?xml version="1.0" encoding="UTF-8"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>https://example.org/a</loc></url><url><loc>https://example.org/b</loc></url></urlset>`,
			"https://example.org/a https://example.org/b", ""},
		{"index", `<sitemapindex><sitemap><loc>https://example.org/1.xml.gz</loc><lastmod>2024-01-01</lastmod></sitemap><sitemap><loc>2.xml</loc></sitemap></sitemapindex>`,
			"https://example.org/1.xml.gz https://example.org/maps/2.xml", ""},
		{"index with two locations in one entry", `<sitemapindex><sitemap><loc>https://example.org/1</loc><loc>https://example.org/2</loc></sitemap></sitemapindex>`,
			"https://example.org/1 https://example.org/2", ""},
		{"index without loc", "<sitemapindex><sitemap>\nhttps://example.org/s?a=1&amp;b=2\n</sitemap></sitemapindex>", "https://example.org/s?a=1&b=2", ""},
		{"prefixed names", `<s:urlset xmlns:s="x"><s:url><s:loc>https://example.org/a</s:loc></s:url></s:urlset>`, "https://example.org/a", ""},
		{"capitals", `<URLSET><URL><LOC>https://example.org/A</LOC></URL></URLSET>`, "https://example.org/A", ""},
		{"wrong namespace", `<urlset xmlns="http://www.google.com/schemas/sitemap/0.84"><url><loc>https://example.org/a</loc></url></urlset>`, "https://example.org/a", ""},
		{"white space", "<urlset><url><loc>\n\t https://example.org/a \u00a0\u200b\n</loc></url></urlset>", "https://example.org/a", ""},
		{"escapes", `<urlset><url><loc>https://example.org/?a=1&amp;b=&#50;&#x33;&apos;</loc></url></urlset>`, "https://example.org/?a=1&b=23%27", ""},
		{"no escapes", `<urlset><url><loc>https://example.org/?a=1&copy=2&lang=fa&x;y&amp</loc></url></urlset>`, "https://example.org/?a=1&copy=2&lang=fa&x;y&amp", ""},
		{"CDATA", `<urlset><url><loc>https://example.org/<![CDATA[?a=1&amp=<2>]]></loc></url></urlset>`, "https://example.org/?a=1&amp=%3C2%3E", ""},
		{"comments and instructions", `<urlset><!-- <url><loc>https://example.org/no</loc></url> --><?php echo 1 ?><url><loc>https://example.org/<!-- x -->a</loc></url></urlset>`, "https://example.org/a", ""},
		{"Persian", "<urlset><url><loc>https://example.org/فارسی</loc></url></urlset>", "https://example.org/%D9%81%D8%A7%D8%B1%D8%B3%DB%8C", ""},
		{"relative", `<urlset><url><loc>/a</loc></url><url><loc>b</loc></url><url><loc>//example.net/c</loc></url></urlset>`, "https://example.org/a https://example.org/maps/b https://example.net/c", ""},
		{"scheme forgotten", `<urlset><url><loc>www.example.com/a</loc></url><url><loc>example.org/b</loc></url></urlset>`, "https://www.example.com/a https://example.org/b", ""},
		{"element within loc", `<urlset><url><loc><url><![CDATA[https://example.org/a]]></url></loc><lastmod>2015-04-28</lastmod></url></urlset>`, "https://example.org/a", ""},
		{"text before the declaration", "Warning: x in y\n<?xml version='1.0'?><urlset><url><loc>https://example.org/a</loc></url></urlset>", "https://example.org/a", ""},
		{"tags before the declaration", "<br />\n<b>Warning</b>: x\n<?xml version='1.0'?><urlset><url><loc>https://example.org/a</loc></url></urlset>", "https://example.org/a", ""},
		{"no root", `<url><loc>https://example.org/a</loc></url><url><loc>https://example.org/b</loc></url>`, "https://example.org/a https://example.org/b", ""},
		{"fragment taken off", `<urlset><url><loc>https://example.org/a#b</loc></url></urlset>`, "https://example.org/a", ""},

		{"loc not closed", "<urlset>\n<url>\n<loc>https://example.org/a<lastmod>2015-04-28</lastmod></url><url><loc>https://example.org/b</loc></url></urlset>", "https://example.org/a https://example.org/b", "line 3: <loc> is not closed"},
		{"url not closed", "<urlset><url><loc>https://example.org/a</loc>\n<url><loc>https://example.org/b</loc></url></urlset>", "https://example.org/a https://example.org/b", "line 2: <url> is not closed"},
		{"end tag too many", "<urlset>\n<url><loc>https://example.org/a</loc></url>\n</url></urlset>", "https://example.org/a", "line 3: </url> closes nothing"},
		{"end tags crossed", "<urlset><url><loc>https://example.org/a</url></loc></urlset>", "https://example.org/a", "line 1: <loc> is closed by </url>"},
		{"cut within a value", "<urlset><url><loc>https://example.org/a</loc></url>\n<url><loc>https://example.org/lon", "https://example.org/a", "line 2: the document ends within <loc>"},
		{"cut within CDATA", "<urlset><url><loc><![CDATA[https://example.org/lon", "", "line 1: the document ends within <loc>"},
		{"cut within an end tag", "<urlset><url><loc>https://example.org/a</lo", "https://example.org/a", "ends within <loc>"},
		{"cut after a value", "<sitemapindex><sitemap><loc>https://example.org/1</loc><las", "https://example.org/1", "ends within <sitemap>"},
		{"no location", "<urlset><url></url><url><loc/></url><url><loc> </loc></url></urlset>", "", "line 1: an entry without a location"},
		{"not the web", "<urlset>\n<url><loc>mailto:a@example.org</loc></url><url><loc>https://[x/</loc></url></urlset>", "", "line 2: not a web address"},
		{"external entity", `<!DOCTYPE urlset [ <!ENTITY test SYSTEM "file:///etc/passwd"> ]><urlset><url><loc>https://example.org/a</loc></url><url><loc>&test;</loc></url></urlset>`, "https://example.org/a", "not a URL"},
		{"sitemap within a DTD", "<?xml version='1.0'?><!DOCTYPE urlset [\n<!ENTITY a '<urlset><url><loc>https://example.org/no</loc></url>'>\n<!-- ]> --> <!ATTLIST urlset xmlns CDATA #FIXED 'x]y'>\n] ><urlset><url><loc>https://example.org/a</loc></url></urlset>", "https://example.org/a", ""},
		{"billion laughs", `<!DOCTYPE urlset [<!ENTITY a "https://example.org/a"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]><urlset><url><loc>https://example.org/x</loc></url><url><loc>https://example.org/&b;</loc></url></urlset>`, "https://example.org/x", "not a URL"},
		{"DTD without end", `<!DOCTYPE urlset [<!ENTITY a "x"><urlset><url><loc>https://example.org/a</loc></url></urlset>`, "", "neither a sitemap nor a feed"},
		{"inclusion", `<urlset><url><loc><xi:include href="file:///etc/passwd" parse="text"/></loc></url></urlset>`, "", "without a location"},
		{"HTML page", "<!DOCTYPE html>\n<html><head><title>404</title></head><body><a href='/x'>x</a></body></html>", "", "line 2: an HTML page"},
		{"other XML", `<catalog><book><link>https://example.org/a</link></book></catalog>`, "", "neither a sitemap nor a feed"},
		{"empty", " \r\n", "", "empty"},
		{"nothing", "", "", "empty"},
		{"deep", "<urlset><url><loc>https://example.org/a</loc></url>" + strings.Repeat("<x>", 100_000), "https://example.org/a", "within each other"},
		{"a tag of a megabyte", "<urlset><url><loc>https://example.org/a</loc></url><x y='" + strings.Repeat("z", 2<<20) + "'>", "https://example.org/a", "line 1: "},

		{"text", "https://example.org/a\nhttps://example.org/b\r\n\rhttp://example.org/c\rhttps://example.org/d", "https://example.org/a https://example.org/b http://example.org/c https://example.org/d", ""},
		{"text with a mark", "\ufeffhttps://example.org/a\n", "https://example.org/a", ""},
		{"text that is prose", "this is a bogus sitemap\nhttps://example.org/a", "https://example.org/a", `line 1: not a URL: "this is a bogus sitemap"`},
		{"text without scheme", "www.example.com/catalog?item=1\n", "https://www.example.com/catalog?item=1", ""},

		{"RSS 2", `<rss><channel><link>https://example.org/</link><atom:link href="/self" rel="self"/><item><title/><link>https://example.org/1</link></item><item><guid isPermaLink="false">https://example.org/2</guid></item><item><guid>7</guid></item></channel></rss>`,
			"https://example.org/1 https://example.org/2", "without a location"},
		{"RSS 1", `<rdf:RDF><channel><link>https://example.org/</link></channel><item rdf:about="https://example.org/1"><title>x</title><link>https://example.org/1?rss</link></item><item rdf:about="https://example.org/2"></item></rdf:RDF>`,
			"https://example.org/1?rss https://example.org/2", ""},
		{"RSS with HTML in it", `<rss><channel><item><description><p><link>https://example.org/no</link><br></description><link>https://example.org/1</link></item></channel></rss>`, "https://example.org/1", "closed by </description>"},
		{"Atom", `<feed><link href="https://example.org/"/><entry><link rel="edit" href="/edit"/><link href="/1"/><link rel="alternate" href="/1.html"/><source><link href="/no"/></source><content type="xhtml"><div><link href="/no"/></div></content></entry></feed>`, "https://example.org/1", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := parse(t, tt.doc)
			if got := locs(m); got != tt.want {
				t.Errorf("found %s\nwant  %s", got, tt.want)
			}
			switch {
			case tt.note == "" && len(m.Notes) > 0:
				t.Errorf("notes %q, want none", m.Notes)
			case tt.note != "" && (len(m.Notes) == 0 || !strings.Contains(m.Notes[0], tt.note)):
				t.Errorf("notes %q, want the first to say %q", m.Notes, tt.note)
			}
		})
	}
}

func TestEntry(t *testing.T) {
	m := parse(t, `<urlset><url>
		<video:video><video:title>Film</video:title><video:thumbnail_loc>/t.jpg</video:thumbnail_loc>
			<video:content_loc>/f.mp4</video:content_loc><video:player_loc allow_embed="yes">/play?x=1&amp;y</video:player_loc>
			<video:publication_date>2001-01-01</video:publication_date><video:gallery_loc title="More">/films</video:gallery_loc></video:video>
		<loc>/p</loc><lastmod>2024-02-03T04:05:06+03:30</lastmod><changefreq>Daily</changefreq><priority>0.8</priority>
		<image:image><image:loc>/1.jpg</image:loc><image:title>One</image:title><image:license>/licence</image:license></image:image>
		<image:image><image:loc>/2.jpg</image:loc></image:image>
		<news:news><news:publication><news:name>Paper</news:name><news:language>fa</news:language></news:publication>
			<news:publication_date>2024-02-01</news:publication_date><news:title>خبر  &amp; more</news:title></news:news>
		<xhtml:link rel="alternate" hreflang="de" href="/de?a=1&amp;b=2"/>
	</url><url><loc>/q</loc><priority>7</priority></url></urlset>`)
	if len(m.Notes) > 0 || len(m.URLs) != 2 || m.Format != XML {
		t.Fatalf("%+v", m)
	}
	u := m.URLs[0]
	var links []string
	for _, l := range u.Links {
		links = append(links, fmt.Sprint(l.Kind, " ", l.URL, " ", l.Hreflang, l.Title))
	}
	want := "thumbnail https://example.org/t.jpg Film|video https://example.org/f.mp4 Film|player https://example.org/play?x=1&y Film|" +
		"gallery https://example.org/films Film|image https://example.org/1.jpg One|image https://example.org/2.jpg |alternate https://example.org/de?a=1&b=2 de"
	if got := strings.Join(links, "|"); got != want {
		t.Errorf("links %s\nwant  %s", got, want)
	}
	u.Links = nil
	wantURL := URL{Loc: "https://example.org/p", LastMod: time.Date(2024, 2, 3, 0, 35, 6, 0, time.UTC), ChangeFreq: "daily", Priority: 0.8,
		Title: "خبر & more", Language: "fa", Published: time.Date(2024, 2, 1, 0, 0, 0, 0, time.UTC)}
	if fmt.Sprint(u) != fmt.Sprint(wantURL) {
		t.Errorf("entry %+v\nwant  %+v", u, wantURL)
	}
	if q := m.URLs[1]; q.Priority != 0.5 || q.Title != "" || len(q.Links) != 0 {
		t.Errorf("the second entry has something of the first, or a priority out of range: %+v", q)
	}
}

func TestFeedEntries(t *testing.T) {
	m := parse(t, `<rss><channel><item><title>A <b>B</b></title><link>/1</link><pubDate>Thu, 05 Jan 2017 13:34:51 +0100</pubDate>
		<enclosure url="/a.mp3" type="audio/mpeg"/><media:group><media:content url="/a.mp4"/></media:group><media:thumbnail url="/a.jpg"/></item></channel></rss>`)
	u := m.URLs[0]
	if got := fmt.Sprint(u.Title, u.LastMod, u.Links); got != "A B2017-01-05 12:34:51 +0000 UTC [{https://example.org/a.mp3 enclosure  } {https://example.org/a.mp4 enclosure  } {https://example.org/a.jpg thumbnail  }]" {
		t.Error("RSS item:", got)
	}
	m = parse(t, `<feed><entry><title type="html">A &amp;amp; B</title><link href="/1"/><link rel="alternate" hreflang="fa" href="/fa"/><link rel="enclosure" href="/a.mp3"/>
		<published>2003-12-13T08:29:29-04:00</published><updated>2003-12-13T18:30:02Z</updated></entry></feed>`)
	u = m.URLs[0]
	if got := fmt.Sprint(m.Format, u.Title, u.LastMod, u.Published, u.Links); got != "atomA &amp; B2003-12-13 18:30:02 +0000 UTC 2003-12-13 12:29:29 +0000 UTC [{https://example.org/fa alternate fa } {https://example.org/a.mp3 enclosure  }]" {
		t.Error("Atom entry:", got)
	}
}

func TestTimes(t *testing.T) {
	for s, want := range map[string]string{
		"2005-01-01":                      "2005-01-01T00:00:00Z",
		"2004-12-23T18:00:15+00:00":       "2004-12-23T18:00:15Z",
		"2004-12-23T18:00:15.123+0330":    "2004-12-23T14:30:15Z",
		"2025-06-05T21:00Z":               "2025-06-05T21:00:00Z",
		"2025-06-05 21:00:01":             "2025-06-05T21:00:01Z",
		"1997-07":                         "1997-07-01T00:00:00Z",
		"Thu, 05 Jan 2017 12:34:50 GMT":   "2017-01-05T12:34:50Z",
		"Thu, 5 Jan 17 13:34:52 +0100":    "2017-01-05T12:34:52Z",
		"05 Jan 2017 13:34 +0100":         "2017-01-05T12:34:00Z",
		"05 Jan 17 13:34:55":              "0001-01-01T00:00:00Z", // whose clock?
		"Thu, 05 Jan 2017 12:34:50 XST":   "0001-01-01T00:00:00Z",
		"yesterday":                       "0001-01-01T00:00:00Z",
		"۱۴۰۳-۰۱-۰۱":                      "0001-01-01T00:00:00Z",
		"9999999999-01-01T00:00:00+99:99": "0001-01-01T00:00:00Z",
	} {
		if got := parseTime(s).Format(time.RFC3339); got != want {
			t.Errorf("parseTime(%q) = %s, want %s", s, got, want)
		}
	}
}

func TestEncodings(t *testing.T) {
	const doc = "<urlset><url><loc>https://example.org/\u0633\u0644\u0627\u0645</loc></url></urlset>" // in windows-1256 as bytes below
	const want = "https://example.org/%D8%B3%D9%84%D8%A7%D9%85"
	legacy := strings.NewReplacer("\u0633", "\xD3", "\u0644", "\xE1", "\u0627", "\xC7", "\u0645", "\xE3").Replace(doc)
	var little, big []byte
	for _, u := range utf16.Encode([]rune("\ufeff" + doc)) {
		little = append(little, byte(u), byte(u>>8))
		big = append(big, byte(u>>8), byte(u))
	}
	for name, body := range map[string]string{
		"UTF-8":                 doc,
		"UTF-8 with mark":       "\ufeff" + doc,
		"UTF-16 little":         string(little),
		"UTF-16 big":            string(big),
		"windows-1256":          "<?xml version='1.0' encoding='windows-1256'?>" + legacy,
		"declared UTF-16 wrong": `<?xml version="1.0" encoding="UTF-16"?>` + doc,
		"gzip":                  zip(doc),
		"gzip twice":            zip(zip(doc)),
		"gzip in two members":   zip(doc[:20]) + zip(doc[20:]),
	} {
		if m := parse(t, body); locs(m) != want || len(m.Notes) > 0 {
			t.Errorf("%s: %s %q", name, locs(m), m.Notes)
		}
	}
	if m := parse(t, `<?xml version="1.0" encoding="klingon"?>`+doc); locs(m) != want || len(m.Notes) != 1 {
		t.Errorf("unknown encoding: %s %q", locs(m), m.Notes)
	}
}

func zip(s string) string {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	z.Write([]byte(s))
	z.Close()
	return b.String()
}

func entries(n int) string {
	var b strings.Builder
	b.WriteString("<urlset>\n")
	for i := range n {
		fmt.Fprintf(&b, "<url><loc>https://example.org/page/%d.html?a=1&amp;b=2</loc><lastmod>2024-05-06T07:08:09+00:00</lastmod><changefreq>weekly</changefreq><priority>0.5</priority></url>\n", i)
	}
	b.WriteString("</urlset>\n")
	return b.String()
}

func TestLimits(t *testing.T) {
	doc := entries(100)
	for _, tt := range []struct {
		name   string
		limits Limits
		want   int
		note   string
	}{
		{"none", Limits{}, 100, ""},
		{"exactly enough URLs", Limits{URLs: 100}, 100, ""},
		{"too many URLs", Limits{URLs: 99}, 99, "line 101: more than 99 entries, the rest is left out"},
		{"exactly enough bytes", Limits{Bytes: int64(len(doc))}, 100, ""},
		{"too many bytes", Limits{Bytes: 1000}, 6, "longer than 1000 bytes"},
	} {
		for _, packed := range []bool{false, true} {
			body := doc
			if packed {
				body = zip(doc)
			}
			m, err := Parse(strings.NewReader(body), base, tt.limits)
			notes := strings.Join(m.Notes, "; ")
			if err != nil || len(m.URLs) != tt.want || (tt.note == "") != (notes == "") || !strings.Contains(notes, tt.note) {
				t.Errorf("%s: %d URLs, notes %q, error %v; want %d URLs, note %q", tt.name, len(m.URLs), notes, err, tt.want, tt.note)
			}
		}
	}
	if m := parse(t, strings.Repeat("nonsense\n", 1000)); len(m.Notes) != maxNotes+1 || m.Notes[maxNotes] != "and 980 more notes" {
		t.Errorf("%d notes, the last %q", len(m.Notes), m.Notes[len(m.Notes)-1])
	}
	if m := parse(t, "<urlset><url><loc>/a</loc>"+strings.Repeat("<image:image><image:loc>/i</image:loc></image:image>", 2000)+"</url></urlset>"); len(m.URLs[0].Links) != maxLinks {
		t.Errorf("%d images of one page", len(m.URLs[0].Links))
	}
}

// TestBroken holds that a broken stream keeps what was read, and that only the reader's own failure is an error.
func TestBroken(t *testing.T) {
	packed := zip(entries(1000))
	m, err := Parse(strings.NewReader(packed[:len(packed)/2]), base, Limits{})
	if err != nil || len(m.URLs) < 100 || len(m.Notes) == 0 || !strings.Contains(strings.Join(m.Notes, ";"), "unexpected EOF") {
		t.Errorf("half a gzip file: %d URLs, notes %q, error %v", len(m.URLs), m.Notes, err)
	}
	m, err = Parse(strings.NewReader("\x1f\x8bnot gzip"), base, Limits{})
	if err != nil || len(m.Notes) != 1 {
		t.Errorf("not gzip: notes %q, error %v", m.Notes, err)
	}
	broken := errors.New("disk on fire")
	m, err = Parse(io.MultiReader(strings.NewReader(entries(10)), iotest.ErrReader(broken)), base, Limits{})
	if !errors.Is(err, broken) || len(m.URLs) != 10 {
		t.Errorf("a reader that fails: %d URLs, error %v", len(m.URLs), err)
	}
	if m := parse(t, entries(10)); len(m.URLs) != 10 {
		t.Errorf("%d URLs", len(m.URLs))
	}
	one, err := Parse(iotest.OneByteReader(strings.NewReader(entries(10))), base, Limits{})
	if err != nil || len(one.URLs) != 10 {
		t.Errorf("byte by byte: %d URLs, %v", len(one.URLs), err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(entries(2)))
	f.Add([]byte("<sitemapindex><sitemap>https://example.org/1</sitemap><sitemap><loc>2<lastmod>x</sitemap></sitemapindex>"))
	f.Add([]byte("<rss><item><link>/1</link><guid>x</guid><title/></item></rss>"))
	f.Add([]byte("<feed><entry><link href='/1'/><updated>2003</updated></entry></feed>"))
	f.Add([]byte("https://example.org/a\r\nwww.example.org\rx"))
	f.Add([]byte("<url><image:image><image:loc>/i<loc>&#x26;&#0;&#xfffffffff;<![CDATA[ ]]>"))
	f.Add([]byte(zip("<urlset>")))
	f.Add([]byte("\xFF\xFE<\x00u\x00"))
	f.Fuzz(func(t *testing.T, doc []byte) {
		m, err := Parse(bytes.NewReader(doc), base, Limits{URLs: 50, Bytes: 1 << 20})
		if err != nil {
			t.Fatalf("error %v from a sound reader", err)
		}
		if n := len(m.URLs) + len(m.Sitemaps); n > 50 || len(m.Notes) > maxNotes+2 {
			t.Fatalf("%d entries, %d notes", n, len(m.Notes))
		}
		for _, u := range m.URLs {
			if !absolute(u.Loc) || u.Priority < 0 || u.Priority > 1 {
				t.Fatalf("entry %+v", u)
			}
		}
	})
}

// BenchmarkParse reads a sitemap of 50,000 URLs.
func BenchmarkParse(b *testing.B) {
	doc := entries(50_000)
	b.SetBytes(int64(len(doc)))
	b.ReportAllocs()
	for b.Loop() {
		if m, err := Parse(strings.NewReader(doc), base, Limits{}); err != nil || len(m.URLs) != 50_000 {
			b.Fatal(len(m.URLs), err)
		}
	}
}
