package main

// This file brings the sites.

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"kavosh/internal/clones"
	"kavosh/internal/debian"
)

// makeSites unpacks the sites into the folder DIR/NAME each, which it leaves alone if it is there. CLONES is a folder of
// bare clones, as package clones wants them; missing ones come from GitHub.
func makeSites(args []string) error {
	if len(args) != 2 {
		return errors.New("make takes two arguments: CLONES DIR")
	}
	sites, err := readSites()
	if err != nil {
		return err
	}
	for _, s := range sites {
		final := filepath.Join(args[1], s.name)
		if _, err := os.Stat(final); err == nil {
			continue
		}
		fmt.Fprintln(os.Stderr, s.name)
		part := final + ".part"
		if err := os.RemoveAll(part); err != nil {
			return err
		}
		if err := s.unpack(args[0], filepath.Join(args[1], "packages"), part); err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		if err := os.Rename(part, final); err != nil {
			return err
		}
	}
	return nil
}

func (s *site) unpack(folder, packages, out string) error {
	repository, commit, ok := s.repository()
	if !ok {
		for name := range strings.FieldsSeq(s.source) {
			if err := debian.Unpack(name, packages, out); err != nil {
				return err
			}
		}
		return nil
	}
	clone, err := clones.At(folder, repository, commit)
	if err != nil {
		return err
	}
	files, err := clones.Files(clone, commit, func(path string) bool {
		return below(path, s.folder) && (s.without == "" || !below(path, s.without))
	})
	if err != nil {
		return err
	}
	for _, f := range files {
		name := filepath.Join(out, filepath.FromSlash(f.Path))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(name, f.Body, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// below reports whether a path is in a folder; "." is the folder of all.
func below(path, folder string) bool { return folder == "." || strings.HasPrefix(path, folder+"/") }
