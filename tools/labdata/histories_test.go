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

// repository is a repository in a folder, whose commits are made at a time.
type repository struct {
	*testing.T
	dir string
	at  time.Time
}

func newRepository(t *testing.T, at time.Time) *repository {
	r := &repository{t, t.TempDir(), at}
	r.git("init", "-q", "-b", "main")
	return r
}

func (r *repository) git(args ...string) {
	r.Helper()
	cmd := exec.Command("git", append([]string{"-C", r.dir}, args...)...)
	date := r.at.Format(time.RFC3339)
	cmd.Env = append(os.Environ(), "GIT_AUTHOR_DATE="+date, "GIT_COMMITTER_DATE="+date, "GIT_CONFIG_GLOBAL=/dev/null",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@a.test", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@a.test")
	if out, err := cmd.CombinedOutput(); err != nil {
		r.Fatalf("git %v: %v: %s", args, err, out)
	}
}

func (r *repository) write(name, text string) {
	r.Helper()
	if err := os.WriteFile(filepath.Join(r.dir, name), []byte(text), 0o644); err != nil {
		r.Fatal(err)
	}
}

// A history has what commits did to pages, along the first parents, in the weeks in which the most changed.
func TestHistories(t *testing.T) {
	r := newRepository(t, time.Date(2020, 1, 2, 0, 0, 0, 0, time.UTC))
	r.write("a.md", "1\n2\n3\n4\n")
	r.write("b.html", "1\n")
	r.write("code.go", "1\n")
	r.git("add", "-A")
	r.git("commit", "-qm", "first")
	for range 30 { // a line of four is another every week
		r.at = r.at.Add(week * time.Second)
		r.write("a.md", "1\n2\n3\n"+r.at.Format(time.DateOnly)+"\n")
		r.write("code.go", r.at.String())
		r.git("commit", "-qam", "next")
	}
	changes, err := changesOf(r.dir, "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	h := busiest(changes)
	if strings.Join(h.pages, " ") != "a.md b.html" || h.measured != weeksAll-weeksLearn {
		t.Fatalf("pages %v, %d changes", h.pages, h.measured)
	}
	file := filepath.Join(r.dir, "x"+changing.HistoryEnding)
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
