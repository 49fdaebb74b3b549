package scriptlinks

import (
	"sort"
	"strings"

	"kavosh"
	"kavosh/extract"
)

// StaticMisses returns the URLs that Chromium finds in a page with scripts disabled (requests and addresses in the
// DOM), and that the extractor does not find in the page or its style sheets. known is their total number. A page's own
// address is left out.
func (s *Served) StaticMisses() (misses []string, known int, err error) {
	sheets := map[string][]string{} // what a style sheet links to, including imported sheets
	var sheet func(url string) ([]string, error)
	sheet = func(url string) ([]string, error) {
		if urls, ok := sheets[url]; ok {
			return urls, nil
		}
		sheets[url] = nil // sheets may import each other
		doc, err := s.get(url)
		if err != nil {
			return nil, err
		}
		page := extract.Extract(doc, extract.Options{})
		if page.Type != "text/css" {
			return nil, nil
		}
		var urls []string
		for _, l := range page.Links {
			urls = append(urls, l.URL)
			if strings.HasPrefix(l.URL, s.Server.URL+"/") {
				more, err := sheet(l.URL)
				if err != nil {
					return nil, err
				}
				urls = append(urls, more...)
			}
		}
		sheets[url] = urls
		return urls, nil
	}
	for _, p := range s.Loaded {
		url := s.Server.URL + escape(p.Path)
		doc, err := s.get(url)
		if err != nil {
			return nil, 0, err
		}
		read := map[string]bool{canonical(url): true}
		for _, l := range extract.Extract(doc, extract.Options{}).Links {
			if l.Kind == kavosh.Speculative {
				continue
			}
			read[canonical(l.URL)] = true
			if l.Kind == kavosh.Embed && strings.HasPrefix(l.URL, s.Server.URL+"/") {
				urls, err := sheet(l.URL)
				if err != nil {
					return nil, 0, err
				}
				for _, u := range urls {
					read[canonical(u)] = true
				}
			}
		}
		for _, r := range p.Off {
			u := canonical(r.URL)
			if !read[u] {
				misses = append(misses, r.How+" "+strings.TrimPrefix(u, s.Server.URL)+"  in "+p.Path)
			}
			known++
			read[u] = true
		}
	}
	sort.Strings(misses)
	return misses, known, nil
}
