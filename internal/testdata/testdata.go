// Package testdata finds the vectors that other projects publish, which stay outside this repository.
//
// They are looked for under $KAVOSH_TESTDATA, by default ../shared/data beside the checkout.
package testdata

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// Path is the path of name (slash-separated) below the data folder. It fails the test with the command that brings the
// data when name is not there: a missing vector is never passed over in silence.
func Path(t testing.TB, name string) string {
	t.Helper()
	root := os.Getenv("KAVOSH_TESTDATA")
	if root == "" {
		_, self, _, _ := runtime.Caller(0)
		root = filepath.Join(filepath.Dir(self), "..", "..", "..", "shared", "data")
	}
	path := filepath.Join(root, filepath.FromSlash(name))
	if _, err := os.Stat(path); err != nil {
		t.Fatalf("%v; run `make conformance-data` or set KAVOSH_TESTDATA", err)
	}
	return path
}
