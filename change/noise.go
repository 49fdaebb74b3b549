package change

// This file tells noise from news: what changed although nobody has anything to say. Words in place of which others say the
// same, such as names of months, are data (noise.txt). What stands for the page, such as a paragraph, is never noise,
// wherever it is.

import (
	"bytes"
	"cmp"
	_ "embed"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"kavosh/lib/dates"
	"kavosh/lib/segment"
	"kavosh/lib/words"
)

// Noise is why an operation tells nothing; "" for one that does.
type Noise string

// The kinds of noise.
const (
	Advert   Noise = "advert"   // an advertisement
	Counter  Noise = "counter"  // a number of visits, comments, likes
	Date     Noise = "date"     // a date or time that is the page's own: of today, of its last update, of a moment ago
	Token    Noise = "token"    // what names the visit: sessions and numbers of requests, in addresses and texts
	Related  Noise = "list"     // a list of other pages: related, most read, recent
	Consent  Noise = "consent"  // a banner that asks for consent
	Variant  Noise = "variant"  // what came and went before in the page's own versions
	Volatile Noise = "volatile" // what differed before between two fetches close in time
)

// Bounds of what can be noise.
const (
	maxShort   = 10  // words of a text that is a date, a counter or a token
	maxListed  = 25  // words of a text in a list of other pages; what has more is written for this page
	maxBanner  = 120 // words of a banner that asks for consent
	mostShare  = 0.5 // of a page's text in blocks of one kind; above, the kind was told wrong
	listBlocks = 12  // blocks below one heading
	edge       = 4   // blocks at the beginning and the end of a page where a banner may stand
)

//go:embed noise.txt
var noiseText string

// vocabulary is noise.txt by its kinds, in the form of lib/words. Of phrases, words are divided by spaces.
type vocabulary map[string]map[string]bool

var known = readVocabulary(noiseText)

// sign is a set of kinds of words.
type sign uint16

// The kinds that words of short texts have.
const (
	month sign = 1 << iota
	weekday
	now
	glue
	ago
	unit
	counter
	token
	copyright
)

// signs are the kinds of each word.
var signs = known.signs("month", "weekday", "now", "glue", "ago", "unit", "counter", "token", "copyright")

func (s sign) has(any sign) bool { return s&any != 0 }

// signs returns the kinds of all words of some kinds, the first kind as the lowest bit.
func (v vocabulary) signs(kinds ...string) map[string]sign {
	of := map[string]sign{}
	for i, kind := range kinds {
		for w := range v[kind] {
			of[w] |= 1 << i
		}
	}
	return of
}

func readVocabulary(text string) vocabulary {
	v, kind := vocabulary{}, ""
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(line, "#")
		switch line = strings.TrimSpace(line); {
		case line == "":
		case line[0] == '[':
			kind = strings.Trim(line, "[]")
			v[kind] = map[string]bool{}
		case kind == "list" || kind == "consent":
			v[kind][phrase(line)] = true
		case kind == "parameter" || kind == "advert":
			for _, w := range strings.Fields(line) {
				v[kind][w] = true
			}
		default:
			for w := range words.All(line) {
				v[kind][string(w)] = true
			}
		}
	}
	return v
}

// phrase returns the words of a text, divided by spaces.
func phrase(text string) string {
	return string(bytes.TrimSuffix(words.Append(make([]byte, 0, len(text)+1), text), []byte{' '}))
}

// hasWords reports whether a text has more than so many words.
func hasWords(text string, more int) bool {
	if len(text) <= more {
		return false
	}
	for range words.All(text) {
		if more--; more < 0 {
			return true
		}
	}
	return false
}

// noise marks the operations of a difference that are noise.
func (d *Delta) noise() {
	if len(d.Operations) == 0 {
		return
	}
	sides := [2][]Noise{noisy(d.Old), noisy(d.New)}
	for i := range d.Operations {
		if o := &d.Operations[i]; o.What != Block {
			o.Noise = cmp.Or(d.ofBlocks(o, &sides), d.ofElement(o))
		}
	}
	d.noiseOfBlocks(&sides)
}

// ofBlocks returns the noise that the blocks of an operation are; "" if one of them is none, or another.
func (d *Delta) ofBlocks(o *Operation, sides *[2][]Noise) (n Noise) {
	for v, list := range [2][]int{o.From, o.To} {
		for _, i := range list {
			of := sides[v][i]
			if of == "" || n != "" && n != of {
				return ""
			}
			n = of
		}
	}
	return n
}

