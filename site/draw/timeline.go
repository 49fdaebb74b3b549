package draw

// This file draws when the pages of a crawl were as the archive has them, as bars beside the moment at which most were.

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"kavosh/change"
	"kavosh/pages"
	"kavosh/quality"
)

// Timeline shows when the pages of a crawl were as the archive has them.
type Timeline struct {
	Collection Summary
	Host       string    // "" for all
	From, To   string    // IDs of the visits
	Members    []Summary // the collections that have timelines of their own, if this one has none
	Steps      []TimelineStep
	Reading    bool // pages are being compared
	Large      bool // that takes too long
	Overlap    bool // the crawls went on at the same time
	Weighed    bool // pages are weighed by those that link to them
	All        bool // thin bars, of as many pages as there may be
	Found      *quality.Defects
	Calendar   func(address string) string
}

// TimelineStep is a crawl and what visited its pages again.
type TimelineStep struct{ From, To string }

// Bounds of the picture.
const (
	labelledBars = 40
	toldBars     = 10
)

// timelinePage is what the template is given.
type timelinePage struct {
	Timeline
	At, File string // of the collection's pages; the file of the picture
	Picture  *pages.Picture
	Lead     []string // sentences
	States   []timelineState
	Rows     []timelineRow
	Pairs    []timelineStep
	More     string // URL of the picture with more bars, or with fewer; "" where there is one alone
	HostPath string
}

// timelineState says how many pages are in a state, and how many of them are drawn.
type timelineState struct {
	Class, Says string
	Pages       int64
	Drawn       int
}

type timelineRow struct {
	URL, Path, State, Class string
	When, Visits            string
}

type timelineStep struct {
	Label, Path string
	Here        bool
}

// barClasses are how bars are coloured, by whether the page was there at the moment.
var barClasses = map[change.State]string{change.Incoherent: "failing", change.Unknown: "gone", change.Coherent: "known"}

// barStates are in the order of the picture.
var barStates = [...]change.State{change.Incoherent, change.Unknown, change.Coherent}

// Timeline writes the page.
func (s *Set) Timeline(w http.ResponseWriter, r *http.Request, p Timeline) {
	lang := s.LangOf(r)
	v := timelinePage{Timeline: p, At: s.home + "/c/" + p.Collection.Name}
	query := func(crawl string, all bool) string {
		q := url.Values{"lang": {string(lang)}, "crawl": {crawl}}
		if p.Host != "" {
			q.Set("host", p.Host)
		}
		if all {
			q.Set("bars", "all")
		}
		return "?" + q.Encode()
	}
	for _, step := range p.Steps {
		v.Pairs = append(v.Pairs, timelineStep{step.From + " → " + step.To, query(step.From, p.All), step.From == p.From})
	}
	if p.Host != "" {
		v.HostPath = HostPath(v.At, p.Host, "/")
	}
	if p.Found != nil && p.Found.Timeline != nil {
		v.draw(lang)
		v.File = v.At + "/timeline.svg" + query(p.From, p.All)
		if p.All || len(p.Found.Timeline.Bars) > labelledBars {
			v.More = query(p.From, !p.All)
		}
	}
	view := pages.View{Title: text(lang, "timeline.title"), Switch: pages.InLang(r), Section: &p.Collection, Tab: "crawls", Page: v}
	if p.Host != "" {
		view.Title, view.Tab = view.Title+": "+p.Host, "hosts"
	}
	s.Write(w, r, http.StatusOK, lang, "timeline", view)
}

// TimelineFile writes the picture as an SVG file; p.Found has a timeline.
func (s *Set) TimelineFile(w http.ResponseWriter, r *http.Request, p Timeline) {
	lang := s.LangOf(r)
	sendPicture(w, "timeline", timelinePicture(lang, p.Found, p.bars(), p.Calendar).File(lang))
}

// TimelineFile returns the picture of a timeline as an SVG file.
func TimelineFile(lang pages.Lang, found *quality.Defects) []byte {
	return timelinePicture(lang, found, found.Timeline.Bars, nil).File(lang)
}

// bars are those that are drawn.
func (p *Timeline) bars() []quality.Bar {
	if p.All {
		return p.Found.Timeline.Bars
	}
	return p.Found.Timeline.Some(labelledBars)
}

