package replay

import (
	"strings"
	"testing"
	"time"

	"kavosh/replay/replaytest"
)

// threeMementos is a page captured in 2010, 2015 and 2020.
func threeMementos(t *testing.T) *Server {
	a := replaytest.New(t)
	for _, year := range []string{"2010", "2015", "2020"} {
		a.Page("http://a.test/p", year+"0601120000", "200 text/html", "<p>"+year)
	}
	return server(t, a)
}

const (
	original = `<http://a.test/p>; rel="original"`
	gate     = `<http://replay.test/one/timegate/http://a.test/p>; rel="timegate"`
	mapLink  = `<http://replay.test/one/timemap/link/http://a.test/p>; rel="timemap"; type="application/link-format"`
	first    = `<http://replay.test/one/20100601120000/http://a.test/p>; rel="first memento"; datetime="Tue, 01 Jun 2010 12:00:00 GMT"`
	last     = `<http://replay.test/one/20200601120000/http://a.test/p>; rel="last memento"; datetime="Mon, 01 Jun 2020 12:00:00 GMT"`
)

// RFC 7089, section by section: what a TimeGate, a memento and what lies between answer.
func TestMemento(t *testing.T) {
	at := func(stamp string) string { return "/one/" + stamp + "/http://a.test/p" }
	const timegate, shorthand = "/one/timegate/http://a.test/p", "/one/http://a.test/p"
	for _, c := range []struct {
		name, target, acceptDatetime string
		status                       int
		location                     string
		memento                      string // Memento-Datetime
		vary                         bool   // accept-datetime
		links                        []string
		noLinks                      []string
	}{
		// 2.1.1, 4.2.1: TimeGate by 302
		{name: "4.2.1 TimeGate between two mementos takes the nearer", target: timegate, acceptDatetime: "Sat, 01 Jun 2013 12:00:00 GMT",
			status: 302, location: at("20150601120000"), vary: true, links: []string{original, mapLink, first, last}, noLinks: []string{`rel="timegate"`}},
		{name: "4.2.1 TimeGate at a memento's very time", target: timegate, acceptDatetime: "Tue, 01 Jun 2010 12:00:00 GMT", status: 302, location: at("20100601120000"), vary: true},
		{name: "4.2.1 the short TimeGate", target: shorthand, acceptDatetime: "Mon, 01 Jun 2015 12:00:01 GMT", status: 302, location: at("20150601120000"), vary: true, links: []string{original, mapLink}},
		{name: "4.2.1 equally near: the earlier", target: timegate, acceptDatetime: "Sat, 30 Nov 2012 12:00:00 GMT", status: 302, location: at("20100601120000"), vary: true},
		{name: "2.1.1 without Accept-Datetime the most recent", target: timegate, status: 302, location: at("20200601120000"), vary: true},
		{name: "2.1.1 the same by the short TimeGate", target: shorthand, status: 302, location: at("20200601120000"), vary: true},
		// 4.5.3: Accept-Datetime that cannot be met
		{name: "4.5.3 before the first", target: timegate, acceptDatetime: "Fri, 01 Jan 1999 00:00:00 GMT", status: 302, location: at("20100601120000"), vary: true},
		{name: "4.5.3 after the last", target: timegate, acceptDatetime: "Thu, 01 Jan 2099 00:00:00 GMT", status: 302, location: at("20200601120000"), vary: true},
		{name: "4.5.3 malformed", target: timegate, acceptDatetime: "yesterday", status: 400, vary: true, links: []string{original, mapLink}},
		{name: "4.5.3 ISO date", target: timegate, acceptDatetime: "2015-06-01T12:00:00Z", status: 400, vary: true},
		{name: "4.5.3 no zone", target: timegate, acceptDatetime: "Mon, 01 Jun 2015 12:00:00", status: 400, vary: true},
		{name: "4.5.3 another zone", target: timegate, acceptDatetime: "Mon, 01 Jun 2015 12:00:00 CET", status: 400, vary: true},
		{name: "4.5.3 the interval of old drafts", target: timegate, acceptDatetime: "Mon, 01 Jun 2015 12:00:00 GMT; -P3DT5H;+P2DT6H", status: 400, vary: true},
		{name: "4.5.3 no such day", target: timegate, acceptDatetime: "Mon, 31 Jun 2015 12:00:00 GMT", status: 400, vary: true},
		{name: "TimeGate of what has no memento", target: "/one/timegate/http://a.test/other", acceptDatetime: "Mon, 01 Jun 2015 12:00:00 GMT", status: 404, vary: true},
		{name: "… without Accept-Datetime", target: "/one/http://b.test/", status: 404, vary: true},
		// 2.1.2, 2.2: a memento
		{name: "2.2 the first memento", target: at("20100601120000"), status: 200, memento: "Tue, 01 Jun 2010 12:00:00 GMT", links: []string{original, gate, mapLink, first, last,
			`<http://replay.test/one/20150601120000/http://a.test/p>; rel="next memento"; datetime="Mon, 01 Jun 2015 12:00:00 GMT"`}, noLinks: []string{`rel="prev`}},
		{name: "2.2 one between", target: at("20150601120000"), status: 200, memento: "Mon, 01 Jun 2015 12:00:00 GMT", links: []string{original, gate, mapLink,
			`<http://replay.test/one/20100601120000/http://a.test/p>; rel="first prev memento"; datetime="Tue, 01 Jun 2010 12:00:00 GMT"`,
			`<http://replay.test/one/20150601120000/http://a.test/p>; rel="memento"; datetime="Mon, 01 Jun 2015 12:00:00 GMT"`,
			`<http://replay.test/one/20200601120000/http://a.test/p>; rel="next last memento"; datetime="Mon, 01 Jun 2020 12:00:00 GMT"`}},
		{name: "2.2 the last", target: at("20200601120000"), status: 200, memento: "Mon, 01 Jun 2020 12:00:00 GMT", links: []string{original, gate, mapLink, first, last,
			`rel="prev memento"; datetime="Mon, 01 Jun 2015`}, noLinks: []string{`rel="next`}},
		{name: "2.1.2 a memento heeds no Accept-Datetime", target: at("20200601120000"), acceptDatetime: "Tue, 01 Jun 2010 12:00:00 GMT", status: 200, memento: "Mon, 01 Jun 2020 12:00:00 GMT"},
		{name: "… nor minds a malformed one", target: at("20200601120000"), acceptDatetime: "x", status: 200, memento: "Mon, 01 Jun 2020 12:00:00 GMT"},
		{name: "raw bytes are a memento", target: "/one/20150601120000id_/http://a.test/p", status: 200, memento: "Mon, 01 Jun 2015 12:00:00 GMT", links: []string{original, gate, mapLink}},
		{name: "a framed page is a memento", target: "/one/20150601120000if_/http://a.test/p", status: 200, memento: "Mon, 01 Jun 2015 12:00:00 GMT", links: []string{original, gate, mapLink}},
		// 4.5.7: intermediate resources have no Memento-Datetime and negotiate nothing
		{name: "4.5.7 on the way to the exact time", target: at("20150601120009"), status: 302, location: at("20150601120000"), links: []string{original, gate, mapLink}},
		{name: "4.5.7 a partial time", target: at("2015"), status: 302, location: at("20150601120000"), links: []string{original, gate, mapLink}},
		{name: "4.5.7 … heeds no Accept-Datetime", target: at("2015"), acceptDatetime: "Tue, 01 Jun 2010 12:00:00 GMT", status: 302, location: at("20150601120000")},
		{name: "4.5.7 a time beyond the last", target: at("20250101"), status: 302, location: at("20200601120000")},
		{name: "no memento", target: "/one/20150601120000/http://a.test/other", status: 404},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := threeMementos(t)
			var headers []string
			if c.acceptDatetime != "" {
				headers = append(headers, "Accept-Datetime: "+c.acceptDatetime)
			}
			for _, method := range []string{"GET", "HEAD"} {
				w := replaytest.Send(s, method, "http://replay.test", c.target, headers...)
				h := w.Header()
				if w.Code != c.status {
					t.Fatalf("%s: status %d, want %d: %s", method, w.Code, c.status, w.Body)
				}
				if h.Get("Location") != c.location {
					t.Errorf("%s: Location %q, want %q", method, h.Get("Location"), c.location)
				}
				if h.Get("Memento-Datetime") != c.memento {
					t.Errorf("%s: Memento-Datetime %q, want %q", method, h.Get("Memento-Datetime"), c.memento)
				}
				if vary := strings.Contains(strings.ToLower(h.Get("Vary")), "accept-datetime"); vary != c.vary {
					t.Errorf("%s: Vary %q", method, h.Get("Vary"))
				}
				for _, l := range c.links {
					if !strings.Contains(h.Get("Link"), l) {
						t.Errorf("%s: Link lacks %s\n%s", method, l, h.Get("Link"))
					}
				}
				for _, l := range c.noLinks {
					if strings.Contains(h.Get("Link"), l) {
						t.Errorf("%s: Link has %s\n%s", method, l, h.Get("Link"))
					}
				}
			}
		})
	}
}

