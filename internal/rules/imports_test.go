package rules

import (
	"path"
	"strconv"
	"strings"
)

// Imports finds imports between our own packages that ARCHITECTURE.md's arrows do not have. Tests obey like the rest, so that a
// package can be understood, and tested, without the packages beside it.
func Imports(t *Tree) []Finding {
	var found []Finding
	for _, name := range names(t.Files) {
		from := path.Dir(name)
		for _, spec := range t.Files[name].Imports {
			full, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				continue
			}
			to, ours := strings.CutPrefix(full, Module+"/")
			if full == Module {
				to, ours = ".", true
			}
			if !ours || to == from { // a test package imports the package it tests
				continue
			}
			if why := forbidden(from, to); why != "" {
				found = append(found, Finding{t.at(spec.Pos()), full + " must not be imported here: " + why})
			}
		}
	}
	return found
}

// above are the folders above the engine: they may import everything.
var above = map[string]bool{"bench": true, "cmd": true, "lab": true, "cluster": true, "conformance": true, "tools": true}

// aboveArchive are the folders that read archives, in addition to those above the engine.
var aboveArchive = map[string]bool{"site": true, "api": true, "export": true, "board": true}

// forbidden returns why the package in folder from may not import the one in folder to, or "".
func forbidden(from, to string) string {
	layer, _, _ := strings.Cut(from, "/")
	target, _, _ := strings.Cut(to, "/")
	switch {
	case to == "internal/rules":
		return "the rules look at the program, the program never at the rules"
	case from == ".":
		if to != "lib/weburl" && to != "lib/header" {
			return "the root holds nouns and imports lib/weburl and lib/header alone, so that every stage may import it"
		}
	case target == "lib":
		// Everybody may use the libraries.
	case layer == "lib":
		if to != "internal/testdata" {
			return "a library is useful to someone who never heard of us and imports libraries alone (its tests also internal/testdata)"
		}
	case layer == "pages" && target == "pages":
		// What stands alone looks like the other pages.
	case layer == "pages":
		return "the page kit stands on the libraries, and knows no archive"
	case to == ".":
		// Everybody above the libraries speaks in the nouns.
	case target == "lab" && above[layer]:
		// The lab's own parts, and the program that has it as a subcommand.
	case above[target]:
		return "it stands at the top: nothing imports it"
	case above[layer]:
		// They may import everything below.
	case target == "engine" && layer != "engine":
		return "only the folders above the engine (cmd, lab, cluster) start crawls"
	case target == "archive" && (layer == "engine" || aboveArchive[layer]):
		// The engine writes archives, and these read them.
	case layer == "engine", layer == "archive":
		// The engine joins all stages, and the archive what reads captures.
	case target == "archive":
		return "a stage knows no archive: what follows the capture log has the methods of archive.Follower"
	case target == "pages" && layer != "internal":
		// Whoever shows something to people draws it with the one page kit.
	case layer == "site", layer == "export":
		// They show and hand out what the archive has, by what the stages find and read.
	case layer == "quality" && target == "change":
		// Defects are what changed between two visits.
	case target == "internal":
		// Plumbing is for stages and plumbing.
	case layer == "internal":
		return "plumbing serves the stages and knows none of them"
	case layer == "plan" && (target == "frontier" || target == "schedule"):
		// A plan speaks in the names of orders, scopes and schedules.
	case layer != target:
		return "a stage never imports another stage: declare the interface you need, and the engine supplies it"
	}
	return ""
}
