package engine

// This file reads an answer, decides about its links, and writes the log line of what came of it.

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"kavosh"
	"kavosh/archive"
	"kavosh/frontier"
	"kavosh/frontier/order"
	"kavosh/frontier/scope"
	"kavosh/lib/httpwire"
	"kavosh/lib/robots"
	"kavosh/lib/weburl"
	"kavosh/record"
)

// judge decides about the page's links and says in a log line what the task came to.
func (c *crawl) judge(task kavosh.Task, x *kavosh.Exchange, captures []kavosh.Capture, page *kavosh.Page, verdict kavosh.Verdict) item {
	line := lineOf(&task, x)
	line.Title, line.Lang, line.Links, line.Notes = page.Title, page.Lang, len(page.Links), page.Notes
	line.StandIn, line.Sign = page.StandIn, page.Sign
	if x.Failure == kavosh.LimitFailure && scope.IsRule(x.Detail) {
		line.Rule = string(scope.Ruled)
	}
	if programs := c.auto.programs(x, page); programs != 0 && x.Dropped == nil {
		line.Programs = strconv.FormatUint(programs, 16)
	}
	line.Verdict, line.Because, line.Class = verdict.Score, verdict.Why(), page.RDF.Class
	main := &captures[0]
	line.MIME, line.Digest, line.Revisit = main.MIME, main.Digest, main.Profile
	fresh := int64(0) // bytes that are not counted yet
	if x.Answered() {
		line.Size = max(main.Payload, x.Payload.Size()) // one read back from its records may not be whole
		if fresh = line.Size; task.Partial != nil {
			fresh -= task.Partial.Size
		}
		if x.Dropped == nil {
			c.quota.count(fresh)
		}
	}
	it := item{update: frontier.Update{Task: task, Bytes: fresh}, line: &line, size: line.Size + 1024, places: c.usedBy(&task, page)}
	if x.Dropped != nil {
		line.Outcome, line.Reason = archive.Dropped, x.Dropped.String()
		if x.Dropped.Kept != nil {
			line.Rule = archive.Unkept
		}
		it.note = noteOf(x)
	} else {
		it.recorded(c.recorder, captures)
	}
	digest := main.Digest
	if page.Shell {
		digest = ""
	}
	if !task.Variant && !task.Again { // what is like the page of the same URL is no trap
		line.Near = c.scope.Learn(&scope.Answer{
			Task: &task, Status: x.Status, Page: isHTML(page), Digest: digest,
			Simhash: page.Simhash, Print: page.Print, Links: page.Links,
		})
	}
	choose := c.patch.choose(c.hard, &task, page.Links, c.clock.Now())
	in := page.Links[:0] // in place: nobody reads the page's own list after this
	for i := range page.Links {
		link := &page.Links[i]
		link.From = page.StandIn
		d := scope.Decision{In: true}
		if choose != nil {
			d = choose(i)
		}
		if d.In {
			d = c.belongs(link, &task)
		}
		if d.In && x.Dropped != nil && x.Dropped.Kept == nil && link.Kind == kavosh.Embed {
			d = scope.Decision{Reason: droppedPage, Rule: "part of a page that --only keeps out of the archive"}
		}
		if d.In {
			link.Extra = d.Extra
			in = append(in, *link)
			continue
		}
		it.reject(link, &task, d, c.clock.Now())
	}
	page.Links, it.update.Links = in, in
	if task.Kind != kavosh.Prerequisite {
		it.update.Visit = &order.Visit{Task: &task, Status: x.Status, Page: page, Verdict: verdict}
	}
	it.size += int64(256*(len(it.update.Links)+len(it.rejected)) + len(page.Text))
	return it
}

// linksOf is the item of links of a page that is done already; of seeds, when page is nil.
func (c *crawl) linksOf(page *kavosh.Task, links []kavosh.Link) item {
	it := item{update: frontier.Update{Parent: page, Links: make([]kavosh.Link, 0, len(links))}, size: int64(256 * len(links))}
	for i := range links {
		if d := c.belongs(&links[i], page); d.In {
			links[i].Extra = d.Extra
			it.update.Links = append(it.update.Links, links[i])
		} else {
			it.reject(&links[i], page, d, c.clock.Now())
		}
	}
	return it
}

