package draw

// This file draws how pages behave over a series of crawls: pages × crawls, what came of pages crawl by crawl, and pages by where they lie
// and how large they are.

import (
	"cmp"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"kavosh/pages"
	"kavosh/quality"
)

// Series shows a series of crawls of the pages of a collection, or of a host.
type Series struct {
	Collection Summary
	Host       string // "" for all
	Grid       *quality.Grid
	ByTime     bool                        // visits are days or months, since nothing tells of crawls
	Cut        bool                        // there are more captures than were read
	Calendar   func(address string) string // returns where all captures of a page are
	Proposals  []quality.Proposal
}

// The pictures of a series, as their files are named.
const (
	Behaviour = "behaviour" // pages × crawls
	Areas     = "areas"     // what came of pages
	Scatter   = "scatter"   // pages by folder and size
	Cube      = "cube"      // … and by their place in the folder
)

// Bounds of pictures.
const (
	mostRows = 300 // of pages × crawls
	mostDots = 1500
)

// group is a group of pages for people.
type group struct {
	Number, Pages int
	Words, Like   string
	Path          string // of Like
}

// stable is a page that changes least, for people.
type stable struct{ URL, Path, Words string }

// telling is a page that is unlike its group, for people.
type telling struct {
	URL, Path, Words string
	Group            int
}

// largest is a page that is new or changed, for people.
type largest struct {
	URL, Path, Seen string
	Bytes           int64
}

// largestOf returns the ten largest pages that the newest crawl found new or changed.
func largestOf(lang pages.Lang, p Series) (list []largest) {
	last := len(p.Grid.Visits) - 1
	for i := range p.Grid.Pages {
		if b := &p.Grid.Pages[i]; b.Seen[last] > quality.Same {
			list = append(list, largest{b.URL, "", text(lang, "seen."+b.Seen[last].String()), b.Size})
		}
	}
	slices.SortFunc(list, func(a, b largest) int { return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), strings.Compare(a.URL, b.URL)) })
	list = list[:min(len(list), 10)]
	for i := range list {
		list[i].Path = p.Calendar(list[i].URL)
	}
	return list
}

// seriesPage is what the template is given.
type seriesPage struct {
	Series
	At, Query     string // of the collection's pages; the query of files
	Shown         int    // pages that were looked at
	Rows          *pages.Picture
	Stack         pages.Stack
	Scatter, Cube *pages.Picture
	Groups        []group
	Telling       []telling
	Largest       []largest
	Stable        []stable
	Newest        time.Time // the crawl of the scatterplots
	Some          bool      // not all pages are drawn
	Odd           []pages.Column
	Dates, Seen   string // of crawls, and of what they found, for the script
	HostPath      string
}