// 4.5.4 and 4.5.5: a memento of a redirect is a redirect into the archive, one of an error is that error.
func TestMementoOfOtherStatuses(t *testing.T) {
	a := replaytest.New(t)
	a.Page("http://a.test/old", "20150601120000", "301 Location: /new", "moved")
	a.Page("http://a.test/gone", "20150601120000", "404 text/html", "gone")
	a.Page("http://a.test/down", "20150601120000", "503 text/html", "down")
	a.Page("http://a.test/empty", "20150601120000", "204", "")
	s := server(t, a)
	for _, c := range []struct {
		path, location string
		status         int
	}{
		{"old", "/one/20150601120000/http://a.test/new", 301}, {"gone", "", 404}, {"down", "", 503}, {"empty", "", 204},
	} {
		w := ask(s, "/one/20150601120000/http://a.test/"+c.path)
		if w.Code != c.status || w.Header().Get("Location") != c.location {
			t.Errorf("%s: %d, Location %q", c.path, w.Code, w.Header().Get("Location"))
		}
		if w.Header().Get("Memento-Datetime") != "Mon, 01 Jun 2015 12:00:00 GMT" || !strings.Contains(w.Header().Get("Link"), `rel="original"`) {
			t.Errorf("%s: Memento-Datetime %q, Link %q", c.path, w.Header().Get("Memento-Datetime"), w.Header().Get("Link"))
		}
	}
}

