package rules

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"
	"strings"

	"golang.org/x/tools/go/packages"
)

// Load type-checks all packages at root, including those with the build tag conformance, without tests.
func Load(root string) ([]*packages.Package, error) {
	return packages.Load(&packages.Config{
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports | packages.NeedTypes |
			packages.NeedTypesSizes | packages.NeedSyntax | packages.NeedTypesInfo,
		Dir:        root,
		BuildFlags: []string{"-tags=conformance"},
	}, "./...")
}

// Globals finds what makes a package-level variable change after init: a second crawl in the same process, or a
// parallel test, would see the change. It finds assignments, delete, clear and copy, methods with a pointer receiver,
// and types made for changing (locks, pools, atomics, channels). It follows pointers to a variable through local
// variables and parameters of the same package; anywhere else such a pointer is a finding, because it could be written
// through. allow maps variables such as "lib/robots.directives" to the reason for an exception; an unused exception is
// a finding too.
func Globals(pkgs []*packages.Package, allow map[string]string) []Finding {
	var found []Finding
	used := map[string]bool{}
	for _, p := range pkgs {
		if len(p.Errors) > 0 {
			what, _, _ := strings.Cut(p.Errors[len(p.Errors)-1].Error(), "\n")
			found = append(found, Finding{p.PkgPath, "does not compile, so that less can be said of it: " + what})
		}
		c := checker{pkg: p.Types, info: p.TypesInfo, aliases: map[*types.Var]*types.Var{}, followed: map[ast.Expr]bool{}}
		for known := -1; len(c.aliases) > known; { // an alias may be passed to a function that was read earlier
			known = len(c.aliases)
			for _, f := range p.Syntax {
				ast.Inspect(f, c.follow)
			}
		}
		for _, f := range p.Syntax {
			c.file(f)
		}
		for _, b := range c.breaches {
			name := strings.TrimPrefix(b.v.Pkg().Path(), Module+"/") + "." + b.v.Name()
			if used[name] = true; allow[name] == "" {
				pos := p.Fset.Position(b.pos)
				found = append(found, Finding{fmt.Sprintf("%s/%s:%d", strings.TrimPrefix(p.PkgPath, Module+"/"), filepath.Base(pos.Filename), pos.Line),
					fmt.Sprintf("%s %s: two crawls run in one process, so state belongs to a value that the engine owns", name, b.how)})
			}
		}
	}
	for _, name := range names(allow) {
		if !used[name] {
			found = append(found, Finding{"internal/rules", name + " is on the list of exceptions and needs none: take it off"})
		}
	}
	return found
}

// checker looks for violations in the files of one package.
type checker struct {
	pkg      *types.Package
	info     *types.Info
	aliases  map[*types.Var]*types.Var // local variables and parameters that may point to a package-level variable
	followed map[ast.Expr]bool         // the &x that became aliases
	breaches []breach
}

type breach struct {
	pos token.Pos
	v   *types.Var
	how string
}

// follow notes which local variables and parameters get the address of a package-level variable, or an alias.
func (c *checker) follow(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.AssignStmt:
		if len(n.Lhs) == len(n.Rhs) {
			for i, rhs := range n.Rhs {
				if id, ok := n.Lhs[i].(*ast.Ident); ok {
					c.alias(c.info.ObjectOf(id), rhs)
				}
			}
		}
	case *ast.ValueSpec:
		if len(n.Names) == len(n.Values) {
			for i, value := range n.Values {
				c.alias(c.info.ObjectOf(n.Names[i]), value)
			}
		}
	case *ast.CallExpr:
		f, ok := c.callee(n).(*types.Func)
		if !ok || f.Signature().Variadic() {
			break
		}
		for i, arg := range n.Args {
			if i < f.Signature().Params().Len() {
				c.alias(f.Signature().Params().At(i), arg)
			}
		}
	}
	return true
}

// alias notes that holder gets value, if holder belongs to a function of this package and value points to a
// package-level variable.
func (c *checker) alias(holder types.Object, value ast.Expr) {
	v, ok := holder.(*types.Var)
	if !ok || isGlobal(v) || v.IsField() || v.Pkg() != c.pkg {
		return
	}
	value = ast.Unparen(value)
	if and, ok := value.(*ast.UnaryExpr); ok && and.Op == token.AND {
		if id, _ := c.root(and.X); id != nil {
			if g, ok := c.info.Uses[id].(*types.Var); ok && isGlobal(g) {
				c.aliases[v], c.followed[value] = g, true
			}
		}
	} else if id, ok := value.(*ast.Ident); ok {
		if from, ok := c.info.Uses[id].(*types.Var); ok && c.aliases[from] != nil {
			c.aliases[v] = c.aliases[from]
		}
	}
}

func (c *checker) file(f *ast.File) {
	for _, d := range f.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.VAR {
			continue
		}
		for _, s := range g.Specs {
			c.declared(s.(*ast.ValueSpec))
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			if n.Tok != token.DEFINE {
				for _, lhs := range n.Lhs {
					c.touch(lhs, "is assigned to")
				}
			}
		case *ast.IncDecStmt:
			c.touch(n.X, "is counted")
		case *ast.RangeStmt:
			if n.Tok == token.ASSIGN {
				c.touch(n.Key, "is assigned to by range")
				if n.Value != nil {
					c.touch(n.Value, "is assigned to by range")
				}
			}
		case *ast.UnaryExpr:
			if n.Op == token.AND && !c.followed[n] {
				c.touch(n.X, "has its address taken, and could be changed through it")
			}
		case *ast.CallExpr:
			c.call(n)
		}
		return true
	})
}

