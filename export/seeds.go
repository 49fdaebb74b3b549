package export

// This file proposes seeds for another crawl, by what an archive holds and everybody may see.

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"kavosh"
	"kavosh/access"
	"kavosh/archive"
	"kavosh/internal/records"
	"kavosh/judge"
	"kavosh/lib/cdx"
	"kavosh/lib/httpwire"
	"kavosh/lib/rdf"
	"kavosh/lib/weburl"
	"kavosh/quads"
	"kavosh/seeds"
	"kavosh/texts"
)

// Proposal proposes seeds for a crawl after what a judge calls relevant: URLs on hosts that the archive hardly has, pages
// that lead to many relevant hosts, and searches for words that tell relevant pages from others.
//
// Memory grows with the archive by some 20 bytes a URL of its logs, 40 a page with links to other hosts, and 200 a host;
// with the links to one host, by those of that host alone. Words, patterns and searches are bounded.
type Proposal struct {
	Statements                 // its Store is nil if the judge needs no RDF
	Source     *archive.Source // has the captures
	Texts      *texts.Reader
	Links      records.Index // the links by target that everybody may see
	Judge      judge.Judge
	Limit      int                        // most seeds
	Progress   func(done string, n int64) // is called after each capture and link

	met    map[uint64]met // by hash of the URL
	lang   map[uint64]string
	class  map[uint64]kavosh.Class
	hosts  map[string]*host // by hostOf
	hubs   map[uint64]hub   // by hash of the URL
	likely seeds.Likely
	terms  seeds.Terms
	asks   map[seeds.Template]map[string]bool // the hosts whose pages have a template
}

// met says what came of a URL.
type met uint8

const (
	asked     met = 1 << iota // it was requested, or recorded
	forbidden                 // it must not be requested, by robots.txt or a rule
	closed                    // not everybody may see it
	moved                     // it redirects
	judged                    // its page was, and
	relevant
)

// host is what the archive has of a host.
type host struct {
	pages, relevant int
	hub             bool            // one of its pages is a hub
	home            *kavosh.Capture // its first relevant page, or its first page
}

// hub counts the hosts to which a page leads.
type hub struct {
	asked, relevant         int32
	lastAsked, lastRelevant int32 // numbers of hosts, to count each once
}

const (
	barely       = 3       // a host with more pages is known
	leastChance  = 0.5     // of a URL to which no relevant page links
	leastLed     = 2       // relevant hosts to which a hub leads
	share        = 5       // hubs, and searches, are at most a fifth of the seeds each
	mostAsks     = 4096    // templates that are remembered
	mostAskHosts = 100     // hosts of a template that are remembered
	mostForms    = 1000    // pages that are read for forms
	mostAsked    = 3       // templates that are used
	maxForms     = 1 << 20 // bytes of such a page
	mostNamed    = 1 << 18 // URLs that RDF documents name
	mostAnchors  = 16      // texts of links to one URL that are judged
	maxAnchor    = 60      // bytes of a link's text that are told
)

// Seeds returns the seeds, by kind, the best first. The same archive gives the same seeds.
func (p *Proposal) Seeds(ctx context.Context) ([]seeds.Candidate, error) {
	p.met, p.lang, p.class = map[uint64]met{}, map[uint64]string{}, map[uint64]kavosh.Class{}
	p.hosts, p.hubs, p.asks = map[string]*host{}, map[uint64]hub{}, map[seeds.Template]map[string]bool{}
	if err := p.readLogs(ctx); err != nil {
		return nil, err
	}
	if p.Store != nil {
		if err := p.documents(ctx, func(d quads.Document) error { p.class[quads.Hash(d.URL)] = d.Class; return nil }); err != nil {
			return nil, err
		}
	}
	if err := p.judgeAll(ctx); err != nil {
		return nil, err
	}
	number, last := int32(0), ""
	if err := p.targets(ctx, "links learned from", func(t *target) error {
		if t.host != last {
			number, last = number+1, t.host
		}
		p.learn(t, number)
		return nil
	}); err != nil {
		return nil, err
	}
	best, hubs, err := p.candidates(ctx)
	if err != nil {
		return nil, err
	}
	searches, err := p.searches(ctx)
	if err != nil {
		return nil, err
	}
	led := hubs.All()
	all := best.All()
	all = all[:min(len(all), max(1, p.Limit-len(led)-len(searches)))]
	all = slices.Concat(all, led, searches)
	return all[:min(len(all), p.Limit)], nil
}

