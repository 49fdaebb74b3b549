package main

// This file is the command kavosh quality: which parts of its pages an archive lacks, and which do not fit them.

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh/archive"
	"kavosh/internal/clock"
	"kavosh/lib/cdx"
	"kavosh/quality"
	"kavosh/record"
)

type qualityCmd struct {
	target
	Args     []string `arg:"" optional:"" name:"archive" help:"The archive's folder."`
	Crawl    string   `placeholder:"ID" help:"Only pages that this crawl captured (kavosh log ARCHIVE --crawls lists the IDs). Default: the newest capture of each page."`
	Host     string   `placeholder:"HOST" help:"Only pages of this host."`
	Within   float64  `placeholder:"PERCENT" help:"Look at pages picked at random until the share of whole pages is known to so many percent on both sides, with a certainty of 95%. Default: look at all pages."`
	Between  string   `placeholder:"CRAWL,CRAWL" help:"Say which pages of the first crawl have defects, as the second shows by visiting them again, and how far they fit together. More than two, or all: each with the next one. One crawl with --revisit once: its two rounds. A day, month or year stands for its captures, of archives of others too: 2024-03,2024-04."`
	Timeline string   `placeholder:"FILE" help:"With --between: draw as an SVG file when each page was as the first visit has it, beside the moment at which most were; --limit bars at most, of 300. Of more than two visits, a file each."`
	At       string   `placeholder:"TIME" help:"Say how far what the archive shows of a time was there together, such as 2024-03-05T12:00 or 1402/12/15; a day, month or year means its end."`
	Listed   bool     `help:"Say which pages that the site's own sitemaps and feeds list the archive lacks; with --urls, print their addresses."`
	Series   bool     `help:"Say how pages behave over the series of crawls: which change together, and which crawls are odd."`
	Settings bool     `help:"With --series: print only the pages that should be visited more often, as a file for kavosh crawl --config."`
	Rendered int      `least:"0" most:"10000" placeholder:"N" help:"Look at so many pages in Chromium as they are replayed, those that lack most and some picked at random, and say what is lost, what asks for the live web, and how they are beside their capture. Needs apt-get install chromium."`
	Limit    int      `default:"20" least:"1" most:"10000" placeholder:"N" help:"Pages and missing parts to list, at most 10000."`
	URLs     bool     `name:"urls" help:"Print only the addresses of missing parts, --limit at most, one a line, for kavosh crawl."`
	JSON     bool     `name:"json" help:"Print what was found as one JSON object."`
}

