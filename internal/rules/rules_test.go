package rules

import (
	"sync"
	"testing"

	"golang.org/x/tools/go/packages"
)

// exceptions are the package-level variables that may change after init, each with the reason.
var exceptions = map[string]string{}

// TestHouse holds the repository to its rules.
func TestHouse(t *testing.T) {
	const root = "../.."
	tree, err := Read(root)
	if err != nil {
		t.Fatal(err)
	}
	load := sync.OnceValues(func() ([]*packages.Package, error) { return Load(root) })
	typed := func(t *testing.T) []*packages.Package {
		pkgs, err := load()
		if err != nil {
			t.Fatal(err)
		}
		return pkgs
	}
	for _, rule := range []struct {
		name string
		find func(t *testing.T) []Finding
	}{
		{"imports follow the arrows", func(*testing.T) []Finding { return Imports(tree) }},
		{"one package comment a package", func(*testing.T) []Finding { return PackageComments(tree) }},
		{"exported names are documented", func(*testing.T) []Finding { return Documented(tree) }},
		{"packages are named for what they do", func(*testing.T) []Finding { return Names(tree) }},
		{"no init functions", func(*testing.T) []Finding { return Inits(tree) }},
		{"tests neither skip nor sleep", func(*testing.T) []Finding { return Tests(tree) }},
		{"nothing left for later", func(*testing.T) []Finding { return LeftBehind(tree) }},
		{"files can be held in mind", func(*testing.T) []Finding { return Lengths(tree) }},
		{"no variable is written after init", func(t *testing.T) []Finding { return Globals(typed(t), exceptions) }},
		{"ARCHITECTURE.md maps the packages that exist", func(*testing.T) []Finding { return Map(tree) }},
		{"documents name what exists", func(t *testing.T) []Finding { return Mentions(tree, typed(t)) }},
		{"decisions have one form and are found", func(*testing.T) []Finding { return Decisions(tree) }},
		{"documents name tests that exist", func(*testing.T) []Finding { return NamedTests(tree) }},
		{"documents name no line numbers", func(*testing.T) []Finding { return LineNumbers(tree) }},
	} {
		t.Run(rule.name, func(t *testing.T) {
			for _, f := range rule.find(t) {
				t.Error(f)
			}
		})
	}
}