// readLogs reads what came of the URLs that the crawls met.
func (p *Proposal) readLogs(ctx context.Context) error {
	if p.Archive == "" {
		return nil
	}
	names := map[string]string{}
	return p.log(ctx, "", func(l archive.Line) error {
		h := quads.Hash(l.URL)
		switch {
		case l.Outcome == archive.Refused:
			aside := l.Kind == "embed" || l.Kind == "prerequisite" || l.Kind == "speculative"
			if !aside && l.Rule != "scope" && l.Rule != "hops" && l.Rule != "order" {
				p.met[h] |= forbidden
			}
		case l.Outcome != archive.Retry:
			p.met[h] |= asked
		}
		if l.Lang != "" {
			if _, known := names[l.Lang]; !known {
				names[l.Lang] = l.Lang // one copy of each name
			}
			p.lang[h] = names[l.Lang]
		}
		return nil
	})
}

// judgeAll judges the captures, and counts their words. Of a URL the newest capture counts.
func (p *Proposal) judgeAll(ctx context.Context) error {
	n := int64(0)
	return each(ctx, p.Source.Captures(), func(c *archive.Logged) error {
		n++
		p.Progress("captures judged", n)
		h := quads.Hash(c.URL)
		before := p.met[h]
		p.met[h] |= asked
		if !p.Public.Shows(access.CaptureOf(&c.Capture)) {
			p.met[h] |= closed
			return nil
		}
		if strings.HasSuffix(c.MIME, "/opensearchdescription+xml") && p.words() {
			body, err := p.payload(ctx, &c.Capture)
			for _, t := range seeds.DescriptionTemplates(body) {
				p.ask(t, hostOf(c.URL))
			}
			return err
		}
		if c.Status >= 300 && c.Status <= 399 {
			p.met[h] |= moved
		}
		class := p.class[h]
		if c.Status < 200 || c.Status > 299 || class == kavosh.Unclassed && !texts.Has(&c.Capture) {
			return nil
		}
		text, err := texts.Of(p.Texts, &c.Capture)
		if err != nil || text == nil && class == kavosh.Unclassed {
			return err
		}
		if text == nil {
			text = &kavosh.Text{Type: c.MIME}
		}
		verdict := p.Judge.Judge(&kavosh.Page{URL: c.URL, Type: text.Type, Lang: p.lang[h], Title: text.Title, Text: text.Text, Blocks: text.Blocks, RDF: kavosh.RDF{Class: class}})
		p.met[h] = p.met[h]&^relevant | judged
		if verdict.Relevant() {
			p.met[h] |= relevant
		}
		if before&judged == 0 {
			p.count(&c.Capture, text, verdict.Relevant())
		}
		return nil
	})
}

// count counts a page for its host, and its words.
func (p *Proposal) count(c *kavosh.Capture, text *kavosh.Text, is bool) {
	name := hostOf(c.URL)
	of := p.hosts[name]
	if of == nil {
		of = &host{}
		p.hosts[name] = of
	}
	of.pages++
	if is {
		of.relevant++
	}
	if (of.home == nil || is && of.relevant == 1) && c.Type == "response" {
		of.home = &kavosh.Capture{URL: c.URL, File: c.File, Offset: c.Offset}
	}
	if p.words() {
		p.terms.Add(name, text.Title+"\n"+text.Text, is)
	}
}

// words reports whether words tell what the judge wants.
func (p *Proposal) words() bool { return p.Store == nil }

// target is a URL with the links to it from pages that everybody may see.
type target struct {
	url, host string
	met       met
	links     int             // from pages that were judged
	relevant  int             // of these, from relevant ones
	from      map[string]bool // other hosts with pages that were judged, and whether one of these is relevant
	pages     []uint64        // hashes of the pages on other hosts
	names     []string        // and their URLs
	anchor    string          // the text of a link that fits best
	words     float64         // how well it does
	via       string          // a page that links to it, a relevant one if there is one
	kind      string          // kind of via
	anchors   map[string]bool // texts of links that were judged
}

