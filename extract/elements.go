package extract

// This file knows which attributes of HTML elements are links, and of which kind.

import (
	"bytes"
	"strings"

	"kavosh"
	"kavosh/lib/ascii"
	"kavosh/lib/weburl"
)

// rule says what an attribute with an address means.
type rule struct {
	attr string
	kind kavosh.Kind
	on   []string // elements to which the rule applies
	set  bool     // a list of addresses with descriptors, as in srcset
	look string   // what apply must look at first; "" if nothing
}

// rules holds all attributes with addresses, by the length of their names.
var rules = rulesByLength([]rule{
	{attr: "href", kind: kavosh.Navigation, on: strings.Fields("a area"), look: "javascript:"},
	{attr: "xlink:href", kind: kavosh.Navigation, on: strings.Fields("a"), look: "javascript:"},
	{attr: "src", kind: kavosh.Embed, on: strings.Fields("img image iframe frame embed audio video source track bgsound mglyph")},
	{attr: "src", kind: kavosh.Embed, on: strings.Fields("input"), look: "input"},
	{attr: "src", kind: kavosh.Embed, on: strings.Fields("script"), look: "type"},
	{attr: "srcset", kind: kavosh.Embed, on: strings.Fields("img source"), set: true},
	{attr: "poster", kind: kavosh.Embed, on: strings.Fields("video")},
	{attr: "background", kind: kavosh.Embed, on: strings.Fields("body table thead tbody tfoot tr td th")},
	{attr: "lowsrc", kind: kavosh.Embed, on: strings.Fields("img")},
	{attr: "dynsrc", kind: kavosh.Embed, on: strings.Fields("img")},
	{attr: "manifest", kind: kavosh.Embed, on: strings.Fields("html")},
	{attr: "icon", kind: kavosh.Embed, on: strings.Fields("menuitem command")},
	{attr: "href", kind: kavosh.Embed,
		on: strings.Fields("image use feimage script pattern lineargradient radialgradient textpath mpath cursor")},
	{attr: "xlink:href", kind: kavosh.Embed,
		on: strings.Fields("image use feimage script pattern lineargradient radialgradient textpath mpath cursor")},
	{attr: "srcdoc", kind: kavosh.Embed, on: strings.Fields("iframe"), look: "srcdoc"},
	{attr: "action", kind: kavosh.Navigation, on: strings.Fields("form"), look: "form"},
	{attr: "formaction", kind: kavosh.Navigation, on: strings.Fields("button input"), look: "form"},
	{attr: "cite", kind: kavosh.Navigation, on: strings.Fields("blockquote q ins del")},
	{attr: "longdesc", kind: kavosh.Navigation, on: strings.Fields("img iframe frame")},
	{attr: "value", kind: kavosh.Speculative, on: strings.Fields("option"), look: "option"},
})

func rulesByLength(all []rule) (byLength [16][]rule) {
	for _, u := range all {
		byLength[len(u.attr)] = append(byLength[len(u.attr)], u)
	}
	return byLength
}

func words(s string) map[string]string {
	m := map[string]string{}
	for _, w := range strings.Fields(s) {
		m[w] = w
	}
	return m
}

// apply adds the link of an attribute that rule u covers.
func (h *htmlReader) apply(u *rule, element string, at attr) {
	switch u.look {
	case "form":
		method := h.scan.tag.get("method")
		if u.attr == "formaction" {
			method = h.scan.tag.get("formmethod")
		}
		if m := bytes.TrimSpace(method); ascii.EqualFold(m, "post") || ascii.EqualFold(m, "dialog") {
			return
		}
	case "input":
		if !ascii.EqualFold(bytes.TrimSpace(h.scan.tag.get("type")), "image") {
			return
		}
	case "type":
		if !isProgram(h.attr("type")) {
			return
		}
		h.programFile(h.unescaped(at.value))
	case "srcdoc":
		h.nested(bytes.Clone(h.unescaped(at.value)), h.guessed)
		return
	case "option":
		if !looksLikeURL(h.unescaped(at.value), shapeString) {
			return
		}
	case "javascript:":
		if v := h.unescaped(at.value); ascii.HasPrefixFold(bytes.TrimLeft(v, " \t\r\n"), "javascript:") {
			h.javaScriptURL(bytes.TrimLeft(v, " \t\r\n")[len("javascript:"):])
			return
		}
	}
	l := kavosh.Link{Kind: u.kind, Element: element, Attr: u.attr}
	if len(h.scan.tag.attrs) > 1 {
		h.describe(&l)
	}
	v := h.unescaped(at.value)
	if u.set {
		srcset(v, func(url []byte) { h.put(url, l, false) })
		return
	}
	h.put(v, l, element == "a")
}

// describe fills in what the element says about its link besides the address.
func (h *htmlReader) describe(l *kavosh.Link) {
	for i := range h.scan.tag.attrs {
		switch at := &h.scan.tag.attrs[i]; len(at.name) {
		case 3:
			if ascii.EqualFold(at.name, "rel") && l.Rel == "" {
				l.Rel = strings.ToLower(h.folded(h.unescaped(at.value), maxTitle))
				l.NoFollow = hasWord(l.Rel, "nofollow") || hasWord(l.Rel, "ugc") || hasWord(l.Rel, "sponsored")
			} else if ascii.EqualFold(at.name, "alt") && l.Anchor == "" {
				l.Anchor = h.folded(spoken(h.unescaped(at.value)), maxAnchor)
			}
		case 4:
			if ascii.EqualFold(at.name, "type") && l.Type == "" && (l.Element == "a" || l.Element == "area" || l.Element == "link") {
				l.Type = strings.ToLower(h.folded(h.unescaped(at.value), maxType))
			}
		case 5:
			if ascii.EqualFold(at.name, "title") && l.Title == "" {
				l.Title = h.folded(h.unescaped(at.value), maxTitle)
			}
		case 8:
			if ascii.EqualFold(at.name, "hreflang") && l.Hreflang == "" {
				l.Hreflang = h.folded(h.unescaped(at.value), 64)
			}
		}
	}
}

