package engine

// This file is how much may be taken of seeds, hosts, domains and the crawl; what lies beyond waits (frontier/limit.go).

import (
	"strings"
	"time"

	"kavosh/archive"
	"kavosh/frontier"
	"kavosh/plan"
)

// limitsOf are the limits of a plan beyond which URLs wait.
func limitsOf(p *plan.Plan) frontier.Limits {
	l := frontier.Limits{
		Seeds: map[string]frontier.Limit{}, Hosts: map[string]frontier.Limit{}, Domains: map[string]frontier.Limit{}, Crawl: limitOf(p.CrawlLimit),
	}
	set := func(of plan.NamedLimit, general *frontier.Limit, named map[string]frontier.Limit) {
		if of.Name == "" {
			*general = limitOf(of.Limit)
		} else {
			named[of.Name] = limitOf(of.Limit)
		}
	}
	for _, of := range p.SeedLimit {
		set(of.NamedLimit, &l.Seed, l.Seeds)
	}
	for _, of := range p.HostLimit {
		set(of.NamedLimit, &l.Host, l.Hosts)
	}
	for _, of := range p.DomainLimit {
		set(of.NamedLimit, &l.Domain, l.Domains)
	}
	return l
}

// limitLines are these limits as a person writes them.
func limitLines(p *plan.Plan) (lines []string) {
	for _, name := range [...]string{"seed-limit", "host-limit", "domain-limit", "crawl-limit"} {
		k, _ := plan.KeyOf(name)
		for text := range strings.SplitSeq(p.Text(&k), "\n") {
			if text != "" && (text != "none" || name != "crawl-limit") {
				lines = append(lines, name+" "+text)
			}
		}
	}
	return lines
}

func limitOf(l plan.Limit) frontier.Limit {
	return frontier.Limit{URLs: l.URLs, Bytes: int64(l.Bytes), Time: time.Duration(l.Time)}
}

// mostLimited bounds Report.Limited.
const mostLimited = 100

// noteLimited keeps, for the report, beyond which limits URLs wait. The frontier is about to be closed.
func (c *crawl) noteLimited() error {
	list, all, err := c.frontier.Limited(mostLimited)
	c.limited, c.limits = nil, all
	for _, l := range list {
		c.limited = append(c.limited, archive.Limited{Kind: l.Kind.String(), Name: l.Name, Reached: l.Reached, Waiting: l.Waiting})
	}
	return err
}