// hostOf returns the key of a URL's host: the same for http and https, with www and without.
func hostOf(url string) string {
	key, _, _ := strings.Cut(weburl.SURT(url), ")")
	return key
}

// targets yields the targets of all links, those of a host together.
func (p *Proposal) targets(ctx context.Context, doing string, yield func(*target) error) error {
	var t *target
	last, n := "", int64(0)
	end := func() error {
		if t == nil {
			return nil
		}
		return yield(t)
	}
	if err := each(ctx, p.Links.Query(ctx, cdx.Query{URL: "*"}), func(e cdx.Entry) error {
		n++
		p.Progress(doing, n)
		if kind, _ := kavosh.ParseKind(e.MIME); kind != kavosh.Navigation && kind != kavosh.Redirect && kind != kavosh.Feed && kind != kavosh.Sitemap {
			return nil
		}
		if e.Key != last {
			if err := end(); err != nil {
				return err
			}
			last, t = e.Key, p.target(e.URL)
		}
		t.met |= p.met[quads.Hash(e.URL)] // http and https, and so on, are one target
		p.link(t, e.Get("source"), e.Get("anchor"), "pages")
		return nil
	}); err != nil {
		return err
	}
	return end()
}

func (p *Proposal) target(url string) *target {
	return &target{url: url, host: hostOf(url), met: p.met[quads.Hash(url)], from: map[string]bool{}, anchors: map[string]bool{}}
}

// link adds a link to a target. kind is what pages like its page are called.
func (p *Proposal) link(t *target, source, anchor, kind string) {
	h := quads.Hash(source)
	came := p.met[h]
	from := hostOf(source)
	if from != t.host {
		t.pages, t.names = append(t.pages, h), append(t.names, source)
	}
	if came&judged != 0 {
		t.links++
		if came&relevant != 0 {
			t.relevant++
		}
		if from != t.host {
			t.from[from] = t.from[from] || came&relevant != 0
		}
	}
	if kind = relevance(came) + kind; t.via == "" || came&relevant != 0 && strings.HasPrefix(t.kind, relevance(0)) {
		t.via, t.kind = source, kind
	}
	if anchor = strings.Join(strings.Fields(anchor), " "); anchor != "" && !t.anchors[anchor] && len(t.anchors) < mostAnchors {
		t.anchors[anchor] = true
		if fits := p.Judge.Text(anchor); t.anchor == "" || fits > t.words {
			t.anchor, t.words = anchor, fits
		}
	}
}

// relevance says in a word whether a page is relevant.
func relevance(came met) string {
	if came&relevant != 0 {
		return "relevant "
	}
	return "other "
}

// led is the number of other hosts whose relevant pages link to the target.
func (t *target) led() (n int) {
	for _, is := range t.from {
		if is {
			n++
		}
	}
	return n
}

// seen is the target as the likely URLs are learned from.
func (t *target) seen() seeds.Seen {
	s := seeds.Seen{URL: t.url, Via: t.via}
	switch n := t.led(); {
	case len(t.from) == 0:
		s.Kind = t.kind + " of its host"
	case n <= 1:
		s.Kind = t.kind + " of another host"
	case n <= 4:
		s.Kind = t.kind + " of 2 to 4 hosts"
	default:
		s.Kind = t.kind + " of 5 hosts and more"
	}
	if t.led() > 0 && 2*t.led() < len(t.from) {
		s.Kind += ", fewer than others"
	}
	switch {
	case t.anchor == "":
	case t.words >= kavosh.RelevantFrom:
		s.Words = "by words that fit"
	default:
		s.Words = "by other words"
	}
	return s
}

// learn learns from a target that was asked for. number is that of its host.
func (p *Proposal) learn(t *target, number int32) {
	if t.met&asked == 0 || t.met&(closed|forbidden) != 0 || t.met&moved != 0 && t.met&judged == 0 {
		return
	}
	is := t.met&relevant != 0
	p.likely.Learn(t.seen(), is)
	for _, page := range t.pages {
		h := p.hubs[page]
		if h.lastAsked != number {
			h.asked, h.lastAsked = h.asked+1, number
		}
		if is && h.lastRelevant != number {
			h.relevant, h.lastRelevant = h.relevant+1, number
		}
		p.hubs[page] = h
	}
}

