package main

// This file is the command kavosh demo: it crawls a small web that comes with the program, and serves the archive.

import (
	"fmt"
	"net"
	"os"
	"path/filepath"

	"kavosh/engine"
	"kavosh/internal/fakeweb"
	"kavosh/lib/units"
	"kavosh/plan"
)

type demoCmd struct {
	Archive    string   `placeholder:"DIR" help:"Keep the archive in this folder. Default: a temporary one, removed at the end."`
	Once       bool     `aliases:"no-serve" help:"Crawl, say where the archive is, and end."`
	Addr       string   `default:"127.0.0.1:0" help:"Address of the home pages; port 0 is any free one."`
	ReplayAddr string   `default:"127.0.0.1:0" help:"Address of the archived pages."`
	Host       []string `sep:"none" placeholder:"NAME" help:"Answer to this host name, too. May be repeated."`
}

// Help returns the text above the flags in the help.
func (demoCmd) Help() string {
	return `Examples:

    kavosh demo
    kavosh demo --once --archive demo.kavosh

A small web that comes with the program (six sites in Persian, English, French and Arabic) is served on a local port, crawled by the ordinary crawler and shown by the ordinary server. It takes a few seconds and no network.`
}

// demoSeeds are the seeds of the demonstration.
var demoSeeds = []string{"https://www.bagh.example/", "https://carnet.example/", "https://kitab.example/", "http://old.example/", "http://slow.example/", "https://calendar.example/month/1"}

// demoHops bounds the hops of the demonstration, because its calendar is endless.
const demoHops = 6

// Run crawls the built-in web and serves the result.
func (c *demoCmd) Run(p *program) error {
	dir := c.Archive
	if dir == "" {
		temp, err := os.MkdirTemp("", "kavosh-demo-")
		if err != nil {
			return err
		}
		dir = filepath.Join(temp, "demo.kavosh")
		if !c.Once {
			defer os.RemoveAll(temp)
		}
	}
	if err := crawlDemo(p, dir); err != nil {
		return err
	}
	if c.Once {
		return nil
	}
	serve := serveCmd{Addr: c.Addr, ReplayAddr: c.ReplayAddr, Host: c.Host, Lang: "en"}
	return serve.serve(p, []string{"demo=" + dir}, func(_ *collections, homeURL, pagesURL string) {
		fmt.Fprintf(p.out, "\nOpen %s in a browser, or one of the sites:\n", homeURL)
		for _, seed := range demoSeeds {
			fmt.Fprintf(p.out, "  %sdemo/%s\n", pagesURL, seed)
		}
		fmt.Fprintf(p.out, "Ctrl-C stops. Next, a site of your own: kavosh crawl https://…\n")
	})
}

// crawlDemo serves the built-in web on a local port and crawls it into dir.
func crawlDemo(p *program, dir string) error {
	web, err := fakeweb.Demo()
	if err != nil {
		return err
	}
	far, err := fakeweb.NewServer(web, nil)
	if err != nil {
		return err
	}
	defer far.Close()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	go far.Serve(l)
	crawl := plan.New()
	crawl.Archive, crawl.Seed, crawl.MaxHops, crawl.ConnectTo = dir, demoSeeds, demoHops, []string{"::" + l.Addr().String()}
	crawl.Browser = "never" // all is there without scripts
	crawl.Delay, crawl.MinFree = units.Spans{}, 0
	list, err := engine.OpenSeeds(crawl, nil, nil)
	if err != nil {
		return err
	}
	defer list.Close()
	opts, done, err := engine.FromPlan(crawl, list, nil, version())
	if err != nil {
		return err
	}
	defer done()
	return runCrawl(p, opts, nil, false)
}