// Series writes the page.
func (s *Set) Series(w http.ResponseWriter, r *http.Request, p Series) {
	lang := s.LangOf(r)
	v := seriesPage{Series: p, At: s.home + "/c/" + p.Collection.Name}
	v.Query = "lang=" + string(lang)
	if p.Host != "" {
		v.Query += "&host=" + url.QueryEscape(p.Host)
		v.HostPath = HostPath(v.At, p.Host, "/")
	}
	if g := p.Grid; g != nil && len(g.Visits) > 1 {
		v.Shown, v.Newest = len(g.Pages), g.Visits[len(g.Visits)-1].Started
		v.Rows, v.Stack, v.Scatter, v.Cube = rowsPicture(lang, p), areas(lang, g, v.At), scatter(lang, p, 0, 0), scatter(lang, p, 0.6, 0.5)
		v.Some = v.Shown > mostRows
		v.Odd = slices.DeleteFunc(slices.Clone(v.Stack.Columns), func(c pages.Column) bool { return c.Note == "" })
		var dates, seen []string
		for k := range g.Visits {
			dates = append(dates, lang.Date(g.Visits[k].Started))
		}
		for s := quality.NotSeen; s <= quality.First; s++ {
			seen = append(seen, text(lang, "seen."+s.String()))
		}
		v.Dates, v.Seen = strings.Join(dates, "|"), strings.Join(seen, "|")
		for i := range g.Groups {
			of := &g.Groups[i]
			v.Groups = append(v.Groups, group{i + 1, of.Pages, HabitWords(lang, of.Habit), of.Like, p.Calendar(of.Like)})
		}
		v.Largest = largestOf(lang, p)
		for _, b := range g.Stable {
			v.Stable = append(v.Stable, stable{b.URL, p.Calendar(b.URL), text(lang, "series.changed", b.Changed, b.Visits)})
		}
		for i := range g.Telling {
			t := &g.Telling[i]
			v.Telling = append(v.Telling, telling{t.URL, p.Calendar(t.URL), unlikeWords(lang, g, t), t.Group + 1})
		}
	}
	view := pages.View{Title: text(lang, "series.title"), Switch: pages.InLang(r), Section: &p.Collection, Tab: "crawls", Script: "series.js", Page: v}
	if p.Host != "" {
		view.Title, view.Tab = view.Title+": "+p.Host, "hosts"
	}
	s.Write(w, r, http.StatusOK, lang, "series", view)
}

// SeriesFile writes a picture of a series as an SVG file; false if there is none of this name.
func (s *Set) SeriesFile(w http.ResponseWriter, r *http.Request, p Series, name string) bool {
	lang := s.LangOf(r)
	var file []byte
	switch name {
	case Behaviour:
		file = rowsPicture(lang, p).File(lang)
	case Areas:
		file = areas(lang, p.Grid, "").File(lang)
	case Scatter:
		file = scatter(lang, p, 0, 0).File(lang)
	case Cube:
		file = scatter(lang, p, 0.6, 0.5).File(lang)
	default:
		return false
	}
	sendPicture(w, name, file)
	return true
}

// sendPicture sends a picture as an SVG file.
func sendPicture(w http.ResponseWriter, name string, file []byte) {
	h := w.Header()
	h.Set("Content-Type", "image/svg+xml; charset=utf-8")
	h.Set("Content-Disposition", "attachment; filename="+name+".svg")
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-cache")
	w.Write(file)
}

// HabitWords says how pages of a group behave.
func HabitWords(lang pages.Lang, h quality.Habit) string {
	var list []string
	key := "habit." + string(h.Changes)
	switch h.Changes {
	case quality.Seldom, quality.Sometimes:
		list = append(list, text(lang, key, percent(lang, h.Rate)))
	case quality.Weekly:
		list = append(list, text(lang, key, text(lang, "day."+h.Weekday)))
	case quality.Every:
		list = append(list, text(lang, key, h.Every))
	case quality.Dated:
		list = append(list, text(lang, key, dateList(lang, h.At)))
	default:
		list = append(list, text(lang, key))
	}
	switch {
	case h.From.IsZero():
	case h.Coming:
		list = append(list, text(lang, "habit.coming", lang.Date(h.From)))
	default:
		list = append(list, text(lang, "habit.from", lang.Date(h.From)))
	}
	switch {
	case h.Until.IsZero():
	case h.Failing:
		list = append(list, text(lang, "habit.fails", lang.Date(h.Until)))
	default:
		list = append(list, text(lang, "habit.gone", lang.Date(h.Until)))
	}
	if n := len(h.Missed); n > 0 {
		list = append(list, text(lang, "habit.missed", n, dateList(lang, h.Missed)))
	}
	return strings.Join(list, text(lang, "inside.comma"))
}

// dateList names the first dates of a list.
func dateList(lang pages.Lang, all []time.Time) string {
	var list []string
	for _, at := range all[:min(len(all), 3)] {
		list = append(list, lang.Date(at))
	}
	if len(all) > 3 {
		list = append(list, "…")
	}
	return strings.Join(list, text(lang, "inside.comma"))
}