// draw fills in the picture, and what says it in words.
func (v *timelinePage) draw(lang pages.Lang) {
	line, bars := v.Found.Timeline, v.bars()
	v.Picture = timelinePicture(lang, v.Found, bars, v.Calendar)
	v.Lead = togetherWords(lang, &v.Found.Together, v.Weighed)
	drawn := map[change.State]int{}
	for i := range bars {
		drawn[bars[i].State]++
	}
	for _, state := range barStates {
		if n := line.States[state]; n > 0 {
			v.States = append(v.States, timelineState{barClasses[state], text(lang, "timeline."+string(state)), n, drawn[state]})
		}
	}
	for i := range line.Bars[:min(len(line.Bars), toldBars)] {
		b := &line.Bars[i]
		visits := text(lang, "timeline.once", moment(lang, b.Visited, 0))
		if !b.Again.IsZero() {
			visits = text(lang, "timeline.twice", moment(lang, b.Visited, 0), moment(lang, b.Again, 0), text(lang, "tree.class."+string(b.Class)))
		}
		v.Rows = append(v.Rows, timelineRow{URL: b.URL, Path: v.Calendar(b.URL), State: text(lang, "timeline."+string(b.State)), Class: barClasses[b.State], When: barWords(lang, b), Visits: visits})
	}
}

// togetherWords says in sentences when most pages were there together.
func togetherWords(lang pages.Lang, t *quality.Together, weighed bool) []string {
	say := func(key string, at, until time.Time, b quality.Bounds) string {
		return text(lang, key, moment(lang, at, 0), moment(lang, until, 0), percent(lang, b.Least), percent(lang, b.Most))
	}
	list := []string{say("timeline.together", t.At, t.Until, t.Pages)}
	if weighed {
		list = append(list, say("timeline.weighed", t.WeightedAt, t.WeightedUntil, t.Weighted))
	}
	return list
}

// barWords says when a version was there.
func barWords(lang pages.Lang, b *quality.Bar) string {
	list := []string{text(lang, "timeline.known", moment(lang, b.From, 0), moment(lang, b.Until, 0))}
	switch {
	case b.Earliest.IsZero():
		list = append(list, text(lang, "timeline.earlier"))
	case b.Earliest.Before(b.From):
		list = append(list, text(lang, "timeline.earliest", moment(lang, b.Earliest, 0)))
	}
	switch {
	case b.Latest.IsZero():
		list = append(list, text(lang, "timeline.later"))
	case b.Latest.After(b.Until):
		list = append(list, text(lang, "timeline.latest", moment(lang, b.Latest, 0)))
	}
	return strings.Join(list, text(lang, "inside.comma"))
}

// axis places times: those of the visits, between both, and of the visits that came again, each to a scale of its own, since days may lie
// between hours. What is earlier or later lies at the edges.
type axis struct {
	marks []time.Time
	at    []float64 // from 0 to 1
}

func axisOf(t *quality.Timeline) axis {
	if t.Again[0].IsZero() {
		return axis{t.Visited[:], []float64{0.03, 0.97}}
	}
	return axis{[]time.Time{t.Visited[0], t.Visited[1], t.Again[0], t.Again[1]}, []float64{0.03, 0.36, 0.64, 0.97}}
}

func (a *axis) place(t time.Time) float64 {
	if t.Before(a.marks[0]) {
		return 0
	}
	for i := 1; i < len(a.marks); i++ {
		if from, until := a.marks[i-1], a.marks[i]; !t.After(until) {
			share := float64(t.Sub(from)) / float64(max(1, until.Sub(from)))
			return a.at[i-1] + share*(a.at[i]-a.at[i-1])
		}
	}
	return 1
}

// Sizes of the picture.
const (
	timelineWidth = 900.0
	curveHeight   = 70.0
)

// drawing is a timeline while it is drawn.
type drawing struct {
	*pages.Picture
	lang pages.Lang
	axis axis
	left float64 // the space for addresses; 0 for none
}

// timelinePicture draws how many pages were there over time, and bars below. Few bars have their addresses beside them.
func timelinePicture(lang pages.Lang, found *quality.Defects, bars []quality.Bar, calendar func(string) string) *pages.Picture {
	line := found.Timeline
	p := &drawing{&pages.Picture{Width: timelineWidth, Title: text(lang, "timeline.title")}, lang, axisOf(line), 0}
	high := max(2, 640/float64(max(1, len(bars))))
	if len(bars) <= labelledBars {
		p.left, high = 250, 16
	}
	for _, state := range barStates {
		p.Legend = append(p.Legend, pages.Key{Class: barClasses[state], Says: text(lang, "timeline."+string(state))})
	}
	for _, class := range []string{"possible", "still", "again", "moment", "weighed"} {
		p.Legend = append(p.Legend, pages.Key{Class: class, Says: text(lang, "timeline.key."+class)})
	}
	p.curve("possible", line, func(l *quality.Level) int64 { return l.May })
	p.curve("known", line, func(l *quality.Level) int64 { return l.Known })
	drawn := map[change.State]int{}
	for i := range bars {
		drawn[bars[i].State]++
	}
	y := curveHeight + 8
	for i := range bars {
		b := &bars[i]
		if i == 0 || bars[i-1].State != b.State {
			p.Text("small", p.turn(0), y+14, "start", text(lang, "timeline.group", text(lang, "timeline."+string(b.State)), line.States[b.State], drawn[b.State]))
			y += 20
		}
		end := func() {}
		if calendar != nil {
			end = p.Link(calendar(b.URL))
		}
		p.bar(b, y, high)
		end()
		y += high
	}
	p.frame(&found.Together, y)
	p.Height = y + 38
	return p.Picture
}

