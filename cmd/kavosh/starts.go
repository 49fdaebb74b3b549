package main

// This file is --starts of kavosh crawl: whole crawls of an archive, one after the other, by a calendar.

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh/archive"
)

// byCalendar crawls whenever it is time, until it is interrupted or no more crawl is to come. A crawl that a crash or
// Ctrl-C ended goes on first. A crawl from which nothing was recorded does not end it: the site may be back the next time.
func (c *crawlCmd) byCalendar(p *program) error {
	switch {
	case c.Archive == "":
		return usage("--starts needs --archive: name the folder that all the crawls go into")
	case slices.Contains(c.Seeds, "-"):
		return usage("--starts reads the seeds again for each crawl, which standard input cannot give: write them to a file")
	}
	watch := newProgress(p.err)
	for {
		if !c.Resume.Set {
			last, err := lastStarted(c.Archive)
			if err != nil {
				return err
			}
			if last != nil && last.Config["starts"] != "" && (last.End == "" || last.End == "interrupted") {
				c.Resume = resume{Set: true, ID: last.ID}
				if err := c.goOn(); err != nil {
					return err
				}
			} else if last != nil {
				next, ok := c.Starts.Next(last.Started)
				if !ok {
					text, _ := c.Starts.MarshalText() // it never returns an error
					watch.say("no more crawl begins by --starts %q", text)
					return nil
				}
				if !p.sleep(next, watch) {
					return exitStatus(exitInterrupted)
				}
			}
		}
		if err := c.once(p); err != nil && !errors.Is(err, exitStatus(exitNothing)) {
			return err
		}
		c.Resume = resume{}
	}
}

// lastStarted returns the crawl of an archive that began last; nil if none did.
func lastStarted(dir string) (*archive.Crawl, error) {
	if _, err := vfs.Default.Stat(filepath.Join(dir, "crawls")); errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	crawls, err := archive.Crawls(vfs.Default, dir)
	if err != nil || len(crawls) == 0 {
		return nil, err
	}
	return &crawls[len(crawls)-1], nil
}

// sleep waits until the next crawl begins, by the clock of the day, which may be set, or go on while the machine is asleep.
// It returns false if the program was interrupted.
func (p *program) sleep(until time.Time, watch *progress) bool {
	ctx, stop := p.interruptible(nil)
	defer stop()
	if left := time.Until(until); left > 0 {
		watch.say("the next crawl begins on %s, in %s; Ctrl-C ends this", until.Format("Mon 2006-01-02 at 15:04 MST"), elapsed(left))
	}
	for left := time.Until(until); left > 0; left = time.Until(until) {
		select {
		case <-ctx.Done():
			return false
		case <-time.After(min(left, time.Minute)):
		}
	}
	return true
}
