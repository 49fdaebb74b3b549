package sitemap

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The data sets of a semantic sitemap: dumps and samples are documents, endpoints and prefixes are not.
func TestDatasets(t *testing.T) {
	s, err := Parse(strings.NewReader(`<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:sc="http://sw.deri.org/2007/07/sitemapextension/scschema.xsd">
<sc:dataset><sc:datasetLabel>Plants</sc:datasetLabel>
<sc:linkedDataPrefix>http://a.test/resource/</sc:linkedDataPrefix><sc:sparqlEndpointLocation>http://a.test/sparql</sc:sparqlEndpointLocation>
<sc:sampleURI>http://a.test/resource/rose</sc:sampleURI><sc:dataDumpLocation>/dump.nt.gz</sc:dataDumpLocation><sc:dataDumpLocation>/dump2.nt.gz</sc:dataDumpLocation>
<changefreq>weekly</changefreq></sc:dataset>
<url><loc>http://a.test/page</loc></url></urlset>`), "http://a.test/sitemap.xml", Limits{})
	if err != nil || len(s.Notes) > 0 {
		t.Fatal(err, s.Notes)
	}
	var got []string
	for _, u := range s.URLs {
		got = append(got, u.Loc)
		for _, l := range u.Links {
			got = append(got, string(l.Kind)+" "+l.URL)
		}
	}
	want := []string{"http://a.test/resource/rose", "data http://a.test/dump.nt.gz", "data http://a.test/dump2.nt.gz", "http://a.test/page"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
