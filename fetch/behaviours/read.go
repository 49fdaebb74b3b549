package behaviours

// This file reads packs, and says where one is wrong and what to write instead.

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/pelletier/go-toml/v2"

	"kavosh/lib/spelling"
	"kavosh/lib/units"
)

// Bounds of a pack. It is written by people, but may come from anywhere.
const (
	maxPack  = 1 << 20
	maxRules = 1000
	maxPacks = 100
	maxTexts = 1000 // selectors or words of one list
	maxText  = 500  // bytes of one of them
)

// Mistake is what is wrong with a pack.
type Mistake struct {
	File string
	Line int // 0 if it is about the whole file
	Text string
}

func (m *Mistake) Error() string {
	if m.Line == 0 {
		return fmt.Sprintf("%s: %s", m.File, m.Text)
	}
	return fmt.Sprintf("%s, line %d: %s", m.File, m.Line, m.Text)
}

// BuiltIn returns the pack that comes with the program, for every site.
func BuiltIn() *Pack {
	p, err := Read("everywhere.toml", everywhere)
	if err != nil {
		panic(err) // a test reads it
	}
	return p
}

// Load returns the packs that values of --behaviours name after the one that comes with the program: files, and folders
// with *.toml files. "off", which must stand alone, is nil, and no behaviour. The error names the file, the line and the
// fix.
func Load(values []string) (*Set, error) {
	if slices.Contains(values, "off") {
		if len(values) > 1 {
			return nil, errors.New("off and packs do not go together: give one or the other")
		}
		return nil, nil
	}
	packs := []*Pack{BuiltIn()}
	for _, value := range values {
		files, err := filesOf(value)
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			p, err := readFile(file)
			if err != nil {
				return nil, err
			}
			if slices.ContainsFunc(packs, func(other *Pack) bool { return other.Name == p.Name }) {
				return nil, &Mistake{File: file, Text: fmt.Sprintf("there is another pack with the name %q: give this one a name of its own", p.Name)}
			}
			if packs = append(packs, p); len(packs) > maxPacks {
				return nil, fmt.Errorf("more than %d packs: join some", maxPacks)
			}
		}
	}
	return NewSet(packs...), nil
}

// filesOf returns the file that a value names, or those of a folder, by name.
func filesOf(value string) ([]string, error) {
	info, err := os.Stat(value)
	if err != nil {
		return nil, fmt.Errorf("no pack can be read there (%w): name a file, a folder with *.toml files, or off", err)
	}
	if !info.IsDir() {
		return []string{value}, nil
	}
	entries, err := os.ReadDir(value)
	if err != nil {
		return nil, err
	}
	var files []string
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".toml") {
			files = append(files, filepath.Join(value, e.Name()))
		}
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("the folder %s has no *.toml file: put packs into it, or name another", value)
	}
	return files, nil
}

func readFile(name string) (*Pack, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxPack+1))
	if err != nil {
		return nil, err
	}
	return Read(name, text)
}

// Read reads a pack; name is that of its file, for mistakes. An error is a *Mistake.
func Read(name string, text []byte) (*Pack, error) {
	m := &Mistake{File: name}
	if len(text) > maxPack {
		m.Text = "larger than 1 MiB; make several packs of it"
		return nil, m
	}
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	p := new(Pack)
	if err := toml.NewDecoder(bytes.NewReader(text)).DisallowUnknownFields().Decode(p); err != nil {
		m.explain(err)
		return nil, m
	}
	for _, head := range []struct{ key, value, such string }{
		{"name", p.Name, "news"}, {"version", p.Version, "1"}, {"source", p.Source, "our library, from the pages of example.org"},
	} {
		if head.value == "" {
			m.Text = fmt.Sprintf("a pack has a %s: write %s = %q at the top", head.key, head.key, head.such)
			return nil, m
		}
	}
	if !isPlain(p.Name) || !isPlain(p.Version) {
		m.Text = "name and version are of letters, digits, dots and hyphens, at most 40"
		return nil, m
	}
	if len(p.Rules) > maxRules {
		m.Text = fmt.Sprintf("more than %d behaviours; make several packs of them", maxRules)
		return nil, m
	}
	for _, list := range [][]string{p.Never.Say, p.Never.Ask} {
		if m.Text = checkTexts(list); m.Text != "" {
			return nil, m
		}
	}
	tables := behaviourTable.FindAllIndex(text, len(p.Rules))
	for i := range p.Rules {
		if i < len(tables) {
			m.Line = 1 + bytes.Count(text[:tables[i][1]], []byte("\n"))
		}
		if m.Text = p.Rules[i].complete(); m.Text != "" {
			return nil, m
		}
	}
	return p, nil
}

var plain = regexp.MustCompile(`^[\pL\pN][\pL\pN.-]*$`)

// isPlain reports whether a text is a name or a version, which stand in notes and in lists.
func isPlain(text string) bool { return utf8.RuneCountInString(text) <= 40 && plain.MatchString(text) }

// behaviourTable matches the line with which each behaviour begins.
var behaviourTable = regexp.MustCompile(`(?m)^[ \t]*\[\[[ \t]*(behaviour|"behaviour"|'behaviour')[ \t]*\]\]`)

