//go:build simulation

package engine

import (
	"bytes"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestWithoutBounds takes every bound that a hostile case names away, one after the other, and wants its cases to fail.
func TestWithoutBounds(t *testing.T) {
	all := removals()
	fails := map[string]bool{} // crawl/case/bound
	for _, r := range all {
		for _, c := range strings.Fields(r.cases) {
			fails[c+": "+r.bound] = true
		}
	}
	for _, c := range hostileCrawls() {
		for _, row := range c.cases {
			if !fails[row.name+": "+row.bound] {
				t.Errorf("nothing takes the bound of %s/%s away: %s", c.name, row.name, row.bound)
			}
		}
	}
	var variants []variant
	for _, r := range all {
		variants = append(variants, variant{r.name, r.changes})
	}
	program := build(t, nil, variants)
	t.Run("whole", func(t *testing.T) {
		if out, err := exec.Command(program, "-test.run", "^TestHostile$").CombinedOutput(); err != nil {
			t.Errorf("with all bounds: %v\n%s", err, excerpt(out))
		}
	})
	for _, r := range all {
		t.Run(strings.ReplaceAll(r.name, " ", "_"), func(t *testing.T) {
			t.Parallel()
			names := strings.Fields(r.cases)
			cmd := exec.Command(program, "-test.run", "^TestHostile$", "-test.timeout", "2m", "-hostile", strings.Join(names, ","))
			cmd.Env = append(os.Environ(), variantVariable+"="+r.name)
			out, err := cmd.CombinedOutput()
			if bytes.Contains(out, []byte("panic: test timed out")) {
				return // what never ends has failed
			}
			for _, c := range hostileCrawls() {
				for _, row := range c.cases {
					if row.bound != r.bound || !slices.Contains(names, row.name) {
						continue
					}
					if !regexp.MustCompile(`(?m)^ *--- FAIL: TestHostile/` + c.name + "/" + row.name + ` `).Match(out) {
						t.Errorf("%s/%s did not fail without its bound, %s (%v)", c.name, row.name, r.bound, err)
					}
				}
			}
			if t.Failed() {
				t.Logf("%s", excerpt(out))
			}
		})
	}
}