// Help returns the text above the flags in the help.
func (qualityCmd) Help() string {
	return `Examples:

    kavosh quality example.org.kavosh
    kavosh quality example.org.kavosh --json --limit 1000
    kavosh quality example.org.kavosh --within 2
    kavosh quality example.org.kavosh --rendered 200
    kavosh quality example.org.kavosh --urls --limit 10000
    kavosh crawl --patch --archive example.org.kavosh
    kavosh quality news.kavosh --between all                      each crawl by the next one
    kavosh quality news.kavosh --between 20240301090000           the two rounds of a crawl with --revisit once
    kavosh quality news.kavosh --between all --limit 100 --timeline news.svg
    kavosh quality news.kavosh --at 2024-03-05T12:00 --host news.example
    kavosh quality news.kavosh --series --host news.example       pages that behave alike over all crawls
    kavosh quality news.kavosh --series --settings > often.toml   what should be visited more often, for kavosh crawl --config
    kavosh quality news.kavosh --listed                           of what sitemaps and feeds list

Reads each page and looks for its parts: what a browser loads to show it, such as styles, scripts, pictures, fonts and frames, and what these load in turn. Of a picture in several sizes, and of a font or film in several formats, one is enough. A part is missing if the archive has no answer for its address but errors.

The damage of a page is what its missing parts weigh of all its parts: a style as much as four pictures, a frame or a film as three, a script as two, a font as a quarter.

A part that is there may be of another time than the page. It fits if it was the same before and after the page was captured, or if Last-Modified says that it had been changed last before. It does not fit if that says that another one was there then: the page is shown as it never was.

A large archive takes long. --within 2 looks at pages in a random order, the same each time, and stops when the share of whole pages is known to two percent on both sides, with a certainty of 95%. Where nearly all pages are whole, some hundreds are enough; else some thousands. It looks at 20,000 pages at most.

kavosh crawl --patch fetches what is missing, and says at its end how the archive was before and is after. Parts that only scripts ask for are not seen here. What kavosh access has closed is left out. Memory does not grow with the archive, but for the pages that are listed, each with at most 100 parts that it lacks and 100 of another time (--json counts the others in more_lacks and more_unfit), and 200 bytes a missing part, of at most 100,000.

--rendered 200 opens pages in Chromium as they are replayed, by clock, window and colours of the capture. Parts are missing that a page asks for in vain, scripts' own too. The damage is the share of the page that is lost: a picture by the area that it would fill, a style by how much of the page looks as if it had none (Brunelle and others, 2014). A page may be blank, stand in for another (a wall, a login, a page that is not there, as the crawl found), ask for something outside of the archive, which is refused and named, or have a film whose record is not whole. Where the crawl recorded pictures, texts and what pages asked for (--render view,text,pageinfo), they are compared: pictures by SSIM. Half of the pages are those that lack most by their links; the others are picked at random, and tell of all pages, with a certainty of 95%: --within ends it when enough is known. What was rendered is kept as WARC records in derived/fidelity@1, and kavosh serve shows what was found.

--between visits pages twice, and sorts out those that differ: missing (another answer, or none), deleted (the second visit does not have them), with other links (structure), with other content, and added. Noise such as adverts and counters is no defect. A page that only the rules of the second crawl leave out is counted apart, and in no share; one that --keep changed left out, as noise. If a page was captured several times in a visit, the last capture counts. Addresses that differ in the case of letters are one page where the host answered several spellings of one address alike.

Two numbers say how far the first visit fits together. By visit and revisit: the share of pages that were the same both times. By intersection: the greatest share of versions that were there at one moment. A version is there from its Last-Modified (or a date in the page) to that of the next; where nothing tells, the share lies between two bounds. Weighed, pages to which many pages link count more, as the index of links says that kavosh search, export tables or serve makes; without it, or if it is older than the captures, all count the same.

--timeline draws that: a bar for each page, dark while its version was there for sure and pale while it may have been, with both visits; and over all the moment at which most were, by number and by importance. Pages that were not there then come first, the most important before, and take half of the bars; a curve above counts all pages. kavosh serve draws the same at /c/NAME/timeline.

--at tells the same of what the archive shows of a time, by the nearest capture and by the latest up to then. Memory is some 200 bytes a page.

Blur says how often a page changes, on average, between the moment of its capture and the one that is meant: how often it changed so far is told by its captures, drawn towards once a week where they are few or near each other. --at counts noise as a change, and leaves out pages that were visited once.

--series sorts pages into groups that behave alike over all crawls, such as those that change every Friday, and says which crawls are odd: a site that was redesigned, a crawl that lacks pages. A page changed if its bytes did, so noise counts; for a redesign only pages count that are new, or longer or shorter than before by more than a twentieth. It looks at 20,000 pages picked at random if there are more. Where captures are not of several crawls, days or months count as such. kavosh serve draws the same. Pages of which more than one change is expected between two visits are named with the interval that they should have, as rules of --revisit-rule; --settings prints these as a file.

Where something is wrong, settings of the next crawl are proposed, each with its reason: by what was found, and by the report of the newest crawl.

How much of a site an archive holds is known where the site says what it has: --listed reads the sitemaps and feeds that the archive holds, and looks up the pages of their own hosts that they list. Else --between estimates it by what two crawls have in common, as those who count animals do by catching them twice: the fewer, the more neither has found.`
}

