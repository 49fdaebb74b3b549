package main

// This file chooses lines of a crawl's log by status, host and type.

import (
	"slices"
	"strconv"
	"strings"

	"kavosh"
	"kavosh/archive"
	"kavosh/engine/status"
	"kavosh/frontier/scope"
	"kavosh/lib/spelling"
	"kavosh/seeds"
)

// logFilter says which lines of a log somebody wants. A line must match one value of each list that is not empty.
type logFilter struct{ statuses, hosts, standIns, types []string }

// anyStandIn is any value of Line.StandIn that is one.
const anyStandIn = "any"

// outcomes are the words for Line.Outcome.
var outcomes = []string{archive.Recorded, archive.Failed, archive.Refused, archive.Retry, archive.Dropped}

// newLogFilter returns a filter for the values of the flags. A value that no line can have is an error.
func newLogFilter(statuses, hosts, standIns, types []string) (*logFilter, error) {
	f := &logFilter{types: types, standIns: standIns}
	for _, s := range standIns {
		all := []string{anyStandIn}
		for _, kind := range kavosh.StandIns() {
			all = append(all, string(kind))
		}
		if !slices.Contains(all, s) {
			return nil, usage("--standin %s: there is no such thing%s", s, spelling.OrOneOf(s, all))
		}
	}
	for _, s := range statuses {
		s = strings.Replace(s, minus, "-", 1)
		f.statuses = append(f.statuses, s)
		if !slices.Contains(outcomes, s) && !slices.Contains(failures(), s) && !isCode(s) && !isClass(s) {
			return nil, usage("--status %s: write a code such as 404, a class such as 4xx, an outcome or a kind of failure%s",
				s, spelling.OrOneOf(s, append(slices.Clone(outcomes), failures()...)))
		}
	}
	for _, host := range hosts {
		name, dotted := strings.CutPrefix(host, ".")
		key, err := seeds.Key("https://" + name + "/")
		p, ok := scope.Split(key)
		if err != nil || !ok || p.PathQuery != "/" {
			return nil, usage("--host %s: write the name of a host, such as www.example.org, without scheme and path", host)
		}
		if dotted {
			p.Name = "." + p.Name
		}
		f.hosts = append(f.hosts, p.Name)
	}
	for _, t := range types {
		if t == "" || t[0] == '/' {
			return nil, usage("--type %s: write a media type such as text/html or image/*, or a short name such as html", t)
		}
	}
	return f, nil
}

// failures returns the names of all kinds of failure, in order.
func failures() (names []string) {
	for kind := range heritrixStatus {
		names = append(names, string(kind))
	}
	slices.Sort(names)
	return names
}

// isCode reports whether s is a number as it stands in the second column.
func isCode(s string) bool {
	_, err := strconv.Atoi(s)
	return err == nil
}

// isClass reports whether s stands for all codes with its first digit, as 4xx does.
func isClass(s string) bool { return len(s) == 3 && s[0] >= '1' && s[0] <= '9' && s[1:] == "xx" }

// some reports whether the filter leaves out anything.
func (f *logFilter) some() bool { return len(f.statuses)+len(f.hosts)+len(f.standIns)+len(f.types) > 0 }

// matches reports whether somebody wants the line.
func (f *logFilter) matches(l *archive.Line) bool {
	return anyOf(f.statuses, func(s string) bool { return hasStatus(l, s) }) &&
		anyOf(f.standIns, func(s string) bool { return l.StandIn != "" && (s == anyStandIn || s == string(l.StandIn)) }) &&
		anyOf(f.hosts, func(host string) bool { return isOfHost(l, host) }) &&
		anyOf(f.types, func(t string) bool { return hasType(l, t) })
}

// anyOf reports whether a value of a list is true of a line, or whether the list is empty.
func anyOf(list []string, is func(string) bool) bool {
	return len(list) == 0 || slices.ContainsFunc(list, is)
}

func hasStatus(l *archive.Line, s string) bool {
	switch code := statusOf(l); {
	case s == l.Outcome, s == string(l.Failure) && l.Failure != kavosh.NoFailure:
		return true
	case isClass(s):
		return code > 0 && code/100 == int(s[0]-'0')
	default:
		return strconv.Itoa(code) == s
	}
}

func isOfHost(l *archive.Line, host string) bool {
	p, _ := scope.Split(l.URL)
	if host[0] == '.' {
		return p.Name == host[1:] || strings.HasSuffix(p.Name, host)
	}
	return p.Name == host
}

func hasType(l *archive.Line, t string) bool {
	if kind, ok := strings.CutSuffix(t, "/*"); ok {
		return strings.HasPrefix(l.MIME, kind+"/")
	}
	return l.MIME != "" && (l.MIME == t || status.ShortType(l.MIME) == t)
}
