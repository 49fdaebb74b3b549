//go:build simulation

package engine

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
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
	program := withoutProgram(t, all)
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
			cmd.Env = append(os.Environ(), withoutVariable+"="+r.name)
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

// withoutVariable is the environment variable that names the removal that a process is to live with.
const withoutVariable = "KAVOSH_WITHOUT"

// withoutProgram builds the tests of this package once for all removals. Of each function that a removal changes there is
// one version more, and the function begins by calling that where the process is to do without the bound.
func withoutProgram(t *testing.T, all []removal) (program string) {
	t.Helper()
	dir := t.TempDir()
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	std := filepath.Join(strings.TrimSpace(goCommand(t, "env", "GOROOT")), "src")
	sources := map[string]*versions{}
	for i, r := range all {
		for _, c := range r.changes {
			path := filepath.Join(root, filepath.FromSlash(c.file))
			if rest, ok := strings.CutPrefix(c.file, "std/"); ok {
				path = filepath.Join(std, filepath.FromSlash(rest))
			}
			if sources[path] == nil {
				sources[path] = readVersions(t, path)
			}
			if err := sources[path].change(i, r.name, c); err != nil {
				t.Errorf("%s: %s: %v", r.name, c.file, err)
			}
		}
	}
	if t.Failed() {
		t.FailNow()
	}
	texts := map[string]string{}
	for path, v := range sources {
		texts[path] = v.text()
		texts[filepath.Join(filepath.Dir(path), "without_bound.go")] = // one a folder
			fmt.Sprintf("package %s\n\nimport \"os\"\n\nvar withoutBound = os.Getenv(%q)\n", v.file.Name.Name, withoutVariable)
	}
	program = filepath.Join(dir, "without.test")
	goCommand(t, "test", "-c", "-vet=off", "-overlay", overlay(t, dir, texts), "-o", program, ".")
	return program
}

// versions is a source file whose functions get further versions.
type versions struct {
	source string
	file   *ast.File // whose positions are offsets in source, plus one
	more   map[*ast.FuncDecl][]*version
	order  []*ast.FuncDecl
}

// version is the body of a function for one removal.
type version struct {
	removal int
	name    string
	body    string
}

func readVersions(t *testing.T, path string) *versions {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	v := &versions{source: string(data), more: map[*ast.FuncDecl][]*version{}}
	if v.file, err = parser.ParseFile(token.NewFileSet(), path, data, parser.SkipObjectResolution); err != nil {
		t.Fatal(err)
	}
	return v
}

// change makes a change in the version that the function it stands in has for the removal.
func (v *versions) change(removal int, name string, c change) error {
	if n := strings.Count(v.source, c.old); n != 1 {
		return fmt.Errorf("there are %d places like this, and not one: bring the change up to date\n%s", n, c.old)
	}
	at := strings.Index(v.source, c.old)
	for _, d := range v.file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || at < int(f.Body.Lbrace) || at+len(c.old) > int(f.Body.Rbrace) {
			continue
		}
		all := v.more[f]
		if len(all) == 0 {
			v.order = append(v.order, f)
		}
		if len(all) == 0 || all[len(all)-1].removal != removal {
			all = append(all, &version{removal, name, v.source[f.Body.Lbrace : f.Body.Rbrace-1]})
			v.more[f] = all
		}
		last := all[len(all)-1]
		last.body = strings.Replace(last.body, c.old, c.new, 1)
		return nil
	}
	return fmt.Errorf("this is not within the body of a function\n%s", c.old)
}

// text is the source with all versions.
func (v *versions) text() string {
	slices.SortFunc(v.order, func(a, b *ast.FuncDecl) int { return int(a.Pos() - b.Pos()) })
	var text, behind strings.Builder
	done := 0
	for _, f := range v.order {
		brace := int(f.Body.Lbrace) // the offset behind it
		text.WriteString(v.source[done:brace])
		done = brace
		for _, m := range v.more[f] {
			name := fmt.Sprintf("%sWithout%d", f.Name.Name, m.removal)
			fmt.Fprintf(&text, " if withoutBound == %q { %s }; ", m.name, call(f, name))
			fmt.Fprintf(&behind, "\n%s%s%s%s}\n", v.source[f.Pos()-1:f.Name.Pos()-1], name, v.source[f.Name.End()-1:brace], m.body)
		}
	}
	return text.String() + v.source[done:] + behind.String()
}

// call calls another version of f with the arguments of f, and returns what it returns.
func call(f *ast.FuncDecl, name string) string {
	var args []string
	for _, p := range f.Type.Params.List {
		for _, n := range p.Names {
			arg := n.Name
			if _, many := p.Type.(*ast.Ellipsis); many {
				arg += "..."
			}
			args = append(args, arg)
		}
	}
	call := name + "(" + strings.Join(args, ", ") + ")"
	if f.Recv != nil {
		call = f.Recv.List[0].Names[0].Name + "." + call
	}
	if f.Type.Results == nil {
		return call + "; return"
	}
	return "return " + call
}
