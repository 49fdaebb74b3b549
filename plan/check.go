package plan

// This file checks the values of a crawl's plan.

import (
	"fmt"
	"strings"

	"kavosh/frontier/scope"
	"kavosh/lib/units"
	"kavosh/schedule"
)

// Mistake is an error in a plan. Its text is one line that names the key and the fix.
type Mistake struct{ err error }

func (m *Mistake) Error() string {
	return strings.NewReplacer("\r", " ", "\n", " ").Replace(m.err.Error())
}

// Unwrap returns the error that the Mistake holds, for errors.Is and errors.As.
func (m *Mistake) Unwrap() error { return m.err }

func mistake(format string, args ...any) error { return &Mistake{fmt.Errorf(format, args...)} }

// Wrong returns err as a Mistake; nil if err is nil.
func Wrong(err error) error {
	if err == nil {
		return nil
	}
	return &Mistake{err}
}

// Check returns a Mistake if a value is invalid, if values contradict each other or if a secret is missing; else nil.
// It does not read the files that the plan names.
func (p *Plan) Check() error {
	for _, k := range keys {
		if err := k.check(p); err != nil {
			return err
		}
		if strings.Contains(p.Text(&k), Hidden) {
			return mistake("the value of --%s was not kept, since it is secret: give it again", k.Name)
		}
	}
	if err := p.checkRevisit(); err != nil {
		return err
	}
	if err := p.checkPatch(); err != nil {
		return err
	}
	switch {
	case len(p.Rule) > scope.MaxRules:
		return mistake("--rule: %d are more than %d: join some by | in a regular expression", len(p.Rule), scope.MaxRules)
	case p.Robots == "record" && strings.TrimSpace(p.Reason) == "":
		return mistake("--robots record needs --reason: say by what right, such as --reason 'legal deposit act, §3'; it is kept in the archive")
	case p.Robots == "obey" && p.Reason != "":
		return mistake("--reason goes with --robots record; robots.txt is obeyed otherwise and needs no reason")
	case p.Render != "" && p.Browser == "never":
		return mistake("--render goes with --browser always, or auto: only a page in the browser looks like something")
	case p.Identity != "" && p.SignatureAgent == "":
		return mistake("--identity needs --signature-agent: say where servers find the public key, such as --signature-agent https://bot.example.org")
	case p.SignatureAgent != "" && p.Identity == "":
		return mistake("--signature-agent goes with --identity: give the key's file too, which kavosh identity new makes")
	}
	return nil
}

// checkPatch returns what does not go with --patch.
func (p *Plan) checkPatch() error {
	switch {
	case p.Patch == NoPatch:
		return nil
	case p.Archive == "":
		return mistake("--patch needs --archive: name the folder of the archive to mend")
	case len(p.Seed)+len(p.Seeds) > 0:
		return mistake("--patch finds by itself what to ask for: leave the seeds out")
	case p.Revisit != "":
		return mistake("--patch mends what the archive has, and --revisit goes on with what the crawl itself fetches: leave one of them out")
	case p.Only != nil:
		return mistake("--patch keeps all that it asks for, and --only leaves pages out: leave one of them out")
	}
	return nil
}

// check returns what is wrong with the value of one key, or nil.
func (k *Key) check(p *Plan) error {
	if err := units.Check(k.in(p), k.field.Tag.Get); err != nil {
		return mistake("--%s %w", k.Name, err)
	}
	if k.field.Tag.Get("pattern") == "yes" {
		for _, text := range k.written(p) {
			if _, err := scope.Pattern(text); err != nil {
				return mistake("--%s %w", k.Name, err)
			}
		}
	}
	return nil
}

// ScopeOptions returns the plan's options for frontier/scope: which URLs the crawl may visit.
func (p *Plan) ScopeOptions() scope.Options {
	return scope.Options{
		Mode: p.Scope, Include: p.Include, Exclude: p.Exclude, Rules: p.Rule, MaxHops: int(p.MaxHops), ObeyNoFollow: p.Nofollow == "obey",
		NearDuplicates: p.NearDuplicates, Since: p.Since.At,
	}
}

// GoesOnFrom returns a Mistake if p, the plan of a resumed crawl, changes a value of was, the plan it began with, that
// must never change.
func (p *Plan) GoesOnFrom(was *Plan) error {
	if (p.Revisit == "") != (was.Revisit == "") || (p.Revisit == schedule.Once) != (was.Revisit == schedule.Once) {
		return mistake("--revisit cannot begin or end when a crawl resumes, as it has to know of every page what was found: leave it out, or begin a new crawl into the archive, without --resume")
	}
	for _, k := range keys {
		if now, before := p.Text(&k), was.Text(&k); k.Change == "never" && now != before {
			return mistake("--%s cannot change when a crawl resumes (it began with %q): leave it out, or begin a new crawl without --resume", k.Name, before)
		}
	}
	return nil
}
