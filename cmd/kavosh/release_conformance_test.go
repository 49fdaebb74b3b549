//go:build conformance

package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// What a release hands out starts where it was never built: the package for Debian is unpacked, and its program makes and
// shows an archive. Its manual page can be read, and its completions complete.
func TestRelease(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Fatal("packages for Debian are made on Linux")
	}
	for _, program := range []string{"git", "make", "dpkg-deb", "man"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Fatalf("%v: apt-get install git make dpkg man-db", err)
		}
	}
	tree := t.TempDir() // a copy, so that dist/ of the work tree stays as it is
	run := func(dir, name string, args ...string) string {
		t.Helper()
		cmd := exec.Command(name, args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GOFLAGS=", "MAKEFLAGS=")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
		}
		return string(out)
	}
	run("../..", "git", "clone", "-q", ".", tree)
	run(tree, "make", "release", "SYSTEMS=linux", "ARCHS="+runtime.GOARCH)
	run(filepath.Join(tree, "dist"), "sha256sum", "--check", "SHA256SUMS")
	root := t.TempDir()
	run(tree, "dpkg-deb", "-x", "dist/kavosh_"+runtime.GOARCH+".deb", root)
	kavosh := filepath.Join(root, "usr/bin/kavosh")
	if linked, _ := exec.Command("ldd", kavosh).CombinedOutput(); !bytes.Contains(linked, []byte("not a dynamic executable")) {
		t.Errorf("the program is not static: %s", linked)
	}
	archive := filepath.Join(t.TempDir(), "demo.kavosh")
	if out := run(root, kavosh, "demo", "--once", "--archive", archive); !strings.Contains(out, archive) {
		t.Errorf("the demo says %s", out)
	}
	run(root, kavosh, "check", archive)

	page := run(root, "man", "-l", "usr/share/man/man1/kavosh.1.gz")
	for _, want := range []string{"kavosh crawl", "--max-pages", "kavosh export wacz", "EXIT STATUS"} {
		if !strings.Contains(page, want) {
			t.Errorf("the manual page lacks %q", want)
		}
	}
	complete := func(words ...string) string {
		script := "source usr/share/bash-completion/completions/kavosh; COMP_WORDS=(" + strings.Join(words, " ") +
			`); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _kavosh; echo "${COMPREPLY[@]}"`
		return strings.TrimSpace(run(root, "bash", "-c", script))
	}
	for _, test := range []struct{ words, want string }{
		{"kavosh cra", "crawl"}, {"kavosh export w", "wacz"}, {"kavosh crawl --max-p", "--max-pages"}, {"kavosh crawl --scope pr", "prefix"},
	} {
		if got := complete(strings.Fields(test.words)...); got != test.want {
			t.Errorf("%s completes to %q, want %q", test.words, got, test.want)
		}
	}
}
