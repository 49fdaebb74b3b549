package main

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
)

// graph is who imports whom, but for those who look on from outside.
type graph struct {
	packages, arrows int
	rooms            []string            // those that are no bars, in the order of the map
	imports          map[string][]string // by room: the rooms that it imports
	depth            map[string]int      // by room: how many rooms stand below it, one upon the other
	circles          []string
	groups           []string       // the map's headings, as far as the colon
	group            map[string]int // by room: which heading it stands under
}

// bars are the rooms whose arrows are not drawn, with what the picture says of each.
var bars = map[string]string{
	"cmd":      "cmd/kavosh, the program: imports nearly all rooms",
	"kavosh":   "kavosh, the nouns: imported by nearly all rooms, as are",
	"internal": "internal, the plumbing, and",
	"lib":      "lib, the libraries",
}

var (
	mapLine = regexp.MustCompile("(?m)^### ([^:,\n]*)|^\\| `([^`]+)`")
	ours    = regexp.MustCompile(`^kavosh(?:/(.+))?$`)
	outside = regexp.MustCompile(`^(bench|conformance|tools)\b`)
)

// read makes the graph of the module in the working directory, of what go list and ARCHITECTURE.md say.
func read() (*graph, error) {
	text, err := os.ReadFile("ARCHITECTURE.md")
	if err != nil {
		return nil, err
	}
	g := &graph{imports: map[string][]string{}, depth: map[string]int{}, group: map[string]int{}}
	for _, m := range mapLine.FindAllStringSubmatch(string(text), -1) {
		r := room(m[2])
		_, known := g.group[r]
		switch {
		case m[1] == "Checks" || m[1] == "Tools" || outside.MatchString(r) || known:
		case m[1] != "":
			if !slices.Contains(g.groups, m[1]) {
				g.groups = append(g.groups, m[1])
			}
		default:
			g.group[r] = len(g.groups) - 1
			if bars[r] == "" {
				g.rooms = append(g.rooms, r)
			}
		}
	}
	out, err := exec.Command("go", "list", "-f", `{{.ImportPath}} {{join .Imports " "}}`, "./...").Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	for line := range strings.Lines(string(out)) {
		names := strings.Fields(line)
		if from := folder(names[0]); !outside.MatchString(from) {
			g.add(room(from), names[1:])
		}
	}
	for _, r := range g.rooms {
		slices.Sort(g.imports[r])
		g.measure(r, nil)
	}
	return g, nil
}

// folder is where a package of ours lies, of the root its name; of others nothing.
func folder(path string) string {
	m := ours.FindStringSubmatch(path)
	if m == nil {
		return ""
	}
	return cmp.Or(m[1], m[0])
}

// room is the folder at the top that a package lies in.
func room(folder string) string {
	top, _, _ := strings.Cut(folder, "/")
	return top
}

// add takes a package of room a with its imports.
func (g *graph) add(a string, imports []string) {
	g.packages++
	for _, path := range imports {
		b := room(folder(path))
		if b == "" {
			continue
		}
		g.arrows++
		if a != b && bars[a]+bars[b] == "" && !slices.Contains(g.imports[a], b) {
			g.imports[a] = append(g.imports[a], b)
		}
	}
}

// measure finds how deep a room is. above are those that led to it: one that leads to itself is a circle.
func (g *graph) measure(r string, above []string) int {
	if i := slices.Index(above, r); i >= 0 {
		g.circles = append(g.circles, strings.Join(above[i:], " → "))
		return 0
	}
	if _, known := g.depth[r]; !known {
		deep := 0
		for _, to := range g.imports[r] {
			deep = max(deep, 1+g.measure(to, append(above, r)))
		}
		g.depth[r] = deep
	}
	return g.depth[r]
}

func (g *graph) deepest() int { return slices.Max(slices.Collect(maps.Values(g.depth))) }

// row is the rooms of that depth.
func (g *graph) row(depth int) (in []string) {
	for _, r := range g.rooms {
		if g.depth[r] == depth {
			in = append(in, r)
		}
	}
	return in
}

// text is the graph as lines.
func (g *graph) text() string {
	var b strings.Builder
	for _, r := range g.rooms {
		if to := g.imports[r]; len(to) > 0 {
			fmt.Fprintf(&b, "%s → %s\n", r, strings.Join(to, ", "))
		}
	}
	return b.String()
}
