package replay

// This file answers the CDX server API, by which programs list captures.

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"kavosh/lib/cdx"
	"kavosh/lib/dates"
)

// cdxBlock is the number of captures that one unit of pageSize stands for. pywb's compressed indexes use the same
// number.
const cdxBlock = 3000

// cdxServer answers the CDX server API.
type cdxServer struct {
	addresses *Addresses
	trouble   func(text string)
	now       func() time.Time
	pages     cdxPages
}

// cdxRequest is a request to the CDX server API, parsed from its parameters.
type cdxRequest struct {
	query    cdx.Query
	form     cdxForm
	page     int  // counted from 0; allPages for all
	blocks   int  // pageSize
	offset   int  // how many entries to skip at the beginning
	last     int  // if above 0: answer only this many entries, the last ones
	none     bool // limit=0: answer no entry
	numPages bool
	resume   bool // showResumeKey
}

// parseCDX reads the parameters of pywb, of the Wayback Machine and of OutbackCDX. If outback is true, output formats
// and filters are those of OutbackCDX. An error names the parameter and the fix.
func parseCDX(rawQuery string, outback bool) (cdxRequest, error) {
	v, err := parameters(rawQuery)
	if err != nil {
		return cdxRequest{}, err
	}
	q := cdxRequest{page: allPages, blocks: 10}
	q.query = cdx.Query{URL: v.Get("url"), After: v.Get("resumeKey")}
	for _, one := range []struct {
		name  string
		into  *string
		first bool
	}{
		{"from_ts", &q.query.From, true}, {"from", &q.query.From, true},
		{"to", &q.query.To, false}, {"closest", &q.query.Closest, false},
	} {
		if typed := v.Get(one.name); typed != "" {
			if *one.into, err = cdxTime(typed, one.first); err != nil {
				return q, fmt.Errorf("%s: %w", one.name, err)
			}
		}
	}
	if match := strings.ToLower(v.Get("matchType")); match != "default" {
		q.query.MatchType = cdx.Match(match)
	}
	if key := v.Get("urlkey"); key != "" && q.query.URL == "" {
		q.query.URL = urlOfKey(key)
		q.query.MatchType = cmp.Or(q.query.MatchType, cdx.Exact)
	}
	if q.query.URL == "" {
		return q, fmt.Errorf("url: missing; ask for ?url=example.com, or ?url=example.com/* for all below it")
	}
	if method := strings.ToUpper(v.Get("method")); outback && method != "" && method != http.MethodGet {
		body := "__wb_method=" + url.QueryEscape(method)
		if more := v.Get("requestBody"); more != "" {
			body += "&" + more
		}
		q.query.URL = cdx.WithMethod(q.query.URL, body)
	}
	for _, f := range v["filter"] {
		f = strings.Replace(f, "digest:"+plainDigest, "digest:", 1)
		if outback {
			if f, err = outbackFilter(f); err != nil {
				return q, err
			}
		}
		q.query.Filters = append(q.query.Filters, f)
	}
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
		if perr != nil || n < least || n > maxNumber {
			err = fmt.Errorf("%s: %.100q is no number from %d to %d", name, v.Get(name), least, maxNumber)
			return
		}
		*into = n
	}
	number("limit", -maxLast, &q.query.Limit)
	number("offset", 0, &q.offset)
	number("page", allPages, &q.page)
	number("pageSize", 1, &q.blocks)
	number("collapseTime", 1, &q.query.CollapseTime)
	if err != nil {
		return q, err
	}
	q.none = outback && v.Get("limit") != "" && q.query.Limit == 0
	if q.query.Limit < 0 {
		q.query.Limit, q.last = 0, -q.query.Limit
	}
	q.query.Collapse = cmp.Or(v.Get("collapseToFirst"), v.Get("collapse"), v.Get("collapseToLast"))
	q.query.CollapseLast = v.Get("collapseToLast") == q.query.Collapse && q.query.Collapse != ""
	sort := strings.ToLower(v.Get("sort"))
	switch {
	case sort == "closest" && q.query.Closest == "" && !v.Has("closest"):
		return q, fmt.Errorf("sort=closest: say to what by closest=<timestamp>")
	case sort == "reverse", truth(v.Get("reverse")):
		q.query.Reverse = true
	case sort != "" && sort != "closest" && sort != "default":
		return q, fmt.Errorf("sort: %.100q is none of reverse, closest", sort)
	}
	if q.form, err = cdxFormOf(v.Get("output"), q.query.Fields, outback); err != nil {
		return q, err
	}
	q.numPages, q.resume = truth(v.Get("showNumPages")), truth(v.Get("showResumeKey"))
	q.blocks = min(q.blocks, 1000)
	_, _, err = q.query.Range()
	if err != nil {
		return q, fmt.Errorf("%s", strings.TrimPrefix(err.Error(), "cdx: "))
	}
	return q, nil
}

