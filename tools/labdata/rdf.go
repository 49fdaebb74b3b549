package main

import (
	_ "embed"
	"fmt"
	"mime"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/net/html"

	"kavosh"
	"kavosh/internal/clones"
	"kavosh/lib/rdf/format"
)

// sitesTable is the list of sites: tab-separated fields, named in its first line.
//
//go:embed sites.tsv
var sitesTable string

// site is a folder of a repository that is served at a URL.
type site struct{ web, url, repository, commit, folder string }

// readSites reads a list of sites: sitesTable, or one of its form.
func readSites(table string) (sites []site, err error) {
	for line := range strings.Lines(table) {
		if line = strings.TrimSuffix(line, "\n"); line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		f := strings.Split(line, "\t")
		if len(f) != 5 {
			return nil, fmt.Errorf("%q has not five fields", line)
		}
		sites = append(sites, site{f[0], f[1], f[2], f[3], f[4]})
	}
	return sites, nil
}

// rdfSites makes webs of real sites with RDF, from repositories that contain the site as it is served. Files and links
// are as their owners made them. Only the redirects that every server makes are added, and for a web of several hosts a
// directory page. clones is a folder of bare clones, OWNER+NAME.git; missing ones are fetched. The label rdf means RDF
// by content; declared means that the server says so.
func rdfSites(clones, out string) error {
	sites, err := readSites(sitesTable)
	if err != nil {
		return err
	}
	for len(sites) > 0 {
		n := slices.IndexFunc(sites, func(s site) bool { return s.web != sites[0].web })
		if n < 0 {
			n = len(sites)
		}
		if err := rdfWeb(sites[:n], clones, out); err != nil {
			return err
		}
		sites = sites[n:]
	}
	return joined(out)
}

// unseenSites are the webs whose units count in lab/recipe/semantic.tsv; manySites combines them.
var unseenSites = []string{"backport", "bfdr", "cqdg", "jena", "nid"}

const manySites = "sites"

