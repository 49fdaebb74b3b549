package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"kavosh"
	"kavosh/access"
	"kavosh/archive"
	"kavosh/internal/clock"
	"kavosh/internal/disk"
	"kavosh/lib/packed"
	"kavosh/lib/rdf"
	"kavosh/lib/rdf/format"
	"kavosh/lib/rdf/jsonld"
	"kavosh/quads"
)

// rdfSource is where statements come from: the store of an archive or of WARC files, or else loose RDF files.
type rdfSource struct {
	archive string       // its folder; "" for files
	public  access.Sight // what of the archive everybody may see
	store   *quads.Store
	source  *archive.Source // of what is in it
	done    func() error    // closes it

	files  []string // - is standard input
	in     io.Reader
	base   string // of files; "" for their own
	told   io.Writer
	broken bool // one of files was
}

// openRDF opens what args name: one archive, WARC files or folders of them, or RDF files.
func openRDF(ctx context.Context, p *program, args []string, base string) (*rdfSource, error) {
	s := &rdfSource{in: p.in, told: p.err, base: base}
	var web []string
	for _, arg := range args {
		is, err := isArchive(arg)
		if err != nil {
			return nil, err
		}
		info, err := os.Stat(arg)
		switch {
		case err != nil && arg != "-" && !isRDFFile(arg) && !archive.IsWebFile(arg) && missing(arg) != nil:
			return nil, missing(arg)
		case err != nil:
			s.files = append(s.files, arg) // told with the others that are broken
		case is:
			s.archive = arg
		case info.IsDir():
			files, err := archive.FilesBelow(arg, archive.IsWebFile)
			if err != nil {
				return nil, err
			}
			web = append(web, files...)
			if len(files) > 0 {
				continue
			}
			if files, err = archive.FilesBelow(arg, isRDFFile); err != nil {
				return nil, err
			}
			if len(files) == 0 {
				return nil, fmt.Errorf("%s is no archive (it has no archive.json) and holds no WARC, ARC or WACZ files, nor any that end like RDF or HTML", arg)
			}
			s.files = append(s.files, files...)
		case archive.IsWebFile(arg):
			web = append(web, arg)
		default:
			s.files = append(s.files, arg)
		}
	}
	kinds := 0
	for _, is := range []bool{s.archive != "", len(web) > 0, len(s.files) > 0} {
		if is {
			kinds++
		}
	}
	switch {
	case kinds == 0:
		return nil, usage("statements of what? name an archive's folder, or RDF files")
	case kinds > 1 || s.archive != "" && len(args) > 1:
		return nil, usage("name one archive, or WARC files, or RDF files")
	case s.archive == "" && len(web) == 0:
		return s, nil
	case base != "":
		return nil, usage("--base is for RDF files: what is archived has its own URL")
	}
	line := newProgress(p.err)
	defer line.stop()
	var err error
	if s.archive != "" {
		s.public, err = archive.Public(s.archive)
	} else {
		err = archive.OutsideArchives(web)
	}
	if err == nil {
		s.source = &archive.Source{Dir: s.archive, Files: web, Trouble: func(text string) { line.say("%s", text) },
			Broken: func(path string, err error) error { return fmt.Errorf("%s: %w", path, err) }}
		err = s.follow(ctx, line)
	}
	if err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

// follow opens the store and puts into it what its source has gained.
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
	s.store, s.done = g.Store, done
	if err := s.source.Follow(ctx, g, archive.Following{Clock: clock.Real{}, Added: line.count("read for statements")}); err != nil {
		return err
	}
	return g.Settle(ctx)
}

// close closes the store, if there is one.
func (s *rdfSource) close() (err error) {
	if s.store != nil {
		err = s.done()
	}
	if s.source != nil {
		err = errors.Join(err, s.source.Close())
	}
	return err
}

// match gives the statements that a pattern asks for: those of an archive sorted, those of files as they come.
func (s *rdfSource) match(ctx context.Context, pattern quads.Pattern, yield func(rdf.Quad) error) error {
	if s.store != nil {
		return s.statements(ctx, s.store.Match(pattern), yield)
	}
	return s.read(ctx, func(_ string, q rdf.Quad) error {
		if !pattern.Matches(q) {
			return nil
		}
		return yield(q)
	}, func(quads.Document) {})
}

// survey counts what is there.
func (s *rdfSource) survey(ctx context.Context, survey *quads.Survey) error {
	if s.store == nil {
		return s.read(ctx, func(url string, q rdf.Quad) error {
			q.Graph = rdf.Term{Kind: rdf.IRI, Value: url}
			survey.Statement(q)
			return nil
		}, func(d quads.Document) { survey.Document(&d) })
	}
	add := func(q rdf.Quad) error {
		survey.Statement(q)
		return nil
	}
	if err := s.statements(ctx, s.store.ByGraph(), add); err != nil {
		return err
	}
	return s.documents(ctx, func(d quads.Document) error {
		survey.Document(&d)
		return nil
	})
}

