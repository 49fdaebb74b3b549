// Package crawl tests the whole program as a process: kills, full disks, politeness as servers see it, real sites
// beside wget, and a gateway that negotiates. All tests have the build tag conformance.
package crawl
