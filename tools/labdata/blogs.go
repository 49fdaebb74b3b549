package main

import (
	"bytes"
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"kavosh/internal/clones"
)

const (
	allBlogs  = "blogs" // the web of all blogs
	leastBlog = 150     // least pages of a blog that becomes its own web
)

// allowedBlog matches the hosts to read: the others are reserved for checks on unseen pages.
var allowedBlog = regexp.MustCompile(`^[uvwx]`)

// blogs reads a clone or bare mirror of the repository asemanam-blog/mihanblog6: one folder per host, from a service
// for Persian blogs. Each large blog becomes a web, and all blogs together another, entered through a generated
// directory page with a link to each. Labels are a post's tags and categories. robots.txt is left out: it keeps
// crawlers away from a server that no longer exists, and the truth would count what must not be fetched.
func blogs(repository, out string) error {
	if there, err := made(out, allBlogs); there || err != nil {
		return err
	}
	files, err := clones.Files(repository, "HEAD", func(path string) bool {
		host, _, inFolder := strings.Cut(path, "/")
		return inFolder && allowedBlog.MatchString(host) && !strings.HasPrefix(host, "xn--") && strings.HasSuffix(path, ".html")
	})
	if err != nil {
		return err
	}
	byHost := map[string]*web{}
	for _, f := range files {
		host, _, _ := strings.Cut(f.Path, "/")
		if byHost[host] == nil {
			byHost[host] = newWeb(blogName(host))
		}
		byHost[host].html("http://"+escapePath(f.Path), f.Body)
	}
	all := newWeb(allBlogs)
	var directory strings.Builder
	for _, host := range slices.Sorted(maps.Keys(byHost)) {
		w := byHost[host]
		labelPosts(w)
		home := "http://" + host + "/index.html"
		if i, ok := w.at[home]; ok {
			fmt.Fprintf(&directory, "<li><a href=%q>%s</a></li>\n", home, html.EscapeString(titleOf(w.pages[i].body)))
		}
		for _, p := range w.pages {
			all.add(p.url, p.header, p.body, p.labels...)
		}
		if len(w.pages) >= leastBlog {
			if w.withoutIndexes(); len(w.pages) < leastBlog {
				continue // little besides lists of everything
			}
			if err := w.save(out); err != nil {
				return err
			}
		}
	}
	all.html(directoryOf(allBlogs),
		[]byte(`<!doctype html><html lang="fa"><meta charset="utf-8"><title>فهرست وبلاگ‌ها</title><ul>`+directory.String()+"</ul>"))
	return all.save(out)
}

// directoryOf returns the URL of the generated page from which a web of many sites is entered.
func directoryOf(name string) string { return "http://directory." + name + ".test/" }

// blogPrefix begins the names of webs with one blog.
const blogPrefix = "blog-"

func blogName(host string) string { return blogPrefix + strings.TrimSuffix(host, ".mihanblog.com") }

// escapePath turns a file path into a URL path.
func escapePath(path string) string {
	parts := strings.Split(path, "/")
	for i := range parts {
		parts[i] = url.PathEscape(parts[i])
	}
	return strings.Join(parts, "/")
}

var (
	postPath  = regexp.MustCompile(`^/post/\d+\.html$`)
	topicPath = regexp.MustCompile(`^/post/(tag|category)/([^/]+)\.html$`)
)

// labelPosts labels each post with its tags and categories. A page links to those of its post, but also to others in
// its margin, and every blogger has another layout. So a post's own labels are those that it links to more often than
// the median post of its blog.
func labelPosts(w *web) {
	type counts = map[string]int
	var posts []int
	var leads []counts
	names := map[string]string{} // names of categories, by label
	for i := range w.pages {
		u, err := url.Parse(w.pages[i].url)
		if err != nil || !postPath.MatchString(u.Path) {
			continue
		}
		seen := counts{}
		eachAnchor(w.pages[i].body, func(href, text string) {
			to, err := u.Parse(href)
			if err != nil || to.Host != u.Host {
				return
			}
			if m := topicPath.FindStringSubmatch(to.Path); m != nil {
				label := m[1] + "=" + spaced(strings.ReplaceAll(m[2], "+", " "))
				seen[label]++
				if m[1] == "category" && names[label] == "" {
					names[label] = numbered.ReplaceAllString(spaced(text), "")
				}
			}
		})
		posts, leads = append(posts, i), append(leads, seen)
	}
	usual := counts{}
	for _, seen := range leads {
		for label := range seen {
			usual[label] = 0
		}
	}
	for label := range usual {
		all := make([]int, len(leads))
		for k, seen := range leads {
			all[k] = seen[label]
		}
		slices.Sort(all)
		usual[label] = all[len(all)/2]
	}
	for k, i := range posts {
		for _, label := range slices.Sorted(maps.Keys(leads[k])) {
			if leads[k][label] <= usual[label] {
				continue
			}
			if kind, _, _ := strings.Cut(label, "="); kind == "category" {
				if names[label] == "" {
					continue
				}
				label = "category=" + names[label]
			}
			if !slices.Contains(w.pages[i].labels, label) {
				w.pages[i].labels = append(w.pages[i].labels, label)
			}
		}
	}
}

// numbered matches the number of posts that some blogs write after a category.
var numbered = regexp.MustCompile(`\s*\(\d+\)$|\s+\d+$`)

// spaced returns a text with single spaces.
func spaced(s string) string { return strings.Join(strings.Fields(s), " ") }

// eachAnchor calls each for the links that a reader can click, with their text.
func eachAnchor(page []byte, each func(href, text string)) {
	var href string
	var text strings.Builder
	inside := false
	for z := html.NewTokenizer(bytes.NewReader(page)); ; {
		switch z.Next() {
		case html.ErrorToken:
			return
		case html.TextToken:
			if inside {
				text.Write(z.Text())
			}
		case html.StartTagToken:
			if t := z.Token(); t.DataAtom == atom.A {
				inside = true
				text.Reset()
				href = attribute(t, "href")
			}
		case html.EndTagToken:
			if t := z.Token(); t.DataAtom == atom.A && inside {
				inside = false
				each(href, html.UnescapeString(text.String()))
			}
		}
	}
}

func attribute(t html.Token, name string) string {
	for _, a := range t.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

var title = regexp.MustCompile(`(?is)<title[^>]*>(.*?)</title>`)

func titleOf(page []byte) string {
	if m := title.FindSubmatch(page); m != nil {
		return spaced(html.UnescapeString(string(m[1])))
	}
	return ""
}
