package main

import (
	"bytes"
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh"
	"kavosh/index"
	"kavosh/lib/cdx"
	"kavosh/lib/warc"
)

// ruleColumns are the columns of docs/access-table.md, and how each rule is made: words of kavosh access add, "" for no rule.
var ruleColumns = []struct{ name, words string }{
	{"no rule", ""}, {"`takedown`", "takedown"}, {"`metadata`", "metadata"}, {"`on-site`", "on-site"}, {"`embargo`, running", "embargo --until 2999-01-01"},
	{"`embargo`, ended", "embargo --until 2020-01-01"}, {"`open` within a takedown", "open"},
}

// targetKinds are what a rule may be about. The collection is tried by itself.
var targetKinds = []string{"url", "prefix", "host", "domain", "base32", "hex", "base64", "sha1"}

// secretSite is a host with a page and a picture that one rule is about.
type secretSite struct {
	column int
	kind   string
	host   string
	word   string // that only its page says, and the page's words around its picture
	stamp  string // of its page's capture
	file   string
	sums   []string // digests of page and picture
	watch  int      // the number of the watch of its page; 0 for none
}

func (s *secretSite) page() string { return "http://" + s.host + "/p/page.html" }

// crawl is the id of the crawl that captured it.
func (s *secretSite) crawl() string { return strings.Split(s.file, "-")[1] }

// secretSites are a site for each kind of rule and of target.
func secretSites() (sites []*secretSite) {
	for column, rule := range ruleColumns {
		for _, kind := range targetKinds {
			content := slices.Contains(targetKinds[4:], kind)
			if rule.words == "" && kind != "url" || rule.words == "open" && (content || kind == "domain") {
				continue // no target makes a difference, content is never opened, and nothing is wider than a domain but the collection
			}
			s := &secretSite{column: column, kind: kind, host: fmt.Sprintf("r%d-%s.test", column, kind), word: fmt.Sprintf("xsecret%d%sx", column, kind)}
			if kind == "domain" {
				s.host = "sub." + s.host
			}
			sites = append(sites, s)
		}
	}
	return sites
}

// text is what the site's server has: a page with running text of its own, a picture and a statement.
func (s *secretSite) text(number int) string {
	words := strings.Fields("garden water tree mountain sea road house people letter night day moon star wind earth fire book old century time reader scholar city")
	var b strings.Builder
	for i := range 60 {
		fmt.Fprintf(&b, "%s%s ", words[(i*i*(number+3)+7*i+number*number)%len(words)], strings.Repeat("s", (i+number)%3))
	}
	return fmt.Sprintf(`-- %[1]s/p/page.html X-Secret=%[2]s --
<!doctype html><html lang="en"><title>%[2]s treasure</title><p>%[2]s treasure: %[3]s were all in it, and that is no secret.</p>
<a href="http://linked.test/">%[2]s</a> <a href="http://far.test/%[2]s.rdf">far</a><img src="/p/pic.png" alt="%[2]s">
<script type="application/ld+json">{"@context":{"@vocab":"http://vocab.test/"},"@id":"http://thing.test/%[2]s","name":"%[2]s","shape":"round","size":"12","http://www.w3.org/2000/01/rdf-schema#seeAlso":{"@id":"http://more.test/%[2]s.ttl"}}</script>
-- %[1]s/p/pic.png png=%[4]dx30,#%06[5]x,#0f4c4a --
`, s.host, s.word, b.String(), 40+number, 0x102030+number*0x010203)
}

// targets are what the site's rule is about, as people write it, and what wider rule it is an exception to.
func (s *secretSite) targets(t *testing.T) (targets []string, wider string) {
	switch s.kind {
	case "url":
		return []string{s.page(), "http://" + s.host + "/p/pic.png"}, s.host
	case "prefix":
		return []string{"https://www." + s.host + "/P/*"}, s.host
	case "host":
		return []string{s.host}, "*." + s.host
	case "domain":
		return []string{"*." + strings.TrimPrefix(s.host, "sub.")}, ""
	}
	for _, sum := range s.sums {
		d, err := warc.ParseDigest(sum)
		if err != nil || d.Sum == nil {
			t.Fatalf("%s: %q is no digest: %v", s.host, sum, err)
		}
		text := map[string]string{"base32": strings.ToLower(base32.StdEncoding.EncodeToString(d.Sum)), "hex": strings.ToUpper(hex.EncodeToString(d.Sum)),
			"base64": base64.StdEncoding.EncodeToString(d.Sum), "sha1": base32.StdEncoding.EncodeToString(d.Sum)}[s.kind]
		targets = append(targets, strings.ToUpper(d.Algorithm)+":"+text)
	}
	return targets, ""
}

