package replay

import (
	"net/http"
	"net/url"

	"kavosh/lib/weburl"
	"kavosh/replay/rewrite"
)

// strayPath returns the right path for a request that a script of an archived page sent to the root of the replay's
// origin, such as fetch("/data.json"). The Referer names the page. It returns "" if no archived page sent the request.
func (s *router) strayPath(r *http.Request) string {
	from, err := url.Parse(r.Referer())
	if err != nil || from.Host == "" || from.Host != r.Host {
		return ""
	}
	page := s.at(r.Host, from.RequestURI())
	if page.verb != memento {
		return ""
	}
	base, err := weburl.Parse(page.url)
	if err != nil || len(r.RequestURI) == 0 || r.RequestURI[0] != '/' {
		return ""
	}
	mod := rewrite.Object
	switch r.Header.Get("Sec-Fetch-Dest") {
	case "document":
		mod = rewrite.Page
	case "iframe", "frame":
		mod = rewrite.Frame
	case "image":
		mod = rewrite.Image
	case "script", "worker", "sharedworker":
		mod = rewrite.Script
	case "style":
		mod = rewrite.Style
	}
	return page.coll.Path(page.time+page.span, mod, base.Origin()+r.RequestURI)
}
