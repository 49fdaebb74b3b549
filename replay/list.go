package replay

import (
	"context"
	"iter"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"kavosh/lib/cdx"
	"kavosh/lib/dates"
	"kavosh/pages"
	"kavosh/replay/rewrite"
)

// listSize is how many addresses one page of a list has, or a few more: those of one key stand together.
const listSize = 100

// everything is the query's URL for all captures.
const everything = "*"

// listPage lists the addresses of a collection that its filter lets through.
func (s *Server) listPage(w http.ResponseWriter, r *http.Request, c *Collection) {
	p := pages.Listing{Summary: s.summary(c), Filter: pages.Filter{
		Prefix: strings.TrimSpace(r.FormValue("prefix")), Kind: r.FormValue("kind"), Status: statusOf(r.FormValue("status")), From: r.FormValue("from"), To: r.FormValue("to"),
	}}
	if !slices.Contains(pages.Kinds(), p.Kind) {
		p.Kind = ""
	}
	q := cdx.Query{URL: everything}
	var ok bool
	if q.From, q.To, ok = bounds(p.From, p.To); !ok {
		s.pages.Listing(w, r, p)
		return
	}
	if p.Prefix != "" {
		q.URL, q.MatchType = p.Prefix, cdx.Prefix
	}
	at, after := "/c/"+c.Name+"/pages?", r.FormValue("after")
	if after != "" {
		q.After = after + " 0 0"
		p.Back = at + p.Query().Encode()
	}
	lang, last := s.pages.LangOf(r), ""
	for a, err := range s.addresses(r.Context(), c, q, p.Filter) {
		if err != nil {
			s.homeBroken(w, r, err)
			return
		}
		if a.key < after {
			continue
		}
		if len(p.URLs) >= listSize && a.key != last {
			more := p.Query()
			more.Set("after", a.key)
			p.More = at + more.Encode()
			break
		}
		a.Calendar = s.calendarPath(c, lang, a.URL)
		p.URLs, last = append(p.URLs, a.Address), a.key
	}
	s.pages.Listing(w, r, p)
}

// homeBroken answers on the home pages when an index cannot be read.
func (s *Server) homeBroken(w http.ResponseWriter, r *http.Request, err error) {
	if r.Context().Err() != nil {
		panic(http.ErrAbortHandler) // nobody waits for it any more
	}
	s.trouble("index: " + err.Error())
	s.homeProblem(w, r, http.StatusInternalServerError, "broken", err.Error())
}

// statusOf is a status filter: "404", "4xx", or "" for what is neither.
func statusOf(v string) string {
	if len(v) == 3 && v[0] >= '1' && v[0] <= '9' && (v[1:] == "xx" || v[1] >= '0' && v[1] <= '9' && v[2] >= '0' && v[2] <= '9') {
		return v
	}
	return ""
}

// fits reports whether a status passes a status filter.
func fits(status int, filter string) bool {
	if first, ok := strings.CutSuffix(filter, "xx"); ok {
		return strconv.Itoa(status/100) == first
	}
	return filter == "" || strconv.Itoa(status) == filter
}

// stampOf is the last second of what a person typed as a time, in 14 digits: "2024" means the capture nearest to its end.
func stampOf(typed string) (string, error) {
	span, err := dates.Parse(typed, time.UTC)
	return timestamp(span.Last), err
}

// bounds are what a person typed as a time from and to, in 14 digits; false where that cannot be read.
func bounds(from, to string) (first, last string, ok bool) {
	a, err1 := pages.Moment(from)
	b, err2 := pages.Moment(to)
	if !a.First.IsZero() {
		first = timestamp(a.First)
	}
	if !b.Last.IsZero() {
		last = timestamp(b.Last)
	}
	return first, last, err1 == nil && err2 == nil
}

// maxSpellings is how many spellings of one key are told apart in a list.
const maxSpellings = 100

// keyed is an address with its key in the index.
type keyed struct {
	pages.Address
	key string
}

// addresses are the URLs that the query finds and the filter lets through, each once with its captures counted. The index has the captures of one key
// in order of time, whatever their spelling, so a key's spellings are gathered first.
func (s *Server) addresses(ctx context.Context, c *Collection, q cdx.Query, f pages.Filter) iter.Seq2[keyed, error] {
	return func(yield func(keyed, error) bool) {
		var key, mime string
		var spellings []pages.Address
		flush := func() bool {
			for _, a := range spellings {
				if !yield(keyed{a, key}, nil) {
					return false
				}
			}
			spellings = spellings[:0]
			return true
		}
		for e, err := range s.captures(ctx, c, q) {
			if err != nil {
				yield(keyed{}, err)
				return
			}
			if !shows(&e) {
				continue
			}
			if e.Key != key {
				if !flush() {
					return
				}
				key, mime = e.Key, ""
			}
			if t := e.Type(); t != "" || e.MIME != revisitMIME {
				mime = t
			}
			if f.Kind != "" && pages.KindOf(mime) != f.Kind || !fits(e.Status, f.Status) {
				continue
			}
			url := canonical(e.URL)
			i := slices.IndexFunc(spellings, func(a pages.Address) bool { return a.URL == url })
			if i < 0 {
				if len(spellings) == maxSpellings {
					continue
				}
				spellings = append(spellings, pages.Address{URL: url})
				i = len(spellings) - 1
			}
			a := &spellings[i]
			a.Captures++
			a.Last, a.Path = e.when(), s.base+replayPath(c, e.Timestamp, rewrite.Page, e.URL)
			a.MIME = mime
			if e.MIME != revisitMIME || a.Status == 0 {
				a.Status = e.Status
			}
		}
		flush()
	}
}
