package main

// This file prints the report of a crawl at its end.

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"strings"
	"text/tabwriter"
	"time"

	"kavosh/archive"
	"kavosh/change"
	"kavosh/lib/units"
	"kavosh/quality"
)

// writeReport prints a crawl's report, as JSON or in words.
func writeReport(w io.Writer, r *archive.Report, archive string, asJSON bool) error {
	if !asJSON {
		return writeSummary(w, r, archive)
	}
	told := *r
	told.Proposals = reasoned(r.Proposals, archive)
	r = &told
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(r)
}

// writeSummary prints in a few lines what a crawl did, and what to do next.
func writeSummary(w io.Writer, r *archive.Report, dir string) error {
	how := cmp.Or(archive.Ending(r.End), "ended: "+r.End)
	var b strings.Builder
	fmt.Fprintf(&b, "Crawl %s %s after %s.\n\n", r.ID, how, elapsed(time.Duration(r.Seconds*float64(time.Second))))
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "  recorded\t%s of %s (%s) from %s, %s in %s\n",
		count(r.Recorded), plural(r.Fetched, "URL"), plural(r.Pages, "page"), plural(r.Hosts, "host"), units.Size(r.Bytes), plural(len(r.Files), "WARC file"))
	if s := byType(r.MIME, 8); s != "" {
		fmt.Fprintf(t, "  types\t%s\n", s)
	}
	answers := r.Status
	if n := answers["0"]; n > 0 {
		answers = maps.Clone(answers)
		delete(answers, "0")
		answers["malformed"] = n
	}
	if s := ranked(answers, 8, " × "); s != "" {
		fmt.Fprintf(t, "  answers\t%s\n", s)
	}
	if s := ranked(r.Failed, 11, " × "); s != "" {
		fmt.Fprintf(t, "  failed\t%s\n", s)
	}
	if q := r.Quality; q.Pages > 0 {
		fmt.Fprintf(t, "  quality\t%s\n", qualityOf(&q))
	}
	if n := r.Changes; n != (change.Tally{}) {
		fmt.Fprintf(t, "  changes\tof pages since the crawls before: %s new, %s changed, %s unchanged, %s gone (kavosh change %s)\n", count(n.New), count(n.Changed), count(n.Unchanged), count(n.Gone), quoted(dir))
	}
	if s := r.Schedule; s.Policy != "" {
		fmt.Fprintf(t, "  again\t%s by %s in %s: %s found a change, %s did not\n", plural(s.Visits, "visit"), s.Policy, plural(s.Round, "round"), count(s.Changed), count(s.Visits-s.Changed))
	}
	if c := r.Coherence; c != nil {
		fmt.Fprintf(t, "  coherence\tof %s, at %s: %s coherent, %s incoherent, %s unknown (kavosh change %s --coherence)\n", plural(c.Coherent+c.Incoherent+c.Unknown, "page"), c.At.Format(time.DateTime), count(c.Coherent), count(c.Incoherent), count(c.Unknown), quoted(dir))
		if c.Checked > 0 {
			fmt.Fprintf(t, "  checked\t%s that nothing was modified, by asking for the whole page: %s not true\n", plural(c.Checked, "answer"), count(c.Lied))
		}
	}
	if r.Patch != nil {
		writePatch(t, r.Patch)
	}
	if r.Revisits > 0 {
		fmt.Fprintf(t, "  same\t%s with content that the archive already has\n", count(r.Revisits))
	}
	if r.Relevant > 0 {
		fmt.Fprintf(t, "  wanted\t%s from %s in %s, %.1f %% of the responses\n", count(r.Relevant), plural(r.RelevantHosts, "host"), plural(r.RelevantDomains, "domain"), 100*r.HarvestRate)
	}
	if r.Dropped > 0 {
		fmt.Fprintf(t, "  dropped\t%s by --only; the archive has only notes about them\n", count(r.Dropped))
	}
	if r.Unkept > 0 {
		fmt.Fprintf(t, "  unkept\t%s of pages that changed little (--keep); the archive has notes of what differs\n", plural(r.Unkept, "visit"))
	}
	if r.Forbidden > 0 {
		why := ""
		if s := ranked(r.Permitted, 8, " × "); s != "" {
			why = ": " + s
		}
		fmt.Fprintf(t, "  forbidden\t%s by robots.txt, but requested anyway%s\n", plural(r.Forbidden, "URL"), why)
	}
	if s := ranked(r.Rules, 8, " × "); s != "" {
		fmt.Fprintf(t, "  left out\tby rule: %s\n", s)
	}
	if r.Walls > 0 {
		wait := "; URLs of held hosts wait"
		if r.End == "done" || r.End == "limits" { // a crawl does not end so while a host is held
			wait = ""
		}
		fmt.Fprintf(t, "  bot walls\t%s in place of the sites (%s)%s\n", plural(r.Walls, "answer"), ranked(r.Walled, 3, " × "), wait)
	}
	if s := ranked(r.StandIns, 8, " × "); s != "" {
		fmt.Fprintf(t, "  stand-ins\t%s: answers in place of the pages asked for (kavosh log %s --standin any)\n", s, quoted(dir))
	}
	if s := ranked(r.Acts, 12, " "); s != "" {
		fmt.Fprintf(t, "  behaviours\t%s: acts on pages in the browser\n", s)
	}
	if l := r.Loads; l.Scripted > 0 {
		fmt.Fprintf(t, "  browser\tloaded %s of %s with scripts, and found %s and %s more\n", count(l.Loaded), plural(l.Scripted, "page"), plural(int64(l.Links), "link"), plural(l.Resources, "resource"))
	}
	for i, l := range r.LoginsOver {
		if i == shownLimits {
			fmt.Fprintf(t, "  login over\t… and %s more: --json has them\n", count(int64(len(r.LoginsOver)-shownLimits)))
			break
		}
		fmt.Fprintf(t, "  login over\t%s shows what others see, so its URLs wait\n", l.Host)
	}
	if r.Queued > 0 {
		fmt.Fprintf(t, "  waiting\t%s\n", plural(r.Queued, "URL"))
	}
	for i, l := range r.Limited {
		if i == shownLimits {
			fmt.Fprintf(t, "  limits\t… and %s more: --json has them\n", count(int64(r.AllLimited-shownLimits)))
			break
		}
		fmt.Fprintf(t, "  limits\t%s\n", limitText(l))
	}
	fmt.Fprintln(t)
	folder := quoted(dir)
	told := ""
	for _, l := range r.LoginsOver {
		if again := loginAgain(l.Profile, l.Page); again != told {
			fmt.Fprintf(t, "  log in\t%s\n", again)
			told = again
		}
	}
	if r.End != "done" {
		more := ""
		switch r.End {
		case "pages", "urls", "time", "bytes":
			more = " --max-" + r.End + " 0" // the crawl keeps its limit, so it must be lifted
		case "limits":
			for _, l := range r.Limited[:min(len(r.Limited), 1)] {
				more = " --" + l.Kind + "-limit none"
				if l.Name != "" {
					more = " --" + l.Kind + "-limit " + quoted(l.Name+"=none")
				}
			}
		}
		fmt.Fprintf(t, "  go on\tkavosh crawl --archive %s --resume%s\n", folder, more)
	}
	if r.Recorded > 0 {
		fmt.Fprintf(t, "  look\tkavosh serve %s\n", folder)
		fmt.Fprintf(t, "  ask\tkavosh why %s URL\n", folder)
		fmt.Fprintf(t, "  check\tkavosh check %s\n", folder)
	} else {
		fmt.Fprintf(t, "  ask\tkavosh log %s\n", folder)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	printProposals(&b, r.Proposals, dir)
	_, err := io.WriteString(w, b.String())
	return err
}

