package main

import (
	"os"
	"testing"

	"kavosh/archive"
)

// A rebuild leaves what another process is adding to: that process would go on writing files that are gone.
func TestRebuildLeavesWhatIsInUse(t *testing.T) {
	t.Parallel()
	dir := secretArchive(t)
	for _, d := range derived() {
		t.Run(d.Name, func(t *testing.T) {
			s := &archive.Source{Dir: dir, Trouble: func(text string) { t.Log(text) }}
			f, done, err := s.Hold(d)
			if err != nil {
				t.Fatal(err)
			}
			follow := func() {
				t.Helper()
				if err := s.Follow(t.Context(), f, archive.Following{}); err != nil {
					t.Error(err)
				}
			}
			follow()
			before, err := os.Stat(s.Folder(d.Name))
			if err != nil {
				t.Fatal(err)
			}
			command(t, "rebuild", dir)
			if after, err := os.Stat(s.Folder(d.Name)); err != nil || !os.SameFile(before, after) {
				t.Fatalf("the folder is gone: %v", err)
			}
			follow()
			if err := done(); err != nil {
				t.Error(err)
			}
			command(t, "rebuild", dir)
			if _, err := os.Stat(s.Folder(d.Name)); !os.IsNotExist(err) {
				t.Errorf("the folder of nobody is left: %v", err)
			}
		})
	}
}
