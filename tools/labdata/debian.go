package main

import (
	"bytes"
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/net/html"

	"kavosh/internal/debian"
)

// packaged makes the webs of documentation. It downloads packages to OUT/packages and unpacks them only while reading; it
// installs nothing.
func packaged(out string) error {
	for i := range documentation {
		d := &documentation[i]
		if there, err := made(out, d.name); err != nil {
			return err
		} else if there {
			continue
		}
		w, err := d.read(out)
		if err != nil {
			return fmt.Errorf("%s: %w", d.name, err)
		}
		if err := w.save(out); err != nil {
			return err
		}
	}
	return nil
}

// read makes the web with its labels.
func (d *documents) read(out string) (*web, error) {
	dir, err := os.MkdirTemp("", "labdata")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	for _, p := range d.packages {
		if err := debian.Unpack(p, filepath.Join(out, "packages"), dir); err != nil {
			return nil, err
		}
	}
	w, root := newWeb(d.name), filepath.Join(dir, d.below)
	err = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() || !strings.HasSuffix(path, ".html") && !strings.HasSuffix(path, ".htm") {
			return err
		}
		body, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		w.html(d.home()+escapePath(filepath.ToSlash(relative)), body, d.labels(body)...)
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(w.pages) == 0 {
		return nil, fmt.Errorf("no page below %s in %s", d.below, strings.Join(d.packages, ", "))
	}
	if d.language != nil {
		d.translations(w)
	}
	return w, nil
}

func (d documents) home() string { return cmp.Or(d.site, "http://doc."+d.name+".test/") }

// labels returns the labels in a page's markup.
func (d *documents) labels(body []byte) []string {
	var labels []string
	for _, r := range d.rules {
		if m := r.markup.FindSubmatch(body); m != nil {
			labels = append(labels, r.kind+"="+strings.ToLower(spaced(html.UnescapeString(string(m[1])))))
		}
	}
	return labels
}

// translations labels each page with its language, and adds a directory page with a link to each language's home. A
// page that shares more than half of its text with its original was not translated and gets no label.
func (d *documents) translations(w *web) {
	originals := map[string]int{} // by path without the language
	paths, spoken := make([]string, len(w.pages)), make([]string, len(w.pages))
	for i := range w.pages {
		paths[i], spoken[i] = d.split(strings.TrimPrefix(w.pages[i].url, d.home()))
		if spoken[i] == "en" {
			originals[paths[i]] = i
		}
	}
	homes := map[string]string{} // by language and document
	for i := range w.pages {
		p := &w.pages[i]
		original, has := originals[paths[i]]
		if l := spoken[i]; l == "en" || !has || sameText(p.body, w.pages[original].body) <= 0.5 {
			p.labels = append(p.labels, "lang="+l)
		}
		if name := paths[i][strings.LastIndex(paths[i], "/")+1:]; name == "index.html" {
			key := paths[i] + " " + p.url[strings.Index(p.url, "://"):]
			homes[key] = p.url
		}
	}
	var list strings.Builder
	var keys []string
	for k := range homes {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	for _, k := range keys {
		fmt.Fprintf(&list, "<li><a href=%q>%s</a></li>\n", homes[k], html.EscapeString(titleOf(w.pages[w.at[homes[k]]].body)))
	}
	w.html(directoryOf(d.name), []byte(`<!doctype html><meta charset="utf-8"><title>Directory</title><ul>`+list.String()+"</ul>"))
}

// split splits a path into the path that all translations share, and the language; "en" if none is named.
func (d *documents) split(path string) (shared, language string) {
	m := d.language.FindStringSubmatchIndex(path)
	if m == nil {
		return path, "en"
	}
	at := 2
	for m[at] < 0 {
		at += 2
	}
	language = path[m[at]:m[at+1]]
	shared = strings.NewReplacer("/"+language+"/", "/", "."+language+".", ".").Replace("/" + path)[1:]
	return shared, strings.ToLower(language[:2])
}

// sameText returns the share of a page's text, in bytes, that is also in another page.
func sameText(page, other []byte) float64 {
	known := map[string]bool{}
	eachText(other, func(text string) { known[text] = true })
	var same, all float64
	eachText(page, func(text string) {
		all += float64(len(text))
		if known[text] {
			same += float64(len(text))
		}
	})
	return same / max(all, 1)
}

// leastText is the shortest piece of text to compare, in bytes: names are the same in all languages.
const leastText = 24

func eachText(page []byte, each func(string)) {
	code := false
	for z := html.NewTokenizer(bytes.NewReader(page)); ; {
		switch z.Next() {
		case html.ErrorToken:
			return
		case html.StartTagToken, html.EndTagToken:
			t := z.Token()
			if t.Data == "script" || t.Data == "style" || t.Data == "pre" {
				code = t.Type == html.StartTagToken
			}
		case html.TextToken:
			if text := spaced(string(z.Text())); !code && len(text) >= leastText {
				each(text)
			}
		}
	}
}