// declared checks the types and first values of package-level variables.
func (c *checker) declared(s *ast.ValueSpec) {
	for _, id := range s.Names {
		v, ok := c.info.Defs[id].(*types.Var)
		if !ok || !isGlobal(v) {
			continue
		}
		if what := changing(v.Type(), 0); what != "" {
			c.breaches = append(c.breaches, breach{id.Pos(), v, "is made for changing (" + what + ")"})
		}
		for _, value := range s.Values {
			call, ok := ast.Unparen(value).(*ast.CallExpr)
			if !ok {
				continue
			}
			if f, ok := c.callee(call).(*types.Func); ok && f.Pkg() != nil && f.Pkg().Path() == "sync" {
				c.breaches = append(c.breaches, breach{id.Pos(), v, "is filled when first used (sync." + f.Name() + ")"})
			}
		}
	}
}

// changing returns the part of a type that exists to be changed, or "". It looks into our own and unnamed types; what
// another module's type contains is that module's business.
func changing(t types.Type, depth int) string {
	if depth > 8 {
		return ""
	}
	switch t := types.Unalias(t).(type) {
	case *types.Named:
		pkg := t.Obj().Pkg()
		if pkg == nil {
			return ""
		}
		if pkg.Path() == "sync" || pkg.Path() == "sync/atomic" {
			return pkg.Name() + "." + t.Obj().Name()
		}
		if pkg.Path() == Module || strings.HasPrefix(pkg.Path(), Module+"/") {
			return changing(t.Underlying(), depth+1)
		}
	case *types.Chan:
		return "a channel"
	case *types.Pointer:
		return changing(t.Elem(), depth+1)
	case *types.Slice:
		return changing(t.Elem(), depth+1)
	case *types.Array:
		return changing(t.Elem(), depth+1)
	case *types.Map:
		return changing(t.Elem(), depth+1)
	case *types.Struct:
		for i := range t.NumFields() {
			if what := changing(t.Field(i).Type(), depth+1); what != "" {
				return what
			}
		}
	}
	return ""
}

// call checks builtins that change their argument, and methods whose receiver is the variable's address.
func (c *checker) call(n *ast.CallExpr) {
	switch f := ast.Unparen(n.Fun).(type) {
	case *ast.Ident:
		if b, ok := c.info.Uses[f].(*types.Builtin); ok && len(n.Args) > 0 {
			switch b.Name() {
			case "delete", "clear", "copy":
				c.touch(n.Args[0], "is changed by "+b.Name())
			}
		}
	case *ast.SelectorExpr:
		s := c.info.Selections[f]
		if s == nil || s.Kind() != types.MethodVal {
			return
		}
		recv := s.Obj().(*types.Func).Signature().Recv()
		if recv == nil || !isPointer(recv.Type()) || isPointer(c.info.TypeOf(f.X)) {
			return
		}
		c.touch(f.X, "has its address taken by method "+f.Sel.Name)
	}
}

func (c *checker) callee(n *ast.CallExpr) types.Object {
	switch f := ast.Unparen(n.Fun).(type) {
	case *ast.Ident:
		return c.info.Uses[f]
	case *ast.SelectorExpr:
		return c.info.Uses[f.Sel]
	case *ast.IndexExpr:
		return c.callee(&ast.CallExpr{Fun: f.X})
	}
	return nil
}

// touch records a violation if e is a package-level variable or a part of one, or is written through an alias of one.
func (c *checker) touch(e ast.Expr, how string) {
	id, part := c.root(e)
	if id == nil {
		return
	}
	v, ok := c.info.Uses[id].(*types.Var)
	switch {
	case !ok:
	case isGlobal(v):
		c.breaches = append(c.breaches, breach{id.Pos(), v, how})
	case part && c.aliases[v] != nil:
		c.breaches = append(c.breaches, breach{id.Pos(), c.aliases[v], how + " through " + v.Name()})
	}
}

// root returns the variable that e is a part of, and whether e is only a part; nil for the result of a call, a literal,
// and other things that are no variable.
func (c *checker) root(e ast.Expr) (id *ast.Ident, part bool) {
	for {
		switch x := e.(type) {
		case *ast.ParenExpr:
			e = x.X
			continue
		case *ast.StarExpr:
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.SliceExpr:
			e = x.X
		case *ast.SelectorExpr:
			if id, ok := x.X.(*ast.Ident); ok {
				if _, ok := c.info.Uses[id].(*types.PkgName); ok { // another package's variable
					return x.Sel, part
				}
			}
			e = x.X
		case *ast.Ident:
			return x, part
		default:
			return nil, false
		}
		part = true
	}
}

func isGlobal(v *types.Var) bool {
	return !v.IsField() && v.Pkg() != nil && v.Parent() == v.Pkg().Scope()
}

func isPointer(t types.Type) bool {
	_, ok := types.Unalias(t).(*types.Pointer)
	return ok
}
