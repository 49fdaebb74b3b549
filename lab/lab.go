// Package lab crawls stored webs again, with one order after another, and says honestly which finds what is wanted sooner.
//
// A Walk (walk.go) is one run of one order: frontier, scope and order of a crawl, over pages that were read and judged
// before, in a time that nobody waits for. full.go makes the same run with the whole engine. What came of a run is
// measured (measure.go) against what could be had: everything relevant at once, and an oracle that knows the web
// (oracle.go). An Experiment (experiment.go) makes the runs of many orders, topics and starts and keeps each as a line of
// a file, so that it goes on where it stopped; Compare (compare.go, statistics.go) says who wins and how sure that is;
// report.go, page.go and plot.go show it.
//
// Truth comes from labels, never from the judge that leads the crawl.
package lab
