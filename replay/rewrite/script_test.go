package rewrite

import (
	"bytes"
	"strings"
	"testing"

	"github.com/tdewolff/parse/v2"
	"github.com/tdewolff/parse/v2/js"
)

// In expectations, L stands for the name of the archived location, T for that of the outermost window.
var scriptNames = strings.NewReplacer("L§", ownLocation, "T§", ownTop, "F§", ownFrom+"("+ownSelf+").", "{T}", replayPath)

func TestScript(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"variables", `if (location.hash) location = "/x"`, `if (L§.hash) L§ = "/x"`},
		{"properties", `window.location.href = document.location; self . location.replace(a)`, `window.L§.href = document.L§; self . L§.replace(a)`},
		{"computed", `window["location"]; x = ["location"]; w['location'].href`, `window["L§"]; x = ["location"]; w['L§'].href`},
		{"parts of names", `mylocation; location_; $location; relocation.x; a.locations`, `mylocation; location_; $location; relocation.x; a.locations`},
		{"strings and comments", "'location'; \"\\\"location\"; // location\n/* location */ location", "'location'; \"\\\"location\"; // location\n/* location */ L§"},
		{"templates", "`location ${location} ${`${{location}.location}`} location`", "`location ${L§} ${`${{location:L§}.L§}`} location`"},
		{"regular expressions", `x = /location/; if (a) /location["]/.test(location); y = b / location / c; return_ = [/[/]location/g]`, `x = /location/; if (a) /location["]/.test(L§); y = b / L§ / c; return_ = [/[/]location/g]`},
		{"keys", `x = {location: 1, a: location, "location": 2}; f({location: location})`, `x = {location: 1, a: L§, "location": 2}; f({location: L§})`},
		{"shorthand", `x = {location}; f({a, location, b}); const {location} = y; let {location = 1, z} = y`, `x = {location:L§}; f({a, location:L§, b}); const {location:L§} = y; let {location:L§ = 1, z} = y`},
		{"windows taken apart", `const {location, top: t = 1, a} = window; let {location: l} = self, {document: {location: m}, top} = window, {location: n} = document`,
			`const {L§, T§: t = 1, a} = window; let {L§: l} = self, {document: {L§: m}, T§} = window, {L§: n} = document`},
		{"others taken apart", `const {location} = window.x, {location: l} = a; let {top} = document.body, x = {location: 1}; f({location}, window)`,
			`const {location:L§} = window.x, {location: l} = a; let {top:T§} = document.body, x = {location: 1}; f({location:L§}, window)`},
		{"shorthand of a function", `function f({location}) { return location } g = ({location}) => location`, `function f({location:L§}) { return L§ } g = ({location:L§}) => L§`},
		{"blocks are no objects", `if (a) {location = "x"} else {location, b} do {location} while (0); x => {location}`, `if (a) {L§ = "x"} else {L§, b} do {L§} while (0); x => {L§}`},
		{"labels and cases", `switch (a) { case 1: {location = 1} } a: {location = 2} b = c ? {location} : {location}`, `switch (a) { case 1: {L§ = 1} } a: {L§ = 2} b = c ? {location:L§} : {location:L§}`},
		{"methods", `x = {location() {}, get location() {return 1}, async location() {}, *location() {}, a: b * location(1)}`, `x = {location() {}, get location() {return 1}, async location() {}, *location() {}, a: b * L§(1)}`},
		{"classes", "class A extends B { location = location.href; static location() { return location } get location() {} x = location\nlocation() {} }", "class A extends B { location = L§.href; static location() { return L§ } get location() {} x = L§\nlocation() {} }"},
		{"private names", `class A { #location; f() { return this.#location } }`, `class A { #location; f() { return this.#location } }`},
		{"parameters", `function f(location, top) { return location.x + top }`, `function f(L§, T§) { return L§.x + T§ }`},
		{"optional and spread", `a?.location; [...location]; b ? .5 : location`, `a?.L§; [...L§]; b ? .5 : L§`},
		{"a number behind a question", `y = b?.5:{location}`, `y = b?.5:{location:L§}`},
		{"a default", `x = {a: b ?? c, location: 1}`, `x = {a: b ?? c, location: 1}`},
		{"a default of a case", `switch (x) { case a ?? b: {location = 1} }`, `switch (x) { case a ?? b: {L§ = 1} }`},
		{"a choice in a choice", `a ? b ? 1 : 2 : {location}`, `a ? b ? 1 : 2 : {location:L§}`},
		{"a choice that is misread ends with its statement", `x = a ? function(){} / 2 : 3 / 1; b: {location = 1}`, `x = a ? function(){} / 2 : 3 / 1; b: {L§ = 1}`},
		{"an object after an export", `export {a}; b = c, {location}`, `export {a}; b = c, {location:L§}`},
		{"a comment behind a key", `x = {location/* */:1}`, `x = {location/* */:1}`},
		{"what is not the document, taken apart", `const {x: {location: l}} = window`, `const {x: {location: l}} = window`},
		{"counted up and divided", `x++ / location / 2`, `x++ / L§ / 2`},
		{"methods with names of statements", `a.if(b) / location / c; a.import("/x"); location`, `a.if(b) / L§ / c; a.import("/x"); L§`},
		{"down to", `while (x-->0) location = 1`, `while (x-->0) L§ = 1`},
		{"a block behind a text", "'use strict'\n{location}", "'use strict'\n{L§}"},
		{"an object in a module", `import 'y'; a = b, {location}`, `import 'y'; a = b, {location:L§}`},
		{"a module that only hands on", `export * from "/x"`, `export * from "{T}js_/http://a.test/x"`},
		{"top", `if (top !== self) top.location = location; window.top == parent.top; e.style.top = 1; x = {top: top}`, `if (T§ !== self) T§.L§ = L§; window.T§ == parent.T§; e.style.top = 1; x = {top: T§}`},
		{"top of a module is not renamed", "import x from 'y'\nexport const top = 'top'; window.top", "import x from 'y'\nexport const top = 'top'; window.T§"},
		{"messages", `parent.postMessage(a, "*"); w?.postMessage (b); c.postMessage; postMessage(d)`, `parent.F§postMessage(a, "*"); w?.F§postMessage (b); c.postMessage; postMessage(d)`},
		{"imports", `import "/a.js"; import b, {c as d} from 'https://b.test/b.js'; export * from "//c.test/x"; export {location} from "./e.js"; import "bare"`,
			`import "{T}js_/http://a.test/a.js"; import b, {c as d} from '{T}js_/https://b.test/b.js'; export * from "{T}js_/http://c.test/x"; export {L§} from "./e.js"; import "bare"`},
		{"imports, minified", `import{a}from"/a.js";import*as b from"/b.js";export{a as c}from"/c.js";export default{from:"/d.js"}`,
			`import{a}from"{T}js_/http://a.test/a.js";import*as b from"{T}js_/http://a.test/b.js";export{a as c}from"{T}js_/http://a.test/c.js";export default{from:"/d.js"}`},
		{"import calls", `import("/a.js").then(x); import(a ? b : c, {with: {}}); x.import(1); y = {import(z) {}}`,
			`import(kavosh$lead("/a.js","http://a.test/dir/s.js?v=1")).then(x); import(kavosh$lead(a ? b : c,"http://a.test/dir/s.js?v=1"), {with: {}}); x.import(1); y = {import(z) {}}`},
		{"import.meta", `new URL("x", import.meta.url); import.meta.env`, `new URL("x", "http://a.test/dir/s.js?v=1"); import.meta.env`},
		{"eval", `eval(code); window.eval(x); eval(); (0, eval)(y)`, `eval(kavosh$code(code,"http://a.test/dir/s.js?v=1")); window.eval(x); eval(); (0, eval)(y)`},
		{"numbers", `1.e5.location; 0xe+location; 1e-5/location/2`, `1.e5.location; 0xe+L§; 1e-5/L§/2`},
		{"comments as in HTML", "<!-- location\nlocation\n--> location", "<!-- location\nL§\n--> location"},
		{"hashbang and mark", "\ufeff#!location\nlocation", "\ufeff#!location\nL§"},
		{"brackets that do not match", `location }`, `location }`},
		{"bytes of another encoding", "\"\xd3\xe1\" + location + '\xff'", "\"\xd3\xe1\" + L§ + '\xff'"},
		{"markup in a string", `document.write("<script>location</scr" + "ipt>", location)`, `document.write("<script>location</scr" + "ipt>", L§)`},
	} {
		got := string(place(t, "http://a.test/dir/s.js?v=1", Page).script([]byte(c.in)))
		if want := scriptNames.Replace(c.want); got != want {
			t.Errorf("%s\n  in %s\n got %s\nwant %s", c.name, c.in, got, want)
		}
	}
}