// qualityOf says in words what a crawl counted of its quality.
func qualityOf(q *archive.Counted) string {
	var parts []string
	for _, is := range []struct{ what, words string }{
		{archive.ShareMissing, "parts are missing"}, {archive.ShareFailed, "pages failed"}, {archive.ShareErrors, "pages are errors"}, {archive.ShareStandIns, "pages have something else in their place"},
	} {
		if n, of := q.Share(is.what); of > 0 {
			parts = append(parts, fmt.Sprintf("%s of %s %s", percent(float64(n)/float64(of)), count(of), is.words))
		}
	}
	if q.NotAsked > 0 {
		parts = append(parts, plural(q.NotAsked, "part")+" not asked for")
	}
	return strings.Join(parts, ", ")
}

// writePatch prints what a crawl mended.
func writePatch(w io.Writer, m *archive.Patch) {
	met := ""
	switch m.Met {
	case 0:
	case m.Parts:
		met = ", which readers met as missing"
	default:
		met = fmt.Sprintf(", of which readers met %s as missing", count(m.Met))
	}
	if r := m.Together; r != nil {
		fmt.Fprintf(w, "  patch\t%s that the archive does not know to have been there at %s, when most were", plural(r.Pages, "page"), r.At.Format(time.DateTime))
		if r.Late > 0 {
			fmt.Fprintf(w, "; %s began later, which no visit helps", plural(r.Late, "other"))
		}
		fmt.Fprintln(w)
	} else {
		fmt.Fprintf(w, "  patch\t%s that pages lacked%s\n", plural(m.Parts, "part"), met)
	}
	var not []string
	for _, why := range []struct {
		n     int64
		words string
	}{{m.Closed, "held back by kavosh access"}, {m.Robots, "forbidden by robots.txt"}, {m.LeftOut, "left out by scope or rules"}} {
		if why.n > 0 {
			not = append(not, count(why.n)+" "+why.words)
		}
	}
	if len(not) > 0 {
		fmt.Fprintf(w, "  not asked\t%s\n", strings.Join(not, ", "))
	}
	for _, at := range []struct {
		when string
		sum  *quality.Summary
	}{{"before", m.Before}, {"after", m.After}} {
		if at.sum != nil {
			fmt.Fprintf(w, "  %s\t%s with %s: %s\n", at.when, plural(at.sum.Pages, "page"), plural(at.sum.Parts, "part"), wholeText(at.sum))
		}
	}
	if r := m.Together; r != nil {
		for _, at := range []struct {
			when  string
			shown *quality.AsOf
		}{{"before", r.Before}, {"after", r.After}} {
			if at.shown != nil {
				fmt.Fprintf(w, "  %s\tof %s, by the captures nearest to that moment, %s were there then; at the best moment %s\n", at.when, plural(at.shown.Pages, "page"), shareText(at.shown.Then), shareText(at.shown.Together.Pages))
			}
		}
	}
}

// loginAgain is the command that makes a profile anew, whose login is over.
func loginAgain(profile, page string) string {
	if profile == "" {
		return "kavosh profile new NAME URL"
	}
	return "kavosh profile new " + quoted(profile) + " " + quoted(page)
}

// limitText returns a limit and what waits beyond it in words: "host example.org has reached 500 URLs: 12 wait".
func limitText(l archive.Limited) string {
	switch what := strings.TrimSpace(l.Kind + " " + l.Name); {
	case l.Kind == "hold":
		return fmt.Sprintf("on hold (%s): %s wait", l.Name, count(l.Waiting))
	case l.Reached == "":
		return fmt.Sprintf("%s: %s wait, which come next", what, count(l.Waiting))
	default:
		return fmt.Sprintf("%s has reached %s: %s wait", what, l.Reached, count(l.Waiting))
	}
}

// shownLimits is how many limits a summary names.
const shownLimits = 5

// quoted returns a word as a shell needs it.
func quoted(s string) string {
	if s != "" && !strings.ContainsAny(s, " \t\n'\"\\$`!*?[](){}<>|&;#~") {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
