package wacz

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"kavosh/lib/warc"
)

// update rewrites the tables of docs/formats/foreign-files.md: go test ./lib/wacz -tags conformance -update
var update = flag.Bool("update", false, "write the tables of docs/formats/foreign-files.md anew")

const foreignFiles = "../../docs/formats/foreign-files.md"

// sameTable compares the lines between the markers of that name in foreign-files.md with want.
func sameTable(t *testing.T, name, want string) {
	t.Helper()
	b, err := os.ReadFile(foreignFiles)
	if err != nil {
		t.Fatal(err)
	}
	begin, end := "<!-- "+name+" -->\n", "<!-- end of "+name+" -->\n"
	before, rest, ok := strings.Cut(string(b), begin)
	got, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatalf("%s has no table %q between %q and %q", foreignFiles, name, begin, end)
	}
	if got == want {
		return
	}
	if *update {
		if err := os.WriteFile(foreignFiles, []byte(before+begin+want+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	old, new := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range max(len(old), len(new)) {
		switch {
		case i >= len(old):
			t.Errorf("%s lacks the line %q", foreignFiles, new[i])
		case i >= len(new):
			t.Errorf("%s has the line %q, which should not be there", foreignFiles, old[i])
		case old[i] != new[i]:
			t.Errorf("%s says %q, it should be %q", foreignFiles, old[i], new[i])
		}
	}
}

func TestRulesAreDocumented(t *testing.T) {
	var b strings.Builder
	b.WriteString("| rule | is an | strict | meaning |\n|---|---|---|---|\n")
	for _, r := range append(warc.Rules(), Rules()...) {
		severity := string(r.Severity)
		if severity == "" {
			severity = "–"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", r.Name, severity, r.Strict, r.About)
	}
	sameTable(t, "rules", b.String())
}

// Every rule that a finding can have is in the list, and every rule of the list is found somewhere: else it would have no
// severity, or be dead.
func TestRulesAreUsed(t *testing.T) {
	var source strings.Builder
	for _, dir := range []string{"../warc", "."} {
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			if strings.HasSuffix(e.Name(), ".go") && !strings.HasSuffix(e.Name(), "_test.go") && e.Name() != "rules.go" {
				b, err := os.ReadFile(dir + "/" + e.Name())
				if err != nil {
					t.Fatal(err)
				}
				source.Write(b)
			}
		}
	}
	for _, r := range append(warc.Rules(), Rules()...) {
		if !strings.Contains(source.String(), `"`+r.Name+`"`) {
			t.Errorf("rule %s is never found", r.Name)
		}
	}
}
