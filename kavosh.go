// Package kavosh holds the nouns in which the stages speak to each other: Link, Task, Exchange, Capture, Page. It has
// no behaviour beyond reading a field, no storage, no configuration. A URL's life, in these words:
//
//	a Link is found → it becomes a Task in the frontier → fetching it makes an Exchange →
//	recording it makes Captures → reading it makes a Page with new Links
//
// engine/pipeline.go is that sentence as code; ARCHITECTURE.md is the map.
package kavosh