// unlikeWords says where a page is unlike its group.
func unlikeWords(lang pages.Lang, g *quality.Grid, t *quality.Telling) string {
	var list []string
	for _, at := range t.At {
		list = append(list, text(lang, "series.found", lang.Date(g.Visits[at.Crawl].Started), text(lang, "seen."+at.Seen.String())))
	}
	if t.More > 0 {
		list = append(list, text(lang, "series.more", t.More))
	}
	return strings.Join(list, text(lang, "inside.comma"))
}

// rowClasses are how findings are coloured.
var rowClasses = map[quality.Seen]string{quality.Failing: "failing", quality.Same: "same", quality.Changed: "changed", quality.First: "new"}

// rowsPicture draws pages × crawls: a row a page, in groups.
func rowsPicture(lang pages.Lang, p Series) *pages.Picture {
	const width, left, top = 900.0, 40.0, 26.0
	g := p.Grid
	rows := someRows(g)
	high := min(16, max(1.8, 460/float64(max(1, len(rows)))))
	step := (width - left) / float64(len(g.Visits))
	of := &pages.Picture{Width: width, Title: text(lang, "series.rows")}
	for _, s := range []quality.Seen{quality.Changed, quality.Same, quality.First, quality.Failing} {
		of.Legend = append(of.Legend, pages.Key{Class: rowClasses[s], Says: text(lang, "seen."+s.String())})
	}
	mirror := func(x, w float64) float64 {
		if lang == pages.Persian {
			return width - x - w
		}
		return x
	}
	y := top
	begun, last := y, -1
	paths := map[quality.Seen]*strings.Builder{}
	end := func() {
		if last < 0 {
			return
		}
		for _, s := range []quality.Seen{quality.Same, quality.Changed, quality.First, quality.Failing} {
			if b := paths[s]; b != nil {
				of.Path(rowClasses[s], b.String())
			}
		}
		clear(paths)
		of.Rect("block", mirror(left, width-left), begun, width-left, y-begun, "")
		of.Text("small", mirror(left-8, 0), (begun+y)/2+4, "end", lang.Digits(fmt.Sprint(last+1)))
		y += 7
		begun = y
	}
	for _, b := range rows {
		if b.Group != last {
			end()
			last = b.Group
		}
		for k := 0; k < len(b.Seen); {
			s, first := b.Seen[k], k
			for ; k < len(b.Seen) && b.Seen[k] == s; k++ {
			}
			if s == quality.NotSeen {
				continue
			}
			if paths[s] == nil {
				paths[s] = &strings.Builder{}
			}
			w := float64(k-first) * step
			fmt.Fprintf(paths[s], "M%.1f %.1fh%.2fv%.2fh-%.2fz", mirror(left+float64(first)*step, w), y, w, high*0.92, w)
		}
		y += high
	}
	end()
	for k := range g.Visits {
		v := &g.Visits[k]
		if v.Odd != quality.Usual {
			x := mirror(left+(float64(k)+0.5)*step, 0)
			of.Line("odd", x, top-8, x, y-4, lang.Date(v.Started)+": "+oddWords(lang, string(v.Odd)))
		}
	}
	y = top
	last = -1
	for _, b := range rows { // above all, so that a pointer finds it
		if last >= 0 && b.Group != last {
			y += 7
		}
		last = b.Group
		done := of.Link(p.Calendar(b.URL), "seen", seenCode(b.Seen))
		of.Rect("over", mirror(left, width-left), y, width-left, high, pages.InTitle(b.URL))
		done()
		y += high
	}
	of.Height = y + 24
	of.Text("small", mirror(left, 0), of.Height-6, "start", lang.Date(g.Visits[0].Started))
	of.Text("small", mirror(width, 0), of.Height-6, "end", lang.Date(g.Visits[len(g.Visits)-1].Started))
	return of
}