// Run reads all pages and prints what was found.
func (c *qualityCmd) Run(p *program) error {
	dir, rest, err := c.archive(c.Args)
	if err != nil {
		return err
	}
	if len(rest) > 0 {
		return usage("kavosh quality takes one archive; %q is too much", rest[0])
	}
	if c.Within != 0 && (c.Within < 0.1 || c.Within > 50) {
		return usage("--within takes a number of percent from 0.1 to 50")
	}
	if err := c.fits(); err != nil {
		return err
	}
	ctx, stop := p.interruptible(nil)
	defer stop()
	switch {
	case c.Between != "":
		return c.between(ctx, p, dir)
	case c.At != "":
		return c.asOf(ctx, p, dir)
	case c.Listed:
		return c.listed(ctx, p, dir)
	case c.Series:
		return c.series(ctx, p, dir)
	case c.Rendered > 0:
		return c.fidelity(ctx, p, dir)
	}
	of, err := c.pages(dir)
	if err != nil {
		return err
	}
	line := newProgress(p.err)
	sum := quality.NewSummary(c.Limit, c.Limit)
	if c.URLs {
		sum = quality.NewSummary(0, c.Limit)
	}
	err = c.look(ctx, archive.QualityOf(vfs.Default, dir, clock.Real{}), of, sum, line)
	line.stop()
	if err != nil {
		return err
	}
	proposals, err := c.proposals(ctx, dir, sum.Proposals())
	switch {
	case err != nil:
		return err
	case c.URLs:
		for i := range sum.Missing {
			if sum.Missing[i].Open() {
				fmt.Fprintln(p.out, sum.Missing[i].Wanted())
			}
		}
		if len(sum.Missing) < sum.Different {
			fmt.Fprintf(p.err, "kavosh: these are %s of %s missing parts, those that cost most: --limit N prints N of them\n", count(len(sum.Missing)), count(sum.Different))
		}
		return nil
	case c.JSON:
		return printJSON(p.out, struct {
			*quality.Summary
			Proposals []quality.Proposal `json:"proposals"`
		}{sum, reasoned(proposals, dir)})
	case sum.Pages == 0:
		return c.noPages(dir)
	}
	if a := sum.Sample; a != nil && !a.Whole.Within(c.Within/100) {
		fmt.Fprintf(p.err, "kavosh: more than %s pages are never looked at: the share of whole pages is known to %s on both sides only\n", count(sum.Pages), percent((a.Whole.High-a.Whole.Low)/2))
	}
	_, err = io.WriteString(p.out, qualityText(sum))
	printProposals(p.out, proposals, dir)
	return err
}

// noPages is the error where the archive has nothing of what --host and --crawl ask for.
func (c *qualityCmd) noPages(dir string) error {
	what := "pages"
	if c.Host != "" {
		what += " of " + c.Host
	}
	if c.Crawl != "" {
		what += " in crawl " + c.Crawl
	}
	return fmt.Errorf("%s has no %s that can be shown", dir, what)
}

// fits says which flags do not go together.
func (c *qualityCmd) fits() error {
	switch {
	case c.Between != "" && (c.At != "" || c.Crawl != ""):
		return usage("--between names the visits to compare: leave out --at and --crawl")
	case c.Timeline != "" && c.Between == "":
		return usage("--timeline draws what --between compares: name the visits, or all")
	case c.Timeline != "" && strings.ToLower(filepath.Ext(c.Timeline)) != ".svg":
		return usage("--timeline %s: the name ends in .svg", c.Timeline)
	case c.Within != 0 && (c.Between != "" || c.At != ""):
		return usage("--within looks at parts of pages picked at random: leave out --between and --at")
	case c.Rendered > 0 && (c.Between != "" || c.At != "" || c.URLs || c.Listed || c.Series):
		return usage("--rendered looks at pages of now: leave out --between, --at, --urls, --listed and --series")
	case c.Listed && (c.Between != "" || c.At != "" || c.Crawl != "" || c.Host != "" || c.Within != 0):
		return usage("--listed is of the whole archive: it goes with --limit, --urls and --json alone")
	case c.Series && (c.Between != "" || c.At != "" || c.Crawl != "" || c.Listed || c.Within != 0 || c.URLs):
		return usage("--series is of all crawls: it goes with --host, --limit and --json alone")
	case c.Settings && (!c.Series || c.JSON):
		return usage("--settings goes with --series, and without --json: kavosh quality ARCHIVE --series --settings")
	case c.URLs && (c.Between != "" || c.At != ""):
		return usage("--urls prints missing parts: leave out --between and --at")
	}
	return nil
}

// look looks at pages of which captures count, all or a sample, and adds them to sum.
func (c *qualityCmd) look(ctx context.Context, r *quality.Reader, of func(*cdx.Entry) bool, sum *quality.Summary, line *progress) error {
	q, err := c.hosts()
	if err != nil {
		return err
	}
	all := r.Pages(ctx, q, of)
	if c.Within > 0 {
		all = r.Sample(ctx, q, of, 1, func(n int) { sum.Sample = quality.NewSample(n) })
	}
	return sum.Read(all, func() (more bool) {
		line.measured(sum)
		return sum.Sample == nil || !sum.Sample.Whole.Within(c.Within/100)
	})
}

