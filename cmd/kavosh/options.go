package main

import (
	"cmp"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"slices"
	"strings"
	"time"

	"kavosh/engine"
	"kavosh/fetch"
	"kavosh/fetch/browser"
	"kavosh/frontier/order"
	"kavosh/frontier/scope"
	"kavosh/internal/chromium"
	"kavosh/judge"
	"kavosh/lib/warc"
	"kavosh/lib/weburl"
)

// defaultAddressDelay is --address-delay's, where it is not 0.
const defaultAddressDelay = 100 * time.Millisecond

// scopeOptions are the flags that say how far to go.
func (c *crawlCmd) scopeOptions() scope.Options {
	return scope.Options{
		Mode: c.Scope, Include: c.Include, Exclude: c.Exclude, MaxHops: int(c.MaxHops), ObeyNoFollow: c.Nofollow == "obey",
		NearDuplicates: c.NearDuplicates,
	}
}

// options makes the engine's options of the flags. Everything that can be wrong with them is found here, before a file
// is written.
func (c *crawlCmd) options(seeds *seedList, config map[string]string) (engine.Options, error) {
	opts := engine.Options{
		Archive: c.Archive, Seeds: seeds.all(), Resume: c.Resume.Set, ID: c.Resume.ID,
		Scope: c.scopeOptions(), Order: c.Order, Workers: c.Workers, Delay: time.Duration(c.Delay), AddressDelay: defaultAddressDelay,
		Limits:     engine.Limits{Pages: c.MaxPages, URLs: c.MaxURLs, Time: time.Duration(c.MaxTime), Bytes: int64(c.MaxBytes), MinFree: int64(c.MinFree)},
		HostBudget: c.HostBudget, DomainBudget: c.DomainBudget, QueryBudget: c.QueryBudget, NoFollow: c.Nofollow, Digest: c.Digest, Compression: warc.Compression(c.Compression),
		Fetch: fetch.Options{
			UserAgent: c.UserAgent, Contact: c.Contact, Header: c.publicHeaders(), KeepSecrets: c.KeepSecrets, ConnectTo: c.ConnectTo, TLSStrict: c.TLS == "strict",
			Proxy: c.Proxy, Resolver: c.DNS, MaxBody: int64(c.MaxBody), NoHTTP2: c.HTTP == "1.1",
		},
		Config: config, Version: version(),
	}
	for _, n := range c.AllowPrivate {
		opts.Fetch.AllowPrivate = append(opts.Fetch.AllowPrivate, n.Prefix)
	}
	if c.AddressDelay != nil {
		opts.AddressDelay = time.Duration(*c.AddressDelay)
	} else if len(c.ConnectTo) > 0 {
		opts.AddressDelay = 0
	}
	if c.QueryBudget == 0 {
		opts.QueryBudget = -1
	}
	switch {
	case seeds.first == "" && !c.Resume.Set:
		return opts, usage("what to crawl? name a URL, such as kavosh crawl https://example.org/, or a file with --seeds")
	case c.Robots == "record" && strings.TrimSpace(c.Reason) == "":
		return opts, usage("--robots record needs --reason: say by what right, such as --reason 'legal deposit act, §3'; it is kept in the archive")
	case c.Robots == "obey" && c.Reason != "":
		return opts, usage("--reason goes with --robots record; robots.txt is obeyed otherwise and needs no reason")
	}
	var err error
	if opts.Fetch.Credentials, err = c.credentials(seeds, c.hadSecrets); err != nil {
		return opts, usageError{err.Error()}
	}
	if text := secretsText(opts.Fetch.Credentials); text != "" {
		config[keptSecrets] = text
	}
	if c.Robots == "record" {
		opts.RecordRobots = c.Reason
	}
	if opts.Archive == "" {
		opts.Archive = archiveFor(seeds.first)
	}
	if _, err := scope.New(opts.Scope); err != nil {
		return opts, usageError{err.Error()}
	}
	if err := c.purpose(&opts); err != nil {
		return opts, usageError{err.Error()}
	}
	return opts, checkFetch(opts.Fetch)
}