// seenCode writes findings as digits, for the script.
func seenCode(seen []quality.Seen) string {
	b := make([]byte, len(seen))
	for i, s := range seen {
		b[i] = '0' + byte(s)
	}
	return string(b)
}

// someRows returns at most mostRows pages, and at least one of each group.
func someRows(g *quality.Grid) (rows []*quality.Behaved) {
	if len(g.Pages) <= mostRows {
		for i := range g.Pages {
			rows = append(rows, &g.Pages[i])
		}
		return rows
	}
	at := 0
	for i := range g.Groups {
		n := g.Groups[i].Pages
		drawn := max(1, n*mostRows/len(g.Pages))
		for row := range drawn {
			rows = append(rows, &g.Pages[at+(2*row+1)*n/(2*drawn)])
		}
		at += n
	}
	return rows
}

// areas draws what came of pages crawl by crawl.
func areas(lang pages.Lang, g *quality.Grid, at string) pages.Stack {
	of := pages.Stack{Title: text(lang, "crawls.series"), Line: text(lang, "series.time")}
	for _, kind := range []string{"unchanged", "changed", "new", "failing", "gone"} {
		of.Kinds = append(of.Kinds, text(lang, "seen."+kind))
	}
	for k := range g.Visits {
		v := &g.Visits[k]
		c := pages.Column{Label: lang.Date(v.Started), Note: oddWords(lang, string(v.Odd)), Counts: []int64{v.Unchanged, v.Changed, v.New, v.Failing, v.Gone}, Seconds: v.Seconds}
		if v.ID != "" {
			c.Path = at + "/crawl?id=" + url.QueryEscape(v.ID)
		}
		of.Columns = append(of.Columns, c)
	}
	return of.Draw(lang)
}

// dot is a page of a scatterplot, at a place in the unit cube.
type dot struct {
	page    *quality.Behaved
	x, y, z float64 // by folder, bytes and place in the folder
	among   float64 // its place among all
}

// scatter draws the pages of the newest crawl that has some by their folder, the bytes of their record, and their place in the folder.
// The cube that they lie in is turned by an angle, and then tilted by another.
func scatter(lang pages.Lang, p Series, turn, tilt float64) *pages.Picture {
	const width, height = 900.0, 440.0
	of := &pages.Picture{Width: width, Height: height, Title: text(lang, "series.scatter")}
	if turn != 0 {
		of.Title = text(lang, "series.cube")
	}
	for _, key := range [][2]string{{"new", "new"}, {"failing", "changed"}, {"still", "unchanged"}} {
		of.Legend = append(of.Legend, pages.Key{Class: key[0], Says: text(lang, "seen."+key[1])})
	}
	project := func(x, y, z float64) (float64, float64) {
		sx, cx := math.Sincos(turn)
		sy, cy := math.Sincos(tilt)
		x, y, z = x-0.5, y-0.5, z-0.5
		across, deep := x*cx+z*sx, z*cx-x*sx
		up := y*cy + deep*sy
		wide, high := 0.92, 0.84
		if turn != 0 {
			wide, high = 0.46, 0.52
		}
		if lang == pages.Persian {
			across = -across
		}
		return width * (0.5 + wide*across), height * (0.5 - high*up)
	}
	edge := func(a, b [3]float64) {
		x1, y1 := project(a[0], a[1], a[2])
		x2, y2 := project(b[0], b[1], b[2])
		of.Line("axis", x1, y1, x2, y2, "")
	}
	axes := [][3]float64{{1, 0, 0}, {0, 1, 0}}
	if turn != 0 {
		axes = append(axes, [3]float64{0, 0, 1})
	}
	names := []string{"series.folder", "series.bytes", "series.place"}
	for i, to := range axes {
		edge([3]float64{}, to)
		x, y := project(to[0]*1.0, to[1]*1.04, to[2]*1.0)
		anchor := "end"
		if i > 0 {
			anchor = "middle"
		}
		if turn == 0 && i == 1 {
			anchor = "start"
		}
		below := 16.0
		if turn == 0 {
			below = 33
		}
		of.Text("small", x, y+[]float64{below, -6, 16}[i], anchor, text(lang, names[i]))
	}
	last := len(p.Grid.Visits) - 1
	list := dots(p.Grid)
	if turn == 0 {
		nameFolders(of, list, project)
	}
	for _, d := range list {
		x, y := project(d.x, d.y, d.z)
		if turn == 0 {
			x, y = project(d.among, d.y, 0)
		}
		class, seen := "still", d.page.Seen[last]
		switch seen {
		case quality.First:
			class = "new"
		case quality.Changed:
			class = "failing"
		}
		done := of.Link(p.Calendar(d.page.URL))
		of.Dot(class, x, y, 4, pages.InTitle(d.page.URL)+" · "+lang.Size(d.page.Size)+" · "+text(lang, "seen."+seen.String()), "x", fmt.Sprintf("%.3f", d.x), "y", fmt.Sprintf("%.3f", d.y), "z", fmt.Sprintf("%.3f", d.z))
		done()
	}
	return of
}

