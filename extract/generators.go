package extract

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"kavosh"
)

// This file reads scripts of programs that generate web sites. The scripts say exactly which files they will load, but
// each in its own form. An entry here must serve thousands of sites, never a single one.

// generators read known scripts, in addition to the ordinary reader.
var generators = [...]func(r *reading, name string, text []byte){
	doxygenTree,
	doxygenSearch,
	rustdocSidebar,
	rustdocSources,
	webpackChunks,
}

// doxygenTree reads Doxygen's navigation tree: arrays [label, "page.html", "file"], where file.js holds the branch
// below. They are in navtreedata.js and in the branches, each a variable named like its file. It also reads the list
// whose n-th entry stands for navtreeindexN.js.
func doxygenTree(r *reading, name string, text []byte) {
	stem := strings.TrimSuffix(name, ".js")
	root := name == "navtreedata.js"
	if !root && !bytes.Contains(text[:min(len(text), 4096)], []byte("var "+strings.ReplaceAll(stem, "-", "_")+" =\n[\n    [ \"")) {
		return
	}
	embed := func(file string) {
		r.add(r.url, []byte(file), kavosh.Link{Kind: kavosh.Embed, Element: "script", Attr: "doxygen"})
	}
	for line := range bytes.Lines(text) {
		line = bytes.TrimRight(line, " \r\n,]")
		line, ok := bytes.CutSuffix(line, []byte(`"`))
		i := bytes.LastIndex(line, []byte(`.html", "`))
		if j := bytes.LastIndexByte(line, '"'); ok && i >= 0 && j == i+len(`.html", "`)-1 && j+1 < len(line) {
			embed(string(line[j+1:]) + ".js")
		}
	}
	if _, list, ok := bytes.Cut(text, []byte("var NAVTREEINDEX =")); ok && root {
		list, _, _ = bytes.Cut(list, []byte("]"))
		for n := range min(bytes.Count(list, []byte("\n\"")), 10_000) {
			embed(fmt.Sprintf("navtreeindex%d.js", n))
		}
	}
}

// doxygenSearch reads the table of Doxygen's search index: for each section, its name and the first characters of its
// words. The words of the n-th character are in name_N.js, N in hexadecimal.
func doxygenSearch(r *reading, name string, text []byte) {
	if name != "searchdata.js" || !bytes.Contains(text, []byte("indexSectionsWithContent")) {
		return
	}
	contents := tableOf(text, "indexSectionsWithContent")
	labels := tableOf(text, "indexSectionNames")
	for _, section := range slices.Sorted(maps.Keys(labels)) {
		label := labels[section]
		for n := range []rune(contents[section]) {
			r.add(r.url, fmt.Appendf(nil, "%s_%x.js", label, n), kavosh.Link{Kind: kavosh.Embed, Element: "script", Attr: "doxygen"})
		}
	}
}

// rustdocSidebar reads the list of a module's items: {"fn": [["name", "description"]], "mod": ["name"]}. The page of an
// item is fn.name.html, of a module name/index.html, in the script's folder.
func rustdocSidebar(r *reading, name string, text []byte) {
	if !strings.HasPrefix(name, "sidebar-items") {
		return
	}
	var items map[string][]any
	json.Unmarshal(braced(text), &items) // what cannot be read has no items
	for _, kind := range slices.Sorted(maps.Keys(items)) {
		for _, item := range items[kind] {
			if pair, ok := item.([]any); ok && len(pair) > 0 {
				item = pair[0]
			}
			label, ok := item.(string)
			if !ok {
				continue
			}
			page := kind + "." + label + ".html"
			if kind == "mod" {
				page = label + "/index.html"
			}
			r.add(r.url, []byte(page), kavosh.Link{Kind: kavosh.Navigation, Element: "script", Attr: "rustdoc",
				Anchor: string(cut([]byte(label), maxAnchor))})
		}
	}
}

// rustdocSources reads the tree of source files: sourcesIndex["crate"] = {"dirs": [{"name", "dirs", "files"}], "files":
// []} or, in later versions, one JSON.parse of {"crate": ["", [["name", [dirs], [files]]], [files]]}. The page of a
// file is src/crate/dir/file.html.
func rustdocSources(r *reading, name string, text []byte) {
	if !strings.HasPrefix(name, "source-files") && !strings.HasPrefix(name, "src-files") {
		return
	}
	for line := range bytes.Lines(text) {
		if rest, ok := bytes.CutPrefix(line, []byte(`sourcesIndex["`)); ok {
			crate, tree, _ := bytes.Cut(rest, []byte(`"]`))
			var dir any
			json.Unmarshal(braced(tree), &dir)
			r.rustdocFolder("src/"+string(crate), dir, 0)
		}
	}
	if _, rest, ok := bytes.Cut(text, []byte("JSON.parse(")); ok {
		s := jsScanner{src: rest}
		_, tree, _ := s.next()
		var crates map[string]any
		json.Unmarshal(tree, &crates)
		for _, crate := range slices.Sorted(maps.Keys(crates)) {
			r.rustdocFolder("src/"+crate, crates[crate], 0)
		}
	}
}

func (r *reading) rustdocFolder(path string, folder any, depth int) {
	var dirs, files []any
	switch f := folder.(type) {
	case map[string]any:
		dirs, _ = f["dirs"].([]any)
		files, _ = f["files"].([]any)
	case []any:
		if len(f) > 1 {
			dirs, _ = f[1].([]any)
		}
		if len(f) > 2 {
			files, _ = f[2].([]any)
		}
	}
	for _, file := range files {
		if label, ok := file.(string); ok {
			r.add(r.url, []byte(path+"/"+label+".html"),
				kavosh.Link{Kind: kavosh.Navigation, Element: "script", Attr: "rustdoc", Anchor: string(cut([]byte(label), maxAnchor))})
		}
	}
	for _, dir := range dirs {
		var label string
		switch d := dir.(type) {
		case map[string]any:
			label, _ = d["name"].(string)
		case []any:
			if len(d) > 0 {
				label, _ = d[0].(string)
			}
		}
		if label != "" && depth < 64 {
			r.rustdocFolder(path+"/"+label, dir, depth+1)
		}
	}
}