// noiseOfBlocks marks operations on blocks: those that are noise themselves by sides, which may be nil, and those that came
// or went with nothing but noise.
func (d *Delta) noiseOfBlocks(sides *[2][]Noise) {
	type at struct{ version, block int }
	within := map[at]Noise{} // of the elements of a block, the first; "" if one is none
	for i := range d.Operations {
		o := &d.Operations[i]
		if o.What == Block {
			continue
		}
		for v, list := range [2][]int{o.From, o.To} {
			for _, b := range list {
				if had, ok := within[at{v, b}]; !ok || had != "" {
					within[at{v, b}] = o.Noise
				}
			}
		}
	}
	for i := range d.Operations {
		o := &d.Operations[i]
		if o.What != Block {
			continue
		}
		if o.Noise == "" && sides != nil {
			o.Noise = d.ofBlocks(o, sides)
		}
		switch {
		case o.Noise != "":
		case o.Do == Insert:
			o.Noise = within[at{1, o.To[0]}]
		case o.Do == Delete:
			o.Noise = within[at{0, o.From[0]}]
		}
	}
}

// noisy returns for each block of a version what noise it is, whatever changes in it.
func noisy(blocks []*segment.Block) []Noise {
	kinds := make([]Noise, len(blocks))
	sizes, all := map[Noise]int{}, 0
	for i, b := range blocks {
		switch {
		case b.Place == segment.Advert || sells(b):
			kinds[i] = Advert
		case b.Place == segment.Consent:
			kinds[i] = Consent
		case (b.Place == segment.Related || headsList(b)) && !tells(b, maxListed):
			kinds[i] = Related
		case i >= edge && i < len(blocks)-edge, b.Place == segment.Main:
		case asks(b):
			kinds[i] = Consent
		}
		n := size(b)
		sizes[kinds[i]] += n
		all += n
	}
	for i, b := range blocks { // what follows the heading of a list, in the same place
		if kinds[i] != Related || b.Place == segment.Related {
			continue
		}
		for j := i + 1; j < min(len(blocks), i+listBlocks) && kinds[j] == "" && blocks[j].Place == b.Place && lists(blocks[j]) &&
			(j == i+1 || blocks[j].Within == blocks[i+1].Within || blocks[j].Within == b.Within); j++ {
			kinds[j] = Related
			n := size(blocks[j])
			sizes[Related] += n
			sizes[""] -= n
		}
	}
	for i := range kinds {
		if float64(sizes[kinds[i]]) > mostShare*float64(all) {
			kinds[i] = ""
		}
	}
	return kinds
}

// size is how much a block says, in bytes.
func size(b *segment.Block) int {
	n := 20 * len(b.Images)
	for _, t := range b.Texts {
		n += len(t)
	}
	for _, l := range b.Links {
		n += len(l.Name)
	}
	return n
}

// tells reports whether a block has a text of more than so many words.
func tells(b *segment.Block, most int) bool {
	return slices.ContainsFunc(b.Texts, func(t string) bool { return hasWords(t, most) })
}

// lists reports whether a block is links, with some words about them.
func lists(b *segment.Block) bool { return len(b.Links) > 0 && !tells(b, maxListed) }

// maxHeading is the length of a heading of a list, in bytes.
const maxHeading = 80

// headsList reports whether a block begins with the heading of a list of other pages.
func headsList(b *segment.Block) bool {
	if len(b.Texts) == 0 || len(b.Texts[0]) > maxHeading {
		return false
	}
	return known["list"][phrase(b.Texts[0])]
}

// sells reports whether all that a block has leads to hosts of advertisements.
func sells(b *segment.Block) bool {
	n := 0
	for _, list := range [...][]segment.Element{b.Links, b.Images} {
		for _, e := range list {
			if n++; !ofAdverts(e.Address) {
				return false
			}
		}
	}
	return n > 0 && !tells(b, maxShort)
}

// asks reports whether a block is a banner that asks for consent.
func asks(b *segment.Block) bool {
	for _, t := range b.Texts {
		if len(t) < 12 || len(t) > 12*maxBanner {
			continue
		}
		all := " " + phrase(t) + " "
		for p := range known["consent"] {
			if strings.Contains(all, p) {
				return strings.Count(all, " ") <= maxBanner
			}
		}
	}
	return false
}

func ofAdverts(address string) bool {
	scheme, host, _ := strings.Cut(address, "://")
	if scheme != "http" && scheme != "https" {
		return false
	}
	if i := strings.IndexAny(host, "/?#"); i >= 0 {
		host = host[:i]
	}
	host, _, _ = strings.Cut(host[strings.LastIndexByte(host, '@')+1:], ":")
	for ; host != ""; _, host, _ = strings.Cut(host, ".") {
		if known["advert"][host] {
			return true
		}
	}
	return false
}

