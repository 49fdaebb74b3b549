package main

// This file is the command kavosh rdf. Packages quads and export do the work.

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"kavosh/lib/rdf"
	"kavosh/quads"
	"kavosh/site"
)

type rdfCmd struct {
	Stats  rdfStatsCmd  `cmd:"" help:"Count what statements are about: documents, vocabularies, types, datasets, links between them."`
	Match  rdfMatchCmd  `cmd:"" help:"Print or count the statements that a pattern asks for."`
	Export rdfExportCmd `cmd:"" help:"Write all statements as N-Quads, N-Triples, Turtle or TriG."`
}

// rdfTarget is what the subcommands of kavosh rdf work on.
type rdfTarget struct {
	target
	Base string `placeholder:"URL" help:"The URL that relative IRIs of a file are read by; default is its file:// URL."`
}

// sources returns the archive or the files that args name.
func (t rdfTarget) sources(args []string) []string {
	if t.Archive != "" {
		return append([]string{t.Archive}, args...)
	}
	return args
}

type rdfStatsCmd struct {
	rdfTarget
	Args  []string `arg:"" optional:"" name:"archive-or-files" help:"The archive's folder; WARC, ARC or WACZ files; or RDF and HTML files."`
	JSON  bool     `name:"json" help:"Print the report as one JSON object."`
	HTML  string   `name:"html" placeholder:"FILE" help:"Write a page with tables and plots that stands alone, in English and Persian."`
	Links string   `placeholder:"FILE" help:"Write the links between domains (owl:sameAs, rdfs:seeAlso, skos:exactMatch …) as a graph: .csv, .dot or .json."`
}

// Help returns the text above the flags in the help.
func (rdfStatsCmd) Help() string {
	return `Examples:

    kavosh rdf stats example.org.kavosh
    kavosh rdf stats example.org.kavosh --html rdf.html --links links.dot
    kavosh rdf stats --json vocabulary.ttl people.rdf

Documents are told by their content, whatever the server called them: R is an RDF document, E an HTML page with at least 3 statements beyond those for previews, licences and styles (JSON-LD, RDFa, microdata), HR another HTML page that led the crawl to an RDF document, H any other HTML page, N anything else. Statements of an archive are kept in its derived/rdf@2; what a crawl added since is read first.`
}

// Run prints the counts.
func (c *rdfStatsCmd) Run(p *program) error {
	ctx, stop := p.interruptible(nil)
	defer stop()
	source, err := openRDF(ctx, p, c.sources(c.Args), c.Base)
	if err != nil {
		return err
	}
	report, err := source.report(ctx)
	if err := errors.Join(err, source.close()); err != nil {
		return err
	}
	if c.Links != "" {
		write, ok := report.LinksAs(c.Links)
		if !ok {
			return usage("--links: %s ends neither with .csv nor .dot nor .json", c.Links)
		}
		if err := writeTo(c.Links, write); err != nil {
			return err
		}
	}
	if c.HTML != "" {
		name := strings.Join(c.sources(c.Args), " ")
		if source.Archive != "" {
			name = site.TitleOf(source.Archive)
		}
		if err := writeTo(c.HTML, func(w io.Writer) error { return report.Page(w, name) }); err != nil {
			return err
		}
	}
	if c.JSON {
		err = json.NewEncoder(p.out).Encode(report)
	} else {
		err = report.Text(p.out)
	}
	return source.ended(err)
}

// ended returns err, or the exit status for broken files, as the result of a subcommand. Of several files it prints how
// many had faults.
func (s *rdfSource) ended(err error) error {
	if err != nil {
		return err
	}
	n := &s.read
	var parts []string
	for _, p := range []struct {
		files int64
		text  string
	}{
		{n.warned, fmt.Sprintf("%s read past in %d of them", plural(n.warnings, "fault"), n.warned)},
		{n.broken, fmt.Sprintf("%d broken off", n.broken)},
		{n.none, fmt.Sprintf("%d gave nothing", n.none)},
	} {
		if p.files > 0 {
			parts = append(parts, p.text)
		}
	}
	if len(parts) > 0 && len(s.files.Paths) > 1 {
		fmt.Fprintf(s.told, "kavosh: %d files: %s\n", len(s.files.Paths), strings.Join(parts, ", "))
	}
	if n.broken+n.none > 0 {
		return exitStatus(exitFailed)
	}
	return nil
}

type rdfMatchCmd struct {
	rdfTarget
	Args   []string `arg:"" optional:"" name:"archive-or-files-and-pattern" help:"As for kavosh rdf stats, and then the pattern."`
	Count  bool     `help:"Print how many there are."`
	Limit  int64    `placeholder:"N" help:"Print at most N."`
	Offset int64    `placeholder:"N" help:"Leave out the first N."`
}

