package api

// This file answers programs that ask what collections there are, and that search them.

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh"
	"kavosh/archive"
	"kavosh/internal/disk"
)

// Collections is the list of served collections.
type Collections struct {
	Collections []About `json:"collections"`
}

// About describes a collection.
type About struct {
	Name    string `json:"name" doc:"its name, percent-encoded in addresses"`
	Title   string `json:"title"`
	TitleFa string `json:"title_fa,omitempty" doc:"its title in Persian, where it has one"`
	Text    string `json:"description,omitempty"`
	TextFa  string `json:"description_fa,omitempty"`
	Picture string `json:"picture,omitempty" doc:"address of the picture that it was given"`
	Search  bool   `json:"search" doc:"its texts can be searched"`
	Crawls  bool   `json:"crawls" doc:"it was made by crawls that have reports"`
	Replay  string `json:"replay" doc:"address that a time and a URL are put behind"`
}

func (s *Server) collections(*asked) (any, error) {
	out := Collections{Collections: []About{}}
	for i := range s.colls {
		c := &s.colls[i]
		out.Collections = append(out.Collections, About{c.Name, cmp.Or(c.About.Title, c.About.TitleFa, c.Title), c.About.TitleFa, c.About.Text, c.About.TextFa, c.Picture, c.Searcher != nil, c.Archive != "", s.replay + "/" + url.PathEscape(c.Name) + "/"})
	}
	return out, nil
}

// Found has the results of a search.
type Found struct {
	kavosh.SearchResult
}

func (s *Server) search(a *asked) (any, error) {
	if a.coll.Searcher == nil {
		return nil, &problem{http.StatusNotFound, fmt.Sprintf("%s has no index of texts: make one with kavosh search", a.coll.Name)}
	}
	q := kavosh.Search{Text: a.get("q"), Kind: kavosh.SearchKind(a.get("kind")), Sort: kavosh.SearchSort(a.get("sort")), Offset: a.number("offset"), Limit: a.number("limit"), Months: a.get("months") == "true"}
	for _, field := range []string{kavosh.FieldHost, kavosh.FieldLang, kavosh.FieldType, kavosh.FieldYear, kavosh.FieldStatus} {
		for _, v := range a.values[field] {
			q.Filters = append(q.Filters, kavosh.SearchFilter{Field: field, Value: v})
		}
	}
	for name, into := range map[string]*time.Time{"from": &q.From, "to": &q.To, "at": &q.At} {
		if v := a.get(name); v != "" {
			*into = moment(v)
		}
	}
	found, err := a.coll.Searcher.Search(a.ctx, q)
	if err != nil {
		return nil, err
	}
	out := Found{*found}
	// Write an empty list as [] and not as null.
	if out.Groups == nil {
		out.Groups = []kavosh.SearchGroup{}
	}
	if out.Facets == nil {
		out.Facets = []kavosh.SearchFacet{}
	}
	for i := range out.Facets {
		if out.Facets[i].Values == nil {
			out.Facets[i].Values = []kavosh.FacetValue{}
		}
	}
	return out, nil
}

// Crawl is a crawl of a collection.
type Crawl struct {
	ID     string          `json:"id" doc:"its start in 14 digits, UTC"`
	Report json.RawMessage `json:"report,omitempty" doc:"counts, as docs/formats/report.md tells; absent while it runs first, and when it was cut off"`
}

// Crawls lists the crawls of a collection, the oldest first.
type Crawls struct {
	Crawls []Crawl `json:"crawls"`
}

func (s *Server) crawls(a *asked) (any, error) {
	out := Crawls{Crawls: []Crawl{}}
	if a.coll.Archive == "" {
		return out, nil
	}
	crawls, err := archive.Crawls(vfs.Default, a.coll.Archive)
	for _, c := range crawls {
		data, err := disk.ReadFile(vfs.Default, filepath.Join(a.coll.Archive, "crawls", c.ID, "report.json"))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		if data, err = toldReport(data); err != nil {
			return nil, fmt.Errorf("the report of crawl %s is damaged", c.ID)
		}
		out.Crawls = append(out.Crawls, Crawl{c.ID, data})
	}
	return out, err
}

// toldReport returns a report without what may name closed content.
func toldReport(data []byte) (json.RawMessage, error) {
	if len(data) == 0 {
		return nil, nil
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(data, &fields); err != nil {
		return nil, err
	}
	for name, empty := range map[string]string{"rules": "{}", "permitted": "{}", "walled": "{}", "limited": "[]", "bad_seeds": "[]", "logins_over": "[]", "proposals": "[]"} {
		if fields[name] != nil {
			fields[name] = json.RawMessage(empty)
		}
	}
	return json.Marshal(fields)
}

func (s *Server) crawl(a *asked) (any, error) {
	all, err := s.crawls(a)
	if err != nil {
		return nil, err
	}
	list := all.(Crawls).Crawls
	i := slices.IndexFunc(list, func(c Crawl) bool { return c.ID == a.id })
	if i < 0 {
		return nil, &problem{http.StatusNotFound, fmt.Sprintf("%s has no crawl %.100q", a.coll.Name, a.id)}
	}
	return list[i], nil
}
