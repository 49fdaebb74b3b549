package replay

import (
	"bufio"
	"cmp"
	"context"
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
	form     cdxForm
	page     int // from 0; -1 for all pages
	blocks   int // pageSize
	numPages bool
	resume   bool // showResumeKey
}

// parseCDX reads the parameters as pywb names them, and those of the Wayback Machine and OutbackCDX beside. outback gives the
// forms of OutbackCDX. An error names the parameter and the fix.
func parseCDX(rawQuery string, outback bool) (cdxRequest, error) {
	v, err := url.ParseQuery(rawQuery)
	if err != nil {
		return cdxRequest{}, fmt.Errorf("query string: %v", err)
	}
	q := cdxRequest{page: -1, blocks: 10}
	q.query = cdx.Query{URL: v.Get("url"), From: v.Get("from"), To: v.Get("to"), Closest: v.Get("closest"), MatchType: cdx.Match(v.Get("matchType"))}
	if q.query.URL == "" {
		return q, fmt.Errorf("url: missing; ask for ?url=example.com, or ?url=example.com/* for all below it")
	}
	q.query.Filters, q.query.After = v["filter"], v.Get("resumeKey")
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
			err = fmt.Errorf("%s: %.100q is no number of at least %d", name, v.Get(name), least)
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
	q.query.Collapse = cmp.Or(v.Get("collapseToFirst"), v.Get("collapse"), v.Get("collapseToLast"))
	q.query.CollapseLast = v.Get("collapseToLast") == q.query.Collapse && q.query.Collapse != ""
	sort := v.Get("sort")
	switch {
	case sort == "closest" && q.query.Closest == "" && !v.Has("closest"):
		return q, fmt.Errorf("sort=closest: say to what by closest=<timestamp>")
	case sort == "reverse", truth(v.Get("reverse")):
		q.query.Reverse = true
	case sort != "" && sort != "closest" && sort != "default":
		return q, fmt.Errorf("sort: %.100q is none of reverse, closest", sort)
	}
	if q.form, err = cdxFormOf(v.Get("output"), outback); err != nil {
		return q, err
	}
	q.numPages, q.resume = truth(v.Get("showNumPages")), truth(v.Get("showResumeKey"))
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
	if strings.HasPrefix(rt.url, "q=") || strings.Contains(rt.url, "&q=") {
		s.xmlQuery(w, r, rt)
		return
	}
	q, err := parseCDX(rt.url, rt.outback)
	if err != nil {
		plain(w, http.StatusBadRequest, err.Error())
		return
	}
	size, most := q.blocks*cdxBlock, q.query.Limit
	if q.resume && most > 0 {
		q.query.Limit++ // to know whether there are more
	}
	if q.numPages {
		n := 0
		for _, err := range s.paged(r.Context(), rt.coll, q.query, allPages, size) {
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
	entries := s.answer(r.Context(), rt.coll, q.query)
	if q.page >= 0 {
		entries = s.paged(r.Context(), rt.coll, q.query, q.page, size)
	}
	s.writeCDX(w, r, rt, q, entries, most)
}

// answer is what the indexes of c answer to any query.
func (s *Server) answer(ctx context.Context, c *Collection, q cdx.Query) iter.Seq2[cdx.Entry, error] {
	return q.Answer(func(plain cdx.Query) iter.Seq2[cdx.Entry, error] {
		return func(yield func(cdx.Entry, error) bool) {
			for e, err := range s.captures(ctx, c, plain) {
				if !yield(e.Entry, err) {
					return
				}
			}
		}
	})
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

// writeCDX writes entries in the form asked for, and where to go on when there are more than most. The first is looked at
// before the head goes out.
func (s *Server) writeCDX(w http.ResponseWriter, r *http.Request, rt route, q cdxRequest, entries iter.Seq2[cdx.Entry, error], most int) {
	out := bufio.NewWriter(w)
	n, mark, resume := 0, cdx.NewMark(q.query.After), ""
	var line []byte
	for e, err := range entries {
		if err != nil && n == 0 {
			s.cdxBroken(w, err)
			return
		}
		if err != nil {
			s.trouble("index: " + err.Error())
			panic(http.ErrAbortHandler)
		}
		if q.resume && n == most && most > 0 {
			resume = url.QueryEscape(mark.String())
			break
		}
		if n == 0 {
			w.Header().Set("Content-Type", q.form.contentType+"; charset=utf-8")
			out.WriteString(q.form.head)
		} else {
			out.WriteString(q.form.between)
		}
		if line = line[:0]; q.form.links {
			line = fmt.Appendf(line, `<%s%s>; rel="memento"; datetime="%s"`, s.self(r), replayPath(rt.coll, e.Timestamp, "", e.URL), moment(e.Timestamp).Format(http.TimeFormat))
		} else {
			line = q.form.line(line, &e, q.query.Fields)
		}
		out.Write(line)
		mark.Pass(&e)
		n++
	}
	if n == 0 {
		if q.page > 0 {
			plain(w, http.StatusBadRequest, fmt.Sprintf("page: there is no page %d; showNumPages=true says how many there are", q.page))
			return
		}
		w.Header().Set("Content-Type", q.form.contentType+"; charset=utf-8")
		out.WriteString(q.form.head)
	}
	if resume != "" {
		fmt.Fprintf(out, q.form.resume, resume)
	}
	out.WriteString(q.form.tail)
	out.Flush()
}

// plain answers with one line of text.
func plain(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	io.WriteString(w, text+"\n")
}