// Help returns the text above the flags in the help.
func (rdfMatchCmd) Help() string {
	var names []string
	for _, p := range quads.Prefixes() {
		names = append(names, p.Name)
	}
	return `Examples:

    kavosh rdf match example.org.kavosh '? foaf:name ?'
    kavosh rdf match example.org.kavosh '? a owl:Class' --count
    kavosh rdf match example.org.kavosh '? rdfs:label "Tehran"@en' --limit 20 --offset 40
    kavosh rdf match example.org.kavosh '? ? ? <https://example.org/about.ttl>'
    kavosh rdf match people.rdf jobs.ttl '<https://example.org/#me> ? ?'

A pattern is a subject, a predicate and an object, and may go on with a graph, the URL of the document. ? stands for any, a for rdf:type. Other terms are written as in N-Triples, or with one of these prefixes: ` + strings.Join(names, " ") + `. A literal is asked for whole, with its language or datatype. Statements come as N-Quads, those of an archive always in the same order.`
}

// Run prints the statements that match.
func (c *rdfMatchCmd) Run(p *program) error {
	args, pattern, err := cutPattern(c.sources(c.Args))
	if err != nil {
		return usageError{err.Error()}
	}
	ctx, stop := p.interruptible(nil)
	defer stop()
	source, err := openRDF(ctx, p, args, c.Base)
	if err != nil {
		return err
	}
	out := rdf.NewNQuadsWriter(p.data)
	found := int64(0)
	err = source.match(ctx, pattern, func(q rdf.Quad) error {
		found++
		switch {
		case c.Count, found <= c.Offset:
			return nil
		case c.Limit > 0 && found > c.Offset+c.Limit:
			return errEnough
		}
		return written(out.Write(q))
	})
	if errors.Is(err, errEnough) {
		err = nil
	}
	if err := errors.Join(err, out.Close(), source.close()); err != nil {
		return err
	}
	if c.Count {
		_, err = fmt.Fprintln(p.out, found)
	}
	return source.ended(err)
}

// errEnough ends a search when enough was found.
var errEnough = errors.New("enough")

// written returns the error of writing a statement, or nil if only this statement cannot be written in the format. It
// is then left out.
func written(err error) error {
	var term *rdf.TermError
	if errors.As(err, &term) {
		return nil
	}
	return err
}

// cutPattern takes the pattern from the end of args: one word, or one word for each term.
func cutPattern(args []string) (rest []string, p quads.Pattern, err error) {
	if len(args) == 0 {
		return nil, p, errors.New("statements of what, and which? write kavosh rdf match ARCHIVE '? foaf:name ?'")
	}
	if len(args) == 1 {
		if _, err := os.Stat(args[0]); err == nil {
			return nil, p, fmt.Errorf("which statements of %s? write kavosh rdf match %s '? foaf:name ?', or '? ? ?' for all", args[0], quoted(args[0]))
		}
	}
	p, first := quads.ParsePattern(args[len(args)-1])
	if first == nil {
		return args[:len(args)-1], p, nil
	}
	for _, n := range []int{4, 3} {
		if len(args) > n {
			at := len(args) - n
			if p, err = quads.ParsePattern(strings.Join(args[at:], " ")); err == nil {
				return args[:at], p, nil
			}
		}
	}
	return nil, p, first
}

type rdfExportCmd struct {
	rdfTarget
	Args       []string `arg:"" optional:"" name:"archive-or-files" help:"The archive's folder; WARC, ARC or WACZ files; or RDF and HTML files."`
	Format     string   `choice:"nquads,ntriples,turtle,trig" default:"nquads" placeholder:"FORMAT" help:"nquads (default), ntriples, turtle or trig."`
	Output     string   `short:"o" default:"-" placeholder:"FILE" help:"Where to: .gz and .zst are compressed; - (default) is standard output."`
	Fetches    bool     `help:"Instead, the metadata of the crawls: each request with time, status, type and statements, and what was not requested and why, in the vocabulary of Slug."`
	Provenance bool     `help:"Instead, where statements come from: crawls, captures and documents by PROV, the whole by VoID."`
}