// nameFolders names the folders that have most pages, below the middle of theirs.
func nameFolders(of *pages.Picture, list []dot, project func(x, y, z float64) (float64, float64)) {
	for first := 0; first < len(list); {
		next := first + 1
		for next < len(list) && list[next].x == list[first].x {
			next++
		}
		if first > 0 {
			x, y := project((list[first].among+list[first-1].among)/2, 0, 0)
			of.Line("fold", x, y, x, y-of.Height*0.84, "")
		}
		if 12*(next-first) >= len(list) {
			x, y := project((list[first].among+list[next-1].among)/2, 0, 0)
			of.Text("small", x, y+16, "middle", "\u2066"+shortFolder(folderOf(list[first].page.URL))+"\u2069")
		}
		first = next
	}
}

// shortFolder returns the end of the path of a folder.
func shortFolder(folder string) string {
	_, path, _ := strings.Cut(folder, "://")
	_, path, _ = strings.Cut(path, "/")
	if letters := []rune(path); len(letters) > 18 {
		return "…" + string(letters[len(letters)-17:])
	}
	return "/" + path
}

// dots places the pages that the last crawl has.
func dots(g *quality.Grid) (list []dot) {
	last := len(g.Visits) - 1
	for i := range g.Pages {
		if g.Pages[i].Seen[last] > quality.Failing {
			list = append(list, dot{page: &g.Pages[i]})
		}
	}
	slices.SortFunc(list, func(a, b dot) int { return strings.Compare(a.page.URL, b.page.URL) })
	if n := len(list); n > mostDots {
		for i := range mostDots {
			list[i] = list[i*n/mostDots]
		}
		list = list[:mostDots]
	}
	folders, most, least, bytes := 0, 0, int64(math.MaxInt64), int64(0)
	folder, place := "", 0
	for i := range list {
		if of := folderOf(list[i].page.URL); i == 0 || of != folder {
			folder, place = of, 0
			folders++
		}
		list[i].x, list[i].z = float64(folders-1), float64(place)
		place++
		most, least, bytes = max(most, place), min(least, list[i].page.Size), max(bytes, list[i].page.Size)
	}
	for i := range list {
		list[i].x /= float64(cmp.Or(folders-1, 1))
		list[i].z /= float64(cmp.Or(most-1, 1))
		list[i].among = float64(i) / float64(max(1, len(list)-1))
		if low, high := math.Log1p(float64(least)), math.Log1p(float64(bytes)); high > low {
			list[i].y = (math.Log1p(float64(list[i].page.Size)) - low) / (high - low)
		}
	}
	return list
}

// folderOf returns a URL up to its last slash.
func folderOf(address string) string {
	address, _, _ = strings.Cut(address, "?")
	return address[:strings.LastIndexByte(address, '/')+1]
}
