package engine

// This file chooses which URIs in RDF documents are links (--rdf-links special).

import (
	"strings"
	"sync"

	"kavosh"
	"kavosh/frontier/scope"
	"kavosh/lib/weburl"
)

// How many URIs are asked for before any gave RDF; as many more are for each new document of RDF that one gave. So a
// folder goes on as long as a third of its URIs give RDF, and a site where nothing does is left alone.
const (
	firstOfFolder = 3
	firstOfHost   = 20
)

// Bounds on what is remembered. With more, all is forgotten and begins again.
const (
	maxPlaces = 100_000 // folders and hosts
	maxMet    = 500_000 // URIs that were met
	maxHeld   = 100_000 // of them, those that are held back
)

// uris chooses among the URIs that documents of RDF have in their statements, without saying that they lead on. One
// counts if it is on the document's own site, or on a host that has RDF, and if others in its folder and on its host
// have given new documents of RDF often enough; redirects count for the URI that began them. The others are held back
// until there is such evidence, and are then links of the document that gave it. What is known is not kept when a
// crawl is resumed.
type uris struct {
	sync.Mutex
	places map[string]*place // by folder, "http://a.ir/b/", and by host, "a.ir"
	met    map[uint64]bool   // hashes of the URIs that were let pass or are held back
	from   map[string]string // the folder of a URI, by the URL that it redirects to
	held   int
}

// place is a folder or a host.
type place struct {
	asked, gave int      // URIs that were let pass; documents of RDF that came from here
	held        []string // URIs of a folder that are held back
}

// choose learns what came of a URL, and leaves only chosen URIs among the links of the document.
func (u *uris) choose(x *kavosh.Exchange, page *kavosh.Page) {
	u.Lock()
	defer u.Unlock()
	if len(u.places) >= maxPlaces || len(u.met) >= maxMet || u.held >= maxHeld || u.places == nil {
		u.places, u.met, u.from, u.held = map[string]*place{}, map[uint64]bool{}, map[string]string{}, 0
	}
	released := u.learn(x, page)
	own, _ := scope.Split(x.Task.URL)
	site := weburl.Domain(own.Name)
	kept := page.Links[:0]
	for _, l := range page.Links {
		if l.Element != "rdf" || l.Attr != "rdf" {
			kept = append(kept, l)
			continue
		}
		p, _ := scope.Split(l.URL)
		if known := u.places[p.Name]; l.URL == x.Task.URL || weburl.Domain(p.Name) != site && (known == nil || known.gave == 0) {
			continue
		}
		h := hash(l.URL)
		if u.met[h] {
			continue
		}
		u.met[h] = true
		folder := folderOf(l.URL)
		if u.take(folder) {
			kept = append(kept, l)
		} else {
			f := u.at(folder)
			f.held = append(f.held, strings.Clone(l.URL))
			u.held++
		}
	}
	for _, url := range released {
		kept = append(kept, kavosh.Link{URL: url, Kind: kavosh.Navigation, Element: "rdf", Attr: "rdf", Position: len(kept)})
	}
	page.Links = kept
}

// learn learns what came of a URL, and returns the URIs that were held back and are now chosen.
func (u *uris) learn(x *kavosh.Exchange, page *kavosh.Page) (released []string) {
	own := folderOf(x.Task.URL)
	began := u.from[x.Task.URL]
	delete(u.from, x.Task.URL)
	if x.Task.Kind == kavosh.Embed {
		return nil
	}
	if x.Status >= 300 && x.Status <= 399 {
		if began == "" {
			began = own
		}
		for _, l := range page.Links {
			if l.Kind == kavosh.Redirect && len(u.from) < maxPlaces {
				u.from[strings.Clone(l.URL)] = began
			}
		}
		return nil
	}
	if page.RDF.Class != kavosh.ClassRDF {
		return nil
	}
	folders := []string{own}
	if began != "" && began != own {
		folders = append(folders, began)
	}
	for _, folder := range folders {
		f := u.at(folder)
		f.gave++
		u.at(weburl.Host(folder)).gave++
		for len(f.held) > 0 && u.take(folder) {
			released = append(released, f.held[0])
			f.held = f.held[1:]
			u.held--
		}
	}
	return released
}

// take reports whether one more URI of a folder is to be asked for, and counts it.
func (u *uris) take(folder string) bool {
	f, h := u.at(folder), u.at(weburl.Host(folder))
	if f.asked >= firstOfFolder*(1+f.gave) || h.asked >= firstOfHost*(1+h.gave) {
		return false
	}
	f.asked++
	h.asked++
	return true
}

func (u *uris) at(name string) *place {
	p := u.places[name]
	if p == nil {
		p = &place{}
		u.places[strings.Clone(name)] = p
	}
	return p
}

// folderOf returns the URL without what follows the last slash of its path.
func folderOf(url string) string {
	p, _ := scope.Split(url)
	return p.Origin + p.Path[:strings.LastIndexByte(p.Path, '/')+1]
}
