// Package rules checks the rules of the house that no tool checks, as ordinary tests with reasons.
//
// Its tests read the whole repository: every Go file by its syntax (source_test.go), imports between our packages
// (imports_test.go), every write to a package-level variable by its types (globals_test.go), and the documents (documents_test.go).
// Each failure names the file, the rule and the reason. `make test` also runs gofmt, go vet and staticcheck.
package rules