// Bounds of numbers in a query. maxLast is smaller, because the last captures must be held in memory until all are
// read.
const (
	maxNumber = 1_000_000_000
	maxLast   = 5_000
)

// parameters parses a query string. Unlike net/url it allows semicolons, because archived URLs contain them.
func parameters(raw string) (url.Values, error) {
	v := url.Values{}
	for part := range strings.SplitSeq(raw, "&") {
		name, value, _ := strings.Cut(part, "=")
		name, err := url.QueryUnescape(name)
		if err == nil {
			value, err = url.QueryUnescape(value)
		}
		if err != nil {
			return nil, fmt.Errorf("query string: %v", err)
		}
		if part != "" {
			v[name] = append(v[name], value)
		}
	}
	return v, nil
}

// cdxTime turns a time given to the CDX API into the digits that an index uses. A time that is only digits is not
// checked and loses all after the seconds: some programs send 17 digits, or days that do not exist. Any other time is
// read as people write dates.
func cdxTime(typed string, first bool) (string, error) {
	if n := leadingDigits(typed); n == len(typed) && (n < 4 || typed > "1501") {
		return typed[:min(n, len(TimestampLayout))], nil
	}
	span, err := dates.Parse(typed, time.UTC)
	if first {
		return Timestamp(span.First), err
	}
	return Timestamp(span.Last), err
}

// urlOfKey returns a URL that has the given key in the index.
func urlOfKey(key string) string {
	host, path, ok := strings.Cut(key, ")")
	if !ok {
		return key
	}
	host, port, found := strings.Cut(host, ":")
	names := strings.Split(host, ",")
	slices.Reverse(names)
	if found {
		port = ":" + port
	}
	return "http://" + strings.Join(names, ".") + port + path
}

// outbackFilter turns a filter of OutbackCDX into one of pywb. It has the form "[~][!]field:text"; text is a regular
// expression that must match the whole value, or with ~ a part of it.
func outbackFilter(spec string) (string, error) {
	rest, part := strings.CutPrefix(spec, "~")
	rest, not := strings.CutPrefix(rest, "!")
	field, text, ok := strings.Cut(rest, ":")
	if !ok || field == "" || strings.Trim(field, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") != "" {
		return "", fmt.Errorf("filter: %.100q is none: write [!]field:expression, or ~[!]field:text", spec)
	}
	out := field + ":" + text
	if !part {
		out = "~" + field + ":(?:" + text + ")$"
	}
	if not {
		out = "!" + out
	}
	return out, nil
}

func truth(s string) bool { return s == "true" || s == "1" }

// answer serves a request to the CDX server API.
func (s *cdxServer) answer(w http.ResponseWriter, r *http.Request, rt route) {
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
	if most > 0 {
		q.query.Limit += q.offset
	}
	if q.resume && most > 0 {
		q.query.Limit++ // one more, to know whether there are more
	}
	if q.numPages {
		n := 0
		for _, err := range s.paged(r.Context(), rt.coll, q.query, allPages, size) {
			if err != nil {
				s.broken(w, err)
				return
			}
			n++
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, "{\"pages\": %d, \"pageSize\": %d, \"blocks\": %d}\n",
			(n+size-1)/size, q.blocks, (n+cdxBlock-1)/cdxBlock)
		return
	}
	entries := entriesOf(r.Context(), rt.coll, q.query)
	switch {
	case q.none:
		entries = func(func(cdx.Entry, error) bool) {}
	case q.page >= 0:
		entries = s.paged(r.Context(), rt.coll, q.query, q.page, size)
	case q.last > 0:
		q.query.Limit, q.query.Reverse = q.last, !q.query.Reverse
		entries = backward(entriesOf(r.Context(), rt.coll, q.query))
	}
	s.write(w, r, rt, q, entries, most)
}

