// Package export hands what an archive holds to others.
//
// Corpus (corpus.go) writes the texts of pages as lines of JSON for people who study or model a language: cleaned of what is no
// text (clean.go), each but once, with its language.
package export
