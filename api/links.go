package api

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"kavosh/lib/cdx"
)

// Links is a page of links to a URL, or to all URLs below one.
type Links struct {
	Links      []Link `json:"links"`
	Incomplete bool   `json:"incomplete" doc:"pages are still being read for links: there may be more"`
	Next       string `json:"next,omitempty" doc:"cursor of what follows; absent at the end"`
}

// Link is a link with the capture of the page that contains it.
type Link struct {
	URL    string    `json:"url" doc:"where it leads"`
	Kind   string    `json:"kind" doc:"navigation, embed, redirect, feed or sitemap"`
	Anchor string    `json:"anchor,omitempty" doc:"what a reader clicks"`
	Source string    `json:"source" doc:"URL of the page that has it"`
	Time   time.Time `json:"time" doc:"when that page was captured first as it was then"`
	Replay string    `json:"replay" doc:"address of that capture"`
}

// links lists who links to a URL.
func (s *Server) links(a *asked) (any, error) {
	if a.coll.Links == nil {
		return nil, &problem{http.StatusNotFound, fmt.Sprintf("%s has no index of links: make one with kavosh search", a.coll.Name)}
	}
	q := cdx.Query{URL: a.get("url"), MatchType: cdx.Match(a.get("match")), From: a.get("from"), To: a.get("to"), After: a.get("cursor")}
	if _, _, err := q.Range(); err != nil {
		return nil, &problem{http.StatusBadRequest, strings.TrimPrefix(err.Error(), "cdx: ")}
	}
	out, mark := Links{Links: []Link{}, Incomplete: a.coll.Reading != nil && a.coll.Reading()}, cdx.NewMark(q.After)
	for e, err := range a.coll.Links.Query(a.ctx, q) {
		if err != nil {
			return nil, err
		}
		if len(out.Links) == a.number("limit") {
			out.Next = cursor(mark.String())
			break
		}
		mark.Pass(&e)
		source := cdx.Entry{URL: e.Get("source"), Timestamp: e.Timestamp}
		out.Links = append(out.Links, Link{URL: text(e.URL), Kind: e.MIME, Anchor: text(e.Get("anchor")), Source: text(source.URL), Time: moment(e.Timestamp), Replay: s.replayed(a.coll, &source, "")})
	}
	return out, nil
}
