//go:build conformance

package browser

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// site is a web with pages whose scripts find nothing, pages of an application that are made of data by scripts, and pages
// whose scripts begin to find something midway.
func site() string {
	var links strings.Builder
	for i := range 20 {
		fmt.Fprintf(&links, "<a href=/plain/%d>p</a> <a href=/app/%d>a</a> ", i, i)
	}
	for i := range 30 {
		fmt.Fprintf(&links, "<a href=/news/%d>n</a> ", i)
	}
	return `
-- auto.test/ Content-Type=text/html --
<title>all</title>` + links.String() + `
-- auto.test/plain/** expand Content-Type=text/html --
<title>plain {rest}</title><script src=/menu.js></script><p>Page {rest} of those that are whole.
-- auto.test/menu.js Content-Type=text/javascript --
document.body.append('menu')
-- auto.test/app/** expand Content-Type=text/html --
<!doctype html><title>app</title><div id=app></div><script src=/app.js></script>
-- auto.test/app.js Content-Type=text/javascript --
fetch('/da' + 'ta/' + location.pathname.split('/')[2] + '.txt').then(r => r.text()).then(t => document.getElementById('app').append(t))
-- auto.test/data/** expand --
data of {rest}
-- auto.test/news/** expand Content-Type=text/html --
<title>news {rest}</title><script>var n = {n}; if (n >= 20) { fetch('/more/' + (n * 7919 % 1000) + '.txt') }</script><p>News of this day, which has the number {rest}: the council met in the morning and spoke about the bridge, the market and the new school, and nobody knows yet what will come of it.<p>The river stood high after three days of rain, and boats lay at the upper landing until the afternoon, when the ferry went again.<p>Bakers say that flour has become dearer since the spring, while the price of bread stays as it was for the time being.<p>In the old theatre a company from the mountains plays for a week, with two evenings for children and one for those who cannot climb stairs.<p>The library asks for the return of forty books that were lent before the winter, among them the large atlas and the first part of the chronicle.<p>Tomorrow will be dry, with wind from the west, and colder in the night than the season would let one expect.
-- auto.test/more/** --
more
`
}

// With --browser auto all that scripts find is recorded, though few pages are loaded; the report and kavosh why say so, and
// the host is asked as politely as ever.
func TestAuto(t *testing.T) {
	s, way := serve(t, site(), "auto.test")
	archive := filepath.Join(t.TempDir(), "archive")
	const delay = 100 * time.Millisecond
	cmd := exec.Command(program, append([]string{"crawl", "--archive", archive, "--browser", "auto", "--delay", delay.String(), "http://auto.test/"}, way...)...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	urls := recorded(t, archive)
	for i := range 20 {
		if want := fmt.Sprintf("http://auto.test/data/%d.txt", i); !slices.Contains(urls, want) {
			t.Errorf("%s is not recorded", want)
		}
	}
	late := 0
	for i := 20; i < 30; i++ {
		if slices.Contains(urls, fmt.Sprintf("http://auto.test/more/%d.txt", i*7919%1000)) {
			late++
		}
	}
	if t.Logf("%d of 10 of what scripts find from the middle on", late); late < 8 {
		t.Error("scripts that begin to find something midway are not noticed")
	}
	files, _ := filepath.Glob(filepath.Join(archive, "crawls", "*", "report.json"))
	if len(files) != 1 {
		t.Fatalf("reports: %v", files)
	}
	var report struct {
		Browser struct{ Scripted, Loaded, Links, Resources int }
	}
	if text, err := os.ReadFile(files[0]); err != nil || json.Unmarshal(text, &report) != nil {
		t.Fatalf("%v: %s", err, text)
	}
	if b := report.Browser; b.Scripted != 70 || b.Loaded > 50 || b.Resources == 0 {
		t.Errorf("the report counts %+v", b)
	}
	if !strings.Contains(string(out), "browser") || !strings.Contains(string(out), "of 70 pages with scripts") {
		t.Errorf("the summary does not tell of the browser: %s", out)
	}
	told := ""
	for i := range 20 {
		text, err := exec.Command(program, "why", archive, fmt.Sprintf("http://auto.test/plain/%d", i)).Output()
		if err != nil {
			t.Fatal(err)
		}
		told += string(text)
	}
	for _, want := range []string{"read without the browser", "loaded at"} {
		if !strings.Contains(told, want) {
			t.Errorf("kavosh why does not say %q: %s", want, told)
		}
	}
	turns(t, s, "auto.test", 6, delay)
}

// A kill while a page is loaded loses nothing.
func TestAutoKilled(t *testing.T) {
	s, way := serve(t, `
-- app.test/ Content-Type=text/html --
<title>app</title><script>fetch('/o' + 'ne').then(() => fetch('/sl' + 'ow')).then(() => fetch('/th' + 'ree'))</script>
-- app.test/one --
1
-- app.test/slow wait=10s --
2
-- app.test/three --
3
`, "app.test")
	archive := filepath.Join(t.TempDir(), "archive")
	cmd := exec.Command(program, append([]string{"crawl", "--archive", archive, "--browser", "auto", "--delay", "100ms", "http://app.test/"}, way...)...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for asked := false; !asked; {
		<-time.After(10 * time.Millisecond)
		for _, q := range s.Requests() {
			asked = asked || q.Path == "/one"
		}
	}
	cmd.Process.Kill()
	cmd.Wait()
	if out, err := exec.Command(program, append([]string{"crawl", "--archive", archive, "--resume", "--delay", "100ms"}, way...)...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	urls := recorded(t, archive)
	for _, want := range []string{"http://app.test/", "http://app.test/one", "http://app.test/slow", "http://app.test/three"} {
		if !slices.Contains(urls, want) {
			t.Errorf("%s is not recorded", want)
		}
	}
}