// reject takes note of a link that scope keeps out.
func (it *item) reject(link *kavosh.Link, parent *kavosh.Task, d scope.Decision, at time.Time) {
	if d.Reason == scope.Stale {
		it.update.Stale = append(it.update.Stale, len(it.update.Rejected))
	}
	it.update.Rejected = append(it.update.Rejected, link.URL)
	it.rejected = append(it.rejected, refusedBy(link, parent, d, at))
}

// droppedPage is the class of refusing what belongs to a page that --only drops.
const droppedPage scope.Reason = "only"

// recorded says where in the archive the item's records lie, which r wrote.
func (it *item) recorded(r *record.Recorder, captures []kavosh.Capture) {
	task, main := it.of(), &captures[0]
	it.group, it.place = groupOf(task), r.PlaceOf(main)
	it.captures = captures
	if it.line != nil {
		it.line.File, it.line.Offset = main.File, main.Offset
	}
}

// groupOf is the name of the group of records of a request.
func groupOf(t *kavosh.Task) string {
	return strconv.FormatUint(t.ID, 10) + "." + strconv.Itoa(t.Attempt)
}

// lineOf is the log line of an exchange that is final.
func lineOf(task *kavosh.Task, x *kavosh.Exchange) archive.Line {
	l := taskLine(task, x.Began.Add(x.Took))
	l.Began, l.Took = x.Began.UTC(), x.Took.Milliseconds()
	l.Outcome, l.Status, l.Failure, l.Reason, l.Cut = archive.Recorded, x.Status, x.Failure, x.Detail, x.Truncated
	if !x.Answered() {
		l.Outcome = archive.Failed
	}
	return l
}

// taskLine is a log line about a task, without its outcome.
func taskLine(task *kavosh.Task, at time.Time) archive.Line {
	return archive.Line{
		Time: at.UTC(), URL: task.URL, Kind: task.Kind.String(), Via: task.Via, Seed: task.Seed, Path: task.Path,
		Hops: task.Hops, Score: task.Score, Why: task.Why, Attempt: task.Attempt, Variant: task.Variant,
	}
}

// refused says whether a task must not be requested, and gives the item for it: the frontier refuses it, or scope has
// learned something about its like since it was queued.
func (c *crawl) refused(lease *frontier.Lease) (item, bool) {
	it := item{update: frontier.Update{Task: lease.Task}, size: 512}
	if lease.Refused == nil {
		no := c.unwanted(&lease.Task)
		if no == nil {
			return item{}, false
		}
		lease.Refuse(*no)
		if lease.Task.Kind == kavosh.Prerequisite { // a redirect: what stands there would be the rules of its origin
			it.update.Robots = &frontier.Robots{Origin: lease.Origin, Failure: kavosh.RobotsFailure, Detail: fmt.Sprintf("redirects to %s, which is left out (%s)", lease.Task.URL, no.Text)}
		}
	}
	l := taskLine(&lease.Task, c.clock.Now())
	l.Outcome, l.Failure, l.Reason, l.Rule = archive.Refused, lease.Refused.Failure, lease.Refused.Text, string(lease.Refused.Scope)
	it.line = &l
	return it, true
}

// unwanted returns why scope leaves out a task although it was queued; nil if it does not.
func (c *crawl) unwanted(t *kavosh.Task) *frontier.Refusal {
	d := c.scope.Late(t)
	if d.In {
		return nil
	}
	return &frontier.Refusal{Failure: failureOf(d), Text: d.Rule, Scope: d.Reason}
}

// failureOf returns the failure kind of a link that scope refused: only traps count as failures.
func failureOf(d scope.Decision) kavosh.Failure {
	if d.Reason == scope.Trap {
		return kavosh.TrapFailure
	}
	return kavosh.NoFailure
}

// refusedBy is the log line of a link that scope keeps out.
func refusedBy(link *kavosh.Link, parent *kavosh.Task, d scope.Decision, at time.Time) archive.Line {
	l := refusedLink(link, parent, d.Rule, at)
	l.Rule, l.Failure = string(d.Reason), failureOf(d)
	return l
}

