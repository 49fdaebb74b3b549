package frontier

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh"
)

// TestRobotsAnswers goes through what servers say when they are asked for robots.txt.
func TestRobotsAnswers(t *testing.T) {
	const forbids = "User-agent: kavosh\nDisallow: /\n"
	for _, test := range []struct {
		name    string
		answers []Robots // one a request; the last repeats
		asks    int      // requests for it
		refused kavosh.Failure
		text    string
	}{
		{"rules", []Robots{{Status: 200, Body: []byte(forbids)}}, 1, kavosh.RobotsFailure, "robots.txt line 2: Disallow: /"},
		{"empty", []Robots{{Status: 204}}, 1, "", ""},
		{"cut short", []Robots{{Status: 200, Failure: kavosh.TruncatedAnswer, Body: []byte(forbids)}}, 1, kavosh.RobotsFailure, "line 2"},
		{"beyond 500 KiB", []Robots{{Status: 200, Body: []byte(strings.Repeat("# very long\n", 50_000) + forbids)}}, 1, "", ""},
		{"not found", []Robots{{Status: 404}}, 1, "", ""},
		{"forbidden", []Robots{{Status: 403}}, 1, "", ""},
		{"gone", []Robots{{Status: 410}}, 1, "", ""},
		{"too many requests", []Robots{{Status: 429}}, 3, kavosh.RobotsFailure, "status 429"},
		{"error", []Robots{{Status: 500}}, 3, kavosh.RobotsFailure, "status 500), asked 3 times"},
		{"not implemented", []Robots{{Status: 501}}, 1, kavosh.RobotsFailure, "status 501), asked once"},
		{"error, then rules", []Robots{{Status: 503}, {Status: 200, Body: []byte(forbids)}}, 2, kavosh.RobotsFailure, "line 2"},
		{"error, then none", []Robots{{Status: 503}, {Failure: kavosh.ResetFailure}, {Status: 404}}, 3, "", ""},
		{"no name", []Robots{{Failure: kavosh.DNSFailure, Detail: "no such host"}}, 3, kavosh.DNSFailure, "no such host"},
		{"not to be dialled", []Robots{{Failure: kavosh.BlockedAddress, Detail: "192.168.0.1 is private"}}, 1, kavosh.BlockedAddress, "private"},
		{"no certificate", []Robots{{Failure: kavosh.TLSFailure}}, 1, kavosh.TLSFailure, "tls"},
		{"malformed", []Robots{{}}, 1, kavosh.RobotsFailure, "status 0"},
		{"redirect", []Robots{{Status: 301, Location: "/r.txt"}, {Status: 200, Body: []byte(forbids)}}, 2, kavosh.RobotsFailure, "line 2"},
		{"ten redirects", append(slices.Repeat([]Robots{{Status: 302, Location: "/again"}}, 10), Robots{Status: 200, Body: []byte(forbids)}), 11, kavosh.RobotsFailure, "line 2"},
		{"redirects for ever", []Robots{{Status: 302, Location: "/again"}}, 11, "", ""},
		{"redirect to nowhere", []Robots{{Status: 301}}, 1, "", ""},
		{"redirect to mail", []Robots{{Status: 301, Location: "mailto:webmaster@a.test"}}, 1, "", ""},
		{"redirect to another host", []Robots{{Status: 307, Location: "//b.test/robots.txt"}, {Status: 200, Body: []byte(forbids)}}, 2, kavosh.RobotsFailure, "line 2"},
		{"redirect to what is left out", []Robots{{Status: 301, Location: "//b.test/robots.txt"}, {Failure: kavosh.RobotsFailure, Detail: "redirects to b.test"}}, 2, kavosh.RobotsFailure, "robots.txt was not read: it redirects to b.test"},
		{"redirect to one that fails", []Robots{{Status: 307, Location: "//b.test/robots.txt"}, {Status: 503}}, 4, kavosh.RobotsFailure, "status 503), asked 3 times"},
	} {
		t.Run(test.name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				f := open(t, Options{Delay: time.Second})
				addSeeds(t, f, "http://a.test/x")
				asks := 0
				for {
					l := next(t, f)
					if l.Origin == "" {
						if (l.Refused != nil) != (test.refused != "") {
							t.Fatalf("%s: refused %+v, want %q", l.Task.URL, l.Refused, test.refused)
						}
						if l.Refused != nil && (l.Refused.Failure != test.refused || !strings.Contains(l.Refused.Text, test.text)) {
							t.Errorf("refused: %+v, want %s: %s", l.Refused, test.refused, test.text)
						}
						break
					}
					a := test.answers[min(asks, len(test.answers)-1)]
					asks++
					if l.Origin != "http://a.test" {
						t.Errorf("rules of %s are asked for", l.Origin)
					}
					a.Origin = l.Origin
					l.Answered(Answer{Status: a.Status, Failure: a.Failure})
					apply(t, f, Update{Task: l.Task, Robots: &a})
				}
				if asks != test.asks {
					t.Errorf("robots.txt was asked for %d times, want %d", asks, test.asks)
				}
			})
		})
	}
}

