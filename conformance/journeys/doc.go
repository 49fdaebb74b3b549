// Package journeys repeats the first hour of four kinds of users with the real program: a person with one site to save,
// a curator who reads Persian, an operator whose crawl gets nothing, and a researcher. Each journey counts what the
// person types and clicks, and how long it takes (docs/guide/first-hour.md). And it does what the story in
// docs/guide/steering.md tells, whose commands and what they print are read from there.
package journeys
