package engine

// This file is what commands have set, and what a command changes of it.

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"kavosh/frontier"
	"kavosh/frontier/scope"
	"kavosh/lib/units"
	"kavosh/plan"
)

// settings are what commands have set, in one run and in those before it.
type settings struct {
	paused     bool
	plan       plan.Plan // of it, the workers, the pace, the limits of waiting, the patterns and the permits
	holds      map[string]frontier.Held
	doubts     map[string]uint64 // by host that is held for a page that may be no wall: standin.Verdict.Print
	passes     map[page]bool     // those that a person let pass
	hours      map[string]Hours
	priorities map[string]frontier.Priority // by host, or domain with a dot before it
	favours    []frontier.Favour            // in the order in which they were set
}

// page is one page of a host under whatever URLs.
type page struct {
	host  string
	print uint64 // standin.Verdict.Print
}

// maxFavours bounds what each new URL is compared with.
const maxFavours = 100

func newSettings(o *Options) settings {
	p := planPace(o.Pace)
	p.SeedLimit, p.HostLimit, p.DomainLimit, p.CrawlLimit = o.SeedLimit, o.HostLimit, o.DomainLimit, o.CrawlLimit
	p.Workers, p.Permit, p.Include, p.Exclude, p.Rule = o.Workers, o.Permits, o.Scope.Include, o.Scope.Exclude, o.Scope.Rules
	return settings{
		plan:  p,
		holds: map[string]frontier.Held{}, doubts: map[string]uint64{}, passes: map[page]bool{}, hours: map[string]Hours{}, priorities: map[string]frontier.Priority{},
	}
}

// clone is a copy that shares nothing that take changes.
func (s *settings) clone() settings {
	c := *s
	c.doubts, c.passes = maps.Clone(s.doubts), maps.Clone(s.passes)
	c.holds, c.hours, c.priorities, c.favours = maps.Clone(s.holds), maps.Clone(s.hours), maps.Clone(s.priorities), slices.Clone(s.favours)
	return c
}

// otherThan says which values of commands are not those with which the run began; "" if all are.
func (k *controls) otherThan(o *Options) string {
	k.Lock()
	defer k.Unlock()
	was := newSettings(o)
	var all []string
	for _, key := range plan.Keys() {
		if now := k.set.plan.Text(&key); key.Change == "run" && now != was.plan.Text(&key) {
			all = append(all, key.Name+" "+cmp.Or(strings.ReplaceAll(now, "\n", ", "), "nothing"))
		}
	}
	return strings.Join(all, "; ")
}

// take changes the settings as cmd says, and describes the change in words. An error names the cause and the fix; after
// it, the settings must not be used.
func (s *settings) take(cmd *Command) (before, after string, err error) {
	switch cmd.Name {
	case "pause", "resume":
		before = running(s.paused)
		s.paused = cmd.Name == "pause"
		return before, running(s.paused), nil
	case "stop":
		return "running", "stopping", nil
	case "workers", "delay", "delay-factor", "address-delay", "host-rate", "rate", "include", "exclude", "permit", "seed-limit", "host-limit", "domain-limit", "crawl-limit":
		return s.plan.Change(cmd.Name, cmd.Value, false)
	case "rule", "rule-remove", "rules":
		return s.takeRules(cmd)
	case "include-remove", "exclude-remove", "permit-remove":
		return s.plan.Change(strings.TrimSuffix(cmd.Name, "-remove"), cmd.Value, true)
	case "seeds", "submit":
		if len(cmd.URLs) == 0 {
			return "", "", fmt.Errorf("no seed is named")
		}
		if cmd.Plan != nil {
			if err := scope.CheckPlan(cmd.Plan); err != nil {
				return "", "", err
			}
		}
		return "", seedsOf(len(cmd.URLs)) + " more", nil
	case addParts:
		if len(cmd.URLs) == 0 || cmd.Via == "" {
			return "", "", fmt.Errorf("no part is named, or not what embeds it")
		}
		return "", fmt.Sprintf("parts of %s, %d more", cmd.Via, len(cmd.URLs)), nil
	case "priority":
		if len(cmd.URLs) == 0 {
			return "", "", fmt.Errorf("no URL is named")
		}
		return "", fmt.Sprintf("score %g", cmd.Score), nil
	case "priority-host":
		return s.prioritise(cmd)
	case "priority-match":
		return s.favour(cmd)
	case QueueDrop, QueuePriority, QueueHold, QueueRelease:
		return cmd.takeQueue()
	case lineDown, lineUp: // it says how the crawl went, and sets nothing
		return "", "", nil
	case "hold", "release", "off-peak":
		return s.takeHost(cmd)
	}
	return "", "", fmt.Errorf("%q is no command of this kavosh: use one of the same version as the crawl's", cmd.Name)
}

func running(paused bool) string {
	if paused {
		return "paused"
	}
	return "running"
}

