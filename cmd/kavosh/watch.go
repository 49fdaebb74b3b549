package main

// This file is the command kavosh watch: it keeps what people want to be told of changes, and shows what was told. Package
// watch keeps and sends, package change finds what changed.

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh"
	"kavosh/change"
	"kavosh/internal/clock"
	"kavosh/lib/units"
	"kavosh/plan"
	"kavosh/seeds"
	"kavosh/site"
	"kavosh/watch"
)

type watchCmd struct {
	target
	Args     []string  `arg:"" optional:"" name:"archive-and-command" help:"The archive's folder, then the command."`
	Selector string    `placeholder:"CSS" help:"add: only the elements that match, such as '#news li' or .price."`
	Text     string    `placeholder:"WORDS" help:"add: only that these words come to the page, or go."`
	Block    string    `placeholder:"TIME/ID" help:"add: only this part of the page, wherever it moves; the page of the parts of a capture in kavosh serve names them."`
	Webhook  string    `placeholder:"URL" help:"add: also send what changed there, signed, by kavosh serve or kavosh watch ARCHIVE send."`
	Least    float64   `placeholder:"E" help:"add: only what matters at least so much, from 0 to 1, as kavosh change says."`
	Quiet    string    `placeholder:"HH:MM-HH:MM" help:"add: send nothing in these hours, but after them."`
	Zone     plan.Zone `placeholder:"ZONE" help:"add: the time zone of these hours, such as Asia/Tehran; this machine's by default."`
	Lang     string    `choice:"en,fa" default:"en" help:"add: language of what is sent; events: of what is printed."`
	JSON     bool      `name:"json" help:"Print watches and events as JSON, one object a line."`
}

// Help returns the text above the flags in the help.
func (watchCmd) Help() string {
	return `Tells what changes on a page of an archive, or on a part of it. Commands:

    kavosh watch ARCHIVE add https://example.org/
    kavosh watch ARCHIVE add https://example.org/ --selector '#news' --least 0.1
    kavosh watch ARCHIVE add https://example.org/shop --text 'sold out'
    kavosh watch ARCHIVE add https://example.org/ --webhook https://hooks.example.net/x --quiet 22:00-07:00 --zone Asia/Tehran
    kavosh watch ARCHIVE list                  what is watched
    kavosh watch ARCHIVE events 1              what watch 1 told, and what waits; without a number, of all
    kavosh watch ARCHIVE secret 1              by which the receiver checks the messages of watch 1
    kavosh watch ARCHIVE send                  send what is due, once, as from cron
    kavosh watch ARCHIVE remove 1
    kavosh watch ARCHIVE accept                accept what can be read of damaged watches

A watch does not crawl: it tells what differs between captures made since, whoever made them. kavosh serve shows each
watch as a feed, /c/NAME/watch?id=1, and sends webhooks while it runs. Without a watch, /c/NAME/changes?url=URL and
…&selector=CSS, …&text=WORDS or …&block=TIME/ID are feeds of any page or part.

A webhook is a POST of JSON, signed by HMAC-SHA256 as Standard Webhooks says. It is sent until the far side answers
with a status 2xx: after a minute, then ever more seldom, each six hours at last, one after the other. A message has
the same id each time. If this machine stopped between sending and noting, it is shown as unsure, and sent again. Names
that lead to private addresses are refused, unless the address itself is written. What kavosh access has closed is
not told.`
}

// Run adds, removes, lists, explains or sends.
func (c *watchCmd) Run(p *program) error {
	dir, rest, err := c.archive(c.Args)
	if err != nil {
		return err
	}
	word := "list"
	if len(rest) > 0 {
		word, rest = rest[0], rest[1:]
	}
	ctx, stop := p.interruptible(nil)
	defer stop()
	switch {
	case word == "add" && len(rest) == 1:
		return c.add(ctx, p, dir, rest[0])
	case word == "list" && len(rest) == 0:
		return c.list(ctx, p, dir)
	case word == "events" && len(rest) <= 1:
		return c.events(ctx, p, dir, rest)
	case word == "send" && len(rest) == 0:
		return c.send(ctx, p, dir)
	case word == "accept" && len(rest) == 0:
		return c.accept(p, dir)
	case (word == "remove" || word == "secret") && len(rest) == 1:
		id, err := listed(rest[0], "a watch", "watch "+dir)
		if err != nil {
			return err
		}
		if word == "remove" {
			if err := watch.Remove(vfs.Default, dir, clock.Real{}, whoami(), id); err != nil {
				return err
			}
			_, err = fmt.Fprintf(p.out, "Watch %d is removed: what waits is not sent.\n", id)
			return err
		}
		return c.secret(p, dir, id)
	}
	return usage("write it as kavosh watch %s list | add URL | events [NUMBER] | secret NUMBER | send | remove NUMBER | accept; kavosh watch --help tells more", dir)
}

