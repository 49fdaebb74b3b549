package replay

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"kavosh/lib/cdx"
)

// cdxBlock is the unit of pageSize: so many captures, as in the compressed indexes that the API comes from.
const cdxBlock = 3000

// cdxRequest is a question to the CDX server API, read from its parameters.
type cdxRequest struct {
	query    cdx.Query
	output   string // cdxj, json, text, link
	page     int    // from 0; -1 for all pages
	blocks   int    // pageSize
	numPages bool
}

// parseCDX reads the parameters as pywb names them, and the older names beside. An error names the parameter and the fix.
func parseCDX(rawQuery string) (cdxRequest, error) {
	v, err := url.ParseQuery(rawQuery)
	if err != nil {
		return cdxRequest{}, fmt.Errorf("query string: %v", err)
	}
	q := cdxRequest{page: -1, blocks: 10}
	q.query = cdx.Query{URL: v.Get("url"), From: v.Get("from"), To: v.Get("to"), Closest: v.Get("closest"), MatchType: cdx.Match(v.Get("matchType"))}
	if q.query.URL == "" {
		return q, fmt.Errorf("url: missing; ask for ?url=example.com, or ?url=example.com/* for all below it")
	}
	q.query.Filters = v["filter"]
	for _, name := range []string{"fl", "fields"} {
		if v.Get(name) != "" {
			q.query.Fields = strings.Split(v.Get(name), ",")
		}
	}
	number := func(name string, least int, into *int) {
		if err != nil || v.Get(name) == "" {
			return
		}
		n, perr := strconv.Atoi(v.Get(name))
		if perr != nil || n < least {
			err = fmt.Errorf("%s: %q is no number of at least %d", name, v.Get(name), least)
			return
		}
		*into = n
	}
	number("limit", 1, &q.query.Limit)
	number("page", 0, &q.page)
	number("pageSize", 1, &q.blocks)
	number("collapseTime", 1, &q.query.CollapseTime)
	if err != nil {
		return q, err
	}
	sort := v.Get("sort")
	switch {
	case sort == "closest" && q.query.Closest == "":
		return q, fmt.Errorf("sort=closest: say to what by closest=<timestamp>")
	case sort == "reverse", truth(v.Get("reverse")):
		q.query.Reverse = true
	case sort != "" && sort != "closest" && sort != "default":
		return q, fmt.Errorf("sort: %q is none of reverse, closest", sort)
	}
	switch q.output = v.Get("output"); q.output {
	case "":
		q.output = "cdxj"
	case "cdxj", "json", "text", "link":
	default:
		return q, fmt.Errorf("output: %q is none of cdxj, json, text, link", q.output)
	}
	q.numPages = truth(v.Get("showNumPages"))
	if q.blocks > 1000 {
		q.blocks = 1000
	}
	_, _, err = q.query.Range()
	if err != nil {
		return q, fmt.Errorf("%s", strings.TrimPrefix(err.Error(), "cdx: "))
	}
	return q, nil
}

func truth(s string) bool { return s == "true" || s == "1" }

// cdx answers the CDX server API.
func (s *Server) cdx(w http.ResponseWriter, r *http.Request, rt route) {
	q, err := parseCDX(rt.url)
	if err != nil {
		plain(w, http.StatusBadRequest, err.Error())
		return
	}
	ctx := r.Context()
	entries := q.query.Answer(func(plain cdx.Query) iter.Seq2[cdx.Entry, error] {
		return func(yield func(cdx.Entry, error) bool) {
			for c, err := range s.captures(ctx, rt.coll, plain) {
				if !yield(c.Entry, err) {
					return
				}
			}
		}
	})
	size := q.blocks * cdxBlock
	if q.numPages {
		n := 0
		for _, err := range entries {
			if err != nil {
				s.cdxBroken(w, err)
				return
			}
			n++
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, "{\"pages\": %d, \"pageSize\": %d, \"blocks\": %d}\n", (n+size-1)/size, q.blocks, (n+cdxBlock-1)/cdxBlock)
		return
	}
	if q.page >= 0 {
		entries = part(entries, q.page*size, size)
	}
	s.writeCDX(w, r, rt, q, entries)
}