// candidates finds the hosts and the hubs.
func (p *Proposal) candidates(ctx context.Context) (best, hubs seeds.Best, err error) {
	best, hubs = seeds.Best{Limit: p.Limit}, seeds.Best{Limit: p.Limit / share}
	now := time.Now()
	var group []seeds.Candidate
	last := ""
	flush := func() {
		slices.SortFunc(group, func(a, b seeds.Candidate) int {
			return cmp.Or(cmp.Compare(b.Chance, a.Chance), cmp.Compare(b.Hosts, a.Hosts), cmp.Compare(len(a.URL), len(b.URL)), cmp.Compare(a.URL, b.URL))
		})
		for i, c := range group[:min(len(group), p.Limit)] {
			c.Rank = c.Chance * float64(c.Hosts+1) / float64(c.Hosts+2) / float64(i+1) // many hosts come before much of one
			best.Add(c)
		}
		group = group[:0]
	}
	offer := func(t *target) error {
		if t.host != last {
			flush()
			last = t.host
		}
		if c, ok := p.candidate(t, now); ok {
			group = append(group, c)
		}
		return nil
	}
	err = p.targets(ctx, "links looked through", func(t *target) error {
		p.hub(t, &hubs)
		if p.words() {
			if ask := seeds.TemplateOf(t.url); ask != "" && t.met&forbidden == 0 && p.Public.Shows(access.Capture(t.url, now, "")) {
				for from := range t.from {
					p.ask(ask, from)
				}
			}
		}
		return offer(t)
	})
	if err == nil && p.Store != nil {
		err = p.named(ctx, offer)
	}
	flush()
	return best, hubs, err
}

// candidate returns the candidate that a target is, if it is one.
func (p *Proposal) candidate(t *target, now time.Time) (c seeds.Candidate, ok bool) {
	if t.met&(asked|forbidden|closed) != 0 || !weburl.Fetchable(t.url) || !p.Public.Shows(access.Capture(t.url, now, "")) {
		return c, false
	}
	if known := p.hosts[t.host]; known != nil && known.pages > barely {
		return c, false
	}
	chance, why := p.likely.Chance(t.seen())
	if t.relevant == 0 && chance < leastChance {
		return c, false
	}
	c = seeds.Candidate{Kind: seeds.KindHost, URL: t.url, Chance: chance, Hosts: t.led()}
	if t.relevant > 0 {
		c.Why = fmt.Sprintf("%d of %d pages that link here are relevant, on %s; ", t.relevant, t.links, plural(c.Hosts, "other host"))
	}
	if t.anchor != "" {
		c.Why += fmt.Sprintf("as %q; ", strings.ToValidUTF8(t.anchor[:min(len(t.anchor), maxAnchor)], ""))
	}
	c.Why = strings.TrimSuffix(c.Why+why, "; ")
	return c, true
}

// hub adds the pages with links to a target that are hubs.
func (p *Proposal) hub(t *target, hubs *seeds.Best) {
	for i, page := range t.pages {
		h := p.hubs[page]
		if h.relevant < leastLed || p.met[page]&(closed|forbidden) != 0 {
			continue
		}
		delete(p.hubs, page) // it counts once
		if of := p.hosts[hostOf(t.names[i])]; of != nil {
			of.hub = true
		}
		c := seeds.Candidate{Kind: seeds.KindHub, URL: t.names[i], Hosts: int(h.relevant), Chance: float64(h.relevant) / float64(h.asked)}
		c.Rank = float64(h.relevant) * (float64(h.relevant) + 1) / (float64(h.asked) + 2)
		c.Why = fmt.Sprintf("a hub: leads to %d other hosts that were asked, on %d of them to what is relevant", h.asked, h.relevant)
		hubs.Add(c)
	}
}

