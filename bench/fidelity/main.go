// Command fidelity measures how well the damage of pages tells what somebody sees of it.
//
//	fidelity [-pages N] [-tries N] [-half train|held] FOLDER
//
// FOLDER has Debian packages of documentation, unpacked. Of pages of each site some parts are taken away at random, and the page is
// replayed with and without them. The visible loss is one less the SSIM of both pictures of the page to its end. It prints Spearman's rank
// correlation with the loss of the damage, of the share of parts that are missing, and of their number. Weights may be chosen on one half of
// the sites (train); figures are of the other (held).
package main

import (
	"bytes"
	"cmp"
	"context"
	"flag"
	"fmt"
	"image"
	"image/png"
	"io/fs"
	"log"
	"maps"
	"math/rand/v2"
	"mime"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"kavosh"
	"kavosh/archive"
	"kavosh/internal/records"
	"kavosh/lib/cdx"
	"kavosh/lib/ranges"
	"kavosh/lib/warc"
	"kavosh/quality"
	"kavosh/replay/render"
	"kavosh/site"
)

// sites are folders below FOLDER, in the order of their names: each second one is held out.
var sites = []struct{ name, folder string }{
	{"cmake", "usr/share/doc/cmake-data/html"},
	{"cppreference", "usr/share/cppreference/doc/html"},
	{"eigen", "usr/share/doc/libeigen3-dev/html"},
	{"gimp", "usr/share/gimp/2.0/help/en"},
	{"grass", "usr/share/doc/grass-doc/html"},
	{"handbook", "usr/share/doc/debian-handbook/html/en-US"},
	{"kicad", "usr/share/doc/kicad/help/en"},
	{"lilypond", "usr/share/doc/lilypond/html"},
	{"maxima", "usr/share/doc/maxima-doc/html"},
	{"octave", "usr/share/doc/octave/octave.html"},
	{"postgresql", "usr/share/doc/postgresql-doc-15/html"},
	{"python", "usr/share/doc/python3.11/html"},
	{"sqlite", "usr/share/doc/sqlite3"},
	{"wx", "usr/share/doc/wx3.2-doc/html"},
}

// packages are those that have the sites, and the scripts that they share.
const packages = "cmake-doc cppreference-doc-en-html libeigen3-doc gimp-help-en grass-doc debian-handbook kicad-doc-en lilypond-doc-html maxima-doc octave-doc postgresql-doc-15 python3.11-doc " +
	"sqlite3-doc wx3.2-doc libjs-sphinxdoc libjs-jquery libjs-underscore"

const (
	stamp    = "20260101000000"
	maxSite  = 400 << 20 // bytes of a site
	maxFile  = 8 << 20   // bytes of one of its files
	leastLen = 500       // bytes of a page
)

// trial is one page with parts taken away.
type trial struct{ loss, damage, share, count float64 }

func main() {
	pages := flag.Int("pages", 10, "pages of each site")
	tries := flag.Int("tries", 3, "times that parts of each page are taken away")
	half := flag.String("half", "held", "train or held")
	list := flag.Bool("packages", false, "list the packages that FOLDER has")
	flag.Parse()
	log.SetFlags(0)
	if *list {
		fmt.Println(packages)
		return
	}
	if flag.NArg() != 1 || *half != "train" && *half != "held" {
		log.Fatal("usage: fidelity [-pages N] [-tries N] [-half train|held] FOLDER")
	}
	if err := run(context.Background(), flag.Arg(0), *half == "held", *pages, *tries); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, folder string, held bool, pages, tries int) error {
	dir, err := os.MkdirTemp("", "fidelity-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	var all []trial
	for i, s := range sites {
		if i%2 == 1 != held {
			continue
		}
		file := filepath.Join(dir, s.name+".warc")
		list, err := pack(filepath.Join(folder, s.folder), "http://"+s.name+".test/", file)
		if err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		rng := rand.New(rand.NewPCG(uint64(i), 8))
		rng.Shuffle(len(list), func(a, b int) { list[a], list[b] = list[b], list[a] })
		trials, err := measure(ctx, file, list[:min(len(list), pages)], tries, rng)
		if err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		all = append(all, trials...)
		fmt.Printf("%-14s%s\n", s.name, correlations(trials))
		if err := os.Remove(file); err != nil {
			return err
		}
	}
	fmt.Printf("%-14s%s\n", "all", correlations(all))
	return nil
}

// pack writes the files of a site to a WARC file, and returns the URLs of its pages.
func pack(root, base, file string) (pages []string, err error) {
	out, err := os.Create(file)
	if err != nil {
		return nil, err
	}
	defer out.Close()
	w, total := warc.NewWriter(out, warc.Compression{}), 0
	err = filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		body, err := os.ReadFile(name)
		if err != nil || len(body) > maxFile || total > maxSite { // a folder, a link that leads nowhere
			return nil
		}
		total += len(body)
		rel, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		kind := cmp.Or(mime.TypeByExtension(path.Ext(name)), http.DetectContentType(body))
		url := base + filepath.ToSlash(rel)
		if strings.HasPrefix(kind, "text/html") && len(body) >= leastLen {
			pages = append(pages, url)
		}
		block := fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n%s", kind, len(body), body)
		_, err = w.WriteRecord(warc.Header{{Name: "WARC-Type", Value: "response"}, {Name: "WARC-Record-ID", Value: warc.NewID()}, {Name: "WARC-Date", Value: "2026-01-01T00:00:00Z"},
			{Name: "WARC-Target-URI", Value: url}, {Name: "Content-Type", Value: "application/http; msgtype=response"}, {Name: "Content-Length", Value: fmt.Sprint(len(block))}}, strings.NewReader(block))
		return err
	})
	return pages, err
}

