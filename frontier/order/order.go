// Package order holds the policies that say which of the waiting URLs comes first: one file a policy, one line in List.
//
// A policy gives a score to each URL that is new to the crawl when it is queued; the higher score is asked sooner. One
// that learns is told of each page once it was fetched and judged, and may then give other scores to URLs that wait. It
// sees what was fetched and nothing else. What is asked before everything (robots.txt) and after everything (guessed
// links) is the frontier's own rule, not a policy's.
//
// A policy is called by one goroutine at a time: for each page Learn first, then Score for each of its links that is
// new, then the next page. What it keeps it must bound (Setup.Memory).
//
// order.go has what a policy is, policies.go all there are, list.go what an entry of that list is, spec.go reads the
// specifications that people write. Below the policies lie what several use: waiting.go and showing.go remember URLs that
// wait and find the few changes that are worth their cost; inheriting.go hands something down from pages to links;
// known.go and shares.go remember and count within bounds; path.go and hashing.go read URLs and texts; why.go explains.
// mix is turns.go, sum and then are combined.go.
package order

import (
	"math"

	"kavosh"
)

// Policy scores URLs.
type Policy interface {
	// Score is the candidate's, and says why in a few words for people, such as "parent relevant 0.50, depth 0.20"; ""
	// where the task itself tells all, such as its hops. It must not keep the candidate. What is not a number counts as 0;
	// LeftOut leaves the URL out of the crawl.
	Score(c *Candidate) (score float64, why string)
}

// LeftOut is the score of a URL that a policy leaves out: it is never requested, and why says for what reason, unless
// another link to it has another score. It is less than all others: where it cannot be left out (a seed, a URL that waits
// already, a part of some orders made of others) it comes last.
func LeftOut() float64 { return math.Inf(-1) }

// Learner is a policy that learns from what was fetched.
type Learner interface {
	Policy
	// Learn is told of a page before its links are scored, and returns new scores for URLs that may be waiting: those
	// that are not are left alone. It must not keep the visit, nor may the caller keep the changes.
	Learn(v *Visit) []Change
}

// Keeper is a policy whose knowledge outlives a restart.
type Keeper interface {
	Policy
	Save() ([]byte, error)
	Restore(saved []byte) error // on a policy that has seen nothing yet; an error says what is wrong with saved
}

// Filter is a policy that leaves some bodies unread. Such an answer is recorded as one cut short.
type Filter interface {
	Policy
	// Reads says whether the body of an answer is read, by the task as it was handed out and the Content-Type as received.
	// Many goroutines may call it at any time, so it goes by nothing that Score or Learn change.
	Reads(t *kavosh.Task, contentType string) bool
}

// Reader is a policy that wants more of pages than their links.
type Reader interface {
	Policy
	Needs() kavosh.Needs
}

// Candidate is a URL about to be queued, with all that is known of it before it is fetched.
type Candidate struct {
	Link   *kavosh.Link // how it was found
	Task   *kavosh.Task // as it will be queued: Hops, Path, Via, Seed are set, ID and Score are not yet
	Parent *Visit       // the page that it was found in; nil for a seed, and for what a crash left unread
}

// Visit is a page that was fetched, as policies see it.
type Visit struct {
	Task    *kavosh.Task // as it was handed out: Score is the one that it was chosen for
	Status  int          // 0 without an answer
	Page    *kavosh.Page // what was read in it, never nil; Links are those that belong to the crawl, new or not
	Verdict kavosh.Verdict
}

// Change is a new score for a URL that waits.
type Change struct {
	URL   string  // a seen-key
	Score float64 // not a number counts as 0
	Why   string  // in a few words; kept as Task.Why
}

// Func is a policy that is only a function.
type Func func(c *Candidate) (score float64, why string)

// Score calls f.
func (f Func) Score(c *Candidate) (score float64, why string) { return f(c) }
