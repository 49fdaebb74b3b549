package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"kavosh/record"
)

// comparison holds the flags.
type comparison struct {
	kavosh  string
	workers int
	pages   int
	sites   []string
	peers   []string
	docs    string
	repeat  int
	limit   time.Duration
	dir     string
	out     string
	seed    uint64
}

// result is everything that was measured, and the content of the JSON file.
type result struct {
	Began   time.Time `json:"began"`
	CPU     string    `json:"cpu"`
	Cores   int       `json:"cores"`
	System  string    `json:"system"`
	Level   int       `json:"default_gzip_level"`
	Sites   []siteRun `json:"sites"`
	Ratios  []ratio   `json:"ratios"`
	Missing []string  `json:"missing,omitempty"`
}

type siteRun struct {
	Name  string `json:"name"`
	Pages int    `json:"pages"`
	Hosts int    `json:"hosts"`
	Bytes int64  `json:"bytes"` // of all bodies
	Runs  []run  `json:"runs"`
}

// run is one crawler's run: of several repetitions the one with the median rate.
type run struct {
	Crawler string `json:"crawler"`
	Keeps   string `json:"keeps"`
	used
	Pages    int64     `json:"pages"` // distinct pages that the server sent it
	Requests int64     `json:"requests"`
	WARC     int64     `json:"warc_bytes"`    // of *.warc.gz, or of the ceiling's file
	Written  int64     `json:"written_bytes"` // of all files
	Status   int       `json:"exit_status"`
	CPURate  float64   `json:"pages_per_cpu_second"`
	WallRate float64   `json:"pages_per_second"`
	AllRates []float64 `json:"all_pages_per_cpu_second"` // of all repetitions
	TimedOut bool      `json:"timed_out,omitempty"`
}

func compare(args []string) error {
	var c comparison
	set := flag.NewFlagSet("crawl", flag.ExitOnError)
	set.StringVar(&c.kavosh, "kavosh", "bin/kavosh", "the `program`")
	set.IntVar(&c.workers, "workers", 0, "kavosh's --workers; 0 is its default")
	set.IntVar(&c.pages, "pages", 12_000, "pages of each site, about")
	set.Func("sites", "which `sites`, of hard,easy,tls,docs (default all)", list(&c.sites))
	set.Func("peers", "which `crawlers` beside kavosh and the ceiling, of wget,wget2,httrack,scrapy (default all)", list(&c.peers))
	set.StringVar(&c.docs, "docs", "/usr/share/doc/postgresql-doc-15/html", "`folder` of real pages, with an index.html")
	set.IntVar(&c.repeat, "repeat", 3, "crawls by each that takes less than fifteen seconds; the one with the middle rate counts")
	set.DurationVar(&c.limit, "limit", 15*time.Minute, "stop a crawler after this time")
	set.StringVar(&c.dir, "dir", ".cache/bench", "`folder` for what is crawled, which is removed afterwards")
	set.StringVar(&c.out, "json", ".cache/bench/crawl.json", "`file` for the results")
	set.Uint64Var(&c.seed, "seed", 1, "of the made-up text")
	set.Parse(args)
	if c.sites == nil {
		c.sites = []string{"hard", "easy", "tls", "docs"}
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	r, err := c.measureAll(ctx)
	if err != nil {
		return err
	}
	r.print(os.Stdout)
	data, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(c.out), 0o777); err != nil {
		return err
	}
	return os.WriteFile(c.out, append(data, '\n'), 0o666)
}

// list parses a flag of comma-separated words.
func list(to *[]string) func(string) error {
	return func(s string) error {
		*to = strings.Split(s, ",")
		return nil
	}
}

