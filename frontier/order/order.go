// Package order holds the policies that say which of the waiting URLs comes first: one file a policy, one line in List.
//
// A policy gives a score to each URL that is new to the crawl, when the URL is queued. URLs with greater scores are
// fetched sooner. A policy that learns is told of each page after it was fetched and judged; it may then give other
// scores to URLs that wait. A policy knows only what was fetched. The judge of the crawl says how relevant a page or a
// few words are to the purpose of the crawl (the topic), from 0 to 1. The frontier, not a policy, decides what is
// fetched before everything (robots.txt) and after everything (guessed links).
//
// One goroutine at a time calls a policy: for each page first Learn, then Score for each link that is new, then the
// next page. A policy must bound what it remembers (Setup.Memory). It touches nothing but its own memory: no file and
// no network.
//
// order.go says what a policy is, policies.go lists all policies, list.go says what an entry of that list is, and
// spec.go reads the specifications that people write. Several policies share these files: waiting.go and showing.go
// remember URLs that wait, and find the few changes of scores that are worth their cost; inheriting.go hands a number
// down from pages to links; known.go and shares.go remember and count within bounds; path.go and hashing.go read URLs
// and texts; why.go explains scores. The policy mix is in turns.go, sum and then are in combined.go.
package order

import (
	"math"

	"kavosh"
)

// Policy gives scores to URLs.
type Policy interface {
	// Score returns the score of c, and the reason in a few words for people, such as "parent relevant 0.50, depth
	// 0.20". The reason is "" if the task itself tells all, such as its hops. A score that is not a number counts as 0;
	// the score LeftOut leaves the URL out of the crawl. Score must not keep c.
	Score(c *Candidate) (score float64, why string)
}

// LeftOut returns the score of a URL that a policy leaves out, which is less than all others. Such a URL is never
// requested, unless another link to it gets another score. The reason that Score returns with it says why. A URL that
// cannot be left out comes last instead: a seed, a URL that waits already, or a URL of a part in some policies made of
// others.
func LeftOut() float64 { return math.Inf(-1) }

// Learner is a policy that learns from what was fetched.
type Learner interface {
	Policy
	// Learn is told of a page before its links are scored. It returns new scores for URLs that may be waiting; a change
	// for a URL that does not wait has no effect. Learn must not keep v, and the caller must not keep the changes.
	Learn(v *Visit) []Change
}

// Keeper is a policy whose knowledge is saved, so that it outlives a restart.
type Keeper interface {
	Policy
	Save() ([]byte, error)
	Restore(saved []byte) error // for a policy that has seen nothing yet; the error says what is wrong with saved
}

// Filter is a policy that leaves the bodies of some answers unread. Such an answer is recorded as one that was cut
// short.
type Filter interface {
	Policy
	// Reads reports whether the body of an answer is to be read. t is the task as it was handed out, contentType is the
	// header field as received. Many goroutines may call Reads at any time, so it must not use anything that Score or
	// Learn change.
	Reads(t *kavosh.Task, contentType string) bool
}

// Reader is a policy that needs more of a page than its links, such as its text.
type Reader interface {
	Policy
	Needs() kavosh.Needs
}

// Candidate is a URL that is about to be queued, with all that is known of it before it is fetched.
type Candidate struct {
	Link   *kavosh.Link // how it was found
	Task   *kavosh.Task // the task as it will be queued: Hops, Path, Via, Seed are set, ID and Score are not yet
	Parent *Visit       // the page in which it was found; nil for a seed, and for a link whose page is lost by a crash
}

// Visit is a page that was fetched, as policies see it.
type Visit struct {
	Task    *kavosh.Task   // the task as it was handed out, with the score for which it was chosen
	Status  int            // HTTP status; 0 if no answer came
	Page    *kavosh.Page   // what was read in the page, never nil; Links holds the links in scope, new to the crawl or not
	Verdict kavosh.Verdict // how relevant the page is to the purpose of the crawl
}

// Change is a new score for a URL that waits.
type Change struct {
	URL   string  // the seen-key of the URL: the form by which the crawl tells URLs apart
	Score float64 // what is not a number counts as 0
	Why   string  // the reason in a few words; kept as Task.Why
}

// Func is a policy that is only a function: it remembers nothing.
type Func func(c *Candidate) (score float64, why string)

// Score calls f.
func (f Func) Score(c *Candidate) (score float64, why string) { return f(c) }