// ofElement returns the noise that an operation on an element is by what it says itself.
func (d *Delta) ofElement(o *Operation) Noise {
	old, new := cmp.Or(o.Old, o.New), cmp.Or(o.New, o.Old)
	if o.Do == Move {
		return ""
	}
	if o.What != Text && ofAdverts(old.Address) && ofAdverts(new.Address) {
		return Advert
	}
	where := d.whereabouts(o)
	switch {
	case o.What == Text:
		return ofTexts(old.Name, new.Name, where)
	case o.Do != Update:
		return ""
	case old.Name == new.Name && old.Address != new.Address:
		if canonical(old.Address) == canonical(new.Address) {
			return Token
		}
	case o.What == Link && canonical(old.Address) == canonical(new.Address):
		if a, b := counted.ReplaceAllString(dates.Digits(old.Name), ""), counted.ReplaceAllString(dates.Digits(new.Name), ""); a == b && a != "" {
			return Counter
		}
		return ofTexts(old.Name, new.Name, where)
	}
	return ""
}

// whereabouts is where on a page something is.
type whereabouts int

// The whereabouts.
const (
	amid   whereabouts = iota // in the main part, or nobody knows
	margin                    // at the beginning or the end of a page that does not say which part is the main one
	aside                     // above, below or beside the main part
)

// whereabouts returns where an operation is.
func (d *Delta) whereabouts(o *Operation) whereabouts {
	if len(o.To) > 0 {
		return d.standsAt(d.New, o.To[0])
	}
	return d.standsAt(d.Old, o.From[0])
}

// standsAt returns where a block of a version is.
func (d *Delta) standsAt(blocks []*segment.Block, i int) whereabouts {
	switch place := blocks[i].Place; {
	case place == segment.Main:
		return amid
	case place != "" || d.main:
		return aside
	case len(blocks) >= 4*edge && (i < edge || i >= len(blocks)-edge):
		return margin
	}
	return amid
}

func inMain(b *segment.Block) bool { return b.Place == segment.Main }

var (
	counted = regexp.MustCompile(`\s*[(\[{]\s*[0-9][0-9.,٫٬ ]*[)\]}]`) // a number behind the name of a link
	clock   = regexp.MustCompile(`\b\d{1,2}:\d\d\b`)
	numeric = regexp.MustCompile(`\b(\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4})\b`)
	suffix  = regexp.MustCompile(`^\d+(st|nd|rd|th|er|ام|م|k|m|t\d+)?z?$`)
)

// short is a text of few words, seen as a date, a counter or a token.
type short struct {
	shape                           string // its words, numbers and parts of dates as signs
	date, now, counter, token, ago  bool   // it has
	bare, bareCounter, bareToken    bool   // it has nothing else
	weekday, month, number, numeric bool
	copyright                       bool
}

// shapeOf reads a text; ok is false if it is none of these. For most texts one word tells.
func shapeOf(text string) (s short, ok bool) {
	if len(text) > 8*maxShort*4 {
		return s, false
	}
	s.bare, s.bareCounter, s.bareToken = true, true, true
	units, drawn, n := false, false, 0
	shape, last := make([]byte, 0, 256), []byte(nil)
	for w := range words.All(text) {
		if n++; n > maxShort+6 {
			return s, false
		}
		is := signs[string(w)] // no copy is made
		number, random := digit(w[0]) && suffix.Match(w), isRandom(string(w))
		if n == 1 {
			s.copyright = strings.HasPrefix(text, "©") || is.has(copyright)
		}
		switch {
		case number, is.has(month | weekday): // a moment; "May" is "March" and "12"
			w = []byte("#")
		case random:
			w = []byte("*")
		}
		if n == 1 || !bytes.Equal(w, last) {
			shape = append(append(shape, ' '), w...)
			last = shape[len(shape)-len(w):]
		}
		s.number, s.month, s.weekday = s.number || number, s.month || is.has(month), s.weekday || is.has(weekday)
		s.now, s.counter, s.token = s.now || is.has(now), s.counter || is.has(counter), s.token || is.has(token) || random
		s.ago, units, drawn = s.ago || is.has(ago), units || is.has(unit), drawn || random
		if !number && !is.has(glue|now) {
			s.bare = s.bare && is.has(month|weekday|ago|unit)
			s.bareCounter = s.bareCounter && is.has(counter)
			s.bareToken = s.bareToken && (is.has(token) || random)
		}
		if !s.bare && !s.bareCounter && !s.bareToken && !s.copyright {
			return s, false
		}
	}
	if n == 0 {
		return s, false
	}
	timed := false
	if strings.ContainsAny(text, "-/.:") && strings.ContainsFunc(text, isDigit) {
		plain := dates.Digits(text)
		s.numeric, timed = numeric.MatchString(plain), clock.MatchString(plain)
	}
	s.ago = s.ago && units
	s.date = s.month && s.number || s.weekday && (s.number || n == 1) || s.numeric || timed || s.ago
	s.weekday = s.weekday || timed
	if s.number || drawn { // of others nobody asks
		s.shape = string(shape[1:])
	}
	return s, true
}

