package rules

import (
	"fmt"
	"go/ast"
	"go/token"
	"path"
	"regexp"
	"slices"
	"strings"
)

// maxLines is how long a file may be.
const maxLines = 600

// goFile is a file that a package comment names.
var goFile = regexp.MustCompile(`[\w/]+\.go\b`)

// PackageComments finds packages without exactly one package comment; and comments that name files
// which are gone.
func PackageComments(t *Tree) []Finding {
	var found []Finding
	for _, folder := range t.Folders() {
		var documented []string
		var own []string // files of the folder's package; tests only if there is nothing else
		for _, name := range names(t.Files) {
			if path.Dir(name) == folder && !isTest(name) {
				own = append(own, name)
			}
		}
		if len(own) == 0 {
			for _, name := range names(t.Files) {
				if path.Dir(name) == folder {
					own = append(own, name)
				}
			}
		}
		for _, name := range own {
			f := t.Files[name]
			if f.Doc == nil {
				continue
			}
			documented = append(documented, name)
			want := "Package " + f.Name.Name + " "
			if f.Name.Name == "main" {
				want = "Command " + path.Base(folder) + " "
			}
			if !strings.HasPrefix(f.Doc.Text(), want) {
				found = append(found, Finding{name,
					fmt.Sprintf("the package comment does not begin with %q: godoc shows its first sentence in lists", want)})
			}
			for _, file := range goFile.FindAllString(f.Doc.Text(), -1) {
				if t.Files[path.Join(folder, file)] == nil && t.Files[file] == nil {
					found = append(found, Finding{name, "the package comment names " + file + ", which is not there: a tour of what is gone misleads"})
				}
			}
		}
		if len(documented) != 1 {
			found = append(found, Finding{folder,
				fmt.Sprintf("%d package comments %v, want one: it is where a reader starts", len(documented), documented)})
		}
	}
	return found
}

// Documented finds exported names without a comment.
func Documented(t *Tree) []Finding {
	var found []Finding
	for _, name := range names(t.Files) {
		if isTest(name) || t.Files[name].Name.Name == "main" {
			continue
		}
		bare := func(id *ast.Ident) {
			found = append(found, Finding{t.at(id.Pos()), id.Name + " is exported without a comment: say what it is, its units, bounds and errors"})
		}
		for _, d := range t.Files[name].Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Name.IsExported() && d.Doc == nil && exportedReceiver(d) && !wellKnown[d.Name.Name] {
					bare(d.Name)
				}
			case *ast.GenDecl:
				for _, s := range d.Specs {
					switch s := s.(type) {
					case *ast.TypeSpec:
						if s.Name.IsExported() && d.Doc == nil && s.Doc == nil && s.Comment == nil {
							bare(s.Name)
						}
					case *ast.ValueSpec:
						if s.Names[0].IsExported() && d.Doc == nil && s.Doc == nil && s.Comment == nil && !typedConst(d, s) {
							bare(s.Names[0])
						}
					}
				}
			}
		}
	}
	return found
}

// wellKnown are methods of the standard library's interfaces, which need no comment.
var wellKnown = map[string]bool{"String": true, "Error": true, "Unwrap": true, "Read": true, "Write": true, "Close": true,
	"Len": true, "Less": true, "Swap": true, "Push": true, "Pop": true, "ServeHTTP": true, "MarshalText": true, "UnmarshalText": true}

func exportedReceiver(d *ast.FuncDecl) bool {
	if d.Recv == nil {
		return true
	}
	t := d.Recv.List[0].Type
	if star, ok := t.(*ast.StarExpr); ok {
		t = star.X
	}
	if index, ok := t.(*ast.IndexExpr); ok {
		t = index.X
	}
	id, ok := t.(*ast.Ident)
	return ok && id.IsExported()
}

// typedConst reports whether s is in a group of typed constants, whose comment suffices: the names of an enumeration
// mostly explain themselves.
func typedConst(d *ast.GenDecl, s *ast.ValueSpec) bool {
	return d.Tok == token.CONST && d.Lparen.IsValid() && (s.Type != nil || len(s.Values) == 0)
}

// Names finds packages with a meaningless name.
func Names(t *Tree) []Finding {
	var found []Finding
	for _, folder := range t.Folders() {
		switch name := path.Base(folder); name {
		case "util", "utils", "common", "model", "models", "helper", "helpers", "manager", "managers", "misc":
			found = append(found, Finding{folder, "a package named " + name + " can hold anything, and will: name it for what it does"})
		}
	}
	return found
}

// Inits finds init functions.
func Inits(t *Tree) []Finding {
	var found []Finding
	for _, name := range names(t.Files) {
		for _, d := range t.Files[name].Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.Name == "init" {
				found = append(found, Finding{t.at(f.Pos()), "func init: what happens on import is hidden; put it into a list that a reader can see"})
			}
		}
	}
	return found
}

// Tests finds tests that may pass without testing, or that wait for real time.
func Tests(t *Tree) []Finding {
	var found []Finding
	for _, name := range names(t.Files) {
		if !isTest(name) {
			continue
		}
		ast.Inspect(t.Files[name], func(n ast.Node) bool {
			sel, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			x, _ := sel.X.(*ast.Ident)
			switch {
			case x == nil:
			case slices.Contains([]string{"Skip", "Skipf", "SkipNow"}, sel.Sel.Name) && slices.Contains([]string{"t", "b", "f", "tb"}, x.Name):
				found = append(found, Finding{t.at(sel.Pos()),
					"a test that skips proves nothing where it matters: give it the build tag conformance, or fail and name the command that helps"})
			case x.Name == "time" && sel.Sel.Name == "Sleep":
				found = append(found, Finding{t.at(sel.Pos()),
					"a test that sleeps is slow or flaky: wait for the event, or drive time by testing/synctest (there <-time.After waits)"})
			}
			return true
		})
	}
	return found
}

// leftBehind is written so that it does not match itself.
var leftBehind = regexp.MustCompile(`\b(TO` + `DO|FIX` + `ME)\b`)

// LeftBehind finds notes to do something later.
func LeftBehind(t *Tree) []Finding {
	var found []Finding
	for _, name := range names(t.Texts) {
		for i, line := range strings.Split(t.Texts[name], "\n") {
			if word := leftBehind.FindString(line); word != "" {
				found = append(found, Finding{fmt.Sprintf("%s:%d", name, i+1), word + ": do it now, or write it where work is planned"})
			}
		}
	}
	return found
}

// Lengths finds files that are too long.
func Lengths(t *Tree) []Finding {
	var found []Finding
	for _, name := range names(t.Files) {
		if n := strings.Count(t.Texts[name], "\n"); n > maxLines && !isTest(name) {
			found = append(found, Finding{name,
				fmt.Sprintf("%d lines: over %d a reader does not hold it in mind; cut it where the subject changes", n, maxLines)})
		}
	}
	return found
}
