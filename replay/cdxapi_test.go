package replay

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"
	"time"

	"kavosh/internal/records"
	"kavosh/lib/cdx"
	"kavosh/replay/replaytest"
)

func TestCDX(t *testing.T) {
	a := replaytest.New(t)
	a.Page("http://a.test/", "20200101000000", "200 text/html", "one")
	a.Page("http://a.test/", "20210101000000", "404 text/html", "two")
	a.Page("http://a.test/", "20220101000000", "200 text/html", "three")
	a.Page("http://a.test/p.png", "20220101000000", "200 image/png", "png")
	a.Page("http://sub.a.test/", "20220101000000", "200 text/html", "sub")
	s := server(t, a)
	for _, c := range []struct {
		query string
		want  []string // beginnings of the lines
	}{
		{"url=a.test", []string{"test,a)/ 20200101000000 {", "test,a)/ 20210101000000 {", "test,a)/ 20220101000000 {"}},
		{"url=http://a.test/&limit=1", []string{"test,a)/ 20200101000000"}},
		{"url=a.test&limit=1&sort=reverse", []string{"test,a)/ 20220101000000"}},
		{"url=a.test&sort=closest&closest=20210601", []string{"test,a)/ 20210101000000", "test,a)/ 20220101000000", "test,a)/ 20200101000000"}},
		{"url=a.test&from=2021&to=2021", []string{"test,a)/ 20210101000000"}},
		{"url=a.test/*", []string{"test,a)/ 2020", "test,a)/ 2021", "test,a)/ 2022", "test,a)/p.png 2022"}},
		{"url=a.test/&matchType=prefix&filter=mime:image", []string{"test,a)/p.png"}},
		{"url=*.a.test&filter==mime:text/html&filter=!=status:404&from=2022", []string{"test,a)/ 2022", "test,a,sub)/ 2022"}},
		{"url=a.test&matchType=domain&filter=~url:.*png$", []string{"test,a)/p.png"}},
		{"url=a.test&fl=timestamp,status&output=text", []string{"20200101000000 200", "20210101000000 404", "20220101000000 200"}},
		{"url=a.test&fl=urlkey,timestamp,status&limit=1", []string{`test,a)/ 20200101000000 {"status": "200"}`}},
		{"url=a.test&fl=timestamp,status&output=json&limit=1", []string{`{"timestamp": "20200101000000", "status": "200"}`}},
		{"url=a.test&output=link&limit=1", []string{`<http://replay.test/one/20200101000000/http://a.test/>; rel="memento"; datetime="Wed, 01 Jan 2020 00:00:00 GMT"`}},
		{"url=a.test&page=0&pageSize=1", []string{"test,a)/ 2020", "test,a)/ 2021", "test,a)/ 2022"}},
		{"url=a.test&showNumPages=true", []string{`{"pages": 1, "pageSize": 10, "blocks": 1}`}},
		{"url=nothing.test", nil},
		{"url=a.test&collapse=timestamp:3", []string{"test,a)/ 2020"}},
		{"url=*.a.test&collapse=urlkey", []string{"test,a)/ 2020", "test,a)/p.png 2022", "test,a,sub)/ 2022"}},
		{"url=a.test&collapseToLast=timestamp:3", []string{"test,a)/ 2022"}},
		{"url=http://a.test/p&matchType=range", []string{"test,a)/p.png", "test,a,sub)/ 2022"}},
		{"url=a.test&limit=2&showResumeKey=true", []string{"test,a)/ 2020", "test,a)/ 2021", "", "test%2Ca%29%2F+20210101000000+1"}},
		{"url=a.test&limit=2&resumeKey=test%2Ca%29%2F+20210101000000+1&showResumeKey=true", []string{"test,a)/ 2022"}},
		{"url=a.test&limit=1&output=json&fl=timestamp&showResumeKey=true", []string{`{"timestamp": "20200101000000"}`, `{"resumeKey": "test%2Ca%29%2F+20200101000000+1"}`}},
	} {
		w := ask(s, "/one/cdx?"+c.query)
		var lines []string
		if w.Body.Len() > 0 {
			lines = strings.Split(strings.TrimSuffix(w.Body.String(), "\n"), "\n")
		}
		if w.Code != 200 || len(lines) != len(c.want) {
			t.Errorf("%s: %d\n%s", c.query, w.Code, w.Body)
			continue
		}
		for i, want := range c.want {
			if !strings.HasPrefix(lines[i], want) {
				t.Errorf("%s: line %d is %s, want %s", c.query, i, lines[i], want)
			}
		}
	}
	// Every line of JSON has every field, as text.
	var line map[string]string
	if err := json.Unmarshal([]byte(strings.Split(ask(s, "/one/cdx?url=a.test&output=json").Body.String(), "\n")[0]), &line); err != nil {
		t.Fatal(err)
	}
	for _, f := range cdxFields() {
		if line[f] == "" {
			t.Errorf("%s is missing: %v", f, line)
		}
	}
	for _, query := range []string{"", "url=", "url=a.test&limit=x", "url=a.test&limit=-5001", "url=a.test&limit=1&offset=9223372036854775807", "url=a.test&offset=-1", "url=a.test&matchType=all", "url=a.test&sort=closest", "url=a.test&sort=up",
		"url=a.test&output=xml", "url=a.test&filter=~url:(", "url=a.test&from=yesterday", "url=a.test&page=-2", "url=a.test&page=7", "url=a.test&resumeKey=x", "url=a.test&collapse=timestamp:x", "q=type:urlquery", "q=url:a.test&count=0", "url=%zz"} {
		w := ask(s, "/one/cdx?"+query)
		if w.Code != 400 || strings.Count(w.Body.String(), "\n") != 1 || !strings.HasPrefix(w.Header().Get("Content-Type"), "text/plain") {
			t.Errorf("%s: %d %q %q", query, w.Code, w.Header().Get("Content-Type"), w.Body)
		}
	}
}