// add adds a watch, and says what it sees now.
func (c *watchCmd) add(ctx context.Context, p *program, dir, address string) error {
	key, err := seeds.Key(address)
	if err != nil {
		return usageError{err.Error()}
	}
	w := watch.Watch{Do: "add", URL: key, Lens: kavosh.Lens{Selector: c.Selector, Text: c.Text, Block: c.Block}, Least: c.Least, Webhook: c.Webhook,
		Quiet: c.Quiet, Zone: string(c.Zone), Lang: c.Lang}
	if err := errors.Join(w.Check(), change.CheckLens(w.Lens)); err != nil {
		return usageError{oneLine(err)}
	}
	r, done, err := openChanges(dir)
	if err != nil {
		return err
	}
	defer done() // what was kept can be made again
	versions, err := versionsOf(ctx, r, w.URL)
	if err != nil {
		return err
	}
	warning, err := seenNow(ctx, w.Lens, versions)
	if err != nil {
		return err
	}
	if w, err = watch.Add(vfs.Default, dir, clock.Real{}, whoami(), w); err != nil {
		return err
	}
	if warning != "" {
		fmt.Fprintln(p.err, "kavosh:", warning)
	}
	if c.JSON {
		return printJSON(p.out, w)
	}
	fmt.Fprintf(p.out, "%s\nIts feed, while kavosh serve shows the archive: /c/%s/watch?id=%d\n", watchText(&w), url.PathEscape(site.NameOf(dir)), w.ID)
	if w.Webhook != "" {
		fmt.Fprintf(p.out, "kavosh serve sends its messages while it runs, and kavosh watch %s send when it is called. kavosh watch %s secret %d prints what their receiver checks them by.\n", dir, dir, w.ID)
	}
	return nil
}

// seenNow says if nothing is seen through a lens in the newest version. The error is about a block that its version has not.
func seenNow(ctx context.Context, l kavosh.Lens, versions []change.Version) (warning string, err error) {
	for i := len(versions) - 1; i >= 0; i-- {
		v := &versions[i]
		if l.Block != "" && !strings.HasPrefix(l.Block, v.Entry.Timestamp+"/") {
			continue
		}
		seen, err := change.See(ctx, l, v)
		switch {
		case l.Block != "":
			return "", err
		case err != nil:
			return "the newest capture cannot be read: " + oneLine(err), nil
		case l.Selector != "" && seen.Empty():
			return "nothing in the newest capture matches; what will match is told when it comes", nil
		}
		return "", nil
	}
	if l.Block != "" {
		at, _, _ := strings.Cut(l.Block, "/")
		return "", fmt.Errorf("there is no capture of this page of %s: copy the name of the block from the page of the capture's parts", stampText(at))
	}
	return "the archive has no capture of this page yet", nil
}

// versionsOf returns the versions of a page that everybody may know of.
func versionsOf(ctx context.Context, r *change.Reader, url string) ([]change.Version, error) {
	all, err := capturesRead(ctx, r, url)
	return change.VersionsOf(url, all), err
}

// watchText returns a watch in words.
func watchText(w *watch.Watch) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d  %s", w.ID, w.URL)
	if lens := w.Lens.String(); lens != "" {
		b.WriteString(", " + lens)
	}
	if w.Least > 0 {
		fmt.Fprintf(&b, ", importance %g and more", w.Least)
	}
	if w.Webhook != "" {
		b.WriteString(" → " + w.Receiver())
	}
	if w.Quiet != "" {
		b.WriteString(", quiet " + units.Hours{Text: w.Quiet, Zone: w.Zone}.String())
	}
	fmt.Fprintf(&b, " (%s, %s)", w.Who, w.Time.Local().Format("2006-01-02 15:04"))
	return b.String()
}

