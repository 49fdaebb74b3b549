package standin

// This file reads of a page what tells a bot wall from a page with something to read.

import (
	"bytes"
	"hash/fnv"
	"strconv"
	"strings"

	"golang.org/x/net/html"

	"kavosh"
)

// works has the title, tags and scripts of a page with almost no text, such as that of a bot wall.
type works struct {
	text    []byte   // in lower case
	scripts []string // where its scripts come from
	again   bool     // it sets a cookie and loads itself again
	bare    bool     // no link, no file but scripts, hardly a word: nobody was meant to read it
	words   []byte   // what there is to read
	shape   []byte   // its tags in order
}

// What a page may have to count as one with next to nothing to read.
const (
	maxWorks     = 48 << 10 // bytes
	maxWallWords = 1500     // bytes of text
	maxWallLinks = 6
	maxBareWords = 200
	maxReload    = 15 // seconds until a page loads itself again
)

// worksOf reads a page; nil for one that has something to read, or asks for something, such as a form.
func worksOf(x *kavosh.Exchange, page []byte) *works {
	if len(page) == 0 || !isHTML(x) || len(page) > maxWorks || many(page, "<a ") || many(page, "<A ") {
		return nil
	}
	if script := bytes.Contains(page, []byte("<script")) || bytes.Contains(page, []byte("<SCRIPT")) || bytes.Contains(page, []byte("<Script")); !script &&
		!bytes.Contains(page, []byte("http-equiv")) && !bytes.Contains(page, []byte("HTTP-EQUIV")) && !bytes.Contains(page, []byte("<iframe")) {
		return nil // walls work by one of them
	}
	return readWorks(page, x.Task)
}

// many reports whether mark, the beginning of a link, is in page more often than in a bot wall.
func many(page []byte, mark string) bool {
	for n := 0; ; n++ {
		i := bytes.Index(page, []byte(mark))
		if i < 0 {
			return false
		}
		if n == maxWallLinks {
			return true
		}
		page = page[i+len(mark):]
	}
}

func readWorks(page []byte, task *kavosh.Task) *works {
	w := &works{bare: true}
	var inside string // of which element the text is
	z := html.NewTokenizer(bytes.NewReader(page))
	for {
		kind := z.Next()
		if kind == html.ErrorToken {
			break
		}
		raw := z.Raw()
		switch kind {
		case html.TextToken:
			switch inside {
			case "script", "style":
				w.text = append(w.text, raw...)
			case "title":
				w.text = append(w.text, html.UnescapeString(strings.TrimSpace(string(raw)))...)
			case "noscript":
			default:
				if raw = bytes.TrimSpace(raw); len(raw) > 0 {
					w.words = append(append(w.words, ' '), raw...)
				}
			}
		case html.EndTagToken:
			name, _ := z.TagName()
			if string(name) == inside {
				if inside == "title" {
					w.text = append(w.text, "</title>"...)
				}
				inside = ""
			}
		case html.StartTagToken, html.SelfClosingTagToken:
			w.text = append(w.text, raw...)
			if !w.tag(z, kind == html.StartTagToken, &inside, task) {
				return nil
			}
		}
		if len(w.words) > maxWallWords {
			return nil
		}
	}
	w.text = bytes.ToLower(w.text)
	w.bare = w.bare && len(w.words) <= maxBareWords && bytes.Contains(w.text, []byte("<script"))
	if bytes.Contains(w.text, []byte("document.cookie")) {
		for _, call := range []string{"location.reload", "location.replace", "location.href", "location.assign", "location=", "location =", ".submit("} {
			w.again = w.again || bytes.Contains(w.text, []byte(call))
		}
	}
	w.again = w.again && w.bare
	return w
}

// tag reads a start tag; it is false when it asks the reader for something.
func (w *works) tag(z *html.Tokenizer, opens bool, inside *string, task *kavosh.Task) bool {
	name, more := z.TagName()
	w.shape = append(append(w.shape, '<'), name...)
	tag := string(name)
	var attrs map[string]string
	switch tag {
	case "script", "input", "textarea", "select", "meta":
		attrs = map[string]string{}
		for more {
			var key, value []byte
			key, value, more = z.TagAttr()
			attrs[string(key)] = string(value)
		}
	}
	switch tag {
	case "title", "script", "style", "noscript":
		if opens && *inside == "" {
			*inside = tag
		}
		if src := attrs["src"]; tag == "script" && src != "" {
			w.scripts = append(w.scripts, strings.ToLower(src))
		}
	case "input":
		switch strings.ToLower(attrs["type"]) {
		case "hidden", "submit", "button", "image", "checkbox":
		default:
			return false
		}
	case "textarea", "select":
		return attrs["name"] == "g-recaptcha-response" || attrs["name"] == "h-captcha-response"
	case "article", "frameset":
		return false
	case "a", "link", "img", "iframe", "object", "video":
		w.bare = false
	case "meta":
		w.again = w.again || strings.EqualFold(attrs["http-equiv"], "refresh") && itself(attrs["content"], task)
	}
	return true
}

// itself says that a refresh leads to the page again, at once.
func itself(content string, task *kavosh.Task) bool {
	wait, to, _ := strings.Cut(strings.ToLower(content), ";")
	if seconds, err := strconv.Atoi(strings.TrimSpace(wait)); err != nil || seconds > maxReload {
		return false
	}
	to = strings.Trim(strings.TrimPrefix(strings.ReplaceAll(to, " ", ""), "url="), `'"`)
	return to == "" || task != nil && to == strings.ToLower(task.URL)
}

// others says that the page has scripts from elsewhere than what marks tell.
func (w *works) others(marks []string) bool {
	n := 0
	for _, src := range w.scripts {
		own := false
		for _, m := range marks {
			own = own || strings.Contains(src, m)
		}
		if !own {
			n++
		}
	}
	return n > 0
}

// blank says that the page has nothing at all for a reader, not even a title.
func (w *works) blank() bool {
	return w.bare && len(w.words) == 0 && !bytes.Contains(w.text, []byte("<title"))
}

// sum returns a fingerprint of a page that has only scripts; 0 for other pages. It ignores what changes in every
// response, such as tokens in scripts.
func (w *works) sum() uint64 {
	if !w.bare {
		return 0
	}
	h := fnv.New64a()
	h.Write(w.shape)
	h.Write(w.words)
	return max(h.Sum64(), 1)
}
