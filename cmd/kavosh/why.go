package main

// This file is the command kavosh why: it says what came of a URL, from the logs and the queue of an archive's crawls.

import (
	"cmp"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"slices"
	"strings"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh/archive"
	"kavosh/engine"
	"kavosh/frontier"
	"kavosh/lib/units"
	"kavosh/lib/weburl"
	"kavosh/seeds"
)

type whyCmd struct {
	target
	Args []string `arg:"" optional:"" name:"archive-and-url" help:"The archive's folder, then the URL."`
	JSON bool     `name:"json" help:"Print the answer as one JSON object."`
}

// Help returns the text above the flags in the help.
func (whyCmd) Help() string {
	return `Examples:

    kavosh why example.org.kavosh https://example.org/missing.html
    kavosh why --archive example.org.kavosh --json https://example.org/

Tells for each crawl of the archive what came of the URL (recorded, failed, never requested) and by which rule: scope, a line of robots.txt, a limit, a trap, a failure; how the crawl came to it, link by link from the seed; and in which file its records lie. Exit status 1 when no crawl met the URL.`
}

// whyAnswer is what kavosh why --json prints.
type whyAnswer struct {
	URL    string     `json:"url"`
	Crawls []whyCrawl `json:"crawls"`         // the crawls that met the URL, oldest first
	Near   []string   `json:"near,omitempty"` // if no crawl met it: URLs that differ only in scheme, www or a final slash
}

// whyCrawl is what one crawl says of a URL.
type whyCrawl struct {
	ID    string         `json:"id"`
	Lines []archive.Line `json:"lines"`           // the lines about the URL, in order; if it waits, one has the outcome "queued"
	Chain []archive.Line `json:"chain,omitempty"` // the lines of the pages from the seed to the one that links to it
}

// Run prints why a URL was or was not fetched.
func (c *whyCmd) Run(p *program) error {
	dir, rest, err := c.archive(c.Args)
	if err != nil {
		return err
	}
	if len(rest) != 1 {
		return usage("which URL? write kavosh why ARCHIVE URL")
	}
	key, err := seeds.Key(rest[0])
	if err != nil {
		return usageError{err.Error()}
	}
	answer, err := why(dir, key)
	if err != nil {
		return err
	}
	if c.JSON {
		enc := json.NewEncoder(p.out)
		enc.SetIndent("", "  ")
		err = enc.Encode(answer)
	} else {
		_, err = io.WriteString(p.out, answer.text(dir))
	}
	if err == nil && len(answer.Crawls) == 0 {
		return exitStatus(exitFailed)
	}
	return err
}

// why reads the crawl logs of the archive in dir for lines about key, a seen-key.
func why(dir, key string) (whyAnswer, error) {
	answer := whyAnswer{URL: key, Crawls: []whyCrawl{}}
	crawls, err := archive.Crawls(vfs.Default, dir)
	if err != nil {
		return answer, err
	}
	near := variants(key)
	running, _ := tell(dir, &engine.Command{Name: "why", URLs: []string{key}}) // an error means that no crawl is running
	for _, info := range crawls {
		found := whyCrawl{ID: info.ID}
		vias := map[uint64]uint64{} // by a URL's hash: the hash of the page that first linked to it; 16 bytes for each line
		for l, err := range archive.ReadLog(vfs.Default, dir, info.ID) {
			if err != nil {
				return answer, err
			}
			if l.URL == key {
				found.Lines = append(found.Lines, l)
			}
			if slices.Contains(near, l.URL) && !slices.Contains(answer.Near, l.URL) {
				answer.Near = append(answer.Near, l.URL)
			}
			if h := hash(l.URL); vias[h] == 0 && l.Via != "" {
				vias[h] = hash(l.Via)
			}
		}
		if running.State != nil && running.State.ID == info.ID {
			found.Lines = append(found.Lines, running.Lines...)
		}
		for _, variant := range []bool{false, true} {
			if waiting, ok := queued(dir, info, key, variant); ok {
				found.Lines = append(found.Lines, waiting)
			}
		}
		if len(found.Lines) == 0 {
			continue
		}
		if found.Chain, err = chain(dir, info.ID, &found.Lines[0], vias); err != nil {
			return answer, err
		}
		answer.Crawls = append(answer.Crawls, found)
	}
	if len(answer.Crawls) > 0 {
		answer.Near = nil
	}
	return answer, nil
}