// crawlSites makes an archive of sites: a WARC file for each column, and one with the digests of another algorithm.
func crawlSites(t *testing.T, dir string, sites []*secretSite) {
	t.Helper()
	var web strings.Builder
	type group struct{ seeds, logins, excluded string }
	groups := map[string]*group{}
	for i, s := range sites {
		web.WriteString(s.text(i))
		name := fmt.Sprint(s.column)
		if s.kind == "sha1" {
			name = "sha1"
		}
		if groups[name] == nil {
			groups[name] = &group{}
		}
		g := groups[name] // what else a crawl is given, and keeps, may name what is closed
		g.seeds += s.page() + "\nhttp://[" + s.word + "]/\n"
		g.logins += "[\"http://" + s.host + "\"]\nheaders = [\"Cookie: a=b\"]\n"
		g.excluded += "|/" + s.word + "$"
	}
	given := t.TempDir()
	for _, name := range []string{"0", "1", "2", "3", "4", "5", "6", "sha1"} {
		g := groups[name]
		if g == nil {
			continue
		}
		for name, text := range map[string]string{"seeds": g.seeds, "logins": g.logins} {
			if err := os.WriteFile(filepath.Join(given, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		args := []string{"--scope", "host", "--seeds", filepath.Join(given, "seeds"), "--credentials", filepath.Join(given, "logins"), "--exclude", g.excluded[1:]}
		if name == "sha1" {
			args = append(args, "--digest", "sha1")
		}
		crawlWeb(t, dir, web.String(), args...)
	}
	locate(t, dir, sites)
	renderSites(t, dir, sites)
}

// renderedKinds are the renderings that an archive of crawlSites has of each page.
var renderedKinds = []kavosh.RenderingKind{kavosh.RenderedText, kavosh.WebSockets}

// renderSites imports what a browser made of each page.
func renderSites(t *testing.T, dir string, sites []*secretSite) {
	t.Helper()
	var file bytes.Buffer
	w := warc.NewWriter(&file, warc.Compression{Format: warc.Gzip})
	write := func(fields, block string) {
		h := warc.Header{{Name: "WARC-Record-ID", Value: warc.NewID()}, {Name: "Content-Length", Value: fmt.Sprint(len(block))}}
		for line := range strings.Lines(fields) {
			name, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
			h = append(h, kavosh.Field{Name: name, Value: value})
		}
		if _, err := w.WriteRecord(h, strings.NewReader(block)); err != nil {
			t.Fatal(err)
		}
	}
	write("WARC-Type: warcinfo\nWARC-Date: 2020-01-01T00:00:00Z\nContent-Type: application/warc-fields", "software: a test\r\n")
	for _, s := range sites {
		at, err := time.Parse("20060102150405", s.stamp[:14])
		if err != nil {
			t.Fatal(err)
		}
		for _, kind := range renderedKinds {
			write(fmt.Sprintf("WARC-Type: resource\nWARC-Date: %s\nWARC-Target-URI: %s\nContent-Type: text/plain; charset=utf-8\n%s: %s", at.Format(time.RFC3339), kind.URL(s.page()), cdx.OfField, s.sums[0]),
				fmt.Sprintf("%s of %s, as a browser shows it: %s", kind, s.page(), s.word))
		}
	}
	name := filepath.Join(t.TempDir(), "renderings.warc.gz")
	if err := os.WriteFile(name, file.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	command(t, "import", "--archive", dir, name)
}

// locate finds what was captured of sites.
func locate(t *testing.T, dir string, sites []*secretSite) {
	t.Helper()
	for _, s := range sites {
		for _, page := range []string{s.page(), "http://" + s.host + "/p/pic.png"} {
			for e, err := range index.OpenLive(vfs.Default, filepath.Join(dir, "index"), filepath.Join(dir, "log")).Query(t.Context(), cdx.Query{URL: page}) {
				if err != nil {
					t.Fatal(err)
				}
				if page == s.page() {
					s.stamp, s.file = e.Timestamp, e.Filename
				}
				s.sums = append(s.sums, e.Digest)
			}
		}
		if s.stamp == "" || len(s.sums) != 2 {
			t.Fatalf("%s was captured as %+v", s.host, s)
		}
	}
}

// exit is a way by which something may leave an archive: it gives what is to be had of a site. What came may be asked for again.
type exit struct {
	name  string
	asked bool // by the site's address, which the answer may say again
	get   func(w *walker, s *secretSite) string
}

// exits are all ways out, in the order of docs/access-table.md.
func exits(t *testing.T, dir string) (ways []exit) {
	served := func(name string, asked bool, address func(s *secretSite) string) {
		ways = append(ways, exit{name, asked, func(w *walker, s *secretSite) string { return w.ask(address(s)) }})
	}
	on := func(path string) func(*secretSite) string {
		return func(s *secretSite) string {
			return strings.NewReplacer("TIME", s.stamp, "CRAWL", s.crawl(), "HOST", s.host, "ESCAPED", url.QueryEscape(s.page()), "PICTURE", url.QueryEscape("http://"+s.host+"/p/pic.png"), "URL", s.page()).Replace(path)
		}
	}
	for _, coll := range []string{"one", "web"} {
		for _, mod := range []string{"", "id_", "if_", "js_", "oe_"} {
			served("replay `/"+coll+"/TIME"+mod+"/URL`", true, on(replayOrigin+"/"+coll+"/TIME"+mod+"/URL"))
		}
		served("replay `/"+coll+"/TIME-TIME/URL`", true, on(replayOrigin+"/"+coll+"/TIME-TIME/URL"))
		served("replay `/"+coll+"/TIMEparts/URL`", true, on(replayOrigin+"/"+coll+"/TIMEparts/URL"))
		served("replay `/"+coll+"/TIMElinks/URL`", true, on(replayOrigin+"/"+coll+"/TIMElinks/URL"))
		for _, path := range []string{"/*/URL", "/timemap/link/URL", "/timemap/json/URL", "/timemap/cdxj/URL", "/timegate/URL", "/URL"} {
			served("list `/"+coll+path+"`", false, on(replayOrigin+"/"+coll+path))
		}
		for _, query := range []string{"cdx?url=ESCAPED", "cdx?output=json&url=ESCAPED", "cdx?output=link&url=ESCAPED", "cdx?matchType=host&url=ESCAPED", "cdx?matchType=domain&url=HOST", "cdx?url=HOST/*", "outbackcdx?url=ESCAPED"} {
			served("list `/"+coll+"/"+query+"`", false, on(replayOrigin+"/"+coll+"/"+query))
		}
		served("page `/c/"+coll+"/capture?url=ESCAPED&time=TIME`", false, on(homeOrigin+"/c/"+coll+"/capture?url=ESCAPED&time=TIME"))
		for _, path := range []string{"compare?url=ESCAPED&a=TIME&b=TIME", "changes?host=HOST", "changes?text=treasure&url=ESCAPED", "thumbnail?url=ESCAPED&time=TIME", "search?q=treasure&f=host:HOST", "search?q=treasure&kind=image&f=host:HOST"} {
			served("page `/c/"+coll+"/"+path+"`", true, on(homeOrigin+"/c/"+coll+"/"+path))
		}
		for _, path := range []string{"host?host=HOST&path=/p/", "pages?prefix=http://HOST/", "links?url=http://linked.test/"} {
			served("page `/c/"+coll+"/"+path+"`", false, on(homeOrigin+"/c/"+coll+"/"+path))
		}
		like := on(homeOrigin + "/c/" + coll + "/search?q=like:PICTURE&f=host:HOST")
		ways = append(ways, exit{"page `/c/" + coll + "/search?q=like:PICTURE&f=host:HOST`", true, func(w *walker, s *secretSite) string {
			if strings.Contains(w.ask(like(s)), "/http://"+s.host+"/p/pic.png\"") {
				return "200\n" + s.word
			}
			return "200\n"
		}})
	}
	for _, path := range []string{"hosts", "crawls", "crawl?id=CRAWL"} {
		served("page `/c/one/"+path+"`", false, on(homeOrigin+"/c/one/"+path))
	}
	served("API `/api/v1/collections`", false, on(homeOrigin+"/api/v1/collections"))
	for _, path := range []string{"captures?url=ESCAPED", "captures?match=host&url=ESCAPED", "pages?url=http://HOST/", "hosts?limit=100", "crawls", "crawls/CRAWL"} {
		served("API `"+path+"`", false, on(homeOrigin+"/api/v1/collections/one/"+path))
	}
	for _, path := range []string{"capture?url=ESCAPED&time=TIME", "search?q=treasure&host=HOST", "search?q=treasure&kind=image&host=HOST", "links?limit=1000&url=http://linked.test/"} {
		served("API `"+path+"`", true, on(homeOrigin+"/api/v1/collections/one/"+path))
	}
	bearer := "Bearer " + strings.TrimSpace(command(t, "token", dir, "add", "library"))
	ways = append(ways, exit{"WASAPI, the list of files", false, func(w *walker, s *secretSite) string {
		if a := w.fetch("/wasapi/v1/webdata?page_size=1000", bearer); a.Code != 200 || strings.Contains(a.Body.String(), s.file) {
			return fmt.Sprintf("%d\n%s%s", a.Code, s.page(), a.Body) // its file is named
		}
		return "200\n"
	}}, exit{"WASAPI, a file of its own", true, func(w *walker, s *secretSite) string {
		a := w.fetch("/wasapi/v1/files/one/"+s.file, bearer)
		return fmt.Sprintf("%d\n%s", a.Code, members(a.Body.Bytes()))
	}})
	folder := t.TempDir()
	once := func(name string, run func() string) {
		got := ""
		ways = append(ways, exit{name, false, func(*walker, *secretSite) string {
			if got == "" {
				got = "200\n" + run()
			}
			return got
		}})
	}
	once("`kavosh export text`", func() string { return command(t, "export", "text", dir) })
	once("`kavosh export tables`", func() string {
		command(t, "export", "tables", dir, "-o", filepath.Join(folder, "tables"))
		command(t, "export", "tables", dir, "-o", filepath.Join(folder, "all.sqlite"))
		return storedText(t, folder, "tables") + storedText(t, folder, "all.sqlite")
	})
	once("`kavosh export wacz`", func() string {
		command(t, "export", "wacz", dir, "-o", filepath.Join(folder, "out.wacz"))
		return all(t, filepath.Join(folder, "out.wacz"))
	})
	once("`kavosh rdf match`", func() string { return command(t, "rdf", "match", dir, "? ? ?") })
	once("`kavosh rdf export`", func() string { return command(t, "rdf", "export", dir) })
	once("`kavosh rdf stats`", func() string {
		links := filepath.Join(folder, "links.json")
		return command(t, "rdf", "stats", "--json", "--links", links, dir) + read(t, links)
	})
	once("`kavosh seeds`", func() string {
		return command(t, "seeds", "--from", dir, "--for", "rdf=embedded", "--limit", "1000") + command(t, "seeds", "--from", dir, "--for", "keyword=treasure", "--limit", "1000")
	})
	once("`kavosh search`, for who runs the archive", func() string { return command(t, "search", "--archive", dir, "--limit", "100", "treasure") })
	once("`kavosh characterise`, for who runs the archive", func() string {
		csv, page := filepath.Join(folder, "all.csv"), filepath.Join(folder, "all.html")
		return command(t, "characterise", dir, "--csv", csv, "--html", page) + read(t, csv) + read(t, page)
	})
	once("`kavosh check`, for who runs the archive", func() string { return command(t, "check", dir) })
	for _, words := range []string{"log ARCHIVE --crawl CRAWL", "why ARCHIVE URL", "access ARCHIVE why URL"} {
		ways = append(ways, exit{"`kavosh " + words + "`, for who runs the archive", false, func(_ *walker, s *secretSite) string {
			args := strings.Fields(on(words)(s))
			args[slices.Index(args, "ARCHIVE")] = dir
			return "200\n" + command(t, args...)
		}})
	}
	for _, part := range storedForms {
		once("stored `"+part+"`", func() string { return storedText(t, dir, part) })
	}
	for _, part := range packedForms { // by blocks, in which not every word stands as it is
		ways = append(ways, exit{"stored `" + part + "`", false, func(_ *walker, s *secretSite) string {
			text := storedText(t, dir, part)
			if strings.Contains(text, "xsecret") {
				return "200\n" + s.word + text
			}
			return "200\n" + text
		}})
	}
	return ways
}

// renderedExits are the ways out of what a browser made of a page, in the order of the table.
func renderedExits() (ways []exit) {
	for _, kind := range renderedKinds {
		for _, path := range []struct {
			name, origin string
			asked        bool
		}{
			{"/one/TIME/URN", replayOrigin, true}, {"/one/TIMEid_/URN", replayOrigin, true}, {"/one/timemap/link/URN", replayOrigin, false}, {"/one/cdx?url=ESCAPED", replayOrigin, false},
			{"/one/cdx?matchType=prefix&url=urn:KIND:http://HOST/", replayOrigin, false}, {"/api/v1/collections/one/captures?url=ESCAPED", homeOrigin, false},
			{"/api/v1/collections/one/capture?url=ESCAPED&time=TIME", homeOrigin, false},
		} {
			ways = append(ways, exit{"`" + string(kind) + "` of a page, `" + path.name + "`", path.asked, func(w *walker, s *secretSite) string {
				urn := kind.URL(s.page())
				return w.ask(path.origin + strings.NewReplacer("TIME", s.stamp, "HOST", s.host, "KIND", string(kind), "ESCAPED", url.QueryEscape(urn), "URN", urn).Replace(path.name))
			}})
		}
	}
	return ways
}

// storedForms and packedForms are what an archive's folder holds of captures, as it is and packed.
var (
	storedForms = []string{"crawls/*/config.toml", "crawls/*/crawl.log", "crawls/*/frontier", "crawls/*/report.json", "crawls/*/seeds", "derived/originals@2", "index", "log", "warc"}
	packedForms = []string{"derived/links@1", "derived/rdf@2", "derived/search@1", "derived/text@1"}
)

// storedText is all that a part of an archive holds, as it is and unpacked.
func storedText(t *testing.T, dir, part string) string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, part))
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	for _, path := range paths {
		for _, one := range allBytes(t, path) {
			text.WriteString(one)
		}
	}
	return text.String()
}

func read(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// names reports whether an exit lists hosts or domains, and not URLs.
func (x *exit) names() bool {
	return x.hosts() || strings.Contains(x.name, "stats")
}

// hosts reports whether a host is named as long as something of it is listed.
func (x *exit) hosts() bool {
	return strings.Contains(x.name, "hosts") || strings.Contains(x.name, "crawl?")
}

// outcome says in a word what an answer gives of a site.
func (x *exit) outcome(answer string, s *secretSite) string {
	status, _, _ := strings.Cut(answer, "\n")
	switch {
	case strings.Contains(answer, s.word):
		return "shown"
	case status != "200" && status != "302":
		return status
	case !x.asked && strings.Contains(answer, s.host+"/p/"), strings.Contains(x.name, "/host?") && strings.Contains(answer, "page.html"), x.names() && strings.Contains(answer, strings.TrimPrefix(s.host, "sub.")):
		return "listed"
	}
	return "nothing"
}

// cells are the outcomes of an exit for sites, by column: for anybody, and for readers on site where that is another.
func (x *exit) cells(t *testing.T, off, on *walker, sites []*secretSite) []string {
	cells := make([]string, len(ruleColumns))
	for _, s := range sites {
		some := s.kind == "url" || s.kind == "base32" || s.kind == "collection"
		if strings.Contains(x.name, "/web/") && !some {
			continue // it has what its one collection has
		}
		cell := x.outcome(x.get(off, s), s)
		if some || strings.HasPrefix(ruleColumns[s.column].words, "on-site") {
			if there := x.outcome(x.get(on, s), s); there != cell {
				cell += ", on site " + there
			}
		}
		if strings.HasPrefix(x.name, "WASAPI") && s.kind == "sha1" || x.hosts() && !slices.Contains([]string{"host", "domain", "collection"}, s.kind) && s.column > 0 {
			continue // one file has those of all columns; a host of which a page is closed is named for its others
		}
		if before := cells[s.column]; before != "" && before != cell {
			t.Errorf("%s, %s: a rule about %s gives %q, others %q", x.name, ruleColumns[s.column].name, s.kind, cell, before)
		}
		cells[s.column] = cell
	}
	return cells
}

// closeSites makes the rules of sites.
func closeSites(t *testing.T, dir string, sites []*secretSite) {
	t.Helper()
	for i, rule := range ruleColumns {
		var targets, wider []string
		for _, s := range sites {
			if s.column == i {
				these, around := s.targets(t)
				targets = append(targets, these...)
				wider = append(wider, around)
			}
		}
		switch words := strings.Fields(rule.words); {
		case len(words) == 0 || len(targets) == 0:
			continue
		case words[0] == "open":
			command(t, append([]string{"access", dir, "add", "takedown"}, wider...)...)
			fallthrough
		default:
			command(t, append(append([]string{"access", dir, "add"}, words[:1]...), append(targets, words[1:]...)...)...)
		}
	}
}

const accessTable = "../../docs/access-table.md"

// wantTable wants the table of a number in docs/access-table.md to have rows.
func wantTable(t *testing.T, number int, rows []string) {
	t.Helper()
	var tables [][]string
	before := ""
	for line := range strings.Lines(read(t, accessTable)) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "| ") {
			if !strings.HasPrefix(before, "|") {
				tables = append(tables, nil)
			}
			tables[len(tables)-1] = append(tables[len(tables)-1], line)
		}
		before = line
	}
	if number >= len(tables) || !slices.Equal(rows, tables[number]) {
		t.Errorf("table %d of %s should be\n%s", number, accessTable, strings.Join(rows, "\n"))
	}
}

