package order

// This file has the rules and labels of the ordering policies for RDF: by which signs a link leads to RDF, or to a page
// that links to RDF. It keeps the pages found so far that link to RDF.

import "kavosh"

// rdfRule is one of the rules by which a link leads to RDF, or to a page that links to RDF. The rules and labels are
// those of a thesis at Ferdowsi University: the label R is an RDF document, HR is an HTML page with a link to one, H is
// other HTML, and N is none of these. An RDF parent is a page that links to RDF.
type rdfRule uint8

const (
	ruleEx1 rdfRule = iota // the extension is one of RDF
	ruleTy1                // the type attribute names a media type of RDF
	ruleTi1                // … the title attribute does
	ruleAn1                // … the anchor does
	ruleCo1                // … the text around it does
	ruleTy2                // the type attribute has a word of RDF
	ruleTi2                // … the title attribute has
	ruleAn2                // … the anchor has
	ruleCo2                // … the text around it has
	rulePa2                // … the path has, the extension left out
	ruleR1                 // the URL of an RDF parent is the same but for the last segment of the path
	ruleR2                 // … but for the query
	ruleCount
)

// String returns the name of the rule in the source.
func (r rdfRule) String() string {
	return [...]string{"ex1", "ty1", "ti1", "an1", "co1", "ty2", "ti2", "an2", "co2", "pa2", "r1", "r2"}[r]
}

// ruleSet is a set of rules, one bit for each.
type ruleSet uint16

func (s ruleSet) has(r rdfRule) bool { return s>>r&1 != 0 }

// String returns the names of the rules, separated by spaces.
func (s ruleSet) String() string {
	names := ""
	for r := range ruleCount {
		if s.has(r) {
			names += " " + r.String()
		}
	}
	return names[min(1, len(names)):]
}

// rdfLabel is what a link is thought to lead to. URLs with greater labels are fetched sooner.
type rdfLabel uint8

const (
	labelN rdfLabel = iota
	labelH
	labelHR
	labelR
)

// String returns the name of the label in the source.
func (l rdfLabel) String() string { return [...]string{"N", "H", "HR", "R"}[l] }

// rulesOfLink returns the R rules that hold for a link.
func rulesOfLink(l *kavosh.Link, url string) (s ruleSet) {
	_, path, _ := split(url)
	bare := path
	if ext := extension(path); ext != "" {
		bare = path[:len(path)-len(ext)-1]
	}
	for r, holds := range [...]bool{
		ruleEx1: extensionOf(path) == rdfExtension,
		ruleTy1: namesRDFType(l.Type), ruleTi1: namesRDFType(l.Title), ruleAn1: namesRDFType(l.Anchor), ruleCo1: namesRDFType(l.Around),
		ruleTy2: hasRDFWord(l.Type), ruleTi2: hasRDFWord(l.Title), ruleAn2: hasRDFWord(l.Anchor), ruleCo2: hasRDFWord(l.Around),
		rulePa2: hasRDFWord(bare),
	} {
		if holds {
			s |= 1 << r
		}
	}
	return s
}

// rdfPlace says where a URL lies, by hashes. Empty segments of its path do not count.
type rdfPlace struct {
	URL    uint64 `json:"u"`
	Folder uint64 `json:"f"` // host, and path without its last segment; 0 if the path has fewer than two
	Path   uint64 `json:"p"` // host and path
	Query  uint64 `json:"q"`
}

func rdfPlaceOf(url string) rdfPlace {
	host, path, query := split(url)
	p := rdfPlace{URL: hash(url), Query: hash(query)}
	key := hash(host)
	all := segments(path)
	for i, s := range all {
		if i == len(all)-1 && i > 0 {
			p.Folder = joined(key, 1)
		}
		key = joined(key, hash(s))
	}
	p.Path = key
	return p
}

// rdfParents remembers the URLs of the RDF parents found so far. One look-up tells whether any of them is like a given
// URL.
type rdfParents struct{ folders, paths *known[several] } // folders: paths by rdfPlace.Folder; paths: queries by rdfPlace.Path

// several is the first of some hashes, and whether there is a different one too.
type several struct {
	First uint64 `json:"first"`
	More  bool   `json:"more,omitempty"`
}

func newRDFParents(most int) rdfParents {
	return rdfParents{newKnown[several](max(1, most/2)), newKnown[several](max(1, most/2))}
}

// add remembers the place of an RDF parent.
func (p rdfParents) add(at rdfPlace) {
	note := func(k *known[several], key, what uint64) {
		s, ok := k.get(key)
		switch {
		case !ok:
			k.set(key, several{First: what})
		case s.First != what && !s.More:
			k.set(key, several{s.First, true})
		}
	}
	if at.Folder != 0 {
		note(p.folders, at.Folder, at.Path)
	}
	note(p.paths, at.Path, at.Query)
}

// like returns the HR rules that hold for a URL.
func (p rdfParents) like(at rdfPlace) (s ruleSet) {
	if f, ok := p.folders.get(at.Folder); ok && at.Folder != 0 && (f.More || f.First != at.Path) {
		s |= 1 << ruleR1
	}
	if q, ok := p.paths.get(at.Path); ok && (q.More || q.First != at.Query) {
		s |= 1 << ruleR2
	}
	return s
}

type savedParents struct {
	Folders []fact[several] `json:"folders"`
	Paths   []fact[several] `json:"paths"`
}

func (p rdfParents) save() savedParents { return savedParents{p.folders.save(), p.paths.save()} }

func (p rdfParents) restore(s savedParents) {
	p.folders.restore(s.Folders)
	p.paths.restore(s.Paths)
}
