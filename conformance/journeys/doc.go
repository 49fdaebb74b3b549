// Package journeys goes the first hour of four people with the program that they would use: somebody with one site to
// save, a curator who reads Persian, an operator whose crawl gets nothing, a researcher. Each journey counts what the
// person types and clicks, and how long it takes (docs/guide/first-hour.md tells them).
package journeys
