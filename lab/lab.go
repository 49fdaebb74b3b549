// Package lab crawls stored webs with one order after another, and measures which order finds relevant pages sooner.
//
// A Walk (walk.go) is one run of one order. It uses frontier, scope and order of a crawl, but the pages were read and
// judged before, and time is simulated. full.go makes the same run with the whole engine. measure.go compares a run
// with two bounds: everything relevant at once, and an oracle that knows the web (oracle.go). An Experiment
// (experiment.go) runs many orders, topics and starts, and adds each run to a file, so that it continues where it
// stopped. Compare (compare.go, statistics.go) finds the best order and how certain that is; report.go, page.go and
// plot.go show it.
//
// The truth about relevance comes from labels, never from the judge that leads the crawl.
package lab
