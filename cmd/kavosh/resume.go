package main

import (
	"fmt"
	"slices"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh/archive"
	"kavosh/engine"
	"kavosh/plan"
)

// begunPlan is what the crawl to be resumed was begun with.
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

// commands are the keys of the command line that kavosh control may have changed meanwhile: the last word counts, and
// is kept.
func (c *crawlCmd) commands() (commands []engine.Command) {
	for _, k := range plan.Keys() {
		if k.Change == "run" && c.typed[k.Name] {
			commands = append(commands, engine.Command{Who: whoami(), Name: k.Name, Value: c.Text(&k), Why: "--" + k.Name + " with --resume"})
		}
	}
	return commands
}

// unfinished is the crawl with that id, or the latest that can go on.
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