// OutbackCDX's answers: lines of eleven fields, arrays, objects, and the XML of OpenWayback.
func TestOutbackCDX(t *testing.T) {
	a := replaytest.New(t)
	a.Page("http://a.test/", "20200101000000", "200 text/html", "one")
	a.Page("http://a.test/", "20210101000000", "404 text/html", "two")
	a.Page("http://a.test/x?a=1&b=2", "20210101000000", "200 text/html", "<three>")
	for i, l := range a.Lines { // the length of a record is another each time
		e, err := cdx.ParseLine([]byte(l))
		if err != nil {
			t.Fatal(err)
		}
		e.Offset, e.Length = int64(i)*164, 164
		a.Lines[i] = string(e.AppendLine(nil))
	}
	s := server(t, a)
	for _, c := range []struct{ query, kind, want string }{
		{"url=a.test", "text/plain", "test,a)/ 20200101000000 http://a.test/ text/html 200 0001AE66 - - 164 0 test.warc.gz\n" +
			"test,a)/ 20210101000000 http://a.test/ text/html 404 0001C24C - - 164 164 test.warc.gz\n"},
		{"url=a.test&limit=1&fl=timestamp,original,length", "text/plain", "20200101000000 http://a.test/ 164\n"},
		{"url=a.test&limit=1&output=json", "application/json", `[["urlkey","timestamp","url","mime","status","digest","redirecturl","robotflags","length","offset","filename"],` + "\n" + `["test,a)/",20200101000000,"http://a.test/","text/html",200,"0001AE66","-","-",164,0,"test.warc.gz"]]` + "\n"},
		{"url=a.test&fl=urlkey,statuscode&output=jsondict", "application/json", `[{"urlkey":"test,a)/","statuscode":200},` + "\n" + `{"urlkey":"test,a)/","statuscode":404}]` + "\n"},
		{"url=none.test&output=json&fl=url,length", "application/json", `[["url","length"]]` + "\n"},
		{"q=type:urlquery+url:http%253A%252F%252Fa.test%252F&count=1&start_page=2", "application/xml", `<?xml version="1.0" encoding="UTF-8"?>
<wayback>
<results>
<result><compressedoffset>164</compressedoffset><compressedendoffset>164</compressedendoffset><mimetype>text/html</mimetype><file>test.warc.gz</file><redirecturl>-</redirecturl><urlkey>test,a)/</urlkey><digest>0001C24C</digest><httpresponsecode>404</httpresponsecode><robotflags>-</robotflags><url>http://a.test/</url><capturedate>20210101000000</capturedate></result>
</results>
<request><startdate>19960101000000</startdate><enddate>20260101000000</enddate><type>urlquery</type><firstreturned>1</firstreturned><url>test,a)/</url><resultsrequested>1</resultsrequested><resultstype>resultstypecapture</resultstype><numreturned>1</numreturned><numresults>2</numresults></request>
</wayback>
`},
		{"q=type:prefixquery+url:a.test", "application/xml", `<?xml version="1.0" encoding="UTF-8"?>
<wayback>
<results>
<result><urlkey>test,a)/</urlkey><originalurl>http://a.test/</originalurl><numversions>2</numversions><numcaptures>2</numcaptures><firstcapturets>20200101000000</firstcapturets><lastcapturets>20210101000000</lastcapturets></result>
<result><urlkey>test,a)/x?a=1&amp;b=2</urlkey><originalurl>http://a.test/x?a=1&amp;b=2</originalurl><numversions>1</numversions><numcaptures>1</numcaptures><firstcapturets>20210101000000</firstcapturets><lastcapturets>20210101000000</lastcapturets></result>
</results>
<request><startdate>19960101000000</startdate><enddate>20260101000000</enddate><type>prefixquery</type><firstreturned>0</firstreturned><url>test,a)/</url><resultsrequested>10000</resultsrequested><resultstype>resultstypeurl</resultstype><numreturned>2</numreturned><numresults>2</numresults></request>
</wayback>
`},
		{"q=type:urlquery+url:none.test", "application/xml", `<?xml version="1.0" encoding="UTF-8"?>
<wayback>
<error><title>Resource Not In Archive</title><message>The Resource you requested is not in this archive.</message></error>
</wayback>
`},
	} {
		s.cdx.now = func() time.Time { return time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC) }
		w := ask(s, "/one/outbackcdx?"+c.query)
		got := w.Body.String()
		if w.Code != 200 || !strings.HasPrefix(w.Header().Get("Content-Type"), c.kind) || got != c.want {
			t.Errorf("%s: %d %s\n%s\nwant\n%s", c.query, w.Code, w.Header().Get("Content-Type"), got, c.want)
		}
	}
}

