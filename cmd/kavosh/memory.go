package main

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// garbageRoom is how many bytes of garbage may lie in memory while so much or more is in use. By itself Go lets as much
// garbage gather as there is memory in use. Most of what a large crawl holds has no pointers, so that collecting more
// often costs little.
const garbageRoom = 64 << 20

// leastPercent is what garbage may come to at least, as a part of what is in use: else a very large crawl would collect
// all the time.
const leastPercent = 25

// boundGarbage keeps garbage within garbageRoom from now on; GOGC may ask for less, or for no collecting at all.
func boundGarbage() {
	most := debug.SetGCPercent(100)
	debug.SetGCPercent(most)
	if most > 0 {
		(&collector{most: most, percent: most}).watch()
	}
}

type collector struct{ most, percent int }

// watch sets the percentage by what is in use, now and after each collection.
func (c *collector) watch() {
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	percent := c.most
	if used := sample[0].Value.Uint64(); used > garbageRoom {
		percent = min(c.most, max(int(100*garbageRoom/used), leastPercent))
	}
	if percent != c.percent {
		c.percent = percent
		debug.SetGCPercent(percent)
	}
	runtime.AddCleanup(new([64]byte), func(c *collector) { c.watch() }, c) // runs once the next collection has found it unused
}
