package main

// This file bounds the garbage that the program has in memory.

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// garbageRoom is how many bytes of garbage may be in memory, if at least as many bytes are in use. By default Go lets
// as much garbage gather as is in use. Most memory of a large crawl has no pointers, so collecting more often costs
// little.
const garbageRoom = 64 << 20

// leastPercent is the least garbage, in percent of the memory in use, before Go collects. Without it a very large crawl
// would collect all the time.
const leastPercent = 25

// boundGarbage keeps garbage within garbageRoom from now on. GOGC may set a lower bound, or switch collecting off.
func boundGarbage() {
	most := debug.SetGCPercent(100)
	debug.SetGCPercent(most)
	if most > 0 {
		(&collector{most: most, percent: most}).watch()
	}
}

type collector struct{ most, percent int }

// watch sets the percentage by the memory in use, now and after each collection.
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
	runtime.AddCleanup(new([64]byte), func(c *collector) { c.watch() }, c) // runs after the next collection
}