// taken is a replay without some parts.
type taken struct {
	replay http.Handler
	mu     sync.Mutex
	parts  map[string]bool
}

func (h *taken) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h.mu.Lock()
	at := strings.Index(r.RequestURI, "/http://")
	gone := at >= 0 && h.parts[r.RequestURI[at+1:]]
	h.mu.Unlock()
	if gone {
		http.NotFound(w, r)
		return
	}
	h.replay.ServeHTTP(w, r)
}

func (h *taken) without(parts map[string]bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.parts = parts
}

// measure takes parts of pages away.
func measure(ctx context.Context, file string, pages []string, tries int, rng *rand.Rand) (trials []trial, err error) {
	trouble := func(string) {}
	c, err := site.OpenFiles(ctx, ranges.New(ranges.Options{}), []string{file}, "one", "one", func(_ string, err error) { log.Print(err) })
	if err != nil {
		return nil, err
	}
	server, err := site.New(site.Options{Collections: []site.Collection{c}, Trouble: trouble})
	if err != nil {
		return nil, err
	}
	without := &taken{replay: server.ReplayHandler()}
	r := &render.Renderer{Pages: without}
	defer r.Close()
	if err := r.Works(); err != nil {
		return nil, err
	}
	var full image.Image
	var asked map[string]bool
	looker := quality.Looker{Reader: &quality.Reader{Records: c.Collection.Records, Links: archive.ExtractedLinks()},
		Render: func(ctx context.Context, e *cdx.Entry, _ image.Point, kinds ...kavosh.RenderingKind) ([]kavosh.Rendering, error) {
			made, err := r.RenderIn(ctx, render.Window, "/one/"+stamp+"if_/"+e.URL, append(kinds, kavosh.FullPicture)...)
			if err != nil {
				return nil, err
			}
			if full, err = png.Decode(bytes.NewReader(made[len(kinds)].Data)); err != nil {
				return nil, err
			}
			asked, err = loaded(made[2].Data, e.URL)
			return made[:len(kinds)], err
		}}
	for _, url := range pages {
		e, err := entry(ctx, c.Collection.Records, url)
		if err != nil {
			return nil, err
		}
		without.without(nil)
		k, err := looker.Look(ctx, e)
		if err != nil {
			return nil, err
		}
		if k.Failed != "" || len(asked) == 0 {
			continue
		}
		whole, parts := full, slices.Sorted(maps.Keys(asked))
		for range tries {
			gone := map[string]bool{}
			for p := 0.1 + 0.8*rng.Float64(); len(gone) == 0; {
				for _, part := range parts {
					if rng.Float64() < p {
						gone[part] = true
					}
				}
			}
			without.without(gone)
			k, err := looker.Look(ctx, e)
			if err != nil {
				return nil, err
			}
			if k.Failed == "" {
				trials = append(trials, trial{1 - quality.LookAlike(whole, full), k.Damage, float64(len(gone)) / float64(len(parts)), float64(len(gone))})
			}
		}
	}
	return trials, nil
}

// entry returns the capture of a page.
func entry(ctx context.Context, r *records.Records, url string) (*cdx.Entry, error) {
	for e, err := range r.Index.Query(ctx, cdx.Query{URL: url, MatchType: cdx.Exact}) {
		if err != nil || e.URL == url {
			return &e, err
		}
	}
	return nil, fmt.Errorf("no capture of %s", url)
}
