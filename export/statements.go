package export

// This file hands on the RDF statements of an archive, without those from documents that not everybody may see.

import (
	"cmp"
	"context"
	"iter"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh"
	"kavosh/access"
	"kavosh/archive"
	"kavosh/lib/rdf"
	"kavosh/lib/weburl"
	"kavosh/quads"
)

// Statements yields the statements that everybody may see, and what the logs of the archive's crawls say about where
// they come from.
type Statements struct {
	Store   *quads.Store
	Archive string       // the archive's folder; "" if Store was made from loose files
	Public  access.Sight // what everybody may see of the archive
}

// each yields rows until the first error, or until ctx ends.
func each[T any](ctx context.Context, rows iter.Seq2[T, error], yield func(T) error) error {
	n := 0
	for row, err := range rows {
		if n++; err == nil && n%1000 == 0 {
			err = ctx.Err()
		}
		if err == nil {
			err = yield(row)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Match yields the statements that a pattern asks for, sorted.
func (s *Statements) Match(ctx context.Context, pattern quads.Pattern, yield func(rdf.Quad) error) error {
	return s.open(ctx, s.Store.Match(pattern), yield)
}

// ByGraph yields all statements. Those of a document come together.
func (s *Statements) ByGraph(ctx context.Context, yield func(rdf.Quad) error) error {
	return s.open(ctx, s.Store.ByGraph(), yield)
}

// open yields those rows of the store whose documents everybody may see.
func (s *Statements) open(ctx context.Context, rows iter.Seq2[rdf.Quad, error], yield func(rdf.Quad) error) error {
	if s.Public.Whole() {
		return each(ctx, rows, yield)
	}
	var graph string
	var shown bool
	return each(ctx, rows, func(q rdf.Quad) error {
		if q.Graph.Value != graph {
			d, ok, err := s.Store.Document(q.Graph.Value)
			if err != nil {
				return err
			}
			graph, shown = q.Graph.Value, ok && s.shows(&d) // a statement of an unknown document is not shown
		}
		if !shown {
			return nil
		}
		return yield(q)
	})
}

// documents yields the documents of the store that everybody may see.
func (s *Statements) documents(ctx context.Context, yield func(quads.Document) error) error {
	return each(ctx, s.Store.Documents(), func(d quads.Document) error {
		if !s.shows(&d) {
			return nil
		}
		return yield(d)
	})
}

func (s *Statements) shows(d *quads.Document) bool {
	return s.Public.Shows(access.Capture(d.URL, d.Time, d.Digest))
}

// closedPages returns the hashes of URLs of which the crawls have something that not everybody may see. Links from
// these pages are not told.
func (s *Statements) closedPages(ctx context.Context) (map[uint64]bool, error) {
	closed := map[uint64]bool{}
	if s.Public.Whole() {
		return closed, nil
	}
	return closed, s.log(ctx, "", func(l archive.Line) error {
		if !s.Public.Shows(l.Capture()) {
			closed[quads.Hash(l.URL)] = true
		}
		return nil
	})
}

// log yields the lines of the log of one crawl or, if id is "", of all crawls.
func (s *Statements) log(ctx context.Context, id string, yield func(archive.Line) error) error {
	return each(ctx, archive.ReadLog(vfs.Default, s.Archive, id), yield)
}

// Report counts what the statements are about.
func (s *Statements) Report(ctx context.Context) (*quads.Report, error) {
	survey := quads.NewSurvey()
	if s.Archive != "" {
		var err error
		if survey.Leads, err = s.leads(ctx); err != nil {
			return nil, err
		}
	}
	if err := s.ByGraph(ctx, func(q rdf.Quad) error { survey.Statement(q); return nil }); err != nil {
		return nil, err
	}
	if err := s.documents(ctx, func(d quads.Document) error { survey.Document(&d); return nil }); err != nil {
		return nil, err
	}
	report := survey.Report()
	if s.Archive == "" {
		return report, nil
	}
	crawls, err := archive.Crawls(vfs.Default, s.Archive)
	for _, c := range crawls {
		rules := quads.Rules{Crawl: c.ID}
		for _, t := range c.Report.Tallies {
			rules.Rules = append(rules.Rules, quads.Rule(t))
		}
		if len(rules.Rules) > 0 {
			report.Rules = append(report.Rules, rules)
		}
	}
	return report, err
}

// leads returns the hashes of the pages from which crawls came to RDF documents, also through redirects.
func (s *Statements) leads(ctx context.Context) (map[uint64]bool, error) {
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
	return leads, s.log(ctx, "", func(l archive.Line) error {
		url, via := quads.Hash(l.URL), quads.Hash(l.Via)
		switch {
		case l.Outcome != "recorded" || l.Via == "":
		case l.Status >= 300 && l.Status < 400:
			redirects[url] = via
		case rdfs[url]:
			for range 20 { // at most so many redirects
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

// Fetches yields the metadata of the crawls' requests that everybody may see, in the order of the logs (see
// quads.Fetch).
func (s *Statements) Fetches(ctx context.Context, yield func(rdf.Quad) error) error {
	crawls, err := archive.Crawls(vfs.Default, s.Archive)
	if err != nil {
		return err
	}
	closed, err := s.closedPages(ctx)
	if err != nil {
		return err
	}
	hides := func(url string, at time.Time) bool {
		return closed[quads.Hash(url)] || !s.Public.Shows(access.Capture(url, at, ""))
	}
	seq := int64(0)
	for _, crawl := range crawls {
		if err := s.log(ctx, crawl.ID, func(l archive.Line) error {
			if !s.Public.Shows(l.Capture()) {
				return nil
			}
			if l.Via != "" && hides(l.Via, l.Time) {
				if l.Outcome != "recorded" {
					return nil // only a closed page is known to link to it
				}
				l.Via = ""
			}
			l.Reason = weburl.Silence(l.Reason, "-", func(url string) bool { return hides(url, l.Time) })
			f := quads.Fetch{
				URL: l.URL, Via: l.Via, Time: l.Time, Crawl: crawl.ID, Skipped: l.Outcome == "refused", Status: l.Status, ContentType: l.MIME,
			}
			if l.Outcome != "recorded" {
				f.Problem = cmp.Or(l.Reason, string(l.Failure), l.Outcome)
			} else if d, known, err := s.Store.Document(l.URL); err != nil {
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

// Provenance yields what is known about where the archive's statements come from. name is the archive's name for
// people.
func (s *Statements) Provenance(ctx context.Context, name string, yield func(rdf.Quad) error) error {
	report, err := s.Report(ctx)
	if err != nil {
		return err
	}
	crawls, err := archive.Crawls(vfs.Default, s.Archive)
	if err != nil {
		return err
	}
	p := quads.Provenance{Name: name, Report: report}
	for _, c := range crawls {
		p.Crawls = append(p.Crawls, quads.Crawl{ID: c.ID, Started: c.Started, Ended: c.Report.Ended, Agent: c.Config["user-agent"]})
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
