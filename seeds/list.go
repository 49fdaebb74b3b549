package seeds

// This file opens and checks the seeds of a crawl, from arguments and files, before it begins.

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"net/netip"
	"os"
	"strings"

	"kavosh"
	"kavosh/lib/weburl"
)

// shownNotes is how many notes on seeds a person is shown; the log has all bad lines.
const shownNotes = 5

// mostOrigins bounds List.Origins.
const mostOrigins = 1000

// List is the list of seeds of a crawl, from arguments and files. It is checked once before the crawl begins, and can
// then be read any number of times.
type List struct {
	First   string           // URL of the first good seed; "" if none
	Public  bool             // a seed is on somebody else's server
	Origins map[string]bool  // origins of the seeds, the first mostOrigins of them
	Logins  map[string]Login // by origin

	args  []kavosh.Link
	plan  func(*kavosh.SeedPlan) error // Sources.Plan
	files []*os.File
	names []string
}

// Bad is a line that contains no valid URL.
type Bad struct {
	Where string `json:"bad"` // list and line, such as "seeds.txt:3"
	Why   string `json:"why"`
}

func (b *Bad) Error() string { return b.Where + ": " + b.Why }

// Sources say where seeds come from.
type Sources struct {
	Args   []string                     // one URL each; a bad one is an error, because a person typed it
	Files  []string                     // paths of lists, "-" for standard input; bad lines are reported and skipped, unless Strict
	Plan   func(*kavosh.SeedPlan) error // says what is wrong with what a list says of one seed; nil finds nothing wrong
	Strict bool                         // a bad line in a file is an error
	In     io.Reader                    // standard input
	Tell   func(string)                 // called with what a person should know about lines; may be nil
}

// Open checks all seeds. Its errors are meant for the person who named them. Close the list after use.
func Open(from Sources) (_ *List, err error) {
	s := &List{plan: from.Plan, Origins: map[string]bool{}, Logins: map[string]Login{}}
	defer func() {
		if err != nil {
			s.Close()
		}
	}()
	told := 0
	tell := func(n Note) {
		if told++; told <= shownNotes && from.Tell != nil {
			from.Tell(n.String())
		}
	}
	twice := "" // an origin for which seeds give different names or passwords
	r := Reader{Note: tell, Plan: from.Plan, Login: func(l Login) {
		if had, ok := s.Logins[l.Origin]; ok && had != l {
			twice = l.Origin
		}
		s.Logins[l.Origin] = l
	}}
	if s.args, err = r.Args(from.Args); err != nil {
		return nil, err
	}
	for _, link := range s.args {
		s.remember(link)
	}
	var worst error
	r.Bad = func(n Note) error {
		if from.Strict {
			return n
		}
		if worst == nil {
			worst = n
		}
		tell(n)
		return nil
	}
	for i, path := range from.Files {
		if err := s.open(path, from.In); err != nil {
			return nil, err
		}
		good := 0
		err := r.Each(s.files[i], s.names[i], func(link kavosh.Link) error {
			good++
			s.remember(link)
			return nil
		})
		if err == nil && good == 0 {
			if err = worst; err == nil {
				err = fmt.Errorf("%s: no URL in it; write one a line, such as https://example.com/", s.names[i])
			}
		}
		if err != nil {
			return nil, err
		}
	}
	if twice != "" {
		return nil, fmt.Errorf("the seeds have several user names or passwords for %s: one is sent there; give it by --credentials", twice)
	}
	if told > shownNotes && from.Tell != nil {
		from.Tell(fmt.Sprintf("… and %d more such lines", told-shownNotes))
	}
	return s, nil
}

// remember remembers what List must know of all seeds.
func (s *List) remember(link kavosh.Link) {
	if s.First == "" {
		s.First = link.URL
	}
	if s.Public && len(s.Origins) >= mostOrigins {
		return
	}
	if u, err := weburl.Parse(link.URL); err == nil && len(s.Origins) < mostOrigins {
		s.Origins[u.Origin()] = true
	}
	s.Public = s.Public || isPublic(link.URL)
}

// open opens the list at path, or standard input for "-". What cannot be read twice is copied to a temporary file.
func (s *List) open(path string, stdin io.Reader) error {
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
	if err := os.Remove(f.Name()); err != nil { // the file lives as long as it is open
		return err
	}
	if _, err := io.Copy(f, in); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	_, err = f.Seek(0, io.SeekStart)
	return err
}

// Close closes the lists.
func (s *List) Close() {
	for _, f := range s.files {
		_ = f.Close() // it was only read, or is removed
	}
}

// All yields the seeds, arguments first. A *Bad error is a line without a seed; any other error ends the sequence.
func (s *List) All() iter.Seq2[kavosh.Link, error] {
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
		r := Reader{
			Plan: s.plan, Login: func(Login) {},
			Bad: func(n Note) error {
				return more(kavosh.Link{}, &Bad{Where: fmt.Sprintf("%s:%d", n.Name, n.Line), Why: n.Text})
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

// One returns the seed that a person means by text. Text without a scheme is a host.
func (r *Reader) One(text string) (string, error) {
	links, err := r.Args([]string{text})
	if err != nil {
		return "", errors.New(strings.TrimPrefix(err.Error(), "argument 1: "))
	}
	if len(links) != 1 {
		return "", fmt.Errorf("%q is no URL", text)
	}
	return links[0].URL, nil
}

// Key returns the seen-key of the URL that a person means: without user name and password.
func Key(text string) (string, error) {
	return (&Reader{Login: func(Login) {}}).One(text)
}

// isPublic reports whether a URL looks like a server on the Internet.
func isPublic(url string) bool {
	u, err := weburl.Parse(url)
	if err != nil {
		return false
	}
	host := strings.Trim(u.Hostname(), "[]")
	if a, err := netip.ParseAddr(host); err == nil {
		return a.IsGlobalUnicast() && !a.IsPrivate()
	}
	for _, local := range []string{"localhost", ".example", ".test", ".invalid", ".local", ".internal", ".home.arpa"} {
		if host == strings.TrimPrefix(local, ".") || strings.HasSuffix(host, local) {
			return false
		}
	}
	return strings.Contains(host, ".")
}
