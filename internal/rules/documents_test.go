package rules

import (
	"fmt"
	"go/ast"
	"go/types"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// What the rules look for in documents.
var (
	fenced   = regexp.MustCompile("(?s)```.*?```")
	quoted   = regexp.MustCompile("`([^`\n]+)`")
	mapRow   = regexp.MustCompile("(?m)^\\| `([^`]+)`[^|]*\\|")
	linked   = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	goName   = regexp.MustCompile(`^([a-z][a-z0-9]*)\.([A-Z]\w*)(?:\.(\w+))?(?:\(\))?$`)
	filePath = regexp.MustCompile(`^[A-Za-z.][\w.-]*(/[\w.-]+)*/?$`)
	decision = regexp.MustCompile(`^docs/decisions/([0-9]{4})-[a-z0-9-]+\.md$`)
	decided  = regexp.MustCompile(`(?i)\bdecisions?[/ ]([0-9]{4})\b`)
	parts    = regexp.MustCompile(`(?s)^# ([0-9]{4})\. .*\*\*Context\.\*\*.*\*\*Decision\.\*\*.*\*\*(Why|Cost)`)
	testName = regexp.MustCompile(`\b(?:Test|Fuzz|Benchmark)[A-Z]\w*`)
	lineNo   = regexp.MustCompile(`\b[\w/-]+\.(go|md|py|java|js|c|cc|h):[0-9]+\b`)
)

// Map finds packages missing from ARCHITECTURE.md's map, and entries without a package. The map is the table whose rows
// begin with a folder in backticks; the root is `kavosh`.
func Map(t *Tree) []Finding {
	var found []Finding
	listed := map[string]bool{}
	for _, m := range mapRow.FindAllStringSubmatch(t.Texts["ARCHITECTURE.md"], -1) {
		folder := strings.TrimSuffix(m[1], "/")
		if folder == Module {
			folder = "."
		}
		listed[folder] = true
	}
	folders := t.Folders()
	for _, folder := range folders {
		if !listed[folder] {
			found = append(found, Finding{"ARCHITECTURE.md",
				fmt.Sprintf("the map lacks `%s`: a package that is on no map is found by nobody", folder)})
		}
	}
	for _, folder := range names(listed) {
		if !slices.Contains(folders, folder) {
			found = append(found, Finding{"ARCHITECTURE.md", fmt.Sprintf("the map has `%s`, and there is no such package", folder)})
		}
	}
	return found
}

// Mentions finds names in documents that the repository does not have. In ARCHITECTURE.md and CONTRIBUTING.md every
// path in backticks must exist; in all documents every Go file, every Go name of ours (`frontier.Frontier`) and every
// relative link.
func Mentions(t *Tree, pkgs []*packages.Package) []Finding {
	var found []Finding
	byName := map[string][]*types.Package{}
	for _, p := range pkgs {
		if p.Types != nil {
			byName[p.Name] = append(byName[p.Name], p.Types)
		}
	}
	for _, name := range names(t.Texts) {
		if path.Ext(name) != ".md" {
			continue
		}
		strict := name == "ARCHITECTURE.md" || name == "CONTRIBUTING.md"
		text := fenced.ReplaceAllString(t.Texts[name], "")
		for _, m := range quoted.FindAllStringSubmatch(text, -1) {
			word := m[1]
			if g := goName.FindStringSubmatch(word); g != nil {
				if ours := byName[g[1]]; ours != nil && !slices.ContainsFunc(ours, func(p *types.Package) bool { return has(p, g[2], g[3]) }) {
					found = append(found, Finding{name, fmt.Sprintf("there is no `%s`: a document that names what is gone misleads", word)})
				}
			} else if (strict || strings.HasSuffix(word, ".go")) && t.isPath(word) && !t.exists(word) {
				found = append(found, Finding{name, fmt.Sprintf("there is no file or folder `%s`: a document that names what is gone misleads", word)})
			}
		}
		for _, m := range linked.FindAllStringSubmatch(text, -1) {
			target, _, _ := strings.Cut(m[1], "#")
			if target == "" || strings.Contains(target, ":") {
				continue
			}
			if !t.exists(path.Join(path.Dir(name), target)) {
				found = append(found, Finding{name, fmt.Sprintf("the link to %s leads nowhere", m[1])})
			}
		}
	}
	return found
}

// isPath reports whether a word in backticks means a file or folder of ours, and not a package of Go's or anything else
// with a slash.
func (t *Tree) isPath(word string) bool {
	if !filePath.MatchString(word) {
		return false
	}
	switch path.Ext(word) {
	case ".go", ".md", ".mod", ".sum":
		return true
	}
	top, _, deeper := strings.Cut(word, "/")
	return deeper && t.exists(top)
}

func (t *Tree) exists(name string) bool {
	_, err := os.Stat(filepath.Join(t.Root, filepath.FromSlash(name)))
	return err == nil
}

// has reports whether p declares name and, unless member is "", whether name has that field or method.
func has(p *types.Package, name, member string) bool {
	obj := p.Scope().Lookup(name)
	if obj == nil || member == "" {
		return obj != nil
	}
	field, _, _ := types.LookupFieldOrMethod(obj.Type(), true, p, member)
	return field != nil
}

// Decisions finds pages of docs/decisions with an unusual form or missing from its README, and mentions of a decision's
// number without a page.
func Decisions(t *Tree) []Finding {
	var found []Finding
	pages := map[string]bool{}
	for _, name := range names(t.Texts) {
		m := decision.FindStringSubmatch(name)
		if m == nil {
			continue
		}
		pages[m[1]] = true
		if p := parts.FindStringSubmatch(t.Texts[name]); p == nil || p[1] != m[1] {
			found = append(found, Finding{name,
				"a decision reads `# " + m[1] +
					". …`, **Context.**, **Decision.**, **Why.**, **Cost.**: a reader finds the reason where it always stands"})
		}
		if !strings.Contains(t.Texts["docs/decisions/README.md"], "("+path.Base(name)+")") {
			found = append(found, Finding{name, "docs/decisions/README.md does not link to it: nobody finds it"})
		}
	}
	for _, name := range names(t.Texts) {
		for _, m := range decided.FindAllStringSubmatch(t.Texts[name], -1) {
			if !pages[m[1]] {
				found = append(found, Finding{name, "there is no decision " + m[1]})
			}
		}
	}
	return found
}

// NamedTests finds tests that documents name, by their beginning at least, and that are gone.
func NamedTests(t *Tree) []Finding {
	var tests, found = "\n", []Finding(nil)
	for name, f := range t.Files {
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && isTest(name) {
				tests += fn.Name.Name + "\n"
			}
		}
	}
	for _, name := range names(t.Texts) {
		if path.Ext(name) != ".md" {
			continue
		}
		for _, test := range testName.FindAllString(t.Texts[name], -1) {
			if !strings.Contains(tests, "\n"+test) {
				found = append(found, Finding{name, "there is no " + test + ": a claim rests on a test that is gone"})
			}
		}
	}
	return found
}

// LineNumbers finds line numbers in documents.
func LineNumbers(t *Tree) []Finding {
	var found []Finding
	for _, name := range names(t.Texts) {
		if path.Ext(name) != ".md" {
			continue
		}
		for _, m := range lineNo.FindAllString(t.Texts[name], -1) {
			found = append(found, Finding{name, m + " is a line number, wrong after the next commit: name the function"})
		}
	}
	return found
}
