//go:build conformance

package browser

import (
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"kavosh/internal/fakeweb"
)

// A wall that lets in who runs its script is passed: its page sets a cookie and loads itself again. One whose scripts
// put the page in its place is none, and neither is one that lets in by a redirect, which the crawl follows. What the browser
// never passes is a wall, also where the page's second request breaks off, and so is what scripts make one.
func TestWalls(t *testing.T) {
	const script = "<!doctype html><title>Wait</title><body><script>document.cookie = 'in=1; path=/'; setTimeout(() => location.reload(), 300)</script>"
	const challenge = "<!doctype html><title>Just a moment...</title><script>window._cf_chl_opt = {}</script>"
	s, way := serve(t, `
-- site.test/robots.txt status=404 --
-- site.test/reloads status=403 times=1 Content-Type=text/html --
`+script+`
-- site.test/reloads Content-Type=text/html --
<!doctype html><title>Let in</title><h1>Let in</h1><p>Much to read.
-- site.test/moves status=403 times=1 Content-Type=text/html --
`+script+`
-- site.test/moves status=302 Location=/in Content-Type=text/html --
-- site.test/in Content-Type=text/html --
<title>in</title>
-- site.test/breaks cookie=in=1 reset=0 --
-- site.test/breaks status=403 Content-Type=text/html --
`+script+`
-- site.test/changes Content-Type=text/html --
`+challenge+`<script>setTimeout(() => { document.open(); document.write('<title>Changed</title><h1>Changed</h1><p>Much to read.<a href=/more>more</a>'); document.close() }, 300)</script>
-- site.test/becomes Content-Type=text/html --
<!doctype html><title>App</title><p>Wait<script>setTimeout(() => { document.title = 'Just a moment...'; document.body.innerHTML = '<div class=cf-browser-verification></div>' }, 100)</script>
-- site.test/stays Content-Type=text/html --
`+challenge+`
-- site.test/more Content-Type=text/html --
<title>more</title>
`, "site.test")
	archive := filepath.Join(t.TempDir(), "a")
	crawl(t, archive, append(way, "--delay", "10ms", "http://site.test/reloads", "http://site.test/moves", "http://site.test/changes")...)
	var lines []string
	out, err := exec.Command(program, "log", archive).Output()
	if err != nil {
		t.Fatal(err)
	}
	for text := range strings.Lines(string(out)) {
		if f := strings.Fields(text); f[4] != "P" && !strings.HasSuffix(f[3], ".ico") {
			what := "recorded"
			if strings.Contains(text, " retry ") {
				what = "retry"
			}
			lines = append(lines, what+" "+f[1]+" "+f[3])
		}
	}
	slices.Sort(lines)
	if want := []string{"recorded 200 http://site.test/changes", "recorded 200 http://site.test/in", "recorded 200 http://site.test/more", "recorded 200 http://site.test/reloads", "recorded 302 http://site.test/moves", "retry 403 http://site.test/moves", "retry 403 http://site.test/reloads"}; !slices.Equal(lines, want) {
		t.Errorf("%s\nwant %s\n%s", strings.Join(lines, "\n"), strings.Join(want, "\n"), out)
	}
	if !slices.ContainsFunc(s.Requests(), func(q fakeweb.Request) bool { return q.Path == "/reloads" && q.Header.Get("Cookie") == "in=1" }) {
		t.Error("the cookie of the wall was not sent")
	}
	recorded(t, archive)

	archive = filepath.Join(t.TempDir(), "b")
	crawl(t, archive, append(way, "--delay", "10ms", "--max-time", "45s", "http://site.test/more", "http://site.test/becomes", "http://site.test/breaks", "http://site.test/stays")...)
	if out, err = exec.Command(program, "log", "--standin", "wall", archive).Output(); err != nil || strings.Count(string(out), "/becomes ") == 0 || strings.Count(string(out), "/breaks ") == 0 || strings.Count(string(out), "/stays ") == 0 {
		t.Errorf("%v\n%s", err, out)
	}
}
