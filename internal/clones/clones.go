// Package clones reads files of public repositories as they are at pinned commits, for tools that make data out of what
// others published. Clones are kept in a folder; those that are missing come from GitHub.
package clones

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// At returns the bare clone OWNER+NAME.git in the folder clones of a repository, OWNER/NAME, with its commit. What the
// folder lacks is fetched from GitHub. A link to a clone that lies elsewhere will do.
func At(clones, repository, commit string) (string, error) {
	dir := filepath.Join(clones, strings.ReplaceAll(repository, "/", "+")+".git")
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		if text, err := exec.Command("git", "init", "--quiet", "--bare", dir).CombinedOutput(); err != nil {
			return "", fmt.Errorf("git init %s: %w: %s", dir, err, text)
		}
	}
	if exec.Command("git", "-C", dir, "cat-file", "-e", commit).Run() == nil {
		return dir, nil
	}
	_, err := git(dir, nil, "fetch", "--quiet", "--depth=1", "https://github.com/"+repository, commit)
	return dir, err
}

// Commit is a commit with the time at which it was made.
type Commit struct {
	ID   string
	Time time.Time
}

// History returns the commits along the first parents of a commit, the oldest first. The clone has to be whole.
func History(clone, commit string) ([]Commit, error) {
	list, err := git(clone, nil, "log", "--first-parent", "--reverse", "--format=%H %ct", commit)
	if err != nil {
		return nil, err
	}
	var all []Commit
	for line := range strings.Lines(string(list)) {
		var c Commit
		var seconds int64
		if _, err := fmt.Sscan(line, &c.ID, &seconds); err != nil {
			return nil, fmt.Errorf("%s: %q: %w", clone, line, err)
		}
		c.Time = time.Unix(seconds, 0).UTC()
		all = append(all, c)
	}
	return all, nil
}

// File is a file of a commit.
type File struct {
	Path string
	Body []byte
}

// Files reads the wanted files of a commit in a clone or bare mirror, sorted by path. Files that a mirror lacks are
// skipped, and their number is reported on standard error.
func Files(clone, commit string, wanted func(path string) bool) ([]File, error) {
	list, err := git(clone, nil, "ls-tree", "-r", "-z", commit)
	if err != nil {
		return nil, err
	}
	var files []File
	var ids strings.Builder
	for line := range strings.SplitSeq(string(list), "\x00") {
		about, path, ok := strings.Cut(line, "\t")
		if fields := strings.Fields(about); ok && len(fields) == 3 && fields[1] == "blob" && wanted(path) {
			files = append(files, File{Path: path})
			fmt.Fprintln(&ids, fields[2])
		}
	}
	blobs, err := git(clone, strings.NewReader(ids.String()), "cat-file", "--batch")
	if err != nil {
		return nil, err
	}
	r := bufio.NewReader(bytes.NewReader(blobs))
	var had []File
	for _, f := range files {
		head, err := r.ReadString('\n')
		fields := strings.Fields(head)
		if err == nil && len(fields) == 2 && fields[1] == "missing" {
			continue
		}
		if err != nil || len(fields) != 3 {
			return nil, fmt.Errorf("%s: git has no content for %s: clone it whole", clone, f.Path)
		}
		size, err := strconv.Atoi(fields[2])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", clone, err)
		}
		f.Body = make([]byte, size)
		if _, err := io.ReadFull(r, f.Body); err != nil {
			return nil, fmt.Errorf("%s: %w", clone, err)
		}
		if _, err := r.Discard(1); err != nil {
			return nil, fmt.Errorf("%s: %w", clone, err)
		}
		had = append(had, f)
	}
	if n := len(files) - len(had); n > 0 {
		fmt.Fprintf(os.Stderr, "%s: %d of %d files are missing in the clone\n", clone, n, len(files))
	}
	return had, nil
}

func git(clone string, in io.Reader, args ...string) ([]byte, error) {
	cmd := exec.Command("git", append([]string{"-C", clone}, args...)...)
	cmd.Stdin, cmd.Stderr = in, os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("git %s of %s: %w: is it a whole clone?", args[0], clone, err)
	}
	return out, nil
}
