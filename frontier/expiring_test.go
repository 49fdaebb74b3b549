package frontier

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"kavosh"
)

// signedURL is a URL that expires after some time.
func signedURL(name string, after time.Duration) string {
	return fmt.Sprintf("http://a.test/%s?Expires=%d&Signature=x", name, time.Now().Add(after).Unix())
}

// What expires soon is asked for before, the soonest first, and what has expired last, whatever the order.
func TestExpiringComeFirst(t *testing.T) {
	bubble(t, func(t *testing.T) {
		<-time.After(24 * time.Hour)
		f := open(t, Options{})
		addSeeds(t, f, "http://a.test/")
		finish(t, f, next(t, f), 404, "") // robots.txt
		l := next(t, f)
		l.Answered(Answer{Status: 200})
		expired, far, later, soon := signedURL("expired", -time.Hour), signedURL("far", 8*24*time.Hour), signedURL("later", 2*time.Hour), signedURL("soon", time.Hour)
		r := apply(t, f, Update{Task: l.Task, Links: links(kavosh.Navigation, expired, "http://a.test/1", far, later, "http://a.test/2", soon)})
		if why := r[0].Queued[5].Why; !strings.Contains(why, "expires 2000-01-02 01:00:0") {
			t.Errorf("the reason is %q", why)
		}
		if why := r[0].Queued[0].Why; !strings.Contains(why, "expired 2000-01-01 23:00:0") {
			t.Errorf("the reason is %q", why)
		}
		var order []string
		for range 6 {
			l := next(t, f)
			order = append(order, l.Task.URL)
			finish(t, f, l, 200, "")
		}
		if want := []string{soon, later, "http://a.test/1", far, "http://a.test/2", expired}; !slices.Equal(order, want) {
			t.Errorf("asked for\n%v\nwant\n%v", order, want)
		}
	})
}

// Pages that lead to ever more links that expire leave half of the requests to the others.
func TestExpiringLeaveRoom(t *testing.T) {
	bubble(t, func(t *testing.T) {
		f := open(t, Options{})
		addSeeds(t, f, "http://a.test/")
		finish(t, f, next(t, f), 404, "")
		ahead, made := 0, 0
		const requests = 500
		for range requests {
			l := next(t, f)
			if l.Task.Score > expiringScore/2 {
				ahead++
			}
			var urls []string
			for range 10 {
				made++
				urls = append(urls, signedURL(fmt.Sprint("signed", made), time.Hour), fmt.Sprint("http://a.test/", made))
			}
			finish(t, f, l, 200, "", links(kavosh.Navigation, urls...)...)
		}
		if most := aheadOfDomain + (requests-aheadOfDomain)/2; ahead < aheadOfDomain || ahead > most {
			t.Errorf("%d of %d came ahead, at most %d may", ahead, requests, most)
		}
	})
}