func (c *comparison) measureAll(ctx context.Context) (*result, error) {
	var err error
	if c.kavosh, err = filepath.Abs(c.kavosh); err != nil {
		return nil, err
	}
	if _, err := os.Stat(c.kavosh); err != nil {
		return nil, fmt.Errorf("%w; make it with `make build`", err)
	}
	if c.dir, err = filepath.Abs(c.dir); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(c.dir, 0o777); err != nil {
		return nil, err
	}
	r := &result{Began: time.Now().UTC(), CPU: cpuModel(), Cores: runtime.NumCPU(), System: system(), Level: record.DefaultLevel}
	for _, name := range c.sites {
		f := siteFlags{kind: name, pages: c.pages, seed: c.seed}
		title := name + " text"
		switch name {
		case "hard", "easy":
		case "tls":
			f.kind, f.tls, title = "hard", true, "hard text over TLS"
		case "docs":
			f.kind, title = c.docs, "real pages of "+c.docs
			if _, err := os.Stat(c.docs); err != nil {
				r.Missing = append(r.Missing,
					c.docs+" is not there: apt-get install -o Dpkg::Options::=--path-include='/usr/share/doc/*' postgresql-doc-15")
				continue
			}
		default:
			return nil, fmt.Errorf("there is no site %q: hard, easy, tls and docs are", name)
		}
		site, failed, err := c.measureSite(ctx, f, title, c.crawlers(r, name))
		if err != nil {
			return nil, err
		}
		r.Missing = append(r.Missing, failed...)
		r.Sites = append(r.Sites, *site)
	}
	r.Ratios = ratios(r)
	return r, nil
}

// crawlers returns the crawlers for a site: all for the hard text, otherwise only those compared on every site.
func (c *comparison) crawlers(r *result, site string) []crawler {
	all := []crawler{kavosh()}
	for _, p := range peers {
		if c.peers != nil && !slices.Contains(c.peers, p.name) || site != "hard" && p.name != "wget" {
			continue
		}
		if m := p.missing(); m != "" {
			if m = p.name + " is " + m; !slices.Contains(r.Missing, m) {
				r.Missing = append(r.Missing, m)
			}
			continue
		}
		all = append(all, p)
	}
	all = append(all, ceilingAt("ceiling", r.Level, false))
	if site == "hard" {
		all = append(all, ceilingAt("ceiling, lean scan", r.Level, true), ceilingAt("ceiling, no gzip", 0, false))
		all = append(all, ceilingAt("ceiling, level 6", 6, false))
		all = slices.Insert(all, 1, kavosh(level6...))
	}
	return all
}

// quick is the duration below which a crawl is repeated: short ones are disturbed more by other programs.
const quick = 15 * time.Second

// measureSite runs all crawlers on a site, in turn and repeatedly. failed says why other crawlers did not run.
func (c *comparison) measureSite(ctx context.Context, f siteFlags, title string,
	crawlers []crawler) (site *siteRun, failed []string, err error) {
	fmt.Fprintf(os.Stderr, "%s: making the pages\n", title)
	s, err := startServer(f)
	if err != nil {
		return nil, nil, err
	}
	defer s.close()
	files, err := os.MkdirTemp(c.dir, "site-")
	if err != nil {
		return nil, nil, err
	}
	defer os.RemoveAll(files)
	if err := trust(s, files); err != nil {
		return nil, nil, err
	}
	work := ceilingWork{CA: s.CA}
	if err := s.ask("urls", &work.URLs); err != nil {
		return nil, nil, err
	}
	text, err := json.Marshal(work)
	if err != nil {
		return nil, nil, err
	}
	j := job{ctx: ctx, site: s, kavosh: c.kavosh, workers: c.workers, bare: filepath.Join(files, "work.json")}
	if s.CA != "" {
		j.ca = filepath.Join(files, "ca.pem")
	}
	if err := os.WriteFile(j.bare, text, 0o666); err != nil {
		return nil, nil, err
	}
	site = &siteRun{Name: title, Pages: s.Pages, Hosts: s.Hosts, Bytes: s.Bytes}
	runs := make([][]run, len(crawlers))
	for round := range c.repeat {
		for i, crawler := range crawlers {
			if round > 0 && (len(runs[i]) == 0 || runs[i][0].Wall > quick.Seconds()) {
				continue
			}
			fmt.Fprintf(os.Stderr, "%s: %s\n", title, crawler.name)
			r, err := c.crawl(j, crawler)
			switch {
			case err == nil:
				runs[i] = append(runs[i], r)
			case crawler.program == "" || ctx.Err() != nil:
				return nil, nil, err
			case round == 0:
				failed = append(failed, fmt.Sprintf("%v\nIs it the one of Debian? apt-get install %s", err, crawler.install))
			}
		}
	}
	for _, rs := range runs {
		if len(rs) == 0 {
			continue
		}
		slices.SortFunc(rs, func(a, b run) int { return cmp.Compare(a.CPURate, b.CPURate) })
		middle := rs[len(rs)/2]
		for _, r := range rs {
			middle.AllRates = append(middle.AllRates, r.CPURate)
		}
		site.Runs = append(site.Runs, middle)
	}
	return site, failed, nil
}

