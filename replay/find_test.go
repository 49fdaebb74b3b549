package replay

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"testing"
	"time"

	"kavosh/internal/records"
	"kavosh/lib/cdx"
	"kavosh/replay/replaytest"
)

// counting counts the entries that are read of an index.
type counting struct {
	records.Index
	read *int
}

func (c counting) Query(ctx context.Context, q cdx.Query) iter.Seq2[cdx.Entry, error] {
	return func(yield func(cdx.Entry, error) bool) {
		for e, err := range c.Index.Query(ctx, q) {
			if *c.read++; !yield(e, err) {
				return
			}
		}
	}
}

// many is a page with n captures, one an hour, of which every tenth is of another spelling.
func many(t *testing.T, n int) (s *Server, at func(i int) string, read *int) {
	a := replaytest.New(t)
	begin := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
	at = func(i int) string { return Timestamp(begin.Add(time.Duration(i) * time.Hour)) }
	for i := range n {
		url := "http://a.test/p"
		if i%10 == 9 {
			url = "http://a.test/P"
		}
		a.Page(url, at(i), "200 text/html", "<p>of hour "+fmt.Sprint(i))
	}
	s = server(t, a)
	read = new(int)
	s.collections.List[0].Index = counting{s.collections.List[0].Index, read}
	return s, at, read
}

// A page with many captures is shown as any other, with the first, the last and its neighbours, and not all of its captures
// are read for that.
func TestPageWithManyCaptures(t *testing.T) {
	s, at, read := many(t, 1200)
	link := func(i int, rel string) string {
		return fmt.Sprintf("<http://replay.test/one/%s/http://a.test/p>; rel=\"%s\"", at(i), rel)
	}
	for _, c := range []struct {
		i     int
		links []string
	}{
		{600, []string{link(0, "first memento"), link(598, "prev memento"), link(600, "memento"), link(601, "next memento"), link(1198, "last memento")}},
		{0, []string{link(0, "first memento"), link(1, "next memento"), link(1198, "last memento")}},
		{1198, []string{link(0, "first memento"), link(1197, "prev memento"), link(1198, "last memento")}},
	} {
		*read = 0
		w := ask(s, "/one/"+at(c.i)+"/http://a.test/p", replaytest.Browser()...)
		if w.Code != 200 || !strings.Contains(w.Body.String(), fmt.Sprintf("<p>of hour %d", c.i)) || !strings.Contains(w.Body.String(), "more than 500 captures") {
			t.Errorf("capture %d: status %d, %s", c.i, w.Code, w.Body)
		}
		for _, l := range c.links {
			if got := w.Header().Get("Link"); !strings.Contains(got, l) {
				t.Errorf("capture %d: no %s in %s", c.i, l, got)
			}
		}
		if *read > 700 {
			t.Errorf("capture %d: %d entries of the index were read", c.i, *read)
		}
	}
	if w := ask(s, "/one/"+at(99)+"/http://a.test/p", replaytest.Browser()...); w.Header().Get("Location") != "/one/"+at(98)+"/http://a.test/p" {
		t.Errorf("at the time of another spelling: %d, Location %q", w.Code, w.Header().Get("Location"))
	}
	if w := ask(s, "/one/"+at(600)+"/http://a.test/P", replaytest.Browser()...); w.Header().Get("Location") != "/one/"+at(599)+"/http://a.test/P" {
		t.Errorf("the other spelling: %d, Location %q", w.Code, w.Header().Get("Location"))
	}
	if w := ask(s, "/one/timegate/http://a.test/p"); w.Header().Get("Location") != "/one/"+at(1198)+"/http://a.test/p" {
		t.Errorf("the newest: Location %q", w.Header().Get("Location"))
	}
}