// Each cell of the first table in docs/access-table.md is what a reader is given: of every way out, under every rule, about a URL, a
// prefix, a host, a domain, content in any spelling, or the whole collection.
func TestAccessTable(t *testing.T) {
	t.Parallel()
	dir, sites := filepath.Join(t.TempDir(), "table"), secretSites()
	crawlSites(t, dir, sites)
	closeSites(t, dir, sites)
	ways := append(exits(t, dir), renderedExits()...)
	off, on := newWalker(t, dir, "203.0.113.5:4"), newWalker(t, dir, "10.1.2.3:4")
	head := "| way out |"
	for _, c := range ruleColumns {
		head += " " + c.name + " |"
	}
	rows := []string{head}
	var cells [][]string
	for i := range ways {
		cells = append(cells, ways[i].cells(t, off, on, sites))
		rows = append(rows, "| "+ways[i].name+" | "+strings.Join(cells[i], " | ")+" |")
	}
	wantTable(t, 0, rows)
	// The whole collection: a rule at a time.
	dir, one := filepath.Join(t.TempDir(), "whole"), &secretSite{kind: "collection", host: "r0-url.test", word: "xsecretwholex"}
	crawlSites(t, dir, []*secretSite{one})
	for column := 1; column < len(ruleColumns)-1; column++ {
		words := strings.Fields(ruleColumns[column].words)
		number, _, _ := strings.Cut(command(t, append([]string{"access", dir, "add", words[0], "*"}, words[1:]...)...), " ")
		off, on := newWalker(t, dir, "203.0.113.5:4"), newWalker(t, dir, "10.1.2.3:4")
		one.column = column
		for i, x := range append(exits(t, dir), renderedExits()...) {
			if got, want := x.cells(t, off, on, []*secretSite{one})[column], cells[i][column]; got != want {
				t.Errorf("%s, %s of the whole collection: %q, of its parts %q", x.name, ruleColumns[column].name, got, want)
			}
		}
		command(t, "access", dir, "remove", number)
	}
}
