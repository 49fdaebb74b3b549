// Command peers reads a document by another reader of RDF: knakk/rdf, or Debian's libserd-dev, which leaves prefixed names
// and relative IRIs as they are. `make bench-rdf` builds it with a go.mod of its own making, so that the program does not
// depend on them.
package main
