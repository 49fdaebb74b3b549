package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh/index"
	"kavosh/lib/cdx"
)

// statementsWeb has a document of each syntax for each rule, in whose names the rule is, and links from and to closed ones.
func statementsWeb(rules []string) (web string, pages []string) {
	var b strings.Builder
	b.WriteString("-- a.test/robots.txt --\nUser-agent: *\nDisallow: /forbidden\n")
	links := ""
	for _, rule := range rules {
		for end, text := range map[string]string{
			"ttl": `<> <http://v.test/p> "WORD"; <http://www.w3.org/2000/01/rdf-schema#seeAlso> <http://more.test/WORD> .`,
			"trig": `<http://s.test/WORD> <http://v.test/p> "WORD default" .
<http://named.test/WORD> { <http://s.test/1> <http://v.test/p> "WORD named" . } { <http://s.test/2> <http://v.test/p> "WORD in braces" . }`,
			"nq":     `<http://s.test/WORD> <http://v.test/p> "WORD" <http://a.test/open.ttl> .`,
			"jsonld": `{"@id": "http://g.test/WORD", "@graph": [{"@id": "http://s.test/3", "http://v.test/p": "WORD"}], "http://v.test/q": "WORD outside"}`,
		} {
			word := rule + "-" + end
			page := "a.test/" + rule + "/" + word + "." + end
			types := map[string]string{"ttl": "text/turtle", "trig": "application/trig", "nq": "application/n-quads", "jsonld": "application/ld+json"}
			fmt.Fprintf(&b, "-- %s Content-Type=%s --\n%s\n", page, types[end], strings.ReplaceAll(text, "WORD", word+"-word"))
			pages = append(pages, "http://"+page)
			links += "<a href=/" + rule + "/" + word + "." + end + ">" + end + "</a>"
		}
		word := rule + "-html"
		fmt.Fprintf(&b, `-- a.test/%[1]s/%[2]s.html --
<!doctype html><title>%[2]s</title><a href=http://far.test/%[2]s-word>far</a> <a href=/forbidden/%[2]s-word>forbidden</a>
<a href=http://more.test/%[2]s-word.rdf>more</a><script type="application/ld+json">{"@id": "http://s.test/%[2]s-word", "http://v.test/p": "%[2]s-word", "http://v.test/q": ["1", "2", "3"]}</script>
`, rule, word)
		pages = append(pages, "http://a.test/"+rule+"/"+word+".html")
		links += "<a href=/" + rule + "/" + word + ".html>html</a>"
	}
	fmt.Fprintf(&b, "-- a.test/ --\n<!doctype html><title>all</title>%s\n", links)
	return b.String(), pages
}

// No statement of a closed document, whatever its syntax and its graphs, no name of one and nothing that it alone names leaves by a command that hands
// statements out; all that is open does.
func TestStatementsUnderRules(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "archive")
	words := map[string]string{"open": "", "takendown": "takedown http://a.test/takendown/*", "embargoed": "embargo http://a.test/embargoed/* --until 2999-01-01", "onsite": "on-site http://a.test/onsite/*",
		"content": "takedown", "ended": "embargo http://a.test/ended/* --until 2020-01-01"}
	web, pages := statementsWeb([]string{"open", "takendown", "embargoed", "onsite", "content", "ended"})
	crawlWeb(t, dir, web, append(pages, "http://a.test/", "--scope", "host", "--prefer", "rdf")...)
	outs := func() map[string]string {
		got := map[string]string{}
		for _, args := range []string{"match|DIR|? ? ?", "match|DIR|? <http://v.test/p> ?", "match|DIR|<http://s.test/1> ? ?", "match|DIR|? ? \"WORD-word\"", "match|DIR|? ? ? <PAGE>", "match|DIR|<http://s.test/WORD-word> ? ?",
			"export|DIR", "export|DIR|--format|ntriples", "export|DIR|--format|turtle", "export|DIR|--format|trig", "export|DIR|--fetches", "export|DIR|--provenance", "stats|DIR|--json", "seeds|--from|DIR|--for|rdf=embedded|--limit|1000"} {
			for _, page := range pages {
				if !strings.HasSuffix(page, ".trig") {
					continue // one page of each rule is asked for by name
				}
				word := strings.TrimSuffix(filepath.Base(page), filepath.Ext(page))
				line := strings.NewReplacer("DIR", dir, "PAGE", page, "WORD", word).Replace(args)
				if _, asked := got[line]; !asked {
					words := strings.Split(line, "|")
					if words[0] != "seeds" {
						words = append([]string{"rdf"}, words...)
					}
					got[line] = command(t, words...)
				}
			}
		}
		return got
	}
	before := outs()
	for rule, line := range words {
		args := strings.Fields(line)
		if rule == "content" {
			for _, page := range pages {
				for e, err := range index.OpenLive(vfs.Default, filepath.Join(dir, "index"), filepath.Join(dir, "log")).Query(t.Context(), cdx.Query{URL: page}) {
					if err != nil {
						t.Fatal(err)
					}
					if strings.Contains(page, "/content/") {
						args = append(args, e.Digest)
					}
				}
			}
		}
		if len(args) > 0 {
			command(t, append([]string{"access", dir, "add"}, args...)...)
		}
	}
	after := outs()
	shown := map[string]bool{}
	for line, text := range before {
		for rule := range words {
			for _, end := range []string{"ttl", "trig", "nq", "jsonld", "html"} {
				word := rule + "-" + end
				open := rule == "open" || rule == "ended"
				was, is := strings.Contains(text, word), strings.Contains(after[line], word)
				if open {
					shown[word] = shown[word] || is
				}
				if open && was && !is {
					t.Errorf("kavosh (rdf) %s lacks %s, which is open", line, word)
				}
				if !open && is {
					i := strings.Index(after[line], word)
					t.Errorf("kavosh (rdf) %s has %s: …%.200q", line, word, after[line][max(0, i-100):])
				}
				if was && !open {
					shown[word] = true // before it was closed
				}
			}
		}
	}
	for rule := range words {
		for _, end := range []string{"ttl", "trig", "nq", "jsonld", "html"} {
			if !shown[rule+"-"+end] {
				t.Errorf("%s-%s was never shown: nothing is tested of it", rule, end)
			}
		}
	}
}
