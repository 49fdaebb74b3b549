package needs

// This file learns which URLs the scripts of a page ask for, where these follow from the URL of the page.

import (
	"hash/fnv"
	"net/url"
	"slices"
	"strings"
)

// A frame is a URL with places for parts of the page's URL, such as "http://a.test/data{path}.json". It is trusted when
// the scripts of several pages asked for what it makes of their URLs, and it was wrong less often than right.
type frame struct {
	text         string
	right, wrong int
}

func (f *frame) trusted() bool { return f.right >= trustedFrom && f.right > f.wrong }

// Bounds on frames of a template, and from how many pages on one is trusted.
const (
	trustedFrom = 3
	maxFrames   = 64
	maxMade     = 16 // URLs that are made of one page's
	maxAround   = 500
)

// frames are those of a template.
type frames struct{ all []frame }

// learn takes note of what the scripts of the page at from found. It returns how much of that follows from trusted frames,
// and whether there are more of these now.
func (f *frames) learn(from string, found Finding) (explained int, more bool) {
	parts := partsOf(from)
	before := f.trusted()
	for i := range f.all {
		made := fill(f.all[i].text, parts)
		switch {
		case made == "":
		case slices.Contains(found.Asked, made):
			f.all[i].right++
		default:
			f.all[i].wrong++
		}
	}
	made := f.links(from)
	if len(made) > 0 && len(found.Resources) > 0 {
		for _, link := range found.Around[:min(len(found.Around), maxAround)] {
			made = append(made, f.links(link)...)
		}
	}
	for _, u := range found.Resources {
		if slices.Contains(made, u) {
			explained++
			continue
		}
		for _, text := range framesOf(u, parts) {
			if !slices.ContainsFunc(f.all, func(o frame) bool { return o.text == text }) {
				f.add(frame{text: text, right: 1})
			}
		}
	}
	return explained, f.trusted() > before
}

// add adds a frame, in place of the one that was right least often if there are many.
func (f *frames) add(o frame) {
	if len(f.all) < maxFrames {
		f.all = append(f.all, o)
		return
	}
	least := 0
	for i := range f.all {
		if f.all[i].right < f.all[least].right {
			least = i
		}
	}
	if f.all[least].right <= o.right {
		f.all[least] = o
	}
}

// trusted is how many frames are.
func (f *frames) trusted() (n int) {
	for i := range f.all {
		if f.all[i].trusted() {
			n++
		}
	}
	return n
}

// links is what trusted frames make of a page's URL.
func (f *frames) links(from string) (all []string) {
	var parts []part
	for i := range f.all {
		if !f.all[i].trusted() || len(all) >= maxMade {
			continue
		}
		if parts == nil {
			parts = partsOf(from)
		}
		if made := fill(f.all[i].text, parts); made != "" && !slices.Contains(all, made) {
			all = append(all, made)
		}
	}
	return all
}

// part is a part of a page's URL that a frame may have a place for.
type part struct{ name, value string }

// maxParts bounds those of one URL.
const maxParts = 12

// partsOf takes a URL apart: its path with and without the extension, the folder and the last segment of the path, the
// segments before, and the values of the query.
func partsOf(from string) (parts []part) {
	u, err := url.Parse(from)
	if err != nil {
		return nil
	}
	add := func(name, value string) {
		if value != "" && value != "/" && len(parts) < maxParts {
			parts = append(parts, part{"{" + name + "}", value})
		}
	}
	path := strings.TrimSuffix(u.EscapedPath(), "/")
	cut := strings.LastIndexByte(path, '/') + 1
	stem := path[cut:]
	if i := strings.LastIndexByte(stem, '.'); i > 0 {
		stem = stem[:i]
	}
	add("path", path)
	add("pathstem", path[:cut]+stem)
	add("folder", path[:cut])
	add("name", path[cut:])
	add("stem", stem)
	names := strings.Split(strings.Trim(path[:cut], "/"), "/")
	for i, name := range slices.Backward(names) {
		add("up"+string(rune('0'+min(len(names)-i, 9))), name)
	}
	for pair := range strings.SplitSeq(u.RawQuery, "&") {
		name, value, _ := strings.Cut(pair, "=")
		add("?"+name, value)
	}
	return parts
}

// framesOf returns the frames that make the URL of these parts: with one part put in, and with the page's folder and one
// more.
func framesOf(made string, parts []part) (all []string) {
	end := 0 // of the origin
	if i := strings.Index(made, "://"); i >= 0 {
		if j := strings.IndexByte(made[i+3:], '/'); j >= 0 {
			end = i + 3 + j
		}
	}
	origin, rest := made[:end], made[end:]
	for _, p := range parts {
		if p.name == "{folder}" {
			continue // by itself it tells no page from others
		}
		if text := strings.Replace(rest, p.value, p.name, 1); text != rest {
			all = append(all, origin+text)
		}
	}
	for _, p := range parts {
		if p.name != "{folder}" {
			continue
		}
		if after, ok := strings.CutPrefix(rest, p.value); ok {
			for _, q := range parts {
				if text := strings.Replace(after, q.value, q.name, 1); text != after {
					all = append(all, origin+p.name+text)
				}
			}
		}
	}
	return all
}

// fill puts the parts of a page's URL into a frame; "" if it has places for parts that the URL lacks.
func fill(text string, parts []part) string {
	for _, p := range parts {
		text = strings.Replace(text, p.name, p.value, 1)
	}
	if strings.ContainsAny(text, "{}") {
		return ""
	}
	return text
}

// formOf is a hash of what the URLs of one template have in common: the first folder without digits, the extension and the
// names in the query.
func formOf(from string) uint64 {
	u, err := url.Parse(from)
	if err != nil {
		return 0
	}
	digitless := func(c rune) rune {
		if c >= '0' && c <= '9' {
			return -1
		}
		return c
	}
	first, rest, deep := strings.Cut(strings.TrimPrefix(u.EscapedPath(), "/"), "/")
	last := first
	form := ""
	if deep {
		form = strings.Map(digitless, first) + "/"
		last = rest[strings.LastIndexByte(rest, '/')+1:]
	}
	if i := strings.LastIndexByte(last, '.'); i >= 0 && len(last)-i <= 6 {
		form += last[i:]
	}
	for pair := range strings.SplitSeq(u.RawQuery, "&") {
		name, _, _ := strings.Cut(pair, "=")
		form += "&" + name
	}
	return hash(form)
}

// lasting returns a URL without the values of its query that scripts make up for each request, such as the time.
func lasting(made string) string {
	path, query, ok := strings.Cut(made, "?")
	if !ok {
		return made
	}
	kept := path
	for pair := range strings.SplitSeq(query, "&") {
		name, value, _ := strings.Cut(pair, "=")
		digits := strings.Trim(value, "0123456789.")
		if name != "_" && (digits != "" || len(value) < 10) {
			kept += "?" + pair
		}
	}
	return kept
}

func hash(s string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(s))
	return h.Sum64()
}
