package rules

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
)

// TestForbidden holds the arrows of ARCHITECTURE.md one by one.
func TestForbidden(t *testing.T) {
	for _, tt := range []struct {
		from, to string
		allowed  bool
	}{
		{".", "lib/weburl", true},
		{".", "lib/robots", false},
		{".", "internal/clock", false},
		{"lib/sitemap", "lib/weburl", true},
		{"lib/sitemap", "internal/testdata", true},
		{"lib/sitemap", "internal/clock", false},
		{"lib/sitemap", ".", false},
		{"lib/sitemap", "extract", false},
		{"fetch", ".", true},
		{"fetch", "lib/httpwire", true},
		{"fetch", "internal/spool", true},
		{"fetch", "record", false},
		{"fetch", "frontier/order", false},
		{"fetch", "engine", false},
		{"frontier", "frontier/order", true},
		{"frontier/order", "frontier", true},
		{"engine", "frontier/order", true},
		{"engine", "cmd/kavosh", false},
		{"engine/status", "engine", true},
		{"cmd/kavosh", "engine", true},
		{"cmd/kavosh", "replay", true},
		{"lab", "engine", true},
		{"engine", "lab", false},
		{"pages", "lib/dates", true},
		{"pages", ".", false},
		{"pages", "replay", false},
		{"replay", "pages", true},
		{"replay", "site", false},
		{"site", "replay", true},
		{"site", "archive", true},
		{"site", "engine", false},
		{"site/draw", "pages", true},
		{"pages/onepage", "pages", true},
		{"pages/onepage", "internal/disk", false},
		{"characterise", "pages/onepage", true},
		{"internal/spool", "pages", false},
		{"internal/spool", ".", true},
		{"internal/spool", "internal/disk", true},
		{"internal/spool", "lib/warc", true},
		{"internal/spool", "fetch", false},
		{"internal/spool", "engine", false},
		{"engine", "internal/rules", false},
	} {
		if why := forbidden(tt.from, tt.to); (why == "") != tt.allowed {
			t.Errorf("%s imports %s: %q", tt.from, tt.to, why)
		}
	}
}

