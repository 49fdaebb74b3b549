package extract

import (
	"bytes"
	"strings"
	"testing"

	"kavosh"
	"kavosh/lib/simhash"
)

func fingerprint(payload []byte, asked bool) uint64 {
	doc := Document{URL: "http://site.test/a.html", Payload: payload, Header: kavosh.Header{{Name: "Content-Type", Value: "text/html"}}}
	return Extract(doc, Options{Simhash: asked}).Simhash
}

// What a reader does not see of a page does not count, and what little changes of what he sees hardly does.
func TestSimhashIsOfTheVisibleText(t *testing.T) {
	page := prose20K()
	own := fingerprint(page, true)
	if own == 0 {
		t.Fatal("a page of prose has no fingerprint")
	}
	if f := fingerprint(page, false); f != 0 {
		t.Errorf("nobody asked, and the fingerprint is %x", f)
	}
	body := "<body>"
	for name, other := range map[string][]byte{
		"a script":  bytes.Replace(page, []byte(body), []byte(body+"<script>var session = '"+strings.Repeat("4f6b7e1c ", 50)+"'</script>"), 1),
		"a style":   bytes.Replace(page, []byte(body), []byte("<style>"+strings.Repeat(".x { color: red } ", 50)+"</style>"+body), 1),
		"a comment": bytes.Replace(page, []byte(body), []byte(body+"<!-- "+strings.Repeat("rendered in 12 ms ", 50)+"-->"), 1),
		"addresses": bytes.ReplaceAll(page, []byte("/menu/"), []byte("/other/menu/")),
		"classes":   bytes.ReplaceAll(page, []byte("<p>"), []byte("<p class=\"wide open\">")),
	} {
		if f := fingerprint(other, true); f != own {
			t.Errorf("%s: %x is %d bits away from %x", name, f, simhash.Distance(f, own), own)
		}
	}
	dated := bytes.Replace(page, []byte(body), []byte(body+"<p>Today is the 12th of May, 12:31:07, and 1,234 readers were here.</p>"), 1)
	if d := simhash.Distance(fingerprint(dated, true), own); d > simhash.Near {
		t.Errorf("a date makes %d bits of difference", d)
	}
	if d := simhash.Distance(fingerprint(page200K(), true), own); d <= 2*simhash.Near {
		t.Errorf("another page is only %d bits away", d)
	}
	// A long text without tags counts as a whole, not by its ends.
	listing := []byte("<pre>" + strings.Repeat("a line\n", 1000) + "</pre>")
	middle := bytes.Clone(listing)
	copy(middle[2000:5000], strings.Repeat("something else ", 200))
	if a, b := fingerprint(listing, true), fingerprint(middle, true); simhash.Distance(a, b) <= simhash.Near {
		t.Errorf("the middle of a long text does not count: %x and %x", a, b)
	}
}
