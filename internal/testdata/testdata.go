// Package testdata finds the test vectors of other projects, which stay outside this repository.
//
// They are in $KAVOSH_TESTDATA, by default ../shared/data beside the checkout.
package testdata

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// Path returns the path of name (slash-separated) in the data folder. If it is missing, the test fails with the command
// that fetches it: a missing vector is never skipped silently.
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