// TestRobotsByOrigin keeps schemes and ports apart, and one host's turn for all of them.
func TestRobotsByOrigin(t *testing.T) {
	bubble(t, func(t *testing.T) {
		f := open(t, Options{Delay: time.Second})
		addSeeds(t, f, "http://a.test/1", "https://a.test/2", "http://a.test:8080/3")
		var asked, got []string
		start := time.Now()
		for {
			l, err := f.Next(context.Background())
			if errors.Is(err, io.EOF) {
				break
			}
			switch {
			case l.Origin != "":
				asked = append(asked, l.Task.URL)
				body := ""
				if l.Origin == "https://a.test" {
					body = "User-agent: *\nDisallow: /2"
				}
				finish(t, f, l, 200, body)
			case l.Refused != nil:
				got = append(got, "-"+l.Task.URL)
				apply(t, f, Update{Task: l.Task})
			default:
				got = append(got, l.Task.URL)
				finish(t, f, l, 200, "")
			}
		}
		slices.Sort(asked)
		slices.Sort(got)
		if want := []string{"http://a.test/robots.txt", "http://a.test:8080/robots.txt", "https://a.test/robots.txt"}; !slices.Equal(asked, want) {
			t.Errorf("asked for %v, want %v", asked, want)
		}
		if want := []string{"-https://a.test/2", "http://a.test/1", "http://a.test:8080/3"}; !slices.Equal(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
		if took := time.Since(start); took < 4*time.Second {
			t.Errorf("five requests to one host took %v", took)
		}
	})
}

func TestRobotsRecordMode(t *testing.T) {
	bubble(t, func(t *testing.T) {
		f := open(t, Options{Delay: time.Second, Permit: func(string) string { return "the law" }})
		addSeeds(t, f, "http://a.test/private", "http://a.test/public")
		finish(t, f, next(t, f), 200, "User-agent: *\nDisallow: /private\nCrawl-delay: 7")
		l := next(t, f)
		if l.Refused != nil || l.Forbidden == nil || l.Forbidden.Line != 2 || l.Forbidden.Rule != "Disallow: /private" {
			t.Errorf("lease %+v: %+v, %+v", l.Task, l.Refused, l.Forbidden)
		}
		end := time.Now()
		finish(t, f, l, 200, "")
		l = next(t, f)
		if l.Forbidden != nil || time.Since(end) != 7*time.Second {
			t.Errorf("then %s after %v: %+v; Crawl-delay holds in this mode, too", l.Task.URL, time.Since(end), l.Forbidden)
		}
	})
}

// TestRobotsLasts keeps an answer over a restart, and for a day.
func TestRobotsLasts(t *testing.T) {
	bubble(t, func(t *testing.T) {
		fs := vfs.NewMem()
		o := Options{FS: fs, Delay: time.Second}
		f := open(t, o)
		addSeeds(t, f, "http://a.test/1", "http://b.test/1")
		for range 2 {
			finish(t, f, next(t, f), 200, "User-agent: *\nDisallow: /no")
		}
		if got := drain(t, f, ""); len(got) != 2 {
			t.Fatalf("got %v", got)
		}
		f.Close()
		<-time.After(23 * time.Hour)
		f = open(t, o)
		apply(t, f, Update{Links: links(kavosh.Navigation, "http://a.test/2", "http://a.test/no")})
		if got := drain(t, f, "ERROR"); !slices.Equal(got, []string{"http://a.test/2", "-http://a.test/no"}) {
			t.Errorf("after 23 hours: %v", got)
		}
		apply(t, f, Update{Task: kavosh.Task{URL: "http://c.test/robots.txt", Kind: kavosh.Prerequisite}, Robots: &Robots{Origin: "http://c.test", Status: 404, Age: 25 * time.Hour}})
		apply(t, f, Update{Links: links(kavosh.Navigation, "http://c.test/")})
		if l := next(t, f); l.Origin != "http://c.test" {
			t.Errorf("a robots.txt that a crash left over a day ago is not asked for again: %s", l.Task.URL)
		} else {
			finish(t, f, l, 404, "")
			drain(t, f, "")
		}
		<-time.After(time.Hour)
		apply(t, f, Update{Links: links(kavosh.Navigation, "http://a.test/no2", "http://b.test/no2")})
		for range 2 {
			l := next(t, f)
			if l.Origin == "" {
				t.Fatalf("after a day %s comes before robots.txt", l.Task.URL)
			}
			finish(t, f, l, 404, "")
		}
		if got := drain(t, f, ""); len(got) != 2 || got[0][0] == '-' {
			t.Errorf("after a day: %v", got)
		}
	})
}

// TestRobotsChaseSurvives restarts in the middle of redirects and of retries: what was answered is not asked again.
func TestRobotsChaseSurvives(t *testing.T) {
	bubble(t, func(t *testing.T) {
		fs := vfs.NewMem()
		o := Options{FS: fs, Delay: time.Second}
		f := open(t, o)
		addSeeds(t, f, "http://a.test/1")
		var asked []string
		for _, answer := range []Robots{{Status: 302, Location: "https://www.a.test/robots.txt"}, {Status: 503}, {Status: 503}, {Status: 200, Body: []byte("User-agent: *\nDisallow: /1")}} {
			l := next(t, f)
			asked = append(asked, fmt.Sprintf("%s %d", l.Task.URL, l.Task.Attempt))
			answer.Origin = l.Origin
			l.Answered(Answer{Status: answer.Status})
			apply(t, f, Update{Task: l.Task, Robots: &answer})
			f.Close()
			f = open(t, o)
		}
		want := []string{"http://a.test/robots.txt 0", "https://www.a.test/robots.txt 0", "https://www.a.test/robots.txt 1", "https://www.a.test/robots.txt 2"}
		if !slices.Equal(asked, want) {
			t.Errorf("asked %v, want %v", asked, want)
		}
		if got := drain(t, f, ""); !slices.Equal(got, []string{"-http://a.test/1"}) {
			t.Errorf("then %v", got)
		}
	})
}

// TestRobotsLinked has pages that link to robots.txt: it is requested once. What it was redirected to is a page like
// any other.
func TestRobotsLinked(t *testing.T) {
	bubble(t, func(t *testing.T) {
		f := open(t, Options{Delay: time.Second})
		addSeeds(t, f, "http://a.test/", "http://a.test/robots.txt", "http://b.test/")
		for range 3 {
			l := next(t, f)
			a := Robots{Origin: l.Origin, Status: 200}
			if l.Task.URL == "http://b.test/robots.txt" {
				a = Robots{Origin: l.Origin, Status: 302, Location: "/home"}
			}
			l.Answered(Answer{Status: a.Status})
			apply(t, f, Update{Task: l.Task, Robots: &a})
		}
		apply(t, f, Update{Links: links(kavosh.Navigation, "http://b.test/robots.txt", "http://b.test/home")})
		got := drain(t, f, "")
		slices.Sort(got)
		if want := []string{"http://a.test/", "http://b.test/", "http://b.test/home"}; !slices.Equal(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
		if s := f.Stats(); s.Known != 4 || s.Finished != 4 {
			t.Errorf("stats %+v", s)
		}
	})
}

// TestRobotsOfDeadTarget redirects robots.txt to a host that is given up: the URLs that wait for it are refused, and do
// not wait for ever.
func TestRobotsOfDeadTarget(t *testing.T) {
	bubble(t, func(t *testing.T) {
		f := open(t, Options{Delay: time.Second})
		skipRobots(t, f, "http://dead.test")
		pages(t, f, "http://dead.test", 20)
		for range deadAfter {
			l := next(t, f)
			l.Answered(Answer{Failure: kavosh.TimeoutFailure})
			apply(t, f, Update{Task: l.Task})
		}
		addSeeds(t, f, "http://a.test/1")
		start := time.Now()
		for {
			l, err := f.Next(context.Background())
			if errors.Is(err, io.EOF) {
				break
			}
			u := Update{Task: l.Task}
			switch {
			case l.Origin == "http://a.test" && l.Task.URL == "http://a.test/robots.txt":
				l.Answered(Answer{Status: 301})
				u.Robots = &Robots{Origin: l.Origin, Status: 301, Location: "http://dead.test/robots.txt"}
			case l.Refused == nil:
				t.Errorf("%s is to be requested", l.Task.URL)
				l.Answered(Answer{Status: 200})
			case l.Task.URL == "http://a.test/1" && !strings.Contains(l.Refused.Text, "did not answer"):
				t.Errorf("refused: %+v", l.Refused)
			}
			apply(t, f, u)
		}
		if took := time.Since(start); took > time.Minute {
			t.Errorf("it took %v", took)
		}
	})
}

// TestRobotsMixed has URLs of one origin wait for a robots.txt that fails, while another origin of the host goes on.
func TestRobotsMixed(t *testing.T) {
	bubble(t, func(t *testing.T) {
		f := open(t, Options{Delay: time.Second})
		addSeeds(t, f, "https://a.test/1", "http://a.test/1", "http://a.test/2")
		var got []string
		for len(got) < 3 {
			l := next(t, f)
			switch {
			case l.Origin == "https://a.test":
				l.Answered(Answer{Failure: kavosh.ConnectFailure})
				apply(t, f, Update{Task: l.Task, Robots: &Robots{Origin: l.Origin, Failure: kavosh.ConnectFailure}})
			case l.Origin != "":
				finish(t, f, l, 404, "")
			case l.Refused != nil:
				got = append(got, "-"+l.Task.URL)
				apply(t, f, Update{Task: l.Task})
			default:
				got = append(got, l.Task.URL)
				finish(t, f, l, 200, "")
			}
		}
		if want := []string{"http://a.test/1", "http://a.test/2", "-https://a.test/1"}; !slices.Equal(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
	})
}

// TestRuleCache forgets the rules used longest ago when their files are too many, and reads them again.
func TestRuleCache(t *testing.T) {
	bubble(t, func(t *testing.T) {
		f := open(t, Options{})
		body := "User-agent: *\nDisallow: /no\n" + strings.Repeat("# filler\n", 50_000)
		const origins = 60 // 27 MB of files
		var urls []string
		for i := range origins {
			urls = append(urls, fmt.Sprintf("http://h%d.test/no", i), fmt.Sprintf("http://h%d.test/yes", i))
		}
		addSeeds(t, f, urls...)
		refused := 0
		for _, u := range drain(t, f, body) {
			if u[0] == '-' {
				refused++
			}
		}
		if refused != origins {
			t.Errorf("%d URLs were refused, want %d", refused, origins)
		}
		if n := len(f.mu.robots.rules.byOrigin); n >= origins || f.mu.robots.rules.size > rulesMemory || n != f.mu.robots.rules.used.Len() {
			t.Errorf("%d rules of %d bytes are held", n, f.mu.robots.rules.size)
		}
	})
}