// part are n entries of seq after the first skip.
func part(seq iter.Seq2[cdx.Entry, error], skip, n int) iter.Seq2[cdx.Entry, error] {
	return func(yield func(cdx.Entry, error) bool) {
		i := 0
		for e, err := range seq {
			if err == nil {
				if i++; i <= skip {
					continue
				}
			}
			if !yield(e, err) || err != nil || i >= skip+n {
				return
			}
		}
	}
}

func (s *Server) cdxBroken(w http.ResponseWriter, err error) {
	s.trouble("index: " + err.Error())
	plain(w, http.StatusInternalServerError, "the index cannot be read: run `kavosh rebuild`")
}

// writeCDX writes entries in the form asked for. The first is looked at before the head goes out.
func (s *Server) writeCDX(w http.ResponseWriter, r *http.Request, rt route, q cdxRequest, entries iter.Seq2[cdx.Entry, error]) {
	types := map[string]string{"cdxj": "text/x-cdxj", "json": "text/x-ndjson", "text": "text/plain", "link": "application/link-format"}
	out := bufio.NewWriter(w)
	begun, n := false, 0
	for e, err := range entries {
		if err != nil && !begun {
			s.cdxBroken(w, err)
			return
		}
		if err != nil {
			s.trouble("index: " + err.Error())
			panic(http.ErrAbortHandler)
		}
		if !begun {
			w.Header().Set("Content-Type", types[q.output]+"; charset=utf-8")
			begun = true
		}
		switch q.output {
		case "cdxj":
			out.Write(cdxjLine(&e, q.query.Fields))
		case "json":
			out.Write(jsonLine(&e, q.query.Fields))
		case "text":
			fields := q.query.Fields
			if len(fields) == 0 {
				fields = cdxFields
			}
			for i, f := range fields {
				if i > 0 {
					out.WriteByte(' ')
				}
				v := e.Get(f)
				if v == "" {
					v = "-"
				}
				out.WriteString(v)
			}
			out.WriteByte('\n')
		case "link":
			if n > 0 {
				out.WriteString(",\n")
			}
			fmt.Fprintf(out, `<%s%s>; rel="memento"; datetime="%s"`, s.self(r), replayPath(rt.coll, e.Timestamp, "", e.URL), moment(e.Timestamp).Format(http.TimeFormat))
		}
		n++
	}
	if !begun {
		if q.page > 0 {
			plain(w, http.StatusBadRequest, fmt.Sprintf("page: there is no page %d; showNumPages=true says how many there are", q.page))
			return
		}
		w.Header().Set("Content-Type", types[q.output]+"; charset=utf-8")
	}
	out.Flush()
}

// cdxFields are the fields that every entry may have, in their order.
var cdxFields = []string{"urlkey", "timestamp", "url", "mime", "status", "digest", "length", "offset", "filename"}

// cdxjLine is e as a line of CDXJ with the fields asked for, all of them for none.
func cdxjLine(e *cdx.Entry, fields []string) []byte {
	if len(fields) == 0 {
		return e.AppendLine(nil)
	}
	var kept []string
	for _, f := range fields {
		if f != "urlkey" && f != "timestamp" {
			kept = append(kept, f)
		}
	}
	return append(append([]byte(e.Key+" "+e.Timestamp+" "), object(e, kept)...), '\n')
}

// jsonLine is e as a JSON object with the fields asked for, all of them for none.
func jsonLine(e *cdx.Entry, fields []string) []byte {
	if len(fields) == 0 {
		fields = cdxFields
		for _, f := range e.Extra {
			fields = append(fields[:len(fields):len(fields)], f.Name)
		}
	}
	return append(object(e, fields), '\n')
}

// object is a JSON object of the fields of e that have a value, all as strings.
func object(e *cdx.Entry, fields []string) []byte {
	b := []byte{'{'}
	for _, f := range fields {
		v := e.Get(f)
		if v == "" {
			continue
		}
		if len(b) > 1 {
			b = append(b, ", "...)
		}
		b = append(append(append(b, quoteJSON(f)...), ": "...), quoteJSON(v)...)
	}
	return append(b, '}')
}

// quoteJSON is s as a JSON string.
func quoteJSON(s string) []byte {
	b, _ := json.Marshal(s) // a string never fails
	return b
}

// plain answers with one line of text.
func plain(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	io.WriteString(w, text+"\n")
}
