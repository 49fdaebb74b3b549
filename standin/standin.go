// Package standin tells answers that stand in place of the page that was asked for: bot walls, pages that only ask for
// consent or to sign in, pages that say "not found" with a status that says otherwise, and what stands at domains
// without a site of their own.
//
// [Of] goes by one answer alone, so that it serves a crawl as well as records that were made long ago; a [Memory] goes
// by other answers of the same host, too. By what makers of such pages are known (signs.go), and by which words pages
// say what they are (says.go), is data. When in doubt, an answer is the page.
package standin

import (
	"bytes"
	"slices"
	"strings"

	"kavosh"
	"kavosh/lib/ascii"
)

// Verdict says what an answer stands in for.
type Verdict struct {
	Kind  kavosh.StandIn
	Sign  string // in words: who made it, or what tells it; "" if Kind is NoStandIn
	Print uint64 // if not 0, the page may be a wall of an unknown maker: what tells it from other pages; those of two answers may differ in few bits

	title uint64 // hash of the page's title; 0 for none
}

const (
	// MaxPage is how much of a page is looked at, in bytes.
	MaxPage    = 256 << 10
	maxPayload = 256 << 10 // with content codings
)

// Reads reports whether Of needs the payload of an answer.
func Reads(x *kavosh.Exchange) bool {
	return x.Answered() && x.Payload.Size() > 0 && x.Payload.Size() <= maxPayload && (x.Status >= 400 || ok(x) && isHTML(x))
}

func ok(x *kavosh.Exchange) bool { return x.Status >= 200 && x.Status <= 299 }

func isHTML(x *kavosh.Exchange) bool {
	t := strings.ToLower(x.Header.Get("Content-Type"))
	return t == "" || strings.Contains(t, "html")
}

// What tells walls of unknown makers.
const (
	reloads = "a page that only sets a cookie and loads itself again"
	asksWho = "a page that only asks whether the reader is a robot"

	namesRequest = "a page that refuses, and shows the number of the request or the reader's address"
	// Repeated is the sign of a wall that is told by several URLs of a host alone.
	Repeated = "one page that shows nothing, or refuses, under several URLs"
)

// Of tells what an answer stands in for. page is its payload without content codings, at least the first MaxPage bytes
// of it; nil where Reads says that it is not needed.
func Of(x *kavosh.Exchange, page []byte) Verdict {
	page = page[:min(len(page), MaxPage)]
	for i := range signs {
		if s := &signs[i]; s.works == nil && s.of(x) && s.marked(page) {
			return s.verdict()
		}
	}
	if len(page) == 0 || !isHTML(x) || x.Status < 200 || x.Status >= 300 && x.Status < 400 {
		return Verdict{}
	}
	contentType := x.Header.Get("Content-Type")
	g := glimpseOf(page, x.Task.URL, contentType)
	v := Verdict{title: g.hash}
	if !g.few && g.title|g.heading == 0 && !(ok(x) && g.named) {
		return v
	}
	l := read(page, x.Task.URL, contentType)
	if v := l.wall(x); v.Kind != kavosh.NoStandIn {
		return v
	}
	if sign := l.refuses(); sign != "" && (ok(x) || slices.Contains(denied, x.Status)) {
		return Verdict{Kind: kavosh.Wall, Sign: sign}
	}
	if !ok(x) {
		return v
	}
	for _, is := range [...]struct {
		kind kavosh.StandIn
		told func(*look) string
	}{{kavosh.Consent, (*look).asksConsent}, {kavosh.Parked, (*look).isParked}, {kavosh.NotFound, (*look).isMissing}, {kavosh.Login, (*look).asksSignIn}} {
		if sign := is.told(l); sign != "" {
			return Verdict{Kind: is.kind, Sign: sign}
		}
	}
	if l.isWork() && !l.asks && !l.article && (l.bare || (l.title|l.headings|l.messages)&saysRefusal != 0) {
		v.Print = l.print()
	}
	return v
}

// of reports whether an answer has the status and the header of a sign.
func (s *sign) of(x *kavosh.Exchange) bool {
	if s.status != nil && !slices.Contains(s.status, x.Status) {
		return false
	}
	if s.header[0] == "" {
		return true
	}
	for i := range x.Header {
		if f := &x.Header[i]; ascii.EqualFold(f.Name, s.header[0]) && strings.Contains(strings.ToLower(f.Value), s.header[1]) {
			return true
		}
	}
	return false
}

// marked reports whether a page has all marks of a sign.
func (s *sign) marked(page []byte) bool {
	return !slices.ContainsFunc(s.marks, func(m string) bool { return !bytes.Contains(page, []byte(m)) })
}

func (s *sign) verdict() Verdict {
	if s.kind == kavosh.NoStandIn {
		return Verdict{Kind: kavosh.Wall, Sign: s.name}
	}
	return Verdict{Kind: s.kind, Sign: s.name}
}

