// Package rules is the house rules that a tool does not check, as ordinary tests with reasons.
//
// Its tests read the repository they stand in: every Go file by its syntax (source.go), the imports between our own
// packages (imports.go), every write to a package-level variable by its types (globals.go), and the documents
// (documents.go). Each failure names the file, the rule and why the rule is there. gofmt, go vet and staticcheck run
// beside these tests in `make test`.
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

// Tree is the repository, read once: all files by their slash-separated paths from the root, the Go files parsed.
type Tree struct {
	Root  string
	Texts map[string]string // of Go files, documents, scripts and pages
	Files map[string]*ast.File
	Fset  *token.FileSet
}

// Finding is one breach of a rule.
type Finding struct {
	Where string // file, with a line where one is to blame
	What  string
}

func (f Finding) String() string { return f.Where + ": " + f.What }

// textual are the endings of files that people write.
var textual = []string{".go", ".md", ".sh", ".html", ".js", ".css", ".toml"}

// Read reads the tree at root. Folders named testdata hold other people's bytes and are left out, as are hidden folders
// but .ci.
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
			foreign := d.Name() == "testdata" && rel != "internal/testdata" // which is a package about testdata
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

// Folders are the folders that hold a package, "." for the root, in order.
func (t *Tree) Folders() []string {
	var all []string
	for name := range t.Files {
		all = append(all, path.Dir(name))
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// names are the keys of a map in order, so that findings come in the same order at each run.
func names[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

func (t *Tree) at(pos token.Pos) string {
	p := t.Fset.Position(pos)
	return fmt.Sprintf("%s:%d", p.Filename, p.Line)
}

func isTest(name string) bool { return strings.HasSuffix(name, "_test.go") }
