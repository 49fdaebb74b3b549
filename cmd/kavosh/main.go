// Old servers have short keys, SHA-1 signatures and odd serial numbers. We want to capture them too, so these checks
// are off. fetch notes what is not valid, and --tls strict refuses it.

//go:debug rsa1024min=0
//go:debug tlssha1=1
//go:debug x509negativeserial=1

// Command kavosh crawls a part of the web, keeps what it saw as a web archive, and shows it again.
//
// Each subcommand has one file: crawl.go, why.go, serve.go and so on. It is a struct whose fields are its flags. Its
// Run fills the options of other packages and calls them. The crawler itself is package engine; what a crawl is to do
// is package plan. cli.go lists the subcommands and turns errors into exit statuses. progress.go shows a running
// crawl.
package main

import "os"

func main() { os.Exit(run(os.Args[1:], program{in: os.Stdin, out: os.Stdout, err: os.Stderr})) }
