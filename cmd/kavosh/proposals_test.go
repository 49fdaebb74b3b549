package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"kavosh/quality"
)

// planted returns a site of so many pages, and what else a web has. Each page answers as attributes say.
func planted(host string, pages int, attributes, body string, more ...string) string {
	var links, web strings.Builder
	for i := range pages {
		fmt.Fprintf(&links, `<a href="/p%d">Page %[1]d</a> `, i)
		fmt.Fprintf(&web, "-- %s/p%d %s --\n<!doctype html><title>Page %[2]d</title>"+body+"\n", host, i, attributes, i)
	}
	return "-- " + host + "/ --\n<!doctype html><title>Home</title><h1>Home</h1><p>" + links.String() + "\n" + web.String() + strings.Join(more, "\n") + "\n"
}

// What goes wrong in a crawl has settings proposed by its report, by kavosh quality, and in JSON, each as a command that can be given.
// What goes well has none.
func TestProposals(t *testing.T) {
	t.Parallel()
	const plain = "<p>It is page %[4]d of a site, and there is nothing else to say of it."
	parser, err := newParser(new(cli), &program{})
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		web   string
		args  []string
		about quality.Trouble // "" for none
		want  string
	}{
		"healthy":   {planted("a.test", 30, "", plain), []string{"http://a.test/"}, "", ""},
		"one error": {planted("a.test", 30, "", plain+`<img src="/i.png">`, "-- a.test/odd --\n<title>Odd</title><img src=/lost.png>", "-- a.test/i.png png=9x9,#336699,#aaccee --", "-- a.test/** status=404 --"), []string{"http://a.test/", "http://a.test/odd"}, "", ""},
		"moved":     {"-- old.test/** status=301 Location=http://new.test/ --\n\n" + planted("new.test", 3, "", plain), []string{"--scope", "host", "http://old.test/"}, quality.TroubleMoved, " http://new.test/"},
		"soft 404":  {planted("a.test", 30, "", "<h1>Page not found</h1><p>The page that you asked for does not exist.</p>"), []string{"http://a.test/"}, quality.TroubleNotFound, "--rule 'leave from=notfound' http://a.test/"},
		"parts":     {planted("a.test", 30, "", plain+`<img src="/i%[4]d.png">`, "-- a.test/** status=404 --"), []string{"http://a.test/"}, quality.TroubleParts, "kavosh crawl --patch --archive "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "planted")
			crawlWeb(t, dir, c.web, c.args...)
			var r, q struct{ Proposals []quality.Proposal }
			for of, args := range map[*struct{ Proposals []quality.Proposal }][]string{&r: {"report", dir, "--json"}, &q: {"quality", dir, "--json"}} {
				if err := json.Unmarshal([]byte(command(t, args...)), of); err != nil {
					t.Fatal(err)
				}
			}
			report, told := command(t, "report", dir), command(t, "quality", dir)
			if c.about == "" {
				if len(r.Proposals)+len(q.Proposals) > 0 || strings.Contains(report+told, "would help") {
					t.Errorf("proposed are %+v and %+v", r.Proposals, q.Proposals)
				}
				return
			}
			for told, all := range map[string][]quality.Proposal{report: r.Proposals, told: q.Proposals} {
				if len(all) != 1 || all[0].About != c.about || !strings.Contains(all[0].Do, c.want) || !strings.HasSuffix(all[0].Why, ".") || strings.Contains(all[0].Why, "%") {
					t.Errorf("proposed is %+v; log %s", all, command(t, "log", dir))
					continue
				}
				if !strings.Contains(told, all[0].Why+"\n    "+all[0].Do) {
					t.Errorf("%q is not in\n%s", all[0].Do, told)
				}
				if err := parses(parser, shellWords(all[0].Do)[1:]); err != nil {
					t.Errorf("%s: %v", all[0].Do, err)
				}
			}
		})
	}
}
