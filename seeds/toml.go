package seeds

// This file reads lists of seeds in TOML, which say of each seed what holds for it alone.

import (
	"bytes"
	"errors"
	"io"
	"regexp"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"kavosh"
	"kavosh/lib/spelling"
)

// maxTOML is the largest list in TOML, in bytes: it is read as a whole.
const maxTOML = 16 << 20

// tomlSeed is one [[seed]] of a list.
type tomlSeed struct {
	URL       string   `toml:"url"`
	Rules     []string `toml:"rules"`
	Depth     *int     `toml:"depth"`
	ExtraHops int      `toml:"extra-hops"`
	Priority  float64  `toml:"priority"`
}

// plan returns what the list says of a seed; nil if it says nothing.
func (s *tomlSeed) plan() *kavosh.SeedPlan {
	if len(s.Rules) == 0 && s.Depth == nil && s.ExtraHops == 0 && s.Priority == 0 {
		return nil
	}
	return &kavosh.SeedPlan{Rules: s.Rules, Depth: s.Depth, ExtraHops: s.ExtraHops, Priority: s.Priority}
}

// isTOML reports whether a list with that name is TOML, and else has a URL a line.
func isTOML(name string) bool { return strings.HasSuffix(strings.ToLower(name), ".toml") }

// seedTable matches the line with which each seed begins.
var seedTable = regexp.MustCompile(`(?m)^[ \t]*\[\[[ \t]*(seed|"seed"|'seed')[ \t]*\]\]`)

// eachTOML is Reader.Each for a list in TOML.
func (l *list) eachTOML(in io.Reader, f func(kavosh.Link) error) error {
	text, err := io.ReadAll(io.LimitReader(in, maxTOML+1))
	if l.line = 1; err != nil {
		return l.note("%v", err)
	}
	if len(text) > maxTOML {
		return l.note("larger than 16 MiB; write seeds of which there is nothing to say in a list with one URL a line")
	}
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	var all struct {
		Seed []tomlSeed `toml:"seed"`
	}
	if err := toml.NewDecoder(bytes.NewReader(text)).DisallowUnknownFields().Decode(&all); err != nil {
		return l.tomlMistake(err)
	}
	tables := seedTable.FindAllIndex(text, len(all.Seed))
	at := 0
	for i := range all.Seed {
		s := &all.Seed[i]
		if i < len(tables) {
			l.line += bytes.Count(text[at:tables[i][1]], []byte("\n"))
			at = tables[i][1]
		}
		link, err := l.readTOML(s)
		if bad, isNote := err.(Note); isNote && l.Bad != nil {
			if err := l.Bad(bad); err != nil {
				return err
			}
			continue
		}
		if err == nil {
			err = f(link)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// readTOML returns the link of a seed. The error is a Note.
func (l *list) readTOML(s *tomlSeed) (kavosh.Link, error) {
	plan := s.plan()
	if plan != nil && l.Plan != nil {
		if err := l.Plan(plan); err != nil {
			return kavosh.Link{}, l.note("%v", err)
		}
	}
	link, ok, err := l.read([]byte(s.URL))
	if err == nil && !ok {
		err = l.note("a seed without a URL: write url = \"https://example.com/\"")
	}
	link.Plan = plan
	return link, err
}

// tomlMistake says what is wrong with the whole list, and in which line.
func (l *list) tomlMistake(err error) error {
	var strict *toml.StrictMissingError
	if errors.As(err, &strict) && len(strict.Errors) > 0 {
		e := &strict.Errors[0]
		l.line, _ = e.Position()
		key := e.Key()
		if len(key) > 0 && key[0] == "seed" {
			return l.note("a seed has no setting %q%s", key[len(key)-1], spelling.OrOneOf(key[len(key)-1], []string{"url", "rules", "depth", "extra-hops", "priority"}))
		}
		return l.note("begin each seed with a line [[seed]]; %s belongs to no seed (settings of the whole crawl go into a file for --config)", strings.Join(strings.Fields(strings.Join(key, ".")), " "))
	}
	var at *toml.DecodeError
	if errors.As(err, &at) {
		line, column := at.Position()
		l.line = line
		return l.note("column %d: %s", column, tomlText(at))
	}
	return l.note("%s", tomlText(err))
}

// tomlText is what the reader of TOML says, on one line.
func tomlText(err error) string {
	return strings.TrimPrefix(strings.Join(strings.Fields(err.Error()), " "), "toml: ")
}
