// Package scriptedsites has web sites of other people's files, with scripts, for tests in a browser.
package scriptedsites

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"sort"
	"strings"
)

// Site is one web site.
type Site struct {
	Name  string
	Made  string // what generated its pages: sites of one generator share their scripts
	Dev   bool   // its pages may be used to tune the extractor; the others only to measure it
	Pages int    // how many of its pages are loaded
	Dir   string // folder to serve; for NPM below the unpacked package
	Under string // pages are taken from this path on; others belong to other packages
	Deb   string // Debian package with Dir
	NPM   string // or npm package with its version
}

// Sites returns the sites for measuring. The list was fixed before the extractor was written (docs/decisions/0052 lists
// the changes). There were two criteria: different generators, and scripts that make at least five links in the first
// ten pages. adminlte, flot, foundation and jquery-ui have many scripts that make none, so guesses there can only be
// wrong or lucky.
func Sites() []Site {
	return []Site{
		{Name: "openjdk", Made: "javadoc", Dev: true, Pages: 30, Deb: "openjdk-17-doc", Dir: "/usr/share/doc/openjdk-17-jre-headless/api"},
		{Name: "eigen", Made: "doxygen", Dev: true, Pages: 30, Deb: "libeigen3-doc", Dir: "/usr/share/doc/libeigen3-dev/html"},
		{Name: "libreoffice", Made: "libreoffice help", Dev: true, Pages: 30, Deb: "libreoffice-help-en-us",
			Dir: "/usr/share/libreoffice/help", Under: "/en-US/"},
		{Name: "mkdocs", Made: "mkdocs", Dev: true, Pages: 30, Deb: "mkdocs-doc", Dir: "/usr/share/doc/mkdocs/html"},
		{Name: "rust", Made: "rustdoc", Dev: true, Pages: 20, Deb: "rust-doc", Dir: "/usr/share/doc/rust-doc/html"},
		{Name: "gtk4", Made: "gi-docgen", Dev: true, Pages: 20, Deb: "libgtk-4-doc", Dir: "/usr/share/doc/libgtk-4-doc"},
		{Name: "vis", Made: "hand-written demos", Dev: true, Pages: 30, NPM: "vis@4.21.0"},
		{Name: "celestial", Made: "hand-written demos that load data", Dev: true, Pages: 40, NPM: "d3-celestial@0.7.35"},
		{Name: "adminlte", Made: "hand-written template", Dev: true, Pages: 15, NPM: "admin-lte@3.2.0"},
		{Name: "flot", Made: "hand-written demos", Dev: true, Pages: 15, Deb: "libjs-jquery-flot-docs",
			Dir: "/usr/share/doc/libjs-jquery-flot-docs"},

		{Name: "scala", Made: "scaladoc", Pages: 40, Deb: "scala-doc", Dir: "/usr/share/doc/scala-2.11/api"},
		{Name: "gojs", Made: "hand-written demos", Pages: 40, NPM: "gojs@2.3.17"},
		{Name: "dijit", Made: "hand-written tests with a module loader", Pages: 40, NPM: "dijit@1.17.3"},
		{Name: "mathjax", Made: "hand-written tests with a module loader", Pages: 40, NPM: "mathjax@2.7.9"},
		{Name: "ckeditor", Made: "hand-written samples with a module loader", Pages: 40, Deb: "ckeditor",
			Dir: "/usr/share/doc/ckeditor/examples"},
		{Name: "novnc", Made: "hand-written program of modules", Pages: 40, Deb: "novnc", Dir: "/usr/share/novnc"},
		{Name: "pango", Made: "gi-docgen", Pages: 40, Deb: "libpango1.0-doc", Dir: "/usr/share/doc/libpango1.0-doc/reference"},
		{Name: "commons-lang", Made: "javadoc", Pages: 40, Deb: "libcommons-lang3-java-doc", Dir: "/usr/share/doc/libcommons-lang3-java/api"},
		{Name: "geographiclib", Made: "doxygen", Pages: 40, Deb: "geographiclib-doc", Dir: "/usr/share/doc/geographiclib/html"},
		{Name: "foundation", Made: "hand-written tests", Pages: 20, NPM: "foundation-sites@6.8.1"},
		{Name: "jquery-ui", Made: "hand-written demos", Pages: 20, Deb: "libjs-jquery-ui-docs", Dir: "/usr/share/doc/libjs-jquery-ui-docs"},
	}
}

