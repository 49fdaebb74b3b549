package main

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"kavosh/internal/clones"
	"kavosh/lib/rdf/format"
)

// This file makes a folder of real documents out of public repositories.

// repositories has repository, commit, licence and perhaps where contexts are served, a line each.
//
//go:embed repositories.tsv
var repositories string

const (
	perRepository = 300     // documents at most, so that no generator makes up much of the sample
	largest       = 4 << 20 // bytes of a document
)

// sample writes the documents of the repositories, each once, to dir/documents as OWNER+NAME/HASH.EXT, and the contexts
// of JSON-LD to dir/contexts. Of a repository the files with the lowest hashes of their paths are taken.
func sample(dir, from string) error {
	met := map[[sha256.Size]byte]bool{}
	for line := range strings.Lines(repositories) {
		fields := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if line[0] == '#' || len(fields) < 3 {
			continue
		}
		clone, err := clones.At(from, fields[0], fields[1])
		if err != nil {
			return err
		}
		files, err := clones.Files(clone, fields[1], func(path string) bool {
			return !slices.Contains([]format.Format{format.None, format.HTML}, format.Said("", path))
		})
		if err != nil {
			return err
		}
		hash := func(f clones.File) string {
			sum := sha256.Sum256([]byte(f.Path))
			return hex.EncodeToString(sum[:8])
		}
		slices.SortFunc(files, func(a, b clones.File) int { return cmp.Compare(hash(a), hash(b)) })
		if len(fields) > 3 {
			if err := putContexts(filepath.Join(dir, "contexts", fields[3]), clone, fields[1]); err != nil {
				return err
			}
		}
		folder := filepath.Join(dir, "documents", strings.ReplaceAll(fields[0], "/", "+"))
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return err
		}
		n := 0
		for _, f := range files {
			sum := sha256.Sum256(f.Body)
			if n == perRepository {
				break
			}
			if met[sum] || len(f.Body) > largest || len(bytes.TrimSpace(f.Body)) == 0 || bytes.HasPrefix(f.Body, []byte("version https://git-lfs")) {
				continue
			}
			met[sum] = true
			n++
			if err := os.WriteFile(filepath.Join(folder, hash(f)+strings.ToLower(filepath.Ext(f.Path))), f.Body, 0o600); err != nil {
				return err
			}
		}
	}
	fmt.Println(len(met), "documents in", dir)
	return nil
}

// putContexts writes what a repository has of contexts below dir, by their paths in it.
func putContexts(dir, clone, commit string) error {
	files, err := clones.Files(clone, commit, func(path string) bool {
		return strings.Contains(strings.ToLower(path), "context") && strings.HasPrefix(filepath.Ext(path), ".json")
	})
	if err != nil {
		return err
	}
	for _, f := range files {
		name := filepath.Join(dir, f.Path)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(name, f.Body, 0o600); err != nil {
			return err
		}
	}
	return nil
}
