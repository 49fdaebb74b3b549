package standin

import (
	"fmt"
	"strings"
	"testing"

	"kavosh"
)

// meetPage lets m meet a page at a URL that a page of the same host led to.
func meetPage(m *Memory, url, header, page string) Verdict {
	x := answered(header, page)
	x.Task.URL, x.Task.Via = url, "http://a.test/"
	return m.Meet(x, []byte(page), Of(x, []byte(page)))
}

// catchAll is a page that a host shows for whatever it does not have.
func catchAll(n int) string {
	return fmt.Sprintf(`<!doctype html><title>A town</title><h1>A town by the sea</h1><a href=/news>News</a><a href=/town>The town</a><img src=/sea.jpg>
<p>Ships come and go, and in the evening the fishermen mend their nets beside the old wall of the harbour, while children count the gulls on it. Answer %d.`, n)
}

// One page under URLs in many parts of a site is what the site shows in place of pages that it does not have. That is
// known after a restart.
func TestCatchAll(t *testing.T) {
	var m Memory
	urls := []string{"/old/a.html", "/shop/item?id=1", "/people/x", "/blog/2019/1", "/old/b.html", "/shop/item?id=2", "/img/y", "/forum/t/5"}
	for i, path := range urls {
		want := kavosh.NoStandIn
		if i >= likePages { // the text of the first one is not remembered
			want = kavosh.NotFound
		}
		if got := meetPage(&m, "http://a.test"+path, "", catchAll(i)); got.Kind != want {
			t.Errorf("%s, the answer %d: %+v", path, i+1, got)
		}
	}
	if got := meetPage(&m, "http://a.test/", "", catchAll(9)); got.Kind != kavosh.NoStandIn {
		t.Errorf("the home page: %+v", got)
	}
	if got := meetPage(&m, "http://a.test/town", "", strings.Replace(catchAll(9), "<p>", "<link rel=canonical href=/town><p>", 1)); got.Kind != kavosh.NoStandIn {
		t.Errorf("a page that says that it is the page: %+v", got)
	}
	if got := meetPage(&m, "http://a.test/town", "", strings.Replace(catchAll(9), "/sea.jpg", "/other.jpg", 1)); got.Kind != kavosh.NoStandIn {
		t.Errorf("a page with another picture: %+v", got)
	}
	var after Memory
	if err := after.Restore(m.Snapshot()); err != nil {
		t.Fatal(err)
	}
	if got := meetPage(&after, "http://a.test/new/x", "", catchAll(9)); got.Kind != kavosh.NotFound || !strings.Contains(got.Sign, "http://a.test/old/a.html") {
		t.Errorf("after a restart: %+v", got)
	}
	if err := after.Restore([]byte("{")); err == nil {
		t.Error("damaged memory is no error")
	}
}

// Pages that one program makes, in one part of a site or with other pictures, are pages.
func TestAlikeButPages(t *testing.T) {
	var m Memory
	for i := range 30 {
		if got := meetPage(&m, fmt.Sprintf("http://a.test/photo/%d", i), "", catchAll(i)); got.Kind != kavosh.NoStandIn {
			t.Fatalf("a page of one part: %+v", got)
		}
		page := strings.Replace(catchAll(i), "sea.jpg", fmt.Sprintf("%d.jpg", i), 1)
		if got := meetPage(&m, fmt.Sprintf("http://b.test/%c/%d", 'a'+i%20, i), "", page); got.Kind != kavosh.NoStandIn {
			t.Fatalf("a page with a picture of its own: %+v", got)
		}
	}
}

// A page that scripts make of one and the same document is a page.
func TestApplication(t *testing.T) {
	var m Memory
	page := `<!doctype html><title>App</title><noscript>You need to enable JavaScript to run this app, and then all that it has to show to its readers comes.</noscript><div id=root></div><script src=/app.js></script>`
	for i := range 30 {
		if got := meetPage(&m, fmt.Sprintf("http://a.test/%c/%d", 'a'+i%20, i), "", page); got.Kind == kavosh.NotFound {
			t.Fatalf("%+v", got)
		}
	}
}

// Redirects of many URLs to one place are of missing pages, or of pages to sign in.
func TestManyRedirects(t *testing.T) {
	for to, want := range map[string]kavosh.StandIn{"/": kavosh.NotFound, "http://a.test/": kavosh.NotFound, "/account/login": kavosh.Login} {
		var m Memory
		for i := range likeMoves + 2 {
			told := want
			if i < likeMoves-1 {
				told = kavosh.NoStandIn
			}
			if got := meetPage(&m, fmt.Sprintf("http://a.test/%c/x", 'a'+i), "status=302\nLocation: "+to, ""); got.Kind != told {
				t.Errorf("to %s, the answer %d: %+v", to, i+1, got)
			}
		}
	}
	var m Memory
	for i := range 30 { // each to its own folder
		if got := meetPage(&m, fmt.Sprintf("http://a.test/%c%d/index.html", 'a'+i, i), "status=301\nLocation: ./", ""); got.Kind != kavosh.NoStandIn {
			t.Errorf("to the folder: %+v", got)
		}
	}
	for i := range 30 {
		n := fmt.Sprint(i)
		for to, path := range map[string]string{"/cart": "/add/N", "https://a.test/N/N": "/N/N", "/N/page": "/x/N"} {
			if got := meetPage(&m, "http://a.test"+strings.ReplaceAll(path, "N", n), "status=301\nLocation: "+strings.ReplaceAll(to, "N", n), ""); got.Kind != kavosh.NoStandIn {
				t.Errorf("from %s to %s: %+v", path, to, got)
			}
		}
	}
}

// A page that refuses, with another number each time, is a wall under the second URL; not once a person let it pass.
func TestRefusesAgain(t *testing.T) {
	var m Memory
	page := `<!doctype html><title>Please wait</title><img src=/x.png><p>Please wait. Your number is a%df9.<script>x = %d</script>`
	if got := meetPage(&m, "http://a.test/1", "", fmt.Sprintf(page, 1, 1)); got.Kind != kavosh.NoStandIn || got.Print == 0 {
		t.Errorf("the first one: %+v", got)
	}
	got := meetPage(&m, "http://a.test/2", "", fmt.Sprintf(page, 2, 2))
	if got.Kind != kavosh.Wall || got.Sign != Repeated {
		t.Errorf("the second one: %+v", got)
	}
	m.Pass("a.test", got.Print)
	for n := range 4 {
		if got := meetPage(&m, fmt.Sprintf("http://a.test/%d", n), "", fmt.Sprintf(page, n, n)); got.Kind != kavosh.NoStandIn {
			t.Errorf("when it passes: %+v", got)
		}
	}
}

// Memory holds a bounded number of hosts, and keeps what it was told of.
func TestMemoryIsBounded(t *testing.T) {
	var m Memory
	m.Pass("passes.test", 7)
	for i := range 3 * maxHosts {
		meetPage(&m, fmt.Sprintf("http://%d.test/x", i), "", catchAll(i))
	}
	if n := len(m.mu.hosts); n > maxHosts || m.mu.hosts["passes.test"] == nil {
		t.Errorf("%d hosts", n)
	}
}
