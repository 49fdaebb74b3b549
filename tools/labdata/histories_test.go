package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"kavosh/lab/changing"
)

// A history has what commits did to pages, along the first parents, in the weeks in which the most changed.
func TestHistories(t *testing.T) {
	dir := t.TempDir()
	at := time.Date(2020, 1, 2, 0, 0, 0, 0, time.UTC)
	git := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-C", dir}, args...)...)
		date := at.Format(time.RFC3339)
		cmd.Env = append(os.Environ(), "GIT_AUTHOR_DATE="+date, "GIT_COMMITTER_DATE="+date, "GIT_CONFIG_GLOBAL=/dev/null",
			"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@a.test", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@a.test")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v: %s", args, err, out)
		}
	}
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	git("init", "-q", "-b", "main")
	write("a.md", "1\n2\n3\n4\n")
	write("b.html", "1\n")
	write("code.go", "1\n")
	git("add", "-A")
	git("commit", "-qm", "first")
	for range 30 { // a line of four is another every week
		at = at.Add(week * time.Second)
		write("a.md", "1\n2\n3\n"+at.Format(time.DateOnly)+"\n")
		write("code.go", at.String())
		git("commit", "-qam", "next")
	}
	changes, err := changesOf(dir, "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	h := busiest(changes)
	if strings.Join(h.pages, " ") != "a.md b.html" || h.measured != weeksAll-weeksLearn {
		t.Fatalf("pages %v, %d changes", h.pages, h.measured)
	}
	file := filepath.Join(dir, "x"+changing.HistoryEnding)
	if err := os.WriteFile(file, []byte(h.text("a/b", "HEAD")), 0o644); err != nil {
		t.Fatal(err)
	}
	w, err := changing.ReadHistory(file)
	if err != nil {
		t.Fatal(err)
	}
	if c := w.Pages[0].Changes; len(c) != weeksAll || c[3].E != 0.25 || len(w.Pages[1].Changes) != 1 && len(w.Pages[1].Changes) != 0 {
		t.Errorf("changes %v", c)
	}
}