// eachRow gives rows until the first error, or until somebody interrupts.
func eachRow[T any](ctx context.Context, rows iter.Seq2[T, error], yield func(T) error) error {
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

// read gives the statements of the loose files, each with the URL of its file, and what came of reading it. Of a file
// that is broken a line is told.
func (s *rdfSource) read(ctx context.Context, yield func(url string, q rdf.Quad) error, done func(quads.Document)) error {
	for i, path := range s.files {
		label := ""
		if len(s.files) > 1 {
			label = fmt.Sprintf("f%dx", i+1)
		}
		d, err := s.file(ctx, path, label, yield)
		if err != nil {
			return err
		}
		if d.Fault != "" {
			s.broken = true
			if _, err := fmt.Fprintf(s.told, "kavosh: %s: %s\n", path, strings.Join(strings.Fields(d.Fault), " ")); err != nil {
				return err
			}
		}
		if d.Invalid > 0 {
			if _, err := fmt.Fprintf(s.told, "kavosh: %s: %s left out, with an IRI that is none or text that is no UTF-8\n", path, plural(d.Invalid, "statement")); err != nil {
				return err
			}
		}
		done(d)
	}
	return nil
}

// file gives the statements of a loose file, its blank nodes' labels after label.
func (s *rdfSource) file(ctx context.Context, path, label string, yield func(url string, q rdf.Quad) error) (d quads.Document, err error) {
	file := s.in
	if path == "-" {
		path = "/dev/stdin"
	} else if f, err := os.Open(path); err != nil {
		d.Fault = cause(err).Error()
	} else {
		defer f.Close()
		file = f
	}
	if d.URL = s.base; d.URL == "" {
		if d.URL, err = fileURL(path); err != nil {
			return d, err
		}
	}
	if d.Fault != "" {
		return d, nil
	}
	var contexts jsonld.Contexts // standard input has no neighbours
	if path != "/dev/stdin" {
		contexts = s.contexts(path, d.URL)
	}
	in := until(ctx, file)
	defer in.Close()
	body := bufio.NewReader(in)
	_, empty := body.Peek(1)
	d.Reading, err = quads.Read(quads.Payload{URL: d.URL, Name: path, Body: body, Contexts: contexts}, func(q rdf.Quad) error {
		return yield(d.URL, quads.Apart(q, label))
	})
	if err == nil {
		err = ctx.Err()
	}
	if d.Class == kavosh.ClassOther && d.Fault == "" && empty == nil {
		d.Fault = "neither RDF nor HTML"
	}
	return d, err
}

// until is in until ctx ends, even while a pipe has nothing to give.
func until(ctx context.Context, in io.Reader) io.ReadCloser {
	out, pipe := io.Pipe()
	stop := context.AfterFunc(ctx, func() { pipe.CloseWithError(ctx.Err()) })
	go func() {
		_, err := io.Copy(pipe, in)
		stop()
		pipe.CloseWithError(err)
	}()
	return out
}

// maxContext is how many bytes of a file with a context are read: one more than jsonld takes.
const maxContext = 8<<20 + 1

// contexts has the JSON-LD contexts for a loose file that stands at own: the other files that were named, by their
// URLs; and what lies in its folder or below, where the context's URL lies in the same place below that of own. Nothing
// else is opened: a document has no say in what is read of its reader's files.
func (s *rdfSource) contexts(path, own string) jsonld.Contexts {
	return func(context string) (document []byte, ok bool) {
		context, _, _ = strings.Cut(context, "#")
		var f *os.File
		var err error
		if named := s.named(context); named != "" {
			f, err = os.Open(named)
		} else {
			below, ok := strings.CutPrefix(context, own[:strings.LastIndexByte(own, '/')+1])
			name, bad := url.PathUnescape(below)
			if !ok || bad != nil {
				return nil, false
			}
			f, err = os.OpenInRoot(filepath.Dir(path), filepath.FromSlash(name))
		}
		if err != nil {
			return nil, false
		}
		defer f.Close()
		if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
			return nil, false
		}
		document, err = io.ReadAll(io.LimitReader(f, maxContext))
		return document, err == nil
	}
}

// named is the file among those named that has a URL; "" for none.
func (s *rdfSource) named(url string) string {
	if s.base != "" || !strings.HasPrefix(url, "file:") {
		return ""
	}
	for _, path := range s.files {
		if own, err := fileURL(path); err == nil && own == url {
			return path
		}
	}
	return ""
}

// twice reports whether the statements can be read again: what comes through a pipe cannot.
func (s *rdfSource) twice() bool {
	return !slices.ContainsFunc(s.files, func(path string) bool {
		info, err := os.Stat(path)
		return path == "-" || err == nil && !info.Mode().IsRegular()
	})
}

// isRDFFile reports whether a file is RDF or HTML by its name.
func isRDFFile(path string) bool { return format.Said("", packed.Inside(path)) != format.None }

// fileURL is the URL of a local file.
func fileURL(path string) (string, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	return (&url.URL{Scheme: "file", Path: "/" + strings.TrimPrefix(filepath.ToSlash(abs), "/")}).String(), nil
}