// 2.2.4: a single memento is first and last.
func TestOnlyMemento(t *testing.T) {
	a := replaytest.New(t)
	a.Page("http://a.test/p", "20150601120000", "200 text/html", "x")
	w := ask(server(t, a), "/one/20150601120000/http://a.test/p")
	if !strings.Contains(w.Header().Get("Link"), `rel="first last memento"`) {
		t.Error(w.Header().Get("Link"))
	}
}

func TestTimemap(t *testing.T) {
	s := threeMementos(t)
	w := ask(s, "/one/timemap/link/http://a.test/p")
	want := `<http://a.test/p>; rel="original",
<http://replay.test/one/timemap/link/http://a.test/p>; rel="self"; type="application/link-format"; from="Tue, 01 Jun 2010 12:00:00 GMT"; until="Mon, 01 Jun 2020 12:00:00 GMT",
<http://replay.test/one/timegate/http://a.test/p>; rel="timegate",
<http://replay.test/one/20100601120000/http://a.test/p>; rel="first memento"; datetime="Tue, 01 Jun 2010 12:00:00 GMT",
<http://replay.test/one/20150601120000/http://a.test/p>; rel="memento"; datetime="Mon, 01 Jun 2015 12:00:00 GMT",
<http://replay.test/one/20200601120000/http://a.test/p>; rel="last memento"; datetime="Mon, 01 Jun 2020 12:00:00 GMT"
`
	if w.Body.String() != want || !strings.HasPrefix(w.Header().Get("Content-Type"), "application/link-format") {
		t.Errorf("%s\n%s", w.Header().Get("Content-Type"), w.Body)
	}
	for format, part := range map[string]string{
		"json": `"uri": "http://replay.test/one/20150601120000/http://a.test/p"`,
		"cdxj": `20150601120000 {"uri":"http://replay.test/one/20150601120000/http://a.test/p","rel":"memento","datetime":"Mon, 01 Jun 2015 12:00:00 GMT"}`,
	} {
		if w := ask(s, "/one/timemap/"+format+"/http://a.test/p"); w.Code != 200 || !strings.Contains(w.Body.String(), part) {
			t.Errorf("%s: %d %s", format, w.Code, w.Body)
		}
	}
	for target, status := range map[string]int{
		"/one/timemap/link/http://a.test/other": 404, "/one/timemap/xml/http://a.test/p": 400, "/one/timemap/link/2/http://a.test/p": 404,
	} {
		if w := ask(s, target); w.Code != status {
			t.Errorf("%s: %d, want %d", target, w.Code, status)
		}
	}
}

