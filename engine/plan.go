package engine

// This file makes Options of a plan (package plan).

import (
	"cmp"
	"errors"
	"fmt"
	"image"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"kavosh"
	"kavosh/fetch"
	"kavosh/fetch/behaviours"
	"kavosh/fetch/browser"
	"kavosh/frontier"
	"kavosh/frontier/order"
	"kavosh/frontier/scope"
	"kavosh/internal/chromium"
	"kavosh/internal/clock"
	"kavosh/judge"
	"kavosh/lib/httpsig"
	"kavosh/lib/units"
	"kavosh/lib/warc"
	"kavosh/lib/weburl"
	"kavosh/plan"
	"kavosh/schedule"
	"kavosh/seeds"
)

// defaultAddressDelay is that of a plan that names none, where it is not 0.
const defaultAddressDelay = 100 * time.Millisecond

// OpenSeeds opens the seeds that a plan names; in is standard input, for a list that is called "-", and tell is told what a person
// should know of bad lines (nil = nobody). An error is a *plan.Mistake.
func OpenSeeds(p *plan.Plan, in io.Reader, tell func(string)) (*seeds.List, error) {
	list, err := seeds.Open(seeds.Sources{Args: p.Seed, Files: p.Seeds, Strict: p.StrictSeeds, Plan: scope.CheckPlan, In: in, Tell: tell})
	return list, plan.Wrong(err)
}

// FromPlan are the options of the crawl that a plan describes, version being that of the program. Everything that can be wrong with
// the plan and with the files that it names is found here, before a file is written, and is a *plan.Mistake. logins are those of the
// profiles that the plan names. The list stays open, and done is called, when the crawl is over.
func FromPlan(p *plan.Plan, list *seeds.List, logins *Logins, version string) (opts Options, done func(), err error) {
	if err := p.Check(); err != nil {
		return opts, nil, err
	}
	begun := *p
	begun.Since = p.Since.From(clock.Real{}.Now())
	if p.Patch != plan.NoPatch {
		begun.Browser, begun.Render = "never", "" // it asks for parts, of which the browser loads none
	}
	begun.SkipYounger.Than = p.SkipYounger.Than.From(clock.Real{}.Now())
	p = &begun
	opts = Options{
		Archive: cmp.Or(p.Archive, archiveFor(list.First)), Seeds: list.All(), Scope: p.ScopeOptions(), Order: p.Order, Workers: p.Workers,
		Pace:       paceOf(p),
		Patch:      p.Patch,
		Warn:       p.Warn,
		HostBudget: p.HostBudget, DomainBudget: p.DomainBudget, QueryBudget: p.QueryBudget,
		Limits:    Limits{Pages: p.MaxPages, URLs: p.MaxURLs, Time: time.Duration(p.MaxTime), Bytes: int64(p.MaxBytes), MinFree: int64(p.MinFree)},
		SeedLimit: p.SeedLimit, HostLimit: p.HostLimit, DomainLimit: p.DomainLimit, CrawlLimit: p.CrawlLimit,
		SkipYounger: p.SkipYounger.Than.At, SkipTold: p.SkipYounger.Told, Keep: p.Keep, NoFollow: p.Nofollow, Digest: p.Digest, Compression: warc.Compression(p.Compression),
		Fetch: fetch.Options{
			UserAgent: p.UserAgent, Contact: p.Contact, KeepSecrets: p.KeepSecrets, ConnectTo: p.ConnectTo, TLSStrict: p.TLS == "strict",
			Header: slices.DeleteFunc(slices.Clone(p.Header), plan.IsSecretField), Proxy: p.Proxy, ProxyFor: p.ProxyFor, Resolver: p.DNS, MaxBody: int64(p.MaxBody),
			AllowPrivate: units.Prefixes(p.AllowPrivate), NoHTTP2: p.HTTP == "1.1", Version: version, SignedAs: p.SignatureAgent,
		},
		Logins:       logins,
		RecordRobots: p.Reason, // which only goes with --robots record
		Permits:      p.Permit,
		URIs:         p.RDFLinks == "all", SeeAlso: p.RDFLinks == "seealso", Negotiate: p.Negotiate, Version: version,
	}
	if p.Revisit != "" {
		if !p.SkipYounger.Than.At.IsZero() || p.SkipYounger.Told {
			return opts, nil, plan.Wrong(errors.New("--skip-younger does not go with --revisit, which plans when each page is visited again: leave one of them out"))
		}
		if opts.Revisits, err = plannedRevisits(p); err != nil {
			return opts, nil, plan.Wrong(err)
		}
	}
	if p.QueryBudget == 0 {
		opts.QueryBudget = -1
	}
	if opts.Fetch.Credentials, err = credentials(p, list); err != nil {
		return opts, nil, plan.Wrong(err)
	}
	if opts.Fetch.Cookies, err = cookies(p, list); err != nil {
		return opts, nil, plan.Wrong(err)
	}
	if opts.Fetch.Identity, err = identity(p.Identity); err != nil {
		return opts, nil, plan.Wrong(err)
	}
	kept := *p
	kept.Secrets = secretsOf(&opts.Fetch)
	acts, err := behaviours.Load(p.Behaviours)
	if err != nil {
		return opts, nil, plan.Wrong(fmt.Errorf("--behaviours: %w", err))
	}
	if kept.Packs = nil; p.Browser != "never" {
		kept.Packs = acts.IDs()
	}
	opts.Config = kept.Kept()
	if err := opts.readPurpose(p); err != nil {
		return opts, nil, plan.Wrong(err)
	}
	done, err = opts.openBrowser(p, acts)
	return opts, done, err
}