// wall tells by the works of a page who made it, which is not only told of walls.
func (l *look) wall(x *kavosh.Exchange) Verdict {
	if !l.isWork() {
		return Verdict{}
	}
	for i := range signs {
		s := &signs[i]
		if l.article && (s.alone || s.sensor) {
			continue
		}
		if s.works == nil || s.kind != kavosh.NoStandIn && !ok(x) || !s.of(x) || l.asks && !s.asks && s.kind == kavosh.NoStandIn || s.alone && l.others(s.works) || slices.ContainsFunc(s.works, func(m string) bool { return !bytes.Contains(l.works, []byte(m)) }) {
			continue
		}
		if s.sensor && !slices.Contains(denied, x.Status) && !l.again && !l.blank() || !bytes.Contains(bytes.ToLower(l.words), []byte(s.says)) {
			continue
		}
		return s.verdict()
	}
	switch {
	case l.asks, l.article:
	case l.again:
		return Verdict{Kind: kavosh.Wall, Sign: reloads}
	}
	return Verdict{}
}

// refuses reports in words what tells that a page refuses a program; "" if nothing does.
func (l *look) refuses() string {
	head := l.title | l.headings
	said := head | l.messages
	switch {
	case l.links > someLinks || l.all > maxRefusal || l.article && head&saysChallenge == 0:
	case head&saysChallenge != 0 && (l.all <= shortRefusal || l.messages&saysChallenge != 0 || said&(saysNumber|saysGuard) != 0),
		l.messages&saysChallenge != 0 && (said&saysNumber != 0 || head&saysGuard != 0 || !l.asks && l.acts() && l.all <= shortRefusal) && (l.links <= fewLinks || head&(saysRefusal|saysGuard) != 0),
		(l.headings&saysGuard != 0 && l.acts() || l.title&saysGuard != 0 && l.captcha) && !l.asks && l.links <= fewLinks && l.all <= shortRefusal,
		l.silent&saysChallenge != 0 && !l.asks && l.links <= fewLinks && l.all <= maxBareWords:
		return asksWho
	case l.all > maxWallWords:
	case said&saysNumber != 0 && (head&saysRefusal != 0 || said&saysRefusal != 0 && l.all <= missingShort):
		return namesRequest
	}
	return ""
}

// Bounds of a page that refuses a program, in letters and digits.
const (
	maxRefusal   = 1600
	shortRefusal = 600 // where little tells
)

// consentText is how much a page says that asks for consent, in letters and digits.
const consentText = 5000

// asksConsent reports in words what tells that a page only asks for consent; "" if nothing does.
func (l *look) asksConsent() string {
	if l.links > someLinks || l.all > consentText || l.article || l.buttons&saysAccept == 0 || l.cookies == 0 {
		return ""
	}
	if (l.title|l.headings)&saysConsent != 0 || 2*l.cookies >= l.all {
		return "it asks for consent, and for nothing else"
	}
	return ""
}

// Bounds of the pages of domains without a site, in letters and digits.
const (
	parkedText  = 3000
	parkedShort = 800
)

// isParked reports in words what tells that a domain has no site of its own; "" if nothing does.
func (l *look) isParked() string {
	switch {
	case l.links > someLinks || l.all > parkedText || l.passwords > 0:
		return ""
	case (l.title|l.headings)&saysSale != 0, l.messages&saysSale != 0 && l.all <= parkedShort && l.links <= fewLinks:
		return "it says that the domain is for sale, parked, or has no page yet"
	}
	return ""
}

// Bounds of the text of pages that say that there is none, in letters and digits.
const (
	missingLong  = 2500 // where title and heading tell, and all else
	missingText  = 1200 // where several signs tell
	missingShort = 400
	missingLess  = 300 // where a heading is 404
	missingTiny  = 100 // without a heading
)

// isMissing reports in words what tells that a page says that there is none; "" if nothing does.
func (l *look) isMissing() string {
	said := 0
	for _, c := range [...]claim{l.title, l.headings} {
		switch {
		case c&saysMissing != 0:
			said += 3
		case c&(saysCode|saysBare) != 0:
			said += 2
		}
	}
	if l.messages&saysMissing != 0 {
		said += 2
	}
	if l.error404 {
		said += 2
	}
	if l.noIndex {
		said++
	}
	switch {
	case l.text <= missingLong && said >= 6 && !l.article, l.text <= missingText && said >= 5, l.text <= missingLess && l.headings&saysCode != 0, l.text <= missingShort && said >= 3 && (l.title|l.headings)&saysMissing != 0, l.text <= missingShort && said >= 4,
		l.all <= missingTiny && l.messages&saysMissing != 0 && !l.headed:
		return "it says that it is not found"
	}
	return ""
}

// Bounds of the text of pages to sign in, in letters and digits.
const (
	loginText = 1200
	loginMore = 2500 // where title and URL say so
)

// asksSignIn reports in words what tells that a page only asks to sign in; "" if nothing does.
func (l *look) asksSignIn() string {
	titled := l.title&saysSignIn != 0
	if l.passwords == 0 || l.passwords > 3 {
		return ""
	}
	if titled && l.named && l.text <= loginMore || !l.article && l.text <= loginText && (titled || l.named || l.headings&saysSignIn != 0 && l.links <= someLinks) {
		return "it asks to sign in, and for nothing else"
	}
	return ""
}