// 5.1: a TimeMap too long for one page is cut, and each page names the others.
func TestTimemapPages(t *testing.T) {
	a := replaytest.New(t)
	start := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
	a.Page("http://a.test/p", Timestamp(start), "200 text/html", "x")
	for i := 1; i < timemapPage+2; i++ { // captures of the same record: only the index is asked
		a.Lines = append(a.Lines, strings.Replace(a.Lines[0], Timestamp(start), Timestamp(start.Add(time.Duration(i)*time.Minute)), 1))
	}
	s := server(t, a)
	one, two := ask(s, "/one/timemap/link/http://a.test/p").Body.String(), ask(s, "/one/timemap/link/2/http://a.test/p").Body.String()
	if n := strings.Count(one, "memento\";"); n != timemapPage {
		t.Errorf("page 1 lists %d", n)
	}
	if n := strings.Count(two, "memento\";"); n != 2 || !strings.Contains(two, `rel="last memento"`) || strings.Contains(two, `rel="first`) {
		t.Errorf("page 2 lists %d: %s", n, two)
	}
	for _, want := range []string{
		`<http://replay.test/one/timemap/link/2/http://a.test/p>; rel="timemap"; type="application/link-format"; from=`,
		`<http://replay.test/one/timemap/link/http://a.test/p>; rel="self"`,
	} {
		if !strings.Contains(one, want) {
			t.Errorf("page 1 lacks %s", want)
		}
	}
	if !strings.Contains(two, `<http://replay.test/one/timemap/link/2/http://a.test/p>; rel="self"`) {
		t.Error("page 2 does not name itself")
	}
}

func TestMoment(t *testing.T) {
	for digits, want := range map[string]string{
		"2014": "20141231235959", "201402": "20140228235959", "20140301": "20140301235959", "2014030112": "20140301125959",
		"20149999999999": "20141231235959", "20140231120000": "20140228120000", "20140101000000": "20140101000000", "201": "",
	} {
		if len(digits) < 4 {
			if _, _, _, ok := splitTime(digits); ok {
				t.Errorf("%s was taken for a time", digits)
			}
			continue
		}
		if got := Timestamp(Moment(digits)); got != want {
			t.Errorf("%s: %s, want %s", digits, got, want)
		}
	}
}

// Prefer (RFC 7240) leads to the form that it names, from a memento and from a TimeGate.
func TestPrefer(t *testing.T) {
	s := threeMementos(t)
	for _, c := range []struct{ target, prefer, location, applied string }{
		{"/one/20150601120000/http://a.test/p", "raw", "/one/20150601120000id_/http://a.test/p", "raw"},
		{"/one/20150601120000/http://a.test/p", "original-content, original-headers", "/one/20150601120000id_/http://a.test/p", "original-content"},
		{"/one/20150601120000/http://a.test/p", "respond-async, Rewritten; x=1", "/one/20150601120000if_/http://a.test/p", "rewritten"},
		{"/one/20150601120000if_/http://a.test/p", "raw", "/one/20150601120000id_/http://a.test/p", "raw"},
		{"/one/20150601120000if_/http://a.test/p", "rewritten", "", "rewritten"},
		{"/one/20150601120000id_/http://a.test/p", "raw", "", "raw"},
		{"/one/20150601120000/http://a.test/p", "respond-async", "", ""},
		{"/one/20150601120000/http://a.test/p", "", "", ""},
		{"/one/timegate/http://a.test/p", "raw", "/one/20200601120000id_/http://a.test/p", "raw"},
		{"/one/http://a.test/p", "rewritten", "/one/20200601120000if_/http://a.test/p", "rewritten"},
		{"/one/timegate/http://a.test/p", "", "/one/20200601120000/http://a.test/p", ""},
	} {
		headers := replaytest.Browser()
		if c.prefer != "" {
			headers = append(headers[:len(headers):len(headers)], "Prefer: "+c.prefer)
		}
		w := ask(s, c.target, headers...)
		h := w.Header()
		if h.Get("Location") != c.location || h.Get("Preference-Applied") != c.applied || c.location == "" && w.Code != 200 {
			t.Errorf("%s, Prefer %q: %d, Location %q, applied %q", c.target, c.prefer, w.Code, h.Get("Location"), h.Get("Preference-Applied"))
		}
		if vary := strings.Join(h.Values("Vary"), ", "); !strings.Contains(vary, "prefer") {
			t.Errorf("%s: Vary %q", c.target, vary)
		}
	}
}