// tree makes a Tree of texts in memory.
func tree(t *testing.T, texts map[string]string) *Tree {
	t.Helper()
	tr := &Tree{Root: t.TempDir(), Texts: texts, Files: map[string]*ast.File{}, Fset: token.NewFileSet()}
	for name, text := range texts {
		if path.Ext(name) != ".go" {
			continue
		}
		f, err := parser.ParseFile(tr.Fset, name, text, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		tr.Files[name] = f
	}
	return tr
}

// TestSource gives each rule about source a breach, and something near it that is none. Breaches are spelt in two parts so
// that a plain search for them finds real ones only.
func TestSource(t *testing.T) {
	for _, tt := range []struct {
		name  string
		rule  func(*Tree) []Finding
		files map[string]string
		want  string // all findings begin so, joined by blanks
	}{
		{"import", Imports, map[string]string{"fetch/a.go": "package fetch\nimport (\n\"fmt\"\n\"kavosh\"\n\"kavosh/record\"\n)"}, "fetch/a.go:5"},
		{"comment missing", PackageComments, map[string]string{"a/a.go": "package a"}, "a:"},
		{"comment twice", PackageComments, map[string]string{"a/a.go": "// Package a x.\npackage a", "a/b.go": "// Package a y.\npackage a"}, "a:"},
		{"comment of another name", PackageComments, map[string]string{"a/a.go": "// Package b x.\npackage a"}, "a/a.go:"},
		{"comment of what is gone", PackageComments, map[string]string{"a/a.go": "// Package a is in a.go, b.go and a/b/c.go.\npackage a"}, "a/a.go: a/a.go:"},
		{"command", PackageComments, map[string]string{"cmd/x/a.go": "// Command x does.\npackage main", "cmd/x/a_test.go": "// Tests.\npackage main"}, ""},
		{"undocumented", Documented, map[string]string{"a/a.go": "package a\nfunc F() {}\ntype T int\nfunc (T) M() {}\nfunc (t t) M() {}\nfunc (T) String() string\nvar V int // is\nvar W int\nconst (\nA T = iota\nB\n)\n"},
			"a/a.go:2 a/a.go:3 a/a.go:4 a/a.go:8"},
		{"name", Names, map[string]string{"lib/utils/a.go": "package utils", "lib/text/a.go": "package text"}, "lib/utils:"},
		{"init", Inits, map[string]string{"a/a.go": "package a\nfunc init() {}\ntype t int\nfunc (t) init() {}"}, "a/a.go:2"},
		{"skip", Tests, map[string]string{"a/a_test.go": "package a\nfunc TestA(t *testing.T) { t." + "Skip() }\nfunc f(s *bufio.Reader) { s.Skip(); time." + "Sleep(1) }", "a/a.go": "package a\nfunc f() { time." + "Sleep(1) }"}, "a/a_test.go:2 a/a_test.go:3"},
		{"later", LeftBehind, map[string]string{"a/a.go": "package a\n// TO" + "DO: x", "Makefile": "a:\n\n# FIX" + "ME", "b.md": "TO" + "DOS"}, "Makefile:3 a/a.go:2"},
		{"long", Lengths, map[string]string{"a/a.go": "package a\n" + strings.Repeat("//\n", maxLines), "a/b_test.go": "package a\n" + strings.Repeat("//\n", maxLines)}, "a/a.go:"},
		{"map", Map, map[string]string{"a/a.go": "package a", "b/b.go": "package b", "k.go": "package kavosh", "ARCHITECTURE.md": "| package | what |\n|---|---|\n| `kavosh` (the root) | x |\n| `a` | x `c` |\n| `gone/` | x |\n"},
			"ARCHITECTURE.md: ARCHITECTURE.md:"},
		{"decisions", Decisions, map[string]string{
			"docs/decisions/README.md":      "[1](9001-a.md) [2](9002-b.md) [4](9004-d.md)",
			"docs/decisions/" + "9001-a.md": "# 9001. A\n\n**Context.** x\n\n**Decision.** y\n\n**Why.** z",
			"docs/decisions/" + "9002-b.md": "# 9002. B\n\n**Decision.** y\n\n**Context.** x\n\n**Cost.** z",
			"docs/decisions/" + "9003-c.md": "# 9003. C\n\n**Context.** x\n\n**Decision.** y\n\n**Cost.** z",
			"docs/decisions/" + "9004-d.md": "# 9003. D\n\n**Context.** x\n\n**Decision.** y\n\n**Cost.** z",
			"a/a.go":                        "package a // docs/decisions/" + "9001 and decision " + "9009",
		}, "docs/decisions/" + "9002 docs/decisions/" + "9003 docs/decisions/" + "9004 a/a.go"},
		{"tests", NamedTests, map[string]string{"a/a_test.go": "package a\nfunc TestOne() {}", "a.md": "`-run TestOn`, TestTwo"}, "a.md:"},
		{"line numbers", LineNumbers, map[string]string{"a.md": "see a/b.go:12 and 10:30 and b.go"}, "a.md:"},
	} {
		var got []string
		for _, f := range tt.rule(tree(t, tt.files)) {
			where, _, _ := strings.Cut(f.String(), " ")
			got = append(got, where)
		}
		want := strings.Fields(tt.want)
		if len(got) != len(want) {
			t.Errorf("%s: found at %v, want %v", tt.name, got, want)
			continue
		}
		for i := range want {
			if !strings.HasPrefix(got[i], want[i]) {
				t.Errorf("%s: found at %v, want %v", tt.name, got, want)
			}
		}
	}
}

// bench type-checks single files; what they import is read once.
type bench struct {
	fset *token.FileSet
	imp  types.Importer
}

func newBench() bench {
	fset := token.NewFileSet()
	return bench{fset, importer.ForCompiler(fset, "source", nil)}
}

// check type-checks one file as package kavosh/p.
func (b bench) check(t *testing.T, src string) *packages.Package {
	t.Helper()
	fset := b.fset
	f, err := parser.ParseFile(fset, "p.go", src, 0)
	if err != nil {
		t.Fatal(err)
	}
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{}}
	pkg, err := (&types.Config{Importer: b.imp}).Check("kavosh/p", fset, []*ast.File{f}, info)
	if err != nil {
		t.Fatal(err)
	}
	return &packages.Package{Name: "p", PkgPath: "kavosh/p", Fset: fset, Syntax: []*ast.File{f}, Types: pkg, TypesInfo: info}
}

