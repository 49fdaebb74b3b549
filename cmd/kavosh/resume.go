package main

import (
	"fmt"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/alecthomas/kong"
	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh/archive"
	"kavosh/engine"
	"kavosh/frontier/scope"
)

// notKept are flags that are no part of what a crawl is: where it lies, where it began, how it was watched.
var notKept = []string{"archive", "seeds", "strict-seeds", "resume", "config", "explain", "json", "status", "host", "help"}

// fixed are flags that make a crawl the crawl it is: they cannot change when it resumes.
var fixed = []string{"scope", "include", "exclude", "max-hops", "prefer", "only", "language-id", "order", "context-graph", "nofollow", "robots", "reason", "user-agent", "digest"}

// hidden stands in an archive where a password or a key was.
const hidden = "(not kept)"

// configText is what was asked for, flag by flag, as crawls/<id>/config.toml keeps it. Passwords are left out: an
// archive is given away, and so is its configuration.
func configText(ctx *kong.Context) map[string]string {
	config := map[string]string{}
	for _, f := range ctx.Flags() {
		if slices.Contains(notKept, f.Name) {
			continue
		}
		if text := withoutSecrets(f.Name, flagText(f.Target)); text != "" {
			config[f.Name] = text
		}
	}
	return config
}

// flagText is a flag's value as it could be written on a command line; a list is one item a line.
func flagText(v reflect.Value) string {
	if v.Kind() == reflect.Pointer && v.IsNil() {
		return ""
	}
	v = reflect.Indirect(v)
	switch v := v.Interface().(type) {
	case string:
		return v
	case scope.Mode:
		return string(v)
	case int:
		return strconv.Itoa(v)
	case int64:
		return strconv.FormatInt(v, 10)
	case bool:
		return strconv.FormatBool(v)
	case size:
		return strconv.FormatInt(int64(v), 10)
	case span:
		return time.Duration(v).String()
	case hops:
		if v < 0 {
			return "unlimited"
		}
		return strconv.Itoa(int(v))
	case packing:
		return v.String()
	case []string:
		return strings.Join(v, "\n")
	case []network:
		var lines []string
		for _, n := range v {
			lines = append(lines, n.String())
		}
		return strings.Join(lines, "\n")
	}
	panic(fmt.Sprintf("a flag of type %s has no text", v.Type()))
}

// withoutSecrets leaves out of a flag's text what gives access to something.
func withoutSecrets(name, text string) string {
	switch name {
	case "proxy":
		switch u, err := url.Parse(text); {
		case err != nil:
			return hidden
		case u.User != nil:
			u.User = nil
			return hidden + " " + u.String()
		}
	case "header":
		return strings.Join(slices.DeleteFunc(strings.Split(text, "\n"), isSecretField), "\n")
	}
	return text
}

// resumeSettings gives flags the values that the crawl to be resumed was begun with, and refuses others for those that
// cannot change.
func resumeSettings(ctx *kong.Context, dir, id string, given map[string]*kong.Flag, file map[string]any) (archive.Crawl, error) {
	if dir == "" {
		return archive.Crawl{}, usage("--resume needs --archive: name the folder of the crawl to go on with")
	}
	crawl, err := unfinished(dir, id)
	if err != nil {
		return crawl, err
	}
	values := map[string]any{}
	for _, f := range ctx.Flags() {
		was, kept := crawl.Config[f.Name]
		if kept {
			values[f.Name] = was
		}
		_, inFile := file[f.Name]
		isGiven := given[f.Name] != nil
		if kept && strings.Contains(was, hidden) && !inFile && !isGiven {
			return crawl, fmt.Errorf("the value of --%s was not kept, since it is secret: give it again", f.Name)
		}
		if !slices.Contains(fixed, f.Name) || !inFile && !isGiven {
			continue
		}
		now := reflect.ValueOf(ctx.FlagValue(f))
		if !isGiven {
			if _, now, err = decode(f, file[f.Name]); err != nil {
				return crawl, err
			}
		}
		if flagText(now) != was {
			return crawl, fmt.Errorf("--%s cannot change when a crawl resumes (it began with %q): leave it out, or begin a new crawl without --resume", f.Name, was)
		}
	}
	ctx.AddResolver(settings{"crawls/" + crawl.ID + "/config.toml", values})
	return crawl, nil
}

// commands are the flags given with --resume that commands may have set meanwhile: the last word counts, and is kept.
func (c *crawlCmd) commands(given map[string]*kong.Flag) (commands []engine.Command) {
	for _, name := range []string{"delay", "address-delay"} {
		if f := given[name]; f != nil {
			commands = append(commands, engine.Command{Who: whoami(), Name: name, Value: flagText(f.Target), Why: "--" + name + " with --resume"})
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
