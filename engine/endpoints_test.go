package engine

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh"
	"kavosh/archive"
	"kavosh/frontier/scope"
	"kavosh/lib/rdf/sparql"
)

// endpointWeb has an endpoint that answers (named by VoID, moved to https), one that is only a page, one that robots.txt forbids,
// and a page that is called sparql and no endpoint.
func endpointWeb() string {
	mark := func(host string, q sparql.Query) string { return sparql.URL(host+"/sparql", q) }
	return `
-- a.test/ --
<a href=/void.ttl>data</a> <a href=http://b.test/sparql>SPARQL</a> <a href=/about/sparql>about</a> <a href=http://c.test/sparql>our SPARQL endpoint</a>
-- a.test/void.ttl Content-Type=text/turtle --
@prefix void: <http://rdfs.org/ns/void#> . <#d> a void:Dataset ; void:sparqlEndpoint </sparql> .
-- http://` + mark("a.test", sparql.Ask) + ` status=301 Location=https://` + mark("a.test", sparql.Ask) + ` --
-- https://` + mark("a.test", sparql.Ask) + ` accept=application/sparql-results+json Content-Type=application/sparql-results+json --
{"head": {}, "boolean": true}
-- ` + mark("a.test", sparql.Count) + ` Content-Type=application/sparql-results+json --
{"head": {"vars": ["n"]}, "results": {"bindings": [{"n": {"type": "literal", "value": "12345"}}]}}
-- ` + mark("a.test", sparql.Sample) + ` accept=text/turtle Content-Type=text/turtle --
<http://a.test/x> <http://a.test/p> "sample" .
-- a.test/sparql accept=text/turtle Content-Type=text/turtle --
@prefix sd: <http://www.w3.org/ns/sparql-service-description#> . [] a sd:Service ; sd:endpoint </sparql> .
-- a.test/about/sparql --
what we do
-- b.test/sparql --
write your query here
-- ` + mark("b.test", sparql.Ask) + ` --
<html>write your query here</html>
-- c.test/robots.txt --
User-agent: *
Disallow: /sparql
`
}

// Endpoints are found in RDF and in pages that say so, and asked in steps; what does not answer is asked no more, and
// what must not be asked never.
func TestEndpoints(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fs := vfs.NewMem()
		s := serve(t, endpointWeb())
		o := options(s, fs, "http://a.test/")
		o.Datasets, o.Scope.Mode, o.Order = true, scope.Any, "rdf-learn"
		crawlNow(t, o)
		asked := map[string]int{}
		for _, q := range requests(s) {
			if q.Path != "/robots.txt" && q.Path != "/.well-known/void" {
				asked[q.Host+q.Path]++
			}
		}
		query := func(q sparql.Query) string { return sparql.URL("/sparql", q) }
		for url, want := range map[string]int{
			"a.test/": 1, "a.test/void.ttl": 1, "a.test/sparql": 1, "a.test/about/sparql": 1, "b.test/sparql": 2,
			"a.test" + query(sparql.Ask): 2, "a.test" + query(sparql.Count): 1, "a.test" + query(sparql.Sample): 1, "b.test" + query(sparql.Ask): 1,
			"a.test/x": 1, "a.test/p": 1, // of the sample
		} {
			if asked[url] != want {
				t.Errorf("%s: asked for %d times, want %d", url, asked[url], want)
			}
			delete(asked, url)
		}
		if len(asked) > 0 {
			t.Errorf("asked for %v, too", asked)
		}
		var refused []string
		for l, err := range archive.ReadLog(fs, o.Archive, "") {
			if err != nil {
				t.Fatal(err)
			}
			if l.Outcome == archive.Refused {
				refused = append(refused, strings.TrimPrefix(l.URL, "http://c.test"))
			}
			if l.URL == "https://a.test"+query(sparql.Sample) && l.Class != kavosh.ClassRDF {
				t.Errorf("what the endpoint gave is class %s", l.Class)
			}
		}
		if !slices.Contains(refused, query(sparql.Ask)) || !slices.Contains(refused, "/sparql") {
			t.Errorf("robots.txt kept us from %v", refused)
		}
	})
}