// queued returns a line about a URL that waits in the queue of a crawl that can be resumed. ok is false if it does not
// wait, and while the crawl runs.
func queued(dir string, info archive.Crawl, key string, variant bool) (l archive.Line, ok bool) {
	if !info.Unfinished() && info.Report.Again.IsZero() {
		return l, false
	}
	w, ok, err := frontier.Look(vfs.Default, vfs.Default.PathJoin(dir, "crawls", info.ID, "frontier"), key, variant)
	if err != nil || !ok {
		return l, false
	}
	if !w.Again.IsZero() {
		return engine.QueuedLine(&w.Task, engine.AgainReason(w.Again)), true
	}
	reason := "its turn had not come when the crawl was stopped"
	if how, known := endings[info.End]; known {
		reason = "its turn had not come when the crawl " + how
	}
	if len(w.Why) > 0 {
		reason = "waits: " + strings.Join(w.Why, "; ")
	}
	return engine.QueuedLine(&w.Task, reason+"; --resume goes on"), true
}

// waiting returns a line about a URL in the queue of a crawl that runs or can be resumed.
func waiting(dir string, info archive.Crawl, url string) (l archive.Line, ok bool) {
	if !info.Unfinished() {
		return l, false
	}
	running, err := tell(dir, &engine.Command{Name: "why", URLs: []string{url}})
	if err == nil && running.State != nil && running.State.ID == info.ID {
		if len(running.Lines) == 0 {
			return l, false
		}
		return running.Lines[0], true
	}
	return queued(dir, info, url, false)
}

// chain returns the lines of the pages that lead from the seed to the page that has the link to last's URL.
func chain(dir, id string, last *archive.Line, vias map[uint64]uint64) ([]archive.Line, error) {
	var steps []uint64 // from the last page to the first
	for h := hash(last.Via); last.Via != "" && h != 0 && !slices.Contains(steps, h) && len(steps) < 256; h = vias[h] {
		steps = append(steps, h)
	}
	lines := map[uint64]archive.Line{}
	if len(steps) > 0 {
		for l, err := range archive.ReadLog(vfs.Default, dir, id) {
			if err != nil {
				return nil, err
			}
			if h := hash(l.URL); slices.Contains(steps, h) && l.Outcome != "retry" {
				lines[h] = l
			}
		}
	}
	var out []archive.Line
	for _, h := range slices.Backward(steps) {
		if l, ok := lines[h]; ok {
			out = append(out, l)
		}
	}
	return out, nil
}

func hash(s string) uint64 {
	h := fnv.New64a()
	io.WriteString(h, s)
	return h.Sum64()
}

// variants returns the URLs that people take for the same: with the other scheme, with and without www, with and
// without a final slash.
func variants(key string) []string {
	u, err := weburl.Parse(key)
	if err != nil {
		return nil
	}
	hosts := []string{u.Host(), "www." + u.Host()}
	if bare, ok := strings.CutPrefix(u.Host(), "www."); ok {
		hosts[1] = bare
	}
	paths := []string{u.PathQuery(), u.PathQuery() + "/"}
	if bare, ok := strings.CutSuffix(u.PathQuery(), "/"); ok && bare != "" {
		paths[1] = bare
	}
	var all []string
	for _, scheme := range []string{"https", "http"} {
		for _, h := range hosts {
			for _, p := range paths {
				if v, err := weburl.Key(scheme + "://" + h + p); err == nil && v != key {
					all = append(all, v)
				}
			}
		}
	}
	return all
}

// foundBy has in words how the crawl found a URL, by Line.Kind.
var foundBy = map[string]string{
	"seed": "it is a seed", "navigation": "by a link", "embed": "as a part of a page", "redirect": "by a redirect", "sitemap": "in a sitemap",
	"feed": "in a feed", "speculative": "guessed from a script", "prerequisite": "asked for before the URLs of its origin",
}

