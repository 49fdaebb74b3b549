package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// Whatever hands out the requests of a crawl that kept its secrets says so, and nothing of another crawl does.
func TestWhoHandsOutKeptSecretsIsTold(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	text := "-- a.test/ --\n<title>a</title>\n"
	plain, keeping := filepath.Join(dir, "plain"), filepath.Join(dir, "keeping")
	crawlWeb(t, plain, text, "http://a.test/")
	crawlWeb(t, keeping, text, "http://a.test/")
	crawlWeb(t, keeping, text, "http://a.test/", "--keep-secrets", "--header", "Cookie: a=b")
	for _, archive := range []string{plain, keeping} {
		for _, closed := range []bool{false, true} { // records are copied as they lie, or one by one
			if closed {
				command(t, "access", archive, "add", "takedown", "b.test")
			}
			for _, args := range [][]string{{"export", "wacz", archive, "-o", archive + ".wacz"}, {"export", "wacz", "--json", archive, "-o", archive + ".wacz"}, {"token", archive, "add", "library"}} {
				said, status := talk(args...)
				warned := strings.Contains(said, "CREDENTIALS AND COOKIES are in 1 file") || strings.Contains(said, `"secrets":1`)
				if status != 0 || warned != (archive == keeping) {
					t.Errorf("%v: status %d, warned %t: %s", args, status, warned, said)
				}
			}
		}
	}
}