// Help returns the text above the flags in the help.
func (rdfExportCmd) Help() string {
	return `Examples:

    kavosh rdf export example.org.kavosh -o example.nq.zst
    kavosh rdf export example.org.kavosh --provenance --format turtle -o void.ttl
    kavosh rdf export example.org.kavosh --fetches --format turtle -o crawl.ttl
    kavosh rdf export vocabulary.ttl people.rdf page.html > all.nq
    kavosh rdf export --format turtle --base https://example.org/people people.rdf
    curl -s https://example.org/dump.nt.gz | kavosh rdf export - -o dump.nq.zst

Of an archive: quads, sorted, each once, whose graph is the URL of the document that makes the statement; of a URL the newest capture counts. Of files: their statements as they come, in the graphs that they name. What a file is its content tells: N-Triples, N-Quads, Turtle, TriG, RDF/XML, JSON-LD, or HTML with RDFa, microdata, microformats and JSON-LD; a name such as .nt or .ttl decides between syntaxes that contain one another. Files may be packed (gzip, zstd), - is standard input, and of a folder without WARC files all are read that end like RDF or HTML. A fault that can be read past without guessing costs a line, a property or a stray text; another ends its file. Standard error names file, line and column and at last counts them; the exit status is 1 if a file broke off or gave nothing. Blank nodes of documents are kept apart by their labels, which are the same each time.`
}

// Run exports the statements.
func (c *rdfExportCmd) Run(p *program) error {
	ctx, stop := p.interruptible(nil)
	defer stop()
	source, err := openRDF(ctx, p, c.sources(c.Args), c.Base)
	if err != nil {
		return err
	}
	if (c.Provenance || c.Fetches) && source.Archive == "" {
		return errors.Join(usage("--provenance and --fetches need an archive: files do not tell where they come from"), source.close())
	}
	if c.Output == "-" {
		err = c.export(ctx, source, p.data)
	} else {
		err = writeTo(c.Output, func(w io.Writer) error {
			packed, err := packer(w, c.Output)
			if err != nil {
				return err
			}
			return errors.Join(c.export(ctx, source, packed), packed.Close())
		})
	}
	return source.ended(errors.Join(err, source.close()))
}

// export writes the statements of a source.
func (c *rdfExportCmd) export(ctx context.Context, source *rdfSource, w io.Writer) error {
	buffered := bufio.NewWriterSize(w, 1<<16)
	out, err := c.writer(ctx, source, buffered)
	if err != nil {
		return err
	}
	var last rdf.Quad
	err = c.each(ctx, source, func(q rdf.Quad) error {
		if c.Format == "ntriples" || c.Format == "turtle" {
			if q.Graph = (rdf.Term{}); q == last { // equal statements of different documents follow each other
				return nil
			}
			last = q
		}
		return written(out.Write(q))
	})
	return errors.Join(err, out.Close(), buffered.Flush())
}

// each yields the statements to write.
func (c *rdfExportCmd) each(ctx context.Context, source *rdfSource, yield func(rdf.Quad) error) error {
	switch {
	case c.Fetches:
		return source.Fetches(ctx, yield)
	case c.Provenance:
		return source.Provenance(ctx, site.TitleOf(source.Archive), yield)
	case c.Format == "trig" && source.source != nil:
		return source.ByGraph(ctx, yield)
	}
	return source.match(ctx, quads.Pattern{}, yield)
}

// writer returns a writer of the wanted format. Turtle and TriG begin with the prefixes that are used, so the
// statements are read once before.
func (c *rdfExportCmd) writer(ctx context.Context, source *rdfSource, w io.Writer) (rdf.Writer, error) {
	switch c.Format {
	case "nquads":
		return rdf.NewNQuadsWriter(w), nil
	case "ntriples":
		return rdf.NewNTriplesWriter(w), nil
	}
	prefixes, err := c.prefixes(ctx, source)
	if c.Format == "turtle" {
		return rdf.NewTurtleWriter(w, prefixes), err
	}
	return rdf.NewTriGWriter(w, prefixes), err
}

// prefixes returns the prefixes that are used, or all prefixes if the statements cannot be read twice.
func (c *rdfExportCmd) prefixes(ctx context.Context, source *rdfSource) (map[string]string, error) {
	names, all, used := map[string]string{}, map[string]string{}, map[string]string{}
	for _, p := range quads.Prefixes() {
		names[p.IRI], all[p.Name] = p.Name, p.IRI
	}
	if !source.files.Twice() {
		return all, nil
	}
	quiet := *source
	quiet.told = io.Discard
	return used, c.each(ctx, &quiet, func(q rdf.Quad) error {
		for _, iri := range [...]string{q.Subject.Value, q.Predicate.Value, q.Object.Value, q.Object.Datatype} {
			namespace := quads.Vocabulary(iri)
			if name, known := names[namespace]; known {
				used[name] = namespace
			}
		}
		return nil
	})
}
