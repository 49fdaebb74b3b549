package main

import (
	"bufio"
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"kavosh/lib/rdf"
)

// This file compares how much of real documents we read with how much Jena reads.

//go:embed Count.java
var countProgram []byte

// againstJena prints the documents below folders of which Jena, whose jars are in a folder, reads another number of
// statements than we do, and the sums.
func againstJena(out io.Writer, jars string, folders []string) error {
	var paths []string
	for _, folder := range folders {
		err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
			if ext := filepath.Ext(path); err == nil && d.Type().IsRegular() && (ext == ".ttl" || ext == ".nt" || isXML(ext)) {
				paths = append(paths, path)
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	lines, err := jena(jars, paths)
	if err != nil {
		return err
	}
	var ours, theirs, differ, warned int64
	for i, path := range paths {
		number, complaint, _ := strings.Cut(lines[i], "\t")
		n, err := strconv.ParseInt(number, 10, 64)
		if err != nil {
			return fmt.Errorf("jena on %s: %w", path, err)
		}
		own, why, warnings, err := count(path)
		if err != nil {
			return err
		}
		ours, theirs = ours+own, theirs+n
		if warnings > 0 {
			warned++
		}
		if own != n {
			differ++
			fmt.Fprintf(out, "%s: %d, Jena %d\n\tkavosh: %s\n\tJena: %s\n", path, own, n, why, complaint)
		}
	}
	_, err = fmt.Fprintf(out, "%d documents: %d statements, Jena %d; %d documents differ, %d with faults that we read past\n", len(paths), ours, theirs, differ, warned)
	return err
}

// jena returns what Count.java prints of each document.
func jena(jars string, paths []string) ([]string, error) {
	dir, err := os.MkdirTemp("", "jena")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	program := filepath.Join(dir, "Count.java")
	if err := os.WriteFile(program, countProgram, 0o600); err != nil {
		return nil, err
	}
	c := exec.Command("java", "-cp", filepath.Join(jars, "*"), program)
	c.Stdin = strings.NewReader(strings.Join(paths, "\n") + "\n")
	var told bytes.Buffer
	c.Stderr = &told
	printed, err := c.Output()
	if err != nil {
		return nil, fmt.Errorf("java: %w: %.2000s", err, told.Bytes())
	}
	lines := strings.Split(strings.TrimSuffix(string(printed), "\n"), "\n")
	if len(lines) != len(paths) {
		return nil, fmt.Errorf("jena told of %d documents, not %d", len(lines), len(paths))
	}
	return lines, nil
}

func isXML(ext string) bool { return ext == ".rdf" || ext == ".owl" || ext == ".rdfs" }

// count returns how many statements we read of a document, and the first fault.
func count(path string) (n int64, why string, warnings int64, err error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, "", 0, err
	}
	defer f.Close()
	r := open(path, bufio.NewReader(f))
	for {
		q, err := r.Read()
		if fault := (*rdf.Fault)(nil); errors.As(err, &fault) {
			why = "ends at " + fault.Error()
			break
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			return 0, "", 0, err
		}
		if q.Check(false) == nil {
			n++
		}
	}
	w := r.(rdf.Lenient).Warnings()
	if w.Count > 0 {
		why = strings.TrimSpace(w.First[0].Error() + " " + why)
	}
	return n, why, w.Count, nil
}
