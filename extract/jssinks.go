package extract

import (
	"bytes"
	"strings"

	"kavosh"
	"kavosh/lib/ascii"
)

// This file says what the place to which a script gives a value tells about that value.

// judge decides what a value is; f says where it goes.
func (j *jsReader) judge(f *jsFrame, value []byte) {
	switch {
	case len(value) < 2:
		return
	case looksLikeMarkup(value):
		j.markupInString(value, "html")
		return
	case bytes.Contains(value, []byte("url(")):
		if wholeURL(value) {
			unsure := j.unsure
			j.unsure = true
			readCSSFrom(j.reading, j.guess, bytes.Clone(value), "css")
			j.unsure = unsure
		}
		return
	}
	if f.target != "" {
		if attr, ok := assigned[f.target]; ok {
			j.guessed(value, attr, shapeSink)
			return
		}
		if sinkKey(f.target) && value[len(value)-1] != '/' { // a folder is only a prefix for names
			j.guessed(value, "property", shapeSink)
			return
		}
		j.guessed(value, "string", shapeString)
		return
	}
	if f.callee == "" {
		j.guessed(value, "string", shapeString)
		return
	}
	j.argument(f, value)
}

// assigned holds properties whose values the browser uses as addresses.
var assigned = map[string]string{
	"src": "src=", "href": "href=", "location": "location=", "action": "action=", "poster": "poster=", "background": "background=",
	"url": "url=", "URL": "url=", "uri": "url=", "lowsrc": "src=", "dataUrl": "url=", "dataURL": "url=",
}

// argument judges a value that is passed to a function.
func (j *jsReader) argument(f *jsFrame, value []byte) {
	switch f.callee {
	case "import":
		if f.arg == 0 {
			if wholeURL(value) {
				j.module(value, "import")
			} else {
				j.guessed(value, "import", shapeSink)
			}
		}
	case "importScripts":
		if wholeURL(value) {
			j.link(j.self, value, "importScripts()", kavosh.Embed)
		}
	case "Worker", "SharedWorker":
		if f.arg == 0 && wholeURL(value) {
			j.link(j.guess, value, "new Worker()", kavosh.Embed)
		}
	case "register":
		if f.arg == 0 && f.on == "serviceWorker" && wholeURL(value) {
			j.link(j.guess, value, "serviceWorker.register()", kavosh.Embed)
		}
	case "URL":
		if f.arg == 0 && f.open == '(' && wholeURL(value) {
			f.held = []byte(j.text.put(value)) // judged when its base is known
		}
	case "fetch", "EventSource", "Request", "Audio", "sendBeacon", "getScript", "getJSON", "loadScript", "loadCSS",
		"importHTML", "ajax", "navigate", "loadURL":
		if f.arg == 0 {
			j.guessed(value, "fetch()", shapeSink)
		}
	case "open":
		switch {
		case f.arg == 0 && !isMethod(string(value)):
			j.guessed(value, "window.open()", shapeSink)
		case f.arg == 1 && (f.first == "get" || f.first == "head"):
			j.guessed(value, "XMLHttpRequest", shapeSink)
		}
	case "assign", "replace":
		switch {
		case f.on == "location" && f.arg == 0:
			j.guessed(value, "location=", shapeSink)
		case f.callee == "assign":
			j.guessed(value, "string", shapeString)
		}
	case "get", "load", "json", "csv", "tsv", "xml", "text", "html", "getText", "request", "buffer", "blob", "image", "svg":
		level := shapeString
		switch f.on {
		case "$", "jQuery", "axios", "http", "$http", "d3", "superagent", "request", "ky", "got", "m":
			level = shapeSink
		}
		if f.arg == 0 {
			j.guessed(value, "fetch()", level)
		}
	case "setAttribute", "attr", "prop", "setAttributeNS":
		name := strings.TrimPrefix(f.first, "data-")
		if attr, ok := assigned[name]; ok && f.arg >= 1 {
			j.guessed(value, attr, shapeSink)
		} else if f.arg >= 1 {
			j.guessed(value, "string", shapeString)
		}
	case "pushState", "replaceState":
		if f.arg == 2 {
			j.guessed(value, "location=", shapeSink)
		}
	case "require", "__webpack_require__", "define", "requirejs", "amd":
		// AMD lists its modules in an array. A plain string there is a name that a bundler knows, and "popper.js" is a
		// package name. The part before an exclamation mark says how to read the file.
		if f.open == '[' {
			if i := bytes.LastIndexByte(value, '!'); i >= 0 {
				value = value[i+1:]
			}
			switch {
			case len(value) > 2 && value[0] == '.' && looksLikeURL(value, shapeString):
				j.link(j.self, value, "require()", kavosh.Speculative)
			case bytes.IndexByte(value, '/') >= 0:
				j.guessed(value, "require()", shapeString)
			}
		}
	default:
		if !ignored[f.callee] {
			j.guessed(value, "string", shapeString)
		}
	}
}

func isMethod(s string) bool {
	switch s {
	case "GET", "POST", "PUT", "HEAD", "DELETE", "PATCH", "OPTIONS", "get", "post", "put", "head", "delete":
		return true
	}
	return false
}

// ignored are functions whose strings are messages, selectors, patterns or names, never addresses.
var ignored = func() map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(`log warn error info debug trace dir group assert alert confirm prompt Error TypeError RangeError SyntaxError
		match matchAll test exec split indexOf lastIndexOf includes startsWith endsWith search localeCompare replaceAll hasOwnProperty RegExp
		getItem setItem removeItem addEventListener removeEventListener dispatchEvent on off one trigger emit bind
		querySelector querySelectorAll getElementById getElementsByTagName getElementsByClassName createElement createElementNS
		getAttribute hasAttribute removeAttribute removeAttr getAttributeNS matches closest is not filter find children
		createTextNode getContext getPropertyValue hasClass addClass removeClass toggleClass gettext ngettext t i18n translate
		Symbol Date parse parseInt deprecated deprecate warning invariant module describe it post put patch`) {
		m[w] = true
	}
	return m
}()

// looksLikeMarkup reports whether a string contains a tag with an attribute, or the beginning of one.
func looksLikeMarkup(s []byte) bool {
	for {
		i := bytes.IndexByte(s, '<')
		if i < 0 || i+4 > len(s) {
			return false
		}
		s = s[i+1:]
		if ascii.IsLetter(s[0]) && bytes.IndexByte(s, '=') > 0 {
			return true
		}
	}
}

// markupInString reads HTML in a string of a script. Its links are guesses.
func (r *reading) markupInString(s []byte, attr string) {
	unsure := r.unsure
	r.unsure = true
	r.nested(bytes.Clone(s), attr)
	r.unsure = unsure
}
