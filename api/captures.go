package api

// This file answers programs that ask for lists of captures.

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"kavosh"
	"kavosh/lib/cdx"
)

// Capture is a capture with what the index knows of it.
type Capture struct {
	URL       string        `json:"url" doc:"as captured"`
	Time      time.Time     `json:"time" doc:"of the capture, to the second"`
	Timestamp string        `json:"timestamp" doc:"the same in 14 digits"`
	Status    int           `json:"status,omitempty" doc:"HTTP status; absent for none"`
	Type      string        `json:"type,omitempty" doc:"media type; warc/revisit when the content is that of an earlier capture"`
	Digest    string        `json:"digest,omitempty" doc:"of the payload, its algorithm before a colon"`
	Length    int64         `json:"length,omitempty" doc:"bytes that the record takes in its file"`
	File      string        `json:"file" doc:"name of the WARC file"`
	Offset    int64         `json:"offset" doc:"where the record begins in it"`
	Replay    string        `json:"replay" doc:"address of the page as it was"`
	Raw       string        `json:"raw" doc:"address of the bytes as archived"`
	Access    kavosh.Access `json:"access,omitempty" doc:"metadata, on-site or embargo when this reader may not see what it holds"`
}

// Captures is a page of captures, by URL and time.
type Captures struct {
	Captures []Capture `json:"captures"`
	Next     string    `json:"next,omitempty" doc:"cursor of what follows; absent at the end"`
}

// maxRead is how many lines of an index are read for one response.
const maxRead = 100_000

func (s *Server) capture(a *asked, e *cdx.Entry) (Capture, error) {
	c := Capture{URL: strings.ToValidUTF8(e.URL, "\ufffd"), Time: moment(e.Timestamp), Timestamp: e.Timestamp, Status: e.Status, Type: e.MIME, Digest: e.Digest, Length: e.Length, File: e.Filename,
		Offset: e.Offset, Replay: s.replayed(a.coll, e, ""), Raw: s.replayed(a.coll, e, "id_")}
	refused, err := a.coll.Gate.Refused(a.ctx, e)
	if refused != nil {
		c.Access = refused.Access
	}
	return c, err
}

// moment returns the time that 14 digits stand for; the zero time for all else, which indexes of other programs may
// have.
func moment(stamp string) time.Time {
	t, _ := time.Parse(timestamp, stamp)
	return t
}

func (s *Server) captures(a *asked) (any, error) {
	q := cdx.Query{URL: a.get("url"), MatchType: cdx.Match(a.get("match")), From: a.get("from"), To: a.get("to"), After: a.get("cursor")}
	for field, value := range map[string]string{"status": a.get("status"), "mime": a.get("type")} {
		if value != "" {
			q.Filters = append(q.Filters, "="+field+":"+value)
		}
	}
	slices.Sort(q.Filters)
	if _, _, err := q.Range(); err != nil {
		return nil, &problem{http.StatusBadRequest, strings.TrimPrefix(err.Error(), "cdx: ")}
	}
	out := Captures{Captures: []Capture{}}
	mark := cdx.NewMark(q.After)
	for e, err := range a.coll.Index.Query(a.ctx, q) {
		if err != nil {
			return nil, err
		}
		if len(out.Captures) == a.number("limit") {
			out.Next = cursor(mark.String())
			break
		}
		mark.Pass(&e)
		c, err := s.capture(a, &e)
		if err != nil {
			return nil, err
		}
		out.Captures = append(out.Captures, c)
	}
	if len(out.Captures) == 0 && q.MatchType == cdx.Exact && q.After == "" {
		refused, err := a.coll.Gate.Withheld(a.ctx, q.URL)
		if err != nil {
			return nil, err
		}
		if refused != nil {
			return nil, refused
		}
	}
	return out, nil
}

// Page is a URL whose captures are pages or documents.
type Page struct {
	URL      string    `json:"url" doc:"as captured last"`
	Captures int       `json:"captures" doc:"of it, got whole"`
	First    time.Time `json:"first"`
	Last     time.Time `json:"last"`
	Replay   string    `json:"replay" doc:"address of the last one"`
}

