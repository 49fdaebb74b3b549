package replay

import (
	"strings"
	"testing"

	"kavosh/lib/cdx"
	"kavosh/replay/replaytest"
)

// A URL that was captured as page and as RDF: browsers are shown the page, who asks for RDF the RDF, and both are found at
// their very time, even when that is the same second.
func TestVariants(t *testing.T) {
	a := replaytest.New(t)
	rdf := func(stamp, body string) {
		a.Put("response", "http://a.test/p", stamp, "application/http; msgtype=response", "HTTP/1.1 200 X\r\nContent-Type: text/turtle\r\n\r\n"+body,
			cdx.Entry{Status: 200, MIME: "text/turtle", Extra: []cdx.Field{{Name: "variant", Value: "rdf"}}})
	}
	a.Page("http://a.test/p", "20200101000000", "200 text/html", "<p>the page")
	rdf("20200101000000", "# beside it")
	rdf("20200101000005", "# later")
	s := server(t, a)
	const turtle = "Accept: text/turtle, */*;q=0.1"
	for _, c := range []struct{ target, accept, location, body string }{
		{"/one/2021/http://a.test/p", replaytest.Browser()[0], "/one/20200101000000/http://a.test/p", ""},
		{"/one/2021/http://a.test/p", turtle, "/one/20200101000005/http://a.test/p", ""},
		{"/one/timegate/http://a.test/p", replaytest.Browser()[0], "/one/20200101000000/http://a.test/p", ""},
		{"/one/timegate/http://a.test/p", turtle, "/one/20200101000005/http://a.test/p", ""},
		{"/one/20200101000000id_/http://a.test/p", replaytest.Browser()[0], "", "<p>the page"},
		{"/one/20200101000000id_/http://a.test/p", turtle, "", "# beside it"},
		{"/one/20200101000005id_/http://a.test/p", replaytest.Browser()[0], "", "# later"},
	} {
		w := ask(s, c.target, c.accept)
		if got := w.Header().Get("Location"); got != c.location || c.body != "" && w.Body.String() != c.body {
			t.Errorf("%s, %s: Location %q, %q", c.target, c.accept, got, w.Body)
		}
		if vary := strings.Join(w.Header().Values("Vary"), ", "); !strings.HasSuffix(vary, "accept") {
			t.Errorf("%s: Vary %q", c.target, vary)
		}
	}
}
