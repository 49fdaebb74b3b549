package search

// This file tests that titles are found by payloads, in every part of an index.

import (
	"slices"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// TestTitles finds titles in an index of several segments, also when it has grown.
func TestTitles(t *testing.T) {
	fs := vfs.NewMem()
	x := indexOf(t, fs, 1, testPage{url: "http://a.test/1", title: "One", text: "first"}, testPage{url: "http://a.test/2", title: "دو", text: "second"}, testPage{url: "http://a.test/3", title: "Three", text: "third"})
	got, err := x.Titles([]Payload{{"http://a.test/3", "sha1:Three"}, {"http://b.test/", "sha1:none"}, {"http://a.test/2", "sha1:دو"}, {"http://a.test/", ""}, {"http://other.test/", "sha1:One"}})
	if want := []string{"Three", "", "دو", "", "One"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%q %v, wanted %q", got, err, want)
	}
	if got, err := indexOf(t, vfs.NewMem(), 1).Titles([]Payload{{"http://a.test/", "sha1:One"}}); err != nil || !slices.Equal(got, []string{""}) {
		t.Errorf("an empty index has %q %v", got, err)
	}
}
