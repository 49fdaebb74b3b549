// Package crawl puts the whole program to the test, as a process: kills, full disks, politeness as servers see it, real sites
// beside wget, and a gateway that negotiates. All of it stands behind the build tag conformance.
package crawl