// explain sets line and text from an error of the reader of TOML.
func (m *Mistake) explain(err error) {
	said := func(err error) string {
		return strings.TrimPrefix(strings.Join(strings.Fields(err.Error()), " "), "toml: ")
	}
	var strict *toml.StrictMissingError
	var at *toml.DecodeError
	switch {
	case errors.As(err, &strict) && len(strict.Errors) > 0:
		e := &strict.Errors[0]
		m.Line, _ = e.Position()
		known := []string{"name", "version", "source", "never", "behaviour"}
		key := e.Key()
		if len(key) > 1 && key[0] == "behaviour" {
			known = []string{"name", "sites", "do", "find", "not", "say", "steps", "close", "accept", "times", "requests", "time", "pause", "idle"}
		} else if len(key) > 1 && key[0] == "never" {
			known = []string{"say", "ask"}
		}
		last := ""
		if len(key) > 0 {
			last = key[len(key)-1]
		}
		m.Text = fmt.Sprintf("there is no setting %q here%s", last, spelling.OrOneOf(last, known))
	case errors.As(err, &at):
		m.Line, _ = at.Position()
		m.Text = said(at)
	default:
		m.Text = said(err)
	}
}

// complete gives a rule its defaults. It returns what is wrong with it, and the fix; "" if nothing is.
func (r *Rule) complete() string {
	switch {
	case r.Name == "":
		return `a behaviour has a name: write name = "menus"`
	case r.Name != "*" && !isPlain(r.Name):
		return "the name is of letters, digits, dots and hyphens, at most 40"
	case r.Name == "*" && r.Do != Nothing:
		return `the name "*" means all behaviours, to turn them off: write do = "nothing", or another name`
	case len(r.Sites) == 0:
		return `a behaviour has sites: write sites = ["*"] for all, or ["www.example.org", ".example.net", "https://example.com/news/"]`
	case r.Do == "":
		return "a behaviour does something: write do" + spelling.OrOneOf("", actions)
	case !slices.Contains(actions, string(r.Do)):
		return fmt.Sprintf("do = %q is not known%s", r.Do, spelling.OrOneOf(string(r.Do), actions))
	case len(r.Find) == 0 && r.Do != Scroll && r.Do != Nothing:
		return `say what is acted on, by CSS selectors: write find = ["button.more"]`
	case r.Do != Dismiss && len(r.Steps)+len(r.Close)+len(r.Accept) > 0:
		return `steps, close and accept go with do = "dismiss": take them out`
	case r.Do == Dismiss && len(r.Say)+len(r.Close)+len(r.Accept) == 0:
		return `say what the buttons of banners say: write say = ["reject all"] for those that refuse`
	case len(r.Steps) > 0 && len(r.Say) == 0:
		return `steps lead to a button that refuses: write say = ["reject all"], too`
	case len(r.Steps) > mostSteps:
		return fmt.Sprintf("%d steps are more than %d", len(r.Steps), mostSteps)
	}
	for i, site := range r.Sites {
		site = strings.ToLower(site)
		if site == "" || strings.ContainsAny(site, " \t") || strings.Contains(site, "*") && site != "*" || !strings.Contains(site, "://") && strings.Contains(site, "/") {
			return fmt.Sprintf(`%q is no site: write "*", a host, a domain with a dot before it, or how URLs begin, such as "https://example.org/news/"`, r.Sites[i])
		}
		if !strings.Contains(site, "://") {
			r.Sites[i] = site
		}
	}
	lists := [][]string{r.Sites, r.Find, r.Not, r.Say, r.Close, r.Accept}
	for _, step := range r.Steps {
		if len(step) == 0 {
			return `a step has no words: write steps = [["cookie settings"]]`
		}
		lists = append(lists, step)
	}
	for _, list := range lists {
		if wrong := checkTexts(list); wrong != "" {
			return wrong
		}
	}
	for _, n := range []struct {
		key         string
		value       *int
		usual, most int
	}{{"times", &r.Times, 50, mostTimes}, {"requests", &r.Requests, 200, mostRequests}, {"idle", &r.Idle, 20, mostIdle}} {
		*n.value = cmp.Or(*n.value, n.usual)
		if *n.value < 1 || *n.value > n.most {
			return fmt.Sprintf("%s = %d is not from 1 to %d", n.key, *n.value, n.most)
		}
	}
	for _, d := range []struct {
		key         string
		value       *units.Span
		usual, most time.Duration
	}{{"time", &r.Time, 20 * time.Second, mostTime}, {"pause", &r.Pause, 100 * time.Millisecond, mostPause}} {
		*d.value = cmp.Or(*d.value, units.Span(d.usual))
		if *d.value < 0 || time.Duration(*d.value) > d.most {
			return fmt.Sprintf("%s is not from 0 to %v", d.key, d.most)
		}
	}
	r.TimeMS, r.PauseMS = time.Duration(r.Time).Milliseconds(), time.Duration(r.Pause).Milliseconds()
	return ""
}

// checkTexts returns what is wrong with the texts of a list; "" if nothing is.
func checkTexts(list []string) string {
	if len(list) > maxTexts {
		return fmt.Sprintf("a list has more than %d texts", maxTexts)
	}
	for _, text := range list {
		if strings.TrimSpace(text) == "" || len(text) > maxText {
			return fmt.Sprintf("a text of a list is empty or longer than %d bytes: take it out", maxText)
		}
	}
	return ""
}
