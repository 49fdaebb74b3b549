// Package acid runs the Archival Acid Test (Kelly, Nelson and Weigle, JCDL 2014): a page of squares, each made in a way
// that is difficult to archive, and all blue if nothing is lost.
//
// The page is served on this machine under its own names, captured by a plain crawl, by one that chooses by itself where
// it uses the browser (--browser auto, the default) and by one with --browser always,
// replayed by kavosh serve, and viewed in Chromium, live and replayed.
package acid
