package plan

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"kavosh/frontier/scope"
	"kavosh/lib/units"
)

// Mistake is what is wrong with a plan: one line that names the key and the fix.
type Mistake struct{ err error }

func (m *Mistake) Error() string {
	return strings.NewReplacer("\r", " ", "\n", " ").Replace(m.err.Error())
}

// Unwrap is what a parser of a value said.
func (m *Mistake) Unwrap() error { return m.err }

func mistake(format string, args ...any) error { return &Mistake{fmt.Errorf(format, args...)} }

// Wrong is a Mistake that somebody else found.
func Wrong(err error) error {
	if err == nil {
		return nil
	}
	return &Mistake{err}
}

// Check says what is wrong with a plan: a value that cannot be, or values that do not go together. What lies in files that it names
// is not looked at.
func (p *Plan) Check() error {
	for _, k := range keys {
		if err := k.check(p); err != nil {
			return err
		}
		if strings.Contains(p.Text(&k), Hidden) {
			return mistake("the value of --%s was not kept, since it is secret: give it again", k.Name)
		}
	}
	switch {
	case p.Robots == "record" && strings.TrimSpace(p.Reason) == "":
		return mistake("--robots record needs --reason: say by what right, such as --reason 'legal deposit act, §3'; it is kept in the archive")
	case p.Robots == "obey" && p.Reason != "":
		return mistake("--reason goes with --robots record; robots.txt is obeyed otherwise and needs no reason")
	}
	return nil
}

// check says what is wrong with the value of one key.
func (k *Key) check(p *Plan) error {
	if err := units.Check(k.in(p), k.field.Tag.Get); err != nil {
		return mistake("--%s %w", k.Name, err)
	}
	if k.field.Tag.Get("pattern") == "yes" {
		for _, text := range k.written(p) {
			if err := Pattern(text); err != nil {
				return mistake("--%s %w", k.Name, err)
			}
		}
	}
	return nil
}

// Pattern says what is wrong with a regular expression of which a person expects that it chooses some URLs and not all.
func Pattern(text string) error {
	if text == "" {
		return errors.New("is empty, and would be found in every URL: leave it out, or write . for all")
	}
	if _, err := regexp.Compile(text); err != nil {
		return fmt.Errorf("%q: it is no regular expression (%w); quote special characters such as ? by a backslash", text, err)
	}
	return nil
}

// ScopeOptions are how far the crawl goes.
func (p *Plan) ScopeOptions() scope.Options {
	return scope.Options{
		Mode: p.Scope, Include: p.Include, Exclude: p.Exclude, MaxHops: int(p.MaxHops), ObeyNoFollow: p.Nofollow == "obey",
		NearDuplicates: p.NearDuplicates,
	}
}

// GoesOnFrom says what of a plan is otherwise than in the plan of the crawl that it goes on with, and cannot change.
func (p *Plan) GoesOnFrom(was *Plan) error {
	for _, k := range keys {
		if now, before := p.Text(&k), was.Text(&k); k.Change == "never" && now != before {
			return mistake("--%s cannot change when a crawl resumes (it began with %q): leave it out, or begin a new crawl without --resume", k.Name, before)
		}
	}
	return nil
}