func TestGlobals(t *testing.T) {
	b := newBench()
	const head = `package p
import ("fmt"; "sync"; "sync/atomic"; "errors"; "strings")
type T struct{ n int; m map[string]int }
func (t *T) Set() {}
func (t T) Get() {}
type locked struct{ mu sync.Mutex }
var _, _, _ = atomic.AddInt32, sync.OnceFunc, fmt.Sscan
var _ strings.Builder
var ErrX = errors.New("x")
var table = func() (t [256]byte) { t[0] = 1; return t }()
var n int; var m = map[string]int{}; var s []int; var v T; var p = &T{}; var arr [3]T
`
	for code, want := range map[string]string{
		`func f() int { n := 1; n++; m := map[int]int{}; m[1] = 2; v := T{}; v.n = 1; v.Set(); return n + int(table[3]) + len(s) }`: "",
		`func f() { v.Get(); p.Set(); for range s {}; _ = v.n; _ = s[1:] }`:                                                         "",
		`func f() { n = 1 }`:                                 "p.n is assigned",
		`func f() { n++ }`:                                   "p.n is counted",
		`func f() { (m)["x"] = 1 }`:                          "p.m is assigned",
		`func f() { m["x"]++ }`:                              "p.m is counted",
		`func f() { delete(m, "x") }`:                        "p.m is changed by delete",
		`func f() { copy(s[1:], s) }`:                        "p.s is changed by copy",
		`func f() { s = append(s, 1) }`:                      "p.s is assigned",
		`func f() { v.m["x"] = 1 }`:                          "p.v is assigned",
		`func f() { arr[1].n = 1 }`:                          "p.arr is assigned",
		`func f() { p.n = 1 }`:                               "p.p is assigned",
		`func f() { *p = T{} }`:                              "p.p is assigned",
		`func f() *int { return &v.n }`:                      "p.v has its address",
		`func f() { v.Set() }`:                               "p.v has its address",
		`func f() { for n = range s {} }`:                    "p.n is assigned to by range",
		`var g = func() { n = 1 }`:                           "p.n is assigned",
		`var pool sync.Pool`:                                 "p.pool is made for changing (sync.Pool)",
		`var once = new(sync.Once)`:                          "p.once is made for changing (sync.Once)",
		`var l locked`:                                       "p.l is made for changing (sync.Mutex)",
		`var ls map[string]*locked`:                          "p.ls is made for changing (sync.Mutex)",
		`var c atomic.Int64`:                                 "p.c is made for changing (atomic.Int64)",
		`var ch = make(chan int)`:                            "p.ch is made for changing (a channel)",
		`var lazy = sync.OnceValue(func() int { return 1 })`: "p.lazy is filled when first used",
	} {
		found := Globals([]*packages.Package{b.check(t, head+code)}, nil)
		switch {
		case want == "" && len(found) > 0:
			t.Errorf("%s: %v", code, found)
		case want != "" && (len(found) != 1 || !strings.HasPrefix(found[0].What, want)):
			t.Errorf("%s: found %v, want %q", code, found, want)
		}
	}
	pkg := b.check(t, head+`func f() { n = 1 }`)
	if found := Globals([]*packages.Package{pkg}, map[string]string{"p.n": "because"}); len(found) > 0 {
		t.Errorf("an exception is not heeded: %v", found)
	}
	if found := Globals([]*packages.Package{pkg}, map[string]string{"p.n": "because", "p.m": "because"}); len(found) != 1 {
		t.Errorf("an exception that nobody needs passes: %v", found)
	}
}

func TestMentions(t *testing.T) {
	pkg := newBench().check(t, "package p\ntype T struct{ F int }\nfunc (T) M() {}\nfunc F() {}")
	tr := tree(t, map[string]string{
		"ARCHITECTURE.md": "`p.T` `p.T.F` `p.T.M()` `p.F` `vfs.FS` `p/none.go` `docs/gone` `testing/synctest` `_test.go` `a b/c` `<x>/y` `v1.2`\n```\n`p/code.go`\n```\n`p.Gone` `p.T.Gone` [x](none.md) [y](https://x.y/) [z](#here)",
		"docs/a.md":       "`p/gone.go` `p/none` `p.Gone`",
	})
	if err := os.Mkdir(tr.Root+"/docs", 0o777); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range Mentions(tr, []*packages.Package{pkg}) {
		got = append(got, f.String())
	}
	text := strings.Join(got, "\n")
	for _, want := range []string{"no file or folder `p/none.go`", "no file or folder `docs/gone`", "ARCHITECTURE.md: there is no `p.Gone`", "no `p.T.Gone`", "none.md leads nowhere", "docs/a.md: there is no `p.Gone`", "no file or folder `p/gone.go`"} {
		if !strings.Contains(text, want) {
			t.Errorf("not found: %s", want)
		}
	}
	if len(got) != 7 {
		t.Errorf("found %s", text)
	}
}