// joined makes the web of many sites: their WARC files and labels, one after the other, with a directory page.
func joined(out string) error {
	if there, err := made(out, manySites); there || err != nil {
		return err
	}
	sites, err := readSites(sitesTable)
	if err != nil {
		return err
	}
	sites = slices.DeleteFunc(sites, func(s site) bool { return !slices.Contains(unseenSites, s.web) })
	w := newWeb(manySites)
	w.directory(sites)
	if err := w.write(out, 0); err != nil {
		return err
	}
	for _, ending := range []string{".warc.gz", ".tsv"} {
		f, err := os.OpenFile(filepath.Join(out, manySites+ending), os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		defer f.Close()
		for _, name := range unseenSites {
			data, err := os.ReadFile(filepath.Join(out, name+ending))
			if err != nil {
				return err
			}
			if _, err := f.Write(data); err != nil {
				return err
			}
		}
		if err := f.Close(); err != nil {
			return err
		}
	}
	return nil
}

func rdfWeb(sites []site, folder, out string) error {
	name := sites[0].web
	if there, err := made(out, name); there || err != nil {
		return err
	}
	w := newWeb(name)
	for _, s := range sites {
		if err := w.serve(s, folder); err != nil {
			return fmt.Errorf("%s: %w", s.repository, err)
		}
	}
	if slices.ContainsFunc(sites, func(s site) bool { return hostOf(s.url) != hostOf(sites[0].url) }) {
		w.directory(sites)
	}
	w.upgrade()
	for i := range w.pages {
		p := &w.pages[i]
		if p.status != http.StatusOK || !isRDF(p) {
			continue
		}
		p.labels = append(p.labels, "rdf")
		if declaresRDF(p.header) {
			p.labels = append(p.labels, "declared")
		}
	}
	inside := 0
	for _, to := range w.links() {
		inside += len(to)
	}
	return w.write(out, inside)
}

// directory adds a generated page with a link to the first URL of each host.
func (w *web) directory(sites []site) {
	var list strings.Builder
	hosts := map[string]bool{}
	for _, s := range sites {
		if host := hostOf(s.url); !hosts[host] {
			hosts[host] = true
			fmt.Fprintf(&list, "<li><a href=%q>%s</a></li>\n", s.url, html.EscapeString(s.url))
		}
	}
	w.html(directoryOf(w.name), []byte(`<!doctype html><meta charset="utf-8"><title>Directory</title><ul>`+list.String()+"</ul>"))
}

// Where files are cut, because nobody reads more of them.
const (
	mostFile   = 16 << 20 // bytes, as in extraction
	mostOpaque = 4 << 10  // of pictures, archives, films
)

// directoryIndex are the files shown for a folder's URL, in apache2's order of preference.
var directoryIndex = [...]string{"index.html", "index.xhtml", "index.htm"}

// serve adds the files of a site like Debian's apache2 without directory listings.
func (w *web) serve(s site, folder string) error {
	dir, err := clones.At(folder, s.repository, s.commit)
	if err != nil {
		return err
	}
	below := ""
	if s.folder != "." {
		below = s.folder + "/"
	}
	files, err := clones.Files(dir, s.commit, func(path string) bool {
		return strings.HasPrefix(path, below) && !strings.Contains("/"+path, "/.")
	})
	if err != nil {
		return err
	}
	type index struct {
		folder, name, header string
		body                 []byte
	}
	var indexes []index
	folders := map[string]bool{}
	for _, f := range files {
		relative := strings.TrimPrefix(f.Path, below)
		header, body := "", f.Body
		t := mediaType(relative)
		if t != "" {
			header = "Content-Type: " + t + "\r\n"
		}
		if !isText(t) && t != "" {
			body = body[:min(len(body), mostOpaque)]
		}
		body = body[:min(len(body), mostFile)]
		folder, name := path.Split(relative)
		if slices.Contains(directoryIndex[:], name) {
			indexes = append(indexes, index{folder, name, header, body})
		}
		w.add(s.url+escapePath(relative), header, body)
		for folder = strings.TrimSuffix(folder, "/"); folder != "" && !folders[folder]; folder = strings.TrimSuffix(folder, "/") {
			folders[folder] = true
			folder, _ = path.Split(folder)
		}
	}
	for _, name := range directoryIndex {
		for _, i := range indexes {
			if i.name == name {
				w.add(s.url+escapePath(i.folder), i.header, i.body)
			}
		}
	}
	for folder := range folders {
		if to := s.url + escapePath(folder) + "/"; w.has(to) {
			w.redirect(strings.TrimSuffix(to, "/"), to)
		}
	}
	return nil
}

// upgrade adds the redirects from http to https, and back, that links within the web lead to.
func (w *web) upgrade() {
	var from []string
	w.eachLink(func(_ int, l *kavosh.Link) {
		if !w.has(l.URL) && w.has(otherScheme(l.URL)) {
			from = append(from, l.URL)
		}
	})
	for _, u := range from {
		w.redirect(u, otherScheme(u))
	}
}

func otherScheme(url string) string {
	if rest, ok := strings.CutPrefix(url, "http://"); ok {
		return "https://" + rest
	}
	return "http://" + strings.TrimPrefix(url, "https://")
}

// mediaTypes are those of Debian's apache2 (/etc/mime.types, media-types 10); .owl, .rdfs, .foaf and .doap have none.
var mediaTypes = map[string]string{
	"html": "text/html", "htm": "text/html", "shtml": "text/html", "xhtml": "application/xhtml+xml",
	"xht": "application/xhtml+xml", "xml": "application/xml", "xsl": "application/xslt+xml",
	"xsd": "application/xml", "txt": "text/plain", "text": "text/plain", "css": "text/css", "csv": "text/csv",
	"tsv": "text/tab-separated-values",
	"md":  "text/markdown", "js": "text/javascript", "json": "application/json", "jsonld": "application/ld+json", "rdf": "application/rdf+xml",
	"ttl": "text/turtle", "n3": "text/n3", "nt": "application/n-triples", "nq": "application/n-quads", "trig": "application/trig",
	"shex": "text/shex", "atom": "application/atom+xml", "svg": "image/svg+xml", "rq": "application/sparql-query",
	"srx": "application/sparql-results+xml",
	"pdf": "application/pdf", "png": "image/png", "gif": "image/gif", "jpg": "image/jpeg", "jpeg": "image/jpeg",
	"ico": "image/vnd.microsoft.icon",
	"zip": "application/zip", "gz": "application/gzip", "tgz": "application/gzip", "bz2": "application/x-bzip2",
	"jar": "application/java-archive", "ps": "application/postscript",
	"doc": "application/msword", "ppt": "application/vnd.ms-powerpoint", "xls": "application/vnd.ms-excel",
	"mp4": "video/mp4", "woff": "font/woff", "woff2": "font/woff2", "ttf": "font/ttf",
	"docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
	"pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
	"xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}

var rdfTypes = [...]string{
	"application/rdf+xml", "text/turtle", "text/n3", "application/n-triples", "application/n-quads", "application/trig", "application/ld+json",
}

// mediaType returns the type that a server gives a file name; "" if none.
func mediaType(name string) string {
	return mediaTypes[strings.TrimPrefix(strings.ToLower(path.Ext(name)), ".")]
}

func isText(mediaType string) bool {
	t, _, err := mime.ParseMediaType(mediaType)
	return err == nil && (strings.HasPrefix(t, "text/") || strings.HasSuffix(t, "xml") || strings.HasSuffix(t, "json") ||
		strings.HasPrefix(t, "application/n-") || t == "application/trig" || strings.HasPrefix(t, "application/sparql"))
}

func isRDF(p *page) bool {
	f := format.Detect(p.body[:min(len(p.body), format.HeadSize)], strings.TrimSpace(strings.TrimPrefix(p.header, "Content-Type: ")), p.url)
	return f != format.None && f != format.HTML
}

// declaresRDF reports whether a header's media type is one of RDF.
func declaresRDF(header string) bool {
	return slices.Contains(rdfTypes[:], strings.TrimSpace(strings.TrimPrefix(header, "Content-Type: ")))
}