// text returns the answer in words.
func (a *whyAnswer) text(dir string) string {
	var b strings.Builder
	if len(a.Crawls) == 0 {
		fmt.Fprintf(&b, "%s\n  No crawl of %s has met this URL: no page that was read links to it.\n", a.URL, dir)
		if len(a.Near) > 0 {
			fmt.Fprintf(&b, "  Did you mean %s?\n", strings.Join(a.Near, " or "))
		}
		return b.String()
	}
	fmt.Fprintln(&b, a.URL)
	for _, c := range a.Crawls {
		fmt.Fprintf(&b, "\ncrawl %s\n", c.ID)
		for i := range c.Lines {
			writeOutcome(&b, &c.Lines[i])
		}
		first := &c.Lines[0]
		fmt.Fprintf(&b, "  found     %s", cmp.Or(foundBy[first.Kind], first.Kind))
		if first.Anchor != "" {
			fmt.Fprintf(&b, " %q", first.Anchor)
		}
		if first.Via != "" {
			fmt.Fprintf(&b, ", %s from the seed", plural(first.Hops, "click"))
		}
		b.WriteByte('\n')
		if first.Why != "" {
			fmt.Fprintf(&b, "  score     %g: %s\n", first.Score, first.Why)
		}
		for i, l := range c.Chain {
			label := ""
			if i == 0 {
				label = "way"
			}
			fmt.Fprintf(&b, "  %-9s %s %s (%s)\n", label, strings.Repeat("  ", min(i, 8))+"→", l.URL, brief(&l))
		}
	}
	return b.String()
}

// writeOutcome writes in words what one line says.
func writeOutcome(b *strings.Builder, l *archive.Line) {
	if l.Variant {
		fmt.Fprintf(b, "  %-9s by Accept:\n", "as RDF")
	}
	at := l.Time.Local().Format("2006-01-02 15:04:05")
	switch l.Outcome {
	case "recorded":
		fmt.Fprintf(b, "  recorded  %s at %s, %s, in %d ms\n", brief(l), at, units.Size(l.Size), l.Took)
	case "failed":
		fmt.Fprintf(b, "  failed    %s at %s: %s\n", l.Failure, at, l.Reason)
	case "refused":
		fmt.Fprintf(b, "  refused   never requested: %s\n", l.Reason)
	case "queued":
		fmt.Fprintf(b, "  queued    not requested yet: %s\n", l.Reason)
	default:
		fmt.Fprintf(b, "  %-9s %s at %s: %s\n", l.Outcome, brief(l), at, l.Reason)
	}
	if l.Outcome == "recorded" && l.Reason != "" {
		fmt.Fprintf(b, "  %-9s %s\n", "but", l.Reason)
	}
	if l.Forbids != "" {
		fmt.Fprintf(b, "  %-9s by robots.txt, but requested anyway (--robots record): %s\n", "forbidden", l.Forbids)
	}
	if l.Wall != "" && l.Outcome != "retry" { // otherwise the reason says it
		fmt.Fprintf(b, "  %-9s a bot wall answered in place of the site: %s\n", "wall", l.Wall)
	}
	if l.Revisit != "" {
		fmt.Fprintf(b, "  %-9s as an earlier capture (%s): a revisit record stands for it\n", "same", l.Revisit)
	}
	if l.Cut != "" {
		fmt.Fprintf(b, "  %-9s the body is not complete (%s)\n", "cut", l.Cut)
	}
	if l.Because != "" {
		fmt.Fprintf(b, "  %-9s %.2f: %s\n", "verdict", l.Verdict, l.Because)
	}
	if l.File != "" {
		fmt.Fprintf(b, "  %-9s warc/%s, byte %d\n", "records", l.File, l.Offset)
	}
	for _, n := range l.Notes {
		fmt.Fprintf(b, "  %-9s %s\n", "note", n)
	}
}

// brief returns a line's outcome in a few words: "200 text/html", "dns", "refused".
func brief(l *archive.Line) string {
	switch {
	case l.Status != 0 && l.MIME != "":
		return fmt.Sprintf("%d %s", l.Status, l.MIME)
	case l.Status != 0:
		return fmt.Sprint(l.Status)
	case l.Failure != "":
		return string(l.Failure)
	}
	return l.Outcome
}