// dated returns the shape of a text that is a date or a counter and little else, so that one is the next of another; "" for
// other texts.
func dated(text string) string {
	if s, ok := shapeOf(text); ok && s.number && (s.bare && s.date || s.bareCounter && s.counter) {
		return s.shape
	}
	return ""
}

// isRandom reports whether a word looks as if drawn by lot: long, of letters and digits by turns.
func isRandom(w string) bool {
	if len(w) < 8 || utf8.RuneCountInString(w) != len(w) {
		return false
	}
	turns := 0
	for i := 1; i < len(w); i++ {
		if digit(w[i]) != digit(w[i-1]) {
			turns++
		}
	}
	return turns >= 3 || turns >= 1 && len(w) >= 16
}

func digit(c byte) bool { return '0' <= c && c <= '9' }

// isDigit reports whether dates.Digits makes a digit of a letter.
func isDigit(r rune) bool {
	return '0' <= r && r <= '9' || '۰' <= r && r <= '۹' || '٠' <= r && r <= '٩'
}

// ofTexts returns the noise that it is that a text became another one. Of what came or went, both are one.
func ofTexts(old, new string, where whereabouts) Noise {
	a, ok := shapeOf(old)
	if !ok || !(a.date && a.bare || a.copyright || a.counter && a.bareCounter || a.token && a.bareToken) {
		return ""
	}
	b := a
	if new != old {
		if b, ok = shapeOf(new); !ok {
			return ""
		}
	}
	own := a.now && b.now || a.ago && b.ago // it says that it is the page's
	switch {
	case a.date && b.date && a.bare && b.bare && (own || where == aside || where == margin && a.weekday && b.weekday && (a.month || a.numeric)):
		return Date
	case a.copyright && b.copyright && a.shape == b.shape && a.number && b.number && where != amid:
		return Date
	case a.counter && b.counter && a.bareCounter && b.bareCounter && a.number && b.number:
		return Counter
	case a.token && b.token && a.bareToken && b.bareToken && a.shape == b.shape && strings.Contains(a.shape, "*") && strings.Contains(a.shape, " "):
		return Token
	}
	return ""
}

// canonical returns an address without what names the visit.
func canonical(address string) string {
	if i := strings.IndexByte(address, ';'); i > 0 && !strings.ContainsAny(address[:i], "?#") {
		if rest := strings.ToLower(address[i+1:]); strings.HasPrefix(rest, "jsessionid=") || strings.HasPrefix(rest, "sid=") {
			end := strings.IndexAny(address[i:], "?#")
			if end < 0 {
				end = len(address) - i
			}
			address = address[:i] + address[i+end:]
		}
	}
	before, query, found := strings.Cut(address, "?")
	if !found {
		return address
	}
	query, fragment, _ := strings.Cut(query, "#")
	var kept []string
	for p := range strings.SplitSeq(query, "&") {
		name, value, _ := strings.Cut(p, "=")
		if !volatileParameter(strings.ToLower(name), value, before) {
			kept = append(kept, p)
		}
	}
	if len(kept) > 0 {
		before += "?" + strings.Join(kept, "&")
	}
	if fragment != "" {
		before += "#" + fragment
	}
	return before
}

// volatileParameter reports whether a parameter names the visit. One of the short names counts only if its value looks
// drawn by lot, or on what is no page.
func volatileParameter(name, value, path string) bool {
	if i := strings.IndexByte(name, '_'); i > 0 && known["parameter"][name[:i+1]+"*"] {
		return true
	}
	if !known["parameter"][name] {
		return false
	}
	switch name {
	case "t", "_", "v", "ver", "version", "time", "token", "s_id":
		last := path[strings.LastIndexByte(path, '/')+1:]
		resource := strings.Contains(last, ".") && !strings.Contains(last, ".htm") && !strings.Contains(last, ".php") && !strings.Contains(last, ".asp")
		return resource || isRandom(strings.ToLower(value)) || len(value) >= 9 && strings.Trim(value, "0123456789") == ""
	}
	return true
}