// named offers what RDF documents name: vocabularies, and values of rdfs:seeAlso, owl:sameAs and the like.
func (p *Proposal) named(ctx context.Context, offer func(*target) error) error {
	found := map[string]*target{}
	if err := p.ByGraph(ctx, func(q rdf.Quad) error {
		name := quads.Vocabulary(q.Predicate.Value)
		if quads.IsLink(q.Predicate.Value) && q.Object.Kind == rdf.IRI {
			name = q.Object.Value
		}
		key, err := weburl.Key(name)
		if err != nil || !weburl.Fetchable(key) {
			return nil
		}
		t := found[key]
		if t == nil {
			if len(found) >= mostNamed {
				return nil
			}
			t = p.target(key)
			found[key] = t
		}
		if t.via != q.Graph.Value {
			p.link(t, q.Graph.Value, "", "RDF")
		}
		return nil
	}); err != nil {
		return err
	}
	all := slices.SortedFunc(maps.Values(found), func(a, b *target) int { return cmp.Or(cmp.Compare(a.host, b.host), cmp.Compare(a.url, b.url)) })
	for _, t := range all {
		if err := offer(t); err != nil {
			return err
		}
	}
	return nil
}

// ask remembers that pages of a host have a template.
func (p *Proposal) ask(t seeds.Template, from string) {
	hosts := p.asks[t]
	if hosts == nil {
		if len(p.asks) >= mostAsks {
			return
		}
		hosts = map[string]bool{}
		p.asks[t] = hosts
	}
	if len(hosts) < mostAskHosts {
		hosts[from] = true
	}
}

// searches returns searches for the most telling words, by the templates that pages of the most hosts have.
func (p *Proposal) searches(ctx context.Context) (all []seeds.Candidate, err error) {
	terms := p.terms.Best(p.Limit / share)
	if len(terms) == 0 {
		return nil, nil
	}
	if err := p.forms(ctx); err != nil {
		return nil, err
	}
	for ask, hosts := range p.asks { // a site that searches itself alone leads nowhere, but a directory does
		if own := hostOf(ask.Fill(terms[0].Text)); p.hosts[own] == nil || !p.hosts[own].hub {
			delete(hosts, own)
		}
		if len(hosts) == 0 {
			delete(p.asks, ask)
		}
	}
	asks := slices.SortedFunc(maps.Keys(p.asks), func(a, b seeds.Template) int {
		return cmp.Or(cmp.Compare(len(p.asks[b]), len(p.asks[a])), cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
	})
	for _, term := range terms {
		for _, ask := range asks[:min(len(asks), mostAsked)] {
			if len(all) == p.Limit/share {
				return all, nil
			}
			c := seeds.Candidate{Kind: seeds.KindSearch, URL: ask.Fill(term.Text), Hosts: len(p.asks[ask])}
			c.Chance = float64(term.Wanted) / float64(term.Wanted+term.Others)
			c.Why = fmt.Sprintf("%q is on %d of %d relevant pages and on %d of %d others; pages of %s search so",
				term.Text, term.Wanted, term.AllWanted, term.Others, term.AllOthers, plural(c.Hosts, "host"))
			all = append(all, c)
		}
	}
	return all, nil
}

// forms finds the forms for searches on a page of each host with relevant pages or hubs, those with the most relevant
// pages first.
func (p *Proposal) forms(ctx context.Context) error {
	names := slices.SortedFunc(maps.Keys(p.hosts), func(a, b string) int {
		return cmp.Or(cmp.Compare(p.hosts[b].relevant, p.hosts[a].relevant), cmp.Compare(a, b))
	})
	now := time.Now()
	for i, name := range names[:min(len(names), mostForms)] {
		of := p.hosts[name]
		home := of.home
		if home == nil || of.relevant == 0 && !of.hub {
			continue
		}
		p.Progress("pages looked through for searches", int64(i))
		body, err := p.payload(ctx, home)
		if err != nil {
			return err
		}
		for _, t := range seeds.FormTemplates(string(body), home.URL) {
			if p.Public.Shows(access.Capture(t.Fill("word"), now, "")) {
				p.ask(t, name)
			}
		}
	}
	return nil
}

// payload returns the first bytes of what a capture holds, decoded; nothing if the record cannot be read.
func (p *Proposal) payload(ctx context.Context, c *kavosh.Capture) ([]byte, error) {
	held, err := p.Source.Records().Alone(ctx, &cdx.Entry{URL: c.URL, Filename: c.File, Offset: c.Offset})
	if err != nil {
		return nil, ctx.Err()
	}
	defer held.Close()
	var decoder httpwire.Decoder
	body, _ := decoder.All(held.Body, held.Codings(), maxForms, 1000) // as far as it can be decoded
	return body, nil
}

// plural returns a number with a noun.
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