// refusedLink is the log line of a link that is not followed, and the rule that it goes by.
func refusedLink(link *kavosh.Link, parent *kavosh.Task, rule string, at time.Time) archive.Line {
	t := scope.Follow(parent, link)
	l := taskLine(&t, at)
	l.Outcome, l.Reason, l.Anchor = archive.Refused, rule, link.Anchor
	return l
}

// permitted says in the line of a URL which rule of robots.txt forbids it, if one does, and why it was requested
// nevertheless.
func permitted(l *archive.Line, lease *frontier.Lease) {
	if lease.Forbidden == nil {
		return
	}
	l.Forbids = lease.Forbidden.Text
	if lease.Permitted != everywhere {
		l.Permit = lease.Permitted
	}
}

// everywhere stands for --robots record, whose reason is not repeated in each line.
const everywhere = "--robots record"

// recordedRobots returns why URLs that robots.txt forbids are requested, with the reason of --robots record.
func recordedRobots(reason string) string {
	if reason == "" {
		return ""
	}
	return everywhere
}

// again hands over that a URL is to be asked for again, if it is. What a bot wall answered is: as often as any failure
// that may pass, and when its host is held for it, after the release. So is what came to a crawl that is logged out, as out
// says. captures are its records; none if it was not recorded.
func (c *crawl) again(lease *frontier.Lease, o *reading, out met, captures []kavosh.Capture) (bool, error) {
	wall, err := c.control.meetWall(o.x, o.standIn())
	if err != nil {
		return false, c.diskError(err)
	}
	if wall.sign == "" {
		wall = out
	}
	if captures != nil && wall.sign == "" { // a browser shows a page, whatever the status
		return false, nil
	}
	it, again := c.retry(lease, o.x, wall)
	if !again {
		return false, nil
	}
	if captures != nil {
		c.keptInVain(&it, captures)
		it.update.Bytes = it.line.Size
	}
	c.pend.hand(it)
	return true, nil
}

// retry is the item of an answer after which its URL is asked for again; false if it is not.
func (c *crawl) retry(lease *frontier.Lease, x *kavosh.Exchange, wall met) (item, bool) {
	task := lease.Task
	it := item{update: frontier.Update{Task: task}, size: 512, urgent: true}
	if task.Kind == kavosh.Prerequisite {
		task.Kind = kavosh.Navigation // the frontier asks for it again by itself, by the rule that holds for others
		it.update.Robots = robotsOf(lease, x, &c.decoders)
	}
	if p := task.Partial; p != nil {
		task.Attempt -= p.Attempt + 1 // failures count from the last answer that brought some of its body
	}
	answer := answerOf(x)
	if cut := cutRobots(x); cut != kavosh.NoFailure && lease.Task.Kind == kavosh.Prerequisite {
		answer.Status, answer.Failure = 0, cut
	}
	if wall.sign != "" {
		answer.Status = 503 // whatever it is
	}
	notBefore, again := c.frontier.Retry(&task, answer)
	again = again && !c.patch.parts()
	if wall.held {
		notBefore, again = x.Began.Add(x.Took), true
	}
	if !again {
		return it, false
	}
	it.update.Retry = notBefore
	l := lineOf(&lease.Task, x)
	l.Outcome = archive.Retry
	permitted(&l, lease)
	switch {
	case wall.out:
		l.StandIn, l.Sign = kavosh.Login, wall.sign
		l.Reason = fmt.Sprintf("%s%s (status %d)", logoutWhy, wall.sign, x.Status)
	case wall.sign != "":
		l.StandIn, l.Sign = kavosh.Wall, wall.sign
		l.Reason = fmt.Sprintf("%s%s (status %d)", wallWhy, wall.sign, x.Status)
	case l.Reason == "":
		l.Reason = fmt.Sprintf("status %d", x.Status)
	}
	if wall.held {
		l.Reason += ", asked again when its host is released"
	} else {
		l.Reason += ", asked again not before " + notBefore.UTC().Format(time.RFC3339)
	}
	it.line = &l
	return it, true
}