// prioritise gives a host or a domain a priority.
func (s *settings) prioritise(cmd *Command) (before, after string, err error) {
	name := strings.TrimPrefix(cmd.Host, ".")
	if p, ok := scope.Split("http://" + name + "/"); !ok || p.Name != name || name[0] == '.' {
		return "", "", fmt.Errorf("%q is no host: write its name as in a URL, without scheme and port, or with a dot before it for a domain, such as .example.org", cmd.Host)
	}
	before = fmt.Sprintf("priority %+g", s.priorities[cmd.Host].Add)
	if cmd.Score == 0 {
		delete(s.priorities, cmd.Host)
	} else {
		s.priorities[cmd.Host] = frontier.Priority{Name: cmd.Host, Add: cmd.Score, Since: cmd.Time, Why: reason(cmd)}
	}
	return before, fmt.Sprintf("priority %+g", cmd.Score), nil
}

// favour lets URLs in which a pattern is found come sooner or later.
func (s *settings) favour(cmd *Command) (before, after string, err error) {
	pattern, err := scope.Pattern(cmd.Value)
	if err != nil {
		return "", "", fmt.Errorf("priority match %w", err)
	}
	was := 0.0
	s.favours = slices.DeleteFunc(s.favours, func(f frontier.Favour) bool {
		if f.Text == cmd.Value {
			was = f.Add
		}
		return f.Text == cmd.Value
	})
	if cmd.Score != 0 {
		s.favours = append(s.favours, frontier.Favour{Pattern: pattern, Text: cmd.Value, Add: cmd.Score})
	}
	if len(s.favours) > maxFavours {
		return "", "", fmt.Errorf("there are %d such patterns already: take one away (… priority match RE 0), or join some by |", maxFavours)
	}
	return fmt.Sprintf("priority %+g", was), fmt.Sprintf("priority %+g, for URLs queued from now on", cmd.Score), nil
}

// reason is why a command was given, or else by whom.
func reason(cmd *Command) string {
	if cmd.Why != "" {
		return cmd.Why
	}
	return "set by " + cmd.Who
}

// takeHost is take for what concerns one host.
func (s *settings) takeHost(cmd *Command) (before, after string, err error) {
	if p, ok := scope.Split("http://" + cmd.Host + "/"); !ok || p.Name != cmd.Host {
		return "", "", fmt.Errorf("%q is no host: write its name as in a URL, such as www.example.org, without scheme and port", cmd.Host)
	}
	held := func() string {
		h, ok := s.holds[cmd.Host]
		switch {
		case !ok:
			return "not held"
		case h.Until.IsZero():
			return "held until it is released"
		}
		return "held until " + h.Until.Format(time.RFC3339)
	}
	hours := func() string {
		if h, ok := s.hours[cmd.Host]; ok {
			return "asked " + h.String()
		}
		return "asked at all hours"
	}
	switch cmd.Name {
	case "hold":
		if !cmd.Until.IsZero() && !cmd.Until.After(cmd.Time) {
			return "", "", fmt.Errorf("hold until %s: that time is over; name one to come, or --for", cmd.Until.Format(time.RFC3339))
		}
		before = held()
		s.holds[cmd.Host] = frontier.Held{Host: cmd.Host, Since: cmd.Time, Until: cmd.Until, Why: cmd.Why}
		delete(s.doubts, cmd.Host)
		if cmd.Page != 0 {
			s.doubts[cmd.Host] = cmd.Page
		}
		return before, held(), nil
	case "release":
		before = held()
		if p, ok := s.doubts[cmd.Host]; ok { // nothing else tells whether it is a wall: the person knows
			s.passes[page{cmd.Host, p}] = true
		}
		delete(s.holds, cmd.Host)
		delete(s.doubts, cmd.Host)
		return before, held(), nil
	}
	before = hours()
	if cmd.Value == "never" {
		delete(s.hours, cmd.Host)
		return before, hours(), nil
	}
	h, err := ParseHours(cmd.Host, cmd.Value, cmd.Zone)
	if err != nil {
		return "", "", err
	}
	s.hours[cmd.Host] = h
	return before, hours(), nil
}

// hoursInOrder are the hours of all hosts, by host.
func (s *settings) hoursInOrder() []Hours {
	return slices.SortedFunc(maps.Values(s.hours), func(a, b Hours) int { return strings.Compare(a.Host, b.Host) })
}

// prioritiesInOrder are those of hosts and domains, by name, and those of patterns, as they were set.
func (s *settings) prioritiesInOrder() (all []Priority) {
	for _, name := range slices.Sorted(maps.Keys(s.priorities)) {
		all = append(all, Priority{Host: name, Add: s.priorities[name].Add})
	}
	for _, f := range s.favours {
		all = append(all, Priority{Match: f.Text, Add: f.Add})
	}
	return all
}

// Hours are the hours of each day in which a host may be asked.
type Hours struct {
	Host string `json:"host"`
	units.Hours
}

// ParseHours reads the hours of a host such as "22:00-06:00", in a zone or, for "", in this machine's. An error says
// what to write.
func ParseHours(host, text, zone string) (Hours, error) {
	if _, err := units.ParseHours(text, ""); err != nil {
		return Hours{}, fmt.Errorf("%w, or never to ask at all hours again", err)
	}
	h, err := units.ParseHours(text, zone)
	return Hours{host, h}, err
}