// plannedRevisits says how a crawl goes on whose plan has a schedule.
func plannedRevisits(p *plan.Plan) (r *Revisits, err error) {
	r = &Revisits{}
	if r.Plan, err = schedule.ParsePlan(p.Revisit); err != nil {
		return nil, err
	}
	rules, fits := plan.RevisitRules(p.RevisitRule)
	for i := range rules {
		r.Rules = append(r.Rules, RevisitRule{rules[i], fits[i]})
	}
	return r, nil
}

// paceOf is how fast a plan lets hosts be asked.
func paceOf(p *plan.Plan) frontier.Pace {
	pace := frontier.Pace{
		Delay: time.Duration(p.Delay.Least), Spread: time.Duration(p.Delay.Most - p.Delay.Least), AddressDelay: defaultAddressDelay,
		Factor: p.DelayFactor, HostRate: int64(p.HostRate), Rate: int64(p.Rate),
	}
	if p.AddressDelay != nil {
		pace.AddressDelay = time.Duration(*p.AddressDelay)
	} else if len(p.ConnectTo) > 0 {
		pace.AddressDelay = 0
	}
	return pace
}

// planPace is the other way round: what commands may change of a pace.
func planPace(pace frontier.Pace) plan.Plan {
	addressDelay := units.Span(pace.AddressDelay)
	return plan.Plan{
		Delay: units.Spans{Least: units.Span(pace.Delay), Most: units.Span(pace.Delay + pace.Spread)}, AddressDelay: &addressDelay,
		DelayFactor: pace.Factor, HostRate: units.Rate(pace.HostRate), Rate: units.Rate(pace.Rate),
	}
}

// identity reads the key of --identity; nil if there is none.
func identity(file string) (*httpsig.Key, error) {
	if file == "" {
		return nil, nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("--identity: the key that signs the requests cannot be read (%w): name its file, which kavosh identity new made", err)
	}
	key, err := httpsig.ParseKey(text)
	if err != nil {
		return nil, fmt.Errorf("--identity %s: %w; name a file that kavosh identity new made", file, err)
	}
	return key, nil
}