// answerOf is what the gate needs to know of an exchange.
func answerOf(x *kavosh.Exchange) frontier.Answer {
	a := frontier.Answer{End: x.Began.Add(x.Took), Status: x.Status, RetryAfter: x.Header.Get("Retry-After"), Failure: x.Failure, Waited: x.Waited}
	if x.Wire != nil {
		a.Bytes = x.Wire.Size()
	}
	return a
}

// robotsOf turns the response for a robots.txt into rules for the frontier.
func robotsOf(lease *frontier.Lease, x *kavosh.Exchange, decoders *httpwire.Decoders) *frontier.Robots {
	r := &frontier.Robots{Origin: lease.Origin, Status: x.Status, Failure: x.Failure, Detail: x.Detail, Retry: x.Header.Get("Retry-After")}
	if !x.Answered() {
		return r
	}
	if cut := cutRobots(x); cut != kavosh.NoFailure {
		r.Status, r.Failure = 0, cut
		return r
	}
	r.Location = x.Header.Get("Location")
	d := decoders.Get()
	defer decoders.Put(d)
	body, _, _ := decoded(d, x)
	r.Body = bytes.Clone(body[:min(len(body), maxRobots)]) // the exchange's buffers go back before it is applied
	return r
}

// cutRobots is the failure that a robots.txt counts as whose body broke off: the rules behind the cut are not known, so
// that nothing may be asked until it was had whole. One that is only too long for us is whole enough.
func cutRobots(x *kavosh.Exchange) kavosh.Failure {
	switch {
	case x.Status < 200 || x.Status > 299:
	case x.Truncated == kavosh.TruncDisconnect:
		return kavosh.ResetFailure
	case x.Truncated == kavosh.TruncTime:
		return kavosh.TimeoutFailure
	}
	return kavosh.NoFailure
}

// newHost reports whether origin is the first origin of its host that the crawl requests. Hosts are counted by it, so
// that http and https of one host count once.
func newHost(f *frontier.Frontier, origin string) (bool, error) {
	other := "https" + strings.TrimPrefix(origin, "http")
	if rest, ok := strings.CutPrefix(origin, "https"); ok {
		other = "http" + rest
	}
	for _, o := range []string{origin, other} {
		if asked, err := f.Asked(o); asked || err != nil {
			return false, err
		}
	}
	return true, nil
}

// maxRobots is how much of a robots.txt counts, in bytes, as RFC 9309 has it.
const maxRobots = 500 << 10

// agentOf is the product token of a User-Agent value, by which robots.txt groups and robots metas address us: its first
// word, or the one after "compatible;" where it begins as browsers' do; "kavosh" when there is none.
func agentOf(userAgent string) string {
	if _, after, ok := strings.Cut(userAgent, "(compatible;"); ok && strings.HasPrefix(userAgent, "Mozilla/") {
		userAgent = after
	}
	userAgent = strings.TrimLeft(userAgent, " ")
	end := strings.IndexFunc(userAgent, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r == '-' || r == '_')
	})
	if end < 0 {
		end = len(userAgent)
	}
	if end == 0 {
		return "kavosh"
	}
	return userAgent[:end]
}

// robotsURN begins the name of the resource record that keeps a decision on robots.txt; the origin follows.
const robotsURN = "urn:kavosh:robots:"

// robotsDecision is what a record keeps of a decision on a robots.txt, and of how the crawl came to ask for it: unlike
// other tasks, it stands in no queue where that could be found after a crash.
type robotsDecision struct {
	Origin   string `json:"origin"`
	Agent    string `json:"agent"`
	Status   int    `json:"status,omitempty"`
	Failure  string `json:"failure,omitempty"`
	Decision string `json:"decision"`
	Via      string `json:"via,omitempty"`
	Seed     string `json:"seed,omitempty"`
	Path     string `json:"path,omitempty"`
	Hops     int    `json:"hops,omitempty"`
}