// hosts returns what matches the captures of --host; of all hosts without it.
func (c *qualityCmd) hosts() (cdx.Query, error) {
	q, err := quality.Of(c.Host)
	if err != nil {
		return q, usage("--host %s: this is no host; write it as example.org", c.Host)
	}
	return q, nil
}

// pages returns which captures count.
func (c *qualityCmd) pages(dir string) (func(*cdx.Entry) bool, error) {
	if c.Crawl == "" {
		return func(*cdx.Entry) bool { return true }, nil
	}
	all, err := archive.Crawls(vfs.Default, dir)
	if err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(all, func(crawl archive.Crawl) bool { return crawl.ID == c.Crawl }) {
		return nil, fmt.Errorf("%s has no crawl %s: kavosh log %s --crawls lists them", dir, c.Crawl, dir)
	}
	return func(e *cdx.Entry) bool { return record.CrawlOf(e.Filename) == c.Crawl }, nil
}

// maxNamed is how many missing parts are named for each page.
const maxNamed = 3

// qualityText says in words what was found.
func qualityText(s *quality.Summary) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s with %s\n  %s\n", plural(s.Pages, "page"), plural(s.Parts, "part"), wholeText(s))
	if a := s.Sample; a != nil {
		fmt.Fprintf(&b, "  these are picked at random out of %s: of all pages, %s to %s are whole, and the damage is %s to %s\n",
			plural(a.Of, "page"), percent(a.Whole.Low), percent(a.Whole.High), percent(a.Damage.Low), percent(a.Damage.High))
	}
	if s.Unread > 0 {
		fmt.Fprintf(&b, "  %s cannot be read: kavosh check says why\n", plural(s.Unread, "page"))
	}
	fmt.Fprintf(&b, "  %s of another time than their page, and %s of which nothing tells\n", plural(s.Unfit, "part"), count(s.Unsure))
	if len(s.Worst) > 0 {
		b.WriteString("\nThe worst pages, by damage:\n")
	}
	for _, p := range s.Worst {
		fmt.Fprintf(&b, "%7s  %s\n", percent(p.Damage), p.URL)
		if p.Unread != "" {
			fmt.Fprintf(&b, "         cannot be read: %s\n", p.Unread)
		}
		for i := range p.Lacks[:min(len(p.Lacks), maxNamed)] {
			fmt.Fprintf(&b, "         lacks %s\n", partText(&p.Lacks[i]))
		}
		for i := range p.Unfit[:min(len(p.Unfit), maxNamed)] {
			fmt.Fprintf(&b, "         shows %s %s, which was another one when the page was captured at %s\n",
				p.Unfit[i].As, p.Unfit[i].URL, p.Time.Format(time.DateTime))
		}
		more := max(0, len(p.Lacks)-maxNamed) + max(0, len(p.Unfit)-maxNamed) + p.MoreUnfit
		for _, n := range p.MoreLacks {
			more += n
		}
		if more > 0 {
			fmt.Fprintf(&b, "         and %s\n", plural(more, "more part"))
		}
	}
	if len(s.Missing) > 0 {
		b.WriteString("\nThe missing parts that cost most, with the number of pages that lack them:\n")
	}
	for i := range s.Missing {
		fmt.Fprintf(&b, "%7s  %s\n", count(s.Missing[i].Pages), partText(&s.Missing[i].Part))
	}
	return b.String()
}

// wholeText says in words how whole the pages are.
func wholeText(s *quality.Summary) string {
	return fmt.Sprintf("%s whole, %s of all parts missing, damage %s on average", plural(s.Whole, "page"), count(s.Lacking), percent(s.Damage))
}

// partText names a missing part and why it is missing.
func partText(p *quality.Part) string {
	why := map[quality.State]string{quality.Absent: "no answer in the archive", quality.Failed: fmt.Sprint("status ", p.Code), quality.Closed: "closed by a rule", quality.Loops: "redirected on and on"}[p.State]
	if p.Via != "" {
		why += ", for " + p.Via
	}
	return fmt.Sprintf("%s %s (%s)", p.As, p.URL, why)
}

func percent(share float64) string { return fmt.Sprintf("%.1f%%", 100*share) }
