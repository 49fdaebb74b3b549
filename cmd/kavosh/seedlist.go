package main

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"strings"

	"kavosh"
	"kavosh/engine"
	"kavosh/lib/weburl"
	"kavosh/seeds"
)

// shownNotes are the notes on seeds that a person is shown; the log has all bad lines.
const shownNotes = 5

// seedList are the arguments and the lists of --seeds: looked through once, so that whatever ends the crawl before it begins is
// known, and then read as often as they are wanted.
type seedList struct {
	args   []kavosh.Link
	files  []*os.File
	names  []string
	first  string                 // URL of the first good seed; "" for none
	public bool                   // there is a server of somebody else's
	origin map[string]bool        // of the seeds, two of them at most
	logins map[string]seeds.Login // by origin
}

// readSeeds looks through the arguments and the lists that --seeds names. A bad argument is a usage error, for somebody typed it;
// a bad line of a list is left out and told, unless strict.
func (c *crawlCmd) readSeeds(p *program) (s *seedList, err error) {
	s = &seedList{origin: map[string]bool{}, logins: map[string]seeds.Login{}}
	said := 0
	say := func(n seeds.Note) {
		if said++; said <= shownNotes {
			fmt.Fprintln(p.err, "kavosh:", n)
		}
	}
	twice := "" // an origin to which seeds give different names or passwords
	r := seeds.Reader{Note: say, Login: func(l seeds.Login) {
		if had, ok := s.logins[l.Origin]; ok && had != l {
			twice = l.Origin
		}
		s.logins[l.Origin] = l
	}}
	if s.args, err = r.Args(c.Seed); err != nil {
		return nil, usageError{err.Error()}
	}
	for _, link := range s.args {
		s.meet(link)
	}
	var worst error
	r.Bad = func(n seeds.Note) error {
		if c.StrictSeeds {
			return n
		}
		if worst == nil {
			worst = n
		}
		say(n)
		return nil
	}
	for _, path := range c.Seeds {
		if err := s.open(path, p.in); err != nil {
			s.close()
			return nil, usageError{err.Error()}
		}
		good, i := 0, len(s.files)-1
		err := r.Each(s.files[i], s.names[i], func(link kavosh.Link) error {
			good++
			s.meet(link)
			return nil
		})
		if err == nil && good == 0 {
			if err = worst; err == nil {
				err = fmt.Errorf("%s: no URL in it; write one a line, such as https://example.com/", s.names[i])
			}
		}
		if err != nil {
			s.close()
			return nil, usageError{err.Error()}
		}
	}
	if twice != "" {
		s.close()
		return nil, usage("the seeds have several user names or passwords for %s: one is sent there; give it by --credentials", twice)
	}
	if said > shownNotes {
		fmt.Fprintf(p.err, "kavosh: … and %d more such lines\n", said-shownNotes)
	}
	return s, nil
}

// meet remembers what must be known of all seeds.
func (s *seedList) meet(link kavosh.Link) {
	if s.first == "" {
		s.first = link.URL
	}
	if s.public && len(s.origin) > 1 {
		return
	}
	if u, err := weburl.Parse(link.URL); err == nil && len(s.origin) < 2 {
		s.origin[u.Origin()] = true
	}
	s.public = s.public || isPublic(link.URL)
}

// open opens the list at path, or standard input for "-". What cannot be read twice goes to a temporary file.
func (s *seedList) open(path string, stdin io.Reader) error {
	name, in := path, stdin
	if path == "-" {
		name = "standard input"
	} else {
		f, err := os.Open(path)
		if err != nil {
			return fmt.Errorf("seeds: %w; give --seeds the path of a list, or - for standard input", err)
		}
		if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
			s.files, s.names = append(s.files, f), append(s.names, name)
			return nil
		}
		defer f.Close()
		in = f
	}
	f, err := os.CreateTemp("", "kavosh-seeds-")
	if err != nil {
		return err
	}
	s.files, s.names = append(s.files, f), append(s.names, name)
	if err := os.Remove(f.Name()); err != nil { // it lives as long as it is open
		return err
	}
	if _, err := io.Copy(f, in); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	_, err = f.Seek(0, io.SeekStart)
	return err
}

func (s *seedList) close() {
	for _, f := range s.files {
		_ = f.Close() // it was only read, or is gone
	}
}

// all yields the seeds, the arguments first. An *engine.BadSeed is a line that is no seed; any other error ends it.
func (s *seedList) all() iter.Seq2[kavosh.Link, error] {
	return func(yield func(kavosh.Link, error) bool) {
		for _, link := range s.args {
			if !yield(link, nil) {
				return
			}
		}
		enough := errors.New("enough")
		more := func(link kavosh.Link, err error) error {
			if !yield(link, err) {
				return enough
			}
			return nil
		}
		r := seeds.Reader{
			Login: func(seeds.Login) {},
			Bad: func(n seeds.Note) error {
				return more(kavosh.Link{}, &engine.BadSeed{Where: fmt.Sprintf("%s:%d", n.Name, n.Line), Why: n.Text})
			},
		}
		for i, f := range s.files {
			_, err := f.Seek(0, io.SeekStart)
			if err == nil {
				err = r.Each(f, s.names[i], func(link kavosh.Link) error { return more(link, nil) })
			}
			if err == enough {
				return
			}
			if err != nil {
				yield(kavosh.Link{}, err)
				return
			}
		}
	}
}

// readSeed is the seed that a person means by one text; a name without scheme is a host.
func readSeed(r *seeds.Reader, text string) (string, error) {
	links, err := r.Args([]string{text})
	if err != nil {
		return "", errors.New(strings.TrimPrefix(err.Error(), "argument 1: "))
	}
	if len(links) != 1 {
		return "", fmt.Errorf("%q is no URL", text)
	}
	return links[0].URL, nil
}

// seenKey is the URL that a person means, as a crawl would know it.
func seenKey(text string) (string, error) {
	return readSeed(&seeds.Reader{Login: func(seeds.Login) {}}, text)
}
