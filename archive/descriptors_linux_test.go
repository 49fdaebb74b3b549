package archive

import (
	"fmt"
	"os"
	"testing"
)

// Reading many packages leaves none of them open.
func TestManyPackages(t *testing.T) {
	var paths []string
	for i := range 20 {
		paths = append(paths, packed(t, recordOf("response", fmt.Sprintf("http://%d.test/", i))))
	}
	open := func() int {
		files, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Fatal(err)
		}
		return len(files)
	}
	before, pages := open(), 0
	answers := Answers{Revisits: true}
	if err := answers.All(t.Context(), paths, func(*Answer) error { pages++; return nil }); err != nil || pages != 20 {
		t.Fatalf("%d pages, %v", pages, err)
	}
	if after := open(); after > before+2 {
		t.Errorf("%d files are open, %d before", after, before)
	}
}