// What the CDX servers take, each in its own meaning.
func TestCDXParameters(t *testing.T) {
	a := replaytest.New(t)
	for i, u := range []string{"http://a.test/x;y=1?a=1;b=2", "http://a.test/", "http://a.test/", "http://a.test/", "http://a.test/", "http://a.test:8080/p"} {
		a.Page(u, fmt.Sprintf("202%d0101000000", i), "200 text/html", fmt.Sprint(i))
	}
	a.Page("http://a.test/png", "20220101000000", "404 image/png", "png")
	a.Put("revisit", "http://a.test/same", "20230101000000", "application/http", "HTTP/1.1 200 OK\r\n\r\n", cdx.Entry{MIME: RevisitMIME, Status: 200, Digest: "sha1:00000031"})
	a.Page("http://a.test/sha256", "20230101000000", "200 text/html", "other")
	a.Lines[len(a.Lines)-1] = strings.Replace(a.Lines[len(a.Lines)-1], "sha1:", "sha256:", 1)
	s := server(t, a)
	for _, c := range []struct{ query, pywb, outback string }{
		{"url=a.test", "2021 2022 2023 2024", "="},
		{"url=a.test&limit=0", "2021 2022 2023 2024", ""},
		{"url=a.test&limit=2", "2021 2022", "="},
		{"url=a.test&limit=-1", "2024", "="},
		{"url=a.test&limit=-2", "2023 2024", "="},
		{"url=a.test&limit=-2&sort=reverse", "2022 2021", "="},
		{"url=a.test&limit=-9", "2021 2022 2023 2024", "="},
		{"url=a.test&offset=1", "2022 2023 2024", "="},
		{"url=a.test&offset=1&limit=2", "2022 2023", "="},
		{"url=a.test&offset=9", "", "="},
		{"url=a.test&offset=1&limit=1&showResumeKey=true", "2022 +test%2Ca%29%2F+20220101000000+1", "="},
		{"url=a.test&resumeKey=test%2Ca%29%2F+20220101000000+1", "2023 2024", "="},
		{"url=a.test&page=-1", "2021 2022 2023 2024", "="},
		{"url=a.test&from=20220101000000000", "2022 2023 2024", "="},
		{"url=a.test&from_ts=2023", "2023 2024", "="},
		{"url=a.test&to=20220101000000999", "2021 2022", "="},
		{"url=a.test&closest=20230101000000123&sort=closest&limit=1", "2023", "="},
		{"urlkey=test,a)/", "2021 2022 2023 2024", "="},
		{"urlkey=test%2Ca)%2F&limit=1", "2021", "="},
		{"urlkey=test,a:8080)/p", "2025", "="},
		{"urlkey=test,a)/p&matchType=prefix", "2022", "="},
		{"urlkey=test,a)/x;y=1?a=1;b=2", "2020", "="},
		{"url=http://a.test/x;y=1?a=1;b=2", "2020", "="},
		{"url=http://a.test/x%3By=1%3Fa=1%3Bb=2", "2020", "="},
		{"url=a.test&matchType=EXACT&sort=DEFAULT&limit=1", "2021", "="},
		{"url=a.test/*&filter=status:40", "2022", ""},
		{"url=a.test/*&filter=statuscode:404", "2022", "="},
		{"url=a.test/*&filter=statuscode:40.", "", "2022"},
		{"url=a.test/*&filter=!statuscode:[23]..&filter=mimetype:image.*", "", "2022"},
		{"url=a.test/*&filter=~statuscode:40.", "2022", ""},
		{"url=a.test/*&filter=~statuscode:40", "2022", "="},
		{"url=a.test/*&filter=~!mime:text&filter=mimetype:image/png", "x", "2022"},
		{"url=a.test/*&filter=digest:00000031", "2021 2023", "="},
		{"url=a.test/*&filter=digest:sha1:00000031", "2021 2023", "="},
		{"url=a.test/*&filter==digest:00000031", "2021 2023", "x"},
		{"url=a.test/*&filter==digest:sha1:00000031", "2021 2023", "x"},
		{"url=a.test/*&filter==status:200&filter==mime:warc/revisit", "", "x"},
		{"url=http://a.test/same", "2023", "="},
		{"url=http://a.test/p&method=get&limit=1", "", "="},
	} {
		for server, want := range map[string]string{"cdx": c.pywb, "outbackcdx": strings.Replace(c.outback, "=", c.pywb, 1)} {
			if want == "x" {
				continue
			}
			w := ask(s, "/one/"+server+"?"+c.query+"&fl=timestamp&output=text")
			var got []string
			for line := range strings.FieldsSeq(w.Body.String()) {
				if strings.HasPrefix(line, "202") {
					line = strings.TrimSuffix(line, "0101000000")
				} else {
					line = "+" + line
				}
				got = append(got, line)
			}
			if w.Code != 200 || strings.Join(got, " ") != want {
				t.Errorf("%s?%s: %d %v, want %s", server, c.query, w.Code, got, want)
			}
		}
	}
	for query, want := range map[string]string{
		"cdx?url=a.test/same&output=text&fl=mime,status,digest":                  "warc/revisit - 00000031\n",
		"cdx?url=a.test/same&output=json&fl=mime,status,digest":                  `{"mime": "warc/revisit", "digest": "00000031"}` + "\n",
		"cdx?url=a.test/sha256&output=text&fl=digest":                            "sha256:" + fmt.Sprintf("%08X", replaytest.CRC("other")) + "\n",
		"outbackcdx?url=a.test/same&output=json&fl=mime,status,url":              `[["mime","status","url"],` + "\n" + `["warc/revisit",0,"http://a.test/same"]]` + "\n",
		"outbackcdx?url=a.test/same&output=jsondict&fl=url,filename,redirecturl": `[{"url":"http://a.test/same","filename":"test.warc.gz"}]` + "\n",
		"outbackcdx?url=a.test/same&output=cdxj&fl=url":                          `test,a)/same 20230101000000 {"url": "http://a.test/same"}` + "\n",
		"outbackcdx?url=a.test&filter=nothing":                                   "filter: \"nothing\" is none: write [!]field:expression, or ~[!]field:text\n",
		"outbackcdx?url=a.test&filter==status:200":                               "filter: \"=status:200\" is none: write [!]field:expression, or ~[!]field:text\n",
	} {
		if got := ask(s, "/one/"+query).Body.String(); got != want {
			t.Errorf("%s: %s, want %s", query, got, want)
		}
	}
}