// crawl runs one crawler on the site once, in an empty folder.
func (c *comparison) crawl(j job, which crawler) (run, error) {
	dir, err := os.MkdirTemp(c.dir, "crawl-")
	if err != nil {
		return run{}, err
	}
	defer os.RemoveAll(dir)
	whole := j.ctx
	ctx, cancel := context.WithTimeout(whole, c.limit)
	defer cancel()
	j.ctx, j.dir = ctx, dir
	cmd, err := which.command(&j)
	if err != nil {
		return run{}, err
	}
	log, err := os.CreateTemp(c.dir, "log-")
	if err != nil {
		return run{}, err
	}
	defer os.Remove(log.Name())
	defer log.Close()
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, log, log
	syscall.Sync() // so that pending writes of the crawler before do not cost this one time
	var n counts
	if err := j.site.ask("counts", &n); err != nil {
		return run{}, err
	}
	r := run{Crawler: which.name, Keeps: which.keeps}
	if r.used, r.Status, err = measure(cmd); err != nil {
		return run{}, fmt.Errorf("%s: %w", which.name, err)
	}
	if err := whole.Err(); err != nil {
		return run{}, errors.New("interrupted")
	}
	r.TimedOut = ctx.Err() != nil
	if err := j.site.ask("counts", &n); err != nil {
		return run{}, err
	}
	r.Pages, r.Requests = n.Pages, n.Requests
	r.CPURate, r.WallRate = float64(r.Pages)/r.cpu(), float64(r.Pages)/r.Wall
	wanted := j.site.Pages
	if which.enough > 0 {
		wanted = min(wanted, which.enough)
	}
	if r.Pages < int64(wanted)/2 {
		text, _ := os.ReadFile(log.Name())
		return run{}, fmt.Errorf("%s got %d of %d pages, exit status %d, and said:\n%s", which.name, r.Pages, wanted,
			r.Status, tail(string(text)))
	}
	return r, sizes(dir, &r)
}

// tail returns the end of a program's output.
func tail(s string) string {
	if len(s) > 2000 {
		return "…" + s[len(s)-2000:]
	}
	return s
}

// sizes adds up the sizes of the written files.
func sizes(dir string, r *run) error {
	return filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		r.Written += info.Size()
		if strings.HasSuffix(name, ".warc.gz") || filepath.Base(name) == "ceiling" {
			r.WARC += info.Size()
		}
		return nil
	})
}

// cpuModel is the name of the processor, as Linux knows it.
func cpuModel() string {
	text, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return runtime.GOARCH
	}
	for line := range strings.Lines(string(text)) {
		if name, ok := strings.CutPrefix(line, "model name"); ok {
			return strings.TrimLeft(strings.TrimSpace(name), ": \t")
		}
	}
	return runtime.GOARCH
}

// system is the operating system with its release.
func system() string {
	text, err := os.ReadFile("/proc/sys/kernel/osrelease")
	if err != nil {
		return runtime.GOOS
	}
	return runtime.GOOS + " " + strings.TrimSpace(string(text))
}
