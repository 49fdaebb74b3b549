package engine

import (
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh/frontier/scope"
	"kavosh/internal/disk"
)

// A run whose database met damage leaves word of it there (internal/store). The next run makes that database anew from what is
// recorded, says so of the frontier, and records nothing twice.
func TestNextRunAfterDamageWasRead(t *testing.T) {
	const hosts, pages = 2, 40
	s := serve(t, strings.ReplaceAll(bigWeb(hosts, pages), " wait=30ms", ""))
	first := vfs.NewMem()
	o := options(s, first, "http://h0.test/0")
	o.Scope.Mode, o.Scope.Exclude = scope.Any, []string{"elsewhere"}
	o.Delay, o.AddressDelay = 0, 0
	o.Limits.Pages = hosts * pages / 3
	r := crawlNow(t, o)
	killed := files(t, first, "archive")
	for _, dir := range []string{"archive/crawls/" + r.ID + "/frontier", "archive/derived/originals@2"} {
		fs := put(t, killed)
		if err := disk.WriteFile(fs, dir+"/DAMAGED", []byte("a block of 000005.sst\nhas another sum")); err != nil {
			t.Fatal(err)
		}
		var told []string
		o := o
		o.FS, o.Seeds, o.Resume, o.Limits.Pages = fs, nil, true, 0
		o.Events.Trouble = func(text string) { told = append(told, text) }
		if r := crawlNow(t, o); r.End != "done" {
			t.Errorf("%s: the next run ended %q", dir, r.End)
		}
		if strings.HasSuffix(dir, "frontier") && !slices.ContainsFunc(told, func(text string) bool {
			return strings.Contains(text, "made anew") && strings.Contains(text, "000005.sst") && !strings.Contains(text, "\n")
		}) {
			t.Errorf("%s: it does not say that it makes it anew: %q", dir, told)
		}
		if _, err := fs.Stat(dir + "/DAMAGED"); err == nil {
			t.Errorf("%s: the mark is still there", dir)
		}
		if n := len(outcomes(t, fs)); n != hosts*pages+pages+hosts {
			t.Errorf("%s: %d URLs in the log, want %d", dir, n, hosts*pages+pages+hosts)
		}
		recordedOnce(t, fs)
	}
}