// plainDigest is the prefix of SHA-1 digests in our indexes. Other CDX servers write SHA-1 digests without a prefix.
const plainDigest = "sha1:"

// entriesOf returns what the indexes of c answer to a query, in the form of other CDX servers: SHA-1 digests have no
// prefix, and revisits have no status.
func entriesOf(ctx context.Context, c *Collection, q cdx.Query) iter.Seq2[cdx.Entry, error] {
	return q.Answer(func(plain cdx.Query) iter.Seq2[cdx.Entry, error] {
		plain.Filters = nil // Answer applies them to the changed entries
		return func(yield func(cdx.Entry, error) bool) {
			for e, err := range c.Captures(ctx, plain) {
				e.Digest = strings.TrimPrefix(e.Digest, plainDigest)
				if e.MIME == RevisitMIME {
					e.Status = 0
				}
				if !yield(e.Entry, err) {
					return
				}
			}
		}
	})
}

// backward yields the entries of seq in reverse order.
func backward(seq iter.Seq2[cdx.Entry, error]) iter.Seq2[cdx.Entry, error] {
	return func(yield func(cdx.Entry, error) bool) {
		var all []cdx.Entry
		for e, err := range seq {
			if err != nil {
				yield(e, err)
				return
			}
			all = append(all, e)
		}
		for _, e := range slices.Backward(all) {
			if !yield(e, nil) {
				return
			}
		}
	}
}

// part skips the first skip entries of seq and yields the next n.
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

func (s *cdxServer) broken(w http.ResponseWriter, err error) {
	s.trouble("index: " + err.Error())
	plain(w, http.StatusInternalServerError, "the index cannot be read: run `kavosh rebuild`")
}

// write writes entries in the requested format. If there are more than most, it adds a key to resume from. It reads the
// first entry before it sends the HTTP head, so that an error can still set the status.
func (s *cdxServer) write(w http.ResponseWriter, r *http.Request, rt route, q cdxRequest, entries iter.Seq2[cdx.Entry, error], most int) {
	out := bufio.NewWriter(w)
	n, mark, resume, skip := 0, cdx.NewMark(q.query.After), "", q.offset
	var line []byte
	for e, err := range entries {
		if err != nil && n == 0 {
			s.broken(w, err)
			return
		}
		if err != nil {
			s.trouble("index: " + err.Error())
			panic(http.ErrAbortHandler)
		}
		if skip > 0 {
			skip--
			mark.Pass(&e)
			continue
		}
		if q.resume && n == most && most > 0 {
			resume = url.QueryEscape(mark.String())
			break
		}
		if n == 0 {
			w.Header().Set("Content-Type", q.form.contentType+"; charset=utf-8")
			out.WriteString(q.form.head)
		}
		if n > 0 || q.form.rows {
			out.WriteString(q.form.between)
		}
		if line = line[:0]; q.form.links {
			line = fmt.Appendf(line, `<%s%s>; rel="memento"; datetime="%s"`, s.addresses.self(r),
				rt.coll.Path(e.Timestamp, "", e.URL), Moment(e.Timestamp).Format(http.TimeFormat))
		} else {
			line = q.form.line(line, &e, q.query.Fields)
		}
		out.Write(line)
		mark.Pass(&e)
		n++
	}
	if n == 0 {
		if q.page > 0 {
			plain(w, http.StatusBadRequest,
				fmt.Sprintf("page: there is no page %d; showNumPages=true says how many there are", q.page))
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

// plain sends one line of text as the whole response.
func plain(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	io.WriteString(w, text+"\n")
}
