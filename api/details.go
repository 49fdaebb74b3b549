package api

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"kavosh"
	"kavosh/lib/cdx"
	"kavosh/lib/httpwire"
	"kavosh/lib/warc"
	"kavosh/lib/weburl"
)

// Details are a capture, its record and the head of the answer.
type Details struct {
	Capture Capture `json:"capture"`
	Record  Record  `json:"record"`
	Headers []Field `json:"headers" doc:"of the answer as archived, in order; at most 200"`
}

// Record is what a WARC record says of itself.
type Record struct {
	ID           string    `json:"id"`
	Kind         string    `json:"kind" doc:"response, revisit or resource"`
	Date         time.Time `json:"date"`
	Truncated    string    `json:"truncated,omitempty" doc:"why its end is missing"`
	RefersTo     string    `json:"refersTo,omitempty" doc:"of a revisit: the URL whose capture has the content"`
	RefersToDate string    `json:"refersToDate,omitempty" doc:"and when that was made"`
	Address      string    `json:"address,omitempty" doc:"IP address of the server"`
}

// Field is a header field.
type Field struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Bounds of what is told of a head.
const (
	maxHead   = 1 << 20
	maxFields = 200
	maxField  = 4 << 10
)

func (s *Server) details(a *asked) (any, error) {
	url, at := a.get("url"), a.get("time")
	first, _ := parseFirst(at) // the route's parameter was checked
	last, _ := parseLast(at)
	q := cdx.Query{URL: url, MatchType: cdx.Exact, From: first, To: last}
	if _, _, err := q.Range(); err != nil {
		return nil, &problem{http.StatusBadRequest, strings.TrimPrefix(err.Error(), "cdx: ")}
	}
	var e *cdx.Entry
	for one, err := range a.coll.Index.Query(a.ctx, q) {
		if err != nil {
			return nil, err
		}
		if e == nil || one.URL == url {
			e = &one
		}
		if e.URL == url {
			break
		}
	}
	if e == nil {
		refused, err := a.coll.Gate.Withheld(a.ctx, url)
		switch {
		case err != nil:
			return nil, err
		case refused != nil:
			return nil, refused
		}
		return nil, &problem{http.StatusNotFound, fmt.Sprintf("there is no capture of %s at %s; /captures lists those there are", url, at)}
	}
	f, size, done, err := a.coll.Store.Open(a.ctx, e)
	if err != nil {
		return nil, err
	}
	defer done()
	rec, err := warc.ReadAt(f, size, e.Offset)
	if err != nil {
		return nil, err
	}
	if weburl.SURT(rec.TargetURI()) != weburl.SURT(e.URL) {
		return nil, fmt.Errorf("the index says %s, the record %.200q: run `kavosh rebuild`", e.URL, rec.TargetURI())
	}
	out := Details{Headers: []Field{}}
	if out.Capture, err = s.capture(a, e); err != nil {
		return nil, err
	}
	h := rec.Header
	out.Record = Record{ID: text(h.Get("WARC-Record-ID")), Kind: rec.Type(), Date: rec.Date().UTC(), Truncated: text(h.Get("WARC-Truncated")),
		RefersTo: strings.Trim(text(h.Get("WARC-Refers-To-Target-URI")), "<>"), RefersToDate: text(h.Get("WARC-Refers-To-Date")), Address: text(h.Get("WARC-IP-Address"))}
	refused, err := a.coll.Gate.Refused(a.ctx, &cdx.Entry{URL: out.Record.RefersTo, Timestamp: e.Timestamp})
	if err != nil {
		return nil, err
	}
	if refused != nil && refused.Access == kavosh.Takedown {
		out.Record.RefersTo, out.Record.RefersToDate = "", ""
	}
	if kind := rec.Type(); kind != "response" && kind != "revisit" {
		return out, nil
	}
	head, _, _, err := httpwire.Split(rec.Block, maxHead)
	if err != nil && rec.Type() == "response" {
		return nil, fmt.Errorf("read archived head: %w", err)
	}
	for _, field := range head.Fields[:min(len(head.Fields), maxFields)] {
		out.Headers = append(out.Headers, Field{text(field.Name), text(field.Value)})
	}
	return out, nil
}

// text is archived text at a length and in an encoding that JSON can hold.
func text(s string) string {
	return strings.ToValidUTF8(s[:min(len(s), maxField)], "\ufffd")
}
