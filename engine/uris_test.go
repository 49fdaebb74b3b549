package engine

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh/frontier/scope"
)

// Of the URIs in RDF, those are asked for whose neighbours gave new documents; a few of a folder show whether they do. Hosts that nothing
// is known of, and what redirects to the same document again and again, are left alone.
func TestURIsThatGiveRDF(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const types = " Content-Type=text/turtle --\n"
		var web, list strings.Builder
		for i := range 40 {
			fmt.Fprintf(&list, "<http://a.test/t/%[1]d> <http://a.test/p> <http://a.test/vain/%[1]d>, <http://a.test/same/%[1]d>, <http://b.test/%[1]d> .\n", i)
			fmt.Fprintf(&web, "-- a.test/t/%[1]d"+types+"<> <http://a.test/p> <http://c.test/more> .\n", i)
			fmt.Fprintf(&web, "-- a.test/vain/%d --\na page\n-- a.test/same/%[1]d status=303 Location=/same.ttl --\n-- b.test/%[1]d"+types+"<> <http://b.test/p> 1 .\n", i)
		}
		web.WriteString("-- a.test/same.ttl" + types + "<> <http://a.test/p> 1 .\n-- c.test/more" + types + "<> <http://a.test/p> 1 .\n-- c.test/known.ttl" + types + "<> <http://a.test/p> 1 .\n")
		web.WriteString("-- a.test/list" + types + "<> <http://www.w3.org/2000/01/rdf-schema#seeAlso> <http://c.test/known.ttl> .\n" + list.String())
		s := serve(t, web.String())
		o := options(s, vfs.NewMem(), "http://a.test/list")
		o.Negotiate, o.Scope.Mode, o.Workers = true, scope.Any, 1
		crawlNow(t, o)
		asked := map[string]int{}
		for _, q := range requests(s) {
			asked[q.Host+q.Path[:strings.LastIndexByte(q.Path, '/')+1]]++
		}
		// robots.txt, and: of a.test the list, same.ttl and the property; of c.test what is known and more.
		for place, want := range map[string]int{"a.test/": 4, "a.test/t/": 40, "a.test/vain/": firstOfFolder, "a.test/same/": 2 * firstOfFolder, "b.test/": 0, "c.test/": 3} {
			if asked[place] != want {
				t.Errorf("%s: %d requests, want %d", place, asked[place], want)
			}
		}
	})
}
