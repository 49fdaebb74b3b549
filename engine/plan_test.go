package engine_test

import (
	"context"
	"fmt"
	"net"
	"path/filepath"
	"strings"
	"testing"

	"kavosh/engine"
	"kavosh/internal/clock"
	"kavosh/internal/fakeweb"
	"kavosh/plan"
)

// Whoever has a text of TOML or JSON can begin the crawl that it describes: kavosh crawl is one of several that may.
func TestCrawlFromText(t *testing.T) {
	web, err := fakeweb.Parse([]byte("-- a.test/ --\n<a href=/one>one</a> <a href=/print/1>print</a>\n-- a.test/one --\n<a href=/two>two</a>\n-- a.test/two --\ntwo\n"))
	if err != nil {
		t.Fatal(err)
	}
	far, err := fakeweb.NewServer(web, clock.Real{})
	if err != nil {
		t.Fatal(err)
	}
	defer far.Close()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go far.Serve(l)
	for name, text := range map[string]string{
		"toml": "seed = ['http://a.test/']\narchive = %q\nmax-hops = 1\nexclude = ['/print/']\ndelay = 0\nconnect-to = ['::%s']\nmin-free = 0\nheader = ['Cookie: a=SECRET']\n",
		"json": `{"seed": ["http://a.test/"], "archive": %q, "max-hops": 1, "exclude": ["/print/"], "delay": "0s", "connect-to": ["::%s"], "min-free": 0, "header": ["Cookie: a=SECRET"]}`,
	} {
		dir := filepath.Join(t.TempDir(), name)
		p := plan.New()
		err := p.Read(name, fmt.Appendf(nil, text, dir, l.Addr()))
		if err != nil {
			t.Fatal(err)
		}
		list, err := engine.OpenSeeds(p, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		opts, done, err := engine.FromPlan(p, list, nil, "test")
		if err != nil {
			t.Fatal(err)
		}
		report, err := engine.Run(context.Background(), opts)
		done()
		list.Close()
		if err != nil || report.End != "done" || report.Pages != 2 || report.Recorded != 2 {
			t.Fatalf("%s: %+v, %v", name, report, err)
		}
		if text := fmt.Sprint(opts.Config); strings.Contains(text, "SECRET") || !strings.Contains(text, "secrets:http://a.test cookie") || !strings.Contains(text, "max-hops:1") {
			t.Errorf("%s: kept is %s", name, text)
		}
	}
}

// What is wrong with a plan, or with what it names, is a mistake that is told before anything is made.
func TestPlansThatCannotBe(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "archive")
	for text, want := range map[string]string{
		"workers = 0":                        "--workers 0",
		"order = 'bredth'":                   "did you mean breadth?",
		"prefer = ['keywrod=x']":             "did you mean keyword=WORD?",
		"only = ['topic=absent.txt']":        "--only: ",
		"context-graph = 'absent'":           "--context-graph absent",
		"connect-to = ['8091']":              "--connect-to: ",
		"proxy = 'ftp://a.test'":             "--proxy: ",
		"credentials = 'absent'":             "--credentials: ",
		"header = ['Cookie: a=b']":           "--header Cookie",
		"secrets = ['http://a.test cookie']": "the crawl sends credentials to http://a.test, which are not kept: give them again",
		"seed = ['ftp://a.test/']":           "ftp://a.test/",
		"seeds = ['absent.txt']":             "absent.txt",
	} {
		p := plan.New()
		err := p.Read("text", []byte("archive = '"+dir+"'\n"+text))
		if err != nil {
			t.Fatal(err)
		}
		list, err := engine.OpenSeeds(p, nil, nil)
		if err == nil {
			_, _, err = engine.FromPlan(p, list, nil, "test")
			list.Close()
		}
		if _, ok := err.(*plan.Mistake); !ok || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
	if made, _ := filepath.Glob(dir); len(made) > 0 {
		t.Errorf("%v was made", made)
	}
}
