package main

// This file opens what a subcommand of kavosh rdf works on, and brings an archive's statements up to date.

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"kavosh/archive"
	"kavosh/export"
	"kavosh/internal/clock"
	"kavosh/internal/disk"
	"kavosh/lib/rdf"
	"kavosh/quads"
)

// rdfSource is where statements come from: an archive, WARC files, or RDF files.
type rdfSource struct {
	export.Statements                 // statements of the archive or the WARC files
	source            *archive.Source // where the captures are; nil for RDF files
	done              func() error    // closes the store

	files quads.Files
	told  io.Writer
	read  struct { // of the files
		warnings     int64 // faults that were read past
		warned       int64 // files that have some
		broken, none int64 // files that broke off, and those that gave nothing because of a fault
	}
}

// openRDF opens what args name: one archive, WARC files or folders of them, or RDF files.
func openRDF(ctx context.Context, p *program, args []string, base string) (*rdfSource, error) {
	s := &rdfSource{told: p.err, files: quads.Files{Stdin: p.in, Base: base}}
	var web []string
	for _, arg := range args {
		is, err := isArchive(arg)
		if err != nil {
			return nil, err
		}
		info, err := os.Stat(arg)
		switch {
		case err != nil && arg != "-" && !quads.IsFile(arg) && !archive.IsWebFile(arg) && missing(arg) != nil:
			return nil, missing(arg)
		case err != nil:
			s.files.Paths = append(s.files.Paths, arg) // a missing file is reported with the broken ones
		case is:
			s.Archive = arg
		case info.IsDir():
			files, err := archive.FilesBelow(arg, archive.IsWebFile)
			if err != nil {
				return nil, err
			}
			web = append(web, files...)
			if len(files) > 0 {
				continue
			}
			if files, err = archive.FilesBelow(arg, quads.IsFile); err != nil {
				return nil, err
			}
			if len(files) == 0 {
				return nil, fmt.Errorf("%s is no archive (it has no archive.json) and holds no WARC, ARC or WACZ files, nor any that end like RDF or HTML", arg)
			}
			s.files.Paths = append(s.files.Paths, files...)
		case archive.IsWebFile(arg):
			web = append(web, arg)
		default:
			s.files.Paths = append(s.files.Paths, arg)
		}
	}
	kinds := 0
	for _, is := range []bool{s.Archive != "", len(web) > 0, len(s.files.Paths) > 0} {
		if is {
			kinds++
		}
	}
	switch {
	case kinds == 0:
		return nil, usage("statements of what? name an archive's folder, or RDF files")
	case kinds > 1 || s.Archive != "" && len(args) > 1:
		return nil, usage("name one archive, or WARC files, or RDF files")
	case s.Archive == "" && len(web) == 0:
		return s, nil
	case base != "":
		return nil, usage("--base is for RDF files: what is archived has its own URL")
	}
	line := newProgress(p.err)
	defer line.stop()
	var err error
	if s.Archive != "" {
		s.Public, err = archive.Public(s.Archive)
	} else {
		err = archive.OutsideArchives(web)
	}
	if err == nil {
		s.source = &archive.Source{Dir: s.Archive, Files: web, Trouble: func(text string) { line.say("%s", text) },
			Broken: func(path string, err error) error { return fmt.Errorf("%s: %w", path, err) }}
		err = s.follow(ctx, line)
	}
	if err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

// follow opens the store and adds what the source has gained.
func (s *rdfSource) follow(ctx context.Context, line *progress) error {
	f, done, err := s.source.Hold(statements())
	for errors.Is(err, disk.ErrInUse) {
		line.draw(" waiting for another kavosh to be done with the statements of this archive")
		if err = (clock.Real{}).Sleep(ctx, time.Second/5); err == nil {
			f, done, err = s.source.Hold(statements())
		}
	}
	if err != nil {
		return err
	}
	g := f.(*quads.Gatherer)
	s.Store, s.done = g.Store, done
	if err := s.source.Follow(ctx, g, archive.Following{Clock: clock.Real{}, Added: line.count("read for statements")}); err != nil {
		return err
	}
	return g.Settle(ctx)
}

// close closes the store, if there is one.
func (s *rdfSource) close() (err error) {
	if s.Store != nil {
		err = s.done()
	}
	if s.source != nil {
		err = errors.Join(err, s.source.Close())
	}
	return err
}

// match yields the statements that a pattern asks for: sorted for an archive, in their order for files.
func (s *rdfSource) match(ctx context.Context, pattern quads.Pattern, yield func(rdf.Quad) error) error {
	if s.source != nil {
		return s.Match(ctx, pattern, yield)
	}
	return s.files.Read(ctx, func(_ string, q rdf.Quad) error {
		if !pattern.Matches(q) {
			return nil
		}
		return yield(q)
	}, s.tell)
}

// report counts what the statements are about.
func (s *rdfSource) report(ctx context.Context) (*quads.Report, error) {
	if s.source != nil {
		return s.Report(ctx)
	}
	survey := quads.NewSurvey()
	err := s.files.Read(ctx, func(url string, q rdf.Quad) error {
		q.Graph = rdf.Term{Kind: rdf.IRI, Value: url}
		survey.Statement(q)
		return nil
	}, func(path string, d *quads.Document) {
		s.tell(path, d)
		survey.Document(d)
	})
	if err != nil {
		return nil, err
	}
	return survey.Report(), nil
}

// tell prints what is wrong with a file.
func (s *rdfSource) tell(path string, d *quads.Document) {
	say := func(fault, more string) {
		fmt.Fprintf(s.told, "kavosh: %s: %s%s\n", path, strings.Join(strings.Fields(fault), " "), more)
	}
	switch {
	case d.Fault != "" && d.Statements == 0:
		s.read.none++
		say(d.Fault, "")
	case d.Fault != "":
		s.read.broken++
		say(d.Fault, "; broken off")
	case d.Warnings > 0:
		s.read.warned++
		s.read.warnings += d.Warnings
		more := "; read past it"
		if d.Warnings > 1 {
			more = fmt.Sprintf("; read past it and %d more", d.Warnings-1)
		}
		say(d.Warning, more)
	}
	if d.Invalid > 0 {
		fmt.Fprintf(s.told, "kavosh: %s: %s left out, with an IRI that is none or text that is no UTF-8\n",
			path, plural(d.Invalid, "statement"))
	}
}