// turn mirrors a place where people read from the right.
func (p *drawing) turn(x float64) float64 {
	if p.lang == pages.Persian {
		return timelineWidth - x
	}
	return x
}

// across returns the place of a time.
func (p *drawing) across(t time.Time) float64 {
	return p.turn(p.left + (timelineWidth-p.left)*p.axis.place(t))
}

// stretch draws a rectangle between two places, whichever is the left one.
func (p *drawing) stretch(class string, from, until, y, high, least float64, says string) {
	p.Rect(class, min(from, until), y, max(least, max(from, until)-min(from, until)), high, says)
}

// curve draws how many of all pages were there over time.
func (p *drawing) curve(class string, line *quality.Timeline, of func(*quality.Level) int64) {
	all := int64(0)
	for _, n := range line.States {
		all += n
	}
	d := fmt.Sprintf("M%.1f %.1f", p.across(line.Levels[0].At), curveHeight)
	for i := range line.Levels {
		l := &line.Levels[i]
		d += fmt.Sprintf("L%.1f %.1f", p.across(l.At), curveHeight-(curveHeight-8)*float64(of(l))/float64(max(1, all)))
	}
	p.Path(class, d+fmt.Sprintf("L%.1f %.1fz", p.across(line.Levels[len(line.Levels)-1].At), curveHeight))
	if p.left > 0 {
		p.Text("small", p.turn(p.left-8), curveHeight-4, "end", text(p.lang, "timeline.share"))
	}
}

// bar draws when the version of a page was there.
func (p *drawing) bar(b *quality.Bar, y, high float64) {
	earliest, latest := p.turn(p.left), p.turn(timelineWidth)
	if !b.Earliest.IsZero() {
		earliest = p.across(b.Earliest)
	}
	if !b.Latest.IsZero() {
		latest = p.across(b.Latest)
	}
	p.stretch("possible", earliest, latest, y+high*0.3, high*0.4, 0, "")
	p.stretch(barClasses[b.State], p.across(b.From), p.across(b.Until), y+high*0.1, high*0.8, 1.5, "")
	if p.left > 0 {
		p.Text("small", p.turn(p.left-8), y+high-4, "end", "\u2066"+shortAddress(b.URL)+"\u2069")
		p.Dot("still", p.across(b.Visited), y+high/2, 3.5, "")
		if !b.Again.IsZero() {
			p.Dot("again", p.across(b.Again), y+high/2, 3.5, "")
		}
	}
	p.stretch("over", p.turn(0), p.turn(timelineWidth), y, high, 0, pages.InTitle(b.URL)+" · "+barWords(p.lang, b))
}

// frame draws over all when the times of visits begin and end, and when most pages were there, by number and by weight.
func (p *drawing) frame(t *quality.Together, y float64) {
	for i, at := range p.axis.marks {
		anchor := "middle"
		switch i {
		case 0:
			anchor = "start"
		case len(p.axis.marks) - 1:
			anchor = "end"
		}
		p.Line("axis", p.across(at), 0, p.across(at), y+4, "")
		p.Text("small", p.across(at), y+17+14*float64(i%2), anchor, moment(p.lang, at, 0))
	}
	p.stretch("band", p.across(t.At), p.across(t.Until), 0, y, 0, "")
	for _, m := range []struct {
		class string
		at    time.Time
	}{{"moment", t.At}, {"weighed", t.WeightedAt}} {
		p.Line(m.class, p.across(m.at), 0, p.across(m.at), y, text(p.lang, "timeline.key."+m.class)+": "+moment(p.lang, m.at, 0))
	}
}

// shortAddress returns the end of a URL without its scheme.
func shortAddress(address string) string {
	const most = 36
	_, rest, _ := strings.Cut(address, "://")
	if letters := []rune(rest); len(letters) > most {
		return "…" + string(letters[len(letters)-most+1:])
	}
	return rest
}
