package main

import (
	"context"
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// spider is a crawl as Scrapy's handbook has it: follow all links.
//
//go:embed spider.py
var spider []byte

// job is one crawl of the site by one crawler.
type job struct {
	ctx     context.Context
	site    *serving
	dir     string // empty, for all that the crawler writes
	ca      string // file with the server's authority
	kavosh  string // the program
	workers int    // of kavosh; 0 is its default
	bare    string // file that the ceiling reads
}

func (j *job) hosts() (all []string) {
	for h := range j.site.Hosts {
		all = append(all, hostAddress(h))
	}
	return all
}

// crawler is one of those that are compared.
type crawler struct {
	name    string
	program string // looked up in PATH; "" is always there
	install string // package of Debian that brings the program
	keeps   string
	enough  int // pages after which the crawler stops; 0 is all
	command func(*job) (*exec.Cmd, error)
}

// kavosh is bin/kavosh with its defaults, but without waiting between requests, for the server is our own.
func kavosh(flags ...string) crawler {
	name := strings.Join(append([]string{"kavosh"}, flags...), " ")
	return crawler{name: name, keeps: "WARC, CDXJ, crawl log", command: func(j *job) (*exec.Cmd, error) {
		args := []string{"crawl", "--archive", filepath.Join(j.dir, "archive"), "--scope", j.site.Scope, "--delay", "0", "--address-delay", "0",
			"--allow-private", "127.0.0.0/8"}
		if j.workers > 0 {
			args = append(args, "--workers", fmt.Sprint(j.workers))
		}
		args = append(append(args, flags...), j.site.Seeds...)
		return exec.CommandContext(j.ctx, j.kavosh, args...), nil
	}}
}

// level6 are kavosh's flags for the level of gzip that others write by default.
var level6 = []string{"--compression", "gzip:6"}

// ceilingAt is the bare loop at a level of gzip; level 0 leaves packing out.
func ceilingAt(name string, level int, lean bool) crawler {
	keeps := fmt.Sprintf("gzip level %d", level)
	if level == 0 {
		keeps = "answers as they came"
	}
	return crawler{name: name, keeps: keeps, command: func(j *job) (*exec.Cmd, error) {
		self, err := os.Executable()
		if err != nil {
			return nil, err
		}
		return exec.CommandContext(j.ctx, self, "ceiling", "-level", fmt.Sprint(level), fmt.Sprintf("-lean=%t", lean), "-work", j.bare,
			"-file", filepath.Join(j.dir, "ceiling")), nil
	}}
}

// scrapyPages are enough to know Scrapy's rate: all pages would take it longer than all other crawlers together.
const scrapyPages = 1000

// httrackSeconds, likewise, are enough for HTTrack, and httrackPages the fewest that it gets in them.
const (
	httrackSeconds = 60
	httrackPages   = 2000
)

// peers are the crawlers of Debian, each as its handbook tells to use it for a whole site, robots.txt obeyed and no
// waiting.
var peers = []crawler{
	{"wget", "wget", "wget", "WARC, CDX, files", 0, func(j *job) (*exec.Cmd, error) {
		args := []string{"--quiet", "--recursive", "--level=inf", "--span-hosts", "--warc-file=wget", "--warc-cdx", "--no-config"}
		if j.site.Scope == "host" {
			args = append(args, "--domains="+strings.Join(j.hosts(), ","))
		}
		if j.ca != "" {
			args = append(args, "--ca-certificate="+j.ca)
		}
		return exec.CommandContext(j.ctx, "wget", append(args, j.site.Seeds[0])...), nil
	}},
	{"wget2", "wget2", "wget2", "files", 0, func(j *job) (*exec.Cmd, error) {
		args := []string{"--quiet", "--recursive", "--level=0", "--span-hosts", "--max-threads=16", "--no-config"}
		if j.site.Scope == "host" {
			args = append(args, "--domains="+strings.Join(j.hosts(), ","))
		}
		if j.ca != "" {
			args = append(args, "--ca-certificate="+j.ca)
		}
		return exec.CommandContext(j.ctx, "wget2", append(args, j.site.Seeds[0])...), nil
	}},
	{"httrack", "httrack", "httrack", "files", httrackPages, func(j *job) (*exec.Cmd, error) {
		return exec.CommandContext(j.ctx, "httrack", "--quiet", "-O", j.dir, "--disable-security-limits", "--max-rate=0", "--connection-per-second=0",
			"--sockets=16", "--depth=9999", fmt.Sprint("--max-time=", httrackSeconds), "--robots=2", "--cache=0", "-*", "+127.0.1.*", j.site.Seeds[0]), nil
	}},
	{"scrapy", "scrapy", "python3-scrapy", "nothing", scrapyPages, func(j *job) (*exec.Cmd, error) {
		name := filepath.Join(j.dir, "spider.py")
		return exec.CommandContext(j.ctx, "scrapy", "runspider", name, "-a", "seed="+j.site.Seeds[0], "-a", "hosts="+strings.Join(j.hosts(), ","),
				"-s", fmt.Sprint("CLOSESPIDER_PAGECOUNT=", scrapyPages)),
			os.WriteFile(name, spider, 0o666)
	}},
}

// missing says how a crawler that is not installed can be, or "".
func (c *crawler) missing() string {
	if c.program == "" {
		return ""
	}
	if _, err := exec.LookPath(c.program); err == nil {
		return ""
	}
	return "not installed: apt-get install " + c.install
}
