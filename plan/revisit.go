package plan

// This file has rules that bound how often pages are visited again, as people write them.

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"kavosh/frontier/scope"
	"kavosh/lib/dates"
	"kavosh/lib/units"
	"kavosh/lib/weburl"
	"kavosh/schedule"
)

// RevisitRule bounds how often pages of a kind are visited, until a time. It is written as fields with spaces between them, such
// as "host=example.org least=1h most=7d until=2026-12-01".
type RevisitRule struct {
	Host    string // of the pages; with a dot before it, a domain; "" for all
	Pattern string // a regular expression that is found in their URLs; "" for all
	Type    string // media type of what was found there last, or how it begins, such as "text/"; "" for all

	Least, Most units.Span // between two visits; 0 is no bound
	Until       time.Time  // zero is without end; after the last of the rules of a kind of pages they are not visited any more
}

// UnmarshalText parses what a person wrote.
func (r *RevisitRule) UnmarshalText(text []byte) error {
	*r = RevisitRule{}
	for field := range strings.FieldsSeq(string(text)) {
		key, value, _ := strings.Cut(field, "=")
		var err error
		switch key {
		case "host":
			name, dotted := strings.CutPrefix(value, ".")
			if r.Host, err = hostName(name); dotted {
				r.Host = "." + r.Host
			}
		case "pattern":
			r.Pattern = value
			_, err = scope.Pattern(value)
		case "type":
			r.Type = strings.ToLower(value)
		case "least":
			err = r.Least.UnmarshalText([]byte(value))
		case "most":
			err = r.Most.UnmarshalText([]byte(value))
		case "until":
			var span dates.Span
			if span, err = dates.Parse(value, time.Local); err != nil {
				err = fmt.Errorf("%q is no date: write one such as 2026-12-01 or 1405/09/10", value)
			}
			r.Until = span.First.UTC()
		default:
			err = fmt.Errorf("there is no field %q: write some of host=NAME pattern=RE type=TYPE least=TIME most=TIME until=DATE", key)
		}
		if err != nil {
			return fmt.Errorf("%q: %w", text, err)
		}
	}
	switch {
	case r.Least == 0 && r.Most == 0 && r.Until.IsZero():
		return fmt.Errorf("%q bounds nothing: add least=TIME, most=TIME or until=DATE, such as least=1h most=7d", text)
	case r.Most > 0 && r.Least > r.Most:
		return fmt.Errorf("%q: least=%s is more than most=%s", text, r.Least, r.Most)
	}
	return nil
}

// MarshalText writes a text that UnmarshalText parses.
func (r RevisitRule) MarshalText() ([]byte, error) {
	fields := r.of()
	add := func(key, value string, is bool) {
		if is {
			fields = append(fields, key+"="+value)
		}
	}
	add("least", time.Duration(r.Least).String(), r.Least > 0)
	add("most", time.Duration(r.Most).String(), r.Most > 0)
	add("until", r.Until.Format(time.RFC3339), !r.Until.IsZero())
	return []byte(strings.Join(fields, " ")), nil
}

// of returns the fields that say which pages the rule is about.
func (r RevisitRule) of() (fields []string) {
	for _, f := range [...][2]string{{"host", r.Host}, {"pattern", r.Pattern}, {"type", r.Type}} {
		if f[1] != "" {
			fields = append(fields, f[0]+"="+f[1])
		}
	}
	return fields
}

// fits reports whether the rule is about a page. pattern is that of the rule, or nil.
func (r *RevisitRule) fits(pattern *regexp.Regexp, url, mime string) bool {
	domain, dotted := strings.CutPrefix(r.Host, ".")
	host := weburl.Host(url)
	return (r.Host == "" || host == domain || dotted && strings.HasSuffix(host, r.Host)) &&
		(pattern == nil || pattern.MatchString(url)) && strings.HasPrefix(mime, r.Type)
}

// RevisitRules are rules of pages of one kind in their order, each with what tells the pages. Rules of one kind hold one
// after the other, by their ends.
func RevisitRules(rules []RevisitRule) (all []schedule.Rule, fits []func(url, mime string) bool) {
	for i := range rules {
		r := &rules[i]
		name := strings.Join(r.of(), " ")
		if name == "" {
			name = "of all pages"
		}
		at := slices.IndexFunc(all, func(a schedule.Rule) bool { return a.Name == name })
		if at < 0 {
			var pattern *regexp.Regexp
			if r.Pattern != "" {
				pattern, _ = scope.Pattern(r.Pattern) // it was read before
			}
			at = len(all)
			all = append(all, schedule.Rule{Name: name})
			fits = append(fits, func(url, mime string) bool { return r.fits(pattern, url, mime) })
		}
		all[at].Spans = append(all[at].Spans, schedule.Span{Until: r.Until, Least: time.Duration(r.Least), Greatest: time.Duration(r.Most)})
	}
	for i := range all {
		slices.SortStableFunc(all[i].Spans, func(a, b schedule.Span) int {
			switch {
			case a.Until.IsZero() && b.Until.IsZero():
				return 0
			case a.Until.IsZero():
				return 1
			case b.Until.IsZero():
				return -1
			}
			return a.Until.Compare(b.Until)
		})
	}
	return all, fits
}

// checkRevisit returns what is wrong with --revisit and its rules.
func (p *Plan) checkRevisit() error {
	switch {
	case p.Revisit == "" && len(p.RevisitRule) > 0:
		return mistake("--revisit-rule goes with --revisit: say how pages are visited again, such as --revisit gain,budget=1000,period=1h")
	case p.Revisit == "" || p.Revisit == "help":
		return nil
	case p.Revisit == schedule.Once && len(p.RevisitRule) > 0:
		return mistake("--revisit-rule bounds visits of a crawl that goes on, and --revisit once visits each page once more: leave one of them out")
	case len(p.RevisitRule) > mostRevisitRules:
		return mistake("--revisit-rule: %d are more than %d: join some by | in a pattern", len(p.RevisitRule), mostRevisitRules)
	}
	if _, err := schedule.ParsePlan(p.Revisit); err != nil {
		return mistake("--revisit: %w", err)
	}
	return nil
}

const mostRevisitRules = 1000
