// Old servers have short keys, SHA-1 signatures and odd serial numbers. Capturing them is our work; fetch notes what is
// invalid, and --tls strict refuses it.

//go:debug rsa1024min=0
//go:debug tlssha1=1
//go:debug x509negativeserial=1

// Command kavosh crawls a part of the web, keeps what it saw as a web archive, and shows it again.
//
// Each subcommand is one file: crawl.go, why.go, serve.go and so on. A subcommand is a struct whose fields are its
// flags and whose Run fills the options of other packages and calls them; the crawler itself is package engine, and
// what may be said of a crawl is package plan. cli.go lists the subcommands and turns errors into exit statuses,
// progress.go and status.go are what one watches a crawl by.
package main

import "os"

func main() { os.Exit(run(os.Args[1:], program{in: os.Stdin, out: os.Stdout, err: os.Stderr})) }
