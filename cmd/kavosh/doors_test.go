package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"kavosh"
	"kavosh/site"
)

// doorsArchive has a page that a rule is about.
func doorsArchive(t *testing.T, rule ...string) (archive, file string) {
	t.Helper()
	archive = filepath.Join(t.TempDir(), "archive")
	crawlWeb(t, archive, "-- a.test/ --\n<!doctype html><title>A treasure</title><p>The treasure lies here.\n", "http://a.test/")
	if len(rule) > 0 {
		command(t, append([]string{"access", archive, "add"}, rule...)...)
	}
	files, err := filepath.Glob(filepath.Join(archive, "warc", "*"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	return archive, files[0]
}

// A served search finds a page from the end of its embargo on, for as long as it runs.
func TestSearchFindsAtTheEndOfAnEmbargo(t *testing.T) {
	dir, _ := doorsArchive(t, "embargo", "a.test", "--until", "2999-01-01")
	command(t, "search", "--archive", dir, "treasure")
	now := time.Now()
	s, err := site.OpenSearch(dir, nil, site.Searching{Derived: derived(), Links: linksName, Now: func() time.Time { return now }, Trouble: func(err error) { t.Error(err) }})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	end := time.Date(2999, 1, 1, 0, 0, 0, 0, time.Local)
	for _, c := range []struct {
		now   time.Time
		found int
	}{{time.Now(), 0}, {end.Add(-time.Second), 0}, {end.Add(time.Second), 1}, {end.Add(time.Hour), 1}} {
		now = c.now
		got, err := s.Search(t.Context(), kavosh.Search{Text: "treasure"})
		if err != nil || len(got.Groups) != c.found {
			t.Errorf("at %s: %d found, want %d; %v", c.now, len(got.Groups), c.found, err)
		}
	}
}

// Files of an archive whose rules close something cannot be brought elsewhere without them, by their own path or by
// symbolic links, and are not served by themselves.
func TestFilesOfArchivesWithRules(t *testing.T) {
	closed, file := doorsArchive(t, "takedown", "a.test")
	_, open := doorsArchive(t)
	dir := t.TempDir()
	link, folder, twice := filepath.Join(dir, "link.warc.gz"), filepath.Join(dir, "folder"), filepath.Join(dir, "twice.warc.gz")
	for to, from := range map[string]string{link: file, folder: filepath.Dir(file), twice: link} {
		if err := os.Symlink(from, to); err != nil {
			t.Fatal(err)
		}
	}
	for _, path := range []string{file, filepath.Dir(file), closed, link, folder, twice, filepath.Join(folder, filepath.Base(file))} {
		if said, status := talk("import", path, filepath.Join(dir, "other")); status != 1 || !strings.Contains(said, "access rules would be lost: run kavosh export wacz "+closed) {
			t.Errorf("import %s: status %d: %s", path, status, said)
		}
		if path == closed {
			continue // that is the archive itself
		}
		if _, err := openCollections(t.Context(), &program{err: t.Output()}, []string{path}); err == nil || !strings.Contains(err.Error(), "name the archive's folder instead") {
			t.Errorf("serve %s: %v", path, err)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "other")); err == nil {
		t.Error("an archive was begun")
	}
	command(t, "import", open, filepath.Join(dir, "other")) // nothing is closed in it
}
