package engine

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh/archive"
	"kavosh/standin"
)

// A host that shows one page of scripts alone in place of many is held, and asked again when it is released; what came until
// then of its pages is recorded once.
func TestRepeatedPage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fs := vfs.NewMem()
		s := serve(t, `
-- a.test/ --
<title>home</title><a href=/1>1</a><a href=/2>2</a><a href=/3>3</a><a href=/4>4</a><a href=/5>5</a><a href=/6>6</a><a href=/7>7</a>
-- a.test/robots.txt status=404 --
-- a.test/check.js --
check()
-- a.test/** times=4 Content-Type=text/html --
<!doctype html><title>a.test</title><script src=/check.js></script>
-- a.test/** Content-Type=text/html --
<!doctype html><title>a page</title><p>Much to read.
`)
		o := options(s, fs, "http://a.test/")
		o.Limits.Time = 2 * time.Minute
		r := crawlNow(t, o)
		if r.End != "time" || r.Queued != 7 || r.Walls != 3 {
			t.Errorf("the crawl ended by %q, %d URLs wait, %d answers of walls", r.End, r.Queued, r.Walls)
		}
		held := ""
		for cmd, err := range ReadControlLog(fs, "archive", r.ID) {
			if err != nil {
				t.Fatal(err)
			}
			held += cmd.Name + " " + cmd.Why
		}
		if !strings.HasPrefix(held, "hold bot wall: "+standin.Repeated) {
			t.Errorf("control.log: %s", held)
		}
		o.Seeds, o.Resume, o.Limits.Time, o.Commands = nil, true, 0, []Command{{Who: "ali", Name: "release", Host: "a.test"}}
		if r = crawlNow(t, o); r.End != "done" || r.Recorded != 9 {
			t.Errorf("then it ended by %q, with %d recorded", r.End, r.Recorded)
		}
		for url, l := range outcomes(t, fs) {
			if l.Outcome != archive.Recorded || l.StandIn != "" {
				t.Errorf("%s: %+v", url, l)
			}
		}
	})
}

// A host is not held for its pages of scripts alone where the browser could show none of them.
func TestRepeatedPageThatIsNotShown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fs := vfs.NewMem()
		s := serve(t, `
-- a.test/ --
<title>home</title><a href=/1>1</a><a href=/2>2</a><a href=/3>3</a><a href=/4>4</a><a href=/5>5</a><a href=/6>6</a><a href=/7>7</a>
-- a.test/robots.txt status=404 --
-- a.test/app.js --
app()
-- a.test/** Content-Type=text/html --
<!doctype html><title>a.test</title><script src=/app.js></script>
`)
		o := options(s, fs, "http://a.test/")
		shows := map[string]string{}
		for n := range 8 {
			shows[fmt.Sprintf("http://a.test/%d", n)] = ""
		}
		o.Browser, o.Limits.Time = walled{shows}, time.Hour
		if r := crawlNow(t, o); r.End != "done" || r.Walls != 0 || len(r.StandIns) != 0 {
			t.Errorf("the crawl ended by %q with %d answers of walls: %v", r.End, r.Walls, r.StandIns)
		}
		for url, l := range outcomes(t, fs) {
			if strings.Contains(strings.Join(l.Notes, " "), "passed") {
				t.Errorf("%s: %q", url, l.Notes)
			}
		}
	})
}

// What a person let pass as the page of an application passes in later runs, too.
func TestRepeatedPagePasses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fs := vfs.NewMem()
		s := serve(t, `
-- a.test/ --
<title>home</title><a href=/1>1</a><a href=/2>2</a><a href=/3>3</a><a href=/4>4</a><a href=/5>5</a><a href=/6>6</a><a href=/7>7</a>
-- a.test/robots.txt status=404 --
-- a.test/app.js --
app()
-- a.test/** Content-Type=text/html --
<!doctype html><title>a.test</title><script src=/app.js></script>
`)
		o := options(s, fs, "http://a.test/")
		o.Limits.Time = 2 * time.Minute
		if r := crawlNow(t, o); r.End != "time" || r.Walls != 3 {
			t.Errorf("the crawl ended by %q with %d answers of walls", r.End, r.Walls)
		}
		o.Seeds, o.Resume, o.Limits.Time, o.Commands = nil, true, 3*time.Second, []Command{{Who: "ali", Name: "release", Host: "a.test"}}
		if r := crawlNow(t, o); r.End != "time" {
			t.Errorf("then it ended by %q", r.End)
		}
		o.Limits.Time, o.Commands = 10*time.Minute, nil
		if r := crawlNow(t, o); r.End != "done" || r.Walls != 3 {
			t.Errorf("at last it ended by %q with %d answers of walls", r.End, r.Walls)
		}
		for url, l := range outcomes(t, fs) {
			if l.Outcome != archive.Recorded || l.StandIn != "" {
				t.Errorf("%s: %+v", url, l)
			}
		}
	})
}

// A single URL that a firewall keeps from everybody is asked for three times, and is recorded then as what it is.
func TestOneURLBehindAWall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fs := vfs.NewMem()
		s := serve(t, `
-- a.test/ --
<title>home</title><a href=/admin>a</a><a href=/1>1</a><a href=/2>2</a><a href=/3>3</a><a href=/4>4</a><a href=/5>5</a><a href=/6>6</a><a href=/7>7</a>
-- a.test/admin status=403 Cf-Mitigated=challenge Content-Type=text/html --
no
-- a.test/** wait=3s Content-Type=text/html --
<!doctype html><title>a page</title><p>Much to read.
`)
		o := options(s, fs, "http://a.test/")
		r := crawlNow(t, o)
		l := outcomes(t, fs)["http://a.test/admin"]
		if r.End != "done" || r.Walls != 3 || l.Outcome != archive.Recorded || l.Status != 403 || l.Sign != "Cloudflare challenge" {
			t.Errorf("the crawl ended by %q with %d answers of walls, and this: %+v", r.End, r.Walls, l)
		}
	})
}