// Whatever the script, rewriting it takes nothing away that is not put back, and what was a script stays one.
func FuzzScript(f *testing.F) {
	for _, s := range []string{"location", "`${location}`", "/[/]location/", "x={location}", "import('/x')", "import a from'/x'", "a?.location", "eval(x)", "import.meta.url", "class A{location=location}", "<!--location\n-->", "top.location"} {
		f.Add([]byte(s))
	}
	p := place(f, "http://a.test/dir/page", Page)
	f.Fuzz(func(t *testing.T, in []byte) {
		out := p.script(in)
		s := scanner{src: in, place: p}
		if !s.run() {
			if !bytes.Equal(in, out) {
				t.Errorf("%q was not understood and changed: %q", in, out)
			}
			return
		}
		last := 0
		for _, e := range s.edits {
			if e.start < last || e.end < e.start || e.end > len(in) {
				t.Fatalf("%q: the edit %+v lies before %d or beyond the end", in, e, last)
			}
			last = e.end
		}
		if parses(in) && !parses(out) {
			t.Errorf("%q became %q, which is no script", in, out)
		}
	})
}

func parses(src []byte) bool {
	_, err := js.Parse(parse.NewInputBytes(bytes.Clone(src)), js.Options{})
	return err == nil
}

// A script that is too long to be read into memory is handed on as it is, to its end.
func TestLongScript(t *testing.T) {
	const end = "location; the end"
	long := strings.Repeat(" ", maxScript) + end
	var out strings.Builder
	if err := JavaScript(&out, strings.NewReader(long), place(t, "http://a.test/", Page)); err != nil {
		t.Fatal(err)
	}
	if out.Len() != len(long) || !strings.HasSuffix(out.String(), " "+end) {
		t.Errorf("of %d bytes %d came", len(long), out.Len())
	}
}