// purpose reads what the crawl is after and in which order it goes there.
func (c *crawlCmd) purpose(opts *engine.Options) (err error) {
	judges := judge.Reader{Open: os.ReadFile}
	if opts.Judge, err = judges.Parse(c.languages(c.Prefer)); err != nil {
		return fmt.Errorf("--prefer: %w", misnamed(err))
	}
	if opts.Only, err = judges.Parse(c.languages(c.Only)); err != nil {
		return fmt.Errorf("--only: %w", misnamed(err))
	}
	if opts.Judge == nil || slices.Equal(c.Prefer, c.Only) { // one verdict for both
		opts.Judge = opts.Only
	}
	opts.URIs, opts.SeeAlso, opts.Negotiate = c.RDFLinks == "all", c.RDFLinks == "seealso", c.Negotiate
	setup := &opts.OrderSetup
	if c.ContextGraph != "" {
		data, err := os.ReadFile(c.ContextGraph)
		if err == nil {
			setup.ContextGraph, err = order.ReadContextGraph(data)
		}
		if err != nil {
			return fmt.Errorf("--context-graph %s: %w", c.ContextGraph, err)
		}
	}
	if opts.Judge != nil {
		setup.Topic = opts.Judge.Text
		best := recommended(cmp.Or(strings.Join(c.Prefer, "\n"), strings.Join(c.Only, "\n")))
		opts.Datasets = best == order.ForRDF
		opts.Order = cmp.Or(opts.Order, best)
	}
	_, err = order.Parse(opts.Order, *setup)
	return misnamed(err)
}

// recommended is the order for what is preferred, a value of --prefer a line.
func recommended(prefer string) string {
	for value := range strings.SplitSeq(prefer, "\n") {
		if value != "rdf" && !strings.HasPrefix(value, "rdf=") {
			return order.ForTopic
		}
	}
	return order.ForRDF
}

// languages are the values of --prefer or --only with what --language-id says of languages.
func (c *crawlCmd) languages(values []string) []string {
	values = slices.Clone(values)
	for i, v := range values {
		_, kind, weighed := strings.Cut(v, "*")
		if !weighed {
			kind = v
		}
		if strings.HasPrefix(kind, "language=") && !strings.Contains(kind, ",by=") && c.LanguageID != "all" {
			values[i] += ",by=" + c.LanguageID
		}
	}
	return values
}

// checkFetch makes a fetcher only to see whether it can be made.
func checkFetch(o fetch.Options) error {
	f, err := fetch.New(o)
	var bad *fetch.OptionError
	switch {
	case errors.As(err, &bad):
		return usageError{err.Error()}
	case err != nil:
		return err
	}
	f.Close()
	return nil
}

// newBrowser is the browser of --browser. Its scripts see the User-Agent that servers see.
func newBrowser(opts engine.Options) (*browser.Browser, error) {
	o := opts.Fetch
	o.Version = opts.Version
	f, err := fetch.New(o)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := browser.New(browser.Options{UserAgent: f.UserAgent(), Unsandboxed: true}) // warn has said so
	if err != nil {
		return nil, fmt.Errorf("--browser always: %w", err)
	}
	return b, nil
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

// warn tells what a considerate operator would want to know before the crawl starts.
func (c *crawlCmd) warn(p *program, seeds *seedList) {
	if seeds.public && c.Contact == "" && len(c.ConnectTo) == 0 && !c.Resume.Set {
		fmt.Fprintln(p.err, "kavosh: say who you are with --contact URL|MAIL, so that the owners of the servers can reach you")
	}
	if c.Browser == "always" && chromium.Sandboxed() != nil {
		fmt.Fprintf(p.err, "kavosh: --browser %s: %v\n", c.Browser, chromium.ErrUnsandboxed)
	}
	if c.Robots == "record" {
		fmt.Fprintf(p.err, "kavosh: what robots.txt forbids is fetched all the same; kept as the reason: %s\n", c.Reason)
	}
	if c.KeepSecrets {
		fmt.Fprintln(p.err, "kavosh: credentials and cookies are recorded (--keep-secrets): whoever gets the WARC files or an export of them can use them")
	}
}

// isPublic reports whether a URL looks like a server of somebody else's.
func isPublic(url string) bool {
	u, err := weburl.Parse(url)
	if err != nil {
		return false
	}
	host := strings.Trim(u.Hostname(), "[]")
	if a, err := netip.ParseAddr(host); err == nil {
		return a.IsGlobalUnicast() && !a.IsPrivate()
	}
	for _, local := range []string{"localhost", ".example", ".test", ".invalid", ".local", ".internal", ".home.arpa"} {
		if host == strings.TrimPrefix(local, ".") || strings.HasSuffix(host, local) {
			return false
		}
	}
	return strings.Contains(host, ".")
}
