package main

// This file is the command kavosh access: it changes and explains who may see what of an archive. Package access
// decides.

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh"
	"kavosh/access"
	"kavosh/index"
	"kavosh/internal/clock"
	"kavosh/lib/cdx"
	"kavosh/lib/weburl"
)

type accessCmd struct {
	target
	Args  []string `arg:"" optional:"" name:"archive-and-command" help:"The archive's folder, then the command."`
	Until moment   `placeholder:"DATE" help:"add embargo: until then, such as 2030-01-01 or 1408/10/12."`
	After string   `placeholder:"LENGTH" help:"add embargo: this long after each capture, such as 2y, 6m (months), 8w or 90d."`
	Why   string   `placeholder:"TEXT" help:"Why, for those who read the log later; readers of the archive do not see it."`
	JSON  bool     `name:"json" help:"Print rules, decisions or the answer as JSON, one object a line."`
}

// Help returns the text above the flags in the help.
func (accessCmd) Help() string {
	return `Says who may see what of an archive. Commands:

    kavosh access ARCHIVE list                          the rules in force
    kavosh access ARCHIVE add takedown https://example.org/a --why 'letter of 3 May'
    kavosh access ARCHIVE add takedown 'https://example.org/private/*'      all that begins so
    kavosh access ARCHIVE add on-site example.org       a host, at any port
    kavosh access ARCHIVE add metadata '*.example.org'  a domain: the host and all under it
    kavosh access ARCHIVE add embargo '*' --after 2y    the whole collection, two years after each capture
    kavosh access ARCHIVE add embargo news.example.org --until 2030-01-01
    kavosh access ARCHIVE add takedown sha256:…         all with this content, whatever its address
    kavosh access ARCHIVE add open 'https://example.org/press/*'            but this is open
    kavosh access ARCHIVE remove 12 --why 'withdrawn'
    kavosh access ARCHIVE why https://example.org/a     who sees its captures, and by which rule
    kavosh access ARCHIVE log                           who decided what, when
    kavosh access ARCHIVE accept                        accept what can be read of damaged decisions; until then, all is closed

    open       everybody sees it; without a rule, all is open
    metadata   lists show its address and times, but nobody sees its content
    on-site    as metadata, but readers at the addresses of kavosh serve --on-site see it
    embargo    as metadata until its end, then open
    takedown   nobody sees it, and no list shows it

The most specific rule counts: a URL before a prefix, a longer prefix before a
shorter one, then the host, then its domain, and last the collection. A rule
about content can only close. Rules ignore the difference between http and
https, with or without www., capitals, a slash at the end and the order of a
query. A running server follows a new rule within a second. Exports leave out
what is not open to everybody.`
}

// Run adds, removes, lists or explains rules.
func (c *accessCmd) Run(p *program) error {
	dir, rest, err := c.archive(c.Args)
	if err != nil {
		return err
	}
	word := "list"
	if len(rest) > 0 {
		word, rest = rest[0], rest[1:]
	}
	switch {
	case word == "list" && len(rest) == 0:
		return c.list(p, dir)
	case word == "log" && len(rest) == 0:
		return c.log(p, dir)
	case word == "add" && len(rest) >= 2:
		return c.add(p, dir, rest[0], rest[1:])
	case word == "remove" && len(rest) >= 1:
		return c.remove(p, dir, rest)
	case word == "accept" && len(rest) == 0:
		return c.accept(p, dir)
	case word == "why" && len(rest) == 1:
		return c.why(p, dir, rest[0])
	}
	return usage("write it as kavosh access %s list | log | add ACCESS TARGET… | remove NUMBER… | why URL | accept; kavosh access --help tells more", dir)
}

// add adds a rule for each target.
func (c *accessCmd) add(p *program, dir, word string, targets []string) error {
	d := access.Decision{Do: "add", Access: kavosh.Access(word), After: c.After, Why: c.Why, Until: c.Until.Time}
	var decisions []access.Decision
	for _, text := range targets {
		var err error
		if d.Target, err = access.ParseTarget(text); err == nil {
			err = d.Check()
		}
		if err != nil {
			return usageError{err.Error()}
		}
		decisions = append(decisions, d)
	}
	return c.decide(p, dir, decisions)
}

func (c *accessCmd) remove(p *program, dir string, numbers []string) error {
	var decisions []access.Decision
	for _, text := range numbers {
		n, err := listed(text, "a rule", "access "+dir)
		if err != nil {
			return err
		}
		decisions = append(decisions, access.Decision{Do: "remove", ID: n, Why: c.Why})
	}
	return c.decide(p, dir, decisions)
}

// decide writes decisions and prints them.
func (c *accessCmd) decide(p *program, dir string, decisions []access.Decision) error {
	done, err := access.Decide(vfs.Default, dir, clock.Real{}, whoami(), decisions...)
	if err != nil {
		return err
	}
	for i := range done {
		if err := c.print(p, &done[i]); err != nil {
			return err
		}
	}
	return nil
}

// print prints a decision.
func (c *accessCmd) print(p *program, d *access.Decision) error {
	if c.JSON {
		return json.NewEncoder(p.out).Encode(d)
	}
	_, err := fmt.Fprintln(p.out, sentence(d))
	return err
}

// sentence returns a decision in words.
func sentence(d *access.Decision) string {
	what := "taken back"
	if d.Do == "add" {
		what = d.String()
	}
	why := ""
	if d.Why != "" {
		why = ": " + d.Why
	}
	return fmt.Sprintf("%d  %s (%s, %s%s)", d.ID, what, d.Who, d.Time.Local().Format("2006-01-02 15:04"), why)
}

