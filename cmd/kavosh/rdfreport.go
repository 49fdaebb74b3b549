package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"path/filepath"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh"
	"kavosh/access"
	"kavosh/archive"
	"kavosh/internal/disk"
	"kavosh/lib/rdf"
	"kavosh/lib/weburl"
	"kavosh/quads"
	"kavosh/site"
)

// report surveys a source.
func (s *rdfSource) report(ctx context.Context) (*quads.Report, error) {
	survey := quads.NewSurvey()
	if s.archive != "" {
		var err error
		if survey.Leads, err = s.leads(ctx); err != nil {
			return nil, err
		}
	}
	if err := s.survey(ctx, survey); err != nil {
		return nil, err
	}
	report := survey.Report()
	if s.archive == "" {
		return report, nil
	}
	crawls, err := s.crawls()
	for _, c := range crawls {
		rules := quads.Rules{Crawl: c.ID}
		for _, t := range c.report.Tallies {
			rules.Rules = append(rules.Rules, quads.Rule(t))
		}
		if len(rules.Rules) > 0 {
			report.Rules = append(report.Rules, rules)
		}
	}
	return report, err
}

// ranCrawl is a crawl of the archive, with its report, if it has one.
type ranCrawl struct {
	archive.Crawl
	report archive.Report
}

// crawls are those of the archive.
func (s *rdfSource) crawls() (all []ranCrawl, err error) {
	infos, err := archive.Crawls(vfs.Default, s.archive)
	for _, info := range infos {
		c := ranCrawl{Crawl: info}
		data, err := disk.ReadFile(vfs.Default, filepath.Join(s.archive, "crawls", info.ID, "report.json"))
		if err == nil {
			err = json.Unmarshal(data, &c.report)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) { // none while it runs, and after a crash
			return nil, err
		}
		all = append(all, c)
	}
	return all, err
}

// leads are the hashes of the pages by which the archive's crawls came to RDF documents; through redirects, too.
func (s *rdfSource) leads(ctx context.Context) (map[uint64]bool, error) {
	rdfs := map[uint64]bool{}
	err := s.documents(ctx, func(d quads.Document) error {
		if d.Class == kavosh.ClassRDF {
			rdfs[quads.Hash(d.URL)] = true
		}
		return nil
	})
	leads, redirects := map[uint64]bool{}, map[uint64]uint64{}
	if err != nil || len(rdfs) == 0 {
		return leads, err
	}
	return leads, eachRow(ctx, archive.ReadLog(vfs.Default, s.archive, ""), func(l archive.Line) error {
		url, via := quads.Hash(l.URL), quads.Hash(l.Via)
		switch {
		case l.Outcome != "recorded" || l.Via == "":
		case l.Status >= 300 && l.Status < 400:
			redirects[url] = via
		case rdfs[url]:
			for range 20 { // redirects
				leads[via] = true
				next, ok := redirects[via]
				if !ok {
					break
				}
				via = next
			}
		}
		return nil
	})
}

// fetches gives the metadata of the archive's crawls that everybody may see, in the order of their logs.
func (s *rdfSource) fetches(ctx context.Context, yield func(rdf.Quad) error) error {
	crawls, err := archive.Crawls(vfs.Default, s.archive)
	if err != nil {
		return err
	}
	closed, err := s.closedPages(ctx)
	if err != nil {
		return err
	}
	hides := func(url string, at time.Time) bool {
		return closed[quads.Hash(url)] || !s.public.Shows(access.Capture(url, at, ""))
	}
	seq := int64(0)
	for _, crawl := range crawls {
		if err := eachRow(ctx, archive.ReadLog(vfs.Default, s.archive, crawl.ID), func(l archive.Line) error {
			if !s.public.Shows(l.Capture()) {
				return nil
			}
			if l.Via != "" && hides(l.Via, l.Time) {
				if l.Outcome != "recorded" {
					return nil // the closed page alone is known to name it
				}
				l.Via = ""
			}
			l.Reason = weburl.Silence(l.Reason, "-", func(url string) bool { return hides(url, l.Time) })
			f := quads.Fetch{URL: l.URL, Via: l.Via, Time: l.Time, Crawl: crawl.ID, Skipped: l.Outcome == "refused", Status: l.Status, ContentType: l.MIME}
			if l.Outcome != "recorded" {
				f.Problem = cmp.Or(l.Reason, string(l.Failure), l.Outcome)
			} else if d, known, err := s.store.Document(l.URL); err != nil {
				return err
			} else if known && d.File == l.File && d.Offset == l.Offset {
				f.Statements = d.Statements
			}
			seq++
			return f.Describe(seq, yield)
		}); err != nil {
			return err
		}
	}
	return nil
}

// provenance gives what is known of where the archive's statements come from.
func (s *rdfSource) provenance(ctx context.Context, yield func(rdf.Quad) error) error {
	report, err := s.report(ctx)
	if err != nil {
		return err
	}
	crawls, err := s.crawls()
	if err != nil {
		return err
	}
	p := quads.Provenance{Name: site.TitleOf(s.archive), Report: report}
	for _, c := range crawls {
		p.Crawls = append(p.Crawls, quads.Crawl{ID: c.ID, Started: c.Started, Ended: c.report.Ended, Agent: c.Config["user-agent"]})
	}
	if err := p.Whole(yield); err != nil {
		return err
	}
	return s.documents(ctx, func(d quads.Document) error {
		if d.Statements == 0 {
			return nil
		}
		return quads.Source(&d, yield)
	})
}
