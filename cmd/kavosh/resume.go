package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh/archive"
	"kavosh/engine"
	"kavosh/plan"
)

// begunPlan returns the plan with which the crawl that is resumed was begun.
func begunPlan(dir, id string) (*plan.Plan, error) {
	if dir == "" {
		return nil, usage("--resume needs --archive: name the folder of the crawl to go on with")
	}
	crawl, err := unfinished(dir, id)
	if err != nil {
		return nil, err
	}
	return plan.OfKept(crawl.Config)
}

// commands returns the keys on the command line that kavosh control may have changed during the crawl. The command line
// is newer, so its values are set again.
func (c *crawlCmd) commands() (commands []engine.Command) {
	for _, k := range plan.Keys() {
		if k.Change == "run" && c.typed[k.Name] {
			if k.Name == "rule" { // all of them at once, instead of those that were set
				commands = append(commands, engine.Command{Who: whoami(), Name: "rules", Value: c.said.Text(&k), Why: "--rule with --resume"})
				continue
			}
			for value := range strings.SplitSeq(c.said.Text(&k), "\n") {
				commands = append(commands, engine.Command{Who: whoami(), Name: k.Name, Value: value, Why: "--" + k.Name + " with --resume"})
			}
		}
	}
	return commands
}

// unfinished returns the crawl with the given id, or if id is "" the latest one that can be resumed.
func unfinished(dir, id string) (archive.Crawl, error) {
	crawls, err := archive.Crawls(vfs.Default, dir)
	if err != nil {
		return archive.Crawl{}, err
	}
	for _, c := range slices.Backward(crawls) {
		if id == "" && c.Unfinished() || id != "" && c.ID == id {
			return c, c.Resumable()
		}
	}
	if id != "" {
		return archive.Crawl{}, fmt.Errorf("%s has no crawl %s: kavosh log --crawls %s lists them", dir, id, dir)
	}
	return archive.Crawl{}, fmt.Errorf("%s has no unfinished crawl to resume: begin a new one without --resume", dir)
}
