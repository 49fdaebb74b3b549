// Package standin tells answers that stand in place of the page that was asked for.
//
// [Of] goes by one answer alone, so that it serves a crawl as well as records that were made long ago. What makers of
// such pages are known by is data (signs.go). It leans to the side of "this is a page".
package standin

import (
	"bytes"
	"slices"
	"strings"

	"kavosh"
)

// Verdict says what an answer stands in for.
type Verdict struct {
	Kind  kavosh.StandIn
	Sign  string // in words: who made it, or what tells it; "" if Kind is NoStandIn
	Print uint64 // if not 0, the page has scripts alone and may be a wall of an unknown maker: what tells it from other pages
}

// MaxPage is how much of a page is looked at, in bytes: what stands in place of a page is small.
const MaxPage = 64 << 10

// maxPayload is the largest payload that is looked at, in bytes with its content codings.
const maxPayload = 256 << 10

// Reads reports whether Of needs the payload of an answer.
func Reads(x *kavosh.Exchange) bool {
	return x.Answered() && x.Payload.Size() > 0 && x.Payload.Size() <= maxPayload && (x.Status >= 400 || x.Status >= 200 && x.Status <= 299 && isHTML(x))
}

func isHTML(x *kavosh.Exchange) bool {
	t := strings.ToLower(x.Header.Get("Content-Type"))
	return t == "" || strings.Contains(t, "html")
}

// Walls of unknown makers, by what their pages do.
const (
	reloads = "a page that only sets a cookie and loads itself again"
	// Repeated is the sign of a page of scripts alone that stands under several URLs of a host.
	Repeated = "one page of scripts alone under several URLs"
)

// Of tells what an answer stands in for. page is its payload without content codings, at least the first MaxPage bytes
// of it; nil where Reads says that it is not needed.
func Of(x *kavosh.Exchange, page []byte) Verdict {
	var look *works
	looked := false
	for i := range walls {
		w := &walls[i]
		if w.status != nil && !slices.Contains(w.status, x.Status) || len(w.works) > 0 && looked && look == nil {
			continue
		}
		if w.header[0] != "" && !slices.ContainsFunc(x.Header.Values(w.header[0]), func(v string) bool {
			return strings.Contains(strings.ToLower(v), w.header[1])
		}) {
			continue
		}
		if slices.ContainsFunc(w.marks, func(m string) bool { return !bytes.Contains(page[:min(len(page), MaxPage)], []byte(m)) }) {
			continue
		}
		if len(w.works) > 0 {
			if !looked {
				look, looked = worksOf(x, page), true
			}
			if look == nil {
				continue
			}
			if w.alone && look.others(w.works) || slices.ContainsFunc(w.works, func(m string) bool { return !bytes.Contains(look.text, []byte(m)) }) {
				continue
			}
			if w.sensor && !slices.Contains(denied, x.Status) && !look.again && !look.blank() || !bytes.Contains(bytes.ToLower(look.words), []byte(w.says)) {
				continue
			}
		}
		return Verdict{Kind: kavosh.Wall, Sign: w.name}
	}
	switch {
	case look == nil:
		return Verdict{}
	case look.again:
		return Verdict{Kind: kavosh.Wall, Sign: reloads}
	}
	return Verdict{Print: look.sum()}
}