// rules returns the rules of the archive that are in force.
func rules(dir string) (*access.Rules, error) {
	return access.Follow(vfs.Default, dir, clock.Real{}).Rules()
}

func (c *accessCmd) list(p *program, dir string) error {
	rules, err := rules(dir)
	if err != nil {
		return err
	}
	list := rules.List()
	for i := range list {
		if err := c.print(p, &list[i]); err != nil {
			return err
		}
	}
	if len(list) == 0 && !c.JSON {
		_, err = fmt.Fprintln(p.out, "No rules: all is open to everybody.")
	}
	return err
}

func (c *accessCmd) log(p *program, dir string) error {
	for d, err := range access.Decisions(vfs.Default, dir) {
		if err == nil {
			err = c.print(p, &d)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// accept makes the readable part of damaged decisions the valid decisions, and prints what it is.
func (c *accessCmd) accept(p *program, dir string) error {
	a, err := access.Accept(vfs.Default, dir)
	if err != nil {
		return err
	}
	if a.Tokens {
		fmt.Fprintln(p.err, "kavosh: the tokens were damaged, and all are invalid now: make new ones by kavosh token")
	}
	return p.mended(&a.Mended, "decision", "what they closed is open now", "access "+dir)
}

// accessAnswer is what kavosh access why --json prints for a capture.
type accessAnswer struct {
	URL    string            `json:"url"`
	Time   string            `json:"time,omitempty"` // 14 digits; "" when the archive holds no capture of the URL
	Access kavosh.Access     `json:"access"`
	Until  time.Time         `json:"until,omitzero"`
	Rule   *access.Decision  `json:"rule,omitempty"`   // the one that counts
	Others []access.Decision `json:"others,omitempty"` // other rules about the capture
}

// why prints who may see the captures of a URL, and by which rule.
func (c *accessCmd) why(p *program, dir, url string) error {
	rules, err := rules(dir)
	if err != nil {
		return err
	}
	entries, err := capturesOf(context.Background(), dir, url)
	if err != nil {
		return err
	}
	if len(entries) == 0 {
		entries = []cdx.Entry{{Key: weburl.SURT(url), URL: url}}
	}
	now := time.Now()
	var answers []accessAnswer
	for i := range entries {
		e := &entries[i]
		v, speak := rules.Why(e, now)
		a := accessAnswer{URL: e.URL, Time: e.Timestamp, Access: v.Access, Until: v.Until, Rule: v.Rule}
		for _, d := range speak {
			if d != v.Rule {
				a.Others = append(a.Others, *d)
			}
		}
		answers = append(answers, a)
	}
	if !c.JSON {
		_, err := io.WriteString(p.out, inWords(answers))
		return err
	}
	enc := json.NewEncoder(p.out)
	for i := range answers {
		if err := enc.Encode(&answers[i]); err != nil {
			return err
		}
	}
	return nil
}

// capturesOf returns all captures of a URL in the index of the archive in dir, open or closed.
func capturesOf(ctx context.Context, dir, url string) (entries []cdx.Entry, err error) {
	ix := index.OpenLive(vfs.Default, filepath.Join(dir, "index"), filepath.Join(dir, "log"))
	for e, err := range ix.Query(ctx, cdx.Query{URL: url, MatchType: cdx.Exact}) {
		if err != nil {
			return nil, err
		}
		entries = append(entries, e)
	}
	return entries, nil
}

// inWords returns the answers in words. Equal answers that follow each other are told once.
func inWords(answers []accessAnswer) string {
	var b strings.Builder
	for len(answers) > 0 {
		a := &answers[0]
		n := 1
		for n < len(answers) && a.alike(&answers[n]) {
			n++
		}
		switch {
		case a.Time == "":
			fmt.Fprintf(&b, "%s: not in the archive; a capture made now would be\n", a.URL)
		case n > 1:
			fmt.Fprintf(&b, "%s, %d captures from %s to %s\n", a.URL, n, a.Time, answers[n-1].Time)
		default:
			fmt.Fprintf(&b, "%s, captured %s\n", a.URL, a.Time)
		}
		switch a.Access {
		case kavosh.Open:
			b.WriteString("  Everybody sees it")
		case kavosh.OnSite:
			b.WriteString("  Readers at on-site addresses see it; others see that it is there")
		case kavosh.Embargo:
			b.WriteString("  Nobody sees it before " + a.Until.Format("2006-01-02") + "; lists show that it is there")
		case kavosh.MetadataOnly:
			b.WriteString("  Nobody sees it; lists show that it is there")
		case kavosh.Takedown:
			b.WriteString("  Nobody sees it, and no list shows it")
		}
		if a.Rule == nil {
			b.WriteString(", because no rule is about it.\n")
		} else {
			b.WriteString(", by rule\n    " + sentence(a.Rule) + "\n")
		}
		if len(a.Others) > 0 {
			b.WriteString("  which counts before\n")
			for i := range a.Others {
				b.WriteString("    " + sentence(&a.Others[i]) + "\n")
			}
		}
		answers = answers[n:]
	}
	return b.String()
}

// alike reports whether two captures have the same answer.
func (a *accessAnswer) alike(b *accessAnswer) bool {
	return a.URL == b.URL && a.Access == b.Access && a.Until.Equal(b.Until) && cmp.Or(a.Rule, &access.Decision{}).ID == cmp.Or(b.Rule, &access.Decision{}).ID &&
		slices.EqualFunc(a.Others, b.Others, func(x, y access.Decision) bool { return x.ID == y.ID })
}
