package rdftest

import (
	"strings"
	"testing"

	"kavosh/lib/rdf"
)

func TestIsomorphic(t *testing.T) {
	for _, tt := range []struct {
		name, a, b string
		want       bool
	}{
		{"nothing", "", "", true},
		{"order and repeats", "<a:s> <a:p> 1. <a:s> <a:p> 2.", "<a:s> <a:p> 2. <a:s> <a:p> 1. <a:s> <a:p> 2.", true},
		{"one less", "<a:s> <a:p> 1.", "", false},
		{"another literal", "<a:s> <a:p> 1.", "<a:s> <a:p> 2.", false},
		{"labels", "_:a <a:p> _:b.", "_:x <a:p> _:y.", true},
		{"itself", "_:a <a:p> _:a.", "_:x <a:p> _:y.", false},
		{"direction", "_:a <a:p> _:b. _:b <a:q> _:a.", "_:a <a:p> _:b. _:a <a:q> _:b.", false},
		{"two swapped", "_:a <a:p> _:b. _:b <a:p> 1.", "_:b <a:p> _:a. _:a <a:p> 1.", true},
		{"rings of three, and of six", "_:a <a:p> _:b. _:b <a:p> _:c. _:c <a:p> _:a. _:d <a:p> _:e. _:e <a:p> _:f. _:f <a:p> _:d.",
			"_:a <a:p> _:b. _:b <a:p> _:c. _:c <a:p> _:d. _:d <a:p> _:e. _:e <a:p> _:f. _:f <a:p> _:a.", false},
		{"rings turned", "_:a <a:p> _:b. _:b <a:p> _:c. _:c <a:p> _:a. _:d <a:p> _:e. _:e <a:p> _:f. _:f <a:p> _:d.",
			"_:f <a:p> _:a. _:a <a:p> _:c. _:c <a:p> _:f. _:b <a:p> _:d. _:d <a:p> _:e. _:e <a:p> _:b.", true},
		{"graphs", "<a:s> <a:p> 1 _:g.", "<a:s> <a:p> 1 _:h.", true},
		{"graph and default", "<a:s> <a:p> 1 _:g.", "<a:s> <a:p> 1.", false},
		{"graph that is a subject", "_:g <a:p> 1 _:g.", "_:g <a:p> 1 _:h.", false},
	} {
		read := func(s string) []rdf.Quad {
			s = strings.NewReplacer(". ", ".\n", "1", `"1"`, "2", `"2"`).Replace(s)
			quads, err := ReadAll(rdf.Strict(rdf.NewNQuadsReader(strings.NewReader(s))))
			if err != nil {
				t.Fatalf("%s: %v", tt.name, err)
			}
			return quads
		}
		if Isomorphic(read(tt.a), read(tt.b)) != tt.want {
			t.Errorf("%s: want %v", tt.name, tt.want)
		}
	}
}