// countedIndex counts what is read of an index.
type countedIndex struct {
	records.Index
	read int
}

func (c *countedIndex) Query(ctx context.Context, q cdx.Query) iter.Seq2[cdx.Entry, error] {
	return func(yield func(cdx.Entry, error) bool) {
		for e, err := range c.Index.Query(ctx, q) {
			c.read++
			if !yield(e, err) {
				return
			}
		}
	}
}

// Pages of an answer hold each capture once, in whatever order they are asked for, and reading one after the other reads none twice.
func TestCDXPages(t *testing.T) {
	a := replaytest.New(t)
	for i := range 95 {
		a.Page(fmt.Sprintf("http://a.test/%d", i/10), fmt.Sprintf("202001010000%02d", i/3%60), "200 text/html", fmt.Sprint(i))
	}
	s, index := server(t, a), &countedIndex{Index: a}
	s.collections.List[0].Index = index
	const size = 10
	for _, q := range []cdx.Query{{URL: "a.test/*"}, {URL: "a.test/*", Reverse: true}, {URL: "a.test/*", Filters: []string{"!url:/3"}}, {URL: "a.test/*", Collapse: "urlkey"}} {
		for _, c := range []*Collection{s.collections.List[0], s.collections.All} {
			var whole []string
			for e := range entriesOf(t.Context(), c, q) {
				whole = append(whole, e.Digest)
			}
			for _, order := range [][]int{{3, 1, 99}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, {allPages}, {7, 2}} {
				for _, page := range order {
					var got []string
					index.read = 0
					for e, err := range s.cdx.paged(t.Context(), c, q, page, size) {
						if err != nil {
							t.Fatal(err)
						}
						got = append(got, e.Digest)
					}
					want := whole
					if page != allPages {
						want = whole[min(page*size, len(whole)):min((page+1)*size, len(whole))]
					}
					if !slices.Equal(got, want) {
						t.Errorf("%+v: page %d has %v, want %v", q, page, got, want)
					}
					if len(order) > 5 && q.Collapse == "" && index.read > 3*size {
						t.Errorf("%+v: for page %d of those in order %d lines were read", q, page, index.read)
					}
				}
			}
		}
	}
}
