package extract

// This file reads what meta elements and some headers say: redirects, rules for robots, pictures.

import (
	"bytes"
	"strings"

	"golang.org/x/net/html/atom"

	"kavosh"
	"kavosh/lib/ascii"
)

// soon is the longest wait, in seconds, for which a refresh counts as a redirect: nobody reads the page so fast.
const soon = 5

// meta reads a <meta> element: refresh, robots, the language, and the pictures and pages that cards in social networks show.
func (h *htmlReader) meta() {
	t := &h.scan.tag
	if equiv := t.get("http-equiv"); equiv != nil {
		if ascii.EqualFold(bytes.TrimSpace(equiv), "refresh") {
			h.refresh(h.attr("content"), "meta", "refresh")
		}
		if ascii.EqualFold(bytes.TrimSpace(equiv), "content-language") {
			h.language()
		}
		return
	}
	name := t.get("name")
	for _, other := range [...]string{"property", "itemprop"} {
		if name == nil {
			name = t.get(other)
		}
	}
	var lowered [64]byte
	if len(name) == 0 || len(name) > len(lowered) {
		return
	}
	key := ascii.AppendLower(lowered[:0], bytes.TrimSpace(name))
	switch string(key) {
	case "og:image", "og:image:url", "og:image:secure_url", "twitter:image", "twitter:image:src", "image", "thumbnail", "thumbnailurl",
		"msapplication-tileimage", "msapplication-square70x70logo", "msapplication-square150x150logo", "msapplication-wide310x150logo",
		"msapplication-square310x310logo", "msapplication-config", "og:video", "og:video:url", "og:video:secure_url", "og:audio",
		"og:audio:url", "twitter:player", "twitter:player:stream", "contenturl", "embedurl", "logo":
		h.here(h.attr("content"), kavosh.Embed, "meta", h.text.put(key))
	case "og:url", "twitter:url", "al:web:url", "url", "sameas", "citation_pdf_url", "citation_fulltext_html_url",
		"citation_abstract_html_url":
		if v := h.attr("content"); looksLikeURL(v, shapeSink) {
			h.here(v, kavosh.Navigation, "meta", h.text.put(key))
		}
	case "language", "dc.language", "dcterms.language", "dc:language", "dcterms:language":
		h.language()
	default:
		if string(key) == "robots" || string(key) == h.opts.Agent {
			h.robots(string(h.attr("content")))
		}
	}
}

// language takes the language that a <meta> element declares, unless an element before it did.
func (h *htmlReader) language() {
	if h.page.Lang == "" && h.depth == 0 {
		h.page.Lang = h.folded(h.attr("content"), 64)
	}
}

// refresh adds the target of a meta refresh or a Refresh header.
func (r *reading) refresh(content []byte, element, attr string) {
	seconds, url, ok := refresh(content)
	if !ok {
		return
	}
	kind := kavosh.Navigation
	if seconds <= soon {
		kind = kavosh.Redirect
	}
	r.add(r.base, url, kavosh.Link{Kind: kind, Element: element, Attr: attr})
}

// robots applies the directives of a robots meta or an X-Robots-Tag header. The strictest of several counts.
func (r *reading) robots(directives string) {
	if r.depth > 0 {
		return
	}
	for d := range strings.SplitSeq(directives, ",") {
		switch strings.ToLower(strings.TrimSpace(d)) {
		case "nofollow":
			r.page.NoFollow = true
		case "noindex":
			r.page.NoIndex = true
		case "noarchive", "nocache":
			r.page.NoArchive = true
		case "none":
			r.page.NoFollow, r.page.NoIndex = true, true
		}
	}
}

// robotsHeader reads one X-Robots-Tag: "noindex, nofollow" for all, "kavosh: nofollow" for one robot.
func (r *reading) robotsHeader(value string) {
	if agent, rest, ok := strings.Cut(value, ":"); ok {
		switch agent = strings.ToLower(strings.TrimSpace(agent)); {
		case agent == "unavailable_after" || strings.HasPrefix(agent, "max-"): // directives with a value
		case agent == r.opts.Agent:
			value = rest
		case !strings.ContainsAny(agent, ", "):
			return // for another robot
		}
	}
	r.robots(value)
}

// lazy are the data- attributes whose values scripts later copy into src, srcset, poster or a background.
var lazy = words(`data-src data-srcset data-original data-original-src data-original-set data-lazy data-lazy-src data-lazy-srcset data-lazyload
	data-lazy-load data-bg data-bgset data-background data-background-image data-image data-img data-image-src data-img-src data-poster data-hi-res-src
	data-full data-full-src data-large data-large-src data-large_image data-thumb data-thumbnail data-echo data-url data-ll-src data-cfsrc data-flickity-lazyload
	data-flickity-lazyload-src data-flickity-lazyload-srcset data-retina data-2x data-video-src data-mp4 data-webm data-video data-audio data-orig-file`)

// dataAttribute reads a data- attribute. On an element that shows something, the known names count like src; elsewhere
// anything that looks like an address is a guess.
func (h *htmlReader) dataAttribute(at attr) {
	if len(at.value) < 4 {
		return
	}
	var lowered [64]byte
	name := ascii.AppendLower(lowered[:0], at.name[:min(len(at.name), len(lowered))])
	known := lazy[string(name)]
	v := bytes.TrimSpace(h.unescaped(at.value))
	l := kavosh.Link{Kind: kavosh.Speculative, Element: h.elementName(), Attr: known}
	if known == "" {
		if !looksLikeURL(v, shapeString) && !(bytes.HasSuffix(name, []byte("-href")) && looksLikeURL(v, shapeSink)) {
			return
		}
		if string(name) == "data-link" && h.scan.tag.has("data-namespace") {
			h.giDocgen()
			return
		}
		l.Attr = h.text.put(name)
		h.put(v, l, false)
		return
	}
	switch h.scan.tag.atom {
	case atom.Img, atom.Source, atom.Video, atom.Audio, atom.Iframe, atom.Embed, atom.Picture:
		l.Kind = kavosh.Embed
	}
	if bytes.Contains(name, []byte("srcset")) || bytes.HasSuffix(name, []byte("set")) {
		v = bytes.Clone(v)
		srcset(v, func(url []byte) {
			if looksLikeURL(url, shapeSink) {
				h.put(url, l, false)
			}
		})
		return
	}
	if bytes.HasPrefix(v, []byte("url(")) {
		readCSSFrom(h.reading, h.base, v, h.guessed)
		return
	}
	if looksLikeURL(v, shapeSink) {
		h.put(v, l, false)
	}
}

// elementName returns the tag's name as a string, without an allocation for known names.
func (h *htmlReader) elementName() string {
	if a := h.scan.tag.atom; a != 0 {
		return a.String()
	}
	return h.text.put(h.scan.tag.name)
}
