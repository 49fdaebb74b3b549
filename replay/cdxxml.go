package replay

// This file answers OpenWayback's queries for captures in XML.

import (
	"bufio"
	"encoding/xml"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"kavosh/lib/cdx"
	"kavosh/lib/warc"
	"kavosh/lib/weburl"
)

// maxXML is the most results that one answer in XML has. Beyond them, at most as many again are counted.
const maxXML = 10_000

// xmlRequest is a request of the kind that OpenWayback's RemoteResourceIndex sends to OutbackCDX.
type xmlRequest struct {
	kind          string // urlquery, prefixquery
	url           string
	offset, limit int
}

// parseXML parses a query such as "?q=type:urlquery url:http%3A%2F%2Fa.test%2F&count=10&start_page=2".
func parseXML(rawQuery string) (q xmlRequest, err error) {
	v, err := parameters(rawQuery)
	if err != nil {
		return q, err
	}
	q = xmlRequest{kind: "urlquery", limit: maxXML}
	number := func(name, value string, least int, into *int) {
		if value == "" || err != nil {
			return
		}
		n, perr := strconv.Atoi(value)
		if perr != nil || n < least {
			err = fmt.Errorf("%s: %.100q is no number of at least %d", name, value, least)
			return
		}
		*into = n
	}
	for part := range strings.FieldsSeq(v.Get("q")) {
		name, value, _ := strings.Cut(part, ":")
		if plain, perr := url.QueryUnescape(value); perr == nil {
			value = plain
		}
		switch name {
		case "type":
			q.kind = strings.ToLower(value)
		case "url":
			q.url = value
		case "limit", "offset":
			number("q="+name, value, map[string]int{"limit": 1}[name], map[string]*int{"limit": &q.limit, "offset": &q.offset}[name])
		}
	}
	number("count", v.Get("count"), 1, &q.limit)
	q.limit = min(q.limit, maxXML)
	if v.Get("start_page") != "" {
		page := 1
		number("start_page", v.Get("start_page"), 1, &page)
		q.offset = q.limit * (page - 1)
	}
	if err == nil && q.url == "" {
		err = fmt.Errorf("q: no url in it; ask for ?q=type:urlquery+url:http%%3A%%2F%%2Fexample.com%%2F")
	}
	return q, err
}

// element is an XML element with text.
type element struct{ name, text string }

// xmlQuery serves a request with the XML that OpenWayback expects.
func (s *cdxServer) xmlQuery(w http.ResponseWriter, r *http.Request, rt route) {
	q, err := parseXML(rt.url)
	if err != nil {
		plain(w, http.StatusBadRequest, err.Error())
		return
	}
	out := bufio.NewWriter(w)
	defer out.Flush()
	head := func() {
		w.Header().Set("Content-Type", "application/xml; charset=utf-8")
		out.WriteString(xml.Header + "<wayback>\n")
	}
	resultsType, seq := "resultstypecapture", s.xmlCaptures(r, rt, q)
	switch q.kind {
	case "urlquery":
	case "prefixquery":
		resultsType, seq = "resultstypeurl", s.xmlURLs(r, rt, q)
	default:
		head()
		writeXML(out, "error", []element{{"title", "Unsupported query type"}, {"message", "The requested query type is unknown to the index."}})
		out.WriteString("</wayback>\n")
		return
	}
	returned, found := 0, 0
	for fields, err := range seq {
		if err != nil && found == 0 {
			s.broken(w, err)
			return
		}
		if err != nil {
			s.trouble("index: " + err.Error())
			panic(http.ErrAbortHandler)
		}
		if found++; found <= q.offset {
			continue
		}
		if found > q.offset+q.limit {
			if found >= q.offset+q.limit+maxXML {
				break
			}
			continue
		}
		if returned++; returned == 1 {
			head()
			out.WriteString("<results>\n")
		}
		writeXML(out, "result", fields)
	}
	if returned == 0 {
		head()
		writeXML(out, "error", []element{{"title", "Resource Not In Archive"}, {"message", "The Resource you requested is not in this archive."}})
	} else {
		out.WriteString("</results>\n")
		writeXML(out, "request", []element{
			{"startdate", "19960101000000"}, {"enddate", Timestamp(s.now())}, {"type", q.kind}, {"firstreturned", strconv.Itoa(q.offset)}, {"url", weburl.SURT(q.url)},
			{"resultsrequested", strconv.Itoa(q.limit)}, {"resultstype", resultsType}, {"numreturned", strconv.Itoa(returned)}, {"numresults", strconv.Itoa(found)},
		})
	}
	out.WriteString("</wayback>\n")
}

// writeXML writes an element that contains the given elements.
func writeXML(out *bufio.Writer, name string, fields []element) {
	fmt.Fprintf(out, "<%s>", name)
	for _, f := range fields {
		fmt.Fprintf(out, "<%s>", f.name)
		xml.EscapeText(out, []byte(f.text)) // out remembers an error
		fmt.Fprintf(out, "</%s>", f.name)
	}
	fmt.Fprintf(out, "</%s>\n", name)
}

// xmlCaptures yields the captures of a URL.
func (s *cdxServer) xmlCaptures(r *http.Request, rt route, q xmlRequest) func(func([]element, error) bool) {
	return func(yield func([]element, error) bool) {
		for e, err := range entriesOf(r.Context(), rt.coll, cdx.Query{URL: q.url, MatchType: cdx.Exact}) {
			get := func(field string) string {
				if v := e.Get(field); v != "" {
					return v
				}
				return "-"
			}
			fields := []element{{"compressedoffset", get("offset")}}
			if e.Length > 0 {
				fields = append(fields, element{"compressedendoffset", get("length")})
			}
			fields = append(fields, element{"mimetype", get("mime")}, element{"file", get("filename")}, element{"redirecturl", get("redirecturl")}, element{"urlkey", e.Key},
				element{"digest", get("digest")}, element{"httpresponsecode", get("status")}, element{"robotflags", get("robotflags")}, element{"url", e.URL},
				element{"capturedate", e.Timestamp})
			if !yield(fields, err) || err != nil {
				return
			}
		}
	}
}

// xmlURLs yields the URLs that have the prefix of the query, each with the number of its captures.
func (s *cdxServer) xmlURLs(r *http.Request, rt route, q xmlRequest) func(func([]element, error) bool) {
	return func(yield func([]element, error) bool) {
		var first, last cdx.Entry
		captures, versions := 0, 0
		flush := func() bool {
			return captures == 0 || yield([]element{
				{"urlkey", last.Key}, {"originalurl", last.URL}, {"numversions", strconv.Itoa(versions)}, {"numcaptures", strconv.Itoa(captures)},
				{"firstcapturets", first.Timestamp}, {"lastcapturets", last.Timestamp},
			}, nil)
		}
		for e, err := range entriesOf(r.Context(), rt.coll, cdx.Query{URL: q.url, MatchType: cdx.Prefix}) {
			if err != nil {
				yield(nil, err)
				return
			}
			if captures > 0 && e.Key != last.Key {
				if !flush() {
					return
				}
				captures, versions = 0, 0
			}
			if captures == 0 {
				first = e
			}
			if captures == 0 || !warc.SameDigest(e.Digest, last.Digest) {
				versions++
			}
			captures++
			last = e
		}
		flush()
	}
}