// Replayed returns sites only for tests of the replay, in addition to Sites. Each does something that none of those
// does. reveal.js 5.1.0 was chosen too but left out: its picture is taken while the first slide comes in, similarity
// 0.90.
func Replayed() []Site {
	return []Site{
		// Sphinx, the generator of most documentation of Python programs.
		{Name: "borgbackup", Made: "Sphinx", Pages: 1, Deb: "borgbackup-doc", Dir: "/usr/share/doc/borgbackup/html"},
		// An editor: it draws its own text, loads parts of itself by name, and checks input in workers made of blobs.
		{Name: "ace", Made: "hand-written application with workers", Pages: 1, NPM: "ace-builds@1.36.2"},
	}
}

// Install returns the command that installs the site's files.
func (s Site) Install() string {
	if s.NPM != "" {
		return "npm must be able to fetch " + s.NPM
	}
	return "run `make conformance-tools` or: apt-get install --no-install-recommends " + s.Deb
}

// Locate sets Dir for a site from an npm package; it downloads and unpacks the package into cache if necessary.
func (s *Site) Locate(cache string) error {
	if s.NPM == "" {
		if _, err := os.Stat(s.Dir); err != nil {
			return fmt.Errorf("site %s: %w; %s", s.Name, err, s.Install())
		}
		return nil
	}
	s.Dir = filepath.Join(cache, strings.ReplaceAll(s.NPM, "@", "-"))
	if _, err := os.Stat(s.Dir); err == nil {
		return nil
	}
	tmp, err := os.MkdirTemp(cache, "npm-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	script := `tgz=$(npm pack --silent --pack-destination . "$1") && mkdir files && tar -xzf "$tgz" -C files --strip-components 1 2>/dev/null`
	cmd := exec.Command("sh", "-c", script, "sh", s.NPM)
	cmd.Dir = tmp
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("site %s: %s: %w: %s", s.Name, s.Install(), err, out)
	}
	return os.Rename(filepath.Join(tmp, "files"), s.Dir)
}

// Sample returns the paths of s.Pages HTML files of the site: those with the smallest SHA-256.
func (s Site) Sample() ([]string, error) {
	var all []string
	err := filepath.WalkDir(s.Dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if ext := strings.ToLower(filepath.Ext(p)); !d.IsDir() && (ext == ".html" || ext == ".htm" || ext == ".xhtml") {
			rel, _ := filepath.Rel(s.Dir, p)
			if rel = "/" + filepath.ToSlash(rel); strings.HasPrefix(rel, s.Under) {
				all = append(all, rel)
			}
		}
		return nil
	})
	if err != nil || len(all) == 0 {
		return nil, fmt.Errorf("site %s: no pages in %s; %s", s.Name, s.Dir, s.Install())
	}
	key := make(map[string][32]byte, len(all))
	for _, p := range all {
		key[p] = sha256.Sum256([]byte(p))
	}
	sort.Slice(all, func(i, j int) bool { a, b := key[all[i]], key[all[j]]; return string(a[:]) < string(b[:]) })
	return all[:min(s.Pages, len(all))], nil
}

// ServeHTTP serves the site's files like a plain web server: no listings, no rewriting of index.html, and Debian's
// /javascript/ alias.
func (s Site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name := path.Clean("/" + r.URL.Path)
	file := filepath.Join(s.Dir, filepath.FromSlash(name))
	if rest, ok := strings.CutPrefix(name, "/javascript/"); ok {
		if _, err := os.Stat(file); err != nil {
			file = filepath.Join("/usr/share/javascript", filepath.FromSlash(rest))
		}
	}
	info, err := os.Stat(file)
	if err == nil && info.IsDir() {
		if !strings.HasSuffix(r.URL.Path, "/") {
			http.Redirect(w, r, name+"/", http.StatusMovedPermanently)
			return
		}
		file = filepath.Join(file, "index.html")
		info, err = os.Stat(file)
	} else if err == nil && strings.HasSuffix(r.URL.Path, "/") {
		err = errors.New("a file is not a folder")
	}
	if err != nil {
		http.NotFound(w, r)
		return
	}
	f, err := os.Open(file)
	if err != nil {
		http.NotFound(w, r)
		return
	}
	defer f.Close()
	w.Header().Set("Cache-Control", "no-store")
	http.ServeContent(w, r, file, info.ModTime(), f)
}
