package replay

// This file tells which parts of archived pages readers met as missing.

import (
	"net/http"
	"net/url"
)

// Missed is a part of an archived page that a reader's browser asked for and did not get. The Referer says of which page it is, so that
// whoever hears of it must look whether the page embeds it.
type Missed struct {
	URL  string // of the part
	Page string // of the page, style or frame
	Time string // of its capture, in 4 to 14 digits
}

// missed tells the collections that show a part of it, if an archived page asked for it.
func (s *player) missed(r *http.Request, rt route, o role) {
	from, err := url.Parse(r.Referer())
	if err != nil || !o.part && !o.framed || from.Host != r.Host {
		return
	}
	page := s.router.at(from.Host, from.RequestURI())
	if page.verb != memento || page.coll != rt.coll {
		return
	}
	for _, c := range rt.coll.members {
		if c.Missed != nil {
			c.Missed(Missed{rt.url, page.url, page.time})
		}
	}
}
