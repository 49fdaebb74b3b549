package main

import (
	"archive/tar"
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"kavosh/lib/weburl"
)

// packages are Debian's documentation packages with the texts, in addition to libreoffice-help-*.
func packages() ([]string, error) {
	list := []string{
		"openjdk-17-doc", "rust-doc", "lazarus-doc-2.2", "postgresql-doc-15", "python3.11-doc", "libboost1.74-doc", "qtbase5-doc-html",
		"qtdeclarative5-doc-html", "erlang-doc",
	}
	out, err := exec.Command("apt-cache", "search", "-n", "^libreoffice-help-").Output()
	if err != nil {
		return nil, fmt.Errorf("apt-cache: %w", err)
	}
	for line := range strings.Lines(string(out)) {
		name, _, _ := strings.Cut(line, " ")
		list = append(list, name)
	}
	slices.Sort(list)
	return list, nil
}

func download(ctx context.Context, names []string, dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	args := []string{"download", "-qq"}
	for _, n := range names {
		if there, _ := filepath.Glob(filepath.Join(dir, n+"_*.deb")); len(there) == 0 {
			args = append(args, n)
		}
	}
	if len(args) == 2 {
		return nil
	}
	cmd := exec.CommandContext(ctx, "apt-get", args...)
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("apt-get download: %w; perhaps apt-get update helps", err)
	}
	return nil
}

// text is a page of a package.
type text struct {
	path string // as in a URL
	mime string
	body []byte
}

// texts calls each for every page of a package whose content was not in an earlier package.
func texts(ctx context.Context, pkg, dir string, met map[[16]byte]bool, each func(text) error) error {
	debs, err := filepath.Glob(filepath.Join(dir, pkg+"_*.deb"))
	if err != nil || len(debs) == 0 {
		return fmt.Errorf("no %s in %s", pkg, dir)
	}
	cmd := exec.CommandContext(ctx, "dpkg-deb", "--fsys-tarfile", debs[0])
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	err = files(tar.NewReader(out), met, each)
	if err != nil {
		_ = cmd.Process.Kill() // it writes into a pipe that nobody reads
	}
	return errors.Join(err, cmd.Wait())
}

func files(r *tar.Reader, met map[[16]byte]bool, each func(text) error) error {
	for {
		h, err := r.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		mime := map[string]string{".html": "text/html", ".htm": "text/html", ".xhtml": "application/xhtml+xml",
			".txt": "text/plain"}[path.Ext(h.Name)]
		if h.Typeflag != tar.TypeReg || mime == "" || h.Size < 200 || h.Size > 1<<20 {
			continue
		}
		body, err := io.ReadAll(r)
		if err != nil {
			return err
		}
		sum := sha256.Sum256(body)
		key := [16]byte(sum[:])
		u, err := weburl.Parse("http://x/" + strings.TrimPrefix(strings.TrimPrefix(h.Name, "./"), "usr/share/"))
		if met[key] || err != nil {
			continue
		}
		met[key] = true
		if err := each(text{u.PathQuery(), mime, bytes.Clone(body)}); err != nil {
			return err
		}
	}
}