func (c *watchCmd) list(ctx context.Context, p *program, dir string) error {
	list, err := watch.List(vfs.Default, dir)
	if err != nil {
		return err
	}
	if len(list) == 0 && !c.JSON {
		_, err = fmt.Fprintf(p.out, "Nothing is watched: kavosh watch %s add URL begins it.\n", dir)
		return err
	}
	for i := range list {
		if c.JSON {
			err = printJSON(p.out, list[i])
		} else {
			_, err = fmt.Fprintln(p.out, watchText(&list[i]))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// eventLine is what kavosh watch events --json prints.
type eventLine struct {
	Message  string          `json:"id"`
	Watch    int             `json:"watch"`
	URL      string          `json:"url"`
	From     time.Time       `json:"from"`
	To       time.Time       `json:"to"`
	Matters  float64         `json:"importance"`
	Words    string          `json:"words"`
	Delivery *watch.Delivery `json:"delivery,omitempty"` // what became of its message; left out while it waits
}

// events prints what watches tell, and what became of it.
func (c *watchCmd) events(ctx context.Context, p *program, dir string, numbers []string) error {
	list, err := watch.List(vfs.Default, dir)
	if err != nil {
		return err
	}
	if len(numbers) > 0 {
		id, err := listed(numbers[0], "a watch", "watch "+dir)
		if err != nil {
			return err
		}
		one, err := watch.Find(vfs.Default, dir, id)
		if err != nil {
			return err
		}
		list = []watch.Watch{*one}
	}
	r, done, err := openChanges(dir)
	if err != nil {
		return err
	}
	now := time.Now()
	became, err := watch.Deliveries(vfs.Default, dir, now)
	for i := range list {
		if err == nil {
			err = c.eventsOf(ctx, p, r, &list[i], became, now)
		}
	}
	return errors.Join(err, done())
}

func (c *watchCmd) eventsOf(ctx context.Context, p *program, r *change.Reader, w *watch.Watch, became map[string]watch.Delivery, now time.Time) error {
	versions, err := versionsOf(ctx, r, w.URL)
	if err != nil {
		return err
	}
	told, err := site.Tell(ctx, w, site.Since(w, versions), func(text string) { fmt.Fprintln(p.err, "kavosh:", text) })
	if err != nil {
		return err
	}
	if !c.JSON {
		fmt.Fprintln(p.out, watchText(w))
		if len(told) == 0 {
			fmt.Fprintln(p.out, "   nothing changed since then")
		}
	}
	for i := range told {
		t := &told[i]
		title, words := site.Words(c.Lang, t.Report)
		d, known := became[t.Message]
		if c.JSON {
			line := eventLine{t.Message, w.ID, w.URL, t.Report.From, t.Report.To, t.Report.Importance.Weighed, words, nil}
			if known {
				line.Delivery = &d
			}
			if err := printJSON(p.out, line); err != nil {
				return err
			}
			continue
		}
		fmt.Fprintf(p.out, "   %s → %s   %s%s\n", t.Report.From.Format(time.DateTime), t.Report.To.Format(time.DateTime), title, becameText(w, &d, now))
		for line := range strings.Lines(words) {
			if _, err := io.WriteString(p.out, "      "+line); err != nil {
				return err
			}
		}
	}
	return nil
}

// becameText says what became of a message.
func becameText(w *watch.Watch, d *watch.Delivery, now time.Time) string {
	if w.Webhook == "" {
		return ""
	}
	text := ""
	tries := ""
	if d.Try > 1 {
		tries = fmt.Sprintf(", %d tries", d.Try)
	}
	switch d.State {
	case watch.Sent:
		text = "sent " + d.Time.Local().Format(time.DateTime) + tries
	case watch.Sending:
		text = "being sent"
	case watch.Unsure:
		text = "unsure: it may have come, and is sent again"
	case watch.Failed:
		why := d.Fault
		if why == "" {
			why = fmt.Sprintf("status %d", d.Status)
		}
		text = fmt.Sprintf("not taken (%s)%s, again from %s on", why, tries, d.Time.Add(watch.Pause(d.Try)).Local().Format(time.DateTime))
	default:
		text = "waits"
		if open, next := w.Open(now); !open {
			text += " until " + next.Local().Format(time.DateTime)
		}
	}
	if d.Doubt && d.State != watch.Unsure {
		text += ", unsure whether a try before came"
	}
	return "   [" + text + "]"
}

func (c *watchCmd) secret(p *program, dir string, id int) error {
	if _, err := watch.Find(vfs.Default, dir, id); err != nil {
		return err
	}
	key, err := watch.KeyOf(dir)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(p.out, key.Secret(id))
	return err
}

func (c *watchCmd) accept(p *program, dir string) error {
	m, err := watch.Accept(vfs.Default, dir)
	if err != nil {
		return err
	}
	return p.mended(&m, "watch", "what they watched is not watched any more", "watch "+dir)
}
