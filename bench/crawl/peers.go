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

// spider is a crawl as in Scrapy's manual: follow all links.
//
//go:embed spider.py
var spider []byte

// job is one crawl of the site by one crawler.
type job struct {
	ctx     context.Context
	site    *serving
	dir     string // empty folder for everything that the crawler writes
	ca      string // file with the server's authority
	kavosh  string // the program
	workers int    // of kavosh; 0 = its default
	bare    string // file for the ceiling to read
}

func (j *job) hosts() (all []string) {
	for h := range j.site.Hosts {
		all = append(all, hostAddress(h))
	}
	return all
}

type crawler struct {
	name    string
	program string // looked up in PATH; "" if it is always there
	install string // Debian package with the program
	keeps   string
	enough  int // pages after which the crawler stops; 0 = all
	command func(*job) (*exec.Cmd, error)
}

// kavosh is bin/kavosh with its defaults but without delays, because the server is our own.
func kavosh(flags ...string) crawler {
	name := strings.Join(append([]string{"kavosh"}, flags...), " ")
	return crawler{name: name, keeps: "WARC, CDXJ, crawl log", command: func(j *job) (*exec.Cmd, error) {
		args := []string{"crawl", "--browser", "never", "--archive", filepath.Join(j.dir, "archive"), "--scope", j.site.Scope, "--delay", "0", "--address-delay", "0",
			"--allow-private", "127.0.0.0/8"}
		if j.workers > 0 {
			args = append(args, "--workers", fmt.Sprint(j.workers))
		}
		args = append(append(args, flags...), j.site.Seeds...)
		return exec.CommandContext(j.ctx, j.kavosh, args...), nil
	}}
}

// level6 are kavosh's flags for the gzip level that others use by default.
var level6 = []string{"--compression", "gzip:6"}

// ceilingAt is the bare loop at a gzip level; level 0 does not compress.
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

// scrapyPages suffice to measure Scrapy's rate: all pages would take longer than all other crawlers together.
const scrapyPages = 1000

// Likewise for HTTrack: its time, and the fewest pages it must get in that time.
const (
	httrackSeconds = 60
	httrackPages   = 2000
)

// peers are the crawlers of Debian, each used as its manual says for a whole site, obeying robots.txt and without
// delays.
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
		return exec.CommandContext(j.ctx, "httrack", "--quiet", "-O", j.dir, "--disable-security-limits", "--max-rate=0",
			"--connection-per-second=0",
			"--sockets=16", "--depth=9999", fmt.Sprint("--max-time=", httrackSeconds), "--robots=2", "--cache=0", "-*",
			"+127.0.1.*", j.site.Seeds[0]), nil
	}},
	{"scrapy", "scrapy", "python3-scrapy", "nothing", scrapyPages, func(j *job) (*exec.Cmd, error) {
		name := filepath.Join(j.dir, "spider.py")
		return exec.CommandContext(j.ctx, "scrapy", "runspider", name, "-a", "seed="+j.site.Seeds[0], "-a", "hosts="+strings.Join(j.hosts(), ","),
				"-s", fmt.Sprint("CLOSESPIDER_PAGECOUNT=", scrapyPages)),
			os.WriteFile(name, spider, 0o666)
	}},
}

// missing says how to install a crawler that is missing; "" if it is installed.
func (c *crawler) missing() string {
	if c.program == "" {
		return ""
	}
	if _, err := exec.LookPath(c.program); err == nil {
		return ""
	}
	return "not installed: apt-get install " + c.install
}
