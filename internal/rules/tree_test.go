package rules

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Module is our module's path.
const Module = "kavosh"

// Tree is the repository, read once: all files by their slash-separated paths from the root, with the Go files parsed.
type Tree struct {
	Root  string
	Texts map[string]string // of Go files, documents, scripts and pages
	Files map[string]*ast.File
	Fset  *token.FileSet
}

// Finding is one violation of a rule.
type Finding struct {
	Where string // file, with the line if there is one
	What  string
}

func (f Finding) String() string { return f.Where + ": " + f.What }

// textual are the endings of files that people write.
var textual = []string{".go", ".md", ".sh", ".html", ".js", ".css", ".toml"}

// Read reads the tree at root. It leaves out folders named testdata, which have other people's bytes, and hidden
// folders except .ci.
func Read(root string) (*Tree, error) {
	t := &Tree{Root: root, Texts: map[string]string{}, Files: map[string]*ast.File{}, Fset: token.NewFileSet()}
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		if d.IsDir() {
			hidden := strings.HasPrefix(d.Name(), ".") && rel != "." && rel != ".ci"
			foreign := d.Name() == "testdata" && rel != "internal/testdata" // this one is our package about testdata
			if hidden || foreign || rel == "bin" || rel == "dist" {
				return filepath.SkipDir
			}
			return nil
		}
		if !slices.Contains(textual, path.Ext(rel)) && rel != "Makefile" && rel != ".ci/run" {
			return nil
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		t.Texts[rel] = string(text)
		if path.Ext(rel) == ".go" {
			f, err := parser.ParseFile(t.Fset, rel, text, parser.ParseComments|parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			t.Files[rel] = f
		}
		return nil
	})
	return t, err
}

// Folders returns the folders with a package, sorted; "." is the root.
func (t *Tree) Folders() []string {
	var all []string
	for name := range t.Files {
		all = append(all, path.Dir(name))
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// names returns the sorted keys of a map, so that findings always come in the same order.
func names[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

func (t *Tree) at(pos token.Pos) string {
	p := t.Fset.Position(pos)
	return fmt.Sprintf("%s:%d", p.Filename, p.Line)
}

func isTest(name string) bool { return strings.HasSuffix(name, "_test.go") }
