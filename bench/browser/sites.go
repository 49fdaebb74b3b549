package main

// This file reads the list of sites.

import (
	_ "embed"
	"fmt"
	"path/filepath"
	"strings"
)

// sitesTable is the list: tab-separated fields, told in its head.
//
//go:embed sites.tsv
var sitesTable string

// site is a line of the list.
type site struct {
	name    string
	scripts bool   // its scripts load resources or make links
	kind    string // what made it
	source  string // Debian packages, or a repository
	folder  string // what of the source is served, slash-separated
	without string // folder in it that is left out; "" leaves nothing out
	at      string // path that the folder is served at, with a slash at both ends
	start   string // first page, relative to at
}

func readSites() (sites []site, err error) {
	for line := range strings.Lines(sitesTable) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if strings.HasPrefix(line, "#") || f[0] == "name" {
			continue
		}
		if len(f) != 8 {
			return nil, fmt.Errorf("sites.tsv: %q has not eight fields", line)
		}
		s := site{name: f[0], scripts: f[1] == "yes", kind: f[2], source: f[3], at: f[5], start: f[6]}
		s.folder, s.without, _ = strings.Cut(f[4], "-/")
		sites = append(sites, s)
	}
	return sites, nil
}

func (s *site) host() string { return s.name + ".test" }

func (s *site) seed() string { return "http://" + s.host() + s.at + s.start }

// root returns the folder that is served.
func (s *site) root(dir string) string {
	return filepath.Join(dir, s.name, filepath.FromSlash(s.folder))
}

// repository returns the repository and commit that the site comes from; ok is false if it comes from Debian.
func (s *site) repository() (name, commit string, ok bool) { return strings.Cut(s.source, "@") }