// Pages is a page of a list of such URLs.
type Pages struct {
	Pages []Page `json:"pages"`
	Next  string `json:"next,omitempty" doc:"cursor of what follows; absent at the end"`
}

// below returns the query for a list of URLs.
func below(a *asked) cdx.Query {
	q := cdx.Query{URL: a.get("url"), From: a.get("from"), To: a.get("to"), After: a.get("cursor")}
	if !strings.Contains(q.URL, "*") {
		q.MatchType = cdx.Prefix
	}
	return q
}

func (s *Server) pages(a *asked) (any, error) {
	q := below(a)
	q.Filters = []string{"~mime:text/html$|application/xhtml[+]xml$", "~status:2"}
	if _, _, err := q.Range(); err != nil {
		return nil, &problem{http.StatusBadRequest, strings.TrimPrefix(err.Error(), "cdx: ")}
	}
	out := Pages{Pages: []Page{}}
	key, n := "", 0
	for e, err := range a.coll.Index.Query(a.ctx, q) {
		if err != nil {
			return nil, err
		}
		if e.Key != key {
			if len(out.Pages) == a.number("limit") || n >= maxRead {
				out.Next = cursor(behind(key))
				break
			}
			key = e.Key
			out.Pages = append(out.Pages, Page{First: moment(e.Timestamp)})
		}
		n++
		p := &out.Pages[len(out.Pages)-1]
		p.URL, p.Last, p.Replay = strings.ToValidUTF8(e.URL, "\ufffd"), moment(e.Timestamp), s.replayed(a.coll, &e, "")
		p.Captures++
	}
	return out, nil
}

// behind returns a place in an index after all captures of a key: "~" comes after all times.
func behind(key string) string { return key + " ~ 1" }

// Host is a host that has captures.
type Host struct {
	Host     string `json:"host" doc:"without www., with its port when it is another than the scheme's own"`
	Captures int    `json:"captures" doc:"of its URLs"`
	More     bool   `json:"more,omitempty" doc:"they are more: they were not counted to the end"`
}

// Hosts is a page of hosts, in the order of their names with the last label first.
type Hosts struct {
	Hosts []Host `json:"hosts"`
	Next  string `json:"next,omitempty" doc:"cursor of what follows; absent at the end"`
}

// maxCounted is how many captures of a host are counted.
const maxCounted = 10_000

// hosts counts the captures of each host. After maxCounted of a host it goes on with the next host.
func (s *Server) hosts(a *asked) (any, error) {
	q := below(a)
	if _, _, err := q.Range(); err != nil {
		return nil, &problem{http.StatusBadRequest, strings.TrimPrefix(err.Error(), "cdx: ")}
	}
	out := Hosts{Hosts: []Host{}}
	for n, more := 0, true; more; {
		more = false
		key := ""
		for e, err := range a.coll.Index.Query(a.ctx, q) {
			if err != nil {
				return nil, err
			}
			host, _, _ := strings.Cut(e.Key, ")")
			if key != "" && host != key || key == "" && (len(out.Hosts) == a.number("limit") || n >= maxRead) {
				if len(out.Hosts) == a.number("limit") || n >= maxRead {
					out.Next = cursor(q.After)
					if key != "" {
						out.Next = cursor(behindHost(key))
					}
					return out, nil
				}
			}
			if host != key {
				key = host
				out.Hosts = append(out.Hosts, Host{Host: forwards(host)})
			}
			n++
			h := &out.Hosts[len(out.Hosts)-1]
			if h.Captures == maxCounted {
				h.More = true
				q.After, more = behindHost(key), true
				break
			}
			h.Captures++
		}
	}
	return out, nil
}

// behindHost returns a place in an index after all URLs of a host: their paths begin with a slash, which comes before
// "~".
func behindHost(host string) string { return host + ")~ ~ 1" }

// forwards returns the name of a host from its key, which has the labels in reverse order.
func forwards(key string) string {
	name, port, _ := strings.Cut(key, ":")
	if strings.Contains(port, ":") {
		return key // an IPv6 address
	}
	labels := strings.Split(name, ",")
	slices.Reverse(labels)
	name = strings.Join(labels, ".")
	if port != "" {
		name += ":" + port
	}
	return name
}
