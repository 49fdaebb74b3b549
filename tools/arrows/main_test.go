package main

import (
	"os"
	"testing"
)

// The picture in the documents is what the packages import today, and no room imports another in a circle.
func TestPictureIsTrue(t *testing.T) {
	t.Chdir("../..")
	g, err := read()
	if err != nil {
		t.Fatal(err)
	}
	is, err := os.ReadFile("docs/architecture.svg")
	if err != nil {
		t.Fatal(err)
	}
	if string(is) != g.picture() {
		t.Errorf("docs/architecture.svg does not show these arrows; `make arrows` draws it anew:\n%s", g.text())
	}
	if len(g.circles) > 0 {
		t.Errorf("rooms import each other in circles: %q", g.circles)
	}
}
