package api

// This file answers programs that ask for one capture and its record.

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"kavosh"
	"kavosh/lib/cdx"
	"kavosh/lib/warc"
)

// Details has a capture, its record and the head of the response.
type Details struct {
	Capture Capture `json:"capture"`
	Record  Record  `json:"record"`
	Headers []Field `json:"headers" doc:"of the answer as archived, in order; at most 200"`
}

// Record has the fields of a WARC record.
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

// Bounds on the fields of a head.
const (
	maxFields = 200
	maxField  = 4 << 10
)

func (s *Server) details(a *asked) (any, error) {
	url, at := a.get("url"), a.get("time")
	first, _ := parseFirst(at) // cannot fail: the parameter was checked
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
	held, err := a.coll.Alone(a.ctx, e)
	if err != nil {
		return nil, err
	}
	defer held.Close()
	out := Details{Headers: []Field{}}
	if out.Capture, err = s.capture(a, e); err != nil {
		return nil, err
	}
	h := held.Record
	date, _ := warc.ParseDate(h.Get("WARC-Date"))
	out.Record = Record{ID: text(h.Get("WARC-Record-ID")), Kind: held.Type, Date: date, Truncated: text(h.Get("WARC-Truncated")),
		RefersTo: strings.Trim(text(h.Get("WARC-Refers-To-Target-URI")), "<>"), RefersToDate: text(h.Get("WARC-Refers-To-Date")), Address: text(h.Get("WARC-IP-Address"))}
	refused, err := a.coll.Gate.Refused(a.ctx, &cdx.Entry{URL: out.Record.RefersTo, Timestamp: e.Timestamp})
	if err != nil {
		return nil, err
	}
	if refused != nil && refused.Access == kavosh.Takedown {
		out.Record.RefersTo, out.Record.RefersToDate = "", ""
	}
	if held.Type == "response" || held.Type == "revisit" {
		for _, field := range held.Header[:min(len(held.Header), maxFields)] {
			out.Headers = append(out.Headers, Field{text(field.Name), text(field.Value)})
		}
	}
	return out, nil
}

// text makes archived text short and valid UTF-8, for JSON.
func text(s string) string {
	return strings.ToValidUTF8(s[:min(len(s), maxField)], "\ufffd")
}