// openBrowser sees that a fetcher can be made, and starts the browser where the plan asks for one: its scripts see the User-Agent that
// servers see.
func (o *Options) openBrowser(p *plan.Plan, acts *behaviours.Set) (done func(), err error) {
	f, err := fetch.New(o.Fetch)
	var bad *fetch.OptionError
	switch {
	case errors.As(err, &bad):
		return nil, plan.Wrong(err)
	case err != nil:
		return nil, err
	}
	defer f.Close()
	if p.Browser == "never" {
		return func() {}, nil
	}
	kinds := p.Render.Kinds()
	o.PageInfo = slices.Contains(kinds, kavosh.PageInfo)
	o.BrowserAuto = p.Browser == "auto"
	bo := browser.Options{
		UserAgent: f.UserAgent(), Behaviours: acts, Render: kinds,
		Language: string(p.BrowserLanguage), Window: image.Point(p.BrowserSize), Zone: string(p.BrowserZone), Memory: int64(p.BrowserMemory),
	}
	if o.Logins != nil {
		bo.Logins = o.Logins
	}
	b, err := browser.New(bo)
	if o.BrowserAuto && errors.Is(err, chromium.ErrAbsent) {
		o.NoBrowser = err
		return func() {}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("--browser %s: %w", p.Browser, err)
	}
	o.Browser = b
	return func() { b.Close() }, nil
}

// readPurpose reads what the crawl is after and in which order it goes there.
func (o *Options) readPurpose(p *plan.Plan) (err error) {
	judges := judge.Reader{Open: os.ReadFile}
	if o.Judge, err = judges.Parse(languages(p, p.Prefer)); err != nil {
		return fmt.Errorf("--prefer: %w", err)
	}
	if o.Only, err = judges.Parse(languages(p, p.Only)); err != nil {
		return fmt.Errorf("--only: %w", err)
	}
	if o.Judge == nil || slices.Equal(p.Prefer, p.Only) { // one verdict for both
		o.Judge = o.Only
	}
	setup := &o.OrderSetup
	if p.ContextGraph != "" {
		data, err := os.ReadFile(p.ContextGraph)
		if err == nil {
			setup.ContextGraph, err = order.ReadContextGraph(data)
		}
		if err != nil {
			return fmt.Errorf("--context-graph %s: %w", p.ContextGraph, err)
		}
	}
	if o.Judge != nil {
		setup.Topic = o.Judge.Text
		wanted := p.Prefer
		if len(wanted) == 0 {
			wanted = p.Only
		}
		best := OrderFor(wanted)
		o.Datasets = best == order.ForRDF
		o.Order = cmp.Or(o.Order, best)
	}
	_, err = order.Parse(o.Order, *setup)
	return err
}

// OrderFor returns the default order of a crawl for values of --prefer.
func OrderFor(prefer []string) string {
	if slices.ContainsFunc(prefer, func(value string) bool { return value != "rdf" && !strings.HasPrefix(value, "rdf=") }) {
		return order.ForTopic
	}
	return order.ForRDF
}

// languages are the values of --prefer or --only with what --language-id says of languages.
func languages(p *plan.Plan, values []string) []string {
	values = slices.Clone(values)
	for i, v := range values {
		_, kind, weighed := strings.Cut(v, "*")
		if !weighed {
			kind = v
		}
		if strings.HasPrefix(kind, "language=") && !strings.Contains(kind, ",by=") && p.LanguageID != "all" {
			values[i] += ",by=" + p.LanguageID
		}
	}
	return values
}

// archiveFor is the folder of an archive that was given no name: the seed's host, with a port that is not its scheme's own,
// and .kavosh, in the working directory.
func archiveFor(seed string) string {
	u, err := weburl.Parse(seed)
	if err != nil || u.Hostname() == "" {
		return "archive.kavosh"
	}
	host := strings.Trim(strings.ReplaceAll(u.Hostname(), ":", "-"), "[]-") // an address must not look like a flag
	if port := u.Port(); port != "" {
		host += "-" + port
	}
	return host + ".kavosh"
}
