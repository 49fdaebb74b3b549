//go:build simulation

package engine

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	gotoken "go/token"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// variant is a set of changes, each within the body of one function.
type variant struct {
	name    string
	changes []change
}

// variantVariable is the environment variable that names the variant by which a process is to go.
const variantVariable = "KAVOSH_VARIANT"

// build builds the tests of this package once more, with changes and for all variants: of each function that a variant
// changes there is one version more, and the function begins by calling that where the process is to go by the variant.
func build(t *testing.T, changes []change, variants []variant) (program string) {
	t.Helper()
	b := builder{dir: t.TempDir(), texts: map[string]string{}}
	for _, c := range changes {
		path := b.path(t, c.file)
		text := b.text(t, path)
		if n := strings.Count(text, c.old); n != 1 {
			t.Errorf("%s has %d places like this, and not one: bring the change up to date\n%s", c.file, n, c.old)
		}
		b.texts[path] = strings.Replace(text, c.old, c.new, 1)
	}
	sources := map[string]*versions{}
	for i, v := range variants {
		for _, c := range v.changes {
			path := b.path(t, c.file)
			if sources[path] == nil {
				sources[path] = readVersions(t, path, b.text(t, path))
			}
			if err := sources[path].change(i, v.name, c); err != nil {
				t.Errorf("%s: %s: %v", v.name, c.file, err)
			}
		}
	}
	if t.Failed() {
		t.FailNow()
	}
	for path, v := range sources {
		b.texts[path] = v.text()
		b.texts[filepath.Join(filepath.Dir(path), "variant.go")] = // one a folder
			fmt.Sprintf("package %s\n\nimport \"os\"\n\nvar variantHere = os.Getenv(%q)\n", v.file.Name.Name, variantVariable)
	}
	program = filepath.Join(b.dir, "changed.test")
	args := []string{"test", "-c", "-vet=off", "-ldflags", "-s -w", "-overlay", b.overlay(t), "-o", program}
	if b.pebble != "" {
		args = append(args, "-trimpath", "-modfile", filepath.Join(b.dir, "go.mod"))
	}
	goCommand(t, append(args, ".")...)
	return program
}

// builder is what a build gathers.
type builder struct {
	dir    string
	texts  map[string]string // of changed files, by path
	pebble string            // folder of the copy of Pebble; "" without one
}

// path is where a change's file lies.
func (b *builder) path(t *testing.T, file string) string {
	t.Helper()
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	if rest, ok := strings.CutPrefix(file, "pebble/"); ok {
		if b.pebble == "" {
			b.pebble = pebbleCopy(t, b.dir)
		}
		root, file = b.pebble, rest
	} else if rest, ok := strings.CutPrefix(file, "std/"); ok {
		root, file = filepath.Join(strings.TrimSpace(goCommand(t, "env", "GOROOT")), "src"), rest
	}
	return filepath.Join(root, filepath.FromSlash(file))
}

// text is the text of a file, with the changes made so far.
func (b *builder) text(t *testing.T, path string) string {
	t.Helper()
	if text, ok := b.texts[path]; ok {
		return text
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// overlay writes the changed sources, and the file by which go takes them in place of those at their paths.
func (b *builder) overlay(t *testing.T) (name string) {
	t.Helper()
	replace := map[string]string{}
	for path, text := range b.texts {
		changed := filepath.Join(b.dir, fmt.Sprintf("%d.go", len(replace)))
		if err := os.WriteFile(changed, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		replace[path] = changed
	}
	data, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	name = filepath.Join(b.dir, "overlay.json")
	if err := os.WriteFile(name, data, 0o644); err != nil {
		t.Fatal(err)
	}
	return name
}

// pebbleCopy is a copy of Pebble in dir, used by the go.mod there: go lets no file of its module cache be overlaid.
func pebbleCopy(t *testing.T, dir string) string {
	t.Helper()
	const module = "github.com/cockroachdb/pebble/v2"
	to := filepath.Join(dir, "pebble")
	from := strings.TrimSpace(goCommand(t, "list", "-m", "-f", "{{.Dir}}", module))
	err := filepath.WalkDir(from, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		if d.IsDir() {
			if d.Name() == "testdata" {
				return filepath.SkipDir
			}
			return os.MkdirAll(filepath.Join(to, rel), 0o755)
		}
		if strings.HasSuffix(path, "_test.go") {
			return nil
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, rel), data, 0o644)
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"go.mod", "go.sum"} {
		data, err := os.ReadFile(filepath.Join("..", name))
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), data, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	goCommand(t, "mod", "edit", "-replace", module+"="+to, filepath.Join(dir, "go.mod"))
	return to
}

// goCommand runs the go command and returns what it says.
func goCommand(t *testing.T, args ...string) string {
	t.Helper()
	cmd := exec.Command("go", args...)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0") // as it is released, and no C to be compiled
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// versions is a source file whose functions get further versions.
type versions struct {
	source string
	file   *ast.File // whose positions are offsets in source, plus one
	more   map[*ast.FuncDecl][]*version
	order  []*ast.FuncDecl
}

// version is the body of a function for one variant.
type version struct {
	variant int
	name    string
	body    string
}

func readVersions(t *testing.T, path, source string) *versions {
	t.Helper()
	file, err := parser.ParseFile(gotoken.NewFileSet(), path, source, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	return &versions{source: source, file: file, more: map[*ast.FuncDecl][]*version{}}
}

// change makes a change in the version that the function it stands in has for the variant.
func (v *versions) change(variant int, name string, c change) error {
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
		if len(all) == 0 || all[len(all)-1].variant != variant {
			all = append(all, &version{variant, name, v.source[f.Body.Lbrace : f.Body.Rbrace-1]})
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
			name := fmt.Sprintf("%sVariant%d", f.Name.Name, m.variant)
			fmt.Fprintf(&text, " if variantHere == %q { %s }; ", m.name, call(f, name))
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
