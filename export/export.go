// Package export writes what an archive holds in forms for other programs.
//
// Corpus (corpus.go) writes the texts of pages as lines of JSON, for people who study or model a language: cleaned of
// menus and frames (clean.go), without duplicates, each with its language. WACZ (wacz.go) packs WARC files with their
// index into one file. Statements (statements.go) gives the statements of documents, and what crawls say of them.
// Nothing leaves an archive here that not everybody may see (archive.go).
package export