// here adds a link at the current place in the text.
func (h *htmlReader) here(ref []byte, kind kavosh.Kind, element, attr string) {
	h.put(ref, kavosh.Link{Kind: kind, Element: element, Attr: attr}, false)
}

// put adds a link at the current place in the text. If anchor is true, anchor text follows.
func (h *htmlReader) put(ref []byte, l kavosh.Link, anchor bool) {
	base := h.base
	if h.guessed != "" {
		if ref = fill(bytes.TrimSpace(ref), shapeSink); len(ref) < 3 || !looksLikeURL(ref, shapeSink) {
			return
		}
		l.Element, l.Attr = "script", h.guessed
		base = h.from(ref)
	}
	if i := h.add(base, ref, l); i >= 0 {
		h.context.place(i, anchor)
	}
}

// baseElement takes the base URL from the first base element with an href.
func (h *htmlReader) baseElement() {
	if h.based || h.depth > 0 {
		return
	}
	href := h.scan.tag.get("href")
	if href == nil {
		return
	}
	h.based = true
	base, err := h.url.Resolve(string(h.unescaped(href)))
	if err != nil || !base.Fetchable() {
		return
	}
	h.reading.base, h.reading.guess = base, base
	h.page.Base = base.Key()
	h.again = len(h.links) > 0
}

// linkElement reads <link>; its rel decides what its href is.
func (h *htmlReader) linkElement() {
	l := kavosh.Link{Kind: kavosh.Navigation, Element: "link", Attr: "href"}
	h.describe(&l)
	if sizes := h.scan.tag.get("imagesrcset"); sizes != nil {
		srcset(bytes.Clone(h.unescaped(sizes)), func(url []byte) {
			h.put(url, kavosh.Link{Kind: kavosh.Embed, Element: "link", Attr: "imagesrcset", Rel: l.Rel}, false)
		})
	}
	for _, at := range h.scan.tag.attrs {
		if len(at.name) > 5 && ascii.EqualFold(at.name[:5], "data-") {
			h.dataAttribute(at)
		}
	}
	kind, ok := relKind(l.Rel, h.attr("type"))
	if !ok && !h.scan.tag.has("itemprop") {
		return
	}
	l.Kind = kind
	href := h.attr("href")
	if hasWord(l.Rel, "canonical") && h.page.Canonical == "" && h.guessed == "" && h.depth == 0 {
		if key, err := weburl.Resolve(h.base, string(bytes.TrimSpace(href))); err == nil && len(href) > 0 && weburl.Fetchable(key) {
			h.page.Canonical = key
		}
	}
	h.put(href, l, false)
}

// relKind returns the kind of link that a link relation makes; false if its target is not worth fetching.
func relKind(rel string, mediaType []byte) (kind kavosh.Kind, ok bool) {
	if rel == "" {
		return 0, false // rev= and other relics, which nobody follows
	}
	kind = kavosh.Navigation
	alternate := false
	for rel != "" {
		var word string
		word, rel, _ = strings.Cut(rel, " ")
		switch word {
		case "stylesheet", "icon", "apple-touch-icon", "apple-touch-icon-precomposed", "apple-touch-startup-image", "mask-icon",
			"fluid-icon", "image_src", "preload", "modulepreload", "prefetch", "manifest", "serviceworker", "stylesheet/less", "import":
			return kavosh.Embed, true
		case "dns-prefetch", "preconnect", "pingback", "edituri", "webmention", "wlwmanifest":
			return 0, false
		case "alternate":
			alternate = true
		case "feed":
			kind = kavosh.Feed
		}
	}
	if alternate {
		if i := bytes.IndexByte(mediaType, ';'); i >= 0 {
			mediaType = mediaType[:i]
		}
		switch strings.ToLower(string(bytes.TrimSpace(mediaType))) {
		case "application/rss+xml", "application/atom+xml", "application/feed+json", "application/rdf+xml", "text/xml", "application/xml":
			kind = kavosh.Feed
		}
	}
	return kind, true
}

// objectElement reads <object> and <applet>, whose addresses are relative to their codebase.
func (h *htmlReader) objectElement() {
	t := &h.scan.tag
	base := h.base
	if codebase := t.get("codebase"); codebase != nil && base != nil {
		folder := strings.TrimSuffix(string(h.unescaped(codebase)), "/") + "/"
		if u, err := base.Resolve(folder); err == nil {
			base = u
		}
	}
	embed := func(attr string, ref []byte) {
		if h.guessed == "" {
			if i := h.add(base, ref, kavosh.Link{Kind: kavosh.Embed, Element: t.atom.String(), Attr: attr}); i >= 0 {
				h.context.place(i, false)
			}
		}
	}
	embed("data", h.attr("data"))
	for _, jar := range bytes.FieldsFunc(bytes.Clone(h.attr("archive")), func(c rune) bool { return c == ',' || c <= ' ' }) {
		embed("archive", jar)
	}
	if code := h.attr("code"); len(code) > 0 && t.atom.String() == "applet" {
		if !bytes.HasSuffix(code, []byte(".class")) {
			code = append(bytes.ReplaceAll(code, []byte("."), []byte("/")), ".class"...)
		}
		embed("code", code)
	}
}

// hasWord reports whether a space-separated list contains word.
func hasWord(list, word string) bool {
	for list != "" {
		var w string
		w, list, _ = strings.Cut(list, " ")
		if w == word {
			return true
		}
	}
	return false
}