// decide adds to the exchange for a robots.txt what it means for us, for the record.
func (c *crawl) decide(lease *frontier.Lease, x *kavosh.Exchange) {
	decision := "nothing is requested until it can be had"
	switch {
	case cutRobots(x) != kavosh.NoFailure:
	case x.Status >= 200 && x.Status <= 299:
		d := c.decoders.Get()
		defer c.decoders.Put(d)
		body, _, _ := decoded(d, x)
		rules := robots.Parse(body).For(c.agent)
		decision = "its rules hold"
		if d, ok := rules.CrawlDelay(); ok {
			decision += fmt.Sprintf(", with a delay of %s", d)
		}
	case x.Status >= 300 && x.Status <= 399:
		decision = "the place it redirects to is asked, unless a rule leaves out its host"
	case x.Status >= 400 && x.Status <= 499 && x.Status != 429:
		decision = "everything is allowed"
	}
	if c.opt.RecordRobots != "" {
		decision += "; not obeyed: " + c.opt.RecordRobots
	}
	t := &lease.Task
	text, _ := json.Marshal(robotsDecision{ // strings always encode
		lease.Origin, c.agent, x.Status, string(x.Failure), decision, t.Via, t.Seed, t.Path, t.Hops,
	})
	x.Decided = &kavosh.Resource{URL: robotsURN + lease.Origin, Type: "application/json", Text: string(text)}
}

// sitemaps are the sitemaps that a robots.txt lists, as links of it.
func sitemaps(body []byte) []kavosh.Link {
	var links []kavosh.Link
	for i, s := range robots.Parse(body).Sitemaps {
		key, err := weburl.Key(s)
		if err != nil {
			continue // not a URL that can be fetched
		}
		links = append(links, kavosh.Link{URL: key, Kind: kavosh.Sitemap, Element: "robots.txt", Attr: "Sitemap", Position: i})
	}
	return links
}

// void is where the origin of a robots.txt describes its data sets, by convention (VoID), as a link of it.
func void(robots string) []kavosh.Link {
	key, err := weburl.Key(strings.TrimSuffix(robots, "robots.txt") + ".well-known/void")
	if err != nil || !strings.HasSuffix(robots, "/robots.txt") {
		return nil // a robots.txt that stands elsewhere
	}
	return []kavosh.Link{{URL: key, Kind: kavosh.Sitemap, Element: "robots.txt", Attr: "/.well-known/void"}}
}

// fullError is a disk that ran full: the crawl stops in good order and can go on later.
type fullError struct{ text string }

func (e *fullError) Error() string { return e.text }

// diskError explains an error of ours: what it was, and how to go on. It is nil for nil, and leaves alone what says so
// already.
func (c *crawl) diskError(err error) error {
	var full *fullError
	var said *archive.Advice
	if err == nil || errors.As(err, &full) || errors.As(err, &said) || errors.Is(err, frontier.ErrClosed) || strings.Contains(err.Error(), "run `kavosh") {
		return err
	}
	if gone := c.gone(); gone != nil {
		return gone
	}
	fix, lost := "start it again", ""
	if c.kept {
		fix, lost = fmt.Sprintf("go on with `kavosh crawl --archive %s --resume`", c.opt.Archive), "; nothing recorded is lost"
	}
	if isFull(err) {
		return &fullError{fmt.Sprintf("the disk of %s is full (%v): free some space, then %s", c.opt.Archive, err, fix)}
	}
	if c.kept && frontier.Damaged(err) && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("%w%s: %s, which makes what is damaged anew from what is recorded", err, lost, fix)
	}
	return fmt.Errorf("%w%s: when the cause is gone, %s", err, lost, fix)
}

// isFull reports whether err says that no space is left.
func isFull(err error) bool {
	return err != nil && (strings.Contains(err.Error(), "no space left on device") || strings.Contains(err.Error(), "disk quota exceeded"))
}

// bytesText is a number of bytes for people, such as "4.2 MB".
func bytesText(n int64) string {
	switch {
	case n >= 1e12:
		return fmt.Sprintf("%.1f TB", float64(n)/1e12)
	case n >= 1e9:
		return fmt.Sprintf("%.1f GB", float64(n)/1e9)
	case n >= 1e6:
		return fmt.Sprintf("%.1f MB", float64(n)/1e6)
	}
	return fmt.Sprintf("%d kB", n/1000)
}