// braced returns text from its first brace to its last.
func braced(text []byte) []byte {
	start, end := bytes.IndexByte(text, '{'), bytes.LastIndexByte(text, '}')
	if start < 0 || end < start {
		return nil
	}
	return text[start : end+1]
}

// webpackChunks reads the table from which a webpack program makes the names of the parts that it loads later: "js/" +
// ({1: "about"}[e] || e) + "." + {1: "5f3a", 2: "99c0"}[e] + ".chunk.js". Each table may be in parentheses of its own.
func webpackChunks(r *reading, name string, text []byte) {
	if !bytes.Contains(text, []byte("webpackJsonp")) && !bytes.Contains(text, []byte("webpackChunk")) &&
		!bytes.Contains(text, []byte("__webpack_require__")) {
		return
	}
	public := ""
	if m := webpackPublic.FindSubmatch(text); m != nil {
		public = string(m[1])
	}
	found := 0
	for at := 0; found < 16; {
		i := bytes.IndexByte(text[at:], '}')
		if i < 0 {
			return
		}
		at += i + 1
		rest := text[at:min(len(text), at+100)]
		if !bytes.HasPrefix(bytes.TrimPrefix(rest, []byte(")")), []byte("[")) {
			continue
		}
		tail := webpackTail.FindSubmatch(rest)
		open := bytes.LastIndexByte(text[:at], '{')
		if tail == nil || open < 0 {
			continue
		}
		head := webpackHead.FindSubmatch(text[max(0, open-maxWebpackNames):open])
		if head == nil {
			continue
		}
		found++
		labels := map[string]string{}
		for _, pair := range webpackPair.FindAllSubmatch(head[2], -1) {
			labels[string(pair[1])] = string(pair[2])
		}
		for _, pair := range webpackPair.FindAllSubmatch(text[open:at], r.opts.MaxLinks) {
			label, ok := labels[string(pair[1])]
			if !ok {
				label = string(pair[1])
			}
			ref := fmt.Appendf(nil, "%s%s%s%s%s%s", public, head[1], label, head[3], pair[2], tail[1])
			r.add(r.from(ref), ref, kavosh.Link{Kind: kavosh.Embed, Element: "script", Attr: "webpack"})
		}
	}
}

// maxWebpackNames bounds the table of names before the table of hashes.
const maxWebpackNames = 64 << 10

var (
	webpackHead   = regexp.MustCompile(`"([\w./-]*)"\s*\+\s*(?:\(\s*\(?\{([^{}]*)\}\)?\[\w+\]\s*\|\|\s*\w+\s*\)|\(?\w+\)?)\s*\+\s*"([.~_-])"\s*\+\s*\(?$`)
	webpackTail   = regexp.MustCompile(`^\)?\[\w+\]\s*\+\s*"([\w.-]{0,40}\.(?:m?js|css))"`)
	webpackPair   = regexp.MustCompile(`["']?([\w./~-]+)["']?\s*:\s*"([\w./~-]+)"`)
	webpackPublic = regexp.MustCompile(`\.p\s*=\s*"([\w./:-]*)"`)
)

// giDocgen reads a link of gi-docgen to another library's documentation: <a data-namespace="Gio"
// data-link="class.File.html">. A script completes it from a table of libraries; this one is the table that gi-docgen's
// users share.
func (h *htmlReader) giDocgen() {
	folder, ok := girDocs[string(h.scan.tag.get("data-namespace"))]
	if page := h.scan.tag.get("data-link"); ok && len(page) > 0 {
		h.put(append([]byte("https://docs.gtk.org/"+folder+"/"), page...),
			kavosh.Link{Kind: kavosh.Speculative, Element: "a", Attr: "data-link"}, false)
	}
}

var girDocs = map[string]string{
	"GLib": "glib", "GObject": "gobject", "Gio": "gio", "GModule": "gmodule", "Gdk": "gdk4", "GdkX11": "gdk4-x11",
	"GdkWayland": "gdk4-wayland",
	"GdkPixbuf":  "gdk-pixbuf", "Gsk": "gsk4", "Gtk": "gtk4", "Pango": "Pango", "PangoCairo": "PangoCairo", "PangoFc": "PangoFc",
	"PangoFT2": "PangoFT2", "PangoXft": "PangoXft", "PangoOT": "PangoOT", "Atk": "atk",
}

// tableOf reads { 0: "a", 1: "b" } after the variable's name.
func tableOf(text []byte, variable string) map[string]string {
	m := map[string]string{}
	_, rest, ok := bytes.Cut(text, []byte("var "+variable+" ="))
	if !ok {
		return m
	}
	rest, _, _ = bytes.Cut(rest, []byte("};"))
	s := jsScanner{src: rest}
	var key string
	for {
		switch kind, value, _ := s.next(); kind {
		case jsEnd:
			return m
		case jsNumber:
			key = string(value)
		case jsString:
			if len(m) < 1000 && len(value) < 1000 {
				m[key] = string(value)
			}
		}
	}
}

// knownGenerators lets the generators read a script file.
func (r *reading) knownGenerators(text []byte) {
	name := path.Base(r.url.Path())
	for _, g := range generators {
		g(r, name, text)
	}
}
